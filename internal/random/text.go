package random

// AppendTemplate appends tmpl to dst with each # replaced by a random digit and each @ by a random
// lower-case letter, one draw each from left to right. It does not allocate when dst has room.
func AppendTemplate(dst []byte, s *Source, tmpl string) []byte {
	n := len(dst)
	dst = append(dst, tmpl...)
	src := *s // in registers; with the integers below, a third less time than sums of floating-point numbers take
	for i, c := range dst[n:] {
		var first byte
		var count uint64
		switch c {
		case '#':
			first, count = '0', 10
		case '@':
			first, count = 'a', 26
		default:
			continue
		}
		// The character that UniformUint32 gives, in integers. Just below the next character it differs: sums of
		// floating-point numbers round up there.
		const one, near = 1 << 52, 64
		u := src.Uint64() >> 12
		p := u * count
		c = first + byte(p>>52)
		if p&(one-1) >= one-near {
			c = roundedCharacter(u, first, count)
		}
		dst[n+i] = c
	}
	*s = src
	return dst
}

// roundedCharacter is a character as UniformUint32 computes it from 52 random bits.
func roundedCharacter(u uint64, first byte, count uint64) byte {
	return byte(Uint32(float64(first) + float64(float64(u)*(1.0/(1<<52))*float64(count))))
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
