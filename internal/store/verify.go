package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
)

// maxFaults is how many faults Verify tells.
const maxFaults = 100

// Verify looks for damage: SQLite's integrity_check and foreign_key_check, every document and snapshot against its hash,
// whether evidence can be read, and every table that is made from documents and evidence against what they give. It returns the
// number of runs and a line for each fault, none in a store that is whole.
func (s *Store) Verify(ctx context.Context) (runs int, faults []string, err error) {
	// Where the file is damaged, whatever can still be checked is.
	checks := []string{
		fmt.Sprintf("PRAGMA integrity_check(%d)", maxFaults),
		"SELECT DISTINCT 'a row of ' || \"table\" || ' belongs to nothing in ' || parent FROM pragma_foreign_key_check",
	}
	for _, query := range checks {
		lines, err := s.texts(ctx, query)
		lines = slices.DeleteFunc(lines, func(line string) bool { return line == "ok" })
		if faults = append(faults, lines...); isDamage(err) {
			faults = append(faults, "the file is damaged: SQLite cannot check all of it")
		} else if err != nil {
			return 0, nil, problem(s.path, err)
		}
	}
	ids, err := s.ids(ctx)
	if isDamage(err) {
		return 0, append(faults, "the file is damaged: the runs cannot be listed"), nil
	}
	if err != nil {
		return 0, nil, problem(s.path, err)
	}
	wrong, err := s.verifyRuns(ctx, ids, maxFaults-len(faults))
	if err != nil {
		return 0, nil, problem(s.path, err)
	}
	faults = append(faults, wrong...)
	hashes, err := s.texts(ctx, "SELECT hash FROM snapshots ORDER BY hash")
	if isDamage(err) {
		faults = append(faults, "the file is damaged: the settings of servers cannot be listed")
	} else if err != nil {
		return 0, nil, problem(s.path, err)
	}
	for _, hash := range hashes {
		if x, err := s.Snapshot(ctx, hash); len(faults) < maxFaults && (err != nil || HashSnapshot(x) != hash) {
			faults = append(faults, fmt.Sprintf("settings %s: they are not those that were recorded", hash))
		}
	}
	return len(ids), faults, ctx.Err()
}

// texts returns the first column of a query.
func (s *Store) texts(ctx context.Context, query string) ([]string, error) {
	return column[string](ctx, s.db, query)
}

// ids are the numbers of all runs.
func (s *Store) ids(ctx context.Context) ([]int64, error) {
	return column[int64](ctx, s.db, "SELECT id FROM runs ORDER BY id")
}

// column returns the first column of a query; after an error, what was read before it.
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
			return out, fmt.Errorf("%s: %w", strings.Fields(query)[0], err)
		}
		out = append(out, v)
	}
	return out, rows.Err()
}
