package mysql

import (
	"fmt"
	"math"
	"strconv"

	"deltabench/internal/measure"
	"deltabench/internal/sqldb"
	"deltabench/internal/wire"
)

// errUnsupportedPS is the server's error for statements that cannot be prepared.
const errUnsupportedPS = 1295

// preparedText is what scripts are told as the text of a prepared statement.
const preparedText = "<prepared statement>"

// stmt is the sqldb.Stmt: a statement prepared by the server, or put together here.
type stmt struct {
	c        *conn
	text     string
	kind     measure.Kind
	params   []wire.Param
	count    int  // of the parameters that the server wants
	unbound  bool // count is not known before the server tells it, and parameters are missing
	id       uint32
	emulated bool
	typed    bool // the server knows the parameters' types
	closed   bool
	buf      []byte // text of the emulated statement
}

// Prepare implements sqldb.Conn. Failures are not counted and never ignored, as in sysbench.
func (c *conn) Prepare(text string, kind measure.Kind, params ...sqldb.ParamType) (sqldb.Stmt, error) {
	if c.closed {
		return nil, errClosed
	}
	s := &stmt{c: c, text: text, kind: kind, params: newParams(params), count: len(params)}
	if err := s.first(); err != nil {
		return nil, err
	}
	return s, nil
}

// first prepares the statement for the first time.
func (s *stmt) first() error {
	c := s.c
	if c.d.cfg.PSEmulate {
		s.emulated = true
		return nil
	}
	c.step(sqldb.StepPrepare)
	if err := s.prepare(); err != nil {
		return c.prepareFailed(err)
	}
	c.stmts = append(c.stmts, s)
	return nil
}

// newParams returns parameters that are NULL.
func newParams(types []sqldb.ParamType) []wire.Param {
	if len(types) == 0 {
		return nil
	}
	p := make([]wire.Param, len(types))
	for i, t := range types {
		p[i].Null = true
		switch t {
		case sqldb.IntParam:
			p[i].Type = wire.TypeLongLong
		case sqldb.DoubleParam:
			p[i].Type = wire.TypeDouble
		case sqldb.StringParam:
			p[i].Type = wire.TypeVarString
		default:
			panic(fmt.Sprintf("mysql: parameter type %d is unknown", t))
		}
	}
	return p
}

// wrongParams is a statement with another number of parameters than announced.
type wrongParams struct{ got, want int }

func (e *wrongParams) Error() string {
	return fmt.Sprintf("statement has %d parameters, not %d", e.want, e.got)
}

// prepareFailed logs that a statement could not be prepared, in sysbench's words.
func (c *conn) prepareFailed(err error) error {
	if interrupted(err) {
		return sqldb.ErrInterrupted
	}
	if w, ok := err.(*wrongParams); ok {
		c.d.cfg.Log.Fatalf("Wrong number of parameters to mysql_stmt_bind_param")
		return apiError(w)
	}
	e := asError(err)
	c.d.cfg.Log.Fatalf("mysql_stmt_prepare() failed")
	c.d.cfg.Log.Fatalf(`MySQL error: %d "%s"`, e.Code, e.Message)
	return apiError(e)
}

// prepareAgain prepares all statements after a reconnect.
func (c *conn) prepareAgain() error {
	for _, s := range c.stmts {
		if err := s.prepare(); err != nil {
			return err
		}
	}
	return nil
}

// prepare prepares the statement on the server. The error is a *sqldb.Error, sqldb.ErrInterrupted or *wrongParams.
func (s *stmt) prepare() error {
	c := s.c
	s.typed = false
	if s.emulated {
		return nil
	}
	c.debugf("mysql_stmt_init(%p) = %p", c, s)
	if c.pending() {
		return outOfSync()
	}
	packet := append(c.begin(), byte(wire.ComStmtPrepare))
	packet = append(packet, s.text...)
	if err := c.send(packet); err != nil {
		return err
	}
	packet, err := c.next()
	if err != nil {
		return err
	}
	if c.d.cfg.Debug {
		c.debugf(`mysql_stmt_prepare(%p, "%s", %d) = %p`, s, s.text, len(s.text), s)
	}
	if len(packet) > 0 && packet[0] == wire.HeaderERR {
		err := c.serverError(packet)
		c.rd.Release()
		code := asError(err).Code
		c.debugf("mysql_errno(%p) = %d", c, code)
		if code == errUnsupportedPS {
			s.emulated = true
			return nil
		}
		return err
	}
	var ok wire.PrepareOK
	if err := ok.Decode(packet); err != nil {
		return c.broken(err)
	}
	for n := ok.Following(c.caps); n > 0; n-- {
		if _, err := c.next(); err != nil {
			return err
		}
	}
	c.rd.Release()
	s.id = ok.ID
	if s.unbound {
		s.count = int(ok.Params)
	}
	if int(ok.Params) != s.count {
		s.closeOnServer()
		return &wrongParams{got: s.count, want: int(ok.Params)}
	}
	return nil
}

