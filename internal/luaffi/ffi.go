package luaffi

import (
	"errors"
	"runtime"
	"strings"

	lua "deltabench/internal/third_party/gopher-lua"
)

const unknownSize = "size of C type is unknown or too large"

// openFFI makes the table ffi.
func (l *lib) openFFI(L *lua.LState) *lua.LTable {
	tb := L.CreateTable(0, 24)
	for name, f := range map[string]lua.LGFunction{
		"cdef": l.cdef, "new": l.ffiNew, "typeof": l.typeof, "cast": l.cast, "sizeof": l.sizeof, "alignof": l.alignof,
		"offsetof": l.offsetof, "istype": l.istype, "string": l.ffiString, "copy": l.ffiCopy, "fill": l.fill, "gc": l.gc,
		"metatype": l.metatype, "errno": l.ffiErrno, "abi": abi, "load": l.load,
	} {
		tb.RawSetString(name, L.NewFunction(f))
	}
	tb.RawSetString("os", lua.LString(osName()))
	tb.RawSetString("arch", lua.LString(archName()))
	tb.RawSetString("C", l.namespace(L))
	return tb
}

// namespace makes ffi.C. Functions that were used are in a table that the interpreter looks into by itself.
func (l *lib) namespace(L *lua.LState) *lua.LUserData {
	l.funcs = L.CreateTable(0, 0)
	fallback := L.CreateTable(0, 1)
	fallback.RawSetString("__index", L.NewFunction(l.symbol))
	l.funcs.Metatable = fallback
	mt := L.CreateTable(0, 4)
	mt.RawSetString("__index", l.funcs)
	mt.RawSetString("__newindex", L.NewFunction(func(L *lua.LState) int {
		name := L.CheckString(2)
		if l.d.name(name) == nil {
			L.RaiseError("missing declaration for symbol '%s'", name)
		}
		l.fail(L, errConst)
		return 0
	}))
	mt.RawSetString("__metatable", lua.LString("ffi"))
	return &lua.LUserData{Value: l, Metatable: mt}
}

// symbol is the first access to a name in ffi.C.
func (l *lib) symbol(L *lua.LState) int {
	name, ok := L.Get(2).(lua.LString)
	if !ok {
		L.RaiseError("bad argument #2 to '__index' (string expected, got %s)", L.Get(2).Type().String())
	}
	sym := l.d.name(string(name))
	if sym == nil || sym.kind == symType {
		L.RaiseError("missing declaration for symbol '%s'", string(name))
	}
	var v lua.LValue
	if sym.kind == symConst {
		v = lua.LNumber(sym.value)
	} else {
		f := l.find(string(name))
		if sym.link != "" {
			f = l.find(sym.link)
		}
		if f == nil || sym.typ.kind != kFunc {
			l.fail(L, unavailable(string(name)))
		}
		ud := newCData(sym.typ, scalar{})
		ud.Value.(*cdata).fn = &function{typ: sym.typ, f: f}
		v = ud
	}
	l.funcs.RawSetString(string(name), v)
	L.Push(v)
	return 1
}

func (l *lib) find(name string) Func {
	if f := l.host.Funcs[name]; f != nil {
		return f
	}
	return libc[name]
}

func checkArg(L *lua.LState, n int) lua.LValue {
	if L.GetTop() < n {
		L.ArgError(n, "value expected")
	}
	return L.Get(n)
}

// typeParams are the values for the $ in a C text, from argument n on.
func (l *lib) typeParams(L *lua.LState, n int) []any {
	var params []any
	for ; n <= L.GetTop(); n++ {
		switch v := L.Get(n).(type) {
		case lua.LString:
			params = append(params, string(v))
		case lua.LNumber:
			params = append(params, int64(v))
		default:
			c := asCData(v)
			if c == nil {
				L.ArgError(n, "C type expected, got "+typeName(v))
			}
			params = append(params, c.typ.deref())
		}
	}
	return params
}

func (l *lib) cdef(L *lua.LState) int {
	src := L.CheckString(1)
	if err := l.d.parse(src, l.typeParams(L, 2)); err != nil {
		l.fail(L, err)
	}
	clear(l.types)
	return 0
}

// ctypeArg returns the type that argument n is, has or spells.
func (l *lib) ctypeArg(L *lua.LState, n int, params []any) *ctype {
	v := L.Get(n)
	if c := asCData(v); c != nil {
		return c.typ
	}
	src, ok := v.(lua.LString)
	if !ok {
		got := typeName(v)
		if L.GetTop() < n {
			got = "no value"
		}
		L.ArgError(n, "C type expected, got "+got)
	}
	if t := l.types[string(src)]; t != nil && params == nil {
		return t
	}
	t, err := l.d.parseType(string(src), params)
	if err != nil {
		l.fail(L, err)
	}
	if params == nil && !strings.Contains(string(src), "{") {
		l.types[string(src)] = t
	}
	return t
}

