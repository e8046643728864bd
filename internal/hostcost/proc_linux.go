package hostcost

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// ticks are what /proc counts CPU time in: USER_HZ, 100 on all architectures that Linux runs Go on.
const ticks = 100

// readProcess reads the counters of a process from /proc (proc(5)). One that has ended and that nobody waited for yet has no memory
// any more, and is not read.
func readProcess(pid int) (t processTimes) {
	dir := fmt.Sprintf("/proc/%d", pid)
	f, err := statFields(dir)
	if err != nil || f[0] == "Z" {
		return t
	}
	number := func(i int) float64 { v, _ := strconv.ParseFloat(f[i], 64); return v }
	t.ok, t.user, t.system = true, number(11)/ticks, number(12)/ticks
	t.threads, t.memory = int(number(17)), int64(number(21))*int64(os.Getpagesize())
	t.read, t.write = -1, -1
	if text, err := os.ReadFile(dir + "/io"); err == nil {
		t.read, t.write = value(text, "\nread_bytes:"), value(text, "\nwrite_bytes:")
	}
	return t
}

// readSwitches reads the context switches of the threads of a process; empty when it has ended.
func readSwitches(pid int) map[int]threadSwitches {
	dir := fmt.Sprintf("/proc/%d/task/", pid)
	tasks, _ := os.ReadDir(dir)
	out := make(map[int]threadSwitches, len(tasks))
	for _, task := range tasks {
		id, err := strconv.Atoi(task.Name())
		text, readErr := os.ReadFile(dir + task.Name() + "/status")
		if err == nil && readErr == nil {
			out[id] = threadSwitches{value(text, "\nvoluntary_ctxt_switches:"), value(text, "\nnonvoluntary_ctxt_switches:")}
		}
	}
	return out
}

// statFields are the fields of /proc/PID/stat from the third one (the state) on: the second may contain anything.
func statFields(dir string) ([]string, error) {
	text, err := os.ReadFile(dir + "/stat")
	if err != nil {
		return nil, err
	}
	i := bytes.LastIndexByte(text, ')')
	f := strings.Fields(string(text[i+1:]))
	if i < 0 || len(f) < 22 {
		return nil, fmt.Errorf("%s/stat is not as expected", dir)
	}
	return f, nil
}

// value is the number behind a word in a text of lines.
func value(text []byte, word string) int64 {
	i := bytes.Index(text, []byte(word))
	if i < 0 {
		return 0
	}
	f := bytes.Fields(text[i+len(word):])
	if len(f) == 0 {
		return 0
	}
	n, _ := strconv.ParseInt(string(f[0]), 10, 64)
	return n
}

func readMachine() (m machineTimes) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return m
	}
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) < 9 || !strings.HasPrefix(f[0], "cpu") {
			continue
		}
		if f[0] != "cpu" {
			m.cpus++
			continue
		}
		for i, word := range f[1:9] { // user nice system idle iowait irq softirq steal; guest times are in user
			v, _ := strconv.ParseFloat(word, 64)
			m.total += v
			switch i {
			case 3:
				m.idle = v
			case 4:
				m.iowait = v
			case 7:
				m.steal = v
			}
		}
		m.ok = true
	}
	return m
}

// AllowedCPUs is how many CPUs a process may use: its affinity, and the quota of its control groups. 0: not known.
func AllowedCPUs(pid int) float64 {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(pid, &set); err != nil {
		return 0
	}
	n := float64(set.Count())
	groups, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", pid))
	if quota := quota("/sys/fs/cgroup", string(groups)); quota > 0 {
		n = min(n, quota)
	}
	return n
}

// quota is how many CPUs control groups allow, of the text of /proc/PID/cgroup, each group with those above it. 0: no limit.
func quota(root, groups string) float64 {
	least := 0.0
	for line := range strings.Lines(groups) {
		f := strings.SplitN(strings.TrimSpace(line), ":", 3) // number:controllers:path; version 2 has no controllers
		if len(f) < 3 || !strings.HasPrefix(f[2], "/") || f[1] != "" && !slices.Contains(strings.Split(f[1], ","), "cpu") {
			continue
		}
		for path := filepath.Clean(f[2]); ; path = filepath.Dir(path) {
			if q := groupQuota(filepath.Join(root, f[1], path), f[1] == ""); q > 0 && (least == 0 || q < least) {
				least = q
			}
			if path == "/" {
				break
			}
		}
	}
	return least
}

// groupQuota is how many CPUs one group allows; 0: no limit.
func groupQuota(dir string, v2 bool) float64 {
	var words []string
	if v2 {
		text, _ := os.ReadFile(filepath.Join(dir, "cpu.max"))
		words = strings.Fields(string(text))
	} else {
		for _, name := range []string{"cpu.cfs_quota_us", "cpu.cfs_period_us"} {
			text, _ := os.ReadFile(filepath.Join(dir, name))
			words = append(words, strings.TrimSpace(string(text)))
		}
	}
	if len(words) != 2 {
		return 0
	}
	quota, err := strconv.ParseFloat(words[0], 64) // "max" and -1: no limit
	period, periodErr := strconv.ParseFloat(words[1], 64)
	if err != nil || periodErr != nil || quota <= 0 || period <= 0 {
		return 0
	}
	return quota / period
}

// StartToken names a process for good: this boot of the system, and when in it the process started. Another process of the same
// number has another token.
func StartToken(pid int) (string, error) {
	f, err := statFields(fmt.Sprintf("/proc/%d", pid))
	if err != nil {
		return "", fmt.Errorf("process %d: %w", pid, err)
	}
	if f[0] == "Z" {
		return "", fmt.Errorf("process %d has ended", pid)
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(string(boot)) + " " + f[19], nil
}

// private reports whether a file is this user's alone.
func private(info os.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Getuid() && info.Mode().Perm()&0o077 == 0
}
