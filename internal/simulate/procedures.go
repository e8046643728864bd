package simulate

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

type interval struct{ mean, half, p float64 }

type verdict int

const (
	undecided verdict = iota
	better
	worse
	equivalent
)

func tq(p, df float64) float64 { return distuv.StudentsT{Sigma: 1, Nu: df}.Quantile(p) }
func tp(t, df float64) float64 { return 2 * distuv.StudentsT{Sigma: 1, Nu: df}.CDF(-math.Abs(t)) }

func paired(l []float64, level float64) interval {
	m, s := stat.MeanStdDev(l, nil)
	n := float64(len(l))
	return interval{m, tq(1-level/2, n-1) * s / math.Sqrt(n), tp(m*math.Sqrt(n)/s, n-1)}
}

func signedRank(l []float64) (est, low, high float64, ok bool) {
	n := len(l)
	if n < 6 {
		return 0, 0, 0, false
	}
	var a []float64
	for i := range l {
		for j := i; j < n; j++ {
			a = append(a, (l[i]+l[j])/2)
		}
	}
	slices.Sort(a)
	ways := make([]float64, len(a)+1)
	ways[0] = 1
	for k := 1; k <= n; k++ {
		for w := len(a); w >= k; w-- {
			ways[w] += ways[w-k]
		}
	}
	k, sum := 0, 0.0
	for k < len(ways) && 2*(sum+ways[k])/math.Exp2(float64(n)) <= 0.05 {
		sum += ways[k]
		k++
	}
	m := len(a)
	return (a[(m-1)/2] + a[m/2]) / 2, a[k-1], a[m-k], true
}

func verdictOf(l []float64, padj, margin float64) verdict {
	p := paired(l, 0.05)
	mu := math.Log1p(margin / 100)
	switch {
	case p.mean-p.half > -mu && p.mean+p.half < mu:
		return equivalent
	case padj <= 0.05 && math.Abs(p.mean) > p.half && math.Abs(p.mean) >= mu:
		if p.mean > 0 {
			return better
		}
		return worse
	}
	return undecided
}

func judge(l []float64, margin float64) verdict { return verdictOf(l, paired(l, 0.05).p, margin) }

func welch(a, b []float64) float64 {
	la, lb := make([]float64, len(a)), make([]float64, len(b))
	for i := range a {
		la[i] = math.Log(a[i])
	}
	for i := range b {
		lb[i] = math.Log(b[i])
	}
	ma, va := stat.MeanVariance(la, nil)
	mb, vb := stat.MeanVariance(lb, nil)
	x, y := va/float64(len(a)), vb/float64(len(b))
	df := (x + y) * (x + y) / (x*x/float64(len(a)-1) + y*y/float64(len(b)-1))
	return tp((mb-ma)/math.Sqrt(x+y), df)
}

func outlier(l []float64) bool {
	m, s := stat.MeanStdDev(l, nil)
	n := float64(len(l))
	g := 0.0
	for _, x := range l {
		g = max(g, math.Abs(x-m)/s)
	}
	t := tq(1-0.05/(2*n), n-2)
	return g > (n-1)/math.Sqrt(n)*math.Sqrt(t*t/(n-2+t*t))
}

func aaMargin(sd float64, rounds int) float64 {
	n := float64(rounds)
	return 100 * math.Expm1((tq(0.975, n-1)+tq(0.9, n-1))*sd/math.Sqrt(n))
}

func holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		if p[a] < p[b] {
			return -1
		}
		return 1
	})
	out := make([]float64, len(p))
	run := 0.0
	for i, j := range order {
		run = max(run, min(1, float64(len(p)-i)*p[j]))
		out[j] = run
	}
	return out
}

func adjust(rows [][]float64, scenarios int) []float64 {
	n := len(rows[0])
	r := len(rows) / (scenarios - 1)
	var raw []float64
	for _, row := range rows {
		raw = append(raw, paired(row, 0.05).p)
	}
	if n < 8 || r < 4 || float64(scenarios-1)/math.Exp2(float64(n-1)) > 0.04 {
		return holm(raw)
	}
	var out []float64
	for s := range scenarios - 1 {
		for j, q := range maxT(rows[s*r : (s+1)*r]) {
			out = append(out, max(raw[s*r+j], min(1, float64(scenarios-1)*q)))
		}
	}
	return out
}

