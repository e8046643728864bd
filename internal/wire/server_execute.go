package wire

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
)

// ParamDef is the type of a parameter as the client announced it.
type ParamDef struct {
	Type     Type
	Unsigned bool
}

// Argument is the value of a parameter: nil (NULL), int64, uint64, float64, or []byte, which is a part of the packet.
// Dates and times are []byte in text form.
type Argument any

// Execute is a COM_STMT_EXECUTE packet, without its command byte.
type Execute struct {
	ID         uint32
	Flags      byte // cursor type
	Iterations uint32
	// Defs are the types of the last execution that sent them. Decode keeps them when this one sends none, so that
	// the same Execute is to be used for all executions of a statement.
	Defs []ParamDef
	Args []Argument
}

// Decode reads the packet for a statement with the given number of parameters. long, when not nil, reports
// parameters whose value came in COM_STMT_SEND_LONG_DATA packets: the packet has no value for them and Args has nil.
// caps are the connection's capabilities.
func (e *Execute) Decode(data []byte, params int, caps Capability, long func(i int) bool) error {
	const packet = "COM_STMT_EXECUTE"
	if len(data) < 9 {
		return malformed(packet, "shorter than its fixed fields")
	}
	e.ID = binary.LittleEndian.Uint32(data)
	e.Flags = data[4]
	e.Iterations = binary.LittleEndian.Uint32(data[5:])
	e.Args = e.Args[:0]
	rest := data[9:]
	count := params
	const countAvailable = 8 // PARAMETER_COUNT_AVAILABLE in the flags
	attrs := caps.Has(QueryAttributes)
	if attrs && (params > 0 || e.Flags&countAvailable != 0) {
		n, r, ok := Int(rest)
		if !ok || n < uint64(params) || n > math.MaxUint16 {
			return malformed(packet, "number of parameters")
		}
		count, rest = int(n), r
	}
	if count == 0 {
		return nil
	}
	nulls := (count + 7) / 8
	if len(rest) < nulls+1 {
		return malformed(packet, "NULL bitmap")
	}
	bitmap, bound := rest[:nulls], rest[nulls]
	rest = rest[nulls+1:]
	if bound == 1 {
		e.Defs = e.Defs[:0]
		for range count {
			if len(rest) < 2 {
				return malformed(packet, "parameter types")
			}
			e.Defs = append(e.Defs, ParamDef{Type(rest[0]), rest[1]&0x80 != 0})
			rest = rest[2:]
			if attrs {
				var ok bool
				if _, rest, ok = String(rest); !ok {
					return malformed(packet, "parameter names")
				}
			}
		}
	}
	if len(e.Defs) != count {
		return malformed(packet, "no parameter types")
	}
	for i, d := range e.Defs {
		var v Argument
		switch {
		case bitmap[i/8]&(1<<(i%8)) != 0, long != nil && i < params && long(i):
		default:
			var ok bool
			if v, rest, ok = decodeParam(d, rest); !ok {
				return malformed(packet, "value of parameter "+strconv.Itoa(i))
			}
		}
		if i < params {
			e.Args = append(e.Args, v)
		}
	}
	return nil
}

// QueryText returns the statement of a COM_QUERY packet without its command byte, past the query attributes that
// the connection's capabilities may put before it.
func QueryText(data []byte, caps Capability) ([]byte, error) {
	if !caps.Has(QueryAttributes) {
		return data, nil
	}
	const packet = "COM_QUERY"
	n, rest, ok := Int(data)
	if !ok || n > math.MaxUint16 {
		return nil, malformed(packet, "number of attributes")
	}
	if _, rest, ok = Int(rest); !ok {
		return nil, malformed(packet, "number of attribute sets")
	}
	if n == 0 {
		return rest, nil
	}
	nulls := (int(n) + 7) / 8
	if len(rest) < nulls+1 || rest[nulls] != 1 {
		return nil, malformed(packet, "attributes")
	}
	bitmap := rest[:nulls]
	rest = rest[nulls+1:]
	var defs []ParamDef
	for range n {
		if len(rest) < 2 {
			return nil, malformed(packet, "attribute types")
		}
		defs = append(defs, ParamDef{Type(rest[0]), rest[1]&0x80 != 0})
		if _, rest, ok = String(rest[2:]); !ok {
			return nil, malformed(packet, "attribute names")
		}
	}
	for i, d := range defs {
		if bitmap[i/8]&(1<<(i%8)) != 0 {
			continue
		}
		if _, rest, ok = decodeParam(d, rest); !ok {
			return nil, malformed(packet, "attribute values")
		}
	}
	return rest, nil
}

// decodeParam reads one binary value.
func decodeParam(d ParamDef, data []byte) (v Argument, rest []byte, ok bool) {
	fixed := 0
	switch d.Type {
	case TypeNull:
		return nil, data, true
	case TypeTiny:
		fixed = 1
	case TypeShort, TypeYear:
		fixed = 2
	case TypeLong, TypeInt24, TypeFloat:
		fixed = 4
	case TypeLongLong, TypeDouble:
		fixed = 8
	case TypeDate, TypeDatetime, TypeTimestamp, TypeTime:
		return decodeTime(d.Type, data)
	default:
		s, rest, ok := String(data)
		return s, rest, ok
	}
	if len(data) < fixed {
		return nil, data, false
	}
	b, rest := data[:fixed], data[fixed:]
	switch d.Type {
	case TypeFloat:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b))), rest, true
	case TypeDouble:
		return math.Float64frombits(binary.LittleEndian.Uint64(b)), rest, true
	}
	var u uint64
	for i, c := range b {
		u |= uint64(c) << (8 * i)
	}
	if d.Unsigned {
		return u, rest, true
	}
	shift := 64 - 8*fixed
	return int64(u<<shift) >> shift, rest, true
}

// decodeTime reads a binary date or time into its text form.
func decodeTime(t Type, data []byte) (v Argument, rest []byte, ok bool) {
	if len(data) == 0 || len(data) < 1+int(data[0]) {
		return nil, data, false
	}
	b, rest := data[1:1+int(data[0])], data[1+int(data[0]):]
	var micro uint32
	if t == TypeTime {
		if len(b) != 0 && len(b) != 8 && len(b) != 12 {
			return nil, data, false
		}
		b = append(append([]byte(nil), b...), make([]byte, 12-len(b))...)
		sign := ""
		if b[0] != 0 {
			sign = "-"
		}
		hours := uint64(binary.LittleEndian.Uint32(b[1:]))*24 + uint64(b[5])
		text := fmt.Sprintf("%s%02d:%02d:%02d", sign, hours, b[6], b[7])
		if micro = binary.LittleEndian.Uint32(b[8:]); micro != 0 {
			text += fmt.Sprintf(".%06d", micro)
		}
		return []byte(text), rest, true
	}
	if len(b) != 0 && len(b) != 4 && len(b) != 7 && len(b) != 11 {
		return nil, data, false
	}
	b = append(append([]byte(nil), b...), make([]byte, 11-len(b))...)
	text := fmt.Sprintf("%04d-%02d-%02d", binary.LittleEndian.Uint16(b), b[2], b[3])
	if t != TypeDate {
		text += fmt.Sprintf(" %02d:%02d:%02d", b[4], b[5], b[6])
		if micro = binary.LittleEndian.Uint32(b[7:]); micro != 0 {
			text += fmt.Sprintf(".%06d", micro)
		}
	}
	return []byte(text), rest, true
}
