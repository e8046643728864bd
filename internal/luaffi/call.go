package luaffi

import (
	"errors"
	"fmt"

	lua "deltabench/internal/third_party/gopher-lua"
)

// Func is a C function that the host offers to scripts. args are valid during the call only. An error becomes a Lua error
// with the script's position; a *lua.ApiError, as of lua.Uncatchable, is raised as it is.
type Func func(L *lua.LState, args []Value) (Value, error)

// function is a declared function that the host offers.
type function struct {
	typ *ctype
	f   Func
}

// function returns what c calls, or nil.
func (c *cdata) function() *function {
	if c.fn != nil || c.isType {
		return c.fn
	}
	if t := c.typ.deref(); t.kind == kPtr && c.mem != nil {
		fn, _ := c.mem.obj.(*function)
		if fn != nil && t.elem.kind == kFunc {
			return &function{t.elem, fn.f}
		}
		return fn
	}
	return nil
}

// callCData is __call: a type makes an object, a function is called.
func (l *lib) callCData(L *lua.LState) int {
	ud, _ := L.Get(1).(*lua.LUserData)
	c := asCData(ud)
	switch {
	case c == nil:
		return 0
	case c.isType:
		return l.construct(L, c)
	case c.fn != nil:
		return l.call(L, c.fn)
	}
	t := c.typ.deref()
	if t.kind == kPtr && t.elem.kind == kFunc {
		if fn := c.function(); fn != nil {
			return l.call(L, fn)
		}
		l.fail(L, errors.New("attempt to call a function pointer that points to no function"))
	}
	mm := l.metamethod(c, "__call")
	if mm == lua.LNil {
		L.RaiseError("'%s' is not callable", t)
	}
	return l.tailCall(L, mm)
}

// tailCall calls f with all arguments and returns all it returns.
func (l *lib) tailCall(L *lua.LState, f lua.LValue) int {
	n := L.GetTop()
	L.Push(f)
	for i := 1; i <= n; i++ {
		L.Push(L.Get(i))
	}
	L.Call(n, lua.MultRet)
	return L.GetTop() - n
}

// construct is a call of a type.
func (l *lib) construct(L *lua.LState, c *cdata) int {
	if mm := l.metamethod(c, "__new"); mm != lua.LNil && c.typ.kind == kRecord {
		return l.tailCall(L, mm)
	}
	return l.newObject(L, c.typ)
}

const wrongCount = "wrong number of arguments for function call"

func (l *lib) call(L *lua.LState, fn *function) int {
	t := fn.typ
	n := L.GetTop() - 1
	base := len(l.args)
	defer l.release(base)
	for i := range n {
		v := L.Get(i + 2)
		var a Value
		var err error
		switch {
		case i < len(t.params):
			a, err = l.argument(t.params[i], v)
		case t.vararg:
			a, err = l.extraArgument(v)
		default:
			L.RaiseError(wrongCount)
		}
		if err != nil {
			L.ArgError(i+1, err.Error())
		}
		l.args = append(l.args, a)
	}
	if n < len(t.params) {
		L.RaiseError(wrongCount)
	}
	v, err := fn.f(L, l.args[base:base+n:base+n])
	if err != nil {
		l.fail(L, err)
	}
	if t.elem.kind == kVoid {
		return 0
	}
	pushResult(L, t.elem, v)
	return 1
}

// release forgets the arguments of a call, also when it ends by a panic.
func (l *lib) release(base int) {
	clear(l.args[base:])
	l.args = l.args[:base]
}

func (l *lib) argument(t *ctype, v lua.LValue) (Value, error) {
	switch s := v.(type) {
	case lua.LNumber:
		if t.kind == kInt {
			return Value{typ: t, scalar: scalar{n: floatToInt(t, float64(s))}}, nil
		}
	case lua.LString:
		if t.kind == kPtr && stringFits(t.elem, false) {
			return Value{typ: t, str: string(s), isStr: true}, nil
		}
	}
	if t.kind == kRecord {
		c := asCData(v)
		if c == nil || c.isType || !same(c.typ.deref(), t) {
			return Value{}, cannotConvert(v, t)
		}
		return Value{typ: pointerTo(t), scalar: c.scalar}, nil
	}
	if t.kind == kRef {
		t = pointerTo(t.elem)
	}
	s, err := l.toScalar(t, v, false)
	return Value{typ: t, scalar: s}, err
}

// extraArgument converts an argument without a declared type, as LuaJIT does: numbers are doubles, pointers stay.
func (l *lib) extraArgument(v lua.LValue) (Value, error) {
	switch s := v.(type) {
	case lua.LNumber:
		return Float(float64(s)), nil
	case lua.LString:
		return Text(string(s)), nil
	case lua.LBool:
		return Bool(bool(s)), nil
	case *lua.LNilType:
		return Value{typ: tVoidPtr}, nil
	}
	if c := asCData(v); c != nil && !c.isType {
		t := c.typ.deref()
		switch {
		case t.number():
			return Value{typ: t, scalar: c.scalar}, nil
		case t.kind == kRecord || t.kind == kArray || t.kind == kPtr:
			return Value{typ: tVoidPtr, scalar: c.scalar}, nil
		}
	}
	return Value{}, cannotConvert(v, tVoidPtr)
}

// fail raises an error at the caller's position.
func (l *lib) fail(L *lua.LState, err error) {
	var api *lua.ApiError
	if errors.As(err, &api) {
		L.Throw(api)
	}
	L.RaiseError("%s", err.Error())
}

// unavailable says that a function was declared that the host does not offer.
func unavailable(name string) error {
	return fmt.Errorf("ffi.C.%s is not available in deltabench (see docs/scripting.md)", name)
}
