package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"
)

// dieWithParent has the kernel kill the child when this process ends, however it ends.
func dieWithParent(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

// raiseFiles lets children open as many files as the system allows: Go raises the limit for itself only,
// and takes that back at exec unless it was set explicitly.
func raiseFiles(need uint64) error {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		return fmt.Errorf("read the limit of open files: %w", err)
	}
	if l.Max < need && os.Geteuid() == 0 {
		l.Max = need
	}
	if l.Max < need {
		return fmt.Errorf("%d connections need more open files than ulimit -Hn allows (%d)", need, l.Max)
	}
	l.Cur = l.Max
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		return fmt.Errorf("raise the limit of open files: %w", err)
	}
	return nil
}

// watchPeak follows the peak of a child's resident memory; the returned function ends the watch and tells
// it in bytes. It reads VmHWM every 20 ms instead of taking ru_maxrss at the end: Linux starts that at the
// resident size of whoever forked, here some 10 MB that the child never had. Growth in the last 20 ms is
// missed.
func watchPeak(pid int) func() int64 {
	stop, peak := make(chan struct{}), make(chan int64)
	go func() {
		var highest int64
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			highest = max(highest, highWater(pid))
			select {
			case <-tick.C:
			case <-stop:
				peak <- highest
				return
			}
		}
	}()
	return func() int64 {
		close(stop)
		return <-peak
	}
}

// highWater is VmHWM of a process in bytes, 0 when it has ended.
func highWater(pid int) int64 {
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0
	}
	_, rest, found := bytes.Cut(status, []byte("VmHWM:"))
	fields := bytes.Fields(rest)
	if !found || len(fields) == 0 {
		return 0
	}
	kb, err := strconv.ParseInt(string(fields[0]), 10, 64)
	if err != nil {
		return 0
	}
	return kb << 10
}
