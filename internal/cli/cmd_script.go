package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"deltabench/internal/sysbench"
)

// newScript returns the commands about Lua scripts.
func newScript(env Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "script",
		Short: "Look at Lua scripts without executing their tests",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("there is no 'script %s'; see 'deltabench script check'", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	document := false
	check := &cobra.Command{
		Use:   "check FILE... [--json]",
		Short: "Load a script without a server and tell what it uses, offers and misses",
		Long: `Load a script as a run would, without a server, and tell which parts of sysbench's interface it uses, which of them there
are not here, which options and commands it declares, and which version of the interface it is written for. The exit code
is 0 when nothing is missing in any of them, else 1. The script's top level is executed, so what it prints there is printed,
and os.exit() in it ends the check.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("the file of a script is missing; as in 'deltabench script check ./x.lua'")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			code := sysbench.ExitOK
			for _, file := range args {
				code = max(code, sysbench.CheckScript(cmd.Context(), sysbenchEnv(env, file), document))
			}
			return ended(code)
		},
	}
	check.Flags().BoolVar(&document, "json", false, "print a document for programs")
	cmd.AddCommand(check)
	return cmd
}
