package main

import (
	"fmt"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"deltabench/internal/mariadbtest"
)

// Each rule of the pre-flight check prevents a failure: with it nothing is started, without it the same run fails.

// appUser is an account that is no administrator.
const appUser = "app"

// small starts a server with little room, and an account that may use the database db only. conn are the options
// that reach them.
func small(t *testing.T, tables int, opts ...mariadbtest.Option) (s *mariadbtest.Server, conn []string) {
	t.Helper()
	s = mariadbtest.Start(t, opts...)
	s.Exec(t, "CREATE DATABASE db", "CREATE USER "+appUser+"@'%' IDENTIFIED BY 'pw'", "GRANT ALL ON db.* TO "+appUser+"@'%'")
	conn = []string{"--mysql-socket=" + s.Socket, "--mysql-user=" + appUser, "--mysql-password=pw", "--mysql-db=db"}
	if o := run(t, "deltabench", append([]string{"oltp_read_write", "prepare", fmt.Sprintf("--tables=%d", tables), "--table-size=100"}, conn...)...); o.code != 0 {
		t.Fatalf("prepare: %v", o)
	}
	return s, conn
}

// runWhenFree runs deltabench on a server whose connections are all needed. One that a run before has closed is free when the server has noticed,
// which on a busy machine takes a while: a run that comes before is repeated.
func runWhenFree(t *testing.T, args ...string) *outcome {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		o := run(t, "deltabench", args...)
		if !strings.Contains(o.stdout, "error 1040: ") && !strings.Contains(o.stdout, "FATAL: Pre-flight: ") || time.Now().After(end) {
			return o
		}
	}
}

func TestPreflightPreventsFailures(t *testing.T) {
	t.Parallel()
	s, conn := small(t, 4, mariadbtest.WithArgs("--max-connections=12", "--max-prepared-stmt-count=60"))
	s.Exec(t, "CREATE USER few@'%' IDENTIFIED BY 'pw' WITH MAX_USER_CONNECTIONS 3", "GRANT ALL ON db.* TO few@'%'")
	for _, tc := range []struct {
		name    string
		args    []string
		says    []string // with the check
		failure string   // without it
	}{
		{
			"1040",
			[]string{"oltp_point_select", "--threads=20"},
			[]string{"FATAL: Pre-flight: 20 threads need as many connections, and 12 are free: max_connections = 12, 0 in use\n", "Hint: --threads=12 at most, or SET GLOBAL max_connections = 30 "},
			"error 1040: Too many connections",
		},
		{
			"1040 of an administrator",
			[]string{"oltp_point_select", "--threads=14", "--mysql-user=" + mariadbtest.User},
			[]string{"FATAL: Pre-flight: 14 threads need as many connections, and 12 are free: "},
			"error 1040: Too many connections",
		},
		{
			"1461",
			[]string{"oltp_read_write", "--threads=2", "--tables=4"},
			[]string{"FATAL: Pre-flight: 2 threads x (4 tables x 9 statements + 2) = 76 prepared statements, and 60 are free: max_prepared_stmt_count = 60, 0 in use\n", "Hint: SET GLOBAL max_prepared_stmt_count = 76 "},
			`MySQL error: 1461 "Can't create more than max_prepared_stmt_count statements`,
		},
		{
			"1226",
			[]string{"oltp_point_select", "--threads=5", "--mysql-user=few"},
			[]string{"FATAL: Pre-flight: 5 threads need as many connections, and the account may have 3: max_user_connections\n"},
			"error 1226: ",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			args := append(append(append([]string{}, tc.args[0], "run", "--table-size=100", "--events=50"), conn...), tc.args[1:]...)
			o := run(t, "deltabench", args...)
			if o.code != 5 || strings.Contains(o.stdout, "Initializing worker threads") {
				t.Errorf("with the check: want exit code 5 and nothing started: %v", o)
			}
			for _, want := range append(tc.says, "--no-preflight") {
				if !strings.Contains(o.stdout, want) {
					t.Errorf("no %q: %v", want, o)
				}
			}
			for _, off := range []string{"--no-preflight", "--preflight=off"} {
				if o = run(t, "deltabench", append(args, off)...); o.code != 1 || !strings.Contains(o.stdout, tc.failure) {
					t.Errorf("with %s: want exit code 1 and %q: %v", off, tc.failure, o)
				}
			}
			if o = run(t, "sysbench", args...); o.code != 1 || !strings.Contains(o.stdout, tc.failure) || strings.Contains(o.stdout, "Pre-flight") {
				t.Errorf("as sysbench: want exit code 1 and %q: %v", tc.failure, o)
			}
		})
	}

	// What just fits runs: the check's own connection is not in the way.
	for range 3 {
		o := runWhenFree(t, append([]string{"oltp_point_select", "run", "--threads=12", "--table-size=100", "--events=50"}, conn...)...)
		if o.code != 0 || strings.Contains(o.stdout, "Pre-flight") {
			t.Errorf("12 threads with 12 connections: %v", o)
		}
	}
	o := run(t, "deltabench", append([]string{"oltp_point_select", "run", "--threads=1", "--table-size=100", "--preflight-only", "--no-preflight"}, conn...)...)
	if o.code != 1 || !strings.Contains(o.stdout, "--preflight-only and --no-preflight exclude each other") {
		t.Errorf("the check only, and none: %v", o)
	}
	o = runWhenFree(t, append(append([]string{"oltp_point_select", "run", "--threads=13", "--table-size=100", "--events=50"}, conn...), "--mysql-user="+mariadbtest.User)...)
	if o.code != 0 || !strings.Contains(o.stdout, "WARNING: Pre-flight: 13 threads") || !strings.Contains(o.stdout, "kept for administrators") {
		t.Errorf("an administrator with 13 threads and 12 connections: want a warning: %v", o)
	}
	// --preflight-only has the same answers, and starts nothing in any case.
	for threads, code := range map[string]int{"--threads=12": 0, "--threads=20": 5} {
		args := append([]string{"oltp_point_select", "run", threads, "--table-size=100", "--time=600", "--preflight-only"}, conn...)
		o := run(t, "deltabench", args...)
		if code == 0 {
			o = runWhenFree(t, args...)
		}
		if o.code != code || strings.Contains(o.stdout, "Initializing worker threads") || code == 0 && !strings.Contains(o.stdout, "nothing was started (--preflight-only)") {
			t.Errorf("only the check, %s: want exit code %d: %v", threads, code, o)
		}
	}
	// The number that is advised is enough, and no more than needed.
	s.Exec(t, "SET GLOBAL max_prepared_stmt_count = 76")
	o = runWhenFree(t, append([]string{"oltp_read_write", "run", "--threads=2", "--tables=4", "--table-size=100", "--events=50"}, conn...)...)
	if o.code != 0 || strings.Contains(o.stdout, "Pre-flight") {
		t.Errorf("with the number of statements that was advised: %v", o)
	}
	s.Exec(t, "SET GLOBAL max_prepared_stmt_count = 60")
	o = runWhenFree(t, append([]string{"oltp_read_write", "run", "--db-ps-mode=disable", "--threads=2", "--tables=4", "--table-size=100", "--events=50"}, conn...)...)
	if o.code != 0 || strings.Contains(o.stdout, "Pre-flight") {
		t.Errorf("without prepared statements: %v", o)
	}
}

