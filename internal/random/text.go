package random

// AppendTemplate appends tmpl to dst with each # replaced by a random digit and each @ by a random
// lower-case letter, one draw each from left to right. It does not allocate when dst has room.
func AppendTemplate(dst []byte, s *Source, tmpl string) []byte {
	local := *s // in registers: the text of a prepared row takes half the time
	for i := 0; i < len(tmpl); i++ {
		c := tmpl[i]
		switch c {
		case '#':
			c = character(&local, '0', 10)
		case '@':
			c = character(&local, 'a', 26)
		}
		dst = append(dst, c)
	}
	*s = local
	return dst
}

// character draws one of the n characters from first on, as UniformUint32 does, in integers where that gives the same: the
// sum of floating-point numbers rounds up to the next character just below it.
func character(s *Source, first byte, n uint64) byte {
	u := s.Uint64() >> 12
	p := u * n
	const one, near = 1 << 52, 64
	if p&(one-1) < one-near {
		return first + byte(p>>52)
	}
	return byte(Uint32(float64(first) + float64(float64(u)*(1.0/one)*float64(n))))
}

// AppendVarString appends a string of random length in [minLen, maxLen] made of the ASCII characters from 0
// to z. It panics unless minLen <= maxLen and maxLen > 0.
func AppendVarString(dst []byte, s *Source, minLen, maxLen uint32) []byte {
	if minLen > maxLen || maxLen == 0 {
		panic("random: bad length of a string")
	}
	for range UniformUint32(s, minLen, maxLen) {
		dst = append(dst, byte(UniformUint32(s, '0', 'z')))
	}
	return dst
}
