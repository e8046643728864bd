package mysql

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"deltabench/internal/mariadbtest"
	"deltabench/internal/measure"
	"deltabench/internal/nullserver"
	"deltabench/internal/sqldb"
)

// initialised checks that a connection has what the statements of TestInitSQL set, and what no other one has.
func initialised(c sqldb.Conn) error {
	var got string
	_, err := c.Query("SELECT CONCAT_WS(' ', @@session.sort_buffer_size, @mark)", func(cells [][]byte) error {
		got = string(cells[0])
		return nil
	})
	if err == nil && got != "65536 a;b" {
		err = fmt.Errorf("the connection has %q", got)
	}
	return err
}

// TestInitSQL has connections of every kind begin with statements, again after the connection was lost.
func TestInitSQL(t *testing.T) {
	s := mariadbtest.Start(t, mariadbtest.WithTLS())
	base := Config{
		Hosts: []string{s.Host}, Ports: []int{s.Port}, User: mariadbtest.User, Password: mariadbtest.Password, DB: s.NewDatabase(t),
		IgnoreErrors: []int{2006, 2013},
		// One of them has a result, one a semicolon that separates nothing.
		InitSQL: "SET SESSION sort_buffer_size = 65536; SELECT seq FROM seq_1_to_3; SET @mark = 'a;b'; ",
	}
	for name, edit := range map[string]func(*Config){
		"plain": func(*Config) {},
		"zlib":  func(c *Config) { c.Compression = []string{"zlib"} },
		"TLS":   func(c *Config) { c.TLS, c.TLSCA = TLSVerifyCA, s.TLS.CA },
		"unix":  func(c *Config) { c.Sockets = []string{s.Socket} },
	} {
		for _, loops := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/loop=%v", name, loops), func(t *testing.T) {
				cfg := base
				edit(&cfg)
				cl := newClientFor(t, cfg)
				run := func(env sqldb.Env) error {
					c, err := cl.Connect(env, cl.stats)
					if err != nil {
						return fmt.Errorf("%w\n%s", err, cl.log)
					}
					defer c.Close()
					if err := initialised(c); err != nil {
						return err
					}
					prepared, err := c.Prepare("SELECT seq FROM seq_1_to_2 WHERE seq >= ? AND @mark = 'a;b'", 0, sqldb.IntParam)
					if err != nil {
						return err
					}
					prepared.SetInt(0, 1)
					if res, err := prepared.Execute(); err != nil || res.Rows != 2 {
						return fmt.Errorf("prepared: %+v, %w", res, err)
					}
					c.(*conn).drop()
					var r *sqldb.Restart
					if _, err := prepared.Execute(); !errors.As(err, &r) || !r.Reconnected {
						return fmt.Errorf("lost: %w", err)
					}
					if res, err := prepared.Execute(); err != nil || res.Rows != 2 {
						return fmt.Errorf("after the loss: %+v, %w", res, err)
					}
					return initialised(c)
				}
				if loops {
					inLoop(t, run)
				} else if err := run(cl.env); err != nil {
					t.Error(err)
				}
				// The statements are in no count.
				if got := cl.counters(); got != (measure.Counters{Reads: 4, Reconnects: 1}) {
					t.Errorf("counters: %+v", got)
				}
				if cl.log.Len() > 0 {
					t.Errorf("log: %s", cl.log)
				}
			})
		}
	}
}

// TestInitSQLFails is a connection that cannot be used: statements after the one that failed are not executed.
func TestInitSQLFails(t *testing.T) {
	for _, text := range []string{"SET SESSION no_such = 1; DO 1", "DO 1; SET SESSION no_such = 1"} {
		cl := newClient(t, func(cfg *Config) { cfg.IgnoreAllErrors, cfg.InitSQL = true, text })
		c, err := cl.Connect(cl.env, cl.stats)
		var e *sqldb.Error
		if c != nil || err == nil || err.Error() != "connection creation failed" || !errors.As(err, &e) || e.Code != 1193 || e.State != "HY000" || !errors.Is(e.Cause, sqldb.ErrInitSQL) {
			t.Errorf("%s: %v", text, err)
		}
		if got := cl.log.String(); !strings.HasSuffix(got, "\nFATAL: error 1193: in --mysql-init-sql: Unknown system variable 'no_such'\n") || strings.Count(got, "\n") != 2 {
			t.Errorf("%s: log: %s", text, got)
		}
		if got := cl.counters(); got != (measure.Counters{}) {
			t.Errorf("%s: counters: %+v", text, got)
		}
	}
	// Another account's rights may come in between.
	cl := newClient(t, func(cfg *Config) { cfg.IgnoreAllErrors, cfg.InitSQL = true, "SET @a = 1" })
	c := cl.connect(t)
	c.d.cfg.InitSQL = "SET SESSION no_such = 1"
	c.drop()
	var e *sqldb.Error
	if _, err := c.Query("SELECT 1", nil); err == nil || err.Error() != "connection creation failed" || !errors.As(err, &e) || e.Code != 1193 {
		t.Errorf("after a loss: %v", err)
	}
}

// TestInitSQLIsFirst looks at what the server gets: one packet after the login of each connection, before anything else.
func TestInitSQLIsFirst(t *testing.T) {
	var mu sync.Mutex
	var seen []string
	_, cfg := startNull(t, nullserver.Options{MySQL: true, OptionalMetadata: true, Handler: variantHandler, Fault: func(q *nullserver.Query) nullserver.Fault {
		mu.Lock()
		defer mu.Unlock()
		if q.SQL != "" {
			seen = append(seen, fmt.Sprintf("%d:%s", q.Connection, q.SQL))
		}
		return nullserver.Fault{}
	}})
	cfg.InitSQL = "SET a = 1"
	cl := newClientFor(t, cfg)
	c := cl.connect(t)
	if _, err := c.Query("DO 1", nil); err != nil {
		t.Fatal(err)
	}
	c.drop()
	if err := c.Reconnect(); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Query("DO 2", nil); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	got := strings.Join(seen, "\n")
	for _, want := range []string{"1:SET a = 1\n1:DO 1\n", "2:SET a = 1\n2:DO 2"} {
		if !strings.Contains(got, want) {
			t.Errorf("the server got\n%s\nwithout\n%s", got, want)
		}
	}
	if n := strings.Count(got, "SET a"); n != 2 {
		t.Errorf("%d times:\n%s", n, got)
	}
}
