package luaffi

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"unsafe"
)

// memory is a block that scripts' pointers point into. Its address is that of its bytes, which stay where they are; it is
// for printing, comparing and casts to integers only. All access goes through slices.
type memory struct {
	data []byte
	refs map[int64]pointer // pointers stored in data, by offset, which keep their targets alive
	obj  any               // a host object or *function instead of data
	dead bool              // freed
}

// pointer is a place in memory, or a number that somebody made a pointer. The zero value is NULL.
type pointer struct {
	mem *memory
	off int64 // without memory: the address
}

func newMemory(size int64) *memory { return &memory{data: make([]byte, size, size+1)} }

// stringMemory is a copy of a Lua string, with NUL.
func stringMemory(s string) *memory {
	m := newMemory(int64(len(s)) + 1)
	copy(m.data, s)
	return m
}

func (m *memory) base() int64 {
	if m.data == nil {
		return int64(uintptr(unsafe.Pointer(m)))
	}
	return int64(uintptr(unsafe.Pointer(unsafe.SliceData(m.data))))
}

func (p pointer) address() uint64 {
	if p.mem == nil {
		return uint64(p.off)
	}
	return uint64(p.mem.base() + p.off)
}

func (p pointer) isNull() bool { return p.mem == nil && p.off == 0 }

// bytes returns n bytes at p.
func (p pointer) bytes(n int64) ([]byte, error) {
	m := p.mem
	switch {
	case m == nil && p.off == 0:
		return nil, errors.New("attempt to access memory through a NULL pointer")
	case m == nil:
		return nil, fmt.Errorf("attempt to access memory at address 0x%08x, which is not the script's", uint64(p.off))
	case m.dead:
		return nil, errors.New("attempt to access memory that was freed")
	case m.data == nil:
		return nil, errors.New("attempt to access memory of an opaque object")
	case n < 0 || p.off < 0 || p.off > int64(len(m.data)) || n > int64(len(m.data))-p.off:
		return nil, fmt.Errorf("attempt to access %d bytes at offset %d of memory of %d bytes", n, p.off, len(m.data))
	}
	return m.data[p.off : p.off+n], nil
}

// rest returns the bytes from p to the end of its memory.
func (p pointer) rest() ([]byte, error) {
	if p.mem == nil || p.off < 0 || p.off > int64(len(p.mem.data)) {
		return p.bytes(1)
	}
	return p.bytes(int64(len(p.mem.data)) - p.off)
}

// cstring reads up to a NUL.
func (p pointer) cstring() (string, error) {
	b, err := p.rest()
	if err != nil {
		return "", err
	}
	if i := strings.IndexByte(unsafe.String(unsafe.SliceData(b), len(b)), 0); i >= 0 {
		return string(b[:i]), nil
	}
	return "", fmt.Errorf("attempt to read a string that does not end within its memory of %d bytes", len(p.mem.data))
}

// copyTo copies n bytes with the pointers among them.
func (p pointer) copyTo(dst pointer, n int64) error {
	from, err := p.bytes(n)
	if err != nil {
		return err
	}
	to, err := dst.bytes(n)
	if err != nil {
		return err
	}
	var moved map[int64]pointer
	for off, ref := range p.mem.refs {
		if off >= p.off && off+8 <= p.off+n {
			if moved == nil {
				moved = map[int64]pointer{}
			}
			moved[off-p.off+dst.off] = ref
		}
	}
	copy(to, from)
	for off, ref := range moved {
		dst.mem.setRef(off, ref)
	}
	return nil
}

func (m *memory) setRef(off int64, p pointer) {
	if p.mem == nil {
		delete(m.refs, off)
		return
	}
	if m.refs == nil {
		m.refs = map[int64]pointer{}
	}
	m.refs[off] = p
}

// scalar is a value of a C type in a register: bits of a number, sign-extended or not as the type is, those of a double for
// floats; or a place, for pointers, and for arrays and structs, which live there.
type scalar struct {
	mem *memory
	n   uint64
}

func (v scalar) pointer() pointer { return pointer{v.mem, int64(v.n)} }

func pointerScalar(p pointer) scalar { return scalar{p.mem, uint64(p.off)} }

func (v scalar) float() float64 { return math.Float64frombits(v.n) }

// load reads a value of type t, which is no aggregate.
func load(t *ctype, p pointer) (scalar, error) {
	b, err := p.bytes(t.size)
	if err != nil {
		return scalar{}, err
	}
	switch {
	case t.kind == kFloat && t.size == 4:
		return scalar{n: math.Float64bits(float64(math.Float32frombits(binary.LittleEndian.Uint32(b))))}, nil
	case t.kind == kFloat:
		return scalar{n: binary.LittleEndian.Uint64(b)}, nil
	case t.kind == kPtr:
		n := binary.LittleEndian.Uint64(b)
		if ref, ok := p.mem.refs[p.off]; ok && ref.address() == n {
			return pointerScalar(ref), nil
		}
		return scalar{n: n}, nil
	}
	return scalar{n: loadInt(b, t.unsigned)}, nil
}

func loadInt(b []byte, unsigned bool) uint64 {
	switch len(b) {
	case 1:
		if unsigned {
			return uint64(b[0])
		}
		return uint64(int8(b[0]))
	case 2:
		if unsigned {
			return uint64(binary.LittleEndian.Uint16(b))
		}
		return uint64(int16(binary.LittleEndian.Uint16(b)))
	case 4:
		if unsigned {
			return uint64(binary.LittleEndian.Uint32(b))
		}
		return uint64(int32(binary.LittleEndian.Uint32(b)))
	}
	return binary.LittleEndian.Uint64(b)
}

// store writes a value of type t, which is no aggregate.
func store(t *ctype, p pointer, v scalar) error {
	b, err := p.bytes(t.size)
	if err != nil {
		return err
	}
	switch {
	case t.kind == kFloat && t.size == 4:
		binary.LittleEndian.PutUint32(b, math.Float32bits(float32(v.float())))
	case t.kind == kPtr:
		binary.LittleEndian.PutUint64(b, v.pointer().address())
		if v.mem != nil || p.mem.refs != nil {
			p.mem.setRef(p.off, v.pointer())
		}
	default:
		storeInt(b, v.n)
	}
	return nil
}

func storeInt(b []byte, n uint64) {
	switch len(b) {
	case 1:
		b[0] = byte(n)
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(n))
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(n))
	default:
		binary.LittleEndian.PutUint64(b, n)
	}
}

// loadBits and storeBits access a bit field.
func loadBits(f field, p pointer) (scalar, error) {
	size, _ := f.typ.sizeof()
	b, err := p.bytes(size)
	if err != nil {
		return scalar{}, err
	}
	n := loadInt(b, true) >> f.bitPos << (64 - f.bitSize)
	if f.typ.unsigned {
		return scalar{n: n >> (64 - f.bitSize)}, nil
	}
	return scalar{n: uint64(int64(n) >> (64 - f.bitSize))}, nil
}

func storeBits(f field, p pointer, v scalar) error {
	size, _ := f.typ.sizeof()
	b, err := p.bytes(size)
	if err != nil {
		return err
	}
	mask := ^uint64(0) >> (64 - f.bitSize) << f.bitPos
	storeInt(b, loadInt(b, true)&^mask|v.n<<f.bitPos&mask)
	return nil
}
