package loop

import (
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestManySleepersDoNotWaitForEachOther(t *testing.T) {
	t.Parallel()
	const n, d = 2000, 100 * time.Millisecond
	l := newLoop(t, Options{})
	start := time.Now()
	woken := 0
	for range n {
		l.Go(func(task *Task) {
			if err := task.Sleep(d); err != nil {
				t.Errorf("sleep: %v", err)
			}
			woken++
		})
	}
	run(t, l)
	if got := time.Since(start); got < d || got > 30*d {
		t.Errorf("%d sleeps of %v took %v", n, d, got)
	}
	if woken != n {
		t.Errorf("woken = %d, want %d", woken, n)
	}
}

// TestTimerPrecision checks that short sleeps are not rounded to milliseconds: of many sleeps of 50 µs the best takes
// less than one, even on a busy machine.
func TestTimerPrecision(t *testing.T) {
	t.Parallel()
	for name, pwait2 := range map[string]bool{"epoll_pwait2": true, "timerfd": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := newEpoll(pwait2)
			if err != nil {
				t.Fatal(err)
			}
			if !pwait2 && p.timer < 0 {
				t.Fatal("no timerfd is used")
			}
			l := newLoop(t, Options{Poller: p})
			run(t, l, func(task *Task) {
				const d = 50 * time.Microsecond
				best := time.Hour
				for range 200 {
					start := time.Now()
					if err := task.Sleep(d); err != nil {
						t.Errorf("sleep: %v", err)
					}
					got := time.Since(start)
					if got < d {
						t.Errorf("slept %v, want at least %v", got, d)
					}
					best = min(best, got)
				}
				if best > 900*time.Microsecond {
					t.Errorf("best sleep of %v took %v", d, best)
				}
			}, func(task *Task) {
				start := time.Now()
				_ = task.Sleep(150 * time.Millisecond) // taken in two steps, see timeout
				if got := time.Since(start); got < 150*time.Millisecond {
					t.Errorf("slept %v, want at least 150 ms", got)
				}
			})
		})
	}
}

func TestPostFromManyGoroutines(t *testing.T) {
	t.Parallel()
	const goroutines, posts = 8, 500
	l := newLoop(t, Options{})
	got := make([]int, goroutines)
	var parked *Task
	l.Go(func(task *Task) {
		parked = task
		_ = task.Park()
	})
	var wg sync.WaitGroup
	var finished atomic.Int32
	for g := range goroutines {
		wg.Go(func() {
			for i := range posts {
				l.Post(func() {
					if got[g] != i {
						t.Errorf("goroutine %d: function %d came as number %d", g, i, got[g])
					}
					got[g]++
				})
				if i%50 == 0 {
					time.Sleep(time.Microsecond) // so that the loop sleeps now and then
					_ = l.Stats()
				}
			}
			if finished.Add(1) == goroutines {
				l.Post(func() { parked.Unpark() })
			}
		})
	}
	run(t, l)
	wg.Wait()
	for g, n := range got {
		if n != posts {
			t.Errorf("goroutine %d: %d functions have run, want %d", g, n, posts)
		}
	}
	for range 100 {
		l.Post(func() { t.Error("posted after Run, and run") })
	}
}

func TestStatsWhileAsleep(t *testing.T) {
	t.Parallel()
	l := newLoop(t, Options{})
	l.Go(func(task *Task) { _ = task.Park() })
	got := make(chan Stats, 1)
	time.AfterFunc(10*time.Millisecond, func() { l.Post(func() {}) }) // must wake the loop once, not for ever
	time.AfterFunc(200*time.Millisecond, func() {
		got <- l.Stats()
		l.Post(func() { l.InterruptAll(nil) })
	})
	run(t, l)
	if s := <-got; s.WallNs < int64(100*time.Millisecond) || s.BusyNs > s.WallNs*3/4 {
		t.Errorf("wall = %d, busy = %d: a sleep that was going on counted as busy", s.WallNs, s.BusyNs)
	} else if s.Sleeps > 10 {
		t.Errorf("%d sleeps for one wake-up", s.Sleeps)
	}
}

// descriptors counts the open descriptors of the process.
func descriptors(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// TestNothingIsLeft is not parallel: no other test may open descriptors meanwhile.
func TestNothingIsLeft(t *testing.T) {
	fds, goroutines := descriptors(t), runtime.NumGoroutine()
	for round := range 10 {
		srv := serve(t, "unix", echo)
		l := newLoop(t, Options{})
		const n = 20
		connected := 0
		for i := range n {
			l.Go(func(task *Task) {
				c := srv.dial(task)
				_, _ = c.Write([]byte("x"))
				_, _ = c.Read(c.Scratch())
				if connected++; connected == n {
					l.InterruptAll(errStop)
				}
				switch i % 4 {
				case 0:
					_ = c.Close()
				case 1:
					panic("without Close")
				case 2:
					_ = task.Park() // until the interrupt, without Close
				}
				_, _ = task.Dial("unix", "/nowhere", 0)
			})
		}
		if err := l.Run(); err == nil {
			t.Fatalf("round %d: run: got nil, want a panic", round)
		}
		srv.stop()
		if l, err := New(Options{}); err != nil || l.Close() != nil {
			t.Fatalf("new and close: %v", err)
		}
	}
	deadline := time.Now().Add(10 * time.Second) // the goroutines of other tests may still be ending
	for runtime.NumGoroutine() > goroutines && time.Now().Before(deadline) {
		time.Sleep(time.Millisecond)
	}
	if got := descriptors(t); got != fds {
		t.Errorf("descriptors = %d, want %d", got, fds)
	}
	if got := runtime.NumGoroutine(); got > goroutines {
		t.Errorf("goroutines = %d, want %d", got, goroutines)
	}
}
