package loop

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

var errStop = errors.New("stop")

// newLoop returns a loop.
func newLoop(t testing.TB, opt Options) *Loop {
	t.Helper()
	l, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// run adds the tasks and runs the loop to its end.
func run(t testing.TB, l *Loop, tasks ...func(*Task)) {
	t.Helper()
	for _, fn := range tasks {
		l.Go(fn)
	}
	if err := l.Run(); err != nil {
		t.Fatalf("run: %v", err)
	}
}

func TestSleepWakesInOrderAndOnTime(t *testing.T) {
	t.Parallel()
	f := newFake()
	l := newLoop(t, f.options())
	type wake struct{ due, index int64 }
	var got, want []wake
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range int64(1000) {
		due := f.now.Load() + 1 + rng.Int64N(300)*1e6 // many are equal
		want = append(want, wake{due, i})
		l.Go(func(task *Task) {
			if err := task.SleepUntil(due); err != nil {
				t.Errorf("sleep: %v", err)
			}
			if now := l.Now(); now != due {
				t.Errorf("woken at %d, want %d", now, due)
			}
			got = append(got, wake{due, i})
		})
	}
	run(t, l)
	slices.SortStableFunc(want, func(a, b wake) int { return int(a.due - b.due) })
	if !slices.Equal(got, want) {
		t.Error("tasks were not woken in the order of their times, equal times in the order of sleeping")
	}
	if f.closed != 1 {
		t.Errorf("poller closed %d times, want 1", f.closed)
	}
}

func TestSleepAgain(t *testing.T) {
	t.Parallel()
	f := newFake()
	l := newLoop(t, f.options())
	start := l.Now()
	run(t, l, func(task *Task) {
		for range 100 {
			if err := task.Sleep(time.Hour); err != nil {
				t.Fatalf("sleep: %v", err)
			}
		}
	})
	if got, want := l.Now()-start, int64(100*time.Hour); got != want {
		t.Errorf("100 sleeps took %d, want %d", got, want)
	}
	if n := len(f.waits); n > 10*100 {
		t.Errorf("%d polls for 100 sleeps", n)
	}
}

func TestLongSleepIsNotOverslept(t *testing.T) {
	t.Parallel()
	f := newFake()
	l := newLoop(t, f.options())
	run(t, l, func(task *Task) { _ = task.Sleep(10 * time.Second) })
	if len(f.waits) < 2 || f.waits[0] >= 10e9 || f.waits[0] < 9.9e9 {
		t.Errorf("polls of %d ns, want a first one that is a little shorter than 10 s, and a second", f.waits)
	}
}

// TestDeadlineMovedForward checks the lazy entries of the timer heap: a park that ended early leaves its entry, which
// must neither wake a later park nor hide its deadline, nor stay when the task has ended.
func TestDeadlineMovedForward(t *testing.T) {
	t.Parallel()
	f := newFake()
	l := newLoop(t, f.options())
	start := l.Now()
	var task *Task
	run(t, l, func(self *Task) {
		task = self
		park := func(d int64) {
			t.Helper()
			expired, err := self.park(forUnpark, start+d)
			if wantNow := min(start+d, start+5); err != nil || expired != (d == 100) || !expired && l.Now() != wantNow {
				t.Errorf("park until %d: expired = %v, %v, at %d", d, expired, err, l.Now()-start)
			}
		}
		park(10)
		park(100)
		if now := l.Now() - start; now != 100 {
			t.Errorf("the later deadline ended at %d, want 100", now)
		}
		l.Go(func(*Task) { task.Unpark() })
		_, _ = self.park(forUnpark, start+1000)
	}, func(self *Task) {
		_ = self.SleepUntil(start + 5)
		task.Unpark()
	})
	if n := len(l.timers.heap); n != 0 {
		t.Errorf("%d entries are left in the timer heap", n)
	}
}

func TestEndedTaskLeavesNoTimer(t *testing.T) {
	t.Parallel()
	f := newFake()
	l := newLoop(t, f.options())
	run(t, l, func(task *Task) {
		l.Go(func(*Task) { task.Unpark() })
		_, _ = task.park(forUnpark, l.Now()+1000)
	})
	if n := len(l.timers.heap); n != 0 {
		t.Errorf("%d entries are left in the timer heap", n)
	}
}

func TestNoParkWithoutNeed(t *testing.T) {
	t.Parallel()
	f := newFake()
	l := newLoop(t, f.options())
	order := ""
	run(t, l, func(task *Task) {
		for _, err := range []error{
			task.Sleep(0), task.Sleep(-time.Second), task.SleepUntil(l.Now()), task.SleepUntil(-1),
		} {
			if err != nil {
				t.Errorf("sleep: %v", err)
			}
		}
		task.Unpark()
		task.Unpark()
		if err := task.Park(); err != nil {
			t.Errorf("park with a token: %v", err)
		}
		order += "a"
		l.Go(func(*Task) { // also: the second token was the same one
			order += "c"
			task.Unpark()
		})
		_ = task.Park()
		order += "d"
	}, func(*Task) { order += "b" })
	if order != "abcd" {
		t.Errorf("order %q, want abcd", order)
	}
}

func TestUnparkDoesNotEndSleep(t *testing.T) {
	t.Parallel()
	f := newFake()
	l := newLoop(t, f.options())
	var sleeper *Task
	start := l.Now()
	run(t, l, func(task *Task) {
		sleeper = task
		_ = task.Sleep(time.Second)
		if got := l.Now() - start; got != 1e9 {
			t.Errorf("slept %d ns, want 1e9", got)
		}
		if err := task.Park(); err != nil { // the token was kept
			t.Errorf("park: %v", err)
		}
	}, func(*Task) { sleeper.Unpark() })
}

func TestYieldTakesTurns(t *testing.T) {
	t.Parallel()
	l := newLoop(t, newFake().options())
	order := ""
	turns := func(name string) func(*Task) {
		return func(task *Task) {
			for range 3 {
				order += name
				if err := task.Yield(); err != nil {
					t.Errorf("yield: %v", err)
				}
			}
		}
	}
	run(t, l, turns("a"), turns("b"), turns("c"))
	if order != "abcabcabc" {
		t.Errorf("order %q, want abcabcabc", order)
	}
}

func TestYieldLetsTimersRun(t *testing.T) {
	t.Parallel()
	f := newFake()
	l := newLoop(t, f.options())
	done := false
	turns := 0
	run(t, l, func(task *Task) {
		_ = task.Sleep(10)
		done = true
	}, func(task *Task) {
		for ; !done && turns < 100; turns++ {
			f.now.Add(1)
			_ = task.Yield()
		}
	})
	if turns < 9 || turns > 12 {
		t.Errorf("a sleep of 10 ns ended after %d turns of 1 ns", turns)
	}
}

func TestInterrupt(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		park func(*Task) error
	}{
		{"sleep", func(task *Task) error { return task.Sleep(time.Hour) }},
		{"sleep of nothing", func(task *Task) error { return task.Sleep(0) }},
		{"sleep until", func(task *Task) error { return task.SleepUntil(1 << 60) }},
		{"sleep until the past", func(task *Task) error { return task.SleepUntil(0) }},
		{"park", func(task *Task) error { return task.Park() }},
		{"park with a token", func(task *Task) error { task.Unpark(); return task.Park() }},
		{"yield", func(task *Task) error { return task.Yield() }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := newLoop(t, newFake().options())
			var victim *Task
			calls := 0
			run(t, l, func(task *Task) {
				victim = task
				_ = task.Sleep(time.Hour)
				for range 3 {
					calls++
					if err := tt.park(task); err != errStop {
						t.Errorf("after the interrupt: got %v, want %v", err, errStop)
					}
				}
			}, func(*Task) {
				victim.Interrupt(errStop)
				victim.Interrupt(errors.New("too late"))
			})
			if calls != 3 {
				t.Errorf("calls = %d, want 3", calls)
			}
		})
	}
}

