package nullserver

import (
	"crypto/tls"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"time"

	"deltabench/internal/wire"
)

// conn is one connection of a Server, served by one goroutine.
type conn struct {
	server *Server
	raw    *rawConn
	stream io.ReadWriter // raw, or TLS or compression over it
	number uint32
	gone   chan struct{} // closed by close
	once   sync.Once

	seq     byte // sequence number of the next packet in the login
	login   Login
	tls     *tls.Conn // nil: none
	caps    wire.Capability
	status  wire.Status
	db      string
	noMeta  bool // SET resultset_metadata='NONE'
	count   uint64
	stmts   map[uint32]*stmt
	last    uint32 // id of the last prepared statement
	out     []byte
	replied bool // the current command got a reply
	failed  bool // and it was an error
}

// stmt is a prepared statement.
type stmt struct {
	sql     string
	params  int
	columns []wire.Column // as the client knows them
	exec    wire.Execute
	long    map[int][]byte // values sent as long data
}

func newConn(s *Server, nc net.Conn, number uint32) *conn {
	raw := &rawConn{Conn: nc}
	return &conn{
		server: s, raw: raw, stream: raw, number: number, gone: make(chan struct{}), status: wire.StatusAutocommit,
		stmts: map[uint32]*stmt{},
	}
}

// close may be called from any goroutine.
func (c *conn) close(reset bool) {
	c.once.Do(func() {
		close(c.gone)
		if t, ok := c.raw.Conn.(*net.TCPConn); ok && reset {
			_ = t.SetLinger(0) // else it is closed in the usual way
		}
		c.raw.Close()
	})
}

// serve runs the connection from greeting to end.
func (c *conn) serve() {
	defer c.close(false)
	if !c.server.gate.pass(c.gone) {
		return
	}
	if err := c.logIn(); err != nil {
		return
	}
	r := wire.NewReader(c.stream, maxPacket)
	for {
		r.Seq = 0
		p, err := r.Next()
		arrived := c.server.Now()
		if err != nil {
			c.readError(err, r.Seq)
			return
		}
		if len(p) == 0 || wire.Command(p[0]) == wire.ComQuit {
			return
		}
		c.count++
		q := &Query{Connection: c.number, Number: c.count, Command: wire.Command(p[0]), User: c.login.User, Arrived: arrived}
		c.replied, c.failed = false, false
		fault, ok := c.command(q, p, r.Seq)
		rec := Record{c.number, c.count, q.Command, q.SQL, arrived, 0, fault}
		if c.replied {
			rec.Replied = c.server.Now()
		}
		c.server.record(rec, c.failed)
		if !ok {
			return
		}
		r.Release()
	}
}

// readError answers what can be answered before the connection is closed.
func (c *conn) readError(err error, seq byte) {
	var tooLarge *wire.TooLargeError
	var order *wire.SequenceError
	e := encoder{caps: c.caps, seq: seq}
	switch {
	case errors.As(err, &tooLarge):
		e.err(&wire.ERR{Code: 1153, State: "08S01", Message: "Got a packet bigger than 'max_allowed_packet' bytes"})
	case errors.As(err, &order):
		e.err(&wire.ERR{Code: 1156, State: "08S01", Message: "Got packets out of order"})
	default:
		return
	}
	_, _ = c.stream.Write(e.dst) // the connection ends anyway
}

// command executes one command and sends its reply. ok is false when the connection is to end.
func (c *conn) command(q *Query, p []byte, seq byte) (f FaultKind, ok bool) {
	e := &encoder{caps: c.caps, seq: seq, status: c.status, dst: c.out[:0]}
	if c.server.opts.SessionTrack {
		e.track = c.track()
	}
	if !c.execute(q, p, e) {
		return FaultNone, true // no reply to this one
	}
	ok, f = c.reply(q, e)
	if cap(e.dst) <= 1<<20 {
		c.out = e.dst
	}
	return f, ok
}

// track is a change of session state: the current schema.
func (c *conn) track() []byte {
	name := wire.AppendString(nil, c.db)
	const schema = 1 // SESSION_TRACK_SCHEMA
	return wire.AppendBytes([]byte{schema}, name)
}