func maxT(rows [][]float64) []float64 {
	n := len(rows[0])
	z := make([][]float64, len(rows))
	o := make([]float64, len(rows))
	order := make([]int, len(rows))
	for j, row := range rows {
		var ss, sum float64
		for _, x := range row {
			ss += x * x
		}
		z[j] = make([]float64, n)
		for i, x := range row {
			z[j][i] = x / math.Sqrt(ss)
			sum += z[j][i]
		}
		o[j] = math.Abs(sum)
		order[j] = j
	}
	slices.SortFunc(order, func(a, b int) int {
		if o[a] > o[b] {
			return -1
		}
		return 1
	})
	count := make([]int, len(rows))
	patterns := 1 << (n - 1)
	for e := range patterns {
		run := 0.0
		for k := len(order) - 1; k >= 0; k-- {
			j := order[k]
			var v float64
			for i, x := range z[j] {
				if e>>i&1 == 1 {
					v -= x
				} else {
					v += x
				}
			}
			run = max(run, math.Abs(v))
			if run >= o[j]*(1-1e-9) {
				count[j]++
			}
		}
	}
	q := make([]float64, len(rows))
	last := 0.0
	for _, j := range order {
		last = max(last, float64(count[j])/float64(patterns))
		q[j] = last
	}
	return q
}

func detectable(sd float64, rounds int) float64 {
	n := float64(rounds)
	return (tq(0.975, n-1) + tq(0.8, n-1)) * sd / math.Sqrt(n)
}

func roundsFor(sd, half float64) int {
	for n := 3; ; n++ {
		if tq(0.975, float64(n-1))*sd/math.Sqrt(float64(n)) <= half || n > 5000 {
			return n
		}
	}
}

type foreseen struct{ about, low, high int }

func forecast(values [][]float64, half float64) foreseen {
	s, n := len(values), len(values[0])
	var sl, df float64
	if s == 2 {
		var l []float64
		for i := range n {
			l = append(l, values[1][i]-values[0][i])
		}
		sl, df = stat.StdDev(l, nil), float64(n-1)
	} else {
		grand := 0.0
		rm, sm := make([]float64, n), make([]float64, s)
		for a := range s {
			for i := range n {
				v := values[a][i]
				grand += v / float64(s*n)
				rm[i] += v / float64(s)
				sm[a] += v / float64(n)
			}
		}
		var sse float64
		for a := range s {
			for i := range n {
				e := values[a][i] - rm[i] - sm[a] + grand
				sse += e * e
			}
		}
		df = float64((s - 1) * (n - 1))
		sl = math.Sqrt(2 * sse / df)
	}
	chi := distuv.ChiSquared{K: df}
	return foreseen{
		roundsFor(sl, half),
		roundsFor(sl*math.Sqrt(df/chi.Quantile(0.9)), half), roundsFor(sl*math.Sqrt(df/chi.Quantile(0.1)), half),
	}
}

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

func batches(x []float64) []float64 {
	b := make([]float64, len(x)/5)
	for i := range b {
		b[i] = stat.Mean(x[5*i:5*i+5], nil)
	}
	return b
}

func lead(x []float64) int {
	b := batches(x)
	k := len(b)
	ref := median(b[k/2:])
	tol := max(0.03*ref, 3*mad(b[k/2:], ref))
	n := 0
	for n < k/2 && math.Abs(b[n]-ref) > tol {
		n++
	}
	return 5 * n
}

func cut(x []float64) int {
	l := lead(x)
	if l == 0 {
		return 0
	}
	b := batches(x)
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

func drift(y []float64, total int) (d, t, df float64) {
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

func neverSteady(x []float64) bool {
	if lead(x) == 5*(len(x)/10) {
		return true
	}
	c := cut(x)
	if len(x)-c < 50 {
		return false
	}
	d, t, df := drift(x[c:], len(x))
	return math.Abs(d) >= 1.5 && tp(t, df) < 0.02
}

func cellNeverSteady(x [][]float64) bool {
	if len(x) < 5 {
		return false
	}
	c := 0
	for _, run := range x {
		c = max(c, cut(run))
	}
	if len(x[0])-c < 50 {
		return false
	}
	var ds []float64
	for _, run := range x {
		d, _, _ := drift(run[c:], len(run))
		ds = append(ds, d)
	}
	return math.Abs(stat.Mean(ds, nil)) >= 1.5 && paired(ds, 0.05).p < 0.02
}

var (
	critN  = []float64{10, 11, 12, 13, 14, 15, 16, 18, 20, 22, 25, 30, 40, 50, 60}
	crit1  = []float64{5.15, 4.87, 4.78, 4.59, 4.52, 4.42, 4.37, 4.24, 4.12, 4.09, 4.01, 3.92, 3.83, 3.80, 3.76}
	crit03 = []float64{7.04, 6.28, 6.15, 5.77, 5.63, 5.47, 5.32, 5.08, 4.93, 4.87, 4.64, 4.50, 4.31, 4.26, 4.20}
)

func changed(v []float64, level float64) bool {
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
