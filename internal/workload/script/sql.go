package script

import (
	"weak"

	"deltabench/internal/luaffi"
	"deltabench/internal/sqldb"
	lua "deltabench/internal/third_party/gopher-lua"
)

// Errors of a connection as scripts see them: sysbench.sql.error, and the field error.
const (
	sqlNone = iota
	sqlIgnorable
	sqlFatal
)

// database is what a state has of databases.
type database struct {
	s       *State
	drivers []*driver
	held    []held
	swept   int // length of held after the last sweep

	driverMeta, paramMeta                    *lua.LTable
	connMethods, stmtMethods, resultMethods  map[string]*lua.LFunction
	readOnly                                 *lua.LFunction // raises that fields cannot be set
	connToString, stmtToString, rowsToString *lua.LFunction
	null, nullText                           *lua.LUserData // the result of statements without rows; a text that is not there
	legacy                                   *connection    // of the functions of 0.5
}

// driver is what sysbench.sql.driver returns.
type driver struct {
	d  sqldb.Driver
	ud *lua.LUserData
}

// held is a connection that is to be closed: when the script has lost it, or when its state ends.
type held struct {
	ref  weak.Pointer[connection]
	conn sqldb.ScriptConn // knows nothing of the connection
}

// Names of C's types as sysbench's messages have them, and as they are called.
var structNames = map[string]string{
	"sql_driver": "159", "sql_connection": "183", "sql_statement": "192", "sql_result": "197",
}

// openSQL sets sysbench.sql.
func openSQL(s *State, sysbench *lua.LTable) {
	L := s.L
	d := &database{s: s}
	s.db = d
	s.onClose(d.close)

	sql := L.NewTable()
	sysbench.RawSetString("sql", sql)
	s.setFunc(sql, "driver", d.newDriver)
	errs := L.NewTable()
	errs.RawSetString("NONE", lua.LNumber(sqlNone))
	errs.RawSetString("IGNORABLE", lua.LNumber(sqlIgnorable))
	errs.RawSetString("FATAL", lua.LNumber(sqlFatal))
	sql.RawSetString("error", errs)
	types := L.NewTable()
	for i, name := range typeNames {
		types.RawSetString(name, lua.LNumber(i))
	}
	sql.RawSetString("type", types)

	d.readOnly = L.NewFunction(func(L *lua.LState) int {
		raise(L, "attempt to write to constant location")
		return 0
	})
	functions := func(list map[string]lua.LGFunction) map[string]*lua.LFunction {
		m := make(map[string]*lua.LFunction, len(list))
		for name, f := range list {
			m[name] = L.NewFunction(f)
		}
		return m
	}
	d.connMethods = functions(map[string]lua.LGFunction{
		"query": d.query, "query_row": d.queryRow, "prepare": d.prepare, "disconnect": d.disconnect, "reconnect": d.reconnect,
		"bulk_insert_init": d.bulkInit, "bulk_insert_next": d.bulkNext, "bulk_insert_done": d.bulkDone,
		"more_results": d.moreResults, "next_result": d.nextResult,
	})
	d.stmtMethods = functions(map[string]lua.LGFunction{
		"bind_create": d.bindCreate, "bind_param": d.bindParam, "execute": d.execute, "next_result": d.nextResult, "close": d.closeStatement,
	})
	d.resultMethods = functions(map[string]lua.LGFunction{"fetch_row": d.fetchRow, "free": d.freeResult})
	d.driverMeta = d.metatable("sql_driver", d.toString("<sql_driver>"), functions(map[string]lua.LGFunction{
		"connect": d.connect,
		"name": func(L *lua.LState) int {
			L.Push(lua.LString(d.driverOf(L, "name").d.Name()))
			return 1
		},
	}), nil)
	d.paramMeta = L.NewTable()
	d.paramMeta.RawSetString("__index", d.paramMeta)
	d.paramMeta.RawSetString("__tostring", d.toString("<sql_param>"))
	s.setFunc(d.paramMeta, "set", d.setParam)
	s.setFunc(d.paramMeta, "set_rand_str", d.setRandomParam)

	d.connToString, d.stmtToString, d.rowsToString = d.toString("<sql_connection>"), d.toString("<sql_statement>"), d.toString("<sql_result>")
	d.null = luaffi.NewNull("sql_result")
	d.null.Metatable = d.metatable("sql_result", d.rowsToString, d.resultMethods, func(_ *lua.LState, key string) lua.LValue {
		if key == "nrows" || key == "nfields" {
			return lua.LNumber(0)
		}
		return nil
	})
	d.nullText = luaffi.NewNull("const char")
}

