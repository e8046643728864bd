package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// inDir has a process start in a directory with files.
func inDir(t *testing.T, files map[string]string) func(*exec.Cmd) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		writeFile(t, path, text)
	}
	return func(c *exec.Cmd) { c.Dir = dir }
}

// runScript runs x.lua with arguments.
func runScript(t *testing.T, name, text string, args ...string) *outcome {
	t.Helper()
	return startWith(t, 2*time.Minute, inDir(t, map[string]string{"x.lua": text}), name, append([]string{"./x.lua"}, args...)...).wait(t)
}

// TestScriptLife follows a script through its states: which functions are called where, in which order, with what.
func TestScriptLife(t *testing.T) {
	t.Parallel()
	const text = `
print("top", sysbench.tid, sysbench.opt)
sysbench.cmdline.options = { n = {"a number", 5, sysbench.cmdline.ARG_INT} }
function init() print("init", sysbench.tid, sysbench.opt.n) set = 1 end
function thread_init(id) print("thread_init", id, set, sysbench.opt.threads) end
function thread_done(id) print("thread_done", id) end
function done() print("done", set) end
local n = 0
function event(id)
  n = n + 1
  if n == 1 then print("event", id) end
  if n == 3 then return 0 end
end
`
	for _, engine := range []string{"loop", "goroutine"} {
		if engine == "loop" && runtime.GOOS != "linux" {
			continue
		}
		o := runScript(t, "sysbench", text, "run", "--threads=1", "--report-interval=1", "--report-checkpoints=1", "--n=7", "--engine="+engine)
		order := []string{
			"top\t0\tnil", "init\t0\t7", "Running the test", "top\t1\tnil", "top\t1\tnil", "top\t0\tnil", "thread_init\t0\tnil\t1",
			"Threads started!", "event\t0", "thread_done\t0", "total number of events:              2", "done\t1",
		}
		rest := o.stdout
		for _, want := range order {
			_, after, ok := strings.Cut(rest, want)
			if !ok {
				t.Fatalf("%q is not where it belongs in\n%v", want, o)
			}
			rest = after
		}
		if o.code != 0 {
			t.Errorf("exit code %d, want 0\n%v", o.code, o)
		}
	}
}

// TestScriptThreadRun lets a script have a loop of events of its own, which the limits of a run hold for.
func TestScriptThreadRun(t *testing.T) {
	t.Parallel()
	const text = `
ffi.cdef[[
void sb_counter_inc(int, sb_counter_type);
uint64_t sb_counter_val(int, sb_counter_type);
int usleep(unsigned int);
]]
local predefined = thread_run
function thread_run(id)
  local n = 0
  while ffi.C.sb_more_events(id) do
    ffi.C.sb_event_start(id)
    ffi.C.usleep(1000)
    ffi.C.sb_counter_inc(id, ffi.C.SB_CNT_READ)
    ffi.C.sb_event_stop(id)
    n = n + 1
    if n == 10 then break end
  end
  print("own", n, ffi.C.sb_counter_val(id, ffi.C.SB_CNT_READ))
  predefined(id)
end
function event() ffi.C.usleep(1000) end
`
	for _, c := range []struct {
		args []string
		own  string
	}{
		{[]string{"--events=25", "--time=0"}, "own\t10\t10ULL"},
		{[]string{"--events=4", "--time=0"}, "own\t4\t4ULL"},
	} {
		o := runScript(t, "sysbench", text, append([]string{"run"}, c.args...)...)
		events := strings.TrimPrefix(c.args[0], "--events=")
		if o.code != 0 || !strings.Contains(o.stdout, c.own+"\n") || field(t, o.stdout, "total number of events:") != atof(t, events) {
			t.Errorf("want %q and %s events\n%v", c.own, events, o)
		}
	}
	// Time and rate limits too.
	o := runScript(t, "sysbench", text, "run", "--time=1", "--rate=200", "--threads=2", "--rand-seed=1")
	if n := field(t, o.stdout, "total number of events:"); o.code != 0 || n < 100 || n > 300 || o.took > 20*time.Second {
		t.Errorf("%v events at a rate of 200 in a second\n%v", n, o)
	}
}

