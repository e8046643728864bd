package conduct_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"deltabench/internal/cli"
	"deltabench/internal/mariadbtest"
	"deltabench/internal/store"
	"deltabench/internal/study"
)

// TestMain: the test binary is the program, called by its name, so that tests run the real thing as processes of their own.
func TestMain(m *testing.M) {
	if name := filepath.Base(os.Args[0]); name == "deltabench" {
		os.Exit(cli.Main(cli.OSEnv()))
	}
	if os.Getenv("DELTABENCH_STORE") == store.None && len(os.Args) > 1 { // what a study starts
		os.Exit(cli.Main(cli.OSEnv()))
	}
	os.Exit(mariadbtest.Main(m))
}

// patience ends what hangs: ten times and more of what the longest of these takes.
const patience = 10 * time.Minute

// bench is a private place to run studies in.
type bench struct {
	t    *testing.T
	dir  string
	env  []string
	name string // path of the program
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{t: t, dir: t.TempDir()}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	b.name = filepath.Join(b.dir, "deltabench")
	if err := os.Symlink(self, b.name); err != nil {
		t.Fatal(err)
	}
	b.env = append(os.Environ(), "DELTABENCH_STORE="+b.path("runs.db"), "XDG_CACHE_HOME="+b.path("cache"), "HOME="+b.dir, "PW="+mariadbtest.Password, "LC_ALL=C.UTF-8")
	t.Cleanup(func() {
		if pids := b.servers(); len(pids) > 0 {
			t.Errorf("servers are left behind: %v", pids)
		}
	})
	return b
}

func (b *bench) path(name string) string { return filepath.Join(b.dir, name) }

// file writes a study file.
func (b *bench) file(text string) string {
	b.t.Helper()
	path := b.path("study.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		b.t.Fatal(err)
	}
	return path
}

// start starts the program.
func (b *bench) start(args ...string) (*exec.Cmd, *bytes.Buffer) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	b.t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, b.name, args...)
	var out bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = b.dir, b.env, &out, &out
	cmd.WaitDelay = time.Minute // runs that outlive a killed study have its output
	if err := cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	return cmd, &out
}

// run runs the program to its end.
func (b *bench) run(args ...string) (int, string) {
	b.t.Helper()
	cmd, out := b.start(args...)
	err := cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		b.t.Fatalf("%v: %v\n%s", args, err, out)
	}
	return cmd.ProcessState.ExitCode(), out.String()
}

// servers are the processes of servers that work in this bench.
func (b *bench) servers() []string {
	var pids []string
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range lines {
		text, _ := os.ReadFile(path)
		if bytes.Contains(text, []byte(b.path("cache"))) && bytes.Contains(text, []byte("defaults-file")) {
			pids = append(pids, path)
		}
	}
	return pids
}

// study opens the store and returns the latest study with its runs.
func (b *bench) study() (*store.Study, []store.StudyRun) {
	b.t.Helper()
	s, err := store.Open(b.t.Context(), b.path("runs.db"), store.ReadOnly)
	if err != nil {
		b.t.Fatal(err)
	}
	defer s.Close()
	made, err := s.FindStudy(b.t.Context(), "latest")
	if err != nil {
		b.t.Fatal(err)
	}
	runs, err := s.StudyRuns(b.t.Context(), made.ID)
	if err != nil {
		b.t.Fatal(err)
	}
	return made, runs
}

// once checks that a study has ended with every run exactly once.
func (b *bench) once(want int) []store.StudyRun {
	b.t.Helper()
	made, runs := b.study()
	keys := map[study.Key]int{}
	for _, r := range runs {
		keys[r.Key]++
		if r.Failure != "" {
			b.t.Errorf("%v failed: %s", r.Key, r.Failure)
		}
	}
	for k, n := range keys {
		if n != 1 {
			b.t.Errorf("%v: %d times", k, n)
		}
	}
	if made.State != store.StudyFinished || len(keys) != want {
		b.t.Errorf("%s with %d runs, want %d", made.State, len(keys), want)
	}
	return runs
}

