package store

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"deltabench/internal/study"
)

// studyStore is a store with a study of a run for each round, and a failure in the round after.
func studyStore(t *testing.T, title, state string, rounds int) (*Store, *Study) {
	t.Helper()
	s := fresh(t)
	x, err := s.CreateStudy(t.Context(), Study{Title: title, Question: "why?", File: []byte("study: <" + title + ">\n"), Plan: []byte(`{"study":"` + title + `","seed":7}`), ToolVersion: "1.2", Planned: 9})
	if err != nil {
		t.Fatal(err)
	}
	for i := range rounds {
		addRound(t, s, x, i+1)
	}
	if err := s.RecordFailure(t.Context(), x.ID, keyOf(rounds+1), 2, "no <server>"); err != nil {
		t.Fatal(err)
	}
	if err := s.SetStudyState(t.Context(), x.ID, state); err != nil {
		t.Fatal(err)
	}
	return s, found(t, s, x.Name)
}

func keyOf(round int) study.Key {
	return study.Key{Target: "t", Scenario: "off", Workload: "reads", Threads: 8, Round: round}
}

func addRound(t *testing.T, s *Store, x *Study, round int) {
	t.Helper()
	r := studyRun(x.Name, keyOf(round))
	r.Document, r.Study.Question, r.Tags = document(round), x.Question, map[string]string{"study": x.Name}
	record(t, s, r)
}

