package oltp

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"deltabench/internal/sqldb"
	"deltabench/internal/textlog"
	"deltabench/internal/workload"
	"deltabench/internal/workload/workloadtest"
)

func lookup(t *testing.T, name string) workload.Test {
	t.Helper()
	for _, test := range Tests() {
		if test.Name() == name {
			return test
		}
	}
	t.Fatalf("no test %s", name)
	return nil
}

// printer adds the lines of a log to a journal.
type printer struct{ journal *workloadtest.Journal }

func (p printer) Write(b []byte) (int, error) {
	p.journal.Lines = append(p.journal.Lines, "Print "+strings.TrimSuffix(string(b), "\n"))
	p.journal.Kinds = append(p.journal.Kinds, 0)
	return len(b), nil
}

// execute runs a command line such as "oltp_delete --tables=2 run" and returns what it sent and printed, and the error
// that ended it.
func execute(t *testing.T, d *workloadtest.Driver, line string) ([]string, error) {
	t.Helper()
	words := strings.Fields(line)
	test, command := lookup(t, words[0]), words[len(words)-1]
	s, set, err := workloadtest.Setup(test, words[1:len(words)-1]...)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	d.Journal = &workloadtest.Journal{}
	s.Driver = d
	s.Log = textlog.New(printer{d.Journal}, textlog.Notice)
	if command != "run" {
		err := workloadtest.Command(test, command, s)
		return d.Journal.Lines, err
	}
	r, err := test.NewRun(s)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	seed, _ := set.Int("rand-seed")
	percentile, _ := set.Int("percentile")
	s.Random.Seed(uint32(seed))
	tc := workload.ThreadContext{Threads: 1, Rand: s.Random.NewSource(), Env: workloadtest.Env()}
	w, err := r.Thread(tc)
	if err != nil {
		return d.Journal.Lines, err
	}
	for range s.EventsLimit {
		if err := w.Event(); err != nil {
			return d.Journal.Lines, err
		}
		if percentile > 0 {
			tc.Rand.Uint64() // sysbench draws one number for its histogram
		}
	}
	return d.Journal.Lines, w.Done()
}

// testdata/statements.txt is what sysbench 1.0.20 sent to MariaDB 10.11 for each command line (from the general
// log, which trims texts), and what commands printed.
func TestStatementsAreSysbenchs(t *testing.T) {
	data, err := os.ReadFile("testdata/statements.txt")
	if err != nil {
		t.Fatal(err)
	}
	sections := strings.Split(strings.TrimPrefix(string(data), "# "), "\n# ")
	if len(sections) != 42 {
		t.Errorf("%d sections, want 42", len(sections))
	}
	for _, section := range sections {
		line, rest, _ := strings.Cut(section, "\n")
		t.Run(line, func(t *testing.T) {
			lines, err := execute(t, &workloadtest.Driver{}, line)
			if err != nil {
				t.Fatal(err)
			}
			// The server logs a command's prints and statements in different places: compare each kind.
			for _, prints := range []bool{true, false} {
				got, want := pick(lines, prints), pick(strings.Split(rest, "\n"), prints)
				if slices.Equal(got, want) {
					continue
				}
				for i := range max(len(got), len(want)) {
					if i >= len(got) || i >= len(want) || got[i] != want[i] {
						t.Fatalf("line %d:\ngot  %q\nwant %q", i, at(got, i), at(want, i))
					}
				}
			}
		})
	}
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(end)"
}

// pick returns the lines that are printed or those that are sent, trimmed as the general log trims them.
func pick(lines []string, prints bool) []string {
	var picked []string
	for _, l := range lines {
		call, text, _ := strings.Cut(l, " ")
		for strings.HasSuffix(text, `\n        `) {
			text = strings.TrimSuffix(text, `\n        `)
		}
		l = strings.TrimSpace(call + " " + strings.TrimSpace(text))
		if l != "" && call != "Quit" && (call == "Print") == prints {
			picked = append(picked, l)
		}
	}
	return picked
}

