//go:build unix

package engine

import (
	"runtime"
	"syscall"
	"time"
)

// processCPU is the CPU time of this process so far.
func processCPU() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// peakMemory is the peak resident size in bytes.
func peakMemory() int64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	if runtime.GOOS == "darwin" { // bytes there, KiB elsewhere (getrusage(2))
		return int64(u.Maxrss)
	}
	return int64(u.Maxrss) * 1024
}
