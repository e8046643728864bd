package compare

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Constants of the judgement of one run, all from the simulations of the specification of statistics.
const (
	batchSeconds   = 5    // seconds of a batch: long enough to even out a second's noise, short enough for a cut
	leadTolerance  = 0.03 // a batch deviates by at least this share of the settled level
	madToSD        = 1.4826
	driftPercent   = 1.5  // smaller drifts over a run do not matter
	driftLevel     = 0.02 // of the test of a drift, for a run and for a cell
	maxCorrelation = 0.97
	judgedSeconds  = 50 // a run's drift is not judged in less after the cut, a cell's not in shorter runs
	judgedOfCell   = 30 // seconds after the common cut: half of a run of 60, with which the published rates of cells come out
	blindPercent   = 3  // a run that could not have shown this drift says nothing by itself
	minCellRuns    = 5
)

// Batches are the means of blocks of 5 seconds of a series of complete seconds; an incomplete block at the end is left out.
func Batches(x []float64) []float64 {
	b := make([]float64, len(x)/batchSeconds)
	for i := range b {
		b[i] = stat.Mean(x[i*batchSeconds:(i+1)*batchSeconds], nil)
	}
	return b
}

// Lead is the number of seconds, a multiple of 5, by which a run starts off its later level: leading batches, at most
// those of the first half, that differ from the median of the second half by more than 3 % of it and by more than three of its standard
// deviations, which are estimated by the median absolute deviation so that stalls do not count.
//
// x are rates or counts of complete seconds. A run shorter than 10 seconds has no lead.
func Lead(x []float64) int {
	b := Batches(x)
	half := len(b) / 2
	if half == 0 {
		return 0
	}
	ref, mad := medianAndDeviation(b[half:])
	tolerance := max(leadTolerance*ref, 3*madToSD*mad)
	n := 0
	for n < half && math.Abs(b[n]-ref) > tolerance {
		n++
	}
	return batchSeconds * n
}

// MSER5 is the cut, in seconds, after which the mean of the rest has the smallest estimated standard error: 5·d with the
// first d in 0..k/2 that minimises Σ(b[i]-mean)²/(k-d)² over the batches i >= d. Sources: K. P. White, Simulation 69(6), 1997;
// K. P. White, M. J. Cobb, S. C. Spratt, Winter Simulation Conference 2000. By itself it also cuts drifts and noise, so that Cut uses it only after a Lead.
func MSER5(x []float64) int {
	b := Batches(x)
	best, at := math.Inf(1), 0
	for d := 0; d <= len(b)/2 && d < len(b); d++ {
		rest := b[d:]
		mean := stat.Mean(rest, nil)
		var sum float64
		for _, v := range rest {
			sum += (v - mean) * (v - mean)
		}
		if score := sum / float64(len(rest)) / float64(len(rest)); score < best {
			best, at = score, d
		}
	}
	return batchSeconds * at
}

// Cut is the number of seconds to leave out at the start of a run, never more than half of it: 0 without a Lead,
// else the larger of Lead and MSER5.
func Cut(x []float64) int {
	lead := Lead(x)
	if lead == 0 {
		return 0
	}
	return max(lead, MSER5(x))
}

// CommonCut is the cut, in seconds, for all runs of a workload and a number of threads, whatever their scenario or round: the
// largest cut of them, and at least atLeast (a warm-up that the user asked for). Cutting each run by itself would compare different parts of runs.
func CommonCut(runs [][]float64, atLeast int) int {
	cut := max(atLeast, 0)
	for _, x := range runs {
		cut = max(cut, Cut(x))
	}
	return cut
}

// Drift is a straight trend within a run.
type Drift struct {
	Percent    float64 // over the whole run, cut included, of the mean after the cut
	SE         float64 // standard error of Percent
	T, DF, P   float64 // of the test of no trend; P is two-sided. P is 1 where nothing varies
	Phi        float64 // autocorrelation of the residuals from one second to the next, 0..0.97
	Detectable float64 // smallest drift in percent that this run would have shown in 9 of 10 cases
}

