package luaffi

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"time"
	"unsafe"

	lua "deltabench/internal/third_party/gopher-lua"
)

// libc are the functions of the C library that every state offers once a script has declared them.
var libc map[string]Func

// LibC reports whether ffi.C has a function of this name without the host's help.
func LibC(name string) bool { return libc[name] != nil }

func init() {
	libc = map[string]Func{
		"strlen": strlen, "memcpy": memcpy, "memmove": memcpy, "memset": memset, "memcmp": memcmp, "memchr": memchr,
		"strcmp": compareStrings(false), "strncmp": compareStrings(false), "strcasecmp": compareStrings(true),
		"strncasecmp": compareStrings(true), "strcpy": strcpy, "strncpy": strcpy, "strcat": strcat, "strchr": memchr,
		"strdup": strdup,
		"malloc": func(L *lua.LState, args []Value) (Value, error) { return allocate(L, Arg(args, 0).Uint(), 1) },
		"calloc": func(L *lua.LState, args []Value) (Value, error) {
			return allocate(L, Arg(args, 0).Uint(), Arg(args, 1).Uint())
		},
		"realloc": realloc, "free": free,
		"getpid":  func(*lua.LState, []Value) (Value, error) { return Int(int64(os.Getpid())), nil },
		"getppid": func(*lua.LState, []Value) (Value, error) { return Int(int64(os.Getppid())), nil },
		"pthread_self": func(L *lua.LState, _ []Value) (Value, error) { // a number that no other state has
			return Uint(uint64(uintptr(unsafe.Pointer(libOf(L))))), nil
		},
		"time": cTime, "gettimeofday": gettimeofday, "clock_gettime": clockGettime,
		"printf": printf, "puts": puts, "putchar": putchar, "fflush": func(*lua.LState, []Value) (Value, error) { return Int(0), nil },
		"sprintf": sprintf, "snprintf": snprintf,
		"getenv": getenv,
		"atoi":   atoi, "atol": atoi, "atoll": atoi, "atof": strtod, "strtod": strtod,
		"strtol": strtol, "strtoll": strtol, "strtoul": strtoul, "strtoull": strtoul,
		"abs": abs, "labs": abs, "llabs": abs,
		"toupper": letter('a', 'z', 'A'-'a'), "tolower": letter('A', 'Z', 'a'-'A'),
		"rand": random, "random": random, "srand": srandom, "srandom": srandom,
		"sched_yield": func(*lua.LState, []Value) (Value, error) { return Int(0), nil },
	}
	for name, f := range map[string]func(float64) float64{
		"fabs": math.Abs, "floor": math.Floor, "ceil": math.Ceil, "round": math.Round, "trunc": math.Trunc, "sqrt": math.Sqrt,
		"exp": math.Exp, "log": math.Log, "log2": math.Log2, "log10": math.Log10, "sin": math.Sin, "cos": math.Cos, "tan": math.Tan,
	} {
		libc[name] = func(_ *lua.LState, args []Value) (Value, error) { return Float(f(Arg(args, 0).Float())), nil }
	}
	for name, f := range map[string]func(a, b float64) float64{"pow": math.Pow, "fmod": math.Mod, "atan2": math.Atan2} {
		libc[name] = func(_ *lua.LState, args []Value) (Value, error) {
			return Float(f(Arg(args, 0).Float(), Arg(args, 1).Float())), nil
		}
	}
}

func strlen(_ *lua.LState, args []Value) (Value, error) {
	v := Arg(args, 0)
	if v.isStr {
		if i := strings.IndexByte(v.str, 0); i >= 0 {
			return Int(int64(i)), nil
		}
		return Int(int64(len(v.str))), nil
	}
	s, err := v.Text()
	return Int(int64(len(s))), err
}

func memcpy(_ *lua.LState, args []Value) (Value, error) {
	n := Arg(args, 2).Int()
	if n == 0 {
		return Arg(args, 0), nil
	}
	return Arg(args, 0), Arg(args, 1).target().copyTo(Arg(args, 0).target(), n)
}

