package system

import (
	"golang.org/x/sys/unix"
)

// shmHugeTLB is SHM_HUGETLB of linux/shm.h.
const shmHugeTLB = 0o4000

// hugePage is the granularity that sysbench assumes, not the system's.
const hugePage = 4 << 20

// allocateHuge returns a System V shared memory segment made of huge pages. The system has to be configured for
// it (vm.nr_hugepages). The odd size is the one that sysbench asks for, as its error message shows.
func allocateHuge(size int64) (block, error) {
	length := (size - 1) | hugePage
	fail := func(err error) (block, error) {
		errno, _ := err.(unix.Errno)
		return block{}, failure("Failed to allocate %d bytes from HugeTLB memory. errno = %d (%s)", length, int(errno), message(errno))
	}
	id, err := unix.SysvShmGet(unix.IPC_PRIVATE, int(length), shmHugeTLB|unix.IPC_CREAT|0o600)
	if err != nil {
		return fail(err)
	}
	b, err := unix.SysvShmAttach(id, 0, 0)
	// Marked for removal at once, the segment goes with the last process that uses it.
	_, _ = unix.SysvShmCtl(id, unix.IPC_RMID, nil)
	if err != nil {
		return fail(err)
	}
	return block{words: words(b, size), free: func() { _ = unix.SysvShmDetach(b) }}, nil
}

// message returns the C library's text, which Go has in lower case.
func message(e unix.Errno) string {
	s := []byte(e.Error())
	if len(s) > 0 && 'a' <= s[0] && s[0] <= 'z' {
		s[0] -= 'a' - 'A'
	}
	return string(s)
}
