package interleave

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"deltabench/internal/report"
	"deltabench/internal/textlog"
)

// Scenario is one side of a comparison.
type Scenario struct {
	Name    string
	Command *Command
}

// Plan is what is executed.
type Plan struct {
	Program   string     // path of this program
	Scenarios []Scenario // the baseline first
	Rounds    int
	Warmup    bool // a round before the first one, which counts for nothing
	// Seed decides the order within rounds and, where a command line gives no --rand-seed, the random numbers of the runs: the same for all
	// scenarios of a round, others in the next.
	Seed uint64
}

// Run is one run of a round.
type Run struct {
	Scenario int // index in Plan.Scenarios
	Round    int // from 1; 0 is the warm-up round
	Position int // within the round, from 1
	Document *report.Document
	Took     time.Duration
	// Err says why the run measures nothing; the document may be there nevertheless.
	Err error
}

// Order is the order of scenarios in a round. It depends on the seed and the round alone.
func (p Plan) Order(round int) []int {
	return p.random(round).Perm(len(p.Scenarios))
}

// RandSeed is the value of --rand-seed in a round, 1..2147483647.
func (p Plan) RandSeed(round int) int64 {
	r := p.random(round)
	r.Perm(len(p.Scenarios))
	return 1 + r.Int64N(1<<31-1)
}

func (p Plan) random(round int) *rand.Rand { return rand.New(rand.NewPCG(p.Seed, uint64(round))) }

// stopGrace is how long an interrupted child may take to end: a run ends within 5 seconds, on a busy machine later.
const stopGrace = 20 * time.Second

// Execute runs the rounds. finished is told of every run as it ends, after of every complete round; when after returns true, that
// was the last. When ctx ends, the running child is interrupted and waited for, and the cause is returned. Runs that fail are no
// error: they have one.
func (p Plan) Execute(ctx context.Context, finished func(Run), after func(round int) bool) error {
	dir, err := os.MkdirTemp("", "deltabench-compare-")
	if err != nil {
		return fmt.Errorf("directory for reports: %w", err)
	}
	defer os.RemoveAll(dir)
	first := 1
	if p.Warmup {
		first = 0
	}
	for round := first; round <= p.Rounds; round++ {
		for i, s := range p.Order(round) {
			run := p.one(ctx, dir, s, round)
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			run.Scenario, run.Round, run.Position = s, round, i+1
			finished(run)
		}
		if round > 0 && after(round) {
			return nil
		}
	}
	return nil
}

// one executes one run.
func (p Plan) one(ctx context.Context, dir string, scenario, round int) Run {
	c := p.Scenarios[scenario].Command
	begin := time.Now()
	file := filepath.Join(dir, "report.json")
	_ = os.Remove(file) // of the run before
	args := append([]string{c.face}, c.args...)
	if c.hasPassword {
		path := filepath.Join(dir, "password")
		if err := os.WriteFile(path, []byte(c.password+"\n"), 0o600); err != nil {
			return Run{Err: err}
		}
		args = append(args, "--mysql-password-file="+path)
	}
	if !c.has("rand-seed") {
		args = append(args, fmt.Sprintf("--rand-seed=%d", p.RandSeed(round)))
	}
	args = append(args, "--report=json", "--report-file="+file)

	said := &textlog.Tail{}
	cmd := exec.CommandContext(ctx, p.Program)
	cmd.Args = args
	// The caller records the runs, with their places in the plan.
	cmd.Env = append(os.Environ(), "DELTABENCH_STORE=none")
	cmd.Stdout, cmd.Stderr = said, said
	cmd.WaitDelay = stopGrace
	cmd.Cancel = func() error { return interrupt(cmd.Process) }
	release := apart(cmd)
	err := cmd.Run()
	release()
	r := Run{Took: time.Since(begin)}
	text, readErr := os.ReadFile(file)
	if readErr == nil {
		d := &report.Document{}
		if readErr = json.Unmarshal(text, d); readErr == nil {
			r.Document = d
		}
	}
	switch {
	case err != nil:
		r.Err = errors.New(reason(said.String(), err))
	case readErr != nil:
		r.Err = fmt.Errorf("its report cannot be read: %w", readErr)
	case r.Document.Totals.Events == 0:
		r.Err = errors.New("no event ended")
	}
	if r.Document != nil {
		// What was added to the command line is no part of what was measured.
		for _, name := range []string{"report", "report_file", "mysql_password_file"} {
			delete(r.Document.Options, name)
		}
	}
	return r
}

// reason is why a child failed, in one line: the first fatal message, else what it said last, else err.
func reason(said string, err error) string {
	last := ""
	for line := range strings.Lines(said) {
		line = strings.TrimSpace(line)
		if text, ok := strings.CutPrefix(line, "FATAL: "); ok {
			return text
		}
		if line != "" {
			last = line
		}
	}
	if last == "" {
		return err.Error()
	}
	return last
}
