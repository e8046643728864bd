package script

import (
	"math"

	"deltabench/internal/luaffi"
	"deltabench/internal/random"
	"deltabench/internal/sqldb"
	lua "deltabench/internal/third_party/gopher-lua"
)

// typeNames are the names in sysbench.sql.type, by number.
var typeNames = []string{
	"NONE", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "TIME", "DATE", "DATETIME", "TIMESTAMP", "CHAR", "VARCHAR",
}

// Types of parameters by their numbers.
const (
	typeTinyint = 1
	typeBigint  = 4
	typeFloat   = 5
	typeDouble  = 6
	typeChar    = 11
	typeVarchar = 12
)

// statement is a prepared statement of a script.
type statement struct {
	c      *connection
	st     sqldb.ScriptStmt
	params []*param // bound to it; they may be bound to others as well
}

// param is a parameter. Statements read it when they are executed.
type param struct {
	kind sqldb.ParamType
	null bool
	bits uint64 // of a number
	text []byte
	max  int // length of texts
}

// newStatement makes the object that scripts see.
func (c *connection) newStatement(L *lua.LState, st sqldb.ScriptStmt) *lua.LUserData {
	d := c.db
	if c.stmts == nil {
		c.stmts = d.metatable("sql_statement", d.stmtToString, d.stmtMethods, nil)
		if index, ok := c.stmts.RawGetString("__index").(*lua.LTable); ok {
			index.RawSetString("connection", c.ud)
		}
	}
	ud := luaffi.NewObject("sql_statement", &statement{c: c, st: st})
	ud.Metatable = c.stmts
	return ud
}

func (d *database) stmtOf(L *lua.LState, method string) *statement {
	return selfOf[*statement](L, method, "sql_statement")
}

// bindCreate is statement:bind_create.
func (d *database) bindCreate(L *lua.LState) int {
	d.stmtOf(L, "bind_create")
	p := &param{null: true}
	number := typeBigint
	maxLen := L.Get(3)
	btype, isNumber := L.Get(2).(lua.LNumber)
	switch {
	case isNumber && btype >= typeTinyint && btype <= typeBigint:
		p.kind = sqldb.IntParam
	case isNumber && (btype == typeFloat || btype == typeDouble):
		p.kind, number = sqldb.DoubleParam, typeDouble
	case isNumber && (btype == typeChar || btype == typeVarchar):
		n, ok := maxLen.(lua.LNumber)
		if !ok {
			d.s.raiseIn(L, sqlFile, 399, "bad argument #2 to 'new' (cannot convert '"+typeName(maxLen)+"' to 'int')")
		}
		if !(n >= 0 && n <= math.MaxInt32) {
			d.s.raiseIn(L, sqlFile, 399, "bad argument #1 to 'new' (size of C type is unknown or too large)")
		}
		p.kind, number, p.max = sqldb.StringParam, typeVarchar, int(n)
	case isNumber || L.Get(2).Type() == lua.LTString:
		raise(L, "Unsupported argument type: %s", L.Get(2).String())
	default:
		d.s.raiseIn(L, sqlFile, 402, "attempt to concatenate local 'btype' (a "+typeName(L.Get(2))+" value)")
	}
	t := L.CreateTable(0, 3)
	t.RawSetString("type", lua.LNumber(number))
	if maxLen != lua.LNil {
		t.RawSetString("max_len", maxLen)
	}
	t.RawSetString("buffer", &lua.LUserData{Value: p, Metatable: lua.LNil})
	t.Metatable = d.paramMeta
	L.Push(t)
	return 1
}

// asParam returns the parameter in a value, or nil.
func asParam(v lua.LValue) *param {
	t, ok := v.(*lua.LTable)
	if !ok {
		return nil
	}
	ud, ok := t.RawGetString("buffer").(*lua.LUserData)
	if !ok {
		return nil
	}
	p, _ := ud.Value.(*param)
	return p
}

