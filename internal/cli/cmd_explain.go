package cli

import (
	"github.com/spf13/cobra"

	"deltabench/internal/sysbench"
)

func newExplain(env Env) *cobra.Command {
	return &cobra.Command{
		Use:   "explain TEST [options]...",
		Short: "Print what a test does: statements, counts for each event, distribution of keys",
		Long: `Print what an event of a test does under the given options: its statements and how often each is executed, the
expected reads, writes and others, and the distribution of keys, drawn with a fixed seed. Nothing is connected to.
The options are those of 'deltabench TEST run'.`,
		DisableFlagParsing: true, // sysbench's grammar
		ValidArgsFunction: func(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(words(args)) > 0 && !isOption(word) {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return completeTest(cmd, args, word)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, arg := range args {
				if arg == "--help" || arg == "-h" {
					return cmd.Help()
				}
			}
			return ended(sysbench.Explain(sysbenchEnv(env, args...)))
		},
	}
}
