// Command simulate repeats the simulations on which the procedures of package compare rest, at full size, and prints
// published and own rates side by side. Rates that differ by more than chance are marked with !, and make it exit
// with 1. Tests keep a reduced part of the same experiments (internal/simulate).
//
//	go run ./internal/devtools/simulate [-studies N] [-only NUMBERS]
//
// Sections have the numbers of the specification that the procedures come from. Rows of methods that it rejected are not repeated.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// sections in the order of the text.
var sections = []struct {
	number, title string
	print         func(t *table)
}{
	{"3", "Coverage of nominal 95 % intervals, %", coverage},
	{"4", "Verdicts of one comparison, sd 1.5 log-%, margin 2 %, %", verdicts},
	{"5", "Many comparisons, % of studies and of cells", families},
	{"6", "Smallest detectable change and forecasts, %", detection},
	{"7", "Stopping: coverage in %, mean rounds", stopping},
	{"8", "Order of runs: identical scenarios called different, %", orders},
	{"9", "Margins from A/A rounds, outlier flag, %", calibration},
	{"10", "Within one run: never steady, %; bias after the cut, %", series},
	{"11", "Tail latency: coverage, %", tails},
	{"12", "History, %", histories},
}

func run(args []string, out, errOut io.Writer) int {
	fs := flag.NewFlagSet("simulate", flag.ContinueOnError)
	fs.SetOutput(errOut)
	studies := fs.Int("studies", 10_000, "studies per `number` in the tables, fewer where a study is large")
	only := fs.String("only", "", "comma-separated `numbers` of sections")
	if err := fs.Parse(args); err != nil {
		return 2
	}
	if *studies < 1 || fs.NArg() > 0 {
		fmt.Fprintf(errOut, "simulate: -studies %d, arguments %q: want a positive number and no arguments\n", *studies, fs.Args())
		return 2
	}
	var wanted []string
	if *only != "" {
		wanted = strings.Split(*only, ",")
	}
	for _, w := range wanted {
		if !slices.ContainsFunc(sections, func(s struct {
			number, title string
			print         func(t *table)
		},
		) bool {
			return s.number == w
		}) {
			fmt.Fprintf(errOut, "simulate: no section %q; there are 3 to 12\n", w)
			return 2
		}
	}
	t := &table{w: out, studies: *studies}
	for _, s := range sections {
		if wanted != nil && !slices.Contains(wanted, s.number) {
			continue
		}
		start := time.Now()
		fmt.Fprintf(out, "\n%s. %s\n\n%-58s %14s %9s\n", s.number, s.title, "", "published", "ours")
		s.print(t)
		fmt.Fprintf(errOut, "section %s: %.0f s\n", s.number, time.Since(start).Seconds())
	}
	fmt.Fprintf(out, "\n%d of %d rates differ from the published ones by more than chance and rounding (marked !)\n", t.differ, t.rates)
	if t.differ > 0 {
		return 1
	}
	return 0
}
