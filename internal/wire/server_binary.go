package wire

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// AppendBinaryRow appends a row in the binary protocol. values are in text form, nil is NULL; each is converted
// to the binary form of its column's type. A value that its type cannot hold is an error.
func AppendBinaryRow(dst []byte, columns []Column, values [][]byte) ([]byte, error) {
	if len(columns) != len(values) {
		return nil, fmt.Errorf("row of %d values for %d columns", len(values), len(columns))
	}
	dst = append(dst, 0)
	bitmap := len(dst)
	dst = append(dst, make([]byte, (len(values)+7+2)/8)...)
	for i, v := range values {
		if v == nil || columns[i].Type == TypeNull {
			dst[bitmap+(i+2)/8] |= 1 << ((i + 2) % 8)
			continue
		}
		var err error
		if dst, err = AppendBinaryValue(dst, columns[i].Type, columns[i].Flags&FlagUnsigned != 0, string(v)); err != nil {
			return nil, fmt.Errorf("column %d: %w", i, err)
		}
	}
	return dst, nil
}

// AppendBinaryValue appends the value whose text form is text, such as "-7", "2.5" or "2024-02-29 12:00:00.5",
// in the binary form of type t.
func AppendBinaryValue(dst []byte, t Type, unsigned bool, text string) ([]byte, error) {
	bits := 0
	switch t {
	case TypeTiny:
		bits = 8
	case TypeShort, TypeYear:
		bits = 16
	case TypeLong, TypeInt24:
		bits = 32
	case TypeLongLong:
		bits = 64
	case TypeFloat:
		f, err := strconv.ParseFloat(text, 32)
		if err != nil {
			return nil, err
		}
		return binary.LittleEndian.AppendUint32(dst, math.Float32bits(float32(f))), nil
	case TypeDouble:
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, err
		}
		return binary.LittleEndian.AppendUint64(dst, math.Float64bits(f)), nil
	case TypeDate, TypeDatetime, TypeTimestamp:
		return binaryDatetime(dst, text)
	case TypeTime:
		return binaryTime(dst, text)
	default:
		return AppendString(dst, text), nil
	}
	var u uint64
	var err error
	if unsigned || t == TypeYear {
		u, err = strconv.ParseUint(text, 10, bits)
	} else {
		var i int64
		i, err = strconv.ParseInt(text, 10, bits)
		u = uint64(i)
	}
	if err != nil {
		return nil, err
	}
	for n := 0; n < bits; n += 8 {
		dst = append(dst, byte(u>>n))
	}
	return dst, nil
}

// binaryDatetime appends a date with or without time of day in the shortest form.
func binaryDatetime(dst []byte, text string) ([]byte, error) {
	date, clock, _ := strings.Cut(text, " ")
	if date == "0000-00-00" && strings.Trim(clock, "0:.") == "" {
		return append(dst, 0), nil
	}
	layout := "2006-01-02"
	if clock != "" {
		layout = "2006-01-02 15:04:05"
	}
	at, err := time.Parse(layout, text)
	if err != nil {
		return nil, err
	}
	micro := at.Nanosecond() / 1000
	n := byte(4)
	switch {
	case micro != 0:
		n = 11
	case at.Hour() != 0 || at.Minute() != 0 || at.Second() != 0:
		n = 7
	}
	dst = append(dst, n, byte(at.Year()), byte(at.Year()>>8), byte(at.Month()), byte(at.Day()))
	if n > 4 {
		dst = append(dst, byte(at.Hour()), byte(at.Minute()), byte(at.Second()))
	}
	if n > 7 {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(micro))
	}
	return dst, nil
}

// binaryTime appends a duration such as "-838:59:59.000001" in the shortest form.
func binaryTime(dst []byte, text string) ([]byte, error) {
	bad := fmt.Errorf("%q is not a time", text)
	negative := strings.HasPrefix(text, "-")
	parts := strings.Split(strings.TrimPrefix(text, "-"), ":")
	if len(parts) != 3 {
		return nil, bad
	}
	whole, fraction, _ := strings.Cut(parts[2], ".")
	if len(fraction) > 6 {
		return nil, bad
	}
	var n [4]uint64
	for i, p := range []string{parts[0], parts[1], whole, fraction + "000000"[len(fraction):]} {
		var err error
		if n[i], err = strconv.ParseUint(p, 10, 31); err != nil || (i == 1 || i == 2) && n[i] > 59 {
			return nil, bad
		}
	}
	if n == [4]uint64{} {
		return append(dst, 0), nil
	}
	size, sign := byte(8), byte(0)
	if n[3] != 0 {
		size = 12
	}
	if negative {
		sign = 1
	}
	dst = append(dst, size, sign)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(n[0]/24))
	dst = append(dst, byte(n[0]%24), byte(n[1]), byte(n[2]))
	if size == 12 {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(n[3]))
	}
	return dst, nil
}
