package lua

import (
	"sync/atomic"
	"unsafe"
)

// iface is an internal representation of the go-interface.
type iface struct {
	itab unsafe.Pointer
	word unsafe.Pointer
}

const preloadLimit LNumber = 1024

var preloads [int(preloadLimit)]LValue

func init() {
	for i := 0; i < int(preloadLimit); i++ {
		preloads[i] = LNumber(i)
	}
}

func loadHint(h *uint32) uint32     { return atomic.LoadUint32(h) }
func storeHint(h *uint32, v uint32) { atomic.StoreUint32(h, v) }

// newString makes a string value out of a copy of b. Short ones are a single allocation, header and text together.
func newString(b []byte) LValue {
	n := len(b)
	switch {
	case n == 0:
		return emptyString
	case n <= 16:
		p := &str16{}
		copy(p.buf[:], b)
		return boxString(&p.s, &p.buf[0], n)
	case n <= 32:
		p := &str32{}
		copy(p.buf[:], b)
		return boxString(&p.s, &p.buf[0], n)
	case n <= 48:
		p := &str48{}
		copy(p.buf[:], b)
		return boxString(&p.s, &p.buf[0], n)
	case n <= 64:
		p := &str64{}
		copy(p.buf[:], b)
		return boxString(&p.s, &p.buf[0], n)
	case n <= 96:
		p := &str96{}
		copy(p.buf[:], b)
		return boxString(&p.s, &p.buf[0], n)
	case n <= 128:
		p := &str128{}
		copy(p.buf[:], b)
		return boxString(&p.s, &p.buf[0], n)
	case n <= 192:
		p := &str192{}
		copy(p.buf[:], b)
		return boxString(&p.s, &p.buf[0], n)
	case n <= 272:
		p := &str272{}
		copy(p.buf[:], b)
		return boxString(&p.s, &p.buf[0], n)
	}
	return LString(b)
}

type (
	str16 struct {
		s   LString
		buf [16]byte
	}
	str32 struct {
		s   LString
		buf [32]byte
	}
	str48 struct {
		s   LString
		buf [48]byte
	}
	str64 struct {
		s   LString
		buf [64]byte
	}
	str96 struct {
		s   LString
		buf [96]byte
	}
	str128 struct {
		s   LString
		buf [128]byte
	}
	str192 struct {
		s   LString
		buf [192]byte
	}
	str272 struct {
		s   LString
		buf [272]byte
	}
)

// boxString makes an interface value that points to s, after it has made s the n bytes at p.
func boxString(s *LString, p *byte, n int) LValue {
	*s = LString(unsafe.String(p, n))
	v := emptyString
	(*iface)(unsafe.Pointer(&v)).word = unsafe.Pointer(s)
	return v
}

var emptyString LValue = LString("")

// allocator is a fast bulk memory allocator for the LValue.
type allocator struct {
	size  int
	fptrs []float64

	scratchValue  LValue
	scratchValueP *iface
}

func newAllocator(size int) *allocator {
	al := &allocator{
		size: size,
	}
	al.scratchValue = LNumber(0)
	al.scratchValueP = (*iface)(unsafe.Pointer(&al.scratchValue))

	return al
}

// LNumber2I takes a number value and returns an interface LValue representing the same number.
// Converting an LNumber to a LValue naively, by doing:
// `var val LValue = myLNumber`
// will result in an individual heap alloc of 8 bytes for the float value. LNumber2I amortizes the cost and memory
// overhead of these allocs by allocating blocks of floats instead.
// The downside of this is that all of the floats on a given block have to become eligible for gc before the block
// as a whole can be gc-ed.
func (al *allocator) LNumber2I(v LNumber) LValue {
	// first check for shared preloaded numbers
	if v > 0 && v < preloadLimit && float64(v) == float64(int64(v)) {
		return preloads[int(v)]
	}

	// check if we need a new alloc page
	if cap(al.fptrs) == len(al.fptrs) {
		al.fptrs = make([]float64, 0, al.size)
	}

	// alloc a new float, and store our value into it
	al.fptrs = append(al.fptrs, float64(v))
	fptr := &al.fptrs[len(al.fptrs)-1]

	// hack our scratch LValue to point to our allocated value
	// this scratch lvalue is copied when this function returns meaning the scratch value can be reused
	// on the next call
	al.scratchValueP.word = unsafe.Pointer(fptr)

	return al.scratchValue
}
