// Package engine executes a workload with many threads against a clock: start barrier, warm-up, time and
// event limits, arrival rate, two-step stop, interval and cumulative measurements (specification 3).
//
// The same workload code runs under two executors: event loops with a coroutine per thread, and one
// goroutine per thread. The engine prints nothing; what happens is told to an Observer.
//
// Life of a thread:
//
//	state     entered when                                left when
//	new       the run is created                          a slot for initialisation is free
//	init      Run.Thread is called                        it returns (error: the run fails)
//	ready     initialised, parked at the start barrier    all threads are ready, or the run is given up
//	running   the clock has started                       a limit, a stop, a fatal error or an interrupt
//	ending    Worker.Done is called (not after errors)    it returns
//	ended     counted down                                -
package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"deltabench/internal/loop"
	"deltabench/internal/measure"
	"deltabench/internal/pace"
	"deltabench/internal/random"
	"deltabench/internal/sqldb"
	"deltabench/internal/workload"
)

// Executor is how threads are executed.
type Executor int

// Executors.
const (
	Auto      Executor = iota // event loops where the system has them and the workload waits on the network
	Loop                      // event loops with a coroutine per thread
	Goroutine                 // a goroutine per thread
)

// String returns the name used by --engine.
func (e Executor) String() string {
	switch e {
	case Loop:
		return "loop"
	case Goroutine:
		return "goroutine"
	}
	return "auto"
}

// Defaults and bounds.
const (
	DefaultGrace       = 5 * time.Second  // from the time limit to the interrupt of running events
	DefaultInitTimeout = 30 * time.Second // for all threads to become ready
	endGrace           = 1 * time.Second  // from the interrupt to giving threads up
	initGCPercent      = 30               // see Run
	initSlots          = 128              // threads that connect at the same time, for each executor unit
)

// ErrUnsupported says that the executor asked for does not exist on this system.
var ErrUnsupported = errors.New("the loop engine needs Linux; use --engine=goroutine")

// Config says how a workload is executed. It is not changed by the run.
type Config struct {
	Threads     int           // at least 1
	Events      int64         // limit over all threads; 0 = none
	PerThread   int64         // events that one thread starts at most; negative = no limit
	Time        time.Duration // limit; 0 = none
	Warmup      time.Duration // before the measured time; not part of Time
	Rate        float64       // arrivals per second over all threads; 0 = closed loop
	AbortOnFull bool          // end the run with ErrQueueFull when the backlog reaches sysbench's queue capacity
	Executor    Executor
	Loops       int           // event loops; 0 = chosen from CPUs and threads
	Grace       time.Duration // from the time limit to the interrupt of running events; negative = never
	InitTimeout time.Duration // 0 = DefaultInitTimeout
	Interval    time.Duration // between interval observations; 0 = none
	Checkpoints []time.Duration
	ExtraDraw   bool     // each finished event draws one number, as sysbench does when percentiles are on
	Kinds       []string // names of statement kinds for latency by statement; empty = not wanted
	Random      *random.Process
	InitGC      int // garbage collector's percentage while threads initialise; 0 = initGCPercent
}

// ErrQueueFull ends a run whose backlog reached the capacity of sysbench's event queue.
var ErrQueueFull = errors.New("the event queue is full")

// InitError is a run that never started because threads did not become ready.
type InitError struct {
	Failed  int                  // threads with an error, each told to the observer
	Timeout bool                 // the rest did not become ready in time
	Waiting int                  // threads not ready
	Steps   [sqldb.StepCount]int // where those were, after a timeout; they sum up to Waiting unless some became ready just then
}

func (e *InitError) Error() string {
	if e.Timeout {
		return fmt.Sprintf("%d threads did not initialise in time", e.Waiting)
	}
	return fmt.Sprintf("%d threads failed to initialise", e.Failed)
}

// Phase is the part of a thread's life in which an error happened.
type Phase int

// Phases.
const (
	PhaseInit Phase = iota
	PhaseRun
	PhaseDone
)

