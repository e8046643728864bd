package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Constants of fits of the USL.
const (
	minLadder   = 4 // one more than parameters
	goodLadder  = 5
	minFits     = 3    // rounds that an interval is taken over
	misfitLevel = 0.05 // of a ladder: Holm over its thread counts
	misfitSize  = 0.02 // smaller deviations of measured from fitted throughput do not matter
	misfitBlind = 0.05 // the same where nothing is known of chance
)

// Range is an estimate with its 95 % interval. Ends are infinite where the data leaves them open.
type Range struct{ Estimate, Low, High float64 }

// USL is a fit of Gunther's Universal Scalability Law,
//
//	X(N) = λN / (1 + σ(N-1) + κN(N-1)),
//
// to the throughputs of a ladder of thread counts: λ is the throughput of one thread, σ the share of work that waits for others (contention), κ the cost of
// keeping threads agreed (coherency), which makes throughput fall. Source: N. J. Gunther, Guerrilla Capacity Planning, Springer 2007.
type USL struct {
	Threads  []int  // distinct, rising
	N, Of    int    // rounds used, rounds there were
	Method   string // of the intervals, in words
	Lambda   Range  // in the unit of the throughputs
	Sigma    Range  // negative: throughput per thread rises first
	Kappa    Range  // not positive: throughput does not fall
	Peak     Range  // threads at the largest throughput; infinite where it does not fall
	PeakRate Range  // throughput there; NaN where Peak is infinite

	Measured, Fitted []float64 // throughputs at Threads: geometric means over rounds, and the curve
	Largest          float64   // largest deviation of Measured from Fitted, as a share of Fitted, with its sign
	LargestAt        int       // threads
	Signs            string    // of the deviations in order of threads, such as "+--+"
	SignRuns         int       // stretches of equal signs: 4 is the smallest number that least squares leave, and a sign of a misfit in long ladders
	Misfit           bool      // the shape is not the law's: σ, κ and the peak mean nothing
	Warnings         []string
}

// FitUSL fits the law to rounds[r][i], the throughput of threads[i] in round r, by least squares on logarithms (noise is relative). Rounds with a throughput that is missing (NaN or not positive) are left
// out and counted. At least 4 distinct thread counts, rising, are needed; 5 or more are better.
//
// σ and κ may come out negative: fits that forbid it are biased, and their intervals too short, where the truth is near 0.
//
// Intervals, from 3 rounds: the parameters are those of the mean logarithms; each round is fitted by itself too, and the covariance of the rounds' ln λ, σ and κ, divided by their number n, gives
// Student's t intervals with n-1 degrees of freedom. So a server start that is fast at all thread counts is one observation, not one per count.
// The peak N* = sqrt((1-σ)/κ) is a ratio, which may have no upper end: its interval is Fieller's (J. Roy. Statist. Soc. B 16, 1954), the N for which 1 - σ - κN² is within
// t standard errors of 0. The throughput at the peak has the interval of ln X at that N (delta method; its slope in N is 0 there).
// With one or two rounds the covariance is that of least squares, from the residuals with counts-3 degrees of freedom; this assumes that the noise of each count is its own, and
// that the law is right. Simulated coverage: see TestUSLCoverage.
//
// Misfit: at some count the mean deviation of measured from fitted throughput is at least 2 % and beyond chance (t over the rounds' residuals, Holm over counts,
// 5 %); with one or two rounds, which know nothing of chance, it is at least 5 %.
func FitUSL(threads []int, rounds [][]float64) (*USL, error) {
	if err := checkLadder(threads); err != nil {
		return nil, err
	}
	logs, err := usableRounds(threads, rounds)
	if err != nil {
		return nil, err
	}
	u := &USL{Threads: slices.Clone(threads), N: len(logs), Of: len(rounds)}
	n := make([]float64, len(threads))
	mean := make([]float64, len(threads))
	for i, v := range threads {
		n[i] = float64(v)
		for _, l := range logs {
			mean[i] += l[i] / float64(len(logs))
		}
	}
	whole, err := fitCurve(n, mean)
	if err != nil {
		return nil, err
	}
	fits := make([]curve, len(logs))
	for i, l := range logs {
		if fits[i], err = fitCurve(n, l); err != nil {
			return nil, fmt.Errorf("round %d of those used: %w", i+1, err)
		}
	}
	var cov *mat.SymDense
	df := float64(len(fits) - 1)
	if len(fits) >= minFits {
		u.Method = fmt.Sprintf("%d rounds fitted one by one, Student's t over them", len(fits))
		cov = covarianceOfRounds(fits)
	} else {
		df = float64(len(n) - 3)
		u.Method = fmt.Sprintf("residuals of one fit with %.0f degrees of freedom", df)
		if cov, err = covarianceOfFit(n, mean, whole); err != nil {
			return nil, err
		}
	}
	u.intervals(whole, cov, studentQuantile(0.975, df))
	u.residuals(n, mean, whole, logs, fits)
	u.warn()
	return u, nil
}