func (l *lib) typeof(L *lua.LState) int {
	L.Push(newCType(l.ctypeArg(L, 1, l.typeParams(L, 2))))
	return 1
}

func (l *lib) ffiNew(L *lua.LState) int { return l.newObject(L, l.ctypeArg(L, 1, nil)) }

// count reads the number of elements of a variable-length type.
func count(L *lua.LState, n int) (int64, bool) {
	c, ok := ToInt64(checkArg(L, n))
	if !ok {
		L.ArgError(n, "number expected, got "+typeName(L.Get(n)))
	}
	return c, c >= 0
}

// newObject makes an object from the arguments behind the type.
func (l *lib) newObject(L *lua.LState, t *ctype) int {
	l.runDead(L)
	first := 2
	size, ok := t.sizeof()
	if elem, before := t.vla(); elem != nil {
		var n int64
		esize, _ := elem.sizeof()
		n, ok = count(L, 2)
		first = 3
		if ok = ok && (esize == 0 || n <= (maxSize-before)/esize); ok {
			size = before + n*esize
			if t.kind == kArray {
				size = n * esize
			}
		}
	}
	if !ok || size > maxObject {
		L.ArgError(1, unknownSize)
	}
	var ud *lua.LUserData
	if t.aggregate() {
		ud = newCData(t, scalar{mem: newMemory(size)})
		if n := L.GetTop(); n >= first {
			values := make([]lua.LValue, 0, 8)
			for i := first; i <= n; i++ {
				values = append(values, L.Get(i))
			}
			if err := l.initialize(t, asCData(ud).pointer(), values); err != nil {
				l.fail(L, err)
			}
		}
	} else {
		var s scalar
		switch n := L.GetTop(); {
		case n > first:
			L.RaiseError("too many initializers for '%s'", t)
		case n == first:
			var err error
			if s, err = l.toScalar(t, L.Get(first), false); err != nil {
				l.fail(L, err)
			}
		}
		ud = newCData(t, s)
	}
	if mm := l.metamethod(asCData(ud), "__gc"); mm != lua.LNil && t.kind == kRecord {
		l.setFinalizer(ud, mm)
	}
	L.Push(ud)
	return 1
}

func (l *lib) cast(L *lua.LState) int {
	t := l.ctypeArg(L, 1, nil)
	v := checkArg(L, 2)
	if t.aggregate() || t.kind == kVoid || t.kind == kFunc || t.kind == kRef {
		L.ArgError(1, "invalid C type")
	}
	if c := asCData(v); c != nil && !c.isType && same(c.typ, t) && c.typ.quals == t.quals {
		L.Push(v)
		return 1
	}
	s, err := l.toScalar(t, v, true)
	if err != nil {
		l.fail(L, err)
	}
	L.Push(newCData(t, s))
	return 1
}

func (l *lib) sizeof(L *lua.LState) int {
	t := l.ctypeArg(L, 1, nil)
	c := asCData(L.Get(1))
	if elem, before := t.deref().vla(); elem != nil {
		if c != nil && !c.isType && c.mem != nil {
			L.PushNumber(lua.LNumber(len(c.mem.data)))
			return 1
		}
		n, _ := count(L, 2)
		esize, _ := elem.sizeof()
		if n < 0 || esize > 0 && n > (maxSize-before)/esize {
			L.Push(lua.LNil)
			return 1
		}
		L.PushNumber(lua.LNumber(before + n*esize))
		return 1
	}
	n, ok := t.sizeof()
	if !ok {
		L.Push(lua.LNil)
		return 1
	}
	L.PushNumber(lua.LNumber(n))
	return 1
}

func (l *lib) alignof(L *lua.LState) int {
	L.PushNumber(lua.LNumber(l.ctypeArg(L, 1, nil).deref().alignof()))
	return 1
}

// offsetof returns nothing for what is no member, as in LuaJIT.
func (l *lib) offsetof(L *lua.LState) int {
	t := l.ctypeArg(L, 1, nil).deref()
	name := L.CheckString(2)
	if t.kind != kRecord {
		return 0
	}
	f, ok := t.rec.names[name]
	if !ok {
		return 0
	}
	L.PushNumber(lua.LNumber(f.off))
	if f.bitSize == 0 {
		return 1
	}
	L.PushNumber(lua.LNumber(f.bitPos))
	L.PushNumber(lua.LNumber(f.bitSize))
	return 3
}

func (l *lib) istype(L *lua.LState) int {
	t := l.ctypeArg(L, 1, nil)
	checkArg(L, 2)
	c := asCData(L.Get(2))
	is := false
	if c != nil && !c.isType {
		a, b := t.deref(), c.typ.deref()
		is = same(a, b) || b.kind == kPtr && a.kind == kRecord && same(a, b.elem)
		if a.kind == kPtr && b.kind == kPtr {
			is = compatible(a.elem, b.elem, ruleAnyQuals)
		} else if a.kind == kArray && b.kind == kArray {
			is = compatible(a, b, ruleAnyQuals)
		}
	}
	L.Push(lua.LBool(is))
	return 1
}

