package mysql

import (
	"errors"
	"net"
	"time"

	"deltabench/internal/measure"
	"deltabench/internal/sqldb"
	"deltabench/internal/wire"
)

// retryEvery is the pause between attempts to connect again.
const retryEvery = time.Millisecond

// errClosed is the use of a connection or statement after Close: the workload's mistake.
var errClosed = apiError(errors.New("attempt to use an already closed connection"))

// conn is the sqldb.Conn. Its states: open (nc set), lost (the server is gone, only Reconnect helps), cut (a call was
// interrupted: bytes of a reply may still arrive, so nothing can be sent any more), closed.
type conn struct {
	d      *driver
	env    sqldb.Env
	stats  *measure.Thread
	target *target
	kind   measure.Kind

	raw       net.Conn // as dialled
	nc        net.Conn // raw, or TLS over it
	comp      *wire.Compressed
	rd        wire.Reader
	wr        wire.Writer
	resp      wire.Response
	caps      wire.Capability
	stmts     []*stmt
	cells     [][]byte    // of the current row
	infile    *infile     // what LoadInfile may send
	stored    *sqldb.Rows // of the last statement that was stored; nil without
	lost, cut bool
	closed    bool

	// For Transport.
	address, server, authMethod, tlsState string
	algorithm                             wire.Algorithm
}

// debugf logs a call of the client library.
func (c *conn) debugf(format string, args ...any) {
	if c.d.cfg.Debug {
		c.d.cfg.Log.Debugf(format, args...)
	}
}

// step tells whoever executes the thread how far it has come, if that is wanted.
func (c *conn) step(s sqldb.Step) {
	if e, ok := c.env.(sqldb.Stepper); ok {
		e.Step(s)
	}
}

// failure is an unsuccessful statement: what happened, and whether it did so among rows, which the client library
// reads in a call of its own.
type failure struct {
	err    error
	inRows bool
}

// begin starts a command packet.
func (c *conn) begin() []byte {
	c.wr.Seq = 0
	if c.comp != nil {
		c.comp.Seq = 0
	}
	return c.wr.Begin()
}

// send sends a command packet. The error is a *sqldb.Error or sqldb.ErrInterrupted.
func (c *conn) send(packet []byte) error {
	if c.lost {
		return clientError(errGone, "Server has gone away")
	}
	if c.cut {
		return sqldb.ErrInterrupted
	}
	if err := c.wr.Send(packet); err != nil {
		if interrupted(err) {
			c.cut = true
			return sqldb.ErrInterrupted
		}
		c.drop()
		return clientError(errGone, "Server has gone away")
	}
	c.rd.Seq = c.wr.Seq
	return nil
}

// next reads a packet of the reply. The error is a *sqldb.Error or sqldb.ErrInterrupted.
func (c *conn) next() ([]byte, error) {
	packet, err := c.rd.Next()
	if err == nil {
		return packet, nil
	}
	return nil, c.broken(err)
}

// broken ends the use of a connection whose reply could not be read or understood.
func (c *conn) broken(err error) error {
	err = readError(err)
	if err == sqldb.ErrInterrupted {
		c.cut = true
	} else {
		c.drop()
	}
	return err
}

// drop closes the connection without ceremony.
func (c *conn) drop() {
	if c.raw != nil {
		_ = c.raw.Close()
	}
	c.raw, c.nc, c.comp = nil, nil, nil
	c.rd.Reset(nil, 0)
	c.lost = true
}

// run sends a command packet and reads the whole reply. Only the first result is reported, as sysbench does;
// rows, when not nil, gets the rows of the first result set. An error of rows does not stop the reading, it is returned
// as rowsErr.
func (c *conn) run(packet []byte, rows sqldb.RowFunc) (res sqldb.Result, f failure, rowsErr error) {
	return c.exchange(packet, rows, nil, false)
}

