package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"deltabench/docs/schema"
	"deltabench/internal/nullserver"
	"deltabench/internal/report"
	"deltabench/internal/wire"
)

// validDocument checks a document against the published schema and returns it.
func validDocument(t *testing.T, text string) *report.Document {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	s, err := jsonschema.UnmarshalJSON(strings.NewReader(string(schema.Report1)))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.AddResource("report.json", s); err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatalf("not one JSON document: %v\n%s", err, text)
	}
	if err := c.MustCompile("report.json").Validate(v); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	d := &report.Document{}
	if err := json.Unmarshal([]byte(text), d); err != nil {
		t.Fatal(err)
	}
	return d
}

// asText prints numbers of a document as the text report does, so that both can be compared line by line.
type asText struct{ strings.Builder }

func (b *asText) line(format string, args ...any) { fmt.Fprintf(b, format+"\n", args...) }

// cumulative is the text report of a run, or of a checkpoint with its general block only.
func cumulative(d *report.Document, t report.Totals, lat report.Latency, total bool) string {
	b := &asText{}
	rate := func(n int64) float64 { return float64(n) / t.MeasuredSeconds }
	if d.Test.SQL {
		b.line("SQL statistics:\n    queries performed:")
		b.line("        read:                            %d", t.Reads)
		b.line("        write:                           %d", t.Writes)
		b.line("        other:                           %d", t.Others)
		b.line("        total:                           %d", t.Queries)
		b.line("    transactions:                        %-6d (%.2f per sec.)", t.Events, t.EventsPerSecond)
		b.line("    queries:                             %-6d (%.2f per sec.)", t.Queries, t.QueriesPerSecond)
		b.line("    ignored errors:                      %-6d (%.2f per sec.)", t.Errors, rate(t.Errors))
		b.line("    reconnects:                          %-6d (%.2f per sec.)", t.Reconnects, rate(t.Reconnects))
	}
	switch d.Test.Name {
	case "cpu":
		b.line("CPU speed:\n    events per second: %8.2f", t.Figures["eventsPerSecond"])
	case "memory":
		b.line("Total operations: %d (%8.2f per second)\n", t.Events, t.Figures["operationsPerSecond"])
		if _, ok := t.Figures["transferredMiB"]; ok {
			b.line("%4.2f MiB transferred (%4.2f MiB/sec)\n", t.Figures["transferredMiB"], t.Figures["transferredMiBPerSecond"])
		}
	}
	if t.Unfinished > 0 {
		b.line("\nNumber of unfinished transactions on forced shutdown: %d", t.Unfinished)
	}
	b.line("\nGeneral statistics:")
	b.line("    total time:                          %.4fs", t.ElapsedSeconds)
	b.line("    total number of events:              %d\n", t.Events)
	ms := func(ns int64) float64 { return float64(ns) / 1e6 }
	var avg int64
	if lat.Count > 0 {
		avg = lat.SumNs / lat.Count
	}
	b.line("Latency (ms):\n         min: %39.2f\n         avg: %39.2f\n         max: %39.2f", ms(orZero(lat.MinNs)), ms(avg), ms(orZero(lat.MaxNs)))
	if p := headline(d); p == 0 {
		b.line("         percentile stats:               disabled")
	} else {
		label := fmt.Sprintf("        %3sth percentile: ", fmt.Sprintf("%g", p))
		b.line("%s%*.2f", label, 53-len(label), percentile(d, lat, p))
	}
	b.line("         sum: %39.2f\n", ms(lat.SumNs))
	if total && t.Unfinished == 0 {
		var events, times []float64
		for _, th := range d.Threads {
			events, times = append(events, float64(th.Events)), append(times, float64(th.LatencySumNs)/1e9)
		}
		em, es := moments(events)
		tm, ts := moments(times)
		b.line("Threads fairness:\n    events (avg/stddev):           %.4f/%3.2f\n    execution time (avg/stddev):   %.4f/%3.2f", em, es, tm, ts)
	}
	return b.String()
}

