package sysbench

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"deltabench/internal/engine"
	"deltabench/internal/measure"
	"deltabench/internal/sqldb"
	"deltabench/internal/textlog"
	"deltabench/internal/workload"
)

// latency returns a distribution of values in ms.
func latency(ms ...float64) *measure.Latency {
	l := measure.NewLatency()
	for _, v := range ms {
		l.Record(int64(v * 1e6))
	}
	return l
}

// printed returns what f logs.
func printed(verbosity textlog.Level, f func(*textlog.Log)) string {
	var b bytes.Buffer
	f(textlog.New(&b, verbosity))
	return b.String()
}

// same compares texts line by line; want starts with a newline for the reader's sake.
func same(t *testing.T, got, want string) {
	t.Helper()
	want = strings.TrimPrefix(want, "\n")
	if got == want {
		return
	}
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(g), len(w)) {
		switch {
		case i >= len(g):
			t.Fatalf("ends before line %q", w[i])
		case i >= len(w):
			t.Fatalf("additional line %q", g[i])
		case g[i] != w[i]:
			t.Fatalf("line %d:\n got %q\nwant %q", i+1, g[i], w[i])
		}
	}
}

func counters() measure.Counters {
	return measure.Counters{Events: 32, Reads: 448, Writes: 128, Others: 64, Errors: 4, Reconnects: 2, Restarts: 4}
}

func TestIntervalLines(t *testing.T) {
	t.Parallel()
	iv := engine.Interval{
		Snapshot: &measure.Snapshot{Counters: counters(), Latency: latency(1, 1.75)},
		Elapsed:  9_600 * time.Millisecond, Due: 9_600 * time.Millisecond, Length: 2 * time.Second, Threads: 2, Queue: 5, Concurrency: 2,
	}
	empty := engine.Interval{Snapshot: &measure.Snapshot{Latency: latency()}, Elapsed: time.Second, Due: time.Second, Threads: 3}
	for _, tc := range []struct {
		name   string
		layout layout
		iv     engine.Interval
		want   string
	}{
		{"sql", layout{sql: true, percentile: 95}, iv, "[ 10s ] thds: 2 tps: 16.00 qps: 320.00 (r/w/o: 224.00/64.00/32.00) lat (ms,95%): 1.76 err/s: 2.00 reconn/s: 1.00\n"},
		{"sql, rate", layout{sql: true, percentile: 99, rate: true}, iv, "[ 10s ] thds: 2 tps: 16.00 qps: 320.00 (r/w/o: 224.00/64.00/32.00) lat (ms,99%): 1.76 err/s: 2.00 reconn/s: 1.00\n[ 10s ] queue length: 5, concurrency: 2\n"},
		{"plain", layout{percentile: 95}, iv, "[ 10s ] thds: 2 eps: 16.00 lat (ms,95%): 1.76\n"},
		{"plain, rate", layout{percentile: 95, rate: true}, iv, "[ 10s ] thds: 2 eps: 16.00 lat (ms,95%): 1.76\n[ 10s ] queue length: 5 concurrency: 2\n"},
		{"no percentile", layout{}, iv, "[ 10s ] thds: 2 eps: 16.00 lat (ms,0%): 0.00\n"},
		{"fraction", layout{percentile: 99.9}, iv, "[ 10s ] thds: 2 eps: 16.00 lat (ms,99.9%): 1.76\n"},
		{"never above the maximum on our face", layout{percentile: 95, face: FaceDeltabench}, iv, "[ 10s ] thds: 2 eps: 16.00 lat (ms,95%): 1.75\n"},
		{"empty", layout{percentile: 95, sql: true}, empty, "[ 1s ] thds: 3 tps: 0.00 qps: 0.00 (r/w/o: 0.00/0.00/0.00) lat (ms,95%): 0.00 err/s: 0.00 reconn/s: 0.00\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := printed(textlog.Notice, func(l *textlog.Log) { tc.layout.intervalLine(l, tc.iv) })
			if got != tc.want {
				t.Errorf("got  %swant %s", got, tc.want)
			}
		})
	}
}

func TestClearLine(t *testing.T) {
	t.Parallel()
	iv := engine.Interval{
		Snapshot: &measure.Snapshot{Counters: counters(), Latency: latency(1, 1.75)},
		Elapsed:  10 * time.Second, Due: 10 * time.Second, Length: 2 * time.Second, Threads: 1, Queue: 5, Concurrency: 2,
	}
	got := printed(textlog.Notice, func(l *textlog.Log) { layout{sql: true, percentile: 95, rate: true}.clearLine(l, iv) })
	want := "[ 10s ] 1 thread, 32 events (16.0/s), 640 queries (320.0/s; 448 reads, 128 writes, 64 other), p95 1.75 ms, 4 errors, 4 restarts, 2 reconnects, 5 waiting, 2 running\n"
	if got != want {
		t.Errorf("got  %swant %s", got, want)
	}
	iv.Snapshot = &measure.Snapshot{Latency: latency()}
	got = printed(textlog.Notice, func(l *textlog.Log) { layout{percentile: 95}.clearLine(l, iv) })
	if want := "[ 10s ] 1 thread, 0 events (0.0/s), p95 -\n"; got != want {
		t.Errorf("without events: got %swant %s", got, want)
	}
}

// twoThreads is a finished run of two threads: 3 events of 1, 2 and 6 ms in 2 s.
func twoThreads() engine.Report {
	return engine.Report{
		Snapshot: &measure.Snapshot{
			Counters: measure.Counters{Events: 3, Reads: 42, Writes: 12, Others: 6, Errors: 1},
			Latency:  latency(1, 2, 6),
			Threads: []measure.ThreadTotals{
				{Events: 1, LatencyNs: 6e6, MinNs: 6e6, MaxNs: 6e6},
				{Events: 2, LatencyNs: 3e6, MinNs: 1e6, MaxNs: 2e6},
			},
		},
		Elapsed: 3 * time.Second, SinceReset: 2 * time.Second, Now: 3e9,
	}
}

func TestCumulative(t *testing.T) {
	t.Parallel()
	forced := twoThreads()
	forced.Unfinished = 1
	forced.Threads[1].InEventNs = 2e9
	general := `
General statistics:
    total time:                          3.0000s
    total number of events:              3

Latency (ms):
         min:                                    1.00
         avg:                                    3.00
         max:                                    6.00
         95th percentile:                        5.99
         sum:                                    9.00

Threads fairness:
    events (avg/stddev):           1.5000/0.50
    execution time (avg/stddev):   0.0045/0.00

`
	for _, tc := range []struct {
		name   string
		layout layout
		report engine.Report
		want   string
	}{
		{"plain", layout{percentile: 95}, twoThreads(), "\n" + general},
		{"sql", layout{percentile: 95, sql: true}, twoThreads(), `
SQL statistics:
    queries performed:
        read:                            42
        write:                           12
        other:                           6
        total:                           60
    transactions:                        3      (1.50 per sec.)
    queries:                             60     (30.00 per sec.)
    ignored errors:                      1      (0.50 per sec.)
    reconnects:                          0      (0.00 per sec.)
` + general},
		{"head of a test", layout{percentile: 95, head: func(l *textlog.Log, t workload.Totals) {
			l.Noticef("CPU speed:")
			l.Noticef("    events per second: %8.2f", t.PerSecond())
		}}, twoThreads(), "\nCPU speed:\n    events per second:     1.50\n" + general},
		{"no percentile", layout{}, twoThreads(), "\n" + strings.Replace(general, "         95th percentile:                        5.99", "         percentile stats:               disabled", 1)},
		{"one digit", layout{percentile: 5}, twoThreads(), "\n" + strings.Replace(general, "         95th percentile:                        5.99", "          5th percentile:                        0.00", 1)},
		{"fraction", layout{percentile: 99.9}, twoThreads(), "\n" + strings.Replace(general, "         95th percentile:                        5.99", "        99.9th percentile:                       5.99", 1)},
		{"our face", layout{percentile: 95, face: FaceDeltabench}, twoThreads(), "\n" + strings.Replace(general, "5.99", "6.00", 1)},
		{"debug", layout{percentile: 95, debug: true}, twoThreads(), "\n" + general + `DEBUG: Verbose per-thread statistics:

DEBUG:     thread #  0: min: 0.0060s  avg: 0.0060s  max: 0.0060s  events: 1
DEBUG:                  total time taken by event execution: 0.0060s
DEBUG:     thread #  1: min: 0.0010s  avg: 0.0015s  max: 0.0020s  events: 2
DEBUG:                  total time taken by event execution: 0.0030s

`},
		{"forced", layout{percentile: 95, sql: false}, forced, "\n\nNumber of unfinished transactions on forced shutdown: 1\n" +
			strings.NewReplacer("1.5000/0.50", "2.0000/1.00", "0.0045/0.00", "0.0045/0.71").Replace(general)},
		{"forced, our face", layout{percentile: 95, face: FaceDeltabench}, forced, "\n\nNumber of unfinished transactions on forced shutdown: 1\n" +
			strings.NewReplacer("1.5000/0.50", "2.0000/1.00", "0.0045/0.00", "0.5045/0.50", "5.99", "6.00").Replace(general)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			same(t, printed(textlog.Debug, func(l *textlog.Log) { tc.layout.cumulative(l, tc.report) }), tc.want)
		})
	}
}

func TestEmptyReport(t *testing.T) {
	t.Parallel()
	r := engine.Report{Snapshot: &measure.Snapshot{Latency: latency()}}
	got := printed(textlog.Notice, func(l *textlog.Log) { layout{percentile: 95, sql: true}.cumulative(l, r) })
	for _, line := range []string{
		"         min:                                    0.00\n", "         avg:                                    0.00\n",
		"         95th percentile:                        0.00\n", "    transactions:                        0      (0.00 per sec.)\n",
		"    events (avg/stddev):           0.0000/0.00\n",
	} {
		if !strings.Contains(got, line) {
			t.Errorf("no line %q in:\n%s", line, got)
		}
	}
}

// TestCheckpointSwallowsEmptyLine pins a visible effect of the collapsing of repeated lines (trap 8.9).
func TestCheckpointSwallowsEmptyLine(t *testing.T) {
	t.Parallel()
	got := printed(textlog.Notice, func(l *textlog.Log) {
		layout{percentile: 95}.cumulative(l, twoThreads())
		layout{percentile: 95}.cumulative(l, twoThreads())
	})
	if want := "\n\n(last message repeated 1 times)\nGeneral statistics:\n"; !strings.Contains(got, want) {
		t.Errorf("no %q in:\n%s", want, got)
	}
}

func TestHistogram(t *testing.T) {
	t.Parallel()
	l := latency(1, 1, 1, 1, 2)
	same(t, printed(textlog.Notice, func(log *textlog.Log) { histogram(log, &l.Log) }), `
Latency histogram (values are in milliseconds)
       value  ------------- distribution ------------- count
       1.007 |**************************************** 4
       1.996 |**********                               1
 
`)
	if got := printed(textlog.Notice, func(log *textlog.Log) { histogram(log, &latency().Log) }); got != "" {
		t.Errorf("without values: %q", got)
	}
	got := printed(textlog.Fatal, func(log *textlog.Log) { histogram(log, &l.Log) })
	if !strings.HasPrefix(got, "       value") || !strings.HasSuffix(got, " 1\n") {
		t.Errorf("verbosity 0 prints the table alone: %q", got)
	}
}

func TestModeBlock(t *testing.T) {
	t.Parallel()
	full := &General{
		Threads: 2, Warmup: 3 * time.Second, Rate: 10, ReportInterval: 4 * time.Second, Checkpoints: []int{1, 1, 5}, Debug: true,
		Validate: true, Seed: -5, ForcedShutdown: true, ForcedAfter: 12,
	}
	same(t, printed(textlog.Notice, func(l *textlog.Log) { modeBlock(l, full) }), `
Running the test with following options:
Number of threads: 2
Warmup time: 3s
Target transaction rate: 10/sec
Report intermediate results every 4 second(s)
Report checkpoint(s) at 1, 1, 5 seconds
Debug mode enabled.

Validation checks: on.

Initializing random number generator from seed (-5).

Forcing shutdown in 12 seconds

`)
	same(t, printed(textlog.Notice, func(l *textlog.Log) { modeBlock(l, &General{Threads: 1}) }), `
Running the test with following options:
Number of threads: 1
Initializing random number generator from current time


`)
}

func finished() *engine.Result {
	res := &engine.Result{Report: twoThreads(), EndedBy: engine.TimeLimit}
	res.Client = engine.ClientCost{CPU: 30 * time.Millisecond, CPUShare: 0.01, HasLoop: true, BusyShare: 0.25, LagP99: 100 * time.Microsecond, PeakBytes: 10 << 20}
	res.Executor, res.Loops = engine.Loop, 2
	return res
}

func TestAdditions(t *testing.T) {
	t.Parallel()
	g := &General{Threads: 2, Time: 3 * time.Second, Percentile: 95, Percentiles: []float64{75, 95}, ReportExtra: true, ReportErrors: true, Rate: 7, ByStatement: true}
	res := finished()
	res.Offered, res.Backlog = 21, 6
	res.Service, res.Lateness = latency(1, 1, 1), latency(0.25)
	res.Kinds = []*measure.Latency{nil, latency(0.5, 1.5), latency()}
	res.Errors = []measure.ErrorCount{{Code: 1213, State: "40001", Count: 1, First: "Deadlock found\nwhen trying"}}
	res.Restarts = 1
	x := extra{
		g: g, sql: true, dist: "uniform", kinds: []string{"", "begin", "commit"},
		transport: &sqldb.Transport{Network: "tcp", Address: "127.0.0.1:3306", TLS: "TLSv1.3 AES", Protocol: "text", Server: "10.11", AuthMethod: "ed25519"},
	}
	same(t, printed(textlog.Notice, func(l *textlog.Log) { x.write(l, res) }), `
Run:
    ended by:                            time limit (--time=3)
    distribution of keys:                uniform
    transport:                           tcp 127.0.0.1:3306, TLSv1.3 AES, no compression, text, ed25519
    server:                              10.11
    client:                              2 event loops, CPU 0.03 s (1 % of what it may use), 500.0 µs per query, memory 10.0 MiB
    event loop:                          busy 25 %, lag p99 0.100 ms

Rate (events):
    offered:                             21 (7.00 per sec.)
    achieved:                            3 (1.50 per sec.)
    backlog at the end, never started:   6
    start lateness of idle threads (ms): p50 0.250, p99 0.250, max 0.250

Percentiles (ms, of events):
                                avg        p50        p75        p95        p99      p99.9        max
    response                  3.000      2.001      2.001      6.000      6.000      6.000      6.000
    service                   1.000      1.000      1.000      1.000      1.000      1.000      1.000
    response = from the scheduled arrival to the end, service = from the start to the end

Latency by statement (ms):
                              count        avg        p75        p95        max
    begin                         2      1.000      1.500      1.500      1.500

Errors by code (restarted events: 1):
     1213 (40001)          1  Deadlock found when trying

WARNING: overloaded: 6 of 21 arrivals were never started; response times grow with the length of the run
Result: 1.50 events/s (transactions), 30.00 queries/s (statements), p95 6.000 ms per event, 1 error, 2 threads, 2.0 s since the last checkpoint
`)
}

// No latency is given where no event ended, and lost connections that were opened again are named.
func TestAdditionsWithoutEvents(t *testing.T) {
	t.Parallel()
	res := finished()
	res.Snapshot = &measure.Snapshot{
		Counters: measure.Counters{Reconnects: 3}, Latency: latency(),
		Errors: []measure.ErrorCount{{Code: 2013, State: "HY000", Count: 3, First: "Lost connection"}},
	}
	x := extra{g: &General{Threads: 2, Time: 3 * time.Second, Percentile: 95, Percentiles: []float64{95}, ReportExtra: true, ReportErrors: true}, sql: true}
	got := printed(textlog.Notice, func(l *textlog.Log) { x.write(l, res) })
	for _, want := range []string{
		"\n    event                         -          -          -          -          -          -\n",
		"\nErrors by code (restarted events: 0, reconnects: 3):\n     2013 (HY000)          3  Lost connection\n",
		"\nResult: 0.00 events/s (transactions), 0.00 queries/s (statements), no event finished, 0 errors, 3 reconnects, 2 threads, 2.0 s since the last checkpoint\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}

func TestNoAdditionsUnlessAsked(t *testing.T) {
	t.Parallel()
	res := finished()
	res.Errors = []measure.ErrorCount{{Code: 1213, Count: 1}}
	res.Client.BusyShare = 1
	x := extra{g: &General{Threads: 2, Percentile: 95, Percentiles: []float64{95}, Rate: 7}, sql: true}
	if got := printed(textlog.Debug, func(l *textlog.Log) { x.write(l, res) }); got != "" {
		t.Errorf("got %q", got)
	}
}

func TestWarnings(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		change func(*General, *engine.Result)
		want   []string
	}{
		{"busy loop", func(_ *General, r *engine.Result) { r.Client.BusyShare = 0.95; r.SinceReset = time.Millisecond }, []string{"event loop busy"}},
		{"lag", func(_ *General, r *engine.Result) {
			r.Client.LagP99 = time.Millisecond
			r.SinceReset = time.Millisecond
		}, []string{"event loop lag"}},
		{"cpu", func(_ *General, r *engine.Result) { r.Client.CPUShare = 0.9; r.SinceReset = time.Millisecond }, []string{"CPU used up"}},
		{"Little's law", func(*General, *engine.Result) {}, []string{"0.0 of 2 threads were inside an event"}},
		{"Little's law under a rate", func(g *General, _ *engine.Result) { g.Rate = 1 }, nil},
		{"Little's law holds", func(_ *General, r *engine.Result) { r.Latency = latency(2000, 2000) }, nil},
		{"threads that ended by themselves", func(_ *General, r *engine.Result) { r.EndedBy = engine.WorkersEnded }, nil},
		{"overload", func(g *General, r *engine.Result) { g.Rate = 1; r.Offered, r.Backlog = 100, 2 }, []string{"overloaded: 2 of 100"}},
		{"one waits at the end", func(g *General, r *engine.Result) { g.Rate = 1; r.Offered, r.Backlog = 100, 1 }, nil},
	} {
		g, res := &General{Threads: 2}, finished()
		tc.change(g, res)
		got := extra{g: g}.warnings(res)
		if len(got) != len(tc.want) {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.want)
			continue
		}
		for i := range got {
			if !strings.Contains(got[i], tc.want[i]) {
				t.Errorf("%s: got %q, want %q", tc.name, got[i], tc.want[i])
			}
		}
	}
}

