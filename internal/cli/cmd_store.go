package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"deltabench/internal/store"
	"deltabench/internal/sysbench"
)

// newStore returns the commands about the store itself.
func newStore(env Env) *cobra.Command {
	f := &storeFlag{env: env}
	cmd := &cobra.Command{
		Use:   "store",
		Short: "Where the store of runs is, and whether it is whole",
		Args:  subcommands("store", "path, verify"),
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.PersistentFlags().StringVar(&f.file, "store", "", "file of the store; else DELTABENCH_STORE, or runs.db where this user's data is")
	cmd.AddCommand(newPath(f), &cobra.Command{
		Use:   "verify",
		Short: "Look for damage in the store",
		Long: `Runs SQLite's integrity_check and foreign_key_check, compares the document of every run with its hash, and what the tables
have of a run with its document. The exit code is 0 when the store is whole, else 6.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.use(cmd, store.ReadOnly, func(ctx context.Context, s *store.Store) error {
				runs, faults, err := s.Verify(ctx)
				if err != nil {
					return err
				}
				for _, fault := range faults {
					fmt.Fprintln(env.Stdout, fault)
				}
				if len(faults) > 0 {
					fmt.Fprintf(env.Stderr, "%s: the store is damaged; 'deltabench runs export' may still save runs\n", cmd.CommandPath())
					return ended(sysbench.ExitStore)
				}
				_, err = fmt.Fprintf(env.Stdout, "%s, no damage\n", counted(runs, "run"))
				return err
			})
		},
	})
	return cmd
}
