package mariadbtest

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// Start starts a server of the test's own; it is killed when the test ends. The test fails when
// MariaDB is not installed.
func Start(t testing.TB, opts ...Option) *Server {
	t.Helper()
	s, err := StartProcess(t.TempDir(), opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("end of the server's log:\n%s", tail(s.Log, 10))
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// shared is the server that all tests of a process use.
var shared struct {
	sync.Mutex
	inMain bool // Main will stop it
	server *Server
	err    error
}

// Shared returns the server that the tests of this process share, started at the first call with the
// default options and stopped by Main. Tests keep to databases of their own (NewDatabase), leave global
// settings alone, and neither kill nor stop it.
func Shared(t testing.TB) *Server {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if !shared.inMain {
		t.Fatal("mariadbtest.Shared needs func TestMain(m *testing.M) { os.Exit(mariadbtest.Main(m)) }")
	}
	if shared.server == nil && shared.err == nil {
		shared.server, shared.err = startShared()
	}
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.server
}

func startShared() (*Server, error) {
	removeStale()
	dir, err := os.MkdirTemp("", fmt.Sprintf("%s%d-", sharedPrefix, os.Getpid()))
	if err != nil {
		return nil, err
	}
	s, err := StartProcess(dir)
	if err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	s.ownedDir = dir
	return s, nil
}

// sharedPrefix starts the names of shared servers' directories; the process id follows.
const sharedPrefix = "mariadbtest-"

// removeStale removes directories of shared servers whose test process was killed before Main could.
func removeStale() {
	dirs, _ := filepath.Glob(filepath.Join(os.TempDir(), sharedPrefix+"*"))
	for _, d := range dirs {
		id, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(d), sharedPrefix), "-")
		if pid, err := strconv.Atoi(id); err == nil && !processExists(pid) {
			os.RemoveAll(d)
		}
	}
}

// Main runs the tests and stops the shared server. It returns the exit code:
//
//	func TestMain(m *testing.M) { os.Exit(mariadbtest.Main(m)) }
func Main(m *testing.M) (code int) {
	shared.Lock()
	shared.inMain = true
	shared.Unlock()
	code = m.Run()
	shared.Lock()
	defer shared.Unlock()
	shared.inMain = false
	if shared.server != nil {
		if err := shared.server.Close(); err != nil {
			fmt.Fprintln(os.Stderr, "stop the shared server:", err)
			code = max(code, 1)
		}
	}
	return code
}

// DB returns connections of root over the socket, without a default database. It is closed when the test
// ends.
func (s *Server) DB(t testing.TB) *sql.DB {
	t.Helper()
	db, err := s.Open("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// Exec executes statements as root, all on one connection, so that USE and SET work.
func (s *Server) Exec(t testing.TB, statements ...string) {
	t.Helper()
	ctx := context.Background() // also for cleanups, when the test's context has ended
	db, err := s.Open("")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	c, err := db.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, q := range statements {
		if _, err := c.ExecContext(ctx, q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
}

var databases atomic.Int64

// NewDatabase creates a database with a name of its own and returns the name. Every account may use it.
// It is dropped when the test ends, if the server still runs then.
func (s *Server) NewDatabase(t testing.TB) string {
	t.Helper()
	name := fmt.Sprintf("t%d", databases.Add(1))
	s.Exec(t, "CREATE DATABASE "+name)
	t.Cleanup(func() {
		if s.Running() {
			// A connection that a test left open must fail the test, not hang it.
			s.Exec(t, "SET lock_wait_timeout=20", "DROP DATABASE IF EXISTS "+name)
		}
	})
	return name
}

// Kill kills the server (SIGKILL) and waits for its end: clients see their connections close.
func (s *Server) Kill(t testing.TB) {
	t.Helper()
	s.proc.kill()
}

// Shutdown ends the server politely and waits for its end.
func (s *Server) Shutdown(t testing.TB) {
	t.Helper()
	if err := s.terminate(); err != nil {
		t.Fatal(err)
	}
}

// Restart starts the server again on the same port, socket and data directory, after a polite shutdown
// when it is running.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	s.Shutdown(t)
	if err := s.start(); err != nil {
		t.Fatal(err)
	}
}

// Stop halts the server's process (SIGSTOP): connections stay, answers stop.
func (s *Server) Stop(t testing.TB) {
	t.Helper()
	if err := s.proc.halt(); err != nil {
		t.Fatal(err)
	}
}

// Cont lets a stopped server go on.
func (s *Server) Cont(t testing.TB) {
	t.Helper()
	if err := s.proc.cont(); err != nil {
		t.Fatal(err)
	}
}
