package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"deltabench/internal/evidence"
	"deltabench/internal/study"
)

// schema3 adds what studies need: their plans, the places of their runs with the evidence, runs that failed without a report, and
// settings of servers, which many runs share.
const schema3 = `
ALTER TABLE studies ADD COLUMN title        TEXT NOT NULL DEFAULT '';
ALTER TABLE studies ADD COLUMN state        TEXT NOT NULL DEFAULT '';
ALTER TABLE studies ADD COLUMN ended_at     TEXT;
ALTER TABLE studies ADD COLUMN file         TEXT NOT NULL DEFAULT '';
ALTER TABLE studies ADD COLUMN plan         TEXT NOT NULL DEFAULT '';
ALTER TABLE studies ADD COLUMN tool_version TEXT NOT NULL DEFAULT '';
ALTER TABLE studies ADD COLUMN planned      INTEGER NOT NULL DEFAULT 0;
UPDATE studies SET title = name;

CREATE TABLE study_runs (
	run_id   INTEGER PRIMARY KEY REFERENCES runs(id) ON DELETE CASCADE,
	study_id INTEGER NOT NULL REFERENCES studies(id) ON DELETE CASCADE,
	target   TEXT NOT NULL,
	scenario TEXT NOT NULL,
	workload TEXT NOT NULL,
	threads  INTEGER NOT NULL,
	share    REAL NOT NULL,
	round    INTEGER NOT NULL,
	position INTEGER NOT NULL,
	evidence BLOB,
	UNIQUE (study_id, target, scenario, workload, threads, share, round)
) STRICT;

CREATE TABLE study_failures (
	study_id INTEGER NOT NULL REFERENCES studies(id) ON DELETE CASCADE,
	target   TEXT NOT NULL,
	scenario TEXT NOT NULL,
	workload TEXT NOT NULL,
	threads  INTEGER NOT NULL,
	share    REAL NOT NULL,
	round    INTEGER NOT NULL,
	position INTEGER NOT NULL,
	at       TEXT NOT NULL,
	reason   TEXT NOT NULL,
	PRIMARY KEY (study_id, target, scenario, workload, threads, share, round)
) STRICT, WITHOUT ROWID;

CREATE TABLE snapshots (
	hash    TEXT PRIMARY KEY,
	content BLOB NOT NULL
) STRICT;
`

// States of studies.
const (
	StudyRunning     = "running"
	StudyInterrupted = "interrupted"
	StudyFinished    = "finished"
	StudyFailed      = "failed"
	StudyImported    = "imported" // before it had ended: it goes on where it was measured, not here
)

// Errors of studies.
var (
	ErrNoStudy   = errors.New("there is no such study")
	ErrRunExists = errors.New("the study has this run already")

	errNoSnapshot = errors.New("it is not in the store")
)

// Study is a study of the store.
type Study struct {
	ID          int64
	Name        string // unique in the store
	Title       string // name in the file
	Question    string
	CreatedAt   time.Time
	EndedAt     time.Time // zero: it has not ended
	State       string
	File, Plan  []byte // as written, and the plan as JSON; empty for runs that were imported without them
	ToolVersion string
	Planned     int // runs
	Runs        int // that there are
	Failed      int // without a report
}

// CreateStudy adds a study under its title, or TITLE-2, TITLE-3 and so on when that is taken.
func (s *Store) CreateStudy(ctx context.Context, x Study) (*Study, error) {
	err := s.change(ctx, func(tx *sql.Tx) error {
		x.CreatedAt, x.State = time.Now().UTC(), StudyRunning
		var err error
		if x.Name, err = freeName(ctx, tx, x.Title, x.Title); err != nil {
			return err
		}
		res, err := tx.ExecContext(ctx, "INSERT INTO studies (name, title, question, created_at, state, file, plan, tool_version, planned) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
			x.Name, x.Title, x.Question, x.CreatedAt.Format(timeLayout), x.State, string(x.File), string(x.Plan), x.ToolVersion, x.Planned)
		if err != nil {
			return err
		}
		x.ID, err = res.LastInsertId()
		return err
	})
	return &x, err
}

// SetStudyState says how a study stands.
func (s *Store) SetStudyState(ctx context.Context, id int64, state string) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		var ended any
		if state != StudyRunning {
			ended = time.Now().UTC().Format(timeLayout)
		}
		_, err := tx.ExecContext(ctx, "UPDATE studies SET state = ?, ended_at = ? WHERE id = ?", state, ended, id)
		return err
	})
}

// SetStudyPlanned says how many runs a study has in all.
func (s *Store) SetStudyPlanned(ctx context.Context, id int64, runs int) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE studies SET planned = ? WHERE id = ?", runs, id)
		return err
	})
}

