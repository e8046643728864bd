package sample

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"deltabench/internal/report"
	"deltabench/internal/store"
)

// sysbench10 is a report as sysbench 1.0.20 prints it.
const sysbench10 = `sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)

Running the test with following options:
Number of threads: 8
Report intermediate results every 1 second(s)
Initializing random number generator from current time


Initializing worker threads...

Threads started!

[ 1s ] thds: 8 tps: 100.50 qps: 2010.00 (r/w/o: 1407.00/402.00/201.00) lat (ms,95%): 9.56 err/s: 0.00 reconn/s: 0.00
[ 2s ] thds: 8 tps: 110.50 qps: 2210.00 (r/w/o: 1547.00/442.00/221.00) lat (ms,95%): 9.56 err/s: 0.00 reconn/s: 0.00
SQL statistics:
    queries performed:
        read:                            2954
        write:                           844
        other:                           422
        total:                           4220
    transactions:                        211    (105.25 per sec.)
    queries:                             4220   (2105.01 per sec.)
    ignored errors:                      3      (1.50 per sec.)
    reconnects:                          0      (0.00 per sec.)

General statistics:
    total time:                          2.0047s
    total number of events:              211

Latency (ms):
         min:                                    1.46
         avg:                                    4.22
         max:                                    9.64
         95th percentile:                        9.56
         sum:                                  891.11

Threads fairness:
    events (avg/stddev):           5.0000/0.00
    execution time (avg/stddev):   0.0211/0.00

`

// tutorial04 is the report of sysbench 0.4.12 in its layout; its figures are made up.
const tutorial04 = `sysbench 0.4.12:  multi-threaded system evaluation benchmark

Running the test with following options:
Number of threads: 1

Doing OLTP test.
Running mixed OLTP test
Using Special distribution (12 iterations,  1 pct of values are returned in 75 pct cases)
Done.

OLTP test statistics:
    queries performed:
        read:                            140000
        write:                           50000
        other:                           20000
        total:                           210000
    transactions:                        10000  (400.00 per sec.)
    deadlocks:                           0      (0.00 per sec.)
    read/write requests:                 190000 (7600.00 per sec.)
    other operations:                    20000  (800.00 per sec.)

Test execution summary:
    total time:                          25.0000s
    total number of events:              10000
    total time taken by event execution: 24.9000
    per-request statistics:
         min:                                  1.91ms
         avg:                                  2.49ms
         max:                                 49.44ms
         approx.  95 percentile:               3.02ms

Threads fairness:
    events (avg/stddev):           10000.0000/0.00
    execution time (avg/stddev):   24.9000/0.00
`

// ours10 is the end of a report of ours.
const ours10 = `deltabench 0.1.0-dev (sysbench 1.0.20 compatible)

Running the test with following options:
Number of threads: 1

SQL statistics:
    queries performed:
        read:                            70
        write:                           20
        other:                           10
        total:                           100
    transactions:                        5      (235.94 per sec.)
    queries:                             100    (4718.72 per sec.)
    ignored errors:                      0      (0.00 per sec.)
    reconnects:                          0      (0.00 per sec.)

General statistics:
    total time:                          0.0212s
    total number of events:              5

Latency (ms):
         min:                                    3.54
         avg:                                    4.20
         max:                                    4.93
         95th percentile:                        4.91
         sum:                                   21.02

Run:
    ended by:                            event limit (--events=5)
    transport:                           unix /run/x.sock, no TLS, no compression, prepared statements, metadata cached, mysql_native_password
    server:                              10.11.6-MariaDB
    client:                              1 event loop, CPU 0.01 s (13 % of what it may use), 56.4 µs per query, memory 13.3 MiB

Percentiles (ms, of events):
                                avg        p50        p95        p99      p99.9        max
    event                     4.204      4.059      4.914      4.934      4.934      4.934

WARNING: the client may have been the limit
Result: 235.94 events/s (transactions), 4718.72 queries/s (statements), p95 4.934 ms per event, 0 errors, 1 thread, 0.0 s
`

