package mysql

import (
	"deltabench/internal/measure"
	"deltabench/internal/sqldb"
)

// What scripts may do besides: keep results, and bind parameters after statements were prepared.

var _, _ sqldb.ScriptConn = (*conn)(nil), (*dryConn)(nil)

// pending reports whether results of the last statement wait for the script.
func (c *conn) pending() bool { return c.stored != nil && c.stored.More() }

// keep makes store, or nothing, the place of results, and empties it.
func (c *conn) keep(store *sqldb.Rows) {
	if store == nil {
		store = c.stored
	}
	if c.stored = store; store != nil {
		store.Reset()
	}
}

// outOfSync is the error of a statement while results are pending.
func outOfSync() *sqldb.Error {
	return clientError(errOutOfSync, "Commands out of sync; you can't run this command now")
}

// Store implements sqldb.ScriptConn.
func (c *conn) Store(text string, rows *sqldb.Rows) (sqldb.Result, error) {
	return c.query(text, nil, rows, c.kind)
}

// NextResult implements sqldb.ScriptConn.
func (c *conn) NextResult() (sqldb.Result, bool, error) {
	if c.closed {
		return sqldb.Result{}, false, errClosed
	}
	if !c.pending() {
		return sqldb.Result{}, false, nil
	}
	res, err := c.stored.NextResult()
	if err != nil {
		return sqldb.Result{}, false, c.failed(failure{err: err, inRows: true}, "", "mysql_next_result", "", "<next result>")
	}
	c.stats.Query(res.Class)
	return res, true, nil
}

// PrepareUnbound implements sqldb.ScriptConn.
func (c *conn) PrepareUnbound(text string) (sqldb.ScriptStmt, error) {
	if c.closed {
		return nil, errClosed
	}
	s := &stmt{c: c, text: text, unbound: true}
	if err := s.first(); err != nil {
		return nil, err
	}
	return s, nil
}

// Bind implements sqldb.ScriptStmt.
func (s *stmt) Bind(types ...sqldb.ParamType) error {
	if s.c.closed || s.closed {
		return errClosed
	}
	if !s.emulated && len(types) != s.count {
		return s.c.prepareFailed(&wrongParams{got: len(types), want: s.count})
	}
	s.params, s.typed, s.unbound = newParams(types), false, false
	return nil
}

// ExecuteStored implements sqldb.ScriptStmt.
func (s *stmt) ExecuteStored(rows *sqldb.Rows) (sqldb.Result, error) { return s.execute(rows) }

// Store implements sqldb.ScriptConn.
func (c *dryConn) Store(text string, rows *sqldb.Rows) (sqldb.Result, error) {
	rows.Reset()
	return c.Query(text, nil)
}

// NextResult implements sqldb.ScriptConn.
func (c *dryConn) NextResult() (res sqldb.Result, ok bool, err error) { return res, false, nil }

// PrepareUnbound implements sqldb.ScriptConn.
func (c *dryConn) PrepareUnbound(text string) (sqldb.ScriptStmt, error) {
	if c.closed {
		return nil, errClosed
	}
	return &dryStmt{stmt: stmt{text: text, kind: measure.KindNone}, dry: c}, nil
}

// Bind implements sqldb.ScriptStmt.
func (s *dryStmt) Bind(types ...sqldb.ParamType) error {
	s.params = newParams(types)
	return nil
}

// ExecuteStored implements sqldb.ScriptStmt.
func (s *dryStmt) ExecuteStored(rows *sqldb.Rows) (sqldb.Result, error) {
	rows.Reset()
	return s.Execute()
}
