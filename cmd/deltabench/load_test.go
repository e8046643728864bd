package main

import (
	"database/sql"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"deltabench/internal/mariadbtest"
)

// loading is a command line that loads tables into a database of its own.
type loading struct {
	s    *mariadbtest.Server
	db   *sql.DB
	name string // of the database
	args []string
	n    int // tables
}

func newLoading(t *testing.T, s *mariadbtest.Server, tables int, args ...string) *loading {
	t.Helper()
	l := &loading{s: s, db: s.DB(t), name: s.NewDatabase(t), n: tables}
	l.args = append([]string{
		"oltp_read_write", "--mysql-socket=" + s.Socket, "--mysql-user=sbtest", "--mysql-password=pw",
		"--mysql-db=" + l.name, fmt.Sprintf("--tables=%d", tables),
	}, args...)
	return l
}

func (l *loading) with(command string, more ...string) []string {
	return append(append(append([]string{}, l.args...), more...), command)
}

// prepare loads and returns what was printed.
func (l *loading) prepare(t *testing.T, more ...string) string {
	t.Helper()
	o := run(t, "deltabench", l.with("prepare", more...)...)
	if o.code != 0 {
		t.Fatalf("%v", o)
	}
	return o.stdout
}

// state is all of the tables: rows, definitions and the next id.
func (l *loading) state(t *testing.T) string {
	t.Helper()
	hash, created := tableHash(t, l.db, l.name, l.n)
	if hash == emptyHash {
		t.Fatal("the tables are empty")
	}
	return hash + "\n" + created
}

func (l *loading) cleanup(t *testing.T) {
	t.Helper()
	if o := run(t, "deltabench", l.with("cleanup")...); o.code != 0 {
		t.Fatalf("%v", o)
	}
}

// globals are the server's variables, but for those that are clocks.
func globals(t *testing.T, db *sql.DB) map[string]string {
	t.Helper()
	rows, err := db.Query("SHOW GLOBAL VARIABLES")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	all := map[string]string{}
	for rows.Next() {
		var name, value string
		if err := rows.Scan(&name, &value); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(name, "gtid_") {
			all[name] = value
		}
	}
	if err := rows.Err(); err != nil || len(all) < 100 {
		t.Fatalf("%d variables, %v", len(all), err)
	}
	return all
}

// The load is ended at ten random points, by a kill of the client, by Ctrl-C, or by the loss of a connection,
// and gone on with.
func TestLoadResumes(t *testing.T) {
	s := mariadbtest.Start(t)
	for _, c := range []struct{ name, localInfile, how string }{
		{"infile", "ON", "LOAD DATA LOCAL INFILE"},
		{"insert", "OFF", "INSERT statements"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.Exec(t, "SET GLOBAL local_infile="+c.localInfile)
			l := newLoading(t, s, 2, "--table-size=30000", "--threads=3", "--rand-seed=11")
			before := globals(t, l.db)
			begin := time.Now()
			out := l.prepare(t)
			took := time.Since(begin)
			if !strings.Contains(out, c.how+", 3 connections") {
				t.Errorf("it does not say that it uses %s:\n%s", c.how, out)
			}
			if c.localInfile == "OFF" && strings.Count(out, "local_infile=OFF") != 1 {
				t.Errorf("it does not say why, in one line:\n%s", out)
			}
			want := l.state(t)
			seed := rand.Uint64()
			rng := rand.New(rand.NewPCG(seed, 0))
			t.Logf("seed %d, a load takes %v", seed, took)
			interrupted, kept := 0, 0
			for point := range 10 {
				if point%2 == 0 { // every other time the resumed load is interrupted as well
					l.cleanup(t)
				}
				p := start(t, 2*time.Minute, "deltabench", l.with("prepare", "--resume")...)
				time.Sleep(time.Duration(rng.Int64N(int64(took))))
				switch point % 3 { // fails when it has ended
				case 0:
					_ = p.Process.Kill()
				case 1:
					_ = p.Process.Signal(os.Interrupt)
				case 2:
					killConnection(l)
				}
				o := p.wait(t)
				if o.code != 0 {
					interrupted++
				}
				// Without output it was ended before it knew of signals.
				if point%3 == 1 && o.code != 0 && o.stdout != "" && (o.code != 130 || !strings.Contains(o.stdout, "prepare was interrupted")) {
					t.Errorf("after Ctrl-C: %v", o)
				}
				if strings.Contains(o.stdout, "FATAL: prepare: load rows") && !strings.Contains(o.stdout, "the same command with --resume goes on") {
					t.Errorf("it does not say how to go on: %v", o)
				}
				if point%2 == 1 {
					if out := l.prepare(t, "--resume"); strings.Contains(out, "of an interrupted load kept") {
						kept++
					}
					if got := l.state(t); got != want {
						t.Fatalf("point %d: resumed tables are\n%s\nwant\n%s", point, got, want)
					}
				}
			}
			if interrupted == 0 || kept == 0 {
				t.Errorf("%d loads were interrupted, rows kept in %d: nothing was tested", interrupted, kept)
			}
			if after := globals(t, l.db); !maps.Equal(before, after) {
				t.Errorf("variables of the server have changed:\n%v\n%v", before, after)
			}
		})
	}
}

// killConnection kills one connection to the database, if there is one.
func killConnection(l *loading) {
	var id int64
	if l.db.QueryRow("SELECT id FROM information_schema.processlist WHERE db = ? ORDER BY time_ms DESC LIMIT 1", l.name).Scan(&id) == nil {
		_, _ = l.db.Exec(fmt.Sprintf("KILL CONNECTION %d", id)) // may be gone by now
	}
}