// NewDrift fits a line to y, the seconds after the cut of a run of that many seconds in all, by least squares, after values farther than three standard
// deviations from the median were drawn in to there (winsorised), so that a stall makes no trend. Seconds of a run resemble the one before: residuals are taken as an AR(1)
// process, whose coefficient is estimated with a correction of its bias (M. G. Kendall, Biometrika 41, 1954); with
// f = (1+phi)/(1-phi) the variance of the slope is f times as large, and n/f-2 degrees of freedom remain.
//
// Detectable is (t(0.99, df) + 1.2816) standard errors. Fewer than 5 seconds, or a mean that is not positive, give P = 1 and an infinite Detectable.
// Where more than half of the seconds are equal, nothing is winsorised: the deviation that it needs would be 0.
func NewDrift(y []float64, seconds int) Drift {
	n := len(y)
	none := Drift{P: 1, Detectable: math.Inf(1), SE: math.Inf(1), DF: 1}
	if n <= batchSeconds {
		return none
	}
	w := winsorised(y)
	mean := stat.Mean(w, nil)
	if !(mean > 0) {
		return none
	}
	centre := float64(n-1) / 2
	var sxx, sxy float64
	for i, v := range w {
		d := float64(i) - centre
		sxx += d * d
		sxy += d * (v - mean)
	}
	slope := sxy / sxx
	var sum, lagged, last float64
	for i, v := range w {
		e := v - mean - slope*(float64(i)-centre)
		sum += e * e
		if i > 0 {
			lagged += e * last
		}
		last = e
	}
	size := float64(n)
	toPercent := 100 * float64(seconds) / mean
	d := Drift{Percent: slope * toPercent, DF: size - 2, P: 1}
	if sum <= 1e-18*mean*mean*size { // a line without noise: fixed numbers
		if math.Abs(d.Percent) > 1e-9 {
			d.P, d.T = 0, math.Copysign(math.MaxFloat64, d.Percent)
		}
		return d
	}
	d.Phi = min(max((lagged/sum+2/size)/(1-4/size), 0), maxCorrelation)
	f := (1 + d.Phi) / (1 - d.Phi)
	se := math.Sqrt(sum / (size - 2) * f / sxx)
	d.SE = se * toPercent
	d.T = slope / se
	d.DF = max(size/f-2, 1)
	d.P = studentTail(d.T, d.DF)
	d.Detectable = (studentQuantile(0.99, d.DF) + 1.2816) * d.SE
	return d
}

// MeanOfSeconds is the mean of a run's seconds and how far it may be from the mean that the same run would have had
// if it had gone on for ever. It says nothing of other runs: seconds are never a sample of systems.
type MeanOfSeconds struct {
	N              int
	Mean, SD       float64
	Autocorrelated float64 // from one second to the next, corrected for bias, 0..0.97
	SE             float64 // standard error of Mean
}

// NewMeanOfSeconds computes SE = s·sqrt(F/n), F = (1+r)/(1-r), where r is the lag-1 autocorrelation with the bias correction
// (r1 + 1/n)/(1 - 3/n). Intervals of ±1.96 SE covered the long-run mean in 92 to 96 % of simulated runs. Fewer than 5 seconds have no SE (NaN).
func NewMeanOfSeconds(y []float64) MeanOfSeconds {
	m := MeanOfSeconds{N: len(y), Mean: math.NaN(), SD: math.NaN(), SE: math.NaN()}
	if len(y) == 0 {
		return m
	}
	m.Mean = stat.Mean(y, nil)
	if len(y) < batchSeconds {
		return m
	}
	size := float64(len(y))
	var sum, lagged float64
	for i, v := range y {
		sum += (v - m.Mean) * (v - m.Mean)
		if i > 0 {
			lagged += (v - m.Mean) * (y[i-1] - m.Mean)
		}
	}
	m.SD = math.Sqrt(sum / (size - 1))
	if sum == 0 {
		m.SE = 0
		return m
	}
	m.Autocorrelated = min(max((lagged/sum+1/size)/(1-3/size), 0), maxCorrelation)
	m.SE = m.SD * math.Sqrt((1+m.Autocorrelated)/(1-m.Autocorrelated)/size)
	return m
}

// Steadiness is what is said of a run or a cell.
type Steadiness int

// Steadinesses.
const (
	NotJudged   Steadiness = iota // too short
	Steady                        // no drift was found; Detectable says what that is worth
	NeverSteady                   // it never settled
)

// String is the word used in tables.
func (s Steadiness) String() string {
	return [...]string{"not judged", "steady", "never steady"}[s]
}

// RunSteadiness is the judgement of one run.
type RunSteadiness struct {
	Seconds    int // of the series
	Lead, MSER int // seconds
	Cut        int // seconds that were left out: the run's own cut, or a larger one that was asked for
	Mean       MeanOfSeconds
	Drift      Drift
	State      Steadiness
	Warnings   []string
}