func checkLadder(threads []int) error {
	for i, n := range threads {
		if n < 1 || i > 0 && n <= threads[i-1] {
			return fmt.Errorf("thread counts %v: they must be positive, distinct and rising", threads)
		}
	}
	if len(threads) < minLadder {
		return fmt.Errorf("%d thread counts cannot show how throughput scales, the law has three parameters: measure at least %d, better %d or more", len(threads), minLadder, goodLadder)
	}
	return nil
}

// usableRounds are the logarithms of the rounds without gaps.
func usableRounds(threads []int, rounds [][]float64) ([][]float64, error) {
	var logs [][]float64
	for r, x := range rounds {
		if len(x) != len(threads) {
			return nil, fmt.Errorf("round %d has %d throughputs for %d thread counts", r+1, len(x), len(threads))
		}
		if l := logsOf(x); !slices.ContainsFunc(l, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }) {
			logs = append(logs, l)
		}
	}
	if len(logs) == 0 {
		return nil, fmt.Errorf("none of %d rounds has a throughput at every thread count", len(rounds))
	}
	return logs, nil
}

// covarianceOfRounds is that of the mean of the rounds' ln λ, σ and κ.
func covarianceOfRounds(fits []curve) *mat.SymDense {
	data := mat.NewDense(len(fits), 3, nil)
	for i, c := range fits {
		data.SetRow(i, []float64{c.logLambda, c.sigma, c.kappa})
	}
	var cov mat.SymDense
	stat.CovarianceMatrix(&cov, data, nil)
	cov.ScaleSym(1/float64(len(fits)), &cov)
	return &cov
}

// covarianceOfFit is that of ln λ, σ and κ by least squares: s²(JᵀJ)⁻¹, J the derivatives. They are scaled to about 1 before the inversion.
func covarianceOfFit(n, y []float64, c curve) (*mat.SymDense, error) {
	var sum float64
	var size [3]float64
	rows := make([][3]float64, len(n))
	for i, v := range n {
		e := y[i] - c.log(v)
		sum += e * e
		rows[i] = c.gradient(v)
		for j, g := range rows[i] {
			size[j] = max(size[j], math.Abs(g))
		}
	}
	normal := mat.NewSymDense(3, nil)
	for _, g := range rows {
		for j := range 3 {
			for k := j; k < 3; k++ {
				normal.SetSym(j, k, normal.At(j, k)+g[j]*g[k]/size[j]/size[k])
			}
		}
	}
	cov := mat.NewSymDense(3, nil)
	var chol mat.Cholesky
	if !chol.Factorize(normal) {
		return nil, errNoCurve
	}
	if err := chol.InverseTo(cov); err != nil {
		return nil, fmt.Errorf("these thread counts cannot tell the parameters apart: %w", err)
	}
	variance := sum / float64(len(n)-3)
	for j := range 3 {
		for k := j; k < 3; k++ {
			cov.SetSym(j, k, cov.At(j, k)*variance/size[j]/size[k])
		}
	}
	return cov, nil
}