// headline is the percentile of the standard report.
func headline(d *report.Document) float64 {
	if p := d.Latency.SysbenchPercentile; p != nil {
		return p.Percentile
	}
	p, _ := d.Options["percentile"].(float64)
	return p
}

// percentile is what the standard report has: under our name the precise one, in ms.
func percentile(d *report.Document, lat report.Latency, p float64) float64 {
	switch {
	case lat.Count == 0:
		return 0
	case d.Tool.CalledAs == "sysbench":
		return lat.SysbenchPercentile.Ms
	}
	return float64(*lat.PercentilesNs[report.PercentileName(p)]) / 1e6
}

func orZero(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

func moments(v []float64) (mean, deviation float64) {
	for _, x := range v {
		mean += x
	}
	mean /= float64(len(v))
	for _, x := range v {
		deviation += (x - mean) * (x - mean)
	}
	return mean, math.Sqrt(deviation / float64(len(v)))
}

// additions are the lines of our face that have numbers of the document.
func additions(d *report.Document) []string {
	places := func(l report.Latency) int {
		if l.Count > 0 && *l.PercentilesNs["p50"] < 10_000 {
			return 5
		}
		return 3
	}
	row := func(label, count string, l report.Latency, ps ...string) string {
		ms := func(ns int64) string { return fmt.Sprintf("%.*f", places(l), float64(ns)/1e6) }
		text := fmt.Sprintf("    %-20s ", label)
		if count != "" {
			text += fmt.Sprintf("%10s ", count)
		}
		if l.Count == 0 {
			return text + fmt.Sprintf("%10s", "-") + strings.Repeat(fmt.Sprintf(" %10s", "-"), len(ps)+1)
		}
		text += fmt.Sprintf("%10s", ms(l.SumNs/l.Count))
		for _, p := range ps {
			text += fmt.Sprintf(" %10s", ms(*l.PercentilesNs[p]))
		}
		return text + fmt.Sprintf(" %10s", ms(*l.MaxNs))
	}
	standard := []string{"p50", "p95", "p99", "p99.9"}
	var lines []string
	if d.Service == nil {
		lines = append(lines, row("event", "", d.Latency.Latency, standard...))
	} else {
		lines = append(lines, row("response", "", d.Latency.Latency, standard...), row("service", "", d.Service.Latency, standard...))
	}
	for _, s := range d.Statements {
		lines = append(lines, row(s.Kind, strconv.FormatInt(s.Count, 10), s.Latency, "p95"))
	}
	if r := d.Rate; r != nil {
		lines = append(lines,
			fmt.Sprintf("offered:                             %d (%.2f per sec.)", r.Offered, r.OfferedPerSecond),
			fmt.Sprintf("achieved:                            %d (%.2f per sec.)", r.Achieved, r.AchievedPerSecond),
			fmt.Sprintf("backlog at the end, never started:   %d\n", r.Backlog))
	}
	for _, e := range d.Errors {
		lines = append(lines, fmt.Sprintf("    %5d (%s) %10d  %s", e.Code, e.SQLState, e.Count, e.First))
	}
	lines = append(lines, "ended by:                            "+d.End.Text, fmt.Sprintf("CPU %.2f s (%.0f %% of what it may use)", d.Client.CPUSeconds, 100*d.Client.CPUShare))
	if d.Server != nil && d.Server.Version != "" { // a dry run has none
		lines = append(lines, "transport:                           "+d.Server.Network+" "+d.Server.Address, "server:                              "+d.Server.Version)
	}
	if d.Client.LoopBusyShare != nil {
		lines = append(lines, fmt.Sprintf("busy %.0f %%, lag p99 %.3f ms", 100**d.Client.LoopBusyShare, time.Duration(*d.Client.LoopLagP99Ns).Seconds()*1e3))
	}
	return append(lines, d.Warnings...)
}

// intervals are the interval lines of a run with --report-interval, without what a line of a short last interval would be.
func intervals(d *report.Document, interval float64) []string {
	var lines []string
	for _, iv := range d.Intervals {
		per := func(n int64) float64 { return float64(n) / iv.LengthSeconds }
		at := fmt.Sprintf("[ %.0fs ] ", iv.EndSeconds)
		switch {
		case iv.Warmup, iv.LengthSeconds < 0.95*interval:
		case d.Test.Name == "memory":
			lines = append(lines, at+fmt.Sprintf("%4.2f MiB/sec", iv.Figures["transferredMiBPerSecond"]))
		case !d.Test.SQL:
			lines = append(lines, at+fmt.Sprintf("thds: %d eps: %4.2f lat (ms,95%%): %4.2f", iv.Threads, iv.EventsPerSecond, percentile(d, iv.Latency, 95)))
		default:
			lines = append(lines, at+fmt.Sprintf("thds: %d tps: %4.2f qps: %4.2f (r/w/o: %4.2f/%4.2f/%4.2f) lat (ms,95%%): %4.2f err/s: %4.2f reconn/s: %4.2f",
				iv.Threads, iv.EventsPerSecond, iv.QueriesPerSecond, per(iv.Reads), per(iv.Writes), per(iv.Others), percentile(d, iv.Latency, 95), per(iv.Errors), per(iv.Reconnects)))
			if iv.Waiting != nil {
				lines = append(lines, at+fmt.Sprintf("queue length: %d, concurrency: %d", *iv.Waiting, *iv.Running))
			}
		}
	}
	return lines
}

// The documents of varied runs are valid, and have the numbers of the text report of the same run.
func TestReportsOfVariedRuns(t *testing.T) {
	_, addr := listen(t, nullserver.Options{Handler: func(q *nullserver.Query) *nullserver.Reply {
		if strings.HasPrefix(q.SQL, "UPDATE") && q.Command == wire.ComStmtExecute && q.Number%7 == 0 {
			return &nullserver.Reply{Err: &wire.ERR{Code: 1213, State: "40001", Message: "Deadlock found"}}
		}
		return nullserver.Answers{}.Answer([]byte(q.SQL))
	}})
	_, slowAddr := listen(t, nullserver.Options{Delay: 20 * time.Millisecond})
	_, silentAddr := listen(t, nullserver.Options{DelayFunc: func(q *nullserver.Query) time.Duration {
		if q.Command == wire.ComStmtExecute {
			return time.Hour
		}
		return 0
	}})
	_, stuckAddr := listen(t, nullserver.Options{DelayFunc: func(q *nullserver.Query) time.Duration {
		if q.Command == wire.ComStmtExecute && q.Number > 100 {
			return time.Hour
		}
		return 0
	}})
	for i, tc := range []struct {
		args string
		addr []string
		code int
		as   string // face, when it is not ours
	}{
		{args: "cpu --events=20"},
		{args: "cpu --time=1 --threads=2 --report-interval=1"},
		{args: "cpu --events=30 --percentile=0"},
		{args: "cpu --events=30 --percentile=99.9"},
		{args: "cpu --events=30", as: "sysbench"},
		{args: "cpu --rate=50 --time=1 --threads=2"},
		{args: "memory --time=1"},
		{args: "memory --time=2 --report-interval=1 --memory-oper=read"},
		{args: "memory --memory-total-size=10M --threads=2 --memory-scope=local"},
		{args: "memory --time=1 --memory-oper=none"},
		{args: "memory --memory-total-size=1M --memory-access-mode=rnd", as: "sysbench"},
		{args: "threads --events=20 --threads=3"},
		{args: "mutex --threads=2 --mutex-locks=100"},
		{args: "oltp_read_write --events=20", addr: addr},
		{args: "oltp_read_write --events=50 --threads=4 --latency-by=statement", addr: addr},
		{args: "oltp_read_write --events=20 --db-ps-mode=disable", addr: addr, as: "sysbench"},
		{args: "oltp_read_only --events=20 --engine=goroutine --rand-type=zipfian", addr: addr},
		{args: "oltp_write_only --events=60 --tables=3 --mysql-ignore-errors=1213", addr: addr},
		{args: "oltp_point_select --time=1 --threads=8 --percentile=50,95,99,99.99", addr: addr},
		{args: "oltp_point_select --time=2 --report-interval=1 --threads=2", addr: addr},
		{args: "oltp_point_select --time=2 --report-interval=1 --warmup-time=1", addr: addr},
		{args: "oltp_point_select --time=2 --report-checkpoints=1", addr: addr},
		{args: "oltp_point_select --time=1 --rate=100 --threads=4", addr: addr},
		{args: "oltp_point_select --time=2 --rate=400 --threads=1 --report-interval=1", addr: slowAddr},
		{args: "oltp_update_index --events=50 --threads=2", addr: addr},
		{args: "oltp_update_non_index --events=10 --histogram", addr: addr, as: "sysbench"},
		{args: "oltp_insert --events=10 --forced-shutdown=1", addr: addr},
		{args: "oltp_delete --events=10 --skip_trx", addr: addr},
		{args: "select_random_points --events=10 --threads=2", addr: addr},
		{args: "select_random_ranges --events=10 --rand-type=pareto", addr: addr},
		{args: "bulk_insert --events=1000", addr: addr},
		{args: "oltp_point_select --mysql-dry-run --events=1000"},
		{args: "oltp_point_select --time=1 --forced-shutdown=1 --threads=2", addr: stuckAddr, code: 2},
		{args: "oltp_update_index --events=50 --mysql-ignore-errors=1205", addr: addr, code: 1},
		{args: "oltp_read_only --time=1 --forced-shutdown=1", addr: silentAddr, code: 2}, // no event ends
	} {
		t.Run(tc.args, func(t *testing.T) {
			t.Parallel()
			if tc.as == "" {
				tc.as = "deltabench"
			}
			words := strings.Fields(tc.args)
			args := append(append([]string{words[0], "run"}, words[1:]...), tc.addr...)
			var text, document string
			var o *outcome
			if i%2 == 0 { // the document to standard output
				o = run(t, tc.as, append(args, "--report=json")...)
				text, document = o.stderr, o.stdout
			} else {
				file := filepath.Join(t.TempDir(), "r.json")
				o = run(t, tc.as, append(args, "--report-file="+file)...)
				text = o.stdout
				b, err := os.ReadFile(file)
				if err != nil {
					t.Fatalf("%v\n%v", err, o)
				}
				document = string(b)
				if o.stderr != "" {
					t.Errorf("standard error: %s", o.stderr)
				}
			}
			if o.code != tc.code {
				t.Fatalf("exit code %d, want %d: %v", o.code, tc.code, o)
			}
			d := validDocument(t, document)
			compareReports(t, text, d)
			if d.End.ExitCode != tc.code || d.Test.Name != words[0] || d.Tool.CalledAs != tc.as {
				t.Errorf("end %+v, test %+v, tool %+v", d.End, d.Test, d.Tool)
			}
		})
	}
}

// compareReports holds the text report and the document of one run to each other, and the document to itself.
func compareReports(t *testing.T, text string, d *report.Document) {
	t.Helper()
	failed := d.End.Reason == "error"
	var want []string
	if !failed {
		want = append(want, cumulative(d, d.Totals, d.Latency.Latency, true))
	}
	for _, c := range d.Checkpoints {
		want = append(want, cumulative(d, c.Totals, c.Latency.Latency, false))
	}
	if n, _ := d.Options["report_interval"].(float64); n > 0 {
		want = append(want, intervals(d, n)...)
	}
	switch {
	case failed:
		want = append(want, fmt.Sprintf("(%s) %10d  %s", d.Errors[0].SQLState, d.Errors[0].Count, d.Errors[0].First))
	case d.Tool.CalledAs == "deltabench" && len(d.OptionsGiven) > 0 && !isList(d.Options["percentile"]):
		for _, line := range additions(d) {
			if p, _ := d.Options["percentile"].(float64); p != 95 && strings.HasPrefix(line, "    event  ") {
				continue // has another column
			}
			want = append(want, line)
		}
	}
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("the text report has other numbers than the document; not there:\n%s", w)
		}
	}
	if t.Failed() {
		t.Logf("text report:\n%s", text)
	}
	var events, queries, inThreads int64
	for _, iv := range d.Intervals {
		if !iv.Warmup {
			events += iv.Events
			queries += iv.Queries
		}
	}
	for _, c := range d.Checkpoints {
		events -= c.Events
		queries -= c.Queries
	}
	for _, th := range d.Threads {
		inThreads += th.Events
	}
	if events != d.Totals.Events || queries != d.Totals.Queries || inThreads != d.Totals.Events || d.Latency.Count != d.Totals.Events {
		t.Errorf("intervals have %d events and %d queries, threads %d, latency %d; totals %d and %d", events, queries, inThreads, d.Latency.Count, d.Totals.Events, d.Totals.Queries)
	}
	h, err := hdrhistogram.Decode([]byte(d.Latency.HDR))
	if err != nil {
		t.Fatal(err)
	}
	var buckets int64
	for _, n := range d.Latency.Sysbench.Count {
		buckets += n
	}
	if h.TotalCount() != d.Totals.Events || buckets != d.Totals.Events {
		t.Errorf("histograms have %d and %d values, want %d", h.TotalCount(), buckets, d.Totals.Events)
	}
}

