package lua

import (
	"hash/maphash"
	"math"
	"math/bits"
	"unsafe"
)

// LTable is a Lua table. The values of 1..len(array) are in array; all other keys are nodes in the order of their first
// assignment, chained by hash when there are more than smallTable of them. A node whose value is nil (Go's nil) is free to
// be dropped when the nodes grow, not earlier: next must find its key while a loop clears fields.
type LTable struct {
	Metatable LValue

	array []LValue
	// exact: the array has the size that a constructor gave it; otherwise it counts as rounded up to a power of two, as
	// LuaJIT's does. It matters for # of arrays with holes only.
	exact bool

	nodes []tnode
	live  int     // nodes with a value; those of the array not counted
	heads []int32 // node index + 1 of each hash chain; nil for small tables
}

type tnode struct {
	key  LValue
	val  LValue // nil: none
	hash uint32
	next int32 // node index + 1
}

const (
	smallTable      = 8
	maxPreallocated = 1 << 16
)

var hashSeed = maphash.MakeSeed()

func hashString(s string) uint32 { return uint32(maphash.String(hashSeed, s)) }

func hashValue(key LValue) uint32 {
	switch k := key.(type) {
	case LString:
		return hashString(string(k))
	case LNumber:
		b := math.Float64bits(float64(k))
		b *= 0x9e3779b97f4a7c15
		return uint32(b >> 32)
	case LBool:
		if k {
			return 1
		}
		return 2
	case LChannel:
		return 3
	}
	// all others are pointers; Go's collector does not move what they point to
	p := uint64(uintptr((*iface)(unsafe.Pointer(&key)).word))
	p *= 0x9e3779b97f4a7c15
	return uint32(p >> 32)
}

func newLTable(acap int, hcap int) *LTable {
	tb := &LTable{Metatable: LNil}
	if acap > 0 {
		tb.array = make([]LValue, 0, min(acap, maxPreallocated))
	}
	if hcap > 0 {
		tb.nodes = make([]tnode, 0, min(hcap, maxPreallocated))
	}
	return tb
}

// findString gives the index of the node of key, or -1.
func (tb *LTable) findString(key string) int {
	if tb.heads == nil {
		for i := range tb.nodes {
			if s, ok := tb.nodes[i].key.(LString); ok && string(s) == key {
				return i
			}
		}
		return -1
	}
	h := hashString(key)
	for i := tb.heads[h&uint32(len(tb.heads)-1)]; i != 0; {
		n := &tb.nodes[i-1]
		if n.hash == h {
			if s, ok := n.key.(LString); ok && string(s) == key {
				return int(i - 1)
			}
		}
		i = n.next
	}
	return -1
}

func (tb *LTable) find(key LValue) int {
	if s, ok := key.(LString); ok {
		return tb.findString(string(s))
	}
	if len(tb.nodes) == 0 {
		return -1
	}
	if tb.heads == nil {
		for i := range tb.nodes {
			if tb.nodes[i].key == key {
				return i
			}
		}
		return -1
	}
	h := hashValue(key)
	for i := tb.heads[h&uint32(len(tb.heads)-1)]; i != 0; {
		n := &tb.nodes[i-1]
		if n.hash == h && n.key == key {
			return int(i - 1)
		}
		i = n.next
	}
	return -1
}

// insert adds a node for a key that has none. value is not nil.
func (tb *LTable) insert(key, value LValue) {
	if n := len(tb.nodes); n == cap(tb.nodes) {
		if tb.live <= n-n/4 && n > 0 && tb.live < n {
			tb.compact()
		} else {
			nodes := make([]tnode, n, max(2, 2*n))
			copy(nodes, tb.nodes)
			tb.nodes = nodes
		}
	}
	i := len(tb.nodes)
	tb.live++
	if tb.heads == nil && i < smallTable {
		tb.nodes = append(tb.nodes, tnode{key: key, val: value})
		return
	}
	tb.nodes = append(tb.nodes, tnode{key: key, val: value, hash: hashValue(key)})
	if len(tb.nodes) > len(tb.heads) {
		tb.rehash()
		return
	}
	n := &tb.nodes[i]
	head := &tb.heads[n.hash&uint32(len(tb.heads)-1)]
	n.next = *head
	*head = int32(i + 1)
}

func (tb *LTable) rehash() {
	size := 1 << bits.Len(uint(max(cap(tb.nodes), len(tb.nodes))-1))
	if size != len(tb.heads) {
		first := tb.heads == nil
		tb.heads = make([]int32, size)
		if first {
			for i := range tb.nodes {
				tb.nodes[i].hash = hashValue(tb.nodes[i].key)
			}
		}
	} else {
		clear(tb.heads)
	}
	mask := uint32(size - 1)
	for i := range tb.nodes {
		n := &tb.nodes[i]
		head := &tb.heads[n.hash&mask]
		n.next = *head
		*head = int32(i + 1)
	}
}

