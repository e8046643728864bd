package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"deltabench/internal/mariadbtest"
)

// databaseOptions lead to a database of a server.
func databaseOptions(s *mariadbtest.Server, database string) []string {
	return []string{
		"--db-driver=mysql", "--mysql-host=127.0.0.1", "--mysql-port=" + strconv.Itoa(s.Port), "--mysql-user=" + mariadbtest.User,
		"--mysql-password=" + mariadbtest.Password, "--mysql-db=" + database,
	}
}

// reported finds a number of a report by the words before it.
func reported(t *testing.T, o *outcome, words string) int {
	t.Helper()
	m := regexp.MustCompile(regexp.QuoteMeta(words) + ` +(\d+)`).FindStringSubmatch(o.stdout)
	if m == nil {
		t.Fatalf("no %q in %v", words, o)
	}
	n, _ := strconv.Atoi(m[1])
	return n
}

func copyFile(t *testing.T, dir, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, filepath.Base(path)), text, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// The hot-spot script of a study: 0.5's interface, with common.lua beside it and without, and both reports.
func TestHotspotExample(t *testing.T) {
	server := mariadbtest.Shared(t)
	for _, common := range []bool{true, false} {
		t.Run(fmt.Sprintf("common.lua=%v", common), func(t *testing.T) {
			dir, database := t.TempDir(), server.NewDatabase(t)
			copyFile(t, dir, "../../examples/hotspot.lua")
			if common {
				copyFile(t, dir, "../../internal/workload/script/lib/oltp_legacy/common.lua")
			}
			sysbench := func(args ...string) *outcome {
				t.Helper()
				args = append([]string{"--test=" + dir + "/hotspot.lua"}, append(args, databaseOptions(server, database)...)...)
				o := run(t, "sysbench", args...)
				if o.code != 0 {
					t.Fatal(o)
				}
				return o
			}
			hits := func() (k int) {
				t.Helper()
				if err := server.DB(t).QueryRow("SELECT k FROM " + database + ".sbtest1 WHERE id = 100").Scan(&k); err != nil {
					t.Fatal(err)
				}
				return k
			}
			sysbench("--oltp-table-size=100", "prepare")
			before := hits()
			o := sysbench("--num-threads=4", "--max-time=1", "--max-requests=0", "--oltp-tables-count=1", "run")
			n := reported(t, o, "transactions:")
			for words, want := range map[string]int{"read:": 0, "write:": n, "other:": 2 * n, "total:": 3 * n, "queries:": 3 * n, "ignored errors:": 0, "reconnects:": 0} {
				if got := reported(t, o, words); got != want {
					t.Errorf("%s %d, want %d for %d transactions", words, got, want, n)
				}
			}
			if !strings.Contains(o.stdout, "SQL statistics:\n") || n == 0 || hits() != before+n {
				t.Errorf("k rose from %d to %d in %d transactions, %v", before, hits(), n, o)
			}
			before = hits()
			o = sysbench("--num-threads=4", "--max-time=1", "--max-requests=0", "--oltp-tables-count=1", "--compat=0.5", "run")
			n = reported(t, o, "transactions:")
			for words, want := range map[string]int{"read:": 0, "write:": n, "other:": 2 * n, "read/write requests:": n, "other operations:": 2 * n, "ignored errors:": 0} {
				if got := reported(t, o, words); got != want {
					t.Errorf("--compat=0.5: %s %d, want %d for %d transactions", words, got, want, n)
				}
			}
			if !strings.Contains(o.stdout, "OLTP test statistics:\n") || hits() != before+n {
				t.Errorf("--compat=0.5: k rose from %d to %d in %d transactions, %v", before, hits(), n, o)
			}
			sysbench("cleanup")
		})
	}
}

