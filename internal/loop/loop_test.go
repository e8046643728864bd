package loop

import (
	"testing"
	"time"
)

// newLoop returns a loop on the system's poller.
func newLoop(t testing.TB, opt Options) *Loop {
	t.Helper()
	l, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// run runs tasks to their end.
func run(t testing.TB, l *Loop, tasks ...func(*Task)) {
	t.Helper()
	for _, fn := range tasks {
		l.Go(fn)
	}
	if err := l.Run(); err != nil {
		t.Fatalf("run: %v", err)
	}
}

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
	if got := time.Since(start); got < d || got > 20*d {
		t.Errorf("%d sleeps of %v took %v", n, d, got)
	}
	if woken != n {
		t.Errorf("woken = %d, want %d", woken, n)
	}
}
