package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"deltabench/internal/sysbench"
)

// newHelp returns the command help: for one of our commands, for a test, or the list of our commands; --help is for options.
func newHelp(env Env) *cobra.Command {
	return &cobra.Command{
		Use:               "help [COMMAND | TEST]",
		Short:             "Print help about a command or a test",
		ValidArgsFunction: completeHelp,
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			if len(args) == 0 {
				return root.Help()
			}
			c, rest, err := root.Find(args)
			if err == nil && c != root && len(rest) == 0 {
				return c.Help()
			}
			if len(args) > 1 {
				return fmt.Errorf("'%s': one command or test is enough", args[len(args)-1])
			}
			return ended(sysbench.Main(cmd.Context(), sysbenchEnv(env, args[0], "help")))
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
