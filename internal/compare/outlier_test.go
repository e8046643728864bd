package compare

import (
	"math"
	"slices"
	"testing"
)

// E6.
func TestOutlierWorkedExample(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]float64{5: 1.7150, 8: 2.1266, 12: 2.4116} {
		if got := CriticalGrubbs(n); !near(got, want, 5e-5) {
			t.Errorf("critical G for n = %d is %.4f, want %.4f", n, got, want)
		}
	}
	logs := slices.Clone(logsE1(t, 8))
	if o := FindOutlier(logs, 0.05); o != nil {
		t.Errorf("outlier %+v in E1", o)
	}
	logs[7] = -0.112
	c := judgeOne(t, Plan{}, logs)
	o := c.Outlier
	if o == nil || o.Round != 8 || !near(o.G, 2.4402, 5e-5) || !near(o.Critical, 2.1266, 5e-5) {
		t.Fatalf("outlier %+v, want round 8 with G = 2.4402 > 2.1266", o)
	}
	for _, v := range []struct {
		name     string
		got      [3]float64
		expected [3]float64
	}{
		{"with it", triple(c.Percent()), [3]float64{-3.8882, -6.2411, -1.4764}},
		{"without it", triple(o.Without.Percent()), [3]float64{-2.8898, -3.3687, -2.4086}},
		{"Hodges-Lehmann", [3]float64{percent(o.HodgesLehmann)}, [3]float64{-2.9928}},
	} {
		for i := range v.got {
			if !near(v.got[i], v.expected[i], 5e-5) {
				t.Errorf("%s: %.4f, want %.4f", v.name, v.got, v.expected)
			}
		}
	}
	const text = "round 8 is far from the others (Grubbs' G 2.44 > 2.13): the result, with it, is -3.89 % [-6.24, -1.48]; without it -2.89 % [-3.37, -2.41]; Hodges-Lehmann -2.99 %. Look at what happened in that round"
	if got := warning(c, WarnOutlier); got != text {
		t.Errorf("warning %q, want %q", got, text)
	}
}

func triple(a, b, c float64) [3]float64 { return [3]float64{a, b, c} }

func TestOutlierAmongFewAndFailedRounds(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	if o := FindOutlier([]float64{0, 0.001, 5}, 0.05); o != nil {
		t.Errorf("outlier %+v of three rounds", o)
	}
	o := FindOutlier([]float64{0.001, nan, 0, 0.002, -0.4, 0.001, 0}, 0.05)
	if o == nil || o.Round != 5 || o.Without.N != 5 {
		t.Errorf("outlier %+v, want round 5, and five others", o)
	}
	// Without it nothing varies: there is no second interval to show.
	c := judgeOne(t, Plan{}, []float64{0, 0, 0, 0, 0, 0.3})
	if c.Outlier == nil || c.Outlier.Round != 6 || c.Outlier.Without.Half != 0 {
		t.Errorf("outlier %+v", c.Outlier)
	}
	if got := warning(c, WarnOutlier); got != "round 6 is far from the others (Grubbs' G 2.04 > 1.89): the result, with it, is +5.13 % [-7.55, +19.55]; all other rounds are equal; Hodges-Lehmann +0.00 %. Look at what happened in that round" {
		t.Errorf("warning %q", got)
	}
}