// JudgeRun judges the complete seconds x of a run (counts or rates; the first and the last, partial, seconds left out). atLeast is a minimum of
// the cut in seconds: a fixed warm-up, or the common cut of the cell; what lies after it is described and tested.
//
// Never steady: the whole first half of at least 50 seconds is off the level of the second, or there is a drift of at least 1.5 % over the run with p < 0.02
// in at least 50 seconds after the cut. False alarms on stationary series: up to 3 % of runs.
func JudgeRun(x []float64, atLeast int) RunSteadiness {
	r := RunSteadiness{Seconds: len(x), Lead: Lead(x), MSER: MSER5(x)}
	r.Cut = min(max(Cut(x), atLeast), len(x))
	rest := x[r.Cut:]
	r.Mean, r.Drift = NewMeanOfSeconds(rest), NewDrift(rest, len(x))
	drifts := len(rest) >= judgedSeconds && math.Abs(r.Drift.Percent) >= driftPercent && r.Drift.P < driftLevel
	unsettled := len(x) >= judgedSeconds && r.Lead == batchSeconds*(len(x)/(2*batchSeconds))
	switch {
	case unsettled:
		r.State = NeverSteady
		r.Warnings = append(r.Warnings, fmt.Sprintf("never steady: the whole first half (%d s) is off the level of the second; run longer", r.Lead))
	case drifts:
		r.State = NeverSteady
		r.Warnings = append(r.Warnings, fmt.Sprintf("never steady: a drift of %+.1f %% over the run (p = %.2g); run longer, or look for what grows", r.Drift.Percent, r.Drift.P))
	case len(rest) < judgedSeconds:
		r.Warnings = append(r.Warnings, fmt.Sprintf("not judged whether it was steady: %d s after the cut, needs %d", len(rest), judgedSeconds))
	default:
		r.State = Steady
		if r.Drift.Detectable > blindPercent {
			r.Warnings = append(r.Warnings, fmt.Sprintf("too noisy or too short to judge by itself: a drift below %.1f %% over the run would not have shown", r.Drift.Detectable))
		}
	}
	if !unsettled && r.Lead > 0 && r.Cut >= batchSeconds*(len(x)/(2*batchSeconds)) {
		r.Warnings = append(r.Warnings, fmt.Sprintf("run longer: half of it (%d of %d s) was cut as warm-up", r.Cut, len(x)))
	}
	return r
}

// CellSteadiness is the judgement of the runs of a workload and a number of threads.
type CellSteadiness struct {
	Cut      int // seconds, common to all runs
	Runs     int // that were judged
	Percent  float64
	P        float64 // of no common drift; 1 with fewer than 5 runs
	State    Steadiness
	Warnings []string
}

// JudgeCell judges the runs of one cell together, which sees smaller drifts than one run does: never steady when the mean of their drifts is at
// least 1.5 % and Student's one-sample t test of the drifts has p < 0.02. All runs are cut by the cell's common cut (at least atLeast seconds, see CommonCut).
// Fewer than 5 runs, or any shorter than 50 seconds or with fewer than 30 after the cut, are not judged. False alarms on stationary series: up to 3.2 % of cells.
func JudgeCell(runs [][]float64, atLeast int) CellSteadiness {
	c := CellSteadiness{Cut: CommonCut(runs, atLeast), P: 1}
	if len(runs) < minCellRuns {
		c.Warnings = append(c.Warnings, fmt.Sprintf("not judged whether the cell was steady: %d runs, needs %d", len(runs), minCellRuns))
		return c
	}
	drifts := make([]float64, 0, len(runs))
	for _, x := range runs {
		switch rest := max(len(x)-c.Cut, 0); {
		case len(x) < judgedSeconds:
			c.Warnings = append(c.Warnings, fmt.Sprintf("not judged whether the cell was steady: a run has %d s, needs %d", len(x), judgedSeconds))
			return c
		case rest < judgedOfCell:
			c.Warnings = append(c.Warnings, fmt.Sprintf("not judged whether the cell was steady: a run of %d s has %d s after the common cut of %d, needs %d", len(x), rest, c.Cut, judgedOfCell))
			return c
		}
		drifts = append(drifts, NewDrift(x[c.Cut:], len(x)).Percent)
	}
	c.Runs = len(drifts)
	c.Percent, c.P = oneSample(drifts)
	c.State = Steady
	if math.Abs(c.Percent) >= driftPercent && c.P < driftLevel {
		c.State = NeverSteady
		c.Warnings = append(c.Warnings, fmt.Sprintf("never steady: the runs of this cell drift by %+.1f %% on average (n = %d, p = %.2g); run longer", c.Percent, c.Runs, c.P))
	}
	return c
}

// winsorised draws values in to median ± 3 standard deviations, these from the median absolute deviation.
func winsorised(y []float64) []float64 {
	m, mad := medianAndDeviation(y)
	out := slices.Clone(y)
	if mad == 0 {
		return out
	}
	for i, v := range out {
		out[i] = min(max(v, m-3*madToSD*mad), m+3*madToSD*mad)
	}
	return out
}

// medianAndDeviation returns the median of v and the median of the absolute deviations from it.
func medianAndDeviation(v []float64) (m, mad float64) {
	s := slices.Clone(v)
	m = medianInPlace(s)
	for i, x := range v {
		s[i] = math.Abs(x - m)
	}
	return m, medianInPlace(s)
}

// medianInPlace sorts v, which has values, and returns its median.
func medianInPlace(v []float64) float64 {
	slices.Sort(v)
	h := len(v) / 2
	if len(v)%2 == 1 {
		return v[h]
	}
	return (v[h-1] + v[h]) / 2
}
