package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	"deltabench/internal/evidence"
)

// about is a study itself in the first line of an export that has a run of it.
type about struct {
	Title       string          `json:"title"`
	CreatedAt   time.Time       `json:"createdAt"` // with Title, by this a study is known again in other stores
	EndedAt     *time.Time      `json:"endedAt"`
	State       string          `json:"state"`
	ToolVersion string          `json:"toolVersion"`
	Planned     int             `json:"planned"`
	File        string          `json:"file"`
	Plan        json.RawMessage `json:"plan,omitempty"`
	Failures    []failure       `json:"failures,omitempty"`
}

// addStudy adds what a line of an export says of the study of its run, unless an earlier line brings it: told are the names of
// those snapshots and studies. Damaged snapshots are left out.
func (s *Store) addStudy(ctx context.Context, id int64, l *line, told map[string]bool) error {
	var err error
	if l.Study == nil || l.Study.Target == "" {
		return nil // without a study, or of before there were targets
	}
	if name := "study " + l.Study.Study; !told[name] {
		l.brings = append(l.brings, name)
		if l.About, err = s.about(ctx, l.Study.Study); err != nil {
			return err
		}
	}
	var content []byte
	err = s.db.QueryRowContext(ctx, "SELECT evidence FROM study_runs WHERE run_id = ?", id).Scan(&content)
	if err == nil {
		if l.Evidence, err = readEvidence(content); err != nil {
			err = &damage{fmt.Sprintf("evidence of run %d", id), err}
		}
	}
	if err != nil || l.Evidence == nil {
		return err
	}
	for _, hash := range []string{l.Evidence.Variables, l.Evidence.Settings} {
		if hash == "" || told[hash] {
			continue
		}
		l.brings = append(l.brings, hash)
		if l.Snapshots == nil {
			l.Snapshots = map[string]evidence.Snapshot{}
		}
		snapshot, err := s.Snapshot(ctx, hash)
		switch {
		case errors.Is(err, errNoSnapshot): // lines of an import were left out
		case isDamage(err):
			l.lost = append(l.lost, fmt.Sprintf("settings %s: they are damaged; runs that had them are exported without", hash))
		case err != nil:
			return err
		default:
			l.Snapshots[hash] = snapshot
		}
	}
	return nil
}

func (s *Store) about(ctx context.Context, name string) (*about, error) {
	x, err := s.FindStudy(ctx, name)
	if err != nil {
		return nil, err
	}
	a := &about{Title: x.Title, CreatedAt: x.CreatedAt, State: x.State, ToolVersion: x.ToolVersion, Planned: x.Planned, File: string(x.File), Plan: x.Plan}
	if !x.EndedAt.IsZero() {
		a.EndedAt = &x.EndedAt
	}
	a.Failures, err = s.failures(ctx, x.ID)
	return a, problem(s.path, err)
}

// failures are the failures of a study in the order in which they happened.
func (s *Store) failures(ctx context.Context, id int64) ([]failure, error) {
	rows, err := s.db.QueryContext(ctx, "SELECT target, scenario, workload, threads, share, round, position, at, reason FROM study_failures WHERE study_id = ? ORDER BY at", id)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []failure
	for rows.Next() {
		var f failure
		var at string
		if err := rows.Scan(&f.Target, &f.Scenario, &f.Workload, &f.Threads, &f.Share, &f.Round, &f.Position, &at, &f.Reason); err != nil {
			return nil, err
		}
		if f.At, err = time.Parse(timeLayout, at); err != nil {
			return nil, err
		}
		list = append(list, f)
	}
	return list, rows.Err()
}

// place finds the study of a run that is imported, which may have another name here than where it comes from, or makes it.
// id is the run when the store has it, else 0.
func (i *Imported) place(ctx context.Context, tx *sql.Tx, e *entry, id int64) error {
	if e.Study == nil {
		return nil
	}
	theirs := e.Study.Study
	var studyID int64
	if id != 0 {
		var name string
		err := tx.QueryRowContext(ctx, "SELECT s.id, s.name FROM runs r JOIN studies s ON s.id = r.study_id WHERE r.id = ?", id).Scan(&studyID, &name)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		} else if err != nil {
			return err
		}
		i.names[theirs] = name
	} else if e.about != nil {
		var err error
		if studyID, i.names[theirs], err = studyOf(ctx, tx, e.Study, e.about); err != nil {
			return err
		}
	}
	if e.about != nil {
		if err := e.about.save(ctx, tx, studyID); err != nil {
			return err
		}
	}
	if ours := i.names[theirs]; ours != "" && ours != theirs {
		place := *e.Study
		place.Study = ours
		e.Study = &place
		if e.Tags["study"] == theirs {
			e.Tags = maps.Clone(e.Tags)
			e.Tags["study"] = ours
		}
	}
	return nil
}

// studyOf finds or makes the study that comes from another store. Another study of the same name is left alone.
func studyOf(ctx context.Context, tx *sql.Tx, p *Place, a *about) (id int64, name string, err error) {
	created := a.CreatedAt.UTC().Format(timeLayout)
	err = tx.QueryRowContext(ctx, `SELECT id, name FROM studies WHERE title = ?1 AND created_at = ?2 OR name = ?3 AND plan = '' AND state = ''
		ORDER BY created_at = ?2 DESC LIMIT 1`, a.Title, created, p.Study).Scan(&id, &name)
	if !errors.Is(err, sql.ErrNoRows) {
		return id, name, err
	}
	if name, err = freeName(ctx, tx, p.Study, a.Title); err != nil {
		return 0, "", err
	}
	res, err := tx.ExecContext(ctx, "INSERT INTO studies (name, question, created_at) VALUES (?, ?, ?)", name, p.Question, created)
	if err != nil {
		return 0, "", err
	}
	id, err = res.LastInsertId()
	return id, name, err
}

// save keeps what was said of a study, unless the store knows it better: it runs here, or has ended later.
func (a *about) save(ctx context.Context, tx *sql.Tx, id int64) error {
	state, ended := a.State, ""
	if state != StudyFinished { // rounds of two machines make no study
		state = StudyImported
	}
	if a.EndedAt != nil {
		ended = a.EndedAt.UTC().Format(timeLayout)
	}
	_, err := tx.ExecContext(ctx, `UPDATE studies SET title = ?, created_at = ?, ended_at = nullif(?, ''), state = ?, tool_version = ?, planned = ?, file = ?, plan = ?
		WHERE id = ? AND (plan = '' AND state = '' OR state <> ? AND ifnull(ended_at, '') < ?)`,
		a.Title, a.CreatedAt.UTC().Format(timeLayout), ended, state, a.ToolVersion, a.Planned, a.File, string(a.Plan), id, StudyRunning, ended)
	for n := 0; err == nil && n < len(a.Failures); n++ {
		err = addFailure(ctx, tx, id, a.Failures[n])
	}
	return err
}

// freeName is a name that no study has: the wanted one, or TITLE-2, TITLE-3 and so on.
func freeName(ctx context.Context, tx *sql.Tx, wanted, title string) (string, error) {
	name := wanted
	for n := 2; ; n++ {
		var taken bool
		if err := tx.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM studies WHERE name = ?)", name).Scan(&taken); err != nil || !taken {
			return name, err
		}
		name = fmt.Sprintf("%s-%d", title, n)
	}
}
