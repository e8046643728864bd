package script

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"deltabench/internal/random"
	"deltabench/internal/sqldb"
	lua "deltabench/internal/third_party/gopher-lua"
)

// openLegacy sets the globals that scripts for sysbench 0.5 use.
func openLegacy(s *State) {
	L, d := s.L, s.db
	db := L.NewTable()
	s.sysbench.RawSetString("db", db)
	for name, f := range map[string]lua.LGFunction{
		"connect": d.dbConnect, "disconnect": d.dbDisconnect, "query": d.dbQuery,
		"bulk_insert_init": d.dbBulkInit, "bulk_insert_next": d.dbBulkNext, "bulk_insert_done": d.dbBulkDone,
		"prepare": d.dbPrepare, "bind_param": d.dbBindParam, "bind_result": d.dbBindResult, "execute": d.dbExecute,
		"store_results": d.dbStoreResults, "free_results": d.dbFreeResults, "close": d.dbClose,
	} {
		fn := L.NewFunction(f)
		db.RawSetString(name, fn)
		L.SetGlobal("db_"+name, fn)
	}
	for i, name := range []string{"DB_ERROR_NONE", "DB_ERROR_RESTART_TRANSACTION", "DB_ERROR_FAILED"} {
		db.RawSetString(name, lua.LNumber(i))
		L.SetGlobal(name, lua.LNumber(i))
	}
	if rand, ok := s.sysbench.RawGetString("rand").(*lua.LTable); ok {
		for global, name := range map[string]string{
			"sb_rand": "default", "sb_rand_uniform": "uniform", "sb_rand_gaussian": "gaussian", "sb_rand_special": "special", "sb_rand_str": "string",
		} {
			L.SetGlobal(global, rand.RawGetString(name))
		}
	}
	L.SetGlobal("sb_rnd", L.NewFunction(func(L *lua.LState) int {
		L.PushNumber(lua.LNumber(uint32(s.Thread.Rand.Uint64())))
		return 1
	}))
	L.SetGlobal("sb_rand_uniq", L.NewFunction(s.uniqueBetween))
	L.SetGlobal("mysql_table_engine", lua.LString("innodb"))
	L.SetGlobal("myisam_max_rows", lua.LNumber(1000000))
}

// uniqueBetween is sb_rand_uniq: it draws unique numbers until one is in the range.
func (s *State) uniqueBetween(L *lua.LState) int {
	bound := func(i int, def float64) float64 {
		switch v := L.Get(i).(type) {
		case *lua.LNilType:
			return def
		case lua.LNumber:
			return float64(v)
		default:
			s.raiseIn(L, "sysbench.compat.lua", 47, "attempt to compare "+typeName(v)+" with number")
			return 0
		}
	}
	low, high := bound(1, 0), bound(2, math.MaxUint32)
	for i := 1; ; i++ {
		n := float64(s.Setup.Random.Unique())
		if n >= low && n <= high {
			L.PushNumber(lua.LNumber(n))
			return 1
		}
		if i%4096 == 0 { // a small range takes millions of numbers, an empty one has none
			interrupted(L, s.breathe())
		}
	}
}

// implicit returns the one connection of the functions of 0.5, which is opened when it is first used.
func (d *database) implicit(L *lua.LState) *connection {
	if d.legacy == nil {
		dr := d.open(L, "", "DB initialization failed")
		c := d.dial(L, dr, "Failed to connect to the database")
		L.SetGlobal("db_driver", lua.LString(dr.d.Name()))
		d.legacy = c
	}
	return d.legacy
}

// connected is implicit for functions that open none.
func (d *database) connected(L *lua.LState) *connection {
	if d.legacy == nil {
		raise(L, "Uninitialized database connection")
	}
	return d.legacy
}

// restart raises the error table of an error that restarts the event. Others it notes.
func (c *connection) restart(L *lua.LState, err error) {
	c.result.valid = false
	if v := c.errorOf(L, err); sqldb.Restartable(err) {
		L.Error(v, 0)
	}
}

// dbConnect is db_connect.
func (d *database) dbConnect(L *lua.LState) int {
	if d.legacy != nil {
		d.legacy.close()
		d.legacy = nil
	}
	d.implicit(L)
	return 0
}

// dbDisconnect is db_disconnect.
func (d *database) dbDisconnect(*lua.LState) int {
	if d.legacy != nil {
		d.legacy.close()
		d.legacy = nil
	}
	return 0
}

// dbQuery is db_query. What the statement returns is not kept.
func (d *database) dbQuery(L *lua.LState) int {
	text := L.CheckString(1)
	c := d.implicit(L)
	if _, err := c.conn.Query(text, nil); err != nil {
		c.restart(L, err)
		raise(L, "db_query() failed")
	}
	return 0
}

// dbBulkInit is db_bulk_insert_init.
func (d *database) dbBulkInit(L *lua.LState) int {
	prefix := L.CheckString(1)
	c := d.implicit(L)
	c.bulkOutcome(L, c.bulkStart(prefix), bulkInitFailed)
	return 0
}

// dbBulkNext is db_bulk_insert_next.
func (d *database) dbBulkNext(L *lua.LState) int {
	row := L.CheckString(1)
	c := d.connected(L)
	c.bulkOutcome(L, c.bulkAdd(row), bulkNextFailed)
	return 0
}

