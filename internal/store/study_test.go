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
	if err != nil || len(copies) != 4 || copies[2].Key != c || !reflect.DeepEqual(copies[3], runs[3]) || !reflect.DeepEqual(copies[2].Evidence, runs[2].Evidence) {
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

// What a published study of full size has: 396 cells in 10 rounds, a minute each.
const (
	studyRuns     = 3960
	studySeconds  = 60
	studyCounters = 150 // that grow in a run, of a server's hundreds
)

// Limits for it: ten times what it takes on two busy CPUs.
const (
	studyLimit  = 20 * time.Second
	studyMemory = 400 << 20 // bytes of resident memory
)

// TestStudyRunsAreQuick reads a large study in a process of its own, so that the memory is that of the study; under the race
// detector a tenth of it.
func TestStudyRunsAreQuick(t *testing.T) {
	runs := studyRuns / slowness
	path := filepath.Join(t.TempDir(), "runs.db")
	s := open(t, path)
	r := studyRun("large", study.Key{Target: "t", Scenario: "off", Workload: "w", Threads: 1, Round: 1})
	lengthen(r.Document, studySeconds)
	r.Evidence.Status, r.Evidence.Seconds = map[string]float64{}, nil
	for i := range studyCounters {
		r.Evidence.Status[fmt.Sprintf("innodb_counter_of_this_%d", i)] = float64(12345 * i)
	}
	for i := range studySeconds + 2 {
		r.Evidence.Seconds = append(r.Evidence.Seconds, evidence.Second{At: time.Unix(1764572400+int64(i), 123456789), CPU: 1.87 * float64(i), Memory: 1 << 29})
	}
	record(t, s, r)
	columns := func(table, without string) (list string) {
		t.Helper()
		if err := s.db.QueryRow("SELECT group_concat(name) FROM pragma_table_info(?) WHERE name NOT IN ("+without+")", table).Scan(&list); err != nil {
			t.Fatal(err)
		}
		return list
	}
	run, series, place := columns("runs", "'id','uuid'"), columns("series", "'run_id','number'"), columns("study_runs", "'run_id','threads'")
	numbers := fmt.Sprintf("WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < %d) ", runs)
	for _, q := range []string{
		"INSERT INTO runs (id, uuid, " + run + ") " + numbers + "SELECT i, 'copy ' || i, " + run + " FROM runs, n WHERE id = 1",
		"INSERT INTO study_runs (run_id, threads, " + place + ") " + numbers + "SELECT i, i, " + place + " FROM study_runs, n WHERE run_id = 1",
		"INSERT INTO series (run_id, number, " + series + ") " + numbers + "SELECT i, number, " + series + " FROM series, n WHERE run_id = 1",
	} {
		if _, err := s.db.Exec(q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	s.Close()
	p, out := process(t, "study", path)
	if !out.Scan() {
		t.Fatal("the process says nothing")
	}
	var n int
	var took time.Duration
	var memory int64
	if _, err := fmt.Sscanf(out.Text(), "%d runs %d %d", &n, &took, &memory); err != nil || n != runs {
		t.Fatalf("%q: %v", out.Text(), err)
	}
	if err := p.Wait(); err != nil {
		t.Error(err)
	}
	t.Logf("%d runs of %d s in %v, %d MB", runs, studySeconds, took, memory>>20)
	if limit := studyLimit * slowness; took > limit {
		t.Errorf("%v, want at most %v", took, limit)
	}
	if limit := int64(studyMemory * slowness); memory > limit {
		t.Errorf("%d bytes of memory, want at most %d", memory, limit)
	}
}
