package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"deltabench/internal/demo"
	"deltabench/internal/sysbench"
	"deltabench/internal/target"
	"deltabench/internal/workload"
	"deltabench/internal/workload/oltp"
)

// The size of the demo: under a minute in all on two cores.
const (
	demoTest   = "oltp_point_select"
	demoRows   = 10000
	demoRounds = 5
	demoRun    = 800 * time.Millisecond
	demoWarmup = 150 * time.Millisecond
	demoMargin = 2
)

func newDemo(env Env) *cobra.Command {
	var o demoFlags
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "See a comparison in a minute: embedded server, interleaved rounds, a table with intervals",
		Long: `Starts the embedded server on a free port of the loopback interface, loads a small table, and compares prepared
statements with text ones in 5 interleaved rounds at 1, 2, 4 and 8 threads. Nothing has to be installed and nothing is
left behind.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return ended(runDemo(cmd.Context(), env, o)) },
	}
	cmd.Flags().Uint64Var(&o.seed, "seed", 1, "seed of the order of runs and of the keys that are read")
	cmd.Flags().IntVar(&o.rounds, "rounds", demoRounds, "rounds, at least 3; a verdict needs 5")
	cmd.Flags().DurationVar(&o.run, "run", demoRun, "measured time of each run, at least 50ms")
	return cmd
}

// demoFlags are what people may change.
type demoFlags struct {
	seed   uint64
	rounds int
	run    time.Duration
}

func runDemo(ctx context.Context, env Env, o demoFlags) int {
	fail := func(err error) int {
		if ctx.Err() != nil {
			fmt.Fprintln(env.Stderr, "deltabench demo: interrupted; the embedded server is stopped, nothing is left behind")
			return sysbench.ExitInterrupted
		}
		fmt.Fprintf(env.Stderr, "deltabench demo: %s\n", err)
		return sysbench.ExitFailure
	}
	switch {
	case o.rounds < 3:
		return fail(fmt.Errorf("--rounds=%d: fewer than 3 rounds give no interval", o.rounds))
	case o.run < 50*time.Millisecond:
		return fail(fmt.Errorf("--run=%v: less than 50ms measures nothing", o.run))
	}
	var test workload.Test
	for _, t := range oltp.Tests() {
		if t.Name() == demoTest {
			test = t
		}
	}
	if test == nil {
		return fail(errors.New("the test " + demoTest + " is not in this program"))
	}
	server, err := target.StartEmbedded(ctx)
	if err != nil {
		return fail(err)
	}
	defer server.Close()
	err = demo.Run(ctx, demo.Options{
		Out: env.Stdout, Test: test, Rounds: o.rounds, Threads: []int{1, 2, 4, 8}, Rows: demoRows,
		Run: o.run, Warmup: demoWarmup, Seed: o.seed, Margin: demoMargin,
		Server: demo.Server{
			Host: server.Host, Port: server.Port, User: server.User, Password: server.Password, DB: server.DB,
			Name: "embedded server on this machine",
		},
	})
	if err != nil {
		return fail(err)
	}
	fmt.Fprint(env.Stdout, strings.ReplaceAll(demoNext, "deltabench ", env.Args[0]+" "))
	return sysbench.ExitOK
}

// demoNext is how to go on with a server of one's own.
const demoNext = `
The same on your own server (an account that may create tables in the schema sbtest, its password in MYSQL_PWD):

  deltabench oltp_point_select --mysql-host=127.0.0.1 --table-size=100000 prepare
  for round in 1 2 3 4 5; do for mode in auto disable; do
    echo "round $round, --db-ps-mode=$mode"
    deltabench oltp_point_select --mysql-host=127.0.0.1 --table-size=100000 --rand-type=uniform --rand-seed=$round \
      --threads=8 --time=10 --db-ps-mode=$mode run | grep Result
  done; done
  deltabench oltp_point_select --mysql-host=127.0.0.1 cleanup
`