func (s *stmt) param(i int, t wire.Type) *wire.Param {
	p := &s.params[i]
	if p.Type != t {
		panic(fmt.Sprintf("mysql: parameter %d of %q is of another type", i, s.text))
	}
	p.Null = false
	return p
}

// SetInt implements sqldb.Stmt.
func (s *stmt) SetInt(i int, v int64) { s.param(i, wire.TypeLongLong).Bits = uint64(v) }

// SetDouble implements sqldb.Stmt.
func (s *stmt) SetDouble(i int, v float64) { s.param(i, wire.TypeDouble).Bits = math.Float64bits(v) }

// SetString implements sqldb.Stmt.
func (s *stmt) SetString(i int, v []byte) {
	p := s.param(i, wire.TypeVarString)
	p.Bytes = append(p.Bytes[:0], v...)
}

// SetNull implements sqldb.Stmt.
func (s *stmt) SetNull(i int) { s.params[i].Null = true }

// Execute implements sqldb.Stmt.
func (s *stmt) Execute() (sqldb.Result, error) { return s.execute(nil) }

// execute executes the statement. store keeps its results, if not nil.
func (s *stmt) execute(store *sqldb.Rows) (sqldb.Result, error) {
	c := s.c
	if c.closed || s.closed {
		return sqldb.Result{}, errClosed
	}
	if s.emulated {
		s.buf = s.appendText(s.buf[:0])
		return c.query(string(s.buf), nil, store, s.kind)
	}
	start := c.started(s.kind)
	var res sqldb.Result
	var f failure
	switch {
	case c.pending():
		f.err = outOfSync()
	case s.unbound && s.count > 0:
		f.err = clientError(errNoData, "No data supplied for parameters in prepared statement")
	default:
		c.keep(store)
		packet := wire.AppendExecute(c.begin(), s.id, s.params, !s.typed)
		s.typed = true
		res, f, _ = c.exchange(packet, nil, store, true)
	}
	if c.d.cfg.Debug {
		s.debugExecute(&res, &f)
	}
	if f.err != nil {
		return sqldb.Result{}, c.failed(f, "mysql_stmt_execute", "mysql_stmt_store_result", s.text, preparedText)
	}
	c.finished(s.kind, start, res.Class)
	return res, nil
}

// appendText appends the statement with its parameters' values in the place of each ?, also of those within quotes,
// and without escaping strings: sysbench's emulation.
func (s *stmt) appendText(dst []byte) []byte {
	next := 0
	for i := range len(s.text) {
		if s.text[i] != '?' || next == len(s.params) {
			dst = append(dst, s.text[i])
			continue
		}
		p := &s.params[next]
		next++
		switch {
		case p.Null:
			dst = append(dst, "NULL"...)
		case p.Type == wire.TypeLongLong:
			dst = strconv.AppendInt(dst, int64(p.Bits), 10)
		case p.Type == wire.TypeDouble:
			dst = strconv.AppendFloat(dst, math.Float64frombits(p.Bits), 'f', 6, 64)
		default:
			dst = append(dst, '\'')
			dst = append(dst, p.Bytes...)
			dst = append(dst, '\'')
		}
	}
	return dst
}

// closeOnServer tells the server to forget the statement; there is no reply.
func (s *stmt) closeOnServer() {
	packet := append(s.c.begin(), byte(wire.ComStmtClose))
	packet = append(packet, byte(s.id), byte(s.id>>8), byte(s.id>>16), byte(s.id>>24))
	// A connection that is gone has no statement to forget, and the next call will say so.
	_ = s.c.send(packet)
}

// Close implements sqldb.Stmt.
func (s *stmt) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	c := s.c
	for i, o := range c.stmts {
		if o == s {
			c.stmts = append(c.stmts[:i], c.stmts[i+1:]...)
			break
		}
	}
	if s.emulated || c.closed || c.lost || c.cut {
		return nil
	}
	c.debugf("mysql_stmt_close(%p)", s)
	s.closeOnServer()
	return nil
}