// execute builds the reply to a command. It returns false when there is none.
func (c *conn) execute(q *Query, p []byte, e *encoder) bool {
	body := p[1:]
	switch q.Command {
	case wire.ComQuery:
		text, err := wire.QueryText(body, c.caps)
		if err != nil {
			c.malformed(e)
			return true
		}
		q.SQL = string(text)
		c.session(q.SQL)
		c.result(q, e, c.server.handler(q), false, !c.noMeta)
	case wire.ComStmtPrepare:
		q.SQL = string(body)
		c.prepare(q, e)
	case wire.ComStmtExecute:
		c.executeStatement(q, e, body)
	case wire.ComStmtSendLongData:
		c.longData(q, body)
		return false
	case wire.ComStmtClose:
		if len(body) >= 4 {
			id := binary.LittleEndian.Uint32(body)
			if s := c.stmts[id]; s != nil {
				q.SQL = s.sql
			}
			delete(c.stmts, id)
		}
		return false
	case wire.ComStmtReset:
		s := c.statement(body)
		if s == nil {
			c.unknownStatement(e)
			return true
		}
		q.SQL, s.long = s.sql, nil
		e.ok(wire.OK{}, wire.HeaderOK)
	case wire.ComInitDB:
		q.SQL = string(body)
		c.db = q.SQL
		if c.server.opts.SessionTrack {
			e.track = c.track()
		}
		e.ok(wire.OK{}, wire.HeaderOK)
	case wire.ComPing:
		e.ok(wire.OK{}, wire.HeaderOK)
	case wire.ComResetConnection:
		clear(c.stmts)
		c.noMeta = false
		e.ok(wire.OK{}, wire.HeaderOK)
	case wire.ComSetOption:
		if c.caps.Has(wire.DeprecateEOF) {
			e.ok(wire.OK{}, wire.HeaderEOF)
		} else {
			e.eof(0)
		}
	case wire.ComStatistics:
		e.packet(func(b []byte) []byte { return append(b, "Uptime: 1  Threads: 1  Questions: 1"...) })
	case wire.ComChangeUser:
		return c.changeUser(q, e, body)
	default:
		c.error(e, 1047, "08S01", "Unknown command")
	}
	return true
}

func (c *conn) error(e *encoder, code uint16, state, message string) {
	c.failed = true
	e.err(&wire.ERR{Code: code, State: state, Message: message})
}

func (c *conn) malformed(e *encoder) { c.error(e, 1835, "HY000", "Malformed communication packet") }

func (c *conn) unknownStatement(e *encoder) {
	c.error(e, 1243, "HY000", "Unknown prepared statement handler")
}

// session follows the statements that matter to the protocol.
func (c *conn) session(sql string) {
	if !c.caps.Has(wire.OptionalResultsetMetadata) {
		return
	}
	if low := strings.ToLower(sql); strings.HasPrefix(low, "set ") && strings.Contains(low, "resultset_metadata") {
		c.noMeta = strings.Contains(low, "none")
	}
}

// result appends a handler's reply; nil is OK.
func (c *conn) result(q *Query, e *encoder, r *Reply, binary, metadata bool) {
	if r == nil {
		r = &Reply{}
	}
	for next := r; next != nil; next = next.Next {
		c.failed = c.failed || next.Err != nil
	}
	start, seq := len(e.dst), e.seq
	if err := e.reply(r, binary, metadata); err != nil {
		e.dst, e.seq = e.dst[:start], seq
		c.error(e, 1105, "HY000", "nullserver: "+err.Error())
	}
}

func (c *conn) prepare(q *Query, e *encoder) {
	r := c.server.handler(q)
	if r == nil {
		r = &Reply{}
	}
	if r.Err != nil || r.Raw != nil {
		c.result(q, e, &Reply{Err: r.Err, Raw: r.Raw}, false, true)
		return
	}
	if len(c.stmts) >= maxStatements {
		c.error(e, 1461, "42000", "Can't create more than max_prepared_stmt_count statements (current value: 65536)")
		return
	}
	c.last++
	s := &stmt{sql: q.SQL, params: params([]byte(q.SQL)), columns: r.Columns}
	if s.params > 65535 {
		c.error(e, 1390, "HY000", "Prepared statement contains too many placeholders")
		return
	}
	c.stmts[c.last] = s
	e.prepared(c.last, s.params, s.columns)
}

// statement finds the statement whose id starts body.
func (c *conn) statement(body []byte) *stmt {
	if len(body) < 4 {
		return nil
	}
	id := binary.LittleEndian.Uint32(body)
	if id == 0xffffffff { // MariaDB: the last one prepared
		id = c.last
	}
	return c.stmts[id]
}

