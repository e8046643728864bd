package mysql

import "deltabench/internal/sqldb"

// The lines of --mysql-debug: calls of the C client library as they would have been made.

// status is the return value of a call.
func (f *failure) status() int {
	if f.err != nil && !f.inRows {
		return 1
	}
	return 0
}

// debugQuery logs the calls of a text statement.
func (c *conn) debugQuery(text string, res *sqldb.Result, f *failure) {
	c.debugf(`mysql_real_query(%p, "%s", %d) = %d`, c, text, len(text), f.status())
	switch {
	case f.status() != 0:
		return
	case f.err != nil || !res.HasRows:
		c.debugf("mysql_store_result(%p) = (nil)", c)
	default:
		c.debugf("mysql_store_result(%p) = %p", c, &c.resp)
		c.debugf("mysql_num_rows(%p) = %d", &c.resp, res.Rows)
		c.debugf("mysql_num_fields(%p) = %d", &c.resp, c.resp.Columns)
	}
}

// debugExecute logs the calls of a prepared statement.
func (s *stmt) debugExecute(res *sqldb.Result, f *failure) {
	c := s.c
	c.debugf("mysql_stmt_execute(%p) = %d", s, f.status())
	if f.status() != 0 || !res.HasRows {
		return
	}
	if f.err != nil {
		c.debugf("mysql_stmt_store_result(%p) = 1", s)
		return
	}
	c.debugf("mysql_stmt_store_result(%p) = 0", s)
	c.debugf("mysql_stmt_num_rows(%p) = %d", s, res.Rows)
}
