package measure

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The values are observed: what sysbench prints for latencies is one of its bucket values.
func TestLogHistogramPrintsKnownBucketValues(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want float64 }{
		{3000.17, 2985.89}, {99.4, 99.33}, {101, 101.13}, {1.75, 1.76}, {20.4, 20.37},
	} {
		h := NewLogHistogram(LogBuckets, LogMinMs, LogMaxMs)
		h.Update(c.in)
		if got := math.Round(h.Percentile(95)*100) / 100; got != c.want {
			t.Errorf("value %v: percentile %v, want %v", c.in, got, c.want)
		}
	}
}

func TestLogHistogramExampleOfTheScriptAPI(t *testing.T) {
	t.Parallel()
	h := NewLogHistogram(1000, 1, 10)
	for _, v := range []float64{1, 2, 0, 10, 100, 5.001} {
		h.Update(v)
	}
	var got [][2]float64
	h.Rows(func(v float64, n int64) { got = append(got, [2]float64{math.Round(v*1000) / 1000, float64(n)}) })
	want := [][2]float64{{1, 2}, {2.001, 1}, {4.997, 1}, {10, 2}}
	if !slices.Equal(got, want) {
		t.Errorf("rows %v, want %v", got, want)
	}
}

func TestLogHistogramWithoutValues(t *testing.T) {
	t.Parallel()
	if got := NewLogHistogram(LogBuckets, LogMinMs, LogMaxMs).Percentile(95); math.Abs(got-0.001) > 1e-9 {
		t.Errorf("percentile %v, want the lower bound 0.001", got)
	}
}

// The oracle is the sorted list of all values.
func TestPercentilesAgainstSortedValues(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	l := NewLatency()
	values := make([]int64, 20000)
	for i := range values {
		values[i] = int64(math.Exp(rng.NormFloat64()*2+11)) + 100 // about 0.1 µs to 100 ms
		l.Record(values[i])
	}
	slices.Sort(values)
	var sum int64
	for _, v := range values {
		sum += v
	}
	if l.Count != 20000 || l.Min != values[0] || l.Max != values[len(values)-1] || l.Sum != sum {
		t.Errorf("count %d min %d max %d sum %d, want 20000 %d %d %d", l.Count, l.Min, l.Max, l.Sum, values[0], values[len(values)-1], sum)
	}
	for _, p := range []float64{1, 25, 50, 90, 95, 99, 99.9} {
		exact := float64(values[int(math.Ceil(p/100*float64(len(values))-1e-9))-1])
		if got := float64(l.Percentile(p)); math.Abs(got/exact-1) > 0.002+64/exact {
			t.Errorf("p%v: %v, want %v", p, got, exact)
		}
		if got := l.Log.Percentile(p) * 1e6; math.Abs(got/exact-1) > 0.02 && exact > 1000 {
			t.Errorf("p%v of sysbench's histogram: %v, want %v within its bucket", p, got, exact)
		}
	}
	if l.Percentile(0) < l.Min || l.Percentile(100) > l.Max {
		t.Error("a percentile lies outside minimum and maximum")
	}
}

func TestLatencyKeepsValuesOutsideItsRange(t *testing.T) {
	t.Parallel()
	l := NewLatency()
	for _, v := range []int64{0, 1, math.MaxInt64 / 4} {
		l.Record(v)
	}
	if l.Count != 3 || l.Max != math.MaxInt64/4 || l.HDR().TotalCount() != 3 || l.Log.Total() != 3 {
		t.Errorf("count %d max %d hdr %d log %d, want every value counted", l.Count, l.Max, l.HDR().TotalCount(), l.Log.Total())
	}
}