func atof(t *testing.T, s string) float64 {
	t.Helper()
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestScriptSleeps has 64 threads that wait in each event: they do not keep each other from it.
func TestScriptSleeps(t *testing.T) {
	t.Parallel()
	for _, call := range []string{
		`ffi.cdef"int usleep(unsigned int);" function event() ffi.C.usleep(100000) end`,
		`ffi.cdef"int poll(void *, unsigned long, int);" function event() ffi.C.poll(nil, 0, 100) end`,
	} {
		eventually(t, func() error {
			o := runScript(t, "deltabench", call, "run", "--threads=64", "--time=2", "--percentile=50")
			if o.code != 0 {
				t.Fatal(o)
			}
			// 640 a second would be without any loss.
			if n := field(t, o.stdout, "total number of events:"); n < 1200 {
				return &tooSlow{o}
			}
			return nil
		})
	}
}

type tooSlow struct{ *outcome }

func (e *tooSlow) Error() string { return "too slow: " + e.String() }

// TestScriptBusyLoop ends scripts that never let go.
func TestScriptBusyLoop(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text, command string
		engines             []string
	}{
		{"event", `function event(id) if id == 0 then while true do end end ffi.cdef"int usleep(unsigned);" ffi.C.usleep(1000) end`, "run", []string{"loop", "goroutine"}},
		{"event in a pcall", `function event() while true do pcall(function() while true do end end) end end`, "run", []string{"loop"}},
		{"recursion", `local function f(n) if n == 0 then return 0 end return f(n - 1) end function event() while f(100) do end end`, "run", []string{"loop"}},
		{"endless restarts", `function event() error({errcode = sysbench.error.RESTART_EVENT}) end`, "run", []string{"loop", "goroutine"}},
	} {
		for _, engine := range c.engines {
			if engine == "loop" && runtime.GOOS != "linux" {
				continue
			}
			o := runScript(t, "deltabench", c.text, c.command, "--time=2", "--threads=2", "--engine="+engine)
			if o.code != 2 || o.took > 30*time.Second || !strings.Contains(o.stdout, "still running") {
				t.Errorf("%s, %s: want exit code 2 after 7 seconds\n%v", c.name, engine, o)
			}
			if n := field(t, o.stdout, "total number of events:"); c.name == "event" && n < 2 { // hundreds, on a machine that has nothing else to do
				t.Errorf("%s, %s: the other thread had only %v events\n%v", c.name, engine, n, o)
			}
		}
	}
}

// TestScriptInterrupt ends a script by a signal, whatever it is doing.
func TestScriptInterrupt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, command string }{
		{"command", `print("started") function prepare() while true do end end`, "prepare"},
		{"top level", `print("started") while true do end`, "run"},
		{"thread_init", `print("started") function event() end function thread_init() while true do end end`, "run"},
		{"sleeping command", `print("started") ffi.cdef"int sleep(int);" function prepare() while true do pcall(ffi.C.sleep, 1) end end`, "prepare"},
	} {
		p := startWith(t, time.Minute, inDir(t, map[string]string{"x.lua": c.text}), "deltabench", "./x.lua", c.command, "--threads=1")
		waitFor(t, "the script", func() bool { return strings.Contains(p.out.String(), "started") })
		time.Sleep(200 * time.Millisecond)
		if err := p.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		o := p.wait(t)
		if o.code != 130 || o.took > 30*time.Second {
			t.Errorf("%s: want exit code 130\n%v", c.name, o)
		}
	}
}

