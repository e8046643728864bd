package script

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"deltabench/internal/option"
	"deltabench/internal/random"
	"deltabench/internal/sqldb"
	"deltabench/internal/textlog"
	"deltabench/internal/workload"
)

// testHost is a host without options and without a database; what scripts print goes to out.
func testHost(t testing.TB, out io.Writer) *Host {
	t.Helper()
	dist, err := random.New(random.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	return &Host{
		Args: []string{"sysbench", "./x.lua"}, Test: "./x.lua", Getenv: func(string) string { return "" }, Stdout: out,
		Log: textlog.New(out, textlog.Notice), Random: random.NewProcess(), Dist: dist, Threads: 2, SearchPath: "./?.lua;/usr/share/sysbench/?.lua",
		Driver: func(string) (sqldb.Driver, error) { return nil, workload.ErrNoDriver },
	}
}

// load loads a text as a script.
func load(t testing.TB, host *Host, text string) *Script {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.lua")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Load(context.Background(), host, Source{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// threadOf is the context of a thread that nobody measures.
func threadOf(c *Script, id int) workload.ThreadContext {
	return workload.ThreadContext{ID: id, Threads: 2, Rand: c.host.Random.NewSource(), Env: sqldb.Blocking{Ctx: context.Background()}}
}

func TestOptionDeclarations(t *testing.T) {
	t.Parallel()
	c := load(t, testHost(t, io.Discard), `
local A = sysbench.cmdline
A.options = {
  n = {"number", 10}, i = {"integer", 7, A.ARG_INT}, b = {"flag", true}, off = {"flag", false}, s = {"text", "x"},
  none = {"nothing"}, on = {"on by itself", nil, A.ARG_BOOL}, list = {"list", {1, "z"}}, ["a-b"] = {"dashed", 0.1},
}`)
	got := string(option.AppendList(nil, c.Options()))
	const want = `  --a-b=N           dashed [0.1]
  --b[=on|off]      flag [on]
  --i=N             integer [7]
  --list=[LIST,...] list [1,z]
  --n=N             number [10]
  --none=STRING     nothing
  --off[=on|off]    flag [off]
  --on[=on|off]     on by itself
  --s=STRING        text [x]

`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	set := option.NewSet(c.Options()...)
	if !set.Bool("on") || set.Given("on") {
		t.Error("a flag without a default must be on, and not given")
	}
}

func TestBlockingCalls(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`os.execute("x")`:      "os.execute",
		`local f = io . popen`: "io.popen",
		`io.read() io.read() for l in io.lines("x") do end`: "io.read,io.lines",
		`-- os.execute("x")`:                     "",
		`--[[ os.execute() ]] stmt:execute()`:    "",
		`io.write("x") os.time() myos.execute()`: "",
	} {
		l := newLibrary()
		l.scan([]byte(text))
		if got := strings.Join(l.blocking, ","); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

// TestErrorsKeepTheirKind checks what becomes of errors of event: stops, restarts, failures, interrupts.
func TestErrorsKeepTheirKind(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	c := load(t, testHost(t, &out), `
function sysbench.hooks.before_restart_event(e) print("hook", e.errcode) end
local n = 0
function event(id)
  n = n + 1
  if n == 1 then return end
  if n == 2 then error({errcode = sysbench.error.RESTART_EVENT}) end
  if n == 3 then return 0 end
  if n == 4 then error({errcode = 2}) end
  error("boo")
end`)
	c.SetOptions(nil, nil)
	r, err := c.NewRun(c.Setup())
	if err != nil {
		t.Fatal(err)
	}
	w, err := r.Thread(threadOf(c, 0))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Event(); err != nil {
		t.Errorf("1: %v", err)
	}
	if err := w.Event(); !sqldb.Restartable(err) || out.String() != "hook\t1\n" {
		t.Errorf("2: %v, printed %q", err, out.String())
	}
	if err := w.Event(); !errors.Is(err, workload.ErrStop) {
		t.Errorf("3: %v", err)
	}
	for n, want := range []string{"(not a string)", "x.lua:10: boo"} {
		var e *Error
		if err := w.Event(); !errors.As(err, &e) || e.Function != "thread_run" || !strings.HasSuffix(e.Text, want) {
			t.Errorf("%d: %v, want %q", n+4, err, want)
		}
	}
	if err := w.Done(); err != nil {
		t.Error(err)
	}
}

// TestStatesAreSmall holds thousands of threads in memory: a state of a script of some size.
func TestStatesAreSmall(t *testing.T) {
	const states, most = 64, 150 << 10 // bytes of one
	text := strings.Repeat("function f() local t = {1, 2, 3} return t end\n", 300)
	text += "function event() end"
	c := load(t, testHost(t, io.Discard), text)
	c.SetOptions(nil, nil)
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	var all []*State
	for i := range states {
		s, err := c.newState(Worker, threadOf(c, i))
		if err != nil {
			t.Fatal(err)
		}
		s.export()
		all = append(all, s)
	}
	each := (heap() - before) / states
	t.Logf("%d bytes for each state", each)
	if each > most {
		t.Errorf("a state takes %d bytes, want at most %d", each, most)
	}
	for _, s := range all {
		s.close()
	}
}