// The example of the size of TPC-C keeps its data consistent, under ours and the installed sysbench alike.
func TestTPCCExample(t *testing.T) {
	server := mariadbtest.Shared(t)
	programs := map[string]func(*testing.T, ...string) *outcome{
		"deltabench": func(t *testing.T, args ...string) *outcome { return run(t, "deltabench", args...) },
	}
	if path, err := exec.LookPath("sysbench"); err == nil {
		programs["sysbench"] = func(t *testing.T, args ...string) *outcome {
			out, err := exec.Command(path, args...).CombinedOutput()
			o := &outcome{args: args, stdout: string(out)}
			if err != nil {
				o.code = 1
			}
			return o
		}
	}
	script, err := filepath.Abs("../../examples/tpcc.lua")
	if err != nil {
		t.Fatal(err)
	}
	for name, program := range programs {
		t.Run(name, func(t *testing.T) {
			database := server.NewDatabase(t)
			do := func(code int, args ...string) *outcome {
				t.Helper()
				args = append([]string{script, "--scale=2", "--districts=2", "--customers=30", "--items=100"}, append(args, databaseOptions(server, database)...)...)
				o := program(t, args...)
				if o.code != code {
					t.Fatalf("exit code %d, want %d: %v", o.code, code, o)
				}
				return o
			}
			do(0, "prepare", "--threads=2")
			if o := do(0, "check"); strings.Count(o.stdout, "ok    ") != 9 || !strings.Contains(o.stdout, "120 orders, 120 payments") {
				t.Errorf("after prepare: %v", o)
			}
			o := do(0, "run", "--threads=8", "--events=600", "--time=60", "--mix=80,15,2,10,2", "--unordered")
			if got, restarts := reported(t, o, "transactions:"), reported(t, o, "ignored errors:"); got != 600 || restarts == 0 {
				t.Errorf("%d transactions, want 600; %d restarts after deadlocks, want some: %v", got, restarts, o)
			}
			if o := do(0, "check"); strings.Count(o.stdout, "ok    ") != 9 || strings.Contains(o.stdout, "120 orders") {
				t.Errorf("after run: %v", o)
			}
			server.Exec(t, "UPDATE "+database+".district SET d_ytd = d_ytd + 1 WHERE d_w_id = 1 AND d_id = 1")
			if o := do(1, "check"); !strings.Contains(o.stdout, "WRONG a warehouse has what its districts have\n      1  ") {
				t.Errorf("a wrong sum is not seen: %v", o)
			}
			do(0, "cleanup")
			var tables int
			if err := server.DB(t).QueryRow("SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = ?", database).Scan(&tables); err != nil || tables != 0 {
				t.Errorf("%d tables are left (%v)", tables, err)
			}
		})
	}
}

