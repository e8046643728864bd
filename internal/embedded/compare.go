package embedded

import (
	"cmp"
	"context"
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
)

// comparer returns the order of the values of a type: nil first, then as the type compares. Values are what the type
// itself makes of them (Convert); the integers that workloads use need no call of the type.
func comparer(typ sql.Type) func(a, b any) int {
	return func(a, b any) int {
		switch a := a.(type) {
		case nil:
			if b == nil {
				return 0
			}
			return -1
		case int32:
			if b, ok := b.(int32); ok {
				return cmp.Compare(a, b)
			}
		case int64:
			if b, ok := b.(int64); ok {
				return cmp.Compare(a, b)
			}
		}
		if b == nil {
			return 1
		}
		c, err := typ.Compare(context.Background(), a, b)
		if err != nil {
			// Stored values have been converted to the type, and bounds are checked before they get here.
			panic(fmt.Sprintf("compare %T and %T as %s: %v", a, b, typ, err))
		}
		return c
	}
}
