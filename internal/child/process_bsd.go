//go:build unix && !linux

package child

import (
	"os/exec"
	"syscall"
)

// apart keeps a Ctrl-C in the terminal away from the child: it is told once, by us, and ends with its report.
func apart(cmd *exec.Cmd) (release func()) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return func() {}
}
