package engine

import (
	"context"
	"time"

	"deltabench/internal/measure"
	"deltabench/internal/pace"
)

// queueCheck is how often a rate's backlog is looked at when it may abort the run.
const queueCheck = 100 * time.Millisecond

// controller drives one run from the start barrier to its end: limits, intervals, checkpoints, stops. It is
// the reporter of the measurement set.
type controller struct {
	*run
	warm        bool  // the warm-up has not ended
	tick        int64 // next interval, forever when none
	intervalAt  int64 // start of the interval that runs
	resetAt     int64 // last checkpoint, or the start of the measured time
	checkpoints []time.Duration
	forceAt     int64 // interrupt of running events, forever when none
	endedBy     Limit
	cost        costStart // of the measured time, since the last checkpoint or the start
}

// control starts the clock, opens the barrier and returns the result when all is over.
func (r *run) control(ctx context.Context) *Result {
	c := &controller{run: r, checkpoints: r.cfg.Checkpoints, tick: forever, forceAt: forever}
	r.obs.Started()
	started := time.Now()
	c.startClock()
	r.exec.release()

	res := &Result{Started: started}
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	interrupted, failed := ctx.Done(), (<-chan struct{})(r.failed)
	for ended := false; !ended; {
		now := r.now()
		c.catchUp(now)
		if now >= c.forceAt {
			c.force(res, now)
			return res
		}
		timer.Reset(time.Duration(c.nextWake(now) - now))
		select {
		case <-timer.C:
		case <-r.ended:
			ended = true
		case <-interrupted:
			interrupted = nil
			c.endedBy = Interrupted
			c.stopSoon()
		case <-failed:
			failed = nil
			c.stopSoon()
		}
	}
	now := r.endedNs.Load() // not when this goroutine got to know of it
	c.catchUp(now)
	r.exec.close(endGrace)
	c.finish(res, now)
	return res
}

// startClock sets the times of the run. Threads see them after the barrier.
func (c *controller) startClock() {
	r := c.run
	now := r.now()
	r.startNs, r.measureNs = now, now+int64(r.cfg.Warmup)
	r.endNs = forever
	if r.cfg.Time > 0 {
		r.endNs = r.measureNs + int64(r.cfg.Time)
		if r.cfg.Grace >= 0 {
			c.forceAt = r.endNs + int64(r.cfg.Grace)
		}
	}
	c.warm = r.cfg.Warmup > 0
	r.measuring.Store(!c.warm)
	if r.cfg.Rate > 0 {
		r.sched = pace.New(r.cfg.Rate, r.cfg.Random.NewSource(), now)
	}
	c.intervalAt, c.resetAt = now, now
	if r.cfg.Interval > 0 {
		c.tick = now + int64(r.cfg.Interval)
	}
	c.markCost()
}

// markCost begins the span that the client's cost is told for. It is the one that queries are counted in.
func (c *controller) markCost() {
	c.exec.mark()
	c.cost = startCost()
}

// nextWake is the next time at which something is due.
func (c *controller) nextWake(now int64) int64 {
	next := min(c.forceAt, now+int64(time.Hour))
	if c.tick < c.endNs { // the interval that ends with the run waits for its last events
		next = min(next, c.tick)
	}
	if c.warm {
		next = min(next, c.measureNs)
	}
	if len(c.checkpoints) > 0 && !c.warm {
		next = min(next, c.measureNs+int64(c.checkpoints[0]))
	}
	if c.sched != nil && c.cfg.AbortOnFull {
		next = min(next, now+int64(queueCheck))
	}
	return max(next, now)
}

// catchUp does all that is due at now. It is called once more after the last thread has ended, so that an
// interval that ends with the run is observed whole.
func (c *controller) catchUp(now int64) {
	if c.warm && now >= c.measureNs {
		c.endWarmup(now)
	}
	if now >= c.tick && c.tick < c.endNs {
		c.interval(now, false)
	}
	for len(c.checkpoints) > 0 && !c.warm && now >= c.measureNs+int64(c.checkpoints[0]) {
		at := c.checkpoints[0]
		c.checkpoints = c.checkpoints[1:]
		if at > 0 {
			r := c.report(now, c.set.Checkpoint())
			c.resetAt = now
			c.obs.Checkpoint(r)
			c.markCost()
		}
	}
	if c.sched != nil && c.cfg.AbortOnFull && !c.stop.Load() && c.sched.Backlog(now) >= pace.QueueLimit {
		c.fail(ErrQueueFull)
	}
}

