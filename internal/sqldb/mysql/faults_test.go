package mysql

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"deltabench/internal/loop"
	"deltabench/internal/measure"
	"deltabench/internal/nullserver"
	"deltabench/internal/sqldb"
	"deltabench/internal/wire"
)

// startNull starts a null server and returns a configuration to reach it.
func startNull(t *testing.T, o nullserver.Options) (*nullserver.Server, Config) {
	t.Helper()
	s, err := nullserver.Listen(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s, Config{Hosts: []string{"127.0.0.1"}, Ports: []int{s.Addr().(*net.TCPAddr).Port}, User: "u", Password: "pw", DB: "db"}
}

func TestFaultsInReplies(t *testing.T) {
	tests := []struct {
		name  string
		fault nullserver.Fault
		code  int // 0: no error
		text  string
	}{
		{"close", nullserver.Fault{Kind: nullserver.FaultClose}, 2013, "Lost connection to server during query"},
		{"reset", nullserver.Fault{Kind: nullserver.FaultClose, Reset: true}, 2013, "Lost connection to server during query"},
		{"cut within the first packet", nullserver.Fault{Kind: nullserver.FaultCut, N: 4}, 2013, "Lost connection to server during query"},
		{"cut after a byte", nullserver.Fault{Kind: nullserver.FaultCut, N: 1}, 2013, "Lost connection to server during query"},
		{"garbage", nullserver.Fault{Kind: nullserver.FaultGarbage}, 2027, "Malformed packet"},
		{"sequence", nullserver.Fault{Kind: nullserver.FaultSequence}, 2027, "Malformed packet (packets out of order: got sequence number 2, want 1)"},
		{"split", nullserver.Fault{Kind: nullserver.FaultSplit}, 0, ""},
		{"hang up", nullserver.Fault{Kind: nullserver.FaultHangUp}, 0, ""},
	}
	for _, test := range tests {
		for _, prepared := range []bool{false, true} {
			name := fmt.Sprintf("%s, prepared %v", test.name, prepared)
			_, cfg := startNull(t, nullserver.Options{Fault: func(q *nullserver.Query) nullserver.Fault {
				if strings.Contains(q.SQL, "faulty") && q.Command != wire.ComStmtPrepare {
					return test.fault
				}
				return nullserver.Fault{}
			}})
			cl := newClientFor(t, cfg)
			c := cl.connect(t)
			const text = "SELECT faulty FROM t WHERE id=1"
			run := func() error { _, err := c.Query(text, nil); return err }
			if prepared {
				s, err := c.Prepare(text, 0)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				run = func() error { _, err := s.Execute(); return err }
			}
			err := run()
			if test.code == 0 {
				if err != nil {
					t.Errorf("%s: %v", name, err)
				}
				continue
			}
			var e *sqldb.Error
			if !errors.As(err, &e) || e.Code != test.code || !strings.HasPrefix(e.Message, test.text) || e.State != "HY000" {
				t.Errorf("%s: got %v, want %d %s", name, err, test.code, test.text)
			}
			call := "mysql_drv_query()"
			if prepared {
				call = "mysql_stmt_execute()"
			}
			if want := fmt.Sprintf("FATAL: %s returned error %d (%s", call, test.code, test.text); !strings.HasPrefix(cl.log.String(), want) || !strings.HasSuffix(cl.log.String(), ") for query '"+text+"'\n") {
				t.Errorf("%s: log: got %q, want %q", name, cl.log, want)
			}
			err = run()
			if !errors.As(err, &e) || e.Code != 2006 {
				t.Errorf("%s: then got %v, want 2006", name, err)
			}
		}
	}
}

func TestReconnectPreparesAgain(t *testing.T) {
	var mu sync.Mutex
	var seen []string
	fail := true
	_, cfg := startNull(t, nullserver.Options{Fault: func(q *nullserver.Query) nullserver.Fault {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, fmt.Sprintf("%d:%#x:%s", q.Connection, byte(q.Command), q.SQL))
		if q.Command == wire.ComStmtExecute && fail {
			fail = false
			return nullserver.Fault{Kind: nullserver.FaultClose}
		}
		// The first attempt to prepare again is cut off, too.
		if q.Connection == 2 && q.Command == wire.ComStmtPrepare {
			return nullserver.Fault{Kind: nullserver.FaultCut, N: 3}
		}
		return nullserver.Fault{}
	}})
	cfg.IgnoreErrors = []int{2013}
	cl := newClientFor(t, cfg)
	c := cl.connect(t)
	a, err := c.Prepare("SELECT a FROM t WHERE id=?", 0, sqldb.IntParam)
	if err != nil {
		t.Fatal(err)
	}
	b, err := c.Prepare("SELECT b FROM t WHERE id=?", 0, sqldb.IntParam)
	if err != nil {
		t.Fatal(err)
	}
	gone, err := c.Prepare("SELECT gone FROM t", 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := gone.Close(); err != nil {
		t.Fatal(err)
	}
	a.SetInt(0, 1)
	b.SetInt(0, 1)
	var r *sqldb.Restart
	if _, err := a.Execute(); !errors.As(err, &r) || !r.Reconnected {
		t.Fatalf("got %v", err)
	}
	for _, s := range []sqldb.Stmt{a, b} {
		if res, err := s.Execute(); err != nil || res.Rows != 1 {
			t.Errorf("got %+v, %v", res, err)
		}
	}
	mu.Lock()
	got := strings.Join(seen, "\n")
	mu.Unlock()
	if want := "3:0x16:SELECT a FROM t WHERE id=?\n3:0x16:SELECT b FROM t WHERE id=?\n3:0x17:SELECT a FROM t WHERE id=?\n3:0x17:SELECT b"; !strings.Contains(got, want) {
		t.Errorf("the server saw\n%s\nwant\n%s", got, want)
	}
	if got := cl.counters(); got != (measure.Counters{Reads: 2, Reconnects: 1}) {
		t.Errorf("counters: got %+v", got)
	}
	if got := cl.log.String(); got != "" {
		t.Errorf("log: got %q", got)
	}
}

// A table that is gone when statements are prepared again is a fatal error, not an endless loop.
func TestReconnectPrepareRefused(t *testing.T) {
	_, cfg := startNull(t, nullserver.Options{
		Handler: func(q *nullserver.Query) *nullserver.Reply {
			if q.Command == wire.ComStmtPrepare && q.Connection > 1 {
				return nullserver.Error(1146, "42S02", "Table 'db.t' doesn't exist")
			}
			return nullserver.Affected(0)
		},
		Fault: func(q *nullserver.Query) nullserver.Fault {
			if q.Command == wire.ComStmtExecute {
				return nullserver.Fault{Kind: nullserver.FaultClose}
			}
			return nullserver.Fault{}
		},
	})
	cfg.IgnoreAllErrors = true
	cl := newClientFor(t, cfg)
	c := cl.connect(t)
	s, err := c.Prepare("DELETE FROM t", 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Execute()
	var e *sqldb.Error
	if err == nil || err.Error() != "SQL API error" || !errors.As(err, &e) || e.Code != 1146 {
		t.Errorf("got %v", err)
	}
	if want := "FATAL: mysql_stmt_prepare() failed\nFATAL: MySQL error: 1146 \"Table 'db.t' doesn't exist\"\n"; cl.log.String() != want {
		t.Errorf("log: got %q, want %q", cl.log, want)
	}
	if got := cl.counters(); got != (measure.Counters{Errors: 1}) {
		t.Errorf("counters: got %+v", got)
	}
}

func TestLoginFailures(t *testing.T) {
	login := func(f nullserver.Fault) func(*nullserver.Query) nullserver.Fault {
		return func(q *nullserver.Query) nullserver.Fault {
			if q.Login() {
				return f
			}
			return nullserver.Fault{}
		}
	}
	tests := []struct {
		name string
		o    nullserver.Options
		edit func(*Config)
		want string
	}{
		{
			"refused",
			nullserver.Options{Refuse: func(uint32) *wire.ERR { return &wire.ERR{Code: 1040, State: "08004", Message: "Too many connections"} }},
			nil,
			"error 1040: Too many connections",
		},
		{
			"closed",
			nullserver.Options{Fault: login(nullserver.Fault{Kind: nullserver.FaultClose})},
			nil,
			"error 2013: Lost connection to server at 'reading authorization packet', system error: 11",
		},
		{
			"cut",
			nullserver.Options{Fault: login(nullserver.Fault{Kind: nullserver.FaultCut})},
			nil,
			"error 2013: Lost connection to server at 'reading authorization packet', system error: 11",
		},
		{
			"silent",
			nullserver.Options{Fault: login(nullserver.Fault{Kind: nullserver.FaultSilence})},
			func(c *Config) { c.ConnectTimeout = 50 * time.Millisecond },
			"error 2013: Lost connection to server at 'reading authorization packet', system error: 110",
		},
		{
			"clear text password",
			nullserver.Options{User: "u", Password: "pw", Auth: "mysql_clear_password"},
			nil,
			"error 2059: Authentication plugin 'mysql_clear_password' cannot be loaded: ",
		},
		{
			"RSA key that the server has not",
			nullserver.Options{User: "u", Password: "pw", Auth: "caching_sha2_password", MySQL: true},
			nil,
			"error ",
		},
	}
	for _, test := range tests {
		_, cfg := startNull(t, test.o)
		if test.edit != nil {
			test.edit(&cfg)
		}
		cl := newClientFor(t, cfg)
		_, err := cl.Connect(cl.env, cl.stats)
		if err == nil || err.Error() != "connection creation failed" {
			t.Errorf("%s: got %v", test.name, err)
		}
		_, second, _ := strings.Cut(cl.log.String(), "\n")
		if !strings.HasPrefix(second, "FATAL: "+test.want) || strings.Contains(second, "'pw'") {
			t.Errorf("%s: log: got %q, want %q", test.name, second, test.want)
		}
	}
	greetings := []struct{ name, bytes, want string }{
		{"nothing", "", "error 2013: Lost connection to server at 'handshake: reading initial communication packet', system error: 11"},
		{"another protocol", "SSH-2.0-OpenSSH_9.2p1 Debian\r\n", "error 2013: Lost connection to server at 'handshake: reading initial communication packet', system error: 11"},
		{"version", "\x05\x00\x00\x00\x09abc\x00", "error 2007: Protocol mismatch. Server Version = 9 Client Version = 10"},
		{"empty packet", "\x00\x00\x00\x00", "error 2027: Malformed packet (empty greeting)"},
		{"short", "\x05\x00\x00\x00\x0aabc\x00", "error 2027: Malformed packet (malformed packet: handshake: shorter than its fixed fields)"},
	}
	for _, test := range greetings {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		wg.Go(func() {
			nc, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = nc.Write([]byte(test.bytes))
			_ = nc.(*net.TCPConn).CloseWrite()
			_, _ = nc.Read(make([]byte, 1))
			_ = nc.Close()
		})
		cl := newClientFor(t, Config{Hosts: []string{"127.0.0.1"}, Ports: []int{l.Addr().(*net.TCPAddr).Port}, User: "u"})
		if _, err := cl.Connect(cl.env, nil); err == nil {
			t.Errorf("%s: no error", test.name)
		}
		_ = l.Close()
		wg.Wait()
		if _, second, _ := strings.Cut(cl.log.String(), "\n"); second != "FATAL: "+test.want+"\n" {
			t.Errorf("%s: log: got %q, want %q", test.name, second, test.want)
		}
	}
}

// deadlineEnv hands out the connection that it dialled, so that a test can cut it short as the engine does.
type deadlineEnv struct {
	sqldb.Blocking
	mu sync.Mutex
	nc net.Conn
}

func (e *deadlineEnv) Dial(network, address string, timeout time.Duration) (net.Conn, error) {
	nc, err := e.Blocking.Dial(network, address, timeout)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.nc = nc
	return nc, err
}

func TestInterrupt(t *testing.T) {
	s, cfg := startNull(t, nullserver.Options{})
	cfg.IgnoreAllErrors = true
	t.Run("goroutine", func(t *testing.T) {
		cl := newClientFor(t, cfg)
		env := &deadlineEnv{Blocking: cl.env}
		c, err := cl.Connect(env, cl.stats)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		s.Stall()
		defer s.Resume()
		go func() {
			time.Sleep(50 * time.Millisecond)
			env.mu.Lock()
			defer env.mu.Unlock()
			_ = env.nc.SetDeadline(time.Unix(1, 0))
		}()
		checkInterrupted(t, cl, c)
	})
	t.Run("loop", func(t *testing.T) {
		cl := newClientFor(t, cfg)
		l, err := loop.New(loop.Options{})
		if err != nil {
			t.Fatal(err)
		}
		l.Go(func(task *loop.Task) {
			c, err := cl.Connect(loopEnv{task}, cl.stats)
			if err != nil {
				t.Error(err)
				return
			}
			defer c.Close()
			s.Stall()
			defer s.Resume()
			go func() {
				time.Sleep(50 * time.Millisecond)
				l.Post(func() { l.InterruptAll(sqldb.ErrInterrupted) })
			}()
			checkInterrupted(t, cl, c)
		})
		if err := l.Run(); err != nil {
			t.Error(err)
		}
	})
	t.Run("login", func(t *testing.T) {
		cl := newClientFor(t, cfg)
		env := &deadlineEnv{Blocking: cl.env}
		s.Stall()
		defer s.Resume()
		go func() {
			for {
				time.Sleep(10 * time.Millisecond)
				env.mu.Lock()
				nc := env.nc
				env.mu.Unlock()
				if nc != nil {
					_ = nc.SetDeadline(time.Unix(1, 0))
					return
				}
			}
		}()
		if _, err := cl.Connect(env, cl.stats); !errors.Is(err, sqldb.ErrInterrupted) {
			t.Errorf("got %v", err)
		}
		if cl.log.Len() != 0 {
			t.Errorf("log: got %q", cl.log)
		}
	})
	t.Run("dial", func(t *testing.T) {
		cl := newClientFor(t, cfg)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := cl.Connect(interruptedEnv{sqldb.Blocking{Ctx: ctx}}, cl.stats); !errors.Is(err, sqldb.ErrInterrupted) {
			t.Errorf("got %v", err)
		}
	})
}

// interruptedEnv is an environment whose run has been cut short.
type interruptedEnv struct{ sqldb.Blocking }

func (interruptedEnv) Dial(string, string, time.Duration) (net.Conn, error) {
	return nil, fmt.Errorf("dial: %w", sqldb.ErrInterrupted)
}

// checkInterrupted makes a call that is cut short, and looks at what follows.
func checkInterrupted(t *testing.T, cl *client, c sqldb.Conn) {
	t.Helper()
	if _, err := c.Query("SELECT c FROM sbtest1 WHERE id=1", nil); !errors.Is(err, sqldb.ErrInterrupted) || sqldb.Restartable(err) {
		t.Errorf("got %v", err)
	}
	// The reply may still come: nothing else may be asked on this connection.
	if _, err := c.Query("SELECT c FROM sbtest1 WHERE id=1", nil); !errors.Is(err, sqldb.ErrInterrupted) {
		t.Errorf("second call: got %v", err)
	}
	if _, err := c.Prepare("SELECT 1", 0); !errors.Is(err, sqldb.ErrInterrupted) {
		t.Errorf("prepare: got %v", err)
	}
	if err := c.Reconnect(); !errors.Is(err, sqldb.ErrInterrupted) {
		t.Errorf("reconnect: got %v", err)
	}
	if got := cl.counters(); got != (measure.Counters{}) {
		t.Errorf("counters: got %+v, want nothing", got)
	}
	if cl.log.Len() != 0 {
		t.Errorf("log: got %q", cl.log)
	}
}

func TestUnixSocketQueueFull(t *testing.T) {
	env := &fullQueueEnv{Blocking: sqldb.Blocking{Ctx: t.Context()}, left: 3}
	s, err := nullserver.Listen(nullserver.Options{Listen: t.TempDir() + "/s"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	cl := newClientFor(t, Config{Sockets: []string{s.Addr().String()}, User: "u"})
	c, err := cl.Connect(env, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil || env.left != 0 {
		t.Errorf("got %v, %d refusals left", err, env.left)
	}
}

// fullQueueEnv refuses the first connections as a Unix socket with a full queue does.
type fullQueueEnv struct {
	sqldb.Blocking
	left int
}

func (e *fullQueueEnv) Dial(network, address string, timeout time.Duration) (net.Conn, error) {
	if e.left > 0 {
		e.left--
		return nil, &net.OpError{Op: "dial", Net: network, Err: os.NewSyscallError("connect", syscall.EAGAIN)}
	}
	return e.Blocking.Dial(network, address, timeout)
}
