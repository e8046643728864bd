package cli

import (
	"github.com/spf13/cobra"

	"deltabench/docs/schema"
)

func newSchema(env Env) *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of the documents that --report=json writes",
		Args:  noArguments,
		Run:   func(*cobra.Command, []string) { _, _ = env.Stdout.Write(schema.Report1) }, // failures are kept
	}
}
