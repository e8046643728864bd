package study

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"time"

	"deltabench/internal/compare"
)

// Streams of random numbers of a plan. Orders and random streams must be the same for ever: a study that is resumed by a later
// version goes on in its order.
const (
	streamTargets   = 1 << 40
	streamScenarios = 2 << 40
	streamRuns      = 3 << 40
)

func (p *Plan) random(stream uint64) *rand.Rand { return rand.New(rand.NewPCG(p.Seed, stream)) }

// TargetOrder is the order of the targets in a round, from 1.
func (p *Plan) TargetOrder(round int) []int {
	return p.random(streamTargets + uint64(round)).Perm(len(p.Targets))
}

// Steps are the scenarios of a target in a round, in their order. Every scenario runs all cells, in the same order.
func (p *Plan) Steps(target, round int) []Step {
	order := p.random(streamScenarios + uint64(target)<<20 + uint64(round)).Perm(len(p.Targets[target].Scenarios))
	steps := make([]Step, len(order))
	for i, s := range order {
		steps[i] = Step{Round: round, Target: target, Scenario: s, Position: i + 1, Cells: p.Cells()}
	}
	return steps
}

// Cells are the workloads at all numbers of threads.
func (p *Plan) Cells() []Cell {
	var cells []Cell
	for w := range p.Workloads {
		for _, n := range p.Threads {
			cells = append(cells, Cell{Workload: w, Threads: n})
		}
	}
	return cells
}

// RandSeed is --rand-seed of a cell in a round, the same for all scenarios: 1..2147483647.
func (p *Plan) RandSeed(round int, c Cell) int64 {
	return 1 + p.random(streamRuns+uint64(round)<<24+uint64(c.Workload)<<17+uint64(c.Threads)).Int64N(1<<31-1)
}

// Key names the run of a cell in a step.
func (p *Plan) Key(s Step, c Cell) Key {
	t := p.Targets[s.Target]
	return Key{Target: t.Name, Scenario: t.Scenarios[s.Scenario].Name, Workload: p.Workloads[c.Workload].Name, Threads: c.Threads, Round: s.Round}
}

// String names a run for people.
func (k Key) String() string {
	text := fmt.Sprintf("%s, %s, %s, %d threads, round %d", k.Target, k.Scenario, k.Workload, k.Threads, k.Round)
	if k.Share > 0 {
		text += fmt.Sprintf(", %.0f %% of the peak", 100*k.Share)
	}
	return text
}

// Runs are those of all rounds of the ladder.
func (p *Plan) Runs() int { return p.Rounds * p.starts() * len(p.Cells()) }

// EqualLoadRuns are those at a share of the peak.
func (p *Plan) EqualLoadRuns() int {
	return p.Rounds * p.starts() * len(p.Workloads) * len(p.EqualLoad)
}

// starts are the scenarios of all targets.
func (p *Plan) starts() int {
	n := 0
	for _, t := range p.Targets {
		n += len(t.Scenarios)
	}
	return n
}

// What a step costs beside its runs, for forecasts before anything was measured.
const (
	perRun   = 1 * time.Second // process, connections, facts
	perStart = 3 * time.Second // stop, restore, start
	perReset = 10 * time.Second
)

// Expected is about how long the study takes, without preparing data.
func (p *Plan) Expected() time.Duration {
	runs := time.Duration(p.Runs()+p.EqualLoadRuns()) * (p.Warmup + p.Time + perRun)
	steps := time.Duration(p.Rounds * p.starts())
	switch p.State {
	case Restart, Restore:
		runs += steps * perStart
	case Reset:
		runs += steps * perReset
	}
	return runs
}

// ownServers reports whether scenarios of a target differ by more than what a session or a run can set.
func (t *Target) ownServers() bool {
	for _, s := range t.Scenarios {
		if len(s.Server) > 0 || s.Binary != "" || s.DSN != nil {
			return true
		}
	}
	return false
}

// Starts says what a round is on a target: the specification of statistics, section 2.
func (p *Plan) Starts(target int) compare.Starts {
	switch p.State {
	case Restart, Restore:
		return compare.OwnStart
	}
	if p.Targets[target].ownServers() {
		return compare.OneStartEach
	}
	return compare.SameStart
}

// Secret looks the password of an address up: in the environment, or in the first line of a file.
func (d DSN) Secret(getenv func(string) string) (string, error) {
	kind, name, _ := strings.Cut(d.PasswordFrom, ":")
	switch kind {
	case "env":
		v := getenv(name)
		if v == "" {
			return "", fmt.Errorf("the environment variable %s is not set: it has the password of %s", name, d.User)
		}
		return v, nil
	case "file":
		text, err := os.ReadFile(name)
		if err != nil {
			return "", fmt.Errorf("password of %s: %w", d.User, err)
		}
		line, _, _ := strings.Cut(string(text), "\n")
		if line = strings.TrimSuffix(line, "\r"); line == "" {
			return "", errors.New(name + ": the file with the password is empty")
		}
		return line, nil
	}
	return "", nil
}

// String is the address without a password.
func (d DSN) String() string {
	if d.Socket != "" {
		return fmt.Sprintf("%s@%s/%s", d.User, d.Socket, d.DB)
	}
	return fmt.Sprintf("%s@%s:%d/%s", d.User, d.Host, d.Port, d.DB)
}
