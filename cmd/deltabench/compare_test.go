package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"deltabench/internal/mariadbtest"
	"deltabench/internal/nullserver"
	"deltabench/internal/table"
)

// comparison runs compare and reads the JSON table that it prints.
func comparison(t *testing.T, wantCode int, args ...string) (*table.Comparisons, *outcome) {
	t.Helper()
	o := run(t, "deltabench", append([]string{"compare", "--format=json"}, args...)...)
	if o.code != wantCode {
		t.Fatalf("exit code %d, want %d: %v", o.code, wantCode, o)
	}
	c := &table.Comparisons{}
	if err := json.Unmarshal([]byte(o.stdout), c); err != nil {
		t.Fatalf("no table: %v: %v", err, o)
	}
	if len(c.Lines) == 0 || c.Lines[0].Claim == nil {
		t.Fatalf("nothing is compared: %v", o)
	}
	return c, o
}

// noted reports whether a text is in one of a list.
func noted(list []string, text string) bool {
	return slices.ContainsFunc(list, func(s string) bool { return strings.Contains(s, text) })
}

// quickRun is a run on the null server that takes a tenth of a second: an event takes a delay for each select.
func quickRun(addr []string, selects int) string {
	return fmt.Sprintf("oltp_read_only --events=100 --time=0 --threads=4 --skip-trx --range-selects=off --point-selects=%d %s run", selects, strings.Join(addr, " "))
}

func TestCompareRounds(t *testing.T) {
	t.Parallel()
	_, addr := listen(t, nullserver.Options{Delay: 2 * time.Millisecond})
	file := filepath.Join(t.TempDir(), "runs.db")
	out := filepath.Join(t.TempDir(), "table.md")
	c, o := comparison(t, 7, "--rounds=5", "--seed=3", "--metric=tps,p50", "--fail-on=worse", "--store="+file, "--warmup-round",
		"--baseline="+quickRun(addr, 1), "--candidate", "deltabench "+quickRun(addr, 4))
	claim := c.Lines[0].Claim
	if claim.Verdict != "worse" || claim.N != 5 || claim.Of != 5 || !claim.Interleaved || claim.Interval == nil || claim.Interval.High > -20 {
		t.Errorf("four times the work: %+v, want worse by far", claim)
	}
	if len(c.Lines) != 2 || !c.Lines[1].Metric.Secondary || c.Lines[1].Claim.Verdict == "better" {
		t.Errorf("%d lines, want p50 as a secondary one: %v", len(c.Lines), o)
	}
	for _, want := range []string{"baseline: --point-selects=1", "candidate: --point-selects=4", "differs: statements: 1 reads, 0 writes, 0 others an event | 4 reads"} {
		if !noted(c.Before, want) {
			t.Errorf("no %q above the table: %q", want, c.Before)
		}
	}
	for _, want := range []string{"one server start: says nothing about other starts", "--seed=3", "compare="} {
		if !noted(c.Notes, want) {
			t.Errorf("no note %q: %q", want, c.Notes)
		}
	}
	for _, want := range []string{"round 1 of 5", "round 5 of 5", "so far", "left", "the runs are not alike, see whether that is meant: statements", "exit code 7"} {
		if !strings.Contains(o.stderr, want) {
			t.Errorf("no %q while it runs: %s", want, o.stderr)
		}
	}

	// The recorded runs can be compared, too, but are no pairs then.
	list := run(t, "deltabench", "runs", "list", "--store="+file, "--tag=scenario=candidate", "--format=json")
	if n := strings.Count(list.stdout, `"scenario":`); list.code != 0 || n < 5 {
		t.Errorf("%d recorded runs of the candidate, want 5: %v", n, list)
	}
	refused := run(t, "deltabench", "compare", "--store="+file, "scenario=baseline", "--", "scenario=candidate")
	if refused.code != 1 || !strings.Contains(refused.stderr, "statements: 1 reads") || !strings.Contains(refused.stderr, "--allow=statements") {
		t.Errorf("unlike runs are to be refused: %v", refused)
	}
	c, _ = comparison(t, 0, "--store="+file, "scenario=baseline", "--", "scenario=candidate", "--metric=tps", "--force", "--out="+out)
	if claim := c.Lines[0].Claim; claim.Verdict != "undecided" || claim.Interleaved || claim.Interval == nil || !strings.Contains(claim.Reason, "not interleaved") {
		t.Errorf("not interleaved: %+v, want undecided", claim)
	}
	if _, err := os.Stat(out); err != nil {
		t.Error(err)
	}
	c, _ = comparison(t, 7, "--store="+file, "scenario=baseline", "--", "scenario=candidate", "--metric=tps", "--allow=statements", "--assume-no-drift", "--fail-on=worse")
	if claim := c.Lines[0].Claim; claim.Verdict != "worse" || c.Title != "oltp_read_only, 4 threads: scenario=candidate against scenario=baseline" {
		t.Errorf("%s, assuming no drift: %+v, want worse", c.Title, claim)
	}
}

