package lua

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

const emptyLString LString = LString("")

func OpenString(L *LState) int {
	mod := L.RegisterModule(StringLibName, strFuncs).(*LTable)
	mt := newLTable(0, 1)
	mt.RawSetString("__index", mod)
	L.G.builtinMts[int(LTString)] = mt
	L.Push(mod)
	return 1
}

var strFuncs = map[string]LGFunction{
	"byte":    strByte,
	"char":    strChar,
	"dump":    strDump,
	"find":    strFind,
	"format":  strFormat,
	"gmatch":  strGmatch,
	"gsub":    strGsub,
	"len":     strLen,
	"lower":   strLower,
	"match":   strMatch,
	"rep":     strRep,
	"reverse": strReverse,
	"sub":     strSub,
	"upper":   strUpper,
}

// strRange turns Lua's positions i and j of a string into a slice's.
func strRange(n, i, j int) (from, to int) {
	if i < 0 {
		i += n + 1
	}
	if j < 0 {
		j += n + 1
	}
	from, to = max(i-1, 0), min(j, n)
	if from > to {
		return 0, 0
	}
	return from, to
}

func strByte(L *LState) int {
	s := L.CheckString(1)
	i := L.OptInt(2, 1)
	from, to := strRange(len(s), i, L.OptInt(3, i))
	if to-from > 7000 {
		L.RaiseError("string slice too long")
	}
	for _, c := range []byte(s[from:to]) {
		L.Push(preloads[c])
	}
	return to - from
}

func strChar(L *LState) int {
	n := L.GetTop()
	buf := make([]byte, n)
	for i := 1; i <= n; i++ {
		c := L.CheckInt(i)
		if c < 0 || c > 255 {
			L.ArgError(i, "invalid value")
		}
		buf[i-1] = byte(c)
	}
	L.PushBytes(buf)
	return 1
}

func strDump(L *LState) int {
	L.CheckFunction(1)
	L.RaiseError("unable to dump given function")
	return 0
}

func strLen(L *LState) int {
	L.PushNumber(LNumber(len(L.CheckString(1))))
	return 1
}

func strLower(L *LState) int {
	b := []byte(L.CheckString(1))
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 32
		}
	}
	L.PushBytes(b)
	return 1
}

func strUpper(L *LState) int {
	b := []byte(L.CheckString(1))
	for i, c := range b {
		if c >= 'a' && c <= 'z' {
			b[i] = c - 32
		}
	}
	L.PushBytes(b)
	return 1
}

func strReverse(L *LState) int {
	s := L.CheckString(1)
	b := make([]byte, len(s))
	for i := range b {
		b[i] = s[len(s)-1-i]
	}
	L.PushBytes(b)
	return 1
}

func strRep(L *LState) int {
	s := L.CheckString(1)
	n := L.CheckInt(2)
	sep := L.OptString(3, "")
	if n <= 0 {
		L.Push(emptyString)
		return 1
	}
	size := (len(s) + len(sep)) * n
	if len(s)+len(sep) > 0 && (n > maxString || size > maxString) {
		L.RaiseError("not enough memory")
	}
	if sep == "" {
		L.Push(LString(strings.Repeat(s, n)))
		return 1
	}
	L.Push(LString(strings.Repeat(s+sep, n-1) + s))
	return 1
}

func strSub(L *LState) int {
	s := L.CheckString(1)
	from, to := strRange(len(s), L.CheckInt(2), L.OptInt(3, -1))
	if to-from <= 32 {
		L.PushBytes([]byte(s[from:to]))
	} else {
		L.Push(LString(s[from:to]))
	}
	return 1
}

const patternSpecials = "^$*+?.([%-"

func findAux(L *LState, find bool) int {
	s := L.CheckString(1)
	pat := L.CheckString(2)
	init := L.OptInt(3, 1)
	if init < 0 {
		init = max(init+len(s), 0)
	} else if init > 0 {
		init--
	}
	if init > len(s) {
		init = len(s)
	}
	if find && (LVAsBool(L.Get(4)) || !strings.ContainsAny(pat, patternSpecials)) {
		i := strings.Index(s[init:], pat)
		if i < 0 {
			L.Push(LNil)
			return 1
		}
		L.PushNumber(LNumber(init + i + 1))
		L.PushNumber(LNumber(init + i + len(pat)))
		return 2
	}
	m := &matcher{ls: L, src: s, pat: pat}
	b, e := m.find(init)
	if b < 0 {
		L.Push(LNil)
		return 1
	}
	if find {
		L.PushNumber(LNumber(b + 1))
		L.PushNumber(LNumber(e))
		return 2 + m.pushCaptures(b, e, false)
	}
	return m.pushCaptures(b, e, true)
}