func read(t *testing.T, text string) []*Run {
	t.Helper()
	runs, err := ReadText("x.txt", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return runs
}

func metric(t *testing.T, name string) Metric {
	t.Helper()
	m, err := ParseMetric(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// has checks values of a run: name, value, step.
func has(t *testing.T, r *Run, want map[string][2]float64) {
	t.Helper()
	for name, w := range want {
		v, ok := r.Value(metric(t, name))
		if !ok || math.Abs(v.V-w[0]) > 1e-6*w[0] || math.Abs(v.Step-w[1]) > 1e-4 {
			t.Errorf("%s: %s is %+v (%v), want %g with step %g", r.Source, name, v, ok, w[0], w[1])
		}
	}
}

func TestTextReports(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text     string
		values   map[string][2]float64
		facts    map[string]string
		threads  int
		errors   int64
		seconds  int
		warnings int
	}{
		"1.0": {
			sysbench10,
			map[string][2]float64{QPS: {2105.01, 0}, TPS: {105.25, 1e-4}, "p95": {9.56, 0.0182}, Latency: {891.11 / 211, 0}, Errors: {3000.0 / 211, 0}},
			map[string]string{factTool: "sysbench 1.0.20", factFace: "sysbench", factThreads: "8", factRate: "none", factStatements: "14 reads, 4 writes, 2 others an event"},
			8, 3, 2, 0,
		},
		"0.4": {
			tutorial04,
			map[string][2]float64{QPS: {8400, 0}, TPS: {400, 0}, "p95": {3.02, 0.0182}, Latency: {2.49, 0}},
			map[string]string{factTool: "sysbench 0.4.12", factThreads: "1", factStatements: "14 reads, 5 writes, 2 others an event"},
			1, 0, 0, 0,
		},
		"ours": {
			ours10,
			map[string][2]float64{QPS: {4718.72, 0}, "p95": {4.914, 2e-4}, "p50": {4.059, 2.5e-4}, "p99.9": {4.934, 2e-4}, CPU: {100, math.Log(2)}},
			map[string]string{
				factTool: "deltabench 0.1.0-dev", factServer: "10.11.6-MariaDB", factAddress: "/run/x.sock",
				factTransport: "unix, no TLS, no compression, prepared statements",
			},
			1, 0, 0, 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, text := range []string{c.text, strings.ReplaceAll(c.text, "\n", "\r\n"), "$ sysbench run\n" + c.text + "$ "} {
				runs := read(t, text)
				if len(runs) != 1 {
					t.Fatalf("%d runs, want one", len(runs))
				}
				r := runs[0]
				has(t, r, c.values)
				for name, want := range c.facts {
					if got := r.facts[name].text; got != want {
						t.Errorf("%s is %q, want %q", name, got, want)
					}
				}
				if r.Failed != "" || r.Threads != c.threads || r.Errors != c.errors || len(r.Series) != c.seconds || len(r.Warnings) != c.warnings {
					t.Errorf("failed %q, %d threads, %d errors, %d seconds, warnings %q", r.Failed, r.Threads, r.Errors, len(r.Series), r.Warnings)
				}
			}
		})
	}
	if s := read(t, sysbench10)[0].Series; !reflect.DeepEqual(s, []Second{{100.5, 2010}, {110.5, 2210}}) {
		t.Errorf("seconds %v", s)
	}
	if s := read(t, strings.Replace(sysbench10, "[ 2s ]", "[ 3s ]", 1))[0].Series; s != nil {
		t.Errorf("a series with a gap is %v, want none", s)
	}
	if s := read(t, strings.Replace(sysbench10, "every 1 second", "every 10 second", 1))[0].Series; s != nil {
		t.Errorf("intervals of 10 seconds are no seconds: %v", s)
	}
}

func TestSeveralReportsInOneFile(t *testing.T) {
	t.Parallel()
	fatal := "sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)\n\nRunning the test with following options:\nNumber of threads: 8\n\nFATAL: unable to connect to MySQL server\nFATAL: error 2003\n"
	prepare := "sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)\n\nCreating table 'sbtest1'...\n"
	runs := read(t, prepare+sysbench10+fatal+tutorial04)
	var got []string
	for _, r := range runs {
		got = append(got, r.Source+": "+r.Failed)
	}
	want := []string{"x.txt, report 1 of 3: ", "x.txt, report 2 of 3: unable to connect to MySQL server", "x.txt, report 3 of 3: "}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	_, body, _ := strings.Cut(sysbench10, "\n") // without headers: the mode block starts a run
	if runs := read(t, body+body); len(runs) != 2 || runs[1].Events != 211 {
		t.Errorf("without headers: %d runs, want 2", len(runs))
	}
}

// documentOf is a report of ours.
func documentOf(t *testing.T, change func(*report.Document)) *report.Document {
	t.Helper()
	mean, p99 := 4e6, int64(9e6)
	d := &report.Document{
		Schema: report.Kind, SchemaVersion: report.SchemaVersion,
		Tool: report.Tool{Version: "1", CalledAs: "deltabench"}, Host: report.Host{CPUs: 2},
		Test:    report.Test{Name: "oltp_read_only", SQL: true, Threads: 4},
		Options: map[string]any{"tables": 1.0, "table_size": 1000.0, "threads": 4.0, "db_ps_mode": "auto", "rand_type": "special", "mysql_password": "***", "time": 10.0},
		Keys:    "special", OptionsGiven: []string{"db_ps_mode", "mysql_password", "threads", "report"},
		StartedAt: "2026-12-01T05:00:00Z", End: report.End{Reason: "timeLimit"},
		Server:  &report.Server{Version: "10.11", Network: "tcp", Address: "127.0.0.1:3306", Protocol: "prepared statements"},
		Totals:  report.Totals{MeasuredSeconds: 10, ElapsedSeconds: 10},
		Latency: report.Distribution{Latency: report.Latency{MeanNs: &mean, PercentilesNs: map[string]*int64{"p99": &p99}}},
		Client:  report.Client{CPUSeconds: 2},
	}
	d.Totals.Events, d.Totals.Queries, d.Totals.Reads, d.Totals.Others = 1000, 16000, 14000, 2000
	d.Totals.EventsPerSecond, d.Totals.QueriesPerSecond = 100, 1600
	for i := range 11 {
		iv := report.Interval{EndSeconds: float64(i + 1), LengthSeconds: 1}
		if i == 10 {
			iv.LengthSeconds = 0.3
		}
		iv.Events, iv.Queries = 100, 1600
		d.Intervals = append(d.Intervals, iv)
	}
	if change != nil {
		change(d)
	}
	return d
}

func TestDocuments(t *testing.T) {
	t.Parallel()
	r := FromDocument("a.json", documentOf(t, nil))
	has(t, r, map[string][2]float64{QPS: {1600, 0}, TPS: {100, 0}, Latency: {4, 0}, "p99": {9, 0}, CPU: {125, 0}})
	if r.Failed != "" || len(r.Series) != 10 || r.Command != "oltp_read_only --db-ps-mode=auto --threads=4 run" {
		t.Errorf("failed %q, %d seconds, command %q", r.Failed, len(r.Series), r.Command)
	}
	for want, change := range map[string]func(*report.Document){
		"it was interrupted":        func(d *report.Document) { d.End.Reason = "interrupt" },
		"lost connection":           func(d *report.Document) { d.End.Reason, d.End.Error = "error", "lost connection" },
		"it ended with exit code 2": func(d *report.Document) { d.End.ExitCode = 2 },
		"no event ended":            func(d *report.Document) { d.Totals.Events = 0 },
	} {
		if r := FromDocument("x", documentOf(t, change)); r.Failed != want {
			t.Errorf("failed %q, want %q", r.Failed, want)
		}
	}
}

func differencesOf(t *testing.T, a, b []*Run) map[string]bool {
	t.Helper()
	got := map[string]bool{}
	for _, d := range Unlike(a, b).Differences {
		got[d.Name] = d.Refused
	}
	return got
}

func TestUnlike(t *testing.T) {
	t.Parallel()
	base := FromDocument("a", documentOf(t, nil))
	for name, c := range map[string]struct {
		change func(*report.Document)
		want   map[string]bool // whether refused
	}{
		"nothing":   {nil, map[string]bool{}},
		"a bit":     {func(d *report.Document) { d.Totals.MeasuredSeconds = 10.2 }, map[string]bool{}},
		"workload":  {func(d *report.Document) { d.Test.Name = "oltp_read_write" }, map[string]bool{"workload": true}},
		"threads":   {func(d *report.Document) { d.Test.Threads = 8 }, map[string]bool{"threads": true}},
		"tables":    {func(d *report.Document) { d.Options["tables"] = 2.0 }, map[string]bool{"tables": true}},
		"rows":      {func(d *report.Document) { d.Options["table_size"] = 2000.0 }, map[string]bool{"rows": true}},
		"layout":    {func(d *report.Document) { d.Options["create_secondary"] = false }, map[string]bool{"layout": true}},
		"transport": {func(d *report.Document) { d.Server.TLS = "TLSv1.3" }, map[string]bool{"transport": true}},
		"tool":      {func(d *report.Document) { d.Tool.Version = "2" }, map[string]bool{"tool": true}},
		"time": {func(d *report.Document) {
			d.Totals.MeasuredSeconds, d.Totals.Events, d.Totals.Reads, d.Totals.Others = 20, 2000, 28000, 4000
		}, map[string]bool{"time": true}},
		"as many": {func(d *report.Document) { d.Totals.MeasuredSeconds = 20 }, map[string]bool{}},
		"keys":    {func(d *report.Document) { d.Options["rand_type"] = "uniform" }, map[string]bool{"keys": true}},
		"rate":    {func(d *report.Document) { d.Rate = &report.Rate{AskedPerSecond: 50} }, map[string]bool{"rate": true}},
		"mix":     {func(d *report.Document) { d.Totals.Reads = 10000 }, map[string]bool{"statements": true}},
		"server":  {func(d *report.Document) { d.Server.Version = "11.4" }, map[string]bool{"server": false}},
		"address": {func(d *report.Document) { d.Server.Address = "127.0.0.1:3307" }, map[string]bool{"address": false}},
		"power":   {func(d *report.Document) { d.Host.Governor, d.Host.Turbo = "powersave", "off" }, map[string]bool{"client": false}},
		"option":  {func(d *report.Document) { d.Options["db_ps_mode"] = "disable" }, map[string]bool{"--db-ps-mode": false}},
		"new one": {func(d *report.Document) { d.Options["fresh"] = "x" }, map[string]bool{"--fresh": false}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			other := FromDocument("b", documentOf(t, c.change))
			for _, got := range []map[string]bool{differencesOf(t, []*Run{base}, []*Run{other}), differencesOf(t, []*Run{other, other}, []*Run{base, base})} {
				if !reflect.DeepEqual(got, c.want) {
					t.Errorf("differences %v, want %v", got, c.want)
				}
			}
		})
	}
}

