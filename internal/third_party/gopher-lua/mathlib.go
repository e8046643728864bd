package lua

import "math"

func OpenMath(L *LState) int {
	mod := L.RegisterModule(MathLibName, mathFuncs).(*LTable)
	mod.RawSetString("pi", LNumber(math.Pi))
	mod.RawSetString("huge", LNumber(math.Inf(1)))
	L.Push(mod)
	return 1
}

var mathFuncs = map[string]LGFunction{
	"abs":        mathAbs,
	"acos":       mathAcos,
	"asin":       mathAsin,
	"atan":       mathAtan,
	"atan2":      mathAtan2,
	"ceil":       mathCeil,
	"cos":        mathCos,
	"cosh":       mathCosh,
	"deg":        mathDeg,
	"exp":        mathExp,
	"floor":      mathFloor,
	"fmod":       mathFmod,
	"frexp":      mathFrexp,
	"ldexp":      mathLdexp,
	"log":        mathLog,
	"log10":      mathLog10,
	"max":        mathMax,
	"min":        mathMin,
	"modf":       mathModf,
	"pow":        mathPow,
	"rad":        mathRad,
	"random":     mathRandom,
	"randomseed": mathRandomseed,
	"sin":        mathSin,
	"sinh":       mathSinh,
	"sqrt":       mathSqrt,
	"tan":        mathTan,
	"tanh":       mathTanh,
}

func mathAbs(L *LState) int {
	L.PushNumber(LNumber(math.Abs(float64(L.CheckNumber(1)))))
	return 1
}

func mathAcos(L *LState) int {
	L.PushNumber(LNumber(math.Acos(float64(L.CheckNumber(1)))))
	return 1
}

func mathAsin(L *LState) int {
	L.PushNumber(LNumber(math.Asin(float64(L.CheckNumber(1)))))
	return 1
}

func mathAtan(L *LState) int {
	L.PushNumber(LNumber(math.Atan(float64(L.CheckNumber(1)))))
	return 1
}

func mathAtan2(L *LState) int {
	L.PushNumber(LNumber(math.Atan2(float64(L.CheckNumber(1)), float64(L.CheckNumber(2)))))
	return 1
}

func mathCeil(L *LState) int {
	L.PushNumber(LNumber(math.Ceil(float64(L.CheckNumber(1)))))
	return 1
}

func mathCos(L *LState) int {
	L.PushNumber(LNumber(math.Cos(float64(L.CheckNumber(1)))))
	return 1
}

func mathCosh(L *LState) int {
	L.PushNumber(LNumber(math.Cosh(float64(L.CheckNumber(1)))))
	return 1
}

func mathDeg(L *LState) int {
	L.PushNumber(LNumber(float64(L.CheckNumber(1)) * 180 / math.Pi))
	return 1
}

func mathExp(L *LState) int {
	L.PushNumber(LNumber(math.Exp(float64(L.CheckNumber(1)))))
	return 1
}

func mathFloor(L *LState) int {
	L.PushNumber(LNumber(math.Floor(float64(L.CheckNumber(1)))))
	return 1
}

func mathFmod(L *LState) int {
	L.PushNumber(LNumber(math.Mod(float64(L.CheckNumber(1)), float64(L.CheckNumber(2)))))
	return 1
}

func mathFrexp(L *LState) int {
	v1, v2 := math.Frexp(float64(L.CheckNumber(1)))
	L.PushNumber(LNumber(v1))
	L.PushNumber(LNumber(v2))
	return 2
}

func mathLdexp(L *LState) int {
	L.PushNumber(LNumber(math.Ldexp(float64(L.CheckNumber(1)), L.CheckInt(2))))
	return 1
}

func mathLog(L *LState) int {
	x := math.Log(float64(L.CheckNumber(1)))
	if base := L.Get(2); !isNil(base) {
		x /= math.Log(float64(L.CheckNumber(2)))
	}
	L.PushNumber(LNumber(x))
	return 1
}

func mathLog10(L *LState) int {
	L.PushNumber(LNumber(math.Log10(float64(L.CheckNumber(1)))))
	return 1
}

func mathMax(L *LState) int {
	m := L.CheckNumber(1)
	for i, n := 2, L.GetTop(); i <= n; i++ {
		if v := L.CheckNumber(i); v > m || m != m {
			m = v
		}
	}
	L.PushNumber(m)
	return 1
}

func mathMin(L *LState) int {
	m := L.CheckNumber(1)
	for i, n := 2, L.GetTop(); i <= n; i++ {
		if v := L.CheckNumber(i); v < m || m != m {
			m = v
		}
	}
	L.PushNumber(m)
	return 1
}

func mathModf(L *LState) int {
	x := float64(L.CheckNumber(1))
	v1, v2 := math.Modf(x)
	if math.IsInf(x, 0) {
		v1, v2 = x, 0
	}
	L.PushNumber(LNumber(v1))
	L.PushNumber(LNumber(v2))
	return 2
}

func mathPow(L *LState) int {
	L.PushNumber(LNumber(math.Pow(float64(L.CheckNumber(1)), float64(L.CheckNumber(2)))))
	return 1
}

func mathRad(L *LState) int {
	L.PushNumber(LNumber(float64(L.CheckNumber(1)) * math.Pi / 180))
	return 1
}

// prng is LuaJIT's generator: a combination of four Tausworthe generators, so that math.random draws the same numbers.
type prng struct {
	gen [4]uint64
}

func (r *prng) next() uint64 {
	var out uint64
	step := func(i int, k, q, s uint) {
		z := r.gen[i]
		z = ((z<<q ^ z) >> (k - s)) ^ ((z & (^uint64(0) << (64 - k))) << s)
		out ^= z
		r.gen[i] = z
	}
	step(0, 63, 31, 18)
	step(1, 58, 19, 28)
	step(2, 55, 24, 7)
	step(3, 47, 21, 8)
	return out&0x000fffffffffffff | 0x3ff0000000000000
}

func (r *prng) seed(d float64) {
	bits := uint32(0x11090601)
	for i := range r.gen {
		m := uint32(1) << (bits & 255)
		bits >>= 8
		d = d*3.14159265358979323846 + 2.7182818284590452354
		u := math.Float64bits(d)
		if u < uint64(m) {
			u += uint64(m)
		}
		r.gen[i] = u
	}
	for range 10 {
		r.next()
	}
}

func mathRandom(L *LState) int {
	d := math.Float64frombits(L.G.random.next()) - 1
	n := L.GetTop()
	if n > 0 {
		lo, hi := 1.0, float64(L.CheckNumber(1))
		if n > 1 {
			lo, hi = hi, float64(L.CheckNumber(2))
		}
		d = math.Floor(d*(hi-lo+1)) + lo
	}
	L.PushNumber(LNumber(d))
	return 1
}

func mathRandomseed(L *LState) int {
	L.G.random.seed(float64(L.CheckNumber(1)))
	return 0
}

func mathSin(L *LState) int {
	L.PushNumber(LNumber(math.Sin(float64(L.CheckNumber(1)))))
	return 1
}

func mathSinh(L *LState) int {
	L.PushNumber(LNumber(math.Sinh(float64(L.CheckNumber(1)))))
	return 1
}

func mathSqrt(L *LState) int {
	L.PushNumber(LNumber(math.Sqrt(float64(L.CheckNumber(1)))))
	return 1
}

func mathTan(L *LState) int {
	L.PushNumber(LNumber(math.Tan(float64(L.CheckNumber(1)))))
	return 1
}

func mathTanh(L *LState) int {
	L.PushNumber(LNumber(math.Tanh(float64(L.CheckNumber(1)))))
	return 1
}

//