func isList(v any) bool { _, ok := v.([]any); return ok }

func TestReportFileCannotBeWritten(t *testing.T) {
	t.Parallel()
	for _, path := range []string{filepath.Join(t.TempDir(), "none", "r.json"), t.TempDir() + "/"} {
		o := run(t, "deltabench", "cpu", "run", "--time=30", "--report=json", "--report-file="+path)
		if o.code != 4 || strings.Count(o.stderr, "\n") != 1 || !strings.Contains(o.stderr, path) {
			t.Errorf("%v", o)
		}
		if o.took > 25*time.Second {
			t.Errorf("found out after the run: %v", o)
		}
	}
}

// A full disk, after the run: one line, exit code 4, and the text report all the same.
func TestReportMeetsAFullDisk(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" { // others have no device that is always full
		return
	}
	o := run(t, "deltabench", "cpu", "run", "--events=5", "--report=json", "--report-file=/dev/full")
	if o.code != 4 || o.stderr != "deltabench: write report /dev/full: No space left on device\n" || !strings.Contains(o.stdout, "Result: ") {
		t.Errorf("file: %v", o)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "bash", "-c", `exec -a deltabench "$SELF" cpu run --events=5 --report=json >/dev/full`)
	cmd.Env = append(os.Environ(), runAsMain+"=1", "SELF="+self)
	text, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != 4 || !strings.HasSuffix(string(text), "deltabench: write standard output: No space left on device\n") {
		t.Errorf("standard output: %v\n%s", err, text)
	}
}

