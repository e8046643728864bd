package conduct

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"deltabench/internal/hostcost"
	"deltabench/internal/store"
	"deltabench/internal/study"
	"deltabench/internal/target"
)

// Options are what a study is executed with.
type Options struct {
	Plan    *study.Plan
	File    []byte // as it was written, kept with the results
	Store   *store.Store
	WorkDir string // has a directory for each study, with the data of its servers
	Program string // path of this program, which executes the runs
	Version string // of this program
	Observe func(Event)
	Getenv  func(string) string
	Keep    bool // the data of servers when the study has ended
	Yes     bool // measure servers that look like production
}

// conductor executes one study.
type conductor struct {
	Options
	plan    *study.Plan
	made    *store.Study
	dir     string // of the study
	servers []server
	have    map[study.Key]bool // runs that there are; true: failed
	total   int
	done    int // rounds of the ladder
	begin   time.Time
	fresh   int // runs since begin
	expect  map[string]expected
	// compared are the starts of servers after which performance_schema's settings were compared, by evidence.Start.ID.
	compared map[string]bool
	failing  []string // reasons of failures of each target, as long as nothing has succeeded

	mu sync.Mutex // of Observe
}

// Run executes a new study. The study is returned whenever it was made, with an error too.
func Run(ctx context.Context, o Options) (*store.Study, error) {
	plan, err := json.Marshal(o.Plan)
	if err != nil {
		return nil, err
	}
	c, err := newConductor(o)
	if err != nil {
		return nil, err
	}
	// A study that is refused leaves no trace: it is made after its guards have passed. Its directory has a name of its own until then.
	c.dir = filepath.Join(o.WorkDir, fmt.Sprintf("%s-%d", o.Plan.Study, os.Getpid()))
	release, err := lock(c.dir)
	if err != nil {
		return nil, err
	}
	defer release()
	defer c.closeServers(false)
	if err := c.ready(ctx); err != nil {
		_ = os.RemoveAll(c.dir)
		return nil, err
	}
	c.made, err = o.Store.CreateStudy(ctx, store.Study{Title: o.Plan.Study, Question: o.Plan.Question, File: o.File, Plan: plan, ToolVersion: o.Version, Planned: c.total})
	if err == nil {
		err = os.WriteFile(filepath.Join(c.dir, nameFile), []byte(c.made.Name), 0o600)
	}
	if err != nil {
		return c.made, err
	}
	return c.conduct(ctx)
}

// nameFile says which study a directory is of.
const nameFile = "study"

// Resume goes on with a study; its plan and file are those of the store.
func Resume(ctx context.Context, name string, o Options) (*store.Study, error) {
	made, err := o.Store.FindStudy(ctx, name)
	if errors.Is(err, store.ErrNoStudy) {
		if name == "latest" {
			return nil, &Problem{What: "no study has been run yet", Fix: "'deltabench study run FILE' runs one"}
		}
		return nil, &Problem{What: fmt.Sprintf("there is no study '%s'", name), Fix: "'deltabench study list' shows those that are there"}
	}
	if err != nil {
		return nil, err
	}
	plan := &study.Plan{}
	if err := json.Unmarshal(made.Plan, plan); err != nil {
		return nil, &Problem{What: fmt.Sprintf("study %s came from another store without its plan: it cannot go on here", made.Name)}
	}
	if made.State == store.StudyFinished {
		return nil, &Problem{What: fmt.Sprintf("study %s has ended: nothing is left to do", made.Name), Fix: "'deltabench study show " + made.Name + "' shows its results"}
	}
	if made.State == store.StudyImported {
		return nil, &Problem{What: fmt.Sprintf("study %s was imported before it had ended: rounds of two machines cannot be compared", made.Name), Fix: "go on with it where it was measured, and import it again"}
	}
	o.Plan, o.File = plan, made.File
	c, err := newConductor(o)
	if err != nil {
		return nil, err
	}
	c.made = made
	c.dir = dirOf(o.WorkDir, made.Name)
	release, err := lock(c.dir)
	if err != nil {
		return nil, err
	}
	defer release()
	defer c.closeServers(true)
	if c.have, err = o.Store.StudyKeys(ctx, made.ID); err != nil {
		return made, err
	}
	if err := os.WriteFile(filepath.Join(c.dir, nameFile), []byte(made.Name), 0o600); err != nil {
		return made, err
	}
	c.say(Event{Kind: StudyStarted, Text: fmt.Sprintf("resume %s: %d of %d runs are there", made.Name, len(c.have), c.total)})
	if err := c.ready(ctx); err != nil {
		return made, err
	}
	if err := o.Store.SetStudyState(ctx, made.ID, store.StudyRunning); err != nil {
		return made, err
	}
	return c.conduct(ctx)
}

