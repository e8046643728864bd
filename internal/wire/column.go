package wire

import "encoding/binary"

// Column is a column definition (Protocol::ColumnDefinition41).
type Column struct {
	Schema   []byte
	Table    []byte // alias
	OrgTable []byte
	Name     []byte // alias
	OrgName  []byte
	Charset  uint16
	Length   uint32 // largest display length
	Type     Type
	Flags    ColumnFlag
	Decimals byte // digits after the point; 31: as many as there are
}

// columnFixed is the length of the fields after the names.
const columnFixed = 12

// Decode reads a column definition. Byte slices are parts of data; Clone makes it independent.
func (c *Column) Decode(data []byte, caps Capability) error {
	const packet = "column definition"
	*c = Column{}
	_, rest, ok := String(data) // catalog, always "def"
	if !ok {
		return malformed(packet, "catalog")
	}
	for _, f := range []*[]byte{&c.Schema, &c.Table, &c.OrgTable, &c.Name, &c.OrgName} {
		if *f, rest, ok = String(rest); !ok {
			return malformed(packet, "names")
		}
	}
	if caps.Has(MariaDBExtendedTypeInfo) {
		if _, rest, ok = String(rest); !ok {
			return malformed(packet, "extended type")
		}
	}
	n, rest, ok := Int(rest)
	if !ok || n < columnFixed-2 || uint64(len(rest)) < n {
		return malformed(packet, "fixed fields")
	}
	c.Charset = binary.LittleEndian.Uint16(rest)
	c.Length = binary.LittleEndian.Uint32(rest[2:])
	c.Type = Type(rest[6])
	c.Flags = ColumnFlag(binary.LittleEndian.Uint16(rest[7:]))
	c.Decimals = rest[9]
	return nil
}

// Clone returns a copy that does not refer to the packet.
func (c *Column) Clone() Column {
	d := *c
	all := make([]byte, 0, len(c.Schema)+len(c.Table)+len(c.OrgTable)+len(c.Name)+len(c.OrgName))
	for _, f := range []*[]byte{&d.Schema, &d.Table, &d.OrgTable, &d.Name, &d.OrgName} {
		start := len(all)
		all = append(all, *f...)
		*f = all[start:len(all):len(all)]
	}
	return d
}

// Append appends the definition, without the extended type information of MariaDB.
func (c *Column) Append(dst []byte) []byte {
	dst = AppendString(dst, "def")
	for _, f := range [][]byte{c.Schema, c.Table, c.OrgTable, c.Name, c.OrgName} {
		dst = AppendBytes(dst, f)
	}
	dst = append(dst, columnFixed)
	dst = binary.LittleEndian.AppendUint16(dst, c.Charset)
	dst = binary.LittleEndian.AppendUint32(dst, c.Length)
	dst = append(dst, byte(c.Type))
	dst = binary.LittleEndian.AppendUint16(dst, uint16(c.Flags))
	return append(dst, c.Decimals, 0, 0)
}