func TestMergeEqualsOneBigRecord(t *testing.T) {
	t.Parallel()
	a, b, all := NewLatency(), NewLatency(), NewLatency()
	for i := range int64(1000) {
		v := i * i * 1001
		all.Record(v)
		if i%3 == 0 {
			a.Record(v)
		} else {
			b.Record(v)
		}
	}
	a.Merge(b)
	if a.Count != all.Count || a.Sum != all.Sum || a.Min != all.Min || a.Max != all.Max {
		t.Errorf("merged %d %d %d %d, want %d %d %d %d", a.Count, a.Sum, a.Min, a.Max, all.Count, all.Sum, all.Min, all.Max)
	}
	for _, p := range []float64{10, 50, 99} {
		if a.Percentile(p) != all.Percentile(p) || a.Log.Percentile(p) != all.Log.Percentile(p) {
			t.Errorf("p%v differs after a merge", p)
		}
	}
}

// Intervals read while threads record: nothing is lost, nothing is counted twice.
func TestIntervalsAddUpToTotals(t *testing.T) {
	t.Parallel()
	set := &Set{Options: Options{Open: true, Kinds: []string{"", "point_selects"}}}
	const threads, events = 4, 5000
	done := make(chan struct{}, threads)
	for range 2 {
		set.Recorders = append(set.Recorders, NewRecorder(set.Options))
	}
	for i := range threads {
		th := set.Recorders[i%2].Thread()
		go func() {
			for n := range int64(events) {
				th.Begin(n+1, true)
				th.Query(Class(n % 3))
				th.Statement(1, n)
				if n%100 == 0 {
					th.Error(1213, "40001", "Deadlock found", false)
				}
				th.Event(n, n/2, n%7-1)
			}
			done <- struct{}{}
		}()
	}
	var sum Counters
	var latencies, kinds int64
	take := func() {
		iv := set.Interval()
		sum.add(iv.Counters)
		latencies += iv.Latency.Count
		kinds += iv.Kinds[1].Count
	}
	for ended := 0; ended < threads; {
		select {
		case <-done:
			ended++
		default:
			take()
		}
	}
	take()
	total := set.Cumulative()
	if sum != total.Counters {
		t.Errorf("intervals add up to %+v, totals are %+v", sum, total.Counters)
	}
	want := Counters{Events: threads * events, Reads: threads * 1667, Writes: threads * 1667, Others: threads * 1666, Errors: threads * 50}
	if total.Counters != want {
		t.Errorf("totals %+v, want %+v", total.Counters, want)
	}
	if latencies != threads*events || kinds != threads*events || total.Service.Count != threads*events {
		t.Errorf("latencies %d, kinds %d, service %d, want %d each", latencies, kinds, total.Service.Count, threads*events)
	}
	if total.Lateness.Count >= threads*events || total.Lateness.Count == 0 {
		t.Errorf("lateness of %d events, want only those with a lateness", total.Lateness.Count)
	}
	if len(total.Errors) != 1 || total.Errors[0].Count != threads*50 || total.Errors[0].First != "Deadlock found" {
		t.Errorf("errors %+v, want 1213 %d times", total.Errors, threads*50)
	}
}

func TestCheckpointAffectsTotalsOnly(t *testing.T) {
	t.Parallel()
	set := &Set{Recorders: []*Recorder{NewRecorder(Options{})}}
	th := set.Recorders[0].Thread()
	th.Event(10, 10, -1)
	if got := set.Checkpoint().Events; got != 1 {
		t.Errorf("events at the checkpoint: got %d, want 1", got)
	}
	th.Event(20, 20, -1)
	total := set.Cumulative()
	if total.Events != 1 || total.Latency.Min != 20 || total.Threads[0].Events != 1 || total.Threads[0].LatencyNs != 20 {
		t.Errorf("after a checkpoint: %d events, min %d, thread %+v; want the second event only", total.Events, total.Latency.Min, total.Threads[0])
	}
	if iv := set.Interval(); iv.Events != 2 {
		t.Errorf("interval has %d events, want 2", iv.Events)
	}
}