const studyColumns = `x.id, x.name, x.title, x.question, x.created_at, ifnull(x.ended_at, ''), x.state, x.file, x.plan, x.tool_version, x.planned,
	(SELECT count(*) FROM runs r WHERE r.study_id = x.id), (SELECT count(*) FROM study_failures f WHERE f.study_id = x.id)`

// Studies are all studies, oldest first.
func (s *Store) Studies(ctx context.Context) ([]Study, error) {
	list, err := s.studies(ctx, "ORDER BY x.id")
	return list, problem(s.path, err)
}

func (s *Store) studies(ctx context.Context, rest string, args ...any) ([]Study, error) {
	rows, err := s.db.QueryContext(ctx, "SELECT "+studyColumns+" FROM studies x "+rest, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []Study
	for rows.Next() {
		var x Study
		var created, ended, file, plan string
		if err := rows.Scan(&x.ID, &x.Name, &x.Title, &x.Question, &created, &ended, &x.State, &file, &plan, &x.ToolVersion, &x.Planned, &x.Runs, &x.Failed); err != nil {
			return nil, err
		}
		x.File, x.Plan = []byte(file), []byte(plan)
		if x.CreatedAt, err = time.Parse(timeLayout, created); err != nil {
			return nil, err
		}
		if ended != "" {
			if x.EndedAt, err = time.Parse(timeLayout, ended); err != nil {
				return nil, err
			}
		}
		list = append(list, x)
	}
	return list, rows.Err()
}

// FindStudy returns the study of a name, or the latest one for the name latest. ErrNoStudy when there is none.
func (s *Store) FindStudy(ctx context.Context, name string) (*Study, error) {
	list, err := s.studies(ctx, "WHERE x.name = ?", name)
	if err == nil && len(list) == 0 && name == "latest" {
		list, err = s.studies(ctx, "WHERE x.plan <> '' ORDER BY x.id DESC LIMIT 1")
	}
	switch {
	case err != nil:
		return nil, problem(s.path, err)
	case len(list) == 0:
		return nil, fmt.Errorf("study %s: %w", name, ErrNoStudy)
	}
	return &list[0], nil
}

// DeleteStudy removes a study with its runs.
func (s *Store) DeleteStudy(ctx context.Context, id int64) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		for _, q := range []string{"DELETE FROM runs WHERE study_id = ?", "DELETE FROM studies WHERE id = ?"} {
			if _, err := tx.ExecContext(ctx, q, id); err != nil {
				return err
			}
		}
		return dropSnapshots(ctx, tx)
	})
}

// dropSnapshots removes those that no run refers to any more.
func dropSnapshots(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, "DELETE FROM snapshots WHERE hash NOT IN (SELECT value FROM facts WHERE scope = 'server' AND name IN ('variables', 'settings'))")
	return err
}

// RecordFailure keeps that a run of a study failed without a report. A run that has one stays.
func (s *Store) RecordFailure(ctx context.Context, studyID int64, k study.Key, position int, reason string) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		return addFailure(ctx, tx, studyID, failure{
			Target: k.Target, Scenario: k.Scenario, Workload: k.Workload, Threads: k.Threads, Share: k.Share, Round: k.Round,
			Position: position, At: time.Now(), Reason: reason,
		})
	})
}

// failure is a run of a study that left no report, as exports have it.
type failure struct {
	Target   string    `json:"target"`
	Scenario string    `json:"scenario"`
	Workload string    `json:"workload"`
	Threads  int       `json:"threads"`
	Share    float64   `json:"share,omitempty"`
	Round    int       `json:"round"`
	Position int       `json:"position"`
	At       time.Time `json:"at"`
	Reason   string    `json:"reason"`
}

// sameRun is the condition for a run in study_runs and study_failures; its arguments are ?1 to ?7.
const sameRun = "study_id = ?1 AND target = ?2 AND scenario = ?3 AND workload = ?4 AND threads = ?5 AND share = ?6 AND round = ?7"

