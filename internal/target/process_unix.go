//go:build unix

package target

import (
	"io"
	"os"
	"os/exec"
	"syscall"
)

// apart keeps a Ctrl-C in the terminal away from the server: its starter ends it when the run has ended.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// terminate asks a process to end.
func terminate(p *os.Process) error { return p.Signal(syscall.SIGTERM) }

// killGroup ends a process and those that it started.
func killGroup(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGKILL) }

// lockedBy is the process that holds a lock on a file, as servers do on their data (fcntl(2), F_GETLK); 0: nobody that is known.
func lockedBy(path string) int {
	f, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	lock := syscall.Flock_t{Type: syscall.F_WRLCK, Whence: io.SeekStart}
	if err := syscall.FcntlFlock(f.Fd(), syscall.F_GETLK, &lock); err != nil || lock.Type == syscall.F_UNLCK {
		return 0
	}
	return max(int(lock.Pid), 0)
}
