package loop

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

const (
	defaultScratch = 64 << 10
	eventBatch     = 256 // events taken from the poller at once
)

// Options configure a loop. The zero value is ready for use.
type Options struct {
	// Poller is closed by the loop. Nil means the system's own.
	Poller Poller
	// Scratch is the size in bytes of the read buffer that the loop's connections share. 0 means 64 KiB.
	Scratch int
	// Clock returns monotonic nanoseconds; it must be cheap, and safe for use by several goroutines because of Stats.
	// Nil means the system's monotonic clock since the start of the process.
	Clock func() int64
	// OnPanic is told, on the loop, of each panic of a task, or of a posted function (t is nil then). The task has
	// ended, the loop goes on. Nil: Run returns the first one, as a *PanicError, when the tasks have ended.
	OnPanic func(t *Task, p *PanicError)
}

// Loop runs tasks. Post and Stats may be called from any goroutine, Go also before Run; everything else belongs
// on the loop.
type Loop struct {
	poller  Poller
	clock   func() int64
	onPanic func(*Task, *PanicError)
	scratch []byte

	tasks   []*Task // not ended
	current *Task   // running
	stopped error   // set by InterruptAll
	failure error   // first panic
	runq    []queued
	spare   []queued
	timers  timers
	conns   []slot
	free    []uint32 // free slots of conns
	events  []Event

	now      int64 // last reading of the clock: the start of the batch while one runs
	previous int64 // how long the last batch took, ns; 0 when the loop has slept since
	started  bool

	spins spinning

	posted     atomic.Bool  // queue is not empty
	sleepSince atomic.Int64 // time at which a blocking poll was started, 0 when none is on

	mu     sync.Mutex // guards queue and closed
	queue  []func()
	closed bool

	counters counters
}

// queued is an entry of the run queue.
type queued struct {
	t *Task
	// at is the estimated time at which the task became ready, ns; 0 when it was the loop itself that made it so.
	at int64
}

// origin is the zero of the default clock.
var origin = time.Now()

// New returns a loop without tasks. It holds descriptors from now on, which Run releases, or Close when the loop
// is not run.
func New(opt Options) (*Loop, error) {
	p, spins := opt.Poller, spinning{}
	if p == nil {
		spins = newSpinning() // a poller of tests has a time of its own
		var err error
		if p, err = newPoller(); err != nil {
			return nil, fmt.Errorf("event loop: %w", err)
		}
	}
	if opt.Scratch <= 0 {
		opt.Scratch = defaultScratch
	}
	return &Loop{
		poller: p, clock: opt.Clock, onPanic: opt.OnPanic,
		scratch: make([]byte, opt.Scratch), events: make([]Event, eventBatch), spins: spins,
	}, nil
}

// Close releases a loop that has never been run; its tasks never start. After Run it does nothing.
func (l *Loop) Close() error {
	if l.started {
		return nil
	}
	l.started = true
	return l.release()
}

// Now reads the loop's clock: monotonic nanoseconds since the start of the process, or what Options.Clock says.
func (l *Loop) Now() int64 {
	if l.clock != nil {
		return l.clock()
	}
	return int64(time.Since(origin))
}

// Go adds a task, which starts in the next turn. It is called before Run, or on the loop.
func (l *Loop) Go(fn func(t *Task)) {
	t := &Task{loop: l, fn: fn, stopped: l.stopped, index: int32(len(l.tasks))}
	l.tasks = append(l.tasks, t)
	l.runq = append(l.runq, queued{t: t})
}

// Post runs fn on the loop, soon. It may be called from any goroutine, before Run too. Functions run in the order of
// their posting and must not park. After Run has returned it does nothing.
func (l *Loop) Post(fn func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	l.queue = append(l.queue, fn)
	l.posted.Store(true)
	// The loop stores sleepSince before it looks at posted, we do it the other way round: one of us sees the other.
	if l.sleepSince.Load() != 0 {
		_ = l.poller.Wake()
	}
}

// InterruptAll interrupts every task, those that are added later too. It is called on the loop.
func (l *Loop) InterruptAll(err error) {
	if l.stopped != nil {
		return
	}
	if err == nil {
		err = ErrInterrupted
	}
	l.stopped = err
	for _, t := range l.tasks {
		t.Interrupt(err)
	}
}

// Run runs the tasks on the calling goroutine until all of them and the posted functions have ended. A loop can be
// run once. The error is that of the poller, or of a panic (see Options.OnPanic).
func (l *Loop) Run() (err error) {
	if l.started {
		return errors.New("event loop: it has been run or closed already")
	}
	l.started = true
	l.now = l.Now()
	l.counters.begin(l.now)
	defer func() {
		l.counters.finish(l.Now())
		err = errors.Join(err, l.release())
		if err == nil {
			err = l.failure
		}
	}()
	defer func() { l.abandon(err) }()
	for {
		if l.posted.Load() {
			l.runPosted()
		}
		if len(l.tasks) == 0 && l.shut() {
			return nil
		}
		if err := l.poll(); err != nil {
			return fmt.Errorf("event loop: %w", err)
		}
		l.runReady()
	}
}

