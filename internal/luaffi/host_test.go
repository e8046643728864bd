package luaffi

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	lua "deltabench/internal/third_party/gopher-lua"
)

const testDeclarations = `
typedef struct { int id; } sql_driver;
typedef struct sql_result sql_result;
enum { SB_CNT_READ = 1, SB_CNT_ERROR = 4 };
typedef int sb_counter_type;
void sb_event_start(int);
`

// execute runs a program and returns what it printed.
func execute(t *testing.T, host *Host, source string) string {
	t.Helper()
	var out bytes.Buffer
	L := newState(t, host, &out)
	if err := runText(L, source); err != nil {
		fmt.Fprintf(&out, "ERROR %s\n", firstLine(err))
	}
	Close(L)
	return out.String()
}

func runText(L *lua.LState, source string) error {
	f, err := L.Load(strings.NewReader(source), "x.lua")
	if err != nil {
		return err
	}
	L.Push(f)
	return L.PCall(0, 0, nil)
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

func TestHostFunctions(t *testing.T) {
	type call struct{ tid, counter int64 }
	var calls []call
	host := func() *Host {
		calls = nil
		return &Host{
			Declarations: testDeclarations,
			Consts:       map[string]int64{"EXTRA": 77},
			Funcs: map[string]Func{
				"sb_counter_inc": func(_ *lua.LState, args []Value) (Value, error) {
					calls = append(calls, call{Arg(args, 0).Int(), Arg(args, 1).Int()})
					return Value{}, nil
				},
				"sb_counter_val": func(*lua.LState, []Value) (Value, error) { return Uint(1 << 63), nil },
				"fails":          func(*lua.LState, []Value) (Value, error) { return Value{}, errors.New("it broke: 100%d") },
				"name":           func(*lua.LState, []Value) (Value, error) { return Text("Ann"), nil },
				"yes":            func(*lua.LState, []Value) (Value, error) { return Bool(true), nil },
				"half":           func(_ *lua.LState, args []Value) (Value, error) { return Float(args[0].Float() / 2), nil },
				"errs": func(L *lua.LState, _ []Value) (Value, error) {
					SetErrno(L, 4)
					return Int(-1), nil
				},
				"put": func(_ *lua.LState, args []Value) (Value, error) {
					b, err := args[0].Bytes(int(args[1].Int()))
					for i := range b {
						b[i] = byte('a' + i)
					}
					return Value{}, err
				},
				"sum": func(_ *lua.LState, args []Value) (Value, error) {
					var n int64
					for _, a := range args {
						n += a.Int()
					}
					return Int(n), nil
				},
				"back": func(L *lua.LState, args []Value) (Value, error) { // calls the script, which calls us
					L.Push(L.GetGlobal("again"))
					L.Call(0, 1)
					n := L.Get(-1).(lua.LNumber)
					L.Pop(1)
					return Int(int64(n)*100 + args[0].Int()), nil
				},
			},
		}
	}
	tests := []struct {
		name, source, want string
		calls              []call
	}{
		{
			"counters", `ffi.cdef"void sb_counter_inc(int, sb_counter_type);" ffi.C.sb_counter_inc(3, ffi.C.SB_CNT_ERROR) ffi.C.sb_counter_inc(2, 1)`,
			"",
			[]call{{3, 4}, {2, 1}},
		},
		{"declared differently", `ffi.cdef"int sb_counter_inc(double, uint8_t);" print(ffi.C.sb_counter_inc(3.9, 257))`, "0\n", []call{{3, 1}}},
		{"declared with fewer parameters", `ffi.cdef"void sb_counter_inc();" ffi.C.sb_counter_inc()`, "", []call{{0, 0}}},
		{"64-bit result", `ffi.cdef"uint64_t sb_counter_val(int,int);" print(ffi.C.sb_counter_val(0,1))`, "9223372036854775808ULL\n", nil},
		{"result of another type", `ffi.cdef"uint8_t half(int);" print(ffi.C.half(601))`, "44\n", nil},
		{"float result", `ffi.cdef"double half(double);" print(ffi.C.half(5))`, "2.5\n", nil},
		{"bool result", `ffi.cdef"bool yes(void);" print(ffi.C.yes())`, "true\n", nil},
		{"string result", `ffi.cdef"const char *name(void);" print(ffi.string(ffi.C.name()))`, "Ann\n", nil},
		{"error", `ffi.cdef"int fails(void);" ffi.C.fails()`, "ERROR x.lua:1: it broke: 100%d\n", nil},
		{"error is caught", `ffi.cdef"int fails(void);" print(pcall(function() ffi.C.fails() end))`, "false\tx.lua:1: it broke: 100%d\n", nil},
		{"errno", `ffi.cdef"int errs(void);" print(ffi.C.errs(), ffi.errno())`, "-1\t4\n", nil},
		{"memory", `ffi.cdef"void put(char*,int);" local b=ffi.new("char[4]") ffi.C.put(b,3) print(ffi.string(b))`, "abc\n", nil},
		{
			"memory too small", `ffi.cdef"void put(char*,int);" local b=ffi.new("char[4]") ffi.C.put(b+2,3)`,
			"ERROR x.lua:1: attempt to access 3 bytes at offset 2 of memory of 4 bytes\n", nil,
		},
		{"variable arguments", `ffi.cdef"int sum(int,...);" print(ffi.C.sum(1,2,3LL,ffi.new("int",4),true))`, "11\n", nil},
		{"nested calls", `ffi.cdef"int back(int,int); int sum(int,int);" function again() return ffi.C.sum(40,2) end print(ffi.C.back(7,8))`, "4207\n", nil},
		{"constants", `print(ffi.C.SB_CNT_READ, ffi.C.EXTRA)`, "1\t77\n", nil},
		{
			"declared, not offered", "ffi.cdef'int fork(void);'\n\nlocal f = ffi.C.fork",
			"ERROR x.lua:3: ffi.C.fork is not available in deltabench (see docs/scripting.md)\n", nil,
		},
		{
			"declared by the host, not offered", "ffi.C.sb_event_start(0)",
			"ERROR x.lua:1: ffi.C.sb_event_start is not available in deltabench (see docs/scripting.md)\n", nil,
		},
		{
			"variable of C", "ffi.cdef'extern char **environ;' print(ffi.C.environ)",
			"ERROR x.lua:1: ffi.C.environ is not available in deltabench (see docs/scripting.md)\n", nil,
		},
		{
			"callback", "ffi.cdef'void qsort(void*,size_t,size_t,int(*)(const void*,const void*));' ffi.cast('int(*)(int)', function() end)",
			"ERROR x.lua:1: callbacks from C into Lua are not available in deltabench (see docs/scripting.md)\n", nil,
		},
		{
			"library", "ffi.load('foo')",
			"ERROR x.lua:1: ffi.load: library 'foo' is not available in deltabench (see docs/scripting.md)\n", nil,
		},
		{"library of C", "ffi.cdef'double sqrt(double);' print(ffi.load('m').sqrt(9))", "3\n", nil},
		{"struct of the host stays", "ffi.cdef'struct sql_result { int x; };'", "ERROR x.lua:1: attempt to redefine 'sql_result'\n", nil},
		{"type of the host", "print(ffi.sizeof('sql_driver'), ffi.new('sql_driver', 5).id)", "4\t5\n", nil},
		{"printf", `ffi.cdef"int printf(const char*,...); int puts(const char*);" ffi.C.printf("%d %s\n", 5, "x") ffi.C.puts("y")`, "5 x\ny\n", nil},
		{"printf with too few", `ffi.cdef"int printf(const char*,...);" ffi.C.printf("%d %d", 5)`, "ERROR x.lua:1: format has more conversions than there are arguments\n", nil},
		{"printf with a bad format", `ffi.cdef"int printf(const char*,...);" ffi.C.printf("%5")`, "ERROR x.lua:1: format has a conversion that is not complete or too wide\n", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := execute(t, host(), tt.source); got != tt.want {
				t.Errorf("got\n%swant\n%s", got, tt.want)
			}
			if !reflect.DeepEqual(calls, tt.calls) {
				t.Errorf("calls: got %v, want %v", calls, tt.calls)
			}
		})
	}
}

