//go:build !linux

package target

import "os/exec"

// dieWithUs keeps a Ctrl-C away from the server; when we are killed, StopLeftBehind is what ends it.
func dieWithUs(cmd *exec.Cmd) { apart(cmd) }

// keepThread does nothing: no system but Linux binds processes to threads.
func keepThread() (release func()) { return func() {} }
