package interleave

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"deltabench/internal/report"
)

// runAsChild in the environment makes the test binary the program that is executed in rounds.
const runAsChild = "DELTABENCH_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(runAsChild) != "" {
		os.Exit(asChild(os.Args))
	}
	os.Exit(m.Run())
}

// value is that of an option.
func value(args []string, name string) string {
	for _, a := range args {
		if v, ok := strings.CutPrefix(a, "--"+name+"="); ok {
			return v
		}
	}
	return ""
}

// child stands for a run: it notes its command line, and writes a report.
func asChild(args []string) int {
	log, err := os.OpenFile(value(args, "log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return 99
	}
	password, _ := os.ReadFile(value(args, "mysql-password-file"))
	fmt.Fprintf(log, "%s | store %s | password %s\n", strings.Join(args, " "), os.Getenv("DELTABENCH_STORE"), strings.TrimSpace(string(password)))
	log.Close()
	switch value(args, "behave") {
	case "fail":
		fmt.Fprintln(os.Stderr, "FATAL: no such table")
		fmt.Fprintln(os.Stderr, "FATAL: the thread failed")
		return 1
	case "quiet":
		return 1
	case "no-report":
		return 0
	case "hang":
		ch := make(chan os.Signal, 1)
		signal.Notify(ch, os.Interrupt)
		fmt.Fprintln(os.Stdout, "waiting")
		<-ch
		_ = os.WriteFile(value(args, "log")+".interrupted", nil, 0o600)
		return 130
	}
	d := report.Document{Options: map[string]any{"report_file": "x", "threads": 1}}
	d.Totals.Events = 10
	if value(args, "behave") == "idle" {
		d.Totals.Events = 0
	}
	text, err := json.Marshal(d)
	if err != nil {
		return 98
	}
	if os.WriteFile(value(args, "report-file"), text, 0o600) != nil {
		return 97
	}
	return 0
}

// plan is one of two command lines with the test binary as program. Lines has what the children noted.
func plan(t *testing.T, rounds int, a, b string) (p Plan, lines func() []string) {
	t.Helper()
	t.Setenv(runAsChild, "1")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(t.TempDir(), "log")
	p = Plan{Program: self, Rounds: rounds, Seed: 7}
	for i, line := range []string{a, b} {
		c, err := Parse(line + " --log=" + log + " run")
		if err != nil {
			t.Fatal(err)
		}
		p.Scenarios = append(p.Scenarios, Scenario{Name: string(rune('a' + i)), Command: c})
	}
	return p, func() []string {
		text, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSpace(string(text)), "\n")
	}
}

func TestRounds(t *testing.T) {
	p, lines := plan(t, 4, "cpu", "sysbench memory --mysql-password='top secret'")
	p.Warmup = true
	var runs []Run
	var rounds []int
	err := p.Execute(t.Context(), func(r Run) { runs = append(runs, r) }, func(round int) bool {
		rounds = append(rounds, round)
		return false
	})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(rounds, []int{1, 2, 3, 4}) || len(runs) != 10 {
		t.Fatalf("rounds %v, %d runs; want 4 rounds after one of warm-up, 10 runs", rounds, len(runs))
	}
	for i, r := range runs {
		order := p.Order(r.Round)
		if r.Err != nil || r.Document == nil || r.Round != i/2 || r.Position != i%2+1 || r.Scenario != order[i%2] {
			t.Errorf("run %d: %+v, want round %d with the order %v", i, r, i/2, order)
		}
		if _, ok := r.Document.Options["report_file"]; ok {
			t.Error("the report's place is taken for an option of the run")
		}
	}
	seeds := map[string]int{}
	for i, line := range lines() {
		seeds[value(strings.Fields(line), "rand-seed")]++
		want := "deltabench cpu"
		if runs[i].Scenario == 1 {
			want = "sysbench memory"
			if !strings.HasSuffix(line, "| password top secret") || strings.Contains(strings.TrimSuffix(line, "top secret"), "secret") {
				t.Errorf("the password is not in its file, or in the process list: %s", line)
			}
		}
		if !strings.HasPrefix(line, want) || !strings.Contains(line, "--report=json") || !strings.Contains(line, "| store none |") {
			t.Errorf("run %d: %s, want %s with a report, not recorded", i, line, want)
		}
	}
	if len(seeds) != 5 {
		t.Errorf("seeds %v, want one for each round", seeds)
	}
}

func TestSeedOfTheUser(t *testing.T) {
	p, lines := plan(t, 2, "cpu --rand_seed=5", "cpu")
	if err := p.Execute(t.Context(), func(Run) {}, func(round int) bool { return round == 1 }); err != nil {
		t.Fatal(err)
	}
	all := lines()
	if len(all) != 2 {
		t.Fatalf("%d runs, want 2: the first round was to be the last", len(all))
	}
	for _, line := range all {
		if strings.Contains(line, "rand_seed=5") == strings.Contains(line, "rand-seed=") {
			t.Errorf("not exactly one seed: %s", line)
		}
	}
}