func memset(_ *lua.LState, args []Value) (Value, error) {
	n := Arg(args, 2).Int()
	if n == 0 {
		return Arg(args, 0), nil
	}
	b, err := Arg(args, 0).target().bytes(n)
	fillBytes(b, byte(Arg(args, 1).Int()))
	return Arg(args, 0), err
}

func memcmp(_ *lua.LState, args []Value) (Value, error) {
	n := Arg(args, 2).Int()
	if n == 0 {
		return Int(0), nil
	}
	a, err := Arg(args, 0).target().bytes(n)
	if err != nil {
		return Value{}, err
	}
	b, err := Arg(args, 1).target().bytes(n)
	return Int(int64(bytes.Compare(a, b))), err
}

// memchr is strchr too, which has no length: it looks up to and at the NUL.
func memchr(_ *lua.LState, args []Value) (Value, error) {
	p := Arg(args, 0).target()
	var b []byte
	var err error
	if len(args) > 2 {
		if n := args[2].Int(); n != 0 {
			b, err = p.bytes(n)
		}
	} else {
		var s string
		s, err = p.cstring()
		b = append([]byte(s), 0)
	}
	i := bytes.IndexByte(b, byte(Arg(args, 1).Int()))
	if err != nil || i < 0 {
		return Value{}, err
	}
	p.off += int64(i)
	return Value{typ: tVoidPtr, scalar: pointerScalar(p)}, nil
}

// compareStrings makes strcmp, and strncmp for those who pass a length.
func compareStrings(fold bool) Func {
	return func(_ *lua.LState, args []Value) (Value, error) {
		var s [2]string
		for i := range s {
			v := Arg(args, i)
			if len(args) > 2 {
				b, err := v.Room()
				if err != nil {
					return Value{}, err
				}
				b = b[:min(uint64(len(b)), args[2].Uint())]
				if end := bytes.IndexByte(b, 0); end >= 0 {
					b = b[:end]
				}
				s[i] = string(b)
			} else {
				var err error
				if s[i], err = v.Text(); err != nil {
					return Value{}, err
				}
			}
			if fold {
				s[i] = strings.ToLower(s[i])
			}
		}
		return Int(int64(strings.Compare(s[0], s[1]))), nil
	}
}

// strcpy is strncpy too, which pads to its length.
func strcpy(_ *lua.LState, args []Value) (Value, error) {
	s, err := Arg(args, 1).Text()
	if err != nil {
		return Value{}, err
	}
	b := append([]byte(s), 0)
	if len(args) > 2 {
		n := args[2].Int()
		if n < 0 || n > maxObject {
			return Value{}, errors.New("length is too large")
		}
		b = append(b, make([]byte, max(n-int64(len(b)), 0))...)[:n]
	}
	to, err := Arg(args, 0).target().bytes(int64(len(b)))
	copy(to, b)
	return Arg(args, 0), err
}

func strcat(_ *lua.LState, args []Value) (Value, error) {
	a, err := Arg(args, 0).Text()
	if err != nil {
		return Value{}, err
	}
	b, err := Arg(args, 1).Text()
	if err != nil {
		return Value{}, err
	}
	to, err := Arg(args, 0).target().bytes(int64(len(a)+len(b)) + 1)
	copy(to, a+b+"\x00")
	return Arg(args, 0), err
}

func strdup(_ *lua.LState, args []Value) (Value, error) {
	s, err := Arg(args, 0).Text()
	return Value{typ: tVoidPtr, scalar: scalar{mem: stringMemory(s)}}, err
}

// allocate gives memory, or NULL if that is too much.
func allocate(L *lua.LState, n, size uint64) (Value, error) {
	if size != 0 && n > uint64(maxObject)/size {
		SetErrno(L, 12) // ENOMEM
		return Value{}, nil
	}
	return Value{typ: tVoidPtr, scalar: scalar{mem: newMemory(int64(n * size))}}, nil
}

