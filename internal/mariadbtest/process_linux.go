package mariadbtest

import (
	"os/exec"
	"syscall"
)

// dieWithParent also keeps a Ctrl-C in the terminal away from the child, which its test stops itself.
func dieWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}

func (p *process) terminate() error { return p.cmd.Process.Signal(syscall.SIGTERM) }
func (p *process) halt() error      { return p.cmd.Process.Signal(syscall.SIGSTOP) }
func (p *process) cont() error      { return p.cmd.Process.Signal(syscall.SIGCONT) }

func processExists(pid int) bool { return syscall.Kill(pid, 0) != syscall.ESRCH }