// bindParam is statement:bind_param.
func (d *database) bindParam(L *lua.LState) int {
	st := d.stmtOf(L, "bind_param")
	n := L.GetTop() - 1
	if n <= 0 {
		L.Push(lua.LNil)
		return 1
	}
	params := make([]*param, n)
	types := make([]sqldb.ParamType, n)
	for i := range params {
		v := L.Get(i + 2)
		p := asParam(v)
		if p == nil {
			d.s.raiseIn(L, sqlFile, 420, "attempt to index local 'param' (a "+typeName(v)+" value)")
		}
		params[i], types[i] = p, p.kind
	}
	st.c.use(L, "", 0)
	result := lua.LNumber(0)
	if err := st.st.Bind(types...); err != nil {
		interrupted(L, err)
		result = 1
	} else {
		st.params = params
	}
	L.Push(result)
	return 1
}

// execute is statement:execute.
func (d *database) execute(L *lua.LState) int {
	st := d.stmtOf(L, "execute")
	c := st.c
	c.use(L, "", 0)
	st.fill()
	res, err := st.st.ExecuteStored(c.rows)
	c.done(L, res, err, "", 0)
	return c.push(L)
}

// fill gives the values of the parameters to the statement.
func (st *statement) fill() {
	for i, p := range st.params {
		switch {
		case p.null:
			st.st.SetNull(i)
		case p.kind == sqldb.IntParam:
			st.st.SetInt(i, int64(p.bits))
		case p.kind == sqldb.DoubleParam:
			st.st.SetDouble(i, math.Float64frombits(p.bits))
		default:
			st.st.SetString(i, p.text)
		}
	}
}

// closeStatement is statement:close.
func (d *database) closeStatement(L *lua.LState) int {
	st := d.stmtOf(L, "close")
	_ = st.st.Close() // there is no reply to it
	L.PushNumber(0)
	return 1
}

func (d *database) paramOf(L *lua.LState, method string) *param {
	p := asParam(L.Get(1))
	if p == nil {
		badSelf(L, method, "sql_param")
	}
	return p
}

// setParam is parameter:set.
func (d *database) setParam(L *lua.LState) int {
	p := d.paramOf(L, "set")
	v := L.Get(2)
	if v == lua.LNil {
		p.null = true
		return 0
	}
	switch p.kind {
	case sqldb.IntParam:
		n, ok := toInt64(v)
		if !ok {
			d.s.raiseIn(L, sqlFile, 335, "cannot convert '"+typeName(v)+"' to 'int64_t'")
		}
		p.bits = uint64(n)
	case sqldb.DoubleParam:
		f, ok := toFloat(v)
		if !ok {
			d.s.raiseIn(L, sqlFile, 339, "cannot convert '"+typeName(v)+"' to 'double'")
		}
		p.bits = math.Float64bits(f)
	default:
		text, ok := v.(lua.LString)
		if _, table := v.(*lua.LTable); table {
			d.s.raiseIn(L, sqlFile, 345, "bad argument #2 to 'copy' (cannot convert 'table' to 'const void *')")
		}
		if !ok {
			d.s.raiseIn(L, sqlFile, 343, "attempt to get length of local 'value' (a "+typeName(v)+" value)")
		}
		p.text = append(p.text[:0], text[:min(len(text), p.max)]...)
	}
	p.null = false
	return 0
}

// toInt64 converts as C does: fractions are cut off.
func toInt64(v lua.LValue) (int64, bool) {
	switch v := v.(type) {
	case lua.LNumber:
		return random.Int64(float64(v)), true
	case lua.LBool:
		if v {
			return 1, true
		}
		return 0, true
	case *lua.LUserData:
		return luaffi.ToInt64(v)
	}
	return 0, false
}

func toFloat(v lua.LValue) (float64, bool) {
	if f, ok := v.(lua.LNumber); ok {
		return float64(f), true
	}
	n, ok := toInt64(v)
	return float64(n), ok
}

// setRandomParam is parameter:set_rand_str.
func (d *database) setRandomParam(L *lua.LState) int {
	p := d.paramOf(L, "set_rand_str")
	if p.kind != sqldb.StringParam {
		raise(L, "Unsupported argument type: %s", L.GetField(L.Get(1), "type").String())
	}
	template, ok := L.Get(2).(lua.LString)
	if !ok {
		d.s.notText(L, L.Get(2), sqlFile, 361, "fmt", "sb_rand_str", 1)
	}
	p.text = random.AppendTemplate(p.text[:0], d.s.Thread.Rand, string(template))
	p.text = p.text[:min(len(p.text), p.max)]
	p.null = false
	return 0
}
