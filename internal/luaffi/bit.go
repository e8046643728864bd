package luaffi

import (
	"math"
	"math/bits"
	"strconv"
	"strings"

	lua "deltabench/internal/third_party/gopher-lua"
)

// openBit makes the table bit. Operands are 32 bits wide, or 64 if one of them is cdata.
func openBit(L *lua.LState) *lua.LTable {
	tb := L.CreateTable(0, 16)
	for name, f := range map[string]lua.LGFunction{
		"tobit": func(L *lua.LState) int {
			return pushBits(L, bitArg(L, 1, nil), nil)
		},
		"bnot": func(L *lua.LState) int {
			v, t := firstBits(L)
			return pushBits(L, ^v, t)
		},
		"bswap": func(L *lua.LState) int {
			v, t := firstBits(L)
			if t != nil {
				return pushBits(L, bits.ReverseBytes64(v), t)
			}
			return pushBits(L, uint64(bits.ReverseBytes32(uint32(v))), nil)
		},
		"band":    bitFold(func(a, b uint64) uint64 { return a & b }),
		"bor":     bitFold(func(a, b uint64) uint64 { return a | b }),
		"bxor":    bitFold(func(a, b uint64) uint64 { return a ^ b }),
		"lshift":  bitShift(func(v uint32, n int) uint32 { return v << n }, func(v uint64, n int) uint64 { return v << n }),
		"rshift":  bitShift(func(v uint32, n int) uint32 { return v >> n }, func(v uint64, n int) uint64 { return v >> n }),
		"arshift": bitShift(func(v uint32, n int) uint32 { return uint32(int32(v) >> n) }, func(v uint64, n int) uint64 { return uint64(int64(v) >> n) }),
		"rol":     bitShift(bits.RotateLeft32, bits.RotateLeft64),
		"ror": bitShift(func(v uint32, n int) uint32 { return bits.RotateLeft32(v, -n) },
			func(v uint64, n int) uint64 { return bits.RotateLeft64(v, -n) }),
		"tohex": toHex,
	} {
		tb.RawSetString(name, L.NewFunction(f))
	}
	return tb
}

// operandType returns the type that operand n makes a result 64 bits wide with, or nil.
func operandType(L *lua.LState, n int) *ctype {
	c := asCData(L.Get(n))
	switch {
	case c == nil:
		return nil
	case c.isType || !c.typ.deref().number():
		L.ArgError(n, cannotConvert(L.Get(n), tInt64).Error())
	case c.typ.kind == kInt && c.typ.size == 8 && c.typ.unsigned:
		return tUint64
	}
	return tInt64
}

// bitArg reads an operand of 64 bits if t is a type, and else of 32.
func bitArg(L *lua.LState, n int, t *ctype) uint64 {
	arg := L.Get(n)
	var f float64
	switch a := arg.(type) {
	case lua.LNumber:
		f = float64(a)
	case lua.LString:
		var ok bool
		if f, ok = parseNumber(string(a)); !ok {
			L.ArgError(n, "number expected, got string")
		}
	default:
		if c := asCData(arg); c != nil && operandType(L, n) != nil {
			return c.int64bits()
		}
		got := arg.Type().String()
		if L.GetTop() < n {
			got = "no value"
		}
		L.ArgError(n, "number expected, got "+got)
	}
	if t != nil {
		return floatToInt(t, f)
	}
	return toBit(f)
}

// firstBits reads the first operand with its type.
func firstBits(L *lua.LState) (uint64, *ctype) {
	t := operandType(L, 1)
	return bitArg(L, 1, t), t
}

// parseNumber is tonumber of a string.
func parseNumber(s string) (float64, bool) {
	s = strings.TrimSpace(s)
	if n, err := strconv.ParseUint(s, 0, 64); err == nil && strings.HasPrefix(strings.ToLower(s), "0x") {
		return float64(n), true
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil
}

// toBit rounds to the nearest integer and takes its low 32 bits, with sign. Beyond 2^51 LuaJIT says the result is undefined.
func toBit(f float64) uint64 {
	return uint64(int32(uint32(math.Float64bits(f + 6755399441055744))))
}

func pushBits(L *lua.LState, v uint64, t *ctype) int {
	if t != nil {
		L.Push(newCData(t, scalar{n: v}))
	} else {
		L.PushNumber(lua.LNumber(int32(uint32(v))))
	}
	return 1
}

func bitFold(f func(a, b uint64) uint64) lua.LGFunction {
	return func(L *lua.LState) int {
		t := operandType(L, 1)
		for i := 2; i <= L.GetTop(); i++ {
			if u := operandType(L, i); u != nil && t != tUint64 {
				t = u
			}
		}
		v := bitArg(L, 1, t)
		for i := 2; i <= L.GetTop(); i++ {
			v = f(v, bitArg(L, i, t))
		}
		return pushBits(L, v, t)
	}
}

func bitShift(f32 func(uint32, int) uint32, f64 func(uint64, int) uint64) lua.LGFunction {
	return func(L *lua.LState) int {
		v, t := firstBits(L)
		n := bitArg(L, 2, nil)
		if t != nil {
			return pushBits(L, f64(v, int(n&63)), t)
		}
		return pushBits(L, uint64(f32(uint32(v), int(n&31))), nil)
	}
}

func toHex(L *lua.LState) int {
	v, t := firstBits(L)
	n := 8
	if t != nil {
		n = 16
	} else {
		v = uint64(uint32(v))
	}
	if L.GetTop() >= 2 {
		n = int(int32(uint32(bitArg(L, 2, nil))))
	}
	digits := "0123456789abcdef"
	if n < 0 {
		digits = "0123456789ABCDEF"
		n = -n
	}
	n = min(n, 254)
	out := make([]byte, n)
	for i := n - 1; i >= 0; i-- {
		out[i] = digits[v&15]
		v >>= 4
	}
	L.Push(lua.LString(out))
	return 1
}
