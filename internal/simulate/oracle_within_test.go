package simulate

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"deltabench/internal/compare"
)

func median(x []float64) float64 {
	s := slices.Clone(x)
	slices.Sort(s)
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

func mad(x []float64, m float64) float64 {
	d := make([]float64, len(x))
	for i := range x {
		d[i] = math.Abs(x[i] - m)
	}
	return 1.4826 * median(d)
}

func naiveBatches(x []float64) []float64 {
	b := make([]float64, len(x)/5)
	for i := range b {
		b[i] = stat.Mean(x[5*i:5*i+5], nil)
	}
	return b
}

func naiveLead(x []float64) int {
	b := naiveBatches(x)
	k := len(b)
	ref := median(b[k/2:])
	tol := max(0.03*ref, 3*mad(b[k/2:], ref))
	n := 0
	for n < k/2 && math.Abs(b[n]-ref) > tol {
		n++
	}
	return 5 * n
}

func naiveCut(x []float64) int {
	l := naiveLead(x)
	if l == 0 {
		return 0
	}
	b := naiveBatches(x)
	k := len(b)
	best, at := math.Inf(1), 0
	for d := 0; d <= k/2; d++ {
		m := stat.Mean(b[d:], nil)
		var ss float64
		for _, v := range b[d:] {
			ss += (v - m) * (v - m)
		}
		if v := ss / float64((k-d)*(k-d)); v < best {
			best, at = v, d
		}
	}
	return max(l, 5*at)
}

func naiveDrift(y []float64, total int) (d, t, df float64) {
	m := median(y)
	lim := 3 * mad(y, m)
	n := float64(len(y))
	w := make([]float64, len(y))
	for i, v := range y {
		w[i] = min(max(v, m-lim), m+lim)
	}
	mean := stat.Mean(w, nil)
	var sxx, sxy float64
	for i, v := range w {
		c := float64(i) - (n-1)/2
		sxx += c * c
		sxy += c * v
	}
	b := sxy / sxx
	var ss, sl, prev float64
	for i, v := range w {
		e := v - mean - b*(float64(i)-(n-1)/2)
		ss += e * e
		if i > 0 {
			sl += e * prev
		}
		prev = e
	}
	phi := min(max((sl/ss+2/n)/(1-4/n), 0), 0.97)
	f := (1 + phi) / (1 - phi)
	se := math.Sqrt(ss / (n - 2) * f / sxx)
	return 100 * b * float64(total) / mean, b / se, max(n/f-2, 1)
}

func naiveNeverSteady(x []float64) bool {
	if naiveLead(x) == 5*(len(x)/10) {
		return true
	}
	c := naiveCut(x)
	if len(x)-c < runLimit {
		return false
	}
	d, t, df := naiveDrift(x[c:], len(x))
	return math.Abs(d) >= 1.5 && tp(t, df) < 0.02
}

func naiveCellNeverSteady(x [][]float64) bool {
	if len(x) < 5 {
		return false
	}
	c := 0
	for _, run := range x {
		c = max(c, naiveCut(run))
	}
	if len(x[0])-c < cellLimit {
		return false
	}
	var ds []float64
	for _, run := range x {
		d, _, _ := naiveDrift(run[c:], len(run))
		ds = append(ds, d)
	}
	return math.Abs(stat.Mean(ds, nil)) >= 1.5 && paired(ds, 0.05).p < 0.02
}

var (
	critN  = []float64{10, 11, 12, 13, 14, 15, 16, 18, 20, 22, 25, 30, 40, 50, 60}
	crit1  = []float64{5.15, 4.87, 4.78, 4.59, 4.52, 4.42, 4.37, 4.24, 4.12, 4.09, 4.01, 3.92, 3.83, 3.80, 3.76}
	crit03 = []float64{7.04, 6.28, 6.15, 5.77, 5.63, 5.47, 5.32, 5.08, 4.93, 4.87, 4.64, 4.50, 4.31, 4.26, 4.20}
)

func naiveChanged(v []float64, level float64) bool {
	n := len(v)
	var diff []float64
	for i := 1; i < n; i++ {
		diff = append(diff, math.Abs(v[i]-v[i-1]))
	}
	q := median(diff) / 0.9539
	y := slices.Clone(v)
	for i := range v {
		m := median(v[max(0, i-2):min(n, i+3)])
		if math.Abs(v[i]-m) > 4*q {
			y[i] = m
		}
	}
	best := 0.0
	for k := 3; k <= n-3; k++ {
		m1, v1 := stat.MeanVariance(y[:k], nil)
		m2, v2 := stat.MeanVariance(y[k:], nil)
		sp := (v1*float64(k-1) + v2*float64(n-k-1)) / float64(n-2)
		best = max(best, math.Abs(m1-m2)/math.Sqrt(sp*(1/float64(k)+1/float64(n-k))))
	}
	table := crit1
	if level < 0.01 {
		table = crit03
	}
	i := 0
	for i < len(critN)-2 && critN[i+1] < float64(n) {
		i++
	}
	c := table[i] + (table[i+1]-table[i])*(float64(n)-critN[i])/(critN[i+1]-critN[i])
	return best > c
}

// Seconds after the cut below which runs and cells are not judged.
const (
	runLimit  = 50
	cellLimit = 30
)

// TestWithinAgainstNaive holds the product's judgements of runs, cells and histories to the formulas written down a second
// time, as plainly as possible.
func TestWithinAgainstNaive(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	called1, steady := 0, 0
	for i := range 400 {
		s := Series{
			Seconds: []int{60, 120, 300}[i%3], Phi: 0.8 * r.Float64(), SD: 0.5 + 3*r.Float64(), Ramp: 4 * r.Float64(),
			Warm: []float64{0, 20, 50}[i/3%3], Tau: 3 + 40*r.Float64(), DipsAt: []int{0, 30}[i%2],
		}
		cell := make([][]float64, 6)
		for j := range cell {
			cell[j] = make([]float64, s.Seconds)
			s.draw(r, cell[j])
		}
		for _, x := range cell {
			got := compare.JudgeRun(x, 0)
			if want := naiveNeverSteady(x); (got.State == compare.NeverSteady) != want || got.Cut != naiveCut(x) {
				t.Errorf("%+v: run judged %v with cut %d; never steady: want %v, cut %d", s, got.State, got.Cut, want, naiveCut(x))
			}
			if got.State == compare.NeverSteady {
				steady++
			}
		}
		if got, want := compare.JudgeCell(cell, 0), naiveCellNeverSteady(cell); (got.State == compare.NeverSteady) != want {
			t.Errorf("%+v: cell judged %v; never steady: want %v", s, got.State, want)
		}
		past := Past{Points: 10 + r.IntN(50), Spike: i%2 == 0, Step: i%3 == 0}
		v := make([]float64, past.Points)
		past.draw(r, v)
		for look, level := range map[compare.Look]float64{compare.OneLook: 0.01, compare.EveryPoint: 0.003} {
			last := v
			if look == compare.EveryPoint {
				last = v[max(0, len(v)-30):]
			}
			if got, want := called(v, look), naiveChanged(last, level); got != want {
				t.Errorf("history %+v at %g: change called: %v, want %v", past, level, got, want)
			} else if got {
				called1++
			}
		}
	}
	if called1 < 50 || steady < 50 {
		t.Errorf("%d changes called, %d runs never steady: too few to have compared anything", called1, steady)
	}
}

// tp is the two-sided p of Student's t.
func tp(t, df float64) float64 { return 2 * distuv.StudentsT{Sigma: 1, Nu: df}.CDF(-math.Abs(t)) }
