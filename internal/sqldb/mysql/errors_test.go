package mysql

import (
	"context"
	"errors"
	"fmt"
	"net"
	"regexp"
	"strings"
	"testing"
	"time"

	"deltabench/internal/mariadbtest"
	"deltabench/internal/measure"
	"deltabench/internal/sqldb"
)

func TestFatalErrors(t *testing.T) {
	cl := newClient(t, nil)
	c := cl.connect(t)
	db := c.d.cfg.DB
	tests := []struct {
		name, text, log, err string
		prepared             bool
	}{
		{
			name: "query", text: "SELECT * FROM x",
			log: "FATAL: mysql_drv_query() returned error 1146 (Table 'DB.x' doesn't exist) for query 'SELECT * FROM x'\n",
			err: "SQL error, errno = 1146, state = '42S02': Table 'DB.x' doesn't exist",
		},
		{
			name: "prepare", text: "SELECT * FROM x", prepared: true,
			log: "FATAL: mysql_stmt_prepare() failed\nFATAL: MySQL error: 1146 \"Table 'DB.x' doesn't exist\"\n",
			err: "SQL API error",
		},
		{
			name: "execute", text: "SELECT 1 FROM (SELECT 1 UNION SELECT 2) a WHERE 1=(SELECT 1 UNION SELECT 2)", prepared: true,
			log: "FATAL: mysql_stmt_execute() returned error 1242 (Subquery returns more than 1 row) for query 'SELECT 1 FROM (SELECT 1 UNION SELECT 2) a WHERE 1=(SELECT 1 UNION SELECT 2)'\n",
			err: "SQL error, errno = 1242, state = '21000': Subquery returns more than 1 row",
		},
		{
			name: "within rows", text: "SELECT EXP(seq*100) FROM seq_1_to_100",
			log: "FATAL: mysql_store_result() returned error 1690 (DOUBLE value is out of range in 'exp(`DB`.`seq_1_to_100`.`seq` * 100)')\n",
			err: "SQL error, errno = 1690, state = '22003': DOUBLE value is out of range in 'exp(`DB`.`seq_1_to_100`.`seq` * 100)'",
		},
		{
			name: "within rows, prepared", text: "SELECT EXP(seq*100) FROM seq_1_to_100", prepared: true,
			log: "FATAL: mysql_stmt_store_result() returned error 1690 (DOUBLE value is out of range in 'exp(`DB`.`seq_1_to_100`.`seq` * 100)')\n",
			err: "SQL error, errno = 1690, state = '22003': DOUBLE value is out of range in 'exp(`DB`.`seq_1_to_100`.`seq` * 100)'",
		},
	}
	counted := int64(0)
	for _, test := range tests {
		cl.log.Reset()
		var err error
		if test.prepared {
			var s sqldb.Stmt
			if s, err = c.Prepare(test.text, 0); err == nil {
				_, err = s.Execute()
				counted++
			}
		} else {
			_, err = c.Query(test.text, nil)
			counted++
		}
		var e *sqldb.Error
		if err == nil || err.Error() != strings.ReplaceAll(test.err, "DB", db) || !errors.As(err, &e) || sqldb.Restartable(err) {
			t.Errorf("%s: got error %v, want %s", test.name, err, test.err)
		}
		if got, want := cl.log.String(), strings.ReplaceAll(test.log, "DB", db); got != want {
			t.Errorf("%s: got log %q, want %q", test.name, got, want)
		}
	}
	if got := cl.counters(); got != (measure.Counters{Errors: counted}) {
		t.Errorf("counters: got %+v, want %d errors", got, counted)
	}
	if got := query(t, c, "SELECT 7"); got[0][0] != "7" {
		t.Errorf("after errors: got %v", got)
	}
}

func TestIgnoredErrors(t *testing.T) {
	cl := newClient(t, func(cfg *Config) { cfg.IgnoreErrors = []int{1064} })
	c := cl.connect(t)
	_, err := c.Query("bogus", nil)
	var r *sqldb.Restart
	if !errors.As(err, &r) || r.Err.Code != 1064 || r.Err.State != "42000" || r.Query != "bogus" || r.Reconnected {
		t.Fatalf("got %#v", err)
	}
	if got := cl.log.String(); !strings.HasPrefix(got, "DEBUG: Ignoring error 1064 You have an error") || !strings.HasSuffix(got, "at line 1, \n") {
		t.Errorf("log: got %q", got)
	}
	if got := cl.counters(); got != (measure.Counters{Errors: 1}) {
		t.Errorf("counters: got %+v", got)
	}
	if _, err := c.Query("SELECT * FROM x", nil); err == nil || sqldb.Restartable(err) {
		t.Errorf("error not in the list: got %v", err)
	}
}

