package script

import (
	"errors"

	"deltabench/internal/luaffi"
	"deltabench/internal/sqldb"
	lua "deltabench/internal/third_party/gopher-lua"
)

// connection is a connection of a script. Its result is one object, which each statement fills anew.
type connection struct {
	db     *database
	driver *driver
	conn   sqldb.ScriptConn
	closed bool
	ud     *lua.LUserData
	result result
	rows   *sqldb.Rows // of the last statement; not in place, since conn keeps a pointer to it
	cells  [][]byte
	bulk   *sqldb.Bulk
	stmts  *lua.LTable // metatable of its statements; nil before the first

	// Of the last call.
	level          int
	errno          int
	state, message string
}

// open makes the objects that scripts see.
func (c *connection) open(L *lua.LState) {
	d := c.db
	c.ud = luaffi.NewObject("sql_connection", c)
	c.ud.Metatable = d.metatable("sql_connection", d.connToString, d.connMethods, c.field)
	c.result.c = c
}

// field returns a field of the connection.
func (c *connection) field(L *lua.LState, name string) lua.LValue {
	text := func(s string) lua.LValue {
		if s == "" {
			return c.db.nullText
		}
		return luaffi.NewString(s)
	}
	switch name {
	case "error":
		return luaffi.NewEnum(L, "sql_error_t", c.level)
	case "sql_errno":
		return lua.LNumber(c.errno)
	case "sql_state":
		return text(c.state)
	case "sql_errmsg":
		return text(c.message)
	case "driver":
		return c.driver.ud
	}
	return nil
}

func (d *database) connOf(L *lua.LState, method string) *connection {
	return selfOf[*connection](L, method, "sql_connection")
}

// errClosed is the text of errors of calls on closed connections.
const errClosed = "SQL API error"

// use fails when the connection is closed.
func (c *connection) use(L *lua.LState, file string, line int) {
	if c.closed {
		c.level, c.errno, c.state, c.message = sqlFatal, 0, "", ""
		c.db.s.Script.host.Log.Alertf("attempt to use an already closed connection")
		c.fail(L, lua.LString(errClosed), file, line)
	}
}

// fail raises an error; file and line are where sysbench raises it, unless that is where the script called.
func (c *connection) fail(L *lua.LState, v lua.LValue, file string, line int) {
	text, ok := v.(lua.LString)
	switch {
	case !ok:
		L.Error(v, 0)
	case file == "":
		L.Error(v, 1)
	}
	c.db.s.raiseIn(L, file, line, string(text))
}

// done takes note of the outcome of a statement, and raises its error.
func (c *connection) done(L *lua.LState, res sqldb.Result, err error, file string, line int) {
	if err == nil {
		if c.level != sqlNone {
			c.level, c.errno, c.state, c.message = sqlNone, 0, "", ""
		}
		c.result.valid = res.HasRows
		return
	}
	c.result.valid = false
	c.fail(L, c.errorOf(L, err), file, line)
}

// errorOf takes note of an error, and returns the value to raise: a table for errors that restart the event, else a text.
func (c *connection) errorOf(L *lua.LState, err error) lua.LValue {
	interrupted(L, err)
	c.level, c.errno, c.state, c.message = sqlFatal, 0, "", ""
	var restart *sqldb.Restart
	var fatal *sqldb.StatementError
	switch {
	case errors.As(err, &restart):
		c.level = sqlIgnorable
		c.note(restart.Err)
		t := c.errorTable(L, restart.Query)
		t.RawSetString("errcode", lua.LNumber(errRestart))
		return t
	case errors.As(err, &fatal):
		c.note(fatal.Err)
		if hook := c.db.s.hook("sql_error_ignorable"); hook != nil && c.state != "" {
			t := c.errorTable(L, fatal.Query)
			L.Push(hook)
			L.Push(t)
			L.Call(1, 1)
			ignorable := lua.LVAsBool(L.Get(-1))
			L.Pop(1)
			if ignorable {
				c.level = sqlIgnorable
				t.RawSetString("errcode", lua.LNumber(errRestart))
				return t
			}
		}
	}
	return lua.LString(err.Error())
}

func (c *connection) note(e *sqldb.Error) { c.errno, c.state, c.message = e.Code, e.State, e.Message }

// errorTable describes the last error to a script.
func (c *connection) errorTable(L *lua.LState, query string) *lua.LTable {
	t := L.CreateTable(0, 6)
	t.RawSetString("connection", c.ud)
	t.RawSetString("query", lua.LString(query))
	t.RawSetString("sql_errno", lua.LNumber(c.errno))
	t.RawSetString("sql_state", lua.LString(c.state))
	t.RawSetString("sql_errmsg", lua.LString(c.message))
	return t
}

