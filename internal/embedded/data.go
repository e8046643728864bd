package embedded

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/tidwall/btree"
)

// primaryName is MySQL's name of the primary key's index.
const primaryName = "PRIMARY"

// tableData are the rows of a table with their indexes. It is safe for concurrent use; writers hold a txn.
//
// Lock order: mu, then locks.mu. Nobody waits for a row while holding mu.
type tableData struct {
	locks   *locks
	schema  sql.PrimaryKeySchema
	compare []func(a, b any) int // of the columns of schema

	mu        sync.RWMutex
	rows      *tree   // by primary key, or in order of arrival when there is none
	secondary []*tree // replaced, never changed in place
	lastID    uint64  // of slots

	auto atomic.Uint64 // next AUTO_INCREMENT value
	live atomic.Int64  // number of rows
}

// slot is the place of one row, identified by its primary key. Its row may be replaced by another one of the same key.
type slot struct {
	data  *tableData
	id    uint64                  // in order of arrival
	place *entry                  // in data.rows
	row   atomic.Pointer[sql.Row] // nil: no row, deleted or not there yet
	owner *txn                    // guarded by locks.mu
	gone  bool                    // no longer in data.rows; guarded by data.mu
}

// load returns the row, or nil. Rows are never changed in place.
func (s *slot) load() sql.Row {
	if r := s.row.Load(); r != nil {
		return *r
	}
	return nil
}

func (s *slot) store(row sql.Row) {
	if row == nil {
		s.row.Store(nil)
		return
	}
	s.row.Store(&row)
}

// entry is an element of a tree, or a bound between elements.
type entry struct {
	key   []any // of the index's columns; a bound may have fewer
	slot  *slot // nil for a bound
	bound int   // -1, 1: a bound below, above all entries that begin with key
}

// tree is an ordered index: entries by key, then by row.
type tree struct {
	name    string
	columns []int // positions in the schema; none: in order of arrival
	unique  bool
	comment string
	compare []func(a, b any) int
	entries *btree.BTreeG[*entry]
}

func newTree(name string, schema sql.Schema, columns []int, unique bool) *tree {
	t := &tree{name: name, columns: columns, unique: unique}
	for _, c := range columns {
		t.compare = append(t.compare, comparer(schema[c].Type))
	}
	t.entries = btree.NewBTreeGOptions(t.less, btree.Options{NoLocks: true})
	return t
}

func (t *tree) less(a, b *entry) bool {
	if c := t.keys(a.key, b.key); c != 0 {
		return c < 0
	}
	if a.bound != 0 || b.bound != 0 {
		return a.bound < b.bound
	}
	return a.slot.id < b.slot.id
}

// keys compares as many columns as both keys have.
func (t *tree) keys(a, b []any) int {
	for i := range min(len(a), len(b)) {
		if c := t.compare[i](a[i], b[i]); c != 0 {
			return c
		}
	}
	return 0
}

// keyOf returns the key of a row.
func (t *tree) keyOf(row sql.Row) []any {
	key := make([]any, len(t.columns))
	for i, c := range t.columns {
		key[i] = row[c]
	}
	return key
}

// matches reports whether a row has this key.
func (t *tree) matches(key []any, row sql.Row) bool {
	for i, c := range t.columns {
		if t.compare[i](key[i], row[c]) != 0 {
			return false
		}
	}
	return true
}

// each calls f for the entries with this key until it returns false. The caller holds the data's mu.
func (t *tree) each(key []any, f func(*entry) bool) {
	t.entries.Ascend(&entry{key: key, bound: -1}, func(e *entry) bool {
		return t.keys(e.key, key) == 0 && f(e)
	})
}

func hasNull(key []any) bool {
	for _, v := range key {
		if v == nil {
			return true
		}
	}
	return false
}

func newTableData(l *locks, schema sql.PrimaryKeySchema) *tableData {
	d := &tableData{locks: l, schema: schema}
	for _, c := range schema.Schema {
		d.compare = append(d.compare, comparer(c.Type))
	}
	d.rows = newTree(primaryName, schema.Schema, schema.PkOrdinals, true)
	d.auto.Store(1)
	return d
}

func (d *tableData) keyed() bool { return len(d.schema.PkOrdinals) > 0 }

// duplicateError says that a row with a unique key exists.
type duplicateError struct {
	index    string
	key      []any
	existing sql.Row
}

func (e *duplicateError) Error() string { return "duplicate key for " + e.index }