// TestScriptInterruptIsTold ends functions that a script has besides its events: at once, with one line that names them, and
// with code 130. Those that come after an interrupt are executed nevertheless.
func TestScriptInterruptIsTold(t *testing.T) {
	t.Parallel()
	const (
		sleeps = `ffi.cdef"int usleep(unsigned);" function event() ffi.C.usleep(1000) end `
		loop   = ` print("started") while true do pcall(function() end) end `
	)
	command := func(body string) string {
		return `sysbench.cmdline.commands = {o = {function() print("started") ` + body + ` print("completed") end}}`
	}
	for _, c := range []struct{ name, text, args, line string }{
		{"os.execute", command(`for i = 1, 100 do os.execute("sleep 0.2") end`), "o", "o was interrupted"},
		{"last os.execute", command(`os.execute("sleep 2")`), "o", "o was interrupted"},
		{"caught", command(`pcall(os.execute, "sleep 2")`), "o", "o was interrupted"},
		{"coroutine", command(`coroutine.wrap(function() os.execute("sleep 2") print("completed") end)()`), "o", "o was interrupted"},
		{"lines", command(`for l in io.popen("for i in $(seq 100); do echo $i; sleep 0.2; done"):lines() do end`), "o", "o was interrupted"},
		{"read", command(`io.popen("sleep 2; echo x"):read("*a")`), "o", "o was interrupted"},
		{"close", command(`io.popen("sleep 2"):close()`), "o", "o was interrupted"},
		{"parallel", `sysbench.cmdline.commands = {o = {function() print("started") os.execute("sleep 2") print("completed") end, true}}`, "o --threads=2", "o was interrupted"},
		{"help", "function help()" + loop + "end", "help", "help was interrupted"},
		{"prepare", "function prepare()" + loop + "end", "prepare", "prepare was interrupted; tables may be incomplete"},
		{"init", sleeps + "function init()" + loop + "end", "run", "`init' function was interrupted"},
		{"done", sleeps + "function done()" + loop + "end", "run --time=1", "`done' function was interrupted"},
		{"validator", "sysbench.cmdline.options = {a = {'', 1, nil, function()" + loop + "end}}", "run --a=2", "Interrupted while the script looked at --a=2"},
		{"reports", sleeps + "if sysbench.tid == 1 then" + loop + "end", "run --report-interval=1 --time=1", "Interrupted while the script was loaded"},
		{"cumulative", sleeps + "function sysbench.hooks.report_cumulative()" + loop + "end", "run --time=1", "`report_cumulative' function was interrupted"},
		{"intermediate", sleeps + "function sysbench.hooks.report_intermediate()" + loop + "end", "run --time=600 --report-interval=1", "`report_intermediate' function was interrupted"},
		{"after", sleeps + `print("started") function sysbench.hooks.report_cumulative() os.execute("true") print("reported") end function done() os.execute("true") print("done") end`, "run --time=600", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := startWith(t, time.Minute, inDir(t, map[string]string{"x.lua": c.text}), "deltabench", append([]string{"./x.lua"}, strings.Fields(c.args)...)...)
			waitFor(t, "the script", func() bool { return strings.Contains(p.out.String(), "started\n") })
			if c.name == "after" {
				waitFor(t, "the threads", func() bool { return strings.Contains(p.out.String(), "Threads started!") })
			}
			time.Sleep(200 * time.Millisecond)
			if err := p.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			o := p.wait(t)
			if o.code != 130 || o.took > 30*time.Second || strings.Contains(o.stdout, "completed") {
				t.Errorf("want exit code 130 before the end\n%v", o)
			}
			if c.line == "" {
				if !strings.Contains(o.stdout, "\nreported\n") || !strings.Contains(o.stdout, "\ndone\n") {
					t.Errorf("functions after the run were not executed\n%v", o)
				}
			} else if strings.Count(o.stdout, "FATAL: ") != 1 || !strings.Contains(o.stdout, "FATAL: "+c.line+"\n") {
				t.Errorf("want one line %q\n%v", c.line, o)
			}
		})
	}
}

// TestScriptHookIsOverdue has a hook that never returns, for which the run does not wait.
func TestScriptHookIsOverdue(t *testing.T) {
	t.Parallel()
	const line = "' function failed: it was still running 5 seconds after the time limit and was ended\n"
	for _, c := range []struct{ hook, args, body string }{
		{"report_intermediate", "--report-interval=1", "while true do end"},
		{"report_cumulative", "--report-checkpoints=1", "while true do pcall(ffi.C.usleep, 1000) end"},
	} {
		t.Run(c.hook, func(t *testing.T) {
			t.Parallel()
			text := `ffi.cdef"int usleep(unsigned);" function event() ffi.C.usleep(1000) end
function sysbench.hooks.` + c.hook + `(st) if st.time_total < 1.9 then ` + c.body + ` end print("final") end
function done() print("done") end`
			o := runScript(t, "deltabench", text, "run", "--time=2", c.args)
			if o.code != 0 || o.took < 7*time.Second || strings.Count(o.stdout, "FATAL: ") != 1 || !strings.Contains(o.stdout, "FATAL: `"+c.hook+line) || !strings.Contains(o.stdout, "\ndone\n") {
				t.Errorf("want one line and the end after 7 seconds\n%v", o)
			}
			if c.hook == "report_cumulative" && !strings.Contains(o.stdout, "\nfinal\n") {
				t.Errorf("the final report is missing\n%v", o)
			}
		})
	}
}