// The bundled modules send what the native tests send: statements, order and random values.
func TestBundledModulesAreTheNativeTests(t *testing.T) {
	server := mariadbtest.Start(t, mariadbtest.WithArgs("--general-log=1", "--log-output=TABLE"))
	log := func(t *testing.T, script bool, name string, lines ...string) []string {
		t.Helper()
		database := server.NewDatabase(t)
		test, dir := name, t.TempDir()
		if script {
			test = filepath.Join(dir, name+".lua")
			if err := os.WriteFile(test, []byte("require(\""+name+"\")\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		for _, line := range lines {
			args := append([]string{test}, strings.Fields(line)...)
			if o := run(t, "sysbench", append(args, databaseOptions(server, database)...)...); o.code != 0 {
				t.Fatal(o)
			}
		}
		rows, err := server.DB(t).Query("SELECT command_type, argument FROM mysql.general_log WHERE user_host LIKE 'sbtest%' AND command_type IN ('Query', 'Prepare', 'Execute') ORDER BY event_time")
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		var list []string
		for rows.Next() {
			var kind, text string
			if err := rows.Scan(&kind, &text); err != nil {
				t.Fatal(err)
			}
			list = append(list, kind+" "+text)
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		server.Exec(t, "TRUNCATE TABLE mysql.general_log")
		return list
	}
	const prepare, seeded = "prepare --table_size=50 --tables=3", "run --table_size=50 --tables=3 --rand-seed=5 --events=5 --time=0"
	for _, c := range []struct {
		name  string
		lines []string
	}{
		{"oltp_read_only", []string{prepare, "prewarm --tables=2 --table_size=50", seeded, "cleanup --tables=3"}},
		{"oltp_read_write", []string{prepare, seeded, seeded + " --skip_trx --range_selects=off --delete_inserts=2"}},
		{"oltp_write_only", []string{prepare + " --auto_inc=off --create_secondary=off", seeded}},
		{"oltp_point_select", []string{prepare, seeded + " --point_selects=7"}},
		{"oltp_update_index", []string{prepare, seeded + " --index_updates=2"}},
		{"oltp_update_non_index", []string{prepare, seeded + " --reconnect=2"}},
		{"oltp_delete", []string{prepare + " --create_table_options=COMMENT='x'", seeded}},
		{"oltp_insert", []string{prepare + " --auto_inc=off", seeded + " --auto_inc=off"}},
		{"select_random_points", []string{"prepare --table_size=50", "run --table_size=50 --rand-seed=5 --events=5 --time=0 --random_points=3"}},
		{"select_random_ranges", []string{"prepare --table_size=50", "run --table_size=50 --rand-seed=5 --events=5 --time=0 --number_of_ranges=3"}},
		{"bulk_insert", []string{"prepare", "run --events=60000 --time=0", "cleanup"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, want := log(t, true, c.name, c.lines...), log(t, false, c.name, c.lines...)
			if len(want) < 4 || !slices.Equal(got, want) {
				for i := range min(len(got), len(want)) {
					if got[i] != want[i] {
						t.Errorf("statement %d of the script is %.300q, of the native test %.300q", i, got[i], want[i])
						break
					}
				}
				t.Errorf("%d statements of the script, %d of the native test", len(got), len(want))
			}
		})
	}
}

// Scripts of 0.5 are found at the paths at which sysbench installs them, and do what they did.
func TestLegacyScripts(t *testing.T) {
	server := mariadbtest.Shared(t)
	for _, c := range []struct {
		name  string
		per   [3]int // reads, writes and others in an event
		extra string
	}{
		{"oltp", [3]int{14, 4, 2}, ""},
		{"oltp", [3]int{14, 0, 0}, "--oltp-read-only=on --oltp-skip-trx=on"},
		{"oltp", [3]int{0, 4, 2}, "--oltp-write-only=on"},
		{"oltp_simple", [3]int{1, 0, 0}, ""},
		{"select", [3]int{1, 0, 0}, ""},
		{"insert", [3]int{0, 1, 0}, ""},
		{"update_index", [3]int{0, 1, 0}, ""},
		{"update_non_index", [3]int{0, 1, 0}, ""},
		{"select_random_points", [3]int{1, 0, 0}, ""},
		{"select_random_ranges", [3]int{1, 0, 0}, ""},
	} {
		t.Run(strings.TrimSpace(c.name+" "+c.extra), func(t *testing.T) {
			database := server.NewDatabase(t)
			do := func(line string) *outcome {
				t.Helper()
				args := append(strings.Fields(line), databaseOptions(server, database)...)
				o := start(t, time.Minute, "sysbench", append([]string{"--test=/usr/share/sysbench/tests/include/oltp_legacy/" + c.name + ".lua"}, args...)...).wait(t)
				if o.code != 0 {
					t.Fatal(o)
				}
				return o
			}
			do("prepare --oltp-table-size=200 --oltp-tables-count=2")
			o := do("--oltp-table-size=200 --oltp-tables-count=2 --max-requests=10 run " + c.extra)
			got := [3]int{reported(t, o, "read:"), reported(t, o, "write:"), reported(t, o, "other:")}
			if want := [3]int{10 * c.per[0], 10 * c.per[1], 10 * c.per[2]}; got != want {
				t.Errorf("reads, writes and others are %v, want %v: %v", got, want, o)
			}
			do("cleanup --oltp-tables-count=2")
		})
	}
}

// parallel_prepare makes tables in the events of a run, and the bulk insert of 0.5 has tables by thread number.
func TestLegacyScriptsThatMakeTables(t *testing.T) {
	server := mariadbtest.Shared(t)
	database := server.NewDatabase(t)
	do := func(path string, args ...string) *outcome {
		t.Helper()
		o := run(t, "sysbench", append(append([]string{"--test=" + path}, args...), databaseOptions(server, database)...)...)
		if o.code != 0 {
			t.Fatal(o)
		}
		return o
	}
	const dir = "/usr/share/doc/sysbench/tests/db/"
	o := do(dir+"parallel_prepare.lua", "--oltp-tables-count=3", "--oltp-table-size=10", "--max-requests=1", "run")
	if w, other := reported(t, o, "write:"), reported(t, o, "other:"); w != 3 || other != 6 {
		t.Errorf("%d writes and %d others for three tables, want 3 and 6: %v", w, other, o)
	}
	do(dir+"oltp.lua", "--oltp-tables-count=3", "cleanup")
	do(dir+"bulk_insert.lua", "--num-threads=2", "prepare")
	do(dir+"bulk_insert.lua", "--num-threads=2", "--max-requests=3000", "run")
	var rows int
	if err := server.DB(t).QueryRow("SELECT (SELECT COUNT(*) FROM " + database + ".sbtest0) + (SELECT COUNT(*) FROM " + database + ".sbtest1)").Scan(&rows); err != nil || rows != 3000 {
		t.Errorf("%d rows, want 3000 (%v)", rows, err)
	}
	do(dir+"bulk_insert.lua", "--num-threads=2", "cleanup")
}

// The scripts in docs/scripting.md work, and script check has nothing to say against them or the examples.
func TestScriptsOfTheDocumentation(t *testing.T) {
	doc, err := os.ReadFile("../../docs/scripting.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```lua\n(.*?)```").FindAllStringSubmatch(string(doc), -1)
	if len(blocks) != 3 {
		t.Fatalf("%d scripts, want 3", len(blocks))
	}
	server := mariadbtest.Shared(t)
	database, dir := server.NewDatabase(t), t.TempDir()
	do := func(script string, args ...string) *outcome {
		t.Helper()
		o := run(t, "deltabench", append(append([]string{script}, args...), databaseOptions(server, database)...)...)
		if o.code != 0 || strings.Contains(o.stdout, "FATAL") {
			t.Fatal(o)
		}
		return o
	}
	var paths []string
	for i, block := range blocks {
		path := filepath.Join(dir, fmt.Sprintf("block%d.lua", i))
		text := block[1]
		if !strings.Contains(text, "function event") {
			text += "function event() end\n"
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}

	do(paths[0], "prepare", "--counters=5")
	do(paths[0], "run", "--counters=5", "--events=20", "--time=0", "--threads=2")
	var n int
	if err := server.DB(t).QueryRow("SELECT SUM(n) FROM " + database + ".counters").Scan(&n); err != nil || n != 20 {
		t.Errorf("20 events made the sum %d (%v)", n, err)
	}
	do(paths[0], "cleanup")
	if o := do(paths[1], "run", "--events=3", "--time=0"); reported(t, o, "total number of events:") != 3 {
		t.Error(o)
	}
	do(paths[2], "prepare", "--table_size=20")
	if o := do(paths[2], "run", "--table_size=20", "--events=3", "--time=0"); reported(t, o, "read:") != 60 || reported(t, o, "other:") != 6 {
		t.Error(o)
	}

	for _, name := range []string{"hotspot.lua", "tpcc.lua"} {
		paths = append(paths, filepath.Join("../../examples", name))
	}
	for _, path := range paths {
		abs, err := filepath.Abs(path)
		if err != nil {
			t.Fatal(err)
		}
		if o := run(t, "deltabench", "script", "check", abs); o.code != 0 || o.stderr != "" {
			t.Error(o)
		}
	}
}
