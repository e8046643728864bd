//go:build !unix

package child

import (
	"os"
	"os/exec"
)

func apart(*exec.Cmd) (release func()) { return func() {} }

// interrupt ends the child: other systems have no interrupt that reaches one process.
func interrupt(p *os.Process) error { return p.Kill() }
