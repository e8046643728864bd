package script

import (
	"bytes"
	"os"
	"testing"

	"deltabench/internal/mariadbtest"
	"deltabench/internal/measure"
	"deltabench/internal/sqldb"
	"deltabench/internal/sqldb/mysql"
	"deltabench/internal/textlog"
)

func TestMain(m *testing.M) { os.Exit(mariadbtest.Main(m)) }

// onServer runs event() of a script on a database of its own until it has succeeded, and returns what it printed and what
// was counted.
func onServer(t *testing.T, text string, edit func(*mysql.Config)) (string, measure.Counters) {
	t.Helper()
	server := mariadbtest.Shared(t)
	var out bytes.Buffer
	cfg := mysql.Config{
		Hosts: []string{server.Host}, Ports: []int{server.Port}, User: "sbtest", Password: "pw", DB: server.NewDatabase(t),
		IgnoreErrors: mysql.DefaultIgnoreErrors, Log: textlog.New(&out, textlog.Notice),
	}
	if edit != nil {
		edit(&cfg)
	}
	d, err := mysql.New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	h := withDriver(t, &out, d)
	h.Log = cfg.Log
	c := load(t, h, text)
	c.SetOptions(nil, nil)
	r, err := c.NewRun(c.Setup())
	if err != nil {
		t.Fatal(err)
	}
	rec := measure.NewRecorder(measure.Options{})
	thread := threadOf(c, 0)
	thread.Stats = rec.Thread()
	w, err := r.Thread(thread)
	if err != nil {
		t.Fatal(err)
	}
	err = w.Event()
	for sqldb.Restartable(err) {
		err = w.Event()
	}
	if err != nil {
		t.Errorf("%v\n%s", err, &out)
	}
	if err := w.Done(); err != nil {
		t.Error(err)
	}
	thread.Stats.Flush()
	set := &measure.Set{Recorders: []*measure.Recorder{rec}}
	return inDir.ReplaceAllString(out.String(), "x.lua:"), set.Cumulative().Counters
}

func TestManyResultsOnServer(t *testing.T) {
	t.Parallel()
	out, counters := onServer(t, `
function event()
  local con = sysbench.sql.driver():connect()
  con:query("CREATE TABLE t (id INT PRIMARY KEY)")
  con:query("CREATE PROCEDURE many(n BIGINT) BEGIN SELECT n, NULL, x'004127ff'; SELECT 1 FROM DUAL WHERE FALSE; INSERT INTO t VALUES (1); SELECT 'a' UNION ALL SELECT 'b'; END")
  local function show(rs)
    while true do
      io.write(rs == nil and "none" or rs.nrows .. "x" .. rs.nfields)
      if rs ~= nil then
        for i = 1, rs.nrows do
          local row = rs:fetch_row()
          for j = 1, rs.nfields do io.write(" ", row[j] == nil and "NULL" or row[j]:gsub("[^%w]", function(c) return "<" .. c:byte() .. ">" end), "") end
        end
      end
      if not con:more_results() then break end
      io.write("; ")
      rs = con:next_result()
    end
    print()
  end
  show(con:query("CALL many(9007199254740993)"))
  show(con:query("SELECT 1; SET @x = 5; SELECT @x"))
  con:query("SELECT 1; SELECT nothing")
  print(pcall(con.next_result, con)) print(con.sql_errno, con:more_results())
  con:query("SELECT 1; SELECT 2")
  print(pcall(con.query, con, "SELECT 3"))
  print(con:next_result():fetch_row()[1], con:query_row("SELECT 3"))
  con:query("DELETE FROM t")
  local s = con:prepare("CALL many(?)")
  local p = s:bind_create(sysbench.sql.type.BIGINT)
  s:bind_param(p) p:set(-5)
  local rs, n = s:execute(), 1
  while con:more_results() do rs = s:next_result() n = n + 1 io.write(rs.nrows, " ") end
  print(n, con:query_row("SELECT COUNT(*) FROM t"))
end`, nil)
	check(t, out, `
1x3 9007199254740993 NULL <0>A<39><255>; 0x1; 2x1 a b; none
1x1 1; none; 1x1 5
FATAL: mysql_next_result() returned error 1054 (Unknown column 'nothing' in 'SELECT')
false	SQL error, errno = 1054, state = '42S22': Unknown column 'nothing' in 'SELECT'
1054	false
FATAL: mysql_drv_query() returned error 2014 (Commands out of sync; you can't run this command now) for query 'SELECT 3'
false	SQL error, errno = 2014, state = 'HY000': Commands out of sync; you can't run this command now
2	3
0 2 0 4	1
`)
	if counters.Errors != 2 || counters.Reads != 13 {
		t.Errorf("counted: %+v", counters)
	}
}

