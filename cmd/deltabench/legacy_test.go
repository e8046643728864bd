package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"deltabench/internal/mariadbtest"
)

// legacyServer is a server with a general log and a short wait for locks.
func legacyServer(t *testing.T) (s *mariadbtest.Server, log func() []string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "general.log")
	s = mariadbtest.Start(t, mariadbtest.WithArgs("--general-log", "--general-log-file="+file, "--innodb-lock-wait-timeout=1"))
	s.Exec(t, "CREATE DATABASE sbtest")
	read := 0
	// log returns the commands since its last call, such as "Execute COMMIT".
	return s, func() []string {
		t.Helper()
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		for line := range strings.Lines(string(text[read:])) {
			if m := logLine.FindStringSubmatch(strings.TrimSuffix(line, "\n")); m != nil {
				list = append(list, m[1]+" "+m[2])
			}
		}
		read = len(text)
		return list
	}
}

// logLine is a line of the general log: a time or blanks, the connection, the command and its text.
var logLine = regexp.MustCompile(`^(?:\d{6} [ \d:]{8})?\s+\d+ (\w+)\s(.*)$`)

// count returns how many of the lines start with a text.
func count(lines []string, prefix string) int {
	n := 0
	for _, l := range lines {
		if strings.HasPrefix(l, prefix) {
			n++
		}
	}
	return n
}

// report04 is the report of sysbench 0.4 behind the mode block.
var report04 = regexp.MustCompile(`(?s)Done\.

OLTP test statistics:
    queries performed:
        read:                            (\d+)
        write:                           (\d+)
        other:                           (\d+)
        total:                           (\d+)
    transactions:                        (\d+) *\(([\d.]+) per sec\.\)
    deadlocks:                           (\d+) *\([\d.]+ per sec\.\)
    read/write requests:                 (\d+) *\([\d.]+ per sec\.\)
    other operations:                    (\d+) *\([\d.]+ per sec\.\)

Test execution summary:
    total time:                          ([\d.]+)s
    total number of events:              (\d+)
    total time taken by event execution: ([\d.]+)
    per-request statistics:
         min: {28}([ \d.]{10})ms
         avg: {28}([ \d.]{10})ms
         max: {28}([ \d.]{10})ms
         approx\.  95 percentile: {9}([ \d.]{10})ms

Threads fairness:
    events \(avg/stddev\):           [\d.]+/[\d.]+
    execution time \(avg/stddev\):   [\d.]+/[\d.]+
`)

// numbers04 are the numbers of a report.
type numbers04 struct {
	read, write, other, total, transactions, perSecond, deadlocks, requests, operations, seconds, events, taken, min, avg, max, p95 float64
}

func parse04(t *testing.T, o *outcome) numbers04 {
	t.Helper()
	m := report04.FindStringSubmatch(o.stdout)
	if o.code != 0 || m == nil {
		t.Fatalf("no report of 0.4: %v", o)
	}
	var v [16]float64
	for i := range v {
		var err error
		if v[i], err = strconv.ParseFloat(strings.TrimSpace(m[i+1]), 64); err != nil {
			t.Fatal(err)
		}
	}
	n := numbers04{v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10], v[11], v[12], v[13], v[14], v[15]}
	if n.read+n.write+n.other != n.total || n.requests != n.read+n.write || n.operations != n.other || n.events != n.transactions {
		t.Errorf("sums are wrong: %+v", n)
	}
	if rate := n.transactions / n.seconds; math.Abs(rate-n.perSecond) > (0.01+0.0001/n.seconds)*rate { // seconds have four places
		t.Errorf("%g transactions in %g s are not %g per second", n.transactions, n.seconds, n.perSecond)
	}
	if n.min > n.avg || n.avg > n.max || math.Abs(n.avg*n.events/1000-n.taken) > 0.01*n.taken+0.006*n.events/1000 {
		t.Errorf("times do not fit: %+v", n)
	}
	return n
}

