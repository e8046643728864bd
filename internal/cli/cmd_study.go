package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"deltabench/internal/child"
	"deltabench/internal/conduct"
	"deltabench/internal/store"
	"deltabench/internal/study"
	"deltabench/internal/sysbench"
	"deltabench/studies"
)

// newStudy returns the commands about studies.
func newStudy(env Env) *cobra.Command {
	f := &storeFlag{env: env}
	cmd := &cobra.Command{
		Use:   "study",
		Short: "Compare configurations of servers in interleaved rounds: from a question to a verdict",
		Long: `A study compares scenarios (server options, SQL, sessions, options of the run, servers) over workloads and numbers of
threads, in interleaved rounds against a baseline, and says with intervals what changed. A file describes it:

  deltabench study init my.yaml       a file to start from
  deltabench study plan my.yaml       what would be done, in which order, for how long; touches no server
  deltabench study run my.yaml        do it: progress, tables, and one HTML file
  deltabench study resume             go on after an interrupt or a crash
  deltabench study show               the results again

docs/studies.md explains every key of the file; studies/ has ready ones.`,
		Args: subcommands("study", studyCommands),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.PersistentFlags().StringVar(&f.file, "store", "", "file of the store; else DELTABENCH_STORE, or runs.db where this user's data is")
	cmd.AddCommand(newStudyInit(f), newStudyCheck(env), newStudyPlan(env), newStudyRun(f), newStudyResume(f),
		newStudyList(f), newStudyShow(f), newStudyExport(f), newStudyDelete(f))
	return cmd
}

const studyCommands = "init, check, plan, run, resume, list, show, export, delete"

// planFlags are the options that change what a study file says.
type planFlags struct {
	sets   []string
	quick  bool
	full   bool
	seed   uint64
	rounds int
}

func (p *planFlags) options(cmd *cobra.Command) {
	o := cmd.Flags()
	o.StringArrayVar(&p.sets, "set", nil, "replace a value of the file, as in --set threads=1,8,64 --set time=10s --set data.table_size=1000")
	o.BoolVar(&p.quick, "quick", false, "the file's small version: for seeing, not for answers")
	o.BoolVar(&p.full, "full", false, "the file's large version, as the published studies were")
	o.Uint64Var(&p.seed, "seed", 0, "seed of orders and random numbers; 0: that of the file, or a new one, which is kept")
	o.IntVar(&p.rounds, "rounds", 0, "rounds; 0: those of the file")
}

// read makes a plan of a file.
func (p *planFlags) read(env Env, path string) (*study.Plan, error) {
	if p.rounds < 0 || p.rounds > maxRounds {
		return nil, fmt.Errorf("--rounds=%d: from 1 to %d", p.rounds, maxRounds)
	}
	return study.Read(path, study.ReadOptions{Sets: p.sets, Quick: p.quick, Full: p.full, Getenv: env.Getenv, Seed: p.seed, Rounds: p.rounds})
}

// conductFlags are the options of executing a study.
type conductFlags struct {
	workDir string
	keep    bool
	yes     bool
	plain   bool
	brief   bool // the answer and a table only
	html    string
	out     string
	show    showFlags
}

func (c *conductFlags) options(cmd *cobra.Command) {
	o := cmd.Flags()
	o.StringVar(&c.workDir, "work-dir", "", "directory for data of managed servers; the default is below this user's cache. It needs twice the size of the data")
	o.BoolVar(&c.keep, "keep", false, "keep the data of managed servers when the study has ended")
	o.BoolVar(&c.yes, "yes", false, "measure a server although it looks as if somebody works with it")
	o.BoolVar(&c.plain, "plain", false, "progress as lines, also on a terminal")
	o.StringVar(&c.html, "html", "", "file of the HTML report; the default is NAME.html in this directory, none: no HTML")
	o.StringVar(&c.out, "out", "", "write the results to this file, too; its name's end decides the format (.md, .csv, .json, .txt, .bench, .html; .jsonl: the runs, .yaml: the study file)")
	c.show.options(cmd)
}

// defaultWorkDir is where managed servers have their data.
func (c *conductFlags) dir() (string, error) {
	if c.workDir != "" {
		return filepath.Abs(c.workDir)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", errors.New("neither HOME nor XDG_CACHE_HOME is set: name a directory for servers' data with --work-dir=DIR")
	}
	return filepath.Join(cache, "deltabench", "studies"), nil
}

func newStudyInit(f *storeFlag) *cobra.Command {
	kind, example, force := "managed", "", false
	var runs []string
	cmd := &cobra.Command{
		Use:   "init [FILE] [--target KIND | --example NAME | --from-runs RUN,...]",
		Short: "Write a study file to start from",
		Long: `Writes a study file with comments, to be changed; without FILE to standard output.

--from-runs makes the file of recorded runs ('deltabench runs list' has their numbers): what all of them have in common
becomes the study's data and workload, in what they differ its scenarios.`,
		Args: atMostOne("the file to write"),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := study.Initial(kind)
			if len(runs) > 0 {
				if cmd.Flags().Changed("target") {
					return errors.New("--target and --from-runs exclude each other: the runs say where they went")
				}
				text, err = f.studyOfRuns(cmd, runs)
			}
			if example != "" {
				if cmd.Flags().Changed("target") || len(runs) > 0 {
					return errors.New("--example excludes --target and --from-runs: an example says where it runs")
				}
				text, err = studies.Text(example)
			}
			if err != nil {
				return err
			}
			if len(args) == 0 {
				fmt.Fprint(f.env.Stdout, text)
				return nil
			}
			return writeNew(f.env, args[0], text, force)
		},
	}
	cmd.Flags().StringVar(&kind, "target", kind, "where it runs {managed,external,embedded}")
	cmd.Flags().StringVar(&example, "example", "", "one of the studies that come with deltabench {"+strings.Join(studies.Names(), ",")+"}")
	cmd.Flags().StringSliceVar(&runs, "from-runs", nil, "numbers of recorded runs to make it from")
	cmd.Flags().BoolVar(&force, "force", false, "replace a file that is there")
	return cmd
}

