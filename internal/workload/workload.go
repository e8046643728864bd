// Package workload is the interface between tests (what a thread does in an event) and those who run them:
// the command line looks tests up and asks for their options and commands, the engine runs their events.
//
// It has no clock, starts no threads and prints nothing on its own account: a test writes to the log of its
// Setup. Tests live in subpackages.
//
// Rules for Thread, Event and Done of a test that is not blocking: they may run in a coroutine of an event loop. So
// they start no goroutine, wait for no channel and no contended mutex, and block nowhere but in calls of the
// database driver and of sqldb.Env.
package workload

import (
	"errors"
	"time"

	"deltabench/internal/measure"
	"deltabench/internal/option"
	"deltabench/internal/random"
	"deltabench/internal/sqldb"
	"deltabench/internal/textlog"
)

// ErrStop is returned by Worker.Event when the thread has nothing more to do. The event is not counted, the
// other threads go on.
var ErrStop = errors.New("thread has ended its work")

// ErrFailed is returned by a command that has failed and has said all that there is to say.
var ErrFailed = errors.New("the command says that it has failed")

// ErrOverdue is wrapped by the error of a function of the test that was ended at its time limit.
var ErrOverdue = errors.New("it has run for too long")

// ErrNoDriver is what a Driver wraps in the errors of Connect when the driver itself could not be set up (unknown
// name, bad option). Its text is sysbench's; the reason is in the log by then.
var ErrNoDriver = errors.New("failed to initialize the DB driver")

// ScriptError is an error of a bundled SQL test where sysbench would run a Lua script.
type ScriptError struct {
	Position string // file and line that sysbench 1.0.20 names, such as "oltp_common.lua:197"; may be empty
	Text     string // the message that it prints there; empty: that of Err
	Err      error  // cause; may be nil
}

func (e *ScriptError) Error() string {
	if e.Text == "" && e.Err != nil {
		return e.Err.Error()
	}
	return e.Text
}

// Unwrap returns the cause.
func (e *ScriptError) Unwrap() error { return e.Err }

// Test is a workload that the command line knows by name. It has no state of its own.
type Test interface {
	Name() string
	// SQL reports whether the test uses a database: commands and runs then need Setup.Driver.
	SQL() bool
	// Options are the test's own options in the order of help. Names are spelled as listed, so with
	// underscores or dashes; a Hidden one is accepted but not listed by 1.0.20.
	Options() []option.Spec
	// Commands are those besides run and help.
	Commands() []Command
	// NewRun checks the options and returns a run. The text of an error is one log line that sysbench
	// would print after FATAL; lines before it are in the log already.
	NewRun(Setup) (Run, error)
}

// Command is a command of a test such as prepare.
type Command struct {
	Name string
	// Parallel commands are executed once by each of Setup.Threads threads, with the same Setup. Others
	// are executed once, as thread 0 of 1, with the main source of Setup.Random. So are parallel ones
	// when there is one thread only.
	Parallel bool
	// Function is the name of the function that sysbench blames for an error of the command.
	Function string
	// Do executes the command on the thread t. It may run in a coroutine, see the package comment.
	// t.Stats may be nil.
	Do func(s Setup, t ThreadContext) error
}

// Setup is what all threads of a run or command share. Tests do not change it.
type Setup struct {
	Options     Values
	Threads     int
	EventsLimit int64 // --events; 0 when there is none
	Log         *textlog.Log
	Random      *random.Process
	Dist        *random.Dist
	Driver      sqldb.Driver // nil unless Test.SQL
}

// ThreadContext is what the executor gives to each thread. The engine's threads and those of commands get
// their own.
type ThreadContext struct {
	ID      int // 0 … Threads-1
	Threads int
	Rand    *random.Source  // owned by the thread
	Stats   *measure.Thread // nil where nothing is measured
	Env     sqldb.Env
}

// Run is one execution of `run`. Its methods are called in this order: Mode, Prepare (see Preparer), Thread
// once by each thread, Report, Cleanup.
type Run interface {
	// Mode writes the test's part of the mode block.
	Mode(log *textlog.Log)
	// Thread initialises a thread. It is called on the thread itself, before the start barrier.
	Thread(t ThreadContext) (Worker, error)
}

// Worker is one thread's part of a run.
type Worker interface {
	// Event executes one event. nil: it is counted. ErrStop: the thread ends. sqldb.Restartable: the
	// caller executes the event again. Anything else is fatal for the run.
	Event() error
	// Done ends the thread inside the measured time. It is not called after a fatal error of Event.
	Done() error
}

