package mysql

import (
	"deltabench/internal/measure"
	"deltabench/internal/sqldb"
)

// dryConn is a connection of a dry run: every call succeeds at once, every statement counts as other.
type dryConn struct {
	stats  *measure.Thread
	closed bool
}

// Query implements sqldb.Conn.
func (c *dryConn) Query(string, sqldb.RowFunc) (sqldb.Result, error) {
	if c.closed {
		return sqldb.Result{}, errClosed
	}
	c.stats.Query(measure.Other)
	return sqldb.Result{Class: measure.Other}, nil
}

// Prepare implements sqldb.Conn.
func (c *dryConn) Prepare(text string, kind measure.Kind, params ...sqldb.ParamType) (sqldb.Stmt, error) {
	if c.closed {
		return nil, errClosed
	}
	return &dryStmt{stmt: stmt{text: text, kind: kind, params: newParams(params)}, dry: c}, nil
}

// SetKind implements sqldb.Conn.
func (c *dryConn) SetKind(measure.Kind) {}

// Reconnect implements sqldb.Conn.
func (c *dryConn) Reconnect() error {
	if c.closed {
		return errClosed
	}
	c.stats.Reconnect()
	return nil
}

// Close implements sqldb.Conn.
func (c *dryConn) Close() error {
	c.closed = true
	return nil
}

// Transport implements sqldb.Conn.
func (c *dryConn) Transport() sqldb.Transport { return sqldb.Transport{} }

// dryStmt takes parameters as a real statement does.
type dryStmt struct {
	stmt
	dry *dryConn
}

// Execute implements sqldb.Stmt.
func (s *dryStmt) Execute() (sqldb.Result, error) {
	if s.closed {
		return sqldb.Result{}, errClosed
	}
	return s.dry.Query("", nil)
}

// Close implements sqldb.Stmt.
func (s *dryStmt) Close() error {
	s.closed = true
	return nil
}
