package child

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

// act in the environment is what the test's own program does when it is the child.
const act = "DELTABENCH_TEST_ACT"

func TestMain(m *testing.M) {
	switch os.Getenv(act) {
	case "":
		os.Exit(m.Run())
	case "report", "no events":
		d := &report.Document{Options: map[string]any{"threads": 4}}
		for _, arg := range os.Args[1:] {
			name, value, _ := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
			d.Options[strings.ReplaceAll(name, "-", "_")] = value
		}
		if os.Getenv(act) == "report" {
			d.Totals.Events = 5
		}
		fmt.Println("[ 1s ] thds: 4 tps: 10.50 qps: 21.00 (r/w/o: 21.00/0.00/0.00) lat (ms,95%): 1.25 err/s: 0.00 reconn/s: 0.00")
		fmt.Println("[ 2s ] thds: 4 tps: 11.00 qps: 22.00 (r/w/o: 22.00/0.00/0.00) lat (ms,99.9%): 2.50 err/s: 0.00 reconn/s: 0.00")
		text, _ := json.Marshal(d)
		_ = os.WriteFile(d.Options["report_file"].(string), text, 0o600)
	case "half a report":
		_ = os.WriteFile(strings.TrimPrefix(os.Args[len(os.Args)-1], "--report-file="), []byte("{"), 0o600)
	case "fail":
		fmt.Println("Running the test")
		fmt.Println("FATAL: error 1045: Access denied")
		os.Exit(1)
	case "no connection":
		fmt.Println("FATAL: unable to connect to MySQL server on host '127.0.0.1', port 3306, aborting...")
		fmt.Println("FATAL: error 1193: Unknown system variable 'x'")
		fmt.Println("FATAL: `thread_init' function failed: connection creation failed")
		os.Exit(1)
	case "say":
		for _, arg := range os.Args {
			fmt.Println("FATAL: argument", arg)
			if path, ok := strings.CutPrefix(arg, "--mysql-password-file="); ok {
				text, err := os.ReadFile(path)
				fmt.Printf("FATAL: password %q, %v, store %s\n", text, err, os.Getenv("DELTABENCH_STORE"))
			}
		}
		os.Exit(1)
	case "wait":
		told := make(chan os.Signal, 1)
		signal.Notify(told, os.Interrupt)
		fmt.Println("[ 1s ] thds: 4 tps: 10.50 qps: 21.00 (r/w/o: 21.00/0.00/0.00) lat (ms,95%): 1.25 err/s: 0.00 reconn/s: 0.00")
		<-told
		os.Exit(130)
	}
}

func command(t *testing.T, what string) Command {
	t.Helper()
	t.Setenv(act, what)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Command{Program: self, Face: "deltabench", Dir: t.TempDir(), Args: []string{"oltp_read_only", "--threads=4", "run"}}
}

// The report of a run is what there is, without what was added to its command line; its seconds are told while it runs.
func TestRun(t *testing.T) {
	c := command(t, "report")
	var told []Second
	c.Second = func(s Second) { told = append(told, s) }
	r := Run(t.Context(), c)
	if r.Err != nil || r.Code != 0 || r.Document == nil || r.Document.Totals.Events != 5 || r.Took <= 0 {
		t.Fatalf("%+v", r)
	}
	for _, name := range []string{"report", "report_file", "mysql_password_file"} {
		if v, there := r.Document.Options[name]; there {
			t.Errorf("option %s=%v was not the caller's", name, v)
		}
	}
	if r.Document.Options["threads"] != "4" {
		t.Errorf("options %v", r.Document.Options)
	}
	if want := []Second{{1, 10.5, 21, 1.25}, {2, 11, 22, 2.5}}; !slices.Equal(told, want) {
		t.Errorf("seconds %v, want %v", told, want)
	}
}

// What measures nothing says why, in the words of the run.
func TestFailures(t *testing.T) {
	for what, want := range map[string]string{
		"no events": "no event ended", "fail": "Access denied", "no connection": "error 1193: Unknown system variable 'x' (unable to connect to MySQL server on host '127.0.0.1', port 3306)", "half a report": "its report cannot be read: ",
	} {
		r := Run(t.Context(), command(t, what))
		if r.Err == nil || !strings.Contains(r.Err.Error(), want) || strings.Contains(r.Err.Error(), "\n") {
			t.Errorf("%s: %v, want %s", what, r.Err, want)
		}
		if what == "fail" && r.Code != 1 {
			t.Errorf("%s: exit code %d", what, r.Code)
		}
	}
	// A report that an earlier run left is not this one's.
	c := command(t, "report")
	if r := Run(t.Context(), c); r.Err != nil {
		t.Fatal(r.Err)
	}
	t.Setenv(act, "fail")
	if r := Run(t.Context(), c); r.Document != nil {
		t.Error("the report of the run before was read")
	}
	c.Program = filepath.Join(c.Dir, "nothing")
	if r := Do(t.Context(), c); r.Err == nil {
		t.Error("a program that is not there was executed")
	}
}

// A password is in a private file, which is gone afterwards, and in no argument; nothing is recorded by the child itself.
func TestPassword(t *testing.T) {
	c := command(t, "say")
	secret := "s3cret word"
	c.Password = &secret
	_, said, err := execute(t.Context(), c)
	if err == nil || !strings.Contains(said, `password "s3cret word\n", <nil>, store none`) || !strings.Contains(said, "argument deltabench\n") {
		t.Errorf("%v: %s", err, said)
	}
	for line := range strings.Lines(said) {
		if strings.Contains(line, "argument") && strings.Contains(line, secret) {
			t.Error(line)
		}
	}
	if left, _ := os.ReadDir(c.Dir); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// When nobody wants the run any more it is interrupted, not killed, and waited for.
func TestInterrupt(t *testing.T) {
	c := command(t, "wait")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c.Second = func(Second) { cancel() } // it is there, and listens
	done := make(chan Result, 1)
	go func() { done <- Run(ctx, c) }()
	select {
	case r := <-done:
		if r.Code != 130 || r.Err == nil {
			t.Errorf("%+v", r)
		}
	case <-time.After(2 * time.Minute):
		t.Fatal("it does not end")
	}
}