func TestLikenessOfCellsAndFailures(t *testing.T) {
	t.Parallel()
	with := func(threads int, failed string) *Run {
		r := FromDocument("x", documentOf(t, func(d *report.Document) { d.Test.Threads = threads }))
		r.Failed = failed
		return r
	}
	if got := differencesOf(t, []*Run{with(1, ""), with(8, "")}, []*Run{with(8, ""), with(1, ""), with(16, "it failed")}); len(got) != 0 {
		t.Errorf("the same ladder on both sides: %v", got)
	}
	l := Unlike([]*Run{with(1, ""), with(8, "")}, []*Run{with(8, "")})
	if len(l.Differences) != 1 || l.Differences[0].String() != "threads: 1 (1 of 2 runs); 8 (1 of 2 runs) | 8" {
		t.Errorf("differences %v", l.Differences)
	}
	if len(l.Refused(nil)) != 1 || len(l.Refused([]string{"threads"})) != 0 {
		t.Errorf("refused %v, and %v with threads allowed", l.Refused(nil), l.Refused([]string{"threads"}))
	}
	text := Unlike(read(t, sysbench10), read(t, sysbench10))
	if len(text.Differences) != 0 {
		t.Errorf("the same text twice: %v", text.Differences)
	}
	mixed := Unlike(read(t, sysbench10), []*Run{with(8, "")})
	if !slices.Contains(mixed.Unknown, "tables") || !slices.Contains(mixed.Unknown, "workload") {
		t.Errorf("unknown facts %v, want tables and workload among them", mixed.Unknown)
	}
}

