package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"deltabench/internal/loop"
	"deltabench/internal/measure"
	"deltabench/internal/random"
	"deltabench/internal/sqldb"
	"deltabench/internal/textlog"
	"deltabench/internal/workload"
)

// fake is a workload whose steps are functions.
type fake struct {
	init  func(t workload.ThreadContext) error
	event func(t workload.ThreadContext, n int) error // n counts the thread's calls from 0
	done  func(t workload.ThreadContext) error
}

func (f *fake) Mode(*textlog.Log) {}

func (f *fake) Thread(t workload.ThreadContext) (workload.Worker, error) {
	if f.init != nil {
		if err := f.init(t); err != nil {
			return nil, err
		}
	}
	return &fakeWorker{f: f, t: t}, nil
}

type fakeWorker struct {
	f *fake
	t workload.ThreadContext
	n int
}

func (w *fakeWorker) Event() error {
	n := w.n
	w.n++
	return w.f.event(w.t, n)
}

func (w *fakeWorker) Done() error {
	if w.f.done != nil {
		return w.f.done(w.t)
	}
	return nil
}

// seen is an Observer that keeps everything.
type seen struct {
	mu          sync.Mutex
	started     int
	warmed      int
	intervals   []Interval
	checkpoints []Report
	errs        []error
	phases      []Phase
}

func (s *seen) Started()            { s.started++ }
func (s *seen) WarmedUp()           { s.warmed++ }
func (s *seen) Interval(i Interval) { s.intervals = append(s.intervals, i) }
func (s *seen) Checkpoint(r Report) { s.checkpoints = append(s.checkpoints, r) }
func (s *seen) ThreadError(_ int, p Phase, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.errs = append(s.errs, err)
	s.phases = append(s.phases, p)
}

func config(threads int) Config {
	p := random.NewProcess()
	p.Seed(7)
	return Config{Threads: threads, PerThread: -1, Grace: DefaultGrace, Random: p}
}

// both runs a test under the goroutine executor in fake time, and under the event loop in real time.
func both(t *testing.T, test func(t *testing.T, e Executor)) {
	t.Run("goroutine", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { test(t, Goroutine) })
	})
	t.Run("loop", func(t *testing.T) {
		if !loop.Supported {
			return // there is nothing to test: the engine falls back to goroutines
		}
		test(t, Loop)
	})
}

func sleeping(d time.Duration) *fake {
	return &fake{event: func(t workload.ThreadContext, _ int) error {
		t.Stats.Query(measure.Read)
		return t.Env.Sleep(d)
	}}
}

func mustRun(t *testing.T, ctx context.Context, cfg Config, f *fake) (*Result, *seen) {
	t.Helper()
	s := &seen{}
	res, err := Run(ctx, cfg, f, s)
	if err != nil {
		t.Fatalf("run: %v (thread errors %v)", err, s.errs)
	}
	if s.started != 1 {
		t.Errorf("started %d times, want once", s.started)
	}
	return res, s
}

func TestTimeLimit(t *testing.T) {
	both(t, func(t *testing.T, e Executor) {
		cfg := config(4)
		cfg.Executor, cfg.Time = e, time.Second
		res, _ := mustRun(t, t.Context(), cfg, sleeping(10*time.Millisecond))
		if res.EndedBy != TimeLimit || res.Forced {
			t.Errorf("ended by %v, forced %v; want the time limit", res.EndedBy, res.Forced)
		}
		if res.Events < 40 || res.Events > 404 || e == Goroutine && res.Events != 400 {
			t.Errorf("%d events of 10 ms in 4 threads and a second, want 400", res.Events)
		}
		if res.Reads != res.Events || res.Latency.Count != res.Events {
			t.Errorf("%d reads and %d latencies for %d events", res.Reads, res.Latency.Count, res.Events)
		}
		if res.Latency.Min < int64(9900*time.Microsecond) || res.Elapsed < time.Second {
			t.Errorf("fastest event %d ns, elapsed %v; want at least 10 ms and 1 s", res.Latency.Min, res.Elapsed)
		}
		if e == Goroutine {
			if inside, fails := res.Little(4); fails || math.Abs(inside-4) > 0.01 {
				t.Errorf("Little's law: %v threads inside events, fails %v; want 4", inside, fails)
			}
		}
	})
}