// pointerArg converts argument n to a pointer type.
func (l *lib) pointerArg(L *lua.LState, n int, t *ctype) pointer {
	v := checkArg(L, n)
	s, err := l.toScalar(t, v, false)
	if err != nil {
		L.ArgError(n, err.Error())
	}
	return s.pointer()
}

func (l *lib) lengthArg(L *lua.LState, n int) int64 {
	v := checkArg(L, n)
	i, ok := ToInt64(v)
	if !ok {
		L.ArgError(n, "number expected, got "+typeName(v))
	}
	return i
}

func (l *lib) ffiString(L *lua.LState) int {
	checkArg(L, 1)
	if L.GetTop() >= 2 && L.Get(2) != lua.LNil {
		n := l.lengthArg(L, 2)
		p := l.pointerArg(L, 1, tConstVoid)
		b, err := p.bytes(n)
		if n == 0 {
			b, err = nil, nil
		}
		if err != nil {
			l.fail(L, err)
		}
		L.Push(lua.LString(b))
		return 1
	}
	if s, ok := L.Get(1).(lua.LString); ok {
		text, _, _ := strings.Cut(string(s), "\x00")
		L.Push(lua.LString(text))
		return 1
	}
	s, err := l.pointerArg(L, 1, tCString).cstring()
	if err != nil {
		l.fail(L, err)
	}
	L.Push(lua.LString(s))
	return 1
}

func (l *lib) ffiCopy(L *lua.LState) int {
	dst := l.pointerArg(L, 1, tVoidPtr)
	src := l.pointerArg(L, 2, tConstVoid)
	var n int64
	if s, ok := L.Get(2).(lua.LString); ok && L.GetTop() < 3 {
		n = int64(len(s)) + 1
	} else {
		n = l.lengthArg(L, 3)
	}
	if n == 0 {
		return 0
	}
	if err := src.copyTo(dst, n); err != nil {
		l.fail(L, err)
	}
	return 0
}

func (l *lib) fill(L *lua.LState) int {
	dst := l.pointerArg(L, 1, tVoidPtr)
	n := l.lengthArg(L, 2)
	var c int64
	if L.GetTop() >= 3 {
		c = l.lengthArg(L, 3)
	}
	if n == 0 {
		return 0
	}
	b, err := dst.bytes(n)
	if err != nil {
		l.fail(L, err)
	}
	fillBytes(b, byte(c))
	return 0
}

func fillBytes(b []byte, c byte) {
	for i := range b {
		b[i] = c
	}
}

func (l *lib) metatype(L *lua.LState) int {
	t := l.ctypeArg(L, 1, nil)
	tb := L.CheckTable(2)
	if t.kind != kRecord {
		L.ArgError(1, "invalid C type")
	}
	if l.meta[t.rec] != nil {
		l.fail(L, errors.New("cannot change a protected metatable"))
	}
	l.meta[t.rec] = tb
	L.Push(newCType(t))
	return 1
}

func (l *lib) ffiErrno(L *lua.LState) int {
	old := l.errno
	if L.GetTop() >= 1 && L.Get(1) != lua.LNil {
		l.errno = int(int32(l.lengthArg(L, 1)))
	}
	L.PushNumber(lua.LNumber(old))
	return 1
}

// SetErrno sets what ffi.errno() returns; a Func calls it as C functions set errno.
func SetErrno(L *lua.LState, errno int) {
	if l := libOf(L); l != nil {
		l.errno = errno
	}
}

func abi(L *lua.LState) int {
	switch L.CheckString(1) {
	case "64bit", "le", "fpu", "hardfp", "gc64":
		L.Push(lua.LTrue)
	default:
		L.Push(lua.LFalse)
	}
	return 1
}

// load gives ffi.C for the libraries of C itself. Others would need C code.
func (l *lib) load(L *lua.LState) int {
	name := L.CheckString(1)
	switch base, _, _ := strings.Cut(strings.TrimPrefix(name, "lib"), ".so"); base {
	case "c", "m", "rt", "pthread", "dl":
		ffi, _ := L.GetGlobal("ffi").(*lua.LTable)
		if ffi != nil {
			L.Push(ffi.RawGetString("C"))
			return 1
		}
	}
	L.RaiseError("ffi.load: library '%s' is not available in deltabench (see docs/scripting.md)", name)
	return 0
}

func osName() string {
	switch runtime.GOOS {
	case "linux":
		return "Linux"
	case "darwin":
		return "OSX"
	case "windows":
		return "Windows"
	}
	return "Other"
}

func archName() string {
	if runtime.GOARCH == "amd64" {
		return "x64"
	}
	return runtime.GOARCH
}