func TestUnsupportedPreparedStatementIsEmulated(t *testing.T) {
	cl := newClient(t, nil)
	c := cl.connect(t)
	s, err := c.Prepare("PREPARE s FROM 'SELECT 1'", 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Execute(); err != nil {
		t.Fatal(err)
	}
	if got := query(t, c, "EXECUTE s"); got[0][0] != "1" {
		t.Errorf("got %v", got)
	}
	if got := cl.log.String(); got != "" {
		t.Errorf("log: got %q", got)
	}
}

func TestWrongNumberOfParameters(t *testing.T) {
	cl := newClient(t, nil)
	c := cl.connect(t)
	_, err := c.Prepare("SELECT ?, ?", 0, sqldb.IntParam)
	if err == nil || err.Error() != "SQL API error" {
		t.Errorf("got %v", err)
	}
	if got := cl.log.String(); got != "FATAL: Wrong number of parameters to mysql_stmt_bind_param\n" {
		t.Errorf("log: got %q", got)
	}
	if got := query(t, c, "SELECT 7"); got[0][0] != "7" {
		t.Errorf("got %v", got)
	}
}

func TestLostConnectionIsFatalUnlessIgnored(t *testing.T) {
	cl := newClient(t, nil)
	c := cl.connect(t)
	id := query(t, c, "SELECT CONNECTION_ID()")[0][0]
	killConnection(t, id)
	_, err := c.Query("SELECT 1", nil)
	var e *sqldb.Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v", err)
	}
	if e.Code != 2013 && e.Code != 2006 {
		t.Errorf("got %v", err)
	}
	_, err = c.Query("SELECT 1", nil)
	if want := "SQL error, errno = 2006, state = 'HY000': Server has gone away"; err == nil || err.Error() != want {
		t.Errorf("second call: got %v, want %s", err, want)
	}
	if err := c.Reconnect(); err != nil {
		t.Fatal(err)
	}
	if got := query(t, c, "SELECT 7"); got[0][0] != "7" {
		t.Errorf("got %v", got)
	}
	if got := cl.counters(); got.Reconnects != 1 || got.Errors != 2 {
		t.Errorf("counters: got %+v", got)
	}
}

