// Package pace computes when the events of an open loop arrive: the schedule of --rate (specification 3.5).
//
// No thread generates arrivals. A schedule is a sequence of absolute times, computed when somebody asks for the next
// one; idle threads claim arrivals in order and sleep until they are due, which has the effect of a FIFO queue
// with any number of waiting threads. A late thread claims arrivals of the past, none is skipped. The
// package has no clock and does not sleep: all times are nanoseconds on the caller's clock.
package pace

import (
	"math"
	"sync"
	"sync/atomic"

	"deltabench/internal/random"
)

// QueueLimit is the backlog at which sysbench gives up with "The event queue is full".
const QueueLimit = 131071

// Schedule is a sequence of arrivals. It is safe for concurrent use.
//
// Its counters cover the time since the start or the last Restart.
type Schedule struct {
	epoch   atomic.Int64 // arrivals up to here do not count
	started atomic.Int64

	mu      sync.Mutex
	claims  arrivals // what Next returns
	due     arrivals // the same sequence, followed by the clock
	dropped int64    // arrivals before due.n that do not count
}

// New returns a schedule of Poisson arrivals with a mean of rate (> 0) per second from start on. It continues a
// copy of src. As in sysbench the first interval is drawn twice: the first arrival is the sum of two.
func New(rate float64, src *random.Source, start int64) *Schedule {
	a := arrivals{poisson: true, src: *src, interval: 1e9 / rate, start: start}
	a.at = start + a.exponential() + a.exponential()
	return newSchedule(a)
}

// NewConstant returns a schedule with one arrival every 1/rate seconds (rate > 0), the first one an interval after
// start.
func NewConstant(rate float64, start int64) *Schedule {
	a := arrivals{interval: 1e9 / rate, start: start}
	a.at = a.constant()
	return newSchedule(a)
}

func newSchedule(a arrivals) *Schedule {
	s := &Schedule{claims: a, due: a}
	s.epoch.Store(math.MinInt64)
	return s
}

// Next claims the next arrival for the caller, who sleeps until it if it lies in the future, and then calls
// Started.
func (s *Schedule) Next() int64 {
	s.mu.Lock()
	at := s.claims.at
	s.claims.advance()
	s.mu.Unlock()
	return at
}

// Started notes that the event of a claimed arrival has started. An arrival from before the last Restart does
// not count.
func (s *Schedule) Started(arrival int64) {
	if arrival > s.epoch.Load() {
		s.started.Add(1)
	}
}

// Offered returns how many arrivals were scheduled up to now, whether anybody was there to claim them or not. A
// call costs time in proportion to the arrivals since the latest time asked for; an earlier time counts
// as the latest one.
func (s *Schedule) Offered(now int64) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.offered(now)
}

func (s *Schedule) offered(now int64) int64 {
	for s.due.at <= now {
		s.due.advance()
	}
	return s.due.n - s.dropped
}

// Claimed returns how many arrivals threads have claimed, those in the future included.
func (s *Schedule) Claimed() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.claims.n - s.dropped
}

// StartedCount returns how many events have started.
func (s *Schedule) StartedCount() int64 { return s.started.Load() }

// Backlog returns the length of the queue: arrivals that are due by now and have not started. An arrival that a
// thread has claimed and waits for counts from the moment it is due until it starts, so for the delay of
// the timer; one in the future does not count.
func (s *Schedule) Backlog(now int64) int64 {
	return max(0, s.Offered(now)-s.started.Load())
}

// Restart drops the backlog and starts the counters anew (end of the warm-up). It returns how many arrivals,
// due by now, nobody has claimed and nobody will. Threads keep claimed arrivals; those in the future count
// in the new period.
func (s *Schedule) Restart(now int64) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.offered(now)
	dropped := max(0, s.due.n-s.claims.n)
	if dropped > 0 {
		s.claims = s.due
	}
	s.dropped = s.due.n
	s.epoch.Store(now)
	s.started.Store(0)
	return dropped
}

// arrivals is a position in the sequence of arrivals.
type arrivals struct {
	n        int64 // arrivals before at
	at       int64 // the next arrival
	interval float64
	start    int64
	poisson  bool
	src      random.Source
}

// advance moves to the following arrival.
func (a *arrivals) advance() {
	a.n++
	if a.poisson {
		a.at += a.exponential()
	} else {
		a.at = a.constant()
	}
}

// constant returns the time of arrival n. It is not a running sum, so that roundings do not add up.
func (a *arrivals) constant() int64 { return a.start + int64(float64(a.n+1)*a.interval) }

// exponential draws an interval in ns.
func (a *arrivals) exponential() int64 { return int64(-a.interval * math.Log(1-a.src.Float64())) }