// addFailure adds a failure, unless the study has that run.
func addFailure(ctx context.Context, tx *sql.Tx, studyID int64, f failure) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO study_failures (study_id, target, scenario, workload, threads, share, round, position, at, reason)
		SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10 WHERE NOT EXISTS (SELECT 1 FROM study_runs WHERE `+sameRun+`) ON CONFLICT DO NOTHING`,
		studyID, f.Target, f.Scenario, f.Workload, f.Threads, f.Share, f.Round, f.Position, f.At.UTC().Format(timeLayout), f.Reason)
	return err
}

// addToStudy keeps the place of a run in its study, and its evidence.
func addToStudy(ctx context.Context, tx *sql.Tx, id int64, e *entry) error {
	p := e.Study
	if p == nil || p.Target == "" {
		return nil
	}
	var content []byte
	if e.Evidence != nil {
		text, err := json.Marshal(e.Evidence)
		if err != nil {
			return err
		}
		if content, err = deflate(text); err != nil {
			return err
		}
	}
	var studyID int64
	var taken bool
	if err := tx.QueryRowContext(ctx, "SELECT study_id FROM runs WHERE id = ?", id).Scan(&studyID); err != nil {
		return err
	}
	key := []any{studyID, p.Target, p.Scenario, p.Workload, p.Threads, p.Share, p.Round}
	if err := tx.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM study_runs WHERE "+sameRun+")", key...).Scan(&taken); err != nil {
		return err
	}
	if taken {
		return fmt.Errorf("%w: %s, %s, %s, %d threads, round %d of study %s", ErrRunExists, p.Target, p.Scenario, p.Workload, p.Threads, p.Round, p.Study)
	}
	if _, err := tx.ExecContext(ctx, "DELETE FROM study_failures WHERE "+sameRun, key...); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO study_runs (study_id, target, scenario, workload, threads, share, round, position, run_id, evidence)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, append(key, p.Position, id, content)...); err != nil {
		return err
	}
	for hash, snapshot := range e.Snapshots {
		text, err := json.Marshal(snapshot)
		if err == nil {
			content, err = deflate(text)
		}
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "INSERT INTO snapshots (hash, content) VALUES (?, ?) ON CONFLICT DO NOTHING", hash, content); err != nil {
			return err
		}
	}
	f := filler{ctx: ctx, tx: tx, id: id, prepared: map[string]*sql.Stmt{}}
	defer f.close()
	deriveEvidence(e.Evidence, f.add)
	return f.err
}

// deriveEvidence makes the rows of facts and costs for those who ask in SQL.
func deriveEvidence(e *evidence.Run, add func(table string, r row)) {
	if e == nil {
		return
	}
	for _, x := range []value[string]{{"server", "start", e.Start.ID}, {"server", "variables", e.Variables}, {"server", "settings", e.Settings}} {
		if x.value != "" {
			add("facts", columns("scope", x.scope, "name", x.name, "value", x.value))
		}
	}
	cost := func(scope, name string, v float64) {
		add("costs", columns("scope", scope, "name", name, "value", v))
	}
	if p := e.Server; p != nil {
		cost("server", "cpuSeconds", p.CPUSeconds())
		cost("server", "contextSwitches", float64(p.VoluntarySwitches+p.InvoluntarySwitches))
		if p.ReadBytes >= 0 {
			cost("server", "readBytes", float64(p.ReadBytes))
			cost("server", "writeBytes", float64(p.WriteBytes))
		}
		cost("server", "peakMemoryBytes", float64(p.MemoryPeak))
		cost("server", "memoryGrowthBytes", float64(p.MemoryAfter-p.MemoryBefore))
	}
	if m := e.Machine; m != nil {
		cost("machine", "busyShare", m.BusyShare)
		cost("machine", "stealShare", m.StealShare)
	}
}

// HashSnapshot names a snapshot by what it has; empty for none.
func HashSnapshot(x evidence.Snapshot) string {
	if len(x) == 0 {
		return ""
	}
	text, err := json.Marshal(x) // keys of maps are sorted
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:12])
}

// Snapshot returns the snapshot of a hash.
func (s *Store) Snapshot(ctx context.Context, hash string) (evidence.Snapshot, error) {
	var content []byte
	err := s.db.QueryRowContext(ctx, "SELECT content FROM snapshots WHERE hash = ?", hash).Scan(&content)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, fmt.Errorf("snapshot %s: %w", hash, errNoSnapshot)
	}
	if err != nil {
		return nil, problem(s.path, err)
	}
	x := evidence.Snapshot{}
	if content, err = inflate(content); err == nil {
		err = json.Unmarshal(content, &x)
	}
	if err != nil {
		return nil, &damage{"settings " + hash, err}
	}
	return x, nil
}

// StudyKeys are the runs that a study has; true: failed without a report.
func (s *Store) StudyKeys(ctx context.Context, id int64) (map[study.Key]bool, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT target, scenario, workload, threads, share, round, 1 FROM study_failures WHERE study_id = ?
		UNION ALL SELECT target, scenario, workload, threads, share, round, 0 FROM study_runs WHERE study_id = ?`, id, id)
	if err != nil {
		return nil, problem(s.path, err)
	}
	defer rows.Close()
	keys := map[study.Key]bool{}
	for rows.Next() {
		var k study.Key
		var failed bool
		if err := rows.Scan(&k.Target, &k.Scenario, &k.Workload, &k.Threads, &k.Share, &k.Round, &failed); err != nil {
			return nil, problem(s.path, err)
		}
		if was, known := keys[k]; !known || was {
			keys[k] = failed
		}
	}
	return keys, problem(s.path, rows.Err())
}