// The command lines of a tutorial of 2014 (sysbench 0.4.12), with the server's socket added.
func TestTutorialOf04(t *testing.T) {
	t.Parallel()
	s, log := legacyServer(t)
	at := []string{"--mysql-socket=" + s.Socket}
	tutorial := strings.Fields("--test=oltp --mysql-user=" + s.SocketUser + " --db-driver=mysql")
	o := run(t, "sysbench", append(append(tutorial, "prepare"), at...)...)
	if want := "Creating table 'sbtest'...\nCreating 10000 records in table 'sbtest'...\n"; o.code != 0 || !strings.HasSuffix(o.stdout, "\n\n"+want) || o.stderr != "" {
		t.Fatalf("%v", o)
	}
	var rows, ids, ks, rest int
	query := "SELECT COUNT(*), MAX(id), SUM(k), SUM(c = '' AND pad = 'qqqqqqqqqqwwwwwwwwwweeeeeeeeeerrrrrrrrrrtttttttttt') FROM sbtest.sbtest"
	if err := s.DB(t).QueryRow(query).Scan(&rows, &ids, &ks, &rest); err != nil || rows != 10000 || ids != 10000 || ks != 0 || rest != 10000 {
		t.Errorf("%d rows to %d, k %d, others %d, error %v", rows, ids, ks, rest, err)
	}
	lines := log()
	index, insert := -1, -1
	for i, l := range lines {
		switch {
		case strings.HasPrefix(l, "Query CREATE INDEX k on sbtest(k)"):
			index = i
		case strings.HasPrefix(l, "Query INSERT INTO sbtest"):
			insert = i
		}
	}
	if index < 0 || insert < index || count(lines, "Query INSERT") != 1 {
		t.Errorf("index at %d, %d inserts, the last at %d", index, count(lines, "Query INSERT"), insert)
	}

	// Transactions of 21 statements, in 0.4's layout, without a word on old spellings. The tutorial lets the default of
	// 10,000 transactions run; here the server gets fewer.
	if n := parse04(t, run(t, "sysbench", append(append(tutorial, "run", "--mysql-dry-run"), at...)...)); n.transactions != 10000 {
		t.Errorf("%g transactions by default", n.transactions)
	}
	o = run(t, "sysbench", append(append(tutorial, "run", "--max-requests=500"), at...)...)
	n := parse04(t, o)
	if n.transactions != 500 || n.read != 7000 || n.write != 2500 || n.other != 1000 || n.deadlocks != 0 {
		t.Errorf("%+v", n)
	}
	const head = "\n\nRunning the test with following options:\nNumber of threads: 1\n\nDoing OLTP test.\nRunning mixed OLTP test\n" +
		"Using Special distribution (12 iterations,  1 pct of values are returned in 75 pct cases)\nUsing \"BEGIN\" for starting transactions\n" +
		"Using auto_inc on the id column\nMaximum number of requests for OLTP test is limited to 500\nThreads started!\nDone.\n\n"
	if _, after, _ := strings.Cut(o.stdout, "\n\nRunning"); !strings.HasPrefix("\n\nRunning"+after, head) || o.stderr != "" || strings.Contains(o.stdout, "WARNING") {
		t.Errorf("%v", o)
	}
	lines = log()
	if got := count(lines, "Execute "); got != 10500 {
		t.Errorf("the server executed %d statements, want 10500", got)
	}
	for what, want := range map[string]int{
		"BEGIN": 500, "COMMIT": 500, "SELECT c from sbtest where id=": 5000, "SELECT SUM(K) from": 500, "SELECT DISTINCT c": 500,
		"UPDATE sbtest set k=k+1": 1000, "UPDATE sbtest set c=": 500, "DELETE from sbtest": 500, "INSERT INTO sbtest values(": 500,
	} {
		if got := count(lines, "Execute "+what); got != want {
			t.Errorf("%s…: executed %d times, want %d", what, got, want)
		}
	}
	o = run(t, "sysbench", append(append(tutorial, "cleanup"), at...)...)
	if o.code != 0 || !strings.HasSuffix(o.stdout, "\n\nDropping table 'sbtest'...\n") || count(log(), "Query DROP TABLE") != 1 {
		t.Errorf("%v", o)
	}
}

