package mariadbtest

import (
	"crypto/tls"
	"crypto/x509"
	"database/sql"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
)

func TestMain(m *testing.M) { os.Exit(Main(m)) }

// login connects as user and returns CURRENT_USER().
func login(t *testing.T, network, addr, user, password string, change func(*mysql.Config)) (string, error) {
	t.Helper()
	c := mysql.NewConfig()
	c.User, c.Passwd, c.Net, c.Addr = user, password, network, addr
	c.Logger = silent{}
	if change != nil {
		change(c)
	}
	con, err := mysql.NewConnector(c)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(con)
	defer db.Close()
	var who string
	err = db.QueryRow("SELECT CURRENT_USER()").Scan(&who)
	return who, err
}

func TestAccounts(t *testing.T) {
	s := Shared(t)
	for _, tc := range []struct{ network, addr, user, password, want string }{
		{"tcp", s.Addr, User, Password, "sbtest@%"},
		{"unix", s.Socket, User, Password, "sbtest@%"},
		{"tcp", s.Addr, Ed25519User, Password, "ed@%"},
		{"unix", s.Socket, s.SocketUser, "anything", s.SocketUser + "@localhost"},
		{"unix", s.Socket, "root", "", "root@localhost"},
	} {
		got, err := login(t, tc.network, tc.addr, tc.user, tc.password, nil)
		if err != nil || got != tc.want {
			t.Errorf("%s over %s: got %q, %v; want %q", tc.user, tc.network, got, err, tc.want)
		}
	}
	for _, user := range []string{User, Ed25519User} {
		if _, err := login(t, "tcp", s.Addr, user, "wrong", nil); err == nil {
			t.Errorf("%s logs in with a wrong password", user)
		}
	}
}

func TestNewDatabase(t *testing.T) {
	s := Shared(t)
	count := func(name string) (n int) {
		t.Helper()
		if err := s.DB(t).QueryRow("SELECT COUNT(*) FROM information_schema.schemata WHERE schema_name = ?", name).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	var a, b string
	t.Run("made", func(t *testing.T) {
		a, b = s.NewDatabase(t), s.NewDatabase(t)
		if a == b || count(a) != 1 || count(b) != 1 {
			t.Errorf("databases %s, %s: got counts %d, %d", a, b, count(a), count(b))
		}
		s.Exec(t, "USE "+a, "CREATE TABLE x (i INT)", "INSERT INTO x VALUES (1)")
	})
	if count(a) != 0 || count(b) != 0 {
		t.Errorf("databases are left after the test")
	}
}

func TestKillRestart(t *testing.T) {
	t.Parallel()
	s := Start(t, WithArgs("--max-connections=77"))
	var n int
	if err := s.DB(t).QueryRow("SELECT @@max_connections").Scan(&n); err != nil || n != 77 {
		t.Errorf("max_connections: got %d, %v; want 77", n, err)
	}
	s.Exec(t, "CREATE DATABASE kept")
	pid, port := s.PID(), s.Port
	s.Kill(t)
	if s.Running() {
		t.Error("running after Kill")
	}
	if _, err := login(t, "tcp", s.Addr, User, Password, nil); err == nil {
		t.Error("answers after Kill")
	}
	s.Restart(t)
	if !s.Running() || s.PID() == pid || s.Port != port {
		t.Errorf("after Restart: running %v, pid %d (was %d), port %d (was %d)", s.Running(), s.PID(), pid, s.Port, port)
	}
	s.Exec(t, "DROP DATABASE kept")
	s.Shutdown(t)
	if s.Running() || !logContains(s.Log, "Shutdown complete") {
		t.Error("Shutdown was not polite")
	}
}

func TestTLS(t *testing.T) {
	t.Parallel()
	s := Start(t, WithTLS())
	pem, err := os.ReadFile(s.TLS.CA)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	cert, err := tls.LoadX509KeyPair(s.TLS.ClientCert, s.TLS.ClientKey)
	if err != nil {
		t.Fatal(err)
	}
	s.Exec(t, "CREATE USER x509 REQUIRE X509")
	who, err := login(t, "tcp", s.Addr, "x509", "", func(c *mysql.Config) {
		c.TLS = &tls.Config{RootCAs: roots, ServerName: "localhost", Certificates: []tls.Certificate{cert}}
	})
	if err != nil || who != "x509@%" {
		t.Errorf("with a client certificate: got %q, %v", who, err)
	}
	if _, err := login(t, "tcp", s.Addr, "x509", "", nil); err == nil {
		t.Error("logs in without a client certificate")
	}
}

func TestStartFailureNamesTheCause(t *testing.T) {
	t.Parallel()
	_, err := StartProcess(t.TempDir(), WithArgs("--no-such-option"))
	if got := fmt.Sprint(err); err == nil || !strings.Contains(got, "no-such-option") {
		t.Errorf("got %q, want an error that quotes the server's log", got)
	}
}

func TestStartTimesOut(t *testing.T) {
	t.Parallel()
	_, err := StartProcess(t.TempDir(), WithTimeout(0))
	if err == nil || !strings.Contains(err.Error(), "does not answer within") {
		t.Errorf("got %v, want a timeout", err)
	}
}

func TestMissingProgramNamesMakeDeps(t *testing.T) {
	if _, err := findProgram("no-such-program"); err == nil || !strings.Contains(err.Error(), "make deps") {
		t.Errorf("got %v, want a hint to make deps", err)
	}
}
