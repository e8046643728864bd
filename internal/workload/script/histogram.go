package script

import (
	"math"

	"deltabench/internal/luaffi"
	"deltabench/internal/measure"
	lua "deltabench/internal/third_party/gopher-lua"
)

const histogramFile = "sysbench.histogram.lua"

// maxBuckets bounds what a script can ask for.
const maxBuckets = 1 << 24

// openHistogram sets sysbench.histogram.
func openHistogram(s *State, sysbench *lua.LTable) {
	L := s.L
	t := L.NewTable()
	sysbench.RawSetString("histogram", t)
	mt := L.NewTable()
	methods := L.NewTable()
	rest := L.NewTable()
	rest.RawSetString("__index", L.NewFunction(func(L *lua.LState) int {
		raise(L, "'struct histogram' has no member named '%s'", L.Get(2).String())
		return 0
	}))
	methods.Metatable = rest
	mt.RawSetString("__index", methods)
	mt.RawSetString("__metatable", lua.LString("ffi"))
	mt.RawSetString("__tostring", s.db.toString("<histogram>"))
	s.setFunc(methods, "update", func(L *lua.LState) int {
		h := histogramOf(L, "update")
		h.Update(s.float(L, 2, 51, "sb_histogram_update", "double"))
		return 0
	})
	s.setFunc(methods, "print", func(L *lua.LState) int {
		s.print(histogramOf(L, "print").Table())
		return 0
	})
	s.setFunc(t, "new", func(L *lua.LState) int {
		const function = "sb_histogram_new"
		size := s.float(L, 1, 65, function, "uint64_t")
		low, high := s.float(L, 2, 65, function, "double"), s.float(L, 3, 65, function, "double")
		if !(size >= 2 && size <= maxBuckets && low > 0 && low < high && !math.IsInf(high, 1)) {
			raise(L, "a histogram needs 2 to %d buckets, and bounds that are positive and in order", maxBuckets)
		}
		ud := luaffi.NewObject("histogram", measure.NewLogHistogram(int(size), low, high))
		ud.Metatable = mt
		L.Push(ud)
		return 1
	})
}

// float is argument i as a number for a function of C.
func (s *State) float(L *lua.LState, i, line int, function, ctype string) float64 {
	v := L.Get(i)
	f, ok := toFloat(v)
	if !ok {
		s.raiseIn(L, histogramFile, line, "bad argument #"+lua.LNumber(i).String()+" to '"+function+"' (cannot convert '"+typeName(v)+"' to '"+ctype+"')")
	}
	return f
}

func histogramOf(L *lua.LState, method string) *measure.LogHistogram {
	return selfOf[*measure.LogHistogram](L, method, "histogram")
}
