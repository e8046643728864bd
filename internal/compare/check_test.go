package compare

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestSignedRankLevels(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		n, k    int
		percent float64
	}{{6, 1, 96.88}, {8, 4, 96.09}, {10, 9, 95.12}, {12, 14, 95.75}, {20, 53, 95.16}} {
		k, confidence := signedRank(c.n, 0.05)
		if k != c.k || !near(100*confidence, c.percent, 0.005) {
			t.Errorf("n = %d: k = %d, %.2f %%; want %d, %.2f %%", c.n, k, 100*confidence, c.k, c.percent)
		}
	}
	// Counted sign by sign.
	for n := 6; n <= 12; n++ {
		for _, level := range []float64{0.05, 0.03, 0.01} {
			counts := make([]float64, n*(n+1)/2+1)
			for e := range 1 << n {
				w := 0
				for r := range n {
					if e>>r&1 == 1 {
						w += r + 1
					}
				}
				counts[w]++
			}
			k, below := 0, 0.0
			for 2*(below+counts[k])/math.Exp2(float64(n)) <= level {
				below += counts[k]
				k++
			}
			got, confidence := signedRank(n, level)
			if got != k || !near(confidence, 1-2*below/math.Exp2(float64(n)), 1e-12) {
				t.Errorf("n = %d, level %g: k = %d at %g, want %d at %g", n, level, got, confidence, k, 1-2*below/math.Exp2(float64(n)))
			}
		}
	}
}

func TestCheckWorkedExample(t *testing.T) {
	t.Parallel()
	c, ok := NewCheck(logsE1(t, 8), 0.05)
	est, low, high := c.Percent()
	if !ok || !near(est, -2.9909, 5e-5) || !near(low, -3.5785, 5e-5) || !near(high, -2.5053, 5e-5) || !near(c.Confidence, 0.9609, 5e-5) || c.K != 4 {
		t.Errorf("%.4f [%.4f, %.4f] at %.4f, k = %d, %v; want -2.9909 [-3.5785, -2.5053] at 0.9609, 4", est, low, high, c.Confidence, c.K, ok)
	}
	for n, level := range map[int]float64{5: 0.05, 6: 0.03, 7: 0.01} {
		if c, ok := NewCheck(logsE1(t, n), level); ok {
			t.Errorf("n = %d, level %g: %+v, want no check line", n, level, c)
		}
	}
	for n, level := range map[int]float64{6: 0.05, 7: 0.03, 8: 0.01} {
		if _, ok := NewCheck(logsE1(t, n), level); !ok {
			t.Errorf("n = %d, level %g: no check line", n, level)
		}
	}
	if _, ok := NewCheck(make([]float64, maxCheck+1), 0.05); ok {
		t.Errorf("a check line of %d rounds", maxCheck+1)
	}
	if _, ok := NewCheck([]float64{1, 2, 3, 4, 5, math.Inf(1)}, 0.05); ok {
		t.Error("a check line of a run without events")
	}
}

// Sides, order, scale, a missing round.
func TestCheckSymmetries(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 0))
	for n := 6; n < 16; n++ {
		logs, swapped := make([]float64, n), make([]float64, n)
		for i := range logs {
			logs[i] = r.NormFloat64() / 50
			swapped[n-1-i] = -2 * logs[i]
		}
		a, _ := NewCheck(logs, 0.05)
		b, _ := NewCheck(append(swapped, math.NaN()), 0.05)
		if !near(b.Estimate, -2*a.Estimate, 1e-12) || !near(b.Low, -2*a.High, 1e-12) || !near(b.High, -2*a.Low, 1e-12) {
			t.Errorf("%d rounds: %+v, swapped and doubled %+v", n, a, b)
		}
		if a.Low > a.Estimate || a.Estimate > a.High {
			t.Errorf("%d rounds: the estimate is outside: %+v", n, a)
		}
	}
}

// One round that pulls the mean makes the two disagree, and the report says so.
func TestCheckDisagrees(t *testing.T) {
	t.Parallel()
	// Equivalent by ranks, not by t.
	logs := []float64{0.001, 0.002, -0.001, 0, 0.0015, -0.0005, 0.0005, -0.002, 0.0012, 0.0003, -0.0008, 0.15}
	c := judgeOne(t, Plan{}, logs)
	if c.Verdict == Equivalent || c.Check.Verdict != Equivalent || c.Check.Agrees {
		t.Errorf("verdict %v, check %+v; want equivalent by ranks alone", c.Verdict, c.Check)
	}
	if w := warning(c, WarnCheck); w != "the check line (signed ranks: +0.05 % [-0.05, +0.18]) would say equivalent: see whether a round is an outlier" {
		t.Errorf("warning %q", w)
	}
	if c.Outlier == nil || c.Outlier.Round != 12 {
		t.Errorf("outlier %+v, want round 12", c.Outlier)
	}
	// The same verdict, but not the same place.
	with := Comparison{Low: 0.04, High: 0.05, Verdict: Better, Adjusted: 0.001, Level: 0.05}
	with.addCheck(&Check{Estimate: 0.051, Low: 0.045, High: 0.06}, HigherIsBetter, logarithm(2))
	if with.Check.Agrees || !strings.Contains(warning(with, WarnCheck), "has its estimate outside the interval") {
		t.Errorf("check %+v, warning %q; want that its estimate is outside", with.Check, warning(with, WarnCheck))
	}
	if w := warning(judgeOne(t, Plan{}, logsE1(t, 8)), WarnCheck); w != "" {
		t.Errorf("warning %q where both agree", w)
	}
}

// judgeOne judges a single comparison.
func judgeOne(t *testing.T, p Plan, logs []float64) Comparison {
	t.Helper()
	all, err := p.Judge([]Row{{Scenario: "new", Name: "cell", Logs: logs}})
	if err != nil {
		t.Fatal(err)
	}
	return all[0]
}

// warning is the text of the one with that code, or "".
func warning(c Comparison, code string) string {
	for _, w := range c.Warnings {
		if w.Code == code {
			return w.Text
		}
	}
	return ""
}
