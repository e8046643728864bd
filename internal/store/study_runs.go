package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"deltabench/internal/evidence"
	"deltabench/internal/study"
)

// StudyRun is a run of a study with what results are made from. A run that failed without a report has Failure and Key only.
type StudyRun struct {
	Run
	Key      study.Key
	Position int
	Failure  string
	Evidence *evidence.Run // nil: none was collected
	Texts    []string      // of its warnings
	Series   []Second
	Host     string // the client's machine in a line
}

// Second is an interval of a run, usually of a second.
type Second struct {
	End, Length     float64 // seconds since the clock started, warm-up included
	Warmup          bool
	Events, Queries int64
	P95Ns           int64
}

// StudyRuns are all runs of a study in the order in which they were recorded, failures last.
func (s *Store) StudyRuns(ctx context.Context, id int64) ([]StudyRun, error) {
	runs, err := s.studyRuns(ctx, id)
	return runs, problem(s.path, err)
}

func (s *Store) studyRuns(ctx context.Context, id int64) ([]StudyRun, error) {
	runs, contents, err := s.places(ctx, id)
	if err != nil {
		return nil, err
	}
	// Evidence takes as long as all the rest together: it is read beside it.
	var decoded sync.WaitGroup
	failed := make([]error, runtime.GOMAXPROCS(0))
	for worker := range failed {
		decoded.Go(func() {
			for i := worker; i < len(runs) && failed[worker] == nil; i += len(failed) {
				runs[i].Evidence, failed[worker] = readEvidence(contents[i])
			}
		})
	}
	index := make(map[int64]int, len(runs))
	for i := range runs {
		index[runs[i].ID] = i
	}
	err = errors.Join(s.addSeries(ctx, id, runs, index), s.addTexts(ctx, id, runs, index))
	decoded.Wait()
	if err = errors.Join(append(failed, err)...); err != nil {
		return nil, err
	}
	return s.addFailures(ctx, id, runs)
}

// places are the runs of a study that have left a report, and their evidence as it is stored.
func (s *Store) places(ctx context.Context, id int64) (runs []StudyRun, contents [][]byte, err error) {
	rows, err := s.db.QueryContext(ctx, "SELECT "+runColumns+`, p.evidence
		FROM study_runs p JOIN runs r ON r.id = p.run_id JOIN studies s ON s.id = r.study_id WHERE p.study_id = ? ORDER BY r.id`, id)
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var x StudyRun
		var content []byte
		if x.Run, err = scanRun(rows, &content); err != nil {
			return nil, nil, err
		}
		p := x.Study
		x.Key = study.Key{Target: p.Target, Scenario: p.Scenario, Workload: p.Workload, Threads: p.Threads, Share: p.Share, Round: p.Round}
		x.Position = p.Position
		runs, contents = append(runs, x), append(contents, content)
	}
	return runs, contents, rows.Err()
}

// readEvidence reads what addToStudy has stored; nil is no evidence.
func readEvidence(content []byte) (*evidence.Run, error) {
	if content == nil {
		return nil, nil
	}
	text, err := inflate(content)
	if err != nil {
		return nil, err
	}
	e := &evidence.Run{}
	return e, json.Unmarshal(text, e)
}

func (s *Store) addSeries(ctx context.Context, id int64, runs []StudyRun, index map[int64]int) error {
	rows, err := s.db.QueryContext(ctx, `SELECT x.run_id, x.end_seconds, x.length_seconds, x.warmup, x.events, x.queries, ifnull(x.latency_p95_ns, 0)
		FROM study_runs p JOIN series x ON x.run_id = p.run_id WHERE p.study_id = ? ORDER BY x.run_id, x.number`, id)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var run int64
		var x Second
		if err := rows.Scan(&run, &x.End, &x.Length, &x.Warmup, &x.Events, &x.Queries, &x.P95Ns); err != nil {
			return err
		}
		i := index[run]
		runs[i].Series = append(runs[i].Series, x)
	}
	return rows.Err()
}

// addTexts adds warnings, and the machine.
func (s *Store) addTexts(ctx context.Context, id int64, runs []StudyRun, index map[int64]int) error {
	rows, err := s.db.QueryContext(ctx, `SELECT x.run_id, x.text FROM study_runs p JOIN warnings x ON x.run_id = p.run_id WHERE p.study_id = ? ORDER BY x.run_id, x.number`, id)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var run int64
		var text string
		if err := rows.Scan(&run, &text); err != nil {
			return err
		}
		runs[index[run]].Texts = append(runs[index[run]].Texts, text)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	hosts := map[int64]map[string]string{}
	facts, err := s.db.QueryContext(ctx, `SELECT x.run_id, x.name, x.value FROM study_runs p JOIN facts x ON x.run_id = p.run_id
		WHERE p.study_id = ? AND x.scope = 'client' AND x.name IN ('cpus', 'cpuModel', 'os', 'kernel', 'governor', 'virtualization', 'memoryBytes')`, id)
	if err != nil {
		return err
	}
	defer facts.Close()
	for facts.Next() {
		var run int64
		var name, v string
		if err := facts.Scan(&run, &name, &v); err != nil {
			return err
		}
		if hosts[run] == nil {
			hosts[run] = map[string]string{}
		}
		hosts[run][name] = v
	}
	for run, h := range hosts {
		runs[index[run]].Host = hostText(h)
	}
	return facts.Err()
}

// hostText is a machine in a line; what is not known is left out.
func hostText(h map[string]string) string {
	text := h["cpus"] + " CPUs"
	add := func(format, v string) {
		if v != "" && v != "0" {
			text += ", " + fmt.Sprintf(format, v)
		}
	}
	add("%s", h["cpuModel"])
	var bytes float64
	if _, err := fmt.Sscan(h["memoryBytes"], &bytes); err == nil && bytes > 0 {
		add("%s GiB", fmt.Sprintf("%.0f", bytes/(1<<30)))
	}
	add("%s", h["os"])
	add("governor %s", h["governor"])
	if h["turbo"] == "off" {
		text += ", no turbo"
	}
	if n := h["numaNodes"]; n != "1" {
		add("%s NUMA nodes", n)
	}
	add("%s", h["virtualization"])
	return text
}

func (s *Store) addFailures(ctx context.Context, id int64, runs []StudyRun) ([]StudyRun, error) {
	list, err := s.failures(ctx, id)
	for _, f := range list {
		k := study.Key{Target: f.Target, Scenario: f.Scenario, Workload: f.Workload, Threads: f.Threads, Share: f.Share, Round: f.Round}
		runs = append(runs, StudyRun{Run: Run{RecordedAt: f.At, StartedAt: f.At}, Key: k, Position: f.Position, Failure: f.Reason})
	}
	return runs, err
}
