package compare

import (
	"math"
	"strings"
	"testing"
)

// workedSeries is the series of the specification's tenth example: a warm-up of size w, a ramp g, a slow wave a.
func workedSeries(w, g, a float64) []float64 {
	x := make([]float64, 60)
	for i := range x {
		t := float64(i)
		x[i] = math.Round(1000 - w*math.Exp(-t/6) + g*t + a*math.Sin(0.35*t) + (15-a/2)*math.Sin(1.7*t) + 10*math.Sin(0.45*t*t))
	}
	return x
}

func TestSeriesWorkedExample(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		w, g, a         float64
		first           [5]float64
		lead, mser, cut int
		mean, sd        float64
		r, se           float64
		d, t, df, p     float64
		never           bool
		n               int
	}{
		{0, 0, 0, [5]float64{1000, 1019, 1006, 978, 1015}, 0, 0, 0, 999.8167, 13.0351, 0, 1.6828, -0.2369, -0.4034, 58, 0.6881, false, 60},
		{500, 0, 0, [5]float64{500, 596, 648, 675, 759}, 15, 25, 25, 998.1143, 13.2616, 0, 2.2416, 0.4176, 0.3088, 33, 0.7594, false, 35},
		{0, 0.8, 0, [5]float64{1000, 1020, 1008, 981, 1019}, 0, 30, 0, 1023.4667, 18.4790, 0.4493, 3.8700, 4.4156, 7.7189, 58, 0.0000, true, 60},
		{0, 0.8, 20, [5]float64{1000, 1017, 1023, 1007, 1033}, 0, 0, 0, 1024.7000, 19.5598, 0.7720, 7.0393, 4.2639, 2.8493, 9.4678, 0.0182, true, 60},
	} {
		x := workedSeries(c.w, c.g, c.a)
		if [5]float64(x[:5]) != c.first {
			t.Fatalf("w %g, g %g, a %g: the series starts with %v, want %v", c.w, c.g, c.a, x[:5], c.first)
		}
		if lead, mser, cut := Lead(x), MSER5(x), Cut(x); lead != c.lead || mser != c.mser || cut != c.cut {
			t.Errorf("w %g, g %g, a %g: lead, MSER-5, cut %d, %d, %d; want %d, %d, %d", c.w, c.g, c.a, lead, mser, cut, c.lead, c.mser, c.cut)
		}
		got := JudgeRun(x, 0)
		for name, v := range map[string][2]float64{
			"mean": {got.Mean.Mean, c.mean}, "sd": {got.Mean.SD, c.sd}, "r": {got.Mean.Autocorrelated, c.r}, "se": {got.Mean.SE, c.se},
			"D": {got.Drift.Percent, c.d}, "t": {got.Drift.T, c.t}, "df": {got.Drift.DF, c.df}, "p": {got.Drift.P, c.p}, "n": {float64(got.Mean.N), float64(c.n)},
		} {
			if !near(v[0], v[1], 5.01e-5) {
				t.Errorf("w %g, g %g, a %g: %s %.4f, want %.4f", c.w, c.g, c.a, name, v[0], v[1])
			}
		}
		if never := got.State == NeverSteady; never != c.never {
			t.Errorf("w %g, g %g, a %g: %v, %q", c.w, c.g, c.a, got.State, strings.Join(got.Warnings, "; "))
		}
	}
}
