package loop

import (
	"testing"
	"time"
)

// A post must be seen whenever it comes: also while the loop polls, when the wake-up event is read by a poll and not
// by the sleep.
func TestPostWhileSpinning(t *testing.T) {
	t.Parallel()
	l, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	const posts = 5000
	end := make(chan error, 1)
	done := make(chan struct{})
	var task *Task
	l.Go(func(self *Task) {
		task = self
		_ = self.Park()
	})
	go func() { end <- l.Run() }()
	go func() {
		for i := range posts {
			seen := make(chan struct{})
			l.Post(func() {
				l.spins = spinning{enabled: true, trust: spinTrust} // always worth it
				close(seen)
			})
			<-seen
			for begin := time.Now(); time.Since(begin) < time.Duration(i%40)*5*time.Microsecond; {
			}
		}
		l.Post(func() { task.Unpark() })
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("a posted function was not run")
	}
	if err := <-end; err != nil {
		t.Error(err)
	}
}
