package script

import (
	"deltabench/internal/luaffi"
	"deltabench/internal/random"
	lua "deltabench/internal/third_party/gopher-lua"
)

// openRand sets sysbench.rand.
func openRand(s *State, sysbench *lua.LTable) {
	t := s.L.NewTable()
	sysbench.RawSetString("rand", t)
	for name, draw := range map[string]func(*random.Dist, *random.Source, uint32, uint32) uint32{
		"default": (*random.Dist).Default, "uniform": (*random.Dist).Uniform, "gaussian": (*random.Dist).Gaussian,
		"special": (*random.Dist).Special, "pareto": (*random.Dist).Pareto, "zipfian": (*random.Dist).Zipfian,
	} {
		s.setFunc(t, name, func(L *lua.LState) int {
			a, b := s.uint32(L, 1), s.uint32(L, 2)
			L.PushNumber(lua.LNumber(draw(s.Setup.Dist, s.Thread.Rand, a, b)))
			return 1
		})
	}
	s.setFunc(t, "unique", func(L *lua.LState) int {
		L.PushNumber(lua.LNumber(s.Setup.Random.Unique()))
		return 1
	})
	s.setFunc(t, "uniform_double", func(L *lua.LState) int {
		L.PushNumber(lua.LNumber(s.Thread.Rand.Float64()))
		return 1
	})
	s.setFunc(t, "uniform_uint64", func(L *lua.LState) int {
		L.Push(luaffi.NewUint64(L, s.Thread.Rand.Uint64()))
		return 1
	})
	var text []byte
	s.setFunc(t, "string", func(L *lua.LState) int {
		template, ok := L.Get(1).(lua.LString)
		if !ok {
			s.notText(L, L.Get(1), randFile, 66, "fmt", "sb_rand_str", 1)
		}
		text = random.AppendTemplate(text[:0], s.Thread.Rand, string(template))
		L.PushBytes(text)
		return 1
	})
	s.setFunc(t, "varstring", func(L *lua.LState) int {
		low, high := s.uint32(L, 1), s.uint32(L, 2)
		if low > high {
			raise(L, "varstring: the shortest length is above the longest")
		}
		if high == 0 {
			raise(L, "varstring: the longest length must be at least 1")
		}
		text = random.AppendVarString(text[:0], s.Thread.Rand, low, high)
		L.PushBytes(text)
		return 1
	})
}

const randFile = "sysbench.rand.lua"

// uint32 is argument i as C functions get it: fractions are cut off, and what is too large wraps around.
func (s *State) uint32(L *lua.LState, i int) uint32 {
	v := L.Get(i)
	if f, ok := v.(lua.LNumber); ok {
		return random.Uint32(float64(f))
	}
	if n, ok := toInt64(v); ok {
		return uint32(n)
	}
	L.ArgError(i, "cannot convert '"+typeName(v)+"' to 'unsigned int'")
	return 0
}
