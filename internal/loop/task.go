package loop

import (
	"errors"
	"fmt"
	"iter"
	"runtime/debug"
	"time"
)

// ErrInterrupted is the error of an interrupt that was given none.
var ErrInterrupted = errors.New("interrupted")

// never is the deadline of a park without one.
const never = 1<<63 - 1

// A task is in one of these states.
//
//	state    | left by                                       | to
//	ready    | its turn in the run queue                     | running
//	running  | a park (Sleep, Park, Yield, a blocked I/O)    | parked; ready for Yield
//	         | the end of its function, a panic, Goexit      | ended
//	parked   | wake: time, event, Unpark, Interrupt, Close   | ready
//	ended    |                                               |
type state uint8

const (
	ready state = iota
	running
	parked
	ended
)

// reason is what a parked task waits for, beside its deadline and an interrupt.
type reason uint8

const (
	forTime reason = iota
	forUnpark
	forRead
	forWrite
)

// Task is a coroutine. Its methods are called on the loop: by the task itself, by another task of the same loop
// or by a posted function. Those that park are for the task itself, others panic.
type Task struct {
	loop     *Loop
	next     func() (struct{}, bool)
	yield    func(struct{}) bool
	fn       func(*Task)
	conns    *Conn // connections that the task has opened, a list
	conn     *Conn // the one it waits for (forRead, forWrite)
	stopped  error // set by Interrupt
	failure  any   // value of its panic
	deadline int64 // of the current park
	parkings uint64
	place    int32 // in the timer heap, plus 1
	index    int32 // in Loop.tasks
	state    state
	reason   reason
	token    bool  // Unpark came before Park
	expired  bool  // the last park ended by its deadline
	budget   uint8 // reads and writes left before the task has to let others run
}

// ioBudget is how many reads and writes in a row may succeed without a park. A task that streams a huge result from
// a fast server would keep the loop for itself otherwise.
const ioBudget = 32

// PanicError is a panic of a task or a posted function.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("panic in a task: %v", e.Value) }

// Unwrap returns the value of the panic when it was an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// Loop returns the loop that the task belongs to.
func (t *Task) Loop() *Loop { return t.loop }

// Parks returns how often the task has given control to the loop to wait for something. A task that finds it
// unchanged for long should Yield.
func (t *Task) Parks() uint64 { return t.parkings }

// Err returns the value that the task's function has panicked with, or nil.
func (t *Task) Err() any { return t.failure }

// Sleep parks the task for d. It returns nil, or the error of an interrupt. A d of 0 or less does not park.
func (t *Task) Sleep(d time.Duration) error {
	if d <= 0 {
		return t.stopped
	}
	return t.sleepUntil(after(t.loop.Now(), d))
}

// SleepUntil parks the task until the loop's clock shows ns. A time that has passed does not park.
func (t *Task) SleepUntil(ns int64) error {
	if ns <= t.loop.Now() {
		return t.stopped
	}
	return t.sleepUntil(ns)
}

func (t *Task) sleepUntil(ns int64) error {
	_, err := t.park(forTime, ns)
	return err
}

// after adds d to now without overflow.
func after(now int64, d time.Duration) int64 {
	if int64(d) > never-1-now {
		return never - 1
	}
	return now + int64(d)
}

// Park parks the task until Unpark is called; at once when that was called since the last Park. It returns nil, or
// the error of an interrupt.
func (t *Task) Park() error {
	if t.stopped != nil {
		return t.stopped
	}
	if t.token {
		t.token = false
		return nil
	}
	_, err := t.park(forUnpark, never)
	return err
}

// Unpark ends the task's Park, or makes its next one return at once. Several calls before that Park count as one.
func (t *Task) Unpark() {
	if t.state == parked && t.reason == forUnpark {
		t.loop.wake(t, 0)
		return
	}
	t.token = true
}

// Interrupt makes the current and every later park of the task return err. Calls after the first do nothing. Reads and
// writes that need no park still work, so that an interrupted task can say goodbye to its server.
func (t *Task) Interrupt(err error) {
	if t.stopped != nil || t.state == ended {
		return
	}
	if err == nil {
		err = ErrInterrupted
	}
	t.stopped = err
	if t.state == parked {
		t.loop.wake(t, 0)
	}
}

// Yield lets the other tasks that are ready run; the task is resumed in the next turn of the loop. It returns nil, or
// the error of an interrupt.
func (t *Task) Yield() error {
	if t.stopped != nil {
		return t.stopped
	}
	t.mustRun()
	t.state = parked
	t.reason = forTime
	t.deadline = never
	t.loop.wake(t, 0)
	t.yield(struct{}{})
	return t.stopped
}

func (t *Task) mustRun() {
	if t.loop.current != t {
		panic("loop: a task was asked to park by someone else")
	}
}

// park gives control to the loop until the task is woken. It reports whether the deadline was the cause.
func (t *Task) park(r reason, deadline int64) (bool, error) {
	if t.stopped != nil {
		return false, t.stopped
	}
	t.mustRun()
	t.parkings++
	t.state, t.reason, t.deadline, t.expired = parked, r, deadline, false
	if deadline != never {
		t.loop.timers.arm(t, deadline)
	}
	t.yield(struct{}{})
	return t.expired, t.stopped
}

// charge takes one read or write from the budget, and yields when it is used up.
func (t *Task) charge() {
	if t.budget > 0 {
		t.budget--
	} else if t.stopped == nil && t.loop.current == t {
		_ = t.Yield() // the interrupt shows at the next park
	}
}

// resume runs t until it parks or ends.
func (l *Loop) resume(t *Task) {
	t.state = running
	t.budget = ioBudget
	l.current = t
	if t.next == nil {
		t.next, _ = iter.Pull(t.run) // stop is not needed: run always comes to its end before Run returns
	}
	t.next()
	l.current = nil
}

// run is the coroutine.
func (t *Task) run(yield func(struct{}) bool) {
	t.yield = yield
	defer t.end()
	t.fn(t)
}

// end takes a task that has returned, panicked or called Goexit out of the loop.
func (t *Task) end() {
	l := t.loop
	if v := recover(); v != nil {
		t.failure = v
		l.panicked(t, v)
	}
	for t.conns != nil {
		_ = t.conns.Close()
	}
	l.timers.remove(t)
	t.state = ended
	t.fn = nil
	last := len(l.tasks) - 1
	l.tasks[last].index = t.index
	l.tasks[t.index] = l.tasks[last]
	l.tasks[last] = nil
	l.tasks = l.tasks[:last]
}

// panicked reports a recovered panic. t is nil for a posted function.
func (l *Loop) panicked(t *Task, value any) {
	p := &PanicError{Value: value, Stack: debug.Stack()}
	if l.onPanic != nil {
		l.onPanic(t, p)
	} else if l.failure == nil {
		l.failure = p
	}
}