const twoTargets = `study: two
question: What does a smaller buffer pool cost?
targets:
  - {name: one, managed: {server: auto, options: {performance_schema: "ON"}}, labels: {storage: local}}
  - {name: other, managed: {server: auto, options: {performance_schema: "OFF"}}}
data: {workload: oltp_read_write, tables: 1, table_size: 2000}
workloads: [oltp_read_write]
threads: [2]
time: 1s
rounds: 2
seed: 5
scenarios:
  - {name: large, baseline: true, server: {innodb_buffer_pool_size: 64M}}
  - name: small
    server: {innodb_buffer_pool_size: 8M}
    globals: {innodb_io_capacity: 300}
    sql: ["SET GLOBAL long_query_time = 3"]
    session: ["SET SESSION sort_buffer_size = 65536"]
    options: {db-ps-mode: disable}
`

// Two targets have tables and answers of their own, and what was asked for is in the evidence.
func TestTwoTargets(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	code, out := b.run("study", "run", b.file(twoTargets))
	if code != 0 {
		t.Fatalf("exit code %d\n%s", code, out)
	}
	for _, want := range []string{"Target one: ", "Target other: ", "storage: local", "No answer yet: ", "two.html is written"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	if regexp.MustCompile(`(?m)one.*against.*other|other.*against.*one`).MatchString(out) {
		t.Errorf("targets are compared:\n%s", out)
	}
	runs := b.once(8)
	starts := map[string]bool{}
	s, err := store.Open(t.Context(), b.path("runs.db"), store.ReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, r := range runs {
		e := r.Evidence
		if e == nil || e.Server == nil || e.Server.CPUSeconds() <= 0 || len(e.Status) < 10 || e.DataBytes == 0 || e.Start.PID == 0 {
			t.Fatalf("%v: evidence %+v", r.Key, e)
		}
		starts[e.Start.ID] = true
		v, err := s.Snapshot(t.Context(), e.Variables)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{"innodb_buffer_pool_size": "67108864", "innodb_io_capacity": "200"}
		if r.Key.Scenario == "small" {
			want = map[string]string{"innodb_buffer_pool_size": "8388608", "innodb_io_capacity": "300", "long_query_time": "3.000000"}
		}
		want["performance_schema"] = map[string]string{"one": "ON", "other": "OFF"}[r.Key.Target]
		for name, value := range want {
			if v[name] != value {
				t.Errorf("%v: %s is %s, want %s", r.Key, name, v[name], value)
			}
		}
		d, err := s.Document(t.Context(), r.ID)
		if err != nil {
			t.Fatal(err)
		}
		if got := d.Options["mysql_init_sql"]; (got == "SET SESSION sort_buffer_size = 65536") != (r.Key.Scenario == "small") {
			t.Errorf("%v: session %v", r.Key, got)
		}
	}
	if len(starts) != 8 {
		t.Errorf("%d starts of servers for 8 scenarios of rounds", len(starts))
	}
	if left, _ := filepath.Glob(b.path("cache/deltabench/studies/*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	for _, args := range [][]string{{"study", "list"}, {"study", "show"}, {"report", "two", "--format=markdown"}, {"study", "export", "two", "x.html", "x.csv", "x.json", "x.md", "x.jsonl", "x.yaml", "x.bench"}} {
		if code, out := b.run(args...); code != 0 || out == "" {
			t.Errorf("%v: exit code %d\n%s", args, code, out)
		}
	}
	if text, err := os.ReadFile(b.path("x.yaml")); err != nil || string(text) != twoTargets {
		t.Errorf("the study file is another: %v", err)
	}
	if code, out := b.run("study", "resume"); code != 1 || !strings.Contains(out, "study two has ended: nothing is left to do") {
		t.Errorf("resume: exit code %d\n%s", code, out)
	}
	if code, out := b.run("study", "delete", "two"); code != 0 || !strings.Contains(out, "two is deleted, with 8 runs") {
		t.Errorf("delete: exit code %d\n%s", code, out)
	}
}

const shortStudy = `study: short
targets: [{name: server, managed: {server: auto}}]
data: {workload: oltp_read_only, tables: 1, table_size: 1000}
workloads: [oltp_read_only]
threads: [1, 2]
time: 1s
rounds: 2
scenarios:
  - {name: a, baseline: true}
  - {name: b, server: {innodb_buffer_pool_size: 16M}}
`

// waitFor waits until a text is in what a process says.
func waitFor(t *testing.T, out func() string, want string) {
	t.Helper()
	for end := time.Now().Add(patience); !strings.Contains(out(), want); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("no %q in\n%s", want, out())
		}
	}
}

// logged starts the program with its output in a file, which may be read while it runs.
func (b *bench) logged(args ...string) (*exec.Cmd, func() string) {
	b.t.Helper()
	f, err := os.CreateTemp(b.dir, "log")
	if err != nil {
		b.t.Fatal(err)
	}
	cmd := exec.Command(b.name, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = b.dir, b.env, f, f
	if err := cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	_ = f.Close()
	return cmd, func() string { text, _ := os.ReadFile(f.Name()); return string(text) }
}

// Ctrl-C ends the run, stops the server and keeps what was measured; the rest follows later.
func TestInterruptAndResume(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	cmd, out := b.logged("study", "run", b.file(shortStudy))
	waitFor(t, out, "[2 of 8 runs")
	if code, out := b.run("study", "delete", "latest"); code != 1 || !strings.Contains(out, "study short runs, or was killed: ") {
		t.Errorf("deleted while it runs: exit code %d\n%s", code, out)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 || !strings.Contains(out(), "'deltabench study resume' goes on") || !strings.Contains(out(), "Study short") {
		t.Errorf("exit code %d\n%s", code, out())
	}
	if pids := b.servers(); len(pids) > 0 {
		t.Errorf("servers run: %v", pids)
	}
	if made, _ := b.study(); made.State != store.StudyInterrupted {
		t.Error(made.State)
	}
	// In another store it does not go on: that may be another machine's.
	file, other := b.path("short.jsonl"), "--store="+b.path("other.db")
	for _, args := range [][]string{{"study", "export", "latest", file}, {"runs", "import", file, other}} {
		if code, out := b.run(args...); code != 0 {
			t.Fatalf("%v: exit code %d\n%s", args, code, out)
		}
	}
	if code, out := b.run("study", "resume", other); code != 1 || !strings.Contains(out, "study short was imported before it had ended: rounds of two machines cannot be compared") {
		t.Errorf("imported: exit code %d\n%s", code, out)
	}
	if code, out := b.run("study", "resume"); code != 0 || !strings.Contains(out, "resume short: ") || strings.Contains(out, "initialise") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	b.once(8)
}

// Ctrl-C at any moment of the preparation ends the study soon, with nothing left running and nothing left in the work directory.
func TestInterruptWhilePreparing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	file := b.file(shortStudy)
	for after := time.Duration(0); after < 2400*time.Millisecond; after += 300 * time.Millisecond {
		cmd, out := b.logged("study", "run", file)
		waitFor(t, out, "prepare server: initialise")
		time.Sleep(after)
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		_ = cmd.Wait()
		if took := time.Since(begin); took > time.Minute {
			t.Errorf("interrupted after %v, it took %v to end\n%s", after, took, out())
		}
		if code := cmd.ProcessState.ExitCode(); code != 130 || strings.Count(out(), "interrupted") != 1 {
			t.Errorf("interrupted after %v: exit code %d\n%s", after, code, out())
		}
		if pids := b.servers(); len(pids) > 0 {
			t.Errorf("interrupted after %v: servers run: %v", after, pids)
		}
		if strings.Contains(out(), "'deltabench study resume' goes on") {
			break // the machine was fast: the first run has begun
		}
		if left, _ := filepath.Glob(b.path("cache/deltabench/studies/*")); len(left) > 0 {
			t.Errorf("interrupted after %v: left: %v", after, left)
		}
	}
}

// killed runs a study that is killed at random moments, each time resumed, to its end.
func (b *bench) killed(kills int) {
	b.t.Helper()
	file := b.file(shortStudy)
	seed := uint64(time.Now().UnixNano())
	random := rand.New(rand.NewPCG(seed, 1))
	args := []string{"study", "run", file}
	for n := 0; n < kills; {
		cmd, out := b.logged(args...)
		done := make(chan error, 1)
		go func() { done <- cmd.Wait() }()
		select {
		case <-done:
			if !strings.Contains(out(), "Study short") {
				b.t.Fatalf("seed %d: %s", seed, out())
			}
			b.once(8)
			if _, text := b.run("study", "delete", "latest"); !strings.Contains(text, "is deleted") {
				b.t.Fatal(text)
			}
			args = []string{"study", "run", file}
		case <-time.After(time.Duration(100+random.IntN(7000)) * time.Millisecond):
			_ = cmd.Process.Kill()
			<-done
			n++
			args = []string{"study", "resume"}
			if s, err := store.Open(b.t.Context(), b.path("runs.db"), store.ReadOnly); err != nil {
				args = []string{"study", "run", file} // there is no store yet
			} else {
				if _, err := s.FindStudy(b.t.Context(), "latest"); err != nil {
					args = []string{"study", "run", file}
				}
				s.Close()
			}
		}
	}
	if args[1] == "resume" {
		if code, out := b.run(args...); code != 0 {
			b.t.Fatalf("seed %d: exit code %d\n%s", seed, code, out)
		}
		b.once(8)
	} else if code, out := b.run(args...); code != 0 {
		b.t.Fatalf("seed %d: exit code %d\n%s", seed, code, out)
	}
}

// A study that is killed goes on: every run exactly once, no server left. `make soak` kills twenty times.
func TestKillAndResume(t *testing.T) {
	t.Parallel()
	newBench(t).killed(kills)
}

const externalStudy = `study: external
targets:
  - name: server
    external: {dsn: {host: 127.0.0.1, port: %d, user: sbtest, db: %s, password_env: PW}, hooks: {before: "echo $DELTABENCH_SCENARIO >> hooks.log"}}
data: {workload: oltp_point_select, table_size: 500}
workloads: [oltp_point_select]
threads: [2]
time: 1s
rounds: 2
scenarios:
  - {name: before, baseline: true}
  - {name: after, globals: {innodb_io_capacity: 321}, sql: ["SET GLOBAL long_query_time = 7"]}
`

// Globals of a server that is not ours are put back after every scenario, and after a kill by whoever goes on.
func TestExternal(t *testing.T) {
	hup := make(chan os.Signal, 1) // under nohup it is ignored, and children inherit that; what is caught here is the default there
	signal.Notify(hup, syscall.SIGHUP)
	t.Cleanup(func() { signal.Stop(hup) })
	t.Parallel()
	server := mariadbtest.Start(t)
	server.Exec(t, "CREATE DATABASE sbtest", "GRANT ALL ON *.* TO sbtest@'%'")
	db := server.DB(t)
	globals := func() (text string) {
		t.Helper()
		if err := db.QueryRow("SELECT CONCAT(@@global.innodb_io_capacity, ' ', @@global.long_query_time)").Scan(&text); err != nil {
			t.Fatal(err)
		}
		return text
	}
	want := globals()
	b := newBench(t)
	file := b.file(fmt.Sprintf(externalStudy, server.Port, "sbtest"))
	// The connections of the test itself make it look as if somebody worked with the server.
	if code, out := b.run("study", "run", file); code != 5 || !strings.Contains(out, "looks like production") || !strings.Contains(out, "--yes") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	changed := func(out func() string) {
		t.Helper()
		for end := time.Now().Add(patience); globals() == want || !strings.Contains(out(), "round 1"); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("the globals never change\n%s", out())
			}
		}
	}
	cmd, out := b.logged("study", "run", file, "--yes")
	changed(out)
	_ = cmd.Process.Signal(syscall.SIGKILL)
	_ = cmd.Wait()
	// The terminal of the second one is closed: its shell and the system say so.
	cmd, out = b.logged("study", "resume", "--yes")
	changed(out)
	_ = cmd.Process.Signal(syscall.SIGHUP)
	_ = cmd.Process.Signal(syscall.SIGHUP)
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 || globals() != want {
		t.Errorf("a closed terminal: exit code %d, globals %s, were %s\n%s", code, globals(), want, out())
	}
	if code, out := b.run("study", "resume", "--yes"); code != 0 {
		t.Fatalf("exit code %d\n%s", code, out)
	}
	if got := globals(); got != want {
		t.Errorf("globals %s, were %s", got, want)
	}
	runs := b.once(4)
	if e := runs[0].Evidence; e == nil || e.Server == nil || e.Start.PID != server.PID() {
		t.Errorf("evidence of a server on this machine: %+v", e)
	}
	if text, err := os.ReadFile(b.path("hooks.log")); err != nil || !strings.Contains(string(text), "before") || !strings.Contains(string(text), "after") {
		t.Errorf("hooks: %q, %v", text, err)
	}
}

