package mysql

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"deltabench/internal/loop"
	"deltabench/internal/mariadbtest"
	"deltabench/internal/sqldb"
)

// loopEnv runs a connection in a coroutine of an event loop.
type loopEnv struct{ *loop.Task }

func (e loopEnv) Dial(network, address string, timeout time.Duration) (net.Conn, error) {
	return e.Task.Dial(network, address, timeout)
}

func (e loopEnv) Stopping() bool { return false }

// inLoop runs fn as the only task of an event loop.
func inLoop(t *testing.T, fn func(env sqldb.Env) error) {
	t.Helper()
	l, err := loop.New(loop.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var failed error
	l.Go(func(task *loop.Task) { failed = fn(loopEnv{task}) })
	if err := l.Run(); err != nil {
		t.Error(err)
	}
	if failed != nil {
		t.Error(failed)
	}
}

// exercise uses a connection in ways that depend on how bytes travel. It must work in any environment, so it returns
// errors.
func exercise(c sqldb.Conn) error {
	if _, err := c.Query("CREATE TEMPORARY TABLE t (id INT PRIMARY KEY, s LONGTEXT)", nil); err != nil {
		return err
	}
	ins, err := c.Prepare("INSERT INTO t VALUES (?, ?)", 0, sqldb.IntParam, sqldb.StringParam)
	if err != nil {
		return err
	}
	sizes := []int{0, 1, 49, 50, 51, 250, 251, 4000, 4096, 16380, 16384, 65530, 65536, 70000, 1 << 20}
	for i, n := range sizes {
		ins.SetInt(0, int64(i))
		ins.SetString(1, []byte(strings.Repeat(string(rune('a'+i)), n)))
		if _, err := ins.Execute(); err != nil {
			return fmt.Errorf("insert %d bytes: %w", n, err)
		}
	}
	sel, err := c.Prepare("SELECT s FROM t WHERE id >= ?", 0, sqldb.IntParam)
	if err != nil {
		return err
	}
	for round := range 3 {
		row := 0
		_, err = c.Query("SELECT id, s FROM t ORDER BY id", func(cells [][]byte) error {
			want := strings.Repeat(string(rune('a'+row)), sizes[row])
			if string(cells[0]) != fmt.Sprint(row) || string(cells[1]) != want {
				return fmt.Errorf("row %d: got id %s and %d bytes, want %d bytes", row, cells[0], len(cells[1]), len(want))
			}
			row++
			return nil
		})
		if err != nil {
			return fmt.Errorf("round %d: %w", round, err)
		}
		if row != len(sizes) {
			return fmt.Errorf("got %d rows, want %d", row, len(sizes))
		}
		sel.SetInt(0, int64(round))
		if res, err := sel.Execute(); err != nil || res.Rows != int64(len(sizes)-round) {
			return fmt.Errorf("select: got %+v, %w", res, err)
		}
		if res, err := c.Query("SELECT seq, 'xyz' FROM seq_1_to_20000", nil); err != nil || res.Rows != 20000 {
			return fmt.Errorf("many rows: got %+v, %w", res, err)
		}
	}
	stop := errors.New("stop")
	if _, err := c.Query("SELECT seq FROM seq_1_to_3", func([][]byte) error { return stop }); err != stop {
		return fmt.Errorf("error of the row function: got %v", err)
	}
	if _, err := c.Query("DO 1", nil); err != nil {
		return fmt.Errorf("after an error of the row function: %w", err)
	}
	return nil
}

func TestTransports(t *testing.T) {
	s := mariadbtest.Start(t, mariadbtest.WithTLS(), mariadbtest.WithArgs("--max-allowed-packet=64M"))
	base := Config{Hosts: []string{s.Host}, Ports: []int{s.Port}, User: mariadbtest.User, Password: mariadbtest.Password, DB: s.NewDatabase(t)}
	tests := []struct {
		name string
		edit func(*Config)
		want sqldb.Transport // Address, Server and the TLS suite are not compared
	}{
		{"tcp", func(*Config) {}, sqldb.Transport{Network: "tcp", AuthMethod: "mysql_native_password"}},
		{"unix", func(c *Config) { c.Sockets = []string{s.Socket} }, sqldb.Transport{Network: "unix", AuthMethod: "mysql_native_password"}},
		{"zlib", func(c *Config) { c.Compression = []string{"zstd", "zlib"} }, sqldb.Transport{Network: "tcp", AuthMethod: "mysql_native_password", Compression: "zlib"}},
		{"no zstd", func(c *Config) { c.Compression = []string{"zstd"} }, sqldb.Transport{Network: "tcp", AuthMethod: "mysql_native_password"}},
		{"preferred", func(c *Config) { c.TLS = TLSPreferred }, sqldb.Transport{Network: "tcp", AuthMethod: "mysql_native_password", TLS: "TLSv1.3"}},
		{"cipher", func(c *Config) { c.TLS, c.TLSCipher = TLSRequired, "ECDHE-ECDSA-AES256-GCM-SHA384" }, sqldb.Transport{Network: "tcp", AuthMethod: "mysql_native_password", TLS: "TLSv1.3"}},
		{"verify_ca", func(c *Config) { c.TLS, c.TLSCA = TLSVerifyCA, s.TLS.CA }, sqldb.Transport{Network: "tcp", AuthMethod: "mysql_native_password", TLS: "TLSv1.3"}},
		{"verify_identity, client certificate, zlib", func(c *Config) {
			c.TLS, c.TLSCA, c.TLSCert, c.TLSKey = TLSVerifyIdentity, s.TLS.CA, s.TLS.ClientCert, s.TLS.ClientKey
			c.Compression = []string{"zlib"}
		}, sqldb.Transport{Network: "tcp", AuthMethod: "mysql_native_password", TLS: "TLSv1.3", Compression: "zlib"}},
		{"ed25519", func(c *Config) { c.User = mariadbtest.Ed25519User }, sqldb.Transport{Network: "tcp", AuthMethod: "client_ed25519"}},
		{"unix_socket", func(c *Config) { c.Sockets, c.User, c.Password = []string{s.Socket}, s.SocketUser, "" }, sqldb.Transport{Network: "unix", AuthMethod: ""}},
	}
	for _, test := range tests {
		cfg := base
		test.edit(&cfg)
		for _, loops := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/loop=%v", test.name, loops), func(t *testing.T) {
				cl := newClientFor(t, cfg)
				run := func(env sqldb.Env) error {
					c, err := cl.Connect(env, cl.stats)
					if err != nil {
						return fmt.Errorf("%w\n%s", err, cl.log)
					}
					defer c.Close()
					got := c.Transport()
					if got.Server == "" || got.Address == "" || got.TLS != "" && !strings.Contains(got.TLS, " TLS_") {
						t.Errorf("transport: got %+v", got)
					}
					tls, _, _ := strings.Cut(got.TLS, " ")
					if test.want.AuthMethod == "" {
						got.AuthMethod = ""
					}
					if got.Network != test.want.Network || tls != test.want.TLS || got.Compression != test.want.Compression || got.AuthMethod != test.want.AuthMethod {
						t.Errorf("transport: got %+v, want %+v", got, test.want)
					}
					return exercise(c)
				}
				if loops {
					inLoop(t, run)
				} else if err := run(cl.env); err != nil {
					t.Error(err)
				}
				if test.name == "no zstd" && strings.Count(cl.log.String(), "WARNING: the server on host '127.0.0.1'") != 1 {
					t.Errorf("log: got %q", cl.log)
				}
			})
		}
	}
	refused := []struct {
		name, want string
		edit       func(*Config)
	}{
		{"unknown CA", "certificate signed by unknown authority", func(c *Config) { c.TLS = TLSVerifyCA }},
		{"other name", "certificate is valid for localhost, not other.example", func(c *Config) {
			c.TLS, c.TLSCA = TLSVerifyIdentity, s.TLS.CA
		}},
		{"a bad file, found out late", "no certificate in", func(c *Config) {
			c.TLS, c.TLSLate, c.TLSCA = TLSPreferred, true, os.DevNull
		}},
		{"a bad cipher, found out late", `TLS cipher "x" is unknown`, func(c *Config) {
			c.TLS, c.TLSLate, c.TLSCipher = TLSPreferred, true, "x"
		}},
	}
	for _, test := range refused {
		cfg := base
		test.edit(&cfg)
		cl := newClientFor(t, cfg)
		cl.Driver.(*driver).targets[0].host = "other.example"
		_, err := cl.Connect(cl.env, nil)
		var e *sqldb.Error
		if !errors.As(err, &e) || e.Code != 2026 || !strings.HasPrefix(e.Message, "TLS/SSL error: ") || !strings.Contains(e.Message, test.want) {
			t.Errorf("%s: got %v (%v), want %s", test.name, err, e, test.want)
		}
	}
}