// writeNew writes a file that must not exist, unless forced.
func writeNew(env Env, path, text string, force bool) error {
	flags := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if force {
		flags = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	out, err := os.OpenFile(path, flags, 0o644)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%s is there already: choose another name, or --force to replace it", path)
	}
	if err == nil {
		_, err = out.WriteString(text)
		err = errors.Join(err, out.Close())
	}
	if err != nil {
		fmt.Fprintf(env.Stderr, "deltabench study init: %s\n", err)
		return ended(sysbench.ExitOutput)
	}
	fmt.Fprintf(env.Stdout, "%s is written; next: deltabench study plan %s\n", path, path)
	return nil
}

// studyOfRuns makes the text of a study file from recorded runs.
func (f *storeFlag) studyOfRuns(cmd *cobra.Command, numbers []string) (text string, err error) {
	ids, err := runIDs(numbers)
	if err != nil {
		return "", fmt.Errorf("--from-runs: %w", err)
	}
	err = f.use(cmd, store.ReadOnly, func(ctx context.Context, s *store.Store) error {
		var runs []study.RunOptions
		for _, id := range ids {
			d, err := s.Document(ctx, id)
			if errors.Is(err, store.ErrNoRun) {
				return fmt.Errorf("--from-runs: there is no run %d; 'deltabench runs list' shows those that are there", id)
			} else if err != nil {
				return err
			}
			r := study.RunOptions{Source: fmt.Sprintf("run %d", id), Test: d.Test.Name, Threads: d.Test.Threads, SQL: d.Test.SQL, Options: map[string]string{}}
			for _, name := range d.OptionsGiven {
				r.Options[name] = store.OptionText(d.Options[name])
			}
			runs = append(runs, r)
		}
		text, err = study.FromRuns(runs)
		return err
	})
	return text, err
}

func newStudyCheck(env Env) *cobra.Command {
	var p planFlags
	servers, yes, workDir := false, false, ""
	cmd := &cobra.Command{
		Use:   "check FILE [--servers]",
		Short: "Check a study file; with --servers also what it asks of its servers",
		Long: `Reads a study file strictly: unknown keys, wrong values, names that are not there. Every fault is one line with its place.

With --servers it also does what precedes the first run: finds servers, connects, and holds the limits of each against
the largest number of threads. On a server that is not ours, tables that are missing are made, and settings put back.`,
		Args: oneArgument("the study file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			plan, err := p.read(env, args[0])
			if err == nil {
				err = checkCommands(cmd.Context(), args[0], plan)
			}
			if err != nil {
				return err
			}
			if servers {
				if err := checkServers(cmd.Context(), env, plan, workDir, yes); err != nil {
					return conductError(cmd, env, err)
				}
			}
			fmt.Fprintf(env.Stdout, "%s: all right: %s\n", args[0], countsOf(plan))
			for _, text := range plan.Warnings() {
				fmt.Fprintf(env.Stdout, "%s: warning: %s\n", args[0], text)
			}
			return nil
		},
	}
	p.options(cmd)
	cmd.Flags().BoolVar(&servers, "servers", false, "check the servers, too: every scenario is set up once; what it changes on a server that is not ours is put back")
	cmd.Flags().StringVar(&workDir, "work-dir", "", "with --servers: directory for data of managed servers, which are removed afterwards; the default is the system's directory for temporary files")
	cmd.Flags().BoolVar(&yes, "yes", false, "with --servers: also a server that looks as if somebody works with it")
	return cmd
}

