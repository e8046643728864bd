package pace

import (
	"math"
	"sync"
	"testing"

	"deltabench/internal/random"
)

func source() *random.Source {
	p := random.NewProcess()
	p.Seed(7)
	return p.NewSource()
}

func TestConstant(t *testing.T) {
	for _, c := range []struct {
		name  string
		rate  float64
		start int64
		want  []int64
	}{
		{"whole", 1000, 5, []int64{1_000_005, 2_000_005, 3_000_005}},
		{"fraction", 3, 0, []int64{333_333_333, 666_666_666, 1_000_000_000, 1_333_333_333}},
		{"slow", 0.5, 0, []int64{2e9, 4e9}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := NewConstant(c.rate, c.start)
			for i, want := range c.want {
				if got := s.Next(); got != want {
					t.Errorf("arrival %d: got %d, want %d", i, got, want)
				}
			}
		})
	}
}

// The formula of the specification, written out: an absolute schedule whose first interval is drawn twice.
func TestPoissonDraws(t *testing.T) {
	src := source()
	draw := func() int64 { return int64(-1e9 / 100.0 * math.Log(1-src.Float64())) }
	want := int64(77) + draw()
	s := New(100, source(), 77)
	for i := range 1000 {
		want += draw()
		if got := s.Next(); got != want {
			t.Fatalf("arrival %d: got %d, want %d", i, got, want)
		}
	}
}

func TestSourceIsCopied(t *testing.T) {
	src, untouched := source(), source()
	New(100, src, 0).Next()
	if *src != *untouched {
		t.Error("the caller's source has moved")
	}
}

// Mean and standard deviation of exponential intervals are both 1/rate, and the number of arrivals in a
// window has a variance equal to its mean.
func TestPoissonStatistics(t *testing.T) {
	const rate, n = 5000.0, 200_000
	s := New(rate, source(), 0)
	var sum, squares float64
	windows := map[int64]float64{}
	last := s.Next()
	first := last
	for range n {
		at := s.Next()
		d := float64(at - last)
		sum += d
		squares += d * d
		windows[(at-first)/10_000_000]++ // 10 ms, 50 arrivals
		last = at
	}
	mean := sum / n
	if math.Abs(mean-1e9/rate) > 5*1e9/rate/math.Sqrt(n) {
		t.Errorf("mean interval is %.0f ns, want about %.0f", mean, 1e9/rate)
	}
	if sd := math.Sqrt(squares/n - mean*mean); math.Abs(sd/mean-1) > 0.02 {
		t.Errorf("standard deviation / mean is %.3f, want about 1", sd/mean)
	}
	var m, v float64
	full := float64(len(windows) - 1)
	for w, k := range windows {
		if w < int64(full) {
			m += k / full
		}
	}
	for w, k := range windows {
		if w < int64(full) {
			v += (k - m) * (k - m) / full
		}
	}
	if math.Abs(v/m-1) > 0.1 {
		t.Errorf("variance / mean of the counts is %.3f, want about 1", v/m)
	}
}

func TestCounters(t *testing.T) {
	type state struct{ offered, claimed, started, backlog int64 }
	check := func(t *testing.T, s *Schedule, now int64, want state) {
		t.Helper()
		got := state{s.Offered(now), s.Claimed(), s.StartedCount(), s.Backlog(now)}
		if got != want {
			t.Errorf("at %d: got %+v, want %+v", now, got, want)
		}
	}
	s := NewConstant(1e6, 0) // 1000, 2000, ...
	check(t, s, 999, state{})
	check(t, s, 1000, state{offered: 1, backlog: 1})
	s.Started(s.Next())
	check(t, s, 1999, state{offered: 1, claimed: 1, started: 1})
	s.Started(s.Next())
	future := s.Next() // 3000: claimed ahead, not in the queue until it is due
	check(t, s, 2999, state{offered: 2, claimed: 3, started: 2})
	check(t, s, 3000, state{offered: 3, claimed: 3, started: 2, backlog: 1})
	s.Started(future)
	check(t, s, 10_000, state{offered: 10, claimed: 3, started: 3, backlog: 7})
	check(t, s, 5_000, state{offered: 10, claimed: 3, started: 3, backlog: 7}) // time does not go back
}

func TestRestart(t *testing.T) {
	t.Run("backlog is dropped", func(t *testing.T) {
		s := NewConstant(1e6, 0)
		late := s.Next()
		if got := s.Restart(10_500); got != 9 {
			t.Errorf("dropped %d, want 9", got)
		}
		s.Started(late) // claimed before, belongs to the old period
		if got := s.Next(); got != 11_000 {
			t.Errorf("next arrival is %d, want 11000", got)
		}
		if o, c, st, b := s.Offered(11_000), s.Claimed(), s.StartedCount(), s.Backlog(11_000); o != 1 || c != 1 || st != 0 || b != 1 {
			t.Errorf("offered %d claimed %d started %d backlog %d, want 1 1 0 1", o, c, st, b)
		}
	})
	t.Run("claims in the future stay", func(t *testing.T) {
		s := NewConstant(1e6, 0)
		s.Started(s.Next())
		a, b := s.Next(), s.Next()
		if got := s.Restart(1_500); got != 0 {
			t.Errorf("dropped %d, want 0", got)
		}
		if got := s.Claimed(); got != 2 {
			t.Errorf("claimed %d, want 2", got)
		}
		s.Started(a)
		s.Started(b)
		if got := s.Next(); got != 4000 {
			t.Errorf("next arrival is %d, want 4000", got)
		}
		if o, st := s.Offered(3_999), s.StartedCount(); o != 2 || st != 2 {
			t.Errorf("offered %d started %d, want 2 2", o, st)
		}
	})
	t.Run("the sequence goes on", func(t *testing.T) {
		s, plain := New(1e6, source(), 0), New(1e6, source(), 0)
		s.Next()
		s.Restart(5_000_000)
		want := plain.Next()
		for want <= 5_000_000 {
			want = plain.Next()
		}
		for i := range 100 {
			if got := s.Next(); got != want {
				t.Fatalf("arrival %d after the restart: got %d, want %d", i, got, want)
			}
			want = plain.Next()
		}
	})
}

// Many threads claim every arrival exactly once.
func TestConcurrentClaims(t *testing.T) {
	const threads, each = 8, 2000
	s := NewConstant(1e6, 0)
	var mu sync.Mutex
	seen := map[int64]bool{}
	var wg sync.WaitGroup
	for range threads {
		wg.Go(func() {
			for range each {
				at := s.Next()
				s.Started(at)
				s.Backlog(at)
				mu.Lock()
				seen[at] = true
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if len(seen) != threads*each || !seen[1000] || !seen[threads*each*1000] {
		t.Errorf("%d different arrivals claimed, want %d without a gap", len(seen), threads*each)
	}
	if got := s.Backlog(threads * each * 1000); got != 0 {
		t.Errorf("backlog %d, want 0", got)
	}
}

func BenchmarkNext(b *testing.B) {
	s := New(1e6, source(), 0)
	b.ReportAllocs()
	for b.Loop() {
		s.Started(s.Next())
	}
}
