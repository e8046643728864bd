package engine

import (
	"errors"
	"fmt"
	"net"
	"runtime/debug"
	"sync/atomic"
	"time"

	"deltabench/internal/measure"
	"deltabench/internal/random"
	"deltabench/internal/sqldb"
	"deltabench/internal/workload"
)

// blocker is what an executor gives a thread to wait with. Its methods are called by that thread only.
type blocker interface {
	dial(network, address string, timeout time.Duration) (net.Conn, error)
	sleep(d time.Duration) error
	// barrier waits until the run is released.
	barrier()
	// breathe lets other threads of the same loop run when this one has not waited for a while.
	breathe(now int64)
}

// thread is one worker.
type thread struct {
	id    int
	run   *run
	rng   *random.Source
	stats *measure.Thread
	block blocker
	step  atomic.Uint32 // a sqldb.Step while the thread initialises, sqldb.StepCount from then on
}

// The thread is the sqldb.Env of its workload.

// Stopping reports whether the thread should give up waiting.
func (t *thread) Stopping() bool { return t.run.stop.Load() || t.run.pastEnd(t.run.now()) }

// Dial opens a stream as sqldb.Env has it.
func (t *thread) Dial(network, address string, timeout time.Duration) (net.Conn, error) {
	return t.block.dial(network, address, timeout)
}

// Sleep blocks the thread only.
func (t *thread) Sleep(d time.Duration) error { return t.block.sleep(d) }

// Breathe lets other threads run, see sqldb.Breather.
func (t *thread) Breathe() error {
	if t.run.cut.Load() {
		return sqldb.ErrInterrupted
	}
	t.block.breathe(t.run.now())
	return nil
}

// Step notes how far the initialisation has come. A thread that is ready stays so when it connects again.
func (t *thread) Step(s sqldb.Step) {
	if t.step.Load() < uint32(sqldb.StepCount) {
		t.step.Store(uint32(s))
	}
}

// pastEnd reports whether the time limit has passed; false before the clock has started.
func (r *run) pastEnd(now int64) bool { return r.endNs != 0 && now >= r.endNs }

// admit takes one of the events that may be measured, and reports whether there was one left.
func (r *run) admit() bool { return r.admitted.Add(1) <= r.cfg.Events }

// main is the whole life of the thread.
func (t *thread) main() {
	r := t.run
	defer r.threadEnded()
	w, err := t.init()
	if err != nil && !(r.cut.Load() && errors.Is(err, sqldb.ErrInterrupted)) {
		r.obs.ThreadError(t.id, PhaseInit, err)
	}
	t.step.Store(uint32(sqldb.StepCount))
	r.initDone(err != nil)
	t.block.barrier()
	if err != nil {
		return
	}
	if r.cut.Load() { // the run never started
		t.quietly(w.Done)
		return
	}
	err = t.guard(func() error { return t.events(w) })
	switch {
	case errors.Is(err, sqldb.ErrInterrupted):
		if r.pastEnd(r.now()) { // it gave up waiting, for a server that does not come back perhaps
			r.byTime.Store(true)
		}
		t.quietly(w.Done)
		return
	case err != nil:
		r.obs.ThreadError(t.id, PhaseRun, err)
		r.fail(err)
		return
	}
	if err := t.guard(w.Done); err != nil && !errors.Is(err, sqldb.ErrInterrupted) {
		r.obs.ThreadError(t.id, PhaseDone, err)
	}
	t.stats.Flush()
}

func (t *thread) init() (w workload.Worker, err error) {
	err = t.guard(func() error {
		w, err = t.run.load.Thread(workload.ThreadContext{
			ID: t.id, Threads: t.run.cfg.Threads, Rand: t.rng, Stats: t.stats, Env: t,
		})
		return err
	})
	return w, err
}

// quietly runs a last step whose error is of no interest any more.
func (t *thread) quietly(f func() error) { _ = t.guard(f) }

// guard turns a panic of the workload into this thread's error.
func (t *thread) guard(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = NewPanicError(p)
		}
	}()
	return f()
}

// PanicError is a panic inside a workload.
type PanicError struct {
	Value any
	Stack []byte
}

// NewPanicError returns the error for a recovered value, with the stack of the caller.
func NewPanicError(value any) *PanicError { return &PanicError{Value: value, Stack: debug.Stack()} }

func (e *PanicError) Error() string { return fmt.Sprintf("internal error: %v", e.Value) }

// events is the thread's loop: it ends without error at a limit or a stop.
func (t *thread) events(w workload.Worker) error {
	e := &events{thread: t, left: t.run.cfg.PerThread, now: t.run.now()}
	if l, ok := w.(workload.Looper); ok && l.Loops() {
		return e.loop(l)
	}
	for {
		if more, err := e.next(); !more || err != nil {
			return err
		}
		e.begin()
		err := w.Event()
		for err != nil && sqldb.Restartable(err) {
			if err = t.Breathe(); err != nil { // a script may ask for restarts for ever
				break
			}
			t.stats.Restart()
			err = w.Event()
		}
		e.now = t.run.now()
		if err != nil {
			e.abandon()
			if errors.Is(err, workload.ErrStop) {
				return nil
			}
			return err
		}
		e.end()
		t.block.breathe(e.now)
	}
}

// waitSlice is how long a thread sleeps at most before it looks whether the run has been stopped.
const waitSlice = 500 * time.Millisecond

// awaitArrival claims the next arrival of the schedule and sleeps until it is due. It returns the scheduled
// time, how late an idle thread started it (-1: the thread was busy, the arrival waited), and the current
// time; or arrival 0 when the run ended first.
func (t *thread) awaitArrival(now int64) (arrival, lateness, after int64, err error) {
	r := t.run
	due := r.sched.Next()
	if due <= now {
		r.sched.Started(due)
		return due, -1, now, nil
	}
	for now < due {
		wait := min(due, r.endNs) - now
		if err := t.block.sleep(min(time.Duration(wait), waitSlice)); err != nil {
			return 0, 0, now, err
		}
		now = r.now()
		switch {
		case r.stop.Load():
			return 0, 0, now, nil
		case now >= r.endNs:
			r.byTime.Store(true)
			return 0, 0, now, nil
		}
	}
	r.sched.Started(due)
	return due, now - due, now, nil
}
