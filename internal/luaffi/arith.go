package luaffi

import (
	"math"

	lua "deltabench/internal/third_party/gopher-lua"
)

// operand is one side of an arithmetic or comparison.
type operand struct {
	isNum    bool
	unsigned bool // a uint64_t: both sides are then
	bits     uint64
	float    float64
	isFloat  bool

	ptr *ctype // what it points to, for pointers and arrays
	at  pointer
}

func toOperand(v lua.LValue) (o operand) {
	switch v := v.(type) {
	case lua.LNumber:
		return operand{isNum: true, isFloat: true, float: float64(v)}
	case *lua.LNilType:
		return operand{ptr: tVoid}
	case *lua.LUserData:
		c, ok := v.Value.(*cdata)
		if !ok || c.isType {
			return o
		}
		t := c.typ.deref()
		switch {
		case t.kind == kFloat:
			return operand{isNum: true, isFloat: true, float: c.float()}
		case t.number():
			return operand{isNum: true, unsigned: t.kind == kInt && t.size == 8 && t.unsigned, bits: c.n}
		case t.kind == kPtr || t.kind == kArray:
			return operand{ptr: t.elem, at: c.pointer()}
		}
	}
	return o
}

// int64 returns a number as 64 bits of the common type.
func (o operand) int64(unsigned bool) uint64 {
	switch {
	case !o.isFloat:
		return o.bits
	case unsigned:
		return floatToUint64(o.float)
	}
	return uint64(floatToInt64(o.float))
}

// typeName is how LuaJIT calls an operand.
func typeName(v lua.LValue) string {
	if c := asCData(v); c != nil {
		return c.typ.deref().String()
	}
	return v.Type().String()
}

// arith makes the metamethod of a binary operator.
func (l *lib) arith(op byte, event string) lua.LGFunction {
	return func(L *lua.LState) int {
		av, bv := L.Get(1), L.Get(2)
		a, b := toOperand(av), toOperand(bv)
		if a.isNum && b.isNum {
			unsigned := a.unsigned || b.unsigned
			x, y := a.int64(unsigned), b.int64(unsigned)
			t := tInt64
			if unsigned {
				t = tUint64
			}
			L.Push(newCData(t, scalar{n: compute(op, x, y, unsigned)}))
			return 1
		}
		if v := pointerArith(op, a, b, av, bv); v != nil {
			L.Push(v)
			return 1
		}
		return l.binaryMeta(L, event, av, bv, "attempt to perform arithmetic on '%s' and '%s'")
	}
}

// binaryMeta calls the metatype's operator of either side.
func (l *lib) binaryMeta(L *lua.LState, event string, a, b lua.LValue, message string) int {
	for _, v := range []lua.LValue{a, b} {
		if mm := l.metamethod(asCData(v), event); mm != lua.LNil {
			L.Push(mm)
			L.Push(a)
			L.Push(b)
			L.Call(2, 1)
			return 1
		}
	}
	L.RaiseError(message, typeName(a), typeName(b))
	return 0
}

func compute(op byte, x, y uint64, unsigned bool) uint64 {
	switch op {
	case '+':
		return x + y
	case '-':
		return x - y
	case '*':
		return x * y
	case '^':
		return power(x, y, unsigned)
	}
	switch {
	case y == 0:
		return 1 << 63
	case unsigned && op == '/':
		return x / y
	case unsigned:
		return x % y
	case op == '/':
		return uint64(int64(x) / int64(y))
	}
	return uint64(int64(x) % int64(y))
}

func power(x, k uint64, unsigned bool) uint64 {
	if !unsigned && int64(k) < 0 {
		switch int64(x) {
		case 0:
			return math.MaxInt64
		case 1:
			return 1
		case -1:
			if k&1 != 0 {
				return x
			}
			return 1
		}
		return 0
	}
	r := uint64(1)
	for ; k > 0; k >>= 1 {
		if k&1 != 0 {
			r *= x
		}
		x *= x
	}
	return r
}

// pointerArith does pointer plus or minus number and pointer minus pointer; nil: something else.
func pointerArith(op byte, a, b operand, av, bv lua.LValue) lua.LValue {
	if op != '+' && op != '-' || av == lua.LNil || bv == lua.LNil {
		return nil
	}
	if a.ptr == nil && b.ptr != nil && a.isNum && op == '+' {
		a, b = b, a
	}
	if a.ptr == nil {
		return nil
	}
	size, ok := a.ptr.sizeof()
	switch {
	case !ok:
		return nil
	case b.isNum:
		n := int64(b.int64(b.unsigned))
		if op == '-' {
			n = -n
		}
		a.at.off += n * size
		return newCData(pointerTo(a.ptr), pointerScalar(a.at))
	case b.ptr != nil && op == '-' && size > 0 && compatible(a.ptr, b.ptr, ruleAnyQuals):
		return lua.LNumber((int64(a.at.address()) - int64(b.at.address())) / size)
	}
	return nil
}

