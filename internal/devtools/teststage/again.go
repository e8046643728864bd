package main

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// mayRunAgain says whether a second try can tell something: there is one for up to limit tests, and none after a data race, a panic or a
// package that has no result, which no quiet machine excuses.
func (s *summary) mayRunAgain(limit int) bool {
	return !s.fatal && len(s.tests) > 0 && len(s.tests) <= limit
}

// runAgain runs the failed tests once more, a package at a time, with the same arguments but for the packages, and returns the counts with
// what came of that. A test that fails twice has failed.
func (s *summary) runAgain(args []string, out, errOut io.Writer, slow time.Duration) (summary, int) {
	all, code := *s, passed
	all.failed, all.failures, all.tests = 0, nil, nil
	var order []string
	names := map[string][]string{}
	for _, f := range s.tests {
		if names[f.pkg] == nil {
			order = append(order, f.pkg)
		}
		names[f.pkg] = append(names[f.pkg], f.test)
	}
	for _, pkg := range order {
		fmt.Fprintf(out, "again, by itself: %s %s\n", pkg, strings.Join(names[pkg], " "))
		once := append([]string{}, args[:len(args)-1]...)
		sum, c := goTest(append(once, "-count=1", "-run", "^("+strings.Join(names[pkg], "|")+")$", pkg), out, errOut, slow)
		code = max(code, c)
		all.passed += sum.passed
		all.skipped += sum.skipped
		all.failed += sum.failed
		all.failures = append(all.failures, sum.failures...)
		bad := map[string]bool{}
		for _, f := range sum.tests {
			bad[f.test] = true
		}
		for _, name := range names[pkg] {
			if c != broken && !bad[name] {
				all.second = append(all.second, pkg+" "+name)
			}
		}
	}
	return all, code
}
