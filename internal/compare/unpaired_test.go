package compare

import (
	"math"
	"testing"
)

func unpairedE9() Row {
	return Row{Scenario: "new", Name: "cell", Baseline: baselineE1[:5], Values: scenarioE1[2:]}
}

// E9.
func TestUnpairedWorkedExample(t *testing.T) {
	t.Parallel()
	w, err := NewWelch(baselineE1[:5], scenarioE1[2:], 0.05)
	if err != nil || !near(w.DF, 7.8584, 5e-5) {
		t.Errorf("df %.4f, %v; want 7.8584", w.DF, err)
	}
	all, err := Plan{}.JudgeUnpaired([]Row{unpairedE9()})
	if err != nil {
		t.Fatal(err)
	}
	c := all[0]
	if got := triple(c.Percent()); !near(got[0], -3.0427, 5e-5) || !near(got[1], -4.1954, 5e-5) || !near(got[2], -1.8762, 5e-5) {
		t.Errorf("%.4f, want -3.0427 [-4.1954, -1.8762]", got)
	}
	const sentence = "runs were not interleaved: drift of the host looks like a change (12–100 % false in simulation); undecided. `--assume-no-drift` to judge anyway"
	if c.Verdict != Undecided || c.Reason != sentence || !c.Unpaired || c.N != 6 || c.BaselineN != 5 || c.Of != 6 || c.Method != Alone {
		t.Errorf("%v, %q, %d against %d runs", c.Verdict, c.Reason, c.N, c.BaselineN)
	}
	if notes := (Plan{}).Notes(all); len(notes) != 1 || notes[0] != (Warning{WarnNotInterleaved, sentence}) {
		t.Errorf("notes %v", notes)
	}
	if !near(c.Value/c.Baseline, math.Exp(c.Estimate), 1e-12) {
		t.Errorf("sides %g and %g, ratio %g", c.Baseline, c.Value, math.Exp(c.Estimate))
	}
	if want := percent(max(tQuantile(0.975, w.DF)*w.SE, logarithm(2)) + tQuantile(0.8, w.DF)*w.SE); !near(c.SDC, want, 1e-9) {
		t.Errorf("SDC %g %%, want %g", c.SDC, want)
	}
}

func TestUnpairedAssumingThatNothingDrifted(t *testing.T) {
	t.Parallel()
	plan := Plan{AssumeNoDrift: true}
	lower := Plan{AssumeNoDrift: true, Better: LowerIsBetter}
	for want, p := range map[Verdict]Plan{Worse: plan, Better: lower, Equivalent: {AssumeNoDrift: true, Margin: 6}} {
		all, err := p.JudgeUnpaired([]Row{unpairedE9()})
		if err != nil || all[0].Verdict != want || all[0].Reason != "" {
			t.Errorf("%+v: %v, %q, %v; want %v", p, all[0].Verdict, all[0].Reason, err, want)
		}
		if notes := p.Notes(all); len(notes) != 1 || notes[0].Text != "not interleaved: assumes that the host did not drift" {
			t.Errorf("%+v: notes %v", p, notes)
		}
	}
	// Many cells: Holm.
	rows := []Row{unpairedE9(), unpairedE9(), {Baseline: baselineE1[:5], Values: []float64{9500, 10400, 10100, 9800, 10300}}}
	all, err := plan.JudgeUnpaired(rows)
	if err != nil || all[0].Method != HolmMethod || !near(all[0].Adjusted, 3*all[0].P, 1e-12) || all[2].Adjusted != all[2].P || all[0].K != 3 {
		t.Errorf("adjusted p %g, %g of %g, %g; %v", all[0].Adjusted, all[2].Adjusted, all[0].P, all[2].P, err)
	}
	if want := "needs more runs a side, better interleaved ones: deltabench compare --rounds"; all[2].Verdict != Undecided || all[2].Reason != want {
		t.Errorf("%v, %q; want undecided, %q", all[2].Verdict, all[2].Reason, want)
	}
	// A grid widens these intervals too.
	wide, err := Plan{AssumeNoDrift: true, Grid: 0.2}.JudgeUnpaired(rows)
	if err != nil || !near(wide[0].High-wide[0].Low, 0.4, 1e-12) {
		t.Errorf("[%g, %g], %v; want a step of 0.2 on either side", wide[0].Low, wide[0].High, err)
	}
}

func TestUnpairedIsRefused(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	five := baselineE1[:5]
	for name, c := range map[string]struct {
		plan    Plan
		row     Row
		refusal Refusal
		n, of   int
		want    string
	}{
		"few runs": {Plan{}, Row{Baseline: five, Values: five[:4]}, RefusedFewRuns, 4, 4, "5 and 4 runs: without pairs, an interval needs 5 a side"},
		"one run":  {Plan{}, Row{Baseline: five[:1], Values: five[:1]}, RefusedFewRuns, 1, 1, "1 and 1 runs: without pairs, an interval needs 5 a side"},
		"failed runs": {
			Plan{},
			Row{Baseline: five, Values: []float64{1, nan, 2, 3, 4}},
			RefusedFewRuns, 4, 5,
			"5 and 4 runs: without pairs, an interval needs 5 a side",
		},
		"no run":     {Plan{}, Row{Baseline: five}, RefusedNoRound, 0, 0, "a side has no run: no comparison"},
		"fixed":      {Plan{}, Row{Baseline: []float64{5, 5, 5, 5, 5}, Values: []float64{6, 6, 6, 6, 6}}, RefusedFixed, 5, 5, ErrNoSpread.Error()},
		"no events":  {Plan{}, Row{Baseline: five, Values: []float64{1, 2, 0, 3, 4}}, RefusedNoEvents, 5, 5, ErrNoLogarithm.Error()},
		"rate":       {Plan{RateLimited: true}, unpairedE9(), RefusedRate, 6, 6, RateSentence},
		"few at all": {Plan{RateLimited: true}, Row{Baseline: five[:1], Values: five[:1]}, RefusedRate, 1, 1, RateSentence},
		"one start":  {Plan{Starts: OneStartEach, AssumeNoDrift: true}, unpairedE9(), RefusedOneStart, 1, 1, "the servers were started once each: this compares two starts, not two configurations (n = 1)"},
		"few events": {Plan{Quantile: 0.99}, Row{Baseline: five, Values: five, Events: 300}, RefusedFewEvents, 5, 5, "300 events are too few for p99: needs 10000"},
	} {
		all, err := c.plan.JudgeUnpaired([]Row{c.row})
		if err != nil {
			t.Fatal(err)
		}
		got := all[0]
		if got.Verdict != None || got.Refusal != c.refusal || got.Reason != c.want || got.N != c.n || got.Of != c.of || got.HasInterval {
			t.Errorf("%s: %v (%s), n = %d of %d, %q; want %s, %d of %d, %q", name, got.Verdict, got.Refusal, got.N, got.Of, got.Reason, c.refusal, c.n, c.of, c.want)
		}
	}
	if _, err := (Plan{}).JudgeUnpaired([]Row{{Margin: -1}}); err == nil {
		t.Error("no error of a margin below 0")
	}
}