// intervals sets the parameters with their intervals.
func (u *USL) intervals(c curve, cov *mat.SymDense, t float64) {
	half := func(j int) float64 { return t * math.Sqrt(cov.At(j, j)) }
	u.Lambda = Range{math.Exp(c.logLambda), math.Exp(c.logLambda - half(0)), math.Exp(c.logLambda + half(0))}
	u.Sigma = Range{c.sigma, c.sigma - half(1), c.sigma + half(1)}
	u.Kappa = Range{c.kappa, c.kappa - half(2), c.kappa + half(2)}
	u.Peak.Estimate = c.peak()
	// A = 1-σ, whose covariance with B = κ is minus that of σ.
	u.Peak.Low, u.Peak.High = fieller(1-c.sigma, c.kappa, cov.At(1, 1), cov.At(2, 2), -cov.At(1, 2), t)
	u.PeakRate = Range{math.NaN(), math.NaN(), math.NaN()}
	if math.IsInf(u.Peak.Estimate, 1) {
		return
	}
	g := mat.NewVecDense(3, nil)
	for j, v := range c.gradient(u.Peak.Estimate) {
		g.SetVec(j, v)
	}
	at, h := c.log(u.Peak.Estimate), t*math.Sqrt(max(mat.Inner(g, cov, g), 0))
	u.PeakRate = Range{math.Exp(at), math.Exp(at - h), math.Exp(at + h)}
}

// residuals compares measured with fitted throughputs.
func (u *USL) residuals(n, mean []float64, whole curve, logs [][]float64, fits []curve) {
	p := make([]float64, len(n))
	deviations := make([]float64, len(n))
	for i, v := range n {
		u.Measured = append(u.Measured, math.Exp(mean[i]))
		u.Fitted = append(u.Fitted, math.Exp(whole.log(v)))
		deviations[i] = math.Expm1(mean[i] - whole.log(v))
		if math.Abs(deviations[i]) > math.Abs(u.Largest) || i == 0 {
			u.Largest, u.LargestAt = deviations[i], u.Threads[i]
		}
		sign := "+"
		if deviations[i] < 0 {
			sign = "-"
		}
		if !strings.HasSuffix(u.Signs, sign) {
			u.SignRuns++
		}
		u.Signs += sign
		if len(fits) >= minFits {
			e := make([]float64, len(fits))
			for r, c := range fits {
				e[r] = logs[r][i] - c.log(v)
			}
			_, p[i] = oneSample(e)
		}
	}
	limit := misfitSize
	if len(fits) < minFits {
		limit = misfitBlind
	}
	for i, adjusted := range Holm(p) {
		if adjusted <= misfitLevel && math.Abs(deviations[i]) >= limit {
			u.Misfit = true
		}
	}
}

// warn says what to know before the parameters are believed.
func (u *USL) warn() {
	add := func(format string, a ...any) { u.Warnings = append(u.Warnings, fmt.Sprintf(format, a...)) }
	if u.Misfit {
		add("the law does not describe this ladder: throughput at %d threads is %+.1f %% off the curve (signs by threads: %s); do not read its parameters or its peak", u.LargestAt, 100*u.Largest, u.Signs)
	}
	if len(u.Threads) < goodLadder {
		add("%d thread counts leave one degree of freedom: a misfit would hardly show; measure %d or more", len(u.Threads), goodLadder)
	}
	if u.N < u.Of {
		add("n = %d of %d: rounds with a missing thread count were left out", u.N, u.Of)
	}
	if u.N < minFits {
		add("%d rounds: the intervals take the curve for right and the noise of each thread count for its own; from %d rounds on they need neither", u.N, minFits)
	}
	largest := float64(u.Threads[len(u.Threads)-1])
	switch {
	case math.IsInf(u.Peak.High, 1):
		add("throughput is not shown to fall (the interval of κ reaches 0): the peak has no upper end; measure more than %.0f threads", largest)
	case u.Peak.Estimate > largest:
		add("the peak is beyond the %.0f threads that were measured: extrapolated", largest)
	}
	if u.Sigma.High < 0 {
		add("σ is below 0: throughput per thread rises at first, as where several commits share a write; λ is then not what one thread could do without waiting")
	}
}
