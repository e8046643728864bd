package random

// AppendTemplate appends tmpl to dst with each # replaced by a random digit and each @ by a random
// lower-case letter, one draw each from left to right. It does not allocate when dst has room.
func AppendTemplate(dst []byte, s *Source, tmpl string) []byte {
	for i := 0; i < len(tmpl); i++ {
		c := tmpl[i]
		switch c {
		case '#':
			c = byte(UniformUint32(s, '0', '9'))
		case '@':
			c = byte(UniformUint32(s, 'a', 'z'))
		}
		dst = append(dst, c)
	}
	return dst
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
