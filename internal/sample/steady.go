package sample

import (
	"fmt"
	"math"
	"slices"

	"deltabench/internal/compare"
)

// Settled is what the seconds of the runs of a cell say about their warm-up.
type Settled struct {
	// Cut is how many seconds at the start of every run are left out of throughput; 0: none, or not known.
	Cut      int
	Warnings []string
}

// shownWarnings is how many runs a warning names by themselves.
const shownWarnings = 3

// Settle judges the seconds of all runs of a cell, both sides together: their common cut, drifts within runs and over the cell
// (specification of statistics, section 10). m is the metric whose seconds count; others than throughput have that of events.
func Settle(runs []*Run, m Metric) Settled {
	var s Settled
	var series [][]float64
	var known []*Run
	for _, r := range runs {
		if len(r.Series) > 0 {
			series = append(series, r.rates(m))
			known = append(known, r)
		}
	}
	switch {
	case len(runs) > maxDocuments && len(known) == 0:
		s.warn(fmt.Sprintf("seconds of more than %d recorded runs are not read: warm-up and drifts within runs were not checked", maxDocuments))
		return s
	case len(known) == 0:
		s.warn("no run has a 1-second series: warm-up and drifts within runs were not checked")
		return s
	case len(known) < len(runs):
		s.warn(fmt.Sprintf("%d of %d runs have no 1-second series: no warm-up was cut", len(runs)-len(known), len(runs)))
	default:
		s.Cut = compare.CommonCut(series, 0)
	}
	cell := compare.JudgeCell(series, s.Cut)
	judged := cell.State != compare.NotJudged
	if cell.State == compare.NeverSteady {
		s.warn(cell.Warnings...)
	}
	named, more := 0, 0
	for i, x := range series {
		run := compare.JudgeRun(x, s.Cut)
		if run.State != compare.NeverSteady {
			judged = judged || run.State != compare.NotJudged
			continue
		}
		judged = true
		if named++; named > shownWarnings {
			more++
			continue
		}
		for _, w := range run.Warnings {
			s.warn(known[i].Source + ": " + w)
		}
	}
	if more > 0 {
		s.warn(fmt.Sprintf("%d more runs were never steady", more))
	}
	if !judged {
		s.warn("runs are too short to judge whether they were steady: that needs 50 s after the warm-up")
	}
	if s.Cut > 0 {
		shortest := slices.MinFunc(series, func(a, b []float64) int { return len(a) - len(b) })
		if s.Cut*2 >= len(shortest) {
			s.warn(fmt.Sprintf("half of the runs' time was cut as warm-up (%d of %d s): run longer", s.Cut, len(shortest)))
		}
	}
	return s
}

func (s *Settled) warn(texts ...string) { s.Warnings = append(s.Warnings, texts...) }

// rates are the seconds of a metric.
func (r *Run) rates(m Metric) []float64 {
	out := make([]float64, len(r.Series))
	for i, s := range r.Series {
		out[i] = s.Events
		if m.Name == QPS {
			out[i] = s.Queries
		}
	}
	return out
}

// After returns a run's value of a metric after a cut: throughput is that of the seconds behind it, other metrics are of the
// whole run, since their histograms are.
func (r *Run) After(m Metric, cut int) (Value, bool) {
	if !m.Throughput || cut <= 0 || cut >= len(r.Series) {
		return r.Value(m)
	}
	rates := r.rates(m)[cut:]
	var sum float64
	for _, v := range rates {
		sum += v
	}
	return Value{V: sum / float64(len(rates))}, true
}

// minSpread is the number of seconds from which on their deviation says something of a run.
const minSpread = 10

// Spread is how much a run varied within itself: the standard deviation of its seconds after a cut, and the ratio of p99 to p50. What
// is not known is NaN.
func (r *Run) Spread(m Metric, cut int) (seconds, tail float64) {
	seconds, tail = math.NaN(), math.NaN()
	if len(r.Series)-cut >= minSpread {
		seconds = compare.NewMeanOfSeconds(r.rates(m)[cut:]).SD
	}
	p99, ok99 := r.values["p99"]
	p50, ok50 := r.values["p50"]
	if ok99 && ok50 && p50.V > 0 && p99.V > 0 {
		tail = p99.V / p50.V
	}
	return seconds, tail
}