// TestCompareIdentical: whatever the machine does, identical commands do not differ by a factor of six.
func TestCompareIdentical(t *testing.T) {
	t.Parallel()
	s := mariadbtest.Shared(t)
	db := s.NewDatabase(t)
	test := fmt.Sprintf("oltp_point_select --mysql-socket=%s --mysql-user=root --mysql-db=%s --table-size=100", s.Socket, db)
	if o := run(t, "deltabench", append(strings.Fields(test), "prepare")...); o.code != 0 {
		t.Fatal(o)
	}
	line := test + " --threads=2 --events=200 --time=0 run"
	c, _ := comparison(t, 0, "--rounds=6", "--margin=500", "--metric=qps", "--no-record", "--baseline="+line, "--candidate="+line)
	if claim := c.Lines[0].Claim; claim.Verdict == "better" || claim.Verdict == "worse" || claim.N != 6 {
		t.Errorf("identical commands: %+v", claim)
	}
	if !noted(c.Before, "the same command line") {
		t.Errorf("it is not said that both are the same: %q", c.Before)
	}
	slow := strings.Replace(line, "oltp_point_select", "oltp_read_only", 1)
	c, _ = comparison(t, 0, "--rounds=6", "--metric=tps", "--no-record", "--baseline="+line, "--candidate="+slow)
	if claim := c.Lines[0].Claim; claim.Verdict != "worse" {
		t.Errorf("fourteen times the work: %+v, want worse", claim)
	}
}