// Modes, both executors, and what the server saw.
func TestLegacyModes(t *testing.T) {
	t.Parallel()
	s, log := legacyServer(t)
	base := strings.Fields("--test=oltp --mysql-user=sbtest --mysql-password=pw --oltp-table-size=500 --mysql-socket=" + s.Socket)
	legacy := func(t *testing.T, args string) *outcome {
		t.Helper()
		return run(t, "deltabench", append(append([]string{}, base...), strings.Fields(args)...)...)
	}
	if o := legacy(t, "prepare"); o.code != 0 {
		t.Fatalf("%v", o)
	}
	s.Exec(t, "USE sbtest", "CREATE TABLE calls (t INT, n INT)",
		"CREATE PROCEDURE work(t INT, n INT) BEGIN INSERT INTO calls VALUES (t, n); SELECT t; SELECT n; END")
	log()
	for i, c := range []struct {
		args               string
		reads, writes, all float64 // of an event; -1: not fixed
		see                map[string]int
	}{
		{"--max-requests=20 --engine=loop", 14, 5, 21, map[string]int{"Execute BEGIN": 20}},
		{"--max-requests=20 --engine=goroutine", 14, 5, 21, map[string]int{"Execute BEGIN": 20}},
		{"--max-requests=20 --oltp-read-only=on --num-threads=4", 14, 0, 16, map[string]int{"Execute COMMIT": 20, "Execute UPDATE": 0}},
		{"--max-requests=20 --oltp-skip-trx=on --oltp-point-selects=1", 5, 5, 10, map[string]int{"Execute BEGIN": 0, "Execute INSERT": 20}},
		{"--max-requests=20 --oltp-test-mode=simple --num-threads=2", 1, 0, 1, map[string]int{"Execute SELECT c": 20}},
		{"--max-requests=20 --oltp-test-mode=simple --db-ps-mode=disable", 1, 0, 1, map[string]int{"Query SELECT c": 20, "Execute": 0, "Prepare": 0}},
		{"--max-requests=20 --oltp-test-mode=simple --oltp-point-select-all-cols", 1, 0, 1, map[string]int{"Execute SELECT id, k, c, pad": 20}},
		{"--max-requests=20 --oltp-point-select-mysql-handler", 14, 5, 21, map[string]int{"Query HANDLER sbtest OPEN": 1, "Execute HANDLER sbtest READ": 200}},
		{"--max-requests=3 --oltp-point-select-mysql-handler --oltp-reconnect-mode=transaction --oltp-connect-delay=0", 14, 5, 21, map[string]int{"Query HANDLER sbtest OPEN": 4}},
		{"--max-requests=20 --oltp-test-mode=nontrx", 1, 0, 1, map[string]int{"Execute SELECT pad": 20}},
		{"--max-requests=20 --oltp-test-mode=nontrx --oltp-nontrx-mode=update_key", 0, 1, 1, map[string]int{"Execute UPDATE sbtest set k=k+1": 20}},
		{"--max-requests=20 --oltp-test-mode=nontrx --oltp-nontrx-mode=update_nokey", 0, 1, 1, map[string]int{"Execute UPDATE sbtest set c=": 20}},
		{"--max-requests=20 --mysql-engine-trx=no", 14, 5, 21, map[string]int{"Execute LOCK TABLES sbtest WRITE": 20, "Execute UNLOCK": 20}},
		{"--max-requests=20 --mysql-engine-trx=no --oltp-read-only=on", 14, 0, 16, map[string]int{"Execute LOCK TABLES sbtest READ": 20}},
		{"--max-requests=20 --oltp-reconnect-mode=transaction --oltp-test-mode=simple --oltp-connect-delay=0", 1, 0, 1, map[string]int{"Connect ": 22, "Execute SELECT c": 20}},
		{"--max-requests=3 --oltp-reconnect-mode=query --oltp-connect-delay=0", 14, 5, 21, map[string]int{"Connect ": 65, "Execute": 63}},
		{"--max-requests=20 --oltp-reconnect-mode=random --oltp-connect-delay=0", 14, 5, 21, map[string]int{"Execute": 420}},
		{"--max-requests=20 --oltp-test-mode=sp --oltp-sp-name=work --num-threads=2", 1, 0, 1, map[string]int{"Query CALL work(": 20}},
		{"--max-requests=500 --oltp-test-mode=nontrx --oltp-nontrx-mode=delete --num-threads=3", 0, 1, 1, map[string]int{"Execute DELETE": 500}},
		{"--max-requests=30 --oltp-test-mode=nontrx --oltp-nontrx-mode=insert --num-threads=3", 0, 1, 1, map[string]int{"Query TRUNCATE TABLE sbtest": 1, "Execute INSERT": 30}},
		{"--max-requests=30 --oltp-test-mode=nontrx --oltp-nontrx-mode=insert --num-threads=3 --oltp-auto-inc=off", 0, 1, 1, map[string]int{"Execute INSERT": 30}},
	} {
		t.Run(c.args, func(t *testing.T) {
			// Runs within a second have the same seed, and what is written again counts as other.
			o := legacy(t, fmt.Sprintf("%s --seed-rng=%d run", c.args, i+1))
			lines := log()
			n := parse04(t, o)
			if n.read != c.reads*n.events || n.write != c.writes*n.events || n.total != c.all*n.events || n.deadlocks != 0 {
				t.Errorf("%+v, want %g reads, %g writes, %g in all for each event", n, c.reads, c.writes, c.all)
			}
			for what, want := range c.see {
				if got := count(lines, what); got != want {
					t.Errorf("%s…: the server saw it %d times, want %d", what, got, want)
				}
			}
		})
	}
	var rows, least, most, threads int
	if err := s.DB(t).QueryRow("SELECT COUNT(*), MIN(id), MAX(id) FROM sbtest.sbtest").Scan(&rows, &least, &most); err != nil || rows != 30 || least != 1 || most != 30 {
		t.Errorf("after the inserts: %d rows from %d to %d, error %v", rows, least, most, err)
	}
	if err := s.DB(t).QueryRow("SELECT COUNT(*), COUNT(DISTINCT t), MIN(n), MAX(n) FROM sbtest.calls").Scan(&rows, &threads, &least, &most); err != nil || rows != 20 || threads < 1 || least != 2 || most != 2 {
		t.Errorf("procedure: %d calls by %d threads of %d to %d, error %v", rows, threads, least, most, err)
	}
}