func strFind(L *LState) int  { return findAux(L, true) }
func strMatch(L *LState) int { return findAux(L, false) }

func strGmatch(L *LState) int {
	m := &matcher{src: L.CheckString(1), pat: L.CheckString(2)}
	pos := 0
	L.Push(L.NewFunction(func(L *LState) int {
		m.ls = L
		for s := pos; s <= len(m.src); s++ {
			m.level, m.depth = 0, 0
			if e := m.match(s, 0); e >= 0 {
				pos = e
				if e == s {
					pos++
				}
				return m.pushCaptures(s, e, true)
			}
		}
		pos = len(m.src) + 1
		return 0
	}))
	return 1
}

func strGsub(L *LState) int {
	s := L.CheckString(1)
	pat := L.CheckString(2)
	repl := L.Get(3)
	switch repl.(type) {
	case LString, LNumber, *LTable, *LFunction:
	default:
		L.ArgError(3, "string/function/table expected")
	}
	limit := L.OptInt(4, len(s)+1)
	m := &matcher{ls: L, src: s, pat: pat}
	p := 0
	anchor := pat != "" && pat[0] == '^'
	if anchor {
		p = 1
	}
	var buf []byte
	done, n := 0, 0 // s[:done] is in buf
	for pos := 0; n < limit && pos <= len(s); {
		m.level, m.depth = 0, 0
		e := m.match(pos, p)
		if e >= 0 {
			n++
			buf = append(buf, s[done:pos]...)
			buf = gsubValue(L, m, buf, repl, pos, e)
			done = e
			if len(buf) > maxString {
				L.RaiseError("not enough memory")
			}
		}
		if e > pos {
			pos = e
		} else {
			pos++
		}
		if anchor {
			break
		}
	}
	if n == 0 {
		L.SetTop(1)
		L.Push(LString(s))
	} else {
		L.PushBytes(append(buf, s[done:]...))
	}
	L.PushNumber(LNumber(n))
	return 2
}

func gsubValue(L *LState, m *matcher, buf []byte, repl LValue, s, e int) []byte {
	var v LValue
	switch r := repl.(type) {
	case *LFunction:
		L.Push(r)
		n := m.pushCaptures(s, e, true)
		L.Call(n, 1)
		v = L.reg.Pop()
	case *LTable:
		v = L.getField(r, m.capture(0, s, e))
	default:
		text := LVAsString(repl)
		for i := 0; i < len(text); i++ {
			c := text[i]
			if c != '%' {
				buf = append(buf, c)
				continue
			}
			if i++; i >= len(text) {
				// LuaJIT reads the string's final 0
				return append(buf, 0)
			}
			switch c = text[i]; {
			case c == '0':
				buf = append(buf, m.src[s:e]...)
			case c >= '1' && c <= '9':
				buf = appendConcat(buf, m.capture(int(c-'1'), s, e))
			default:
				buf = append(buf, c)
			}
		}
		return buf
	}
	if !LVAsBool(v) {
		return append(buf, m.src[s:e]...)
	}
	if !LVCanConvToString(v) {
		L.RaiseError("invalid replacement value (a %s)", typeName(v))
	}
	return appendConcat(buf, v)
}

// CInt64 is what a CData may offer besides: the bits of a 64-bit integer, for string.format and tonumber.
type CInt64 interface {
	CInt64() (bits uint64, unsigned, ok bool)
}

func cdataInt(v LValue) (bits uint64, unsigned, ok bool) {
	if ud, isUD := v.(*LUserData); isUD {
		if c, isInt := ud.Value.(CInt64); isInt {
			return c.CInt64()
		}
	}
	return 0, false, false
}

type formatSpec struct {
	minus, plus, space, alt, zero bool
	width, prec                   int // prec -1: none
	verb                          byte
}

