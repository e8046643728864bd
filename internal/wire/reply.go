package wire

import "encoding/binary"

// OK is a packet that ends a command without error.
type OK struct {
	Affected uint64
	InsertID uint64
	Status   Status
	Warnings uint16
	Info     []byte // human-readable; changes of session state after it are skipped
}

// Decode reads an OK packet, also in its form at the end of rows (header 0xfe) under DeprecateEOF. Info is a part
// of data. caps are the connection's capabilities.
func (o *OK) Decode(data []byte, caps Capability) error {
	const packet = "OK packet"
	*o = OK{}
	if len(data) == 0 || data[0] != HeaderOK && data[0] != HeaderEOF {
		return malformed(packet, "header")
	}
	var ok bool
	rest := data[1:]
	if o.Affected, rest, ok = Int(rest); !ok {
		return malformed(packet, "affected rows")
	}
	if o.InsertID, rest, ok = Int(rest); !ok {
		return malformed(packet, "insert id")
	}
	if len(rest) < 4 {
		return malformed(packet, "status and warnings")
	}
	o.Status = Status(binary.LittleEndian.Uint16(rest))
	o.Warnings = binary.LittleEndian.Uint16(rest[2:])
	rest = rest[4:]
	if caps.Has(SessionTrack) {
		// The text has a length only here, and is left out when it is empty and no state changed.
		if len(rest) > 0 {
			if o.Info, _, ok = String(rest); !ok {
				return malformed(packet, "message")
			}
		}
		return nil
	}
	o.Info = rest
	return nil
}

// ERR is a packet that ends a command with an error.
type ERR struct {
	Code    uint16
	State   string // five characters; "HY000" when the server sent none, as before login
	Message string
}

// Decode reads an ERR packet. All fields are copied.
func (e *ERR) Decode(data []byte) error {
	*e = ERR{}
	if len(data) < 3 || data[0] != HeaderERR {
		return malformed("ERR packet", "header")
	}
	e.Code = binary.LittleEndian.Uint16(data[1:])
	e.State = "HY000"
	rest := data[3:]
	if len(rest) >= 6 && rest[0] == '#' {
		e.State = string(rest[1:6])
		rest = rest[6:]
	}
	e.Message = string(rest)
	return nil
}

// EOF is the packet that ends column definitions and rows without DeprecateEOF.
type EOF struct {
	Warnings uint16
	Status   Status
}

// IsEOF reports whether a packet at a place where an EOF packet may come is one.
func IsEOF(data []byte) bool { return len(data) > 0 && len(data) < 9 && data[0] == HeaderEOF }

// Decode reads an EOF packet.
func (e *EOF) Decode(data []byte) error {
	*e = EOF{}
	if len(data) < 5 || data[0] != HeaderEOF {
		return malformed("EOF packet", "too short or wrong header")
	}
	e.Warnings = binary.LittleEndian.Uint16(data[1:])
	e.Status = Status(binary.LittleEndian.Uint16(data[3:]))
	return nil
}
