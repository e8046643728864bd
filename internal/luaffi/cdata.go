package luaffi

import (
	"fmt"
	"math"
	"strconv"

	lua "deltabench/internal/third_party/gopher-lua"
)

// cdata is what scripts hold: a number or pointer by value, an array or struct or a reference to one by place, or a type.
type cdata struct {
	typ *ctype
	scalar
	isType  bool
	literal bool      // a constant of compiled code, which states share
	fn      *function // of kFunc
	fin     *finalizer
}

// boxed is a cdata with its userdata in one piece of memory.
type boxed struct {
	ud lua.LUserData
	c  cdata
}

func newCData(t *ctype, v scalar) *lua.LUserData {
	b := &boxed{}
	b.c.typ, b.c.scalar = t, v
	b.ud.Value = &b.c
	b.ud.Metatable = lua.LNil
	return &b.ud
}

func newCType(t *ctype) *lua.LUserData {
	ud := newCData(t, scalar{})
	ud.Value.(*cdata).isType = true
	return ud
}

// asCData returns the cdata in v, or nil.
func asCData(v lua.LValue) *cdata {
	ud, ok := v.(*lua.LUserData)
	if !ok {
		return nil
	}
	c, _ := ud.Value.(*cdata)
	return c
}

func init() {
	lua.Int64Literal = func(bits uint64, unsigned bool) lua.CData {
		return &cdata{typ: intType(8, unsigned), scalar: scalar{n: bits}, literal: true}
	}
}

// CEqual implements lua.CData.
func (c *cdata) CEqual(L *lua.LState, self *lua.LUserData, other lua.LValue) bool {
	return equal(L, self, c, other)
}

func (c *cdata) String() string {
	t := c.typ
	if c.isType {
		return "ctype<" + t.String() + ">"
	}
	switch {
	case t.kind == kInt && t.size == 8 && t.unsigned:
		return strconv.FormatUint(c.n, 10) + "ULL"
	case t.kind == kInt && t.size == 8:
		return strconv.FormatInt(int64(c.n), 10) + "LL"
	case t.kind == kEnum:
		return "cdata<" + t.String() + ">: " + strconv.FormatInt(int64(c.n), 10)
	case t.kind == kPtr && c.pointer().isNull():
		return "cdata<" + t.String() + ">: NULL"
	case t.kind == kPtr || t.kind == kRef || t.aggregate():
		return fmt.Sprintf("cdata<%s>: 0x%08x", t, c.pointer().address())
	}
	return fmt.Sprintf("cdata<%s>: %p", t, c)
}

// push pushes the Lua value that scripts see for a value of type t: a number where that holds it, else cdata.
func push(L *lua.LState, t *ctype, v scalar) {
	switch t.kind {
	case kBool:
		L.Push(lua.LBool(v.n != 0))
		return
	case kFloat:
		L.PushNumber(lua.LNumber(v.float()))
		return
	case kInt:
		if t.size < 8 {
			L.PushNumber(lua.LNumber(int64(v.n)))
			return
		}
	case kArray, kRecord:
		t = refTo(t)
	}
	L.Push(newCData(unqualified(t), v))
}

func unqualified(t *ctype) *ctype {
	if t.quals == 0 {
		return t
	}
	c := *t
	c.quals = 0
	return &c
}

// number returns the value of a number of type t as a double.
func (v scalar) number(t *ctype) float64 {
	switch {
	case t.kind == kFloat:
		return v.float()
	case t.unsigned:
		return float64(v.n)
	}
	return float64(int64(v.n))
}

// int64bits returns the value of a cdata number as 64 bits; fractions are cut off.
func (c *cdata) int64bits() uint64 {
	if c.typ.kind == kFloat {
		return uint64(floatToInt64(c.float()))
	}
	return c.n
}

// CInt64 implements lua.CInt64: string.format and tonumber know 64-bit integers.
func (c *cdata) CInt64() (bits uint64, unsigned, ok bool) {
	return c.n, c.typ.unsigned, !c.isType && c.typ.kind == kInt && c.typ.size == 8
}

// floatToInt64 cuts off the fraction. What does not fit is the smallest number, as on x86.
func floatToInt64(f float64) int64 {
	if f >= -(1<<63) && f < 1<<63 {
		return int64(f)
	}
	return math.MinInt64
}

func floatToUint64(f float64) uint64 {
	if f >= 1<<63 {
		if f < 1<<64 {
			return uint64(f)
		}
		return 1 << 63
	}
	return uint64(floatToInt64(f))
}

// floatToInt makes a double an integer of the size of t.
func floatToInt(t *ctype, f float64) uint64 {
	switch {
	case t.size == 8 && t.unsigned:
		return floatToUint64(f)
	case t.size == 8:
		return uint64(floatToInt64(f))
	case t.size == 4 && t.unsigned:
		return uint64(uint32(floatToInt64(f)))
	}
	n := int64(math.MinInt32)
	if f > -(1<<31)-1 && f < 1<<31 {
		n = int64(f)
	}
	return uint64(truncate(n, t.size, t.unsigned))
}

// NewInt64 makes an int64_t. The state is not needed today; a value belongs to it all the same.
func NewInt64(_ *lua.LState, n int64) lua.LValue { return newCData(tInt64, scalar{n: uint64(n)}) }

// NewUint64 makes a uint64_t.
func NewUint64(_ *lua.LState, n uint64) lua.LValue { return newCData(tUint64, scalar{n: n}) }

// ToInt64 returns the value of a number, or of a cdata number of any type; fractions are cut off and a uint64_t keeps its
// bits.
func ToInt64(v lua.LValue) (int64, bool) {
	if n, ok := v.(lua.LNumber); ok {
		return floatToInt64(float64(n)), true
	}
	if c := asCData(v); c != nil && !c.isType && c.typ.number() {
		return int64(c.int64bits()), true
	}
	return 0, false
}
