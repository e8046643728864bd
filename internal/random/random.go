// Package random reproduces sysbench's random numbers bit for bit: the generator of each thread, how the
// generators are seeded, the distributions and the string templates (specification 4).
//
// Whoever needs good random numbers for something else uses math/rand/v2.
package random

import (
	"math/bits"
	"sync"
	"sync/atomic"
)

// Source is a thread's generator, xoroshiro128+ with the constants of 2016. It is a plain value: a copy
// continues with the same numbers on its own. It is not safe for concurrent use, and its zero value yields
// only zeros; sources come from a Process.
type Source struct{ s0, s1 uint64 }

// Uint64 returns the next 64 bits.
func (s *Source) Uint64() uint64 {
	r := s.s0 + s.s1
	t := s.s0 ^ s.s1
	s.s0 = bits.RotateLeft64(s.s0, 55) ^ t ^ t<<14
	s.s1 = bits.RotateLeft64(t, 36)
	return r
}

// Float64 returns the next number in [0, 1), a multiple of 2^-52.
func (s *Source) Float64() float64 { return float64(s.Uint64()>>12) * (1.0 / (1 << 52)) }

// Derive returns a source that depends on the given numbers only, so that parts of a data set can be made in any
// order. Sources of different numbers have nothing in common that tests would find. sysbench has nothing like it.
func Derive(numbers ...uint64) Source {
	// SplitMix64 over the numbers, each of which shifts its state.
	var state uint64
	mix := func() uint64 {
		state += 0x9e3779b97f4a7c15
		z := state
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		return z ^ z>>31
	}
	for _, n := range numbers {
		state = mix() ^ n
	}
	s := Source{s0: mix(), s1: mix()}
	if s.s0|s.s1 == 0 {
		s.s1 = 1 // the one state that never changes
	}
	return s
}

// Process stands for the process-wide state of sysbench: the stream of the C library's random(), from which
// all sources are seeded, and the generator of unique numbers. It is safe for concurrent use, except for the
// source that Main returns.
type Process struct {
	mu     sync.Mutex
	stream stream
	main   Source
	index  atomic.Uint32
	offset uint32
}

// NewProcess returns the state at the start of a process: the stream has its default seed 1, its outputs 1
// to 4 have seeded the main source, outputs 5 and 6 the unique numbers. So commands such as prepare yield
// the same data everywhere, whatever the seed option says.
func NewProcess() *Process {
	p := &Process{}
	p.stream.seed(1)
	p.main = p.stream.source()
	offset, index := p.stream.next(), p.stream.next()
	p.index.Store(permute(permute(index) + 0x682f0161))
	p.offset = permute(permute(offset) + 0x46790905)
	return p
}

// Main returns the source of the main thread. It belongs to the process: the next user continues where the
// last one stopped.
func (p *Process) Main() *Source { return &p.main }

// Seed starts the stream anew, as `run` does. The main source and the unique numbers go on as they are.
func (p *Process) Seed(seed uint32) {
	p.mu.Lock()
	p.stream.seed(seed)
	p.mu.Unlock()
}

// NewSource returns the source of a further thread, made of the next four outputs of the stream.
func (p *Process) NewSource() *Source {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.stream.source()
	return &s
}

// Unique returns the next unique number. No number repeats within 2^32 calls, and the sequence is the same
// in every process.
func (p *Process) Unique() uint32 {
	return permute(permute(p.index.Add(1)-1) + p.offset ^ 0x5bf03635)
}

// permute is a permutation of the 32-bit numbers made of quadratic residues.
func permute(x uint32) uint32 {
	const prime = 4294967291
	if x >= prime {
		return x
	}
	q := uint32(uint64(x) * uint64(x) % prime)
	if x <= prime/2 {
		return q
	}
	return prime - q
}

// stream is glibc's random() with its default 31-word state: r[i] = r[i-3] + r[i-31], outputs are r >> 1.
type stream struct {
	ring [31]uint32
	pos  int // of r[i-31], which r[i] replaces
}

// seed sets the state; 0 counts as 1.
func (g *stream) seed(seed uint32) {
	if seed == 0 {
		seed = 1
	}
	const modulus = 1<<31 - 1
	// The library computes with signed words; the first one is kept as given, the others are not negative.
	r := int64(int32(seed))
	g.ring[0] = seed
	for i := 1; i < len(g.ring); i++ {
		if r = r * 16807 % modulus; r < 0 {
			r += modulus
		}
		g.ring[i] = uint32(r)
	}
	// r[31..33] repeat r[0..2]: the ring holds them already. Then the library throws away 310 outputs.
	g.pos = 3
	for range 310 {
		g.next()
	}
}

// next returns the next output, 31 bits.
func (g *stream) next() uint32 {
	i3 := g.pos - 3
	if i3 < 0 {
		i3 += len(g.ring)
	}
	g.ring[g.pos] += g.ring[i3]
	v := g.ring[g.pos]
	if g.pos++; g.pos == len(g.ring) {
		g.pos = 0
	}
	return v >> 1
}

// source makes a source of the next four outputs.
func (g *stream) source() Source {
	var r [4]uint64
	for i := range r {
		r[i] = uint64(g.next())
	}
	return Source{s0: r[0]<<32 + r[1], s1: r[2]<<32 + r[3]}
}
