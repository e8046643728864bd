package option

import (
	"math"
	"strconv"
	"strings"
)

// Blanks of C's isspace in the C locale.
const blanks = " \t\n\v\f\r"

func parseBool(v string) (on, ok bool) {
	switch v {
	case "on", "true", "1":
		return true, true
	case "off", "false", "0":
		return false, true
	}
	return false, false
}

// parseInt reads a decimal 32-bit number; leading blanks and a sign are allowed, nothing may follow.
func parseInt(v string) (int, bool) {
	n, err := strconv.ParseInt(strings.TrimLeft(v, blanks), 10, 32)
	return int(n), err == nil
}

// parseSize reads digits and one multiplier letter, powers of 1024. Whatever follows the letter is
// ignored; a letter that is none, or no leading digit, gives 0. Too large values saturate.
func parseSize(v string) uint64 {
	var n uint64
	i := 0
	for ; i < len(v) && '0' <= v[i] && v[i] <= '9'; i++ {
		d := uint64(v[i] - '0')
		if n > (math.MaxUint64-d)/10 {
			n = math.MaxUint64
			continue
		}
		n = n*10 + d
	}
	if i == 0 || i == len(v) {
		return n
	}
	shift := 0
	switch v[i] | 0x20 {
	case 'k':
		shift = 10
	case 'm':
		shift = 20
	case 'g':
		shift = 30
	case 't':
		shift = 40
	default:
		return 0
	}
	if n > math.MaxUint64>>shift {
		return math.MaxUint64
	}
	return n << shift
}

// parseDouble reads the longest prefix that C's strtod accepts; none is 0.
func parseDouble(v string) float64 {
	v = strings.TrimLeft(v, blanks)
	n := 0
	if n < len(v) && (v[n] == '+' || v[n] == '-') {
		n++
	}
	lower := strings.ToLower(v[n:])
	for _, word := range []string{"infinity", "inf", "nan"} {
		if strings.HasPrefix(lower, word) {
			f, _ := strconv.ParseFloat(word, 64)
			if v[0] == '-' {
				f = -f
			}
			return f
		}
	}
	if strings.HasPrefix(lower, "0x") {
		if end, ok := scanNumber(v, n+2, isHex, 'p'); ok {
			return toFloat(v[:end], strings.ContainsAny(v[n+2:end], "pP"))
		}
	}
	end, ok := scanNumber(v, n, isDigit, 'e')
	if !ok {
		return 0
	}
	return toFloat(v[:end], true)
}

// toFloat converts text that is a number; Go wants an exponent in hexadecimal ones, C does not.
func toFloat(text string, hasExponent bool) float64 {
	if !hasExponent {
		text += "p0"
	}
	f, _ := strconv.ParseFloat(text, 64) // out of range gives ±Inf, as in C
	return f
}

// scanNumber returns the end of digits [. digits] [exponent] starting at i, and whether there was a digit.
func scanNumber(v string, i int, digit func(byte) bool, exp byte) (int, bool) {
	digits := 0
	for i < len(v) && digit(v[i]) {
		i++
		digits++
	}
	if i < len(v) && v[i] == '.' {
		j := i + 1
		for j < len(v) && digit(v[j]) {
			j++
			digits++
		}
		if digits > 0 {
			i = j
		}
	}
	if digits == 0 {
		return i, false
	}
	if i < len(v) && v[i]|0x20 == exp {
		j := i + 1
		if j < len(v) && (v[j] == '+' || v[j] == '-') {
			j++
		}
		k := j
		for k < len(v) && isDigit(v[k]) {
			k++
		}
		if k > j {
			i = k
		}
	}
	return i, true
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isHex(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }
