//go:build !linux

package cli

// conceal returns the arguments: elsewhere than on Linux the system keeps them where we cannot reach them.
func conceal(args []string) []string { return args }