// TestBounds has what crashes LuaJIT, or reads what is not the script's.
func TestBounds(t *testing.T) {
	tests := []struct{ source, want string }{
		{"local a=ffi.new('int[2]') print(a[2])", "attempt to access 4 bytes at offset 8 of memory of 8 bytes"},
		{"local a=ffi.new('int[2]') print(a[-1])", "attempt to access 4 bytes at offset -4 of memory of 8 bytes"},
		{"local a=ffi.new('int[2]') a[2]=1", "attempt to access 4 bytes at offset 8 of memory of 8 bytes"},
		{"local a=ffi.new('int[2]') print(a[1e300])", "attempt to access 4 bytes at offset 2305843009213693951 of memory of 8 bytes"},
		{"local a=ffi.new('int[2]') print((a+5)[0])", "attempt to access 4 bytes at offset 20 of memory of 8 bytes"},
		{"print(ffi.new('int *')[0])", "attempt to access memory through a NULL pointer"},
		{"ffi.new('int *')[0]=1", "attempt to access memory through a NULL pointer"},
		{"print(ffi.cast('int *',4096)[0])", "attempt to access memory at address 0x00001000, which is not the script's"},
		{"print(ffi.string(ffi.new('char *')))", "attempt to access memory through a NULL pointer"},
		{"print(ffi.string(nil))", "attempt to access memory through a NULL pointer"},
		{"print(ffi.string(ffi.new('char[2]','ab')))", "attempt to read a string that does not end within its memory of 2 bytes"},
		{"print(ffi.string(ffi.new('char[2]'),3))", "attempt to access 3 bytes at offset 0 of memory of 2 bytes"},
		{"print(ffi.string(ffi.new('char[2]'),-1))", "attempt to access -1 bytes at offset 0 of memory of 2 bytes"},
		{"ffi.copy(ffi.new('char[2]'),'abc')", "attempt to access 4 bytes at offset 0 of memory of 2 bytes"},
		{"ffi.copy(ffi.new('char[9]'),'abc',9)", "attempt to access 9 bytes at offset 0 of memory of 4 bytes"},
		{"ffi.fill(ffi.new('char[2]'),3)", "attempt to access 3 bytes at offset 0 of memory of 2 bytes"},
		{"ffi.fill(ffi.new('char[2]'),-3)", "attempt to access -3 bytes at offset 0 of memory of 2 bytes"},
		{"ffi.cdef'struct s{int x;}; ' print(ffi.new('struct s *').x)", "attempt to access memory through a NULL pointer"},
		{"ffi.cdef'struct s{int x,y;}; ' print(ffi.cast('struct s *',ffi.new('int[1]')).y)", "attempt to access 4 bytes at offset 4 of memory of 4 bytes"},
		{"ffi.cdef'struct s;' ffi.new('struct s')", "bad argument #1 to 'new' (size of C type is unknown or too large)"},
		{"ffi.cdef'void free(void*); void *malloc(size_t);' local p=ffi.cast('int*',ffi.C.malloc(4)) ffi.C.free(p) print(p[0])", "attempt to access memory that was freed"},
		{"ffi.cdef'void free(void*); void *malloc(size_t);' local p=ffi.C.malloc(4) ffi.C.free(p) ffi.C.free(p)", "free of memory that was freed"},
		{"ffi.cdef'void free(void*);' ffi.C.free(ffi.cast('void*',5))", "free of a pointer that malloc did not give"},
		{"ffi.cast('int(*)(int)',5)(1)", "attempt to call a function pointer that points to no function"},
		{"ffi.new('char[?]', 2^40)", "bad argument #1 to 'new' (size of C type is unknown or too large)"},
		{"ffi.typeof('int[2000000000]')", "size of C type is unknown or too large"},
		{"ffi.cdef'struct { int &r; } x;' ffi.typeof('int &[2]')", "invalid C type"},
		{"ffi.cdef('typedef int ' .. ('('):rep(1000) .. 'x')", "chunk has too many syntax levels near '('"},
		{"ffi.cdef('enum { A = ' .. ('-'):rep(1000) .. '1 };')", "chunk has too many syntax levels near '-'"},
		{"ffi.typeof('int ' .. ('*'):rep(1000))", "chunk has too many syntax levels near '<eof>'"},
	}
	for _, tt := range tests {
		want := "ERROR x.lua:1: " + tt.want + "\n"
		got := execute(t, &Host{}, tt.source)
		if got != want {
			t.Errorf("%s\n  got:  %s  want: %s", tt.source, got, want)
		}
	}
}

