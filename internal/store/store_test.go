package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"deltabench/internal/report"
)

func TestMain(m *testing.M) {
	if job := os.Getenv(childJob); job != "" {
		os.Exit(child(job))
	}
	os.Exit(m.Run())
}

// document makes the document of a run whose numbers depend on n. It has something in every part.
func document(n int) *report.Document {
	h := hdrhistogram.New(1, 3_600_000_000_000, 3)
	for i := range 200 {
		if err := h.RecordValue(int64(1000 * (i + n + 1))); err != nil {
			panic(err)
		}
	}
	hdr, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		panic(err)
	}
	num := func(v int64) *int64 { return &v }
	mean, busy := 1.5e6+0.1*float64(n), 0.123456789012345
	latency := report.Latency{
		Count: 200, MinNs: num(1000), MeanNs: &mean, MaxNs: num(9_000_000), SumNs: 300_000_000,
		PercentilesNs:      map[string]*int64{"p50": num(1_000_000), "p95": num(2_000_000), "p99": num(3_000_000), "p99.9": num(4_000_000)},
		SysbenchPercentile: &report.SysbenchPercentile{Percentile: 95, Ms: 2.03},
	}
	dist := report.Distribution{Latency: latency, HDR: string(hdr), Sysbench: report.SysbenchHistogram{
		Buckets: 1024, MinMs: 0.001, MaxMs: 100000, Index: []int{300, 301}, ValueMs: []float64{0.22, 0.224}, Count: []int64{100, 100},
	}}
	none := report.Latency{PercentilesNs: map[string]*int64{"p50": nil, "p95": nil, "p99": nil, "p99.9": nil}}
	counts := report.Counts{
		Events: 200, Queries: 4000, Reads: 2800, Writes: 800, Others: 400, Errors: 3, Reconnects: 1, Restarts: 2,
		EventsPerSecond: 100 + float64(n)/3, QueriesPerSecond: 2000 + float64(n)/7,
	}
	d := &report.Document{
		Schema: report.Kind, SchemaVersion: 1,
		Tool: report.Tool{Name: "deltabench", Version: "0.1.0-dev", CalledAs: "deltabench", Compatible: "1.0.20", GoVersion: "go1.26"},
		Host: report.Host{OS: "linux", Arch: "amd64", Kernel: "6.1", CPUs: 2, CPUModel: "x <&> \u2028", MemoryBytes: 8 << 30, GoMaxProcs: 2},
		Test: report.Test{Name: "oltp_read_write", SQL: true, Threads: 4},
		Options: map[string]any{
			"tables": 4, "table_size": uint64(100000), "mysql_host": []string{"a", "b"}, "secondary": false, "auto_inc": true, "load_index": "after",
			"mysql_storage_engine": "innodb", "rand_seed": n, "mysql_password": "***", "rand_pareto_h": 0.2,
		},
		OptionsGiven: []string{"tables", "table_size"}, StartedAt: fmt.Sprintf("2026-03-04T05:06:07.%09d+02:00", n),
		Server: &report.Server{Version: "10.11.19-MariaDB", Network: "tcp", Address: "127.0.0.1:3306", Protocol: "prepared statements"},
		Keys:   "special", End: report.End{Reason: "timeLimit", Text: "time limit (--time=2)"},
		Totals:  report.Totals{Counts: counts, ElapsedSeconds: 2.000123, MeasuredSeconds: 2.000123, Figures: map[string]float64{"x": 1.25}},
		Latency: dist, Service: &dist, StartLateness: &dist,
		Rate:       &report.Rate{AskedPerSecond: 100, Offered: 201, Achieved: 200},
		Statements: []report.Statement{{Kind: "commit", Distribution: dist}},
		Errors:     []report.Error{{Code: 1213, SQLState: "40001", Count: 2, First: "Deadlock"}, {Code: 2013, SQLState: "HY000", Count: 1, First: "Lost"}},
		Threads:    []report.Thread{{Events: 200, LatencySumNs: 5, MinNs: num(1), MaxNs: num(4)}, {}},
		Intervals: []report.Interval{
			{EndSeconds: 1, LengthSeconds: 1.0001, Warmup: true, Threads: 4, Counts: counts, Latency: latency, Waiting: num(0), Running: num(4), Figures: map[string]float64{"x": 1}},
			{EndSeconds: 1, LengthSeconds: 1, Threads: 4, Latency: none, Figures: map[string]float64{}},
		},
		Checkpoints: []report.Checkpoint{{Totals: report.Totals{Counts: counts, Figures: map[string]float64{}}, Latency: dist}},
		Client:      report.Client{Executor: "loop", Loops: 1, CPUSeconds: 1.25, CPUShare: 0.5, PeakMemoryBytes: 1 << 24, LoopBusyShare: &busy, LoopLagP99Ns: num(5000)},
		LittlesLaw:  &report.LittlesLaw{InsideThreads: 3.99},
		Warnings:    []string{"first warning", "second <warning>"},
	}
	return d
}

