package interleave

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"deltabench/internal/child"
	"deltabench/internal/report"
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
	x := child.Command{Program: p.Program, Face: c.face, Args: c.args, Dir: dir}
	if c.hasPassword {
		x.Password = &c.password
	}
	if !c.has("rand-seed") {
		x.Args = append(slices.Clone(x.Args), fmt.Sprintf("--rand-seed=%d", p.RandSeed(round)))
	}
	r := child.Run(ctx, x)
	return Run{Document: r.Document, Took: r.Took, Err: r.Err}
}