func TestObjects(t *testing.T) {
	type result struct{ rows int }
	a, b := &result{3}, &result{4}
	var out bytes.Buffer
	L := newState(t, &Host{Declarations: testDeclarations}, &out)
	mt := L.NewTable()
	methods := L.NewTable()
	methods.RawSetString("rows", L.NewFunction(func(L *lua.LState) int {
		v, _ := Object(L.Get(1))
		L.Push(lua.LNumber(v.(*result).rows))
		return 1
	}))
	mt.RawSetString("__index", methods)
	mt.RawSetString("__tostring", L.NewFunction(func(L *lua.LState) int {
		L.Push(lua.LString("<sql_result>"))
		return 1
	}))
	RegisterMetatype(L, "sql_result", mt)
	L.SetGlobal("a", NewObject("sql_result", a))
	L.SetGlobal("a2", NewObject("sql_result", a))
	L.SetGlobal("b", NewObject("sql_result", b))
	L.SetGlobal("null", NewNull("sql_result"))
	L.SetGlobal("text", NewString("hello"))
	L.SetGlobal("big", NewUint64(L, 1<<63))
	L.SetGlobal("small", NewInt64(L, -5))
	err := runText(L, `
		print(type(a), a, a:rows(), b:rows(), a == a2, a == b, a == nil, a ~= nil)
		print(type(null), null, null == nil, null ~= nil, null and "truthy", null == a)
		print(pcall(function() return a.x end))
		print(ffi.istype("sql_result *", a), ffi.istype("sql_result", a), ffi.typeof(a))
		print(ffi.string(text), big, small, getmetatable(a))
		print(pcall(function() return ffi.cast("int *", a)[0] end))
	`)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Join([]string{
		"cdata\t<sql_result>\t3\t4\ttrue\tfalse\tfalse\ttrue",
		"cdata\t<sql_result>\ttrue\tfalse\ttruthy\tfalse",
		"false\tx.lua:4: 'struct sql_result' has no member named 'x'",
		"true\ttrue\tctype<struct sql_result *>",
		"hello\t9223372036854775808ULL\t-5LL\tffi",
		"false\tx.lua:7: attempt to access memory of an opaque object",
		"",
	}, "\n")
	if got := out.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if v, ok := Object(L.GetGlobal("null")); ok {
		t.Errorf("NULL has the object %v", v)
	}
	for _, tt := range []struct {
		v    lua.LValue
		want int64
		ok   bool
	}{{NewInt64(L, -7), -7, true}, {lua.LNumber(3.9), 3, true}, {lua.LString("5"), 0, false}, {NewNull("x"), 0, false}} {
		if n, ok := ToInt64(tt.v); n != tt.want || ok != tt.ok {
			t.Errorf("ToInt64(%v) = %d, %v, want %d, %v", tt.v, n, ok, tt.want, tt.ok)
		}
	}
}