// TestScriptHooks has a script write the reports, as JSON that programs can read.
func TestScriptHooks(t *testing.T) {
	t.Parallel()
	const text = `
ffi.cdef"int usleep(unsigned);"
function event() ffi.C.usleep(10000) end
sysbench.hooks.report_intermediate = sysbench.report_json
sysbench.hooks.report_cumulative = sysbench.report_json
`
	o := runScript(t, "sysbench", text, "run", "--threads=2", "--time=3", "--report-interval=1")
	if o.code != 0 {
		t.Fatal(o)
	}
	_, rest, ok := strings.Cut(o.stdout, "Threads started!\n\n")
	if !ok {
		t.Fatal(o)
	}
	type element struct {
		Time, Threads, TPS, Latency, Errors, Reconnects float64
		QPS                                             map[string]float64
	}
	var arrays [][]element
	for dec := json.NewDecoder(strings.NewReader(rest)); dec.More(); {
		var a []element
		if err := dec.Decode(&a); err != nil {
			t.Fatalf("%v\n%v", err, o)
		}
		arrays = append(arrays, a)
	}
	if len(arrays) != 2 || len(arrays[0]) < 2 || len(arrays[1]) != 1 {
		t.Fatalf("want an array of intervals and one of the total\n%v", o)
	}
	for i, e := range arrays[0] {
		if e.Threads != 2 || e.Time != float64(i+1) || e.TPS < 20 || e.TPS > 220 || e.Latency < 9 {
			t.Errorf("interval %d: %+v", i+1, e)
		}
	}
	if e := arrays[1][0]; e.Threads != 0 || e.Time < 3 || e.TPS < 20 {
		t.Errorf("total: %+v", e)
	}
	// Early ends close the array too: an event that fails, a script that stops.
	for _, how := range []string{`error("x")`, "return true"} {
		text := strings.Replace(text, "ffi.C.usleep(10000)", `n = (n or 0) + 1 ffi.C.usleep(10000) if n == 150 then `+how+" end", 1)
		o := runScript(t, "sysbench", text, "run", "--time=10", "--report-interval=1")
		_, rest, _ := strings.Cut(o.stdout, "[\n")
		rest, _, _ = strings.Cut("[\n"+rest, "FATAL")
		var a []element
		if err := json.NewDecoder(strings.NewReader(rest)).Decode(&a); err != nil && how == "return true" {
			t.Errorf("%s: %v\n%v", how, err, o)
		}
		if strings.Count(o.stdout, "[\n") != strings.Count(o.stdout, "]\n") {
			t.Errorf("%s: an array has no end\n%v", how, o)
		}
	}
}

// TestScriptOutput keeps what scripts print out of documents, and in the order of the log.
func TestScriptOutput(t *testing.T) {
	t.Parallel()
	const text = `
print("top")
io.write("a", 1, "\n")
function event() io.stdout:write("event\n") print("said") return true end
`
	o := runScript(t, "deltabench", text, "run", "--report=json")
	if validDocument(t, o.stdout).End.ExitCode != 0 {
		t.Error(o)
	}
	for _, want := range []string{"top\na1\n", "event\nsaid\n"} {
		if !strings.Contains(o.stderr, want) {
			t.Errorf("%q is not on standard error\n%v", want, o)
		}
	}
	o = runScript(t, "sysbench", text, "run")
	if !regexp.MustCompile(`(?s)^sysbench 1\.0\.20.*\n\ntop\na1\n.*Threads started!\n\nevent\nsaid\n.*General statistics`).MatchString(o.stdout) {
		t.Errorf("wrong order\n%v", o)
	}
}

