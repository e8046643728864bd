package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"deltabench/internal/evidence"
	"deltabench/internal/findings"
	"deltabench/internal/report"
	"deltabench/internal/store"
	"deltabench/internal/study"
	"deltabench/internal/studypage"
	"deltabench/internal/sysbench"
	"deltabench/internal/table"
)

// showFlags are the options of showing results.
type showFlags struct {
	metric    string
	margin    float64
	format    string
	reference bool

	form table.Format
}

func (s *showFlags) options(cmd *cobra.Command) {
	o := cmd.Flags()
	o.StringVar(&s.metric, "metric", "", "primary metric {qps,tps}; the default is the study's")
	o.Float64Var(&s.margin, "margin", 0, "change in percent that matters; 0: the study's")
	o.StringVar(&s.format, "format", "", "format of the tables {"+strings.Join(table.FormatNames(), ",")+"}")
	o.BoolVar(&s.reference, "reference", false, "print the published figures that the study names beside ours")
}

// check reads the options.
func (s *showFlags) check() error {
	switch {
	case s.margin < 0 || s.margin > 1000 || s.margin != s.margin:
		return fmt.Errorf("--margin=%g: percent above 0, up to 1000, are needed", s.margin)
	case s.metric != "" && s.metric != "qps" && s.metric != "tps":
		return fmt.Errorf("--metric=%s: a study is judged by qps or tps", s.metric)
	}
	if s.format == "" {
		return nil
	}
	var err error
	if s.form, err = table.ParseFormat(s.format); err != nil {
		return fmt.Errorf("--format: %w", err)
	}
	return nil
}

// check reads the options of a study before it starts: nobody wants to learn of a bad one after hours. The name is the study's, if it is known.
func (c *conductFlags) check(name string) error {
	if err := c.show.check(); err != nil {
		return err
	}
	if c.out != "" {
		if _, err := formOf(c.out); err != nil {
			return fmt.Errorf("--out=%s: %w", c.out, err)
		}
		if err := probe("out", c.out); err != nil {
			return err
		}
	}
	switch {
	case c.html == "" && name != "":
		return probe("html", name+".html")
	case c.html != "" && c.html != store.None:
		return probe("html", c.html)
	}
	return nil
}

// Forms of files that are no tables.
const (
	formHTML = "html"
	formRuns = "jsonl"
	formYAML = "yaml"
)

// formOf is the form that a file's name asks for: the name of a table's format, or one of the above.
func formOf(path string) (string, error) {
	ends := map[string]string{
		".md": "markdown", ".csv": "csv", ".json": "json", ".txt": "terminal", ".bench": "bench",
		".html": formHTML, ".htm": formHTML, ".jsonl": formRuns, ".yaml": formYAML, ".yml": formYAML,
	}
	if form, ok := ends[strings.ToLower(filepath.Ext(path))]; ok {
		return form, nil
	}
	return "", errors.New("the format is not clear from the name; it ends with .html, .md, .csv, .json, .txt, .bench, .jsonl (the runs) or .yaml (the study file)")
}

// analyse computes the results of a study that is in the store.
func (s *showFlags) analyse(ctx context.Context, st *store.Store, made *store.Study) (*findings.Results, error) {
	plan := &study.Plan{}
	if err := json.Unmarshal(made.Plan, plan); err != nil {
		return nil, fmt.Errorf("the plan of %s cannot be read: %w", made.Name, err)
	}
	runs, err := st.StudyRuns(ctx, made.ID)
	if err != nil {
		return nil, err
	}
	snapshot := func(hash string) (evidence.Snapshot, error) { return st.Snapshot(ctx, hash) }
	return findings.Analyse(ctx, plan, made, runs, snapshot, findings.Options{Margin: s.margin, Metric: s.metric, Reference: s.reference})
}

