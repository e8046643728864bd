package luaffi

import (
	"errors"
	"math"

	lua "deltabench/internal/third_party/gopher-lua"
)

// Value is an argument or the result of a C function. Arguments have the types that the script declared; methods convert, so
// that a function need not care whether it was declared with int or long. The zero value is void, 0 and NULL.
type Value struct {
	typ *ctype
	scalar
	str   string // a Lua string passed for const char *, instead of memory
	isStr bool
}

// Int is a signed integer.
func Int(n int64) Value { return Value{typ: tInt64, scalar: scalar{n: uint64(n)}} }

// Uint is an unsigned integer.
func Uint(n uint64) Value { return Value{typ: tUint64, scalar: scalar{n: n}} }

// Float is a floating-point number.
func Float(f float64) Value { return Value{typ: tDouble, scalar: scalar{n: math.Float64bits(f)}} }

// Bool is a truth value.
func Bool(b bool) Value { return Value{typ: tBool, scalar: scalar{n: uint64(truth(b))}} }

// Text is a C string.
func Text(s string) Value { return Value{typ: tCString, str: s, isStr: true} }

// Int returns an integer; fractions are cut off. A pointer is its address.
func (v Value) Int() int64 {
	switch {
	case v.typ == nil:
		return 0
	case v.typ.kind == kFloat:
		return floatToInt64(v.float())
	case v.typ.kind == kPtr:
		return int64(v.pointer().address())
	}
	return int64(v.n)
}

// Uint is Int without sign.
func (v Value) Uint() uint64 {
	if v.typ != nil && v.typ.kind == kFloat {
		return floatToUint64(v.float())
	}
	return uint64(v.Int())
}

// Float returns a floating-point number.
func (v Value) Float() float64 {
	if v.typ == nil {
		return 0
	}
	return v.number(v.typ)
}

// IsNull reports whether v is a NULL pointer.
func (v Value) IsNull() bool { return !v.isStr && v.pointer().isNull() }

// Text returns the C string that v points to.
func (v Value) Text() (string, error) {
	if v.isStr {
		return v.str, nil
	}
	return v.pointer().cstring()
}

// Bytes returns the n bytes that v points to. Writing to them changes the script's memory, unless v is a Lua string.
func (v Value) Bytes(n int) ([]byte, error) {
	if v.isStr {
		if n < 0 || n > len(v.str)+1 {
			return nil, errors.New("attempt to read past the end of a string")
		}
		return append([]byte(v.str), 0)[:n], nil
	}
	return v.pointer().bytes(int64(n))
}

// Room returns all bytes from where v points to the end of the memory there.
func (v Value) Room() ([]byte, error) {
	if v.isStr {
		return v.Bytes(len(v.str) + 1)
	}
	return v.pointer().rest()
}

// Object returns the host's object that v points to.
func (v Value) Object() (any, bool) {
	if v.mem == nil || v.mem.obj == nil {
		return nil, false
	}
	return v.mem.obj, true
}

// target is v as a place in memory.
func (v Value) target() pointer {
	if v.isStr {
		return pointer{mem: stringMemory(v.str)}
	}
	return v.pointer()
}

// Arg returns the argument i, from 0, or the zero value if the script declared fewer.
func Arg(args []Value, i int) Value {
	if i < len(args) {
		return args[i]
	}
	return Value{}
}

// pushResult pushes the result of a function of that result type, which is not void.
func pushResult(L *lua.LState, t *ctype, v Value) {
	switch {
	case t.kind == kPtr:
		L.Push(newCData(unqualified(t), pointerScalar(v.target())))
	case !t.number():
		L.Push(lua.LNil)
	case v.typ == nil:
		push(L, t, scalar{})
	case v.typ.number():
		push(L, t, convertNumber(t, v.typ, v.scalar))
	default:
		push(L, t, scalar{n: uint64(truncate(v.Int(), t.size, t.unsigned))})
	}
}