func TestInterruptBeatsReady(t *testing.T) {
	t.Parallel()
	l := newLoop(t, newFake().options())
	var victim *Task
	run(t, l, func(task *Task) {
		victim = task
		if err := task.Park(); err != ErrInterrupted {
			t.Errorf("park: got %v, want %v", err, ErrInterrupted)
		}
	}, func(*Task) {
		victim.Unpark()
		victim.Interrupt(nil)
	})
	victim.Interrupt(errStop) // ended: nothing happens
	victim.Unpark()
}

func TestInterruptAll(t *testing.T) {
	t.Parallel()
	l := newLoop(t, newFake().options())
	got := 0
	wait := func(task *Task) {
		if err := task.Sleep(time.Hour); err != errStop {
			t.Errorf("sleep: got %v, want %v", err, errStop)
		}
		got++
	}
	for range 5 {
		l.Go(wait)
	}
	l.Post(func() { // from before Run, so the tasks have not started yet
		l.InterruptAll(errStop)
		l.InterruptAll(errors.New("too late"))
		l.Go(wait)
	})
	run(t, l)
	if got != 6 {
		t.Errorf("%d tasks were interrupted, want 6", got)
	}
}

func TestPanic(t *testing.T) {
	t.Parallel()
	t.Run("returned by Run", func(t *testing.T) {
		t.Parallel()
		l := newLoop(t, newFake().options())
		var bad *Task
		finished := false
		l.Go(func(task *Task) { bad = task; _ = task.Sleep(1); panic(errStop) })
		l.Go(func(task *Task) { _ = task.Sleep(time.Hour); finished = true })
		err := l.Run()
		var p *PanicError
		if !errors.As(err, &p) || !errors.Is(err, errStop) || p.Value != any(errStop) {
			t.Fatalf("run: got %v, want a PanicError with %v", err, errStop)
		}
		if !strings.Contains(string(p.Stack), "TestPanic") {
			t.Errorf("stack does not lead to the panic:\n%s", p.Stack)
		}
		if !finished || bad.Err() != any(errStop) {
			t.Errorf("finished = %v, Err = %v, want true and the panic", finished, bad.Err())
		}
	})
	t.Run("OnPanic", func(t *testing.T) {
		t.Parallel()
		opt := newFake().options()
		var tasks []*Task
		var values []any
		opt.OnPanic = func(task *Task, p *PanicError) {
			tasks = append(tasks, task)
			values = append(values, p.Value)
		}
		l := newLoop(t, opt)
		var bad *Task
		run(t, l, func(task *Task) { bad = task; panic("in a task") }, func(task *Task) {
			l.Post(func() { panic("posted") })
			_ = task.Sleep(1)
			l.Post(func() { _ = task.Sleep(1) })
			_ = task.Sleep(1)
		})
		if !slices.Equal(values, []any{"in a task", "posted", "loop: a task was asked to park by someone else"}) {
			t.Errorf("panics %q", values)
		}
		if len(tasks) != 3 || tasks[0] != bad || tasks[1] != nil {
			t.Errorf("tasks %v, want %p and nils", tasks, bad)
		}
	})
}