func TestSleeps(t *testing.T) {
	stop := errors.New("stopped")
	const cdef = `ffi.cdef[[int usleep(unsigned); unsigned sleep(unsigned); struct timespec { long tv_sec; long tv_nsec; };
		int nanosleep(const struct timespec *, struct timespec *); struct timeval { long tv_sec, tv_usec; };
		int clock_nanosleep(int, int, const struct timespec *, struct timespec *); int clock_gettime(int, struct timespec *);
		struct pollfd { int fd; short events, revents; }; int poll(struct pollfd *, unsigned long, int);
		int select(int, void *, void *, void *, struct timeval *);]] `
	tests := []struct {
		source, want string
		slept        []time.Duration
	}{
		{"print(ffi.C.usleep(1500))", "0\n", []time.Duration{1500 * time.Microsecond}},
		{"ffi.C.sleep(2) ffi.C.usleep(0)", "", []time.Duration{2 * time.Second, 0}},
		{"ffi.C.nanosleep(ffi.new('struct timespec',{1,5}),nil)", "", []time.Duration{time.Second + 5}},
		{"print(ffi.C.nanosleep(ffi.new('struct timespec',{0,1e9}),nil), ffi.errno())", "-1\t22\n", nil},
		{"print(ffi.C.nanosleep(nil,nil))", "ERROR x.lua:5: attempt to access memory through a NULL pointer\n", nil},
		{"print(ffi.C.clock_nanosleep(1,0,ffi.new('struct timespec',{0,7}),nil))", "0\n", []time.Duration{7}},
		{"print(ffi.C.clock_nanosleep(1,0,ffi.new('struct timespec',{0,-7}),nil))", "22\n", nil},
		{"print(ffi.C.clock_nanosleep(1,1,ffi.new('struct timespec',{0,7}),nil))", "0\n", []time.Duration{0}},
		{"print(ffi.C.poll(nil,0,10))", "0\n", []time.Duration{10 * time.Millisecond}},
		{"ffi.C.poll(nil,0,-1)", "ERROR x.lua:5: poll of files is not available in deltabench (see docs/scripting.md)\n", nil},
		{"ffi.C.select(0,nil,nil,nil,ffi.new('struct timeval',{0,9}))", "", []time.Duration{9 * time.Microsecond}},
		{"ffi.C.select(0,nil,nil,nil,nil)", "ERROR x.lua:5: select of files is not available in deltabench (see docs/scripting.md)\n", nil},
		{"ffi.C.sleep(42) print('not reached')", "ERROR stopped\n", []time.Duration{42 * time.Second}},
		{"pcall(function() ffi.C.sleep(42) end) print('not reached')", "ERROR stopped\n", []time.Duration{42 * time.Second}},
	}
	for _, tt := range tests {
		var slept []time.Duration
		got := execute(t, &Host{Funcs: SleepFuncs(func(d time.Duration) error {
			slept = append(slept, d)
			if d == 42*time.Second {
				return lua.Uncatchable(stop)
			}
			return nil
		})}, cdef+tt.source)
		if got != tt.want || !reflect.DeepEqual(slept, tt.slept) {
			t.Errorf("%s\n  got %q, slept %v\n want %q, slept %v", tt.source, got, slept, tt.want, tt.slept)
		}
	}
}