// order makes the metamethod of < or <=.
func (l *lib) order(event string, holds func(c int) bool) lua.LGFunction {
	return func(L *lua.LState) int {
		av, bv := L.Get(1), L.Get(2)
		a, b := toOperand(av), toOperand(bv)
		switch {
		case a.isNum && b.isNum:
			unsigned := a.unsigned || b.unsigned
			L.Push(lua.LBool(holds(compare(a.int64(unsigned), b.int64(unsigned), unsigned))))
			return 1
		case a.ptr != nil && b.ptr != nil && av != lua.LNil && bv != lua.LNil &&
			compatible(a.ptr, b.ptr, ruleAnyQuals):
			L.Push(lua.LBool(holds(compare(a.at.address(), b.at.address(), true))))
			return 1
		}
		return l.binaryMeta(L, event, av, bv, "attempt to compare '%s' with '%s'")
	}
}

func compare(x, y uint64, unsigned bool) int {
	less := x < y
	if !unsigned {
		less = int64(x) < int64(y)
	}
	switch {
	case x == y:
		return 0
	case less:
		return -1
	}
	return 1
}

// equal is ==, with c the cdata of self.
func equal(L *lua.LState, self *lua.LUserData, c *cdata, other lua.LValue) bool {
	o := asCData(other)
	if l := libOf(L); l != nil {
		for _, side := range []*cdata{c, o} {
			if side == nil || side.typ.deref().kind != kRecord || side.isType {
				continue
			}
			if mm := l.metamethod(side, "__eq"); mm != lua.LNil {
				L.Push(mm)
				L.Push(self)
				L.Push(other)
				L.Call(2, 1)
				v := L.Get(-1)
				L.Pop(1)
				return lua.LVAsBool(v)
			}
		}
	}
	if c.isType || o != nil && o.isType {
		return o != nil && c.isType && o.isType && c.typ.quals == o.typ.quals && same(c.typ, o.typ)
	}
	a, b := toOperand(self), toOperand(other)
	if a.isNum && b.isNum {
		unsigned := a.unsigned || b.unsigned
		return a.int64(unsigned) == b.int64(unsigned)
	}
	if name, ok := other.(lua.LString); ok && c.typ.kind == kEnum {
		n, ok := c.typ.enum.consts[string(name)]
		return ok && uint64(n) == c.n
	}
	if a.isNum || b.isNum {
		return false
	}
	if other == lua.LNil {
		return c.typ.deref().kind == kPtr && c.pointer().isNull()
	}
	if o == nil {
		return false
	}
	if c.fn != nil || o.fn != nil {
		return c.function() == o.function()
	}
	return sameObject(c.pointer(), o.pointer())
}

// sameObject compares addresses; a host object is the same whichever cdata stands for it.
func sameObject(a, b pointer) bool {
	if a.mem != nil && b.mem != nil && a.mem.obj != nil && b.mem.obj != nil {
		return a.mem == b.mem || comparable(a.mem.obj) && comparable(b.mem.obj) && a.mem.obj == b.mem.obj
	}
	return a.address() == b.address()
}

func (l *lib) negate(L *lua.LState) int {
	v := L.Get(1)
	o := toOperand(v)
	if o.isNum {
		t := tInt64
		if o.unsigned {
			t = tUint64
		}
		L.Push(newCData(t, scalar{n: -o.int64(o.unsigned)}))
		return 1
	}
	return l.binaryMeta(L, "__unm", v, v, "attempt to perform arithmetic on '%s' and '%s'")
}

func (l *lib) length(L *lua.LState) int {
	v := L.Get(1)
	mm := l.metamethod(asCData(v), "__len")
	if mm == lua.LNil {
		L.RaiseError("attempt to get length of '%s'", typeName(v))
	}
	L.Push(mm)
	L.Push(v)
	L.Call(1, 1)
	return 1
}

func (l *lib) concat(L *lua.LState) int {
	return l.binaryMeta(L, "__concat", L.Get(1), L.Get(2), "attempt to concatenate '%s' and '%s'")
}

func (l *lib) toString(L *lua.LState) int {
	v := L.Get(1)
	c := asCData(v)
	if c == nil {
		return 0
	}
	if mm := l.metamethod(c, "__tostring"); mm != lua.LNil && !c.isType {
		L.Push(mm)
		L.Push(v)
		L.Call(1, 1)
		return 1
	}
	L.Push(lua.LString(c.String()))
	return 1
}