// dirOf is the directory of a study that was begun before, or the one that it would have.
func dirOf(workDir, name string) string {
	entries, _ := os.ReadDir(workDir)
	for _, e := range entries {
		if text, err := os.ReadFile(filepath.Join(workDir, e.Name(), nameFile)); err == nil && string(text) == name {
			return filepath.Join(workDir, e.Name())
		}
	}
	return filepath.Join(workDir, fmt.Sprintf("%s-%d", name, os.Getpid()))
}

// Check does all that precedes the first run, and throws it away.
func Check(ctx context.Context, o Options) error {
	c, err := newConductor(o)
	if err != nil {
		return err
	}
	c.dir = filepath.Join(o.WorkDir, fmt.Sprintf("%s-%d", o.Plan.Study, os.Getpid()))
	release, err := lock(c.dir)
	if err != nil {
		return err
	}
	defer release()
	defer os.RemoveAll(c.dir)
	defer c.closeServers(false)
	return c.ready(ctx)
}

func newConductor(o Options) (*conductor, error) {
	if err := hostcost.CheckCPUs(o.Plan.CPUs.Server); err != nil {
		return nil, &Problem{Where: "cpus", What: err.Error(), Guard: true}
	}
	if err := hostcost.CheckCPUs(o.Plan.CPUs.Client); err != nil {
		return nil, &Problem{Where: "cpus", What: err.Error(), Guard: true}
	}
	return &conductor{
		Options: o, plan: o.Plan, have: map[study.Key]bool{}, total: o.Plan.Runs() + o.Plan.EqualLoadRuns(),
		begin: time.Now(), expect: map[string]expected{}, compared: map[string]bool{}, failing: make([]string, len(o.Plan.Targets)),
	}, nil
}

// say tells the observer.
func (c *conductor) say(e Event) {
	if c.Observe == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	e.At, e.Done, e.Total, e.Metric = time.Now(), len(c.have), c.total, c.plan.Metric
	if c.fresh > 0 {
		e.Left = time.Since(c.begin) / time.Duration(c.fresh) * time.Duration(max(c.total-len(c.have), 0))
	}
	c.Observe(e)
}

// refuse is the problem of a study that cannot start; after an interrupt it is that.
func (c *conductor) refuse(ctx context.Context, where string, err error) error {
	var known *Problem
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &known):
		return err
	}
	return &Problem{Where: where, What: err.Error(), Guard: true}
}

// ready does what precedes the first run: what a killed study left is put in order, servers are opened, and every scenario is
// rehearsed.
func (c *conductor) ready(ctx context.Context) error {
	c.sweep()
	c.readExpected()
	for i := range c.plan.Targets {
		s := c.newServer(i)
		c.servers = append(c.servers, s)
		if err := s.open(ctx); err != nil {
			return err
		}
	}
	if len(c.have) > 0 {
		return nil // it was rehearsed before its first run
	}
	return c.rehearse(ctx)
}