func TestFinalizersAtTheLatestAtClose(t *testing.T) {
	got := execute(t, &Host{}, `
		keep = ffi.gc(ffi.new("int[1]", 1), function(p) print("first", p[0]) end)
		other = ffi.gc(ffi.new("int[1]", 2), function(p) print("second", p[0]) end)
		third = ffi.gc(ffi.new("int[1]", 3), function(p) error("lost") end)
		none = ffi.gc(ffi.gc(ffi.new("int[1]", 4), function(p) print("never") end), nil)
		ffi.cdef"typedef struct { int x; } res;"
		ffi.metatype("res", {__gc = function(r) print("res", r.x) end})
		kept = ffi.new("res", 9)
		print("end")`)
	if want := "end\nres\t9\nsecond\t2\nfirst\t1\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// A state whose objects have finalizers must not live for ever because of them.
func TestFinalizersDoNotKeepTheState(t *testing.T) {
	gone := make(chan struct{})
	func() {
		var out bytes.Buffer
		L := lua.NewState()
		Open(L, &Host{Stdout: &out})
		if err := L.DoString(`x = ffi.gc(ffi.new("int[1]"), function() return x end)`); err != nil {
			t.Fatal(err)
		}
		runtime.AddCleanup(L, func(c chan struct{}) { close(c) }, gone)
		L.Close()
	}()
	for range 100 {
		runtime.GC()
		select {
		case <-gone:
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
	t.Error("the state is still there")
}

// States share compiled code and the host's declarations; under the race detector this shows writes to either.
func TestStatesInParallel(t *testing.T) {
	proto := compile(t, `
		ffi.cdef"struct p { int x; sql_driver d; }; void sb_counter_inc(int, int);"
		local big = 5LL
		for i = 1, 50 do
			local p = ffi.new("struct p", {i})
			big = big + p.x + 1ULL
			ffi.gc(1LL, print)
			ffi.C.sb_counter_inc(0, 1)
		end
		assert(tostring(big) == "1330ULL", tostring(big))`)
	done := make(chan error)
	for range 4 {
		go func() {
			L := lua.NewState()
			defer L.Close()
			Open(L, &Host{Declarations: testDeclarations, Funcs: map[string]Func{
				"sb_counter_inc": func(*lua.LState, []Value) (Value, error) { return Value{}, nil },
			}})
			L.Push(L.NewFunctionFromProto(proto))
			done <- L.PCall(0, 0, nil)
		}()
	}
	for range 4 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}
