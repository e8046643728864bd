//go:build unix

package cli

import (
	"os"

	"golang.org/x/sys/unix"
)

// closedAtStart reports whether f stands for a descriptor that was closed when the program started. The Go runtime opens
// /dev/null in the place of such a one, for reading and writing, which shells do not do for >/dev/null. Some
// programs that start others do: the two cannot be told apart.
func closedAtStart(f *os.File) bool {
	info, err := f.Stat()
	if err != nil {
		return true
	}
	null, err := os.Stat(os.DevNull)
	if err != nil || !os.SameFile(info, null) {
		return false
	}
	flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0)
	return err == nil && flags&unix.O_ACCMODE == unix.O_RDWR
}
