// Command aa measures how often `deltabench compare` is wrong: on a private MariaDB server it compares identical commands,
// where every "better" or "worse" is false, and commands of which one does 5 % more work, where "worse" is right.
//
//	make aa
//	go run ./internal/devtools/aa -program bin/deltabench -repeats 10 -rounds 12 -time 1
//
// The slowdown: an event of the baseline waits 10 ms in the server (SELECT SLEEP) after two selects of one row, one of the candidate
// 10.54 ms. In a closed loop with some 0.3 ms for the rest the candidate completes 5 % fewer events. -kind=work has another one, which
// needs a quieter machine: 20 selects an event in place of 19, so that CPU decides and its noise is in the result.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"deltabench/internal/mariadbtest"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var t trial
	flag.StringVar(&t.program, "program", "bin/deltabench", "the program to try")
	flag.IntVar(&t.repeats, "repeats", 10, "comparisons of each kind")
	flag.IntVar(&t.rounds, "rounds", 12, "rounds of a comparison")
	flag.IntVar(&t.seconds, "time", 1, "seconds of a run")
	flag.IntVar(&t.threads, "threads", 2, "threads of a run")
	flag.BoolVar(&t.study, "studies", false, "short studies on managed servers in place of compare: issue 6")
	flag.BoolVar(&t.slower, "slower", false, "of -studies: only those with the slowdown")
	flag.StringVar(&t.kind, "kind", "wait", "slowdown: wait, or work")
	flag.Parse()
	if err := t.run(ctx, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "aa:", err)
		os.Exit(1)
	}
}

// trial is what is tried.
type trial struct {
	program                           string
	kind                              string
	study, slower                     bool
	repeats, rounds, seconds, threads int
	server                            *mariadbtest.Server
}

// eventScript is a workload of --selects selects of one row and a wait of --wait microseconds in the server.
const eventScript = `
sysbench.cmdline.options = {
  wait = {"microseconds that an event waits in the server", 0},
  selects = {"selects of one row in an event", 2},
}
function thread_init()
  con = sysbench.sql.driver():connect()
end
function event()
  for i = 1, sysbench.opt.selects do
    con:query("SELECT c FROM sbtest1 WHERE id = " .. sysbench.rand.uniform(1, 10000))
  end
  if sysbench.opt.wait > 0 then
    con:query(string.format("SELECT SLEEP(%.6f)", sysbench.opt.wait / 1e6))
  end
end
function thread_done()
  con:disconnect()
end
`

// What a correct program stays within (issue 5): false claims, and slowdowns found of ten.
const (
	maxFalse = 2
	minFound = 9
)

func (t *trial) run(ctx context.Context, out io.Writer) (err error) {
	if t.study {
		return t.studies(ctx, out)
	}
	dir, err := os.MkdirTemp("", "aa-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if t.server, err = mariadbtest.StartProcess(dir); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.server.Close()) }()
	db, err := t.server.Open("")
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.ExecContext(ctx, "CREATE DATABASE aa"); err != nil {
		return err
	}
	if text, err := exec.CommandContext(ctx, t.program, append(t.test("oltp_point_select"), "prepare")...).CombinedOutput(); err != nil {
		return fmt.Errorf("prepare: %w: %s", err, text)
	}
	fmt.Fprintf(out, "MariaDB on this machine, %d threads, %d s a run, %d rounds\n", t.threads, t.seconds, t.rounds)
	same := t.line(t.test("oltp_point_select"))
	script := filepath.Join(dir, "event.lua")
	if err := os.WriteFile(script, []byte(eventScript), 0o600); err != nil {
		return err
	}
	var before, slower string
	switch t.kind {
	case "work":
		before, slower = t.line(append(t.test(script), "--selects=19")), t.line(append(t.test(script), "--selects=20"))
	case "wait":
		before, slower = t.line(append(t.test(script), "--wait=10000")), t.line(append(t.test(script), "--wait=10540"))
	default:
		return fmt.Errorf("-kind=%s: there are wait and work", t.kind)
	}
	claims, err := t.count(ctx, out, "identical commands", same, same, "better", "worse")
	if err != nil {
		return err
	}
	found, err := t.count(ctx, out, "5 % slower", before, slower, "worse")
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "identical commands: better or worse in %d of %d (at most %d of 10 are allowed)\n", claims, t.repeats, maxFalse)
	fmt.Fprintf(out, "5 %% slower (-kind="+t.kind+"): worse in %d of %d (at least %d of 10 are asked)\n", found, t.repeats, minFound)
	if 10*claims > maxFalse*t.repeats || 10*found < minFound*t.repeats {
		return errors.New("outside of what was asked")
	}
	return nil
}

// test is the command line of a test without its command.
func (t *trial) test(name string) []string {
	args := []string{
		name, "--mysql-socket=" + t.server.Socket, "--mysql-user=root", "--mysql-db=aa",
		fmt.Sprintf("--threads=%d", t.threads), fmt.Sprintf("--time=%d", t.seconds),
	}
	if strings.HasPrefix(name, "oltp_") {
		args = append(args, "--table-size=10000")
	}
	return args
}

func (*trial) line(args []string) string { return strings.Join(append(args, "run"), " ") }

// count makes comparisons and returns how many have one of the verdicts.
func (t *trial) count(ctx context.Context, out io.Writer, what, baseline, candidate string, verdicts ...string) (int, error) {
	n := 0
	for i := range t.repeats {
		var stdout, stderr bytes.Buffer
		cmd := exec.CommandContext(ctx, t.program, "compare", fmt.Sprintf("--rounds=%d", t.rounds), fmt.Sprintf("--seed=%d", i+1), "--metric=tps",
			"--no-record", "--format=json", "--baseline="+baseline, "--candidate="+candidate)
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
		if err := cmd.Run(); err != nil {
			return 0, fmt.Errorf("compare: %w: %s", err, stderr.String())
		}
		line, verdict, err := summary(stdout.Bytes())
		if err != nil {
			return 0, fmt.Errorf("compare: %w: %s", err, stdout.String())
		}
		fmt.Fprintf(out, "%-20s %2d of %d: %s\n", what, i+1, t.repeats, line)
		for _, v := range verdicts {
			if v == verdict {
				n++
			}
		}
	}
	return n, nil
}

// summary reads the first line of a table.
func summary(text []byte) (line, verdict string, err error) {
	var doc struct {
		Lines []struct {
			Claim struct {
				N        int
				Estimate float64 `json:"estimatePercent"`
				Interval *struct {
					Low  float64 `json:"lowPercent"`
					High float64 `json:"highPercent"`
				}
				Verdict, Reason string
			}
		}
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		return "", "", err
	}
	if len(doc.Lines) == 0 || doc.Lines[0].Claim.Interval == nil {
		return "", "", errors.New("no comparison with an interval")
	}
	c := doc.Lines[0].Claim
	return fmt.Sprintf("%+.1f %% [%+.1f, %+.1f] n=%d %s", c.Estimate, c.Interval.Low, c.Interval.High, c.N, c.Verdict), c.Verdict, nil
}
