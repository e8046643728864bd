package compare

import (
	"errors"
	"math"
	"testing"
)

// The worked example of the specification of statistics: eight rounds of a baseline and a scenario.
var (
	baseline = []float64{10012, 9987, 10105, 9950, 10041, 9902, 10078, 9995}
	scenario = []float64{9721, 9655, 9868, 9587, 9754, 9689, 9777, 9612}
)

func near(got, want, tolerance float64) bool { return math.Abs(got-want) <= tolerance }

func TestPairedWorkedExample(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		n              int
		estimate       float64
		low, high      float64
		p              float64
		at2, at5       Verdict
		pTolerance     float64
		mean, deviates float64
	}{
		{8, -3.0081, -3.4959, -2.5179, 2e-6, Worse, Equivalent, 1e-6, -0.030543, 0.006030},
		{5, -3.0176, -3.6306, -2.4007, 0.000179, Worse, Equivalent, 1e-6, -0.030640, 0.005107},
		{3, -2.8596, -4.0717, -1.6321, 0.01, Preliminary, Preliminary, 0.01, -0.029012, 0.005055},
	} {
		got, err := NewPaired(baseline[:c.n], scenario[:c.n])
		if err != nil {
			t.Fatalf("n = %d: %v", c.n, err)
		}
		est, low, high := got.Percent()
		if !near(est, c.estimate, 5e-5) || !near(low, c.low, 5e-5) || !near(high, c.high, 5e-5) {
			t.Errorf("n = %d: %.4f [%.4f, %.4f], want %.4f [%.4f, %.4f]", c.n, est, low, high, c.estimate, c.low, c.high)
		}
		if !near(got.P, c.p, c.pTolerance) || !near(got.Mean, c.mean, 5e-5) || !near(got.SD, c.deviates, 5e-5) {
			t.Errorf("n = %d: p %g, mean %g, sd %g; want %g, %g, %g", c.n, got.P, got.Mean, got.SD, c.p, c.mean, c.deviates)
		}
		if v := got.Judge(got.P, 2); v != c.at2 {
			t.Errorf("n = %d, margin 2 %%: %v, want %v", c.n, v, c.at2)
		}
		if v := got.Judge(got.P, 5); v != c.at5 {
			t.Errorf("n = %d, margin 5 %%: %v, want %v", c.n, v, c.at5)
		}
	}
}

// Verdicts of the specification's fifth example: estimate and interval in percent, adjusted p, margin 2 %.
func TestVerdicts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		estimate, low, high, p float64
		want                   Verdict
	}{
		{0.8, 0.3, 1.4, 0.01, Equivalent},
		{1.5, 0.4, 2.6, 0.01, Undecided},
		{2.4, 0.2, 4.7, 0.08, Undecided},
		{2.4, 0.2, 4.7, 0.04, Better},
		{-0.2, -2.4, 2.1, 1, Undecided},
		{-2.4, -4.7, -0.2, 0.04, Worse},
	} {
		mean := math.Log1p(c.estimate / 100)
		half := (math.Log1p(c.high/100) - math.Log1p(c.low/100)) / 2
		p := &Paired{N: 8, Mean: mean, Half: half}
		if got := p.Judge(c.p, 2); got != c.want {
			t.Errorf("%+v: %v, want %v", c, got, c.want)
		}
	}
}

func TestHolm(t *testing.T) {
	t.Parallel()
	got := Holm([]float64{0.010, 0.040, 0.030, 0.005, 0.500})
	for i, want := range []float64{0.040, 0.090, 0.090, 0.025, 0.500} {
		if !near(got[i], want, 1e-12) {
			t.Errorf("adjusted p %d is %g, want %g", i, got[i], want)
		}
	}
}

func TestWhatIsRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string][2][]float64{
		"one round":  {{1}, {2}},
		"two rounds": {{1, 2}, {2, 3}},
		"no pairs":   {{1, 2, 3}, {1, 2}},
		"no events":  {{1, 2, 3}, {1, 0, 3}},
	} {
		if p, err := NewPaired(c[0], c[1]); err == nil {
			t.Errorf("%s: %+v, want an error", name, p)
		}
	}
	if _, err := NewPaired([]float64{1, 2, 3}, []float64{2, 4, 6}); !errors.Is(err, ErrNoSpread) {
		t.Errorf("equal ratios: error %v, want that there is no spread", err)
	}
}
