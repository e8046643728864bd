package store

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"deltabench/internal/report"
	"deltabench/internal/study"
)

func TestVerify(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	for i := range 3 {
		record(t, s, Recorded{Document: document(i)})
	}
	if n, faults, err := s.Verify(t.Context()); n != 3 || faults != nil || err != nil {
		t.Fatalf("%d, %v, %v", n, faults, err)
	}
	other, err := deflate([]byte(encoded(t, &report.Document{})))
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []struct {
		query string
		args  []any
	}{
		{"UPDATE documents SET content = ? WHERE run_id = 1", []any{other}},
		{"UPDATE documents SET content = x'0102' WHERE run_id = 2", nil},
		{"PRAGMA foreign_keys = off", nil},
		{"INSERT INTO tags (run_id, key, value) VALUES (99, 'a', 'b')", nil},
	} {
		if _, err := s.db.Exec(q.query, q.args...); err != nil {
			t.Fatal(err)
		}
	}
	_, faults, err := s.Verify(t.Context())
	want := []string{
		"a row of tags belongs to nothing in runs", "document of run 1: it is not the one that was recorded",
		"document of run 2: ",
	}
	if err != nil || len(faults) != 3 || faults[0] != want[0] || faults[1] != want[1] || !strings.HasPrefix(faults[2], want[2]) {
		t.Errorf("%q, %v, want %q", faults, err, want)
	}
}

// TestVerifyTables changes every table that is made from documents.
func TestVerifyTables(t *testing.T) {
	t.Parallel()
	const rows = "run 2: its rows in %s are not those that its document gives: %s"
	for change, want := range map[string]string{
		"UPDATE runs SET qps = 1 WHERE id = 2":                                    `run 2: runs.qps is "1", and its document gives "2000.142857142857"`,
		"UPDATE runs SET rate = NULL WHERE id = 2":                                `run 2: runs.rate is NULL, and its document gives "100"`,
		"UPDATE runs SET workload = 'x' WHERE id = 2":                             `run 2: runs.workload is "x", and its document gives "oltp_read_write"`,
		"UPDATE runs SET started_at = '2026' WHERE id = 2":                        `run 2: runs.started_at is "2026", and its document gives "2026-03-04T03:06:07.000000001Z"`,
		"UPDATE runs SET hash = 'x' WHERE id = 2":                                 "document of run 2: it is not the one that was recorded",
		"UPDATE documents SET bytes = 5 WHERE run_id = 2":                         "run 2: documents.bytes is 5, and its document has ",
		"UPDATE series SET events = 7 WHERE run_id = 2 AND number = 1":            fmt.Sprintf(rows, "series", `missing "number=1 `),
		"DELETE FROM series WHERE run_id = 2 AND number = 2":                      fmt.Sprintf(rows, "series", `missing "number=2 `),
		"UPDATE histograms SET count = 1 WHERE run_id = 2 AND kind = 'service'":   fmt.Sprintf(rows, "histograms", `it does not give "kind=service name= count=1 `),
		"UPDATE errors SET first = 'x' WHERE run_id = 2 AND code = 1213":          fmt.Sprintf(rows, "errors", `missing "code=1213 `),
		"UPDATE facts SET value = 'x' WHERE run_id = 2 AND name = 'arch'":         fmt.Sprintf(rows, "facts", `missing "scope=client name=arch value=amd64"`),
		"DELETE FROM facts WHERE run_id = 2 AND name = 'variables'":               fmt.Sprintf(rows, "facts", `missing "scope=server name=variables value=`),
		"INSERT INTO costs VALUES (2, 'client', 'more', 1.5)":                     fmt.Sprintf(rows, "costs", `it does not give "scope=client name=more value=1.5"`),
		"UPDATE costs SET value = 9 WHERE run_id = 2 AND scope = 'server'":        fmt.Sprintf(rows, "costs", ""),
		"UPDATE options SET given = 1 WHERE run_id = 2 AND name = 'load_index'":   fmt.Sprintf(rows, "options", `missing "name=load_index value=after given=0"`),
		"UPDATE warnings SET text = 'x' WHERE run_id = 2 AND number = 1":          fmt.Sprintf(rows, "warnings", `missing "number=1 text=first warning"`),
		"DELETE FROM facts WHERE run_id = 2 AND name = 'governor' AND value = ''": "", // of an older version
	} {
		t.Run(change, func(t *testing.T) {
			t.Parallel()
			s := fresh(t)
			for i := range 3 {
				r := studyRun("s", study.Key{Target: "t", Scenario: "a", Workload: "w", Threads: 1, Round: i + 1})
				r.Document = document(i)
				record(t, s, r)
			}
			if n, faults, err := s.Verify(t.Context()); n != 3 || faults != nil || err != nil {
				t.Fatalf("%d, %v, %v", n, faults, err)
			}
			res, err := s.db.Exec(change)
			if err != nil {
				t.Fatal(err)
			}
			if n, err := res.RowsAffected(); n == 0 || err != nil {
				t.Fatalf("nothing is changed, %v", err)
			}
			_, faults, err := s.Verify(t.Context())
			if err != nil || len(faults) > 1 || (want == "") != (len(faults) == 0) || want != "" && !strings.HasPrefix(faults[0], want) {
				t.Errorf("%q, %v, want %q", faults, err, want)
			}
		})
	}
}

