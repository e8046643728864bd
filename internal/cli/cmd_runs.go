package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"deltabench/internal/sample"
	"deltabench/internal/store"
	"deltabench/internal/sysbench"
)

// newRuns returns the commands about recorded runs.
func newRuns(env Env) *cobra.Command {
	f := &storeFlag{env: env}
	cmd := &cobra.Command{
		Use:   "runs",
		Short: "List, show, mark, copy and delete recorded runs",
		Long: `Every run of deltabench is recorded in a store, unless --no-record is given or DELTABENCH_STORE is none. These commands
look at the runs there and change their marks. docs/store.md tells how to query the store with SQL.`,
		Args: subcommands("runs", "list, show, tag, note, delete, export, import, path"),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.PersistentFlags().StringVar(&f.file, "store", "", "file of the store; else DELTABENCH_STORE, or runs.db where this user's data is")
	cmd.AddCommand(newRunsList(f), newRunsShow(f), newRunsTag(f), newRunsNote(f), newRunsDelete(f), newRunsExport(f), newRunsImport(f), newPath(f))
	return cmd
}

// subcommands is for commands that only have others below them.
func subcommands(name, list string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return fmt.Errorf("there is no '%s %s': %s", name, args[0], list)
		}
		return nil
	}
}

// storeFlag is the option --store of commands about the store.
type storeFlag struct {
	env  Env
	file string // empty: not given
}

// path is where the store is.
func (f *storeFlag) path() (string, error) {
	path := f.file
	if path == "" {
		var err error
		if path, err = store.DefaultPath(f.env.Getenv); err != nil {
			return "", err
		}
	}
	if path == store.None {
		return "", errors.New("there is no store: DELTABENCH_STORE or --store is none; name one with --store=FILE")
	}
	return path, nil
}

// nothingYet reports whether the store is the default one and no run has been recorded there: that is an empty list and no
// error.
func (f *storeFlag) nothingYet() bool {
	path, err := f.path()
	if f.file != "" || err != nil {
		return false
	}
	_, err = os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// use opens the store for a command and closes it. Problems with the store end in an exit code of their own.
func (f *storeFlag) use(cmd *cobra.Command, mode store.Mode, do func(context.Context, *store.Store) error) error {
	path, err := f.path()
	if err != nil {
		return err
	}
	s, err := store.Open(cmd.Context(), path, mode)
	if err == nil {
		defer s.Close()
		err = do(cmd.Context(), s)
	}
	return f.ended(cmd, err)
}

// ended turns a problem with the store into its exit code; other errors stay as they are.
func (f *storeFlag) ended(cmd *cobra.Command, err error) error {
	var p *store.Problem
	var told exitCode
	switch {
	case errors.As(err, &told): // and said
		return err
	case cmd.Context().Err() != nil:
		fmt.Fprintf(f.env.Stderr, "%s: interrupted\n", cmd.CommandPath())
		return ended(sysbench.ExitInterrupted)
	case errors.As(err, &p):
		fmt.Fprintf(f.env.Stderr, "%s: %s\n", cmd.CommandPath(), err)
		return ended(sysbench.ExitStore)
	}
	return err
}

// runIDs reads numbers of runs.
func runIDs(texts []string) ([]int64, error) {
	var ids []int64
	for _, text := range texts {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil || id < 1 {
			return nil, noNumber(text)
		}
		ids = append(ids, id)
	}
	return ids, nil
}

func noNumber(text string) error {
	return fmt.Errorf("'%s' is not the number of a run; 'deltabench runs list' shows them", text)
}

// runSet is runs by their numbers, in which there may be ranges.
type runSet struct {
	words []string
	ids   [][]int64 // of each word
}

// runSetOf reads numbers of runs and ranges of them.
func runSetOf(words []string) (*runSet, error) {
	set := &runSet{words: words}
	for _, word := range words {
		ids, ok, err := sample.Numbers(word)
		if err != nil {
			return nil, err
		}
		if !ok || ids[0] < 1 {
			return nil, noNumber(word)
		}
		set.ids = append(set.ids, ids)
	}
	return set, nil
}

// there are the numbers, each once: of ranges, those of runs that exist, of which there must be one.
func (set *runSet) there(ctx context.Context, s *store.Store) ([]int64, error) {
	var all []int64
	seen := map[int64]bool{}
	for i, ids := range set.ids {
		if len(ids) > 1 {
			runs, err := s.Runs(ctx, store.Filter{IDs: ids})
			if err != nil {
				return nil, err
			}
			if len(runs) == 0 {
				return nil, fmt.Errorf("%s: there are no recorded runs with these numbers; see 'deltabench runs list'", set.words[i])
			}
			ids = nil
			for _, r := range runs {
				ids = append(ids, r.ID)
			}
		}
		for _, id := range ids {
			if !seen[id] {
				seen[id] = true
				all = append(all, id)
			}
		}
	}
	return all, nil
}

// filterFlags are the options that choose runs.
type filterFlags struct {
	tags     []string
	study    string
	workload string
	limit    int
}

func (x *filterFlags) tagOption(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&x.tags, "tag", nil, "only runs with this tag, KEY=VALUE; several must all be there")
	cmd.Flags().StringVar(&x.study, "study", "", "only runs of this study; latest is the latest one")
}

