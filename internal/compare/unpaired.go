package compare

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
)

// minUnpaired is the number of runs a side.
const minUnpaired = 5

// Sentences of comparisons whose runs were not interleaved.
const (
	notInterleaved = "runs were not interleaved: drift of the host looks like a change (12–100 % false in simulation); undecided. `--assume-no-drift` to judge anyway"
	assumedNoDrift = "not interleaved: assumes that the host did not drift"
)

// Welch is the comparison of two sides without pairs, on logarithms.
type Welch struct {
	Mean, SE float64 // of ln(scenario) - ln(baseline)
	DF       float64 // degrees of freedom
	Half     float64 // half-width of the interval
	P        float64 // two-sided, not adjusted
}

// NewWelch compares sides of at least 5 positive values each: B. L. Welch, Biometrika 34, 1947, on logarithms. Assumption: the host did not
// drift between the sides, which nothing in the data can show: with drift, identical systems are called different in 12 to 100 % of simulated studies.
func NewWelch(baseline, scenario []float64, level float64) (Welch, error) {
	if len(baseline) < minUnpaired || len(scenario) < minUnpaired {
		return Welch{}, fmt.Errorf("%d and %d runs: without pairs, an interval needs %d a side", len(baseline), len(scenario), minUnpaired)
	}
	a, b := logsOf(baseline), logsOf(scenario)
	ma, sa := stat.MeanStdDev(a, nil)
	mb, sb := stat.MeanStdDev(b, nil)
	w := Welch{Mean: mb - ma, P: 1}
	if math.IsNaN(w.Mean) {
		return w, ErrNoLogarithm
	}
	if sa < noSpread && sb < noSpread {
		return w, ErrNoSpread
	}
	va, vb := sa*sa/float64(len(a)), sb*sb/float64(len(b))
	w.SE = math.Sqrt(va + vb)
	w.DF = (va + vb) * (va + vb) / (va*va/float64(len(a)-1) + vb*vb/float64(len(b)-1))
	w.Half = tQuantile(1-level/2, w.DF) * w.SE
	w.P = studentTail(w.Mean/w.SE, w.DF)
	return w, nil
}

// JudgeUnpaired judges runs that were not interleaved: Row.Baseline and Row.Values are the runs of either side, of any number; Logs are not
// used. NaN is a run that failed. The verdict is undecided unless the plan assumes that nothing drifted. p values are adjusted by Holm.
func (p Plan) JudgeUnpaired(rows []Row) ([]Comparison, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	p = p.withDefaults()
	out, raw := make([]Comparison, len(rows)), make([]float64, len(rows))
	found := make([]Welch, len(rows))
	for i, r := range rows {
		if r.Margin < 0 || math.IsNaN(r.Margin) {
			return nil, fmt.Errorf("%s, %s: margin %g %%: it must be above 0", r.Scenario, r.Name, r.Margin)
		}
		baseline, values := known(r.Baseline), known(r.Values)
		w, err := NewWelch(baseline, values, p.Level)
		if err == nil {
			w.Half = max(w.Half, p.Grid)
		}
		found[i], raw[i] = w, 1
		c := Comparison{
			Scenario: r.Scenario, Workload: r.Workload, Name: r.Name, Mean: r.Mean, AA: r.AA, Secondary: p.Secondary, Unpaired: true,
			N: len(values), Of: len(r.Values), BaselineN: len(baseline), Level: p.Level, P: 1, Adjusted: 1, K: len(rows), Margin: r.Margin,
		}
		if c.Margin == 0 {
			c.Margin = p.Margin
		}
		if b, v := GeometricMean(baseline), GeometricMean(values); b > 0 && v > 0 { // neither NaN nor a run without events
			c.Baseline, c.Value = b, v
			c.HasEstimate, c.Estimate = true, math.Log(v/b)
		}
		if !c.refuseUnpaired(p, r, err) {
			c.HasInterval, c.Low, c.High = true, w.Mean-w.Half, w.Mean+w.Half
			c.SD, c.P, raw[i] = w.SE, w.P, w.P
		}
		out[i] = c
	}
	method := Alone
	if len(rows) > 1 {
		method = HolmMethod
	}
	for i, adjusted := range Holm(raw) {
		c := &out[i]
		c.Method = method
		if c.HasInterval {
			c.Adjusted = adjusted
			c.judgeUnpaired(p, found[i])
		}
	}
	return out, nil
}

// known are the values of runs that did not fail.
func known(v []float64) []float64 {
	out := make([]float64, 0, len(v))
	for _, x := range v {
		if !math.IsNaN(x) {
			out = append(out, x)
		}
	}
	return out
}

// refuseUnpaired says whether there is neither interval nor verdict, and why. err is that of NewWelch.
func (c *Comparison) refuseUnpaired(p Plan, r Row, err error) bool {
	few := c.N < minUnpaired || c.BaselineN < minUnpaired
	switch {
	case !few || c.refuseMetric(p, r):
		return c.refuse(p, r, err)
	case c.N == 0 || c.BaselineN == 0:
		c.Refusal, c.Reason = RefusedNoRound, "a side has no run: no comparison"
	default:
		c.Refusal, c.Reason = RefusedFewRuns, err.Error()
	}
	return true
}

// judgeUnpaired gives the verdict, which is undecided unless the plan assumes that nothing drifted.
func (c *Comparison) judgeUnpaired(p Plan, w Welch) {
	mu := logarithm(c.Margin)
	c.SDC = percent(detectable(w.SE, w.DF, tQuantile(1-p.Level/(2*float64(c.K)), w.DF), mu))
	if !p.AssumeNoDrift {
		c.Verdict, c.Reason = Undecided, notInterleaved
		return
	}
	c.Verdict = verdict(c.Estimate, c.Low, c.High, c.Adjusted, p.Level, mu, p.Better)
	if c.Verdict == Undecided {
		c.Reason = undecidedReason(c.Estimate, c.Low, c.High, c.Adjusted, p.Level, mu, c.K, func() string {
			return "needs more runs a side, better interleaved ones: deltabench compare --rounds"
		})
	}
}
