// Package system has the built-in tests that need no database: cpu, memory, threads, mutex (specification 7).
// fileio is not in this version: it is known by name and says so.
//
// Workers of these tests block or keep a CPU busy, so each thread needs a goroutine of its own.
package system

import (
	"fmt"
	"runtime"

	"deltabench/internal/option"
	"deltabench/internal/workload"
)

// Tests returns all tests of the package, in the order of sysbench's help.
func Tests() []workload.Test {
	return []workload.Test{fileio, cpu, memory, threads, mutex}
}

// test is a built-in test.
type test struct {
	name     string
	options  []option.Spec
	commands []workload.Command
	newRun   func(workload.Setup) (workload.Run, error)
	describe func(o workload.Values, threads int) string // see Describe
}

func (t *test) Name() string { return t.name }

// SQL reports false.
func (t *test) SQL() bool { return false }

func (t *test) Options() []option.Spec { return t.options }

func (t *test) Commands() []workload.Command { return t.commands }

func (t *test) NewRun(s workload.Setup) (workload.Run, error) { return t.newRun(s) }

// maxProcs bounds what processors raises.
const maxProcs = 4096

// processors lets all threads of a run be scheduled by the operating system, as sysbench's are: with one Go
// processor per CPU the threads beyond would wait for others to be preempted inside Go, and tests of the
// scheduler would test Go's.
type processors struct {
	threads int
	before  int // 0: not raised
}

// Blocking reports true.
func (*processors) Blocking() bool { return true }

// Prepare raises the number of Go processors to the number of threads.
func (p *processors) Prepare() error {
	if n := min(p.threads, maxProcs); n > runtime.GOMAXPROCS(0) {
		p.before = runtime.GOMAXPROCS(n)
	}
	return nil
}

// Cleanup undoes Prepare.
func (p *processors) Cleanup() {
	if p.before > 0 {
		runtime.GOMAXPROCS(p.before)
		p.before = 0
	}
}

// between returns an error for options out of a range. sysbench takes negative numbers and some zeros as huge ones, and
// runs for hours or crashes.
func between(o workload.Values, least, most int, names ...string) error {
	for _, name := range names {
		if n := o.Int(option.Key(name)); n < least || n > most {
			return failure("Invalid value for --%s: %d (%d to %d)", name, n, least, most)
		}
	}
	return nil
}

// failure returns an error whose text is a line of sysbench's log: it starts with a capital.
func failure(format string, args ...any) error { return fmt.Errorf(format, args...) }
