package engine

import (
	"syscall"
	"time"
)

// processCPU is the CPU time of this process so far.
func processCPU() time.Duration {
	var creation, exit, kernel, user syscall.Filetime
	h, err := syscall.GetCurrentProcess()
	if err != nil || syscall.GetProcessTimes(h, &creation, &exit, &kernel, &user) != nil {
		return 0
	}
	ticks := func(f syscall.Filetime) int64 { return int64(f.HighDateTime)<<32 + int64(f.LowDateTime) }
	return time.Duration((ticks(kernel) + ticks(user)) * 100) // units of 100 ns
}

// peakMemory is not read on Windows.
func peakMemory() int64 { return 0 }
