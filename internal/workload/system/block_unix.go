//go:build unix

package system

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// allocate returns a block of size bytes, a power of two from 8 up.
func allocate(size int64, huge bool) (block, error) {
	if huge {
		return allocateHuge(size)
	}
	if int64(int(size)) != size {
		return block{}, failure("Failed to allocate %d bytes: more than can be addressed", size)
	}
	b, err := unix.Mmap(-1, 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return block{}, failure("Failed to allocate %d bytes: %w", size, err)
	}
	return block{words: words(b, size), free: func() { _ = unix.Munmap(b) }}, nil
}

// words views memory, which is aligned to a page, as words.
func words(b []byte, size int64) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(&b[0])), size/wordSize)
}
