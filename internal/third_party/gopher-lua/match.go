package lua

// Lua's patterns. The matcher backtracks like that of Lua 5.1 and has its limits and errors.

const (
	maxCaptures   = 32
	maxMatchDepth = 200
	capUnfinished = -1
	capPosition   = -2
)

type matcher struct {
	ls    *LState
	src   string
	pat   string
	level int
	depth int
	steps int
	cap   [maxCaptures]struct{ start, len int }
}

func (m *matcher) fail(msg string) { m.ls.RaiseError("%s", msg) }

// classEnd gives the index behind the single-character class at p.
func (m *matcher) classEnd(p int) int {
	pat := m.pat
	c := pat[p]
	p++
	switch c {
	case '%':
		if p >= len(pat) {
			m.fail("malformed pattern (ends with '%')")
		}
		return p + 1
	case '[':
		if p < len(pat) && pat[p] == '^' {
			p++
		}
		for first := true; ; first = false {
			if p >= len(pat) {
				m.fail("malformed pattern (missing ']')")
			}
			c := pat[p]
			p++
			if c == ']' && !first {
				return p
			}
			if c == '%' && p < len(pat) {
				p++
			}
		}
	}
	return p
}

func matchClass(c, cl byte) bool {
	var res bool
	switch cl | 0x20 {
	case 'a':
		res = c|0x20 >= 'a' && c|0x20 <= 'z'
	case 'c':
		res = c < 32 || c == 127
	case 'd':
		res = c >= '0' && c <= '9'
	case 'g':
		res = c > 32 && c < 127
	case 'l':
		res = c >= 'a' && c <= 'z'
	case 'p':
		res = c > 32 && c < 127 && !(c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z')
	case 's':
		res = isSpace(c)
	case 'u':
		res = c >= 'A' && c <= 'Z'
	case 'w':
		res = c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
	case 'x':
		res = hexDigit(c) >= 0
	case 'z':
		res = c == 0
	default:
		return cl == c
	}
	if cl >= 'A' && cl <= 'Z' {
		return !res
	}
	if cl < 'a' || cl > 'z' {
		return cl == c
	}
	return res
}

// matchSet matches c against the set pat[p:end], p at '[' and end behind ']'.
func (m *matcher) matchSet(c byte, p, end int) bool {
	pat := m.pat
	end-- // at ']'
	p++
	res := true
	if pat[p] == '^' {
		res = false
		p++
	}
	for ; p < end; p++ {
		switch {
		case pat[p] == '%' && p+1 < end:
			p++
			if matchClass(c, pat[p]) {
				return res
			}
		case p+2 < end && pat[p+1] == '-':
			if pat[p] <= c && c <= pat[p+2] {
				return res
			}
			p += 2
		case pat[p] == c:
			return res
		}
	}
	return !res
}

func (m *matcher) single(s, p, ep int) bool {
	if s >= len(m.src) {
		return false
	}
	c := m.src[s]
	switch m.pat[p] {
	case '.':
		return true
	case '%':
		return matchClass(c, m.pat[p+1])
	case '[':
		return m.matchSet(c, p, ep)
	}
	return m.pat[p] == c
}

// match gives the end of the match of pat[p:] at s, or -1.
func (m *matcher) match(s, p int) int {
	if m.depth++; m.depth > maxMatchDepth {
		m.fail("pattern too complex")
	}
	e := m.matchHere(s, p)
	m.depth--
	return e
}

func (m *matcher) matchHere(s, p int) int {
	for p < len(m.pat) {
		if m.steps++; m.steps&0xffff == 0 {
			m.ls.budget -= 1000
			if m.ls.budget < 0 {
				m.ls.tick()
			}
		}
		switch m.pat[p] {
		case '(':
			what := capUnfinished
			p++
			if p < len(m.pat) && m.pat[p] == ')' {
				what = capPosition
				p++
			}
			if m.level >= maxCaptures {
				m.fail("too many captures")
			}
			m.cap[m.level].start, m.cap[m.level].len = s, what
			m.level++
			e := m.match(s, p)
			if e < 0 {
				m.level--
			}
			return e
		case ')':
			l := -1
			for i := m.level - 1; i >= 0; i-- {
				if m.cap[i].len == capUnfinished {
					l = i
					break
				}
			}
			if l < 0 {
				m.fail("invalid pattern capture")
			}
			m.cap[l].len = s - m.cap[l].start
			e := m.match(s, p+1)
			if e < 0 {
				m.cap[l].len = capUnfinished
			}
			return e
		case '$':
			if p+1 == len(m.pat) {
				if s == len(m.src) {
					return s
				}
				return -1
			}
		case '%':
			if p+1 >= len(m.pat) {
				break
			}
			switch c := m.pat[p+1]; {
			case c == 'b':
				if p+3 >= len(m.pat) {
					m.fail("unbalanced pattern")
				}
				if s = m.balance(s, m.pat[p+2], m.pat[p+3]); s < 0 {
					return -1
				}
				p += 4
				continue
			case c == 'f':
				p += 2
				if p >= len(m.pat) || m.pat[p] != '[' {
					m.fail("missing '[' after '%f' in pattern")
				}
				ep := m.classEnd(p)
				var before, here byte
				if s > 0 {
					before = m.src[s-1]
				}
				if s < len(m.src) {
					here = m.src[s]
				}
				if m.matchSet(before, p, ep) || !m.matchSet(here, p, ep) {
					return -1
				}
				p = ep
				continue
			case c >= '0' && c <= '9':
				l := int(c) - '1'
				if l < 0 || l >= m.level || m.cap[l].len == capUnfinished {
					m.fail("invalid capture index")
				}
				n := max(m.cap[l].len, 0)
				if len(m.src)-s < n || m.src[m.cap[l].start:m.cap[l].start+n] != m.src[s:s+n] {
					return -1
				}
				s += n
				p += 2
				continue
			}
		}
		ep := m.classEnd(p)
		var suffix byte
		if ep < len(m.pat) {
			suffix = m.pat[ep]
		}
		switch suffix {
		case '?':
			if m.single(s, p, ep) {
				if e := m.match(s+1, ep+1); e >= 0 {
					return e
				}
			}
			p = ep + 1
		case '*', '+':
			n := 0
			for m.single(s+n, p, ep) {
				n++
			}
			least := 0
			if suffix == '+' {
				least = 1
			}
			if ep+1 == len(m.pat) {
				if n < least {
					return -1
				}
				return s + n
			}
			for ; n >= least; n-- {
				if e := m.match(s+n, ep+1); e >= 0 {
					return e
				}
			}
			return -1
		case '-':
			for {
				if e := m.match(s, ep+1); e >= 0 {
					return e
				}
				if !m.single(s, p, ep) {
					return -1
				}
				s++
			}
		default:
			if !m.single(s, p, ep) {
				return -1
			}
			s++
			p = ep
		}
	}
	return s
}

func (m *matcher) balance(s int, b, e byte) int {
	if s >= len(m.src) || m.src[s] != b {
		return -1
	}
	for depth := 1; ; {
		if s++; s >= len(m.src) {
			return -1
		}
		switch m.src[s] {
		case e:
			if depth--; depth == 0 {
				return s + 1
			}
		case b:
			depth++
		}
	}
}

// capture gives capture i, or the whole match s:e if there is none.
func (m *matcher) capture(i, s, e int) LValue {
	if i >= m.level {
		if i != 0 {
			m.fail("invalid capture index")
		}
		return LString(m.src[s:e])
	}
	c := m.cap[i]
	switch c.len {
	case capUnfinished:
		m.fail("unfinished capture")
	case capPosition:
		return numberValue(LNumber(c.start + 1))
	}
	return LString(m.src[c.start : c.start+c.len])
}

// pushCaptures pushes all captures; the whole match if there are none and whole is set.
func (m *matcher) pushCaptures(s, e int, whole bool) int {
	n := m.level
	if n == 0 && whole {
		n = 1
	}
	for i := 0; i < n; i++ {
		m.ls.Push(m.capture(i, s, e))
	}
	return n
}

// find gives the first match at or behind init.
func (m *matcher) find(init int) (s, e int) {
	anchor := len(m.pat) > 0 && m.pat[0] == '^'
	p := 0
	if anchor {
		p = 1
	}
	for s = init; s <= len(m.src); s++ {
		m.level, m.depth = 0, 0
		if e = m.match(s, p); e >= 0 {
			return s, e
		}
		if anchor {
			break
		}
	}
	return -1, -1
}
