package main

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRunsCommands goes through the commands about recorded runs.
func TestRunsCommands(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "runs.db")
	var report string
	for _, args := range [][]string{
		{"cpu", "--time=1", "--tag=scenario=old", "--report=json"}, {"mutex", "--mutex-locks=10", "--tag=scenario=new"}, {"threads", "--events=5", "--tag=scenario=new"},
	} {
		o := recordedRun(t, path, "deltabench", append(args, "run")...)
		if o.code != 0 {
			t.Fatalf("%v", o)
		}
		if report == "" {
			report = o.stdout
		}
	}
	ok := func(args ...string) string {
		t.Helper()
		o := recordedRun(t, path, "deltabench", args...)
		if o.code != 0 {
			t.Errorf("%v", o)
		}
		return o.stdout
	}
	fails := func(code int, stderr string, args ...string) {
		t.Helper()
		o := recordedRun(t, path, "deltabench", args...)
		if o.code != code || o.stderr != stderr || o.stdout != "" {
			t.Errorf("%v, want code %d and\n%s", o, code, stderr)
		}
	}
	type row struct {
		ID              int64
		Workload        string
		Tags            map[string]string
		Note            string
		LatencyP95Ns    *int64
		EventsPerSecond float64
	}
	list := func(args ...string) (rows []row) {
		t.Helper()
		if err := json.Unmarshal([]byte(ok(append([]string{"runs", "list", "--format=json"}, args...)...)), &rows); err != nil {
			t.Error(err)
		}
		return rows
	}
	if ok("runs", "path") != path+"\n" || ok("store", "path") != path+"\n" {
		t.Error("the path is another one")
	}
	if rows := list(); len(rows) != 3 || rows[0].Workload != "cpu" || rows[0].LatencyP95Ns == nil || rows[0].EventsPerSecond == 0 {
		t.Errorf("%+v", rows)
	}
	if rows := list("--tag", "scenario=new", "--limit=1"); len(rows) != 1 || rows[0].ID != 3 {
		t.Errorf("%+v", rows)
	}
	if rows := list("--workload=mutex"); len(rows) != 1 || rows[0].ID != 2 {
		t.Errorf("%+v", rows)
	}
	text := ok("runs", "list")
	if lines := strings.Split(text, "\n"); len(lines) != 5 || !strings.HasPrefix(lines[0], "id  started") || !strings.HasSuffix(lines[1], "scenario=old") {
		t.Errorf("list:\n%s", text)
	}
	table, err := csv.NewReader(strings.NewReader(ok("runs", "list", "--format=csv"))).ReadAll()
	if err != nil || len(table) != 4 || table[0][0] != "id" || table[3][0] != "3" {
		t.Errorf("%v, %v", table, err)
	}
	ok("runs", "tag", "1", "scenario=", "kernel=6.1", "disk=ssd")
	ok("runs", "note", "1", "a new note")
	if r := list()[0]; r.Note != "a new note" || len(r.Tags) != 2 || r.Tags["kernel"] != "6.1" {
		t.Errorf("%+v", r)
	}
	shown := ok("runs", "show", "1")
	for _, part := range []string{"Run 1\n", "disk=ssd kernel=6.1\n", "a new note\n", "cpu, 1 thread\n", "--report=json --time=1\n", "time limit (--time=1), exit code 0\n", "p95 "} {
		if !strings.Contains(shown, part) {
			t.Errorf("%q is not in\n%s", part, shown)
		}
	}
	if ok("runs", "show", "1", "--format=json") != report {
		t.Error("the document is not the report")
	}
	lines := ok("runs", "export")
	file := writeFile(t, filepath.Join(dir, "lines"), lines+report)
	other := "--store=" + filepath.Join(dir, "other.db")
	if got := ok("runs", "import", file, other); got != file+": 3 runs added (runs 1 to 3), 1 skipped\n" {
		t.Error(got)
	}
	if got := ok("runs", "export", other); got != lines {
		t.Errorf("exported after the import:\n%s\nbefore:\n%s", got, lines)
	}
	if got := ok("runs", "export", "2", other); got != strings.SplitAfter(lines, "\n")[1] {
		t.Errorf("run 2 is\n%s", got)
	}
	if got := ok("store", "verify"); got != "3 runs, no damage\n" {
		t.Error(got)
	}
	fails(1, "deltabench runs delete: standard input is no terminal to ask at; --yes deletes without a question\n", "runs", "delete", "1", "2")
	ok("runs", "delete", "1", "2", "--yes")
	if rows := list(); len(rows) != 1 || rows[0].ID != 3 {
		t.Errorf("%+v", rows)
	}
	fails(1, "deltabench runs show: run 1: there is no such run\n", "runs", "show", "1")
	fails(1, "deltabench runs delete: run 1: there is no such run\n", "runs", "delete", "3", "1", "--yes")
	fails(1, "deltabench runs show: 'x' is not the number of a run; 'deltabench runs list' shows them\n", "runs", "show", "x")
	fails(1, "deltabench runs show: the number of a run is missing\n", "runs", "show")
	fails(1, "deltabench runs tag: 'x' is not KEY=VALUE\n", "runs", "tag", "3", "x")
	fails(1, "deltabench runs tag: the number of a run and its tags are needed, as in 'deltabench runs tag 12 scenario=new'\n", "runs", "tag", "3")
	fails(1, "deltabench runs note: the number of a run and one text are needed, as in 'deltabench runs note 12 \"new kernel\"'\n", "runs", "note", "3")
	fails(1, "deltabench runs list: --format=x: text, json or csv is needed\n", "runs", "list", "--format=x")
	fails(1, "deltabench runs list: --tag: 'x' is not KEY=VALUE; write KEY=VALUE, as in --tag=scenario=new\n", "runs", "list", "--tag=x")
	fails(1, "deltabench runs list: --limit=-1: 1 or more is needed, or 0 for all\n", "runs", "list", "--limit=-1")
	fails(1, "deltabench runs: there is no 'runs foo': list, show, tag, note, delete, export, import, path\n", "runs", "foo")
	fails(1, "deltabench runs import: the file is missing; - is standard input\n", "runs", "import")
	fails(1, "deltabench runs import: none: no such file or directory\n", "runs", "import", "none")
	bad := writeFile(t, filepath.Join(dir, "bad"), strings.SplitAfter(lines, "\n")[0]+"{}")
	fails(1, "deltabench runs import: "+bad+": line 2: it is neither a run ('deltabench runs export') nor a report (--report=json)\n", "runs", "import", bad)
	none := filepath.Join(dir, "none.db")
	fails(6, "deltabench runs list: store "+none+": there is no such file (runs are recorded there unless --store, DELTABENCH_STORE or --no-record say otherwise)\n", "runs", "list", "--store="+none)
	fails(1, "deltabench runs list: there is no store: DELTABENCH_STORE or --store is none; name one with --store=FILE\n", "runs", "list", "--store=none")
	path = none
	if got := ok("runs", "list"); strings.Count(got, "\n") != 1 { // nothing was recorded yet
		t.Error(got)
	}
	fails(6, "deltabench store verify: store "+none+": there is no such file (runs are recorded there unless --store, DELTABENCH_STORE or --no-record say otherwise)\n", "store", "verify")
}

// TestVerifyFindsDamage overwrites a part of a store.
func TestVerifyFindsDamage(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "runs.db")
	for range 3 {
		if o := recordedRun(t, path, "deltabench", "threads", "--events=5", "run"); o.code != 0 {
			t.Fatalf("%v", o)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := len(text) / 2; i < len(text)-len(text)/4; i++ {
		text[i] = 0x55
	}
	writeFile(t, path, string(text))
	o := run(t, "deltabench", "store", "verify", "--store="+path)
	if o.code != 6 || !strings.Contains(o.stderr, "damaged") || strings.Count(o.stderr, "\n") != 1 {
		t.Errorf("%v", o)
	}
}
