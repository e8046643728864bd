package main

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestMedianInterval(t *testing.T) {
	ascending := func(n int) (v []float64) {
		for i := range n {
			v = append(v, float64(n-i)) // descending, to see that it sorts
		}
		return v
	}
	for _, tc := range []struct {
		n                        int
		median, lo, hi, probable float64
	}{
		// Probabilities by hand: 1 - 2·ΣC(n,i)/2ⁿ.
		{1, 1, 1, 1, 0},
		{2, 1.5, 1, 2, 0.5},
		{5, 3, 1, 5, 0.9375},
		{6, 3.5, 1, 6, 0.96875},
		{9, 5, 2, 8, 1 - 2*10.0/512},
		{15, 8, 4, 12, 1 - 2*576.0/32768},
		{20, 10.5, 6, 15, 1 - 2*21700.0/1048576},
	} {
		v := ascending(tc.n)
		lo, hi, p := medianInterval(v)
		if m := median(v); m != tc.median || lo != tc.lo || hi != tc.hi || math.Abs(p-tc.probable) > 1e-12 {
			t.Errorf("n=%d: got %v [%v, %v] %v, want %v [%v, %v] %v", tc.n, m, lo, hi, p, tc.median, tc.lo, tc.hi, tc.probable)
		}
	}
}

// text is the report of a run of sysbench 1.0.20.
const text = `SQL statistics:
    queries performed:
        read:                            25000
        write:                           0
        other:                           0
        total:                           25000
    transactions:                        25000  (12490.51 per sec.)
    queries:                             25000  (12490.51 per sec.)
    ignored errors:                      0      (0.00 per sec.)
    reconnects:                          0      (0.00 per sec.)

General statistics:
    total time:                          2.0002s
    total number of events:              25000
`