// checkCommands reads the command lines that a study will execute as the program itself will read them, and executes none: an option that
// there is not, or a script, is better missed now than after the data are made. Each fault is one line.
func checkCommands(ctx context.Context, path string, plan *study.Plan) error {
	var faults []error
	told := map[string]bool{}
	for _, line := range conduct.CommandLines(plan) {
		err := readable(ctx, Env{}, append([]string{program, "--no-defaults"}, line.Args...))
		if err != nil && !told[err.Error()] { // one workload in many scenarios
			told[err.Error()] = true
			faults = append(faults, fmt.Errorf("%s: %s: %w", path, line.Where, err))
		}
	}
	return errors.Join(faults...)
}

// readable reads a command line as the program itself does and executes nothing; the error is why it would be refused, in one line.
func readable(ctx context.Context, env Env, args []string) error {
	var out bytes.Buffer
	code := sysbench.Main(ctx, sysbench.Env{
		Args: args, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out, Face: FaceOf(args[0]), Getenv: env.Getenv, OptionFiles: env.OptionFiles,
		Runner: func(context.Context, *sysbench.Request) int { return sysbench.ExitOK },
	})
	if code == sysbench.ExitOK {
		return nil
	}
	return errors.New(child.Reason(out.String(), fmt.Errorf("exit code %d", code)))
}

// checkServers does what precedes the first run of a study, in a directory that is removed.
func checkServers(ctx context.Context, env Env, plan *study.Plan, workDir string, yes bool) error {
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	dir, err := os.MkdirTemp(workDir, "deltabench-check-")
	if err != nil {
		return fmt.Errorf("directory for data of servers: %w (--work-dir=DIR names another)", err)
	}
	defer os.RemoveAll(dir)
	p := newProgress(env.Stderr, env.Getenv, false)
	defer p.end()
	return conduct.Check(ctx, conduct.Options{Plan: plan, WorkDir: dir, Program: program, Observe: p.observe, Getenv: env.Getenv, Yes: yes})
}

// countsOf says how large a study is.
func countsOf(p *study.Plan) string {
	scenarios := 0
	for _, t := range p.Targets {
		scenarios += len(t.Scenarios)
	}
	return fmt.Sprintf("%s, %s, %s, %s, %s: %s, about %s",
		counted(len(p.Targets), "target"), counted(scenarios, "scenario"), counted(len(p.Workloads), "workload"),
		counted(len(p.Threads), "number")+" of threads", counted(p.Rounds, "round"), counted(p.Runs(), "run"), study.Roughly(p.Expected()))
}

func newStudyPlan(env Env) *cobra.Command {
	var p planFlags
	cmd := &cobra.Command{
		Use:   "plan FILE",
		Short: "Print what a study would do: scenarios, cells, order, seeds, guards, duration; touches no server",
		Args:  oneArgument("the study file"),
		RunE: func(_ *cobra.Command, args []string) error {
			plan, err := p.read(env, args[0])
			if err != nil {
				return err
			}
			return plan.Describe(env.Stdout)
		},
	}
	p.options(cmd)
	return cmd
}

func newStudyRun(f *storeFlag) *cobra.Command {
	var p planFlags
	var c conductFlags
	cmd := &cobra.Command{
		Use:   "run FILE",
		Short: "Execute a study and print its results",
		Long: `Prepares the servers, executes every cell once in every round, and prints what can be said. Each finished run is kept at
once: after an interrupt or a crash, 'deltabench study resume' goes on.

The first Ctrl-C ends the running measurement, puts back what was changed on the server and stops servers of ours; the
second ends at once, and 'study resume' puts back the rest.`,
		Args: oneArgument("the study file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			plan, err := p.read(f.env, args[0])
			if err == nil {
				err = checkCommands(cmd.Context(), args[0], plan)
			}
			if err != nil {
				return err
			}
			if err := c.check(plan.Study); err != nil {
				return err
			}
			for _, text := range plan.Warnings() {
				fmt.Fprintf(f.env.Stderr, "warning: %s: %s\n", args[0], text)
			}
			file, err := os.ReadFile(args[0])
			if err != nil {
				return err
			}
			return f.use(cmd, store.ReadWrite, func(ctx context.Context, s *store.Store) error {
				return c.conduct(ctx, cmd, f.env, s, func(o conduct.Options) (*store.Study, error) {
					o.Plan, o.File = plan, file
					return conduct.Run(ctx, o)
				})
			})
		},
	}
	p.options(cmd)
	c.options(cmd)
	return cmd
}

