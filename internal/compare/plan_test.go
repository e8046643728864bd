package compare

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// E4: the noise of one comparison is 1.5 log-%.
func TestPlanningWorkedExample(t *testing.T) {
	t.Parallel()
	const s = 0.015
	for _, c := range []struct {
		n                                                 int
		half, detectable, detectableAtMargin, confirmable float64
	}{
		{3, 3.7262, 4.6448, 4.6448, 5.5054},
		{5, 1.8625, 2.4937, 2.6115, 2.9332},
		{8, 1.2540, 1.7292, 2.4555, 2.0246},
		{12, 0.9531, 1.3322, 2.3594, 1.5554},
	} {
		critical := CriticalT(0.05, 1, c.n)
		for _, v := range []struct {
			name      string
			got, want float64
		}{
			{"half-width", 100 * critical * s / math.Sqrt(float64(c.n)), c.half},
			{"SDC without margin", 100 * DetectableChange(s, c.n, critical, 0), c.detectable},
			{"SDC", 100 * DetectableChange(s, c.n, critical, logarithm(2)), c.detectableAtMargin},
			{"confirmable margin", ConfirmableMargin(s, c.n), c.confirmable},
		} {
			if !near(v.got, v.want, 5e-5) {
				t.Errorf("n = %d: %s %.4f, want %.4f", c.n, v.name, v.got, v.want)
			}
		}
	}
	for _, c := range []struct {
		sd          float64
		half        [3]int // for 2, 1, 0.5 log-%
		equivalence int
	}{
		{0.005, [3]int{3, 4, 7}, 3},
		{0.01, [3]int{4, 7, 18}, 5},
		{0.015, [3]int{5, 12, 38}, 9},
		{0.02, [3]int{7, 18, 64}, 13},
		{0.03, [3]int{12, 38, 141}, 27},
	} {
		for i, half := range []float64{0.02, 0.01, 0.005} {
			if got := RoundsForHalfWidth(c.sd, half, 0.05); got != c.half[i] {
				t.Errorf("sd %g: %d rounds for %g, want %d", c.sd, got, half, c.half[i])
			}
		}
		if got := RoundsForEquivalence(c.sd, logarithm(2), 0.05); got != c.equivalence {
			t.Errorf("sd %g: %d rounds for equivalence, want %d", c.sd, got, c.equivalence)
		}
	}
	for n, want := range map[int][3]int{3: {7, 5, 40}, 5: {7, 5, 18}} {
		p, err := NewPaired(logsE1(t, n), 0.05)
		if err != nil {
			t.Fatal(err)
		}
		got := NewForecast(p.SD, float64(n-1), percent(0.005), 0.05)
		if [3]int{got.About, got.Low, got.High} != want {
			t.Errorf("after %d rounds: about %d, low %d, high %d; want %v", n, got.About, got.Low, got.High, want)
		}
	}
}

// E3's row B, and the two quantiles after a stopping rule.
func TestDetectableChangeOfFamilies(t *testing.T) {
	t.Parallel()
	p, err := NewPaired(rowsE3()[1], 0.05)
	if err != nil || !near(100*p.StandardError(), 0.27239, 5e-6) {
		t.Fatalf("s/√n = %.5f log-%%, %v; want 0.27239", 100*p.StandardError(), err)
	}
	if got := 100 * DetectableChange(p.SD, p.N, 3.6342, 0); !near(got, 1.2340, 5e-5) {
		t.Errorf("SDC %.4f log-%% without margin, want 1.2340", got)
	}
	if got, want := CriticalT(0.05, 198, 5), tQuantile(1-0.05/396, 4); got != want {
		t.Errorf("t* = %g in a family of 198, want %g", got, want)
	}
	if got, want := CriticalT(0.03, 1, 8), 2.7146; !near(got, want, 5e-5) {
		t.Errorf("t* = %g at 0.03, want %g", got, want)
	}
}

// The smallest n, against a search from 3 on.
func TestRoundsAreTheSmallest(t *testing.T) {
	t.Parallel()
	for _, sd := range []float64{0, 0.001, 0.007, 0.02, 0.05} {
		for _, half := range []float64{0.003, 0.01, 0.03} {
			for _, level := range []float64{0.05, 0.01} {
				want := 3
				for tQuantile(1-level/2, float64(want-1))*sd/math.Sqrt(float64(want)) > half {
					want++
				}
				if got := RoundsForHalfWidth(sd, half, level); got != want {
					t.Errorf("sd %g, half-width %g, level %g: %d rounds, want %d", sd, half, level, got, want)
				}
			}
		}
	}
	for _, sd := range []float64{5, 1e9, math.Inf(1)} {
		if got := RoundsForHalfWidth(sd, 0.001, 0.05); got != ManyRounds {
			t.Errorf("sd %g: %d rounds, want %d as a bound", sd, got, ManyRounds)
		}
	}
	if got := RoundsForEquivalence(0.01, 0, 0.05); got != ManyRounds {
		t.Errorf("%d rounds for a margin of 0, want %d as a bound", got, ManyRounds)
	}
}

