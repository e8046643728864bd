package conduct

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"deltabench/internal/admin"
	"deltabench/internal/child"
	"deltabench/internal/evidence"
	"deltabench/internal/hostcost"
	"deltabench/internal/store"
	"deltabench/internal/study"
)

// rehearse begins every scenario once, without a run: what would fail for certain fails now.
func (c *conductor) rehearse(ctx context.Context) error {
	for i := range c.plan.Targets {
		t := &c.plan.Targets[i]
		for k := range t.Scenarios {
			s := &t.Scenarios[k]
			if s.AA {
				continue
			}
			where := fmt.Sprintf("target %s, scenario %s", t.Name, s.Name)
			c.say(Event{Kind: TargetPreparing, Text: fmt.Sprintf("%s: rehearse %s", t.Name, s.Name)})
			err := c.scene(ctx, i, s, 0, func(a admin.Address, _ *admin.Server, _ *evidence.Run, _ map[string]evidence.Snapshot) error {
				for w := range c.plan.Workloads {
					x := run{key: study.Key{Threads: c.maxThreads()}, workload: &c.plan.Workloads[w]}
					cmd := c.command(a, append(c.args(s, x), "--preflight-only", "run")...)
					if r := child.Do(ctx, cmd); r.Err != nil {
						return fmt.Errorf("%s with %d threads: %w", x.workload.Name, c.maxThreads(), r.Err)
					}
				}
				return nil
			})
			if err != nil {
				return c.refuse(ctx, where, err)
			}
		}
	}
	return nil
}

// scene begins a scenario, sets what it sets, calls do, and ends it: settings of others are put back whatever happens.
func (c *conductor) scene(ctx context.Context, i int, s *study.Scenario, round int, do func(admin.Address, *admin.Server, *evidence.Run, map[string]evidence.Snapshot) error) (err error) {
	t, srv := &c.plan.Targets[i], c.servers[i]
	last := context.WithoutCancel(ctx)
	start, err := srv.begin(ctx, s, round)
	if err != nil {
		return errors.Join(err, srv.end(last, s, round))
	}
	defer func() { err = errors.Join(err, srv.end(last, s, round)) }()
	a, err := srv.address(s)
	if err != nil {
		return err
	}
	e, snapshots := &evidence.Run{Start: start}, map[string]evidence.Snapshot{}
	if t.Kind == study.Embedded {
		return do(a, nil, e, snapshots)
	}
	db, err := admin.Open(ctx, a)
	if err != nil {
		return err
	}
	defer db.Close()
	if !srv.ours() {
		path := memoryPath(c.dir, t.Name+"-"+a.String())
		if t.Kind == study.Managed {
			path = memoryPath(c.dir, t.Name)
		}
		if err := remember(ctx, db, path); err != nil {
			return err
		}
		defer func() {
			if _, putErr := putBack(last, db, path); putErr != nil {
				err = errors.Join(notPutBack(path, putErr), err)
			}
		}()
	}
	if err := c.settle(ctx, t, s, db, start.ID); err != nil {
		return err
	}
	if err := c.verify(ctx, t, db, a.DB, srv.fresh()); err != nil {
		return err
	}
	if err := c.know(ctx, db, a, e, snapshots); err != nil {
		return err
	}
	return do(a, db, e, snapshots)
}

// settle sets what a scenario sets after the start of its server, and reads back what it asked for. Consumers and instruments of
// performance_schema, which statements may change later on, are compared once after each start.
func (c *conductor) settle(ctx context.Context, t *study.Target, s *study.Scenario, db *admin.Server, start string) error {
	asked := optionsOf(s.Server, s.Globals)
	if t.Managed != nil { // those that the scenario has otherwise do not count
		asked = append(optionsOf(t.Managed.Options, s.Server, s.Globals), asked...)
	}
	var wrong []admin.Mismatch
	if !c.compared[start] {
		var err error
		if wrong, err = db.ReadMonitoring(ctx, asked); err != nil {
			return err
		}
		c.compared[start] = true
	}
	globals := optionsOf(s.Globals)
	if err := db.SetGlobals(ctx, globals); err != nil {
		return err
	}
	for _, q := range s.SQL {
		if err := db.Exec(ctx, q); err != nil {
			return err
		}
	}
	differ, err := db.ReadBack(ctx, append(asked, globals...))
	if err != nil {
		return err
	}
	var texts []string
	for _, m := range append(wrong, differ...) {
		texts = append(texts, m.Text)
	}
	if len(texts) > 0 {
		return errors.New("the server is not as the scenario asks for: " + strings.Join(texts, "; "))
	}
	return nil
}