// send executes text.
func (c *connection) send(L *lua.LState, text, file string, line int) {
	c.use(L, file, line)
	res, err := c.conn.Store(text, c.rows)
	c.done(L, res, err, file, line)
}

// query is connection:query.
func (d *database) query(L *lua.LState) int {
	c := d.connOf(L, "query")
	text, ok := L.Get(2).(lua.LString)
	if !ok {
		d.s.notText(L, L.Get(2), sqlFile, 269, "query", "db_query", 2)
	}
	c.send(L, string(text), "", 0)
	return c.push(L)
}

// push pushes the result of the last statement.
func (c *connection) push(L *lua.LState) int {
	if c.result.valid {
		L.Push(c.result.object())
	} else {
		L.Push(c.db.null)
	}
	return 1
}

// queryRow is connection:query_row.
func (d *database) queryRow(L *lua.LState) int {
	c := d.connOf(L, "query_row")
	text, ok := L.Get(2).(lua.LString)
	if !ok {
		d.s.notText(L, L.Get(2), sqlFile, 269, "query", "db_query", 2)
	}
	c.send(L, string(text), sqlFile, 300)
	cells := c.row(L)
	if cells == nil {
		L.Push(lua.LNil)
		return 1
	}
	for _, cell := range cells {
		pushCell(L, cell)
	}
	return len(cells)
}

func pushCell(L *lua.LState, cell []byte) {
	if cell == nil {
		L.Push(lua.LNil)
	} else {
		L.PushBytes(cell)
	}
}

// row returns the next row of the last statement, or nil.
func (c *connection) row(L *lua.LState) [][]byte {
	cells, err := c.rows.Next(c.cells)
	if err != nil {
		raise(L, "a row cannot be read: %v", err)
	}
	if cells != nil {
		c.cells = cells
	}
	return cells
}

// prepare is connection:prepare.
func (d *database) prepare(L *lua.LState) int {
	c := d.connOf(L, "prepare")
	text, ok := L.Get(2).(lua.LString)
	if !ok {
		d.s.notText(L, L.Get(2), sqlFile, 289, "query", "db_prepare", 2)
	}
	c.use(L, "", 0)
	st, err := c.conn.PrepareUnbound(string(text))
	if err != nil {
		c.fail(L, c.errorOf(L, err), "", 0)
	}
	L.Push(c.newStatement(L, st))
	return 1
}

// disconnect is connection:disconnect.
func (d *database) disconnect(L *lua.LState) int {
	c := d.connOf(L, "disconnect")
	if c.closed {
		d.s.Script.host.Log.Alertf("attempt to close an already closed connection")
	} else {
		c.close()
	}
	L.Push(lua.LTrue)
	return 1
}

// close closes the connection.
func (c *connection) close() {
	c.db.forget(c.conn)
	_ = c.conn.Close() // the server is told, or is gone already
	c.closed, c.result.valid = true, false
	c.rows.Reset()
}

// reconnect is connection:reconnect.
func (d *database) reconnect(L *lua.LState) int {
	c := d.connOf(L, "reconnect")
	c.result.valid = false
	if c.closed { // its statements are gone
		c.conn = d.login(L, c.driver, connectFailed)
		c.closed, c.bulk = false, nil
		d.hold(c)
		d.s.Thread.Stats.Reconnect()
	} else if err := c.conn.Reconnect(); err != nil {
		interrupted(L, err)
		c.level, c.errno, c.state, c.message = sqlFatal, 0, "", ""
		raise(L, connectFailed)
	}
	c.level, c.errno, c.state, c.message = sqlNone, 0, "", ""
	L.Push(lua.LTrue)
	return 1
}

// moreResults is connection:more_results.
func (d *database) moreResults(L *lua.LState) int {
	c := d.connOf(L, "more_results")
	c.use(L, "", 0)
	L.Push(lua.LBool(c.rows.More()))
	return 1
}

// nextResult is connection:next_result and statement:next_result.
func (d *database) nextResult(L *lua.LState) int {
	var c *connection
	if v, _ := luaffi.Object(L.Get(1)); v != nil {
		switch o := v.(type) {
		case *connection:
			c = o
		case *statement:
			c = o.c
		}
	}
	if c == nil {
		badSelf(L, "next_result", "sql_connection or sql_statement")
	}
	c.use(L, "", 0)
	res, ok, err := c.conn.NextResult()
	c.done(L, res, err, "", 0)
	if !ok {
		c.result.valid = false
	}
	return c.push(L)
}