// results prints the results of a study that was executed, and writes its files.
func (c *conductFlags) results(ctx context.Context, cmd *cobra.Command, env Env, st *store.Store, made *store.Study) error {
	r, err := c.show.analyse(ctx, st, made)
	if err != nil {
		return err
	}
	write := func() error { return r.WriteText(env.Stdout, c.show.form, table.StyleOf(env.Stdout, env.Getenv)) }
	if c.brief {
		write = func() error { return r.WriteBrief(env.Stdout, table.StyleOf(env.Stdout, env.Getenv)) }
	}
	if err := write(); err != nil {
		return err
	}
	path := c.html
	if path == "" {
		path = made.Name + ".html"
	}
	for _, path := range []string{path, c.out} {
		if path == "" || path == store.None {
			continue
		}
		if err := writeResults(ctx, cmd, env, st, made, r, path); err != nil {
			return err
		}
	}
	return nil
}

// writeResults writes results to a file, in the form that its name asks for.
func writeResults(ctx context.Context, cmd *cobra.Command, env Env, st *store.Store, made *store.Study, r *findings.Results, path string) error {
	form, err := formOf(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	var b bytes.Buffer
	switch form {
	case formHTML:
		err = studypage.Write(&b, r, studypage.Options{Generated: time.Now()})
	case formRuns:
		_, err = st.Export(ctx, &b, store.Filter{Study: made.Name})
	case formYAML:
		b.Write(made.File)
	default:
		var f table.Format
		if f, err = table.ParseFormat(form); err == nil {
			err = r.WriteText(&b, f, table.Style{Width: fileWidth})
		}
	}
	var part *store.Incomplete // the runs that are whole are written, and the error told afterwards
	if err != nil && !errors.As(err, &part) {
		return err
	}
	if err := report.WriteFile(path, b.Bytes()); err != nil {
		fmt.Fprintf(env.Stderr, "%s: write %s: %s\n", cmd.CommandPath(), path, err)
		return ended(sysbench.ExitOutput)
	}
	fmt.Fprintf(env.Stderr, "%s: %s is written\n", cmd.CommandPath(), path)
	if part != nil {
		return part
	}
	return nil
}

// find finds a study.
func findStudy(ctx context.Context, st *store.Store, name string) (*store.Study, error) {
	made, err := st.FindStudy(ctx, name)
	if errors.Is(err, store.ErrNoStudy) {
		if name == "latest" {
			return nil, errors.New("no study has been run yet; 'deltabench study run FILE' runs one")
		}
		return nil, fmt.Errorf("there is no study '%s'; 'deltabench study list' shows those that are there", name)
	}
	return made, err
}

func newStudyShow(f *storeFlag) *cobra.Command {
	cmd := newShow(f)
	cmd.Use = "show [STUDY]"
	return cmd
}

// newReport returns the command report: the results of a study.
func newReport(env Env) *cobra.Command {
	f := &storeFlag{env: env}
	cmd := newShow(f)
	cmd.Use = "report [STUDY]"
	cmd.Flags().StringVar(&f.file, "store", "", "file of the store; else DELTABENCH_STORE, or runs.db where this user's data is")
	return cmd
}

func newShow(f *storeFlag) *cobra.Command {
	var s showFlags
	out := ""
	cmd := &cobra.Command{
		Short: "Print the results of a study, also of one that has not ended",
		Long: `Prints the results of a study, by default of the latest one: the answer, tables in both published layouts, evidence for
what moved, and what to know before believing it. --out=FILE.html writes the page with the charts.`,
		Args: atMostOne("the study"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := s.check(); err != nil {
				return err
			}
			if out != "" {
				if _, err := formOf(out); err != nil {
					return fmt.Errorf("--out=%s: %w", out, err)
				}
			}
			return f.use(cmd, store.ReadOnly, func(ctx context.Context, st *store.Store) error {
				made, err := findStudy(ctx, st, nameOf(args))
				if err != nil {
					return err
				}
				r, err := s.analyse(ctx, st, made)
				if err != nil {
					return err
				}
				if err := r.WriteText(f.env.Stdout, s.form, table.StyleOf(f.env.Stdout, f.env.Getenv)); err != nil || out == "" {
					return err
				}
				return writeResults(ctx, cmd, f.env, st, made, r, out)
			})
		},
	}
	s.options(cmd)
	cmd.Flags().StringVar(&out, "out", "", "write the results to this file, too; its name's end decides the format (.html, .md, .csv, .json, .txt, .bench; .jsonl: the runs, .yaml: the study file)")
	return cmd
}

func newStudyExport(f *storeFlag) *cobra.Command {
	var s showFlags
	cmd := &cobra.Command{
		Use:   "export STUDY FILE...",
		Short: "Write a study to files: results as .html, .md, .csv, .json, .txt or .bench, its runs as .jsonl, its file as .yaml",
		Long: `Writes what a study has, each file in the form that its name's end asks for. Runs (.jsonl) are what 'deltabench runs import'
reads into another store, with their evidence and their places in the study.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return errors.New("a study and at least one file are needed, as in 'deltabench study export latest report.html'")
			}
			if err := s.check(); err != nil {
				return err
			}
			for _, path := range args[1:] {
				if _, err := formOf(path); err != nil {
					return fmt.Errorf("%s: %w", path, err)
				}
			}
			return f.use(cmd, store.ReadOnly, func(ctx context.Context, st *store.Store) error {
				made, err := findStudy(ctx, st, args[0])
				if err != nil {
					return err
				}
				r, err := s.analyse(ctx, st, made)
				if err != nil {
					return err
				}
				var failed error // the others are written nevertheless
				for _, path := range args[1:] {
					if err := writeResults(ctx, cmd, f.env, st, made, r, path); err != nil && failed == nil {
						failed = err
					}
				}
				return failed
			})
		},
	}
	s.options(cmd)
	return cmd
}

func newStudyList(f *storeFlag) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the studies of the store, the latest last",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.nothingYet() {
				fmt.Fprintln(f.env.Stderr, "deltabench study list: no study has been run yet; 'deltabench study run FILE' runs one")
				return nil
			}
			return f.use(cmd, store.ReadOnly, func(ctx context.Context, st *store.Store) error {
				studies, err := st.Studies(ctx)
				if err != nil {
					return err
				}
				if len(studies) == 0 {
					fmt.Fprintln(f.env.Stderr, "deltabench study list: no study has been run yet; 'deltabench study run FILE' runs one")
					return nil
				}
				width := len("study")
				for _, x := range studies {
					width = max(width, len([]rune(x.Name)))
				}
				fmt.Fprintf(f.env.Stdout, "%-*s  %-16s  %-11s  %11s  %s\n", width, "study", "started", "state", "runs", "question")
				for _, x := range studies {
					fmt.Fprintf(f.env.Stdout, "%-*s  %-16s  %-11s  %11s  %s\n", width, x.Name, x.CreatedAt.Local().Format("2006-01-02 15:04"), x.State, fmt.Sprintf("%d of %d", x.Runs, x.Planned), x.Question)
				}
				return nil
			})
		},
	}
}

func newStudyDelete(f *storeFlag) *cobra.Command {
	force := false
	cmd := &cobra.Command{
		Use:   "delete STUDY [--force]",
		Short: "Delete a study with all its runs",
		Long:  `Deletes a study with all its runs. One that runs, or was killed and may have left settings of a server changed, needs --force.`,
		Args:  oneArgument("the study"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.use(cmd, store.ReadWrite, func(ctx context.Context, st *store.Store) error {
				made, err := findStudy(ctx, st, args[0])
				if err != nil {
					return err
				}
				if made.State == store.StudyRunning && !force {
					return fmt.Errorf("study %s runs, or was killed: 'deltabench study resume %s' goes on with a killed one and puts settings of servers back; --force deletes it nevertheless", made.Name, made.Name)
				}
				if err := st.DeleteStudy(ctx, made.ID); err != nil {
					return err
				}
				fmt.Fprintf(f.env.Stdout, "%s is deleted, with %s\n", made.Name, counted(made.Runs, "run"))
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "also a study that runs, or was killed: what it still measures is lost")
	return cmd
}