// optionsOf are the options of the first list that none of the others sets.
func optionsOf(list []study.Option, others ...[]study.Option) []admin.Option {
	var out []admin.Option
	for _, o := range list {
		if !slices.ContainsFunc(others, func(other []study.Option) bool { return named(other, o.Name) }) {
			out = append(out, admin.Option(o))
		}
	}
	return out
}

func named(list []study.Option, name string) bool {
	for _, o := range list {
		if o.Name == name {
			return true
		}
	}
	return false
}

// know collects what is known of a server before its runs.
func (c *conductor) know(ctx context.Context, db *admin.Server, a admin.Address, e *evidence.Run, snapshots map[string]evidence.Snapshot) error {
	v, err := db.Variables(ctx)
	if err != nil {
		return err
	}
	settings, err := db.Settings(ctx)
	if err != nil {
		return err
	}
	if e.Start.Version == "" {
		e.Start.Version = v["version"]
	}
	e.Variables, e.Settings = store.HashSnapshot(v), store.HashSnapshot(settings)
	for hash, x := range map[string]evidence.Snapshot{e.Variables: v, e.Settings: settings} {
		if hash != "" {
			snapshots[hash] = x
		}
	}
	e.DataBytes, err = db.DataBytes(ctx, a.DB)
	return err
}

// step executes the runs of a scenario of a round. Only what ends the study is an error: a run that fails is a result.
func (c *conductor) step(ctx context.Context, step study.Step, runs []run) error {
	if len(runs) == 0 {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	t := &c.plan.Targets[step.Target]
	s := &t.Scenarios[step.Scenario]
	begin := time.Now()
	c.say(Event{Kind: StepStarted, Step: step, Key: runs[0].key})
	done := 0
	err := c.scene(ctx, step.Target, s, step.Round, func(a admin.Address, db *admin.Server, e *evidence.Run, snapshots map[string]evidence.Snapshot) error {
		for _, x := range runs {
			if err := c.one(ctx, step, s, x, a, db, *e, snapshots); err != nil {
				return err
			}
			done++
			if why, dead := c.servers[step.Target].crashed(); dead {
				return errors.New(why)
			}
		}
		return nil
	})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		var fatal *Problem
		var broken *store.Problem
		if errors.As(err, &fatal) || errors.As(err, &broken) {
			return err
		}
		c.say(Event{Kind: Warned, Text: fmt.Sprintf("round %d, %s, %s: %s", step.Round, t.Name, s.Name, oneLine(err))})
		for _, x := range runs[done:] {
			if err := c.failed(ctx, step, x, oneLine(err)); err != nil {
				return err
			}
		}
	}
	c.say(Event{Kind: StepFinished, Step: step, Key: runs[0].key, Took: time.Since(begin)})
	return nil
}

func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

// deathKnown is how long the system may take to tell us that a server of ours has ended, after its clients know.
const deathKnown = 2 * time.Second

// diedBy says why a server of ours ended by itself, if that is what made a run fail.
func (c *conductor) diedBy(ctx context.Context, target int) (why string, dead bool) {
	if c.plan.Targets[target].Kind != study.Managed {
		return "", false
	}
	for end := time.Now().Add(deathKnown); ; time.Sleep(20 * time.Millisecond) {
		if why, dead = c.servers[target].crashed(); dead || ctx.Err() != nil || time.Now().After(end) {
			return why, dead
		}
	}
}

// failed keeps that a run failed.
func (c *conductor) failed(ctx context.Context, step study.Step, x run, reason string) error {
	if step.Round == 1 && x.key.Share == 0 && c.failing[step.Target] == "" && !c.succeeded(x.key.Target) {
		c.failing[step.Target] = reason
	}
	c.mark(x.key, true)
	return c.Store.RecordFailure(context.WithoutCancel(ctx), c.made.ID, x.key, step.Position, reason)
}

// succeeded reports whether a run of a target has measured something.
func (c *conductor) succeeded(target string) bool {
	for k, failed := range c.have {
		if k.Target == target && !failed {
			return true
		}
	}
	return false
}

