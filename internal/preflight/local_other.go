//go:build !linux

package preflight

// LocalPorts is not known here.
func LocalPorts() (n int, text string) { return 0, "" }
