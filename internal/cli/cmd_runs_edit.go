package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"deltabench/internal/sample"
	"deltabench/internal/store"
)

func newRunsTag(f *storeFlag) *cobra.Command {
	return &cobra.Command{
		Use:   "tag ID... KEY=VALUE... (KEY= removes)",
		Short: "Mark recorded runs: numbers, and ranges as in 17-24",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return errors.New("the number of a run and its tags are needed, as in 'deltabench runs tag 12 scenario=new'")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			n := 1
			for n < len(args)-1 && isNumbers(args[n]) {
				n++
			}
			set, err := runSetOf(args[:n])
			if err != nil {
				return err
			}
			tags, err := store.ParseTags(args[n:], true)
			if err != nil {
				return err
			}
			return f.use(cmd, store.ReadWrite, func(ctx context.Context, s *store.Store) error {
				ids, err := set.there(ctx, s)
				if err != nil {
					return err
				}
				return s.Tag(ctx, ids, tags)
			})
		},
	}
}

// isNumbers reports whether a word is the number of a run or a range.
func isNumbers(word string) bool {
	_, ok, err := sample.Numbers(word)
	return ok || err != nil
}

func newRunsNote(f *storeFlag) *cobra.Command {
	return &cobra.Command{
		Use:   "note ID TEXT",
		Short: "Replace the note of a recorded run, or of a range of them (17-24); an empty text removes it",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return errors.New(`the number of a run and one text are needed, as in 'deltabench runs note 12 "new kernel"'`)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			set, err := runSetOf(args[:1])
			if err != nil {
				return err
			}
			return f.use(cmd, store.ReadWrite, func(ctx context.Context, s *store.Store) error {
				ids, err := set.there(ctx, s)
				if err != nil {
					return err
				}
				return s.SetNote(ctx, ids, args[1])
			})
		},
	}
}

func newRunsDelete(f *storeFlag) *cobra.Command {
	yes := false
	cmd := &cobra.Command{
		Use:   "delete ID... [--yes]",
		Short: "Delete recorded runs for good: numbers, and ranges as in 17-24",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("the numbers of the runs to delete are missing; 'deltabench runs list' shows them")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			set, err := runSetOf(args)
			if err != nil {
				return err
			}
			return f.use(cmd, store.ReadWrite, func(ctx context.Context, s *store.Store) error {
				ids, err := set.there(ctx, s)
				if err == nil && !yes {
					err = f.confirm(fmt.Sprintf("Delete %s for good? [y/N] ", counted(len(ids), "run")))
				}
				if err != nil {
					return err
				}
				return s.Delete(ctx, ids...)
			})
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}

// confirm asks at the terminal.
func (f *storeFlag) confirm(question string) error {
	in, ok := f.env.Stdin.(*os.File)
	if !ok || !term.IsTerminal(int(in.Fd())) {
		return errors.New("standard input is no terminal to ask at; --yes deletes without a question")
	}
	fmt.Fprint(f.env.Stderr, question)
	answer, _ := bufio.NewReader(in).ReadString('\n') // an end of input is no yes
	if a := strings.ToLower(strings.TrimSpace(answer)); a != "y" && a != "yes" {
		return errors.New("nothing was deleted")
	}
	return nil
}

// counted is a number with its noun.
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func newRunsExport(f *storeFlag) *cobra.Command {
	var x filterFlags
	cmd := &cobra.Command{
		Use:   "export [ID]... [--tag KEY=VALUE] [--study NAME]",
		Short: "Write recorded runs as lines of JSON, for 'deltabench runs import' and other programs",
		Long: `Writes a line of JSON for each run to standard output: the document of the run as --report=json writes it, its tags and note,
and a uuid by which an import knows it again. Without numbers and tags all runs are written. Damaged runs are named and left out;
the exit code is 6 then.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			filter, err := x.filter()
			if err != nil {
				return err
			}
			set, err := runSetOf(args)
			if err != nil {
				return err
			}
			return f.use(cmd, store.ReadOnly, func(ctx context.Context, s *store.Store) error {
				n := 0
				err := x.ofStudy(ctx, s, &filter)
				if err == nil {
					filter.IDs, err = set.there(ctx, s)
				}
				if err == nil {
					n, err = s.Export(ctx, f.env.Stdout, filter)
				}
				var part *store.Incomplete
				if errors.As(err, &part) {
					for _, fault := range part.Damaged {
						fmt.Fprintf(f.env.Stderr, "%s: %s\n", cmd.CommandPath(), fault)
					}
				}
				if err == nil {
					fmt.Fprintf(f.env.Stderr, "%s exported\n", counted(n, "run"))
				}
				return err
			})
		},
	}
	x.tagOption(cmd)
	return cmd
}

func newRunsImport(f *storeFlag) *cobra.Command {
	return &cobra.Command{
		Use:   "import FILE... (- is standard input)",
		Short: "Add runs from 'runs export' or --report=json; those that are there are skipped",
		Long: `Reads lines of 'deltabench runs export' and reports of --report=json, also both in one file, and adds the runs. Those that the
store has are skipped and told, so that an import can be repeated. When something in a file is not understood, nothing of
that file is added.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("the file is missing; - is standard input")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.use(cmd, store.ReadWrite, func(ctx context.Context, s *store.Store) error {
				for _, name := range args {
					if err := f.importFile(ctx, s, name); err != nil {
						return fmt.Errorf("%s: %w", name, err)
					}
				}
				return nil
			})
		},
	}
}

func (f *storeFlag) importFile(ctx context.Context, s *store.Store, name string) error {
	in := f.env.Stdin
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			var p *os.PathError
			if errors.As(err, &p) {
				return p.Err
			}
			return err
		}
		defer file.Close()
		if info, err := file.Stat(); err == nil && info.IsDir() {
			return errors.New("it is a directory")
		}
		in = file
	}
	done, err := s.Import(ctx, in)
	if err != nil {
		return err
	}
	const most = 5
	each := done.Skipped
	if len(each) > most {
		fmt.Fprintf(f.env.Stderr, "%s: %d runs are there; skipped\n", name, len(each))
		each = nil
	}
	for _, skipped := range each {
		fmt.Fprintf(f.env.Stderr, "%s: value %d is run %d, which is there; skipped\n", name, skipped.Number, skipped.ID)
	}
	added := ""
	if n := len(done.Added); n == 1 {
		added = fmt.Sprintf(" (run %d)", done.Added[0])
	} else if n > 1 {
		added = fmt.Sprintf(" (runs %d to %d)", done.Added[0], done.Added[n-1])
	}
	_, err = io.WriteString(f.env.Stdout, fmt.Sprintf("%s: %s added%s, %d skipped\n", name, counted(len(done.Added), "run"), added, len(done.Skipped)))
	return err
}
