package compare

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"
)

// curve is the USL with its parameters.
type curve struct{ logLambda, sigma, kappa float64 }

// slowdown is what the law divides by: 1 + σ(N-1) + κN(N-1).
func (c curve) slowdown(n float64) float64 { return 1 + c.sigma*(n-1) + c.kappa*n*(n-1) }

// log is ln X(n).
func (c curve) log(n float64) float64 { return c.logLambda + math.Log(n) - math.Log(c.slowdown(n)) }

// gradient has the derivatives of log by ln λ, σ and κ.
func (c curve) gradient(n float64) [3]float64 {
	d := c.slowdown(n)
	return [3]float64{1, -(n - 1) / d, -n * (n - 1) / d}
}

// peak is the number of threads with the largest throughput, sqrt((1-σ)/κ); infinite when throughput does not fall, at least 1.
func (c curve) peak() float64 {
	if c.kappa <= 0 {
		return math.Inf(1)
	}
	return math.Sqrt(max((1-c.sigma)/c.kappa, 1))
}

var errNoCurve = errors.New("no curve of the law goes near these throughputs; add small thread counts, and look at the runs")

// fitCurve fits the law to logarithms y of throughputs at n threads, by least squares.
//
// N/X(N) = a + b(N-1) + cN(N-1), with λ = 1/a, σ = b/a, κ = c/a, is linear in a, b and c. So the start is a linear fit of N/X with weights 1/(N/X)², which for small deviations are
// squares of logarithms; then Gauss-Newton steps on the logarithms, halved until they make the sum smaller, which takes two or three.
func fitCurve(n, y []float64) (curve, error) {
	last := n[len(n)-1]
	// Columns are scaled to about 1, so that the equations are as well conditioned as the ladder allows.
	scale := [3]float64{1, max(last-1, 1), max(last*(last-1), 1)}
	base := make([][3]float64, len(n))
	for i, v := range n {
		base[i] = [3]float64{1, (v - 1) / scale[1], v * (v - 1) / scale[2]}
	}
	top := math.Inf(-1) // of ln(N/X): taken off, so that the unit of throughput does not matter
	target := make([]float64, len(n))
	for i, v := range n {
		target[i] = math.Log(v) - y[i]
		top = max(top, target[i])
	}
	for i := range target {
		target[i] -= top
	}
	value := func(p [3]float64, i int) float64 {
		return p[0]*base[i][0] + p[1]*base[i][1] + p[2]*base[i][2]
	}
	sum := func(p [3]float64) float64 {
		var s float64
		for i := range base {
			v := value(p, i)
			if !(v > 0) {
				return math.Inf(1)
			}
			e := math.Log(v) - target[i]
			s += e * e
		}
		return s
	}
	rows, rhs := mat.NewDense(len(n), 3, nil), mat.NewVecDense(len(n), nil)
	solve := func() (step [3]float64, ok bool) {
		var out mat.VecDense
		var qr mat.QR
		qr.Factorize(rows)
		if err := qr.SolveVecTo(&out, false, rhs); err != nil {
			return step, false
		}
		return [3]float64{out.AtVec(0), out.AtVec(1), out.AtVec(2)}, true
	}
	for i := range base {
		w := math.Exp(-target[i])
		for j := range 3 {
			rows.Set(i, j, base[i][j]*w)
		}
		rhs.SetVec(i, 1)
	}
	p, ok := solve()
	best := sum(p)
	if !ok || math.IsInf(best, 1) { // far from the law: start from perfect scaling
		p = [3]float64{math.Exp(target[0]), 0, 0}
		best = sum(p)
	}
	for range 100 {
		for i := range base {
			v := value(p, i)
			for j := range 3 {
				rows.Set(i, j, base[i][j]/v)
			}
			rhs.SetVec(i, target[i]-math.Log(v))
		}
		step, ok := solve()
		if !ok {
			return curve{}, errNoCurve
		}
		share, gain := 1.0, 0.0
		for range 40 {
			q := [3]float64{p[0] + share*step[0], p[1] + share*step[1], p[2] + share*step[2]}
			if s := sum(q); s < best {
				gain, p, best = best-s, q, s
				break
			}
			share /= 2
		}
		if gain <= 1e-14*best+1e-28 {
			break
		}
	}
	if !(p[0] > 0) || math.IsInf(best, 1) {
		return curve{}, errNoCurve
	}
	return curve{logLambda: -(math.Log(p[0]) + top), sigma: p[1] / p[0] / scale[1], kappa: p[2] / p[0] / scale[2]}, nil
}

// fieller is the 95 % interval of sqrt(A/B) threads, at least 1, where A and B are estimated by a and b with variances va, vb and covariance cab, and t is the quantile of Student's t: the
// square roots of the ratios q for which A - qB may be 0. high is infinite where B may be 0.
func fieller(a, b, va, vb, cab, t float64) (low, high float64) {
	qa, qb, qc := b*b-t*t*vb, a*b-t*t*cab, a*a-t*t*va
	threads := func(q float64) float64 { return math.Sqrt(max(q, 1)) }
	root := math.Sqrt(max(qb*qb-qa*qc, 0))
	switch {
	case qa > 0 && b < 0: // certainly no fall
		return math.Inf(1), math.Inf(1)
	case qa > 0:
		return threads((qb - root) / qa), threads((qb + root) / qa)
	case qa == 0, qc <= 0:
		return 1, math.Inf(1)
	}
	// B may be 0 and A is not: the roots have different signs, and all above the positive one is possible.
	return threads((qb - root) / qa), math.Inf(1)
}
