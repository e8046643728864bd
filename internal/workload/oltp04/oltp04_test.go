package oltp04

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"deltabench/internal/random"
	"deltabench/internal/sqldb"
	"deltabench/internal/textlog"
	"deltabench/internal/workload"
	"deltabench/internal/workload/workloadtest"
)

// setup returns the setup for options, with a driver that writes a journal.
func setup(t *testing.T, d *workloadtest.Driver, args ...string) workload.Setup {
	t.Helper()
	s, _, err := workloadtest.Setup(Test(), append([]string{"--oltp-connect-delay=0"}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	d.Journal = &workloadtest.Journal{}
	s.Driver, s.Log = d, textlog.New(io.Discard, textlog.Fatal)
	return s
}

// events executes transactions on one thread, again when that is asked for, and returns what was done after the start.
func events(t *testing.T, d *workloadtest.Driver, n int, args ...string) ([]string, error) {
	t.Helper()
	s := setup(t, d, args...)
	r, err := Test().NewRun(s)
	if err != nil {
		t.Fatal(err)
	}
	w, err := r.Thread(workload.ThreadContext{Threads: 1, Rand: s.Random.NewSource(), Env: workloadtest.Env()})
	if err != nil {
		return d.Journal.Lines, err
	}
	start := len(d.Journal.Lines)
	for range n {
		err := w.Event()
		for sqldb.Restartable(err) {
			err = w.Event()
		}
		if err != nil {
			return d.Journal.Lines[start:], err
		}
	}
	return d.Journal.Lines[start:], w.Done()
}

// masked replaces numbers by N, and texts of numbers with dashes too.
func masked(line string) string {
	var b strings.Builder
	for i := 0; i < len(line); i++ {
		digit := func(j int) bool { return j < len(line) && '0' <= line[j] && line[j] <= '9' }
		if !digit(i) || i > 0 && line[i-1] != ' ' && line[i-1] != '=' && line[i-1] != '(' && line[i-1] != ',' && line[i-1] != '\'' {
			b.WriteByte(line[i])
			continue
		}
		for digit(i) || i < len(line) && line[i] == '-' {
			i++
		}
		i--
		b.WriteByte('N')
	}
	return b.String()
}

const (
	point    = "Execute SELECT c from sbtest where id=N"
	update   = "Execute UPDATE sbtest set k=k+1 where id=N"
	updateC  = "Execute UPDATE sbtest set c='N' where id=N"
	del      = "Execute DELETE from sbtest where id=N"
	simple   = "Execute SELECT c from sbtest where id between N and N"
	begin    = "Execute BEGIN"
	commit   = "Execute COMMIT"
	lastRow  = "Execute INSERT INTO sbtest values(N,N,' ','aaaaaaaaaaffffffffffrrrrrrrrrreeeeeeeeeeyyyyyyyyyy')"
	closing  = "Close"
	quitting = "Quit"
)

func repeated(line string, n int) []string { return slices.Repeat([]string{line}, n) }

func ranges() []string {
	return []string{
		simple, "Execute SELECT SUM(K) from sbtest where id between N and N", simple + " order by c",
		"Execute SELECT DISTINCT c from sbtest where id between N and N order by c",
	}
}

func TestStatementsOfATransaction(t *testing.T) {
	reads := append(repeated(point, 10), ranges()...)
	writes := []string{update, updateC, update, del, lastRow}
	lock := func(how string) string { return "Execute LOCK TABLES sbtest " + how }
	const unlock = "Execute UNLOCK TABLES"
	for _, c := range []struct {
		args string
		want []string
	}{
		{"", slices.Concat([]string{begin}, reads, writes, []string{commit})},
		{"--oltp-read-only", slices.Concat([]string{begin}, reads, []string{commit})},
		{"--oltp-write-only", slices.Concat([]string{begin}, writes, []string{commit})},
		{"--oltp-skip-trx --oltp-range-selects=off", slices.Concat(repeated(point, 10), writes)},
		{
			"--oltp-point-selects=2 --oltp-simple-ranges=0 --oltp-sum-ranges=0 --oltp-order-ranges=0 --oltp-distinct-ranges=2 --oltp-index-updates=2 --oltp-non-index-updates=0 --oltp-delete-inserts=0",
			slices.Concat([]string{begin}, repeated(point, 2), repeated(ranges()[3], 2), repeated(update, 2), []string{commit}),
		},
		{"--mysql-table-engine=myisam", slices.Concat([]string{lock("WRITE")}, reads, writes, []string{unlock})},
		{"--mysql-table-engine=MyISAM --oltp-read-only", slices.Concat([]string{lock("READ")}, reads, []string{unlock})},
		{"--mysql-engine-trx=no --oltp-skip-trx --oltp-read-only", reads},
		{"--mysql-table-engine=memory --mysql-engine-trx=yes --oltp-read-only", slices.Concat([]string{begin}, reads, []string{commit})},
		{"--oltp-test-mode=simple", []string{point}},
		{"--oltp-test-mode=nontrx", []string{"Execute SELECT pad from sbtest where id=N"}},
		{"--oltp-test-mode=nontrx --oltp-nontrx-mode=update_key", []string{update}},
		{"--oltp-test-mode=nontrx --oltp-nontrx-mode=update_nokey", []string{updateC}},
		{"--oltp-test-mode=nontrx --oltp-nontrx-mode=delete", []string{del}},
		{"--oltp-test-mode=nontrx --oltp-nontrx-mode=insert", []string{"Execute INSERT INTO sbtest values(NULL,N,'N','" + insertedPad + "')"}},
		{"--oltp-test-mode=nontrx --oltp-nontrx-mode=insert --oltp-auto-inc=off", []string{"Execute INSERT INTO sbtest values(N,N,'N','" + insertedPad + "')"}},
		{"--oltp-test-mode=simple --oltp-point-select-all-cols", []string{"Execute SELECT id, k, c, pad from sbtest where id=N"}},
		{"--oltp-test-mode=simple --oltp-point-select-mysql-handler", []string{"Execute HANDLER sbtest READ `PRIMARY`=(N)"}},
		{"--oltp-test-mode=simple --oltp-point-select-mysql-handler --oltp-secondary", []string{"Execute HANDLER sbtest READ xid=(N)"}},
		{"--oltp-test-mode=sp --oltp-sp-name=work", []string{"Query CALL work(N,N)"}},
		{"--oltp-test-mode=simple --oltp-table-name=my-table", []string{"Execute SELECT c from `my-table` where id=N"}},
	} {
		lines, err := events(t, &workloadtest.Driver{}, 1, strings.Fields(c.args)...)
		if err != nil {
			t.Errorf("%s: %v", c.args, err)
			continue
		}
		var got []string
		for _, l := range lines {
			if l != closing && l != quitting {
				got = append(got, masked(l))
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\ngot  %q\nwant %q", c.args, got, c.want)
		}
		explained := 0.0
		s := setup(t, &workloadtest.Driver{}, strings.Fields(c.args)...)
		for _, st := range Test().(workload.Explainer).Statements("mysql", s.Options) {
			explained += st.PerEvent
		}
		if int(explained) != len(c.want) {
			t.Errorf("%s: explained as %g statements, want %d", c.args, explained, len(c.want))
		}
	}
}

// numbers returns the numbers of a statement of the journal.
func numbers(t *testing.T, line, format string, n int) []int64 {
	t.Helper()
	got := make([]int64, n)
	into := make([]any, n)
	for i := range got {
		into[i] = &got[i]
	}
	if _, err := fmt.Sscanf(line, format, into...); err != nil {
		t.Fatalf("%q is not %q: %v", line, format, err)
	}
	return got
}

func TestRangesStayInTheTable(t *testing.T) {
	for _, c := range []struct {
		args              string
		size, long, least int64
	}{
		{"--oltp-table-size=120 --oltp-dist-type=uniform --oltp-point-selects=0 --oltp-read-only --oltp-skip-trx", 120, 101, 1},
		{"--oltp-table-size=50 --oltp-dist-type=uniform --oltp-point-selects=0 --oltp-read-only --oltp-skip-trx", 101, 101, 1},
	} {
		lines, err := events(t, &workloadtest.Driver{}, 2000, strings.Fields(c.args)...)
		if err != nil {
			t.Fatal(err)
		}
		starts := map[int64]bool{}
		for _, l := range lines {
			switch {
			case strings.HasPrefix(l, "Execute SELECT c") && !strings.HasSuffix(l, "order by c"):
				n := numbers(t, l, "Execute SELECT c from sbtest where id between %d and %d", 2)
				starts[n[0]] = true
				if n[0] < c.least || n[1]-n[0] != c.long-2 || n[1] > c.size {
					t.Errorf("%s: %s", c.args, l)
				}
			case strings.HasPrefix(l, "Execute SELECT DISTINCT"):
				n := numbers(t, l, "Execute SELECT DISTINCT c from sbtest where id between %d and %d order by c", 2)
				if n[1]-n[0] != c.long-1 || n[1] > c.size {
					t.Errorf("%s: %s", c.args, l)
				}
			}
		}
		if c.size == 120 && len(starts) != 20 {
			t.Errorf("ranges start at %d rows, want all from 1 to 20", len(starts))
		}
	}
}

// A transaction that met a deadlock is executed again from its first statement with the values it had.
func TestDeadlocksRepeatValues(t *testing.T) {
	d := &workloadtest.Driver{}
	fails := 0
	d.Fail = func(call, text string) error {
		if call == "execute" && strings.HasPrefix(text, "DELETE") && fails < 2 {
			fails++
			return &sqldb.Restart{Err: &sqldb.Error{Code: 1213, State: "40001", Message: "Deadlock found"}, Query: text}
		}
		return nil
	}
	lines, err := events(t, d, 2)
	if err != nil {
		t.Fatal(err)
	}
	const toDelete, whole = 1 + 14 + 3 + 1, 21
	if len(lines) < 2*toDelete+2*whole {
		t.Fatalf("%d statements: %q", len(lines), lines)
	}
	first, second := lines[:toDelete], lines[toDelete:2*toDelete]
	third, next := lines[2*toDelete:2*toDelete+whole], lines[2*toDelete+whole:2*toDelete+2*whole]
	if !slices.Equal(first, second) || !slices.Equal(first, third[:toDelete]) {
		t.Errorf("values differ:\n%q\n%q\n%q", first, second, third)
	}
	if slices.Equal(third, next) {
		t.Errorf("the next transaction has the same values: %q", next)
	}
	if third[whole-1] != commit || next[0] != begin {
		t.Errorf("the transaction ends in %q, the next begins with %q", third[whole-1], next[0])
	}
}

func TestErrorsEndTheRun(t *testing.T) {
	for _, c := range []struct{ call, want string }{
		{"connect", "failed to connect to database server!"},
		{"prepare", "database error, exiting..."},
		{"execute", "database error, exiting..."},
		{"reconnect", "database error, exiting..."},
	} {
		d := &workloadtest.Driver{Fail: func(call, _ string) error {
			if call == c.call {
				return &sqldb.Error{Code: 1146, State: "42S02", Message: "no table"}
			}
			return nil
		}}
		_, err := events(t, d, 1, "--oltp-reconnect-mode=transaction")
		if err == nil || err.Error() != c.want {
			t.Errorf("%s fails: got %v, want %s", c.call, err, c.want)
		}
	}
}

func TestReconnectModes(t *testing.T) {
	for _, c := range []struct {
		mode         string
		events, want int
	}{
		{"session", 5, 0},
		{"transaction", 5, 5},
		{"query", 2, 42},
	} {
		lines, err := events(t, &workloadtest.Driver{}, c.events, "--oltp-reconnect-mode="+c.mode)
		if err != nil {
			t.Fatal(err)
		}
		got, prepared := 0, 0
		for _, l := range lines {
			if l == "Reconnect" {
				got++
			}
			if strings.HasPrefix(l, "Prepare") {
				prepared++
			}
		}
		if got != c.want {
			t.Errorf("%s: connected again %d times, want %d", c.mode, got, c.want)
		}
		// Only what is executed is prepared again: with a connection for each query, one statement.
		if c.mode == "query" && prepared != 41 {
			t.Errorf("%s: %d statements prepared after the start, want 41", c.mode, prepared)
		}
	}
	lines, err := events(t, &workloadtest.Driver{}, 60, "--oltp-reconnect-mode=random", "--oltp-test-mode=simple")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(strings.Join(lines, "\n"), "Reconnect"); n < 25 || n > 55 {
		t.Errorf("random: connected again %d times in 60 transactions, of which a third keep their connection", n)
	}
}

func TestUniqueIds(t *testing.T) {
	const size = 1000
	lines, err := events(t, &workloadtest.Driver{}, size, "--oltp-test-mode=nontrx", "--oltp-nontrx-mode=delete", fmt.Sprintf("--oltp-table-size=%d", size))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int64]bool{}
	for i, l := range lines[:size] {
		id := numbers(t, l, "Execute DELETE from sbtest where id=%d", 1)[0]
		if want := int64(i+1)*2147483647%size + 1; id != want || seen[id] {
			t.Fatalf("delete %d has the id %d, want %d; seen before: %v", i+1, id, want, seen[id])
		}
		seen[id] = true
	}
}

func TestInsertsStartWithAnEmptyTable(t *testing.T) {
	d := &workloadtest.Driver{}
	s := setup(t, d, "--oltp-test-mode=nontrx", "--oltp-nontrx-mode=insert", "--threads=2")
	r, err := Test().NewRun(s)
	if err != nil {
		t.Fatal(err)
	}
	for id := range 2 {
		if _, err := r.Thread(workload.ThreadContext{ID: id, Threads: 2, Rand: s.Random.NewSource(), Env: workloadtest.Env()}); err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(strings.Join(d.Journal.Lines, "\n"), "Query TRUNCATE TABLE sbtest"); n != 1 {
		t.Errorf("the table was truncated %d times, want once: %q", n, d.Journal.Lines)
	}
}

func TestPrepareAndCleanup(t *testing.T) {
	for _, c := range []struct {
		args string
		want []string
	}{
		{"", []string{
			"CREATE TABLE sbtest (id INTEGER UNSIGNED NOT NULL AUTO_INCREMENT, k integer UNSIGNED DEFAULT '0' NOT NULL, c char(120) DEFAULT '' NOT NULL, pad char(60) DEFAULT '' NOT NULL, PRIMARY KEY (id)) /*! ENGINE=innodb */",
			"CREATE INDEX k on sbtest(k)",
			"INSERT INTO sbtest(k, c, pad) VALUES (0,' ','" + loadedPad + "'),(0,",
		}},
		{"--oltp-table-size=0 --oltp-auto-inc=off --oltp-secondary --mysql-table-engine=myisam --myisam-max-rows=5 --mysql-create-options=COMMENT='x' --oltp-table-name=a.b", []string{
			"CREATE TABLE a.b (id INTEGER UNSIGNED NOT NULL, k integer UNSIGNED DEFAULT '0' NOT NULL, c char(120) DEFAULT '' NOT NULL, pad char(60) DEFAULT '' NOT NULL, KEY xid (id)) /*! ENGINE=myisam MAX_ROWS=5 */ COMMENT='x'",
			"CREATE INDEX k on a.b(k)",
		}},
		{"--oltp-table-size=20001 --oltp-auto-inc=off", []string{
			"CREATE TABLE", "CREATE INDEX",
			"INSERT INTO sbtest(id, k, c, pad) VALUES (1,0,' ','" + loadedPad + "'),(2,0,",
			"INSERT INTO sbtest(id, k, c, pad) VALUES (10001,0,",
			"INSERT INTO sbtest(id, k, c, pad) VALUES (20001,0,' ','" + loadedPad + "')",
		}},
	} {
		d := &workloadtest.Driver{}
		s := setup(t, d, strings.Fields(c.args)...)
		if err := workloadtest.Command(Test(), "prepare", s); err != nil {
			t.Fatal(err)
		}
		got := d.Journal.Lines[:len(d.Journal.Lines)-1]
		same := func(line, want string) bool { return strings.HasPrefix(line, "Query "+want) }
		if !slices.EqualFunc(got, c.want, same) {
			t.Errorf("%s:\ngot  %.300q\nwant %q", c.args, got, c.want)
		}
		if rows := strings.Count(strings.Join(got, ""), loadedPad); rows != s.Options.Int("oltp_table_size") {
			t.Errorf("%s: %d rows", c.args, rows)
		}
		d.Journal.Lines = nil
		if err := workloadtest.Command(Test(), "cleanup", s); err != nil || len(d.Journal.Lines) != 2 || !strings.HasPrefix(d.Journal.Lines[0], "Query DROP TABLE IF EXISTS ") {
			t.Errorf("cleanup: %v %q", err, d.Journal.Lines)
		}
	}
}

func TestModeLines(t *testing.T) {
	for args, want := range map[string]string{
		"--events=10000": "Doing OLTP test.\nRunning mixed OLTP test\nUsing Special distribution (12 iterations,  1 pct of values are returned in 75 pct cases)\n" +
			"Using \"BEGIN\" for starting transactions\nUsing auto_inc on the id column\nMaximum number of requests for OLTP test is limited to 10000\n",
		"--oltp-read-only --oltp-skip-trx --oltp-dist-type=gaussian --oltp-dist-iter=3 --oltp-auto-inc=off": "Doing OLTP test.\nRunning mixed OLTP test\nDoing read-only test\n" +
			"Using Normal distribution (3 iterations)\nSkipping BEGIN/COMMIT\nNot using auto_inc on the id column\n",
		"--oltp-dist-type=uniform --mysql-table-engine=myisam":  "Doing OLTP test.\nRunning mixed OLTP test\nUsing Uniform distribution\nUsing \"LOCK TABLES WRITE\" for starting transactions\nUsing auto_inc on the id column\n",
		"--oltp-test-mode=simple --oltp-dist-type=uniform":      "Doing OLTP test.\nRunning simple OLTP test\nUsing Uniform distribution\nUsing auto_inc on the id column\n",
		"--oltp-test-mode=nontrx --oltp-dist-type=uniform":      "Doing OLTP test.\nRunning non-transactional test\nUsing Uniform distribution\nUsing auto_inc on the id column\n",
		"--oltp-test-mode=sp --oltp-sp-name=p --oltp-read-only": "Doing OLTP test.\nRunning stored procedure test\nDoing read-only test\nUsing auto_inc on the id column\n",
	} {
		r, err := Test().NewRun(setup(t, &workloadtest.Driver{}, strings.Fields(args)...))
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		r.Mode(textlog.New(&b, textlog.Notice))
		if b.String() != want {
			t.Errorf("%s:\ngot  %q\nwant %q", args, b.String(), want)
		}
	}
}

func TestBadOptions(t *testing.T) {
	for args, want := range map[string]string{
		"--oltp-test-mode=acid":                           "Invalid value for --oltp-test-mode: 'acid' (simple, complex, nontrx, sp)",
		"--oltp-reconnect-mode=never":                     "Invalid value for --oltp-reconnect-mode: 'never' (session, transaction, query, random)",
		"--oltp-nontrx-mode=":                             "Invalid value for --oltp-nontrx-mode: '' (select, update_key, update_nokey, insert, delete)",
		"--oltp-dist-type=pareto":                         "Invalid value for --oltp-dist-type: 'pareto' (uniform, gaussian, special)",
		"--mysql-engine-trx=on":                           "Invalid value for --mysql-engine-trx: 'on' (yes, no, auto)",
		"--oltp-table-size=0":                             "Invalid value for --oltp-table-size: '0' (1 or more)",
		"--oltp-table-size=-1":                            "Invalid value for --oltp-table-size: '-1' (0 to 2147483647)",
		"--oltp-range-size=0":                             "Invalid value for --oltp-range-size: '0' (1 to 2147483647)",
		"--oltp-point-selects=-1":                         "Invalid value for --oltp-point-selects: '-1' (0 to 100000)",
		"--oltp-dist-res=100":                             "Invalid value for --oltp-dist-res: '100' (0 to 99)",
		"--oltp-user-delay-min=5 --oltp-user-delay-max=4": "Invalid value for --oltp-user-delay-max: '4' (at least --oltp-user-delay-min)",
		"--oltp-read-only --oltp-write-only":              "--oltp-read-only and --oltp-write-only are mutually exclusive",
		"--oltp-point-select-all-cols --oltp-point-select-mysql-handler": "--oltp-point-select-all-cols and --oltp-point-select-mysql-handler are mutually exclusive",
		"--oltp-test-mode=sp":                                 "--oltp-test-mode=sp needs the name of a stored procedure: --oltp-sp-name=NAME",
		"--oltp-table-name=":                                  "Invalid value for --oltp-table-name: '' (the name of a table)",
		"--oltp-connect-delay=-1 --oltp-test-mode=simple":     "Invalid value for --oltp-connect-delay: '-1' (0 to 2147483647)",
		"--myisam-max-rows=-1 --mysql-table-engine=something": "Invalid value for --myisam-max-rows: '-1' (0 to 2147483647)",
	} {
		_, err := Test().NewRun(setup(t, &workloadtest.Driver{}, strings.Fields(args)...))
		if err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", args, err, want)
		}
	}
	s := setup(t, &workloadtest.Driver{Kind: "pgsql"})
	if err := workloadtest.Command(Test(), "prepare", s); err == nil || err.Error() != "--test=oltp is for MySQL only, not for pgsql" {
		t.Errorf("pgsql: got %v", err)
	}
}

func TestDistributions(t *testing.T) {
	const draws = 20000
	for _, c := range []struct {
		dist          dist
		low, high     int64   // a window
		share, spread float64 // of the draws in it, in percent
	}{
		{dist{kind: distUniform, size: 1000}, 1, 100, 10, 1.5},
		{dist{kind: distGaussian, iter: 12, size: 1000}, 401, 600, 76, 3},
		{dist{kind: distSpecial, iter: 12, pct: 1, res: 75, size: 1000}, 496, 505, 76, 2},
		{dist{kind: distSpecial, iter: 12, pct: 50, res: 0, size: 1000}, 401, 600, 76, 3},
		{dist{kind: distSpecial, iter: 1, pct: 100, res: 99, size: 1000}, 1, 500, 50, 2},
		{dist{kind: distSpecial, iter: 12, pct: 0, res: 75, size: 1}, 1, 1, 100, 0},
		{dist{kind: distSpecial, iter: 12, pct: 1, res: 75, size: 2147483647}, 1063004405, 1084479242, 76, 2},
	} {
		p := random.NewProcess()
		p.Seed(7)
		s := p.NewSource()
		in := 0
		for range draws {
			id := c.dist.draw(s)
			if id < 1 || id > int64(c.dist.size) {
				t.Fatalf("%+v: id %d", c.dist, id)
			}
			if id >= c.low && id <= c.high {
				in++
			}
		}
		if got := 100 * float64(in) / draws; got < c.share-c.spread || got > c.share+c.spread {
			t.Errorf("%+v: %.1f %% of the draws from %d to %d, want %.1f ± %.1f", c.dist, got, c.low, c.high, c.share, c.spread)
		}
	}
}

// Transactions draw and execute without allocating.
func TestEventsDoNotAllocate(t *testing.T) {
	d := &workloadtest.Driver{Silent: true}
	s := setup(t, d)
	r, err := Test().NewRun(s)
	if err != nil {
		t.Fatal(err)
	}
	w, err := r.Thread(workload.ThreadContext{Threads: 1, Rand: s.Random.NewSource(), Env: workloadtest.Env()})
	if err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(100, func() {
		if err := w.Event(); err != nil {
			t.Error(err)
		}
	}); n > 0 {
		t.Errorf("%g allocations in a transaction", n)
	}
}