func TestCompareFewRounds(t *testing.T) {
	t.Parallel()
	_, addr := listen(t, nullserver.Options{Delay: time.Millisecond})
	_, other := listen(t, nullserver.Options{Delay: time.Millisecond})
	for _, c := range []struct {
		args            []string
		verdict, reason string
	}{
		{[]string{"--rounds=1", "--baseline=" + quickRun(addr, 1), "--candidate=" + quickRun(addr, 2)}, "", "one round: no interval is possible, so no claim"},
		{[]string{"--rounds=2", "--baseline=" + quickRun(addr, 1), "--candidate=" + quickRun(addr, 2)}, "", "two rounds give no usable interval"},
		{[]string{"--rounds=3", "--baseline=" + quickRun(addr, 1), "--candidate=" + quickRun(addr, 2)}, "preliminary", "a verdict needs 5"},
		{[]string{"--rounds=5", "--baseline=" + quickRun(addr, 1), "--candidate=" + quickRun(other, 4)}, "", "the servers were started once each"},
		{[]string{"--rounds=5", "--assume-starts-alike", "--baseline=" + quickRun(addr, 1), "--candidate=" + quickRun(other, 4)}, "worse", ""},
		{[]string{"--stop=decided", "--rounds=12", "--baseline=" + quickRun(addr, 1), "--candidate=" + quickRun(addr, 8)}, "worse", ""},
	} {
		table, o := comparison(t, 0, append(c.args, "--metric=tps", "--no-record")...)
		claim := table.Lines[0].Claim
		if claim.Verdict != c.verdict || !strings.Contains(claim.Reason, c.reason) {
			t.Errorf("%q (%s), want %q (%s): %v", claim.Verdict, claim.Reason, c.verdict, c.reason, o)
		}
		if slices.Contains(c.args, "--stop=decided") {
			if claim.N >= 12 || claim.Interval.Level != 99 || !noted(table.Notes, "stopped: every comparison is decided") {
				t.Errorf("a stop after %d rounds at %g %%: %q", claim.N, claim.Interval.Level, table.Notes)
			}
		}
	}
	rate := strings.Replace(quickRun(addr, 1), "--events=100 --time=0", "--rate=200 --time=1", 1)
	table, _ := comparison(t, 0, "--rounds=1", "--no-record", "--baseline="+rate, "--candidate="+rate)
	if name := table.Lines[0].Metric.Name; name != "mean latency" {
		t.Errorf("under a rate %s is compared, want latency", name)
	}
	table, _ = comparison(t, 0, "--rounds=1", "--no-record", "--metric=qps", "--baseline="+rate, "--candidate="+rate)
	if claim := table.Lines[0].Claim; !strings.Contains(claim.Reason, "set by the client") {
		t.Errorf("throughput under a rate: %+v", claim)
	}
}

// textReport is a report of sysbench with figures of a test's choice.
func textReport(threads int, tps float64) string {
	n := int(tps * 10)
	return fmt.Sprintf("sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)\n\nRunning the test with following options:\nNumber of threads: %d\n\nSQL statistics:\n"+
		"    queries performed:\n        read: %d\n        write: 0\n        other: 0\n        total: %d\n"+
		"    transactions: %d (%.2f per sec.)\n    queries: %d (%.2f per sec.)\n    ignored errors: 0 (0.00 per sec.)\n\n"+
		"General statistics:\n    total time: 10.0001s\n    total number of events: %d\n\nLatency (ms):\n         avg: 4.00\n        95th percentile: 5.00\n         sum: %.2f\n\n",
		threads, 10*n, 10*n, n, tps, 10*n, 10*tps, n, 4.0*float64(n))
}

