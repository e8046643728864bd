package wire

import (
	"math"
	"strconv"
)

// DecodeTextRow splits a row of the text protocol with n columns into out, which it reuses; nil is NULL. The
// elements are parts of data.
func DecodeTextRow(data []byte, n int, out [][]byte) ([][]byte, error) {
	out, rest, err := NextTextRow(data, n, out)
	if err != nil {
		return nil, err
	}
	if len(rest) != 0 {
		return nil, malformed("text row", "bytes after the last column")
	}
	return out, nil
}

// NextTextRow is DecodeTextRow for a row that others may follow; rest is what follows.
func NextTextRow(data []byte, n int, out [][]byte) (row [][]byte, rest []byte, err error) {
	out = out[:0]
	for range n {
		if len(data) > 0 && data[0] == 0xfb {
			out, data = append(out, nil), data[1:]
			continue
		}
		s, rest, ok := String(data)
		if !ok {
			return nil, nil, malformed("text row", "value of column "+strconv.Itoa(len(out)+1))
		}
		out, data = append(out, s), rest
	}
	return out, data, nil
}

// DecodeBinaryRow decodes a row of the binary protocol into text form, as the text protocol would show it; nil is
// NULL. Numbers and times are written to buf, strings are parts of data; out and buf are reused and returned.
func DecodeBinaryRow(data []byte, columns []Column, out [][]byte, buf []byte) ([][]byte, []byte, error) {
	const packet = "binary row"
	out, buf = out[:0], buf[:0]
	bitmap := (len(columns) + 9) / 8
	if len(data) < 1+bitmap || data[0] != 0 {
		return nil, buf, malformed(packet, "header or null bitmap")
	}
	nulls := data[1 : 1+bitmap]
	data = data[1+bitmap:]
	for i := range columns {
		if bit := i + 2; nulls[bit/8]&(1<<(bit%8)) != 0 {
			out = append(out, nil)
			continue
		}
		c := &columns[i]
		start := len(buf)
		if size := fixedSize(c.Type); size > 0 {
			if len(data) < size {
				return nil, buf, malformed(packet, "number")
			}
			buf = appendNumber(buf, c, fixedBits(data, size))
			data = data[size:]
			out = append(out, buf[start:len(buf):len(buf)])
			continue
		}
		s, rest, ok := String(data)
		if !ok {
			return nil, buf, malformed(packet, "value of column "+strconv.Itoa(i+1))
		}
		data = rest
		switch c.Type {
		case TypeDate, TypeNewDate:
			buf, ok = appendDate(buf, s)
		case TypeDatetime, TypeTimestamp:
			buf, ok = appendDatetime(buf, s, c.Decimals)
		case TypeTime:
			buf, ok = appendTime(buf, s, c.Decimals)
		default:
			out = append(out, s)
			continue
		}
		if !ok {
			return nil, buf, malformed(packet, "date or time")
		}
		out = append(out, buf[start:len(buf):len(buf)])
	}
	if len(data) != 0 {
		return nil, buf, malformed(packet, "bytes after the last column")
	}
	return out, buf, nil
}

// notFixed is the value of Column.Decimals from which on numbers have as many digits as they need.
const notFixed = 31

func appendNumber(dst []byte, c *Column, bits uint64) []byte {
	start := len(dst)
	switch c.Type {
	case TypeFloat:
		dst = appendFloat(dst, float64(math.Float32frombits(uint32(bits))), c.Decimals, 32)
	case TypeDouble:
		dst = appendFloat(dst, math.Float64frombits(bits), c.Decimals, 64)
	case TypeYear:
		return appendPadded(dst, uint64(uint16(bits)), 4)
	default:
		if c.Flags&FlagUnsigned != 0 {
			dst = strconv.AppendUint(dst, bits, 10)
			break
		}
		shift := 64 - 8*fixedSize(c.Type)
		dst = strconv.AppendInt(dst, int64(bits<<shift)>>shift, 10)
	}
	if c.Flags&FlagZerofill != 0 {
		// Display lengths are at most 255.
		for pad := min(int(c.Length), 255) - (len(dst) - start); pad > 0; pad-- {
			dst = append(dst, 0)
			copy(dst[start+1:], dst[start:])
			dst[start] = '0'
		}
	}
	return dst
}