// encoded is a document as text, to compare.
func encoded(tb testing.TB, d *report.Document) string {
	tb.Helper()
	b, err := d.Encode(report.JSON)
	if err != nil {
		tb.Fatal(err)
	}
	return string(b)
}

// open opens a store and closes it at the end of the test.
func open(tb testing.TB, path string) *Store {
	tb.Helper()
	s, err := Open(context.Background(), path, ReadWrite)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(s.Close)
	return s
}

// fresh is an empty store.
func fresh(tb testing.TB) *Store {
	tb.Helper()
	return open(tb, filepath.Join(tb.TempDir(), "runs.db"))
}

func record(tb testing.TB, s *Store, r Recorded) int64 {
	tb.Helper()
	id, err := s.Record(context.Background(), r)
	if err != nil {
		tb.Fatal(err)
	}
	return id
}

func TestRecordIsLossless(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "with space?#%& runs.db")
	want := document(1)
	id := func() int64 {
		s, err := Open(t.Context(), path, ReadWrite)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		return record(t, s, Recorded{
			Document: want, Tags: map[string]string{"scenario": "new", "kernel": "6.1"}, Note: "it's a note",
			Study: &Place{Study: "s1", Question: "why?", Scenario: "new", Round: 2, Position: 3},
		})
	}()
	s, err := Open(t.Context(), path, ReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	got, err := s.Document(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if g, w := encoded(t, got), encoded(t, want); g != w {
		t.Errorf("document came back as\n%s\nrecorded was\n%s", g, w)
	}
	runs, err := s.Runs(t.Context(), Filter{})
	if err != nil || len(runs) != 1 {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	r := runs[0]
	if r.UUID == "" || time.Since(r.RecordedAt) > time.Hour {
		t.Errorf("uuid %q, recorded at %v", r.UUID, r.RecordedAt)
	}
	if !maps.Equal(r.Tags, map[string]string{"scenario": "new", "kernel": "6.1"}) || *r.Study != (Place{Study: "s1", Question: "why?", Scenario: "new", Round: 2, Position: 3}) {
		t.Errorf("tags %v, study %+v", r.Tags, r.Study)
	}
	if len(r.OptionsHash) != 32 {
		t.Errorf("hash of options %q", r.OptionsHash)
	}
	if _, hash, err := ReadDocument([]byte(encoded(t, want))); err != nil || r.Hash != hash || len(hash) != 64 {
		t.Errorf("hash %q, that of the report is %q, %v", r.Hash, hash, err)
	}
	r.UUID, r.Hash, r.RecordedAt, r.Tags, r.Study, r.OptionsHash = "", "", time.Time{}, nil, nil, ""
	wantRun := Run{
		ID: id, StartedAt: time.Date(2026, 3, 4, 3, 6, 7, 1, time.UTC), Note: "it's a note", ToolVersion: "0.1.0-dev", CalledAs: "deltabench",
		Workload: "oltp_read_write", SQL: true, Threads: 4, Tables: 4, TableSize: 100000,
		Layout:    "mysql_storage_engine=innodb secondary=off auto_inc=on load_index=after",
		Transport: "tcp, no TLS, no compression, prepared statements", Server: "10.11.19-MariaDB", Address: "127.0.0.1:3306", Rate: 100,
		EndReason: "timeLimit", ElapsedSeconds: 2.000123, Events: 200, Queries: 4000, Errors: 3, Reconnects: 1, Restarts: 2,
		TPS: want.Totals.EventsPerSecond, QPS: want.Totals.QueriesPerSecond, MeanNs: *want.Latency.MeanNs,
		P50Ns: 1_000_000, P95Ns: 2_000_000, P99Ns: 3_000_000, P999Ns: 4_000_000, MinNs: 1000, MaxNs: 9_000_000, ClientCPUSeconds: 1.25, Warnings: 2,
	}
	if fmt.Sprintf("%+v", r) != fmt.Sprintf("%+v", wantRun) {
		t.Errorf("run\n%+v, want\n%+v", r, wantRun)
	}
	if _, err := s.Document(t.Context(), id+1); !errors.Is(err, ErrNoRun) {
		t.Errorf("a document of no run: %v", err)
	}
	if _, err := s.Record(t.Context(), Recorded{Document: want}); err == nil {
		t.Error("a store that was opened to be read was written to")
	}
}

// TestTables holds what the tables have to the document.
func TestTables(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	record(t, s, Recorded{Document: document(7)})
	for query, want := range map[string]string{
		"SELECT number || ',' || warmup || ',' || events || ',' || ifnull(latency_p99_ns, '-') || ',' || ifnull(running, '-') FROM series":        "1,1,200,3000000,4;2,0,0,-,-",
		"SELECT kind || ',' || name || ',' || count FROM histograms ORDER BY kind":                                                                "checkpoint,1,200;latency,,200;service,,200;startLateness,,200;statement,commit,200",
		"SELECT code || ',' || sql_state || ',' || count || ',' || first FROM errors":                                                             "1213,40001,2,Deadlock;2013,HY000,1,Lost",
		"SELECT name || '=' || value || ',' || given FROM options WHERE name IN ('tables', 'mysql_host', 'secondary', 'rand_seed', 'table_size')": "mysql_host=a,b,0;rand_seed=7,0;secondary=off,0;table_size=100000,1;tables=4,1",
		"SELECT scope || ',' || value FROM facts WHERE name IN ('version', 'kernel')":                                                             "client,6.1;server,10.11.19-MariaDB",
		"SELECT scope || ',' || name || '=' || value FROM costs":                                                                                  "client,cpuSeconds=1.25;client,cpuShare=0.5;client,loopBusyShare=0.123456789012345;client,loopLagP99Ns=5000.0;client,peakMemoryBytes=16777216.0",
		"SELECT text FROM warnings ORDER BY number":                                                                                               "first warning;second <warning>",
	} {
		got, err := s.texts(t.Context(), query)
		if err != nil || strings.Join(got, ";") != want {
			t.Errorf("%s\n%v, %v, want\n%s", query, strings.Join(got, ";"), err, want)
		}
	}
	hdr, err := s.texts(t.Context(), "SELECT hdr FROM histograms WHERE kind = 'latency'")
	if err != nil {
		t.Fatal(err)
	}
	h, err := hdrhistogram.Decode([]byte(hdr[0]))
	if err != nil || h.TotalCount() != 200 {
		t.Errorf("histogram: %v", err)
	}
}

func TestFilter(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	for i := 1; i <= 6; i++ {
		d := document(i)
		if i%2 == 0 {
			d.Test.Name = "cpu"
		}
		r := Recorded{Document: d, Tags: map[string]string{"half": fmt.Sprint(i % 2), "third": fmt.Sprint(i % 3)}}
		if i > 4 {
			r.Study = &Place{Study: "late"}
		}
		record(t, s, r)
	}
	for _, tc := range []struct {
		f    Filter
		want []int64
	}{
		{Filter{}, []int64{1, 2, 3, 4, 5, 6}},
		{Filter{Limit: 2}, []int64{5, 6}},
		{Filter{Limit: 10}, []int64{1, 2, 3, 4, 5, 6}},
		{Filter{Workload: "cpu"}, []int64{2, 4, 6}},
		{Filter{Workload: "cpu", Limit: 1}, []int64{6}},
		{Filter{Tags: map[string]string{"half": "1"}}, []int64{1, 3, 5}},
		{Filter{Tags: map[string]string{"half": "1", "third": "0"}}, []int64{3}},
		{Filter{Tags: map[string]string{"half": "1"}, Limit: 2}, []int64{3, 5}},
		{Filter{Tags: map[string]string{"half": "it's"}}, nil},
		{Filter{IDs: []int64{6, 2, 99}}, []int64{2, 6}},
		{Filter{IDs: []int64{6, 2, 3}, Workload: "cpu", Limit: 1}, []int64{6}},
		{Filter{IDs: []int64{}}, nil},
		{Filter{Study: "late"}, []int64{5, 6}},
		{Filter{Study: "none"}, nil},
	} {
		runs, err := s.Runs(t.Context(), tc.f)
		var got []int64
		for _, r := range runs {
			got = append(got, r.ID)
			if i := r.ID; r.Tags["half"] != fmt.Sprint(i%2) || r.Tags["third"] != fmt.Sprint(i%3) {
				t.Errorf("%+v: run %d has the tags %v", tc.f, i, r.Tags)
			}
		}
		if err != nil || !slices.Equal(got, tc.want) {
			t.Errorf("%+v: %v, %v, want %v", tc.f, got, err, tc.want)
		}
	}
}

func TestEdit(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	a, b := record(t, s, Recorded{Document: document(1), Tags: map[string]string{"x": "1", "y": "2"}}), record(t, s, Recorded{Document: document(2)})
	if err := s.Tag(t.Context(), []int64{a}, map[string]string{"x": "", "y": "3", "z": "4", "none": ""}); err != nil {
		t.Fatal(err)
	}
	if err := s.SetNote(t.Context(), []int64{a}, "new"); err != nil {
		t.Fatal(err)
	}
	runs, err := s.Runs(t.Context(), Filter{})
	if err != nil || !maps.Equal(runs[0].Tags, map[string]string{"y": "3", "z": "4"}) || runs[0].Note != "new" || len(runs[1].Tags) != 0 || runs[1].Note != "" {
		t.Errorf("%+v, %v", runs, err)
	}
	for what, err := range map[string]error{
		"tag": s.Tag(t.Context(), []int64{b, 99}, map[string]string{"x": "1"}), "note": s.SetNote(t.Context(), []int64{b, 99}, "changed"), "delete": s.Delete(t.Context(), b, 99),
	} {
		if !errors.Is(err, ErrNoRun) || err.Error() != "run 99: there is no such run" {
			t.Errorf("%s of no run: %v", what, err)
		}
	}
	if runs, err := s.Runs(t.Context(), Filter{IDs: []int64{b}}); err != nil || len(runs[0].Tags) > 0 || runs[0].Note != "" {
		t.Errorf("changes that failed have changed %+v, %v", runs, err)
	}
	if _, err := s.Document(t.Context(), b); err != nil {
		t.Errorf("a deletion that failed took run %d: %v", b, err)
	}
	if err := s.Delete(t.Context(), a, b); err != nil {
		t.Fatal(err)
	}
	for _, table := range tablesOf(t, s) {
		n, err := s.texts(t.Context(), "SELECT count(*) FROM "+table)
		if err != nil || n[0] != "0" && table != "studies" {
			t.Errorf("%s has %v rows of deleted runs, %v", table, n, err)
		}
	}
	if c := record(t, s, Recorded{Document: document(3)}); c != b+1 {
		t.Errorf("run after deleted ones is %d, want %d: numbers are not used again", c, b+1)
	}
}

// tablesOf are the names of the tables of a store.
func tablesOf(tb testing.TB, s *Store) []string {
	tb.Helper()
	names, err := s.texts(context.Background(), "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name")
	if err != nil || len(names) < 10 {
		tb.Fatalf("tables %v, %v", names, err)
	}
	return names
}

// TestOldOptions is a run of sysbench 0.4's test, whose options have other names.
func TestOldOptions(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	d := document(1)
	d.Options = map[string]any{"oltp_table_size": 1000, "mysql_table_engine": "innodb", "load_index": "after"}
	record(t, s, Recorded{Document: d})
	d.Options = map[string]any{"cpu_max_prime": 10}
	record(t, s, Recorded{Document: d})
	runs, err := s.Runs(t.Context(), Filter{})
	if err != nil || runs[0].TableSize != 1000 || runs[0].Tables != 0 || runs[0].Layout != "mysql_table_engine=innodb load_index=after" || runs[1].TableSize != 0 || runs[1].Layout != "" {
		t.Errorf("%+v, %v", runs, err)
	}
}

func TestOptionsHash(t *testing.T) {
	t.Parallel()
	base := document(1)
	hash := optionsHash(base)
	for name, value := range map[string]any{"rand_seed": 99, "note": "x", "report": "json"} {
		d := document(1)
		d.Options[name] = value
		if optionsHash(d) != hash {
			t.Errorf("%s=%v gives another hash of options", name, value)
		}
	}
	for name, value := range map[string]any{"tables": 5, "new": "x"} {
		d := document(1)
		d.Options[name] = value
		if optionsHash(d) == hash {
			t.Errorf("%s=%v gives the same hash of options", name, value)
		}
	}
	s := fresh(t)
	read, err := s.Document(t.Context(), record(t, s, Recorded{Document: base}))
	if err != nil || optionsHash(read) != hash {
		t.Errorf("the hash of options of a document that was read is another one: %v", err)
	}
}

func TestDefaultPath(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		goos, env, want string
	}{
		{"linux", "HOME=/h", "/h/.local/share/deltabench/runs.db"},
		{"linux", "HOME=/h XDG_DATA_HOME=/x", "/x/deltabench/runs.db"},
		{"linux", "HOME=/h XDG_DATA_HOME=x", "/h/.local/share/deltabench/runs.db"},
		{"linux", "HOME=/h XDG_DATA_HOME=/x DELTABENCH_STORE=y.db", "y.db"},
		{"linux", "HOME=/h DELTABENCH_STORE=none", "none"},
		{"linux", "", ""},
		{"darwin", "HOME=/h", "/h/Library/Application Support/deltabench/runs.db"},
		{"windows", "LocalAppData=/l HOME=/h", "/l/deltabench/runs.db"},
		{"windows", "HOME=/h", ""},
	} {
		env := map[string]string{}
		for _, pair := range strings.Fields(tc.env) {
			name, value, _ := strings.Cut(pair, "=")
			env[name] = value
		}
		got, err := defaultPath(func(name string) string { return env[name] }, tc.goos)
		if filepath.ToSlash(got) != tc.want || (err == nil) != (tc.want != "") {
			t.Errorf("%s %s: %q, %v, want %q", tc.goos, tc.env, got, err, tc.want)
		}
	}
}

// A directory that somebody named and that is not there is a mistyped name: it is not made.
func TestNoDirectory(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "nope")
	_, err := Open(t.Context(), filepath.Join(dir, "runs.db"), ReadWrite)
	var p *Problem
	if !errors.As(err, &p) || !strings.Contains(err.Error(), "there is no directory "+dir+" (make it, or ") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the directory is there: %v", err)
	}
}

