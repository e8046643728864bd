package cli

import (
	"github.com/spf13/cobra"

	"deltabench/internal/sysbench"
)

// newHelp returns the command help: for one of our commands, for a test, or for everything.
func newHelp(env Env) *cobra.Command {
	return &cobra.Command{
		Use:               "help [COMMAND|TEST]",
		Short:             "Print help about a command or a test",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeHelp,
		RunE: func(cmd *cobra.Command, args []string) error {
			rest := []string{"--help"}
			if len(args) > 0 {
				for _, c := range cmd.Root().Commands() {
					if c.Name() == args[0] {
						return c.Help()
					}
				}
				rest = []string{args[0], "help"}
			}
			return ended(sysbench.Main(cmd.Context(), sysbenchEnv(env, rest...)))
		},
	}
}

// completeHelp offers what there is help about.
func completeHelp(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	list, _ := completeTest(cmd, nil, word)
	for _, c := range cmd.Root().Commands() {
		if c.IsAvailableCommand() {
			list = append(list, cobra.CompletionWithDesc(c.Name(), c.Short))
		}
	}
	return list, cobra.ShellCompDirectiveNoFileComp
}

// sysbenchEnv is the environment of sysbench's grammar on our face, with other arguments.
func sysbenchEnv(env Env, args ...string) sysbench.Env {
	return sysbench.Env{
		Args: append([]string{env.Args[0]}, args...), Stdin: env.Stdin, Stdout: env.Stdout, Stderr: env.Stderr,
		Getenv: env.Getenv, Face: sysbench.FaceDeltabench,
	}
}
