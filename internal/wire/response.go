package wire

import "encoding/binary"

// Event says what a packet of a response is.
type Event uint8

// Events.
const (
	EventOK       Event = iota // an OK packet: a statement without rows has ended
	EventError                 // an ERR packet; the response is complete
	EventColumns               // a result set begins; Response.Columns is set
	EventColumn                // a column definition
	EventEOF                   // the EOF packet after column definitions
	EventRow                   // a row
	EventRowsEnd               // the end of a result set
	EventLocalInf              // the server asks for a local file
)

// state is what the next packet of a response may be.
type state uint8

const (
	stateFirst state = iota
	stateColumns
	stateColumnsEOF
	stateRows
	stateDone
)

// Response follows a server's response to a command (COM_QUERY, COM_STMT_EXECUTE and those answered by one OK
// packet) packet by packet, without keeping any of it. The zero value is not usable; call Start.
type Response struct {
	Columns int    // of the current result set
	Rows    int64  // of the current result set, so far
	Status  Status // of the last OK or EOF packet that ended a result
	// MetadataFollows is false when the server left column definitions out (MariaDBCacheMetadata,
	// OptionalResultsetMetadata).
	MetadataFollows bool

	caps  Capability
	state state
	left  int // column definitions to come
}

// Start begins a response on a connection with the given capabilities.
func (r *Response) Start(caps Capability) { *r = Response{caps: caps} }

// Done reports whether the response is complete, that is without further results to come.
func (r *Response) Done() bool { return r.state == stateDone }

// InRows reports whether the next packet is a row or the end of rows: column definitions, if any, have been read.
func (r *Response) InRows() bool { return r.state == stateRows }

// Next says what packet is.
func (r *Response) Next(packet []byte) (Event, error) {
	if len(packet) == 0 {
		// An empty packet can only be a row of no columns, which no server sends.
		return 0, malformed("response", "empty packet")
	}
	if packet[0] == HeaderERR && r.state != stateDone {
		r.state = stateDone
		return EventError, nil
	}
	switch r.state {
	case stateRows:
		if packet[0] != HeaderEOF || len(packet) >= MaxFragment {
			r.Rows++
			return EventRow, nil
		}
		if !r.caps.Has(DeprecateEOF) {
			if len(packet) >= 9 {
				r.Rows++
				return EventRow, nil
			}
			if len(packet) < 5 {
				return 0, malformed("EOF packet", "too short")
			}
			r.end(Status(binary.LittleEndian.Uint16(packet[3:])))
			return EventRowsEnd, nil
		}
		var ok OK
		if err := ok.Decode(packet, r.caps); err != nil {
			return 0, err
		}
		r.end(ok.Status)
		return EventRowsEnd, nil
	case stateFirst:
		return r.first(packet)
	case stateColumns:
		r.left--
		if r.left == 0 {
			r.columnsEnd()
		}
		return EventColumn, nil
	case stateColumnsEOF:
		if !IsEOF(packet) || len(packet) < 5 {
			return 0, malformed("result set", "no EOF packet after the column definitions")
		}
		r.state = stateRows
		return EventEOF, nil
	}
	return 0, malformed("response", "a packet after its end")
}

func (r *Response) first(packet []byte) (Event, error) {
	if r.caps.Has(OptionalResultsetMetadata) && packet[0] <= 1 && len(packet) < shortestOK {
		// A flag comes before the column count. When it is 0, the packet looks like an OK packet but for its length.
		return r.columns(packet[1:], packet[0] != 0)
	}
	switch packet[0] {
	case HeaderOK:
		var ok OK
		if err := ok.Decode(packet, r.caps); err != nil {
			return 0, err
		}
		r.end(ok.Status)
		return EventOK, nil
	case HeaderLocalInfile:
		return EventLocalInf, nil
	}
	if r.caps.Has(OptionalResultsetMetadata) {
		return 0, malformed("result set", "metadata flag")
	}
	return r.columns(packet, true)
}

// shortestOK is the length of an OK packet with small numbers and without message.
const shortestOK = 7

// columns begins a result set with its column count; follows is what a flag before it said.
func (r *Response) columns(packet []byte, follows bool) (Event, error) {
	n, rest, ok := Int(packet)
	if !ok || n == 0 || n > 1<<16 {
		return 0, malformed("result set", "column count")
	}
	r.Columns, r.Rows = int(n), 0
	r.MetadataFollows = follows
	if r.caps.Has(MariaDBCacheMetadata) {
		if len(rest) != 1 {
			return 0, malformed("result set", "metadata flag")
		}
		r.MetadataFollows = rest[0] != 0
	} else if len(rest) != 0 {
		return 0, malformed("result set", "bytes after the column count")
	}
	r.left = int(n)
	r.state = stateColumns
	if !r.MetadataFollows {
		r.left = 0
		r.columnsEnd()
	}
	return EventColumns, nil
}

// columnsEnd leaves the column definitions.
func (r *Response) columnsEnd() {
	r.state = stateColumnsEOF
	if r.caps.Has(DeprecateEOF) {
		r.state = stateRows
	}
}

// end leaves a result.
func (r *Response) end(s Status) {
	r.Status = s
	r.state = stateDone
	if s&StatusMoreResults != 0 {
		r.state = stateFirst
	}
}
