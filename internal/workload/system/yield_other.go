//go:build !linux

package system

import "runtime"

// yield lets another goroutine run: the system call is not at hand here.
func yield() { runtime.Gosched() }
