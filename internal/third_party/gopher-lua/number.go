package lua

import (
	"math"
	"strconv"
	"strings"
)

// numberValue boxes a number without the allocation of small integers.
func numberValue(n LNumber) LValue {
	if i := int(n); i >= 0 && i < len(preloads) && LNumber(i) == n && (i != 0 || !math.Signbit(float64(n))) {
		return preloads[i]
	}
	return n
}

// appendNumber writes n as C's %.14g does, with LuaJIT's words for what is no number.
func appendNumber(b []byte, n LNumber) []byte {
	f := float64(n)
	if i := int64(f); float64(i) == f && i > -1e14 && i < 1e14 && (i != 0 || !math.Signbit(f)) {
		return strconv.AppendInt(b, i, 10)
	}
	switch {
	case f != f:
		return append(b, "nan"...)
	case math.IsInf(f, 1):
		return append(b, "inf"...)
	case math.IsInf(f, -1):
		return append(b, "-inf"...)
	}
	return appendG(b, f, 14, false, 'g')
}

// appendRounded is strconv.AppendFloat that rounds ties away from zero, as LuaJIT does and C does not.
func appendRounded(b []byte, f float64, verb byte, prec int) []byte {
	const more = 25 // a tie has a 5 and zeros where it is cut
	var tmp [400]byte
	long := strconv.AppendFloat(tmp[:0], f, verb, prec+more, 64)
	end := len(long)
	if verb == 'e' {
		end = strings.LastIndexByte(string(long), 'e')
	}
	cut := end - more
	if long[cut] != '5' || strings.Trim(string(long[cut+1:end]), "0") != "" {
		return strconv.AppendFloat(b, f, verb, prec, 64)
	}
	head := long[:cut]
	if prec == 0 {
		head = head[:len(head)-1] // the point
	}
	i := len(head) - 1
	for ; i >= 0; i-- {
		if head[i] < '0' {
			continue // point or sign
		}
		if head[i]++; head[i] <= '9' {
			break
		}
		head[i] = '0'
	}
	if i < 0 { // all nines: one more digit in front, which the other rounding may do as well
		if verb == 'e' {
			return strconv.AppendFloat(b, math.Nextafter(f, math.Inf(int(math.Copysign(1, f)))), verb, prec, 64)
		}
		sign := 0
		if head[0] == '-' {
			sign = 1
		}
		b = append(append(b, head[:sign]...), '1')
		head = head[sign:]
	}
	return append(append(b, head...), long[end:]...)
}

// appendG is C's %.*g for finite numbers; alt keeps trailing zeros. verb is g or G.
func appendG(b []byte, f float64, prec int, alt bool, verb byte) []byte {
	if prec == 0 {
		prec = 1
	}
	start := len(b)
	b = appendRounded(b, f, 'e', prec-1)
	e := start + strings.LastIndexByte(string(b[start:]), 'e')
	exp, _ := strconv.Atoi(string(b[e+1:]))
	if exp < -4 || exp >= prec {
		if !alt {
			tail := string(b[e:])
			b = append(trimZeros(b[:e], start), tail...)
		}
		if verb == 'G' {
			for i := start; i < len(b); i++ {
				if b[i] == 'e' {
					b[i] = 'E'
				}
			}
		}
		return b
	}
	b = appendRounded(b[:start], f, 'f', prec-1-exp)
	if alt {
		if prec-1-exp == 0 {
			b = append(b, '.')
		}
		return b
	}
	return trimZeros(b, start)
}

func trimZeros(b []byte, start int) []byte {
	dot := false
	for _, c := range b[start:] {
		if c == '.' {
			dot = true
		}
	}
	if !dot {
		return b
	}
	for b[len(b)-1] == '0' {
		b = b[:len(b)-1]
	}
	if b[len(b)-1] == '.' {
		b = b[:len(b)-1]
	}
	return b
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

func trimSpace(s string) string {
	for len(s) > 0 && isSpace(s[0]) {
		s = s[1:]
	}
	for len(s) > 0 && isSpace(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s
}

// parseNumber converts a string as arithmetic on strings and tonumber do: decimal, hexadecimal (with fraction and binary
// exponent), inf and nan, blanks around.
func parseNumber(s string) (LNumber, bool) {
	s = trimSpace(s)
	neg := false
	t := s
	if t != "" && (t[0] == '-' || t[0] == '+') {
		neg = t[0] == '-'
		t = t[1:]
	}
	if t == "" {
		return 0, false
	}
	n, ok := parseUnsigned(t)
	if neg {
		n = -n
	}
	return n, ok
}

func parseUnsigned(t string) (LNumber, bool) {
	if len(t) <= 15 {
		v := 0
		i := 0
		for ; i < len(t) && t[i] >= '0' && t[i] <= '9'; i++ {
			v = v*10 + int(t[i]-'0')
		}
		if i == len(t) {
			return LNumber(v), true
		}
	}
	if len(t) > 1 && t[0] == '0' && (t[1] == 'x' || t[1] == 'X') {
		return parseHex(t[2:])
	}
	switch c := t[0]; {
	case c >= '0' && c <= '9' || c == '.':
		if strings.IndexByte(t, '_') >= 0 || strings.ContainsAny(t, "xXpPnN") {
			return 0, false
		}
		f, err := strconv.ParseFloat(t, 64)
		if err != nil && !isRange(err) {
			return 0, false
		}
		return LNumber(f), true
	case strings.EqualFold(t, "inf") || strings.EqualFold(t, "infinity"):
		return LNumber(math.Inf(1)), true
	case strings.EqualFold(t, "nan"):
		return LNumber(math.NaN()), true
	}
	return 0, false
}

func isRange(err error) bool {
	e, ok := err.(*strconv.NumError)
	return ok && e.Err == strconv.ErrRange
}

func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

func parseHex(t string) (LNumber, bool) {
	var v uint64
	digits, exp, i := 0, 0, 0
	inexact, frac := false, false
	for ; i < len(t); i++ {
		if t[i] == '.' && !frac {
			frac = true
			continue
		}
		d := hexDigit(t[i])
		if d < 0 {
			break
		}
		digits++
		if v>>60 == 0 {
			v = v<<4 | uint64(d)
			if frac {
				exp -= 4
			}
		} else {
			inexact = inexact || d != 0
			if !frac {
				exp += 4
			}
		}
	}
	if digits == 0 {
		return 0, false
	}
	if i < len(t) && (t[i] == 'p' || t[i] == 'P') {
		e, err := strconv.Atoi(t[i+1:])
		if err != nil && !isRange(err) || i+1 == len(t) {
			return 0, false
		}
		exp += max(min(e, 1<<20), -1<<20)
		i = len(t)
	}
	if i != len(t) {
		return 0, false
	}
	if inexact {
		v |= 1
	}
	return LNumber(math.Ldexp(float64(v), exp)), true
}

func isInteger(v LNumber) bool { return float64(v) == float64(int64(v)) }

// toInt converts as LuaJIT's lj_lib_checkint does: towards zero, 32-bit numbers from what does not fit.
func toInt(n LNumber) int {
	f := float64(n)
	if f >= -math.MaxInt32 && f <= math.MaxInt32 {
		return int(f)
	}
	if f != f {
		return math.MinInt32
	}
	if f >= 1<<53 {
		return 1 << 53
	}
	if f <= -1<<53 {
		return -1 << 53
	}
	return int(f)
}
