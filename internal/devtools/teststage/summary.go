package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"sort"
	"strings"
	"time"
)

// event is one line of `go test -json` (see `go doc test2json`).
type event struct {
	Action     string
	Package    string
	Test       string
	Elapsed    float64 // s
	Output     string
	ImportPath string // of build-output and build-fail, instead of Package
}

// summary counts tests, subtests included. A package that fails without a failed test, and a build that
// fails, count as one failed.
type summary struct {
	passed, failed, skipped int
	failures                []string // names, repeated at the end of a long report
	tests                   []failure
	fatal                   bool     // a failure that a second try says nothing about: a data race, a panic, a package that does not build
	second                  []string // names of tests that failed first and passed by themselves
}

// failure is a test of the top level that failed.
type failure struct{ pkg, test string }

// pkg is what is known of a package that has not ended.
type pkg struct {
	output map[string][]string // by test, "" for the package's own; dropped when the test passes
	order  []string            // tests in order of their first output
	failed int
}

func (p *pkg) add(test, text string) {
	if _, ok := p.output[test]; !ok {
		p.order = append(p.order, test)
	}
	p.output[test] = append(p.output[test], text)
}

// summarize reads the events of `go test -json` from r and writes the report to w. Lines that are not
// events are passed on.
func summarize(r io.Reader, w io.Writer, slow time.Duration) (summary, error) {
	var sum summary
	packages := map[string]*pkg{}
	var slowest []event
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, 64<<20)
	for sc.Scan() {
		var e event
		if err := json.Unmarshal(sc.Bytes(), &e); err != nil || e.Action == "" {
			fmt.Fprintf(w, "%s\n", sc.Bytes())
			continue
		}
		p := packages[e.Package]
		if p == nil {
			p = &pkg{output: map[string][]string{}}
			packages[e.Package] = p
		}
		switch e.Action {
		case "build-output":
			fmt.Fprint(w, e.Output)
		case "output":
			p.add(e.Test, e.Output)
		case "pass", "fail", "skip":
			if e.Test == "" {
				sum.endPackage(w, p, e)
				delete(packages, e.Package)
				continue
			}
			sum.endTest(w, p, e)
			if e.Elapsed > slow.Seconds() {
				slowest = append(slowest, e)
			}
		}
	}
	for name, p := range packages { // go test itself was cut short
		if name != "" {
			fmt.Fprintf(w, "FAIL %s: no result\n%s", name, p.text())
			sum.fail(name)
			sum.fatal = true
		}
	}
	sort.SliceStable(slowest, func(i, j int) bool { return slowest[i].Elapsed > slowest[j].Elapsed })
	for _, e := range slowest {
		fmt.Fprintf(w, "slow %7.1f s  %s %s\n", e.Elapsed, e.Package, e.Test)
	}
	return sum, sc.Err()
}

func (s *summary) fail(name string) {
	s.failed++
	s.failures = append(s.failures, name)
}

// fatalSigns are what the output of a package has whose failure is no matter of time.
var fatalSigns = []string{"WARNING: DATA RACE", "panic: ", "fatal error: "}

func (s *summary) endTest(w io.Writer, p *pkg, e event) {
	switch e.Action {
	case "pass":
		s.passed++
		delete(p.output, e.Test)
	case "skip":
		s.skipped++
		fmt.Fprintf(w, "SKIP %s %s\n%s", e.Package, e.Test, strings.Join(p.output[e.Test], ""))
		delete(p.output, e.Test)
	case "fail":
		s.fail(e.Package + " " + e.Test)
		if !strings.Contains(e.Test, "/") {
			s.tests = append(s.tests, failure{e.Package, e.Test})
		}
		p.failed++ // its output is shown with the package, next to what surrounds it
	}
}

func (s *summary) endPackage(w io.Writer, p *pkg, e event) {
	switch e.Action {
	case "pass":
		fmt.Fprintf(w, "ok   %7.1f s  %s\n", e.Elapsed, e.Package)
	case "skip":
		fmt.Fprintf(w, "-               %s (no tests)\n", e.Package)
	case "fail":
		text := p.text()
		if p.failed == 0 {
			s.fail(e.Package)
			s.fatal = true
		}
		for _, sign := range fatalSigns {
			s.fatal = s.fatal || strings.Contains(text, sign)
		}
		fmt.Fprintf(w, "FAIL %7.1f s  %s\n%s", e.Elapsed, e.Package, text)
	}
}

// text is all output that was kept.
func (p *pkg) text() string {
	var b strings.Builder
	for _, test := range p.order {
		for _, line := range p.output[test] {
			b.WriteString(line)
		}
	}
	return b.String()
}
