package embedded

import (
	"io"

	"github.com/dolthub/go-mysql-server/sql"
)

// table is a table as the engine sees it. It does not change: statements that change a table put a new one in its
// place, with the same data where these stay.
type table struct {
	db        *database
	name      string
	schema    sql.PrimaryKeySchema
	collation sql.CollationID
	comment   string
	data      *tableData
	indexes   []sql.Index // the primary key first, if there is one
}

// What the engine asks of a table.
var (
	_ sql.InsertableTable          = (*table)(nil)
	_ sql.UpdatableTable           = (*table)(nil)
	_ sql.DeletableTable           = (*table)(nil)
	_ sql.ReplaceableTable         = (*table)(nil)
	_ sql.TruncateableTable        = (*table)(nil)
	_ sql.AutoIncrementTable       = (*table)(nil)
	_ sql.IndexAddressableTable    = (*table)(nil)
	_ sql.IndexAlterableTable      = (*table)(nil)
	_ sql.PrimaryKeyTable          = (*table)(nil)
	_ sql.PrimaryKeyAlterableTable = (*table)(nil)
	_ sql.RewritableTable          = (*table)(nil)
	_ sql.StatisticsTable          = (*table)(nil)
	_ sql.CommentedTable           = (*table)(nil)
	_ sql.IndexedTable             = (*indexedTable)(nil)
)

// with returns the table with what follows from its fields.
func (t table) with() *table {
	t.indexes = nil
	if t.data.keyed() {
		t.indexes = append(t.indexes, newIndex(&t, t.data.rows, ""))
	}
	for _, x := range t.data.secondaries() {
		t.indexes = append(t.indexes, newIndex(&t, x, x.comment))
	}
	return &t
}

// Name returns the table's name.
func (t *table) Name() string { return t.name }

func (t *table) String() string { return t.name }

// Schema returns the columns.
func (t *table) Schema() sql.Schema { return t.schema.Schema }

// PrimaryKeySchema returns the columns with the positions of the primary key's.
func (t *table) PrimaryKeySchema() sql.PrimaryKeySchema { return t.schema }

// Collation returns the default of columns.
func (t *table) Collation() sql.CollationID { return t.collation }

// Comment returns the comment of CREATE TABLE.
func (t *table) Comment() string { return t.comment }

// DataLength estimates the size in bytes.
func (t *table) DataLength(*sql.Context) (uint64, error) {
	const value = 32 // a column's, roughly
	return uint64(t.data.live.Load()) * uint64(len(t.schema.Schema)) * value, nil
}

// RowCount returns the number of rows, those of open transactions included.
func (t *table) RowCount(*sql.Context) (uint64, bool, error) {
	return uint64(max(0, t.data.live.Load())), true, nil
}

// partition is a part of a table that is read in one go: all rows, or those of an index lookup.
type partition struct {
	tree    *tree
	spans   []span
	reverse bool
}

// Key names the partition.
func (*partition) Key() []byte { return []byte("rows") }

// onePartition is a list of one.
type onePartition struct{ p *partition }

// Next returns the partition, once.
func (o *onePartition) Next(*sql.Context) (sql.Partition, error) {
	if o.p == nil {
		return nil, io.EOF
	}
	p := o.p
	o.p = nil
	return p, nil
}

// Close does nothing.
func (*onePartition) Close(*sql.Context) error { return nil }

// Partitions returns all rows as one partition.
func (t *table) Partitions(*sql.Context) (sql.PartitionIter, error) {
	return &onePartition{&partition{tree: t.data.rows, spans: everything()}}, nil
}

// PartitionRows reads a partition.
func (t *table) PartitionRows(ctx *sql.Context, p sql.Partition) (sql.RowIter, error) {
	part, ok := p.(*partition)
	if !ok {
		return nil, sql.ErrPartitionNotFound.New(p.Key())
	}
	r := &rows{scan: scan{data: t.data, tree: part.tree, spans: part.spans, reverse: part.reverse}}
	if locking(ctx.Query()) {
		r.scan.owner = transaction(ctx)
	}
	return r, nil
}

// rows is a scan as the engine wants it.
type rows struct{ scan scan }

// Next returns the next row.
func (r *rows) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := r.scan.Next(ctx)
	switch {
	case err != nil:
		return nil, failed(ctx, err)
	case row == nil:
		return nil, io.EOF
	}
	return row, nil
}

// Close does nothing.
func (*rows) Close(*sql.Context) error { return nil }

// indexedTable is a table that is read by an index.
type indexedTable struct{ *table }

// IndexedAccess returns the table as one that is read by an index.
func (t *table) IndexedAccess(*sql.Context, sql.IndexLookup) sql.IndexedTable {
	return &indexedTable{t}
}

// GetIndexes returns the indexes.
func (t *table) GetIndexes(*sql.Context) ([]sql.Index, error) { return t.indexes, nil }

// PreciseMatch reports that lookups return exactly what was asked for.
func (t *table) PreciseMatch() bool { return true }

// LookupPartitions returns the rows of a lookup as one partition.
func (t *indexedTable) LookupPartitions(ctx *sql.Context, lookup sql.IndexLookup) (sql.PartitionIter, error) {
	p, err := newPartition(ctx, lookup)
	if err != nil || p == nil {
		return &onePartition{}, err
	}
	return &onePartition{p}, nil
}

// Truncate removes all rows. The engine calls it for TRUNCATE, and for DELETE without a condition, which other than
// TRUNCATE can be rolled back.
func (t *table) Truncate(ctx *sql.Context) (int, error) {
	if !locking(ctx.Query()) {
		n := t.data.truncate()
		t.data.auto.Store(1)
		return n, nil
	}
	e := &editor{table: t}
	e.StatementBegin(ctx)
	all := rows{scan: scan{data: t.data, tree: t.data.rows, spans: everything(), owner: transaction(ctx)}}
	for n := 0; ; n++ {
		row, err := all.Next(ctx)
		if err == io.EOF {
			return n, nil
		}
		if err == nil {
			err = e.Delete(ctx, row)
		}
		if err != nil {
			_ = e.DiscardChanges(ctx, err) // never fails
			return 0, err
		}
	}
}

// PeekNextAutoIncrementValue returns the next AUTO_INCREMENT value and does not use it up.
func (t *table) PeekNextAutoIncrementValue(*sql.Context) (uint64, error) {
	return t.data.auto.Load(), nil
}

// GetNextAutoIncrementValue takes a value: a new one, or the one that an INSERT gives.
func (t *table) GetNextAutoIncrementValue(ctx *sql.Context, given any) (uint64, error) {
	if given == nil {
		return t.data.auto.Add(1) - 1, nil
	}
	n, err := toUint64(ctx, given)
	if err != nil {
		return 0, err
	}
	for next := t.data.auto.Load(); next <= n; next = t.data.auto.Load() {
		if t.data.auto.CompareAndSwap(next, n+1) {
			break
		}
	}
	return n, nil
}