func TestParseRun(t *testing.T) {
	var s sample
	if err := parseRun(text, &s); err != nil || s.queries != 25000 || s.qps != 12490.51 {
		t.Errorf("got %+v, %v", s, err)
	}
	for name, bad := range map[string]string{
		"no report":  "FATAL: unable to connect",
		"no queries": strings.ReplaceAll(text, "25000  (12490.51", "0  (0.00"),
		"reconnects": strings.Replace(text, "reconnects:                          0 ", "reconnects:                          3 ", 1),
	} {
		if err := parseRun(bad, &sample{}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestParseRate(t *testing.T) {
	rate := text + `
Rate (events):
    offered:                             25050 (12525.00 per sec.)
    achieved:                            25000 (12490.51 per sec.)
    backlog at the end, never started:   50
    start lateness of idle threads (ms): p50 0.060, p99 0.212, max 1.500
`
	var s sample
	if err := parseRate(rate, &s); err != nil || s.offered != 25050 || s.achieved != 25000 || s.latenessMs != 0.212 {
		t.Errorf("got %+v, %v", s, err)
	}
	if err := parseRate(text, &sample{}); err == nil {
		t.Error("no error without the lines of a rate")
	}
}

func TestSample(t *testing.T) {
	s := sample{queries: 1000, cpu: 5 * time.Millisecond, offered: 1000, achieved: 998}
	if got := s.cpuPerQuery(); got != 5 {
		t.Errorf("CPU per query: got %v µs, want 5", got)
	}
	if got := s.rateError(); math.Abs(got-0.2) > 1e-12 {
		t.Errorf("rate error: got %v %%, want 0.2", got)
	}
}

func TestCells(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range allCells() {
		if seen[c.name] || c.parse == nil || len(c.metrics) == 0 {
			t.Errorf("cell %s: named twice or incomplete", c.name)
		}
		seen[c.name] = true
	}
	args := strings.Join(allCells()[0].args(3306, 2*time.Second, 7), " ")
	for _, want := range []string{"oltp_point_select ", "--threads=16", "--time=2 ", "--rand-seed=7", "--rand-type=uniform", "--db-ps-mode=auto", "--mysql-port=3306"} {
		if !strings.Contains(args+" ", want) {
			t.Errorf("arguments %q lack %q", args, want)
		}
	}
	if !strings.HasSuffix(args, " run") {
		t.Errorf("arguments %q do not end in run", args)
	}
}

func TestRow(t *testing.T) {
	r := &result{cell: cell{name: "x/y/1", metrics: []metric{throughput(1.5)}}}
	for _, q := range []float64{150, 180, 120, 160, 170, 155} {
		r.pairs = append(r.pairs, pair{ours: sample{qps: q, queries: 1}, theirs: sample{qps: 100, queries: 1}})
	}
	got, judged, ok := r.row(r.metrics[0])
	want := "| x/y/1 | QPS | 6 | 1.575 | [1.200, 1.800] | ≥ 1.5 | ok | 157.50 /s | 100.00 /s |\n"
	if got != want || !judged || !ok {
		t.Errorf("got  %s%v %v\nwant %s", got, judged, ok, want)
	}
	r.pairs = r.pairs[:3]
	got, _, ok = r.row(throughput(1.51))
	want = "| x/y/1 | QPS | 3 | 1.500 | [1.200, 1.800] (75 %) | ≥ 1.51 | MISS | 150.00 /s | 100.00 /s |\n"
	if got != want || ok {
		t.Errorf("got  %s%v\nwant %s", got, ok, want)
	}
	r.pairs = r.pairs[:1]
	if got, _, _ = r.row(throughput(0)); got != "| x/y/1 | QPS | 1 | 1.500 | - | - |  | 150.00 /s | 100.00 /s |\n" {
		t.Errorf("one pair: got %s", got)
	}
	r.pairs = nil
	if got, judged, ok = r.row(cpuPerQuery(0.5)); !judged || ok || !strings.Contains(got, "no run") {
		t.Errorf("without runs: got %s%v %v", got, judged, ok)
	}
}

// script writes a program that stands in for a client.
func script(t *testing.T, body string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "client")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRunOfVersion(t *testing.T) {
	dir := t.TempDir()
	out, raw := filepath.Join(dir, "out.md"), filepath.Join(dir, "raw.csv")
	var stdout, stderr strings.Builder
	args := []string{"-ours", script(t, "echo our client 7"), "-only", "^version$", "-pairs", "6", "-out", out, "-raw", raw}
	if code := run(context.Background(), args, &stdout, &stderr); code != 0 {
		t.Fatalf("code %d: %s", code, &stderr)
	}
	doc, err := os.ReadFile(out)
	if err != nil || string(doc) != stdout.String() {
		t.Errorf("the file differs from what was printed: %v", err)
	}
	for _, want := range []string{"our client 7", "| version | CPU of --version, ms | 6 |", "1 of 1 targets met"} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("lacks %q:\n%s", want, &stdout)
		}
	}
	rows, err := os.ReadFile(raw)
	if err != nil || strings.Count(string(rows), "\n") != 7 {
		t.Errorf("single runs: %v\n%s", err, rows)
	}
}

func TestFailedRunIsReported(t *testing.T) {
	var stdout, stderr strings.Builder
	args := []string{"-ours", script(t, "echo the reason >&2; exit 5"), "-only", "^version$", "-pairs", "1", "-raw", ""}
	if code := run(context.Background(), args, &stdout, &stderr); code != 1 {
		t.Errorf("code: got %d, want 1", code)
	}
	if !strings.Contains(stderr.String(), "the reason") || !strings.Contains(stdout.String(), "1 runs failed") {
		t.Errorf("the failure is not shown:\n%s%s", &stderr, &stdout)
	}
}

func TestInterruptedBenchLeavesTheDocument(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.md")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var stdout, stderr strings.Builder
	run(ctx, []string{"-ours", script(t, "exit 0"), "-only", "^version$", "-out", out, "-raw", ""}, &stdout, &stderr)
	if _, err := os.Stat(out); err == nil || !strings.Contains(stderr.String(), "interrupted") {
		t.Errorf("a file was written, or nothing said: %s", &stderr)
	}
}

func TestFlags(t *testing.T) {
	for _, args := range [][]string{{"-time", "1500ms"}, {"-pairs", "0"}, {"-only", "("}, {"-only", "nothing"}, {"-what"}} {
		var stdout, stderr strings.Builder
		if code := run(context.Background(), args, &stdout, &stderr); code != 2 || stderr.Len() == 0 {
			t.Errorf("%v: got code %d, %q", args, code, &stderr)
		}
	}
}
