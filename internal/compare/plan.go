package compare

import (
	"fmt"
	"math"
)

// Defaults of a plan.
const (
	DefaultMargin     = 2    // percent
	DefaultTailMargin = 10   // percent, of quantiles from 0.9 on
	DefaultLevel      = 0.05 // of intervals and families
	DefaultTarget     = 1    // percent, half-width that forecasts aim at
	PercentileGrid    = 0.0182
)

// PercentileGrid is the step, in logarithms, of the percentiles that sysbench prints: 1,024 steps over eight powers of ten. Values
// read from its reports cannot be told apart by less.

// Starts says what the servers of a study have in common.
type Starts int

// Starts. OwnStart: each scenario was started afresh in every round. SameStart: all runs were on one and the same server start, scenarios
// differ in sessions only. OneStartEach: the scenarios are servers that were started once each, so that n is 1 whatever
// the number of runs.
const (
	OwnStart Starts = iota
	SameStart
	OneStartEach
)

// Plan is what is asked of one metric of a study. The zero value asks for a throughput with the defaults.
type Plan struct {
	Metric    string    // as texts name it; may be empty
	Secondary bool      // not the primary metric: a family of its own, labelled
	Margin    float64   // change that matters, percent; 0: DefaultMargin, or DefaultTailMargin of a tail
	Better    Direction // of the metric
	Scenarios int       // with the baseline, without its A/A copy; 0: what the rows have
	Rounds    int       // planned, the most with a stopping rule; 0: those that there are. With more, the study was extended and is judged at 0.01
	Level     float64   // 1 - confidence; 0: 0.05. Stopping.Level after a stopping rule
	Target    float64   // half-width in percent that forecasts aim at; 0: 1
	Grid      float64   // smallest step of the values in logarithms (PercentileGrid for sysbench's percentiles); 0: none. No interval is narrower
	Quantile  float64   // 0.99 when the metric is p99; 0: no quantile
	Seed      uint64    // of random sign patterns, above 12 rounds
	Starts    Starts

	// RateLimited: a throughput under --rate, which the client sets. It is refused.
	RateLimited bool
	// AssumeNoDrift: the user takes the risk that the host drifted between runs that were not interleaved.
	AssumeNoDrift bool
}

// withDefaults returns the plan as it is used.
func (p Plan) withDefaults() Plan {
	if p.Margin == 0 {
		p.Margin = DefaultMargin
		if p.Quantile >= 0.9 {
			p.Margin = DefaultTailMargin
		}
	}
	if p.Level == 0 {
		p.Level = DefaultLevel
	}
	if p.Target == 0 {
		p.Target = DefaultTarget
	}
	return p
}

// extended says whether a study has more rounds than were planned for it; of a study that was to stop by itself, Rounds are the most.
func (p Plan) extended(rounds int) bool { return p.Rounds > 0 && rounds > p.Rounds }

// forRounds returns the plan as it is used for that many rounds: whoever extends a study because its result was not clear has looked
// twice, which is the rule "until decided" and costs its level.
func (p Plan) forRounds(rounds int) Plan {
	p = p.withDefaults()
	if p.extended(rounds) {
		p.Level = min(p.Level, settledLevel)
	}
	return p
}

// Validate says what of the plan makes no sense.
func (p Plan) Validate() error {
	for _, c := range []struct {
		bad  bool
		text string
	}{
		{!(p.Margin >= 0) || p.Margin > 1000, fmt.Sprintf("margin %g %%: it must be above 0 and at most 1000", p.Margin)},
		{!(p.Level >= 0) || p.Level >= 0.5, fmt.Sprintf("level %g: it must be above 0 and below 0.5", p.Level)},
		{!(p.Target >= 0) || p.Target > 1000, fmt.Sprintf("half-width %g %%: it must be above 0 and at most 1000", p.Target)},
		{!(p.Grid >= 0) || p.Grid >= 1, fmt.Sprintf("grid %g: it must be from 0 to below 1", p.Grid)},
		{!(p.Quantile >= 0) || p.Quantile >= 1, fmt.Sprintf("quantile %g: it must be from 0 to below 1", p.Quantile)},
		{p.Scenarios < 0 || p.Scenarios == 1, fmt.Sprintf("%d scenarios: a comparison needs the baseline and another one", p.Scenarios)},
		{p.Rounds < 0, fmt.Sprintf("%d rounds", p.Rounds)},
	} {
		if c.bad {
			return fmt.Errorf("plan of a comparison: %s", c.text)
		}
	}
	return nil
}

// recommendedRounds is what a study should plan: 8 with two scenarios, 10 with more.
func recommendedRounds(scenarios int) int {
	if scenarios > 2 {
		return 10
	}
	return 8
}

// powerAsked is the chance with which a smallest detectable change is found.
const powerAsked = 0.8

// DetectableChange is the smallest change, in logarithms, that data with this noise would have shown in four of five studies: sd of L, rounds n >= 2,
// t* the |t| that a claim needs (CriticalT, or of the family's maximum), mu the margin in logarithms.
//
//	max( (t* + t(0.8, n-1))·s/√n, mu + t(0.8, n-1)·s/√n )
//
// Simulated power with the true sd: 76 % at n = 3, 79-80 % from n = 5 on; 60, 68, 72, 75 % at n = 3, 5, 8, 12 with the
// estimated one.
func DetectableChange(sd float64, n int, tCritical, mu float64) float64 {
	return detectable(sd/math.Sqrt(float64(n)), float64(n-1), tCritical, mu)
}

func detectable(se, df, tCritical, mu float64) float64 {
	power := tQuantile(powerAsked, df) * se
	return max(tCritical*se+power, mu+power)
}

// CriticalT is the |t| that a comparison needs with n rounds in a family of k comparisons, adjusted by Holm: t(1 - level/(2k), n-1).
func CriticalT(level float64, k, n int) float64 {
	return tQuantile(1-level/(2*float64(max(k, 1))), float64(n-1))
}

// ConfirmableMargin is the margin, in percent, within which studies of that many rounds find systems equivalent with 80 % chance when the
// truth is 0: 100·(e^((t(0.975,n-1) + t(0.9,n-1))·s/√n) - 1). sd is that of L, in logarithms; rounds >= 2.
func ConfirmableMargin(sd float64, rounds int) float64 {
	return percent(equivalenceFactor(rounds, DefaultLevel) * sd)
}

func equivalenceFactor(n int, level float64) float64 {
	df := float64(n - 1)
	return (tQuantile(1-level/2, df) + tQuantile(0.9, df)) / math.Sqrt(float64(n))
}