func TestCompareTexts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var files [2]string
	for i, factor := range []float64{1, 0.9} {
		var b strings.Builder
		for _, v := range []float64{1001.2, 998.7, 1010.5, 995, 1004.1, 990.2} {
			for _, threads := range []int{4, 8} {
				b.WriteString(textReport(threads, v*factor*float64(threads)))
			}
		}
		files[i] = writeFile(t, filepath.Join(dir, fmt.Sprintf("%d.txt", i)), b.String())
	}
	c, _ := comparison(t, 0, files[0], "--", files[1])
	if len(c.Lines) < 4 || c.Family != 2 || c.Lines[0].Threads != 4 || c.Lines[1].Threads != 8 || c.Lines[0].Metric.Name != "QPS" {
		t.Fatalf("two thread counts on both sides are two comparisons: %+v", c)
	}
	for _, l := range c.Lines[:2] {
		if l.Claim.Verdict != "undecided" || l.Claim.N != 6 || l.Claim.Interval == nil || *l.Claim.Estimate > -9.5 || *l.Claim.Estimate < -10.5 {
			t.Errorf("%d threads: %+v, want -10 %%, undecided", l.Threads, l.Claim)
		}
	}
	for _, want := range []string{"no run has a 1-second series", "not checked, since not every source tells: keys, layout"} {
		if !noted(c.Notes, want) {
			t.Errorf("no note %q: %q", want, c.Notes)
		}
	}
	c, _ = comparison(t, 7, "--assume-no-drift", "--fail-on=worse", "--metric=qps", files[0], "--", files[1])
	if c.Lines[0].Claim.Verdict != "worse" {
		t.Errorf("%+v, want worse", c.Lines[0].Claim)
	}
	c, _ = comparison(t, 0, "--assume-no-drift", "--margin=20", "--metric=qps", files[0], "--", files[1])
	if c.Lines[0].Claim.Verdict != "equivalent" {
		t.Errorf("within 20 %%: %+v, want equivalent", c.Lines[0].Claim)
	}
	one := writeFile(t, filepath.Join(dir, "one.txt"), textReport(4, 990))
	two := writeFile(t, filepath.Join(dir, "two.txt"), textReport(4, 950))
	c, _ = comparison(t, 0, one, "--", two, "--metric=tps")
	if claim := c.Lines[0].Claim; claim.Interval != nil || claim.Verdict != "" || !noted(c.Notes, "no interval exists with so few runs: it needs 5 a side") ||
		!noted(c.Notes, "deltabench compare --rounds 8 --baseline") {
		t.Errorf("one run a side: %+v, %q", claim, c.Notes)
	}
	more := writeFile(t, filepath.Join(dir, "more.txt"), textReport(16, 990))
	o := run(t, "deltabench", "compare", one, "--", more)
	if o.code != 1 || !strings.Contains(o.stderr, "  threads: 4 | 16\n") || !strings.Contains(o.stderr, "--allow=threads") {
		t.Errorf("4 against 16 threads: %v", o)
	}
	if c, _ = comparison(t, 0, one, "--", more, "--allow=threads", "--metric=tps"); !noted(c.Before, "differs: threads: 4 | 16") {
		t.Errorf("an allowed difference is not listed: %q", c.Before)
	}
}

// TestCompareSysbench reads what the installed sysbench prints.
func TestCompareSysbench(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"a.txt", "b.txt"} {
		text, err := exec.Command("sysbench", "cpu", "--events=50", "--time=0", "--cpu-max-prime=1000", "run").CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		writeFile(t, filepath.Join(dir, name), string(text))
	}
	c, _ := comparison(t, 0, filepath.Join(dir, "a.txt"), "--", filepath.Join(dir, "b.txt"), "--force")
	if l := c.Lines[0]; l.Workload != "cpu" || l.Threads != 1 || l.Baseline == nil || *l.Baseline <= 0 {
		t.Errorf("%+v, want cpu with one thread and its events", l)
	}
}

