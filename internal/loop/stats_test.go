package loop

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

func TestHistogram(t *testing.T) {
	t.Parallel()
	last := -1
	for _, v := range []int64{0, 1, 7, 8, 9, 15, 16, 17, 18, 31, 32, 1000, 1 << 20, 1<<40 - 1} {
		i := bucket(v)
		if i < last || bucketEnd(i) < v || i > 0 && bucketEnd(i-1) >= v {
			t.Errorf("bucket of %d is %d, which ends at %d after %d", v, i, bucketEnd(i), bucketEnd(max(i-1, 0)))
		}
		last = i
	}
	if got := bucket(never); got != lagBuckets-1 {
		t.Errorf("bucket of the highest value = %d, want %d", got, lagBuckets-1)
	}

	var h histogram
	if got := h.quantile(0.99); got != 0 {
		t.Errorf("quantile of nothing = %d, want 0", got)
	}
	rng := rand.New(rand.NewPCG(5, 6))
	values := make([]int64, 5000)
	for i := range values {
		values[i] = int64(rng.ExpFloat64() * 1e6)
		h.n[bucket(values[i])]++
	}
	slices.Sort(values)
	for _, q := range []float64{0, 0.5, 0.9, 0.99, 1} {
		want := values[max(0, int(q*float64(len(values)))-1)]
		if got := h.quantile(q); got < want || float64(got) > float64(want)*1.13 {
			t.Errorf("quantile %v = %d, want %d to 13 %% more", q, got, want)
		}
	}
}

func TestStatsOnFakeTime(t *testing.T) {
	t.Parallel()
	f := newFake()
	l := newLoop(t, f.options())
	if s := l.Stats(); s != (Stats{}) {
		t.Errorf("stats before Run = %+v, want zeros", s)
	}
	// Ten tasks sleep 1 ms, then compute for 0.1 ms each: the loop is busy for 1 of 2 ms, and the i-th task has waited
	// i/10 ms when it is resumed.
	const n = 10
	var mid Stats
	for i := range n {
		l.Go(func(task *Task) {
			for range 3 {
				_ = task.SleepUntil((l.Now()/2e6)*2e6 + 2e6)
				f.now.Add(1e5)
			}
			if i == n-1 {
				mid = l.Stats()
			}
		})
	}
	run(t, l)
	s := l.Stats()
	if s.Switches != 4*n || s.Batches != 4 || s.LagCount != 3*n {
		t.Errorf("switches, batches, lags = %d, %d, %d, want %d, 4, %d", s.Switches, s.Batches, s.LagCount, 4*n, 3*n)
	}
	if s.WallNs != 7e6 {
		t.Errorf("wall = %d, want 7e6", s.WallNs)
	}
	if s.BusyNs != 3e6 || s.BusyShare() != 3.0/7 {
		t.Errorf("busy = %d (%v), want 3e6", s.BusyNs, s.BusyShare())
	}
	for _, q := range []struct {
		name      string
		got, want int64
	}{{"p50", s.LagP50Ns, 4e5}, {"p99", s.LagP99Ns, 9e5}, {"max", s.LagMaxNs, 9e5}} {
		if q.got < q.want || q.got > q.want*9/8 {
			t.Errorf("lag %s = %d, want %d to 12.5 %% more", q.name, q.got, q.want)
		}
	}
	if mid.WallNs != s.WallNs || mid.BusyNs != s.BusyNs || mid.Batches != s.Batches-1 {
		t.Errorf("stats while running = %+v, at the end %+v", mid, s)
	}
	d := s.Since(&mid)
	if d.LagCount != n || d.Batches != 1 || d.LagMaxNs < 9e5 || d.LagMaxNs > s.LagMaxNs {
		t.Errorf("difference = %+v, want one batch of %d", d, n)
	}
	sum := mid
	sum.Add(&d)
	if sum.LagCount != s.LagCount || sum.Switches != s.Switches || sum.LagP50Ns != s.LagP50Ns {
		t.Errorf("earlier + difference = %+v, want %+v", sum, s)
	}
}

func TestLagOfABusyLoop(t *testing.T) {
	t.Parallel()
	// A loop that never sleeps: ten tasks that want to run each 1 µs, and need 1 ms. Each waits for the nine others.
	f := newFake()
	l := newLoop(t, f.options())
	for range 10 {
		l.Go(func(task *Task) {
			for range 50 {
				f.now.Add(int64(time.Millisecond))
				_ = task.Sleep(time.Microsecond)
			}
		})
	}
	run(t, l)
	s := l.Stats()
	if s.LagP50Ns < 8e6 || s.LagP50Ns > 11e6 || s.LagP99Ns > 11e6 {
		t.Errorf("lag p50 = %d, p99 = %d, want about 9e6", s.LagP50Ns, s.LagP99Ns)
	}
	if s.BusyShare() < 0.99 {
		t.Errorf("busy share = %v, want 1", s.BusyShare())
	}
}

// TestLagOfEvents checks the estimate for sockets: after a sleep they have just become ready, without one in the course
// of the batch before.
func TestLagOfEvents(t *testing.T) {
	t.Parallel()
	const n, work = 4, int64(1e6)
	tests := []struct {
		name   string
		delay  int64 // of the poll
		sleeps int64
		max    int64
	}{
		{"after a sleep", 1e9, 1, (n - 1) * work},
		// The first event came half a step into a batch of n*work, and was waited for the rest of it; each later one came
		// later by what it is resumed later.
		{"without sleep", sleepNoticed / 2, 0, n*work - work/2 + sleepNoticed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := newFake()
			f.delay = tt.delay
			l := newLoop(t, f.options())
			for range n {
				l.Go(func(task *Task) {
					c := task.newConn(-1)
					f.ready = append(f.ready, Event{c.token(), In})
					f.now.Add(work)
					if err := c.wait(forRead); err != nil {
						t.Errorf("wait: %v", err)
					}
					f.now.Add(work)
				})
			}
			run(t, l)
			s := l.Stats()
			if s.LagCount != n || s.Sleeps != tt.sleeps {
				t.Errorf("lags, sleeps = %d, %d, want %d, %d", s.LagCount, s.Sleeps, n, tt.sleeps)
			}
			if diff := tt.max - s.LagMaxNs; diff < 0 || diff > 2*sleepNoticed {
				t.Errorf("lag max = %d, want %d", s.LagMaxNs, tt.max)
			}
			if want := s.WallNs - tt.sleeps*tt.delay; s.BusyNs != want {
				t.Errorf("busy = %d, want %d", s.BusyNs, want)
			}
		})
	}
}