// Observer is told what happens. ThreadError is called on the thread itself, the others by Run; none of
// them may block for long.
type Observer interface {
	// Started is called when all threads are ready, as the clock starts.
	Started()
	// WarmedUp is called when the warm-up ends and the measurement begins.
	WarmedUp()
	// Interval gets what happened since the previous interval.
	Interval(Interval)
	// Checkpoint gets the cumulative measurements, which are then reset.
	Checkpoint(Report)
	// ThreadError gets an error that ended a thread.
	ThreadError(thread int, phase Phase, err error)
}

// Interval is one interval observation.
type Interval struct {
	*measure.Snapshot
	Elapsed     time.Duration // since the start of the measured time
	Due         time.Duration // Elapsed, or less when the interval waited for the last events of the run: what lines are stamped with
	Length      time.Duration // real length
	Threads     int           // not ended
	Queue       int64         // arrivals that wait for a thread, under a rate
	Concurrency int64         // events that run, under a rate
	Warmup      bool          // during the warm-up
	Last        bool          // up to the end of the run or the warm-up, of any length; that of the run is observed even without Config.Interval
}

// Report is a cumulative observation.
type Report struct {
	*measure.Snapshot
	Elapsed    time.Duration // since the start of the measured time
	SinceReset time.Duration // since the last checkpoint, or the start
	Unfinished int           // events that were running at a forced stop
	Now        int64         // clock of the run, for ThreadTotals.InEventNs
}

// Limit is what ended a run.
type Limit int

// Limits.
const (
	TimeLimit    Limit = iota
	EventLimit         // --events, or the workload's own number of events
	WorkersEnded       // the workload ended its threads
	Interrupted        // the caller's context ended
	Failed             // an error in a thread, or ErrQueueFull
)

// Result is a finished run.
type Result struct {
	Report
	EndedBy  Limit
	Forced   bool  // running events were cut short
	Err      error // first fatal error; the measurements up to it are valid all the same
	Client   ClientCost
	Executor Executor
	Loops    int
	Offered  int64 // arrivals due in the measured time, under a rate
	Backlog  int64 // of those, never started
	Started  time.Time
}

// run is the state shared by the threads of one run.
type run struct {
	cfg     Config
	load    workload.Run
	obs     Observer
	set     measure.Set
	threads []*thread
	exec    executor
	sched   *pace.Schedule // nil in closed loops
	origin  time.Time

	startNs   int64        // when the clock started
	measureNs int64        // when the measured time started: startNs + warm-up
	endNs     int64        // time limit, or the far future
	measuring atomic.Bool  // the warm-up has ended, or there is none: events that start now are measured
	admitted  atomic.Int64 // measured events, started or promised a place; counted under an event limit
	running   atomic.Int64 // events that run now, kept only under a rate
	alive     atomic.Int64 // threads not ended
	endedNs   atomic.Int64 // when the last thread ended
	warmEnd   atomic.Int64 // when the warm-up ended, 0 before that
	stop      atomic.Bool  // no new events
	cut       atomic.Bool  // interrupt has been sent
	byTime    atomic.Bool
	byEvents  atomic.Bool

	mu        sync.Mutex
	fatal     error
	initFails int
	notReady  int
	ready     chan struct{} // closed when notReady is 0
	ended     chan struct{} // closed when alive is 0
	failed    chan struct{} // closed at the first fatal error
}

const forever = int64(1) << 62

// now is the clock of the run: monotonic ns since the run was created, never 0.
func (r *run) now() int64 { return int64(time.Since(r.origin)) + 1 }

