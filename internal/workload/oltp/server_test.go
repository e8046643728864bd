package oltp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"testing"

	"deltabench/internal/mariadbtest"
	"deltabench/internal/measure"
	"deltabench/internal/sqldb"
	"deltabench/internal/sqldb/mysql"
	"deltabench/internal/workload"
	"deltabench/internal/workload/workloadtest"
)

func TestMain(m *testing.M) { os.Exit(mariadbtest.Main(m)) }

// server returns a driver for a fresh database of the shared server.
func server(t *testing.T) (sqldb.Driver, string) {
	t.Helper()
	s := mariadbtest.Shared(t)
	db := s.NewDatabase(t)
	d, err := mysql.New(t.Context(), mysql.Config{
		Hosts: []string{s.Host}, Ports: []int{s.Port}, User: "sbtest", Password: "pw", DB: db,
	})
	if err != nil {
		t.Fatal(err)
	}
	return d, db
}

// do runs a command with one thread on a real server.
func do(t *testing.T, d sqldb.Driver, name, cmd string, args ...string) {
	t.Helper()
	test := lookup(t, name)
	s, _, err := workloadtest.Setup(test, args...)
	if err != nil {
		t.Fatal(err)
	}
	s.Driver = d
	if err := workloadtest.Command(test, cmd, s); err != nil {
		t.Fatalf("%s %s: %v", name, cmd, err)
	}
}

// The hash is over what the mysql client showed of the table that sysbench 1.0.20 had prepared.
func TestTableIsSysbenchs(t *testing.T) {
	d, name := server(t)
	do(t, d, "oltp_read_write", "prepare", "--tables=2", "--table_size=6000")
	rows, err := mariadbtest.Shared(t).DB(t).Query("SELECT id, k, c, pad FROM " + name + ".sbtest1 ORDER BY id")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	h := sha256.New()
	for rows.Next() {
		var id, k, c, pad string
		if err := rows.Scan(&id, &k, &c, &pad); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(h, "%s\t%s\t%s\t%s\n", id, k, c, pad)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	if got, want := hex.EncodeToString(h.Sum(nil)), "62cde12ae89bf63539020116bfa4fb666a390de944d7494ae3f819d71eed0c7c"; got != want {
		t.Errorf("hash of the rows is %s, want %s", got, want)
	}
	do(t, d, "oltp_read_write", "prewarm", "--tables=2", "--table_size=6000")
	do(t, d, "oltp_read_write", "cleanup", "--tables=2")
}

// Counts by class of what each test does to a real server, which are those of sysbench.
func TestEventsOnServer(t *testing.T) {
	d, _ := server(t)
	do(t, d, "oltp_read_write", "prepare", "--tables=2", "--table_size=200")
	for _, c := range []struct {
		test                  string
		reads, writes, others int64 // for 10 events
	}{
		{"oltp_read_write", 140, 40, 20},
		{"oltp_read_only", 140, 0, 20},
		{"oltp_write_only", 0, 40, 20},
		{"oltp_point_select", 10, 0, 0},
		{"oltp_insert", 0, 10, 0},
		{"oltp_update_index", 0, 10, 0},
		{"oltp_update_non_index", 0, 10, 0},
		{"select_random_points", 10, 0, 0},
		{"select_random_ranges", 10, 0, 0},
		{"oltp_delete", 0, -1, -1}, // some ids are drawn twice
	} {
		t.Run(c.test, func(t *testing.T) {
			got := run10(t, d, c.test, "--tables=2", "--table_size=200")
			if c.writes < 0 {
				if got.Writes == 0 || got.Writes+got.Others != 10 || got.Reads != 0 {
					t.Errorf("got %+v", got)
				}
				return
			}
			if got.Reads != c.reads || got.Writes != c.writes || got.Others != c.others || got.Errors != 0 {
				t.Errorf("reads %d writes %d others %d errors %d, want %d %d %d 0",
					got.Reads, got.Writes, got.Others, got.Errors, c.reads, c.writes, c.others)
			}
		})
	}
}

func TestBulkInsertOnServer(t *testing.T) {
	d, name := server(t)
	do(t, d, "bulk_insert", "prepare")
	if got := run10(t, d, "bulk_insert"); got.Writes != 1 {
		t.Errorf("%d writes, want 1 for all rows", got.Writes)
	}
	var n, sum int
	if err := mariadbtest.Shared(t).DB(t).QueryRow("SELECT COUNT(*), SUM(id) FROM "+name+".sbtest1").Scan(&n, &sum); err != nil {
		t.Fatal(err)
	}
	if n != 10 || sum != 55 {
		t.Errorf("%d rows with sum %d, want 10 and 55", n, sum)
	}
	do(t, d, "bulk_insert", "cleanup")
}

// run10 executes 10 events and returns what was counted.
func run10(t *testing.T, d sqldb.Driver, name string, args ...string) measure.Counters {
	t.Helper()
	test := lookup(t, name)
	s, _, err := workloadtest.Setup(test, args...)
	if err != nil {
		t.Fatal(err)
	}
	s.Driver = d
	r, err := test.NewRun(s)
	if err != nil {
		t.Fatal(err)
	}
	recorder := measure.NewRecorder(measure.Options{})
	stats := recorder.Thread()
	w, err := r.Thread(workload.ThreadContext{Threads: 1, Rand: s.Random.NewSource(), Stats: stats, Env: sqldb.Blocking{Ctx: context.Background()}})
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		if err := w.Event(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Done(); err != nil {
		t.Fatal(err)
	}
	stats.Flush()
	set := measure.Set{Recorders: []*measure.Recorder{recorder}}
	return set.Cumulative().Counters
}

// Commands that sysbench runs in all threads at once, and the functions that it blames for their errors.
func TestCommands(t *testing.T) {
	const common = "prepare+:sysbench.cmdline.call_command prewarm+:sysbench.cmdline.call_command warmup+:sysbench.cmdline.call_command cleanup:cleanup"
	for name, want := range map[string]string{
		"oltp_read_write": common, "select_random_points": common, "bulk_insert": "prepare:prepare cleanup:cleanup",
	} {
		var got []string
		for _, c := range lookup(t, name).Commands() {
			parallel := ""
			if c.Parallel {
				parallel = "+"
			}
			got = append(got, c.Name+parallel+":"+c.Function)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %v, want %s", name, got, want)
		}
	}
}
