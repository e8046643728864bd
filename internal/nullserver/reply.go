package nullserver

import (
	"fmt"
	"strconv"

	"deltabench/internal/wire"
)

// Reply is the answer to one statement. The zero value is an OK packet with no row affected.
type Reply struct {
	// OK is sent when there are neither Columns nor Err; its status and warnings also end result sets.
	OK wire.OK
	// Err is sent instead of all else. With Rows, it comes after them, where the end of the rows would be.
	Err *wire.ERR
	// Columns make the reply a result set, if only an empty one.
	Columns []wire.Column
	// Rows are in text form whatever the protocol; nil is NULL.
	Rows [][][]byte
	// Next is a further result of the same command (several statements in one text, procedures).
	Next *Reply
	// Raw are payloads of packets that are sent instead of all else, right or wrong.
	Raw [][]byte
}

// Affected is the reply of a statement that changed n rows.
func Affected(n uint64) *Reply { return &Reply{OK: wire.OK{Affected: n}} }

// Error is a reply with an error. state has five characters.
func Error(code uint16, state, message string) *Reply {
	return &Reply{Err: &wire.ERR{Code: code, State: state, Message: message}}
}

// Table is a result set. Values become text as fmt prints them, []byte as it is, and nil NULL.
func Table(columns []wire.Column, rows ...[]any) *Reply {
	r := &Reply{Columns: columns}
	for _, row := range rows {
		var texts [][]byte
		for _, v := range row {
			switch v := v.(type) {
			case nil:
				texts = append(texts, nil)
			case []byte:
				texts = append(texts, v)
			default:
				texts = append(texts, fmt.Append(nil, v))
			}
		}
		r.Rows = append(r.Rows, texts)
	}
	return r
}

// Column is the definition of a column such as a table of sysbench has them.
func Column(name string, t wire.Type) wire.Column {
	c := wire.Column{
		Schema: []byte("sbtest"), Table: []byte("sbtest1"), OrgTable: []byte("sbtest1"),
		Name: []byte(name), OrgName: []byte(name), Charset: wire.CharsetBinary, Type: t,
	}
	switch t {
	case wire.TypeLong:
		c.Length, c.Flags = 11, wire.FlagNotNull|wire.FlagNum
	case wire.TypeLongLong:
		c.Length, c.Flags = 21, wire.FlagNotNull|wire.FlagNum|wire.FlagBinary
	case wire.TypeDouble:
		c.Length, c.Flags, c.Decimals = 22, wire.FlagNum|wire.FlagBinary, 31
	case wire.TypeFloat:
		c.Length, c.Flags, c.Decimals = 12, wire.FlagNum|wire.FlagBinary, 31
	case wire.TypeNewDecimal:
		c.Length, c.Flags = 32, wire.FlagNum|wire.FlagBinary
	case wire.TypeString, wire.TypeVarString:
		c.Length, c.Charset = 120, wire.CharsetUTF8MB4
	}
	return c
}

// paramColumn is what servers send for a parameter in reply to a prepare command.
var paramColumn = wire.Column{Name: []byte("?"), Charset: wire.CharsetBinary, Type: wire.TypeVarString, Flags: wire.FlagBinary}

// encoder builds the packets of a reply.
type encoder struct {
	caps wire.Capability
	dst  []byte
	seq  byte // of the next packet
	// status is or-ed into each OK and EOF packet.
	status wire.Status
	// track are the session changes of the last OK packet.
	track []byte
}

// packet appends a packet whose payload is made by fill.
func (e *encoder) packet(fill func([]byte) []byte) {
	start := len(e.dst)
	e.dst = fill(wire.BeginPacket(e.dst))
	e.dst, e.seq = wire.FinishPacket(e.dst, start, e.seq)
}

func (e *encoder) ok(ok wire.OK, header byte) {
	ok.Status |= e.status
	if len(e.track) > 0 {
		ok.Status |= wire.StatusSessionState
	}
	e.packet(func(b []byte) []byte { return ok.Append(b, header, e.caps, e.track) })
}

func (e *encoder) err(err *wire.ERR) { e.packet(err.Append) }

// eof ends columns; nothing is sent under DeprecateEOF.
func (e *encoder) eof(status wire.Status) {
	if e.caps.Has(wire.DeprecateEOF) {
		return
	}
	f := wire.EOF{Status: status | e.status}
	e.packet(f.Append)
}

// columns appends definitions and what ends them.
func (e *encoder) columns(columns []wire.Column) {
	for i := range columns {
		e.packet(columns[i].Append)
	}
	e.eof(0)
}

// reply appends r. binary is the protocol of prepared statements; metadata says whether column definitions are
// sent, which is up to the server only with capabilities that allow to leave them out.
func (e *encoder) reply(r *Reply, binary, metadata bool) error {
	for ; r != nil; r = r.Next {
		if r.Raw != nil {
			for _, p := range r.Raw {
				e.packet(func(b []byte) []byte { return append(b, p...) })
			}
			return nil
		}
		if r.Err != nil && len(r.Rows) == 0 {
			e.err(r.Err)
			return nil
		}
		ok := r.OK
		if r.Next != nil {
			ok.Status |= wire.StatusMoreResults
		}
		if r.Columns == nil {
			e.ok(ok, wire.HeaderOK)
			continue
		}
		e.packet(func(b []byte) []byte { return wire.AppendResultHeader(b, len(r.Columns), e.caps, metadata) })
		if metadata {
			for i := range r.Columns {
				e.packet(r.Columns[i].Append)
			}
		}
		e.eof(ok.Status)
		for i, row := range r.Rows {
			if err := e.row(r.Columns, row, binary); err != nil {
				return fmt.Errorf("row %d: %w", i, err)
			}
		}
		if r.Err != nil {
			e.err(r.Err)
			return nil
		}
		if e.caps.Has(wire.DeprecateEOF) {
			e.ok(ok, wire.HeaderEOF)
		} else {
			f := wire.EOF{Status: ok.Status | e.status, Warnings: ok.Warnings}
			e.packet(f.Append)
		}
	}
	return nil
}

func (e *encoder) row(columns []wire.Column, row [][]byte, binary bool) error {
	if len(row) != len(columns) {
		return fmt.Errorf("%d values for %d columns", len(row), len(columns))
	}
	var err error
	e.packet(func(b []byte) []byte {
		if !binary {
			for _, v := range row {
				b = wire.AppendText(b, v)
			}
			return b
		}
		var out []byte
		if out, err = wire.AppendBinaryRow(b, columns, row); err != nil {
			return b
		}
		return out
	})
	return err
}

// prepared appends the reply to a prepare command.
func (e *encoder) prepared(id uint32, params int, columns []wire.Column) {
	ok := wire.PrepareOK{ID: id, Columns: uint16(len(columns)), Params: uint16(params)}
	e.packet(func(b []byte) []byte {
		b = ok.Append(b)
		if e.caps.Has(wire.OptionalResultsetMetadata) {
			b = append(b, 1)
		}
		return b
	})
	if params > 0 {
		for range params {
			e.packet(paramColumn.Append)
		}
		e.eof(0)
	}
	if len(columns) > 0 {
		e.columns(columns)
	}
}

func itoa(n int) []byte { return strconv.AppendInt(nil, int64(n), 10) }
