//go:build unix

package conduct

import (
	"os"

	"golang.org/x/sys/unix"
)

// tryLock locks an open file, until it is closed or the process ends; false when another one has it.
func tryLock(f *os.File) bool { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil }
