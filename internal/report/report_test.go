package report

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"deltabench/internal/engine"
	"deltabench/internal/measure"
	"deltabench/internal/sqldb"
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

var start = time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC)

func closedLoop() *engine.Result {
	s := &measure.Snapshot{
		Counters: measure.Counters{Events: 3, Reads: 6, Writes: 2, Others: 1, Errors: 4, Reconnects: 5, Restarts: 7},
		Latency:  latency(1, 2, 6), Threads: []measure.ThreadTotals{{Events: 3, LatencyNs: 9e6, MinNs: 1e6, MaxNs: 6e6}},
		Errors: []measure.ErrorCount{{Code: 1213, State: "40001", Count: 4, First: "Deadlock <found>"}},
	}
	return &engine.Result{
		Report:  engine.Report{Snapshot: s, Elapsed: 3 * time.Second, SinceReset: 2 * time.Second},
		EndedBy: engine.TimeLimit, Started: start, Executor: engine.Loop, Loops: 2,
		Client: engine.ClientCost{CPU: time.Second, HasLoop: true, BusyShare: 0.95},
	}
}

func openLoop() *engine.Result {
	r := closedLoop()
	r.Service, r.Lateness = latency(1, 1, 1), latency()
	r.Offered, r.Backlog, r.EndedBy, r.Err, r.Forced = 10, 7, engine.Failed, errors.New("broken"), true
	r.Executor = engine.Goroutine
	r.Client.HasLoop = false
	r.Kinds = []*measure.Latency{nil, latency(4, 5), latency()}
	return r
}

func document(t *testing.T, res *engine.Result) *Document {
	t.Helper()
	open := res.Service != nil
	s := NewSeries(Style{
		Percentiles: []float64{99, 75}, Headline: 95,
		Figures: func(t workload.Totals) map[string]float64 { return map[string]float64{"twice": 2 * t.PerSecond()} },
	}, open)
	for i := range 2 {
		s.Interval(engine.Interval{
			Snapshot: &measure.Snapshot{Counters: measure.Counters{Events: int64(i + 1)}, Latency: latency(float64(i + 1))},
			Elapsed:  time.Duration(i+1) * time.Second, Length: time.Second, Threads: 1, Queue: 8, Warmup: i == 0,
		})
	}
	if err := s.Checkpoint(res.Report); err != nil {
		t.Fatal(err)
	}
	f := Facts{
		Tool: Tool{Version: "x", CalledAs: "deltabench", Compatible: "1.0.20"}, Test: Test{Name: "oltp", SQL: true, Threads: 1},
		Options: map[string]any{"threads": 1, "tables": 1.0, "debug": false, "mysql_host": []string{"h"}}, OptionsGiven: []string{},
		Transport: &sqldb.Transport{Network: "tcp", Address: "127.0.0.1:3306", Server: "11"}, EndText: "time limit",
		CheckLittle: !open, Warnings: []string{}, Kinds: []string{"", "begin", "commit"},
	}
	if open {
		f.Rate, f.Transport = 5, nil
	}
	d, err := s.Document(f, res)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestDocument(t *testing.T) {
	t.Parallel()
	for name, res := range map[string]*engine.Result{"closed": closedLoop(), "open": openLoop()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := document(t, res).Encode(JSON)
			if err != nil {
				t.Fatal(err)
			}
			if err := validate(t, text); err != nil {
				t.Errorf("%v\n%s", err, text)
			}
			if strings.Count(string(text), "\n") != 1 || !strings.Contains(string(text), "Deadlock <found>") {
				t.Errorf("not one line, or escaped for HTML:\n%s", text)
			}
			var back Document
			if err := json.Unmarshal(text, &back); err != nil {
				t.Fatal(err)
			}
			if got := back.Totals; got.Events != 3 || got.Queries != 9 || got.EventsPerSecond != 1.5 || got.ElapsedSeconds != 3 || got.Figures["twice"] != 3 {
				t.Errorf("totals: %+v", got)
			}
			if got := back.Latency; *got.MeanNs != 3e6 || got.SumNs != 9e6 || math.Abs(float64(*got.PercentilesNs["p75"])/2e6-1) > 0.001 || len(got.PercentilesNs) != 5 {
				t.Errorf("latency: %+v", got.Latency)
			}
			if got := back.Intervals; len(got) != 2 || !got[0].Warmup || got[1].EndSeconds != 2 || (got[1].Waiting == nil) != (name == "closed") {
				t.Errorf("intervals: %+v", got)
			}
			open := name == "open"
			if (back.Rate != nil) != open || (back.Service != nil) != open || (back.Server == nil) != open || (back.LittlesLaw == nil) != open || (len(back.Statements) == 1) != open {
				t.Errorf("parts: rate %v, service %v, server %v, law %v, statements %v", back.Rate, back.Service, back.Server, back.LittlesLaw, back.Statements)
			}
			if open && (back.Rate.Backlog != 7 || back.End.Reason != "error" || back.End.Error != "broken" || back.Statements[0].Kind != "begin") {
				t.Errorf("open: %+v, %+v", back.Rate, back.End)
			}
			if !open && (back.Client.Limit == "" || back.Client.Loops != 2 || back.StartedAt != "2026-01-02T03:04:05.000006Z") {
				t.Errorf("client: %+v, started %s", back.Client, back.StartedAt)
			}
		})
	}
}

// Where nothing ended there is no latency, not one of 0.
func TestNoEvents(t *testing.T) {
	t.Parallel()
	res := closedLoop()
	res.Snapshot = &measure.Snapshot{Latency: measure.NewLatency(), Threads: []measure.ThreadTotals{{}}}
	d := document(t, res)
	text, err := d.Encode(JSON)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate(t, text); err != nil {
		t.Errorf("%v\n%s", err, text)
	}
	want := `"latency":{"count":0,"minNs":null,"meanNs":null,"maxNs":null,"sumNs":0,"percentilesNs":{"p50":null,"p75":null,"p95":null,"p99":null,"p99.9":null},"sysbenchPercentile":null,`
	for _, want := range []string{want, `"threads":[{"events":0,"latencySumNs":0,"minNs":null,"maxNs":null}]`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s is not in\n%s", want, text)
		}
	}
	if text, err = d.Encode(CSV); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "\ntotal,3,2,1,0,0,0,0,0,0,0,0,0,0,,,,,,,,,,0\n") {
		t.Errorf("cells of latencies are not empty:\n%s", text)
	}
}

// Histograms of documents can be merged: the sum of two is the histogram of all values.
func TestHistogramsMerge(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	parts := []*measure.Latency{measure.NewLatency(), measure.NewLatency()}
	all := measure.NewLatency()
	for i := range 20_000 {
		ns := int64(math.Exp(rng.NormFloat64()*3+12)) + 1
		parts[i%2].Record(ns)
		all.Record(ns)
	}
	var style Style
	want, err := style.distribution(all)
	if err != nil {
		t.Fatal(err)
	}
	merged := map[int]int64{}
	var hdr *hdrhistogram.Histogram
	for _, p := range parts {
		d, err := style.distribution(p)
		if err != nil {
			t.Fatal(err)
		}
		h, err := hdrhistogram.Decode([]byte(d.HDR))
		if err != nil {
			t.Fatal(err)
		}
		if hdr == nil {
			hdr = h
		} else if dropped := hdr.Merge(h); dropped > 0 {
			t.Errorf("%d values dropped", dropped)
		}
		for i, b := range d.Sysbench.Index {
			merged[b] += d.Sysbench.Count[i]
		}
	}
	for _, p := range []float64{1, 50, 95, 99, 99.99} {
		if got, want := hdr.ValueAtPercentile(p), all.HDR().ValueAtPercentile(p); got != want {
			t.Errorf("p%v of the merged histogram: got %d, want %d", p, got, want)
		}
	}
	if hdr.TotalCount() != 20_000 {
		t.Errorf("total: got %d", hdr.TotalCount())
	}
	if len(merged) != len(want.Sysbench.Index) || len(merged) < 100 {
		t.Errorf("%d buckets, want %d", len(merged), len(want.Sysbench.Index))
	}
	h := measure.NewLogHistogram(measure.LogBuckets, measure.LogMinMs, measure.LogMaxMs)
	for i, b := range want.Sysbench.Index {
		if merged[b] != want.Sysbench.Count[i] || h.Value(b) != want.Sysbench.ValueMs[i] {
			t.Errorf("bucket %d: merged %d, want %d; value %v, want %v", b, merged[b], want.Sysbench.Count[i], want.Sysbench.ValueMs[i], h.Value(b))
		}
	}
}

func TestCSV(t *testing.T) {
	t.Parallel()
	for _, res := range []*engine.Result{closedLoop(), openLoop()} {
		text, err := document(t, res).Encode(CSV)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		if len(rows) != 4 || rows[1][0] != "warmup" || rows[2][0] != "interval" || rows[3][0] != "total" {
			t.Fatalf("rows:\n%s", text)
		}
		cells := func(row int) map[string]string {
			m := map[string]string{}
			for i, name := range rows[0] {
				m[name] = rows[row][i]
			}
			return m
		}
		waiting := ""
		if res.Service != nil {
			waiting = "8"
		}
		for name, want := range map[string]string{"endSeconds": "2", "events": "2", "eventsPerSecond": "2", "twice": "4", "latencyMeanNs": "2000000", "waiting": waiting} {
			if got := cells(2)[name]; got != want {
				t.Errorf("interval, %s: got %q, want %q", name, got, want)
			}
		}
		for name, want := range map[string]string{"endSeconds": "3", "lengthSeconds": "2", "queries": "9", "errors": "4", "latencyMinNs": "1000000", "latencyMaxNs": "6000000", "waiting": ""} {
			if got := cells(3)[name]; got != want {
				t.Errorf("total, %s: got %q, want %q", name, got, want)
			}
		}
	}
}

func TestWriteFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "r.json")
	for _, content := range []string{"one", "two"} {
		if err := Probe(path); err != nil {
			t.Fatal(err)
		}
		if err := WriteFile(path, []byte(content)); err != nil {
			t.Fatal(err)
		}
		if got, _ := os.ReadFile(path); string(got) != content {
			t.Errorf("got %q, want %q", got, content)
		}
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("%d files are left", len(files))
	}
	for name, bad := range map[string]string{"no directory": filepath.Join(dir, "none", "r.json"), "a directory": dir, "below a file": filepath.Join(path, "x")} {
		if err := Probe(bad); err == nil {
			t.Errorf("%s: Probe finds nothing wrong", name)
		} else if strings.Contains(err.Error(), ".tmp") {
			t.Errorf("%s: %v names a temporary file", name, err)
		}
		if err := WriteFile(bad, []byte("x")); err == nil {
			t.Errorf("%s: written", name)
		}
	}
	if got, _ := os.ReadFile(path); string(got) != "two" {
		t.Errorf("after failures: got %q", got)
	}
	if err := Probe(os.DevNull); err != nil {
		t.Error(err)
	}
	if err := WriteFile(os.DevNull, []byte("x")); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Fatalf("the null device is a file now: %v %v", info, err)
	}
}

func TestParseFormat(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]Format{"text": Text, "json": JSON, "csv": CSV} {
		if got, ok := ParseFormat(name); !ok || got != want {
			t.Errorf("%s: got %v, %v", name, got, ok)
		}
	}
	if _, ok := ParseFormat("JSON"); ok {
		t.Error("JSON: accepted in capitals")
	}
}
