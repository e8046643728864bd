package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
)

// maxFaults is how many faults Verify tells.
const maxFaults = 100

// Verify looks for damage: SQLite's integrity_check and foreign_key_check, every document and snapshot against its hash, and
// whether evidence can be read. It returns the number of runs and a line for each fault, none in a store that is whole.
func (s *Store) Verify(ctx context.Context) (runs int, faults []string, err error) {
	if faults, err = s.texts(ctx, fmt.Sprintf("PRAGMA integrity_check(%d)", maxFaults)); err != nil {
		return 0, nil, problem(s.path, err)
	}
	if len(faults) == 1 && faults[0] == "ok" {
		faults = nil
	}
	orphans, err := s.texts(ctx, "SELECT DISTINCT 'a row of ' || \"table\" || ' belongs to nothing in ' || parent FROM pragma_foreign_key_check")
	if err != nil {
		return 0, nil, problem(s.path, err)
	}
	faults = append(faults, orphans...)
	ids, err := s.ids(ctx)
	if err != nil {
		return 0, nil, problem(s.path, err)
	}
	for _, id := range ids {
		if len(faults) >= maxFaults {
			break
		}
		if _, err := s.wholeDocument(ctx, id); err != nil {
			faults = append(faults, err.Error())
		}
		if fault := s.checkEvidence(ctx, id); fault != "" {
			faults = append(faults, fault)
		}
	}
	hashes, err := s.texts(ctx, "SELECT hash FROM snapshots ORDER BY hash")
	if err != nil {
		return 0, nil, problem(s.path, err)
	}
	for _, hash := range hashes {
		if x, err := s.Snapshot(ctx, hash); len(faults) < maxFaults && (err != nil || HashSnapshot(x) != hash) {
			faults = append(faults, fmt.Sprintf("settings %s: they are not those that were recorded", hash))
		}
	}
	return len(ids), faults, ctx.Err()
}

// checkEvidence reads the evidence of a run; empty: it is whole, or there is none.
func (s *Store) checkEvidence(ctx context.Context, id int64) string {
	var content []byte
	err := s.db.QueryRowContext(ctx, "SELECT evidence FROM study_runs WHERE run_id = ?", id).Scan(&content)
	if err == nil {
		_, err = readEvidence(content)
	}
	if err == nil || errors.Is(err, sql.ErrNoRows) {
		return ""
	}
	return fmt.Sprintf("evidence of run %d: %s", id, err)
}

// wholeDocument returns the document of a run that is there. One that is not what was recorded is an error of type *damage.
func (s *Store) wholeDocument(ctx context.Context, id int64) ([]byte, error) {
	what := fmt.Sprintf("document of run %d", id)
	text, err := documentText(ctx, s.db, id)
	if errors.Is(err, ErrNoRun) {
		return nil, &damage{what, errors.New("it is missing")}
	}
	if err != nil {
		return nil, err
	}
	hash, err := hashOf(text)
	if err != nil {
		return nil, &damage{what, err}
	}
	var want string
	if err := s.db.QueryRowContext(ctx, "SELECT hash FROM runs WHERE id = ?", id).Scan(&want); err != nil {
		return nil, err
	}
	if hash != want {
		return nil, &damage{what, errors.New("it is not the one that was recorded")}
	}
	return text, nil
}

// texts returns the first column of a query.
func (s *Store) texts(ctx context.Context, query string) ([]string, error) {
	return column[string](ctx, s.db, query)
}

// ids are the numbers of all runs.
func (s *Store) ids(ctx context.Context) ([]int64, error) {
	return column[int64](ctx, s.db, "SELECT id FROM runs ORDER BY id")
}

// column returns the first column of a query.
func column[T any](ctx context.Context, q interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}, query string,
) ([]T, error) {
	rows, err := q.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []T
	for rows.Next() {
		var v T
		if err := rows.Scan(&v); err != nil {
			return nil, fmt.Errorf("%s: %w", strings.Fields(query)[0], err)
		}
		out = append(out, v)
	}
	return out, rows.Err()
}
