package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"deltabench/internal/sysbench"
	"deltabench/internal/target"
)

// serverWord is the command that starts the embedded server in the foreground.
const serverWord = "server"

// newServer describes the command for help, completion and the manual page: the server is a program of its own, which reads
// its options itself. Main starts it before anything else.
func newServer(env Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   serverWord + " [options]",
		Short: "Start the embedded server, for seeing and for tests",
		Long: `Start a MySQL-compatible server with tables in memory in the foreground, on this machine only; Ctrl-C ends it, and its
tables with it. It is for seeing and for tests: its numbers say nothing about a MySQL.`,
		DisableFlagParsing: true,
		RunE:               func(*cobra.Command, []string) error { return ended(server(env)) },
	}
	cmd.Flags().String("host", "127.0.0.1", "`address` to listen on: 127.0.0.1 or ::1")
	cmd.Flags().Int("port", 3307, "TCP `port`; 0 takes a free one")
	cmd.Flags().String("password", "", "`password` of the account, may be empty; without this option that of MYSQL_PWD, or a random one")
	cmd.Flags().Bool("exit-with-parent", false, "end at the end of standard input, which a parent process holds open")
	cmd.Flags().Bool("version", false, "print the version and exit")
	return cmd
}

// server becomes the embedded server, a program of its own, with the arguments behind the command word.
func server(env Env) int {
	path, err := target.FindEmbedded()
	if err != nil {
		fmt.Fprintf(env.Stderr, "deltabench %s: %s\n", serverWord, err)
		return sysbench.ExitFailure
	}
	code, err := become(env, path, env.Args[2:])
	if err != nil {
		fmt.Fprintf(env.Stderr, "deltabench %s: start %s: %s\n", serverWord, path, err)
		return sysbench.ExitFailure
	}
	return code
}
