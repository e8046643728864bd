package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"deltabench/docs/schema"
)

func newSchema(env Env) *cobra.Command {
	return &cobra.Command{
		Use:   "schema [report | comparisons | study]",
		Short: "Print the JSON Schema of documents: reports of runs, comparisons, study files",
		Long: `Print the JSON Schema of the documents that this program writes: 'report' (without a word too) is what runs write with
--report=json, 'comparisons' what 'compare', 'reference' and 'report' write with --format=json. 'study' is that of study files, for editors.`,
		ValidArgs: []string{"report", "comparisons", "study"},
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fmt.Errorf("'%s': one kind of document is enough", args[1])
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			text := schema.Report1
			if len(args) > 0 {
				switch args[0] {
				case "report":
				case "comparisons":
					text = schema.Comparisons1
				case "study":
					text = schema.Study1
				default:
					return fmt.Errorf("there is no schema '%s'; kinds of documents are report, comparisons and study", args[0])
				}
			}
			_, _ = env.Stdout.Write(text) // failures are kept
			return nil
		},
	}
}