// The hash is over the statements that sysbench 1.0.20 sent for the same command.
func TestPreparedDataIsSysbenchs(t *testing.T) {
	lines, err := execute(t, &workloadtest.Driver{}, "oltp_read_write --tables=2 --table_size=6000 prepare")
	if err != nil {
		t.Fatal(err)
	}
	h := sha256.New()
	n := 0
	for _, l := range lines {
		if text, ok := strings.CutPrefix(l, "Query "); ok {
			h.Write([]byte(strings.TrimSpace(strings.ReplaceAll(text, `\n`, "\n")) + "\n"))
			n++
		}
	}
	if n != 10 {
		t.Errorf("%d statements, want 10", n)
	}
	if got, want := hex.EncodeToString(h.Sum(nil)), "0290a96298ee5c85904bf663b6d4d22e019d4fd805d671a1b9216cb027ac7985"; got != want {
		t.Errorf("hash of the statements is %s, want %s", got, want)
	}
}

// Blanks around statements, which the general log does not show; from sysbench's error messages.
func TestBlanks(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{
			"select_random_points --random_points=2 run",
			"Prepare         SELECT id, k, c, pad\\n          FROM sbtest1\\n          WHERE k IN (?, ?)\\n        ",
		},
		{
			"select_random_ranges --number_of_ranges=2 run",
			"Prepare         SELECT count(k)\\n          FROM sbtest1\\n          WHERE k BETWEEN ? AND ? OR k BETWEEN ? AND ?",
		},
		{
			"oltp_delete prepare",
			`Query CREATE TABLE sbtest1(\n  id INTEGER NOT NULL AUTO_INCREMENT,\n  k INTEGER DEFAULT '0' NOT NULL,\n  c CHAR(120) DEFAULT '' NOT NULL,\n  pad CHAR(60) DEFAULT '' NOT NULL,\n  PRIMARY KEY (id)\n) /*! ENGINE = innodb */ `,
		},
		{
			"oltp_delete --create_table_options=COMMENT='x' prepare",
			`Query CREATE TABLE sbtest1(\n  id INTEGER NOT NULL AUTO_INCREMENT,\n  k INTEGER DEFAULT '0' NOT NULL,\n  c CHAR(120) DEFAULT '' NOT NULL,\n  pad CHAR(60) DEFAULT '' NOT NULL,\n  PRIMARY KEY (id)\n) /*! ENGINE = innodb */ COMMENT='x'`,
		},
		{
			"bulk_insert prepare",
			`Query         CREATE TABLE IF NOT EXISTS sbtest1 (\n          id INTEGER NOT NULL,\n          k INTEGER DEFAULT '0' NOT NULL,\n          PRIMARY KEY (id))`,
		},
	} {
		lines, err := execute(t, &workloadtest.Driver{}, c.line)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(lines, c.want) {
			t.Errorf("%s: no line\n%q in\n%.400q", c.line, c.want, lines[:min(len(lines), 3)])
		}
	}
}

func TestPostgres(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"oltp_delete --table_size=1 prepare", `Query CREATE TABLE sbtest1(\n  id SERIAL,\n  k INTEGER DEFAULT '0' NOT NULL,\n  c CHAR(120) DEFAULT '' NOT NULL,\n  pad CHAR(60) DEFAULT '' NOT NULL,\n  PRIMARY KEY (id)\n)  `},
		{"oltp_delete --table_size=1 --auto_inc=off --secondary=on prepare", `Query CREATE TABLE sbtest1(\n  id INTEGER NOT NULL,\n  k INTEGER DEFAULT '0' NOT NULL,\n  c CHAR(120) DEFAULT '' NOT NULL,\n  pad CHAR(60) DEFAULT '' NOT NULL,\n  KEY xid (id)\n)  `},
	} {
		lines, err := execute(t, &workloadtest.Driver{Kind: "pgsql"}, c.line)
		if err != nil || !slices.Contains(lines, c.want) {
			t.Errorf("%s: error %v, no line\n%q in\n%.400q", c.line, err, c.want, lines)
		}
	}
	lines, err := execute(t, &workloadtest.Driver{Kind: "pgsql"}, "oltp_insert --events=1 run")
	if err != nil || !strings.HasPrefix(lines[0], "Query INSERT INTO sbtest1 (k, c, pad) VALUES (") {
		t.Errorf("insert: error %v, sent %q", err, lines)
	}
	if _, err := execute(t, &workloadtest.Driver{Kind: "pgsql"}, "oltp_insert prewarm"); err == nil || err.Error() != "prewarm is currently MySQL only" {
		t.Errorf("prewarm: got %v", err)
	}
	if _, err := execute(t, &workloadtest.Driver{Kind: "other"}, "oltp_insert prepare"); err == nil || err.Error() != "Unsupported database driver:other" {
		t.Errorf("other driver: got %v", err)
	}
}