// TestVerifyOddDocuments has what documents write in another way than tables.
func TestVerifyOddDocuments(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	d := document(1)
	d.Options["rand_seed"], d.Options["events"] = uint64(math.MaxUint64), uint64(1<<63)
	d.Options["small"], d.Options["large"], d.Options["list"], d.Options["none"] = 1e-9, 1e22, []string{"a", "b"}, nil
	d.Errors[0].First = "broken \xff\xfe text \u2028 <&> \x00"
	d.Warnings = nil
	record(t, s, Recorded{Document: d})
	if got, err := s.texts(t.Context(), "SELECT value FROM options WHERE name = 'rand_seed'"); err != nil || got[0] != "18446744073709551615" {
		t.Fatalf("%v, %v", got, err)
	}
	text := exported(t, s, Filter{})
	other := fresh(t)
	imported(t, other, text)
	imported(t, other, strings.Replace(encoded(t, document(2)), `"rand_pareto_h":0.2`, `"rand_pareto_h":0.20,"x":12345678901234567890`, 1))
	for _, s := range []*Store{s, other} {
		if _, faults, err := s.Verify(t.Context()); faults != nil || err != nil {
			t.Errorf("%q, %v", faults, err)
		}
	}
}

// TestVerifyDamagedFile has pages that cannot be read.
func TestVerifyDamagedFile(t *testing.T) {
	t.Parallel()
	for _, table := range []string{"series", "runs", "documents"} {
		s := fresh(t)
		for i := range 60 {
			record(t, s, Recorded{Document: document(i)})
		}
		pages, err := column[int64](t.Context(), s.db, "SELECT pageno FROM dbstat WHERE name = '"+table+"' AND pagetype = 'leaf' ORDER BY pageno")
		if err != nil || len(pages) < 2 {
			t.Fatalf("pages %v, %v", pages, err)
		}
		spoil(t, s, pages[1])
		s = open(t, s.path)
		if _, faults, err := s.Verify(t.Context()); err != nil || len(faults) < 2 || slices.Contains(faults, "") {
			t.Errorf("%s: %q, %v", table, faults, err)
		}
	}
}

// TestVerifyManyRuns holds that a large store is checked in seconds; BenchmarkVerify tells what it really takes.
func TestVerifyManyRuns(t *testing.T) {
	t.Parallel()
	const runs = 200
	s := fresh(t)
	fillWith(t, s, runs)
	begin := time.Now()
	n, faults, err := s.Verify(t.Context())
	took := time.Since(begin)
	t.Logf("%v", took)
	if limit := 15 * time.Second * slowness; n != runs || faults != nil || err != nil || took > limit {
		t.Errorf("%d runs, %v, %v in %v, want at most %v", n, faults, err, took, limit)
	}
}

// fillWith records runs of ten seconds in one transaction.
func fillWith(tb testing.TB, s *Store, runs int) {
	tb.Helper()
	text := encoded(tb, tenSeconds())
	var b strings.Builder
	for i := range runs {
		b.WriteString(strings.Replace(text, `"startedAt":"2026-03-04T05:06:07.000000001`, fmt.Sprintf(`"startedAt":"2026-03-04T05:06:07.%09d`, i), 1))
	}
	if done, err := s.Import(tb.Context(), strings.NewReader(b.String())); err != nil || len(done.Added) != runs {
		tb.Fatalf("%d runs, %v", len(done.Added), err)
	}
}

func BenchmarkVerify(b *testing.B) {
	s := open(b, filepath.Join(b.TempDir(), "runs.db"))
	const runs = 1000
	fillWith(b, s, runs)
	for b.Loop() {
		if n, faults, err := s.Verify(b.Context()); n != runs || faults != nil || err != nil {
			b.Fatal(n, faults, err)
		}
	}
}