// The pooled noise is that of the two-way layout of the values themselves, baseline included.
func TestPooledSD(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(9, 0))
	const scenarios, n = 4, 6
	var y [scenarios][n]float64
	for i := range n {
		mood := r.NormFloat64()
		for s := range scenarios {
			y[s][i] = mood + float64(s) + 0.01*r.NormFloat64()
		}
	}
	var grand float64
	var ofScenario [scenarios]float64
	var ofRound [n]float64
	for s := range scenarios {
		for i := range n {
			grand += y[s][i] / (scenarios * n)
			ofScenario[s] += y[s][i] / n
			ofRound[i] += y[s][i] / scenarios
		}
	}
	var squares float64
	rows := make([][]float64, scenarios-1)
	for s := range scenarios {
		for i := range n {
			e := y[s][i] - ofScenario[s] - ofRound[i] + grand
			squares += e * e
			if s > 0 {
				rows[s-1] = append(rows[s-1], y[s][i]-y[0][i])
			}
		}
	}
	want := math.Sqrt(2 * squares / ((scenarios - 1) * (n - 1)))
	sd, df, ok := PooledSD(rows)
	if !ok || !near(sd, want, 1e-9) || df != 15 {
		t.Errorf("sd %g with df %g, %v; want %g with 15", sd, df, ok, want)
	}
	// A round in which one fails is left out of the layout.
	with := [][]float64{append(slices.Clone(rows[0]), 7), append(slices.Clone(rows[1]), 9), append(slices.Clone(rows[2]), math.NaN())}
	if sd2, df2, ok := PooledSD(with); !ok || sd2 != sd || df2 != df {
		t.Errorf("with a failed round: sd %g, df %g, want %g, %g", sd2, df2, sd, df)
	}
	// With two scenarios it is the sd of L.
	own, _ := moments(rows[0])
	if sd, df, ok := PooledSD(rows[:1]); !ok || !near(sd, own.SD, 1e-12) || df != n-1 {
		t.Errorf("two scenarios: sd %g with df %g; want %g with %d", sd, df, own.SD, n-1)
	}
	for name, rows := range map[string][][]float64{"nothing": nil, "one round": {{1}}, "no noise": {{1, 1, 1}, {2, 2, 2}}} {
		if sd, _, ok := PooledSD(rows); ok {
			t.Errorf("%s: sd %g", name, sd)
		}
	}
}

// Forecasts of a study of four scenarios use what all of them say of the noise.
func TestForecastsArePooled(t *testing.T) {
	t.Parallel()
	rows, scenario := noise(4, 3, 1, 3)
	var family []Row
	for i, logs := range rows {
		family = append(family, Row{Scenario: string(rune('a' + scenario[i])), Name: "cell", Logs: logs})
	}
	sd, df, _ := PooledSD(rows)
	all, err := Plan{}.Judge(family)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		if c.Forecast == nil || c.Forecast.SD != sd || c.Forecast.DF != df || df != 6 || c.Forecast.Target != 1 {
			t.Errorf("%s: forecast %+v, want one from sd %g with %g degrees of freedom for 1 %%", c.Scenario, c.Forecast, sd, df)
		}
	}
	two := judgeOne(t, Plan{Target: 2}, rows[0])
	if own, _ := moments(rows[0]); two.Forecast.SD != own.SD || two.Forecast.DF != 2 || two.Forecast.Target != 2 {
		t.Errorf("two scenarios: %+v, want one from its own noise", two.Forecast)
	}
}

func TestPlansThatMakeNoSense(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]Plan{
		"margin -1 %":          {Margin: -1},
		"margin NaN":           {Margin: math.NaN()},
		"level 0.5":            {Level: 0.5},
		"half-width -2 %":      {Target: -2},
		"grid -1":              {Grid: -1},
		"quantile 1:":          {Quantile: 1},
		"1 scenarios":          {Scenarios: 1},
		"-3 rounds":            {Rounds: -3},
		"where the plan has 1": {Scenarios: 2},
	} {
		rows := []Row{{Scenario: "a", Logs: logsE1(t, 8)}, {Scenario: "b", Logs: logsE1(t, 8)}}
		if _, err := p.Judge(rows); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want one with %q", p, err, want)
		}
		if want != "where the plan has 1" {
			if _, err := p.JudgeUnpaired(rows); err == nil {
				t.Errorf("%+v: no error, unpaired", p)
			}
		}
	}
}
