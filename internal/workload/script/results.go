package script

import (
	"deltabench/internal/luaffi"
	lua "deltabench/internal/third_party/gopher-lua"
)

// result is the one result object of a connection.
type result struct {
	c     *connection
	valid bool // there is a result set, and it was not freed
	ud    *lua.LUserData
}

// object is what scripts see; it is made when the first of them is seen.
func (r *result) object() *lua.LUserData {
	if r.ud == nil {
		d := r.c.db
		r.ud = luaffi.NewObject("sql_result", r)
		r.ud.Metatable = d.metatable("sql_result", d.rowsToString, d.resultMethods, r.field)
	}
	return r.ud
}

func (r *result) field(_ *lua.LState, name string) lua.LValue {
	switch name {
	case "nrows":
		if !r.valid { // the object stands for the connection's last statement, which may have returned no rows
			return lua.LNumber(r.c.rows.Result().Affected)
		}
		return lua.LNumber(r.c.rows.Result().Rows)
	case "nfields":
		if !r.valid {
			return lua.LNumber(0)
		}
		return lua.LNumber(r.c.rows.Columns())
	}
	return nil
}

func (d *database) resultOf(L *lua.LState, method string) *result {
	return selfOf[*result](L, method, "sql_result")
}

// fetchRow is result:fetch_row.
func (d *database) fetchRow(L *lua.LState) int {
	r := d.resultOf(L, "fetch_row")
	c := r.c
	log := d.s.Script.host.Log
	switch {
	case !r.valid:
		log.Alertf("attempt to fetch row from an invalid result set")
	case c.rows.Columns() == 0 || c.rows.Result().Rows == 0: // rows of prepared statements cannot be read
		log.Alertf("attempt to fetch row from an empty result set")
	default:
		cells := c.row(L)
		if cells == nil {
			break
		}
		t := L.CreateTable(len(cells), 0)
		for i, cell := range cells {
			if cell != nil {
				L.PushBytes(cell)
				t.RawSetInt(i+1, L.Get(-1))
				L.Pop(1)
			}
		}
		L.Push(t)
		return 1
	}
	L.Push(lua.LNil)
	return 1
}

// freeResult is result:free.
func (d *database) freeResult(L *lua.LState) int {
	const failed = "db_free_results() failed"
	r := d.resultOf(L, "free")
	if !r.valid {
		d.s.Script.host.Log.Alertf("attempt to free an invalid result set")
		raise(L, failed)
	}
	r.valid = false
	r.c.rows.Discard()
	return asserted(L, lua.LString(failed))
}