// TestScriptIsFound looks for scripts where sysbench does.
func TestScriptIsFound(t *testing.T) {
	t.Parallel()
	say := func(what string) string { return "print('" + what + "', ...)\n" }
	files := map[string]string{
		"x.lua": say("x"), "sub/mod.lua": say("mod"), "pack/init.lua": say("pack"), "oltp_insert.lua": say("mine"),
		"main.lua":  "require('sub.mod') require('sub/mod') dofile('x.lua') print(loadfile('nosuch.lua'))",
		"build.lua": "require('oltp_common') print(type(cmd_prepare)) os.exit(0)", "oltp_common/readme": "",
		"old/t.lua": "dofile('old/common.lua') print(type(set_vars))",
	}
	for _, c := range []struct {
		args string
		out  string
		code int
	}{
		{"./x.lua", "x\n", 0},
		{"x", "x\tx\n", 0},
		{"sub.mod", "mod\tsub.mod\n", 0},
		{"sub/mod", "mod\tsub/mod\n", 0},
		{"pack", "pack\tpack\n", 0},
		{"oltp_insert", "mine\toltp_insert\n", 0},
		{"./main.lua", "mod\tsub.mod\nmod\tsub/mod\nx\nnil\tcannot open nosuch.lua: No such file or directory\n", 0},
		{"./build.lua prepare", "function\n", 0},
		{"old/t.lua", "function\n", 0},
		{"./nosuch.lua", "FATAL: Cannot find benchmark './nosuch.lua': no such built-in test, file or module\n", 1},
	} {
		o := startWith(t, time.Minute, inDir(t, files), "sysbench", strings.Fields(c.args)...).wait(t)
		_, out, _ := strings.Cut(o.stdout, "\n\n")
		if out != c.out || o.code != c.code {
			t.Errorf("%s: got %q and exit code %d, want %q and %d", c.args, out, o.code, c.out, c.code)
		}
	}
	// The user's own library wins.
	files["oltp_common.lua"] = "function cmd_prepare() end cmd_prepare = 'own'"
	o := startWith(t, time.Minute, inDir(t, files), "sysbench", "./build.lua", "prepare").wait(t)
	if !strings.HasSuffix(o.stdout, "\nstring\n") {
		t.Errorf("the library beside the script was not taken\n%v", o)
	}
}

// TestScriptMistakes has a helpful line for each, on our face.
func TestScriptMistakes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, args, line, as string }{
		{"", "run", "FATAL: cannot find the event() function in x.lua (the file has no statements)", "FATAL: cannot find the event() function in x.lua"},
		{"x = 1", "run", "FATAL: cannot find the event() function in x.lua (a script needs 'function event() ... end' for the command run; each call is an event)", "FATAL: cannot find the event() function in x.lua"},
		{"event = {}", "run", "FATAL: cannot find the event() function in x.lua (event is a table there; each thread calls it again and again, so it must be a function)", "FATAL: cannot find the event() function in x.lua"},
		{"\x1bLJ\x02", "run", "FATAL: ./x.lua: cannot load incompatible bytecode (the file is compiled; its source is needed)", "FATAL: ./x.lua: cannot load incompatible bytecode"},
		{"function event() end thread_init = {}", "run", "FATAL: `thread_init' function failed: attempt to call a table value (thread_init must be a function)", "FATAL: `thread_init' function failed: attempt to call a table value"},
		{"function event() error('boo') end", "run", "FATAL: `thread_run' function failed: ./x.lua:1: boo", ""},
		{"\nerror({})", "run", "FATAL: (not a string)", ""},
		{"function prepare() error('p') end", "prepare", "FATAL: `prepare' function failed: ./x.lua:1: p", ""},
		{"sysbench.cmdline.options = {a = 5}", "run", "FATAL: `sysbench.cmdline.read_cmdline_options' function failed: [string \"sysbench.cmdline.lua\"]:132: wrong table structure in sysbench.cmdline.options", ""},
	} {
		for _, face := range []string{"deltabench", "sysbench"} {
			want := c.line
			if face == "sysbench" && c.as != "" {
				want = c.as
			}
			o := runScript(t, face, c.text, strings.Fields(c.args)...)
			if o.code != 1 || !slices.Contains(strings.Split(o.stdout, "\n"), want) {
				t.Errorf("%q as %s: want %q and exit code 1\n%v", c.text, face, want, o)
			}
		}
	}
}

