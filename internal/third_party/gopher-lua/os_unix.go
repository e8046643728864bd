//go:build !windows

package lua

import (
	"os/exec"
	"syscall"
)

func exitSignal(e *exec.ExitError) int {
	if s, ok := e.Sys().(syscall.WaitStatus); ok {
		return int(s.Signal())
	}
	return -1
}

// processTime is C's clock() in seconds: CPU time of the process.
func processTime() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	sec := func(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
	return sec(u.Utime) + sec(u.Stime)
}
