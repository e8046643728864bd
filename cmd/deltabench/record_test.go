package main

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"deltabench/internal/mariadbtest"
	"deltabench/internal/store"
)

// storeAt makes a command record in this store.
func storeAt(path string) func(*exec.Cmd) {
	return func(c *exec.Cmd) { c.Env = append(c.Env, store.PathVariable+"="+path) }
}

// recordedRun runs the program with a store and waits for it.
func recordedRun(t *testing.T, path, name string, args ...string) *outcome {
	t.Helper()
	return startWith(t, time.Minute, storeAt(path), name, args...).wait(t)
}

// storedRuns are the runs of a store.
func storedRuns(t *testing.T, path string) (*store.Store, []store.Run) {
	t.Helper()
	s, err := store.Open(t.Context(), path, store.ReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	runs, err := s.Runs(t.Context(), store.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	return s, runs
}

// numbers are what differs between reports of equal runs: with the spaces that align them, and warnings of a busy machine.
var numbers = regexp.MustCompile(` *[0-9]+(\.[0-9]+)?|WARNING: .*\n`)

// TestRecordingIsQuiet compares the output of a run that is recorded with that of one that is not.
func TestRecordingIsQuiet(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "runs.db")
	args := []string{"cpu", "--time=2", "--threads=2", "--rate=50", "--percentile=99", "run"}
	silent := start(t, time.Minute, "deltabench", args...)
	loud := startWith(t, time.Minute, storeAt(path), "deltabench", args...)
	without, with := silent.wait(t), loud.wait(t)
	const line = "Recorded as run 1: deltabench runs show 1\n"
	report, ok := strings.CutSuffix(with.stdout, line)
	if !ok || with.code != 0 || with.stderr != "" {
		t.Errorf("%v", with)
	}
	if a, b := numbers.ReplaceAllString(report, ""), numbers.ReplaceAllString(without.stdout, ""); a != b {
		t.Errorf("recorded:\n%s\nnot recorded:\n%s", report, without.stdout)
	}
	s, runs := storedRuns(t, path)
	if len(runs) != 1 || runs[0].Workload != "cpu" || runs[0].Threads != 2 || runs[0].EndReason != "timeLimit" {
		t.Fatalf("%+v", runs)
	}
	d, err := s.Document(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	var events int64
	for _, iv := range d.Intervals {
		events += iv.Events
	}
	if len(d.Intervals) < 2 || events != runs[0].Events {
		t.Errorf("%d intervals have %d events, the run has %d", len(d.Intervals), events, runs[0].Events)
	}
}

// TestRecordedIsTheReport compares the recorded document with that of --report, and looks at what is recorded and what not.
func TestRecordedIsTheReport(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, report := filepath.Join(dir, "runs.db"), filepath.Join(dir, "report.json")
	if o := run(t, "deltabench", "cpu", "--time=1", "--store="+path, "--tag=scenario=new", "--tag=round=3,kernel=6.1", "--note=it's new", "--report-file="+report, "run"); o.code != 0 || !strings.Contains(o.stdout, "Recorded as run 1: deltabench runs show 1 --store="+path+"\n") {
		t.Fatalf("%v", o)
	}
	want, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	if o := run(t, "deltabench", "runs", "show", "1", "--format=json", "--store="+path); o.stdout != string(want) || o.code != 0 {
		t.Errorf("the recorded document is not the report\n%v\n%s", o, want)
	}
	// A script, system tests; nothing of other commands.
	for _, args := range [][]string{
		{"memory", "--time=1", "--memory-total-size=1M", "run"},
		{"mutex", "--mutex-locks=10", "run"},
		{"threads", "--events=5", "run"},
		{"--events=3", "run"},
		{"cpu", "help"},
		{"oltp_read_only", "help"},
		{"cpu", "--time=1", "--no-record", "run"},
		{"--version"},
		{"explain", "oltp_read_only"},
	} {
		if args[0] == "--events=3" {
			args = append([]string{writeFile(t, filepath.Join(dir, "x.lua"), "function event() end")}, args...)
		}
		if o := recordedRun(t, path, "deltabench", args...); o.code != 0 {
			t.Errorf("%v", o)
		}
	}
	_, runs := storedRuns(t, path)
	var names []string
	for _, r := range runs {
		names = append(names, r.Workload)
	}
	if got := strings.Join(names, " "); got != "cpu memory mutex threads x.lua" && got != "cpu memory mutex threads x" {
		t.Errorf("recorded are %s", got)
	}
	r := runs[0]
	if r.Tags["scenario"] != "new" || r.Tags["round"] != "3" || r.Tags["kernel"] != "6.1" || len(r.Tags) != 3 || r.Note != "it's new" {
		t.Errorf("tags %v, note %q", r.Tags, r.Note)
	}
}

// TestSysbenchRecordsNothing holds sysbench's face, which has not even the options.
func TestSysbenchRecordsNothing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "runs.db")
	if o := recordedRun(t, path, "sysbench", "cpu", "--time=1", "run"); o.code != 0 || o.stderr != "" || strings.Contains(o.stdout, "ecorded") {
		t.Errorf("%v", o)
	}
	for _, option := range []string{"--store=x", "--no-record", "--tag=a=b", "--note=x"} {
		if o := recordedRun(t, path, "sysbench", "cpu", option, "run"); o.code != 1 || o.stderr != "invalid option: "+option+"\n" {
			t.Errorf("%v", o)
		}
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("there is a store: %v", err)
	}
}

