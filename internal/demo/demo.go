// Package demo is a small comparison from beginning to end, for people who have a minute: it loads a few rows, measures
// two scenarios in interleaved rounds, and prints a table with intervals and what may be said of it.
//
// It is honest about its size: one server start, five rounds, one table.
package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"deltabench/internal/compare"
	"deltabench/internal/engine"
	"deltabench/internal/option"
	"deltabench/internal/random"
	"deltabench/internal/sqldb"
	"deltabench/internal/sqldb/mysql"
	"deltabench/internal/textlog"
	"deltabench/internal/workload"
)

// Server is where the demo runs. It holds no data that the demo could lose.
type Server struct {
	Host, User, Password, DB string
	Port                     int
	Name                     string // as reports call it
}

// Options say how long and how wide the demo is.
type Options struct {
	Out     io.Writer
	Server  Server
	Test    workload.Test // the workload, one of oltp's
	Rounds  int
	Threads []int
	Rows    int
	Run     time.Duration // measured time of a run
	Warmup  time.Duration // before each run, not measured
	Seed    uint64        // of orders and of the workload's random numbers
	Margin  float64       // change in percent that matters
}

// scenario is one side of the comparison.
type scenario struct {
	name    string
	emulate bool
}

// The baseline comes first.
var scenarios = []scenario{{"prepared", false}, {"text", true}}

// Run executes the demo and prints it. It ends early with an error when ctx ends.
func Run(ctx context.Context, o Options) error {
	d := &demo{Options: o, begin: time.Now(), rates: map[cell][]float64{}}
	return d.run(ctx)
}

// cell is a scenario at a number of threads.
type cell struct {
	scenario string
	threads  int
}

type demo struct {
	Options
	begin time.Time
	rates map[cell][]float64 // events per second, by round
}

func (d *demo) run(ctx context.Context) error {
	specs := d.Test.Options()
	set := option.NewSet(specs...)
	set.SetText("table-size", fmt.Sprint(d.Rows))
	values, err := workload.ValuesOf(set, specs)
	if err != nil {
		return err
	}
	d.print("What is asked: are prepared statements faster than text for single-row reads?\n")
	d.print("Server: %s.\n\n", d.Server.Name)
	d.print("Loading %d rows ... ", d.Rows)
	start := time.Now()
	if err := d.load(ctx, values); err != nil {
		d.print("\n")
		return fmt.Errorf("load: %w", err)
	}
	d.print("done in %.1f s.\n", time.Since(start).Seconds())
	d.print("Measuring %s at %s threads, %d rounds; in each round every pair of runs in a random order.\n\n",
		d.Test.Name(), join(d.Threads), d.Rounds)
	d.print("Events/s, prepared / text:\n%-*s%s\n", d.firstColumn(), "", columns(d.Threads))
	order := rand.New(rand.NewPCG(d.Seed, 0))
	for r := range d.Rounds {
		if err := d.round(ctx, r, values, order); err != nil {
			return err
		}
	}
	return d.table()
}

func (d *demo) print(format string, args ...any) { fmt.Fprintf(d.Out, format, args...) }

func join(n []int) string {
	words := make([]string, len(n))
	for i, v := range n {
		words[i] = fmt.Sprint(v)
	}
	return strings.Join(words, ", ")
}

// otherColumn is the width of the columns of rates in the table of rounds: two of up to 999999. Rounds are printed while they
// run, so that it cannot be that of what will come; whatever that is, a blank is before it.
const otherColumn = 15

// roundCell is a cell of the table of rounds.
func roundCell(base, other float64) string {
	return fmt.Sprintf(" %*s", otherColumn, fmt.Sprintf("%.0f / %.0f", base, other))
}

// roundName is the first column of the table of rounds.
func (d *demo) roundName(r int) string { return fmt.Sprintf("round %d of %d", r+1, d.Rounds) }

// firstColumn is the width of the first column.
func (d *demo) firstColumn() int { return len(d.roundName(d.Rounds-1)) + 1 }

func columns(threads []int) string {
	var b strings.Builder
	for _, t := range threads {
		word := "threads"
		if t == 1 {
			word = "thread"
		}
		fmt.Fprintf(&b, " %*s", otherColumn, fmt.Sprintf("%d %s", t, word))
	}
	return b.String()
}