// Integers, doubles, strings and NULLs as parameters and in results, prepared by the server and put together here.
func TestValuesOnServer(t *testing.T) {
	t.Parallel()
	const text = `
function event()
  local con, T = sysbench.sql.driver():connect(), sysbench.sql.type
  con:query("CREATE TABLE v (i BIGINT, u BIGINT UNSIGNED, d DOUBLE, s VARBINARY(100))")
  local st = con:prepare("INSERT INTO v VALUES (?, ?, ?, ?)")
  local i, u, d, s = st:bind_create(T.BIGINT), st:bind_create(T.INT), st:bind_create(T.DOUBLE), st:bind_create(T.VARCHAR, 8)
  print(st:bind_param(i, u, d, s))
  i:set(-9007199254740993LL) u:set(9007199254740993ULL) d:set(0.5) s:set("longer than that") st:execute()
  i:set(-3.9) u:set(2^53) d:set(-2.25) s:set("\255x") st:execute()
  i:set(nil) u:set(nil) d:set(nil) s:set(nil) st:execute()
  local rs = con:query("SELECT i, u, d, s FROM v")
  for n = 1, rs.nrows do local r = rs:fetch_row() print(r[1], r[2], r[3], r[4] and r[4]:gsub("\255", "<255>")) end
  print(con:query_row("SELECT 18446744073709551615, 1.50, CAST('2026-01-02' AS DATE), NULL, ''"))
  local rs = con:query("SELECT seq FROM seq_1_to_3000")
  local sum, n = 0, 0
  for row in function() return rs:fetch_row() end do sum = sum + row[1] n = n + 1 end
  print(rs.nrows, n, sum)
end`
	for _, emulate := range []bool{false, true} {
		out, counters := onServer(t, text, func(cfg *mysql.Config) { cfg.PSEmulate = emulate })
		check(t, out, `
0
-9007199254740993	9007199254740993	0.5	longer t
-3	9007199254740992	-2.25	<255>x
nil	nil	nil	nil
18446744073709551615	1.50	2026-01-02	nil	
3000	3000	4501500
`)
		if counters.Writes != 3 || counters.Reads != 3 || counters.Others != 1 || counters.Errors != 0 {
			t.Errorf("emulated=%v: counted %+v", emulate, counters)
		}
	}
}

// A lost connection is opened again and the event restarted, when that error is to be ignored; scripts can do it themselves.
func TestReconnectsOnServer(t *testing.T) {
	t.Parallel()
	out, counters := onServer(t, `
local n = 0
function thread_init()
  a, b = sysbench.sql.driver():connect(), sysbench.sql.driver():connect()
  s = a:prepare("SELECT ?")
  p = s:bind_create(sysbench.sql.type.INT)
  s:bind_param(p)
end
function sysbench.hooks.before_restart_event(e) print("restart", e.connection == a, e.query) end
function event()
  n = n + 1
  print("attempt", n)
  a:query("SET @x = " .. n)
  if n == 1 then
    b:query("KILL " .. a:query_row("SELECT CONNECTION_ID()"))
    a:query("SELECT 'lost'")
  elseif n == 2 then
    b:query("KILL " .. a:query_row("SELECT CONNECTION_ID()"))
    p:set(1) s:execute()
  end
  print(a:query_row("SELECT @x"))
  p:set(2) print(s:execute().nrows)
  print(a:reconnect(), a:query_row("SELECT @x"))
  print(s:execute().nrows, b:query_row("SELECT 'b is there'"))
  b:disconnect() print(b:reconnect(), b:query_row("SELECT 'again'"))
end`, func(cfg *mysql.Config) { cfg.IgnoreErrors = []int{2006, 2013, 1927} })
	check(t, out, `
attempt	1
restart	true	SELECT 'lost'
attempt	2
restart	true	<prepared statement>
attempt	3
3
1
true	nil
1	b is there
true	again
`)
	if counters.Reconnects != 4 || counters.Errors != 0 {
		t.Errorf("counted: %+v", counters)
	}
}