// compact drops nodes without value.
func (tb *LTable) compact() {
	w := 0
	for i := range tb.nodes {
		if tb.nodes[i].val != nil {
			if w != i {
				tb.nodes[w] = tb.nodes[i]
			}
			w++
		}
	}
	clear(tb.nodes[w:])
	tb.nodes = tb.nodes[:w]
	if tb.heads != nil {
		tb.rehash()
	}
}

// hashSet assigns to a key that is not in the array.
func (tb *LTable) hashSet(key, value LValue) {
	if i := tb.find(key); i >= 0 {
		tb.setNode(i, value)
		return
	}
	if isNil(value) {
		return
	}
	tb.insert(key, value)
}

func (tb *LTable) setNode(i int, value LValue) {
	n := &tb.nodes[i]
	if isNil(value) {
		if n.val != nil {
			n.val = nil
			tb.live--
		}
		return
	}
	if n.val == nil {
		tb.live++
	}
	n.val = value
}

// migrate moves what follows the array from the nodes into it.
func (tb *LTable) migrate() {
	for tb.live > 0 {
		i := tb.find(LNumber(len(tb.array) + 1))
		if i < 0 || tb.nodes[i].val == nil {
			return
		}
		tb.array = append(tb.array, tb.nodes[i].val)
		tb.nodes[i].val = nil
		tb.live--
	}
}

// Len returns length of this LTable without using __len.
func (tb *LTable) Len() int {
	n := len(tb.array)
	if n > 0 && isNil(tb.array[n-1]) {
		lo, hi := 0, n
		if !tb.exact {
			hi = 1 << bits.Len(uint(n-1))
		}
		for hi-lo > 1 {
			mid := (lo + hi) / 2
			if mid > n || isNil(tb.array[mid-1]) {
				hi = mid
			} else {
				lo = mid
			}
		}
		return lo
	}
	if tb.live == 0 {
		return n
	}
	for tb.getHash(LNumber(n+1)) != LNil {
		n++
	}
	return n
}

func (tb *LTable) getHash(key LValue) LValue {
	if i := tb.find(key); i >= 0 && tb.nodes[i].val != nil {
		return tb.nodes[i].val
	}
	return LNil
}

// Append appends a given LValue to this LTable.
func (tb *LTable) Append(value LValue) {
	tb.RawSetInt(tb.Len()+1, value)
}

// Insert inserts a given LValue at position `i` in this table.
func (tb *LTable) Insert(i int, value LValue) {
	e := tb.Len() + 1
	if i > e {
		e = i
	}
	if i >= 1 && e == len(tb.array)+1 && i <= len(tb.array) {
		tb.array = append(tb.array, LNil)
		copy(tb.array[i:], tb.array[i-1:])
		tb.array[i-1] = value
		tb.exact = false
		if tb.live > 0 {
			tb.migrate()
		}
		return
	}
	for j := e; j > i; j-- {
		tb.RawSetInt(j, tb.RawGetInt(j-1))
	}
	tb.RawSetInt(i, value)
}

// MaxN returns the largest positive number key with a value.
func (tb *LTable) MaxN() LNumber {
	var m LNumber
	for i := len(tb.array) - 1; i >= 0; i-- {
		if !isNil(tb.array[i]) {
			m = LNumber(i + 1)
			break
		}
	}
	for i := range tb.nodes {
		if k, ok := tb.nodes[i].key.(LNumber); ok && tb.nodes[i].val != nil && k > m {
			m = k
		}
	}
	return m
}

// Remove removes from this table the element at a given position, as table.remove does.
func (tb *LTable) Remove(pos int) LValue {
	n := tb.Len()
	if pos < 1 || pos > n {
		return LNil
	}
	old := tb.RawGetInt(pos)
	if n <= len(tb.array) {
		copy(tb.array[pos-1:n], tb.array[pos:n])
		tb.array[n-1] = LNil
		return old
	}
	for ; pos < n; pos++ {
		tb.RawSetInt(pos, tb.RawGetInt(pos+1))
	}
	tb.RawSetInt(n, LNil)
	return old
}

// RawSet sets a given LValue to a given index without the __newindex metamethod.
// It is recommended to use `RawSetString` or `RawSetInt` for performance
// if you already know the given LValue is a string or number.
func (tb *LTable) RawSet(key LValue, value LValue) {
	if v, ok := key.(LNumber); ok {
		if i := int(v); LNumber(i) == v && i > 0 && i <= len(tb.array)+1 {
			tb.RawSetInt(i, value)
			return
		}
		if v == 0 {
			key = LNumber(0) // -0 is the same key
		}
	}
	tb.hashSet(key, value)
}

// RawSetInt sets a given LValue at a position `key` without the __newindex metamethod.
func (tb *LTable) RawSetInt(key int, value LValue) {
	n := len(tb.array)
	switch {
	case uint(key-1) < uint(n):
		tb.array[key-1] = value
	case key == n+1:
		if isNil(value) {
			if tb.live > 0 {
				tb.hashSet(LNumber(key), value)
			}
			return
		}
		tb.exact = false
		tb.array = append(tb.array, value)
		if tb.live > 0 {
			tb.migrate()
		}
	default:
		tb.hashSet(LNumber(key), value)
	}
}

