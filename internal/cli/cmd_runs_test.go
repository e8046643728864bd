package cli

import (
	"database/sql"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"deltabench/internal/report"
	"deltabench/internal/store"
	"deltabench/internal/sysbench"
)

// TestRunsOfStudies lists and shows runs by their places in studies.
func TestRunsOfStudies(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "runs.db")
	s, err := store.Open(t.Context(), path, store.ReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.CreateStudy(t.Context(), store.Study{Title: "pool", Plan: []byte("{}")}); err != nil {
		t.Fatal(err)
	}
	for _, p := range []*store.Place{
		nil,
		{Study: "pool", Target: "mariadb", Scenario: "small", Workload: "reads", Threads: 8, Round: 1, Position: 2},
		{Study: "pool", Target: "mariadb", Scenario: "large pool", Workload: "reads", Threads: 8, Round: 12, Position: 1, Share: 0.75},
		{Study: "older", Scenario: "x", Round: 3, Position: 4},
	} {
		d := &report.Document{Schema: report.Kind, SchemaVersion: report.SchemaVersion, StartedAt: "2026-01-01T00:00:00Z"}
		d.Test.Name, d.Test.Threads, d.Test.SQL = "oltp_read_only", 8, true
		d.Totals.EventsPerSecond, d.Totals.QueriesPerSecond, d.End.Reason = 10, 160, "timeLimit"
		if _, err := s.Record(t.Context(), store.Recorded{Document: d, Study: p}); err != nil {
			t.Fatal(err)
		}
	}
	s.Close()
	for args, want := range map[string]string{
		"runs list --study=pool": `id  round  position  target   scenario    workload  threads  load    tps     qps  p95 ms  errors  end
 2      1         2  mariadb  small       reads           8     -  10.00  160.00       -       0  timeLimit
 3     12         1  mariadb  large pool  reads           8   75%  10.00  160.00       -       0  timeLimit
`,
		"runs list --study=latest --limit=1": `id  round  position  target   scenario    workload  threads  load    tps     qps  p95 ms  errors  end
 3     12         1  mariadb  large pool  reads           8   75%  10.00  160.00       -       0  timeLimit
`,
		"runs list --study=older": `id  round  position  target  scenario  workload        threads  load    tps     qps  p95 ms  errors  end
 4      3         4  -       x         oltp_read_only        8     -  10.00  160.00       -       0  timeLimit
`,
	} {
		code, stdout, stderr := call(t, append(strings.Fields(args), "--store="+path)...)
		if code != 0 || stdout != want || stderr != "" {
			t.Errorf("%s: %d\n%s%s\nwant\n%s", args, code, stdout, stderr, want)
		}
	}
	for id, want := range map[string]string{
		"2": "pool: target mariadb, scenario small, workload reads at 8 threads, round 1, position 2\n",
		"3": "pool: target mariadb, scenario large pool, workload reads at 8 threads and 75% of the baseline's peak, round 12, position 1\n",
		"4": "older: scenario x, round 3, position 4\n",
	} {
		if code, stdout, _ := call(t, "runs", "show", id, "--store="+path); code != 0 || !strings.Contains(stdout, want) {
			t.Errorf("run %s: %d\n%s", id, code, stdout)
		}
	}
	_, text, _ := call(t, "runs", "list", "--format=csv", "--store="+path)
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll() // which checks that rows are of one length
	if err != nil || len(rows) != 5 {
		t.Fatalf("%v\n%s", err, text)
	}
	for i, want := range map[int]string{
		0: "study,target,scenario,studyWorkload,share,round,position", 1: ",,,,,,",
		3: "pool,mariadb,large pool,reads,0.75,12,1", 4: "older,,x,,0,3,4",
	} {
		if got := strings.Join(rows[i][len(rows[i])-7:], ","); got != want {
			t.Errorf("row %d ends in %s, want %s", i, got, want)
		}
	}
	if code, stdout, _ := call(t, "runs", "export", "--study=pool", "--store="+path); code != 0 || strings.Count(stdout, "\n") != 2 {
		t.Errorf("export: %d\n%s", code, stdout)
	}
	for _, command := range []string{"list", "export"} {
		want := "deltabench runs " + command + ": there is no study 'none'; 'deltabench study list' shows those that are there\n"
		if code, stdout, stderr := call(t, "runs", command, "--study=none", "--store="+path); code != 1 || stdout != "" || stderr != want {
			t.Errorf("%s: %d %q %q", command, code, stdout, stderr)
		}
	}
}

