package luaffi

import (
	"reflect"
	"sync"

	lua "deltabench/internal/third_party/gopher-lua"
)

// objectTypes are the struct types of host objects by name: those of hosts' declarations, and opaque ones. They are the
// same in all states.
var objectTypes sync.Map // string to *ctype

func objectType(name string) *ctype {
	if t, ok := objectTypes.Load(name); ok {
		return t.(*ctype)
	}
	t, _ := objectTypes.LoadOrStore(name, &ctype{kind: kRecord, rec: &record{name: name, shared: true}})
	return t.(*ctype)
}

// NewObject makes a pointer to an object of the host, of the C struct type with that name: type() says cdata, and
// Object gives v back. Fields and methods come from RegisterMetatype, or, a little faster, from a metatable in the
// userdata's Metatable. Two are equal if their objects are.
func NewObject(typeName string, v any) *lua.LUserData {
	return newCData(pointerTo(objectType(typeName)), scalar{mem: &memory{obj: v}})
}

// NewNull makes a NULL pointer to a C struct of that name: == nil is true, and yet it is true as a condition.
func NewNull(typeName string) *lua.LUserData {
	return newCData(pointerTo(objectType(typeName)), scalar{})
}

// Object returns the host's object in a value, which NewObject has made.
func Object(v lua.LValue) (any, bool) {
	c := asCData(v)
	if c == nil || c.mem == nil || c.mem.obj == nil || c.isType {
		return nil, false
	}
	return c.mem.obj, true
}

// RegisterMetatype sets the metatable of host objects, and NULL pointers, of a C struct type in this state.
func RegisterMetatype(L *lua.LState, typeName string, mt *lua.LTable) {
	if l := libOf(L); l != nil {
		l.meta[objectType(typeName).rec] = mt
	}
}

// comparable reports whether == of v cannot panic.
func comparable(v any) bool { return reflect.ValueOf(v).Comparable() }

// NewString makes a const char * to a copy of text.
func NewString(text string) *lua.LUserData {
	return newCData(tCString, scalar{mem: stringMemory(text)})
}

// NewEnum makes a value of an enum type that the host has declared.
func NewEnum(L *lua.LState, typeName string, n int) lua.LValue {
	l := libOf(L)
	if l == nil {
		return lua.LNumber(n)
	}
	sym := l.d.name(typeName)
	if sym == nil || sym.kind != symType || sym.typ.kind != kEnum {
		return lua.LNumber(n)
	}
	return newCData(sym.typ, scalar{n: uint64(n)})
}