// A transaction that waits too long for a lock is executed again with the same values, and counted as a deadlock.
func TestLegacyDeadlocks(t *testing.T) {
	t.Parallel()
	s, log := legacyServer(t)
	base := strings.Fields("--test=oltp --mysql-user=sbtest --mysql-password=pw --oltp-table-size=100 --mysql-socket=" + s.Socket)
	if o := run(t, "deltabench", append(base, "prepare")...); o.code != 0 {
		t.Fatalf("%v", o)
	}
	for _, engine := range []string{"loop", "goroutine"} {
		t.Run(engine, func(t *testing.T) {
			tx, err := s.DB(t).Begin()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := tx.Exec("UPDATE sbtest.sbtest SET k=k+1"); err != nil {
				t.Fatal(err)
			}
			log()
			file := filepath.Join(t.TempDir(), "r.json")
			p := start(t, time.Minute, "deltabench", append(base, "run", "--max-requests=3", "--engine="+engine, "--report-file="+file)...)
			var lines []string
			for deadline := time.Now().Add(40 * time.Second); count(lines, "Execute BEGIN") < 2; { // the second one is after a wait
				if time.Now().After(deadline) {
					t.Fatalf("nothing was executed again: %q", lines)
				}
				time.Sleep(20 * time.Millisecond)
				lines = append(lines, log()...)
			}
			if err := tx.Rollback(); err != nil {
				t.Fatal(err)
			}
			o := p.wait(t)
			n := parse04(t, o)
			lines = append(lines, log()...)
			d := n.deadlocks
			if n.transactions != 3 || d < 1 || n.read != 14*(3+d) || n.write != 15 || n.other != 6+d {
				t.Errorf("%+v: %v", n, o)
			}
			if !regexp.MustCompile(`1205 \(HY000\) +` + strconv.Itoa(int(d)) + " ").MatchString(o.stdout) {
				t.Errorf("errors by code do not tell %g of 1205: %v", d, o)
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			doc := validDocument(t, string(text))
			if float64(doc.Totals.Restarts) != d || float64(doc.Totals.Errors) != d || doc.Totals.Events != 3 || doc.Test.Name != "oltp" || doc.Options["compat"] != "" || !strings.HasPrefix(doc.Keys, "special of 0.4") {
				t.Errorf("document: %+v %+v %q", doc.Totals, doc.Test, doc.Keys)
			}
			var executed []string
			for _, l := range lines {
				if strings.HasPrefix(l, "Execute ") {
					executed = append(executed, l)
				}
			}
			const attempt = 16 // to the first update
			for i := range int(d) {
				first, again := executed[i*attempt:(i+1)*attempt], executed[(i+1)*attempt:(i+2)*attempt]
				if fmt.Sprint(first) != fmt.Sprint(again) {
					t.Errorf("executed again with other values:\n%q\n%q", first, again)
				}
			}
			if len(executed) != int(d)*attempt+3*21 {
				t.Errorf("%d statements executed", len(executed))
			}
		})
	}
}

// Pauses of users park the thread only, and so do those after connecting.
func TestLegacyDelays(t *testing.T) {
	t.Parallel()
	s := mariadbtest.Shared(t)
	db := s.NewDatabase(t)
	base := strings.Fields("--test=oltp --mysql-user=sbtest --mysql-password=pw --mysql-db=" + db + " --mysql-socket=" + s.Socket)
	if o := run(t, "deltabench", append(base, "prepare")...); o.code != 0 {
		t.Fatalf("%v", o)
	}
	for _, engine := range []string{"loop", "goroutine"} {
		o := run(t, "deltabench", append(base, strings.Fields("run --engine="+engine+" --loops=1 --oltp-test-mode=simple --num-threads=64 --max-requests=128 --oltp-connect-delay=300000 --oltp-user-delay-min=150000 --oltp-user-delay-max=200000")...)...)
		n := parse04(t, o)
		// One after the other they would take 20 s.
		if n.min < 150 || n.seconds < 0.3 || n.seconds > 10 || n.transactions != 128 {
			t.Errorf("%s: %+v", engine, n)
		}
		if o.took < 600*time.Millisecond {
			t.Errorf("%s: took %v, with 0.3 s after connecting", engine, o.took)
		}
	}
}

var report05 = regexp.MustCompile(`(?s)\nRandom number generator seed is 0 and will be ignored


Threads started!

\[   [12]s\] threads: 1, tps: [\d.]+, reads: [\d.]+, writes: [\d.]+, response time: [\d.]+ms \(95%\), errors: [\d.]+, reconnects:  [\d.]+
.*OLTP test statistics:
    queries performed:
        read:                            (\d+)
        write:                           (\d+)
        other:                           (\d+)
        total:                           (\d+)
    transactions:                        (\d+) *\([\d.]+ per sec\.\)
    read/write requests:                 (\d+) *\([\d.]+ per sec\.\)
    other operations:                    (\d+) *\([\d.]+ per sec\.\)
    ignored errors:                      0      \(0\.00 per sec\.\)
    reconnects:                          0      \(0\.00 per sec\.\)

General statistics:
    total time:                          [\d.]+s
    total number of events:              (\d+)
    total time taken by event execution: [\d.]+s
    response time:
         min: {28}[ \d.]{10}ms
         avg: {28}[ \d.]{10}ms
         max: {28}[ \d.]{10}ms
         approx\.  95 percentile: {9}[ \d.]{10}ms

Threads fairness:
    events \(avg/stddev\):           [\d.]+/[\d.]+
    execution time \(avg/stddev\):   [\d.]+/[\d.]+
`)

// The layouts of old versions for any test.
func TestCompatLayouts(t *testing.T) {
	t.Parallel()
	s := mariadbtest.Shared(t)
	db := s.NewDatabase(t)
	at := []string{"--mysql-socket=" + s.Socket, "--mysql-user=sbtest", "--mysql-password=pw", "--mysql-db=" + db}
	sysbench := func(args string) *outcome {
		return run(t, "sysbench", append(strings.Fields(args), at...)...)
	}
	if o := sysbench("oltp_read_write prepare --table-size=1000"); o.code != 0 {
		t.Fatalf("%v", o)
	}
	o := sysbench("oltp_read_write run --table-size=1000 --time=2 --report-interval=1 --compat=0.5")
	m := report05.FindStringSubmatch(o.stdout)
	if o.code != 0 || m == nil || !strings.HasPrefix(o.stdout, "sysbench 0.5:  multi-threaded system evaluation benchmark") {
		t.Fatalf("%v", o)
	}
	var v [8]int
	for i := range v {
		v[i], _ = strconv.Atoi(m[i+1])
	}
	if v[0] != 14*v[4] || v[1] != 4*v[4] || v[2] != 2*v[4] || v[3] != 20*v[4] || v[5] != v[0]+v[1] || v[6] != v[2] || v[7] != v[4] {
		t.Errorf("sums: %v", v)
	}
	if o := sysbench("oltp_read_only run --table-size=1000 --events=5 --compat=0.4"); parse04(t, o).read != 70 || !strings.HasPrefix(o.stdout, "sysbench 0.4.12:  multi-threaded system evaluation benchmark") {
		t.Errorf("%v", o)
	}
	if o := sysbench("oltp_read_only run --table-size=1000 --events=5"); o.code != 0 || !strings.Contains(o.stdout, "\nSQL statistics:\n") || !strings.HasPrefix(o.stdout, "sysbench 1.0.20") {
		t.Errorf("%v", o)
	}

	// Old spellings are the right ones when an old layout is asked for.
	old := "oltp_read_only --num-threads=2 --max-time=1 --max-requests=0 --table-size=1000 run "
	if o := sysbench("--test=" + old + "--compat=0.5"); o.code != 0 || o.stderr != "" || strings.Contains(o.stdout, "WARNING") {
		t.Errorf("%v", o)
	}
	if o := sysbench("--test=" + old); o.code != 0 || !strings.HasPrefix(o.stderr, "WARNING: the --test option") || strings.Count(o.stdout, "WARNING: ") != 2 {
		t.Errorf("%v", o)
	}

	// 0.4's test in the layout of 1.0, and by its name when 0.4 is asked for.
	if o := sysbench("--test=oltp prepare --oltp-table-size=1000 --oltp-table-name=old"); o.code != 0 {
		t.Fatalf("%v", o)
	}
	if o := sysbench("--test=oltp run --oltp-table-name=old --oltp-table-size=1000 --max-requests=5 --compat=1.0"); o.code != 0 || !strings.Contains(o.stdout, "\nSQL statistics:\n    queries performed:\n        read:                            70\n") {
		t.Errorf("%v", o)
	}
	if o := sysbench("oltp run --oltp-table-name=old --oltp-table-size=1000 --max-requests=5 --compat=0.4"); parse04(t, o).read != 70 {
		t.Errorf("%v", o)
	}
	if o := sysbench("--test=oltp cleanup --oltp-table-name=old"); o.code != 0 || !strings.HasSuffix(o.stdout, "Dropping table 'old'...\n") {
		t.Errorf("%v", o)
	}

	// Tests without a database, under the spellings of 0.4.
	o = run(t, "sysbench", strings.Fields("--test=cpu --cpu-max-prime=100 --num-threads=2 --max-requests=10 --compat=0.4 run")...)
	if want := "Done.\n\nMaximum prime number checked in CPU test: 100\n\nTest execution summary:\n    total time:"; o.code != 0 || !strings.Contains(o.stdout, want) {
		t.Errorf("%v", o)
	}
	o = run(t, "sysbench", strings.Fields("--test=memory --memory-block-size=1K --memory-total-size=1M --compat=0.4 run")...)
	if !regexp.MustCompile(`\nOperations performed: 1024 \([ \d.]+ ops/sec\)\n\n1\.00 MB transferred \([\d.]+ MB/sec\)\n\nTest execution summary:\n`).MatchString(o.stdout) {
		t.Errorf("%v", o)
	}
	for _, args := range []string{"--test=threads --thread-yields=10 --thread-locks=2 --max-requests=10 run", "--test=mutex --mutex-num=10 --mutex-locks=10 --mutex-loops=10 run"} {
		if o := run(t, "sysbench", strings.Fields(args)...); o.code != 0 || !strings.Contains(o.stdout, "\nGeneral statistics:\n") {
			t.Errorf("%v", o)
		}
	}
	if o := run(t, "sysbench", strings.Fields("--test=fileio --file-test-mode=rndrw run")...); o.code != 3 {
		t.Errorf("%v", o)
	}
}

// Runs differ, unless --init-rng=off or a seed asks for the same one.
func TestLegacyRandomNumbers(t *testing.T) {
	t.Parallel()
	s, log := legacyServer(t)
	base := strings.Fields("--test=oltp --mysql-user=sbtest --mysql-password=pw --oltp-table-size=5000 --max-requests=3 --oltp-test-mode=simple --mysql-socket=" + s.Socket)
	if o := run(t, "sysbench", append(base, "prepare")...); o.code != 0 {
		t.Fatalf("%v", o)
	}
	draw := func(args ...string) string {
		t.Helper()
		log()
		if o := run(t, "sysbench", append(append(append([]string{}, base...), args...), "run")...); o.code != 0 {
			t.Fatalf("%v", o)
		}
		var ids []string
		for _, l := range log() {
			if strings.HasPrefix(l, "Execute ") {
				ids = append(ids, l)
			}
		}
		return strings.Join(ids, " ")
	}
	first := draw("--init-rng=off")
	for _, c := range []struct {
		args string
		same bool
	}{{"--init-rng=off", true}, {"--db-driver=mysql", false}, {"--seed-rng=1", true}, {"--rand-seed=1", true}, {"--seed-rng=2", false}, {"--rand-seed=3", false}, {"--init-rng", false}} {
		if got := draw(c.args); got == "" || (got == first) != c.same {
			t.Errorf("%s: the same ids: %v, want %v", c.args, got == first, c.same)
		}
	}
}

// Errors of the server end a command or a run, in 0.4's words, with our hint under our name only.
func TestLegacyServerErrors(t *testing.T) {
	t.Parallel()
	s := mariadbtest.Shared(t)
	at := strings.Fields("--test=oltp --mysql-user=sbtest --mysql-password=pw --oltp-table-size=10 --mysql-db=" + s.NewDatabase(t) + " --mysql-socket=" + s.Socket)
	for _, c := range []struct {
		name, args, want string
		code             int
	}{
		{"deltabench", "run", "FATAL: MySQL error: 1146 \"Table '[^']*' doesn't exist\"\nFATAL: database error, exiting\\.\\.\\.\nFATAL: Thread initialization failed!\nHint: create the table first: deltabench --test=oltp prepare, with", 1},
		{"sysbench", "run", "FATAL: database error, exiting\\.\\.\\.\nFATAL: Thread initialization failed!\n$", 1},
		{"deltabench", "prepare", "Creating 10 records in table 'sbtest'\\.\\.\\.\n$", 0},
		{"deltabench", "prepare", "FATAL: mysql_drv_query\\(\\) returned error 1050 .*\nFATAL: database error, exiting\\.\\.\\.\nHint: the tables are there already; if no other load is running, remove them first: deltabench --test=oltp cleanup", 1},
		{"sysbench", "prepare", "FATAL: database error, exiting\\.\\.\\.\n$", 1},
		{"deltabench", "run --oltp-test-mode=sp --oltp-sp-name=nosuch", "FATAL: mysql_drv_query\\(\\) returned error 1305 .*\nFATAL: database error, exiting\\.\\.\\.\n", 1},
	} {
		o := run(t, c.name, append(append([]string{}, at...), strings.Fields(c.args)...)...)
		if o.code != c.code || !regexp.MustCompile(c.want).MatchString(o.stdout) || strings.Contains(o.stdout, "function failed") {
			t.Errorf("want %s: %v", c.want, o)
		}
	}
}

// --debug tells which threads failed, as sysbench's does.
func TestDebugTellsFailedThreads(t *testing.T) {
	t.Parallel()
	o := run(t, "sysbench", strings.Fields("--debug --threads=3 oltp_read_only run --mysql-socket=/nonexistent")...)
	for i := range 3 {
		if n := strings.Count(o.stdout, fmt.Sprintf("DEBUG: Worker thread (#%d) failed to initialize!\n", i)); n != 1 {
			t.Errorf("thread %d is told %d times: %v", i, n, o)
		}
	}
}
