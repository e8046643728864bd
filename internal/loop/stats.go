package loop

import (
	"math/bits"
	"sync"
	"sync/atomic"
)

// Stats says what a loop has done since Run was called. Times are nanoseconds.
//
// Lag is how long tasks that were made ready by a socket or a timer waited for the loop. It is estimated from the
// length of the batches they were in, see doc.go, and is what the loop adds to measured latencies. The time that the
// operating system takes to wake the loop's thread is not in it.
type Stats struct {
	WallNs   int64 // since Run was called, until it returned
	BusyNs   int64 // WallNs without the time asleep in the poller
	Batches  int64 // turns in which tasks were resumed
	Sleeps   int64 // polls that have slept
	Switches int64 // resumptions of tasks
	LagCount int64 // tasks that Lag covers
	LagP50Ns int64
	LagP99Ns int64
	LagMaxNs int64

	lag histogram
}

// BusyShare is the part of the time that the loop was not asleep, 0 to 1.
func (s *Stats) BusyShare() float64 {
	if s.WallNs <= 0 {
		return 0
	}
	return float64(s.BusyNs) / float64(s.WallNs)
}

// Since returns what was added to s after the earlier snapshot of the same loop was taken. LagMaxNs is exact to the
// histogram's resolution only (12.5 %).
func (s *Stats) Since(earlier *Stats) Stats {
	d := *s
	d.WallNs -= earlier.WallNs
	d.BusyNs = max(0, d.BusyNs-earlier.BusyNs)
	d.Batches -= earlier.Batches
	d.Sleeps -= earlier.Sleeps
	d.Switches -= earlier.Switches
	for i := range d.lag.n {
		d.lag.n[i] -= earlier.lag.n[i]
	}
	d.summarize()
	d.LagMaxNs = min(d.lag.quantile(1), s.LagMaxNs)
	return d
}

// Add adds the work of another loop; the busy share becomes the mean over the loops.
func (s *Stats) Add(o *Stats) {
	s.WallNs += o.WallNs
	s.BusyNs += o.BusyNs
	s.Batches += o.Batches
	s.Sleeps += o.Sleeps
	s.Switches += o.Switches
	s.LagMaxNs = max(s.LagMaxNs, o.LagMaxNs)
	for i := range s.lag.n {
		s.lag.n[i] += o.lag.n[i]
	}
	s.summarize()
}

// LagQuantileNs returns the lag that the share q (0 to 1) of the tasks did not exceed, rounded up to the end of its
// histogram bucket (at most 12.5 % more). 0 when nothing was recorded.
func (s *Stats) LagQuantileNs(q float64) int64 { return min(s.lag.quantile(q), s.LagMaxNs) }

func (s *Stats) summarize() {
	s.LagCount = s.lag.count()
	s.LagP50Ns = s.LagQuantileNs(0.50)
	s.LagP99Ns = s.LagQuantileNs(0.99)
}

// Stats returns a snapshot. It may be called from any goroutine, at any time.
func (l *Loop) Stats() Stats {
	c := &l.counters
	c.mu.Lock()
	s := c.stats
	switch {
	case !c.running:
		s.WallNs = c.end - c.start
	default:
		now := l.Now()
		s.WallNs = now - c.start
		if since := l.sleepSince.Load(); since != 0 {
			s.BusyNs -= max(0, now-since)
		}
	}
	c.mu.Unlock()
	s.BusyNs = max(0, s.BusyNs+s.WallNs)
	s.summarize()
	return s
}

// counters are written by the loop, once a batch and once a sleep. A mutex costs less there than an atomic per number,
// and is contended only while a snapshot is copied.
type counters struct {
	mu         sync.Mutex
	running    bool
	start, end int64
	stats      Stats // BusyNs holds minus the time asleep
}

func (c *counters) begin(now int64) {
	c.mu.Lock()
	c.running, c.start = true, now
	c.mu.Unlock()
}

func (c *counters) finish(now int64) {
	c.mu.Lock()
	c.running, c.end = false, now
	c.mu.Unlock()
}

// slept ends a poll in which the loop was asleep for ns, maybe 0.
func (c *counters) slept(ns int64, since *atomic.Int64) {
	c.mu.Lock()
	c.stats.BusyNs -= ns
	if ns > 0 {
		c.stats.Sleeps++
	}
	since.Store(0)
	c.mu.Unlock()
}

// batch records a batch that ran from start to end.
func (c *counters) batch(batch []queued, start, end int64) {
	c.mu.Lock()
	s := &c.stats
	s.Batches++
	s.Switches += int64(len(batch))
	at, step := start, (end-start)/int64(len(batch))
	for i := range batch {
		if r := batch[i].at; r != 0 {
			lag := max(0, at-r)
			s.lag.n[bucket(lag)]++
			s.LagMaxNs = max(s.LagMaxNs, lag)
		}
		at += step
	}
	c.mu.Unlock()
}

// histogram is log-linear: 8 buckets for each power of two, exact below 8 ns, up to 2^40 ns (18 minutes), which the
// last bucket stands for and above.
type histogram struct {
	n [lagBuckets]int64
}

const (
	lagSub     = 8
	lagBuckets = (40-3)*lagSub + lagSub
)

// bucket returns the index for v, which is not negative.
func bucket(v int64) int {
	if v < lagSub {
		return int(v)
	}
	e := bits.Len64(uint64(v)) - 4 // v>>e is 8 to 15
	return min(e*lagSub+int(v>>e), lagBuckets-1)
}

// bucketEnd returns the highest value of bucket i.
func bucketEnd(i int) int64 {
	if i < lagSub {
		return int64(i)
	}
	e := i/lagSub - 1
	return int64(i%lagSub+lagSub+1)<<e - 1
}

func (h *histogram) count() int64 {
	var n int64
	for _, k := range h.n {
		n += k
	}
	return n
}

func (h *histogram) quantile(q float64) int64 {
	total := h.count()
	rank := max(1, int64(q*float64(total)+0.999999))
	for i, k := range h.n {
		if rank -= k; rank <= 0 && total > 0 {
			return bucketEnd(i)
		}
	}
	return 0
}