func newStudyResume(f *storeFlag) *cobra.Command {
	var c conductFlags
	cmd := &cobra.Command{
		Use:   "resume [STUDY]",
		Short: "Go on with a study that was interrupted or killed",
		Long: `Goes on where a study ended, by default the latest one: servers that it left behind are stopped, globals put back, the run
that was cut short is repeated, and no run is executed twice.`,
		Args: atMostOne("the study"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := c.check(""); err != nil {
				return err
			}
			return f.use(cmd, store.ReadWrite, func(ctx context.Context, s *store.Store) error {
				return c.conduct(ctx, cmd, f.env, s, func(o conduct.Options) (*store.Study, error) {
					return conduct.Resume(ctx, nameOf(args), o)
				})
			})
		},
	}
	c.options(cmd)
	return cmd
}

// nameOf is the study that an argument names.
func nameOf(args []string) string {
	if len(args) == 0 {
		return "latest"
	}
	return args[0]
}

// atMostOne is for commands whose one argument may be missing.
func atMostOne(what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) < 2 {
			return nil
		}
		return fmt.Errorf("'%s': one argument is enough: %s", args[1], what)
	}
}

// conduct executes a study, prints its results, and returns the command's error.
func (c *conductFlags) conduct(ctx context.Context, cmd *cobra.Command, env Env, s *store.Store, do func(conduct.Options) (*store.Study, error)) error {
	dir, err := c.dir()
	if err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	p := newProgress(env.Stderr, env.Getenv, c.plain)
	made, err := do(conduct.Options{
		Store: s, WorkDir: dir, Program: program, Version: sysbench.Version, Observe: p.observe, Getenv: env.Getenv, Keep: c.keep, Yes: c.yes,
	})
	p.end()
	if err != nil && made == nil {
		if ctx.Err() != nil {
			fmt.Fprintf(env.Stderr, "%s: interrupted before the first run: servers are stopped, nothing is kept\n", cmd.CommandPath())
			return ended(sysbench.ExitInterrupted)
		}
		return conductError(cmd, env, err)
	}
	failed := conductError(cmd, env, err)
	if made.Runs > 0 {
		// What was measured is shown, also of a study that did not end.
		if shown := c.results(context.WithoutCancel(ctx), cmd, env, s, made); shown != nil && failed == nil {
			failed = shown
		}
	}
	if failed == nil {
		failed = hopeless(ctx, s, made)
	}
	return failed
}

// hopeless is an error where a scenario has runs and none of them measured anything: then there is no answer about it, whatever else there is.
func hopeless(ctx context.Context, s *store.Store, made *store.Study) error {
	keys, err := s.StudyKeys(ctx, made.ID)
	if err != nil {
		return err
	}
	worked := map[[2]string]bool{}
	for k, failed := range keys {
		at := [2]string{k.Target, k.Scenario}
		worked[at] = worked[at] || !failed
	}
	var names []string
	for at, ok := range worked {
		if !ok {
			names = append(names, fmt.Sprintf("scenario %s of target %s", at[1], at[0]))
		}
	}
	if len(names) == 0 {
		return nil
	}
	slices.Sort(names)
	return fmt.Errorf("no run of %s measured anything; the results say why", strings.Join(names, ", nor of "))
}

// conductError words the end of a study and chooses its exit code; nil stays nil.
func conductError(cmd *cobra.Command, env Env, err error) error {
	var problem *conduct.Problem
	switch {
	case err == nil:
		return nil
	case cmd.Context().Err() != nil:
		fmt.Fprintf(env.Stderr, "%s: interrupted; servers are put back and stopped, finished runs are kept: 'deltabench study resume' goes on\n", cmd.CommandPath())
		return ended(sysbench.ExitInterrupted)
	case errors.As(err, &problem) && problem.Guard:
		fmt.Fprintf(env.Stderr, "%s: %s\n", cmd.CommandPath(), err)
		return ended(sysbench.ExitPreflight)
	}
	return err
}
