// Command teststage runs `go test` and reports for people and for CI: one line a package, failures in
// full, a final line with counts and seconds. Where CI=true a skipped test fails the stage: a test that
// does not run proves nothing.
//
//	teststage [-stage NAME] [-slow DURATION] GO-TEST-ARGUMENTS...
//
// The arguments follow `go test -json`. A -- ends teststage's own flags.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr, os.Getenv("CI") == "true")) }

func run(args []string, out, errOut io.Writer, strict bool) int {
	fs := flag.NewFlagSet("teststage", flag.ContinueOnError)
	fs.SetOutput(errOut)
	stage := fs.String("stage", "test", "name of the stage in the final line")
	slow := fs.Duration("slow", 20*time.Second, "name tests that take longer")
	if err := fs.Parse(args); err != nil {
		return 2
	}
	start := time.Now()
	cmd := exec.Command("go", append([]string{"test", "-json"}, fs.Args()...)...)
	cmd.Stderr = errOut
	pipe, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		fmt.Fprintf(errOut, "start go test: %v\n", err)
		return 2
	}
	sum, readErr := summarize(pipe, out, *slow)
	code := 0
	if err := cmd.Wait(); err != nil {
		code = 1
		if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || sum.failed == 0 {
			fmt.Fprintf(errOut, "go test: %v\n", err) // nothing above has said what is wrong
		}
	}
	switch {
	case readErr != nil:
		fmt.Fprintf(errOut, "read the output of go test: %v\n", readErr)
		code = 1
	case sum.failed > 0:
		code = 1
	case sum.passed == 0:
		fmt.Fprintln(errOut, "no test ran")
		code = 1
	}
	for _, name := range sum.failures {
		fmt.Fprintln(out, "failed:", name)
	}
	if sum.skipped > 0 && strict {
		fmt.Fprintln(errOut, "a skipped test fails here (CI=true)")
		code = 1
	}
	fmt.Fprintf(out, "stage %s: %d passed, %d failed, %d skipped in %.0f s\n",
		*stage, sum.passed, sum.failed, sum.skipped, time.Since(start).Seconds())
	return code
}
