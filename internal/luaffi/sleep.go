package luaffi

import (
	"encoding/binary"
	"errors"
	"math"
	"time"

	lua "deltabench/internal/third_party/gopher-lua"
)

// SleepFuncs makes C's functions that sleep: usleep, sleep, nanosleep, clock_nanosleep, and poll and select without files.
// sleep is called for each, also with zero, and its error ends the call; see Func for what becomes of it.
func SleepFuncs(sleep func(time.Duration) error) map[string]Func {
	nap := func(d time.Duration) (Value, error) { return Int(0), sleep(d) }
	return map[string]Func{
		"usleep": func(_ *lua.LState, args []Value) (Value, error) {
			return nap(clampSleep(Arg(args, 0).Uint()&math.MaxUint32, time.Microsecond))
		},
		"sleep": func(_ *lua.LState, args []Value) (Value, error) {
			return nap(clampSleep(Arg(args, 0).Uint()&math.MaxUint32, time.Second))
		},
		"nanosleep": func(L *lua.LState, args []Value) (Value, error) {
			d, err := timespec(Arg(args, 0), time.Nanosecond)
			if err != nil {
				return invalid(L, err)
			}
			return nap(d)
		},
		"clock_nanosleep": func(L *lua.LState, args []Value) (Value, error) {
			d, err := timespec(Arg(args, 2), time.Nanosecond)
			if errors.Is(err, errTimespec) {
				return Int(22), nil // returns the error itself
			}
			if err != nil {
				return Value{}, err
			}
			if Arg(args, 1).Int()&1 != 0 { // TIMER_ABSTIME
				if Arg(args, 0).Int() == 0 {
					d -= time.Duration(time.Now().UnixNano())
				} else {
					d -= time.Since(started) + time.Hour
				}
			}
			return nap(max(d, 0))
		},
		"poll": func(_ *lua.LState, args []Value) (Value, error) {
			ms := int32(Arg(args, 2).Int())
			if Arg(args, 1).Uint() != 0 || ms < 0 {
				return Value{}, errors.New("poll of files is not available in deltabench (see docs/scripting.md)")
			}
			return nap(time.Duration(ms) * time.Millisecond)
		},
		"select": func(L *lua.LState, args []Value) (Value, error) {
			for i := range 5 {
				if Arg(args, i).IsNull() == (i == 4) { // no files, and a time
					return Value{}, errors.New("select of files is not available in deltabench (see docs/scripting.md)")
				}
			}
			d, err := timespec(Arg(args, 4), time.Microsecond)
			if err != nil {
				return invalid(L, err)
			}
			return nap(d)
		},
	}
}

var errTimespec = errors.New("invalid time")

// invalid is -1 with EINVAL for a time that makes no sense, and an error otherwise.
func invalid(L *lua.LState, err error) (Value, error) {
	if !errors.Is(err, errTimespec) {
		return Value{}, err
	}
	SetErrno(L, 22)
	return Int(-1), nil
}

// timespec reads seconds and a fraction in units: struct timespec or timeval.
func timespec(v Value, unit time.Duration) (time.Duration, error) {
	b, err := v.Bytes(16)
	if err != nil {
		return 0, err
	}
	sec, frac := int64(binary.LittleEndian.Uint64(b)), int64(binary.LittleEndian.Uint64(b[8:]))
	if sec < 0 || frac < 0 || frac >= int64(time.Second/unit) {
		return 0, errTimespec
	}
	return clampSleep(uint64(sec), time.Second) + time.Duration(frac)*unit, nil
}

// clampSleep keeps a duration below a century.
func clampSleep(n uint64, unit time.Duration) time.Duration {
	const century = 100 * 365 * 24 * time.Hour
	return time.Duration(min(n, uint64(century/unit))) * unit
}
