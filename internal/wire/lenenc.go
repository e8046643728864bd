package wire

import "encoding/binary"

// AppendInt appends v as a length-encoded integer.
func AppendInt(dst []byte, v uint64) []byte {
	switch {
	case v < 0xfb:
		return append(dst, byte(v))
	case v < 1<<16:
		return append(dst, 0xfc, byte(v), byte(v>>8))
	case v < 1<<24:
		return append(dst, 0xfd, byte(v), byte(v>>8), byte(v>>16))
	}
	return binary.LittleEndian.AppendUint64(append(dst, 0xfe), v)
}

// AppendString appends s as a length-encoded string.
func AppendString(dst []byte, s string) []byte {
	return append(AppendInt(dst, uint64(len(s))), s...)
}

// AppendBytes appends b as a length-encoded string.
func AppendBytes(dst, b []byte) []byte {
	return append(AppendInt(dst, uint64(len(b))), b...)
}

// Int decodes a length-encoded integer and returns the rest of data. ok is false when data is cut short, or
// starts with 0xfb (NULL in text rows) or 0xff, which are no integers.
func Int(data []byte) (v uint64, rest []byte, ok bool) {
	if len(data) == 0 {
		return 0, data, false
	}
	switch b := data[0]; {
	case b < 0xfb:
		return uint64(b), data[1:], true
	case b == 0xfc && len(data) >= 3:
		return uint64(data[1]) | uint64(data[2])<<8, data[3:], true
	case b == 0xfd && len(data) >= 4:
		return uint64(data[1]) | uint64(data[2])<<8 | uint64(data[3])<<16, data[4:], true
	case b == 0xfe && len(data) >= 9:
		return binary.LittleEndian.Uint64(data[1:]), data[9:], true
	}
	return 0, data, false
}

// String decodes a length-encoded string, which is a part of data, and returns the rest of data.
func String(data []byte) (s, rest []byte, ok bool) {
	n, rest, ok := Int(data)
	if !ok || n > uint64(len(rest)) {
		return nil, data, false
	}
	return rest[:n:n], rest[n:], true
}

// NulString decodes a string that ends with a zero byte, which is left out.
func NulString(data []byte) (s, rest []byte, ok bool) {
	for i, b := range data {
		if b == 0 {
			return data[:i:i], data[i+1:], true
		}
	}
	return nil, data, false
}
