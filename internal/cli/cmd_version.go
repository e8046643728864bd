package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"deltabench/internal/report"
	"deltabench/internal/sysbench"
)

func newVersion(env Env) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, and with what it was built",
		Args:  noArguments,
		Run: func(*cobra.Command, []string) {
			fmt.Fprintf(env.Stdout, "%s\n%s %s/%s\nreport schema %d\n",
				sysbench.FaceDeltabench.VersionLine(), runtime.Version(), runtime.GOOS, runtime.GOARCH, report.SchemaVersion)
		},
	}
}
