package luaffi

import lua "deltabench/internal/third_party/gopher-lua"

// crand is glibc's rand, with the same numbers for the same seed. C has one for the process, scripts have one per state.
type crand struct {
	r    [31]uint32
	next int
}

func newRand(seed uint32) *crand {
	if seed == 0 {
		seed = 1
	}
	c := &crand{next: 3}
	c.r[0] = seed
	for i := 1; i < 31; i++ {
		n := 16807 * int64(int32(c.r[i-1])) % (1<<31 - 1)
		if n < 0 {
			n += 1<<31 - 1
		}
		c.r[i] = uint32(n)
	}
	for range 310 {
		c.draw()
	}
	return c
}

func (c *crand) draw() uint32 {
	// r[n] = r[n-31] + r[n-3]
	i := c.next
	c.r[i] += c.r[(i+28)%31]
	c.next = (i + 1) % 31
	return c.r[i] >> 1
}

func random(L *lua.LState, _ []Value) (Value, error) {
	l := libOf(L)
	if l.rand == nil {
		l.rand = newRand(1)
	}
	return Int(int64(l.rand.draw())), nil
}

func srandom(L *lua.LState, args []Value) (Value, error) {
	libOf(L).rand = newRand(uint32(Arg(args, 0).Uint()))
	return Value{}, nil
}
