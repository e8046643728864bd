package mariadbtest

import (
	"bufio"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestStopCont holds that a halted server keeps its port open but does not answer, and goes on later.
func TestStopCont(t *testing.T) {
	t.Parallel()
	s := Start(t)
	greeting := func(d time.Duration) error {
		c, err := net.Dial("tcp", s.Addr)
		if err != nil {
			return err
		}
		defer c.Close()
		c.SetReadDeadline(time.Now().Add(d))
		_, err = c.Read(make([]byte, 1))
		return err
	}
	s.Stop(t)
	if err := greeting(100 * time.Millisecond); err == nil || !os.IsTimeout(err) {
		t.Errorf("halted server: got %v, want a timeout", err)
	}
	s.Cont(t)
	if err := greeting(30 * time.Second); err != nil {
		t.Errorf("after Cont: %v", err)
	}
}

// TestServerDiesWithItsParent kills a process that has started a server.
func TestServerDiesWithItsParent(t *testing.T) {
	if os.Getenv("MARIADBTEST_PARENT") != "" {
		s := Start(t)
		os.Stdout.WriteString("pid " + strconv.Itoa(s.PID()) + "\n")
		select {} // until killed
	}
	t.Parallel()
	cmd := exec.Command(os.Args[0], "-test.run=^TestServerDiesWithItsParent$")
	cmd.Env = append(os.Environ(), "MARIADBTEST_PARENT=1", "TMPDIR="+t.TempDir())
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := 0
	for sc := bufio.NewScanner(out); pid == 0 && sc.Scan(); {
		if id, ok := strings.CutPrefix(sc.Text(), "pid "); ok {
			pid, _ = strconv.Atoi(id)
		}
	}
	if pid == 0 || !processExists(pid) {
		t.Fatalf("the child has not started a server (pid %d)", pid)
	}
	cmd.Process.Kill()
	cmd.Wait()
	for deadline := time.Now().Add(30 * time.Second); alive(pid); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("server %d outlives its parent", pid)
		}
	}
}

// alive reports whether pid runs; a zombie that nobody reaps (init of a container) does not.
func alive(pid int) bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && !strings.Contains(string(b), ") Z ")
}