func TestDiscardForgetsEverything(t *testing.T) {
	t.Parallel()
	opt := Options{Warmup: true}
	set := &Set{Options: opt, Recorders: []*Recorder{NewRecorder(opt)}}
	th := set.Recorders[0].Thread()
	th.Begin(1, false)
	th.Event(10, 10, -1)
	set.Interval()
	th.Event(20, 20, -1)
	th.Error(1205, "HY000", "Lock wait timeout", false)
	th.Begin(1, false)
	set.Discard()
	th.Event(30, 30, -1)
	total, iv := set.Cumulative(), set.Interval()
	if total.Events != 1 || total.Latency.Min != 30 || iv.Events != 1 || total.Threads[0].Events != 1 || len(total.Errors) != 0 {
		t.Errorf("totals %+v, interval %d events, errors %v; want the last event only", total.Counters, iv.Events, total.Errors)
	}
}

// Events that start in the warm-up and end after it are counted when there is a place for them; those that start after
// it are, also when the recorder has not been told of the end yet.
func TestEventsAtTheEndOfAWarmup(t *testing.T) {
	t.Parallel()
	places := 0
	opt := Options{Warmup: true, Admit: func() bool { places--; return places >= 0 }}
	set := &Set{Options: opt, Recorders: []*Recorder{NewRecorder(opt)}}
	a, b, c := set.Recorders[0].Thread(), set.Recorders[0].Thread(), set.Recorders[0].Thread()
	a.Begin(1, false)
	b.Begin(1, false)
	c.Begin(1, false)
	c.Event(5, 0, -1) // forgotten
	c.Begin(2, true)
	c.Query(Read)
	c.Event(6, 0, -1) // before Discard, but not forgotten
	places = 1
	a.Event(7, 0, -1)
	b.Query(Write)
	b.Event(8, 0, -1) // no place
	set.Discard()
	if total := set.Cumulative(); total.Events != 2 || total.Latency.Min != 6 || total.Latency.Max != 7 || total.Reads != 1 || total.Writes != 1 {
		t.Errorf("totals %+v of latencies %d to %d, want the events of 6 and 7", total.Counters, total.Latency.Min, total.Latency.Max)
	}
}

func TestRecordingDoesNotAllocate(t *testing.T) {
	set := &Set{Recorders: []*Recorder{NewRecorder(Options{Open: true})}}
	th := set.Recorders[0].Thread()
	if n := testing.AllocsPerRun(1000, func() {
		th.Begin(1, true)
		th.Query(Read)
		th.Event(12345, 12000, 3)
	}); n != 0 {
		t.Errorf("%v allocations an event, want 0", n)
	}
}

func BenchmarkEvent(b *testing.B) {
	set := &Set{Recorders: []*Recorder{NewRecorder(Options{})}}
	th := set.Recorders[0].Thread()
	b.ReportAllocs()
	for n := int64(0); b.Loop(); n++ {
		th.Begin(n, true)
		th.Query(Read)
		th.Event(100000+n%1000, 0, -1)
	}
}

// Checkpoints taken while threads record add up as well, counters, latencies and sums of threads alike.
func TestCheckpointsAddUp(t *testing.T) {
	t.Parallel()
	const threads, events = 4, 5000
	set := &Set{Recorders: []*Recorder{NewRecorder(Options{}), NewRecorder(Options{})}}
	done := make(chan struct{}, threads)
	for i := range threads {
		th := set.Recorders[i%2].Thread()
		go func() {
			for n := range int64(events) {
				th.Event(n, n, -1)
			}
			done <- struct{}{}
		}()
	}
	var sum, latencies, inThreads int64
	add := func(s *Snapshot) {
		var here int64
		for _, th := range s.Threads {
			here += th.Events
		}
		if here != s.Events || s.Latency.Count != s.Events {
			t.Errorf("a checkpoint has %d events, %d latencies, and %d events of threads", s.Events, s.Latency.Count, here)
		}
		sum += s.Events
		latencies += s.Latency.Count
		inThreads += here
	}
	for ended := 0; ended < threads; {
		select {
		case <-done:
			ended++
		default:
			add(set.Checkpoint())
		}
	}
	add(set.Cumulative())
	if want := int64(threads * events); sum != want || latencies != want || inThreads != want {
		t.Errorf("checkpoints add up to %d events, %d latencies, %d events of threads; want %d", sum, latencies, inThreads, want)
	}
}
