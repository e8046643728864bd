package sysbench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"deltabench/internal/option"
	"deltabench/internal/textlog"
	"deltabench/internal/workload"
)

// fakeTest is a test without a run, for the grammar.
type fakeTest struct {
	name     string
	sql      bool
	options  []option.Spec
	commands []workload.Command
}

func (f fakeTest) Name() string                                { return f.name }
func (f fakeTest) SQL() bool                                   { return f.sql }
func (f fakeTest) Options() []option.Spec                      { return f.options }
func (f fakeTest) Commands() []workload.Command                { return f.commands }
func (f fakeTest) NewRun(workload.Setup) (workload.Run, error) { return nil, errors.New("not here") }

var fakeTests = []workload.Test{
	fakeTest{name: "cpu", options: []option.Spec{{Name: "cpu-max-prime", Type: option.Int, Default: "10000", Desc: "limit"}}},
	fakeTest{
		name: "oltp_read_write", sql: true, commands: []workload.Command{{Name: "prepare", Parallel: true}, {Name: "cleanup"}},
		options: []option.Spec{
			{Name: "loops", Type: option.String, Default: "mine", Desc: "has the name of one of ours"},
			{Name: "threads", Type: option.Double, Default: "7", Desc: "has the name of a general option"},
			{Name: "reconnect", Type: option.Double, Default: "0", Desc: "later", Hidden: true},
		},
	},
	fakeTest{name: "bulk_insert", sql: true, commands: []workload.Command{{Name: "prepare"}}},
}

// result is what a command line came to.
type result struct {
	code           int
	stdout, stderr string
	req            *Request // of the runner, if it was called
}

// call executes a command line in process; the runner only notes the request.
func call(t *testing.T, env Env, args ...string) result {
	t.Helper()
	var r result
	var stdout, stderr bytes.Buffer
	env.Args = append([]string{"sysbench"}, args...)
	env.Stdout, env.Stderr = &stdout, &stderr
	if env.Stdin == nil {
		env.Stdin = strings.NewReader("")
	}
	env.Tests = fakeTests
	env.Runner = func(_ context.Context, req *Request) int { r.req = req; return 42 }
	r.code = Main(context.Background(), env)
	r.stdout, r.stderr = stdout.String(), stderr.String()
	return r
}

func TestRunnerGetsOptions(t *testing.T) {
	t.Parallel()
	r := call(t, Env{Face: FaceDeltabench}, "--threads=3", "--loops=x", "--engine=loop", "--percentile=50,99.9", "oltp_read_write", "run", "--warmup-time=2")
	if r.code != 42 || r.req == nil {
		t.Fatalf("code %d, stdout %q, stderr %q", r.code, r.stdout, r.stderr)
	}
	g, o := r.req.General, r.req.Options
	if g.Threads != 3 || g.Engine != "loop" || g.Warmup.Seconds() != 2 || !g.ReportExtra || g.AbortOnFull {
		t.Errorf("general: %+v", g)
	}
	if got := o.Float("threads"); got != 7 {
		t.Errorf("an option of the test with a general name: got %v, want its default 7", got)
	}
	if got := o.String("loops"); got != "x" || g.Loops != 0 {
		t.Errorf("an option of the test with one of our names: got %q and our --loops %d, want x and 0", got, g.Loops)
	}
	if g.Percentile != 99.9 || len(g.Percentiles) != 2 || o.Int("percentile") != 99 {
		t.Errorf("percentiles: headline %v of %v, exported %d", g.Percentile, g.Percentiles, o.Int("percentile"))
	}
}

func TestFaceDefaults(t *testing.T) {
	t.Parallel()
	r := call(t, Env{Face: FaceSysbench}, "oltp_read_write", "run")
	if g := r.req.General; g.ReportExtra || g.ReportErrors || !g.AbortOnFull || g.Percentile != 95 || g.ForcedOff {
		t.Errorf("defaults of the sysbench face: %+v", g)
	}
	if got, want := r.stdout, "sysbench 1.0.20 (using deltabench "+Version+")\n\n"; got != want {
		t.Errorf("header: got %q, want %q", got, want)
	}
}