func strFormat(L *LState) int {
	format := L.CheckString(1)
	g := L.G
	buf := g.scratch[:0]
	g.scratch = nil // __tostring may format too
	arg := 1
	for i := 0; i < len(format); {
		c := format[i]
		if c != '%' {
			j := strings.IndexByte(format[i:], '%')
			if j < 0 {
				j = len(format) - i
			}
			buf = append(buf, format[i:i+j]...)
			i += j
			continue
		}
		i++
		if i < len(format) && format[i] == '%' {
			buf = append(buf, '%')
			i++
			continue
		}
		start := i
		f := formatSpec{prec: -1}
	flags:
		for ; i < len(format); i++ {
			switch format[i] {
			case '-':
				f.minus = true
			case '+':
				f.plus = true
			case ' ':
				f.space = true
			case '#':
				f.alt = true
			case '0':
				f.zero = true
			default:
				break flags
			}
		}
		for n := 0; i < len(format) && format[i] >= '0' && format[i] <= '9'; i++ {
			f.width = f.width*10 + int(format[i]-'0')
			if n++; n > 2 {
				invalidFormat(L, format[start:i+1])
			}
		}
		if i < len(format) && format[i] == '.' {
			f.prec = 0
			i++
			for n := 0; i < len(format) && format[i] >= '0' && format[i] <= '9'; i++ {
				f.prec = f.prec*10 + int(format[i]-'0')
				if n++; n > 2 {
					invalidFormat(L, format[start:i+1])
				}
			}
		}
		if i < len(format) {
			f.verb = format[i]
			i++
		}
		if f.verb == 0 || strings.IndexByte("diuoxXcsqpaAeEfFgG", f.verb) < 0 {
			invalidFormat(L, format[start:i])
		}
		arg++
		if arg > L.GetTop() {
			L.ArgError(arg, "value expected")
		}
		buf = f.append(L, buf, arg)
		if len(buf) > maxString {
			L.RaiseError("not enough memory")
		}
	}
	v := newString(buf)
	if cap(buf) <= maxScratch {
		g.scratch = buf
	}
	L.Push(v)
	return 1
}

func invalidFormat(L *LState, option string) {
	L.RaiseError("invalid option '%%%s' to 'format'", option)
}

func (f *formatSpec) append(L *LState, buf []byte, arg int) []byte {
	switch f.verb {
	case 'd', 'i', 'u', 'o', 'x', 'X':
		v := L.Get(arg)
		if bits, unsigned, ok := cdataInt(v); ok {
			if f.verb != 'd' && f.verb != 'i' {
				unsigned = true
			}
			return f.integer(buf, bits, !unsigned && int64(bits) < 0)
		}
		n := float64(L.CheckNumber(arg))
		if f.verb == 'd' || f.verb == 'i' {
			if n != n || n >= 1<<63 && n < 1<<64 || math.IsInf(n, 0) {
				return f.integer(buf, 1<<63, true)
			}
			k := int64(n)
			return f.integer(buf, uint64(k), k < 0)
		}
		var k uint64
		switch {
		case n >= 1<<63:
			k = uint64(n)
		case n != n:
			k = 1 << 63
		default:
			k = uint64(int64(n))
		}
		return f.integer(buf, k, false)
	case 'c':
		return f.pad(buf, string([]byte{byte(L.CheckInt(arg))}))
	case 's':
		v := L.Get(arg)
		var s string
		switch x := v.(type) {
		case LString:
			s = string(x)
		case LNumber:
			if f.width == 0 && f.prec < 0 {
				return appendNumber(buf, x)
			}
			s = x.String()
		default:
			r := L.ToStringMeta(v)
			if !LVCanConvToString(r) {
				L.RaiseError("'tostring' must return a string")
			}
			s = LVAsString(r)
		}
		if f.prec >= 0 && len(s) > f.prec {
			s = s[:f.prec]
		}
		return f.pad(buf, s)
	case 'q':
		return appendQuoted(buf, L.CheckString(arg))
	case 'p':
		return f.pad(buf, fmt.Sprintf("%p", L.Get(arg)))
	}
	return f.float(buf, float64(L.CheckNumber(arg)))
}