// setList stores the items of a constructor from index first on; unlike assignments they keep nils, as LuaJIT's do.
func (tb *LTable) setList(first int, values []LValue) {
	if first == len(tb.array)+1 && tb.live == 0 {
		tb.array = append(tb.array, values...)
		tb.exact = true
		return
	}
	for i, v := range values {
		tb.RawSetInt(first+i, v)
	}
}

// RawSetString sets a given LValue to a given string index without the __newindex metamethod.
func (tb *LTable) RawSetString(key string, value LValue) {
	if i := tb.findString(key); i >= 0 {
		tb.setNode(i, value)
	} else if !isNil(value) {
		tb.insert(LString(key), value)
	}
}

// RawSetH sets a given LValue to a given index without the __newindex metamethod.
func (tb *LTable) RawSetH(key LValue, value LValue) { tb.RawSet(key, value) }

// RawGet returns an LValue associated with a given key without __index metamethod.
func (tb *LTable) RawGet(key LValue) LValue {
	switch k := key.(type) {
	case LNumber:
		if i := int(k); LNumber(i) == k {
			return tb.RawGetInt(i)
		}
	case LString:
		return tb.RawGetString(string(k))
	}
	if i := tb.find(key); i >= 0 && tb.nodes[i].val != nil {
		return tb.nodes[i].val
	}
	return LNil
}

// RawGetInt returns an LValue at position `key` without __index metamethod.
func (tb *LTable) RawGetInt(key int) LValue {
	if uint(key-1) < uint(len(tb.array)) {
		return tb.array[key-1]
	}
	if tb.live == 0 {
		return LNil
	}
	return tb.getHash(LNumber(key))
}

// RawGetH returns an LValue associated with a given key without __index metamethod.
func (tb *LTable) RawGetH(key LValue) LValue { return tb.RawGet(key) }

// RawGetString returns an LValue associated with a given key without __index metamethod.
func (tb *LTable) RawGetString(key string) LValue {
	if i := tb.findString(key); i >= 0 {
		if v := tb.nodes[i].val; v != nil {
			return v
		}
	}
	return LNil
}

// getConst looks a constant up. hint is the node where it was last found in a table like this, and is updated.
func (tb *LTable) getConst(key LValue, skey string, hint *uint32) LValue {
	if h := loadHint(hint); int(h) < len(tb.nodes) {
		n := &tb.nodes[h]
		if s, ok := n.key.(LString); ok && string(s) == skey {
			if n.val == nil {
				return LNil
			}
			return n.val
		}
	}
	i := tb.findString(skey)
	if i < 0 {
		return LNil
	}
	storeHint(hint, uint32(i))
	if v := tb.nodes[i].val; v != nil {
		return v
	}
	return LNil
}

// setConst assigns to a constant that has a value already; it is false if there is none.
func (tb *LTable) setConst(skey string, hint *uint32, value LValue) bool {
	i := int(loadHint(hint))
	if i < len(tb.nodes) {
		if s, ok := tb.nodes[i].key.(LString); !ok || string(s) != skey {
			i = -1
		}
	} else {
		i = -1
	}
	if i < 0 {
		if i = tb.findString(skey); i < 0 {
			return false
		}
		storeHint(hint, uint32(i))
	}
	if tb.nodes[i].val == nil {
		return false
	}
	tb.setNode(i, value)
	return true
}

// ForEach iterates over this table of elements, yielding each in turn to a given function.
func (tb *LTable) ForEach(cb func(LValue, LValue)) {
	for i, v := range tb.array {
		if !isNil(v) {
			cb(LNumber(i+1), v)
		}
	}
	for i := 0; i < len(tb.nodes); i++ {
		if n := &tb.nodes[i]; n.val != nil {
			cb(n.key, n.val)
		}
	}
}

// Next is lua_next: the key after the given one with its value, or nils at the end. Keys that were never there end too;
// use next for an error.
func (tb *LTable) Next(key LValue) (LValue, LValue) {
	k, v, _ := tb.next(key)
	return k, v
}

// next is Next; ok is false if key is not in the table.
func (tb *LTable) next(key LValue) (LValue, LValue, bool) {
	i := 0 // position in the array, then in the nodes
	n := len(tb.array)
	switch k := key.(type) {
	case *LNilType:
	case LNumber:
		if p := int(k); LNumber(p) == k && p >= 1 && p <= n {
			i = p
			break
		}
		if i = tb.find(key); i < 0 {
			// it moved into the array when the array reached it
			return LNil, LNil, false
		}
		i += n + 1
	default:
		if i = tb.find(key); i < 0 {
			return LNil, LNil, false
		}
		i += n + 1
	}
	for ; i < n; i++ {
		if v := tb.array[i]; !isNil(v) {
			return numberValue(LNumber(i + 1)), v, true
		}
	}
	for i -= n; i < len(tb.nodes); i++ {
		if nd := &tb.nodes[i]; nd.val != nil {
			return nd.key, nd.val, true
		}
	}
	return LNil, LNil, true
}