// shelf is a store in memory.
type shelf map[int64]*report.Document

func (s shelf) Runs(_ context.Context, f store.Filter) ([]store.Run, error) {
	var runs []store.Run
	for _, id := range f.IDs {
		if s[id] != nil {
			runs = append(runs, store.Run{ID: id})
		}
	}
	if f.Tags["scenario"] == "new" {
		runs = append(runs, store.Run{ID: 3})
	}
	return runs, nil
}

func (s shelf) Document(_ context.Context, id int64) (*report.Document, error) { return s[id], nil }

func TestLoad(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	encode := func(v any) string {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	doc := documentOf(t, nil)
	one := file("a.json", encode(doc))
	other := documentOf(t, func(d *report.Document) { d.StartedAt = "2026-12-01T06:00:00Z" })
	line := func(d *report.Document) string {
		return encode(map[string]any{"schema": store.LineKind, "schemaVersion": 1, "uuid": "x", "document": d}) + "\n"
	}
	lines := file("export.jsonl", line(doc)+line(other))
	twice := file("twice.jsonl", line(doc)+line(doc))
	text := file("a.txt", sysbench10)
	newer := *doc
	newer.SchemaVersion = 99
	s := shelf{1: doc, 2: doc, 3: doc}
	open := func() (Source, error) { return s, nil }
	for _, c := range []struct {
		words []string
		want  []string // sources
		err   string
	}{
		{[]string{"1"}, []string{"run 1"}, ""},
		{[]string{"1-3", "2"}, []string{"run 1", "run 2", "run 3"}, ""},
		{[]string{"2..9", "scenario=new"}, []string{"run 2", "run 3"}, ""},
		{[]string{one, one, text}, []string{one, text}, ""},
		{[]string{lines}, []string{lines + ", report 1", lines + ", report 2"}, ""},
		{[]string{twice, one}, []string{twice + ", report 1"}, ""},
		{[]string{text, file("copy.txt", sysbench10), file("more.txt", sysbench10+sysbench10)}, []string{text, filepath.Join(dir, "more.txt, report 1 of 2"), filepath.Join(dir, "more.txt, report 2 of 2")}, ""},
		{[]string{"7"}, nil, "7: there is no recorded run with this number"},
		{[]string{"7-9"}, nil, "7-9: there are no recorded runs with these numbers"},
		{[]string{"9-7"}, nil, "9-7: the range ends before it starts; write 7-9"},
		{[]string{"1,3-5,7"}, nil, "1,3-5,7: numbers of runs are separated by blanks: 1 3-5 7"},
		{[]string{"1-9999999999"}, nil, "a range of more than a million runs"},
		{[]string{"99999999999999999999"}, nil, "no run has so large a number"},
		{[]string{"a=b"}, nil, "a=b: no recorded run has this tag"},
		{[]string{"a="}, nil, "a tag is written key=value"},
		{[]string{filepath.Join(dir, "none.txt")}, nil, "none.txt: there is no such file"},
		{[]string{"-"}, nil, "standard input is not read"},
		{[]string{dir}, nil, "it is a directory"},
		{[]string{file("empty", "")}, nil, "there is no report of sysbench or deltabench in it"},
		{[]string{file("prose", "sysbench is a program\n")}, nil, "there is no report of sysbench or deltabench in it"},
		{[]string{file("other.json", `{"schema":"x"}`)}, nil, "json: line 1: it is neither a run ('deltabench runs export') nor a report (--report=json)"},
		{[]string{file("list.json", `[1,2]`)}, nil, "json: line 1: it is neither a run ('deltabench runs export') nor a report (--report=json)"},
		{[]string{file("cut.json", encode(doc)[:100])}, nil, "cut.json: line 1: the document that starts there is cut off"},
		{[]string{file("newer.json", encode(newer))}, nil, "its document is a deltabench/report of version 99, and this deltabench knows versions up to 1"},
		{[]string{file("zero.json", strings.Replace(encode(doc), `"schemaVersion":1`, `"schemaVersion":0`, 1))}, nil, "its document is a deltabench/report of version 0, and versions start at 1"},
		{[]string{file("minus.json", strings.Replace(encode(doc), `"schemaVersion":1`, `"schemaVersion":-1`, 1))}, nil, "its document is a deltabench/report of version -1, and versions start at 1"},
		{[]string{file("broken.json", "{\n\"a\": 1,\n}")}, nil, "broken.json: line 3: the document is damaged there (it starts in line 1)"},
	} {
		runs, err := (&Loader{Open: open}).Load(t.Context(), c.words)
		var got []string
		for _, r := range runs {
			got = append(got, r.Source)
		}
		switch {
		case c.err == "" && err != nil:
			t.Errorf("%q: %v", c.words, err)
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err) || strings.Contains(err.Error(), "\n")):
			t.Errorf("%q: error %v, want one line with %q", c.words, err, c.err)
		case !slices.Equal(got, c.want):
			t.Errorf("%q: %q, want %q", c.words, got, c.want)
		}
	}
	runs, err := (&Loader{}).Load(t.Context(), []string{one, lines, twice})
	if err != nil || len(runs) != 2 || !slices.Equal(runs[0].Also, []string{lines + ", report 1", twice + ", report 1", twice + ", report 2"}) || runs[1].Also != nil {
		t.Errorf("%+v, %v", runs, err)
	}
	broken := errors.New("broken store")
	if _, err := (&Loader{Open: func() (Source, error) { return nil, broken }}).Load(t.Context(), []string{"1"}); !errors.Is(err, broken) {
		t.Errorf("a store that cannot be opened: %v", err)
	}
}