func TestPercentiles(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text string
		want float64
		err  string
	}{
		{"95", 95, ""},
		{"0", 0, ""},
		{"", 0, ""},
		{"50,95,99", 95, ""},
		{"99,50", 50, ""},
		{"99.9", 99.9, ""},
		{"0,50", 0, "Invalid value for --percentile: 0"},
		{"50,,60", 0, "Invalid value for the 'percentile' option: '50,,60'"},
		{"NaN", 0, "Invalid value for the 'percentile' option: 'NaN'"},
	} {
		set := option.NewSet(tables(FaceDeltabench).first()...)
		set.ParseArg("--percentile=" + tc.text)
		g, err := readGeneral(set, textlog.New(&bytes.Buffer{}, textlog.Notice))
		if got := errText(err); got != tc.err {
			t.Errorf("%q: error %q, want %q", tc.text, got, tc.err)
		} else if err == nil && g.Percentile != tc.want {
			t.Errorf("%q: headline %v, want %v", tc.text, g.Percentile, tc.want)
		}
	}
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestForcedShutdown(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		args string
		on   bool
		at   int
		off  bool
	}{
		{"", false, 0, false},
		{"--forced-shutdown=off", false, 0, true},
		{"--forced-shutdown=5", true, 15, false},
		{"--forced-shutdown=20% --time=30", true, 36, false},
		{"--forced-shutdown= --time=100", true, 105, false},
		{"--forced-shutdown=-99", true, 0, false},
		{"--forced-shutdown=5 --time=0 --events=1", false, 0, false},
		{"--forced-shutdown=99999999999", true, 10 + 1<<31 - 1, false},
	} {
		set := option.NewSet(tables(FaceSysbench).first()...)
		for _, arg := range strings.Fields(tc.args) {
			set.ParseArg(arg)
		}
		g, err := readGeneral(set, nil)
		if err != nil {
			t.Errorf("%s: %v", tc.args, err)
			continue
		}
		if g.ForcedShutdown != tc.on || g.ForcedAfter != tc.at || g.ForcedOff != tc.off {
			t.Errorf("%s: got %v %d %v, want %v %d %v", tc.args, g.ForcedShutdown, g.ForcedAfter, g.ForcedOff, tc.on, tc.at, tc.off)
		}
	}
}

func TestAnythingGoesWithoutOptions(t *testing.T) {
	t.Parallel()
	r := call(t, Env{}, "bulk_insert", "run", "--my-option=5", "--flag")
	if r.code != 42 {
		t.Fatalf("code %d, stderr %q", r.code, r.stderr)
	}
	if got := r.req.Options.String("my_option"); got != "5" {
		t.Errorf("my_option: got %q, want 5", got)
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, luaPath string
		files         []string
		kind          kind
		path          string
	}{
		{name: "cpu", files: []string{"cpu"}, kind: native},
		{name: "mutex", kind: notFound},
		{name: "oltp_read_write", kind: native},
		{name: "oltp_read_write", files: []string{"/usr/share/sysbench/oltp_read_write.lua"}, kind: native},
		{name: "oltp_read_write", files: []string{"./oltp_read_write.lua"}, kind: luaScript, path: "./oltp_read_write.lua"},
		{name: "oltp_read_write", files: []string{"oltp_read_write"}, kind: luaScript, path: "oltp_read_write"},
		{name: "oltp_read_write", files: []string{"/usr/share/lua/5.1/oltp_read_write.lua"}, kind: luaScript, path: "/usr/share/lua/5.1/oltp_read_write.lua"},
		{name: "oltp_read_write", files: []string{"/h/.luarocks/share/lua/oltp_read_write/init.lua"}, kind: luaScript, path: "/h/.luarocks/share/lua/oltp_read_write/init.lua"},
		{name: "oltp_read_write.lua", kind: notFound},
		{name: "/usr/share/sysbench/oltp_read_write.lua", kind: native},
		{name: "/usr/share/sysbench/../sysbench/oltp_read_write.lua", kind: native},
		{name: "/usr/share/sysbench/other.lua", files: []string{"/usr/share/sysbench/other.lua"}, kind: luaScript, path: "/usr/share/sysbench/other.lua"},
		{name: "other", files: []string{"/usr/share/sysbench/other.lua"}, kind: luaScript, path: "/usr/share/sysbench/other.lua"},
		{name: "sub.mod", files: []string{"./sub/mod.lua"}, kind: luaScript, path: "./sub/mod.lua"},
		{name: "oltp_read_write", luaPath: "/a/?.lua", files: []string{"./oltp_read_write.lua"}, kind: native},
		{name: "oltp_read_write", luaPath: "/a/?.lua", files: []string{"/a/oltp_read_write.lua"}, kind: luaScript, path: "/a/oltp_read_write.lua"},
		{name: "oltp_read_write", luaPath: "/a/?.lua;;", files: []string{"./oltp_read_write.lua"}, kind: luaScript, path: "./oltp_read_write.lua"},
		{name: "oltp_read_write", luaPath: "/usr/local/share/sysbench/?.lua;/a/?.lua", files: []string{"/a/oltp_read_write.lua"}, kind: native},
		{name: "oltp_common", kind: standalone},
		{name: "oltp_common", files: []string{"./oltp_common.lua"}, kind: luaScript, path: "./oltp_common.lua"},
		{name: "-", files: []string{"-"}, kind: stdin},
		{name: "", kind: notFound},
		{name: "nosuch", kind: notFound},
	} {
		r := resolver{
			tests: fakeTests,
			getenv: func(name string) string {
				return map[string]string{"HOME": "/h", "LUA_PATH": tc.luaPath}[name]
			},
			readable: func(path string) bool {
				for _, f := range tc.files {
					if f == path {
						return true
					}
				}
				return false
			},
		}
		if got := r.resolve(tc.name); got.kind != tc.kind || got.path != tc.path {
			t.Errorf("%q with %v and LUA_PATH %q: got kind %d, path %q, want %d, %q", tc.name, tc.files, tc.luaPath, got.kind, got.path, tc.kind, tc.path)
		}
	}
}