// toString is a function that always returns text.
func (d *database) toString(text string) *lua.LFunction {
	v := lua.LString(text)
	return d.s.L.NewFunction(func(L *lua.LState) int {
		L.Push(v)
		return 1
	})
}

// metatable makes the metatable of an object that is a pointer to a C struct for scripts. field returns the value of a field
// that is no method, or nil.
func (d *database) metatable(typeName string, toString *lua.LFunction, methods map[string]*lua.LFunction, field func(*lua.LState, string) lua.LValue) *lua.LTable {
	L := d.s.L
	mt := L.NewTable()
	index := L.CreateTable(0, len(methods))
	for name, f := range methods {
		index.RawSetString(name, f)
	}
	rest := L.NewTable()
	rest.RawSetString("__index", L.NewFunction(func(L *lua.LState) int {
		key := L.Get(2)
		if name, ok := key.(lua.LString); ok && field != nil {
			if v := field(L, string(name)); v != nil {
				L.Push(v)
				return 1
			}
		}
		d.noMember(L, typeName, key)
		return 0
	}))
	index.Metatable = rest
	mt.RawSetString("__index", index)
	mt.RawSetString("__newindex", d.readOnly)
	mt.RawSetString("__tostring", toString)
	mt.RawSetString("__metatable", lua.LString("ffi"))
	return mt
}

func (d *database) noMember(L *lua.LState, typeName string, key lua.LValue) {
	if !d.s.Script.host.Ours {
		typeName = structNames[typeName]
	}
	raise(L, "'struct %s' has no member named '%s'", typeName, key.String())
}

// raiseIn raises an error in a function that is written in Lua in sysbench, at a line of that file.
// On our face it is an error of the script's line.
func (s *State) raiseIn(L *lua.LState, file string, line int, message string) {
	if s.Script.host.Ours {
		L.Error(lua.LString(message), 1)
	}
	if file != "" {
		message = `[string "` + file + `"]:` + lua.LNumber(line).String() + ": " + message
	}
	L.Error(lua.LString(message), 0)
}

// Where errors are in sysbench.
const sqlFile = "sysbench.sql.lua"

// notText raises what LuaJIT says about an argument that is no string.
func (s *State) notText(L *lua.LState, v lua.LValue, file string, line int, variable, function string, argument int) {
	if _, ok := v.(*lua.LTable); ok {
		s.raiseIn(L, file, line, "bad argument #"+lua.LNumber(argument).String()+" to '"+function+"' (cannot convert 'table' to 'const char *')")
	}
	s.raiseIn(L, file, line, "attempt to get length of local '"+variable+"' (a "+typeName(v)+" value)")
}

// typeName is what type() returns.
func typeName(v lua.LValue) string {
	if lua.IsCData(v) {
		return "cdata"
	}
	return v.Type().String()
}

// selfOf is the object that a method was called on; the error of a call on something else says which one is expected.
func selfOf[T any](L *lua.LState, method, want string) (self T) {
	v, _ := luaffi.Object(L.Get(1))
	self, ok := v.(T)
	if !ok {
		badSelf(L, method, want)
	}
	return self
}

// asserted returns what sysbench returns for success: all that it gives to assert, the text for a failure included.
func asserted(L *lua.LState, failure lua.LValue) int {
	L.Push(lua.LTrue)
	L.Push(failure)
	return 2
}

