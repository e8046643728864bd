package store

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"deltabench/internal/report"
)

// many is a number of runs for which lists must stay quick and small.
const many = 10_000

// Limits for many runs; `go test -bench` tells what it really takes. Under the race detector everything takes many times more.
const (
	listLimit   = 2 * time.Second
	memoryLimit = 200 << 20 // bytes of resident memory
)

// multiplied makes a store of many runs: one is recorded, the database copies what lists read of it.
func multiplied(tb testing.TB) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "runs.db")
	s := open(tb, path)
	record(tb, s, Recorded{Document: document(1), Tags: map[string]string{"scenario": "new", "round": "1"}})
	columns := `hash, recorded_at, started_at, note, tool_version, called_as, workload, sql, threads, tables, table_size, layout, transport,
		server_version, server_address, options_hash, end_reason, end_error, exit_code, elapsed_seconds, measured_seconds, events, queries, reads,
		writes, others, errors, reconnects, restarts, tps, qps, latency_mean_ns, latency_p95_ns, client_cpu_seconds, client_limit, warnings`
	numbers := fmt.Sprintf("WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < %d) ", many)
	for _, query := range []string{
		"INSERT INTO runs (id, uuid, " + columns + ") " + numbers + "SELECT i, 'copy ' || i, " + columns + " FROM runs, n WHERE id = 1",
		"INSERT INTO tags (run_id, key, value) " + numbers + "SELECT i, key, value FROM tags, n WHERE run_id = 1",
	} {
		if _, err := s.db.Exec(query); err != nil {
			tb.Fatal(err)
		}
	}
	s.Close()
	return path
}

// TestManyRuns lists in a process of its own, so that the memory is that of the list.
func TestManyRuns(t *testing.T) {
	p, out := process(t, "list", multiplied(t))
	if !out.Scan() {
		t.Fatal("the process says nothing")
	}
	var n int
	var took time.Duration
	var memory int64
	if _, err := fmt.Sscanf(out.Text(), "%d runs %d %d", &n, &took, &memory); err != nil || n != many {
		t.Fatalf("%q: %v", out.Text(), err)
	}
	if err := p.Wait(); err != nil {
		t.Error(err)
	}
	t.Logf("%d runs in %v, %d MB", n, took, memory>>20)
	if limit := listLimit * slowness; took > limit {
		t.Errorf("%v, want at most %v", took, limit)
	}
	if limit := int64(memoryLimit * slowness); memory > limit {
		t.Errorf("%d bytes of memory, want at most %d", memory, limit)
	}
}

// TestRecordIsCheap holds the recording of a run of ten seconds to a hundredth of the CPU time of a client that keeps one CPU
// busy. BenchmarkRecord tells what it really takes.
func TestRecordIsCheap(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.db")
	least := time.Hour
	for range 5 {
		d := tenSeconds()
		begin := time.Now()
		recordOnce(t, path, d)
		least = min(least, time.Since(begin))
	}
	t.Logf("%v", least)
	if limit := 100 * time.Millisecond * slowness; least > limit {
		t.Errorf("%v, want at most %v", least, limit)
	}
}

// tenSeconds is the document of a run of ten seconds, with as many options as an SQL test has.
func tenSeconds() *report.Document {
	d := document(1)
	lengthen(d, 10)
	for i := range 80 {
		d.Options[fmt.Sprint("option_", i)] = i
	}
	return d
}

// lengthen gives a document an interval for every second.
func lengthen(d *report.Document, seconds int) {
	for len(d.Intervals) < seconds {
		d.Intervals = append(d.Intervals, d.Intervals[0])
	}
}

// recordOnce does what a run does.
func recordOnce(tb testing.TB, path string, d *report.Document) {
	tb.Helper()
	s, err := Open(context.Background(), path, ReadWrite)
	if err != nil {
		tb.Fatal(err)
	}
	record(tb, s, Recorded{Document: d})
	s.Close()
}

func BenchmarkRuns10000(b *testing.B) {
	s := open(b, multiplied(b))
	for b.Loop() {
		if runs, err := s.Runs(context.Background(), Filter{}); err != nil || len(runs) != many {
			b.Fatal(len(runs), err)
		}
	}
}

// BenchmarkRecord is what a run pays: open, insert, close. The document has a second's interval for every second of the run.
func BenchmarkRecord(b *testing.B) {
	for _, seconds := range []int{10, 600} {
		b.Run(fmt.Sprintf("seconds=%d", seconds), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "runs.db")
			d := tenSeconds()
			lengthen(d, seconds)
			size := len(encoded(b, d))
			for b.Loop() {
				recordOnce(b, path, d)
			}
			b.ReportMetric(float64(size), "document-bytes")
		})
	}
}