// Where errors happen and what they say, as sysbench 1.0.20 reports them.
func TestErrors(t *testing.T) {
	fail := &sqldb.Error{Code: 1146, State: "42S02", Message: "no table"}
	for _, c := range []struct {
		line, call, text string // the first call with this text fails
		position, want   string
	}{
		{"oltp_read_write run", "connect", "", "oltp_common.lua:349", "connection creation failed"},
		{"oltp_read_write run", "prepare", "DELETE", "oltp_common.lua:284", "SQL API error"},
		{"select_random_points run", "prepare", "SELECT", "select_random_points.lua:38", "SQL API error"},
		{"select_random_points run", "connect", "", "select_random_points.lua:34", "connection creation failed"},
		{"select_random_ranges run", "prepare", "SELECT", "select_random_ranges.lua:42", "SQL API error"},
		{"select_random_points --events=1 run", "execute", "SELECT", "select_random_points.lua:71", fail.Error()},
		{"select_random_ranges --events=1 run", "execute", "SELECT", "select_random_ranges.lua:76", fail.Error()},
		{"oltp_read_write --events=1 run", "execute", "BEGIN", "oltp_common.lua:405", fail.Error()},
		{"oltp_read_write --events=1 run", "execute", "COMMIT", "oltp_common.lua:409", fail.Error()},
		{"oltp_read_write --events=1 run", "execute", "SELECT c", "oltp_common.lua:419", fail.Error()},
		{"oltp_read_write --events=1 run", "execute", "SELECT SUM", "oltp_common.lua:432", fail.Error()},
		{"oltp_read_write --events=1 run", "execute", "UPDATE sbtest1 SET k", "oltp_common.lua:458", fail.Error()},
		{"oltp_read_write --events=1 run", "execute", "UPDATE sbtest1 SET c", "oltp_common.lua:469", fail.Error()},
		{"oltp_read_write --events=1 run", "execute", "DELETE", "oltp_common.lua:487", fail.Error()},
		{"oltp_read_write --events=1 run", "execute", "INSERT", "oltp_common.lua:488", fail.Error()},
		{"oltp_delete --events=1 run", "execute", "DELETE", "oltp_delete.lua:33", fail.Error()},
		{"oltp_insert --events=1 run", "query", "INSERT", "oltp_insert.lua:61", fail.Error()},
		{"oltp_delete --events=1 --tables=0 run", "", "", "oltp_delete.lua:32", "attempt to index a nil value"},
		{"oltp_read_only --events=1 --tables=0 run", "", "", "oltp_common.lua:417", "attempt to index a nil value"},
		{"oltp_update_index --events=1 --tables=0 run", "", "", "oltp_common.lua:456", "attempt to index a nil value"},
		{"oltp_update_non_index --events=1 --tables=0 run", "", "", "oltp_common.lua:466", "attempt to index a nil value"},
		{"oltp_read_only --point_selects=0 --events=1 --tables=0 run", "", "", "oltp_common.lua:429", "attempt to index a nil value"},
		{"oltp_write_only --index_updates=0 --non_index_updates=0 --events=1 --tables=-1 run", "", "", "oltp_common.lua:480", "attempt to index a nil value"},
		{"select_random_points --random_points=0 --events=1 run", "", "", "select_random_points.lua:71", "SQL error, errno = 0, state = '00000': "},
		{"select_random_ranges --number_of_ranges=2.5 --events=1 run", "", "", "select_random_ranges.lua:73", "attempt to index a nil value"},
		{"bulk_insert --events=1 run", "connect", "", "bulk_insert.lua:12", "connection creation failed"},
		{"bulk_insert --events=1 run", "query", "INSERT", "bulk_insert.lua:42", "db_bulk_insert_done() failed"},
		{"bulk_insert --events=60000 run", "query", "INSERT", "bulk_insert.lua:38", "db_bulk_insert_next() failed"},
		{"bulk_insert prepare", "query", "", "bulk_insert.lua:23", fail.Error()},
		{"bulk_insert cleanup", "query", "", "bulk_insert.lua:54", fail.Error()},
		{"oltp_delete prepare", "connect", "", "oltp_common.lua:83", "connection creation failed"},
		{"oltp_delete prepare", "query", "CREATE TABLE", "oltp_common.lua:197", fail.Error()},
		{"oltp_delete prepare", "query", "INSERT", "oltp_common.lua:230", "db_bulk_insert_next() failed"},
		{"oltp_delete --table_size=10 prepare", "query", "INSERT", "oltp_common.lua:233", "db_bulk_insert_done() failed"},
		{"oltp_delete --table_size=10 prepare", "query", "CREATE INDEX", "oltp_common.lua:238", fail.Error()},
		{"oltp_delete prewarm", "connect", "", "oltp_common.lua:98", "connection creation failed"},
		{"oltp_delete prewarm", "query", "ANALYZE", "oltp_common.lua:110", fail.Error()},
		{"oltp_delete prewarm", "query", "SELECT AVG", "oltp_common.lua:111", fail.Error()},
		{"oltp_delete prewarm", "query", "SELECT COUNT", "oltp_common.lua:116", fail.Error()},
		{"oltp_delete cleanup", "connect", "", "oltp_common.lua:388", "connection creation failed"},
		{"oltp_delete cleanup", "query", "DROP", "oltp_common.lua:392", fail.Error()},
		{"select_random_points --tables=2 cleanup", "", "", "select_random_points.lua:27", "this benchmark does not support --tables > 1"},
		{"select_random_ranges --tables=2 cleanup", "", "", "select_random_ranges.lua:29", "this benchmark does not support --tables > 1"},
	} {
		t.Run(c.line+" "+c.call+" "+c.text, func(t *testing.T) {
			d := &workloadtest.Driver{Fail: func(call, text string) error {
				if call == c.call && strings.HasPrefix(strings.TrimSpace(text), c.text) {
					return fail
				}
				return nil
			}}
			_, err := execute(t, d, c.line)
			var e *workload.ScriptError
			if !errors.As(err, &e) {
				t.Fatalf("got %v, want a ScriptError", err)
			}
			if e.Position != c.position || e.Error() != c.want {
				t.Errorf("got %s: %s, want %s: %s", e.Position, e, c.position, c.want)
			}
			if c.call != "" && !errors.Is(err, fail) {
				t.Error("the cause is lost")
			}
		})
	}
}

func TestDriverSetUpFailure(t *testing.T) {
	for line, position := range map[string]string{
		"oltp_read_only run": "oltp_common.lua:348", "oltp_read_only prepare": "oltp_common.lua:82",
		"oltp_read_only prewarm": "oltp_common.lua:97", "oltp_read_only cleanup": "oltp_common.lua:387",
		"select_random_points run": "select_random_points.lua:33", "select_random_ranges run": "select_random_ranges.lua:35",
		"bulk_insert run": "bulk_insert.lua:11", "bulk_insert prepare": "bulk_insert.lua:18", "bulk_insert cleanup": "bulk_insert.lua:49",
	} {
		_, err := execute(t, &workloadtest.Driver{Fail: func(string, string) error { return workload.ErrNoDriver }}, line)
		var e *workload.ScriptError
		if !errors.As(err, &e) || e.Position != position || e.Error() != "failed to initialize the DB driver" {
			t.Errorf("%s: got %v", line, err)
		}
	}
}
