package compare

import (
	"fmt"
	"math"
)

// spreadLevel is that of the flag, which has no verdict words.
const spreadLevel = 0.01

// Spread compares how much runs vary within themselves: a measure of spread per run on either side.
type Spread struct {
	Paired       // of the logarithms of the ratios, 99 %
	Flagged bool // beyond chance at 1 %
}

// NewSpread compares a measure of spread, one per round and side: the standard deviation of the seconds after the cut, or p99/p50. NaN is
// a run without one. The paired t on logarithms, level 0.01: a 1.5-fold spread is found in most studies of 8 rounds. Errors are those of NewPaired.
func NewSpread(baseline, scenario []float64) (Spread, error) {
	if len(baseline) != len(scenario) {
		return Spread{}, fmt.Errorf("%d rounds of the baseline and %d of the scenario: they are not pairs", len(baseline), len(scenario))
	}
	logs := make([]float64, len(baseline))
	for i := range logs {
		logs[i] = logRatio(baseline[i], scenario[i])
	}
	p, err := NewPaired(logs, spreadLevel)
	return Spread{p, err == nil && p.P <= spreadLevel}, err
}

// Text is the flag in words; what names the measure: "p99/p50". Empty without a flag.
func (s Spread) Text(what string) string {
	if !s.Flagged {
		return ""
	}
	return fmt.Sprintf("%s differs: %.2f times the baseline's [%.2f, %.2f] (99 %%, n = %d, p %s)",
		what, math.Exp(s.Mean), math.Exp(s.Mean-s.Half), math.Exp(s.Mean+s.Half), s.N, equalsP(s.P))
}

// logRatio is ln(scenario) - ln(baseline), NaN where one is missing, infinite where one is not positive and so has no logarithm.
func logRatio(baseline, scenario float64) float64 {
	switch {
	case math.IsNaN(baseline) || math.IsNaN(scenario):
		return math.NaN()
	case !(baseline > 0) || !(scenario > 0):
		return math.Inf(-1)
	}
	return math.Log(scenario) - math.Log(baseline)
}
