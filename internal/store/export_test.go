package store

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"deltabench/internal/study"
)

// rescue exports all of a damaged store.
func rescue(t *testing.T, s *Store, f Filter) (lines []string, part *Incomplete) {
	t.Helper()
	var b bytes.Buffer
	n, err := s.Export(t.Context(), &b, f)
	var p *Problem
	if !errors.As(err, &part) || !errors.As(err, &p) || strings.Contains(err.Error(), "\n") {
		t.Fatalf("export of a damaged store: %d, %v", n, err)
	}
	if lines = strings.SplitAfter(b.String(), "\n"); len(lines)-1 != n {
		t.Errorf("%d lines, %d runs are said to be written", len(lines)-1, n)
	}
	return lines[:len(lines)-1], part
}

// TestExportDamaged exports all that is whole, and what it writes can be imported.
func TestExportDamaged(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	for i := range 6 {
		r := studyRun("s", study.Key{Target: "t", Scenario: "a", Workload: "w", Threads: 1, Round: i + 1})
		r.Document = document(i)
		record(t, s, r)
	}
	all := strings.SplitAfter(exported(t, s, Filter{}), "\n")
	other, err := deflate([]byte(encoded(t, document(99))))
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []struct {
		query string
		args  []any
	}{
		{"UPDATE study_runs SET evidence = x'01' WHERE run_id = 1", nil}, // the line of which would bring the study
		{"UPDATE documents SET content = substr(content, 1, length(content) / 2) WHERE run_id = 3", nil},
		{"DELETE FROM documents WHERE run_id = 4", nil},
		{"UPDATE documents SET content = ? WHERE run_id = 5", []any{other}},
	} {
		if _, err := s.db.Exec(q.query, q.args...); err != nil {
			t.Fatal(err)
		}
	}
	lines, part := rescue(t, s, Filter{})
	want := []string{"evidence of run 1: unexpected EOF", "document of run 3: unexpected EOF", "document of run 4: it is missing", "document of run 5: it is not the one that was recorded"}
	if len(lines) != 2 || lines[1] != all[5] || !slices.Equal(part.Damaged, want) || !strings.HasSuffix(part.Error(), ": it is damaged: runs exported 2, left out 4") {
		t.Errorf("%d lines, %q, %s", len(lines), part.Damaged, part)
	}
	to := fresh(t)
	imported(t, to, strings.Join(lines, ""))
	runs, err := to.StudyRuns(t.Context(), 1)
	if err != nil || len(runs) != 2 || runs[0].Key.Round != 2 || runs[0].Evidence == nil {
		t.Fatalf("%+v, %v", runs, err)
	}
	if x, err := to.Snapshot(t.Context(), runs[0].Evidence.Variables); err != nil || len(x) == 0 {
		t.Errorf("the settings that the first line would have brought are lost: %v", err)
	}
	for _, id := range []int64{3, 5} {
		if lines, part := rescue(t, s, Filter{IDs: []int64{id}}); len(lines) != 0 || len(part.Damaged) != 1 {
			t.Errorf("run %d: %q, %q", id, lines, part.Damaged)
		}
	}
	var p *Problem
	if _, err := s.Document(t.Context(), 3); !errors.As(err, &p) || !strings.HasSuffix(err.Error(), "document of run 3: unexpected EOF ('deltabench store verify' names what is damaged, 'deltabench runs export' writes all other runs)") {
		t.Errorf("the document of run 3: %v", err)
	}
	if _, err := s.db.Exec("UPDATE snapshots SET content = x'01'"); err != nil {
		t.Fatal(err)
	}
	if lines, part = rescue(t, s, Filter{IDs: []int64{2, 6}}); len(lines) != 2 || len(part.Damaged) == 0 || !strings.Contains(part.Damaged[0], "they are damaged; runs that had them are exported without") {
		t.Errorf("without settings: %d lines, %q", len(lines), part.Damaged)
	}
}

// pageSize is that of SQLite's files.
const pageSize = 4096

// spoil closes a store and overwrites pages of its file, numbers from 1.
func spoil(t *testing.T, s *Store, pages ...int64) {
	t.Helper()
	s.Close()
	f, err := os.OpenFile(s.path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, page := range pages {
		if _, err := f.WriteAt(bytes.Repeat([]byte{0xff}, pageSize), (page-1)*pageSize); err != nil {
			t.Fatal(err)
		}
	}
}

// TestExportOfDamagedFile has runs whose list cannot be read.
func TestExportOfDamagedFile(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	for i := range 60 {
		record(t, s, Recorded{Document: document(i)})
	}
	if err := s.Delete(t.Context(), 60); err != nil {
		t.Fatal(err)
	}
	all := exported(t, s, Filter{})
	pages, err := column[int64](t.Context(), s.db, "SELECT pageno FROM dbstat WHERE name = 'runs' AND pagetype = 'leaf' ORDER BY pageno")
	if err != nil || len(pages) < 3 {
		t.Fatalf("pages %v, %v", pages, err)
	}
	spoil(t, s, pages[1])
	s = open(t, s.path)
	if runs, err := s.Runs(t.Context(), Filter{}); err == nil {
		t.Fatalf("%d runs are listed though a page of them is damaged", len(runs))
	}
	lines, part := rescue(t, s, Filter{})
	if len(lines) < 20 || len(lines) > 58 || len(lines)+len(part.Damaged) != 59 {
		t.Errorf("%d runs are exported, %d damaged: %q", len(lines), len(part.Damaged), part.Damaged)
	}
	for _, line := range lines {
		if !strings.Contains(all, line) {
			t.Errorf("an exported line is another one: %s", line)
		}
	}
	root, err := column[int64](t.Context(), s.db, "SELECT rootpage FROM sqlite_schema WHERE name = 'runs'")
	if err != nil {
		t.Fatal(err)
	}
	spoil(t, s, root...)
	s = open(t, s.path)
	if lines, part = rescue(t, s, Filter{}); len(lines) != 0 || !strings.Contains(part.Error(), ".recover | sqlite3 NEWFILE") || strings.Contains(part.Error(), "export'") {
		t.Errorf("%d lines, %s", len(lines), part)
	}
	spoil(t, s, 1)
	if _, err := Open(t.Context(), s.path, ReadOnly); err == nil || strings.Contains(err.Error(), "runs export") {
		t.Errorf("a file without its first page: %v", err)
	}
}