// An interrupted run has a document of what was measured.
func TestReportOfAnInterruptedRun(t *testing.T) {
	t.Parallel()
	p := start(t, time.Minute, "deltabench", "cpu", "run", "--time=50", "--report=json")
	for !strings.Contains(p.err.String(), "Threads started!") && time.Since(p.begin) < 40*time.Second {
		time.Sleep(10 * time.Millisecond)
	}
	time.Sleep(100 * time.Millisecond)
	if err := p.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	o := p.wait(t)
	d := validDocument(t, o.stdout)
	if o.code != 130 || d.End.Reason != "interrupt" || d.End.ExitCode != 130 || d.Totals.Events == 0 {
		t.Errorf("end %+v, %d events: %v", d.End, d.Totals.Events, o)
	}
	compareReports(t, o.stderr, d)
}

// A run that never started leaves no document, and an older file as it was.
func TestReportOfARunThatNeverStarted(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "r.json")
	if err := os.WriteFile(file, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"oltp_read_only", "run", "--mysql-socket=/nonexistent/socket", "--report=json"}
	if o := run(t, "deltabench", append(args, "--report-file="+file)...); o.code != 1 {
		t.Errorf("%v", o)
	}
	if o := run(t, "deltabench", args...); o.code != 1 || o.stdout != "" || !strings.Contains(o.stderr, "FATAL: ") {
		t.Errorf("%v", o)
	}
	if b, _ := os.ReadFile(file); string(b) != "old" {
		t.Errorf("the file has %q", b)
	}
}

