package target

import (
	"os"

	"golang.org/x/sys/unix"
)

// clone makes a file share the blocks of another (ioctl_ficlone(2)); false where the file system cannot.
func clone(out, in *os.File) bool { return unix.IoctlFileClone(int(out.Fd()), int(in.Fd())) == nil }

// freeSpace is what a user may write to the file system of a directory, in bytes.
func freeSpace(dir string) (int64, bool) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, false
	}
	return int64(s.Bavail) * s.Bsize, true
}
