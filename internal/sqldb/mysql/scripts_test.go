package mysql

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"deltabench/internal/sqldb"
)

// script is a connection with the place of its results.
type script struct {
	*conn
	rows *sqldb.Rows
}

// all is what a stored statement returned, with the results that come after the first.
func (s script) all(t *testing.T, res sqldb.Result, err error) string {
	t.Helper()
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	for {
		if res.HasRows {
			fmt.Fprintf(&b, "%dx%d", res.Rows, s.rows.Columns())
		} else {
			fmt.Fprintf(&b, "changed %d", res.Affected)
		}
		for {
			cells, err := s.rows.Next(nil)
			if err != nil {
				t.Fatal(err)
			}
			if cells == nil {
				break
			}
			b.WriteString(" (")
			for i, c := range cells {
				if i > 0 {
					b.WriteByte(',')
				}
				if c == nil {
					b.WriteString("NULL")
				} else {
					fmt.Fprintf(&b, "%q", c)
				}
			}
			b.WriteByte(')')
		}
		var ok bool
		res, ok, err = s.NextResult()
		if err != nil {
			return b.String() + "; " + err.Error()
		}
		if !ok {
			return b.String()
		}
		b.WriteString("; ")
	}
}

func (s script) store(t *testing.T, text string) string {
	t.Helper()
	res, err := s.Store(text, s.rows)
	return s.all(t, res, err)
}

func TestStore(t *testing.T) {
	t.Parallel()
	c := newClient(t, nil)
	s := script{c.connect(t), &sqldb.Rows{}}
	for _, step := range [][2]string{
		{"CREATE TABLE t (id INT PRIMARY KEY, v VARBINARY(300))", "changed 0"},
		{"INSERT INTO t VALUES (1, x'00ff27'), (2, NULL), (3, '')", "changed 3"},
		{"SELECT * FROM t ORDER BY id", `3x2 ("1","\x00\xff'") ("2",NULL) ("3","")`},
		{"SELECT id FROM t WHERE id > 9", `0x1`},
		{"SELECT 1; SELECT 'a', 'b'; UPDATE t SET v = 'x'; SELECT NULL", `1x1 ("1"); 1x2 ("a","b"); changed 3; 1x1 (NULL)`},
		{"CREATE PROCEDURE p() BEGIN SELECT id FROM t WHERE id < 3; SELECT 5 FROM DUAL WHERE 1 = 0; SELECT 'last'; END", "changed 0"},
		{"CALL p()", `2x1 ("1") ("2"); 0x1; 1x1 ("last"); changed 0`},
		{"SELECT 1; SELECT nothing; SELECT 2", `1x1 ("1"); SQL error, errno = 1054, state = '42S22': Unknown column 'nothing' in 'SELECT'`},
		{"SELECT 18446744073709551615, -9007199254740993", `1x2 ("18446744073709551615","-9007199254740993")`},
	} {
		if got := s.store(t, step[0]); got != step[1] {
			t.Errorf("%s\ngot  %s\nwant %s", step[0], got, step[1])
		}
	}
	if got := c.counters(); got.Reads != 10 || got.Writes != 2 || got.Others != 3 || got.Errors != 1 {
		t.Errorf("counters: %+v", got) // each result is a statement
	}
}

// While results are pending, no other statement is executed, as with the client library.
func TestStoreOutOfSync(t *testing.T) {
	t.Parallel()
	c := newClient(t, nil)
	s := script{c.connect(t), &sqldb.Rows{}}
	st, err := s.PrepareUnbound("SELECT 5")
	if err != nil {
		t.Fatal(err)
	}
	outOfSync := func(what string, err error) {
		t.Helper()
		var e *sqldb.Error
		if !errors.As(err, &e) || e.Code != 2014 || e.State != "HY000" {
			t.Errorf("%s: %v, want error 2014", what, err)
		}
	}
	if _, err := s.Store("SELECT 1; SELECT 2", s.rows); err != nil {
		t.Fatal(err)
	}
	_, err = s.Store("SELECT 3", s.rows)
	outOfSync("Store", err)
	_, err = s.Query("SELECT 3", nil)
	outOfSync("Query", err)
	_, err = st.ExecuteStored(s.rows)
	outOfSync("ExecuteStored", err)
	_, err = s.PrepareUnbound("SELECT 4")
	outOfSync("PrepareUnbound", err)
	if res, ok, err := s.NextResult(); !ok || err != nil || res.Rows != 1 {
		t.Errorf("NextResult: %+v, %v, %v", res, ok, err)
	}
	if _, ok, err := s.NextResult(); ok || err != nil {
		t.Errorf("after the last result: %v, %v", ok, err)
	}
	if got := s.store(t, "SELECT 3"); got != `1x1 ("3")` {
		t.Errorf("then: %s", got)
	}
	const line = "FATAL: mysql_drv_query() returned error 2014 (Commands out of sync; you can't run this command now) for query 'SELECT 3'"
	if !strings.Contains(c.log.String(), line) {
		t.Errorf("log:\n%s", c.log)
	}
	if _, err := s.Store("SELECT 1; SELECT 2", s.rows); err != nil {
		t.Fatal(err)
	}
	if err := s.Reconnect(); err != nil {
		t.Fatal(err)
	}
	if got := s.store(t, "SELECT 3"); got != `1x1 ("3")` {
		t.Errorf("after Reconnect: %s", got)
	}
}