// The table cache is no limit that runs fail at: the server opens tables all the time.
func TestPreflightWarnsOfTheTableCache(t *testing.T) {
	t.Parallel()
	s, conn := small(t, 20, mariadbtest.WithArgs("--table-open-cache=10", "--table-open-cache-instances=1"))
	db := s.DB(t)
	opened := func(size int) (out string, n int) {
		s.Exec(t, fmt.Sprintf("SET GLOBAL table_open_cache = %d", size), "FLUSH TABLES")
		count := func() int {
			var name string
			var n int
			if err := db.QueryRow("SHOW GLOBAL STATUS LIKE 'Opened_tables'").Scan(&name, &n); err != nil {
				t.Fatal(err)
			}
			return n
		}
		before := count()
		o := run(t, "deltabench", append([]string{"oltp_point_select", "run", "--threads=8", "--tables=20", "--table-size=100", "--events=4000"}, conn...)...)
		if o.code != 0 {
			t.Fatalf("%v", o)
		}
		return o.stdout, count() - before
	}
	out, few := opened(1000)
	if strings.Contains(out, "Pre-flight") {
		t.Errorf("a large cache: %s", out)
	}
	out, many := opened(10)
	if want := "WARNING: Pre-flight: up to 8 threads x 20 tables = 160 open tables, and table_open_cache = 10: "; !strings.Contains(out, want) {
		t.Errorf("no %q in %s", want, out)
	}
	if strings.Count(out, "WARNING: ") < 2 || !strings.Contains(out, "WARNING: pre-flight: up to 8 threads") {
		t.Errorf("the report does not repeat the warning: %s", out)
	}
	if many < 3*few {
		t.Errorf("tables opened: %d with a small cache, %d with a large one", many, few)
	}
}

func TestPreflightServerFiles(t *testing.T) {
	t.Parallel()
	const limit = 100
	s, conn := small(t, 1, mariadbtest.WithFileLimit(256), mariadbtest.WithArgs("--max-connections=10", "--table-open-cache=20", "--table-open-cache-instances=1", fmt.Sprintf("--open-files-limit=%d", limit)))
	s.Exec(t, "SET GLOBAL max_connections = 2000")
	args := append([]string{"oltp_point_select", "run", "--threads=400", "--table-size=100", "--events=500", "--thread-init-timeout=5"}, conn...)
	o := run(t, "deltabench", args...)
	if o.code != 5 || !strings.Contains(o.stdout, "FATAL: Pre-flight: the server needs ") || !strings.Contains(o.stdout, "and may open "+strconv.Itoa(limit)+": open_files_limit") {
		t.Errorf("with the check: %v", o)
	}
	if o = run(t, "deltabench", append(args, "--no-preflight")...); o.code != 1 && o.code != 2 || !strings.Contains(o.stdout, "FATAL: ") {
		t.Errorf("without the check: want a failure: %v", o)
	}
}

func TestPreflightOwnFiles(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		return // no such limit
	}
	_, conn := small(t, 1)
	args := append([]string{"oltp_point_select", "run", "--threads=100", "--table-size=100", "--events=200"}, conn...)
	limited := func(args ...string) *outcome {
		return startWith(t, time.Minute, func(c *exec.Cmd) {
			c.Args = append([]string{"sh", "-c", `ulimit -n 64 && exec "$0" "$@"`, c.Path}, c.Args[1:]...)
			c.Path = "/bin/sh"
		}, "deltabench", args...).wait(t)
	}
	if o := limited(args...); o.code != 5 || !strings.Contains(o.stdout, "FATAL: Pre-flight: 100 threads need as many connections, and 32 files more, but this process may open 64: ulimit -n") {
		t.Errorf("with the check: %v", o)
	}
	if o := limited(append(args, "--no-preflight")...); o.code != 1 || !strings.Contains(o.stdout, "too many files are open") {
		t.Errorf("without the check: %v", o)
	}
	if o := run(t, "deltabench", args...); o.code != 0 { // the usual limit is raised
		t.Errorf("without the limit: %v", o)
	}
}
