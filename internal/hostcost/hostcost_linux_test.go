package hostcost

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A process that computes and then writes is seen doing it.
func TestSampler(t *testing.T) {
	file := t.TempDir() + "/x"
	cmd := exec.Command("sh", "-c", `read x; i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; dd if=/dev/zero of=`+file+` bs=1M count=4 conv=fsync 2>/dev/null; echo done; read x`)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s := Start(cmd.Process.Pid)
	_, _ = in.Write([]byte("\n"))
	if _, err := out.Read(make([]byte, 5)); err != nil {
		t.Fatal(err)
	}
	c := s.Stop()
	_ = in.Close()
	_ = cmd.Wait()
	if c.Process == nil || c.Process.CPUSeconds() <= 0.02 || c.Process.MemoryPeak <= 0 || c.Process.CPUs < 1 || len(c.Seconds) < 2 || c.Process.Threads != 1 {
		t.Errorf("process: %+v", c.Process)
	}
	if c.Machine == nil || c.Machine.CPUs < 1 || c.Machine.BusyShare <= 0 || c.Machine.BusyShare > 1.0001 {
		t.Errorf("machine: %+v", c.Machine)
	}
}

func TestEndedProcess(t *testing.T) {
	cmd := exec.Command("true")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	if c := Start(cmd.Process.Pid).Stop(); c.Process != nil || len(c.Seconds) > 0 {
		t.Errorf("%+v", c)
	}
	if _, err := StartToken(cmd.Process.Pid); err == nil {
		t.Error("a process that has ended has a token")
	}
}

func TestStartToken(t *testing.T) {
	a, err := StartToken(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sleep", "60")
	time.Sleep(20 * time.Millisecond) // two ticks
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	b, err := StartToken(cmd.Process.Pid)
	if err != nil || a == b || strings.Count(b, " ") != 1 {
		t.Errorf("%q, %q, %v", a, b, err)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}

func TestWithCPUs(t *testing.T) {
	var mine unix.CPUSet
	if err := unix.SchedGetaffinity(0, &mine); err != nil {
		t.Fatal(err)
	}
	first := 0
	for !mine.IsSet(first) {
		first++
	}
	var out strings.Builder
	err := WithCPUs(string(rune('0'+first)), func() error {
		cmd := exec.Command("sh", "-c", "grep Cpus_allowed_list /proc/self/status")
		cmd.Stdout = &out
		return cmd.Run()
	})
	if err != nil || strings.Fields(out.String())[1] != string(rune('0'+first)) {
		t.Errorf("%q, %v", out.String(), err)
	}
	for list, want := range map[string]string{"1-0": "a list such as 0-3,8", "x": "a list such as 0-3,8", "900": "there is no CPU 900"} {
		if err := CheckCPUs(list); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", list, err)
		}
	}
	if err := CheckCPUs(""); err != nil {
		t.Error(err)
	}
}