func realloc(L *lua.LState, args []Value) (Value, error) {
	v, err := allocate(L, Arg(args, 1).Uint(), 1)
	old := Arg(args, 0)
	if old.IsNull() || v.mem == nil || err != nil {
		return v, err
	}
	b, err := old.Room()
	if err != nil {
		return Value{}, err
	}
	if n := min(len(b), len(v.mem.data)); n > 0 {
		err = old.target().copyTo(v.pointer(), int64(n))
	}
	old.mem.dead = true
	return v, err
}

func free(_ *lua.LState, args []Value) (Value, error) {
	v := Arg(args, 0)
	switch {
	case v.IsNull():
		return Value{}, nil
	case v.mem == nil || v.mem.data == nil || v.n != 0:
		return Value{}, errors.New("free of a pointer that malloc did not give")
	case v.mem.dead:
		return Value{}, errors.New("free of memory that was freed")
	}
	v.mem.dead = true
	return Value{}, nil
}

func cTime(_ *lua.LState, args []Value) (Value, error) {
	now := time.Now().Unix()
	if v := Arg(args, 0); !v.IsNull() {
		return Int(now), storeWords(v, now)
	}
	return Int(now), nil
}

// storeWords writes 64-bit integers, such as the members of struct timeval and timespec.
func storeWords(v Value, words ...int64) error {
	b, err := v.target().bytes(int64(len(words)) * 8)
	if err != nil {
		return err
	}
	for i, w := range words {
		binary.LittleEndian.PutUint64(b[i*8:], uint64(w))
	}
	return nil
}

func gettimeofday(_ *lua.LState, args []Value) (Value, error) {
	if Arg(args, 0).IsNull() {
		return Int(0), nil
	}
	now := time.Now()
	return Int(0), storeWords(args[0], now.Unix(), int64(now.Nanosecond()/1000))
}

// started is the zero of the monotonic clock.
var started = time.Now()

func clockGettime(L *lua.LState, args []Value) (Value, error) {
	switch Arg(args, 0).Int() {
	case 0, 5: // CLOCK_REALTIME and its coarse kind
		now := time.Now()
		return Int(0), storeWords(Arg(args, 1), now.Unix(), int64(now.Nanosecond()))
	case 1, 4, 6, 7: // CLOCK_MONOTONIC and the like
		d := time.Since(started) + time.Hour
		return Int(0), storeWords(Arg(args, 1), int64(d/time.Second), int64(d%time.Second))
	}
	SetErrno(L, 22) // EINVAL
	return Int(-1), nil
}

func printf(L *lua.LState, args []Value) (Value, error) {
	s, err := cprintf(args)
	return write(L, s, err)
}

func write(L *lua.LState, s string, err error) (Value, error) {
	if err != nil {
		return Value{}, err
	}
	if _, err := io.WriteString(libOf(L).stdout(), s); err != nil {
		return Int(-1), nil
	}
	return Int(int64(len(s))), nil
}

func puts(L *lua.LState, args []Value) (Value, error) {
	s, err := Arg(args, 0).Text()
	return write(L, s+"\n", err)
}

func putchar(L *lua.LState, args []Value) (Value, error) {
	c := byte(Arg(args, 0).Int())
	_, err := write(L, string([]byte{c}), nil)
	return Int(int64(c)), err
}

func sprintf(_ *lua.LState, args []Value) (Value, error) {
	s, err := cprintf(args[min(1, len(args)):])
	if err != nil {
		return Value{}, err
	}
	b, err := Arg(args, 0).target().bytes(int64(len(s)) + 1)
	copy(b, s+"\x00")
	return Int(int64(len(s))), err
}

func snprintf(_ *lua.LState, args []Value) (Value, error) {
	s, err := cprintf(args[min(2, len(args)):])
	if err != nil {
		return Value{}, err
	}
	n := min(Arg(args, 1).Uint(), uint64(len(s))+1)
	if n > 0 {
		b, err := Arg(args, 0).target().bytes(int64(n))
		if err != nil {
			return Value{}, err
		}
		copy(b, s)
		b[n-1] = 0
	}
	return Int(int64(len(s))), nil
}

