package engine

import (
	"runtime"
	"time"

	"deltabench/internal/compare"
)

// ClientCost is what the run cost on the client's side, and whether that may have been the limit.
type ClientCost struct {
	CPU       time.Duration // user + system time of the process in the measured time, since the last checkpoint
	CPUShare  float64       // of the CPUs the process may use, 0..1
	HasLoop   bool
	BusyShare float64       // busiest event loop: share of time not spent waiting, 0..1
	LagP99    time.Duration // busiest event loop: delay from ready to resumed
	PeakBytes int64         // peak resident memory of the process, 0 when unknown
}

// Thresholds of "the client was the limit" (DESIGN 4).
const (
	limitBusyShare = 0.90
	limitLag       = time.Millisecond
	limitCPUShare  = 0.90
)

// WasLimit reports whether the client may have limited what was measured, and the reason.
func (c ClientCost) WasLimit() (reason string, yes bool) {
	switch {
	case c.HasLoop && c.BusyShare >= limitBusyShare:
		return "event loop busy", true
	case c.HasLoop && c.LagP99 >= limitLag:
		return "event loop lag", true
	case c.CPUShare >= limitCPUShare:
		return "CPU used up by the client", true
	}
	return "", false
}

// Little checks Little's law for a closed loop, in which nothing is between events: the mean number of threads inside an
// event, and whether that is too far from the number of threads. The formula is compare.ClosedLoop's.
func (r *Result) Little(threads int) (inside float64, fails bool) {
	if r.SinceReset <= 0 || r.Latency.Count == 0 {
		return 0, false
	}
	sum, longest := r.Latency.Sum, r.Latency.Max
	for _, t := range r.Threads {
		if t.InEventNs > 0 { // unfinished at a forced stop: the thread is inside all the same
			sum += r.Now - t.InEventNs
			longest = max(longest, r.Now-t.InEventNs)
		}
	}
	const second = float64(time.Second)
	return compare.ClosedLoop{
		Threads: threads, Elapsed: float64(r.SinceReset) / second,
		Inside: float64(sum) / second, Longest: float64(longest) / second,
	}.Little()
}

// costStart is a reading of the process's resources.
type costStart struct {
	cpu  time.Duration
	wall time.Time
}

func startCost() costStart { return costStart{cpu: processCPU(), wall: time.Now()} }

func (s costStart) end(e executor) ClientCost {
	c := ClientCost{CPU: processCPU() - s.cpu, PeakBytes: peakMemory()}
	if wall := time.Since(s.wall); wall > 0 {
		c.CPUShare = float64(c.CPU) / float64(wall) / float64(runtime.GOMAXPROCS(0))
	}
	if st, ok := e.lag(); ok {
		c.HasLoop, c.BusyShare, c.LagP99 = true, st.BusyShare(), time.Duration(st.LagP99Ns)
	}
	return c
}