// manyRuns is a store with so many runs that their documents must not be read.
type manyRuns struct{}

func (manyRuns) Runs(context.Context, store.Filter) ([]store.Run, error) {
	runs := make([]store.Run, 10000)
	for i := range runs {
		runs[i] = store.Run{
			ID: int64(i + 1), Workload: "oltp_read_only", SQL: true, Threads: 4, Tables: 1, TableSize: 1000, ToolVersion: "1", CalledAs: "deltabench",
			Transport: "tcp, no TLS, no compression, prepared statements", Server: "10.11", EndReason: "timeLimit", ElapsedSeconds: 10, Events: 1000, Queries: 16000,
			TPS: 100, QPS: 1600, MeanNs: 4e6, P99Ns: 9e6, ClientCPUSeconds: 2, ClientLimit: "event loop busy",
		}
	}
	return runs, nil
}

func (manyRuns) Document(context.Context, int64) (*report.Document, error) {
	return nil, errors.New("a document is read")
}

func TestManyRuns(t *testing.T) {
	t.Parallel()
	runs, err := (&Loader{Open: func() (Source, error) { return manyRuns{}, nil }}).Load(t.Context(), []string{"a=b"})
	if err != nil || len(runs) != 10000 {
		t.Fatalf("%d runs: %v", len(runs), err)
	}
	last := runs[9999]
	has(t, last, map[string][2]float64{QPS: {1600, 0}, TPS: {100, 0}, Latency: {4, 0}, "p99": {9, 0}, CPU: {125, 0}})
	if last.Source != "run 10000" || last.Failed != "" || len(last.Warnings) != 1 {
		t.Errorf("%+v", last)
	}
	if l := Unlike(runs[:5000], runs[5000:]); len(l.Differences) != 0 {
		t.Errorf("differences %v", l.Differences)
	}
	full := FromDocument("x", documentOf(t, nil))
	for name, refused := range differencesOf(t, runs[:1], []*Run{full}) {
		if refused {
			t.Errorf("columns and document of the same run differ in %s: %q and %q", name, runs[0].facts[name].text, full.facts[name].text)
		}
	}
	if s := Settle(runs, metric(t, QPS)); !slices.ContainsFunc(s.Warnings, func(w string) bool { return strings.Contains(w, "more than 500 recorded runs") }) {
		t.Errorf("warnings %q", s.Warnings)
	}
}