// mark notes that there is a run.
func (c *conductor) mark(k study.Key, failed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.have[k] = failed
	c.fresh++
}

// args are the options of a run, without connection, seed and command.
func (c *conductor) args(s *study.Scenario, x run) []string {
	args := append([]string{x.workload.Test}, c.dataOptions(x.workload.Test)...)
	args = append(args, asArgs(x.workload.Options)...)
	args = append(args, asArgs(s.Options)...)
	args = append(args, fmt.Sprintf("--threads=%d", x.key.Threads), fmt.Sprintf("--time=%.0f", c.plan.Time.Seconds()))
	if c.plan.Warmup > 0 {
		args = append(args, fmt.Sprintf("--warmup-time=%.0f", c.plan.Warmup.Seconds()))
	}
	if x.rate > 0 {
		args = append(args, fmt.Sprintf("--rate=%d", x.rate))
	}
	if len(s.Session) > 0 {
		args = append(args, "--mysql-init-sql="+sessionSQL(s.Session))
	}
	return args
}

// sessionSQL is the statements of a session as one text. A comment at the end of a statement ends with it.
func sessionSQL(statements []string) string {
	var parts []string
	for _, x := range statements {
		if x = strings.TrimRight(x, "; \t\r\n"); x == "" {
			continue
		}
		if strings.Contains(x, "--") || strings.Contains(x, "#") {
			x += "\n"
		}
		parts = append(parts, x)
	}
	return strings.Join(parts, "; ")
}

// one executes and records a run. Errors end the scenario.
func (c *conductor) one(ctx context.Context, step study.Step, s *study.Scenario, x run, a admin.Address, db *admin.Server, e evidence.Run, snapshots map[string]evidence.Snapshot) error {
	c.say(Event{Kind: RunStarted, Step: step, Key: x.key})
	cmd := c.command(a, append(c.args(s, x), fmt.Sprintf("--rand-seed=%d", x.seed), "--report-interval=1", "run")...)
	cmd.Second = func(sec child.Second) {
		c.say(Event{Kind: RunSecond, Step: step, Key: x.key, Second: sec.Number, QPS: sec.QPS, TPS: sec.TPS, P95: sec.P95})
	}
	before := map[string]float64{}
	if db != nil {
		var err error
		if before, err = db.Status(ctx); err != nil {
			return err
		}
	}
	sampler := hostcost.Start(c.servers[step.Target].pid())
	r := child.Run(ctx, cmd)
	cost := sampler.Stop()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	e.Server, e.Machine, e.Seconds = cost.Process, cost.Machine, cost.Seconds
	if db != nil && r.Err == nil {
		if after, err := db.Status(ctx); err == nil {
			e.Status = admin.Growth(before, after)
		}
	}
	if r.Err != nil {
		if why, dead := c.diedBy(ctx, step.Target); dead {
			r.Err = fmt.Errorf("%s; the run: %w", oneLine(errors.New(why)), r.Err)
		}
		c.say(Event{Kind: RunFinished, Step: step, Key: x.key, Took: r.Took, Err: r.Err})
		return c.failed(ctx, step, x, r.Err.Error())
	}
	delete(r.Document.Options, "no_defaults")
	_, err := c.Store.Record(context.WithoutCancel(ctx), store.Recorded{
		Document: r.Document, Evidence: &e, Snapshots: maps.Clone(snapshots), Tags: map[string]string{"study": c.made.Name},
		Study: &store.Place{
			Study: c.made.Name, Question: c.plan.Question, Scenario: x.key.Scenario, Round: x.key.Round, Position: step.Position,
			Target: x.key.Target, Workload: x.key.Workload, Threads: x.key.Threads, Share: x.key.Share,
		},
	})
	if err != nil && !errors.Is(err, store.ErrRunExists) {
		return &Problem{What: "the run cannot be recorded: " + err.Error()}
	}
	c.mark(x.key, false)
	if c.failing[step.Target] != "" {
		c.failing[step.Target] = ""
	}
	c.say(Event{Kind: RunFinished, Step: step, Key: x.key, QPS: r.Document.Totals.QueriesPerSecond, TPS: r.Document.Totals.EventsPerSecond, Took: r.Took})
	return nil
}
