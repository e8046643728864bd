package script

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"deltabench/internal/sqldb"
	"deltabench/internal/workload/workloadtest"
)

func TestFunctionsOfOldScripts(t *testing.T) {
	t.Parallel()
	deadlock := &sqldb.Error{Code: 1213, State: "40001", Message: "Deadlock"}
	d := &workloadtest.Driver{Journal: &workloadtest.Journal{}, Fail: func(_, text string) error {
		switch {
		case strings.Contains(text, "deadlock"):
			return &sqldb.Restart{Err: deadlock, Query: text}
		case strings.Contains(text, "fatal"):
			return &sqldb.StatementError{Err: deadlock, Query: text}
		}
		return nil
	}}
	check(t, printed(t, d, false, `
print(pcall(db_bulk_insert_next, "x")) print(pcall(db_bulk_insert_done)) print(select("#", db_disconnect()), db_driver)
print(select("#", db_query("SELECT 1")), db_driver)
print(select(2, pcall(db_query, "deadlock")).errcode) print(pcall(db_query, "fatal"))
print(select("#", db_bulk_insert_init("INSERT VALUES")), select("#", db_bulk_insert_next("(1)")), select("#", db_bulk_insert_next("(2)")), select("#", db_bulk_insert_done()))
db_bulk_insert_init("fatal") db_bulk_insert_next("(1)") print(select("#", db_bulk_insert_done()))
db_bulk_insert_init("fatal") db_bulk_insert_next("(1)") print(pcall(db_bulk_insert_next, ("x"):rep(524280)))
local s = db_prepare("INSERT VALUES (?, ?)")
local params = {1, "text"}
print(type(s), select("#", db_bind_param(s, params)))
local rs = db_execute(s)
print(type(rs), select("#", db_store_results(rs)), select("#", db_free_results(rs)), select("#", db_bind_result(s, {})))
params[1] = 2^40 params[2] = 7 db_execute(s)
params[1] = "12" params[2] = nil db_execute(s)
params[1] = nil params[2] = "a'b" db_execute(s)
local names = {"db_query", "db_execute", "db_store_results", "db_bind_param", "db_bind_param", "db_bind_param", "db_bind_param", "db_bind_result"}
local args = {{{}}, {5}, {s}, {}, {s, 5}, {s, {true}}, {s, {1}}, {s}}
for i, name in ipairs(names) do print(pcall(_G[name], unpack(args[i]))) end
params[1] = true print(pcall(db_execute, s)) params[1] = "no number" print(pcall(db_execute, s)) params[1] = 1 params[2] = {} print(pcall(db_execute, s))
print(pcall(db_prepare, "fatal")) print(pcall(db_execute, db_prepare("DO fine")) == true)
db_close(s) db_connect() db_disconnect()
print(pcall(db_execute, s)) print(pcall(db_close, s))
`), `
false	Uninitialized database connection
false	Uninitialized database connection
0	nil
0	mysql
1
false	db_query() failed
0	0	0	0
0
false	db_bulk_insert_next() failed
userdata	0
userdata	0	0	0
false	bad argument #1 to '?' (string expected, got table)
false	bad argument #1 to '?' (sysbench.stmt expected, got number)
false	bad argument #1 to '?' (sysbench.rs expected, got userdata)
false	bad argument #1 to '?' (sysbench.stmt expected, got no value)
false	table was expected
false	Unsupported variable type: boolean
false	db_bind_param() failed
false	table was expected
false	bad argument #4 to '?' (number expected, got boolean)
false	bad argument #4 to '?' (number expected, got string)
false	bad argument #4 to '?' (string expected, got table)
false	db_prepare() failed
true
false	Uninitialized database connection
false	Uninitialized database connection
`)
	check(t, strings.Join(d.Journal.Lines, "\n"), `
Query SELECT 1
Query deadlock
Query fatal
Query INSERT VALUES(1),(2)
Query fatal(1)
Query fatal(1)
Prepare INSERT VALUES (?, ?)
Execute INSERT VALUES (1, 'text')
Execute INSERT VALUES (1099511627776, '7')
Execute INSERT VALUES (12, NULL)
Execute INSERT VALUES (NULL, 'a'b')
Prepare fatal
Prepare DO fine
Execute DO fine
Close
Quit
Quit
`)
}

// What old functions say when there is no driver, or no server.
func TestOldScriptsWithoutServer(t *testing.T) {
	t.Parallel()
	d := &workloadtest.Driver{Fail: func(call, _ string) error {
		if call == "connect" {
			return sqldb.ErrConnect
		}
		return nil
	}}
	check(t, printed(t, d, false, `print(pcall(db_connect)) print(pcall(sysbench.db.query, "x")) print(pcall(db_prepare, "x")) print(pcall(db_disconnect))`), `
false	Failed to connect to the database
false	Failed to connect to the database
false	Failed to connect to the database
true
`)
	h := testHost(t, t.Output())
	c := load(t, h, `function event() db_query("x") end`)
	if err := c.main.callGlobal("event"); err == nil || !strings.HasSuffix(err.Error(), ":1: DB initialization failed") {
		t.Errorf("without a driver: %v", err)
	}
}

func TestUniqueBetween(t *testing.T) {
	t.Parallel()
	check(t, printed(t, &workloadtest.Driver{}, false, `
local a = sb_rand_uniq()
print(a == sb_rand_uniq(), sb_rand_uniq(1, 2^32) > 0, sb_rand_uniq(2^31, nil) >= 2^31, sb_rand_uniq(5, 1000000) <= 1000000)
print(sb_rnd() ~= sb_rnd(), sb_rnd() % 1, sb_rand == sysbench.rand.default, sb_rand_str("x#") ~= "x#")
`), `
false	true	true	true
true	0	true	true
`)
	// A range without numbers ends with the run.
	c := load(t, testHost(t, t.Output()), `function event() sb_rand_uniq(5, 1) end`)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	c.main.Thread.Env = sqldb.Blocking{Ctx: ctx}
	if err := c.main.callGlobal("event"); !errors.Is(err, sqldb.ErrInterrupted) {
		t.Errorf("an empty range: %v", err)
	}
}