// killConnection kills a connection of the shared server and waits until it is gone.
func killConnection(t *testing.T, id string) {
	t.Helper()
	s := mariadbtest.Shared(t)
	db := s.DB(t)
	if _, err := db.Exec("KILL " + id); err != nil {
		t.Fatal(err)
	}
	for range 500 {
		var n int
		if err := db.QueryRow("SELECT COUNT(*) FROM information_schema.processlist WHERE id=" + id).Scan(&n); err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("the connection is still there")
}

func TestReconnectAfterServerRestart(t *testing.T) {
	s := mariadbtest.Start(t)
	cfg := Config{
		Hosts: []string{s.Host}, Ports: []int{s.Port}, User: "sbtest", Password: "pw", DB: s.NewDatabase(t),
		IgnoreErrors: []int{2013, 2006},
	}
	cl := newClientFor(t, cfg)
	c := cl.connect(t)
	stmt, err := c.Prepare("SELECT seq FROM seq_1_to_2 WHERE seq >= ?", 0, sqldb.IntParam)
	if err != nil {
		t.Fatal(err)
	}
	stmt.SetInt(0, 1)
	if _, err := stmt.Execute(); err != nil {
		t.Fatal(err)
	}
	s.Kill(t)
	restarted := make(chan struct{})
	go func() {
		defer close(restarted)
		time.Sleep(100 * time.Millisecond)
		s.Restart(t)
	}()
	_, err = stmt.Execute()
	<-restarted
	var r *sqldb.Restart
	if !errors.As(err, &r) || !r.Reconnected || r.Query != "<prepared statement>" || r.Err.Code != 2013 && r.Err.Code != 2006 {
		t.Fatalf("got %v\n%s", err, cl.log)
	}
	res, err := stmt.Execute()
	if err != nil || res.Rows != 2 {
		t.Errorf("after the restart: got %+v, %v", res, err)
	}
	if got := cl.counters(); got.Reconnects != 1 || got.Errors != 0 {
		t.Errorf("counters: got %+v", got)
	}
	if got := cl.log.String(); got != "" {
		t.Errorf("log: got %q", got)
	}

	// While the server is away, the end of the run ends the attempts.
	s.Kill(t)
	ctx, cancel := context.WithCancel(t.Context())
	c.env = sqldb.Blocking{Ctx: ctx}
	go func() {
		time.Sleep(100 * time.Millisecond)
		cancel()
	}()
	if _, err := stmt.Execute(); !errors.Is(err, sqldb.ErrInterrupted) {
		t.Errorf("got %v, want an interruption", err)
	}
	if got := cl.counters(); got.Reconnects != 1 || got.Errors != 1 {
		t.Errorf("counters: got %+v", got)
	}
}

func TestReconnectRefused(t *testing.T) {
	cl := newClient(t, func(cfg *Config) { cfg.IgnoreAllErrors = true })
	c := cl.connect(t)
	c.d.cfg.Password = "wrong"
	c.drop()
	_, err := c.Query("SELECT 1", nil)
	var e *sqldb.Error
	if err == nil || err.Error() != "connection creation failed" || !errors.As(err, &e) || e.Code != 1045 {
		t.Errorf("got %v", err)
	}
	if got := cl.log.String(); !strings.Contains(got, "FATAL: error 1045: Access denied for user") {
		t.Errorf("log: got %q", got)
	}
}

func TestConnectErrors(t *testing.T) {
	s := mariadbtest.Shared(t)
	closed := freePort(t)
	base := Config{Hosts: []string{"127.0.0.1"}, Ports: []int{s.Port}, User: "sbtest", Password: "pw"}
	tests := []struct {
		name string
		edit func(*Config)
		want string // regular expression
	}{
		{"password", func(c *Config) { c.Password = "wrong" }, fmt.Sprintf(
			`FATAL: unable to connect to MySQL server on host '127\.0\.0\.1', port %d, aborting\.\.\.
FATAL: error 1045: Access denied for user 'sbtest'@'[^']*' \(using password: YES\)
`, s.Port,
		)},
		{"no password", func(c *Config) { c.Password = "" }, `(?s)^.*error 1045: Access denied for user 'sbtest'@'[^']*' \(using password: NO\)
`},
		{"database", func(c *Config) { c.DB = "nosuch" }, `(?s)^.*error 1049: Unknown database 'nosuch'
`},
		{"port", func(c *Config) { c.Ports = []int{closed} }, fmt.Sprintf(
			`FATAL: unable to connect to MySQL server on host '127\.0\.0\.1', port %d, aborting\.\.\.
FATAL: error 2002: Can't connect to server on '127\.0\.0\.1' \(115\)
`, closed,
		)},
		{"host", func(c *Config) { c.Hosts = []string{"nosuchhost.invalid"} }, fmt.Sprintf(
			`FATAL: unable to connect to MySQL server on host 'nosuchhost\.invalid', port %d, aborting\.\.\.
FATAL: error 2005: Unknown server host 'nosuchhost\.invalid' \(-2\)
`, s.Port,
		)},
		{
			"socket", func(c *Config) { c.Sockets = []string{"/nosuch/socket"} },
			`FATAL: unable to connect to MySQL server on socket '/nosuch/socket', aborting\.\.\.
FATAL: error 2002: Can't connect to local server through socket '/nosuch/socket' \(2\)
`,
		},
		{
			"TLS", func(c *Config) { c.TLS = TLSRequired },
			`(?s)^.*FATAL: error 2026: TLS/SSL error: SSL is required, but the server does not support it
`,
		},
	}
	plain := base // a server without TLS is not asked for it, as by sysbench's library
	plain.TLS, plain.TLSLate, plain.TLSCipher, plain.TLSCert = TLSPreferred, true, "x", "nofile"
	cl := newClientFor(t, plain)
	if c, err := cl.Connect(cl.env, cl.stats); err != nil {
		t.Errorf("preferred TLS, and the server has none: %v\n%s", err, cl.log)
	} else if err := c.Close(); err != nil {
		t.Error(err)
	}
	for _, test := range tests {
		cfg := base
		test.edit(&cfg)
		cl := newClientFor(t, cfg)
		_, err := cl.Connect(cl.env, cl.stats)
		var e *sqldb.Error
		if err == nil || err.Error() != "connection creation failed" || !errors.As(err, &e) {
			t.Errorf("%s: got %v", test.name, err)
		}
		if got := cl.log.String(); !regexp.MustCompile("^" + test.want + "$").MatchString(got) {
			t.Errorf("%s: got log\n%swant\n%s", test.name, got, test.want)
		}
		if got := cl.counters(); got != (measure.Counters{}) {
			t.Errorf("%s: counters: got %+v, want nothing", test.name, got)
		}
	}
}

// freePort is a port that nobody listens on.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func TestNewErrors(t *testing.T) {
	tests := []struct {
		name string
		cfg  Config
		want string
	}{
		{"hosts", Config{Ports: []int{1}}, "No MySQL hosts specified"},
		{"ports", Config{Hosts: []string{"a"}}, "No MySQL ports specified"},
		{"compression", Config{Sockets: []string{"s"}, Compression: []string{"lz4"}}, `compression algorithm "lz4" is unknown; known are zlib, zstd`},
		{"level", Config{Sockets: []string{"s"}, ZstdLevel: 23}, "zstd level 23 is not between 1 and 22"},
		{"cipher", Config{Sockets: []string{"s"}, TLS: TLSRequired, TLSCipher: "RC4"}, `TLS cipher "RC4" is unknown`},
		{"CA", Config{Sockets: []string{"s"}, TLS: TLSRequired, TLSCA: "/nosuch/ca"}, "read TLS CA: open /nosuch/ca"},
		{"key", Config{Sockets: []string{"s"}, ServerPublicKey: "/nosuch/key"}, "read the server's public key: open /nosuch/key"},
	}
	for _, test := range tests {
		_, err := New(t.Context(), test.cfg)
		if err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %s", test.name, err, test.want)
		}
	}
}
