package embedded

import (
	"fmt"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// index is an ordered index as the engine sees it.
type index struct {
	table   *table
	tree    *tree
	comment string
	columns []sql.ColumnExpressionType
}

var _ sql.OrderedIndex = (*index)(nil)

func newIndex(t *table, x *tree, comment string) *index {
	i := &index{table: t, tree: x, comment: comment}
	for _, c := range x.columns {
		column := t.schema.Schema[c]
		i.columns = append(i.columns, sql.ColumnExpressionType{Expression: t.name + "." + column.Name, Type: column.Type})
	}
	return i
}

// ID returns the name.
func (i *index) ID() string { return i.tree.name }

// Database returns the name of the database.
func (i *index) Database() string { return i.table.db.name }

// Table returns the name of the table.
func (i *index) Table() string { return i.table.name }

// Expressions returns the columns as table.column.
func (i *index) Expressions() []string {
	list := make([]string, len(i.columns))
	for n, c := range i.columns {
		list[n] = c.Expression
	}
	return list
}

// ColumnExpressionTypes returns the columns with their types.
func (i *index) ColumnExpressionTypes() []sql.ColumnExpressionType { return i.columns }

// IsUnique reports whether a key occurs once.
func (i *index) IsUnique() bool { return i.tree.unique }

// Other kinds of indexes do not exist here.
func (i *index) IsSpatial() bool                       { return false }
func (i *index) IsFullText() bool                      { return false }
func (i *index) IsVector() bool                        { return false }
func (i *index) IsGenerated() bool                     { return false }
func (i *index) CanSupportOrderBy(sql.Expression) bool { return false }

// Comment returns the comment of CREATE INDEX.
func (i *index) Comment() string { return i.comment }

// IndexType is that of InnoDB.
func (i *index) IndexType() string { return "BTREE" }

// CanSupport reports that all ranges can be looked up.
func (i *index) CanSupport(*sql.Context, ...sql.Range) bool { return true }

// PrefixLengths returns none: columns are indexed in full.
func (i *index) PrefixLengths() []uint16 { return nil }

// Order is that of the keys.
func (i *index) Order() sql.IndexOrder { return sql.IndexOrderAsc }

// Reversible reports that lookups can go backwards.
func (i *index) Reversible() bool { return true }

// newPartition makes the rows of a lookup; nil when there are none.
func newPartition(ctx *sql.Context, lookup sql.IndexLookup) (*partition, error) {
	i, ok := lookup.Index.(*index)
	ranges, isRanges := lookup.Ranges.(sql.MySQLRangeCollection)
	if !ok || !isRanges {
		return nil, fmt.Errorf("look up %s: unknown kind of index or range", lookup.Index.ID())
	}
	if lookup.IsEmptyRange {
		return nil, nil
	}
	p := &partition{tree: i.tree, reverse: lookup.IsReverse}
	for _, r := range ranges {
		columns := make([]columnRange, 0, len(i.columns))
		for n, c := range r {
			if n == len(i.columns) {
				break
			}
			low, err := newCut(ctx, c.LowerBound, i.columns[n].Type, belowNull)
			if err != nil {
				return nil, err
			}
			high, err := newCut(ctx, c.UpperBound, i.columns[n].Type, aboveAll)
			if err != nil {
				return nil, err
			}
			columns = append(columns, columnRange{low, high})
		}
		p.spans = append(p.spans, newSpan(i.tree, columns))
	}
	if len(p.spans) > 1 { // lookups of joins and IN lists come in any order
		slices.SortFunc(p.spans, func(a, b span) int {
			switch {
			case i.tree.less(a.low, b.low):
				return -1
			case i.tree.less(b.low, a.low):
				return 1
			}
			return 0
		})
	}
	return p, nil
}

// newCut translates a bound of the engine. Keys become values of the column's type where that does not change them, which
// makes comparing quick.
func newCut(ctx *sql.Context, c sql.MySQLRangeCut, typ sql.Type, none cutKind) (cut, error) {
	var kind cutKind
	var key any
	switch c := c.(type) {
	case sql.Below:
		kind, key = belowKey, c.Key
	case sql.Above:
		kind, key = aboveKey, c.Key
	case sql.BelowNull:
		return cut{kind: belowNull}, nil
	case sql.AboveNull:
		return cut{kind: aboveNull}, nil
	case sql.AboveAll:
		return cut{kind: aboveAll}, nil
	case nil:
		return cut{kind: none}, nil
	default:
		return cut{}, fmt.Errorf("unknown bound %T of a range", c)
	}
	converted, inRange, err := typ.Convert(ctx, key)
	if err != nil || inRange != sql.InRange {
		// Such as 1e20 for an INT: it has its place in the order, but is no value of the column.
		return cut{kind, key}, nil
	}
	if c, err := typ.Compare(ctx, key, converted); err != nil || c != 0 {
		return cut{kind, key}, nil
	}
	return cut{kind, converted}, nil
}

func toUint64(ctx *sql.Context, v any) (uint64, error) {
	n, _, err := types.Uint64.Convert(ctx, v)
	if err != nil {
		return 0, err
	}
	return n.(uint64), nil
}