func TestEventLimitIsExact(t *testing.T) {
	both(t, func(t *testing.T, e Executor) {
		cfg := config(7)
		cfg.Executor, cfg.Events = e, 1003
		res, _ := mustRun(t, t.Context(), cfg, sleeping(100*time.Microsecond))
		if res.Events != 1003 || res.EndedBy != EventLimit {
			t.Errorf("%d events, ended by %v; want 1003 by the event limit", res.Events, res.EndedBy)
		}
		var sum int64
		for _, th := range res.Threads {
			sum += th.Events
		}
		if sum != 1003 || len(res.Threads) != 7 {
			t.Errorf("%d events in %d threads, want 1003 in 7", sum, len(res.Threads))
		}
	})
}

func TestEventsPerThread(t *testing.T) {
	both(t, func(t *testing.T, e Executor) {
		cfg := config(5)
		cfg.Executor, cfg.PerThread, cfg.Events = e, 1, 3
		res, _ := mustRun(t, t.Context(), cfg, sleeping(time.Millisecond))
		if res.Events != 3 {
			t.Errorf("%d events, want the 3 of the limit, at most one a thread", res.Events)
		}
	})
}

func TestIntervalsAddUp(t *testing.T) {
	both(t, func(t *testing.T, e Executor) {
		cfg := config(8)
		cfg.Executor, cfg.Time, cfg.Interval = e, 500*time.Millisecond, 100*time.Millisecond
		res, s := mustRun(t, t.Context(), cfg, sleeping(3*time.Millisecond))
		var events, reads int64
		for _, iv := range s.intervals {
			events += iv.Events
			reads += iv.Reads
		}
		if events != res.Events || reads != res.Reads {
			t.Errorf("intervals have %d events and %d reads, the totals %d and %d", events, reads, res.Events, res.Reads)
		}
		if n := len(s.intervals); n > 5 || e == Goroutine && n != 5 {
			t.Errorf("%d intervals, want 5: the last one ends with the run", n)
		}
		last := s.intervals[len(s.intervals)-1]
		if !last.Last || last.Elapsed != res.Elapsed {
			t.Errorf("last interval at %v (last: %v), run ended at %v", last.Elapsed, last.Last, res.Elapsed)
		}
	})
}

func TestCheckpointsResetTotals(t *testing.T) {
	both(t, func(t *testing.T, e Executor) {
		cfg := config(2)
		cfg.Executor, cfg.Time = e, 600*time.Millisecond
		cfg.Checkpoints = []time.Duration{0, 200 * time.Millisecond, 400 * time.Millisecond, time.Hour}
		res, s := mustRun(t, t.Context(), cfg, sleeping(5*time.Millisecond))
		if len(s.checkpoints) != 2 {
			t.Fatalf("%d checkpoint reports, want 2", len(s.checkpoints))
		}
		if s.checkpoints[1].Elapsed < 400*time.Millisecond || s.checkpoints[1].SinceReset > s.checkpoints[1].Elapsed {
			t.Errorf("second checkpoint at %v, since reset %v", s.checkpoints[1].Elapsed, s.checkpoints[1].SinceReset)
		}
		if e == Goroutine && (s.checkpoints[0].Events < 76 || s.checkpoints[0].Events > 80 || res.Events > 84) {
			t.Errorf("checkpoint has %d events, the last part %d; want 80 each", s.checkpoints[0].Events, res.Events)
		}
	})
}

func TestWarmupIsNotMeasured(t *testing.T) {
	both(t, func(t *testing.T, e Executor) {
		cfg := config(2)
		cfg.Executor, cfg.Warmup, cfg.Events = e, 200*time.Millisecond, 30
		res, s := mustRun(t, t.Context(), cfg, sleeping(10*time.Millisecond))
		if s.warmed != 1 {
			t.Errorf("warmed up %d times, want once", s.warmed)
		}
		// Two events run when the warm-up ends; they count, and are of the limit.
		if res.Events != 30 || res.EndedBy != EventLimit {
			t.Errorf("%d events measured, ended by %v, want the limit of 30", res.Events, res.EndedBy)
		}
		if e == Goroutine && (res.Elapsed < 140*time.Millisecond || res.Elapsed > 170*time.Millisecond) {
			t.Errorf("measured time %v, want 150 ms without the warm-up", res.Elapsed)
		}
	})
}