func getenv(L *lua.LState, args []Value) (Value, error) {
	name, err := Arg(args, 0).Text()
	if s := libOf(L).getenv(name); s != "" && err == nil {
		return Text(s), nil
	}
	return Value{}, err
}

func abs(_ *lua.LState, args []Value) (Value, error) {
	n := Arg(args, 0).Int()
	if n < 0 {
		n = -n
	}
	return Int(n), nil
}

func letter(from, to, shift int64) Func {
	return func(_ *lua.LState, args []Value) (Value, error) {
		c := Arg(args, 0).Int()
		if c >= from && c <= to {
			c += shift
		}
		return Int(c), nil
	}
}

func atoi(_ *lua.LState, args []Value) (Value, error) {
	s, err := Arg(args, 0).Text()
	n, negative, _ := scanInt(s, 10, math.MaxInt64)
	return Int(sign(n, negative)), err
}

func sign(n uint64, negative bool) int64 {
	if negative {
		return -int64(n)
	}
	return int64(n)
}

// scanInt reads an integer from the start of s as strtol does; used is 0 if there is none. Numbers above limit are limit.
func scanInt(s string, base int, limit uint64) (n uint64, negative bool, used int) {
	i := len(s) - len(strings.TrimLeft(s, " \t\n\v\f\r"))
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		negative = s[i] == '-'
		i++
	}
	hex := len(s) > i+2 && s[i] == '0' && s[i+1]|32 == 'x' && digitOf(s[i+2]) < 16
	switch {
	case hex && (base == 0 || base == 16):
		base = 16
		i += 2
	case base == 0 && i < len(s) && s[i] == '0':
		base = 8
	case base == 0:
		base = 10
	}
	for ; i < len(s) && digitOf(s[i]) < base; i++ {
		d := uint64(digitOf(s[i]))
		if n > (limit-d)/uint64(base) {
			n = limit
		} else {
			n = n*uint64(base) + d
		}
		used = i + 1
	}
	return n, negative, used
}

func digitOf(c byte) int {
	switch {
	case isDigit(c):
		return int(c - '0')
	case c|32 >= 'a' && c|32 <= 'z':
		return int(c|32-'a') + 10
	}
	return 99
}

func strtol(_ *lua.LState, args []Value) (Value, error) {
	s, err := Arg(args, 0).Text()
	if err != nil {
		return Value{}, err
	}
	n, negative, used := scanInt(s, baseArg(args), math.MaxInt64)
	return Int(sign(n, negative)), storeEnd(args, used)
}

func strtoul(_ *lua.LState, args []Value) (Value, error) {
	s, err := Arg(args, 0).Text()
	if err != nil {
		return Value{}, err
	}
	n, negative, used := scanInt(s, baseArg(args), math.MaxUint64)
	return Uint(uint64(sign(n, negative))), storeEnd(args, used)
}

func baseArg(args []Value) int {
	base := Arg(args, 2).Int()
	if base < 0 || base > 36 || base == 1 {
		return 10
	}
	return int(base)
}

// storeEnd writes where a number ended to the second argument.
func storeEnd(args []Value, used int) error {
	end := Arg(args, 1)
	if end.IsNull() {
		return nil
	}
	p := args[0].target()
	p.off += int64(used)
	return store(tVoidPtr, end.target(), pointerScalar(p))
}

// strtod is atof too. It reads decimal numbers.
func strtod(_ *lua.LState, args []Value) (Value, error) {
	s, err := Arg(args, 0).Text()
	if err != nil {
		return Value{}, err
	}
	start := len(s) - len(strings.TrimLeft(s, " \t\n\v\f\r"))
	end := start
	for end < len(s) && end < start+400 && strings.IndexByte("0123456789+-.eE", s[end]) >= 0 {
		end++
	}
	for ; end > start; end-- {
		if f, err := strconv.ParseFloat(s[start:end], 64); err == nil || errors.Is(err, strconv.ErrRange) {
			return Float(f), storeEnd(args, end)
		}
	}
	return Float(0), storeEnd(args, 0)
}