func TestCompareMistakes(t *testing.T) {
	t.Parallel()
	none := filepath.Join(t.TempDir(), "none.db")
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{nil, 1, "nothing to compare"},
		{[]string{"1", "2"}, 1, "the two sides are separated by --, as in 'deltabench compare 1 2 -- B'"},
		{[]string{"1", "--"}, 1, "there is nothing behind --"},
		{[]string{"--", "1"}, 1, "there is nothing before --"},
		{[]string{"1", "--", "2", "--", "3"}, 1, "-- is there twice"},
		{[]string{"1", "\u2014", "2"}, 1, "'\u2014' is a typographic dash; write --"},
		{[]string{"1", "--", "2", "\u2013\u2013metric=qps"}, 1, "\u2013\u2013metric=qps starts with a typographic dash; write --metric=qps"},
		{[]string{"no.txt", "--", "1"}, 1, "no.txt: there is no such file"},
		{[]string{"1", "--", "2", "--store=" + none}, 6, "there is no such file"},
		{[]string{"1", "--", "2", "--store=none"}, 1, "there is no store"},
		{[]string{"1", "--", "2", "--metric=speed"}, 1, "--metric: there is no metric 'speed'; there are qps, tps"},
		{[]string{"1", "--", "2", "--metric=qps,qps"}, 1, "--metric: qps is there twice"},
		{[]string{"1", "--", "2", "--allow=weather"}, 1, "--allow: there is no 'weather'"},
		{[]string{"1", "--", "2", "--margin=-1"}, 1, "--margin=-1: percent above 0, up to 1000, are needed"},
		{[]string{"1", "--", "2", "--fail-on=better"}, 1, "there is only --fail-on=worse"},
		{[]string{"1", "--", "2", "--format=xml"}, 1, "--format: there is no format 'xml'"},
		{[]string{"1", "--", "2", "--out=x.pdf"}, 1, "the format is not clear from the name (.md, .csv, .json, .txt, .bench); give --format"},
		{[]string{"1", "--", "2", "--baseline=cpu run"}, 1, "--baseline is for command lines, and '1' names runs"},
		{[]string{"--rounds=2", "--force"}, 1, "--rounds is for command lines, and --force for runs that are there"},
		{[]string{"--rounds=2"}, 1, "--baseline is missing"},
		{[]string{"--baseline=cpu run"}, 1, "--candidate is missing"},
		{[]string{"--baseline=", "--candidate=cpu run"}, 1, "--baseline: it is empty"},
		{[]string{"--baseline=cpu run", "--candidate=cpu prepare"}, 1, "--candidate: its command is prepare"},
		{[]string{"--baseline=cpu run", "--candidate=cpu 'run"}, 1, "--candidate: a quote in it is not closed"},
		{[]string{"--baseline=cpu run", "--candidate=cpu \u2014threads=2 run"}, 1, "starts with a typographic dash; write --threads=2"},
		{[]string{"--baseline=cpu run", "--candidate=cpu run", "--rounds=0"}, 1, "--rounds=0: from 1 to 1000"},
		{[]string{"--baseline=cpu run", "--candidate=cpu run", "--stop=soon"}, 1, "--stop=soon: there are precision=1% and decided"},
		{[]string{"--baseline=cpu run", "--candidate=cpu run", "--stop=precision=x"}, 1, "a width in percent is needed"},
		{[]string{"--baseline=cpu run", "--candidate=cpu run", "--until=decided", "--rounds=3"}, 1, "at most 3 rounds are too few"},
		{[]string{"--baseline=cpu --thredas=1 run", "--candidate=cpu run"}, 1, "--baseline: invalid option: --thredas=1 (did you mean --threads?)"},
		{[]string{"--baseline=cpu run", "--candidate=sysbench cpu --bogus=2 run"}, 1, "--candidate: invalid option: --bogus=2"},
		{[]string{"--baseline=cpu run", "--candidate=./nope.lua run"}, 1, "--candidate: Cannot find benchmark './nope.lua'"},
		{[]string{"--baseline=oltp_point_select --mysql-host=127.0.0.1 --mysql-port=1 run", "--candidate=oltp_point_select --mysql-host=127.0.0.1 --mysql-port=1 run"}, 1, "every run failed"},
	} {
		o := run(t, "deltabench", append([]string{"compare"}, c.args...)...)
		last := strings.TrimSpace(o.stderr)
		last = last[strings.LastIndexByte(last, '\n')+1:]
		if o.code != c.code || o.stdout != "" || !strings.HasPrefix(last, "deltabench compare: ") || !strings.Contains(last, c.want) {
			t.Errorf("want exit code %d and %q: %v", c.code, c.want, o)
		}
	}
}

func TestCompareWithAFailingSide(t *testing.T) {
	t.Parallel()
	o := run(t, "deltabench", "compare", "--no-record", "--baseline=cpu --events=10 run", "--candidate=oltp_point_select --events=10 --mysql-host=127.0.0.1 --mysql-port=1 run")
	if o.code != 1 || !strings.Contains(o.stderr, "deltabench compare: every run of the candidate failed: error 2002: ") ||
		strings.Contains(o.stderr, "round 3") {
		t.Errorf("a side that always fails ends it after two rounds: %v", o)
	}
}
