package lua

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// oltpLoop is what a script does for a transaction of 16 statements, but for the server.
const oltpLoop = `
local con = connection
local function id() return rand(1, 100000) end
local function digits() return "0123456789-0123456789" end
function event()
  local t = "sbtest" .. rand(1, 10)
  con:query("BEGIN")
  for i = 1, 10 do
    con:query("SELECT c FROM " .. t .. " WHERE id=" .. id())
  end
  for i = 1, 4 do
    local from = id()
    con:query(string.format("SELECT c FROM %s WHERE id BETWEEN %d AND %d", t, from, from + 99))
  end
  con:query("COMMIT")
end
`

func benchState(b testing.TB) *LState {
	L := NewState()
	mt := L.NewTable()
	var queries int
	methods := L.SetFuncs(L.NewTable(), map[string]LGFunction{"query": func(L *LState) int {
		queries += len(L.CheckString(2))
		return 0
	}})
	mt.RawSetString("__index", methods)
	L.SetGlobal("connection", &LUserData{Metatable: mt})
	n := 0
	L.SetGlobal("rand", L.NewFunction(func(L *LState) int {
		lo, hi := L.CheckInt(1), L.CheckInt(2)
		n += 7919
		L.PushNumber(LNumber(lo + n%(hi-lo+1)))
		return 1
	}))
	if err := L.DoString(oltpLoop); err != nil {
		b.Fatal(err)
	}
	return L
}

func BenchmarkOLTP(b *testing.B) {
	L := benchState(b)
	defer L.Close()
	event := L.GetGlobal("event")
	b.ReportAllocs()
	for b.Loop() {
		L.Push(event)
		L.Call(0, 0)
	}
}

func benchScript(b *testing.B, script string) {
	L := NewState()
	defer L.Close()
	if err := L.DoString(script); err != nil {
		b.Fatal(err)
	}
	f := L.GetGlobal("f")
	b.ReportAllocs()
	for b.Loop() {
		L.Push(f)
		L.Call(0, 0)
	}
}

func BenchmarkFib20(b *testing.B) {
	benchScript(b, `local function fib(n) if n < 2 then return n end return fib(n-1) + fib(n-2) end function f() fib(20) end`)
}

func BenchmarkLoop1000(b *testing.B) {
	benchScript(b, `function f() local s = 0 for i = 1, 1000 do s = s + i end return s end`)
}

func BenchmarkTables(b *testing.B) {
	benchScript(b, `local t = {x = 1, y = 2, list = {}} for i = 1, 100 do t.list[i] = i end
	function f() local l = t.list for i = 1, #l do t.x = l[i] + t.y end end`)
}

func BenchmarkConcat(b *testing.B) {
	benchScript(b, `local n = 12345 function f() local s = "SELECT c FROM sbtest" .. 1 .. " WHERE id=" .. n return s end`)
}

func BenchmarkFormat(b *testing.B) {
	benchScript(b, `local n = 12345 function f() return string.format("SELECT c FROM sbtest%d WHERE id=%d", 1, n) end`)
}

func BenchmarkPcall(b *testing.B) {
	benchScript(b, `local function g(a) return a end function f() return pcall(g, 1) end`)
}

// scriptOf makes a script of about so many lines.
func scriptOf(lines int) string {
	var b strings.Builder
	b.WriteString("local M = {}\n")
	for i := 0; i < lines/6; i++ {
		fmt.Fprintf(&b, "function M.f%d(a, b)\n  local t = {a = a, b = b, name = \"f%d\"}\n  if a > b then\n    return t.a .. t.name\n  end\nend\n", i, i)
	}
	b.WriteString("options = {}\nfor i = 1, 30 do options['option' .. i] = {'description', i} end\nreturn M\n")
	return b.String()
}

// TestStateMemory holds what a state costs: 1,024 of them with a script of 300 lines in well under 100 MB.
func TestStateMemory(t *testing.T) {
	proto, err := CompileBytes([]byte(scriptOf(300)), "@script.lua")
	if err != nil {
		t.Fatal(err)
	}
	const n = 200
	states := make([]*LState, n)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range states {
		L := NewState()
		L.Push(L.NewFunctionFromProto(proto))
		L.Call(0, 0)
		states[i] = L
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	per := int64(after.HeapAlloc-before.HeapAlloc) / n
	t.Logf("%d bytes per state", per)
	if per > 80<<10 {
		t.Errorf("a state with a script of 300 lines takes %d bytes, want at most %d", per, 80<<10)
	}
	runtime.KeepAlive(states)
}
