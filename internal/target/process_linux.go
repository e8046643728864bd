package target

import (
	"os/exec"
	"runtime"
	"syscall"
)

// dieWithUs lets the system kill the process when the thread that starts it ends, so when this process ends; keepThread holds it.
func dieWithUs(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// keepThread keeps the goroutine on its thread until release.
func keepThread() (release func()) {
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}