// interval observes the interval that runs and starts the next one. Missed ticks are skipped.
func (c *controller) interval(now int64, last bool) {
	iv := Interval{
		Snapshot: c.set.Interval(), Elapsed: time.Duration(now - c.measureNs), Length: time.Duration(now - c.intervalAt),
		Threads: int(c.alive.Load()), Warmup: c.warm, Last: last,
	}
	if c.warm {
		iv.Elapsed = time.Duration(now - c.startNs)
	}
	iv.Due = iv.Elapsed
	if last && c.tick <= now {
		iv.Due -= time.Duration(now - c.tick)
	}
	if c.sched != nil {
		iv.Queue, iv.Concurrency = c.sched.Backlog(min(now, c.endNs)), c.running.Load()
	}
	if iv.Threads == 0 { // they have just ended: they were there during the interval
		iv.Threads = c.cfg.Threads
	}
	c.intervalAt = now
	if step := int64(c.cfg.Interval); step > 0 {
		for c.tick <= now {
			c.tick += step
		}
	}
	c.obs.Interval(iv)
}

// endWarmup throws away what was measured so far. Events that are running count when they end.
func (c *controller) endWarmup(now int64) {
	c.lastOfWarmup(now)
	c.warm = false
	c.measuring.Store(true) // first: an event that starts from here on is not forgotten
	c.set.Discard()
	if c.sched != nil {
		c.warmEnd.Store(now)
		c.sched.Restart(now) // the backlog of the warm-up must not be measured
	}
	c.measureNs = now // the control may be late; endNs stays, since threads read it
	c.intervalAt, c.resetAt = now, now
	if c.cfg.Interval > 0 {
		c.tick = now + int64(c.cfg.Interval)
	}
	c.markCost()
	c.obs.WarmedUp()
}

// lastOfWarmup observes the interval that ends with the warm-up, mostly a whole one.
func (c *controller) lastOfWarmup(now int64) {
	if c.cfg.Interval > 0 {
		c.interval(now, true)
	}
}

// report is a cumulative view at now.
func (c *controller) report(now int64, view *measure.Snapshot) Report {
	return Report{
		Snapshot: view, Elapsed: time.Duration(now - c.measureNs),
		SinceReset: time.Duration(now - c.resetAt), Now: now,
	}
}

// stopSoon lets running events end, and has them interrupted when they do not.
func (c *controller) stopSoon() {
	c.stop.Store(true)
	// A long --forced-shutdown is about the time limit, not about somebody who waits at the keyboard.
	grace := c.cfg.Grace
	if grace < 0 || grace > DefaultGrace {
		grace = DefaultGrace
	}
	c.forceAt = min(c.forceAt, c.now()+int64(grace))
}

// force interrupts what runs. The measurements are those of this moment.
func (c *controller) force(res *Result, now int64) {
	c.stop.Store(true)
	res.Forced = true
	c.finish(res, now)
	for _, t := range res.Threads {
		if t.InEventNs > 0 {
			res.Unfinished++
		}
	}
	c.cut.Store(true)
	c.exec.interrupt()
	c.exec.close(endGrace)
}

// finish fills in the result.
func (c *controller) finish(res *Result, now int64) {
	if c.warm { // ended during the warm-up: nothing was measured
		c.lastOfWarmup(now)
		c.set.Discard()
		c.measureNs, c.resetAt = now, now
	} else {
		c.interval(now, true)
	}
	res.Client = c.cost.end(c.exec)
	res.Report = c.report(now, c.set.Cumulative())
	if c.sched != nil {
		due := min(now, c.endNs)
		res.Offered, res.Backlog = c.sched.Offered(due), c.sched.Backlog(due)
	}
	c.mu.Lock()
	res.Err = c.fatal
	c.mu.Unlock()
	switch {
	case res.Err != nil:
		res.EndedBy = Failed
	case c.endedBy == Interrupted:
		res.EndedBy = Interrupted
	case c.byEvents.Load():
		res.EndedBy = EventLimit
	case c.byTime.Load() || res.Forced:
		res.EndedBy = TimeLimit
	default:
		res.EndedBy = WorkersEnded
	}
}
