package hostcost

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// WithCPUs runs f, which starts a process, on a thread that is bound to the CPUs of a list as of taskset (0-3,8): the process
// inherits them. An empty list binds nothing.
func WithCPUs(list string, f func() error) error {
	if list == "" {
		return f()
	}
	set, err := parseCPUs(list)
	if err == nil {
		err = CheckCPUs(list) // the system binds to those of them that there are, in silence
	}
	if err != nil {
		return err
	}
	runtime.LockOSThread()
	var before unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		runtime.UnlockOSThread()
		return fmt.Errorf("CPUs %s: %w", list, err)
	}
	if err := unix.SchedSetaffinity(0, set); err != nil {
		runtime.UnlockOSThread()
		return fmt.Errorf("CPUs %s: this machine lacks them, or they may not be used: %w", list, err)
	}
	err = f()
	if unix.SchedSetaffinity(0, &before) == nil {
		runtime.UnlockOSThread() // else the thread ends with its goroutine: nobody else may inherit the binding
	}
	return err
}

// CheckCPUs says what is wrong with a list; nil for an empty one.
func CheckCPUs(list string) error {
	if list == "" {
		return nil
	}
	set, err := parseCPUs(list)
	if err != nil {
		return err
	}
	var mine unix.CPUSet
	if err := unix.SchedGetaffinity(0, &mine); err != nil {
		return nil // the start says so
	}
	for cpu := range len(mine) * 64 {
		if set.IsSet(cpu) && !mine.IsSet(cpu) {
			return fmt.Errorf("CPUs %s: there is no CPU %d for this process; it has %d", list, cpu, mine.Count())
		}
	}
	return nil
}

func parseCPUs(list string) (*unix.CPUSet, error) {
	set := &unix.CPUSet{}
	for part := range strings.SplitSeq(list, ",") {
		first, last, isRange := strings.Cut(strings.TrimSpace(part), "-")
		a, err := strconv.Atoi(first)
		b := a
		if err == nil && isRange {
			b, err = strconv.Atoi(last)
		}
		if err != nil || a < 0 || b < a || b >= len(set)*64 {
			return nil, fmt.Errorf("CPUs '%s': a list such as 0-3,8 is needed", list)
		}
		for cpu := a; cpu <= b; cpu++ {
			set.Set(cpu)
		}
	}
	return set, nil
}