// TestEndsAreRecorded looks at runs that do not end well.
func TestEndsAreRecorded(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Log("no interrupts from outside")
		return
	}
	path := filepath.Join(t.TempDir(), "runs.db")
	p := startWith(t, time.Minute, storeAt(path), "deltabench", "cpu", "--time=30", "run")
	waitFor(t, "start of the threads", func() bool { return strings.Contains(p.out.String(), "Threads started!") })
	if err := p.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if o := p.wait(t); o.code != 130 || !strings.Contains(o.stdout, "Recorded as run 1") {
		t.Errorf("%v", o)
	}
	if o := recordedRun(t, path, "deltabench", "cpu", "--time=5", "--cpu-max-prime=200000", "--rate=500000", "--rate-overflow=abort", "run"); o.code != 1 {
		t.Errorf("%v", o)
	}
	_, runs := storedRuns(t, path)
	if len(runs) != 2 || runs[0].EndReason != "interrupt" || runs[0].ExitCode != 130 || runs[1].EndReason != "error" || runs[1].ExitCode != 1 || runs[1].EndError == "" {
		t.Errorf("%+v", runs)
	}
}

// TestNotRecorded has stores that cannot be used. Reports are printed all the same, one line says why.
func TestNotRecorded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	newer := filepath.Join(dir, "newer.db")
	s, err := store.Open(t.Context(), newer, store.ReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	db, err := sql.Open("sqlite", newer)
	if err == nil {
		_, err = db.ExecContext(context.Background(), "PRAGMA user_version = 99")
	}
	if err == nil {
		err = db.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	unset := func(c *exec.Cmd) {
		var env []string
		for _, e := range c.Env {
			if name, _, _ := strings.Cut(e, "="); name != "HOME" && name != "XDG_DATA_HOME" && name != store.PathVariable && name != "LocalAppData" {
				env = append(env, e)
			}
		}
		c.Env = env
	}
	const fix = "name another file with --store=FILE or DELTABENCH_STORE, or use --no-record)\n"
	for name, tc := range map[string]struct {
		change func(*exec.Cmd)
		path   string
		reason string // behind the path; empty: the whole line is fix
		fix    string
	}{
		"directory": {storeAt(dir), dir, "it is a directory (", fix},
		"newer":     {storeAt(newer), newer, "it has version 99, and this deltabench knows versions up to 3 (use the newer deltabench, or ", fix},
		"file":      {storeAt(filepath.Join(newer, "x", "runs.db")), filepath.Join(newer, "x", "runs.db"), "not a directory (", fix},
		"home":      {unset, "", "", "XDG_DATA_HOME is set: name a store with --store=FILE or DELTABENCH_STORE, or --no-record\n"},
	} {
		o := startWith(t, time.Minute, tc.change, "deltabench", "cpu", "--time=1", "run").wait(t)
		want := "deltabench: this run is not recorded: "
		if tc.path != "" {
			want += "store " + tc.path + ": " + tc.reason + tc.fix
		}
		if o.code != 0 || !strings.Contains(o.stdout, "Result: ") || strings.Contains(o.stdout, "ecorded") || !strings.HasPrefix(o.stderr, want) || !strings.HasSuffix(o.stderr, tc.fix) || strings.Count(o.stderr, "\n") != 1 {
			t.Errorf("%s: %v, want\n%s", name, o, want)
		}
		if tc.path == "" {
			continue
		}
		// Named on the command line it is found out before the run.
		o = run(t, "deltabench", "cpu", "--time=30", "--store="+tc.path, "run")
		if o.code != 6 || o.took > 20*time.Second || o.stderr != "deltabench: store "+tc.path+": "+tc.reason+tc.fix || strings.Contains(o.stdout, "Threads started") {
			t.Errorf("%s: %v", name, o)
		}
	}
	for _, tag := range []string{"a", "=b", "a="} {
		if o := run(t, "deltabench", "cpu", "--tag="+tag, "run"); o.code != 1 || !strings.Contains(o.stderr, "--tag: '"+tag+"'") || !strings.Contains(o.stderr, "as in --tag=scenario=new") {
			t.Errorf("%v", o)
		}
	}
}

// TestRecordingRunsOutOfSpace has a file system that takes no more while the run is recorded.
func TestRecordingRunsOutOfSpace(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Log("no limits of files")
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "runs.db")
	if o := recordedRun(t, path, "deltabench", "cpu", "--time=1", "run"); o.code != 0 {
		t.Fatalf("%v", o)
	}
	for _, tc := range []struct {
		how  func(*exec.Cmd)
		args []string
		code int
	}{
		{storeAt(path), nil, 0},
		{func(*exec.Cmd) {}, []string{"--store=" + path}, 6},
	} {
		o := startWith(t, time.Minute, func(c *exec.Cmd) {
			tc.how(c)
			c.Path, c.Err = "/bin/sh", nil
			c.Args = append([]string{"sh", "-c", `ulimit -f 8; exec "$0" "$@"`, self, "cpu", "--time=1", "run"}, tc.args...) // 4 KiB
		}, "deltabench").wait(t)
		if o.code != tc.code || !strings.Contains(o.stdout, "Result: ") != (tc.code != 0 && !strings.Contains(o.stderr, "is not recorded")) || !strings.Contains(o.stderr, "store "+path+": ") || strings.Count(o.stderr, "\n") != 1 {
			t.Errorf("exit code %d expected: %v", tc.code, o)
		}
	}
	s, runs := storedRuns(t, path)
	if _, faults, err := s.Verify(t.Context()); len(runs) != 1 || faults != nil || err != nil {
		t.Errorf("%d runs, %v, %v", len(runs), faults, err)
	}
}

