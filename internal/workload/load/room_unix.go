//go:build linux || darwin

package load

import "syscall"

// freeSpace returns the bytes that are free in the file system of a directory, if this process may know.
func freeSpace(dir string) (bytes uint64, known bool) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, false
	}
	return s.Bavail * uint64(s.Bsize), true
}