func TestSettle(t *testing.T) {
	t.Parallel()
	series := func(seconds int, at func(int) float64) *Run {
		r := &Run{Source: "x", values: map[string]Value{QPS: {V: 900}}}
		for i := range seconds {
			v := at(i)
			r.Series = append(r.Series, Second{Events: v / 10, Queries: v})
		}
		return r
	}
	noise := func(i int) float64 { return 1000 + 10*math.Sin(1.7*float64(i)) }
	warming := func(i int) float64 { return noise(i) - 500*math.Exp(-float64(i)/6) }
	qps := metric(t, QPS)
	flat := Settle([]*Run{series(60, noise), series(60, noise)}, qps)
	if flat.Cut != 0 || len(flat.Warnings) != 0 {
		t.Errorf("settled runs: %+v", flat)
	}
	warm := Settle([]*Run{series(60, noise), series(60, warming)}, qps)
	if warm.Cut < 10 || warm.Cut > 30 {
		t.Errorf("one run warms up: cut %d s, want it common to both", warm.Cut)
	}
	if v, _ := series(60, warming).After(qps, warm.Cut); math.Abs(v.V-1000) > 10 {
		t.Errorf("throughput after the cut is %g, want about 1000", v.V)
	}
	if v, _ := series(60, warming).After(metric(t, TPS), warm.Cut); math.Abs(v.V-100) > 1 {
		t.Errorf("events after the cut are %g, want about 100", v.V)
	}
	if v, _ := series(60, warming).After(qps, 0); v.V != 900 {
		t.Errorf("without a cut: %g, want the run's own value", v.V)
	}
	seconds, tail := series(60, noise).Spread(qps, 0)
	if math.Abs(seconds-10/math.Sqrt2) > 0.5 || !math.IsNaN(tail) {
		t.Errorf("spread of seconds %g, of latencies %g; want about 7.1, and none", seconds, tail)
	}
	if seconds, _ = series(9, noise).Spread(qps, 0); !math.IsNaN(seconds) {
		t.Errorf("9 seconds have the spread %g, want none", seconds)
	}
	drift := Settle([]*Run{series(60, func(i int) float64 {
		t := float64(i)
		return 1000 + 0.8*t + 15*math.Sin(1.7*t) + 10*math.Sin(0.45*t*t)
	})}, qps)
	if !slices.ContainsFunc(drift.Warnings, func(w string) bool { return strings.Contains(w, "x: never steady") }) {
		t.Errorf("a run that drifts: %q", drift.Warnings)
	}
	for want, runs := range map[string][]*Run{
		"no run has a 1-second series":        {series(0, noise)},
		"1 of 2 runs have no 1-second series": {series(0, noise), series(60, warming)},
		"too short to judge":                  {series(10, noise)},
	} {
		s := Settle(runs, qps)
		if s.Cut != 0 || !slices.ContainsFunc(s.Warnings, func(w string) bool { return strings.Contains(w, want) }) {
			t.Errorf("%+v, want a warning with %q and no cut", s, want)
		}
	}
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"QPS": "qps", "p999": "p99.9", "P50": "p50", " cpu ": "cpu"} {
		if m, err := ParseMetric(name); err != nil || m.Name != want {
			t.Errorf("%q is %q (%v), want %q", name, m.Name, err, want)
		}
	}
	for _, name := range []string{"", "p", "p0", "p100", "p-1", "pNaN", "speed"} {
		if m, err := ParseMetric(name); err == nil {
			t.Errorf("%q is %+v, want an error", name, m)
		}
	}
}

func FuzzReadText(f *testing.F) {
	for _, text := range []string{sysbench10, tutorial04, ours10, "[", "sysbench 1.0 (", "Latency (ms):\n95th percentile: 1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		runs, err := ReadText("x", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range runs {
			for name, v := range r.values {
				if !(v.V >= 0) || math.IsInf(v.V, 0) || !(v.Step >= 0) {
					t.Errorf("%s is %+v", name, v)
				}
			}
		}
	})
}
