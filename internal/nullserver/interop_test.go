package nullserver

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"database/sql"
	"errors"
	"fmt"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"deltabench/internal/auth"
	"deltabench/internal/wire"
)

// patience bounds what should take milliseconds: the machine is shared.
const patience = 30 * time.Second

var rsaKey = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
})

var authority = sync.OnceValue(func() *Authority {
	a, err := NewAuthority()
	if err != nil {
		panic(err)
	}
	return a
})

// listen starts a server that ends with the test.
func listen(t *testing.T, o Options) *Server {
	t.Helper()
	s, err := Listen(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func serverTLS(t *testing.T) *tls.Config {
	t.Helper()
	c, err := authority().ServerTLS(CertOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// open connects go-sql-driver/mysql, an independent client, to addr.
func open(t *testing.T, network, addr string, change func(*mysql.Config)) *sql.DB {
	t.Helper()
	cfg := mysql.NewConfig()
	cfg.User, cfg.Passwd, cfg.Net, cfg.Addr, cfg.DBName = "ann", "s3cret", network, addr, "sbtest"
	cfg.Timeout, cfg.ReadTimeout = patience, patience
	cfg.Logger = &mysql.NopLogger{}
	if change != nil {
		change(cfg)
	}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	return db
}

// exercise runs a query of each kind in both protocols.
func exercise(t *testing.T, db *sql.DB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for range 2 { // the second execution may come without column definitions
		var c string
		if err := db.QueryRowContext(ctx, "SELECT c FROM sbtest1 WHERE id=1").Scan(&c); err != nil {
			t.Fatal("text: ", err)
		}
		if len(c) != 119 {
			t.Errorf("text: c = %q, want 119 characters", c)
		}
	}
	stmt, err := db.PrepareContext(ctx, "SELECT id, k, c, pad FROM sbtest1 WHERE id BETWEEN ? AND ?")
	if err != nil {
		t.Fatal("prepare: ", err)
	}
	defer stmt.Close()
	for range 3 {
		rows, err := stmt.QueryContext(ctx, 1, 100)
		if err != nil {
			t.Fatal("execute: ", err)
		}
		n := 0
		for rows.Next() {
			var id, k int
			var c, pad string
			if err := rows.Scan(&id, &k, &c, &pad); err != nil {
				t.Fatal(err)
			}
			if id != 5000+n || k != id || len(c) != 119 || len(pad) != 59 {
				t.Fatalf("row %d = %d, %d, %q, %q", n, id, k, c, pad)
			}
			n++
		}
		if err := rows.Err(); err != nil || n != 100 {
			t.Fatalf("execute: %d rows, error %v, want 100 rows", n, err)
		}
	}
	var sum, avg float64
	if err := db.QueryRowContext(ctx, "SELECT SUM(k), AVG(k) FROM sbtest1 WHERE id BETWEEN ? AND ?", 1, 2).Scan(&sum, &avg); err != nil || sum != 501234 || avg != 5012.34 {
		t.Errorf("sum and avg: %v, %v, error %v", sum, avg, err)
	}
	res, err := db.ExecContext(ctx, "UPDATE sbtest1 SET k=k+1 WHERE id=?", 5)
	if err != nil {
		t.Fatal("update: ", err)
	}
	if n, err := res.RowsAffected(); err != nil || n != 1 {
		t.Errorf("update: %d rows affected, error %v, want 1", n, err)
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		t.Fatal("begin: ", err)
	}
	if err := tx.Commit(); err != nil {
		t.Fatal("commit: ", err)
	}
}

func TestLoginMethods(t *testing.T) {
	t.Parallel()
	pool := authority().Pool()
	clientTLS := func(c *mysql.Config) { c.TLS = &tls.Config{RootCAs: pool, ServerName: "127.0.0.1"} }
	public := &rsaKey().PublicKey
	mysql.RegisterServerPubKey("nullserver", public)
	for _, tt := range []struct {
		name   string
		o      Options
		client func(*mysql.Config)
		unix   bool
		want   Login
	}{
		{"native", Options{Auth: auth.NativePassword}, nil, false, Login{Auth: auth.NativePassword}},
		{"native after a switch", Options{Auth: auth.NativePassword, GreetingAuth: auth.CachingSHA2Password}, nil, false, Login{Auth: auth.NativePassword, Switched: true}},
		{"native over TLS", Options{TLS: serverTLS(t), RequireTLS: true}, clientTLS, false, Login{Auth: auth.NativePassword, TLS: "TLS 1.3"}},
		{"caching fast", Options{Auth: auth.CachingSHA2Password, Cache: CacheAlways, MySQL: true, RSAKey: rsaKey()}, nil, false, Login{Auth: auth.CachingSHA2Password}},
		{"caching full, key asked for", Options{Auth: auth.CachingSHA2Password, RSAKey: rsaKey()}, nil, false, Login{Auth: auth.CachingSHA2Password, Full: true}},
		{"caching full, key known", Options{Auth: auth.CachingSHA2Password, RSAKey: rsaKey()}, func(c *mysql.Config) { c.ServerPubKey = "nullserver" }, false, Login{Auth: auth.CachingSHA2Password, Full: true}},
		{"caching full over TLS", Options{Auth: auth.CachingSHA2Password, TLS: serverTLS(t)}, clientTLS, false, Login{Auth: auth.CachingSHA2Password, Full: true, TLS: "TLS 1.3"}},
		{"caching full over a socket", Options{Auth: auth.CachingSHA2Password}, nil, true, Login{Auth: auth.CachingSHA2Password, Full: true}},
		{"caching after a switch", Options{Auth: auth.CachingSHA2Password, GreetingAuth: auth.NativePassword, RSAKey: rsaKey()}, nil, false, Login{Auth: auth.CachingSHA2Password, Switched: true, Full: true}},
		{"sha256, key asked for", Options{Auth: auth.SHA256Password, RSAKey: rsaKey(), MySQL: true}, nil, false, Login{Auth: auth.SHA256Password, Full: true}},
		{"sha256 over TLS", Options{Auth: auth.SHA256Password, TLS: serverTLS(t), MySQL: true}, clientTLS, false, Login{Auth: auth.SHA256Password, TLS: "TLS 1.3"}},
		{"ed25519", Options{Auth: auth.Ed25519, GreetingAuth: auth.NativePassword}, nil, false, Login{Auth: auth.Ed25519, Switched: true}},
		{"clear over TLS", Options{Auth: auth.ClearPassword, GreetingAuth: auth.NativePassword, TLS: serverTLS(t)}, func(c *mysql.Config) {
			clientTLS(c)
			c.AllowCleartextPasswords = true
		}, false, Login{Auth: auth.ClearPassword, Switched: true, TLS: "TLS 1.3"}},
		{"compressed", Options{Compression: []wire.Algorithm{wire.Zlib}}, func(c *mysql.Config) {
			if err := c.Apply(mysql.EnableCompression(true)); err != nil {
				t.Fatal(err)
			}
		}, false, Login{Auth: auth.NativePassword, Compression: wire.Zlib}},
		{"compressed over TLS", Options{Compression: []wire.Algorithm{wire.Zlib}, TLS: serverTLS(t)}, func(c *mysql.Config) {
			clientTLS(c)
			if err := c.Apply(mysql.EnableCompression(true)); err != nil {
				t.Fatal(err)
			}
		}, false, Login{Auth: auth.NativePassword, Compression: wire.Zlib, TLS: "TLS 1.3"}},
		{"no metadata cache", Options{NoMetadataCache: true}, nil, false, Login{Auth: auth.NativePassword}},
		{"EOF packets", Options{NoDeprecateEOF: true}, nil, false, Login{Auth: auth.NativePassword}},
		{"EOF packets, no metadata cache", Options{NoDeprecateEOF: true, NoMetadataCache: true}, nil, false, Login{Auth: auth.NativePassword}},
		{"MySQL", Options{MySQL: true}, nil, false, Login{Auth: auth.NativePassword}},
		{"session track", Options{SessionTrack: true, MySQL: true}, nil, false, Login{Auth: auth.NativePassword}},
		{"query attributes", Options{QueryAttributes: true, MySQL: true}, nil, false, Login{Auth: auth.NativePassword}},
		{"split writes", Options{Fault: func(*Query) Fault { return Fault{Kind: FaultSplit} }}, nil, false, Login{Auth: auth.NativePassword}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.o.User, tt.o.Password = "ann", "s3cret"
			network := "tcp"
			if tt.unix {
				network, tt.o.Listen = "unix", filepath.Join(t.TempDir(), "s")
			}
			s := listen(t, tt.o)
			db := open(t, network, s.Addr().String(), tt.client)
			exercise(t, db)
			logins := s.Logins()
			if len(logins) == 0 {
				t.Fatal("no login remembered")
			}
			got := logins[0]
			if !got.Capabilities.Has(wire.Protocol41|wire.PluginAuth) || len(got.Attrs) == 0 {
				t.Errorf("capabilities %#x, attributes %q", uint64(got.Capabilities), got.Attrs)
			}
			if meta := got.Capabilities.Has(wire.MariaDBCacheMetadata); meta == (tt.o.MySQL || tt.o.NoMetadataCache) {
				t.Errorf("metadata cache negotiated: %v", meta)
			}
			tt.want.Connection, tt.want.User, tt.want.DB = 1, "ann", "sbtest"
			got.Capabilities, got.Attrs = 0, nil
			if fmt.Sprint(got) != fmt.Sprint(tt.want) {
				t.Errorf("login = %+v, want %+v", got, tt.want)
			}

			wrong := open(t, network, s.Addr().String(), func(c *mysql.Config) {
				if tt.client != nil {
					tt.client(c)
				}
				c.Passwd = "s3creT"
			})
			var me *mysql.MySQLError
			if err := wrong.Ping(); !errors.As(err, &me) || me.Number != 1045 {
				t.Errorf("wrong password: error %v, want 1045", err)
			}
			stranger := open(t, network, s.Addr().String(), func(c *mysql.Config) {
				if tt.client != nil {
					tt.client(c)
				}
				c.User = "bob"
			})
			if err := stranger.Ping(); !errors.As(err, &me) || me.Number != 1045 {
				t.Errorf("wrong user: error %v, want 1045", err)
			}
			if st := s.Stats(); st.Denied != 2 || st.Logins != uint64(len(logins)) {
				t.Errorf("%d logins and %d denied, want %d and 2", st.Logins, st.Denied, len(logins))
			}
		})
	}
}

// The second login of a user is a fast one, as at real servers.
func TestCachingRemembers(t *testing.T) {
	t.Parallel()
	s := listen(t, Options{User: "ann", Password: "s3cret", Auth: auth.CachingSHA2Password, RSAKey: rsaKey()})
	for range 2 {
		db := open(t, "tcp", s.Addr().String(), nil)
		if err := db.Ping(); err != nil {
			t.Fatal(err)
		}
		db.Close()
	}
	l := s.Logins()
	if len(l) != 2 || !l[0].Full || l[1].Full {
		t.Errorf("logins %+v, want a full and a fast one", l)
	}
}

func TestRequireTLS(t *testing.T) {
	t.Parallel()
	s := listen(t, Options{TLS: serverTLS(t), RequireTLS: true})
	var me *mysql.MySQLError
	if err := open(t, "tcp", s.Addr().String(), nil).Ping(); !errors.As(err, &me) || me.Number != 3159 {
		t.Errorf("error %v, want 3159", err)
	}
}

func TestHandlerRepliesSeenByClient(t *testing.T) {
	t.Parallel()
	columns := []wire.Column{Column("i", wire.TypeLongLong), Column("d", wire.TypeDouble), Column("s", wire.TypeVarString)}
	var mu sync.Mutex
	var args []any
	s := listen(t, Options{Handler: func(q *Query) *Reply {
		switch {
		case strings.Contains(q.SQL, "rows"):
			return Table(columns, []any{int64(-5), 2.5, "text"}, []any{nil, nil, nil})
		case strings.Contains(q.SQL, "fail"):
			return Error(1213, "40001", "Deadlock found when trying to get lock; try restarting transaction")
		case strings.Contains(q.SQL, "late"):
			r := Table(columns, []any{1, 1, "x"})
			r.Err = &wire.ERR{Code: 1317, State: "70100", Message: "Query execution was interrupted"}
			return r
		case strings.Contains(q.SQL, "two"):
			r := Table(columns[:1], []any{1})
			r.Next = Table(columns[:1], []any{2}, []any{3})
			return r
		case strings.Contains(q.SQL, "bad"):
			return Table(columns[:1], []any{"not a number"})
		}
		mu.Lock()
		for _, a := range q.Args {
			if b, ok := a.([]byte); ok {
				a = string(b)
			}
			args = append(args, a)
		}
		mu.Unlock()
		return Affected(7)
	}})
	db := open(t, "tcp", s.Addr().String(), func(c *mysql.Config) { c.MultiStatements = true })
	for _, query := range []string{"rows", "rows where x=?"} {
		var params []any
		if strings.Contains(query, "?") {
			params = []any{1}
		}
		rows, err := db.Query(query, params...)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for rows.Next() {
			var i sql.NullInt64
			var d sql.NullFloat64
			var s sql.NullString
			if err := rows.Scan(&i, &d, &s); err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprint(i, d, s))
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		if want := "[{-5 true} {2.5 true} {text true} {0 false} {0 false} { false}]"; fmt.Sprint(got) != want {
			t.Errorf("%s: got %v, want %v", query, got, want)
		}
	}
	var me *mysql.MySQLError
	for query, want := range map[string]uint16{"fail": 1213, "fail ?": 1213, "bad ?": 1105} {
		var params []any
		if strings.Contains(query, "?") {
			params = []any{1}
		}
		if _, err := db.Exec(query, params...); !errors.As(err, &me) || me.Number != want {
			t.Errorf("%s: error %v, want %d", query, err, want)
		}
	}
	rows, err := db.Query("late")
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
	}
	if err := rows.Err(); !errors.As(err, &me) || me.Number != 1317 {
		t.Errorf("late: error %v, want 1317", err)
	}
	rows.Close()
	if rows, err = db.Query("two"); err != nil {
		t.Fatal(err)
	}
	counts := []int{0}
	for {
		for rows.Next() {
			counts[len(counts)-1]++
		}
		if !rows.NextResultSet() {
			break
		}
		counts = append(counts, 0)
	}
	rows.Close()
	if fmt.Sprint(counts) != "[1 2]" {
		t.Errorf("two results: rows %v, error %v, want 1 and 2", counts, rows.Err())
	}
	long := strings.Repeat("long ", 300<<10) // sent as long data
	res, err := db.Exec("write ?, ?, ?, ?, ?, ?", int64(-1), 2.5, "s", nil, time.Date(2024, 2, 29, 1, 2, 3, 0, time.UTC), long)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := res.RowsAffected(); n != 7 || err != nil {
		t.Errorf("%d rows affected, error %v, want 7", n, err)
	}
	mu.Lock()
	defer mu.Unlock()
	if want := []any{int64(-1), 2.5, "s", nil, "2024-02-29 01:02:03", long}; fmt.Sprint(args) != fmt.Sprint(want) {
		t.Errorf("arguments %.300v, want %.300v", args, want)
	}
	st := s.Stats()
	if st.Errors != 4 || st.Queries != 7 { // "fail ?" failed when it was prepared
		t.Errorf("%d errors and %d queries, want 4 and 7", st.Errors, st.Queries)
	}
}

// program finds a client program. CI installs them and counts a skip as a failure.
func program(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed", name)
	}
	return path
}

// The C client library of MariaDB, by its command line client.
func TestMariaDBClient(t *testing.T) {
	t.Parallel()
	path := program(t, "mariadb")
	caFile, _, _ := writePEM(t)
	who, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		o    Options
		unix bool
		args []string
	}{
		{"native", Options{Password: "pw"}, false, nil},
		{"ed25519", Options{Password: "pw", Auth: auth.Ed25519, GreetingAuth: auth.NativePassword}, false, nil},
		{"caching over TLS", Options{Password: "pw", Auth: auth.CachingSHA2Password, TLS: serverTLS(t)}, false, []string{"--ssl-ca=" + caFile}},
		{"native over TLS", Options{Password: "pw", TLS: serverTLS(t), RequireTLS: true}, false, []string{"--ssl-ca=" + caFile, "--ssl-verify-server-cert"}},
		{"compressed", Options{Password: "pw", Compression: []wire.Algorithm{wire.Zlib}}, false, []string{"--compress"}},
		{"unix_socket", Options{User: who.Username, Auth: auth.UnixSocket, GreetingAuth: auth.NativePassword}, true, []string{"--user=" + who.Username}},
		{"MySQL", Options{Password: "pw", MySQL: true, SessionTrack: true}, false, nil},
		{"EOF packets", Options{Password: "pw", NoDeprecateEOF: true}, false, nil},
		{"split writes", Options{Password: "pw", Fault: func(*Query) Fault { return Fault{Kind: FaultSplit} }}, false, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.o.Auth == auth.UnixSocket && runtime.GOOS != "linux" {
				t.Skip("who is at the other end of a socket is known on Linux only")
			}
			args := []string{"--no-defaults", "--protocol=tcp", "--user=ann", "--password=pw"}
			if tt.unix {
				tt.o.Listen = filepath.Join(t.TempDir(), "s")
				args = []string{"--no-defaults", "--socket=" + tt.o.Listen}
			}
			s := listen(t, tt.o)
			if !tt.unix {
				addr := strings.Split(s.Addr().String(), ":")
				args = append(args, "--host="+addr[0], "--port="+addr[1])
			}
			args = append(append(args, tt.args...), "--batch", "-e", "SELECT id, pad FROM sbtest1 WHERE id IN (1,2); SELECT count(*) FROM sbtest1")
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			out, err := exec.CommandContext(ctx, path, args...).CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			lines := strings.Split(strings.TrimSpace(string(out)), "\n")
			if len(lines) != 5 || lines[0] != "id\tpad" || !strings.HasPrefix(lines[2], "5001\t") || lines[4] != "100" {
				t.Errorf("output %q", lines)
			}
			if l := s.Logins(); len(l) != 1 || l[0].TLS == "" && tt.o.TLS != nil || l[0].Compression == "" && len(tt.o.Compression) > 0 {
				t.Errorf("logins %+v", l)
			}
		})
	}
}
