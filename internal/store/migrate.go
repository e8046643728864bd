package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"deltabench/internal/report"
)

// migrations lead from version i to version i+1, each in a transaction of its own.
var migrations = []func(ctx context.Context, tx *sql.Tx) error{
	func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, schema1)
		return err
	},
	func(ctx context.Context, tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, schema2); err != nil {
			return err
		}
		return refill(ctx, tx, deriveWarnings)
	},
	func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, schema3)
		return err
	},
}

// refill makes rows from the document of every run.
func refill(ctx context.Context, tx *sql.Tx, derive func(*report.Document, func(table string, r row))) error {
	ids, err := column[int64](ctx, tx, "SELECT id FROM runs ORDER BY id")
	if err != nil {
		return err
	}
	f := filler{ctx: ctx, tx: tx, prepared: map[string]*sql.Stmt{}}
	defer f.close()
	for _, f.id = range ids {
		d, err := readDocument(ctx, tx, f.id)
		if err != nil {
			return err
		}
		if derive(d, f.add); f.err != nil {
			return f.err
		}
	}
	return nil
}

// queryer is a database or a transaction.
type queryer interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// version reads the schema's version of a store; 0 is an empty file. Other databases are an error.
func (s *Store) version(ctx context.Context, q queryer) (int, error) {
	var version, id, tables int
	err := q.QueryRowContext(ctx, "SELECT (SELECT user_version FROM pragma_user_version), (SELECT application_id FROM pragma_application_id), (SELECT count(*) FROM sqlite_schema)").
		Scan(&version, &id, &tables)
	switch {
	case err != nil:
		return 0, err
	case id != applicationID && (tables > 0 || version != 0 || id != 0):
		return 0, &Problem{Path: s.path, Reason: "the file is a database, but no store of deltabench", Fix: elsewhere}
	case version > Version:
		return 0, &Problem{
			Path: s.path, Reason: fmt.Sprintf("it has version %d, and this deltabench knows versions up to %d", version, Version),
			Fix: "use the newer deltabench, or " + elsewhere,
		}
	}
	return version, nil
}

// outdated is the problem of an old version that cannot be brought up to date.
func (s *Store) outdated(version int, err error) error {
	return &Problem{
		Path: s.path, Reason: fmt.Sprintf("it has version %d, and this deltabench reads version %d", version, Version),
		Fix: "it is brought up to date when the file and its directory can be written to", Err: err,
	}
}

// migrate brings a store up to date. Several processes may try at once; one of them does it.
func (s *Store) migrate(ctx context.Context) error {
	version, err := s.version(ctx, s.db)
	for err == nil && version < Version {
		version, err = s.step(ctx)
	}
	return err
}

// step does the next migration, if there is one still to do, and returns the version that the store has then.
func (s *Store) step(ctx context.Context) (int, error) {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer tx.Rollback() // after the commit it does nothing
	version, err := s.version(ctx, tx)
	if err != nil || version >= Version {
		return version, err
	}
	if err := migrations[version](ctx, tx); err != nil {
		var known *Problem
		var bad *damage
		if errors.As(err, &bad) {
			err = bad // and no word of an export, which would have to do the same
		} else {
			err = problem(s.path, err)
		}
		if !errors.As(err, &known) {
			err = &Problem{Path: s.path, Reason: fmt.Sprintf("its version %d cannot be brought up to date: %s", version, err), Fix: elsewhere, Err: err}
		}
		return 0, err
	}
	version++
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, version)); err != nil {
		return 0, err
	}
	return version, tx.Commit()
}