// abandon ends the tasks that are left because the poller has failed with err, or because a task has called Goexit
// (as testing.FailNow does), which takes the goroutine of Run along. Their coroutines must not leak.
func (l *Loop) abandon(err error) {
	if len(l.tasks) == 0 {
		return
	}
	l.InterruptAll(err)
	defer func() { l.abandon(err) }() // goes on when one of them calls Goexit too
	for len(l.tasks) > 0 {
		l.resume(l.tasks[len(l.tasks)-1])
	}
}

// shut refuses further posts, unless there are functions to be run.
func (l *Loop) shut() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = len(l.queue) == 0
	return l.closed
}

// release closes what the loop holds.
func (l *Loop) release() error {
	l.mu.Lock()
	defer l.mu.Unlock() // a late Post must not write to a descriptor that is someone else's by now
	l.closed = true
	l.queue = nil
	if err := l.poller.Close(); err != nil {
		return fmt.Errorf("close the poller of the event loop: %w", err)
	}
	return nil
}

// runPosted runs the posted functions.
func (l *Loop) runPosted() {
	l.mu.Lock()
	q := l.queue
	l.queue = nil
	l.posted.Store(false)
	l.mu.Unlock()
	for _, fn := range q {
		l.call(fn)
	}
}

func (l *Loop) call(fn func()) {
	defer func() {
		if v := recover(); v != nil {
			l.panicked(nil, v)
		}
	}()
	fn()
}

// wake puts a parked task into the run queue. at is the time at which it became ready as seen from outside.
func (l *Loop) wake(t *Task, at int64) {
	t.state = ready
	l.runq = append(l.runq, queued{t, at})
}

// runReady resumes the tasks of the run queue. Those that become ready meanwhile wait for the next turn, so that
// sockets and timers are looked at in between.
func (l *Loop) runReady() {
	batch := l.runq
	if len(batch) == 0 {
		return
	}
	l.runq = l.spare[:0]
	for i := range batch {
		l.resume(batch[i].t)
	}
	end := l.Now()
	l.counters.batch(batch, l.now, end)
	l.previous = end - l.now
	l.now = end
	clear(batch) // ended tasks must not be kept
	l.spare = batch
}

// A poll of less than this many ns has found its events there: a sleep and a wake-up take longer.
const (
	sleepNoticed   = 2000
	sleepNoticedBy = 150 // more for each event that it returns
)

// poll waits for events and timers, and puts their tasks into the run queue.
//
// Trying first without sleeping, always or as often as that had paid before, made no difference to the CPU time of a
// round trip that could be told from noise (16 to 256 connections, 7 runs each, 7.1 to 7.9 µs at best for all).
func (l *Loop) poll() error {
	timeout := l.timeout()
	n, err := 0, error(nil)
	if timeout == 0 {
		n, err = l.poller.Wait(l.events, 0)
	} else {
		n, err = l.block(timeout)
	}
	if err != nil {
		return err
	}
	l.deliver(n)
	l.expire()
	return nil
}

// block is a poll that may sleep.
func (l *Loop) block(timeout int64) (int, error) {
	l.sleepSince.Store(max(l.now, 1))
	if l.posted.Load() {
		timeout = 0
	}
	n, timeout, err := l.spin(timeout)
	if n == 0 && err == nil {
		n, err = l.poller.Wait(l.events, timeout)
	}
	now := l.Now()
	asleep := now - l.now
	if asleep < sleepNoticed+sleepNoticedBy*int64(n) {
		asleep = 0
	} else {
		l.previous = 0
	}
	l.counters.slept(asleep, &l.sleepSince)
	l.now = now
	return n, err
}

// timeout is how long the loop may sleep: 0 when there is work, negative without timers.
func (l *Loop) timeout() int64 {
	if len(l.runq) > 0 {
		return 0
	}
	if len(l.timers.heap) == 0 {
		return -1
	}
	d := max(0, l.timers.heap[0].when-l.now)
	if d > 100e6 {
		// Linux lets a poll oversleep by a thousandth. Wake a little early and sleep again for the rest.
		d -= d >> 9
	}
	return d
}

// deliver hands the first n events to their connections.
func (l *Loop) deliver(n int) {
	if n == 0 {
		return
	}
	// Events that were there when the poll was made came during the previous batch; the kernel lists them in order of
	// arrival, so that the k-th of n came k/n of the way into it.
	at, step := l.now-l.previous, l.previous/int64(n)
	at += step / 2
	for i := range l.events[:n] {
		e := &l.events[i]
		if c := l.lookup(e.Token); c != nil {
			c.event(e.Ready, max(at, 1))
		}
		at += step
	}
}

// expire wakes the tasks whose time has come.
func (l *Loop) expire() {
	h := &l.timers
	for len(h.heap) > 0 && h.heap[0].when <= l.now {
		t := h.heap[0].t
		switch {
		case t.state != parked || t.deadline == never:
			h.remove(t)
		case t.deadline > l.now:
			h.postpone(t.deadline)
		default:
			at := l.now // after a sleep it is the kernel that was late
			if l.previous > 0 {
				at = max(t.deadline, 1)
			}
			h.remove(t)
			t.expired = true
			l.wake(t, at)
		}
	}
}
