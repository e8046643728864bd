package wire

import (
	"encoding/binary"
	"math"
)

// PrepareOK is the first packet of the response to COM_STMT_PREPARE.
type PrepareOK struct {
	ID       uint32
	Columns  uint16
	Params   uint16
	Warnings uint16
	// NoMetadata: no definitions follow. Servers say so under OptionalResultsetMetadata only.
	NoMetadata bool
}

// Decode reads the packet.
func (p *PrepareOK) Decode(data []byte) error {
	*p = PrepareOK{}
	if len(data) < 9 || data[0] != HeaderOK {
		return malformed("prepare response", "too short or wrong header")
	}
	p.ID = binary.LittleEndian.Uint32(data[1:])
	p.Columns = binary.LittleEndian.Uint16(data[5:])
	p.Params = binary.LittleEndian.Uint16(data[7:])
	if len(data) >= 12 {
		p.Warnings = binary.LittleEndian.Uint16(data[10:])
	}
	p.NoMetadata = len(data) >= 13 && data[12] == 0
	return nil
}

// Append appends the packet, without the flag for NoMetadata.
func (p *PrepareOK) Append(dst []byte) []byte {
	dst = append(dst, HeaderOK)
	dst = binary.LittleEndian.AppendUint32(dst, p.ID)
	dst = binary.LittleEndian.AppendUint16(dst, p.Columns)
	dst = binary.LittleEndian.AppendUint16(dst, p.Params)
	dst = append(dst, 0)
	return binary.LittleEndian.AppendUint16(dst, p.Warnings)
}

// Following is the number of packets that follow: definitions of the parameters, then of the columns, each
// ended by an EOF packet without DeprecateEOF.
func (p *PrepareOK) Following(caps Capability) int {
	if p.NoMetadata {
		return 0
	}
	n := int(p.Params) + int(p.Columns)
	if !caps.Has(DeprecateEOF) {
		if p.Params > 0 {
			n++
		}
		if p.Columns > 0 {
			n++
		}
	}
	return n
}

// Param is a parameter of COM_STMT_EXECUTE.
type Param struct {
	Type     Type
	Unsigned bool
	Null     bool
	// Bits holds the value of numbers: integers in two's complement, doubles and floats as their IEEE bits.
	Bits uint64
	// Bytes holds the value of all other types, temporal ones in their binary form without the length byte.
	Bytes []byte
}

// IntParam is v as a 64-bit parameter.
func IntParam(v int64) Param { return Param{Type: TypeLongLong, Bits: uint64(v)} }

// DoubleParam is v as a double.
func DoubleParam(v float64) Param { return Param{Type: TypeDouble, Bits: math.Float64bits(v)} }

// fixedSize is the length of a number's binary form, 0 for other types.
func fixedSize(t Type) int {
	switch t {
	case TypeTiny:
		return 1
	case TypeShort, TypeYear:
		return 2
	case TypeLong, TypeInt24, TypeFloat:
		return 4
	case TypeLongLong, TypeDouble:
		return 8
	}
	return 0
}

// AppendExecute appends COM_STMT_EXECUTE without cursor. The types must be sent the first time a statement is executed
// after it was prepared, and when they change.
func AppendExecute(dst []byte, id uint32, params []Param, withTypes bool) []byte {
	dst = append(dst, byte(ComStmtExecute), byte(id), byte(id>>8), byte(id>>16), byte(id>>24), 0, 1, 0, 0, 0)
	if len(params) == 0 {
		return dst
	}
	nulls := len(dst)
	for n := (len(params) + 7) / 8; n > 0; n-- {
		dst = append(dst, 0)
	}
	if !withTypes {
		dst = append(dst, 0)
	} else {
		dst = append(dst, 1)
		for i := range params {
			var flag byte
			if params[i].Unsigned {
				flag = 0x80
			}
			dst = append(dst, byte(params[i].Type), flag)
		}
	}
	for i := range params {
		p := &params[i]
		if p.Null || p.Type == TypeNull {
			dst[nulls+i/8] |= 1 << (i % 8)
			continue
		}
		switch fixedSize(p.Type) {
		case 8:
			dst = binary.LittleEndian.AppendUint64(dst, p.Bits)
		case 4:
			dst = binary.LittleEndian.AppendUint32(dst, uint32(p.Bits))
		case 2:
			dst = binary.LittleEndian.AppendUint16(dst, uint16(p.Bits))
		case 1:
			dst = append(dst, byte(p.Bits))
		default:
			dst = AppendBytes(dst, p.Bytes)
		}
	}
	return dst
}

// fixedBits reads size bytes, little-endian.
func fixedBits(data []byte, size int) uint64 {
	switch size {
	case 1:
		return uint64(data[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(data))
	case 4:
		return uint64(binary.LittleEndian.Uint32(data))
	}
	return binary.LittleEndian.Uint64(data)
}
