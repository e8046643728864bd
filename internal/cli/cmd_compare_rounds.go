package cli

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"deltabench/internal/compare"
	"deltabench/internal/hostcost"
	"deltabench/internal/interleave"
	"deltabench/internal/sample"
	"deltabench/internal/store"
	"deltabench/internal/sysbench"
)

// roundRun is a comparison of two command lines while it runs.
type roundRun struct {
	flags   *compareFlags
	env     Env
	plan    interleave.Plan
	begin   time.Time
	rounds  []round
	keep    *keeper
	first   [2]string // first error of either side
	told    bool      // differences were told
	stopped string    // why a stopping rule ended it
}

// round is a round with the run of either side; nil: it measured nothing.
type round struct {
	number int
	runs   [2]*sample.Run
	errs   [2]error
	order  [2]int // which position each had
}

// compareRounds executes and compares two command lines.
func (f *compareFlags) compareRounds(cmd *cobra.Command) (int, error) {
	env := f.store.env
	r := &roundRun{flags: f, env: env, begin: time.Now()}
	for i, line := range []string{f.baseline, f.candidate} {
		name := []string{baselineName, candidateName}[i]
		if !cmd.Flags().Changed(name) {
			return 0, fmt.Errorf("--%s is missing: two command lines are compared, --baseline and --candidate", name)
		}
		c, err := interleave.Parse(line)
		if err != nil {
			return 0, fmt.Errorf("--%s: %w", name, err)
		}
		// Better now than after the first run of the other. A password that is asked for is asked for by the run.
		if words := c.Words(); !slices.Contains(words, "--mysql-password") {
			if err := readable(cmd.Context(), env, words); err != nil {
				return 0, fmt.Errorf("--%s: %w", name, err)
			}
		}
		r.plan.Scenarios = append(r.plan.Scenarios, interleave.Scenario{Name: name, Command: c})
	}
	if f.rounds < 1 || f.rounds > maxRounds {
		return 0, fmt.Errorf("--rounds=%d: from 1 to %d", f.rounds, maxRounds)
	}
	if err := f.readStop(cmd.Flags().Changed("rounds")); err != nil {
		return 0, err
	}
	if f.seed == 0 {
		f.seed = uint64(rand.Uint32()) + 1
	}
	var err error
	if r.plan.Program, err = os.Executable(); err != nil {
		return 0, fmt.Errorf("find this program: %w", err)
	}
	r.plan.Rounds, r.plan.Warmup, r.plan.Seed = f.rounds, f.warmup, f.seed
	if r.keep, err = f.keeper(cmd.Context()); err != nil {
		return 0, f.store.ended(cmd, err)
	}
	defer r.keep.close()
	return r.execute(cmd)
}

func (r *roundRun) say(format string, args ...any) { fmt.Fprintf(r.env.Stderr, format+"\n", args...) }

func (r *roundRun) execute(cmd *cobra.Command) (int, error) {
	ctx := cmd.Context()
	for _, s := range r.plan.Scenarios {
		r.say("%-10s %s", s.Name+":", s.Command)
	}
	rule := fmt.Sprintf("%d rounds", r.plan.Rounds)
	if r.flags.stopping.Until != compare.Fixed {
		rule = fmt.Sprintf("at most %d rounds, until %s", r.plan.Rounds, r.flags.stop)
	}
	r.say("%s; order of runs and their random numbers from --seed=%d", rule, r.flags.seed)
	others, release := hostcost.Neighbours("deltabench compare")
	defer release()
	for _, other := range others {
		r.say("another process measures on this host, and both disturb each other: %s", other)
	}
	err := r.plan.Execute(ctx, func(x interleave.Run) { r.finished(ctx, x) }, r.after)
	switch {
	case ctx.Err() != nil:
		return r.cutShort()
	case err != nil:
		return 0, err
	}
	return r.result()
}

// cutShort is the end after an interrupt: the complete rounds are what is known.
func (r *roundRun) cutShort() (int, error) {
	r.rounds = slices.DeleteFunc(r.rounds, func(x round) bool { return !x.complete() })
	r.say("deltabench compare: interrupted after %d of %d rounds", len(r.rounds), r.plan.Rounds)
	if len(r.rounds) > 0 && r.known() {
		r.stopped = fmt.Sprintf("by hand after %d of %d rounds; who stops when a result looks good finds more than there is (--stop has the price in it)", len(r.rounds), r.plan.Rounds)
		if _, err := r.result(); err != nil {
			return 0, err
		}
	}
	return sysbench.ExitInterrupted, nil
}

func (x *round) complete() bool {
	return (x.runs[0] != nil || x.errs[0] != nil) && (x.runs[1] != nil || x.errs[1] != nil)
}

// known reports whether both sides have measured something.
func (r *roundRun) known() bool {
	var have [2]bool
	for _, x := range r.rounds {
		for i := range have {
			have[i] = have[i] || usable(x.runs[i])
		}
	}
	return have[0] && have[1]
}

