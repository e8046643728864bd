// Command teststage runs `go test` and reports for people and for CI: one line a package, failures in
// full, a final line with counts and seconds. Where CI=true a skipped test fails the stage: a test that
// does not run proves nothing.
//
//	teststage [-stage NAME] [-slow DURATION] [-again N] GO-TEST-ARGUMENTS... PACKAGES
//
// The arguments follow `go test -json`; the last one names the packages. A -- ends teststage's own flags.
//
// With -again, failed tests run once more, one package after the other, when everything else has ended (again.go): a test of time that
// fails beside forty busy packages on two shared CPUs and passes by itself has found the machine, not a fault. It is counted and named.
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
	again := fs.Int("again", 0, "up to so many failed tests run once more by themselves; 0: none")
	if err := fs.Parse(args); err != nil {
		return 2
	}
	start := time.Now()
	sum, code := goTest(fs.Args(), out, errOut, *slow)
	if code == failed && sum.mayRunAgain(*again) {
		sum, code = sum.runAgain(fs.Args(), out, errOut, *slow)
	}
	for _, name := range sum.failures {
		fmt.Fprintln(out, "failed:", name)
	}
	if sum.skipped > 0 && strict {
		fmt.Fprintln(errOut, "a skipped test fails here (CI=true)")
		code = 1
	}
	for _, name := range sum.second {
		fmt.Fprintln(out, "failed among the others, passed alone:", name)
	}
	var second string
	if n := len(sum.second); n > 0 {
		second = fmt.Sprintf(" (%d at the second try)", n)
	}
	fmt.Fprintf(out, "stage %s: %d passed%s, %d failed, %d skipped in %.0f s\n",
		*stage, sum.passed, second, sum.failed, sum.skipped, time.Since(start).Seconds())
	return min(code, 1)
}

// What goTest returns beside counts: all is well, tests failed and were named, or there is no use in going on.
const (
	passed = iota
	failed
	broken
)

// goTest runs `go test -json ARGS` once, reports to out, and says what came of it.
func goTest(args []string, out, errOut io.Writer, slow time.Duration) (summary, int) {
	cmd := exec.Command("go", append([]string{"test", "-json"}, args...)...)
	cmd.Stderr = errOut
	pipe, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		fmt.Fprintf(errOut, "start go test: %v\n", err)
		return summary{}, broken
	}
	sum, readErr := summarize(pipe, out, slow)
	code := passed
	if err := cmd.Wait(); err != nil {
		code = failed
		if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || sum.failed == 0 {
			fmt.Fprintf(errOut, "go test: %v\n", err) // nothing above has said what is wrong
			code = broken
		}
	}
	switch {
	case readErr != nil:
		fmt.Fprintf(errOut, "read the output of go test: %v\n", readErr)
		code = broken
	case sum.failed > 0:
		code = max(code, failed)
	case sum.passed == 0:
		fmt.Fprintln(errOut, "no test ran")
		code = broken
	}
	return sum, code
}