// TestPasswordIsNotInTheStore records runs with the password from each source and looks for it in all bytes of the store,
// and in the documents that are compressed there.
func TestPasswordIsNotInTheStore(t *testing.T) {
	t.Parallel()
	s := mariadbtest.Start(t)
	s.Exec(t, "CREATE DATABASE db", "CREATE USER app@'%' IDENTIFIED BY '"+strings.ReplaceAll(longPassword, "'", "''")+"'", "GRANT ALL ON db.* TO app@'%'",
		"CREATE TABLE db.sbtest1 (id INT PRIMARY KEY, k INT, c CHAR(120), pad CHAR(60))")
	path := filepath.Join(t.TempDir(), "runs.db")
	var all []*process
	for _, source := range passwordSources {
		dir := t.TempDir()
		args, env := source.give(t, dir, longPassword)
		args = append([]string{"oltp_point_select", "run", "--threads=2", "--table-size=10", "--time=1", "--rate=5", "--mysql-socket=" + s.Socket, "--mysql-user=app", "--mysql-db=db", "--store=" + path}, args...)
		all = append(all, startWith(t, time.Minute, func(c *exec.Cmd) { isolated(c, dir, env...) }, "deltabench", args...))
	}
	for i, p := range all {
		if o := p.wait(t); o.code != 0 {
			t.Errorf("%s: %v", passwordSources[i].name, o)
		}
	}
	files, err := filepath.Glob(path + "*")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	texts := []string{run(t, "deltabench", "runs", "export", "--store="+path).stdout, run(t, "deltabench", "runs", "show", "1", "--store="+path).stdout}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	for i, text := range texts {
		if strings.Contains(text, longPassword) || strings.Contains(text, longPassword[:10]) {
			t.Errorf("text %d of %d has the password", i, len(texts))
		}
	}
	_, runs := storedRuns(t, path)
	if len(runs) != len(passwordSources) || strings.Count(texts[0], "\n") != len(passwordSources) {
		t.Errorf("%d runs are recorded, want %d", len(runs), len(passwordSources))
	}
	for _, r := range runs {
		if r.Workload != "oltp_point_select" || r.TableSize != 10 || r.Tables != 1 || !strings.Contains(r.Server, "MariaDB") || !strings.HasPrefix(r.Transport, "unix, no TLS") || r.P95Ns == 0 || r.Queries == 0 {
			t.Errorf("%+v", r)
		}
	}
}
