package loop

import (
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Supported reports whether this system has an event loop.
const Supported = true

// The descriptors are non-blocking: a read or write comes back in a microsecond, so that Go's scheduler need not be
// told of it.

// sysRead is read(2). The count is 0 when there is an error.
func sysRead(fd int, b []byte) (int, syscall.Errno) {
	n, _, errno := syscall.RawSyscall(unix.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)))
	if errno != 0 {
		return 0, errno
	}
	return int(n), 0
}

// sysWrite is write(2).
func sysWrite(fd int, b []byte) (int, syscall.Errno) {
	n, _, errno := syscall.RawSyscall(unix.SYS_WRITE, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)))
	if errno != 0 {
		return 0, errno
	}
	return int(n), 0
}

func sysClose(fd int) error { return os.NewSyscallError("close", unix.Close(fd)) }
