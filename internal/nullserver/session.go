package nullserver

import (
	"encoding/binary"
	"slices"

	"deltabench/internal/wire"
)

// session is the protocol state of a connection of the fast server: bytes in, replies out, no sockets.
type session struct {
	shelf   *shelf
	offered wire.Capability
	reply   func([]byte)          // takes a reply to a statement, which never changes
	control func([]byte)          // takes any other reply, valid during the call
	queries func()                // counts a statement
	login   bool                  // the client is logged in
	ended   bool                  // the connection is to be closed
	variant variant               // of text replies
	caps    wire.Capability       //
	stmts   []*canned             // statement id-1; nil: closed
	free    []uint32              // ids of closed statements
	in      []byte                // an incomplete short packet, with its header
	long    bool                  // within a packet longer than shortPacket
	left    int                   // bytes of the current fragment of the long packet
	more    bool                  // another fragment follows
	header  [wire.HeaderSize]byte // of the next fragment, as far as it came
	headerN int
	longSeq byte
	seq     byte // of the current command's last fragment
}

const (
	shortPacket   = 32 << 10 // longer ones are not kept whole
	longHead      = 4 << 10  // what is kept of those: enough to see what statement it is
	maxStatements = 1 << 16
)

// feed takes bytes as they come.
func (s *session) feed(data []byte) {
	for len(data) > 0 && !s.ended {
		if s.long {
			data = s.feedLong(data)
			continue
		}
		if len(s.in) > 0 {
			// Complete the header, then the packet.
			if n := wire.HeaderSize - len(s.in); n > 0 {
				n = min(n, len(data))
				s.in, data = append(s.in, data[:n]...), data[n:]
				if len(s.in) < wire.HeaderSize {
					return
				}
			}
			n := packetLen(s.in)
			if n > shortPacket {
				s.startLong(n, s.in[3])
				continue
			}
			need := min(wire.HeaderSize+n-len(s.in), len(data))
			s.in, data = append(s.in, data[:need]...), data[need:]
			if len(s.in) < wire.HeaderSize+n {
				return
			}
			packet := s.in
			s.in = s.in[:0]
			s.packet(packet[3], packet[wire.HeaderSize:])
			continue
		}
		if len(data) < wire.HeaderSize {
			s.in = append(s.in, data...)
			return
		}
		n := packetLen(data)
		if n > shortPacket {
			seq := data[3]
			data = data[wire.HeaderSize:]
			s.startLong(n, seq)
			continue
		}
		if len(data) < wire.HeaderSize+n {
			s.in = append(s.in, data...)
			return
		}
		s.packet(data[3], data[wire.HeaderSize:wire.HeaderSize+n])
		data = data[wire.HeaderSize+n:]
	}
}

func packetLen(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }

func (s *session) startLong(n int, seq byte) {
	s.long, s.left, s.more, s.longSeq = true, n, n == wire.MaxFragment, seq
	s.in, s.headerN = s.in[:0], 0
}

// feedLong consumes data of a long packet and returns the rest.
func (s *session) feedLong(data []byte) []byte {
	n := min(s.left, len(data))
	keep := min(n, longHead-min(len(s.in), longHead))
	s.in = append(s.in, data[:keep]...)
	s.left -= n
	data = data[n:]
	if s.left > 0 {
		return data
	}
	if s.more {
		n = copy(s.header[s.headerN:], data)
		s.headerN += n
		data = data[n:]
		if s.headerN < wire.HeaderSize {
			return data
		}
		s.left, s.headerN, s.longSeq = packetLen(s.header[:]), 0, s.header[3]
		s.more = s.left == wire.MaxFragment
		if s.left > 0 {
			return data
		}
	}
	s.long = false
	head := s.in
	s.in = s.in[:0]
	s.packet(s.longSeq, head)
	return data
}

// packet takes one packet, of a long one only the head. seq is the sequence number of its last fragment.
func (s *session) packet(seq byte, p []byte) {
	if !s.login {
		s.handshake(seq, p)
		return
	}
	s.seq = seq
	if len(p) == 0 {
		s.ended = true
		return
	}
	switch wire.Command(p[0]) {
	case wire.ComStmtExecute:
		if len(p) < 10 {
			s.error(1835, "HY000", "Malformed communication packet")
			return
		}
		id := binary.LittleEndian.Uint32(p[1:]) - 1
		if id == 0xfffffffe { // the last one prepared
			id = uint32(len(s.stmts)) - 1
		}
		if id >= uint32(len(s.stmts)) || s.stmts[id] == nil {
			s.error(1243, "HY000", "Unknown prepared statement handler")
			return
		}
		s.queries()
		s.reply(s.numbered(s.stmts[id].packets(s.variant | variantBinary)))
	case wire.ComQuery:
		s.queries()
		s.reply(s.numbered(s.shelf.answer(p[1:]).packets(s.variant)))
	case wire.ComStmtPrepare:
		s.prepare(p[1:])
	case wire.ComStmtClose:
		if len(p) >= 5 {
			if id := binary.LittleEndian.Uint32(p[1:]) - 1; id < uint32(len(s.stmts)) && s.stmts[id] != nil {
				s.stmts[id] = nil
				s.free = append(s.free, id)
			}
		}
	case wire.ComStmtSendLongData:
	case wire.ComQuit:
		s.ended = true
	case wire.ComResetConnection:
		s.stmts, s.free = nil, nil
		s.control(s.numbered(s.shelf.ok.packets(s.variant)))
	case wire.ComPing, wire.ComInitDB, wire.ComStmtReset, wire.ComSetOption:
		s.control(s.numbered(s.shelf.ok.packets(s.variant)))
	default:
		s.error(1047, "08S01", "Unknown command")
	}
}

// numbered returns canned packets with the sequence numbers for the current command. They are right as they are for
// commands of one fragment, that is, of less than 16 MiB.
func (s *session) numbered(b []byte) []byte {
	if s.seq == 0 {
		return b
	}
	b = slices.Clone(b)
	shiftSequence(b, s.seq)
	return b
}

func (s *session) prepare(sql []byte) {
	if len(s.stmts)-len(s.free) >= maxStatements {
		s.error(1461, "42000", "Can't create more than max_prepared_stmt_count statements (current value: 65536)")
		return
	}
	c := s.shelf.answer(sql)
	var id uint32
	if n := len(s.free); n > 0 {
		id, s.free = s.free[n-1], s.free[:n-1]
		s.stmts[id] = c
	} else {
		id = uint32(len(s.stmts))
		s.stmts = append(s.stmts, c)
	}
	e := encoder{caps: s.caps, seq: s.seq + 1, status: wire.StatusAutocommit}
	e.prepared(id+1, params(sql), c.reply.Columns)
	s.control(e.dst)
}

func (s *session) error(code uint16, state, message string) {
	e := encoder{seq: s.seq + 1}
	e.err(&wire.ERR{Code: code, State: state, Message: message})
	s.control(e.dst)
}

// handshake takes the client's response to the greeting: whoever it is may come in.
func (s *session) handshake(seq byte, p []byte) {
	var h wire.HandshakeResponse
	tls, err := h.Decode(p)
	if err != nil || tls {
		e := encoder{seq: seq + 1}
		e.err(&wire.ERR{Code: 1043, State: "08S01", Message: "Bad handshake"})
		s.control(e.dst)
		s.ended = true
		return
	}
	s.login = true
	s.caps = h.Capabilities & s.offered
	s.variant = variantOf(s.caps)
	e := encoder{caps: s.caps, seq: seq + 1, status: wire.StatusAutocommit}
	e.ok(wire.OK{}, wire.HeaderOK)
	s.control(e.dst)
}
