package embedded

import (
	"context"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/tidwall/btree"
)

// cutKind is where a cut lies among the values of a column, in this order; nil is the lowest value.
type cutKind int8

const (
	belowNull cutKind = iota
	aboveNull
	belowKey
	aboveKey
	aboveAll
)

// cut lies between two values.
type cut struct {
	kind cutKind
	key  any
}

// below reports whether the cut lies below a value.
func (c cut) below(v any, compare func(a, b any) int) bool {
	switch c.kind {
	case belowNull:
		return true
	case aboveNull:
		return v != nil
	case belowKey:
		return v != nil && compare(v, c.key) >= 0
	case aboveKey:
		return v != nil && compare(v, c.key) > 0
	}
	return false
}

// columnRange are the values of a column between two cuts.
type columnRange struct{ low, high cut }

// span is a contiguous part of a tree, and what entries in it have to meet.
type span struct {
	low, high *entry
	columns   []columnRange
}

// newSpan makes the narrowest span that contains all keys with these values: columns with one value come first in it, the
// next one gives its ends, and what follows has to be checked entry by entry.
func newSpan(t *tree, columns []columnRange) span {
	s := span{columns: columns}
	var prefix []any
	for i, c := range columns {
		if c.low.kind == belowKey && c.high.kind == aboveKey && t.compare[i](c.low.key, c.high.key) == 0 {
			prefix = append(prefix, c.low.key)
			continue
		}
		s.low, s.high = cutEntry(prefix, c.low), cutEntry(prefix, c.high)
		return s
	}
	s.low, s.high = &entry{key: prefix, bound: -1}, &entry{key: prefix, bound: 1}
	return s
}

// cutEntry is a bound behind a prefix of equal columns.
func cutEntry(prefix []any, c cut) *entry {
	prefix = prefix[:len(prefix):len(prefix)]
	switch c.kind {
	case belowNull:
		return &entry{key: prefix, bound: -1}
	case aboveNull:
		return &entry{key: append(prefix, nil), bound: 1}
	case belowKey:
		return &entry{key: append(prefix, c.key), bound: -1}
	case aboveKey:
		return &entry{key: append(prefix, c.key), bound: 1}
	}
	return &entry{key: prefix, bound: 1}
}

// contains reports whether a key lies in the span.
func (s *span) contains(t *tree, key []any) bool {
	for i, c := range s.columns {
		if !c.low.below(key[i], t.compare[i]) || c.high.below(key[i], t.compare[i]) {
			return false
		}
	}
	return true
}

// everything is the span of all entries.
func everything() []span { return []span{{low: &entry{bound: -1}, high: &entry{bound: 1}}} }

// gathered is how many entries a scan takes while it holds the lock. A longer one takes a copy of the tree, which
// is quick but makes writers copy the nodes that they change.
const gathered = 512

// scan yields the rows in spans of an index. It sees the index as it was at the first row, and each row as it is
// when its turn comes.
type scan struct {
	data    *tableData
	tree    *tree
	spans   []span // disjoint and ascending
	reverse bool
	owner   *txn // locks each row before it is yielded; nil for readers

	started bool
	copy    *btree.BTreeG[*entry] // of a scan that is longer than gathered
	list    []*entry              // what was gathered, up to next yielded already
	next    int
	current int    // span that is being gathered, in the order of the scan
	last    *entry // of that span, the last one gathered; nil before the first
	done    bool   // nothing is left to gather
}

// Next returns the next row, or nil at the end.
func (s *scan) Next(ctx context.Context) (sql.Row, error) {
	if !s.started {
		s.start()
	}
	for {
		if s.next == len(s.list) {
			if s.done {
				return nil, nil
			}
			s.done = s.gather(s.copy)
			continue
		}
		e := s.list[s.next]
		s.next++
		if s.owner != nil {
			// A row that its owner has deleted may come back, so that is waited for as well.
			if err := s.data.locks.lock(ctx, s.owner, e.slot); err != nil {
				return nil, err
			}
		}
		if row := s.check(e); row != nil {
			return row, nil
		}
	}
}

// start looks at the index.
func (s *scan) start() {
	s.started = true
	s.data.mu.RLock()
	s.done = s.gather(s.tree.entries)
	s.data.mu.RUnlock()
	if s.done {
		return
	}
	s.current, s.last = 0, nil
	s.data.mu.Lock()
	s.copy = s.tree.entries.Copy()
	s.data.mu.Unlock()
	s.done = s.gather(s.copy)
}

// gather fills the list with the next entries and reports whether these are the last ones.
func (s *scan) gather(entries *btree.BTreeG[*entry]) (done bool) {
	s.list, s.next = s.list[:0], 0
	for ; s.current < len(s.spans); s.current++ {
		sp, full := s.at(s.current), false
		take := func(e *entry) bool {
			if e == s.last {
				return true
			}
			if full = len(s.list) == gathered; full {
				return false
			}
			s.last = e
			if sp.contains(s.tree, e.key) {
				s.list = append(s.list, e)
			}
			return true
		}
		from := s.last
		if s.reverse {
			if from == nil {
				from = sp.high
			}
			entries.Descend(from, func(e *entry) bool { return s.tree.less(sp.low, e) && take(e) })
		} else {
			if from == nil {
				from = sp.low
			}
			entries.Ascend(from, func(e *entry) bool { return s.tree.less(e, sp.high) && take(e) })
		}
		if full {
			return false
		}
		s.last = nil
	}
	return true
}

// at returns a span in the order of the scan.
func (s *scan) at(i int) *span {
	if s.reverse {
		i = len(s.spans) - 1 - i
	}
	return &s.spans[i]
}

// check returns the row of an entry if it belongs to the result.
func (s *scan) check(e *entry) sql.Row {
	row := e.slot.load()
	if row == nil || s.tree == s.data.rows || s.tree.matches(e.key, row) {
		return row
	}
	// Another transaction has moved the row in this index. If it has moved to an entry that the scan meets, then
	// it is yielded there.
	moved := &entry{key: s.tree.keyOf(row), slot: e.slot}
	for i := range s.spans {
		if s.spans[i].contains(s.tree, moved.key) && !s.meets(moved) {
			return row
		}
	}
	return nil
}

// meets reports whether the index had an entry when the scan began.
func (s *scan) meets(e *entry) bool {
	if s.copy != nil {
		_, ok := s.copy.Get(e)
		return ok
	}
	return slices.ContainsFunc(s.list, func(o *entry) bool { return o.slot == e.slot && s.tree.keys(o.key, e.key) == 0 })
}
