package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"deltabench/internal/compare"
	"deltabench/internal/report"
	"deltabench/internal/sample"
	"deltabench/internal/sysbench"
	"deltabench/internal/table"
)

// compareFlags are the options of compare.
type compareFlags struct {
	store storeFlag

	metrics []string
	margin  float64
	format  string
	out     string
	failOn  string

	// Recorded runs and files.
	force         bool
	allow         []string
	assumeNoDrift bool

	// Rounds.
	baseline, candidate string
	rounds              int
	seed                uint64
	warmup              bool
	stop                string
	noRecord            bool
	assumeStarts        bool

	metricList []sample.Metric
	tableForm  table.Format // on standard output
	fileForm   table.Format
	stopping   compare.Stopping
}

// Defaults of rounds: the specification of statistics, sections 1 and 7.
const (
	defaultRounds    = 8
	defaultMaxRounds = 20
	maxRounds        = 1000
)

// roundFlags and runFlags are the options of one form only.
var (
	roundFlags = []string{"baseline", "candidate", "rounds", "seed", "warmup-round", "stop", "until", "no-record", "assume-starts-alike"}
	runFlags   = []string{"force", "allow", "assume-no-drift"}
)

// typographicDashes are what word processors make of hyphens.
const typographicDashes = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"

func newCompare(env Env) *cobra.Command {
	f := &compareFlags{store: storeFlag{env: env}}
	cmd := &cobra.Command{
		Use:   "compare {A... -- B... | --rounds N --baseline CMD --candidate CMD}",
		Short: "Say whether a change made a difference, and how sure that is",
		Long: `Compare runs, in one of two ways.

  deltabench compare --rounds 8 --baseline 'oltp_read_only --db-ps-mode=disable --time=30 run' \
                                --candidate 'oltp_read_only --time=30 run'

executes two command lines alternately, in a random order in every round, and compares the rounds. This is the way
to an answer: what changes on the machine meanwhile is the same for both. Each CMD is a command line of deltabench
or sysbench, with or without that word in front.

  deltabench compare scenario=old -- scenario=new
  deltabench compare 17-24 -- 25-32
  deltabench compare before*.txt -- after*.txt

compares runs that are there: recorded ones by number, range or tag, JSON reports (--report=json), exports, or the text
that sysbench or deltabench printed. Such runs were not interleaved, so the verdict stays undecided unless
--assume-no-drift is given. Runs that are not alike (workload, tables, rows, threads, transport, tool, …) are
refused; each difference is listed.

Verdicts: better, worse, equivalent (the change is within the margin), undecided. 5 rounds or runs a side are the least.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			code, err := f.run(cmd, args)
			if err != nil {
				return err
			}
			return ended(code)
		},
	}
	o := cmd.Flags()
	o.StringSliceVar(&f.metrics, "metric", nil, "what is compared, the primary one first: "+sample.MetricNames+"; by default throughput (latency under --rate), with a tail and CPU as secondary ones")
	o.Float64Var(&f.margin, "margin", 0, "change of the primary metric in percent that matters (default 2, for percentiles from p90 on 10)")
	o.StringVar(&f.format, "format", "", "format of the table {"+strings.Join(table.FormatNames(), ",")+"}")
	o.StringVar(&f.out, "out", "", "write the table to this file, too; its name's end decides the format (.md, .csv, .json, .txt, .bench), else --format")
	o.StringVar(&f.failOn, "fail-on", "", "worse: end with code 7 when a primary comparison is worse")
	o.BoolVar(&f.force, "force", false, "compare runs that are not alike")
	o.StringSliceVar(&f.allow, "allow", nil, "differences that are what is compared {"+strings.Join(sample.Allowable(), ",")+"}; several with commas")
	o.BoolVar(&f.assumeNoDrift, "assume-no-drift", false, "judge runs that were not interleaved, as if the machine had not changed between them")
	o.StringVar(&f.baseline, "baseline", "", "command line of the runs that the others are compared with")
	o.StringVar(&f.candidate, "candidate", "", "command line of the runs with the change")
	o.IntVar(&f.rounds, "rounds", defaultRounds, "rounds, each with one run of either command line; with --stop the most there are (then 20)")
	o.Uint64Var(&f.seed, "seed", 0, "seed of the order within rounds and of --rand-seed of the runs; 0: a new one, which is printed")
	o.BoolVar(&f.warmup, "warmup-round", false, "execute a round before the first one, which counts for nothing")
	o.StringVar(&f.stop, "stop", "", "end early {precision=1%,decided}: when the interval is narrow enough, or when there is a verdict; intervals are wider then")
	o.StringVar(&f.stop, "until", "", "the same as --stop")
	o.BoolVar(&f.noRecord, "no-record", false, "do not record the runs")
	o.BoolVar(&f.assumeStarts, "assume-starts-alike", false, "judge command lines that go to two servers, as if starts of a server never differed")
	o.StringVar(&f.store.file, "store", "", "file of the store; else DELTABENCH_STORE, or runs.db where this user's data is")
	return cmd
}

// run is the command.
func (f *compareFlags) run(cmd *cobra.Command, args []string) (int, error) {
	dash := cmd.ArgsLenAtDash()
	if dash >= 0 { // options behind the second side are options as well
		sides := slices.Clone(args)
		if slices.Contains(sides[dash:], "--") {
			return 0, errors.New("-- is there twice: two sides are compared, A -- B")
		}
		if err := cmd.Flags().Parse(sides[dash:]); err != nil {
			return 0, err
		}
		args = append(sides[:dash:dash], cmd.Flags().Args()...)
	}
	for _, arg := range args {
		if strings.Trim(arg, typographicDashes) == "" && arg != "" {
			return 0, fmt.Errorf("'%s' is a typographic dash; write -- between the two sides", arg)
		}
		if rest := strings.TrimLeft(arg, typographicDashes); rest != arg {
			return 0, fmt.Errorf("%s starts with a typographic dash; write --%s", arg, rest)
		}
	}
	given := func(names []string) string {
		for _, name := range names {
			if cmd.Flags().Changed(name) {
				return name
			}
		}
		return ""
	}
	if err := f.check(cmd); err != nil {
		return 0, err
	}
	rounds, runs := given(roundFlags), given(runFlags)
	switch {
	case rounds != "" && len(args) > 0:
		return 0, fmt.Errorf("--%s is for command lines, and '%s' names runs: compare either command lines or runs that are there", rounds, args[0])
	case rounds != "" && runs != "":
		return 0, fmt.Errorf("--%s is for command lines, and --%s for runs that are there", rounds, runs)
	case rounds != "":
		return f.compareRounds(cmd)
	case len(args) == 0:
		return 0, errors.New("nothing to compare; as in 'deltabench compare scenario=old -- scenario=new' or 'deltabench compare --baseline CMD --candidate CMD'; see 'deltabench compare --help'")
	case dash < 0:
		return 0, fmt.Errorf("the two sides are separated by --, as in 'deltabench compare %s -- B'", strings.Join(args, " "))
	case dash == 0:
		return 0, errors.New("there is nothing before --: the baseline is missing, as in 'deltabench compare A... -- B...'")
	case len(args) == dash:
		return 0, errors.New("there is nothing behind --: the candidate is missing, as in 'deltabench compare A... -- B...'")
	}
	return f.compareRuns(cmd, args[:dash], args[dash:])
}

// check reads the options that both forms share.
func (f *compareFlags) check(cmd *cobra.Command) error {
	for _, name := range f.metrics {
		m, err := sample.ParseMetric(name)
		if err != nil {
			return fmt.Errorf("--metric: %w", err)
		}
		if slices.Contains(f.metricList, m) {
			return fmt.Errorf("--metric: %s is there twice", m.Name)
		}
		f.metricList = append(f.metricList, m)
	}
	for _, name := range f.allow {
		if !slices.Contains(sample.Allowable(), name) {
			return fmt.Errorf("--allow: there is no '%s'; there are %s", name, strings.Join(sample.Allowable(), ", "))
		}
	}
	switch {
	case f.margin < 0 || f.margin > 1000 || f.margin != f.margin || f.margin == 0 && cmd.Flags().Changed("margin"):
		return fmt.Errorf("--margin=%g: percent above 0, up to 1000, are needed", f.margin)
	case f.failOn != "" && f.failOn != "worse":
		return fmt.Errorf("--fail-on=%s: there is only --fail-on=worse", f.failOn)
	}
	if f.format != "" {
		var err error
		if f.tableForm, err = table.ParseFormat(f.format); err != nil {
			return fmt.Errorf("--format: %w", err)
		}
	}
	f.fileForm = f.tableForm
	if f.out == "" {
		return nil
	}
	ends := map[string]table.Format{".md": table.Markdown, ".csv": table.CSV, ".json": table.JSON, ".txt": table.Terminal, ".bench": table.Bench}
	form, ok := ends[strings.ToLower(filepath.Ext(f.out))]
	switch {
	case ok:
		f.fileForm = form
	case f.format == "":
		return fmt.Errorf("--out=%s: the format is not clear from the name (.md, .csv, .json, .txt, .bench); give --format", f.out)
	}
	return probe("out", f.out)
}

// readStop reads --stop.
func (f *compareFlags) readStop(roundsGiven bool) error {
	s := compare.Stopping{MaxRounds: f.rounds}
	if f.stop != "" && !roundsGiven {
		s.MaxRounds, f.rounds = defaultMaxRounds, defaultMaxRounds
	}
	value, precision := strings.CutPrefix(f.stop, "precision=")
	switch {
	case f.stop == "":
	case f.stop == "decided":
		s.Until = compare.Settled
	case precision:
		p, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(value, "%")), 64)
		if err != nil || p <= 0 || p > 100 {
			return fmt.Errorf("--stop=%s: a width in percent is needed, as in --stop=precision=1%%", f.stop)
		}
		s.Until, s.Percent = compare.Precise, p
	default:
		return fmt.Errorf("--stop=%s: there are precision=1%% and decided", f.stop)
	}
	if err := s.Validate(); err != nil {
		return fmt.Errorf("--stop=%s: %w", f.stop, err)
	}
	f.stopping = s
	return nil
}

// fileWidth is the width of tables for people in files.
const fileWidth = 120

// write prints a table and writes it to the file.
func (f *compareFlags) write(t *table.Comparisons) (int, error) {
	env := f.store.env
	if f.out != "" {
		var b strings.Builder
		if err := t.Write(&b, f.fileForm, table.List, table.Style{Width: fileWidth}); err != nil {
			return 0, err
		}
		if err := report.WriteFile(f.out, []byte(b.String())); err != nil {
			fmt.Fprintf(env.Stderr, "deltabench compare: write %s: %s\n", f.out, err)
			return sysbench.ExitOutput, nil
		}
	}
	if err := t.Write(env.Stdout, f.tableForm, table.List, table.StyleOf(env.Stdout, env.Getenv)); err != nil {
		return 0, err
	}
	return sysbench.ExitOK, nil
}

// end prints the table and returns the exit code of a comparison that was made.
func (f *compareFlags) end(t *table.Comparisons, worse bool) (int, error) {
	code, err := f.write(t)
	if err == nil && code == sysbench.ExitOK && worse && f.failOn != "" {
		fmt.Fprintf(f.store.env.Stderr, "deltabench compare: worse: exit code %d (--fail-on=worse)\n", sysbench.ExitWorse)
		return sysbench.ExitWorse, nil
	}
	return code, err
}