// The further abilities of a Run are optional.
type (
	// Preparer has work to do between the mode block and the start of threads.
	Preparer interface{ Prepare() error }

	// Cleaner frees what Prepare or NewRun took, after all threads have ended, also when Prepare failed.
	Cleaner interface{ Cleanup() }

	// Blocker reports whether workers block: each thread then needs a goroutine of its own.
	Blocker interface{ Blocking() bool }

	// Limiter changes when threads stop.
	Limiter interface{ Limits() Limits }

	// Reporter writes lines at the head of the cumulative report, before the general block.
	Reporter interface {
		Report(log *textlog.Log, t Totals)
	}

	// IntervalReporter writes the interval line in place of the general one.
	IntervalReporter interface {
		// Interval gets the totals of the interval; elapsed is the time since the start in seconds.
		Interval(log *textlog.Log, elapsed float64, t Totals)
	}

	// Figurer computes the test's own results for machine-readable reports, by names that carry their units.
	Figurer interface {
		Figures(t Totals) map[string]float64
	}

	// Holder says what each thread keeps on the server from its start to its end.
	Holder interface{ Holds() Holdings }

	// Keyer says how the keys of rows are distributed, where the general options do not.
	Keyer interface{ Keys() string }

	// Hooked is a run that may write reports itself, in place of those of the command line.
	Hooked interface {
		// Hooks reports which reports it writes.
		Hooks() (intervals, totals bool)
		// StartReports is called before threads start, with the reports that there will be during the run; EndReports
		// after the last of these, also when StartReports failed.
		StartReports(intervals, checkpoints bool) error
		EndReports()
		// Hook writes a report. What is still running at until is ended, and the error wraps ErrOverdue; zero: no limit.
		Hook(kind HookKind, st Stat, until time.Time) error
	}

	// Ender has work to do when all reports are written.
	Ender interface{ End() error }

	// Looper is a Worker that may ask for its events itself: when Loops reports that, Loop is called once where Event
	// would be called for each event. An error is as that of Event.
	Looper interface {
		Loops() bool
		Loop(c Control) error
	}

	// Labeller names the kinds of statements for latency by statement; index = measure.Kind, [0] unused.
	Labeller interface{ Kinds() []string }
)

// Control hands out the events of a thread to a Looper.
type Control interface {
	// More claims the next event, and waits for its arrival under a rate. It reports false when the thread is to end.
	More() (bool, error)
	Start() // starts the clock of the event
	Stop()  // ends the event, which is counted
}

// HookKind is a kind of report.
type HookKind int

// Kinds of reports.
const (
	HookInterval HookKind = iota
	HookCheckpoint
	HookFinal
)

// Stat is what a report tells; times are in seconds.
type Stat struct {
	Threads                                           int // not ended
	Interval                                          float64
	Total                                             float64
	LatencyPct, LatencyMin, LatencyMax                float64
	LatencyAvg, LatencySum                            float64
	Events, Reads, Writes, Others, Errors, Reconnects int64
	Queue, Concurrency                                int64 // of intervals, under a rate
}

// Limits are the limits that apply to a run.
type Limits struct {
	Events    int64 // over all threads; 0: none
	PerThread int64 // a thread that has started this many events ends before it asks for another; negative: none
}

// Holdings are what a thread keeps on the server.
type Holdings struct {
	Tables     int // that it uses
	PerTable   int // prepared statements for each of them
	Statements int // prepared statements besides
	Optional   int // of Statements, those that not every server can prepare
}

// LimitsOf returns the limits of a run: its own, or the events limit of the setup.
func LimitsOf(r Run, s Setup) Limits {
	if l, ok := r.(Limiter); ok {
		return l.Limits()
	}
	return Limits{Events: s.EventsLimit, PerThread: -1}
}

// IsBlocking reports whether each thread of the run needs a goroutine of its own.
func IsBlocking(r Run) bool {
	b, ok := r.(Blocker)
	return ok && b.Blocking()
}

// Totals are what reports of tests are computed from.
type Totals struct {
	Events  int64   // completed
	Seconds float64 // measured time
}

// PerSecond returns events per second, 0 without time.
func (t Totals) PerSecond() float64 {
	if t.Seconds <= 0 {
		return 0
	}
	return float64(t.Events) / t.Seconds
}

// Statement describes statements of an event for people who want to know what a test does.
type Statement struct {
	Key      string  // "point_selects"; a name of Labeller.Kinds
	SQL      string  // with ? for parameters and one table's name
	PerEvent float64 // how often it is executed in an event; less than 1 when it is not sent every time
	Prepared bool
}

// Explainer is a Test that can say which statements an event sends under given options.
type Explainer interface {
	Statements(driver string, o Values) []Statement
}

// Sampler is a Test whose keys have a distribution of its own options.
type Sampler interface {
	// Sample returns the keys. The error is for options that the test refuses.
	Sample(o Values) (Keys, error)
}

// Keys are random keys from Low to High.
type Keys struct {
	Text      string // the distribution in words
	Low, High uint32
	Draw      func(*random.Source) uint32
}

// Describer is a Test that says what an event does: the rest of the sentence that starts with "An event".
type Describer interface {
	Describe(o Values, threads int) string
}
