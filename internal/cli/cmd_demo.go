package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"deltabench/internal/conduct"
	"deltabench/internal/store"
	"deltabench/internal/study"
	"deltabench/internal/sysbench"
	"deltabench/internal/target"
	"deltabench/studies"
)

// demoPage is the file of the demo's HTML report.
const demoPage = "deltabench-demo.html"

func newDemo(env Env) *cobra.Command {
	var p planFlags
	html := demoPage
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "See a study in a minute: embedded server, interleaved rounds, tables and a page with charts",
		Long: `Starts the embedded server on a free port of the loopback interface, loads a small table, and compares prepared statements
with text ones in 5 interleaved rounds at 1, 4 and 8 threads: the study studies/demo.yaml, which 'deltabench study init --example
demo' prints. Nothing has to be installed; nothing is left behind but the page with the charts, ` + demoPage + `.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return ended(runDemo(cmd, env, &p, html)) },
	}
	cmd.Flags().Uint64Var(&p.seed, "seed", 0, "seed of the order of runs and of the keys that are read; 0: the study's")
	cmd.Flags().IntVar(&p.rounds, "rounds", 0, "rounds; a verdict needs 5, which is what the study has")
	cmd.Flags().StringArrayVar(&p.sets, "set", nil, "replace a value of the study, as in --set threads=1,16")
	cmd.Flags().StringVar(&html, "html", html, "file of the page with the charts; none: no page")
	return cmd
}

// runDemo executes the demo's study with a store and a directory that are thrown away.
func runDemo(cmd *cobra.Command, env Env, p *planFlags, html string) int {
	fail := func(err error) int {
		var code exitCode
		switch {
		case errors.As(err, &code):
			return int(code)
		case cmd.Context().Err() != nil:
			fmt.Fprintln(env.Stderr, "deltabench demo: interrupted; the embedded server is stopped, nothing is left behind")
			return sysbench.ExitInterrupted
		}
		fmt.Fprintf(env.Stderr, "deltabench demo: %s\n", err)
		return codeOf(err)
	}
	text, err := studies.Text("demo")
	if err != nil {
		return fail(err)
	}
	if p.rounds < 0 || p.rounds > maxRounds {
		return fail(fmt.Errorf("--rounds=%d: from 1 to %d", p.rounds, maxRounds))
	}
	plan, err := study.Parse("demo.yaml", []byte(text), study.ReadOptions{Sets: p.sets, Getenv: env.Getenv, Seed: p.seed, Rounds: p.rounds})
	if err != nil {
		return fail(err)
	}
	if _, err := target.FindEmbedded(); err != nil {
		return fail(err)
	}
	dir, err := os.MkdirTemp("", "deltabench-demo-")
	if err != nil {
		return fail(err)
	}
	defer os.RemoveAll(dir)
	s, err := store.Open(cmd.Context(), filepath.Join(dir, "runs.db"), store.ReadWrite)
	if err != nil {
		return fail(err)
	}
	defer s.Close()
	c := conductFlags{workDir: dir, html: html, brief: true}
	if err := c.check(""); err != nil {
		return fail(err)
	}
	fmt.Fprintf(env.Stdout, "%s\nTarget: the embedded server on this machine. %d runs of %.0f s; each round has a new order.\n\n", plan.Question, plan.Runs(), plan.Time.Seconds())
	err = c.conduct(cmd.Context(), cmd, env, s, func(o conduct.Options) (*store.Study, error) {
		o.Plan, o.File = plan, []byte(text)
		return conduct.Run(cmd.Context(), o)
	})
	if err != nil {
		return fail(err)
	}
	fmt.Fprint(env.Stdout, strings.ReplaceAll(demoNext, "deltabench ", env.Args[0]+" "))
	return sysbench.ExitOK
}

// demoNext is how to go on.
const demoNext = `
The same question on a MySQL or MariaDB of yours, which a study starts on a private directory (or on your own server: --target external):

  deltabench study init --example demo my.yaml      # then replace embedded: {} by managed: {server: auto}
  deltabench study plan my.yaml
  deltabench study run my.yaml
`