// TestScriptOptions gives scripts options, their own and those that they have opinions about.
func TestScriptOptions(t *testing.T) {
	t.Parallel()
	const text = `
sysbench.cmdline.options = {
  a = {"first", 1, sysbench.cmdline.ARG_INT, function(name, value) return (tonumber(ffi.string(value)) or 3) > 2 end},
  b = {"second", 2.5, nil, function() return false end},
  ["c-d"] = {"third", {"x", "y"}},
  e = {"fourth", nil, sysbench.cmdline.ARG_BOOL},
}
sysbench.cmdline.defaults = { threads = 3, percentile = 99 }
function prepare()
  print(sysbench.opt.a, sysbench.opt.b, table.concat(sysbench.opt.c_d, "+"), sysbench.opt.e, sysbench.opt.threads, sysbench.opt.percentile)
end
`
	for _, c := range []struct {
		face, args, out string
		code            int
	}{
		{"sysbench", "prepare", "1\t2.5\tx+y\ttrue\t1\t95\n", 0},
		{"deltabench", "prepare", "1\t2.5\tx+y\ttrue\t3\t99\n", 0},
		{"deltabench", "prepare --threads=2", "1\t2.5\tx+y\ttrue\t2\t99\n", 0},
		{"sysbench", "prepare --a=3 --c-d=z --e=off", "3\t2.5\tz\tfalse\t1\t95\n", 0},
		{"sysbench", "prepare --a=2", "invalid option: --a=2\n", 1},
		{"sysbench", "prepare --b=1", "invalid option: --b=1\n", 1}, // asks a's validator
		{"sysbench", "prepare --b=3", "1\t3\tx+y\ttrue\t1\t95\n", 0},
		{"deltabench", "prepare --b=3", "invalid option: --b=3 (the script refuses the value)\n", 1},
		{"sysbench", "prepare --zz=1", "invalid option: --zz=1\n", 1},
		{"sysbench", "help", "x.lua options:\n  --a=N            first [1]\n  --b=N            second [2.5]\n  --c-d=[LIST,...] third [x,y]\n  --e[=on|off]     fourth\n\n", 0},
	} {
		o := runScript(t, c.face, text, strings.Fields(c.args)...)
		_, out, _ := strings.Cut(o.stdout, "\n\n")
		if out += o.stderr; out != c.out || o.code != c.code {
			t.Errorf("%s %s: got %q and exit code %d, want %q and %d", c.face, c.args, out, o.code, c.out, c.code)
		}
	}
}

// TestScriptCheck looks at scripts without executing them.
func TestScriptCheck(t *testing.T) {
	t.Parallel()
	const modern = `
ffi.cdef"int fork(void); int usleep(unsigned);"
sysbench.cmdline.options = { n = {"a number", 5} }
sysbench.cmdline.commands = { warm = {function() end, sysbench.cmdline.PARALLEL_COMMAND} }
function thread_init() con = sysbench.sql.driver():connect() end
function event() con:query("SELECT 1") ffi.C.usleep(1) ffi.C.fork() os.execute("true") end
-- sysbench.nothing is in a comment
`
	o := startWith(t, time.Minute, inDir(t, map[string]string{"x.lua": modern}), "deltabench", "script", "check", "./x.lua").wait(t)
	for _, want := range []string{
		"./x.lua: sysbench 1.0 interface\n", "  functions   thread_init, event\n", "  commands    run, warm (parallel)\n",
		"sysbench.sql.driver", "  waits in    os.execute\n", "  --n=N a number [5]\n", "  ./x.lua:6: ffi.C.fork is not available\n",
	} {
		if !strings.Contains(o.stdout, want) {
			t.Errorf("%q is missing\n%v", want, o)
		}
	}
	if o.code != 1 {
		t.Errorf("exit code %d, want 1", o.code)
	}
	o = startWith(t, time.Minute, inDir(t, map[string]string{"x.lua": `function event() db_query("SELECT " .. sb_rand(1, 2)) end`}), "deltabench", "script", "check", "--json", "./x.lua").wait(t)
	var d struct {
		Interface     string
		Commands      []string
		Uses, Missing []string
	}
	if err := json.Unmarshal([]byte(o.stdout), &d); err != nil {
		t.Fatalf("%v\n%v", err, o)
	}
	if d.Interface != "0.5" || !slices.Equal(d.Commands, []string{"run"}) || !slices.Equal(d.Uses, []string{"db_query", "sb_rand"}) || len(d.Missing) != 0 || o.code != 0 {
		t.Errorf("got %+v\n%v", d, o)
	}
}