func TestGoexitEndsTheLoop(t *testing.T) {
	t.Parallel()
	f := newFake()
	l := newLoop(t, f.options())
	others := 0
	for i := range 5 {
		l.Go(func(task *Task) {
			if i == 2 {
				runtime.Goexit()
			}
			if err := task.Sleep(time.Hour); err != ErrInterrupted {
				t.Errorf("sleep: got %v, want %v", err, ErrInterrupted)
			}
			if others++; i == 3 {
				runtime.Goexit()
			}
		})
	}
	returned := false
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = l.Run()
		returned = true
	}()
	<-done
	if returned || others != 4 || f.closed != 1 {
		t.Errorf("returned = %v, others = %d, closed = %d, want false, 4, 1", returned, others, f.closed)
	}
}

func TestPollerFailureEndsTheLoop(t *testing.T) {
	t.Parallel()
	f := newFake()
	l := newLoop(t, f.options())
	l.Go(func(task *Task) {
		_ = task.Sleep(1)
		f.fail = errStop
		for range 2 {
			if err := task.Sleep(1); !errors.Is(err, errStop) {
				t.Errorf("sleep: got %v, want %v", err, errStop)
			}
		}
	})
	if err := l.Run(); !errors.Is(err, errStop) {
		t.Errorf("run: got %v, want %v", err, errStop)
	}
}

func TestRunOnce(t *testing.T) {
	t.Parallel()
	f := newFake()
	l := newLoop(t, f.options())
	run(t, l)
	if err := l.Run(); err == nil {
		t.Error("a second Run succeeded")
	}
	if err := l.Close(); err != nil || f.closed != 1 {
		t.Errorf("Close after Run: %v, poller closed %d times, want 1", err, f.closed)
	}
	l.Post(func() { t.Error("a function posted after Run was run") })

	f = newFake()
	l = newLoop(t, f.options())
	l.Go(func(*Task) { t.Error("a task of a closed loop has started") })
	if err := l.Close(); err != nil || f.closed != 1 {
		t.Errorf("Close: %v, poller closed %d times, want 1", err, f.closed)
	}
	if err := l.Run(); err == nil {
		t.Error("Run after Close succeeded")
	}
}

func TestPostedFunctionsRunBeforeTheEnd(t *testing.T) {
	t.Parallel()
	l := newLoop(t, newFake().options())
	order := ""
	run(t, l, func(*Task) {
		l.Post(func() {
			order += "a"
			l.Post(func() {
				order += "c"
				l.Go(func(*Task) { order += "d" })
			})
		})
		l.Post(func() { order += "b" })
	})
	if order != "abcd" {
		t.Errorf("order %q, want abcd", order)
	}
}

func TestTimerHeap(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	var h timers
	tasks := make([]*Task, 200)
	due := map[*Task]int64{} // the oracle
	for i := range tasks {
		tasks[i] = &Task{}
	}
	for range 20000 {
		task := tasks[rng.IntN(len(tasks))]
		switch when := rng.Int64N(1000); rng.IntN(4) {
		case 0:
			h.remove(task)
			delete(due, task)
		case 1:
			if len(h.heap) > 0 {
				first := h.heap[0].t
				due[first] += when
				h.postpone(due[first])
			}
		default:
			h.arm(task, when)
			if old, ok := due[task]; !ok || when < old {
				due[task] = when
			}
		}
		if len(h.heap) != len(due) {
			t.Fatalf("%d entries, want %d", len(h.heap), len(due))
		}
		if len(due) == 0 {
			continue
		}
		earliest := int64(never)
		for _, d := range due {
			earliest = min(earliest, d)
		}
		first := h.heap[0]
		if first.when != earliest || due[first.t] != earliest || first.t.place != 1 {
			t.Fatalf("first entry at %d, want %d", first.when, earliest)
		}
	}
}
