//go:build unix

package target

import (
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