func TestEndText(t *testing.T) {
	t.Parallel()
	g := &General{Time: 10 * time.Second, Events: 5}
	for _, tc := range []struct {
		g    *General
		res  engine.Result
		want string
	}{
		{g, engine.Result{EndedBy: engine.TimeLimit}, "time limit (--time=10)"},
		{g, engine.Result{EndedBy: engine.TimeLimit, Forced: true}, "time limit (--time=10), then by force"},
		{g, engine.Result{EndedBy: engine.EventLimit}, "event limit (--events=5)"},
		{&General{}, engine.Result{EndedBy: engine.EventLimit}, "event limit of the test"},
		{g, engine.Result{EndedBy: engine.WorkersEnded}, "the test itself"},
		{g, engine.Result{EndedBy: engine.Interrupted}, "interrupt"},
		{g, engine.Result{EndedBy: engine.Failed}, "an error"},
	} {
		if got := endText(tc.g, &tc.res); got != tc.want {
			t.Errorf("got %q, want %q", got, tc.want)
		}
	}
}

// fakeRun is a run that prints nothing.
type fakeRun struct{}

func (fakeRun) Mode(*textlog.Log)                                      {}
func (fakeRun) Thread(workload.ThreadContext) (workload.Worker, error) { return nil, nil }

func TestPrinterFinal(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		face   Face
		g      General
		change func(*engine.Result)
		code   int
		first  string // of the output
		report bool
	}{
		{name: "time limit", code: ExitOK, first: "Time limit exceeded, exiting...\n(last message repeated 1 times)\nDone.\n\nSQL", report: true},
		{name: "event limit", change: func(r *engine.Result) { r.EndedBy = engine.EventLimit }, code: ExitOK, first: "Event limit exceeded, exiting...\n", report: true},
		{name: "workers", change: func(r *engine.Result) { r.EndedBy = engine.WorkersEnded }, code: ExitOK, first: "Done.\n\nSQL", report: true},
		{name: "forced", g: General{ForcedShutdown: true}, change: func(r *engine.Result) { r.Forced = true }, code: ExitForced, first: "FATAL: The --max-time limit has expired, forcing shutdown...\nSQL", report: true},
		{name: "forced without asking", change: func(r *engine.Result) { r.Forced = true; r.Unfinished = 1 }, code: ExitForced, first: "WARNING: 1 event was still running 5 seconds after", report: true},
		{name: "error", change: func(r *engine.Result) { r.EndedBy = engine.Failed; r.Err = errors.New("x") }, code: ExitFailure, first: "Done.\n\n"},
		{name: "queue full", change: func(r *engine.Result) { r.EndedBy = engine.Failed; r.Err = engine.ErrQueueFull }, code: ExitFailure, first: "FATAL: The event queue is full. This means the worker threads are unable to keep up with the specified event generation rate\n"},
		{name: "interrupt", face: FaceDeltabench, change: func(r *engine.Result) { r.EndedBy = engine.Interrupted }, code: ExitInterrupted, first: "Done.\n\nSQL", report: true},
		{name: "histogram", g: General{Histogram: true}, code: ExitOK, first: "Time limit exceeded, exiting...\n(last message repeated 1 times)\nDone.\n\nLatency histogram", report: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			res := finished()
			if tc.change != nil {
				tc.change(res)
			}
			g := tc.g
			g.Threads, g.Percentile = 2, 95
			var code int
			got := printed(textlog.Info, func(l *textlog.Log) {
				p := newPrinter(&Request{Face: tc.face, Test: fakeTests[1], Name: "x", General: &g, Log: l}, fakeRun{})
				code = p.final(res)
			})
			if code != tc.code {
				t.Errorf("code: got %d, want %d", code, tc.code)
			}
			if !strings.HasPrefix(got, tc.first) {
				t.Errorf("got %q, want it to start with %q", got, tc.first)
			}
			if report := strings.Contains(got, "General statistics:"); report != tc.report {
				t.Errorf("report: got %v, want %v", report, tc.report)
			}
		})
	}
}