// finished takes a run.
func (r *roundRun) finished(ctx context.Context, x interleave.Run) {
	name := r.plan.Scenarios[x.Scenario].Name
	if x.Err != nil && r.first[x.Scenario] == "" {
		r.first[x.Scenario] = x.Err.Error()
	}
	if x.Round == 0 {
		if x.Err != nil {
			r.say("warm-up round: %s failed: %s", name, x.Err)
		}
		return
	}
	if n := len(r.rounds); n == 0 || r.rounds[n-1].number != x.Round {
		r.rounds = append(r.rounds, round{number: x.Round})
	}
	now := &r.rounds[len(r.rounds)-1]
	now.order[x.Scenario], now.errs[x.Scenario] = x.Position, x.Err
	if x.Document != nil {
		run := sample.FromDocument(fmt.Sprintf("%s, round %d", name, x.Round), x.Document)
		if x.Err != nil && run.Failed == "" {
			run.Failed = x.Err.Error()
		}
		now.runs[x.Scenario] = run
		r.keep.record(ctx, r, x)
	}
}

// after tells what a round has brought, and whether it was the last one.
func (r *roundRun) after(n int) bool {
	now := &r.rounds[len(r.rounds)-1]
	line := fmt.Sprintf("round %*d of %d  ", len(fmt.Sprint(r.plan.Rounds)), n, r.plan.Rounds)
	r.tellDifferences(now)
	for i, s := range r.plan.Scenarios {
		if now.errs[i] != nil {
			r.say("%s%s failed: %s", line, s.Name, now.errs[i])
		}
	}
	// What fails twice from the start fails for ever.
	if n == 2 || n == r.plan.Rounds {
		for i := range r.plan.Scenarios {
			if !slices.ContainsFunc(r.rounds, func(x round) bool { return usable(x.runs[i]) }) {
				return true
			}
		}
	}
	if !r.known() {
		return false
	}
	c := r.comparing()
	metrics, err := c.metrics()
	if err != nil {
		return false // the end says so
	}
	m := metrics[0]
	plan, rows := c.plan(m, false, []int{0})
	row, err := compare.NewRow(rows[0].Scenario, rows[0].Name, rows[0].Baseline, rows[0].Values)
	if err != nil {
		return false
	}
	row.Events = rows[0].Events
	if usable(now.runs[0]) && usable(now.runs[1]) {
		a, _ := now.runs[0].Value(m)
		b, _ := now.runs[1].Value(m)
		first := r.plan.Scenarios[0].Name
		if now.order[1] == 1 {
			first = r.plan.Scenarios[1].Name
		}
		r.say("%s%s %s, %s %s; %s [%s], %s first%s", line, baselineName, figure(a.V), candidateName, figure(b.V), m.Label, m.Unit, first, r.sofar(plan, row, n))
	}
	if r.flags.stopping.Until == compare.Fixed {
		return false
	}
	done, why, err := r.flags.stopping.Done(plan, []compare.Row{row})
	if err == nil && done {
		r.stopped = why
	}
	return err == nil && done
}

// sofar is the estimate after some rounds, and how long the rest takes.
func (r *roundRun) sofar(p compare.Plan, row compare.Row, n int) string {
	text := ""
	if cs, err := p.Judge([]compare.Row{row}); err == nil && cs[0].HasInterval {
		e, low, high := cs[0].Percent()
		text = fmt.Sprintf("; so far %+.1f %% [%+.1f, %+.1f]", e, low, high)
	}
	if left := r.plan.Rounds - n; left > 0 {
		each := time.Since(r.begin) / time.Duration(n)
		text += fmt.Sprintf("; %v left", (each * time.Duration(left)).Round(time.Second))
	}
	return text
}

