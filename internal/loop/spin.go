package loop

import "runtime"

// A loop with one task polls for a while before it sleeps. The reply of a server on the same machine comes within
// that time and is seen when it is there, not when the system has woken up a CPU that had gone idle: one connection
// to MariaDB on the same two CPUs of a virtual machine made 10,400 point selects a second instead of 5,100 (medians of
// 5 interleaved runs; 50 µs gained nothing, 250 µs no more). It costs CPU time that nobody else wants then, 85 instead
// of 62 µs a query, and counts as sleep. With more tasks it would take the CPU from the server.
//
// Where other work wants the CPUs, the system takes it from a task that polls and gives it less afterwards. A gap
// between two polls shows that, and trying is given up for long.
const (
	spinGap   = 40_000 // ns between two polls, some hundred times the usual
	spinTaken = 4096   // sleeps without a try after the CPU was taken away
	spinNs    = 150_000
	spinTrust = 16 // tries that paid and are remembered
	spinLoss  = 4  // what a vain try costs
	spinPause = 64 // sleeps without a try when too many were in vain
)

// spinning says whether trying pays. The zero value never tries.
type spinning struct {
	enabled bool
	trust   int // above 0: try
	pause   int // sleeps left before the next try
}

// newSpinning is for the system's poller; with one processor other goroutines would wait.
func newSpinning() spinning {
	return spinning{enabled: runtime.GOMAXPROCS(0) > 1, trust: spinTrust / 2}
}

// wanted reports whether the next sleep should be preceded by a try.
func (s *spinning) wanted() bool {
	if !s.enabled {
		return false
	}
	if s.trust <= 0 {
		if s.pause--; s.pause > 0 {
			return false
		}
		s.trust = 1
	}
	return true
}

// tried learns from a try.
func (s *spinning) tried(paid bool) {
	if paid {
		s.trust = min(s.trust+1, spinTrust)
		return
	}
	if s.trust -= spinLoss; s.trust <= 0 {
		s.pause = spinPause
	}
}

// interrupted learns that the CPU was taken away.
func (s *spinning) interrupted() { s.trust, s.pause = 0, spinTaken }

// spin polls without sleeping, as long as that may be worth it; timeout is that of the sleep. It returns what is left of
// the timeout: nothing after a post, whose wake-up a poll may have taken.
func (l *Loop) spin(timeout int64) (n int, left int64, err error) {
	if timeout == 0 || len(l.tasks) != 1 || !l.spins.wanted() {
		return 0, timeout, nil
	}
	until := l.now + spinNs
	if timeout > 0 {
		until = min(until, l.now+timeout)
	}
	for {
		n, err := l.poller.Wait(l.events, 0)
		switch {
		case n > 0 || err != nil:
			l.spins.tried(true)
			return n, 0, err
		case l.posted.Load():
			return 0, 0, nil
		}
		if now := l.Now(); now >= until {
			l.spins.tried(false)
			if timeout > 0 {
				timeout = max(0, timeout-(now-l.now))
			}
			return 0, timeout, nil
		}
	}
}