// insert adds a row.
func (d *tableData) insert(ctx context.Context, t *txn, row sql.Row) error {
	for {
		wait, err := d.tryInsert(t, row)
		if err != nil || wait == nil {
			return err
		}
		if err := d.locks.lock(ctx, t, wait); err != nil {
			return err
		}
	}
}

// tryInsert returns the slot that has to be waited for, if any.
func (d *tableData) tryInsert(t *txn, row sql.Row) (wait *slot, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if wait, err = d.collision(t, row, nil, nil); wait != nil || err != nil {
		return wait, err
	}
	s := d.place(row)
	if !d.locks.tryLock(t, s) {
		return s, nil
	}
	d.put(t, s, row)
	return nil, nil
}

// place returns the slot for a new row: that of a deleted row of the same key, or a new one. The caller holds mu.
func (d *tableData) place(row sql.Row) (s *slot) {
	key := d.rows.keyOf(row)
	if d.keyed() {
		d.rows.each(key, func(e *entry) bool { s = e.slot; return false })
	}
	if s == nil {
		d.lastID++
		s = &slot{data: d, id: d.lastID}
		s.place = &entry{key: key, slot: s}
		d.rows.entries.Set(s.place)
	}
	return s
}

// collision looks for rows with the unique keys of a row that is to come. Rows of mine with these keys do not count; keys
// that equal those of before need no look. It returns a slot whose owner has not decided yet, or a duplicateError.
func (d *tableData) collision(t *txn, row sql.Row, mine *slot, before sql.Row) (wait *slot, err error) {
	look := func(x *tree) bool {
		key := x.keyOf(row)
		if hasNull(key) || before != nil && x.matches(key, before) {
			return true
		}
		x.each(key, func(e *entry) bool {
			if e.slot == mine {
				return true
			}
			if !d.locks.tryLock(t, e.slot) {
				wait = e.slot
				return false
			}
			if r := e.slot.load(); r != nil && x.matches(key, r) {
				err = &duplicateError{index: x.name, key: key, existing: r}
				return false
			}
			return true
		})
		return wait == nil && err == nil
	}
	if d.keyed() && !look(d.rows) {
		return wait, err
	}
	for _, x := range d.secondary {
		if x.unique && !look(x) {
			break
		}
	}
	return wait, err
}

// put makes row the row of s, which t owns. The caller holds mu.
func (d *tableData) put(t *txn, s *slot, row sql.Row) {
	old := s.load()
	t.changes = append(t.changes, change{slot: s, old: old})
	d.replace(s, old, row)
}

// replace sets the row and adds entries of new keys. Entries of the old row stay.
func (d *tableData) replace(s *slot, old, row sql.Row) {
	if row != nil {
		for _, x := range d.secondary {
			if key := x.keyOf(row); old == nil || !x.matches(key, old) {
				x.entries.Set(&entry{key: key, slot: s})
			}
		}
	}
	s.store(row)
	switch {
	case old == nil && row != nil:
		d.live.Add(1)
	case old != nil && row == nil:
		d.live.Add(-1)
	}
}

// restore takes a change back: the row was old before.
func (d *tableData) restore(s *slot, old sql.Row) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if s.gone { // the table was truncated since
		return
	}
	row := s.load()
	d.replace(s, row, old)
	d.drop(s, row, old)
}

// forget removes the entries of a row that is no more.
func (d *tableData) forget(s *slot, old sql.Row) {
	if old == nil {
		return
	}
	row := s.load()
	for _, x := range d.secondaries() {
		if row == nil || !x.matches(x.keyOf(old), row) {
			d.mu.Lock()
			d.drop(s, old, row)
			d.mu.Unlock()
			return
		}
	}
}

// secondaries returns the secondary indexes of this moment.
func (d *tableData) secondaries() []*tree {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.secondary
}

// drop removes the entries of a row but those that another row of the slot has as well. The caller holds mu.
func (d *tableData) drop(s *slot, row, except sql.Row) {
	if row == nil {
		return
	}
	for _, x := range d.secondary {
		if key := x.keyOf(row); except == nil || !x.matches(key, except) {
			x.entries.Delete(&entry{key: key, slot: s})
		}
	}
}

// settle removes a slot without a row, at the end of the transaction that owns it.
func (d *tableData) settle(s *slot) {
	if s.row.Load() != nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if !s.gone {
		d.rows.entries.Delete(s.place)
		s.gone = true
	}
}

