package measure

import (
	"fmt"
	"math"
	"strings"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Range of the precise histogram. Values outside are counted at its ends, and never lost: Min, Max and Sum
// are exact.
const (
	hdrUnitNs = 64            // resolution floor in ns
	hdrMaxNs  = 3600 * 1000e6 // one hour
	hdrDigits = 3             // relative error below 0.1 %
)

// Latency is a distribution of durations in ns: exact count, minimum, maximum and sum, a precise histogram
// (HDR, relative error < 0.1 %), and sysbench's own histogram, whose quantised percentiles people compare.
type Latency struct {
	Count, Min, Max, Sum int64
	Log                  LogHistogram
	hdr                  *hdrhistogram.Histogram
}

// NewLatency returns an empty distribution, some 200 KB.
func NewLatency() *Latency {
	l := &Latency{hdr: hdrhistogram.New(hdrUnitNs, hdrMaxNs, hdrDigits)}
	l.Log.init(LogBuckets, LogMinMs, LogMaxMs)
	return l
}

// Record adds one value. It does not allocate.
func (l *Latency) Record(ns int64) {
	if l.Count == 0 || ns < l.Min {
		l.Min = ns
	}
	l.Max = max(l.Max, ns)
	l.Count++
	l.Sum += ns
	l.Log.Update(float64(ns) / 1e6)
	_ = l.hdr.RecordValue(min(max(ns, 0), hdrMaxNs)) // cannot fail within the range
}

// Merge adds all of o.
func (l *Latency) Merge(o *Latency) {
	if o.Count == 0 {
		return
	}
	if l.Count == 0 || o.Min < l.Min {
		l.Min = o.Min
	}
	l.Max = max(l.Max, o.Max)
	l.Count += o.Count
	l.Sum += o.Sum
	l.Log.Merge(&o.Log)
	l.hdr.Merge(o.hdr)
}

// Reset empties l.
func (l *Latency) Reset() {
	if l.Count == 0 {
		return
	}
	l.Count, l.Min, l.Max, l.Sum = 0, 0, 0, 0
	l.Log.Reset()
	l.hdr.Reset()
}

// Percentile returns the p-th percentile (0..100, nearest rank) in ns from the precise histogram, never
// below Min nor above Max; 0 without values.
func (l *Latency) Percentile(p float64) int64 {
	if l.Count == 0 {
		return 0
	}
	return min(max(l.hdr.ValueAtPercentile(p), l.Min), l.Max)
}

// HDR returns the precise histogram (values in ns); it stays owned by l.
func (l *Latency) HDR() *hdrhistogram.Histogram { return l.hdr }

// Parameters of sysbench's latency histogram (specification 3.12).
const (
	LogBuckets = 1024
	LogMinMs   = 0.001
	LogMaxMs   = 100000
)

// LogHistogram is sysbench's histogram: n buckets whose values grow geometrically between two bounds.
// Values outside go to the end buckets.
type LogHistogram struct {
	counts []int64
	total  int64
	lnMin  float64
	mult   float64 // (n-1) / (ln max − ln min)
}

// NewLogHistogram returns an empty histogram with n buckets (at least 2) between lo and hi (0 < lo < hi).
func NewLogHistogram(n int, lo, hi float64) *LogHistogram {
	h := &LogHistogram{}
	h.init(n, lo, hi)
	return h
}

func (h *LogHistogram) init(n int, lo, hi float64) {
	h.counts = make([]int64, n)
	h.lnMin = math.Log(lo)
	h.mult = float64(n-1) / (math.Log(hi) - h.lnMin)
}

// Update adds one value, in the unit of the bounds.
func (h *LogHistogram) Update(v float64) {
	i := math.Floor((math.Log(v)-h.lnMin)*h.mult + 0.5)
	switch {
	case !(i > 0): // also the logarithm of 0
		i = 0
	case i >= float64(len(h.counts)):
		i = float64(len(h.counts) - 1)
	}
	h.counts[int(i)]++
	h.total++
}

// Merge adds all of o, which has the same parameters.
func (h *LogHistogram) Merge(o *LogHistogram) {
	if o.total == 0 {
		return
	}
	for i, c := range o.counts {
		h.counts[i] += c
	}
	h.total += o.total
}

// Reset empties h.
func (h *LogHistogram) Reset() {
	clear(h.counts)
	h.total = 0
}

// Total returns the number of values.
func (h *LogHistogram) Total() int64 { return h.total }

// Value returns the value that bucket i stands for.
func (h *LogHistogram) Value(i int) float64 { return math.Exp(float64(i)/h.mult + h.lnMin) }

// Percentile returns the p-th percentile as sysbench does: the first bucket whose cumulative count reaches
// floor(n·p/100 + 0.5); without values the lower bound.
func (h *LogHistogram) Percentile(p float64) float64 {
	target := int64(float64(h.total)*p/100 + 0.5)
	var sum int64
	for i, c := range h.counts {
		sum += c
		if sum >= target {
			return h.Value(i)
		}
	}
	return h.Value(len(h.counts) - 1)
}

// Rows calls f with value and count of each bucket that is not empty, in ascending order.
func (h *LogHistogram) Rows(f func(value float64, count int64)) {
	for i, c := range h.counts {
		if c > 0 {
			f(h.Value(i), c)
		}
	}
}

// Table is the histogram as sysbench prints it (specification 3.12), a line for each bucket that has values; empty without values.
func (h *LogHistogram) Table() string {
	if h.Total() == 0 {
		return ""
	}
	var most int64
	h.Rows(func(_ float64, n int64) { most = max(most, n) })
	var b strings.Builder
	b.WriteString("       value  ------------- distribution ------------- count\n")
	h.Rows(func(value float64, n int64) {
		stars := int(math.Floor(40*float64(n)/float64(most) + 0.5))
		fmt.Fprintf(&b, "%12.3f |%-40s %d\n", value, strings.Repeat("*", stars), n)
	})
	return b.String()
}