func TestStdinScript(t *testing.T) {
	t.Parallel()
	for text, code := range map[string]int{
		"": ExitOK, "\n\n": ExitOK, "-- a\n": ExitOK, "#!/usr/bin/env sysbench\n-- b": ExitOK,
		"print(1)": ExitOK, "--[[ x ]] error(1)\n": ExitFailure, "x = = 1": ExitFailure,
	} {
		if r := call(t, Env{Stdin: strings.NewReader(text)}); r.code != code {
			t.Errorf("%q: code %d, want %d", text, r.code, code)
		}
	}
}

// fullDisk is an output that cannot be written.
type fullDisk struct{ after int }

func (f *fullDisk) Write(p []byte) (int, error) {
	if f.after -= len(p); f.after < 0 {
		return 0, errors.New("no space left on device")
	}
	return len(p), nil
}

func TestOutputThatFails(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"--version"}, {"--help"}, {"cpu", "help"}, {"nosuch", "run"}} {
		var stderr bytes.Buffer
		code := Main(context.Background(), Env{
			Args: append([]string{"deltabench"}, args...), Face: FaceDeltabench, Stdout: &fullDisk{after: 3}, Stderr: &stderr, Tests: fakeTests,
		})
		if code != ExitOutput || stderr.String() != "deltabench: write standard output: no space left on device\n" {
			t.Errorf("%v: code %d, stderr %q", args, code, stderr.String())
		}
	}
}

// TestRunEndsWhenOutputFails checks that a run is told when nobody can read its report.
func TestRunEndsWhenOutputFails(t *testing.T) {
	t.Parallel()
	var stderr bytes.Buffer
	code := Main(context.Background(), Env{
		Args: []string{"deltabench", "cpu", "run"}, Face: FaceDeltabench, Stdout: &fullDisk{after: 60}, Stderr: &stderr, Tests: fakeTests,
		Runner: func(ctx context.Context, req *Request) int {
			if ctx.Err() != nil {
				t.Error("the context has ended before the output failed")
			}
			req.Log.Noticef("more than fits")
			<-ctx.Done()
			return ExitInterrupted
		},
	})
	if code != ExitOutput {
		t.Errorf("code %d, want %d", code, ExitOutput)
	}
}

func TestHiddenOptions(t *testing.T) {
	t.Parallel()
	ours := tables(FaceDeltabench).ours
	for _, face := range []Face{FaceSysbench, FaceDeltabench} {
		help := call(t, Env{Face: face}, "--help").stdout + call(t, Env{Face: face}, "oltp_read_write", "help").stdout
		for _, spec := range append(ours, option.Spec{Name: "reconnect", Type: option.Double}) {
			if spec.Name == "loops" { // the fake test has one as well
				continue
			}
			if listed := strings.Contains(help, "  --"+spec.Name+spec.Type.Suffix()+" "); listed != (face == FaceDeltabench) {
				t.Errorf("face %d lists --%s: %v", face, spec.Name, listed)
			}
		}
	}
}