func TestReportOptionsAreChecked(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"--report=xml":                       "Invalid value for --report: 'xml' (allowed: text, json, csv)",
		"--report-file=x":                    "--report-file=x: the format is not clear from the name (--report=json or --report=csv)",
		"--report=text --report-file=x.json": "--report-file is for documents, and --report=text writes none (--report=json or --report=csv)",
	} {
		o := run(t, "deltabench", append([]string{"cpu", "run", "--events=1"}, strings.Fields(args)...)...)
		if o.code != 1 || !strings.Contains(o.stdout, want) {
			t.Errorf("want %q: %v", want, o)
		}
	}
}

// Passwords are in no document, whatever the option.
func TestReportHasNoPassword(t *testing.T) {
	t.Parallel()
	_, addr := listen(t, nullserver.Options{})
	const secret = "xyzzy-4711"
	o := run(t, "deltabench", append([]string{"oltp_point_select", "run", "--events=5", "--report=json", "--mysql-password=" + secret, "--pgsql-password=" + secret}, addr...)...)
	d := validDocument(t, o.stdout)
	if strings.Contains(o.stdout+o.stderr, secret) {
		t.Errorf("the password is there: %v", o)
	}
	if d.Options["mysql_password"] != "***" {
		t.Errorf("mysql_password: %v", d.Options["mysql_password"])
	}
}

