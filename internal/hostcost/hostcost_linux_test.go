package hostcost

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"deltabench/internal/evidence"
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

// Of a process that ends while it is sampled it is known what it did until then.
func TestProcessEnds(t *testing.T) {
	var p *evidence.Process
	for wait := 1500 * time.Millisecond; wait < time.Minute; wait *= 3 { // a busy machine may take no sample in time
		cmd := exec.Command("sh", "-c", "while :; do sleep 0.01; done")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		s := Start(cmd.Process.Pid)
		time.Sleep(wait)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if p = s.Stop().Process; p != nil && p.VoluntarySwitches > 0 {
			break
		}
	}
	if p == nil || p.VoluntarySwitches < 1 || p.MemoryAfter <= 0 || p.CPUs < 1 || p.ReadBytes < 0 {
		t.Errorf("%+v", p)
	}
}

// A process that has ended and was not waited for yet is none.
func TestZombie(t *testing.T) {
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	end := time.Now().Add(time.Minute)
	for readProcess(cmd.Process.Pid).memory == 0 && time.Now().Before(end) { // it is only starting
		time.Sleep(time.Millisecond)
	}
	s := Start(cmd.Process.Pid)
	_ = cmd.Process.Kill()
	for readProcess(cmd.Process.Pid).ok && time.Now().Before(end) {
		time.Sleep(time.Millisecond)
	}
	c := s.Stop()
	_ = cmd.Wait()
	if c.Process == nil || c.Process.MemoryAfter <= 0 {
		t.Errorf("%+v", c.Process)
	}
}

func TestSwitches(t *testing.T) {
	t.Parallel()
	var s switches
	for _, now := range []map[int]threadSwitches{
		{1: {1000, 10}, 2: {500, 5}},
		{1: {1010, 10}, 2: {500, 6}, 3: {7, 1}}, // a new thread: 17, 2
		{},                                      // the process has gone for a moment, or for good
		{1: {1020, 10}},                         // 10
		{1: {1020, 10}, 2: {510, 6}},            // 2 was missed only: 10
		{1: {1020, 10}, 2: {510, 6}, 3: {2, 1}}, // 3 is another thread: 2, 1
	} {
		s.add(now)
	}
	if s.voluntary != 39 || s.involuntary != 3 {
		t.Errorf("%d, %d", s.voluntary, s.involuntary)
	}
}

func TestQuota(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for name, text := range map[string]string{
		"a/cpu.max": "150000 100000\n", "a/b/cpu.max": "max 100000\n", "a/c/cpu.max": "50000 100000\n",
		"cpu,cpuacct/docker/x/cpu.cfs_quota_us": "250000\n", "cpu,cpuacct/docker/x/cpu.cfs_period_us": "100000\n",
		"cpu,cpuacct/docker/y/cpu.cfs_quota_us": "-1\n", "cpu,cpuacct/docker/y/cpu.cfs_period_us": "100000\n",
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for groups, want := range map[string]float64{
		"0::/a/b\n": 1.5, "0::/a/c\n": 0.5, "0::/\n": 0, "": 0, "0::nonsense\n": 0,
		"12:memory:/docker/x\n4:cpu,cpuacct:/docker/x\n0::/\n": 2.5, "4:cpu,cpuacct:/docker/y\n": 0, "3:cpuset:/a/c\n": 0,
	} {
		if got := quota(root, groups); got != want {
			t.Errorf("%q: %g, want %g", groups, got, want)
		}
	}
}

func TestNeighbours(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "x")
	if others, release := neighbours(dir, "study a"); len(others) > 0 {
		t.Error(others)
	} else {
		defer release()
	}
	other := exec.Command("sleep", "60")
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Process.Kill(); _ = other.Wait() }()
	token, err := StartToken(other.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	write := func(pid int, text string) string {
		path := filepath.Join(dir, strconv.Itoa(pid))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write(other.Process.Pid, token+"\nstudy b\n12:01\n")
	reused := write(1, "another boot 5\nstudy c\n12:02\n")
	others, release := neighbours(dir, "study a")
	if want := fmt.Sprintf("study b (pid %d, since 12:01)", other.Process.Pid); !slices.Equal(others, []string{want}) {
		t.Errorf("%q, want %s", others, want)
	}
	if _, err := os.Stat(reused); err == nil {
		t.Error("the file of a process that has ended is still there")
	}
	release()
	if _, err := os.Stat(filepath.Join(dir, strconv.Itoa(os.Getpid()))); err == nil {
		t.Error("our file is still there")
	}
}

// A directory that others may write is not used: links in it may lead anywhere.
func TestNeighboursOfStrangers(t *testing.T) {
	dir := t.TempDir()
	victim := filepath.Join(dir, "victim")
	open := filepath.Join(dir, "open")
	if err := os.Mkdir(open, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(victim, filepath.Join(open, strconv.Itoa(os.Getpid()))); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(t.TempDir(), link); err != nil {
		t.Fatal(err)
	}
	for _, x := range []string{open, link} {
		if others, release := neighbours(x, "study"); others != nil {
			t.Error(others)
		} else {
			release()
		}
	}
	if _, err := os.Stat(victim); err == nil {
		t.Error("a file of somebody else was written")
	}
	if _, err := os.Lstat(filepath.Join(link, strconv.Itoa(os.Getpid()))); err == nil {
		t.Error("a link was followed")
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
	err := WithCPUs(strconv.Itoa(first), func() error {
		cmd := exec.Command("sh", "-c", "grep Cpus_allowed_list /proc/self/status")
		cmd.Stdout = &out
		return cmd.Run()
	})
	if err != nil || strings.Fields(out.String())[1] != strconv.Itoa(first) {
		t.Errorf("%q, %v", out.String(), err)
	}
	for list, want := range map[string]string{"1-0": "a list such as 0-3,8", "x": "a list such as 0-3,8", "900": "there is no CPU 900"} {
		if err := CheckCPUs(list); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", list, err)
		}
	}
	called := false
	if err := WithCPUs(strconv.Itoa(first)+",900", func() error { called = true; return nil }); err == nil || called {
		t.Error("bound to a CPU that is not there")
	}
	if err := CheckCPUs(""); err != nil {
		t.Error(err)
	}
}