func TestDatabase(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	password := filepath.Join(dir, "password")
	if err := os.WriteFile(password, []byte("secret\r\nmore\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	getenv := func(string) string { return "from the environment" }
	for _, tc := range []struct {
		face  Face
		args  string
		check func(*Database) bool
		err   string
	}{
		{args: "", check: func(d *Database) bool { return d.Password == "from the environment" && d.TLS == "disabled" }},
		{args: "--mysql-password=typed", check: func(d *Database) bool { return d.Password == "typed" }},
		{args: "--mysql-password-file=" + password, check: func(d *Database) bool { return d.Password == "secret" }},
		{args: "--mysql-password-file=" + dir + "/nofile", err: "Invalid value for --mysql-password-file: " + dir + "/nofile: No such file or directory"},
		{args: "--mysql-port=1,x,3", check: func(d *Database) bool { return len(d.Ports) == 3 && d.Ports[1] == 0 && d.Ports[2] == 3 }},
		{args: "--mysql-ssl", check: func(d *Database) bool { return d.TLS == "preferred" }}, // as in sysbench's library
		{face: FaceDeltabench, args: "--mysql-ssl", check: func(d *Database) bool { return d.TLS == "required" }},
		{face: FaceDeltabench, args: "--mysql-ssl=on", check: func(d *Database) bool { return d.TLS == "required" }},
		{face: FaceDeltabench, args: "--mysql-ssl=off", check: func(d *Database) bool { return d.TLS == "disabled" }},
		{face: FaceDeltabench, args: "--mysql-ssl=", check: func(d *Database) bool { return d.TLS == "disabled" }},
		{face: FaceDeltabench, args: "--mysql-ssl=VERIFY_CA", check: func(d *Database) bool { return d.TLS == "verify_ca" }},
		{face: FaceDeltabench, args: "--mysql-ssl=maybe", err: "Invalid value for --mysql-ssl: 'maybe'"},
		{args: "--mysql-compression", check: func(d *Database) bool { return len(d.Compression) == 1 && d.Compression[0] == "zlib" }},
		{args: "--mysql-compression-algorithms=zstd", check: func(d *Database) bool { return len(d.Compression) == 0 }},
		{args: "--mysql-compression --mysql-compression-algorithms=zstd,zlib", check: func(d *Database) bool { return len(d.Compression) == 2 }},
		{args: "--mysql-host=", err: "No MySQL hosts specified, aborting"},
		{args: "--mysql-port=", err: "No MySQL ports specified, aborting"},
		{args: "--mysql-host= --mysql-socket=/x", check: func(d *Database) bool { return len(d.Sockets) == 1 }},
		{args: "--db-driver=", err: "Multiple DB drivers are available. Use --db-driver=name to specify which one to use"},
		{args: "--db-driver=foo", err: "invalid database driver name: 'foo'"},
		{args: "--db-ps-mode=foo", err: "Invalid value for db-ps-mode: foo"},
	} {
		tb := tables(tc.face)
		set, ours := option.NewSet(tb.first()...), option.NewSet(tb.ours...)
		for _, arg := range strings.Fields(tc.args) {
			if set.ParseArg(arg) != option.Stored && ours.ParseArg(arg) != option.Stored {
				t.Errorf("%s is not understood", arg)
			}
		}
		d, err := readDatabase(tc.face, set, ours, nil, getenv)
		if err != nil {
			t.Fatal(err)
		}
		if got := errText(d.Check()); got != tc.err {
			t.Errorf("%s: error %q, want %q", tc.args, got, tc.err)
		}
		if tc.check != nil && !tc.check(d) {
			d.Password = "(masked)"
			t.Errorf("%s: got %+v", tc.args, d)
		}
	}
}

func TestExitCodesAreDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/exit-codes.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if cells := strings.Split(line, "|"); len(cells) > 3 && strings.Trim(cells[1], " -") != "" {
			documented[strings.TrimSpace(cells[1])+" "+strings.TrimSpace(cells[2])] = true
		}
	}
	delete(documented, "code name")
	var want []string
	for code, name := range map[int]string{
		ExitOK: "success", ExitFailure: "failure", ExitForced: "forced",
		ExitUnsupported: "unsupported", ExitOutput: "output", ExitPreflight: "preflight", ExitStore: "store", ExitWorse: "worse", ExitInterrupted: "interrupted",
	} {
		want = append(want, fmt.Sprintf("%d %s", code, name))
	}
	if len(ExitCodes()) != len(want) { // the man page has them all
		t.Errorf("ExitCodes has %d codes, want %d", len(ExitCodes()), len(want))
	}
	for _, w := range want {
		if !documented[w] {
			t.Errorf("%q is not in docs/exit-codes.md", w)
		}
		delete(documented, w)
	}
	for d := range documented {
		t.Errorf("docs/exit-codes.md has %q, which does not exist", d)
	}
}