func TestCSVOfARun(t *testing.T) {
	t.Parallel()
	_, addr := listen(t, nullserver.Options{})
	o := run(t, "deltabench", append([]string{"oltp_read_only", "run", "--time=2", "--report=csv"}, addr...)...)
	rows, err := csv.NewReader(strings.NewReader(o.stdout)).ReadAll()
	if err != nil || o.code != 0 {
		t.Fatalf("%v: %v", err, o)
	}
	if len(rows) < 3 || rows[len(rows)-1][0] != "total" {
		t.Fatalf("rows: %v", o)
	}
	sum, total := 0, 0
	for _, row := range rows[1:] {
		n, err := strconv.Atoi(row[4])
		if err != nil {
			t.Fatal(err)
		}
		if row[0] == "total" {
			total = n
		} else {
			sum += n
		}
	}
	if sum != total || !strings.Contains(o.stderr, fmt.Sprintf("total number of events:              %d\n", total)) {
		t.Errorf("intervals have %d events, the total %d: %v", sum, total, o)
	}
}

// The jq examples of the manual ask for fields that documents have.
func TestManualsJQExamples(t *testing.T) {
	t.Parallel()
	f, err := os.Open("../../docs/manual.md")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	var doc any
	_, addr := listen(t, nullserver.Options{})
	o := run(t, "deltabench", append([]string{"oltp_read_write", "run", "--events=10", "--report=json"}, addr...)...)
	if err := json.Unmarshal([]byte(o.stdout), &doc); err != nil {
		t.Fatal(err)
	}
	examples := regexp.MustCompile(`(?m)^jq [^']*'([^']*)'`).FindAllStringSubmatch(string(text), -1)
	if len(examples) < 2 {
		t.Fatalf("docs/manual.md has %d jq examples", len(examples))
	}
	paths := 0
	for _, e := range examples {
		here := doc
		for step := range strings.SplitSeq(e[1], "|") { // each step of a pipe asks what the one before gave
			next := here
			for _, path := range regexp.MustCompile(`\.[A-Za-z][A-Za-z0-9]*(?:\[\])?(?:\.[A-Za-z][A-Za-z0-9]*)*`).FindAllString(step, -1) {
				paths++
				at := here
				for name := range strings.SplitSeq(path[1:], ".") {
					name, each := strings.CutSuffix(name, "[]")
					m, ok := at.(map[string]any)
					if at, ok = m[name], ok && m[name] != nil; !ok {
						t.Fatalf("%s: no field %s of %s in the document", e[0], name, path)
					}
					if each {
						at = at.([]any)[0]
					}
				}
				next = at
			}
			here = next
		}
	}
	if paths < 4 {
		t.Errorf("only %d paths were checked", paths)
	}
}