// exchange is run that also keeps all results in store, if that is not nil; without their rows when these are binary. Then
// an error after the first result belongs to the results.
func (c *conn) exchange(packet []byte, rows sqldb.RowFunc, store *sqldb.Rows, binary bool) (res sqldb.Result, f failure, rowsErr error) {
	if err := c.send(packet); err != nil {
		return res, failure{err: err}, nil
	}
	if rows != nil {
		// The callback may wait, and the shared buffer would be overwritten meanwhile.
		c.rd.Pin(true)
		defer c.rd.Pin(false)
	}
	resp := &c.resp
	resp.Start(c.caps)
	for first := true; !resp.Done(); {
		inRows := resp.InRows()
		packet, err := c.rd.Next()
		var event wire.Event
		if err == nil {
			event, err = resp.Next(packet)
		}
		if err != nil {
			return res, failure{err: c.broken(err), inRows: inRows}, nil
		}
		switch event {
		case wire.EventRow:
			if store != nil && !binary {
				store.Row(packet)
			}
			if rows != nil && first && rowsErr == nil {
				if c.cells, err = wire.DecodeTextRow(packet, resp.Columns, c.cells); err != nil {
					return res, failure{err: c.broken(err), inRows: inRows}, nil
				}
				rowsErr = rows(c.cells)
			}
		case wire.EventColumns:
			if first {
				res.HasRows, res.Class = true, measure.Read
			}
			if store != nil {
				columns := resp.Columns
				if binary {
					columns = 0
				}
				store.Begin(sqldb.Result{HasRows: true, Class: measure.Read}, columns)
			}
		case wire.EventRowsEnd:
			if first {
				res.Rows = resp.Rows
			}
			if store != nil {
				store.End(resp.Rows)
			}
			first = false
		case wire.EventOK:
			if first || store != nil {
				r, err := c.decodeOK(packet)
				if err != nil {
					return res, failure{err: c.broken(err)}, nil
				}
				if first {
					res = r
				}
				if store != nil {
					store.Add(r)
				}
			}
			first = false
		case wire.EventError:
			err := c.serverError(packet)
			c.rd.Release()
			if store != nil && !first {
				store.Fail(asError(err))
				return res, failure{}, rowsErr
			}
			return res, failure{err: err, inRows: inRows}, nil
		case wire.EventLocalInf:
			if err := c.sendInfile(packet[1:]); err != nil {
				return res, failure{err: err}, nil
			}
		}
	}
	c.rd.Release()
	return res, failure{}, rowsErr
}

// decodeOK reads the result of a statement without rows.
func (c *conn) decodeOK(packet []byte) (sqldb.Result, error) {
	var ok wire.OK
	if err := ok.Decode(packet, c.caps); err != nil {
		return sqldb.Result{}, err
	}
	class := measure.Other
	if ok.Affected > 0 {
		class = measure.Write
	}
	return sqldb.Result{Class: class, Affected: ok.Affected, InsertID: ok.InsertID}, nil
}

// Query implements sqldb.Conn.
func (c *conn) Query(text string, rows sqldb.RowFunc) (sqldb.Result, error) {
	return c.query(text, rows, nil, c.kind)
}

// query executes text; kind is the label of its latency. store keeps results, if not nil.
func (c *conn) query(text string, rows sqldb.RowFunc, store *sqldb.Rows, kind measure.Kind) (sqldb.Result, error) {
	if c.closed {
		return sqldb.Result{}, errClosed
	}
	start := c.started(kind)
	var res sqldb.Result
	var f failure
	var rowsErr error
	if c.pending() {
		f.err = outOfSync()
	} else {
		c.keep(store)
		packet := append(c.begin(), byte(wire.ComQuery))
		packet = append(packet, text...)
		res, f, rowsErr = c.exchange(packet, rows, store, false)
	}
	if c.d.cfg.Debug {
		c.debugQuery(text, &res, &f)
	}
	if f.err != nil {
		return sqldb.Result{}, c.failed(f, "mysql_drv_query", "mysql_store_result", text, text)
	}
	c.finished(kind, start, res.Class)
	return res, rowsErr
}

// SetKind implements sqldb.Conn.
func (c *conn) SetKind(kind measure.Kind) { c.kind = kind }