// dbBulkDone is db_bulk_insert_done. sysbench does not tell the script of an error.
func (d *database) dbBulkDone(L *lua.LState) int {
	c := d.connected(L)
	if err := c.bulkEnd(); err != nil {
		c.bulkFailed(L, err)
	}
	return 0
}

// oldStatement is a prepared statement of the functions of 0.5. Its parameters are the elements of a table.
type oldStatement struct {
	c      *connection
	st     sqldb.ScriptStmt
	params *lua.LTable // read at each execution
	types  []sqldb.ParamType
}

// oldResult is what db_execute returns; there is nothing in it.
type oldResult struct{}

// opaque makes userdata.
func opaque(v any) *lua.LUserData { return &lua.LUserData{Value: v, Metatable: lua.LNil} }

func wrongUserdata(L *lua.LState, want string) {
	got := "no value"
	if L.GetTop() > 0 {
		got = typeName(L.Get(1))
	}
	L.ArgError(1, want+" expected, got "+got)
}

func oldStatementOf(L *lua.LState) *oldStatement {
	if ud, ok := L.Get(1).(*lua.LUserData); ok {
		if st, ok := ud.Value.(*oldStatement); ok {
			return st
		}
	}
	wrongUserdata(L, "sysbench.stmt")
	return nil
}

func checkOldResult(L *lua.LState) {
	if ud, ok := L.Get(1).(*lua.LUserData); ok {
		if _, ok := ud.Value.(oldResult); ok {
			return
		}
	}
	wrongUserdata(L, "sysbench.rs")
}

// dbPrepare is db_prepare.
func (d *database) dbPrepare(L *lua.LState) int {
	text := L.CheckString(1)
	c := d.implicit(L)
	st, err := c.conn.PrepareUnbound(text)
	if err != nil {
		c.restart(L, err)
		raise(L, "db_prepare() failed")
	}
	L.Push(opaque(&oldStatement{c: c, st: st}))
	return 1
}

// tableArgument is the table in argument 2.
func tableArgument(L *lua.LState) *lua.LTable {
	t, ok := L.Get(2).(*lua.LTable)
	if !ok {
		raise(L, "table was expected")
	}
	return t
}

// dbBindParam is db_bind_param. The elements' types are those of the parameters.
func (d *database) dbBindParam(L *lua.LState) int {
	st := oldStatementOf(L)
	t := tableArgument(L)
	types := make([]sqldb.ParamType, t.Len())
	for i := range types {
		switch v := t.RawGetInt(i + 1).(type) {
		case lua.LNumber:
			types[i] = sqldb.IntParam
		case lua.LString:
			types[i] = sqldb.StringParam
		default:
			raise(L, "Unsupported variable type: %s", typeName(v))
		}
	}
	if err := st.st.Bind(types...); err != nil {
		interrupted(L, err)
		raise(L, "db_bind_param() failed") // sysbench raises the number 1
	}
	st.params, st.types = t, types
	return 0
}

// dbBindResult is db_bind_result. The table never gets anything.
func (d *database) dbBindResult(L *lua.LState) int {
	oldStatementOf(L)
	tableArgument(L)
	return 0
}

// dbExecute is db_execute. sysbench does not tell the script of a fatal error; the log has it.
func (d *database) dbExecute(L *lua.LState) int {
	st := oldStatementOf(L)
	d.connected(L)
	for i, kind := range st.types {
		v := st.params.RawGetInt(i + 1)
		switch {
		case v == lua.LNil:
			st.st.SetNull(i)
		case kind == sqldb.IntParam:
			n, ok := toInt64(v)
			if s, isText := v.(lua.LString); isText {
				f, err := strconv.ParseFloat(strings.TrimSpace(string(s)), 64)
				n, ok = random.Int64(f), err == nil
			} else if _, isBool := v.(lua.LBool); isBool {
				ok = false
			}
			if !ok {
				L.ArgError(4, "number expected, got "+typeName(v))
			}
			st.st.SetInt(i, n)
		default:
			text, ok := v.(lua.LString)
			if f, isNumber := v.(lua.LNumber); isNumber {
				text, ok = lua.LString(f.String()), true
			}
			if !ok {
				L.ArgError(4, "string expected, got "+typeName(v))
			}
			st.st.SetString(i, []byte(text))
		}
	}
	if _, err := st.st.Execute(); err != nil {
		st.c.restart(L, err)
	}
	L.Push(opaque(oldResult{}))
	return 1
}

// dbStoreResults is db_store_results, which has nothing to do.
func (d *database) dbStoreResults(L *lua.LState) int {
	checkOldResult(L)
	return 0
}

// dbFreeResults is db_free_results.
func (d *database) dbFreeResults(L *lua.LState) int {
	checkOldResult(L)
	return 0
}

// dbClose is db_close.
func (d *database) dbClose(L *lua.LState) int {
	st := oldStatementOf(L)
	d.connected(L)
	if err := st.st.Close(); err != nil && !errors.Is(err, sqldb.ErrInterrupted) {
		raise(L, "db_close() failed")
	}
	return 0
}
