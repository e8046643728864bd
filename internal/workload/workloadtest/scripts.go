package workloadtest

import (
	"strings"

	"deltabench/internal/sqldb"
	"deltabench/internal/wire"
)

// Row encodes a row for Rows.Row. A nil value is NULL.
func Row(values ...any) []byte {
	var b []byte
	for _, v := range values {
		if s, ok := v.(string); ok {
			b = wire.AppendString(b, s)
		} else {
			b = append(b, 0xfb)
		}
	}
	return b
}

// Set adds a result set to rows.
func Set(rows *sqldb.Rows, columns int, list ...[]byte) {
	rows.Begin(sqldb.Result{HasRows: true}, columns)
	for _, r := range list {
		rows.Row(r)
	}
	rows.End(int64(len(list)))
}

// answer fills rows for a statement that has succeeded with res.
func (c *conn) answer(text string, rows *sqldb.Rows, res sqldb.Result) sqldb.Result {
	rows.Reset()
	c.stored = rows
	if c.driver.Answer == nil || !c.driver.Answer(text, rows) {
		rows.Add(res)
	}
	return rows.Result()
}

// Store implements sqldb.ScriptConn.
func (c *conn) Store(text string, rows *sqldb.Rows) (sqldb.Result, error) {
	res, err := c.Query(text, nil)
	if err != nil {
		return res, err
	}
	return c.answer(text, rows, res), nil
}

// NextResult implements sqldb.ScriptConn.
func (c *conn) NextResult() (sqldb.Result, bool, error) {
	if c.stored == nil || !c.stored.More() {
		return sqldb.Result{}, false, nil
	}
	res, err := c.stored.NextResult()
	if err != nil {
		return res, false, &sqldb.StatementError{Err: err}
	}
	return res, true, nil
}

// PrepareUnbound implements sqldb.ScriptConn.
func (c *conn) PrepareUnbound(text string) (sqldb.ScriptStmt, error) {
	c.driver.Journal.add(0, "Prepare", text)
	if err := c.driver.fail("prepare", text); err != nil {
		return nil, err
	}
	return &stmt{conn: c, text: text, class: classOf(text)}, nil
}

// Bind implements sqldb.ScriptStmt.
func (s *stmt) Bind(types ...sqldb.ParamType) error {
	if n := strings.Count(s.text, "?"); n != len(types) {
		return &sqldb.Error{Code: 2034, State: "HY000", Message: "Invalid parameter number"}
	}
	s.types, s.values = types, make([]value, len(types))
	return nil
}

// ExecuteStored implements sqldb.ScriptStmt.
func (s *stmt) ExecuteStored(rows *sqldb.Rows) (sqldb.Result, error) {
	res, err := s.Execute()
	if err != nil {
		return res, err
	}
	text := s.text
	if s.conn.driver.Answer != nil && !s.conn.driver.Silent {
		text = s.filled()
	}
	return s.conn.answer(text, rows, res), nil
}