// started reads the clock when the statement's latency is wanted.
func (c *conn) started(kind measure.Kind) (start time.Time) {
	if kind != measure.KindNone && c.stats.WantsKinds() {
		start = time.Now()
	}
	return start
}

// finished counts a successful statement.
func (c *conn) finished(kind measure.Kind, start time.Time, class measure.Class) {
	if !start.IsZero() {
		c.stats.Statement(kind, int64(time.Since(start)))
	}
	c.stats.Query(class)
}

// failed deals with an unsuccessful statement by sysbench's rules: count, connect again, log. call and store name the
// library call that failed, before and among rows; text is the statement, query what a script is told.
func (c *conn) failed(f failure, call, store, text, query string) error {
	if interrupted(f.err) {
		return sqldb.ErrInterrupted
	}
	e := asError(f.err)
	if c.d.ignored(e.Code) {
		if lostConnection(e.Code) {
			if err := c.reopen(); err != nil {
				c.stats.Error(e.Code, e.State, e.Message, false)
				return err
			}
			c.stats.Error(e.Code, e.State, e.Message, true)
			return &sqldb.Restart{Err: e, Query: query, Reconnected: true}
		}
		c.stats.Error(e.Code, e.State, e.Message, false)
		c.d.cfg.Log.Debugf("Ignoring error %d %s, ", e.Code, e.Message)
		return &sqldb.Restart{Err: e, Query: query}
	}
	c.stats.Error(e.Code, e.State, e.Message, false)
	if f.inRows {
		c.d.cfg.Log.Fatalf("%s() returned error %d (%s)", store, e.Code, e.Message)
	} else {
		c.d.cfg.Log.Fatalf("%s() returned error %d (%s) for query '%s'", call, e.Code, e.Message, text)
	}
	return &sqldb.StatementError{Err: e, Query: query}
}

// Reconnect implements sqldb.Conn.
func (c *conn) Reconnect() error {
	if c.closed {
		return errClosed
	}
	if err := c.reopen(); err != nil {
		return err
	}
	c.stats.Reconnect()
	return nil
}

// reopen closes the connection and opens it to the same server, trying until it succeeds, the run stops or the login
// is refused. Statements are prepared again.
func (c *conn) reopen() error {
	if c.cut {
		return sqldb.ErrInterrupted
	}
	c.quit()
	c.keep(nil)
	for {
		err := c.open()
		if err == nil {
			err = c.prepareAgain()
			if err == nil {
				return nil
			}
			if !c.lost {
				return c.prepareFailed(err)
			}
		}
		switch {
		case interrupted(err):
			c.drop()
			return sqldb.ErrInterrupted
		case !transient(asError(err).Code):
			return c.connectFailed(err)
		case c.env.Stopping():
			return sqldb.ErrInterrupted
		}
		if err := c.env.Sleep(retryEvery); err != nil {
			return sqldb.ErrInterrupted
		}
	}
}

// quit ends the session: the server is told if it can be, and not waited for.
func (c *conn) quit() {
	if !c.lost && !c.cut && c.nc != nil {
		_ = c.wr.Send(append(c.begin(), byte(wire.ComQuit))) // the connection is closed anyway
	}
	c.drop()
}

// Close implements sqldb.Conn.
func (c *conn) Close() error {
	if c.closed {
		return nil
	}
	c.closed = true
	c.debugf("mysql_close(%p)", c)
	c.quit()
	c.stmts = nil
	return nil
}

// Transport implements sqldb.Conn.
func (c *conn) Transport() sqldb.Transport {
	t := sqldb.Transport{
		Network:     c.target.network,
		Address:     c.address,
		TLS:         c.tlsState,
		Compression: string(c.algorithm),
		Protocol:    "prepared statements",
		Server:      c.server,
		AuthMethod:  c.authMethod,
		MetadataCache: c.caps.Has(wire.MariaDBCacheMetadata) ||
			c.caps.Has(wire.OptionalResultsetMetadata) && c.d.metadata.Load() == metadataOptional,
	}
	if c.d.cfg.PSEmulate {
		t.Protocol = "text"
	}
	return t
}