func TestTargetsAreDealt(t *testing.T) {
	tests := []struct {
		cfg  Config
		want string
	}{
		{Config{Hosts: []string{"h1", "h2", "h3"}, Ports: []int{1, 2}}, "h1:1 h1:2 h2:1 h2:2 h3:1 h3:2 h1:1"},
		{Config{Hosts: []string{"h1"}, Ports: []int{1}, Sockets: []string{"/a", "/b"}}, "/a /b /a"},
	}
	for _, test := range tests {
		d := &driver{cfg: test.cfg}
		ctx, cancel := context.WithCancel(t.Context())
		cancel() // the names need not be found
		d.resolve(ctx)
		var got []string
		for range strings.Fields(test.want) {
			target := d.take()
			if target.socket != "" {
				got = append(got, target.socket)
			} else {
				got = append(got, fmt.Sprintf("%s:%d", target.host, target.port))
			}
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("got %v, want %s", got, test.want)
		}
	}
}

func TestLocalhostIsASocket(t *testing.T) {
	s := mariadbtest.Shared(t)
	t.Setenv("MYSQL_UNIX_PORT", s.Socket)
	cl := newClient(t, func(c *Config) { c.Hosts, c.Ports = []string{"localhost"}, []int{1} })
	c := cl.connect(t)
	if got := c.Transport(); got.Network != "unix" || got.Address != s.Socket {
		t.Errorf("got %+v", got)
	}
	cl.log.Reset()
	c.d.cfg.Password = "wrong"
	if _, err := cl.Connect(cl.env, nil); err == nil {
		t.Error("no error")
	}
	if want := "FATAL: unable to connect to MySQL server on host 'localhost', port 1, aborting...\n"; !strings.HasPrefix(cl.log.String(), want) {
		t.Errorf("log: got %q, want %q", cl.log, want)
	}
}
