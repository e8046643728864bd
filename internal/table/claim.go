package table

import (
	"fmt"
	"math"
	"strings"

	"deltabench/internal/compare"
)

// NewClaim makes a claim of a comparison.
func NewClaim(c *compare.Comparison) *Claim {
	claim := &Claim{
		N: c.N, Of: c.Of, BaselineN: c.BaselineN, Reason: c.Reason, Interleaved: !c.Unpaired,
		Detectable: positive(c.SDC), Warnings: []string{},
	}
	if c.Verdict != compare.None {
		claim.Verdict = c.Verdict.String()
	}
	estimate, low, high := c.Percent()
	if c.HasEstimate || c.HasInterval {
		claim.Estimate = &estimate
	}
	if c.HasInterval && finite(low) && finite(high) {
		claim.Interval = &Interval{Low: low, High: high, Level: levelPercent(c.Level)}
		claim.P, claim.AdjustedP = &c.P, &c.Adjusted
		claim.Adjustment = c.Method.String()
	}
	if c.Check != nil {
		e, l, h := c.Check.Percent()
		claim.Check = &Check{Method: "Hodges-Lehmann", Estimate: e, Interval: Interval{Low: l, High: h, Level: 100 * c.Check.Confidence}}
	}
	if f := c.Forecast; f != nil {
		claim.Forecast = &Forecast{HalfWidth: f.Target, About: f.About, Low: f.Low, High: f.High}
	}
	for _, w := range c.Warnings {
		claim.Warnings = append(claim.Warnings, w.Text)
	}
	return claim
}

// NewLine makes a line of a comparison: its scenario, workload, values of both sides and claim. Threads, the target, runs and footnotes
// are the caller's to add.
func NewLine(m Metric, c *compare.Comparison) Line {
	l := Line{
		Metric: m, Workload: c.Workload, Scenario: c.Scenario, Mean: c.Mean, Baseline: positive(c.Baseline), Value: positive(c.Value),
		Claim: NewClaim(c),
	}
	if m.Cost && c.Verdict != compare.None {
		l.Claim.Verdict, l.Claim.Reason = "", "a cost: estimate and interval, no verdict"
	}
	return l
}

// levelPercent is 95 of 0.05.
func levelPercent(level float64) float64 { return math.Round((1-level)*1e6) / 1e4 }

func positive(v float64) *float64 {
	if v <= 0 || !finite(v) {
		return nil
	}
	return &v
}

// Text is a claim in one line, as tables spell it: `−12.9 % [−13.6, −12.1] n=8 worse`.
func (c *Claim) Text() string {
	places := 1
	var parts []string
	if c.Interval.known() {
		places = placesOf(c.Interval.High - c.Interval.Low)
	}
	estimate, known := known64(c.Estimate)
	if !known {
		return missing
	}
	parts = append(parts, signed(estimate, places)+" %")
	if iv := c.Interval; iv.known() {
		parts = append(parts, fmt.Sprintf("[%s, %s]", signed(iv.Low, places), signed(iv.High, places)))
	}
	parts = append(parts, rounds(c))
	if c.Verdict != "" {
		parts = append(parts, c.Verdict)
	}
	return strings.Join(parts, " ")
}

// Number spells a value with so many decimals, as tables do.
func Number(v float64, places int) string { return decimal(v, places) }
