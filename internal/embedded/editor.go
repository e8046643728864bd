package embedded

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
)

// editor changes a table on behalf of one statement.
type editor struct {
	table *table
	txn   *txn // of the statement; nil before its beginning
	mark  int
}

var (
	_ sql.TableEditor         = (*editor)(nil)
	_ sql.AutoIncrementSetter = (*editor)(nil)
)

// Inserter returns an editor.
func (t *table) Inserter(*sql.Context) sql.RowInserter { return &editor{table: t} }

// Updater returns an editor.
func (t *table) Updater(*sql.Context) sql.RowUpdater { return &editor{table: t} }

// Deleter returns an editor.
func (t *table) Deleter(*sql.Context) sql.RowDeleter { return &editor{table: t} }

// Replacer returns an editor.
func (t *table) Replacer(*sql.Context) sql.RowReplacer { return &editor{table: t} }

// AutoIncrementSetter returns an editor.
func (t *table) AutoIncrementSetter(*sql.Context) sql.AutoIncrementSetter { return &editor{table: t} }

// StatementBegin notes where a failed statement goes back to.
func (e *editor) StatementBegin(ctx *sql.Context) {
	e.txn = transaction(ctx)
	e.mark = e.txn.mark()
}

// DiscardChanges takes the statement back, unless a deadlock has taken back the whole transaction.
func (e *editor) DiscardChanges(*sql.Context, error) error {
	if e.txn != nil && !e.txn.over {
		e.txn.undoTo(e.mark)
	}
	return nil
}

// StatementComplete does nothing: changes were made in place.
func (e *editor) StatementComplete(*sql.Context) error { return nil }

// Insert adds a row.
func (e *editor) Insert(ctx *sql.Context, row sql.Row) error {
	return e.failed(ctx, e.table.data.insert(ctx, transaction(ctx), slices.Clone(row)))
}

// Update replaces a row.
func (e *editor) Update(ctx *sql.Context, old, row sql.Row) error {
	return e.failed(ctx, e.table.data.update(ctx, transaction(ctx), old, slices.Clone(row)))
}

// Delete removes a row.
func (e *editor) Delete(ctx *sql.Context, row sql.Row) error {
	return e.failed(ctx, e.table.data.delete(ctx, transaction(ctx), row))
}

// Close does nothing.
func (e *editor) Close(*sql.Context) error { return nil }

// SetAutoIncrementValue sets the next value, but not below those in use.
func (e *editor) SetAutoIncrementValue(_ *sql.Context, next uint64) error {
	e.table.data.auto.Store(next)
	return nil
}

// AcquireAutoIncrementLock does nothing: values are taken one by one.
func (e *editor) AcquireAutoIncrementLock(*sql.Context) (func(), error) { return func() {}, nil }

// failed turns an error of the data into one of the engine, which handles duplicate keys.
func (e *editor) failed(ctx *sql.Context, err error) error {
	var dup *duplicateError
	if !errors.As(err, &dup) {
		return failed(ctx, err)
	}
	values := make([]string, len(dup.key))
	for i, v := range dup.key {
		values[i] = fmt.Sprint(v)
	}
	text := fmt.Sprintf("%s%s' for key '%s.%s'", duplicateEntry, strings.Join(values, "-"), e.table.name, dup.index)
	// The engine appends to the row that is there.
	return sql.NewUniqueKeyErr(text, dup.index == primaryName, slices.Clip(dup.existing))
}

// failed turns an error of locks into one of the engine. A deadlock ends the transaction.
func failed(ctx *sql.Context, err error) error {
	switch {
	case errors.Is(err, errDeadlock):
		transaction(ctx).rollback()
		return sql.ErrLockDeadlock.New(errDeadlock)
	case errors.Is(err, errLockTimeout):
		return lockTimeout()
	}
	return err
}