func TestBind(t *testing.T) {
	t.Parallel()
	for _, emulate := range []bool{false, true} {
		t.Run(fmt.Sprintf("emulated=%v", emulate), func(t *testing.T) {
			t.Parallel()
			c := newClient(t, func(cfg *Config) { cfg.PSEmulate = emulate })
			s := script{c.connect(t), &sqldb.Rows{}}
			s.store(t, "CREATE TABLE t (i BIGINT, d DOUBLE, v VARCHAR(50))")
			st, err := s.PrepareUnbound("INSERT INTO t VALUES (?, ?, ?)")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := st.ExecuteStored(s.rows); err == nil {
				t.Error("executed without parameters")
			}
			if err := st.Bind(sqldb.IntParam); (err == nil) != emulate {
				t.Errorf("bind of one parameter: %v", err)
			}
			if err := st.Bind(sqldb.IntParam, sqldb.DoubleParam, sqldb.StringParam); err != nil {
				t.Fatal(err)
			}
			execute := func(want string) {
				t.Helper()
				res, err := st.ExecuteStored(s.rows)
				if got := s.all(t, res, err); got != want {
					t.Errorf("got %s, want %s", got, want)
				}
			}
			execute("changed 1")
			st.SetInt(0, -9007199254740993)
			st.SetDouble(1, 2.5)
			st.SetString(2, []byte("text"))
			execute("changed 1")
			if err := s.Reconnect(); err != nil { // it is prepared again
				t.Fatal(err)
			}
			if err := st.Bind(sqldb.StringParam, sqldb.StringParam, sqldb.IntParam); err != nil {
				t.Fatal(err)
			}
			st.SetString(0, []byte("7"))
			st.SetInt(2, 1<<40)
			execute("changed 1")
			const want = `3x3 (NULL,NULL,NULL) ("-9007199254740993","2.5","text") ("7",NULL,"1099511627776")`
			if got := s.store(t, "SELECT * FROM t"); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			sel, err := s.PrepareUnbound("SELECT i FROM t")
			if err != nil {
				t.Fatal(err)
			}
			res, err := sel.ExecuteStored(s.rows)
			if err != nil || res.Rows != 3 || s.rows.Columns() != map[bool]int{false: 0, true: 1}[emulate] {
				t.Errorf("select: %+v, %v, %d columns", res, err, s.rows.Columns())
			}
			if n := strings.Count(c.log.String(), "FATAL: Wrong number of parameters to mysql_stmt_bind_param\n"); (n == 1) == emulate {
				t.Errorf("log:\n%s", c.log)
			}
		})
	}
}

// A statement with parameters costs no garbage, and neither does a query that is stored.
func TestScriptsMakeNoGarbage(t *testing.T) {
	const end = "\xfe\x00\x00\x02\x00\x00\x00"
	row := "\x78" + strings.Repeat("x", 120)
	c := canned(1<<24, "\x01", strings.Repeat("c", 40), row, row, end)
	rows := &sqldb.Rows{}
	st := &stmt{c: c, id: 1, unbound: true, count: 2}
	if err := st.Bind(sqldb.IntParam, sqldb.StringParam); err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]func() (sqldb.Result, error){
		"execute": func() (sqldb.Result, error) {
			st.SetInt(0, 5)
			st.SetString(1, []byte("text"))
			return st.ExecuteStored(rows)
		},
		"query": func() (sqldb.Result, error) { return c.Store("SELECT c FROM t", rows) },
	} {
		n := testing.AllocsPerRun(100, func() {
			if res, err := f(); err != nil || res.Rows != 2 {
				t.Fatal(res, err)
			}
		})
		if n > 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func TestDryRunOfScripts(t *testing.T) {
	t.Parallel()
	c := newClient(t, func(cfg *Config) { cfg.DryRun = true })
	sc, err := c.Connect(c.env, c.stats)
	if err != nil {
		t.Fatal(err)
	}
	s := sc.(sqldb.ScriptConn)
	rows := &sqldb.Rows{}
	if res, err := s.Store("SELECT 1", rows); err != nil || res.HasRows {
		t.Errorf("%+v, %v", res, err)
	}
	st, err := s.PrepareUnbound("SELECT ?")
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Bind(sqldb.IntParam); err != nil {
		t.Error(err)
	}
	st.SetInt(0, 1)
	if res, err := st.ExecuteStored(rows); err != nil || res.HasRows {
		t.Errorf("%+v, %v", res, err)
	}
	if _, ok, err := s.NextResult(); ok || err != nil {
		t.Errorf("next result: %v, %v", ok, err)
	}
	if got := c.counters(); got.Others != 2 {
		t.Errorf("counters: %+v", got)
	}
	_ = s.Close()
	if _, err := s.PrepareUnbound("SELECT 1"); err == nil {
		t.Error("a closed connection prepares")
	}
}