// A scenario of which every run fails has no answer, and the exit code says so.
func TestHopelessScenario(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if err := os.WriteFile(b.path("may.lua"), []byte("sysbench.cmdline.options = {broken = {'', 0}}\nfunction event() if sysbench.opt.broken == 1 then error('as asked') end; db_query('SELECT 1') end\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(shortStudy, "workloads: [oltp_read_only]", "workloads: [{script: may.lua}]", 1)
	text = strings.Replace(text, "server: {innodb_buffer_pool_size: 16M}", "options: {broken: 1}", 1)
	code, out := b.run("study", "run", b.file(text))
	if want := "no run of scenario b of target server measured anything"; code != 1 || !strings.Contains(out, want) || !strings.Contains(out, "as asked") || !strings.Contains(out, "Study short") {
		t.Errorf("exit code %d, want 1 and %q\n%s", code, want, out)
	}
	if code, out := b.run("study", "resume"); code != 1 || !strings.Contains(out, "study short has ended") {
		t.Errorf("resume: exit code %d\n%s", code, out)
	}
}

// A server that dies in a run is named as the reason, with its last words, and the study goes on.
func TestServerDies(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	cmd, out := b.logged("study", "run", b.file(shortStudy))
	waitFor(t, out, "[1 of 8 runs")
	for killed, end := false, time.Now().Add(patience); !killed; time.Sleep(10 * time.Millisecond) {
		for _, path := range b.servers() {
			var pid int
			if _, err := fmt.Sscanf(path, "/proc/%d/cmdline", &pid); err == nil && syscall.Kill(pid, syscall.SIGKILL) == nil {
				killed = true
			}
		}
		if time.Now().After(end) {
			t.Fatalf("there is no server\n%s", out())
		}
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 0 || !strings.Contains(out(), "signal: killed") {
		t.Errorf("exit code %d\n%s", code, out())
	}
	made, _ := b.study()
	if made.State != store.StudyFinished || made.Runs+made.Failed != 8 || made.Failed == 0 {
		t.Errorf("%s with %d runs and %d failures", made.State, made.Runs, made.Failed)
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	change := func(old, new string) string {
		if !strings.Contains(shortStudy, old) {
			t.Fatalf("no %q", old)
		}
		return strings.Replace(shortStudy, old, new, 1)
	}
	small := "managed: {server: auto, options: {max_connections: 151}}"
	server := mariadbtest.Shared(t)
	external := fmt.Sprintf("external: {dsn: {host: 127.0.0.1, port: %d, user: sbtest, password_env: %%s}}", server.Port)
	noServer := strings.Replace(change("server: {innodb_buffer_pool_size: 16M}", "options: {db-ps-mode: disable}"), "restore", "preserve", 1)
	for name, tc := range map[string]struct {
		text string
		code int
		want []string
	}{
		"too many threads": {strings.Replace(change("[1, 2]", "[1, 3000]"), "managed: {server: auto}", small, 1), 5, []string{"3000 threads", "151"}},
		"wrong variable":   {change("innodb_buffer_pool_size: 16M", "innodb_bufer_pool_size: 16M"), 5, []string{"scenario b: ", "unknown variable 'innodb_bufer_pool_size=16M'", "check the name"}},
		"no server":        {change("server: auto", "server: /nowhere/mysqld"), 5, []string{"server /nowhere/mysqld: there is no such program or directory"}},
		"wrong password":   {strings.Replace(noServer, "managed: {server: auto}", fmt.Sprintf(external, "HOME"), 1), 5, []string{"Access denied", "password_env"}},
		"no password":      {strings.Replace(noServer, "managed: {server: auto}", fmt.Sprintf(external, "NO_SUCH_VARIABLE"), 1), 5, []string{"NO_SUCH_VARIABLE is not set"}},
		"unknown key":      {change("threads:", "thread:"), 1, []string{"study.yaml:5:1: unknown key 'thread'", "did you mean 'threads'?"}},
		"rounded value":    {change("innodb_buffer_pool_size: 16M", "max_connections: 5, innodb_buffer_pool_size: 16M"), 5, []string{"max_connections: 5 was asked for, the server has 10"}},
		"no instrument":    {change("innodb_buffer_pool_size: 16M", `performance_schema: "ON", performance_schema_instrument: 'wait/nothing/%=ON'`), 5, []string{"the server has no instrument like 'wait/nothing/%'"}},
		"monitoring off":   {change("innodb_buffer_pool_size: 16M", `performance_schema: "OFF", performance_schema_consumer_statements_digest: "ON"`), 5, []string{"performance_schema_consumer_statements_digest: ON was asked for, and performance_schema is off"}},
		"wrong SQL":        {change("{name: b,", `{name: b, sql: ["SELEKT 1"],`), 5, []string{"SELEKT 1", "1064"}},
		"wrong session":    {change("{name: b,", `{name: b, session: ["SET SESSION sort_bufer_size = 1"],`), 5, []string{"scenario b: ", "Unknown system variable 'sort_bufer_size'"}},
		"wrong option":     {change("{name: b,", "{name: b, options: {no-such-option: 3},"), 1, []string{"study.yaml: workload oltp_read_only, scenario b: invalid option: --no-such-option=3"}},
		"CPUs":             {shortStudy + "cpus: {server: 4000}\n", 5, []string{"cpus: CPUs '4000'"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			code, out := b.run("study", "run", b.file(tc.text))
			last := out
			if i := strings.LastIndex(strings.TrimSpace(out), "\n"); i >= 0 {
				last = out[i+1:]
			}
			for _, want := range tc.want {
				if !strings.Contains(last, want) {
					t.Errorf("%q is missing in the last line of\n%s", want, out)
				}
			}
			if code != tc.code {
				t.Errorf("exit code %d, want %d\n%s", code, tc.code, out)
			}
			if _, list := b.run("study", "list"); !strings.Contains(list, "no study has been run yet") {
				t.Errorf("a study was made:\n%s", list)
			}
			if left, _ := filepath.Glob(b.path("cache/deltabench/studies/*")); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
		})
	}
}
