package engine

import (
	"deltabench/internal/workload"
)

// events hands out the events of one thread, one at a time, and measures them. It is the workload.Control of workers that
// have a loop of their own.
type events struct {
	*thread
	left     int64 // events that the thread may still start; negative: no limit
	now      int64 // the latest reading of the clock
	arrival  int64 // when the event was due
	lateness int64 // of its start; -1 when the thread was busy
	start    int64
	running  bool
	claimed  bool // next has said yes, and the event has not begun
	measured bool // the event is of the measured time, also if it ends late
}

var _ workload.Control = (*events)(nil)

// loop lets a worker ask for its events itself.
func (e *events) loop(w workload.Looper) error {
	err := w.Loop(e)
	if e.running {
		e.abandon()
	}
	return err
}

// More claims the next event for a worker with a loop of its own, which may take its time between events.
func (e *events) More() (bool, error) {
	e.now = e.run.now()
	return e.next()
}

// next claims the next event. It reports false at a limit or a stop.
func (e *events) next() (bool, error) {
	r := e.run
	switch {
	case r.stop.Load():
		return false, nil
	case e.now >= r.endNs:
		r.byTime.Store(true)
		return false, nil
	case e.left == 0:
		r.byEvents.Store(true)
		return false, nil
	}
	e.left--
	e.measured = r.measuring.Load()
	if r.cfg.Events > 0 && e.measured && !r.admit() {
		r.byEvents.Store(true)
		return false, nil
	}
	e.arrival, e.lateness, e.claimed = e.now, -1, true
	if r.sched != nil {
		var err error
		if e.arrival, e.lateness, e.now, err = e.awaitArrival(e.now); e.arrival == 0 {
			return false, err
		}
	}
	return true, nil
}

// begin starts the clock of the event at the latest reading.
func (e *events) begin() {
	if e.run.sched != nil {
		e.run.running.Add(1)
	}
	e.start, e.running, e.claimed = e.now, true, false
	e.stats.Begin(e.start, e.measured)
}

// Start starts the clock of the event. What the worker did since More is not measured, unless a rate says when the event
// was due. A second start begins the event anew.
func (e *events) Start() {
	if e.running {
		e.leave()
	}
	e.now = e.run.now()
	if e.run.sched == nil || !e.claimed {
		e.arrival = e.now
	}
	e.begin()
}

// Stop ends the event.
func (e *events) Stop() {
	e.now = e.run.now()
	if !e.running {
		return
	}
	e.end()
	e.block.breathe(e.now)
}

// end counts the event at the latest reading.
func (e *events) end() {
	e.leave()
	r, start := e.run, e.start
	arrival := e.arrival
	if r.sched != nil && start < r.warmEnd.Load() {
		arrival = start // the queue of the warm-up is not measured
	}
	e.stats.Event(e.now-arrival, e.now-start, e.lateness)
	if r.cfg.ExtraDraw {
		e.rng.Uint64()
	}
}

// abandon ends the event without counting it.
func (e *events) abandon() {
	e.leave()
	e.stats.Abandon()
}

// leave ends the event for those who ask how many run.
func (e *events) leave() {
	if e.running && e.run.sched != nil {
		e.run.running.Add(-1)
	}
	e.running = false
}
