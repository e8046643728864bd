package compare

import "math"

// littleTolerance is the deviation from Little's law that is reported.
const littleTolerance = 0.02

// ClosedLoop is what the threads of a closed loop, whose next event starts when the last one has ended, did in a span of time. Times are in seconds.
type ClosedLoop struct {
	Threads int
	Elapsed float64 // the span
	Inside  float64 // spent inside events, summed over threads: events times mean latency, and what unfinished events took
	Between float64 // spent between events, such as in think times, summed over threads; 0 when there is nothing between
	Longest float64 // the longest event
}

// Little checks Little's law, L = λ·W (J. D. C. Little, Operations Research 9(3), 1961): the throughput λ, events per second, times the mean time W
// that a thread takes for an event and until the next one, is the number L of threads. It returns the number of threads that throughput and times account for, and whether
// that differs from the real one by more than 2 % plus what the ends of the span explain: an event that runs at an end is counted whole or not at all, so at most the longest
// event per thread is missing or too much. A failure says that threads were somewhere else (not started, lost, waiting for the client's CPU), or that
// throughput and latency are not of the same events.
//
// Without threads or time nothing is checked: 0, false.
func (c ClosedLoop) Little() (threads float64, fails bool) {
	if c.Threads <= 0 || !(c.Elapsed > 0) {
		return 0, false
	}
	threads = (c.Inside + c.Between) / c.Elapsed
	return threads, math.Abs(threads/float64(c.Threads)-1) > littleTolerance+c.Longest/c.Elapsed
}
