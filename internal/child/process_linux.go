package child

import (
	"os/exec"
	"runtime"
	"syscall"
)

// apart keeps a Ctrl-C in the terminal away from the child: it is told once, by us, and ends with its report. It is also told
// when this process is killed; that is bound to the thread which starts it, so the caller keeps its thread until release.
func apart(cmd *exec.Cmd) (release func()) {
	runtime.LockOSThread()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGINT}
	return runtime.UnlockOSThread
}