// load creates the table.
func (d *demo) load(ctx context.Context, values workload.Values) error {
	i := slices.IndexFunc(d.Test.Commands(), func(c workload.Command) bool { return c.Name == "prepare" })
	if i < 0 {
		return errors.New("the test has no command prepare")
	}
	setup, err := d.setup(ctx, 1, values, scenarios[0], 0)
	if err != nil {
		return err
	}
	return d.Test.Commands()[i].Do(setup, workload.ThreadContext{Threads: 1, Rand: setup.Random.Main(), Env: sqldb.Blocking{Ctx: ctx}})
}

// setup is that of one run or command. Both scenarios of a round draw the same random numbers.
func (d *demo) setup(ctx context.Context, threads int, values workload.Values, s scenario, round int) (workload.Setup, error) {
	driver, err := mysql.New(ctx, mysql.Config{
		Hosts: []string{d.Server.Host}, Ports: []int{d.Server.Port}, User: d.Server.User, Password: option.Secret(d.Server.Password),
		DB: d.Server.DB, PSEmulate: s.emulate, IgnoreErrors: mysql.DefaultIgnoreErrors,
	})
	if err != nil {
		return workload.Setup{}, err
	}
	config := random.DefaultConfig()
	config.Type = "uniform"
	dist, err := random.New(config)
	if err != nil {
		return workload.Setup{}, err
	}
	process := random.NewProcess()
	process.Seed(uint32(d.Seed) + uint32(round))
	return workload.Setup{
		Options: values, Threads: threads, Log: textlog.New(io.Discard, textlog.Fatal), Random: process, Dist: dist, Driver: driver,
	}, nil
}

// round measures every scenario once at every number of threads.
func (d *demo) round(ctx context.Context, r int, values workload.Values, order *rand.Rand) error {
	d.print("%-*s", d.firstColumn(), d.roundName(r))
	for _, threads := range d.Threads {
		shuffled := slices.Clone(scenarios)
		order.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		rates := map[string]float64{}
		for _, s := range shuffled {
			rate, err := d.measure(ctx, threads, values, s, r)
			if err != nil {
				d.print("\n")
				return fmt.Errorf("round %d, %s, --threads=%d: %w", r+1, s.name, threads, err)
			}
			rates[s.name] = rate
			key := cell{s.name, threads}
			d.rates[key] = append(d.rates[key], rate)
		}
		d.print("%s", roundCell(rates[scenarios[0].name], rates[scenarios[1].name]))
	}
	d.print("\n")
	return nil
}

// measure executes one run and returns events per second.
func (d *demo) measure(ctx context.Context, threads int, values workload.Values, s scenario, round int) (float64, error) {
	setup, err := d.setup(ctx, threads, values, s, round)
	if err != nil {
		return 0, err
	}
	run, err := d.Test.NewRun(setup)
	if err != nil {
		return 0, err
	}
	seen := &firstError{}
	res, err := engine.Run(ctx, engine.Config{
		Threads: threads, PerThread: -1, Time: d.Run, Warmup: d.Warmup, Grace: engine.DefaultGrace, ExtraDraw: true, Random: setup.Random,
	}, run, seen)
	switch {
	case seen.err != nil:
		return 0, reason(seen.err)
	case err != nil:
		return 0, err
	case res.EndedBy == engine.Interrupted:
		return 0, context.Cause(ctx)
	case res.Forced:
		return 0, errors.New("the server did not answer in time")
	case res.Events == 0:
		return 0, errors.New("no event ended")
	}
	return float64(res.Events) / res.SinceReset.Seconds(), nil
}

// reason is the server's error in the chain of err, if there is one: the outer ones speak sysbench's language.
func reason(err error) error {
	if e, ok := errors.AsType[*sqldb.Error](err); ok {
		return e
	}
	return err
}

// firstError is an observer that keeps the first error of a thread.
type firstError struct{ err error }

func (*firstError) Started()                 {}
func (*firstError) WarmedUp()                {}
func (*firstError) Interval(engine.Interval) {}
func (*firstError) Checkpoint(engine.Report) {}