func (c *conn) executeStatement(q *Query, e *encoder, body []byte) {
	s := c.statement(body)
	if s == nil {
		c.unknownStatement(e)
		return
	}
	q.SQL = s.sql
	long := func(i int) bool { _, is := s.long[i]; return is }
	if err := s.exec.Decode(body, s.params, c.caps, long); err != nil {
		c.malformed(e)
		return
	}
	q.Args = s.exec.Args
	for i, v := range s.long {
		if i < len(q.Args) {
			q.Args[i] = v
		}
	}
	s.long = nil
	r := c.server.handler(q)
	metadata := !c.noMeta
	if c.caps.Has(wire.MariaDBCacheMetadata) && r != nil && r.Next == nil {
		metadata = !sameColumns(r.Columns, s.columns)
		s.columns = r.Columns
	}
	c.result(q, e, r, true, metadata)
}

func sameColumns(a, b []wire.Column) bool {
	if len(a) != len(b) {
		return false
	}
	var x, y []byte
	for i := range a {
		x, y = a[i].Append(x[:0]), b[i].Append(y[:0])
		if string(x) != string(y) {
			return false
		}
	}
	return true
}

func (c *conn) longData(q *Query, body []byte) {
	s := c.statement(body)
	if s == nil || len(body) < 6 {
		return // by the protocol there is no reply; the execution fails
	}
	q.SQL = s.sql
	i := int(binary.LittleEndian.Uint16(body[4:]))
	if i >= s.params || len(s.long[i])+len(body) > maxPacket {
		return
	}
	if s.long == nil {
		s.long = map[int][]byte{}
	}
	s.long[i] = append(s.long[i], body[6:]...)
}

// reply sends what e holds: after the delay, outside of stalls, and as the fault spoils it. ok is false when the
// connection is to end.
func (c *conn) reply(q *Query, e *encoder) (ok bool, kind FaultKind) {
	if !c.wait(q) || !c.server.gate.pass(c.gone) {
		return false, FaultNone
	}
	var f Fault
	if c.server.opts.Fault != nil {
		f = c.server.opts.Fault(q)
	}
	b := e.dst
	switch f.Kind {
	case FaultClose:
		c.close(f.Reset)
		return false, f.Kind
	case FaultSilence:
		return true, f.Kind
	case FaultCut:
		n := f.N
		if n <= 0 {
			n = len(b) / 2
		}
		_, _ = c.stream.Write(b[:min(n, len(b))]) // it ends anyway
		c.close(f.Reset)
		return false, f.Kind
	case FaultGarbage:
		b = garbage(q, f.N)
	case FaultSequence:
		shiftSequence(b, byte(max(f.N, 1)))
	case FaultLength:
		b = []byte{0xfe, 0xff, 0xff, 1}
	case FaultSplit:
		c.raw.split, c.raw.pause = true, f.Pause
	}
	_, err := c.stream.Write(b)
	c.raw.split = false
	c.replied = err == nil
	if f.Kind == FaultHangUp {
		c.close(f.Reset)
		return false, f.Kind
	}
	return err == nil, f.Kind
}

// wait lets the delay of q pass. It returns false when the connection has ended meanwhile.
func (c *conn) wait(q *Query) bool {
	var d time.Duration
	o := &c.server.opts
	switch {
	case o.DelayFunc != nil:
		d = o.DelayFunc(q)
	case q.Command == wire.ComQuery || q.Command == wire.ComStmtExecute:
		d = o.Delay
		if o.Jitter > 0 {
			d += rand.N(o.Jitter)
		}
	}
	if d <= 0 {
		return true
	}
	t := time.NewTimer(d - time.Duration(c.server.Now()-q.Arrived))
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-c.gone:
		return false
	case <-c.server.gate.closed:
		return false
	}
}

// garbage is n bytes, the same ones for the same command.
func garbage(q *Query, n int) []byte {
	if n <= 0 {
		n = 64
	}
	rng := rand.New(rand.NewPCG(uint64(q.Connection), q.Number))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return b
}

// shiftSequence adds n to the sequence number of each packet in b.
func shiftSequence(b []byte, n byte) {
	for len(b) >= wire.HeaderSize {
		b[3] += n
		b = b[min(wire.HeaderSize+packetLen(b), len(b)):]
	}
}

// rawConn is the connection itself, below TLS and compression.
type rawConn struct {
	net.Conn
	split bool
	pause time.Duration
}

func (r *rawConn) Write(b []byte) (int, error) {
	if !r.split {
		return r.Conn.Write(b)
	}
	for i := range b {
		if i > 0 && r.pause > 0 {
			time.Sleep(r.pause)
		}
		if _, err := r.Conn.Write(b[i : i+1]); err != nil {
			return i, err
		}
	}
	return len(b), nil
}
