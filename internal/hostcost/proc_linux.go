package hostcost

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// ticks are what /proc counts CPU time in: USER_HZ, 100 on all architectures that Linux runs Go on.
const ticks = 100

// readProcess reads the counters of a process from /proc (proc(5)).
func readProcess(pid int, switches bool) (t processTimes) {
	dir := fmt.Sprintf("/proc/%d", pid)
	f, err := statFields(dir)
	if err != nil {
		return t
	}
	number := func(i int) float64 { v, _ := strconv.ParseFloat(f[i], 64); return v }
	t.ok, t.user, t.system = true, number(11)/ticks, number(12)/ticks
	t.threads, t.memory = int(number(17)), int64(number(21))*int64(os.Getpagesize())
	t.read, t.write = -1, -1
	if !switches {
		return t
	}
	tasks, _ := filepath.Glob(dir + "/task/*/status")
	for _, path := range tasks {
		text, _ := os.ReadFile(path)
		t.voluntary += value(text, "\nvoluntary_ctxt_switches:")
		t.involuntary += value(text, "\nnonvoluntary_ctxt_switches:")
	}
	if text, err := os.ReadFile(dir + "/io"); err == nil {
		t.read, t.write = value(text, "\nread_bytes:"), value(text, "\nwrite_bytes:")
	}
	return t
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
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", pid))
	for line := range strings.Lines(string(text)) {
		_, path, _ := strings.Cut(strings.TrimSpace(line), "::") // version 2
		for path != "" {
			limit, err := os.ReadFile(filepath.Join("/sys/fs/cgroup", path, "cpu.max"))
			if f := strings.Fields(string(limit)); err == nil && len(f) == 2 && f[0] != "max" {
				quota, _ := strconv.ParseFloat(f[0], 64)
				period, _ := strconv.ParseFloat(f[1], 64)
				if quota > 0 && period > 0 {
					n = min(n, quota/period)
				}
			}
			if path == "/" {
				break
			}
			path = filepath.Dir(path)
		}
	}
	return n
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
