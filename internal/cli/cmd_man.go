package cli

import (
	"github.com/spf13/cobra"

	"deltabench/internal/sysbench"
)

func newMan(env Env) *cobra.Command {
	return &cobra.Command{
		Use:   "man",
		Short: "Print the manual page (deltabench man | man -l -)",
		Args:  noArguments,
		Run: func(cmd *cobra.Command, _ []string) {
			_, _ = env.Stdout.Write(manPage(cmd.Root().Commands(), sysbench.OptionGroups(), sysbench.Tests())) // failures are kept
		},
	}
}