// sweep ends servers that killed studies left behind.
func (c *conductor) sweep() {
	entries, _ := os.ReadDir(c.WorkDir)
	for _, e := range entries {
		dir := filepath.Join(c.WorkDir, e.Name())
		if dir != c.dir && locked(dir) {
			continue
		}
		stopped, err := target.StopLeftBehind(dir)
		for _, text := range stopped {
			c.say(Event{Kind: Warned, Text: text})
		}
		if err != nil {
			c.say(Event{Kind: Warned, Text: err.Error()})
		}
		if _, err := os.Stat(filepath.Join(dir, nameFile)); errors.Is(err, os.ErrNotExist) && dir != c.dir && isFile(filepath.Join(dir, lockFile)) {
			_ = os.RemoveAll(dir) // of a study that was killed before its first run: nobody can go on with it
			continue
		}
		if settings, _ := filepath.Glob(filepath.Join(dir, "settings-*.json")); len(settings) > 0 && dir != c.dir {
			if name, err := os.ReadFile(filepath.Join(dir, nameFile)); err == nil {
				c.say(Event{Kind: Warned, Text: fmt.Sprintf("study %s was killed while settings of its server were changed: 'deltabench study resume %s' puts them back", name, name)})
			}
		}
	}
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// closeServers ends our servers.
func (c *conductor) closeServers(keep bool) {
	for _, s := range c.servers {
		if err := s.close(keep); err != nil {
			c.say(Event{Kind: Warned, Text: err.Error()})
		}
	}
	c.servers = nil
}

// conduct executes the rounds, and what follows them.
func (c *conductor) conduct(ctx context.Context) (*store.Study, error) {
	others, release := hostcost.Neighbours("deltabench study " + c.made.Name)
	defer release()
	for _, other := range others {
		c.say(Event{Kind: Warned, Text: "another process measures on this host, and both disturb each other: " + other})
	}
	err := c.rounds(ctx)
	if err == nil && len(c.plan.EqualLoad) > 0 {
		err = c.equalLoad(ctx)
	}
	state := store.StudyFinished
	switch {
	case ctx.Err() != nil:
		state, err = store.StudyInterrupted, context.Cause(ctx)
	case err != nil:
		state = store.StudyFailed
	}
	last := context.WithoutCancel(ctx)
	c.closeServers(state != store.StudyFinished || c.Keep)
	err = errors.Join(err, c.Store.SetStudyState(last, c.made.ID, state))
	if state == store.StudyFinished && !c.Keep {
		err = errors.Join(err, os.RemoveAll(c.dir))
	}
	if again, findErr := c.Store.FindStudy(last, c.made.Name); findErr == nil {
		c.made = again
	}
	kind, text := StudyFinished, ""
	if err != nil {
		kind, text = StudyStopped, fmt.Sprintf("stopped after %d of %d runs", c.made.Runs+c.made.Failed, c.total)
	}
	c.say(Event{Kind: kind, Text: text})
	return c.made, err
}

// rounds executes the ladder.
func (c *conductor) rounds(ctx context.Context) error {
	for round := 1; round <= c.plan.Rounds; round++ {
		for _, t := range c.plan.TargetOrder(round) {
			for _, step := range c.plan.Steps(t, round) {
				if err := c.step(ctx, step, c.cellsOf(step)); err != nil {
					return err
				}
			}
			if reason := c.failing[t]; reason != "" {
				return &Problem{Where: "target " + c.plan.Targets[t].Name, What: "every run of the first round failed: " + reason}
			}
		}
		done, why, text, err := c.decided(ctx, round)
		if err != nil {
			return err
		}
		c.say(Event{Kind: RoundFinished, Step: study.Step{Round: round}, Text: text})
		c.done = round
		if done {
			c.total = c.total / c.plan.Rounds * round // as many of each round
			if err := c.Store.SetStudyPlanned(ctx, c.made.ID, c.total); err != nil {
				return err
			}
			c.say(Event{Kind: Warned, Text: "the stopping rule ends the study: " + why})
			break
		}
	}
	return nil
}

// run is a cell of a step that is to be executed.
type run struct {
	key      study.Key
	workload *study.Workload
	rate     int64 // arrivals a second; 0: closed loop
	seed     int64
}

// cellsOf are the runs of a step that there are not yet.
func (c *conductor) cellsOf(s study.Step) []run {
	var runs []run
	for _, cell := range s.Cells {
		key := c.plan.Key(s, cell)
		if _, done := c.have[key]; !done {
			runs = append(runs, run{key: key, workload: &c.plan.Workloads[cell.Workload], seed: c.plan.RandSeed(s.Round, cell)})
		}
	}
	return runs
}

// maxThreads is the largest number of threads of the plan.
func (c *conductor) maxThreads() int { return slices.Max(c.plan.Threads) }
