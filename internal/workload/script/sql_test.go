package script

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"deltabench/internal/sqldb"
	lua "deltabench/internal/third_party/gopher-lua"
	"deltabench/internal/workload/workloadtest"
)

// withDriver is a host whose databases are d's.
func withDriver(t testing.TB, out io.Writer, d sqldb.Driver) *Host {
	h := testHost(t, out)
	h.Driver = func(name string) (sqldb.Driver, error) {
		if name != "" && name != "mysql" {
			return nil, errors.New("no such driver")
		}
		return d, nil
	}
	return h
}

// printed loads a script and returns what it prints while it is loaded.
func printed(t *testing.T, d sqldb.Driver, ours bool, text string) string {
	t.Helper()
	var out bytes.Buffer
	h := withDriver(t, &out, d)
	h.Ours = ours
	load(t, h, text)
	return inDir.ReplaceAllString(out.String(), "x.lua:")
}

var inDir = regexp.MustCompile(`\S+/x\.lua:`)

// check compares lines.
func check(t *testing.T, got, want string) {
	t.Helper()
	if got = strings.TrimSpace(got); got != strings.TrimSpace(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestObjects(t *testing.T) {
	t.Parallel()
	check(t, printed(t, &workloadtest.Driver{}, false, `
local d = sysbench.sql.driver()
local c = d:connect()
local s = c:prepare("SELECT ?")
local p = s:bind_create(sysbench.sql.type.INT)
for _, v in ipairs{d, c, s, p} do print(type(v), tostring(v)) end
print(d == sysbench.sql.driver("mysql"), c.driver == d, s.connection == c, c == d:connect(), c == 5, c ~= nil)
local rs = c:query("SET @x = 1")
print(type(rs), tostring(rs), rs == nil, rs and "truthy", rs.nrows, rs.nfields, rs == c:query("DO 1"))
for _, f in ipairs{function() return c.nothing end, function() c:nothing() end, function() return s.nothing end, function() return rs.nothing end,
  function() c.error = 1 end, function() rs:fetch_row() end, function() c.query(nil, "x") end, function() s.execute(c) end, function() d.connect() end,
  function() p.set(5, 5) end, function() sysbench.sql.driver("other") end, function() sysbench.sql.driver(5) end} do print(select(2, pcall(f))) end
`), `
cdata	<sql_driver>
cdata	<sql_connection>
cdata	<sql_statement>
table	<sql_param>
true	true	true	false	false	true
cdata	<sql_result>	true	truthy	0	0	true
x.lua:10: 'struct 183' has no member named 'nothing'
x.lua:10: 'struct 183' has no member named 'nothing'
x.lua:10: 'struct 192' has no member named 'nothing'
x.lua:10: 'struct 197' has no member named 'nothing'
x.lua:11: attempt to write to constant location
x.lua:11: bad argument #1 to 'fetch_row' (sql_result expected, got NULL)
x.lua:11: bad argument #1 to 'query' (sql_connection expected, got nil)
x.lua:11: bad argument #1 to 'execute' (sql_statement expected, got cdata)
x.lua:11: bad argument #1 to 'connect' (sql_driver expected, got nil)
x.lua:12: bad argument #1 to 'set' (sql_param expected, got number)
x.lua:12: failed to initialize the DB driver
[string "sysbench.sql.lua"]:182: bad argument #1 to 'db_create' (cannot convert 'number' to 'const char *')
`)
}

// On our face errors have the script's line where sysbench names a file that nobody has.
func TestErrorsNameTheScript(t *testing.T) {
	t.Parallel()
	d := &workloadtest.Driver{Fail: func(call, text string) error {
		if text == "bad" {
			return &sqldb.StatementError{Err: &sqldb.Error{Code: 1064, State: "42000", Message: "no"}, Query: text}
		}
		return nil
	}}
	const text = `
local c = sysbench.sql.driver():connect()
for _, f in ipairs{function() c:query(5) end, function() c:query_row("bad") end, function() c:prepare({}) end, function() sysbench.rand.uniform("x", 1) end,
  function() c:bulk_insert_init() end, function() return c.nothing end, function() sysbench.rand.string() end, function() sb_rand_uniq("x") end} do print(select(2, pcall(f))) end
`
	check(t, printed(t, d, true, text), `
x.lua:3: attempt to get length of local 'query' (a number value)
x.lua:3: SQL error, errno = 1064, state = '42000': no
x.lua:3: bad argument #2 to 'db_prepare' (cannot convert 'table' to 'const char *')
x.lua:3: bad argument #1 to 'uniform' (cannot convert 'string' to 'unsigned int')
x.lua:4: attempt to get length of local 'query' (a nil value)
x.lua:4: 'struct sql_connection' has no member named 'nothing'
x.lua:4: attempt to get length of local 'fmt' (a nil value)
x.lua:4: attempt to compare string with number
`)
	check(t, printed(t, d, false, text), `
[string "sysbench.sql.lua"]:269: attempt to get length of local 'query' (a number value)
[string "sysbench.sql.lua"]:300: SQL error, errno = 1064, state = '42000': no
[string "sysbench.sql.lua"]:289: bad argument #2 to 'db_prepare' (cannot convert 'table' to 'const char *')
x.lua:3: bad argument #1 to 'uniform' (cannot convert 'string' to 'unsigned int')
[string "sysbench.sql.lua"]:274: attempt to get length of local 'query' (a nil value)
x.lua:4: 'struct 183' has no member named 'nothing'
[string "sysbench.rand.lua"]:66: attempt to get length of local 'fmt' (a nil value)
[string "sysbench.compat.lua"]:47: attempt to compare string with number
`)
}

// answers gives result sets by text.
func answers(text string, rows *sqldb.Rows) bool {
	switch text {
	case "two":
		workloadtest.Set(rows, 2, workloadtest.Row("1", nil), workloadtest.Row("", "a\x00b"))
	case "empty":
		workloadtest.Set(rows, 3)
	case "many":
		workloadtest.Set(rows, 1, workloadtest.Row("first"))
		rows.Add(sqldb.Result{Affected: 1})
		workloadtest.Set(rows, 1, workloadtest.Row("third"))
		rows.Fail(&sqldb.Error{Code: 1054, State: "42S22", Message: "no column"})
	default:
		return false
	}
	return true
}

func TestResults(t *testing.T) {
	t.Parallel()
	check(t, printed(t, &workloadtest.Driver{Answer: answers}, false, `
local c = sysbench.sql.driver():connect()
local r1 = c:query("two")
print(r1.nrows, r1.nfields, type(r1.nrows))
local row = r1:fetch_row()
print(#row, row[1], row[2])
row = r1:fetch_row()
print(#row, row[1], #row[2])
print(r1:fetch_row(), r1:fetch_row(), r1.nrows)
local r2 = c:query("empty")
print(r1 == r2, r1.nrows, r2.nfields, r1:fetch_row())
print(r2:free())
print(r1.nfields, r1:fetch_row())
print(pcall(r1.free, r1))
c:query("two") print(r1:fetch_row()[1]) c:query("DO 1") print(r1.nrows, r1:fetch_row())
print(c:query_row("two")) print(c:query_row("empty")) print(c:query_row("DO 1"))
print(select("#", c:query_row("two")), c:more_results(), c:next_result() == nil)
local rs = c:query("many")
repeat
  print(rs == nil, rs ~= nil and rs:fetch_row()[1])
  if not c:more_results() then break end
  local ok, next = pcall(c.next_result, c)
  if not ok then print(next, c.sql_errno, c:more_results()) break end
  rs = next
until false
print(pcall(c.next_result, 5))
`), `
2	2	number
1	1	nil
2		3
nil	nil	2
ALERT: attempt to fetch row from an empty result set
true	0	3	nil
true	db_free_results() failed
ALERT: attempt to fetch row from an invalid result set
0	nil
ALERT: attempt to free an invalid result set
false	db_free_results() failed
1
ALERT: attempt to fetch row from an invalid result set
0	nil
1	nil
nil
nil
2	false	true
false	first
true	false
false	third
SQL error, errno = 1054, state = '42S22': no column	1054	false
false	bad argument #1 to 'next_result' (sql_connection or sql_statement expected, got number)
`)
}

func TestErrorValues(t *testing.T) {
	t.Parallel()
	e := &sqldb.Error{Code: 1213, State: "40001", Message: "Deadlock"}
	d := &workloadtest.Driver{Fail: func(_, text string) error {
		switch text {
		case "deadlock":
			return &sqldb.Restart{Err: e, Query: text}
		case "fatal":
			return &sqldb.StatementError{Err: e, Query: text}
		case "api":
			return errors.New("SQL API error")
		}
		return nil
	}}
	check(t, printed(t, d, false, `
local c = sysbench.sql.driver():connect()
local function show(ok, e)
  local t = e
  if type(e) == "table" then
    t = {} for k, v in pairs(e) do t[#t + 1] = k .. "=" .. tostring(v) end table.sort(t) t = table.concat(t, " ")
  end
  print(ok, t)
  print(tonumber(c.error), c.sql_errno, c.sql_state ~= nil and ffi.string(c.sql_state), c.sql_errmsg ~= nil and ffi.string(c.sql_errmsg))
end
show(pcall(c.query, c, "deadlock"))
show(pcall(c.query, c, "fatal"))
show(pcall(function() c:query("fatal") end))
show(pcall(c.prepare, c, "api"))
c:query("DO 1") show(true)
function sysbench.hooks.sql_error_ignorable(e) print("hook", e.query, e.errcode) return e.sql_errno == 1213 end
show(pcall(c.query, c, "fatal"))
function sysbench.hooks.sql_error_ignorable(e) return false end
show(pcall(c.query, c, "fatal"))
function sysbench.hooks.sql_error_ignorable(e) error("in the hook") end
show(pcall(c.query, c, "fatal"))
print(c.error == sysbench.sql.error.FATAL, c.error == 0)
`), `
false	connection=<sql_connection> errcode=1 query=deadlock sql_errmsg=Deadlock sql_errno=1213 sql_state=40001
1	1213	40001	Deadlock
false	SQL error, errno = 1213, state = '40001': Deadlock
2	1213	40001	Deadlock
false	x.lua:13: SQL error, errno = 1213, state = '40001': Deadlock
2	1213	40001	Deadlock
false	SQL API error
2	0	false	false
true	nil
0	0	false	false
hook	fatal	nil
false	connection=<sql_connection> errcode=1 query=fatal sql_errmsg=Deadlock sql_errno=1213 sql_state=40001
1	1213	40001	Deadlock
false	SQL error, errno = 1213, state = '40001': Deadlock
2	1213	40001	Deadlock
false	x.lua:20: in the hook
2	1213	40001	Deadlock
true	false
`)
}

func TestStatements(t *testing.T) {
	t.Parallel()
	d := &workloadtest.Driver{Journal: &workloadtest.Journal{}}
	check(t, printed(t, d, false, `
local c, T = sysbench.sql.driver():connect(), sysbench.sql.type
local s = c:prepare("INSERT VALUES (?, ?, ?)")
local i, f, v = s:bind_create(T.TINYINT), s:bind_create(T.FLOAT), s:bind_create(T.CHAR, 5)
print(i.type, f.type, v.type, v.max_len, s:bind_param(i, f), s:bind_param(), s:bind_param(i, f, v))
s:execute()
i:set(-3.9) f:set(0.5) v:set("abcdefg") s:execute()
i:set(9007199254740993LL) f:set(-2LL) v:set("") s:execute()
i:set(18446744073709551615ULL) f:set(2^70) v:set("a\0'b") s:execute()
i:set(true) f:set(1/0) v:set_rand_str("fixed text") s:execute()
i:set(nil) f:set(nil) v:set(nil) s:execute()
i:set(2^63) s:execute()
local other = c:prepare("UPDATE ?") other:bind_param(i) i:set(7) other:execute()
print(s:close(), s:close())
for _, f in ipairs{function() i:set("x") end, function() f:set({}) end, function() v:set(5) end, function() v:set({}) end, function() i:set_rand_str("#") end,
  function() v:set_rand_str(5) end, function() s:bind_create() end, function() s:bind_create(T.DATE) end, function() s:bind_create(T.CHAR) end,
  function() s:bind_create(T.VARCHAR, -1) end, function() s:bind_create("x") end, function() s:bind_param({}) end} do print(select(2, pcall(f))) end
`), `
4	6	12	5	1	nil	0
0	0
[string "sysbench.sql.lua"]:335: cannot convert 'string' to 'int64_t'
[string "sysbench.sql.lua"]:339: cannot convert 'table' to 'double'
[string "sysbench.sql.lua"]:343: attempt to get length of local 'value' (a number value)
[string "sysbench.sql.lua"]:345: bad argument #2 to 'copy' (cannot convert 'table' to 'const void *')
x.lua:15: Unsupported argument type: 4
[string "sysbench.sql.lua"]:361: attempt to get length of local 'fmt' (a number value)
[string "sysbench.sql.lua"]:402: attempt to concatenate local 'btype' (a nil value)
x.lua:16: Unsupported argument type: 8
[string "sysbench.sql.lua"]:399: bad argument #2 to 'new' (cannot convert 'nil' to 'int')
[string "sysbench.sql.lua"]:399: bad argument #1 to 'new' (size of C type is unknown or too large)
x.lua:17: Unsupported argument type: x
[string "sysbench.sql.lua"]:420: attempt to index local 'param' (a table value)
`)
	check(t, strings.Join(d.Journal.Lines, "\n"), strings.ReplaceAll(`
Prepare INSERT VALUES (?, ?, ?)
Execute INSERT VALUES (NULL, NULL, NULL)
Execute INSERT VALUES (-3, 0.500000, 'abcde')
Execute INSERT VALUES (9007199254740993, -2.000000, '')
Execute INSERT VALUES (-1, 1180591620717411303424.000000, 'a0'b')
Execute INSERT VALUES (1, +Inf, 'fixed')
Execute INSERT VALUES (NULL, NULL, NULL)
Execute INSERT VALUES (-9223372036854775808, NULL, NULL)
Prepare UPDATE ?
Execute UPDATE 7
Close
Close
`, "a0'b", "a\x00'b"))
}

func TestBulkInserts(t *testing.T) {
	t.Parallel()
	d := &workloadtest.Driver{Journal: &workloadtest.Journal{}, Fail: func(_, text string) error {
		if strings.Contains(text, "bad") {
			return &sqldb.Restart{Err: &sqldb.Error{Code: 1213, State: "40001", Message: "Deadlock"}}
		}
		return nil
	}}
	check(t, printed(t, d, false, `
local c = sysbench.sql.driver():connect()
print(pcall(c.bulk_insert_next, c, "(1)"))
print(c:bulk_insert_done())
print(c:bulk_insert_init("INSERT VALUES"))
print(c:bulk_insert_next("(1)"), c:bulk_insert_next("(2)"))
print(c:bulk_insert_done())
c:bulk_insert_init("bad") c:bulk_insert_next("(1)")
print(pcall(c.bulk_insert_done, c)) print(c.sql_errno)
print(pcall(c.bulk_insert_init, c, ("x"):rep(524288)))
c:bulk_insert_init("x") print(pcall(c.bulk_insert_next, c, ("x"):rep(524288)))
print(c:disconnect(), c:disconnect())
for _, name in ipairs{"query", "query_row", "prepare", "more_results", "next_result"} do print(pcall(c[name], c, "SELECT 1")) end
`), `
ALERT: attempt to call bulk_insert_next() before bulk_insert_init()
false	db_bulk_insert_next() failed
true	db_bulk_insert_done() failed
true	db_bulk_insert_init() failed
true	true	db_bulk_insert_next() failed
true	db_bulk_insert_done() failed
false	db_bulk_insert_done() failed
1213
FATAL: Query length exceeds the maximum value (524288), aborting
false	db_bulk_insert_init() failed
false	db_bulk_insert_next() failed
(last message repeated 1 times)
ALERT: attempt to close an already closed connection
true	true
ALERT: attempt to use an already closed connection
false	SQL API error
false	[string "sysbench.sql.lua"]:300: SQL API error
false	SQL API error
false	SQL API error
false	SQL API error
`)
	check(t, strings.Join(d.Journal.Lines, "\n"), "Query INSERT VALUES(1),(2)\nQuery bad(1)\nQuit")
}

// A forced stop is not caught by scripts.
func TestInterruptsPassPcall(t *testing.T) {
	t.Parallel()
	for _, call := range []string{"query", "execute", "prepare", "connect", "reconnect", "bulk", "legacy"} {
		d := &workloadtest.Driver{}
		c := load(t, withDriver(t, io.Discard, d), `
c = sysbench.sql.driver():connect()
s = c:prepare("SELECT 1")
c:bulk_insert_init("x") c:bulk_insert_next("y")
db_connect()
function query() c:query("x") end
function execute() s:execute() end
function prepare_() c:prepare("x") end
function connect() sysbench.sql.driver():connect() end
function reconnect() c:reconnect() end
function bulk() c:bulk_insert_done() end
function legacy() db_query("x") end
function event(what) if what == "prepare" then what = "prepare_" end pcall(_G[what]) caught = true end`)
		d.Fail = func(string, string) error { return sqldb.ErrInterrupted }
		err := c.main.callGlobal("event", lua.LString(call))
		if !errors.Is(err, sqldb.ErrInterrupted) || c.main.L.GetGlobal("caught") != lua.LNil {
			t.Errorf("%s: %v", call, err)
		}
	}
}

// Connections end with their state, and those that the script has lost when it opens others.
func TestConnectionsAreClosed(t *testing.T) {
	t.Parallel()
	d := &workloadtest.Driver{Journal: &workloadtest.Journal{}}
	c := load(t, withDriver(t, io.Discard, d), `
function lose() for i = 1, 100 do sysbench.sql.driver():connect():query("x") end end
kept = {sysbench.sql.driver():connect(), sysbench.sql.driver():connect(), sysbench.sql.driver():connect()}
kept[3]:disconnect()
db_connect()
function event() end`)
	closed := func() int {
		return len(slices.DeleteFunc(slices.Clone(d.Journal.Lines), func(l string) bool { return l != "Quit" }))
	}
	if n := closed(); n != 1 {
		t.Errorf("%d are closed, want 1", n)
	}
	for range 3 { // some are on the stack of the state until they are overwritten
		if err := c.main.callGlobal("lose"); err != nil {
			t.Fatal(err)
		}
		runtime.GC()
	}
	if n := closed(); n < 150 {
		t.Errorf("%d of 300 lost connections are closed", n)
	}
	c.main.close()
	if n := closed(); n != 304 {
		t.Errorf("%d are closed in the end, want 304", n)
	}
}

// A query, an execution and a draw cost no garbage of their own.
func TestCallsMakeNoGarbage(t *testing.T) {
	d := &workloadtest.Driver{Silent: true, Answer: func(_ string, rows *sqldb.Rows) bool {
		rows.Begin(sqldb.Result{HasRows: true}, 1)
		rows.Row([]byte("\x03abc"))
		rows.End(1)
		return true
	}}
	c := load(t, withDriver(t, io.Discard, d), `
local c, T = sysbench.sql.driver():connect(), sysbench.sql.type
local s = c:prepare("SELECT ?, ?")
local i, v = s:bind_create(T.INT), s:bind_create(T.CHAR, 100)
s:bind_param(i, v)
function query() for i = 1, 100 do c:query("SELECT 1") end end
function execute() for n = 1, 100 do i:set(n) v:set("text") s:execute() end end
function templates() for n = 1, 100 do v:set_rand_str("###-###") end end
function draws() for n = 1, 100 do sysbench.rand.uniform(1, 100) end end
function bulk() c:bulk_insert_init("x") for n = 1, 100 do c:bulk_insert_next("(1)") end end
function legacy() for n = 1, 100 do db_query("SELECT 1") end end`)
	for _, name := range []string{"query", "execute", "templates", "draws", "bulk", "legacy"} {
		fn := c.main.L.GetGlobal(name)
		n := testing.AllocsPerRun(20, func() {
			if err := c.main.call(fn, 0); err != nil {
				t.Fatal(err)
			}
		})
		if n > 10 { // of 100 calls
			t.Errorf("%s: %v allocations in 100 calls", name, n)
		}
	}
}
