package mariadbtest

import (
	"os"
	"os/exec"
	"runtime"
)

// process is a child that dies with this process.
type process struct {
	cmd    *exec.Cmd
	exited chan struct{} // closed when the child has ended and was waited for
}

// startProcess starts cmd. On Linux the kernel kills the child when the thread that made it ends, hence a
// goroutine that keeps its thread until the child's end: whatever kills this process, no server stays.
func startProcess(cmd *exec.Cmd) (*process, error) {
	p := &process{cmd: cmd, exited: make(chan struct{})}
	dieWithParent(cmd)
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err != nil {
			return
		}
		_ = cmd.Wait() // the state says how it ended
		close(p.exited)
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

func (p *process) pid() int { return p.cmd.Process.Pid }

// state describes how the child ended; call it after exited is closed.
func (p *process) state() *os.ProcessState { return p.cmd.ProcessState }

// kill kills the child and waits for its end. It may be called again.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // fails only when it has ended
	<-p.exited
}

// asRoot is what mariadbd and its installer want to hear when root runs them. A change of user would
// also undo that the child dies with us.
func asRoot() []string {
	if os.Geteuid() == 0 {
		return []string{"--user=root"}
	}
	return nil
}