// ThreadError keeps the first error. Threads of an event loop call it one after the other.
func (f *firstError) ThreadError(_ int, _ engine.Phase, err error) {
	if f.err == nil {
		f.err = err
	}
}

// row is a line of the result.
type row struct {
	threads int
	compare.Comparison
}

// table prints the result and what it is worth.
func (d *demo) table() error {
	rows, notes, err := d.rows()
	if err != nil {
		return err
	}
	d.print("\n%s against %s (baseline), %s, %d rows in 1 table, %s\n\n", scenarios[1].name, scenarios[0].name, d.Test.Name(), d.Rows, d.Server.Name)
	const changeHead = "change of events/s [95 % interval]"
	d.print("%8s %14s %12s   %s\n", "threads", "prepared /s", "text /s", changeHead)
	changes, wide := make([]string, len(rows)), 0
	for i, r := range rows {
		if r.HasInterval {
			estimate, low, high := r.Percent()
			changes[i] = fmt.Sprintf("%+7.1f %% [%+.1f, %+.1f]", estimate, low, high)
			wide = max(wide, len(changes[i]))
		}
	}
	for i, r := range rows {
		d.print("%8d %14.0f %12.0f   ", r.threads, r.Baseline, r.Value)
		if !r.HasInterval {
			d.print("%s\n", r.Reason)
			continue
		}
		d.print("%-*s  n=%d  %s\n", wide, changes[i], r.N, r.Verdict)
	}
	d.print("\n%s\n", conclusion(rows))
	for _, note := range notes {
		d.print("Note: %s.\n", note.Text)
	}
	d.print("\nHow to read it: each change is the geometric mean of the ratios within %d rounds; the interval is Student's t on\n", d.Rounds)
	d.print("their logarithms. better/worse: beyond chance among all %d comparisons (%s) and at least %g %%; equivalent: the whole\n", len(rows), rows[0].Method, d.Margin)
	d.print("interval is within ±%g %%; undecided: more rounds are needed.\n", d.Margin)
	d.print("\nWhat it is not: a benchmark of MySQL. The server is embedded, for seeing and for tests; it was started once, so n\n")
	d.print("says nothing about other starts; client and server shared this machine. It took %.0f s.\n", time.Since(d.begin).Seconds())
	return nil
}

// rows judges all numbers of threads together.
func (d *demo) rows() ([]row, []compare.Warning, error) {
	plan := compare.Plan{Metric: "events/s", Margin: d.Margin, Scenarios: len(scenarios), Rounds: d.Rounds}
	var family []compare.Row
	for _, threads := range d.Threads {
		r, err := compare.NewRow(scenarios[1].name, fmt.Sprint(threads), d.rates[cell{scenarios[0].name, threads}], d.rates[cell{scenarios[1].name, threads}])
		if err != nil {
			return nil, nil, err
		}
		family = append(family, r)
	}
	all, err := plan.Judge(family)
	if err != nil {
		return nil, nil, err
	}
	rows := make([]row, len(all))
	for i, c := range all {
		rows[i] = row{d.Threads[i], c}
	}
	return rows, plan.Notes(all), nil
}

// conclusion is the answer in a sentence.
func conclusion(rows []row) string {
	by := map[compare.Verdict][]string{}
	for _, r := range rows {
		by[r.Verdict] = append(by[r.Verdict], fmt.Sprint(r.threads))
	}
	var parts []string
	for _, v := range []compare.Verdict{compare.Worse, compare.Better, compare.Equivalent, compare.Undecided, compare.Preliminary} {
		if len(by[v]) > 0 {
			parts = append(parts, fmt.Sprintf("%s at %s", v, strings.Join(by[v], ", ")))
		}
	}
	if len(parts) == 0 {
		return "No comparison was possible."
	}
	text := "Text statements instead of prepared ones: " + strings.Join(parts, "; ") + " threads."
	if len(by[compare.Undecided])+len(by[compare.Preliminary]) > 0 {
		text += "\nMore rounds narrow the intervals: deltabench demo --rounds=12"
	}
	return text
}