// update replaces the row old by row.
func (d *tableData) update(ctx context.Context, t *txn, old, row sql.Row) error {
	s, err := d.own(ctx, t, old)
	if err != nil {
		return err
	}
	for {
		wait, err := d.tryUpdate(t, s, old, row)
		if err != nil || wait == nil {
			return err
		}
		if err := d.locks.lock(ctx, t, wait); err != nil {
			return err
		}
	}
}

func (d *tableData) tryUpdate(t *txn, s *slot, old, row sql.Row) (wait *slot, err error) {
	moves := d.keyed() && !d.rows.matches(d.rows.keyOf(row), old)
	d.mu.Lock()
	defer d.mu.Unlock()
	if s.gone {
		return nil, errDeadlock
	}
	if wait, err = d.collision(t, row, s, old); wait != nil || err != nil {
		return wait, err
	}
	if !moves {
		d.put(t, s, row)
		return nil, nil
	}
	to := d.place(row)
	if !d.locks.tryLock(t, to) {
		return to, nil
	}
	d.put(t, s, nil)
	d.put(t, to, row)
	return nil, nil
}

// delete removes a row.
func (d *tableData) delete(ctx context.Context, t *txn, old sql.Row) error {
	s, err := d.own(ctx, t, old)
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if s.gone {
		return errDeadlock
	}
	d.put(t, s, nil)
	return nil
}

// own finds the slot of a row that was read and locks it. Statements that write lock what they read, so the row
// is the same still; if it is not (a statement that the scan did not take for a writing one) the transaction has to
// start again.
func (d *tableData) own(ctx context.Context, t *txn, old sql.Row) (*slot, error) {
	s := d.find(t, old)
	if s == nil {
		return nil, errDeadlock
	}
	if err := d.locks.lock(ctx, t, s); err != nil {
		return nil, err
	}
	if !d.same(s.load(), old) {
		return nil, errDeadlock
	}
	return s, nil
}

// find returns the slot of a row. Without a primary key it is one of those with an equal row, t's own if there is one.
func (d *tableData) find(t *txn, row sql.Row) (found *slot) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if d.keyed() {
		d.rows.each(d.rows.keyOf(row), func(e *entry) bool { found = e.slot; return false })
		return found
	}
	visit := func(e *entry) bool {
		if !d.same(e.slot.load(), row) {
			return true
		}
		found = e.slot
		return !d.locks.owns(t, found)
	}
	if len(d.secondary) > 0 {
		d.secondary[0].each(d.secondary[0].keyOf(row), visit)
	} else {
		d.rows.entries.Scan(visit)
	}
	return found
}

// same reports whether two rows have equal values. Most are the same row.
func (d *tableData) same(a, b sql.Row) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if d.compare[i](a[i], b[i]) != 0 {
			return false
		}
	}
	return true
}

// truncate removes all rows at once; it cannot be undone, as in MySQL. It returns their number.
func (d *tableData) truncate() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.rows.entries.Scan(func(e *entry) bool { e.slot.gone = true; return true })
	d.rows.entries.Clear()
	for _, x := range d.secondary {
		x.entries.Clear()
	}
	return int(d.live.Swap(0))
}

// addIndex builds an index.
func (d *tableData) addIndex(x *tree) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if slices.ContainsFunc(d.secondary, func(o *tree) bool { return strings.EqualFold(o.name, x.name) }) {
		return sql.ErrDuplicateKey.New(x.name)
	}
	var dup *duplicateError
	d.rows.entries.Scan(func(e *entry) bool {
		row := e.slot.load()
		if row == nil {
			return true
		}
		key := x.keyOf(row)
		if x.unique && !hasNull(key) {
			x.each(key, func(*entry) bool {
				dup = &duplicateError{index: x.name, key: key, existing: row}
				return false
			})
		}
		x.entries.Set(&entry{key: key, slot: e.slot})
		return dup == nil
	})
	if dup != nil {
		return dup
	}
	d.secondary = append(slices.Clip(d.secondary), x)
	return nil
}

// changeIndexes replaces the list of secondary indexes by what f makes of a copy; nil, or as many as before with the
// same names, is no change. It reports whether there was one.
func (d *tableData) changeIndexes(f func([]*tree) []*tree) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	list := f(slices.Clone(d.secondary))
	if list == nil && len(d.secondary) != 1 || slices.Equal(list, d.secondary) {
		return false
	}
	d.secondary = list
	return true
}
