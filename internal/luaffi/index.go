package luaffi

import (
	"errors"
	"fmt"
	"math"

	lua "deltabench/internal/third_party/gopher-lua"
)

// metatable returns what ffi.metatype set for the struct that c is or points to, or nil.
func (l *lib) metatable(c *cdata) *lua.LTable {
	if len(l.meta) == 0 {
		return nil
	}
	t := c.typ.deref()
	if t.kind == kPtr {
		t = t.elem
	}
	if t.kind != kRecord {
		return nil
	}
	return l.meta[t.rec]
}

func (l *lib) metamethod(c *cdata, event string) lua.LValue {
	if c == nil {
		return lua.LNil
	}
	if mt := l.metatable(c); mt != nil {
		return mt.RawGetString(event)
	}
	return lua.LNil
}

// element returns the type and place of an element of an array, or behind a pointer.
func (c *cdata) element(i int64) (t *ctype, p pointer, ok bool) {
	a := c.typ.deref()
	if t = a.pointee(); t == nil || c.isType {
		return nil, pointer{}, false
	}
	size, ok := t.sizeof()
	if !ok {
		return nil, pointer{}, false
	}
	p = c.pointer()
	if size > 0 && (i > math.MaxInt64/4/size || i < math.MinInt64/4/size) {
		i, size = math.MaxInt64/4, 1
	}
	p.off += i * size
	return t, p, true
}

// member returns a member of a struct or of one that is pointed to. quals are those of the struct.
func (c *cdata) member(name string) (f field, p pointer, quals uint8, ok bool) {
	t := c.typ.deref()
	if t.kind == kPtr {
		t = t.elem
	}
	if t.kind != kRecord || c.isType {
		return field{}, pointer{}, 0, false
	}
	f, ok = t.rec.names[name]
	p = c.pointer()
	p.off += f.off
	return f, p, t.quals, ok
}

// read pushes the Lua value of what is at p.
func read(L *lua.LState, t *ctype, p pointer) error {
	if t.aggregate() {
		push(L, t, pointerScalar(p))
		return nil
	}
	v, err := load(t, p)
	if err == nil {
		push(L, t, v)
	}
	return err
}

// indexNumber tells whether a key counts elements.
func indexNumber(key lua.LValue) (int64, bool) {
	switch key.(type) {
	case lua.LNumber, *lua.LUserData:
		return ToInt64(key)
	}
	return 0, false
}

func (l *lib) index(L *lua.LState) int {
	ud, _ := L.Get(1).(*lua.LUserData)
	c := asCData(ud)
	key := L.Get(2)
	if c == nil {
		return 0
	}
	var err error
	if name, ok := key.(lua.LString); ok {
		if ok, err = readMember(L, c, string(name)); !ok {
			return l.metaIndex(L, ud, c, key)
		}
	} else if i, isNum := indexNumber(key); isNum {
		t, p, ok := c.element(i)
		if !ok {
			return l.metaIndex(L, ud, c, key)
		}
		err = read(L, t, p)
	} else {
		return l.metaIndex(L, ud, c, key)
	}
	if err != nil {
		l.fail(L, err)
	}
	return 1
}

// readMember pushes a member; ok is false if there is none of that name.
func readMember(L *lua.LState, c *cdata, name string) (ok bool, err error) {
	if c.mem != nil && c.mem.obj != nil {
		return false, nil
	}
	f, p, _, ok := c.member(name)
	switch {
	case !ok:
		t := c.typ.deref()
		if t.kind == kRecord {
			if n, ok := t.rec.consts[name]; ok {
				L.PushNumber(lua.LNumber(n))
				return true, nil
			}
		}
		return false, nil
	case f.bitSize > 0:
		s, err := loadBits(f, p)
		push(L, f.typ, s)
		return true, err
	}
	return true, read(L, f.typ, p)
}

// metaIndex looks in the metatype, and fails when that does not know the key either.
func (l *lib) metaIndex(L *lua.LState, ud *lua.LUserData, c *cdata, key lua.LValue) int {
	switch mm := l.metamethod(c, "__index").(type) {
	case *lua.LNilType:
	case *lua.LFunction:
		L.Push(mm)
		L.Push(ud)
		L.Push(key)
		L.Call(2, 1)
		return 1
	default:
		if v := L.GetTable(mm, key); v != lua.LNil {
			L.Push(v)
			return 1
		}
	}
	l.fail(L, noIndex(c, key))
	return 0
}

func noIndex(c *cdata, key lua.LValue) error {
	if _, isNum := indexNumber(key); isNum && c.typ.deref().pointee() != nil {
		return errors.New(unknownSize)
	}
	if name, ok := key.(lua.LString); ok {
		t := c.typ.deref()
		if t.kind == kPtr && t.elem.kind == kRecord {
			t = t.elem
		}
		return fmt.Errorf("'%s' has no member named '%s'", t, string(name))
	}
	return fmt.Errorf("'%s' cannot be indexed with '%s'", c.typ.deref(), typeName(key))
}

func (l *lib) newIndex(L *lua.LState) int {
	ud, _ := L.Get(1).(*lua.LUserData)
	c := asCData(ud)
	key, v := L.Get(2), L.Get(3)
	if c == nil {
		return 0
	}
	var err error
	if name, ok := key.(lua.LString); ok {
		f, p, quals, ok := c.member(string(name))
		if !ok {
			return l.metaNewIndex(L, ud, c, key, v)
		}
		if err = writable(quals | innerQuals(f.typ)); err == nil {
			err = l.assignField(f, p, v)
		}
	} else if i, isNum := indexNumber(key); isNum {
		t, p, ok := c.element(i)
		if !ok {
			return l.metaNewIndex(L, ud, c, key, v)
		}
		if err = writable(innerQuals(t)); err == nil {
			err = l.assign(t, p, v)
		}
	} else {
		return l.metaNewIndex(L, ud, c, key, v)
	}
	if err != nil {
		l.fail(L, err)
	}
	return 0
}

var errConst = fmt.Errorf("attempt to write to constant location")

func writable(quals uint8) error {
	if quals&qConst != 0 {
		return errConst
	}
	return nil
}

// innerQuals are the qualifiers of t, or of an array's elements.
func innerQuals(t *ctype) uint8 {
	for t.kind == kArray {
		t = t.elem
	}
	return t.quals
}

func (l *lib) metaNewIndex(L *lua.LState, ud *lua.LUserData, c *cdata, key, v lua.LValue) int {
	switch mm := l.metamethod(c, "__newindex").(type) {
	case *lua.LNilType:
		l.fail(L, noIndex(c, key))
	case *lua.LFunction:
		L.Push(mm)
		L.Push(ud)
		L.Push(key)
		L.Push(v)
		L.Call(3, 0)
	default:
		L.SetTable(mm, key, v)
	}
	return 0
}