func TestPrinterErrors(t *testing.T) {
	t.Parallel()
	sql, builtin := fakeTests[1], fakeTests[0]
	broken := &workload.ScriptError{Position: "oltp_common.lua:458", Text: "SQL error, errno = 1644"}
	for _, tc := range []struct {
		test  workload.Test
		phase engine.Phase
		err   error
		want  string
	}{
		{sql, engine.PhaseRun, broken, "FATAL: `thread_run' function failed: /usr/share/sysbench/oltp_common.lua:458: SQL error, errno = 1644\n"},
		{sql, engine.PhaseInit, broken, "FATAL: `thread_init' function failed: /usr/share/sysbench/oltp_common.lua:458: SQL error, errno = 1644\n"},
		{sql, engine.PhaseDone, errors.New("x"), "FATAL: `thread_done' function failed: x\n"},
		{builtin, engine.PhaseRun, errors.New("out of memory"), "FATAL: out of memory\n"},
		{sql, engine.PhaseRun, engine.NewPanicError("boom"), "FATAL: internal error in thread_run of the test 'x': boom (please report this)\n"},
	} {
		got := printed(textlog.Notice, func(l *textlog.Log) {
			newPrinter(&Request{Test: tc.test, Name: "x", General: &General{Threads: 1}, Log: l}, fakeRun{}).ThreadError(0, tc.phase, tc.err)
		})
		if got != tc.want {
			t.Errorf("got %q, want %q", got, tc.want)
		}
	}
	for err, want := range map[error]struct {
		text string
		code int
	}{
		&engine.InitError{Failed: 1}:                 {"FATAL: Thread initialization failed!\n", ExitFailure},
		&engine.InitError{Timeout: true, Waiting: 1}: {"FATAL: Worker threads failed to initialize within 30 seconds!\n", ExitForced},
		engine.ErrUnsupported:                        {"FATAL: the loop engine needs Linux; use --engine=goroutine\n", ExitFailure},
	} {
		var code int
		got := printed(textlog.Notice, func(l *textlog.Log) {
			g := &General{Threads: 1, InitTimeout: 30 * time.Second}
			code = newPrinter(&Request{Test: sql, General: g, Log: l}, fakeRun{}).failed(err)
		})
		if got != want.text || code != want.code {
			t.Errorf("%v: got %q, code %d, want %q, %d", err, got, code, want.text, want.code)
		}
	}
}

func TestPrinterIntervals(t *testing.T) {
	t.Parallel()
	iv := func(length time.Duration, last, warmup bool) engine.Interval {
		return engine.Interval{
			Snapshot: &measure.Snapshot{Counters: counters(), Latency: latency(1)}, Elapsed: 2 * time.Second, Due: 2 * time.Second, Length: length, Threads: 1, Last: last, Warmup: warmup,
		}
	}
	for _, tc := range []struct {
		name  string
		face  Face
		every time.Duration
		iv    engine.Interval
		want  string // start of the output
	}{
		{"none asked for", FaceDeltabench, 0, iv(time.Second, true, false), ""},
		{"whole", FaceSysbench, time.Second, iv(time.Second, false, false), "[ 2s ] thds: 1 tps: 32.00"},
		{"whole at the end", FaceSysbench, time.Second, iv(990*time.Millisecond, true, false), "[ 2s ] thds: 1 tps: 32.32"},
		{"stub at the end", FaceSysbench, time.Second, iv(400*time.Millisecond, true, false), ""},
		{"warm-up", FaceDeltabench, time.Second, iv(time.Second, false, true), "[ 2s ] warm-up: 32.00 events/s\n"},
		{"warm-up as sysbench", FaceSysbench, time.Second, iv(time.Second, false, true), ""},
	} {
		got := printed(textlog.Notice, func(l *textlog.Log) {
			newPrinter(&Request{Face: tc.face, Test: fakeTests[1], General: &General{Threads: 1, Percentile: 95, ReportInterval: tc.every}, Log: l}, fakeRun{}).Interval(tc.iv)
		})
		if tc.want == "" && got != "" || !strings.HasPrefix(got, tc.want) {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.want)
		}
	}
}