// Every second of a warm-up is observed, also the last one, and one that an end cuts short.
func TestIntervalsOfWarmup(t *testing.T) {
	both(t, func(t *testing.T, e Executor) {
		cfg := config(2)
		cfg.Executor, cfg.Warmup, cfg.Time, cfg.Interval = e, 300*time.Millisecond, 200*time.Millisecond, 100*time.Millisecond
		if _, s := mustRun(t, t.Context(), cfg, sleeping(5*time.Millisecond)); e == Goroutine { // on a busy machine ticks may be missed
			var warm []string
			for _, iv := range s.intervals {
				if iv.Warmup {
					warm = append(warm, fmt.Sprint(iv.Elapsed, iv.Length))
				}
			}
			if got, want := fmt.Sprint(warm), "[100ms 100ms 200ms 100ms 300ms 100ms]"; got != want || len(s.intervals) != 5 {
				t.Errorf("intervals of the warm-up: got %s of %d, want %s of 5", got, len(s.intervals), want)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cfg.Warmup = time.Hour
		res, s := mustRun(t, ctx, cfg, &fake{event: func(tc workload.ThreadContext, n int) error {
			if n == 5 {
				cancel()
			}
			return tc.Env.Sleep(5 * time.Millisecond)
		}})
		if res.Events != 0 || len(s.intervals) == 0 || !s.intervals[len(s.intervals)-1].Last || !s.intervals[len(s.intervals)-1].Warmup {
			t.Errorf("interrupted: %d events, intervals %+v; want a last one of the warm-up", res.Events, s.intervals)
		}
	})
}

// A thread that gives up waiting at the time limit, as for a server that does not come back, was ended by the limit.
func TestGivingUpAtTheTimeLimit(t *testing.T) {
	both(t, func(t *testing.T, e Executor) {
		cfg := config(2)
		cfg.Executor, cfg.Time = e, 200*time.Millisecond
		res, _ := mustRun(t, t.Context(), cfg, &fake{event: func(tc workload.ThreadContext, n int) error {
			if n < 2 {
				return tc.Env.Sleep(10 * time.Millisecond)
			}
			for !tc.Env.Stopping() {
				if err := tc.Env.Sleep(time.Millisecond); err != nil {
					return err
				}
			}
			return sqldb.ErrInterrupted
		}})
		if res.EndedBy != TimeLimit || res.Forced || res.Err != nil {
			t.Errorf("ended by %v, forced %v, error %v; want the time limit", res.EndedBy, res.Forced, res.Err)
		}
		if inside, fails := res.Little(2); !fails {
			t.Errorf("Little's law holds with %v threads inside events", inside)
		}
	})
}

// However short events are: the limit is met exactly.
func TestLimitAfterWarmupIsExact(t *testing.T) {
	for _, e := range []Executor{Loop, Goroutine} {
		if e == Loop && !loop.Supported {
			continue
		}
		for i := range 20 {
			cfg := config(8)
			cfg.Executor, cfg.Warmup, cfg.Events, cfg.Loops = e, time.Duration(i+1)*time.Millisecond, int64(1+i*50), 2
			res, _ := mustRun(t, t.Context(), cfg, &fake{event: func(workload.ThreadContext, int) error { return nil }})
			if res.Events != cfg.Events || res.Latency.Count != cfg.Events {
				t.Errorf("%v: %d events and %d latencies, want %d", e, res.Events, res.Latency.Count, cfg.Events)
			}
		}
	}
}

var deadlock = &sqldb.Restart{Err: &sqldb.Error{Code: 1213, State: "40001", Message: "Deadlock found"}}

func TestRestartedEventIsOneEvent(t *testing.T) {
	both(t, func(t *testing.T, e Executor) {
		cfg := config(1)
		cfg.Executor, cfg.Events = e, 5
		res, _ := mustRun(t, t.Context(), cfg, &fake{event: func(tc workload.ThreadContext, n int) error {
			if err := tc.Env.Sleep(10 * time.Millisecond); err != nil {
				return err
			}
			if n%3 != 2 {
				tc.Stats.Error(1213, "40001", "Deadlock found", false)
				return deadlock
			}
			return nil
		}})
		if res.Events != 5 || res.Snapshot.Errors[0].Count != 10 || res.Counters.Errors != 10 || res.Restarts != 10 {
			t.Errorf("%d events, %d errors, %d restarts; want 5, 10, 10", res.Events, res.Counters.Errors, res.Restarts)
		}
		if res.Latency.Min < int64(29*time.Millisecond) {
			t.Errorf("fastest event took %d ns, want the 30 ms of all attempts", res.Latency.Min)
		}
	})
}

func TestThreadThatStopsIsNotCounted(t *testing.T) {
	both(t, func(t *testing.T, e Executor) {
		cfg := config(3)
		cfg.Executor = e
		res, s := mustRun(t, t.Context(), cfg, &fake{event: func(tc workload.ThreadContext, n int) error {
			if n == 10*tc.ID {
				return workload.ErrStop
			}
			return tc.Env.Sleep(time.Millisecond)
		}})
		if res.Events != 30 || res.EndedBy != WorkersEnded || len(s.errs) != 0 {
			t.Errorf("%d events, ended by %v, errors %v; want 0+10+20 and no error", res.Events, res.EndedBy, s.errs)
		}
	})
}

func TestFatalErrorStopsAll(t *testing.T) {
	both(t, func(t *testing.T, e Executor) {
		cfg := config(4)
		cfg.Executor, cfg.Time = e, time.Hour
		boom := errors.New("boom")
		res, s := mustRun(t, t.Context(), cfg, &fake{event: func(tc workload.ThreadContext, n int) error {
			if tc.ID == 2 && n == 3 {
				return boom
			}
			return tc.Env.Sleep(10 * time.Millisecond)
		}})
		if !errors.Is(res.Err, boom) || res.EndedBy != Failed || len(s.errs) != 1 || s.phases[0] != PhaseRun {
			t.Errorf("error %v, ended by %v, told %v; want boom once", res.Err, res.EndedBy, s.errs)
		}
	})
}

func TestPanicBecomesTheThreadsError(t *testing.T) {
	both(t, func(t *testing.T, e Executor) {
		cfg := config(2)
		cfg.Executor, cfg.Time = e, time.Hour
		res, _ := mustRun(t, t.Context(), cfg, &fake{event: func(tc workload.ThreadContext, n int) error {
			if tc.ID == 1 && n == 2 {
				panic("lost my way")
			}
			return tc.Env.Sleep(time.Millisecond)
		}})
		var p *PanicError
		if !errors.As(res.Err, &p) || !strings.Contains(p.Error(), "lost my way") {
			t.Errorf("error %v, want the panic", res.Err)
		}
	})
}

func TestEndOfContextEndsCleanly(t *testing.T) {
	both(t, func(t *testing.T, e Executor) {
		cfg := config(3)
		cfg.Executor, cfg.Time = e, time.Hour
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		done := make([]bool, 3)
		f := sleeping(10 * time.Millisecond)
		f.done = func(tc workload.ThreadContext) error { done[tc.ID] = true; return nil }
		res, _ := mustRun(t, ctx, cfg, f)
		if res.EndedBy != Interrupted || res.Forced || res.Events == 0 {
			t.Errorf("ended by %v, forced %v, %d events; want a clean end", res.EndedBy, res.Forced, res.Events)
		}
		if !slices.Equal(done, []bool{true, true, true}) {
			t.Errorf("done was called for %v, want all threads", done)
		}
	})
}

func TestStuckEventsAreInterrupted(t *testing.T) {
	both(t, func(t *testing.T, e Executor) {
		cfg := config(3)
		cfg.Executor, cfg.Time, cfg.Grace = e, 100*time.Millisecond, 200*time.Millisecond
		begin := time.Now()
		res, s := mustRun(t, t.Context(), cfg, &fake{event: func(tc workload.ThreadContext, n int) error {
			if tc.ID > 0 && n == 2 {
				return tc.Env.Sleep(time.Hour)
			}
			return tc.Env.Sleep(10 * time.Millisecond)
		}})
		if !res.Forced || res.Unfinished != 2 || len(s.errs) != 0 {
			t.Errorf("forced %v, unfinished %d, errors %v; want 2 events interrupted", res.Forced, res.Unfinished, s.errs)
		}
		if took := time.Since(begin); took < 300*time.Millisecond || took > 10*time.Second {
			t.Errorf("took %v, want time limit + grace", took)
		}
	})
}

func TestGraceCanBeSwitchedOff(t *testing.T) {
	both(t, func(t *testing.T, e Executor) {
		cfg := config(1)
		cfg.Executor, cfg.Time, cfg.Grace = e, 50*time.Millisecond, -1
		res, _ := mustRun(t, t.Context(), cfg, sleeping(300*time.Millisecond))
		if res.Forced || res.Events != 1 {
			t.Errorf("forced %v, %d events; want the event to end", res.Forced, res.Events)
		}
	})
}

func TestInitialisationErrors(t *testing.T) {
	both(t, func(t *testing.T, e Executor) {
		cfg := config(200) // more than may initialise at a time
		cfg.Executor = e
		s := &seen{}
		_, err := Run(t.Context(), cfg, &fake{init: func(tc workload.ThreadContext) error {
			if tc.ID%100 == 50 {
				return errors.New("no such table")
			}
			return nil
		}, event: func(workload.ThreadContext, int) error { return nil }}, s)
		var ie *InitError
		if !errors.As(err, &ie) || ie.Failed != 2 || ie.Timeout || len(s.errs) != 2 || s.started != 0 {
			t.Errorf("error %v, told %v, started %d; want 2 failed threads and no start", err, s.errs, s.started)
		}
	})
}

func TestInitialisationTimeout(t *testing.T) {
	both(t, func(t *testing.T, e Executor) {
		cfg := config(5)
		cfg.Executor, cfg.InitTimeout = e, 100*time.Millisecond
		s := &seen{}
		_, err := Run(t.Context(), cfg, &fake{init: func(tc workload.ThreadContext) error {
			if tc.ID >= 3 {
				return tc.Env.Sleep(time.Hour)
			}
			return nil
		}, event: func(workload.ThreadContext, int) error { return nil }}, s)
		var ie *InitError
		if !errors.As(err, &ie) || !ie.Timeout || ie.Waiting != 2 || len(s.errs) != 0 {
			t.Errorf("error %v, told %v; want a timeout with 2 threads waiting", err, s.errs)
		}
	})
}

func TestThreadsDrawTheSameNumbersUnderBothExecutors(t *testing.T) {
	draws := map[Executor][][]uint64{}
	both(t, func(t *testing.T, e Executor) {
		cfg := config(3)
		cfg.Executor, cfg.PerThread, cfg.ExtraDraw, cfg.Interval, cfg.Time = e, 4, true, time.Second, time.Hour
		got := make([][]uint64, 3)
		mustRun(t, t.Context(), cfg, &fake{event: func(tc workload.ThreadContext, _ int) error {
			got[tc.ID] = append(got[tc.ID], tc.Rand.Uint64())
			return nil
		}})
		draws[e] = got
	})
	// The first value is the specification's for --rand-seed=7; each event draws one number more.
	if first := draws[Goroutine][0][0]; first != 9956587071878823666 {
		t.Errorf("first number of thread 0 is %d", first)
	}
	if third := draws[Goroutine][0][1]; third != 7522403166341394791 {
		t.Errorf("second event of thread 0 drew %d, want the third number", third)
	}
	for i := range 3 {
		if loop.Supported && !slices.Equal(draws[Loop][i], draws[Goroutine][i]) {
			t.Errorf("thread %d drew different numbers under the two executors", i)
		}
	}
}

func TestBusyThreadsShareALoop(t *testing.T) {
	cfg := config(4)
	cfg.Executor, cfg.Time = Loop, 200*time.Millisecond
	if !loop.Supported {
		cfg.Executor = Goroutine
	}
	res, _ := mustRun(t, t.Context(), cfg, &fake{event: func(workload.ThreadContext, int) error { return nil }})
	for i, th := range res.Threads {
		if th.Events < res.Events/20 {
			t.Errorf("thread %d had %d of %d events: it was starved", i, th.Events, res.Events)
		}
	}
}

func TestUnknownConfigurations(t *testing.T) {
	t.Parallel()
	if _, err := Run(t.Context(), config(0), sleeping(0), &seen{}); err == nil || !strings.Contains(err.Error(), "threads") {
		t.Errorf("0 threads: error %v, want one that names them", err)
	}
}
