package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

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
	rows, err := s.db.QueryContext(ctx, "SELECT "+runColumns+`, p.target, p.scenario, p.workload, p.threads, p.share, p.round, p.position, p.evidence
		FROM study_runs p JOIN runs r ON r.id = p.run_id LEFT JOIN studies s ON s.id = r.study_id WHERE p.study_id = ? ORDER BY r.id`, id)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var runs []StudyRun
	index := map[int64]int{}
	for rows.Next() {
		var x StudyRun
		var content []byte
		x.Run, err = scanRun(rows, &x.Key.Target, &x.Key.Scenario, &x.Key.Workload, &x.Key.Threads, &x.Key.Share, &x.Key.Round, &x.Position, &content)
		if err == nil && content != nil {
			x.Evidence = &evidence.Run{}
			if content, err = inflate(content); err == nil {
				err = json.Unmarshal(content, x.Evidence)
			}
		}
		if err != nil {
			return nil, err
		}
		index[x.ID] = len(runs)
		runs = append(runs, x)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	if err := s.addSeries(ctx, id, runs, index); err != nil {
		return nil, err
	}
	if err := s.addTexts(ctx, id, runs, index); err != nil {
		return nil, err
	}
	return s.addFailures(ctx, id, runs)
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
	add("%s", h["virtualization"])
	return text
}

func (s *Store) addFailures(ctx context.Context, id int64, runs []StudyRun) ([]StudyRun, error) {
	rows, err := s.db.QueryContext(ctx, "SELECT target, scenario, workload, threads, share, round, position, at, reason FROM study_failures WHERE study_id = ? ORDER BY at", id)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var x StudyRun
		var at string
		if err := rows.Scan(&x.Key.Target, &x.Key.Scenario, &x.Key.Workload, &x.Key.Threads, &x.Key.Share, &x.Key.Round, &x.Position, &at, &x.Failure); err != nil {
			return nil, err
		}
		if x.RecordedAt, err = time.Parse(timeLayout, at); err != nil {
			return nil, err
		}
		x.StartedAt = x.RecordedAt
		runs = append(runs, x)
	}
	return runs, rows.Err()
}

// addStudy adds what a line of an export says of the study of its run. told are snapshots and studies of earlier lines.
func (s *Store) addStudy(ctx context.Context, id int64, l *line, told map[string]bool) error {
	if l.Study == nil {
		return nil
	}
	var content []byte
	p := l.Study
	err := s.db.QueryRowContext(ctx, "SELECT target, workload, threads, share, evidence FROM study_runs WHERE run_id = ?", id).
		Scan(&p.Target, &p.Workload, &p.Threads, &p.Share, &content)
	if errors.Is(err, sql.ErrNoRows) {
		return nil // of before there were targets
	}
	if err != nil {
		return problem(s.path, err)
	}
	if !told["study/"+p.Study] {
		told["study/"+p.Study] = true
		x, err := s.FindStudy(ctx, p.Study)
		if err != nil {
			return err
		}
		l.Plan, l.File = x.Plan, string(x.File)
	}
	if content == nil {
		return nil
	}
	l.Evidence = &evidence.Run{}
	if content, err = inflate(content); err == nil {
		err = json.Unmarshal(content, l.Evidence)
	}
	for _, hash := range []string{l.Evidence.Variables, l.Evidence.Settings} {
		if err != nil || hash == "" || told[hash] {
			continue
		}
		told[hash] = true
		if l.Snapshots == nil {
			l.Snapshots = map[string]evidence.Snapshot{}
		}
		l.Snapshots[hash], err = s.Snapshot(ctx, hash)
	}
	return err
}