// appendFloat writes v as servers do: with a fixed number of decimals, or with as few digits as tell it from its
// neighbours (floats: 6 digits), with an exponent when that is shorter.
func appendFloat(dst []byte, v float64, decimals byte, bits int) []byte {
	if decimals < notFixed {
		return strconv.AppendFloat(dst, v, 'f', int(decimals), 64)
	}
	digits := -1
	if bits == 32 {
		digits = 5
	}
	// Digits and exponent d.ddde±xx, from which the form is chosen.
	var tmp [32]byte
	e := strconv.AppendFloat(tmp[:0], v, 'e', digits, bits)
	exp := 0
	for i, b := range e {
		if b == 'e' {
			exp, _ = strconv.Atoi(string(e[i+1:]))
			break
		}
	}
	if exp < -15 || exp > 14 {
		mantissa, _, _ := cutByte(e, 'e')
		mantissa = trimZeros(mantissa)
		dst = append(dst, mantissa...)
		dst = append(dst, 'e')
		return strconv.AppendInt(dst, int64(exp), 10)
	}
	if digits < 0 {
		return strconv.AppendFloat(dst, v, 'f', -1, bits)
	}
	rounded, err := strconv.ParseFloat(string(e), 64)
	if err != nil {
		return append(dst, e...) // not a number; servers do not send it
	}
	return strconv.AppendFloat(dst, rounded, 'f', -1, 64)
}

func cutByte(b []byte, sep byte) (before, after []byte, found bool) {
	for i := range b {
		if b[i] == sep {
			return b[:i], b[i+1:], true
		}
	}
	return b, nil, false
}

// trimZeros removes zeros at the end of a number's fraction, and the point if nothing is left.
func trimZeros(b []byte) []byte {
	if _, _, ok := cutByte(b, '.'); !ok {
		return b
	}
	for len(b) > 0 && b[len(b)-1] == '0' {
		b = b[:len(b)-1]
	}
	if len(b) > 0 && b[len(b)-1] == '.' {
		b = b[:len(b)-1]
	}
	return b
}

// appendPadded writes v with at least width digits.
func appendPadded(dst []byte, v uint64, width int) []byte {
	var tmp [20]byte
	s := strconv.AppendUint(tmp[:0], v, 10)
	for n := width - len(s); n > 0; n-- {
		dst = append(dst, '0')
	}
	return append(dst, s...)
}

// appendDate writes the date of a binary value, of which 0 bytes mean all zero and 4 bytes are the least otherwise.
func appendDate(dst, s []byte) ([]byte, bool) {
	var year, month, day uint64
	switch {
	case len(s) == 0:
	case len(s) < 4 || len(s) > 11:
		return dst, false
	default:
		year, month, day = uint64(s[0])|uint64(s[1])<<8, uint64(s[2]), uint64(s[3])
	}
	dst = appendPadded(dst, year, 4)
	dst = appendPadded(append(dst, '-'), month, 2)
	return appendPadded(append(dst, '-'), day, 2), true
}

// appendDatetime writes a date and a time of day: 0, 4, 7 or 11 bytes.
func appendDatetime(dst, s []byte, decimals byte) ([]byte, bool) {
	dst, ok := appendDate(dst, s)
	if !ok {
		return dst, false
	}
	var clock [3]byte
	var micro uint64
	switch len(s) {
	case 0, 4:
	case 11:
		micro = fixedBits(s[7:], 4)
		fallthrough
	case 7:
		copy(clock[:], s[4:7])
	default:
		return dst, false
	}
	dst = appendPadded(append(dst, ' '), uint64(clock[0]), 2)
	return appendMinutes(dst, clock[1], clock[2], micro, decimals), true
}

// appendTime writes a duration: 0, 8 or 12 bytes.
func appendTime(dst, s []byte, decimals byte) ([]byte, bool) {
	var hours, micro uint64
	var minutes, seconds byte
	switch len(s) {
	case 0:
	case 12:
		micro = fixedBits(s[8:], 4)
		fallthrough
	case 8:
		if s[0] != 0 {
			dst = append(dst, '-')
		}
		hours = fixedBits(s[1:], 4)*24 + uint64(s[5])
		minutes, seconds = s[6], s[7]
	default:
		return dst, false
	}
	dst = appendPadded(dst, hours, 2)
	return appendMinutes(dst, minutes, seconds, micro, decimals), true
}

// appendMinutes writes :MM:SS and the fraction; decimals of 7 and more mean six when there is a fraction.
func appendMinutes(dst []byte, minutes, seconds byte, micro uint64, decimals byte) []byte {
	dst = appendPadded(append(dst, ':'), uint64(minutes), 2)
	dst = appendPadded(append(dst, ':'), uint64(seconds), 2)
	if decimals > 6 {
		if micro == 0 {
			return dst
		}
		decimals = 6
	}
	if decimals == 0 {
		return dst
	}
	start := len(dst) + 1
	dst = appendPadded(append(dst, '.'), micro, 6)
	return dst[:start+int(decimals)]
}
