//go:build !unix

package system

// maxBlock bounds what Go's heap is asked for: beyond, it would end the process.
const maxBlock = 1 << 30

// allocate returns a block of size bytes, a power of two from 8 up.
func allocate(size int64, huge bool) (block, error) {
	if huge {
		return allocateHuge(size)
	}
	if size > maxBlock {
		return block{}, failure("Failed to allocate %d bytes: the limit on this system is %d", size, maxBlock)
	}
	return block{words: make([]uint64, size/wordSize), free: func() {}}, nil
}
