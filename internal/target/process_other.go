//go:build !unix

package target

import (
	"os"
	"os/exec"
)

func apart(*exec.Cmd) {}

// terminate ends a process; there is no asking here.
func terminate(p *os.Process) error { return p.Kill() }

// killGroup ends a process.
func killGroup(p *os.Process) error { return p.Kill() }

// lockedBy is not known here.
func lockedBy(string) int { return 0 }
