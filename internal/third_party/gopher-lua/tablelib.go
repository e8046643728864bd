package lua

import "sort"

func OpenTable(L *LState) int {
	L.Push(L.RegisterModule(TabLibName, tableFuncs))
	return 1
}

var tableFuncs = map[string]LGFunction{
	"concat":   tableConcat,
	"foreach":  tableForeach,
	"foreachi": tableForeachi,
	"getn":     tableGetN,
	"insert":   tableInsert,
	"maxn":     tableMaxN,
	"remove":   tableRemove,
	"sort":     tableSort,
}

func tableConcat(L *LState) int {
	tb := L.CheckTable(1)
	sep := L.OptString(2, "")
	i := L.OptInt(3, 1)
	var j int
	if isNil(L.Get(4)) {
		j = tb.Len()
	} else {
		j = L.CheckInt(4)
	}
	g := L.G
	buf := g.scratch[:0]
	for k := i; k <= j; k++ {
		v := tb.RawGetInt(k)
		if !LVCanConvToString(v) {
			L.RaiseError("invalid value (%s) at index %d in table for 'concat'", typeName(v), k)
		}
		buf = appendConcat(buf, v)
		if k < j {
			buf = append(buf, sep...)
		}
		if len(buf) > maxString {
			L.RaiseError("not enough memory")
		}
	}
	L.Push(newString(buf))
	if cap(buf) <= maxScratch {
		g.scratch = buf
	}
	return 1
}

func tableForeach(L *LState) int {
	tb := L.CheckTable(1)
	fn := L.CheckFunction(2)
	for key := LNil; ; {
		k, v, ok := tb.next(key)
		if !ok {
			L.RaiseError("invalid key to 'next'")
		}
		if isNil(k) {
			return 0
		}
		if r := L.callMeta1(fn, k, v); !isNil(r) {
			L.Push(r)
			return 1
		}
		key = k
	}
}

func tableForeachi(L *LState) int {
	tb := L.CheckTable(1)
	fn := L.CheckFunction(2)
	for i, n := 1, tb.Len(); i <= n; i++ {
		if r := L.callMeta1(fn, numberValue(LNumber(i)), tb.RawGetInt(i)); !isNil(r) {
			L.Push(r)
			return 1
		}
	}
	return 0
}

func tableGetN(L *LState) int {
	L.PushNumber(LNumber(L.CheckTable(1).Len()))
	return 1
}

func tableMaxN(L *LState) int {
	L.PushNumber(L.CheckTable(1).MaxN())
	return 1
}

func tableInsert(L *LState) int {
	tb := L.CheckTable(1)
	switch L.GetTop() {
	case 2:
		tb.Append(L.Get(2))
	case 3:
		i := L.CheckInt(2)
		if n := tb.Len(); i < 1 || i > n+1 {
			// moves what there is between, like LuaJIT
			if i > n+1 {
				tb.RawSet(LNumber(i), L.Get(3))
				return 0
			}
			if n-i > 1<<20 {
				L.RaiseError("not enough memory")
			}
		}
		tb.Insert(i, L.Get(3))
	default:
		L.RaiseError("wrong number of arguments to 'insert'")
	}
	return 0
}

func tableRemove(L *LState) int {
	tb := L.CheckTable(1)
	n := tb.Len()
	pos := L.OptInt(2, n)
	if pos < 1 || pos > n {
		if L.GetTop() > 1 {
			return 0
		}
		L.Push(LNil)
		return 1
	}
	L.Push(tb.Remove(pos))
	return 1
}

type sorter struct {
	L    *LState
	fn   LValue
	vals []LValue
	n    int
}

func (s *sorter) Len() int      { return len(s.vals) }
func (s *sorter) Swap(i, j int) { s.vals[i], s.vals[j] = s.vals[j], s.vals[i] }

func (s *sorter) Less(i, j int) bool {
	a, b := s.vals[i], s.vals[j]
	if s.fn == nil {
		return lessThan(s.L, a, b)
	}
	// more comparisons than any sort needs: the function contradicts itself
	if s.n++; s.n > 64*len(s.vals)+1000 {
		s.L.RaiseError("invalid order function for sorting")
	}
	return LVAsBool(s.L.callMeta1(s.fn, a, b))
}

func tableSort(L *LState) int {
	tb := L.CheckTable(1)
	s := &sorter{L: L}
	if fn := L.Get(2); !isNil(fn) {
		s.fn = L.CheckFunction(2)
	}
	n := tb.Len()
	s.vals = make([]LValue, n)
	for i := range s.vals {
		s.vals[i] = tb.RawGetInt(i + 1)
	}
	sort.Sort(s)
	for i := 1; i < n; i++ {
		if s.fn != nil && i < 64 && s.Less(i, i-1) && s.Less(i-1, i) {
			L.RaiseError("invalid order function for sorting")
		}
	}
	for i, v := range s.vals {
		tb.RawSetInt(i+1, v)
	}
	return 0
}