// ofStudy adds the study to a filter; there must be one of that name.
func (x *filterFlags) ofStudy(ctx context.Context, s *store.Store, f *store.Filter) error {
	if x.study == "" {
		return nil
	}
	made, err := findStudy(ctx, s, x.study)
	if err == nil {
		f.Study = made.Name
	}
	return err
}

// filter is the choice.
func (x *filterFlags) filter() (store.Filter, error) {
	f := store.Filter{Workload: x.workload, Limit: x.limit}
	var err error
	if f.Tags, err = store.ParseTags(x.tags, false); err != nil {
		return f, fmt.Errorf("--tag: %w; write KEY=VALUE, as in --tag=scenario=new", err)
	}
	if x.limit < 0 {
		return f, fmt.Errorf("--limit=%d: 1 or more is needed, or 0 for all", x.limit)
	}
	return f, nil
}

func newRunsList(f *storeFlag) *cobra.Command {
	var x filterFlags
	format := "text"
	cmd := &cobra.Command{
		Use:   "list [--tag KEY=VALUE] [--study NAME] [--workload TEST] [--limit N]",
		Short: "List recorded runs, the latest last",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			write, ok := runWriters[format]
			if !ok {
				return fmt.Errorf("--format=%s: text, json or csv is needed", format)
			}
			filter, err := x.filter()
			if err != nil {
				return err
			}
			var runs []store.Run
			if !f.nothingYet() {
				err = f.use(cmd, store.ReadOnly, func(ctx context.Context, s *store.Store) (err error) {
					if err = x.ofStudy(ctx, s, &filter); err == nil {
						runs, err = s.Runs(ctx, filter)
					}
					return err
				})
			}
			if err != nil {
				return err
			}
			if format == "text" && x.study != "" {
				write = listStudyRuns
			}
			return write(f.env.Stdout, runs)
		},
	}
	x.tagOption(cmd)
	cmd.Flags().StringVar(&x.workload, "workload", "", "only runs of this test")
	cmd.Flags().IntVar(&x.limit, "limit", 0, "only the latest so many")
	cmd.Flags().StringVar(&format, "format", format, "text, json or csv")
	return cmd
}

func newRunsShow(f *storeFlag) *cobra.Command {
	format := "text"
	cmd := &cobra.Command{
		Use:   "show ID [--format text|json]",
		Short: "Show a recorded run; as JSON, its whole document",
		Args:  oneArgument("the number of a run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ids, err := runIDs(args)
			if err != nil {
				return err
			}
			if format != "text" && format != "json" {
				return fmt.Errorf("--format=%s: text or json is needed", format)
			}
			return f.use(cmd, store.ReadOnly, func(ctx context.Context, s *store.Store) error {
				d, err := s.Document(ctx, ids[0])
				if err != nil {
					return err
				}
				if format == "json" {
					return writeDocument(f.env.Stdout, d)
				}
				runs, err := s.Runs(ctx, store.Filter{IDs: ids})
				if err != nil || len(runs) == 0 { // deleted in between
					return err
				}
				return showRun(f.env.Stdout, runs[0], d)
			})
		},
	}
	cmd.Flags().StringVar(&format, "format", format, "text, or json: the document that --report=json writes")
	return cmd
}

// newPath is the command path, of runs and of store.
func newPath(f *storeFlag) *cobra.Command {
	return &cobra.Command{
		Use:   "path",
		Short: "Print where the store is",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			path, err := f.path()
			if err == nil {
				_, err = fmt.Fprintln(f.env.Stdout, path)
			}
			return err
		},
	}
}