// With a seed the rows depend on nothing but it; without one, one thread makes sysbench's.
func TestLoadedRowsDoNotDependOnThreads(t *testing.T) {
	s := mariadbtest.Start(t)
	states := map[string]string{}
	for _, args := range []string{
		"--threads=1", "--threads=4", "--threads=4 --load=insert", "--threads=2 --load-index=before", "--threads=3 --load=sysbench --rand-seed=0",
	} {
		l := newLoading(t, s, 2, "--table-size=12000", "--rand-seed=3")
		out := l.prepare(t, strings.Fields(args)...)
		states[args] = l.state(t)
		if before := strings.Contains(out, "secondary index before"); before != strings.Contains(args, "before") {
			t.Errorf("%s: when the index was made is not recorded:\n%s", args, out)
		}
		create, insert := strings.Index(out, "Creating a secondary index"), strings.Index(out, "Inserting 12000 records")
		if (create < insert) != strings.Contains(args, "before") {
			t.Errorf("%s: the index is made at the wrong time:\n%s", args, out)
		}
		l.cleanup(t)
	}
	want := states["--threads=1"]
	for args, got := range states {
		if (got == want) == strings.Contains(args, "sysbench") {
			t.Errorf("%s: the tables are the same as with one thread: %v", args, got == want)
		}
	}
	// Without a seed: sysbench's rows, whatever loads them, and however many threads go on with the load.
	l := newLoading(t, s, 2, "--table-size=12000")
	if o := run(t, "sysbench", l.with("prepare")...); o.code != 0 {
		t.Fatalf("%v", o)
	}
	want = l.state(t)
	for _, method := range []string{"infile", "insert"} {
		l.cleanup(t)
		l.prepare(t, "--load="+method)
		if l.state(t) != want {
			t.Errorf("%s: one thread does not make sysbench's rows", method)
		}
		s.Exec(t, fmt.Sprintf("DELETE FROM %s.sbtest1 WHERE id > 10000", l.name), fmt.Sprintf("DELETE FROM %s.sbtest2 WHERE id BETWEEN 5000 AND 12000", l.name))
		l.prepare(t, "--load="+method, "--resume", "--threads=4")
		if l.state(t) != want {
			t.Errorf("%s: four threads do not go on with sysbench's rows", method)
		}
	}
}

// What is refused before anything is changed.
func TestLoadChecks(t *testing.T) {
	s := mariadbtest.Start(t)
	l := newLoading(t, s, 3, "--table-size=100", "--rand-seed=3", "--threads=2")
	s.Exec(t, "CREATE USER poor@localhost IDENTIFIED BY 'pw'", fmt.Sprintf("GRANT SELECT, CREATE, INSERT ON %s.* TO poor@localhost", l.name))
	refused := func(want string, args ...string) {
		t.Helper()
		o := run(t, "deltabench", l.with("prepare", args...)...)
		if o.code != 1 || !strings.Contains(o.stdout, want) {
			t.Errorf("want exit code 1 and %q, got %v", want, o)
		}
	}
	tables := func(want int) {
		t.Helper()
		var n int
		if err := l.db.QueryRow("SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = ?", l.name).Scan(&n); err != nil || n != want {
			t.Errorf("%d tables, %v, want %d", n, err, want)
		}
	}
	refused("lacks the INDEX privilege", "--mysql-user=poor")
	s.Exec(t, "SET GLOBAL local_infile=0")
	refused("LOAD DATA LOCAL INFILE is not possible: the server has local_infile=OFF", "--load=infile")
	s.Exec(t, "SET GLOBAL local_infile=1")
	refused("--resume does not go with --load=sysbench", "--load=sysbench", "--resume")
	refused("Invalid value for --load: 'fast'", "--load=fast")
	tables(0)
	if out := l.prepare(t, "--mysql-user=poor", "--create-secondary=off"); !strings.Contains(out, "no secondary index") {
		t.Errorf("got\n%s", out)
	}
	tables(3)
	for i := range 3 {
		refused(fmt.Sprintf("FATAL: Table 'sbtest%d' already exists\n", i+1))
	}
	refused("sbtest1 holds other rows than these options make", "--resume", "--rand-seed=4")
	refused("sbtest1 has rows that a table of 50 rows does not have", "--resume", "--table-size=50")
	// The index is what is missing.
	if out := l.prepare(t, "--resume"); !strings.Contains(out, "300 rows of an interrupted load kept") || strings.Count(out, "Creating a secondary index") != 3 {
		t.Errorf("got\n%s", out)
	}
	if o := run(t, "deltabench", l.with("run", "--resume")...); o.code != 1 || !strings.Contains(o.stdout, "--resume has no effect on 'run'") {
		t.Errorf("%v", o)
	}
}

// Engines without transactions keep a part of what was interrupted.
func TestLoadResumesWithoutTransactions(t *testing.T) {
	s := mariadbtest.Start(t)
	l := newLoading(t, s, 1, "--table-size=30000", "--rand-seed=3", "--threads=2", "--mysql-storage-engine=myisam")
	l.prepare(t)
	want := l.state(t)
	// A block of which a part is there, one whose last row was cut off, one that is not there.
	s.Exec(t, "DELETE FROM "+l.name+".sbtest1 WHERE id BETWEEN 4000 AND 9000 OR id > 20000",
		"UPDATE "+l.name+".sbtest1 SET pad = LEFT(pad, 30) WHERE id = 20000")
	if out := l.prepare(t, "--resume"); !strings.Contains(out, "Loaded 30000 rows") {
		t.Errorf("got\n%s", out)
	}
	if got := l.state(t); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
