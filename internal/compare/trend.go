package compare

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// trendLevel is the level of the warnings of trends: a comparison has three of them (the ratio and both sides), which then warn falsely in at
// most 3 % of comparisons.
const trendLevel = 0.01

// Trend is a straight trend over the rounds of a study.
type Trend struct {
	N        int     // rounds
	PerRound float64 // change in logarithms from one round to the next
	Total    float64 // from the first to the last round, in logarithms
	SE       float64 // of PerRound
	T, P     float64 // of no trend, n-2 degrees of freedom; P is two-sided
}

// NewTrend fits a line to the logarithms v of a study's rounds in their order and tests its slope: ordinary least squares, Student's t
// with n-2 degrees of freedom. NaN is a round that failed; its place in time is kept. Assumption: deviations from the line are
// independent from round to round. ok is false with fewer than 5 rounds, or where nothing varies.
//
// For L, the logarithms of the ratios, that is what the intervals assume too. The level of one side may instead wander with its host, and wandering often looks like a trend; then
// it is still true that the level changed during the study, but not that it would go on.
func NewTrend(v []float64) (t Trend, ok bool) {
	var x, y []float64
	for i, l := range v {
		if !math.IsNaN(l) {
			x, y = append(x, float64(i)), append(y, l)
		}
	}
	n := float64(len(x))
	if len(x) < MinVerdict {
		return Trend{N: len(x), P: 1}, false
	}
	alpha, slope := stat.LinearRegression(x, y, nil, false)
	mx := stat.Mean(x, nil)
	var sxx, sum float64
	for i := range x {
		e := y[i] - alpha - slope*x[i]
		sum += e * e
		sxx += (x[i] - mx) * (x[i] - mx)
	}
	t = Trend{N: len(x), PerRound: slope, Total: slope * (x[len(x)-1] - x[0]), SE: math.Sqrt(sum / (n - 2) / sxx), P: 1}
	if t.SE*math.Sqrt(sxx) < 1e-9 {
		return t, false
	}
	t.T = t.PerRound / t.SE
	t.P = studentTail(t.T, n-2)
	return t, true
}

// TrendWarnings says what changes over the rounds of a comparison, in their order: logs are ln(scenario) - ln(baseline); baseline and scenario are
// the sides' own values and may be nil where they are unknown. Only changes of at least the margin, in percent, over the study with p < 0.01 are told: in the ratio, which the interval
// cannot bear, and in the level of a side, which cancels in the ratio when both sides have it, but says that data ages or that the host changes.
func TrendWarnings(logs, baseline, scenario []float64, margin float64) []string {
	mu := math.Log1p(margin / 100)
	told := func(t Trend, ok bool) bool { return ok && t.P < trendLevel && math.Abs(t.Total) >= mu }
	var w []string
	if t, ok := NewTrend(logs); told(t, ok) {
		w = append(w, fmt.Sprintf("the change itself drifts, by %+.1f %% from the first round to the last (p = %.2g): rounds are not alike, so the interval promises too much; restore the data before each run",
			percent(t.Total), t.P))
	}
	for _, side := range []struct {
		name   string
		values []float64
	}{{"baseline", baseline}, {"scenario", scenario}} {
		if t, ok := NewTrend(logsOf(side.values)); told(t, ok) {
			w = append(w, fmt.Sprintf("data ages: the %s changes by %+.1f %% from the first round to the last (p = %.2g), or its host does; reset or restore the data before each run",
				side.name, percent(t.Total), t.P))
		}
	}
	return w
}

// logsOf are natural logarithms, NaN where there is none.
func logsOf(v []float64) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = math.NaN()
		if x > 0 {
			out[i] = math.Log(x)
		}
	}
	return out
}

// oneSample is Student's one-sample t test of a mean of 0: the mean, and the two-sided p. Equal values other than 0 are beyond chance.
func oneSample(v []float64) (mean, p float64) {
	mean, sd := stat.MeanStdDev(v, nil)
	if sd < 1e-12 {
		if math.Abs(mean) > 1e-9 {
			return mean, 0
		}
		return mean, 1
	}
	n := float64(len(v))
	return mean, studentTail(mean/(sd/math.Sqrt(n)), n-1)
}

// studentTail is the two-sided p value of t.
func studentTail(t, df float64) float64 {
	return 2 * distuv.StudentsT{Sigma: 1, Nu: df}.CDF(-math.Abs(t))
}

// studentQuantile is the p quantile of Student's t.
func studentQuantile(p, df float64) float64 {
	return distuv.StudentsT{Sigma: 1, Nu: df}.Quantile(p)
}