func TestFilesArePrivate(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Log("rights are those of the directory")
		return
	}
	dir := filepath.Join(t.TempDir(), "a", ownDir)
	s := open(t, filepath.Join(dir, "runs.db"))
	record(t, s, Recorded{Document: document(1)})
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) < 2 { // the log is beside it while it is open
		t.Fatalf("%v, %v", entries, err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", e.Name(), info.Mode(), err)
		}
	}
	for _, d := range []string{dir, filepath.Dir(dir)} {
		if info, err := os.Stat(d); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v", d, info.Mode(), err)
		}
	}
}

func TestOpenErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, tc := range []struct {
		path string
		mode Mode
		want string // part of the line
	}{
		{dir, ReadWrite, "it is a directory (name another file with --store=FILE"},
		{dir, ReadOnly, "it is a directory"},
		{filepath.Join(dir, "none"), ReadOnly, "there is no such file"},
		{write("text", strings.Repeat("this is no database ", 100)), ReadWrite, "the file is no database (move it away"},
		{write("text2", strings.Repeat("this is no database ", 100)), ReadOnly, "the file is no database (move it away"},
		{filepath.Join(write("file", ""), "runs.db"), ReadWrite, "not a directory"},
	} {
		s, err := Open(t.Context(), tc.path, tc.mode)
		if err == nil {
			s.Close()
		}
		var p *Problem
		if err == nil || !errors.As(err, &p) || !strings.HasPrefix(err.Error(), "store "+tc.path+": ") || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", tc.path, err, tc.want)
		}
	}
	if _, err := Open(t.Context(), filepath.Join(dir, "none"), ReadOnly); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "text")); err != nil || !bytes.HasPrefix(text, []byte("this is no database")) {
		t.Errorf("a file that is no store was changed: %v", err)
	}
}

// TestWrites is what finds out before a run that a file can only be read: a connection that may not write is what the superuser gets of SQLite
// on a file system that can only be read.
func TestWrites(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	record(t, s, Recorded{Document: document(1)})
	if err := s.change(t.Context(), writes); err != nil {
		t.Fatal(err)
	}
	s.Close()
	before, err := os.ReadFile(s.path)
	if err != nil {
		t.Fatal(err)
	}
	open(t, s.path).Close()
	if after, err := os.ReadFile(s.path); err != nil || len(after) != len(before) {
		t.Errorf("opening made %d bytes of %d, %v", len(after), len(before), err)
	}
	db, err := connect(t.Context(), s.path, "ro", "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	tx, err := db.BeginTx(t.Context(), &sql.TxOptions{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	if err := problem(s.path, writes(tx)); err == nil || !strings.HasPrefix(err.Error(), "store "+s.path+": it can only be read (make the file and its directory writable, or name another") {
		t.Errorf("a file that can only be read: %v", err)
	}
}
