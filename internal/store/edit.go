package store

import (
	"context"
	"database/sql"
	"maps"
	"slices"
)

// setTags sets tags of a run; an empty value removes one.
func setTags(ctx context.Context, tx *sql.Tx, id int64, tags map[string]string) error {
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		query, args := "INSERT INTO tags (run_id, key, value) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value", []any{id, key, tags[key]}
		if tags[key] == "" {
			query, args = "DELETE FROM tags WHERE run_id = ? AND key = ?", args[:2]
		}
		if _, err := tx.ExecContext(ctx, query, args...); err != nil {
			return err
		}
	}
	return nil
}

// one runs a statement that must touch one run.
func one(ctx context.Context, tx *sql.Tx, id int64, query string, args ...any) error {
	res, err := tx.ExecContext(ctx, query, args...)
	if err != nil {
		return err
	}
	n, err := res.RowsAffected()
	if err == nil && n == 0 {
		err = noRun(id)
	}
	return err
}

// Tag sets tags of runs; an empty value removes one. When a run does not exist (ErrNoRun), none is changed.
func (s *Store) Tag(ctx context.Context, ids []int64, tags map[string]string) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		for _, id := range ids {
			if err := one(ctx, tx, id, "UPDATE runs SET note = note WHERE id = ?", id); err != nil {
				return err
			}
			if err := setTags(ctx, tx, id, tags); err != nil {
				return err
			}
		}
		return nil
	})
}

// SetNote replaces the note of runs. When a run does not exist (ErrNoRun), none is changed.
func (s *Store) SetNote(ctx context.Context, ids []int64, note string) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		for _, id := range ids {
			if err := one(ctx, tx, id, "UPDATE runs SET note = ? WHERE id = ?", note, id); err != nil {
				return err
			}
		}
		return nil
	})
}

// Delete removes runs with all that belongs to them: all of them or, when one does not exist (ErrNoRun), none.
func (s *Store) Delete(ctx context.Context, ids ...int64) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		for _, id := range ids {
			if err := one(ctx, tx, id, "DELETE FROM runs WHERE id = ?", id); err != nil {
				return err
			}
		}
		return dropSnapshots(ctx, tx)
	})
}