// badSelf raises that a method was not called on its object.
func badSelf(L *lua.LState, method, want string) {
	v := L.Get(1)
	got := typeName(v)
	if ud, ok := v.(*lua.LUserData); ok {
		if c, ok := ud.Value.(lua.CData); ok && c.CEqual(L, ud, lua.LNil) {
			got = "NULL" // as of a statement without rows
		}
	}
	raise(L, "bad argument #1 to '%s' (%s expected, got %s)", method, want, got)
}

// newDriver is sysbench.sql.driver.
func (d *database) newDriver(L *lua.LState) int {
	name := ""
	switch v := L.Get(1).(type) {
	case *lua.LNilType:
	case lua.LString:
		name = string(v)
	default:
		d.s.raiseIn(L, sqlFile, 182, "bad argument #1 to 'db_create' (cannot convert '"+typeName(v)+"' to 'const char *')")
	}
	L.Push(d.open(L, name, "failed to initialize the DB driver").ud)
	return 1
}

// open returns the driver of that name. The log says why there is none, and the script gets the text of failure.
func (d *database) open(L *lua.LState, name, failure string) *driver {
	dr, err := d.s.driver(name)
	if err != nil {
		raise(L, "%s", failure)
	}
	d.s.usedSQL()
	for _, o := range d.drivers {
		if o.d == dr {
			return o
		}
	}
	o := &driver{d: dr}
	o.ud = luaffi.NewObject("sql_driver", o)
	o.ud.Metatable = d.driverMeta
	d.drivers = append(d.drivers, o)
	return o
}

func (d *database) driverOf(L *lua.LState, method string) *driver {
	return selfOf[*driver](L, method, "sql_driver")
}

// connect is driver:connect.
func (d *database) connect(L *lua.LState) int {
	L.Push(d.dial(L, d.driverOf(L, "connect"), connectFailed).ud)
	return 1
}

const connectFailed = "connection creation failed"

// dial opens a connection. The log says why there is none, and the script gets the text of failure.
func (d *database) dial(L *lua.LState, dr *driver, failure string) *connection {
	conn := d.login(L, dr, failure)
	c := &connection{db: d, driver: dr, conn: conn, rows: &sqldb.Rows{}}
	c.open(L)
	d.hold(c)
	return c
}

// login opens a connection of the driver.
func (d *database) login(L *lua.LState, dr *driver, failure string) sqldb.ScriptConn {
	d.sweep()
	conn, err := dr.d.Connect(d.s.Thread.Env, d.s.Thread.Stats)
	if err != nil {
		interrupted(L, err)
		raise(L, "%s", failure)
	}
	sc, ok := conn.(sqldb.ScriptConn)
	if !ok {
		_ = conn.Close() // it is of no use
		raise(L, "connections of the driver %s are not for scripts", dr.d.Name())
	}
	return sc
}

// hold remembers to close a connection.
func (d *database) hold(c *connection) {
	d.held = append(d.held, held{ref: weak.Make(c), conn: c.conn})
}

// forget is the opposite of hold.
func (d *database) forget(conn sqldb.ScriptConn) {
	for i := range d.held {
		if d.held[i].conn == conn {
			d.held = append(d.held[:i], d.held[i+1:]...)
			return
		}
	}
}

// sweep closes connections that the script has lost, now and then.
func (d *database) sweep() {
	if len(d.held) < 2*d.swept+8 {
		return
	}
	kept := d.held[:0]
	for _, h := range d.held {
		if h.ref.Value() == nil {
			_ = h.conn.Close() // nobody waits for it
		} else {
			kept = append(kept, h)
		}
	}
	clear(d.held[len(kept):])
	d.held, d.swept = kept, len(kept)
}

// close closes all connections.
func (d *database) close() {
	for _, h := range d.held {
		_ = h.conn.Close() // the state ends, and the server sees that too
	}
	d.held = nil
}