// Run executes the workload and returns when all threads have ended, or were given up after a forced stop.
// The end of ctx ends the run cleanly. An *InitError means that nothing was measured.
func Run(ctx context.Context, cfg Config, load workload.Run, obs Observer) (*Result, error) {
	if cfg.Threads < 1 {
		return nil, fmt.Errorf("threads: %d is not at least 1", cfg.Threads)
	}
	if cfg.InitTimeout == 0 {
		cfg.InitTimeout = DefaultInitTimeout
	}
	kind, err := chooseExecutor(cfg.Executor, load)
	if err != nil {
		return nil, err
	}
	r := &run{
		cfg: cfg, load: load, obs: obs, origin: time.Now(), notReady: cfg.Threads,
		ready: make(chan struct{}), ended: make(chan struct{}), failed: make(chan struct{}),
	}
	r.set.Options = measure.Options{Open: cfg.Rate > 0, Kinds: cfg.Kinds, Warmup: cfg.Warmup > 0}
	if cfg.Events > 0 {
		r.set.Admit = r.admit
	}
	r.alive.Store(int64(cfg.Threads))
	for i := range cfg.Threads {
		// Workers take their seeds in the order of their numbers, before the arrivals do, so that a
		// thread's random stream depends on nothing but the seed and its number.
		r.threads = append(r.threads, &thread{id: i, run: r, rng: cfg.Random.NewSource()})
	}
	units := 1
	if kind == Loop {
		units = loopCount(cfg.Loops, cfg.Threads)
		r.exec, err = newLoops(r, units)
	} else {
		r.exec, err = newGoroutines(r)
	}
	if err != nil {
		return nil, err
	}
	// Threads allocate while they initialise and not in the measured time. Collecting more often then keeps
	// 1,024 connections below 25 MB.
	percent := cfg.InitGC
	if percent == 0 {
		percent = initGCPercent
	}
	defer debug.SetGCPercent(debug.SetGCPercent(percent))
	r.exec.start()
	if err := r.awaitReady(ctx); err != nil {
		r.giveUp()
		return nil, err
	}
	res := r.control(ctx)
	res.Executor, res.Loops = kind, units
	return res, nil
}

// executor runs the threads' main functions and carries the signals to them.
type executor interface {
	start()                  // begins initialisation of all threads
	release()                // opens the start barrier
	interrupt()              // makes every blocking call of every thread return sqldb.ErrInterrupted
	mark()                   // begins the span that lag is told for
	lag() (loop.Stats, bool) // what event loops know of their own delay
	close(wait time.Duration) bool
}

func chooseExecutor(want Executor, load workload.Run) (Executor, error) {
	blocking := workload.IsBlocking(load)
	switch {
	case want == Loop && !loop.Supported:
		return want, ErrUnsupported
	case blocking || want == Goroutine || !loop.Supported:
		return Goroutine, nil
	}
	return Loop, nil
}

// loopCount is the number of event loops: as asked, else min(CPUs/2, threads/32), at least 1 (DESIGN 4).
func loopCount(asked, threads int) int {
	n := asked
	if n <= 0 {
		n = min(runtime.GOMAXPROCS(0)/2, threads/32)
	}
	return max(1, min(n, threads))
}

// awaitReady waits at the start barrier.
func (r *run) awaitReady(ctx context.Context) error {
	timer := time.NewTimer(r.cfg.InitTimeout)
	defer timer.Stop()
	var timeout bool
	select {
	case <-r.ready:
	case <-timer.C:
		timeout = true
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if timeout && r.notReady > 0 {
		return &InitError{Timeout: true, Waiting: r.notReady, Failed: r.initFails, Steps: r.steps()}
	}
	if r.initFails > 0 {
		return &InitError{Failed: r.initFails}
	}
	return nil
}

// steps counts the threads that are not ready by what they are doing.
func (r *run) steps() (n [sqldb.StepCount]int) {
	for _, t := range r.threads {
		if s := t.step.Load(); s < uint32(sqldb.StepCount) {
			n[s]++
		}
	}
	return n
}

// giveUp ends threads that wait at the barrier or still initialise.
func (r *run) giveUp() {
	r.stop.Store(true)
	r.cut.Store(true)
	r.exec.interrupt()
	r.exec.release()
	r.exec.close(endGrace)
}

// initDone is called by each thread when its initialisation ended.
func (r *run) initDone(failed bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if failed {
		r.initFails++
	}
	r.notReady--
	if r.notReady == 0 {
		close(r.ready)
	}
}

// fail records a fatal error and stops all threads at their next event.
func (r *run) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fatal == nil {
		r.fatal = err
		close(r.failed)
	}
	r.stop.Store(true)
}

// threadEnded is called by each thread as its last act.
func (r *run) threadEnded() {
	if r.alive.Add(-1) == 0 {
		r.endedNs.Store(r.now())
		close(r.ended)
	}
}

var (
	_ sqldb.Env     = (*thread)(nil)
	_ sqldb.Stepper = (*thread)(nil)
)