// figure is a value with four digits or so.
func figure(v float64) string {
	switch {
	case v >= 1000:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.4g", v)
}

// tellDifferences says once, after the first complete round, in what the two sides differ.
func (r *roundRun) tellDifferences(now *round) {
	if r.told || !usable(now.runs[0]) || !usable(now.runs[1]) {
		return
	}
	r.told = true
	for _, d := range sample.Unlike(now.runs[:1], now.runs[1:]).Differences {
		if d.Refused {
			r.say("the runs are not alike, see whether that is meant: %s (baseline | candidate)", d)
		}
	}
}

// comparing is what the statistics get.
func (r *roundRun) comparing() *comparing {
	c := &comparing{flags: r.flags, names: [2]string{baselineName, candidateName}, paired: true, starts: compare.SameStart}
	var cell comparingCell
	var sides [2][]*sample.Run
	for _, x := range r.rounds {
		for i := range sides {
			sides[i] = append(sides[i], x.runs[i])
			if x.runs[i] != nil {
				cell.cell = x.runs[i].Cell()
			}
		}
	}
	cell.runs = sides
	c.cells = []comparingCell{cell}
	some := cell.all()
	switch {
	case len(some) > 0 && !some[0].SQL:
		c.starts = compare.OwnStart // there is no server
	case !slices.ContainsFunc(some, func(x *sample.Run) bool { return !x.OwnServer }):
		c.starts = compare.OwnStart
	case !sameServer(some) && !r.flags.assumeStarts:
		c.starts = compare.OneStartEach
	}
	return c
}

// sameServer reports whether all runs went to one server.
func sameServer(runs []*sample.Run) bool {
	return !slices.ContainsFunc(runs, func(x *sample.Run) bool { return x.Server() != runs[0].Server() })
}

// result prints the table.
func (r *roundRun) result() (int, error) {
	if !r.known() {
		return 0, r.nothing()
	}
	c := r.comparing()
	for i := range r.plan.Scenarios {
		only, other := interleave.Differences(r.plan.Scenarios[i].Command, r.plan.Scenarios[1-i].Command)
		if len(only) > 0 || i == 1 && len(other) == 0 {
			c.before = append(c.before, fmt.Sprintf("%s: %s", c.names[i], orNothing(only)))
		}
	}
	good := func(i int) []*sample.Run {
		return slices.DeleteFunc(slices.Clone(c.cells[0].runs[i]), func(x *sample.Run) bool { return !usable(x) })
	}
	c.before = append(c.before, differing(sample.Unlike(good(0), good(1)).Differences)...)
	for _, x := range r.rounds {
		for i, err := range x.errs {
			if err != nil {
				c.notes = append(c.notes, fmt.Sprintf("round %d is left out: %s failed: %s", x.number, c.names[i], err))
			}
		}
	}
	if r.flags.assumeStarts && !sameServer(c.all()) {
		c.notes = append(c.notes, "two servers, started once each: assumes that starts of a server do not differ (--assume-starts-alike)")
	}
	if r.stopped != "" {
		c.notes = append(c.notes, "stopped: "+r.stopped)
	}
	c.notes = append(c.notes, fmt.Sprintf("order of runs and their random numbers: --seed=%d", r.flags.seed))
	if id := r.keep.name(); id != "" {
		c.notes = append(c.notes, fmt.Sprintf("runs are recorded with the tag compare=%s", id))
	}
	t, worse, err := c.judge()
	if err != nil {
		return 0, err
	}
	return r.flags.end(t, worse)
}

func orNothing(list []string) string {
	if len(list) == 0 {
		return "the same command line as the baseline's"
	}
	return strings.Join(list, " ")
}

// nothing is the error when a side has not one run.
func (r *roundRun) nothing() error {
	switch a, b := r.first[0], r.first[1]; {
	case a == b:
		return fmt.Errorf("every run failed: %s", a)
	case a == "":
		return fmt.Errorf("every run of the candidate failed: %s", b)
	case b == "":
		return fmt.Errorf("every run of the baseline failed: %s", a)
	default:
		return fmt.Errorf("every run failed; baseline: %s; candidate: %s", a, b)
	}
}

// keeper records the runs.
type keeper struct {
	store *store.Store // nil: they are not recorded
	id    string       // tag of all runs of this comparison
	n     int
}

// keeper opens the store. Only a store that the command line names must be usable.
func (f *compareFlags) keeper(ctx context.Context) (*keeper, error) {
	k := &keeper{id: time.Now().UTC().Format("20060102-150405") + fmt.Sprintf("-%04x", rand.Uint32()&0xffff)}
	if f.noRecord {
		return k, nil
	}
	path, err := f.store.file, error(nil)
	if path == "" {
		path, err = store.DefaultPath(f.store.env.Getenv)
	}
	if err == nil && path == store.None {
		return k, nil
	}
	if err == nil {
		k.store, err = store.Open(ctx, path, store.ReadWrite)
	}
	if err != nil && f.store.file == "" {
		fmt.Fprintf(f.store.env.Stderr, "deltabench compare: runs are not recorded: %s\n", err)
		return &keeper{}, nil
	}
	return k, err
}

func (k *keeper) close() {
	if k.store != nil {
		k.store.Close()
	}
}

// name is the tag's value of the recorded runs; empty without any.
func (k *keeper) name() string {
	if k.n == 0 {
		return ""
	}
	return k.id
}

// record keeps a run. After a failure none is tried again.
func (k *keeper) record(ctx context.Context, r *roundRun, x interleave.Run) {
	if k.store == nil {
		return
	}
	tags := map[string]string{"compare": k.id, "scenario": r.plan.Scenarios[x.Scenario].Name, "round": fmt.Sprint(x.Round)}
	if _, err := k.store.Record(ctx, store.Recorded{Document: x.Document, Tags: tags}); err != nil {
		if !errors.Is(err, context.Canceled) {
			r.say("deltabench compare: runs are not recorded any more: %s", err)
		}
		k.store.Close()
		k.store = nil
		return
	}
	k.n++
}