func (f *formatSpec) pad(buf []byte, s string) []byte {
	if n := f.width - len(s); n > 0 {
		if f.minus {
			return append(append(buf, s...), spaces[:n]...)
		}
		buf = append(buf, spaces[:n]...)
	}
	return append(buf, s...)
}

const spaces = "                                                                                                    "

func (f *formatSpec) integer(buf []byte, k uint64, neg bool) []byte {
	if neg {
		k = -k
	}
	var tmp [32]byte
	digits := tmp[:0]
	prefix := ""
	switch f.verb {
	case 'x', 'X':
		digits = strconv.AppendUint(digits, k, 16)
		if f.alt && k != 0 {
			prefix = "0x"
		}
		if f.verb == 'X' {
			digits = []byte(strings.ToUpper(string(digits)))
			prefix = strings.ToUpper(prefix)
		}
	case 'o':
		digits = strconv.AppendUint(digits, k, 8)
		if f.alt && k != 0 {
			prefix = "0"
		}
	default:
		digits = strconv.AppendUint(digits, k, 10)
	}
	if f.prec == 0 && k == 0 {
		digits = digits[:0]
	}
	if f.verb == 'd' || f.verb == 'i' {
		switch {
		case neg:
			prefix = "-"
		case f.plus:
			prefix = "+"
		case f.space:
			prefix = " "
		}
	}
	if f.width == 0 && f.prec < 0 {
		return append(append(buf, prefix...), digits...)
	}
	zeros := f.prec - len(digits)
	if f.prec < 0 && f.zero && !f.minus {
		zeros = f.width - len(digits) - len(prefix)
	}
	s := prefix + strings.Repeat("0", max(zeros, 0)) + string(digits)
	return f.pad(buf, s)
}

func (f *formatSpec) float(buf []byte, n float64) []byte {
	sign := ""
	switch {
	case math.Signbit(n):
		sign = "-"
		n = math.Abs(n)
	case f.plus:
		sign = "+"
	case f.space:
		sign = " "
	}
	prec := f.prec
	if prec < 0 && f.verb != 'a' && f.verb != 'A' {
		prec = 6
	}
	var tmp [64]byte
	body := tmp[:0]
	finite := true
	switch {
	case n != n:
		body, finite = append(body, "nan"...), false
	case math.IsInf(n, 0):
		body, finite = append(body, "inf"...), false
	case f.verb == 'g' || f.verb == 'G':
		body = appendG(body, n, prec, f.alt, f.verb)
	case f.verb == 'a' || f.verb == 'A':
		body = appendHexFloat(body, n, prec)
	case f.verb == 'e' || f.verb == 'E':
		body = appendRounded(body, n, 'e', prec)
	default:
		body = appendRounded(body, n, 'f', prec)
		if f.alt && prec == 0 {
			body = append(body, '.')
		}
	}
	s := string(body)
	if f.verb < 'a' {
		s = strings.ToUpper(s)
	}
	if f.zero && !f.minus && finite {
		if z := f.width - len(s) - len(sign); z > 0 {
			s = strings.Repeat("0", z) + s
		}
	}
	if f.width == 0 {
		return append(append(buf, sign...), s...)
	}
	return f.pad(buf, sign+s)
}

// appendHexFloat is C's %a.
func appendHexFloat(b []byte, n float64, prec int) []byte {
	s := strconv.FormatFloat(n, 'x', prec, 64)
	i := strings.IndexByte(s, 'p')
	exp, _ := strconv.Atoi(s[i+1:])
	b = append(b, s[:i]...)
	b = append(b, 'p')
	if exp >= 0 {
		b = append(b, '+')
	}
	return strconv.AppendInt(b, int64(exp), 10)
}

func appendQuoted(b []byte, s string) []byte {
	b = append(b, '"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\' || c == '\n':
			b = append(b, '\\', c)
		case c < 32 || c == 127:
			b = append(b, '\\')
			if c >= 100 || i+1 < len(s) && s[i+1] >= '0' && s[i+1] <= '9' {
				b = append(b, '0'+c/100)
			}
			if c >= 10 || i+1 < len(s) && s[i+1] >= '0' && s[i+1] <= '9' {
				b = append(b, '0'+c/10%10)
			}
			b = append(b, '0'+c%10)
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}
