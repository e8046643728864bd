//go:build !linux

package mariadbtest

import (
	"fmt"
	"os/exec"
	"runtime"
)

var errNoSignals = fmt.Errorf("signals to servers are not supported on %s", runtime.GOOS)

func dieWithParent(*exec.Cmd) {}

func (p *process) terminate() error { return errNoSignals }
func (p *process) halt() error      { return errNoSignals }
func (p *process) cont() error      { return errNoSignals }

// processExists cannot know here; true keeps other processes' files.
func processExists(int) bool { return true }
