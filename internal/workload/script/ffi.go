package script

import (
	"errors"
	"time"

	"deltabench/internal/luaffi"
	"deltabench/internal/measure"
	"deltabench/internal/random"
	lua "deltabench/internal/third_party/gopher-lua"
)

// openFFI sets ffi, bit and jit.
func (s *State) openFFI() {
	host := s.Script.host
	s.c = &luaffi.Host{Funcs: s.functions(), Declarations: declarations, Stdout: host.Stdout, Getenv: host.Getenv}
	luaffi.Open(s.L, s.c)
	s.onClose(func() { luaffi.Close(s.L) })
}

// charPointer is a C string as validators get it.
func (s *State) charPointer(text string) lua.LValue { return luaffi.NewString(text) }

// offersC reports whether a function of ffi.C can be called.
func (s *State) offersC(name string) bool {
	if _, ok := s.c.Funcs[name]; ok {
		return true
	}
	return luaffi.LibC(name)
}

// functions are sysbench's own functions for ffi.C, and those of C's library that wait.
func (s *State) functions() map[string]luaffi.Func {
	fs := luaffi.SleepFuncs(s.sleep)
	number := func(draw func(*random.Dist, *random.Source, uint32, uint32) uint32) luaffi.Func {
		return func(_ *lua.LState, args []luaffi.Value) (luaffi.Value, error) {
			a, b := luaffi.Arg(args, 0).Uint(), luaffi.Arg(args, 1).Uint()
			return luaffi.Uint(uint64(draw(s.Setup.Dist, s.Thread.Rand, uint32(a), uint32(b)))), nil
		}
	}
	for name, draw := range draws {
		fs[name] = number(draw)
	}
	fs["sb_rand_unique"] = func(*lua.LState, []luaffi.Value) (luaffi.Value, error) {
		return luaffi.Uint(uint64(s.Setup.Random.Unique())), nil
	}
	fs["sb_rand_uniform_double"] = func(*lua.LState, []luaffi.Value) (luaffi.Value, error) {
		return luaffi.Float(s.Thread.Rand.Float64()), nil
	}
	fs["sb_rand_uniform_uint64"] = func(*lua.LState, []luaffi.Value) (luaffi.Value, error) {
		return luaffi.Uint(s.Thread.Rand.Uint64()), nil
	}
	fs["sb_rand_str"] = func(_ *lua.LState, args []luaffi.Value) (luaffi.Value, error) {
		template, err := luaffi.Arg(args, 0).Text()
		if err != nil {
			return luaffi.Value{}, err
		}
		return luaffi.Value{}, fill(luaffi.Arg(args, 1), random.AppendTemplate(nil, s.Thread.Rand, template))
	}
	fs["sb_rand_varstr"] = func(_ *lua.LState, args []luaffi.Value) (luaffi.Value, error) {
		low, high := uint32(luaffi.Arg(args, 1).Uint()), uint32(luaffi.Arg(args, 2).Uint())
		if low > high || high == 0 {
			return luaffi.Value{}, errors.New("sb_rand_varstr: the shortest length is above the longest, or there is none")
		}
		text := random.AppendVarString(nil, s.Thread.Rand, low, high)
		return luaffi.Uint(uint64(len(text))), fill(luaffi.Arg(args, 0), text)
	}
	fs["sb_more_events"] = func(L *lua.LState, _ []luaffi.Value) (luaffi.Value, error) {
		return luaffi.Bool(s.moreEvents(L)), nil
	}
	fs["sb_event_start"] = func(*lua.LState, []luaffi.Value) (luaffi.Value, error) {
		if s.control != nil {
			s.control.Start()
		}
		return luaffi.Value{}, nil
	}
	fs["sb_event_stop"] = func(*lua.LState, []luaffi.Value) (luaffi.Value, error) {
		if s.control != nil {
			s.control.Stop()
		}
		return luaffi.Value{}, nil
	}
	fs["sb_print_test_options"] = func(*lua.LState, []luaffi.Value) (luaffi.Value, error) {
		s.printOptions()
		return luaffi.Value{}, nil
	}
	// A thread counts for itself, whatever number it gives.
	fs["sb_counter_inc"] = func(_ *lua.LState, args []luaffi.Value) (luaffi.Value, error) {
		s.Thread.Stats.Count(measure.Counter(luaffi.Arg(args, 1).Int()), 1)
		return luaffi.Value{}, nil
	}
	fs["sb_counter_add"] = func(_ *lua.LState, args []luaffi.Value) (luaffi.Value, error) {
		s.Thread.Stats.Count(measure.Counter(luaffi.Arg(args, 1).Int()), luaffi.Arg(args, 2).Int())
		return luaffi.Value{}, nil
	}
	fs["sb_counter_val"] = func(_ *lua.LState, args []luaffi.Value) (luaffi.Value, error) {
		return luaffi.Uint(uint64(s.Thread.Stats.Counted(measure.Counter(luaffi.Arg(args, 1).Int())))), nil
	}
	return fs
}

// draws are the distributions by the names of their functions.
var draws = map[string]func(*random.Dist, *random.Source, uint32, uint32) uint32{
	"sb_rand_default": (*random.Dist).Default, "sb_rand_uniform": (*random.Dist).Uniform,
	"sb_rand_gaussian": (*random.Dist).Gaussian, "sb_rand_special": (*random.Dist).Special,
	"sb_rand_pareto": (*random.Dist).Pareto, "sb_rand_zipfian": (*random.Dist).Zipfian,
}

// fill writes text and the zero behind it to where p points.
func fill(p luaffi.Value, text []byte) error {
	room, err := p.Room()
	if err != nil {
		return err
	}
	if len(room) < len(text)+1 {
		return errors.New("the buffer is too small")
	}
	room[copy(room, text)] = 0
	return nil
}

// sleep blocks the thread only.
func (s *State) sleep(d time.Duration) error {
	err := s.Thread.Env.Sleep(d)
	interrupted(s.L, err)
	return err
}
