package luaffi

import (
	"io"
	"runtime"
	"strings"
	"testing"

	lua "deltabench/internal/third_party/gopher-lua"
	"deltabench/internal/third_party/gopher-lua/parse"
)

func compile(t testing.TB, source string) *lua.FunctionProto {
	t.Helper()
	chunk, err := parse.Parse(strings.NewReader(source), "x.lua")
	if err != nil {
		t.Fatal(err)
	}
	proto, err := lua.Compile(chunk, "x.lua")
	if err != nil {
		t.Fatal(err)
	}
	return proto
}

// loop compiles a loop around body and returns a function that runs it n times.
func loop(t testing.TB, before, body string) func(n int) {
	L := lua.NewState()
	t.Cleanup(L.Close)
	count := 0
	Open(L, &Host{Stdout: io.Discard, Funcs: map[string]Func{
		"sb_counter_inc": func(_ *lua.LState, args []Value) (Value, error) {
			count += int(args[1].Int())
			return Value{}, nil
		},
		"usleep": func(_ *lua.LState, args []Value) (Value, error) { return Int(0), nil },
	}})
	L.Push(L.NewFunctionFromProto(compile(t, before+"\nreturn function(n) for i = 1, n do "+body+" end end")))
	L.Call(0, 1)
	f := L.Get(-1)
	L.Pop(1)
	return func(n int) {
		L.Push(f)
		L.Push(lua.LNumber(n))
		L.Call(1, 0)
	}
}

func benchmarkLoop(b *testing.B, before, body string) {
	run := loop(b, before, body)
	b.ReportAllocs()
	b.ResetTimer()
	run(b.N)
}

const (
	cdefCounter = `ffi.cdef"void sb_counter_inc(int, int);"`
	bodyCounter = "ffi.C.sb_counter_inc(0, 1)"
	cdefUsleep  = `ffi.cdef"int usleep(unsigned);"`
	bodyUsleep  = "ffi.C.usleep(5)"
)

// An empty loop allocates for its counter, in today's interpreter; what the others allocate more is ours.
func BenchmarkEmptyLoop(b *testing.B) { benchmarkLoop(b, "", "") }

func BenchmarkCounterInc(b *testing.B) {
	benchmarkLoop(b, cdefCounter, bodyCounter)
}

func BenchmarkUsleep(b *testing.B) {
	benchmarkLoop(b, `ffi.cdef"int usleep(unsigned);"`, "ffi.C.usleep(5)")
}

func BenchmarkArray(b *testing.B) {
	benchmarkLoop(b, `local a = ffi.new("int[16]")`, "a[3] = a[3] + 1")
}

func BenchmarkInt64(b *testing.B) { benchmarkLoop(b, `local a = 1LL`, "a = a + 1") }

func BenchmarkOpen(b *testing.B) {
	host := &Host{Declarations: testDeclarations}
	b.ReportAllocs()
	for range b.N {
		L := lua.NewState()
		Open(L, host)
		L.Close()
	}
}

// TestCallsMakeNoGarbage holds calls of ffi.C to what the interpreter allocates for the loop around them.
func TestCallsMakeNoGarbage(t *testing.T) {
	const n = 10_000
	allocations := func(before, body string) float64 {
		run := loop(t, before, body)
		return testing.AllocsPerRun(3, func() { run(n) }) / n
	}
	empty := allocations("", "")
	if got := allocations(cdefCounter, bodyCounter); got > empty+0.01 {
		t.Errorf("sb_counter_inc: %.2f allocations, an empty loop %.2f", got, empty)
	}
	// It returns a number, which the interpreter may have to box.
	if got := allocations(cdefUsleep, bodyUsleep); got > empty+1 {
		t.Errorf("usleep: %.2f allocations, an empty loop %.2f", got, empty)
	}
}

// TestMemoryOfAState holds what a state costs more with this package: a run may have 1,024 of them.
func TestMemoryOfAState(t *testing.T) {
	host := &Host{Declarations: testDeclarations}
	const n = 64
	size := func(open bool) int64 {
		var before, after runtime.MemStats
		states := make([]*lua.LState, n)
		runtime.GC()
		runtime.ReadMemStats(&before)
		for i := range states {
			states[i] = lua.NewState()
			if open {
				Open(states[i], host)
			}
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		for _, L := range states {
			L.Close()
		}
		return int64(after.HeapAlloc-before.HeapAlloc) / n
	}
	plain, with := size(false), size(true)
	t.Logf("%d bytes without, %d with", plain, with)
	if with-plain > 16<<10 {
		t.Errorf("a state costs %d bytes more", with-plain)
	}
}