// plainRuns makes a store of runs that only their numbers tell apart.
func plainRuns(t *testing.T, n int) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "runs.db")
	s, err := store.Open(t.Context(), path, store.ReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for i := range n {
		d := &report.Document{Schema: report.Kind, SchemaVersion: report.SchemaVersion, StartedAt: fmt.Sprintf("2026-01-01T00:00:%02dZ", i)}
		d.Test.Name, d.Test.Threads = "cpu", 1
		d.Totals.Events, d.Totals.EventsPerSecond, d.Totals.MeasuredSeconds, d.End.Reason = 10, 10+float64(i)/100, 1, "timeLimit"
		if _, err := s.Record(t.Context(), store.Recorded{Document: d}); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// change executes a statement on a store as somebody might who has an SQLite shell.
func change(t *testing.T, path, query string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(query); err != nil {
		t.Fatal(err)
	}
}

func TestDamagedRun(t *testing.T) {
	t.Parallel()
	path := plainRuns(t, 4)
	change(t, path, "UPDATE documents SET content = substr(content, 1, length(content) / 2) WHERE run_id = 3")
	code, stdout, stderr := call(t, "runs", "export", "--store="+path)
	want := "deltabench runs export: document of run 3: unexpected EOF\n" +
		"deltabench runs export: store " + path + ": it is damaged: runs exported 3, left out 1\n"
	if code != sysbench.ExitStore || strings.Count(stdout, "\n") != 3 || stderr != want {
		t.Errorf("export: %d\n%s%s\nwant\n%s", code, stdout, stderr, want)
	}
	want = "deltabench compare: store " + path + ": document of run 3: unexpected EOF ('deltabench store verify' names what is damaged, 'deltabench runs export' writes all other runs)\n"
	if code, stdout, stderr = call(t, "compare", "1", "--", "3", "--store="+path); code != sysbench.ExitStore || stdout != "" || stderr != want {
		t.Errorf("compare: %d\n%s%s\nwant\n%s", code, stdout, stderr, want)
	}
}

// TestImportOfOtherThings holds that it is the input that is blamed, and not the store.
func TestImportOfOtherThings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for text, want := range map[string]string{
		"": "it is empty: there is neither a run nor a report in it",
		"sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)\n": "line 1: it is no JSON, neither runs ('deltabench runs export') nor a report (--report=json); " +
			"texts that sysbench prints are not imported: 'deltabench compare' reads them",
		"[]":        "line 1: it is neither a run ('deltabench runs export') nor a report (--report=json)",
		"DIRECTORY": "it is a directory",
	} {
		name := filepath.Join(dir, fmt.Sprint(len(text)))
		if text == "DIRECTORY" {
			name = dir
		} else if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		want = "deltabench runs import: " + name + ": " + want + "\n"
		if code, stdout, stderr := call(t, "runs", "import", name, "--store="+filepath.Join(t.TempDir(), "runs.db")); code != 1 || stdout != "" || stderr != want {
			t.Errorf("%q: %d\n%s%s\nwant\n%s", text, code, stdout, stderr, want)
		}
	}
}

// TestSameRun holds that a measurement counts once, by whatever it is named.
func TestSameRun(t *testing.T) {
	t.Parallel()
	path := plainRuns(t, 4)
	file := filepath.Join(t.TempDir(), "old1.json")
	for _, args := range [][]string{{"runs", "export", "1"}, {"runs", "show", "1", "--format=json"}} {
		_, text, _ := call(t, append(args, "--store="+path)...)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		code, stdout, stderr := call(t, "compare", file, "1", "3", "--format=markdown", "--store="+path, "--", "2", "4")
		want := "counted once: " + file + ", which is the same run as run 1"
		if code != 0 || !strings.Contains(stdout, want) || !strings.Contains(stdout, "n=2+2") || stderr != "" {
			t.Errorf("%v: %d\n%s%s\nwant %s", args, code, stdout, stderr, want)
		}
		want = "deltabench compare: " + file + " and run 1 are the same run: it is on both sides\n"
		if code, stdout, stderr = call(t, "compare", file, "2", "--store="+path, "--", "3", "1"); code != 1 || stdout != "" || stderr != want {
			t.Errorf("%v: %d\n%s%s\nwant %s", args, code, stdout, stderr, want)
		}
	}
	if _, _, stderr := call(t, "compare", "1", "--store="+path, "--", "1"); stderr != "deltabench compare: run 1 is on both sides\n" {
		t.Error(stderr)
	}
}

func TestRangesOfRuns(t *testing.T) {
	t.Parallel()
	path := plainRuns(t, 12)
	run := func(want string, args ...string) {
		t.Helper()
		if code, _, stderr := call(t, append(args, "--store="+path)...); stderr != want || (code == 0) != (want == "" || strings.HasSuffix(want, "exported\n")) {
			t.Errorf("%q: %d %q, want %q", args, code, stderr, want)
		}
	}
	run("", "runs", "tag", "2-4", "9", "7..8", "a=b", "c=d")
	run("", "runs", "note", "2-3", "a note")
	run("", "runs", "delete", "4-5", "3", "5", "--yes")
	_, stdout, _ := call(t, "runs", "list", "--tag=a=b", "--tag=c=d", "--format=csv", "--store="+path)
	var ids []string
	for _, line := range strings.Split(strings.TrimSpace(stdout), "\n")[1:] {
		id, _, _ := strings.Cut(line, ",")
		ids = append(ids, id)
	}
	if strings.Join(ids, " ") != "2 7 8 9" || strings.Count(stdout, "a note") != 1 {
		t.Errorf("%v\n%s", ids, stdout)
	}
	run("4 runs exported\n", "runs", "export", "1-4", "8-9")
	run("9 runs exported\n", "runs", "export")
	run("deltabench runs delete: 22-21: the range ends before it starts; write 21-22\n", "runs", "delete", "22-21", "--yes")
	run("deltabench runs delete: 3-5: there are no recorded runs with these numbers; see 'deltabench runs list'\n", "runs", "delete", "1", "3-5", "--yes")
	run("deltabench runs delete: run 3: there is no such run\n", "runs", "delete", "1-4", "3", "--yes")
	run("deltabench runs delete: 1,3: numbers of runs are separated by blanks: 1 3\n", "runs", "delete", "1,3", "--yes")
	run("deltabench runs delete: '0' is not the number of a run; 'deltabench runs list' shows them\n", "runs", "delete", "0", "--yes")
	run("deltabench runs export: 'x-y' is not the number of a run; 'deltabench runs list' shows them\n", "runs", "export", "x-y")
	run("deltabench runs tag: '3' is not KEY=VALUE\n", "runs", "tag", "2", "3")
	run("deltabench compare: 1,3: numbers of runs are separated by blanks: 1 3\n", "compare", "1,3", "--", "2,4")
	run("9 runs exported\n", "runs", "export") // nothing was deleted
	_, lines, _ := call(t, "runs", "export", "--store="+path)
	file := filepath.Join(t.TempDir(), "o")
	for n, want := range map[int]string{5: "value 5 is run 8, which is there; skipped\n", 9: file + ": 9 runs are there; skipped\n"} {
		if err := os.WriteFile(file, []byte(strings.Join(strings.SplitAfter(lines, "\n")[:n], "")), 0o600); err != nil {
			t.Fatal(err)
		}
		code, stdout, stderr := call(t, "runs", "import", file, "--store="+path)
		if code != 0 || stdout != fmt.Sprintf("%s: 0 runs added, %d skipped\n", file, n) || !strings.HasSuffix(stderr, want) || strings.Count(stderr, "\n") != map[int]int{5: 5, 9: 1}[n] {
			t.Errorf("%d again: %d\n%s%s\nwant %s", n, code, stdout, stderr, want)
		}
	}
}

// TestErrorsOfTexts warns of the errors that sysbench's reports have, as of those of recorded runs.
func TestErrorsOfTexts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := func(name, errors string) string {
		path := filepath.Join(dir, name)
		report := `sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)

Running the test with following options:
Number of threads: 8

SQL statistics:
    queries performed:
        read:                            2954
        write:                           844
        other:                           422
        total:                           4220
    transactions:                        250    (125.00 per sec.)
    queries:                             4220   (2105.01 per sec.)
    ignored errors:                      ` + errors + `
    reconnects:                          0      (0.00 per sec.)

General statistics:
    total time:                          2.0047s
    total number of events:              250
`
		if err := os.WriteFile(path, []byte(report), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	none, many, more := text("none", "0      (0.00 per sec.)"), text("many", "500000 (400000.00 per sec.)"), text("more", "500250 (400200.00 per sec.)")
	for _, tc := range []struct{ a, b, metric, want string }{
		{none, many, "qps", "failed statements (errors): baseline none, candidate 2000000 per 1000 events (1 of 1 runs)"},
		{none, many, "errors", "failed statements (errors): baseline none, candidate 2000000 per 1000 events (1 of 1 runs)"},
		{many, more, "errors", "failed statements (errors): baseline 2000000 per 1000 events (1 of 1 runs), candidate 2001000 per 1000 events (1 of 1 runs)"},
	} {
		code, stdout, stderr := call(t, "compare", "--format=markdown", "--metric="+tc.metric, tc.a, "--", tc.b)
		if code != 0 || !strings.Contains(stdout, tc.want) || stderr != "" {
			t.Errorf("%s: %d\n%s%s\nwant %s", tc.metric, code, stdout, stderr, tc.want)
		}
	}
	if _, stdout, _ := call(t, "compare", "--format=markdown", "--metric=errors", many, "--", more); !strings.Contains(stdout, "2,001,000") {
		t.Errorf("--metric=errors:\n%s", stdout)
	}
	_, stdout, _ := call(t, "compare", "--format=json", "--metric=errors", none, "--", many)
	var got struct {
		Lines []struct{ BaselineValue, Value *float64 }
	}
	if err := json.Unmarshal([]byte(stdout), &got); err != nil || len(got.Lines) != 1 {
		t.Fatalf("%v\n%s", err, stdout)
	}
	if c := got.Lines[0]; c.BaselineValue == nil || *c.BaselineValue != 0 || c.Value == nil || *c.Value != 2e6 {
		t.Errorf("none against many:\n%s", stdout)
	}
	if _, stdout, _ := call(t, "compare", none, "--", text("other", "0 (0.00 per sec.)")); strings.Contains(stdout, "failed statements") {
		t.Errorf("runs without errors:\n%s", stdout)
	}
}