func TestFailuresOfRuns(t *testing.T) {
	for behave, want := range map[string]string{
		"fail": "no such table", "quiet": "exit status 1", "no-report": "its report cannot be read", "idle": "no event ended",
	} {
		t.Run(behave, func(t *testing.T) {
			p, _ := plan(t, 1, "cpu", "cpu --behave="+behave)
			var got [2]error
			if err := p.Execute(t.Context(), func(r Run) { got[r.Scenario] = r.Err }, func(int) bool { return false }); err != nil {
				t.Fatal(err)
			}
			if got[0] != nil || got[1] == nil || !strings.Contains(got[1].Error(), want) || strings.Contains(got[1].Error(), "\n") {
				t.Errorf("errors %v, want none and %q", got, want)
			}
		})
	}
}

func TestInterruptReachesTheChild(t *testing.T) {
	p, lines := plan(t, 1, "cpu --behave=hang", "cpu --behave=hang")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	log := value(p.Scenarios[0].Command.args, "log")
	go func() {
		for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
			if _, err := os.Stat(log); err == nil {
				time.Sleep(200 * time.Millisecond) // until it listens for signals; one that comes earlier kills it
				break
			}
		}
		cancel()
	}()
	begin := time.Now()
	err := p.Execute(ctx, func(Run) { t.Error("an interrupted run is no run") }, func(int) bool { return false })
	if err == nil || time.Since(begin) > 100*time.Second {
		t.Errorf("error %v after %v, want the interrupt", err, time.Since(begin))
	}
	if len(lines()) != 1 {
		t.Errorf("%q: no run was to follow", lines())
	}
	if _, err := os.Stat(log + ".interrupted"); err != nil {
		t.Errorf("the child was killed, not interrupted: %v", err)
	}
}

func TestOrder(t *testing.T) {
	t.Parallel()
	p := Plan{Scenarios: make([]Scenario, 2), Seed: 1}
	first := 0
	for round := range 400 {
		a, b := p.Order(round), p.Order(round)
		if !slices.Equal(a, b) {
			t.Fatal("the order of a round differs from itself")
		}
		if a[0] == 0 {
			first++
		}
		if s := p.RandSeed(round); s < 1 || s > 1<<31-1 || s != p.RandSeed(round) {
			t.Errorf("seed %d", s)
		}
	}
	if first < 150 || first > 250 {
		t.Errorf("the baseline is first in %d of 400 rounds, want about half", first)
	}
	other := Plan{Scenarios: p.Scenarios, Seed: 2}
	same := 0
	for round := range 400 {
		if slices.Equal(p.Order(round), other.Order(round)) {
			same++
		}
	}
	if same == 400 || p.RandSeed(1) == other.RandSeed(1) {
		t.Error("the seed changes nothing")
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"cpu run":                                     "deltabench cpu run",
		"deltabench cpu --threads=4 run":              "deltabench cpu --threads=4 run",
		"/usr/bin/sysbench cpu run":                   "sysbench cpu run",
		`x.lua --note-x='a "b" c' run`:                `deltabench x.lua '--note-x=a "b" c' run`,
		"--test=oltp run":                             "deltabench --test=oltp run",
		"oltp_read_only --mysql-password=s3cret run":  "deltabench oltp_read_only run --mysql-password=***",
		"oltp_read_only --mysql_password='s 3' run":   "deltabench oltp_read_only run --mysql-password=***",
		"oltp_read_only --pgsql-password=s3cret run ": "deltabench oltp_read_only --pgsql-password=*** run",
	} {
		c, err := Parse(line)
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		if got := c.String(); got != want {
			t.Errorf("%s is shown as %q, want %q", line, got, want)
		}
	}
	for line, want := range map[string]string{
		"":                               "it is empty",
		"   ":                            "it is empty",
		"cpu 'run":                       "a quote in it is not closed",
		"cpu prepare":                    "its command is prepare",
		"cpu":                            "it is no run: it ends with 'cpu'; write 'deltabench cpu run'",
		"deltabench --threads=4":         "it names no test",
		"cpu \u2013\u2013threads=4 run":  "\u2013\u2013threads=4 starts with a typographic dash; write --threads=4",
		"cpu --report=json run":          "it has --report",
		"cpu --report_file=x run":        "it has --report-file",
		"cpu --no-record run":            "it has --no-record: give it to compare",
		"MYSQL_PWD=x cpu run":            "it sets the variable MYSQL_PWD",
		"cpu run | grep Result":          "it has a '|'",
		"cpu \u2014mysql-password=x run": "write --mysql-password=***",
		"cpu --mysql-password=x 'run":    "cpu --mysql-password=*** 'run",
	} {
		_, err := Parse(line)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: error %v, want one line with %q", line, err, want)
		}
	}
}

func TestDifferences(t *testing.T) {
	t.Parallel()
	parse := func(line string) *Command {
		c, err := Parse(line)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	a, b := Differences(parse("cpu --threads=1 --time=3 --mysql-password=x run"), parse("sysbench cpu --time=3 --db-ps-mode=disable run"))
	if !slices.Equal(a, []string{"called deltabench", "--threads=1", "--mysql-password=***"}) || !slices.Equal(b, []string{"called sysbench", "--db-ps-mode=disable"}) {
		t.Errorf("%q and %q", a, b)
	}
	if a, b := Differences(parse("cpu run"), parse("deltabench cpu run")); len(a)+len(b) > 0 {
		t.Errorf("the same command: %q and %q", a, b)
	}
}
