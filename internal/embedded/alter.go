package embedded

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
)

// CreateIndex builds an index from the rows that are there.
func (t *table) CreateIndex(_ *sql.Context, def sql.IndexDef) error {
	if def.IsFullText() || def.IsSpatial() || def.IsVector() {
		return fmt.Errorf("create index %s: only ordered indexes are supported by the embedded server", def.Name)
	}
	now := t.db.current(t)
	var columns []int
	for _, c := range def.Columns {
		n := now.schema.Schema.IndexOfColName(c.Name)
		if n < 0 {
			return sql.ErrKeyColumnDoesNotExist.New(c.Name)
		}
		if c.Length > 0 && def.IsUnique() {
			return fmt.Errorf("create index %s: unique indexes of prefixes are not supported by the embedded server", def.Name)
		}
		columns = append(columns, n)
	}
	x := newTree(def.Name, now.schema.Schema, columns, def.IsUnique())
	x.comment = def.Comment
	if err := now.data.addIndex(x); err != nil {
		return (&editor{table: t}).failed(nil, err)
	}
	t.db.replace(now)
	return nil
}

// DropIndex removes an index.
func (t *table) DropIndex(_ *sql.Context, name string) error {
	now := t.db.current(t)
	if !now.data.changeIndexes(func(list []*tree) []*tree {
		return slices.DeleteFunc(list, func(x *tree) bool { return strings.EqualFold(x.name, name) })
	}) {
		return sql.ErrCantDropFieldOrKey.New(name)
	}
	t.db.replace(now)
	return nil
}

// RenameIndex gives an index another name.
func (t *table) RenameIndex(_ *sql.Context, from, to string) error {
	now := t.db.current(t)
	if !now.data.changeIndexes(func(list []*tree) []*tree {
		for i, x := range list {
			if strings.EqualFold(x.name, from) {
				renamed := *x
				renamed.name = to
				list[i] = &renamed
				return list
			}
		}
		return nil
	}) {
		return sql.ErrCantDropFieldOrKey.New(from)
	}
	t.db.replace(now)
	return nil
}

// The engine changes columns and primary keys by a rewrite of the table, since ShouldRewriteTable says so. These are
// asked for nothing then.

// AddColumn is not called.
func (t *table) AddColumn(*sql.Context, *sql.Column, *sql.ColumnOrder) error { return errNotRewritten }

// DropColumn is not called.
func (t *table) DropColumn(*sql.Context, string) error { return errNotRewritten }

// ModifyColumn changes what needs no rewrite, such as the default of a column.
func (t *table) ModifyColumn(_ *sql.Context, name string, column *sql.Column, order *sql.ColumnOrder) error {
	now := t.db.current(t)
	n := now.schema.Schema.IndexOfColName(name)
	if n < 0 || order != nil || !now.schema.Schema[n].Type.Equals(column.Type) {
		return errNotRewritten
	}
	now.schema.Schema = now.schema.Schema.Copy()
	now.schema.Schema[n] = column
	t.db.replace(now)
	return nil
}

// CreatePrimaryKey is not called.
func (t *table) CreatePrimaryKey(*sql.Context, []sql.IndexColumn) error { return errNotRewritten }

// DropPrimaryKey is not called.
func (t *table) DropPrimaryKey(*sql.Context) error { return errNotRewritten }

var errNotRewritten = fmt.Errorf("this change of a table is not supported by the embedded server")

// ShouldRewriteTable says that all changes of the schema are made by a rewrite.
func (t *table) ShouldRewriteTable(*sql.Context, sql.PrimaryKeySchema, sql.PrimaryKeySchema, *sql.Column, *sql.Column) bool {
	return true
}

// RewriteInserter returns an inserter into a table of the new schema, which takes the place of this one in the end.
// Changes that others make meanwhile are lost.
func (t *table) RewriteInserter(ctx *sql.Context, old, schema sql.PrimaryKeySchema, oldColumn, newColumn *sql.Column, _ []sql.IndexColumn) (sql.RowInserter, error) {
	now := t.db.current(t)
	next := now
	next.schema = schema
	next.data = newTableData(t.db.locks, schema)
	next.data.auto.Store(now.data.auto.Load())
	for _, x := range now.data.secondaries() {
		var columns []int
		for _, c := range x.columns {
			name := old.Schema[c].Name
			if oldColumn != nil && newColumn != nil && strings.EqualFold(name, oldColumn.Name) {
				name = newColumn.Name
			}
			if n := schema.Schema.IndexOfColName(name); n >= 0 {
				columns = append(columns, n)
			}
		}
		if len(columns) == 0 { // all of its columns have gone
			continue
		}
		y := newTree(x.name, schema.Schema, columns, x.unique)
		y.comment = x.comment
		next.data.secondary = append(next.data.secondary, y)
	}
	return &rewriter{editor: editor{table: &next}, txn: newTxn(t.db.locks, false)}, nil
}

// rewriter fills a table that nobody knows yet.
type rewriter struct {
	editor
	txn    *txn
	failed bool
}

// StatementBegin does nothing.
func (r *rewriter) StatementBegin(*sql.Context) {}

// DiscardChanges gives the rewrite up.
func (r *rewriter) DiscardChanges(*sql.Context, error) error {
	r.failed = true
	return nil
}

// Insert adds a row of the new schema.
func (r *rewriter) Insert(ctx *sql.Context, row sql.Row) error {
	err := r.table.data.insert(ctx, r.txn, slices.Clone(row))
	return r.editor.failed(ctx, err)
}

// Close makes the new table the one that everybody sees.
func (r *rewriter) Close(*sql.Context) error {
	r.txn.commit()
	if !r.failed {
		r.table.db.replace(*r.table)
	}
	return nil
}
