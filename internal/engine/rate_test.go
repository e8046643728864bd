package engine

import (
	"errors"
	"math"
	"sync"
	"testing"
	"time"

	"deltabench/internal/workload"
)

func TestRateIsKept(t *testing.T) {
	both(t, func(t *testing.T, e Executor) {
		cfg := config(50)
		cfg.Executor, cfg.Time, cfg.Rate = e, time.Second, 1000
		res, _ := mustRun(t, t.Context(), cfg, sleeping(5*time.Millisecond))
		// Poisson: a standard deviation is 32; five of them never happen.
		if math.Abs(float64(res.Offered)-1000) > 160 || res.Backlog > 60 {
			t.Errorf("offered %d, backlog %d; want about 1000 and next to none", res.Offered, res.Backlog)
		}
		if e == Goroutine { // fake time: nothing is late
			if res.Events != res.Offered || res.Lateness.Max != 0 || res.Service.Max != int64(5*time.Millisecond) {
				t.Errorf("%d of %d events, lateness up to %d ns, service up to %d ns; want all, 0, 5 ms",
					res.Events, res.Offered, res.Lateness.Max, res.Service.Max)
			}
		}
	})
}

func TestRateAboveCapacityBecomesBacklog(t *testing.T) {
	both(t, func(t *testing.T, e Executor) {
		cfg := config(5)
		cfg.Executor, cfg.Time, cfg.Rate, cfg.Interval = e, time.Second, 2000, 250*time.Millisecond
		res, s := mustRun(t, t.Context(), cfg, sleeping(10*time.Millisecond)) // capacity 500 a second
		if res.Err != nil || res.EndedBy != TimeLimit {
			t.Fatalf("ended by %v with %v, want the time limit", res.EndedBy, res.Err)
		}
		if res.Backlog < 1200 || res.Offered != res.Backlog+res.Events {
			t.Errorf("offered %d = %d events + backlog %d?", res.Offered, res.Events, res.Backlog)
		}
		if res.Service.Max > res.Latency.Max/2 || res.Latency.Max < int64(500*time.Millisecond) {
			t.Errorf("service up to %d ns, response up to %d ns; want queueing in the response time only", res.Service.Max, res.Latency.Max)
		}
		if len(s.intervals) < 2 || s.intervals[len(s.intervals)-1].Queue < 1000 || s.intervals[0].Concurrency != 5 {
			t.Errorf("intervals %+v, want a growing queue and 5 events at a time", s.intervals)
		}
	})
}

func TestFullQueueAborts(t *testing.T) {
	both(t, func(t *testing.T, e Executor) {
		cfg := config(1)
		cfg.Executor, cfg.Time, cfg.Rate, cfg.AbortOnFull = e, time.Hour, 2e6, true
		res, _ := mustRun(t, t.Context(), cfg, sleeping(10*time.Millisecond))
		if !errors.Is(res.Err, ErrQueueFull) || res.EndedBy != Failed {
			t.Errorf("ended by %v with %v, want a full queue", res.EndedBy, res.Err)
		}
	})
}

// A stall of the server must show in the response time of every arrival that it delayed, not only in the
// few events that were running (coordinated omission).
func TestStallShowsInEveryDelayedArrival(t *testing.T) {
	both(t, func(t *testing.T, e Executor) {
		cfg := config(20)
		cfg.Executor, cfg.Time, cfg.Rate = e, 1500*time.Millisecond, 1000
		origin := sync.OnceValue(time.Now) // the first event
		res, _ := mustRun(t, t.Context(), cfg, &fake{event: func(tc workload.ThreadContext, _ int) error {
			since := time.Since(origin())
			if since > 300*time.Millisecond && since < 800*time.Millisecond {
				return tc.Env.Sleep(800*time.Millisecond - since)
			}
			return tc.Env.Sleep(100 * time.Microsecond)
		}})
		// Arrivals during the stall: 500; half of them wait longer than 250 ms.
		slow := int64(0)
		for _, b := range res.Latency.HDR().Distribution() {
			if b.From >= int64(250*time.Millisecond) {
				slow += b.Count
			}
		}
		if slow < 180 || slow > 330 {
			t.Errorf("%d events with a response time above 250 ms, want about 250: every delayed arrival", slow)
		}
	})
}

func TestWarmupBacklogIsDropped(t *testing.T) {
	both(t, func(t *testing.T, e Executor) {
		var res *Result
		for range 6 { // in real time a busy machine delays an arrival for as long as the queue of the warm-up would
			cfg := config(4)
			cfg.Executor, cfg.Warmup, cfg.Time, cfg.Rate = e, 300*time.Millisecond, 400*time.Millisecond, 200
			warm := time.Now().Add(300 * time.Millisecond)
			res, _ = mustRun(t, t.Context(), cfg, &fake{event: func(tc workload.ThreadContext, _ int) error {
				if time.Now().Before(warm) {
					return tc.Env.Sleep(100 * time.Millisecond) // capacity 40 a second: a backlog grows
				}
				return tc.Env.Sleep(time.Millisecond)
			}})
			if e == Goroutine || res.Latency.Max <= int64(200*time.Millisecond) {
				break
			}
		}
		if res.Latency.Max > int64(200*time.Millisecond) {
			t.Errorf("response time up to %v, want none of the warm-up's queue", time.Duration(res.Latency.Max))
		}
		if res.Events == 0 || math.Abs(float64(res.Offered)-80) > 45 {
			t.Errorf("%d events, offered %d; want about 80", res.Events, res.Offered)
		}
	})
}