func found(t *testing.T, s *Store, name string) *Study {
	t.Helper()
	x, err := s.FindStudy(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func names(t *testing.T, s *Store) []string {
	t.Helper()
	list, err := s.Studies(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, x := range list {
		out = append(out, fmt.Sprintf("%s:%d+%d", x.Name, x.Runs, x.Failed))
	}
	return out
}

func TestExportOfStudyIsWhole(t *testing.T) {
	t.Parallel()
	from, x := studyStore(t, "pool", StudyFinished, 2)
	text := exported(t, from, Filter{})
	if n := strings.Count(text, `"about":`); n != 1 {
		t.Errorf("the study is told %d times", n)
	}
	to := fresh(t)
	imported(t, to, text)
	y := found(t, to, "pool")
	y.ID = x.ID
	if !reflect.DeepEqual(x, y) {
		t.Errorf("the study is\n%+v, want\n%+v", y, x)
	}
	if again := exported(t, to, Filter{}); again != text {
		t.Errorf("an export of the import is\n%s\nwant\n%s", again, text)
	}
	a, err := from.StudyRuns(t.Context(), x.ID)
	if err != nil {
		t.Fatal(err)
	}
	b, err := to.StudyRuns(t.Context(), found(t, to, "pool").ID)
	if err != nil || !reflect.DeepEqual(a, b) {
		t.Errorf("the runs are\n%+v, %v, want\n%+v", b, err, a)
	}
}

// TestImportOfNamesakes has two studies of one name, from two stores, in a third one.
func TestImportOfNamesakes(t *testing.T) {
	t.Parallel()
	a, _ := studyStore(t, "pool", StudyFinished, 2)
	b, y := studyStore(t, "pool", StudyInterrupted, 1)
	to := fresh(t)
	first := exported(t, b, Filter{})
	imported(t, to, exported(t, a, Filter{})+first)
	if got := names(t, to); !slices.Equal(got, []string{"pool:2+1", "pool-2:1+1"}) {
		t.Fatalf("the studies are %v", got)
	}
	runs, err := to.Runs(t.Context(), Filter{Study: "pool-2"})
	if err != nil || len(runs) != 1 || runs[0].Tags["study"] != "pool-2" {
		t.Errorf("%+v, %v", runs, err)
	}

	// The second one goes on and ends; only what is new is added, to the same study.
	addRound(t, b, y, 2) // it had failed
	addRound(t, b, y, 3)
	if err := b.SetStudyState(t.Context(), y.ID, StudyFinished); err != nil {
		t.Fatal(err)
	}
	text := exported(t, b, Filter{})
	if done := imported(t, to, text); len(done.Added) != 2 || len(done.Skipped) != 1 {
		t.Errorf("%+v", done)
	}
	if got := names(t, to); !slices.Equal(got, []string{"pool:2+1", "pool-2:3+0"}) {
		t.Errorf("the studies are %v", got)
	}
	if z := found(t, to, "pool-2"); z.State != StudyFinished || z.Title != "pool" || !z.EndedAt.After(y.EndedAt) {
		t.Errorf("%+v", z)
	}
	// What was exported before the end changes nothing any more.
	imported(t, to, first)
	if z := found(t, to, "pool-2"); z.State != StudyFinished || z.Failed != 0 {
		t.Errorf("%+v", z)
	}
	// Its runs alone are gone; they find their study again.
	if err := to.Delete(t.Context(), runs[0].ID); err != nil {
		t.Fatal(err)
	}
	imported(t, to, text)
	if got := names(t, to); !slices.Equal(got, []string{"pool:2+1", "pool-2:3+0"}) {
		t.Errorf("the studies are %v", got)
	}
	if _, faults, err := to.Verify(t.Context()); err != nil || faults != nil {
		t.Errorf("%v, %v", faults, err)
	}
}

// TestImportOfRunningStudy is a study that runs elsewhere: here it does not.
func TestImportOfRunningStudy(t *testing.T) {
	t.Parallel()
	from, x := studyStore(t, "pool", StudyRunning, 1)
	text := exported(t, from, Filter{})
	to := fresh(t)
	imported(t, to, text)
	if y := found(t, to, "pool"); y.State != StudyImported || !y.EndedAt.IsZero() || y.Planned != 9 {
		t.Errorf("%+v", y)
	}
	// Where it runs, its own export does not stop it.
	imported(t, from, text)
	if y := found(t, from, "pool"); y.State != StudyRunning || y.ID != x.ID {
		t.Errorf("%+v", y)
	}
}

// TestImportOfSomeLines leaves lines out, as a filter does.
func TestImportOfSomeLines(t *testing.T) {
	t.Parallel()
	from, _ := studyStore(t, "pool", StudyFinished, 3)
	lines := strings.SplitAfter(exported(t, from, Filter{}), "\n")
	to := fresh(t)
	imported(t, to, lines[1])
	if y := found(t, to, "pool"); len(y.Plan) > 0 || y.Runs != 1 {
		t.Errorf("%+v", y)
	}
	if n := strings.Count(exported(t, to, Filter{}), "\n"); n != 1 {
		t.Errorf("%d lines of a study without its settings", n)
	}
	imported(t, to, lines[0]+lines[2])
	if got := names(t, to); !slices.Equal(got, []string{"pool:3+1"}) {
		t.Errorf("the studies are %v", got)
	}
	if y := found(t, to, "pool"); len(y.Plan) == 0 || y.State != StudyFinished {
		t.Errorf("%+v", y)
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	s, x := studyStore(t, "pool", StudyInterrupted, 1)
	keys := func() map[study.Key]bool {
		t.Helper()
		keys, err := s.StudyKeys(t.Context(), x.ID)
		if err != nil {
			t.Fatal(err)
		}
		return keys
	}
	if got := keys(); !reflect.DeepEqual(got, map[study.Key]bool{keyOf(1): false, keyOf(2): true}) {
		t.Errorf("%v", got)
	}
	// A run that comes after all takes the failure's place, and no failure takes its.
	addRound(t, s, x, 2)
	if err := s.RecordFailure(t.Context(), x.ID, keyOf(2), 1, "late"); err != nil {
		t.Fatal(err)
	}
	if got := keys(); !reflect.DeepEqual(got, map[study.Key]bool{keyOf(1): false, keyOf(2): false}) {
		t.Errorf("%v", got)
	}
	if y := found(t, s, "pool"); y.Runs != 2 || y.Failed != 0 || time.Since(y.EndedAt) > time.Hour {
		t.Errorf("%+v", y)
	}
}

// TestVerifyStudies damages what belongs to studies.
func TestVerifyStudies(t *testing.T) {
	t.Parallel()
	s, _ := studyStore(t, "pool", StudyFinished, 2)
	if n, faults, err := s.Verify(t.Context()); n != 2 || faults != nil || err != nil {
		t.Fatalf("%d, %v, %v", n, faults, err)
	}
	for _, q := range []string{
		"UPDATE study_runs SET evidence = x'0102' WHERE run_id = 2",
		"UPDATE snapshots SET content = (SELECT evidence FROM study_runs WHERE run_id = 1)",
	} {
		if _, err := s.db.Exec(q); err != nil {
			t.Fatal(err)
		}
	}
	_, faults, err := s.Verify(t.Context())
	if err != nil || len(faults) != 2 || !strings.HasPrefix(faults[0], "evidence of run 2: ") || !strings.HasPrefix(faults[1], "settings ") {
		t.Errorf("%q, %v", faults, err)
	}
}
