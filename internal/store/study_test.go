package store

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"deltabench/internal/evidence"
	"deltabench/internal/study"
)

// studyRun is a run of a study with its evidence.
func studyRun(title string, k study.Key) Recorded {
	variables := evidence.Snapshot{"max_connections": "151", "scenario": k.Scenario}
	return Recorded{
		Document: document(1),
		Study:    &Place{Study: title, Scenario: k.Scenario, Round: k.Round, Position: 1, Target: k.Target, Workload: k.Workload, Threads: k.Threads, Share: k.Share},
		Evidence: &evidence.Run{
			Start: evidence.Start{ID: "start", PID: 7}, Variables: HashSnapshot(variables), Status: map[string]float64{"questions": 12},
			Server: &evidence.Process{UserSeconds: 1.5, SystemSeconds: 0.5, ReadBytes: -1, VoluntarySwitches: 3}, Machine: &evidence.Machine{CPUs: 2, StealShare: 0.01},
			Seconds: []evidence.Second{{At: time.Unix(1, 0).UTC(), CPU: 1}},
		},
		Snapshots: map[string]evidence.Snapshot{HashSnapshot(variables): variables},
	}
}

func TestStudies(t *testing.T) {
	ctx := t.Context()
	s := open(t, filepath.Join(t.TempDir(), "runs.db"))
	defer s.Close()
	if _, err := s.FindStudy(ctx, "latest"); !errors.Is(err, ErrNoStudy) {
		t.Errorf("latest of none: %v", err)
	}
	var names []string
	for range 3 {
		x, err := s.CreateStudy(ctx, Study{Title: "pool", Question: "why?", File: []byte("study: pool\n"), Plan: []byte(`{"study":"pool"}`), Planned: 4, ToolVersion: "1"})
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, x.Name)
	}
	if !reflect.DeepEqual(names, []string{"pool", "pool-2", "pool-3"}) {
		t.Error(names)
	}
	x, err := s.FindStudy(ctx, "latest")
	if err != nil || x.Name != "pool-3" || x.State != StudyRunning || string(x.Plan) != `{"study":"pool"}` {
		t.Fatalf("%+v, %v", x, err)
	}
	a := study.Key{Target: "t", Scenario: "off", Workload: "w", Threads: 8, Round: 1}
	b, c := a, a
	b.Scenario, c.Share = "on", 0.5
	for _, k := range []study.Key{a, b, c} {
		if _, err := s.Record(ctx, studyRun(x.Name, k)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Record(ctx, studyRun(x.Name, a)); !errors.Is(err, ErrRunExists) {
		t.Errorf("the same run again: %v", err)
	}
	failed := a
	failed.Round = 2
	if err := s.RecordFailure(ctx, x.ID, failed, 2, "no server"); err != nil {
		t.Fatal(err)
	}
	keys, err := s.StudyKeys(ctx, x.ID)
	if err != nil || !reflect.DeepEqual(keys, map[study.Key]bool{a: false, b: false, c: false, failed: true}) {
		t.Errorf("%v, %v", keys, err)
	}
	runs, err := s.StudyRuns(ctx, x.ID)
	if err != nil || len(runs) != 4 {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	if r := runs[0]; r.Key != a || !reflect.DeepEqual(r.Evidence, studyRun("", a).Evidence) || len(r.Series) == 0 || len(r.Texts) == 0 || r.Host == "" || r.QPS == 0 {
		t.Errorf("%+v", r)
	}
	if r := runs[3]; r.Key != failed || r.Failure != "no server" || r.Position != 2 {
		t.Errorf("%+v", r)
	}
	snapshot, err := s.Snapshot(ctx, runs[1].Evidence.Variables)
	if err != nil || snapshot["scenario"] != "on" {
		t.Errorf("%v, %v", snapshot, err)
	}
	if err := s.SetStudyState(ctx, x.ID, StudyFinished); err != nil {
		t.Fatal(err)
	}

	// Another store gets all of it, and nothing twice.
	var lines bytes.Buffer
	if n, err := s.Export(ctx, &lines, Filter{Study: x.Name}); err != nil || n != 3 {
		t.Fatalf("%d, %v", n, err)
	}
	other := open(t, filepath.Join(t.TempDir(), "runs.db"))
	defer other.Close()
	for range 2 {
		if _, err := other.Import(ctx, bytes.NewReader(lines.Bytes())); err != nil {
			t.Fatal(err)
		}
	}
	y, err := other.FindStudy(ctx, x.Name)
	if err != nil || string(y.Plan) != string(x.Plan) || string(y.File) != string(x.File) || y.Runs != 3 {
		t.Fatalf("%+v, %v", y, err)
	}
	copies, err := other.StudyRuns(ctx, y.ID)
	if err != nil || len(copies) != 3 || copies[2].Key != c || !reflect.DeepEqual(copies[2].Evidence, runs[2].Evidence) {
		t.Errorf("%v", err)
	}
	if snapshot, err := other.Snapshot(ctx, runs[1].Evidence.Variables); err != nil || snapshot["scenario"] != "on" {
		t.Errorf("%v, %v", snapshot, err)
	}

	// Nothing stays of a study that is deleted.
	if err := s.DeleteStudy(ctx, x.ID); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"runs", "study_runs", "study_failures", "snapshots", "costs", "series"} {
		var n int
		if err := s.db.QueryRow("SELECT count(*) FROM " + table).Scan(&n); err != nil || n != 0 {
			t.Errorf("%s: %d rows, %v", table, n, err)
		}
	}
	if list, err := s.Studies(ctx); err != nil || len(list) != 2 {
		t.Errorf("%d studies, %v", len(list), err)
	}
}

// TestStudyRunsAreQuick reads a published study of full size: 396 cells, 10 rounds, 60 seconds each; a round of it under the race detector.
func TestStudyRunsAreQuick(t *testing.T) {
	const seconds = 60
	runs := 3960
	if slowness > 1 {
		runs = 396
	}
	ctx := t.Context()
	s := open(t, filepath.Join(t.TempDir(), "runs.db"))
	defer s.Close()
	x, err := s.CreateStudy(ctx, Study{Title: "large"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Record(ctx, studyRun(x.Name, study.Key{Target: "t", Scenario: "off", Workload: "w", Threads: 1, Round: 1})); err != nil {
		t.Fatal(err)
	}
	columns := func(table, without string) (list string) {
		t.Helper()
		if err := s.db.QueryRow("SELECT group_concat(name) FROM pragma_table_info(?) WHERE name NOT IN ("+without+")", table).Scan(&list); err != nil {
			t.Fatal(err)
		}
		return list
	}
	run, series, place := columns("runs", "'id','uuid'"), columns("series", "'run_id','number'"), columns("study_runs", "'run_id','threads'")
	numbers := func(n int) string {
		return fmt.Sprintf("WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < %d) ", n)
	}
	for _, q := range []string{
		"DELETE FROM series WHERE number > 1",
		"INSERT INTO series (run_id, number, " + series + ") " + numbers(seconds) + "SELECT run_id, i, " + series + " FROM series, n WHERE number = 1",
		"INSERT INTO runs (id, uuid, " + run + ") " + numbers(runs) + "SELECT i, 'copy ' || i, " + run + " FROM runs, n WHERE id = 1",
		"INSERT INTO study_runs (run_id, threads, " + place + ") " + numbers(runs) + "SELECT i, i, " + place + " FROM study_runs, n WHERE run_id = 1",
		"INSERT INTO series (run_id, number, " + series + ") " + numbers(runs) + "SELECT i, number, " + series + " FROM series, n WHERE run_id = 1",
	} {
		if _, err := s.db.Exec(q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	begin := time.Now()
	list, err := s.StudyRuns(ctx, x.ID)
	took := time.Since(begin)
	if err != nil || len(list) != runs || len(list[runs-1].Series) != seconds {
		t.Fatalf("%d runs, %v", len(list), err)
	}
	t.Logf("%d runs of %d s in %v", runs, seconds, took)
	if limit := 15 * time.Second * slowness; took > limit {
		t.Errorf("%v, want at most %v", took, limit)
	}
}
