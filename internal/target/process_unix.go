//go:build unix

package target

import (
	"os/exec"
	"syscall"
)

// apart keeps a Ctrl-C in the terminal away from the server: its starter ends it when the run has ended.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
