package compare

import (
	"errors"
	"math"
	"testing"
)

// E1 of the specification of statistics: eight rounds of a baseline and a scenario.
var (
	baselineE1 = []float64{10012, 9987, 10105, 9950, 10041, 9902, 10078, 9995}
	scenarioE1 = []float64{9721, 9655, 9868, 9587, 9754, 9689, 9777, 9612}
)

func near(got, want, tolerance float64) bool { return math.Abs(got-want) <= tolerance }

// logsE1 are L of the first n rounds of E1.
func logsE1(t *testing.T, n int) []float64 {
	t.Helper()
	r, err := NewRow("new", "cell", baselineE1[:n], scenarioE1[:n])
	if err != nil {
		t.Fatal(err)
	}
	return r.Logs
}

func TestLogarithmsOfRatios(t *testing.T) {
	t.Parallel()
	for i, want := range []float64{-0.029496, -0.033808, -0.023733, -0.037165, -0.028999, -0.021746, -0.030322, -0.039073} {
		if got := logsE1(t, 8)[i]; !near(got, want, 5e-7) {
			t.Errorf("round %d: %f, want %f", i+1, got, want)
		}
	}
}

func TestPairedWorkedExample(t *testing.T) {
	t.Parallel()
	const unknown = -1
	for _, c := range []struct {
		n                   int
		level               float64
		estimate, low, high float64
		mean, sd, t, p      float64
	}{
		{8, 0.05, -3.0081, -3.4959, -2.5179, -0.030543, 0.006030, -14.3254, 2e-6},
		{8, 0.03, -3.0081, -3.5678, -2.4451, -0.030543, 0.006030, -14.3254, 2e-6},
		{5, 0.05, -3.0176, -3.6306, -2.4007, -0.030640, 0.005107, unknown, 0.000179},
		{3, 0.05, -2.8596, -4.0717, -1.6321, unknown, unknown, unknown, unknown},
	} {
		got, err := NewPaired(logsE1(t, c.n), c.level)
		if err != nil {
			t.Fatalf("n = %d: %v", c.n, err)
		}
		est, low, high := got.Percent()
		for _, v := range []struct {
			name            string
			got, want, near float64
		}{
			{"estimate", est, c.estimate, 5e-5},
			{"low", low, c.low, 5e-5},
			{"high", high, c.high, 5e-5},
			{"mean", got.Mean, c.mean, 5e-7},
			{"sd", got.SD, c.sd, 5e-7},
			{"t", got.Mean / got.StandardError(), c.t, 5e-5},
			{"p", got.P, c.p, 5e-7},
		} {
			if v.want != unknown && !near(v.got, v.want, v.near) {
				t.Errorf("n = %d, level %g: %s %.6f, want %.6f", c.n, c.level, v.name, v.got, v.want)
			}
		}
		if got.N != c.n || got.Level != c.level {
			t.Errorf("n = %d, level %g; want %d, %g", got.N, got.Level, c.n, c.level)
		}
	}
}

func TestStudentQuantiles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ p, df, want float64 }{
		{0.975, 2, 4.3027}, {0.975, 4, 2.7764}, {0.975, 7, 2.3646}, {0.975, 11, 2.2010}, {0.985, 4, 3.2976}, {0.985, 7, 2.7146}, {0.9, 7, 1.4149}, {0.8, 7, 0.8960},
	} {
		for range 2 { // searched, then remembered
			if got := tQuantile(c.p, c.df); !near(got, c.want, 5e-5) {
				t.Errorf("t(%g, %g) = %.4f, want %.4f", c.p, c.df, got, c.want)
			}
		}
	}
}

// A process that asks for ever other quantiles does not grow.
func TestQuantilesAreForgotten(t *testing.T) {
	t.Parallel()
	for i := range 2 * manyQuantiles {
		tQuantile(0.9+float64(i)*1e-6, 7)
	}
	quantiles.RLock()
	n := len(quantiles.known)
	quantiles.RUnlock()
	if n > manyQuantiles {
		t.Errorf("%d quantiles are remembered, want at most %d", n, manyQuantiles)
	}
	if got := tQuantile(0.975, 7); !near(got, 2.3646, 5e-5) {
		t.Errorf("t(0.975, 7) = %g after that", got)
	}
}

func TestPairedIsRefused(t *testing.T) {
	t.Parallel()
	nan, inf := math.NaN(), math.Inf(-1)
	for name, c := range map[string]struct {
		logs []float64
		n    int
		want error
	}{
		"nothing":              {nil, 0, ErrFewRounds},
		"two rounds":           {[]float64{1, 2}, 2, ErrFewRounds},
		"two of four rounds":   {[]float64{1, nan, 2, nan}, 2, ErrFewRounds},
		"no spread":            {[]float64{0.5, 0.5, 0.5, 0.5}, 4, ErrNoSpread},
		"hardly any spread":    {[]float64{0.5, 0.5 + 1e-10, 0.5, 0.5}, 4, ErrNoSpread},
		"run without events":   {[]float64{0.1, inf, 0.3, 0.2}, 1, ErrNoLogarithm},
		"three rounds suffice": {[]float64{0.1, nan, 0.3, 0.2}, 3, nil},
	} {
		p, err := NewPaired(c.logs, 0.05)
		if !errors.Is(err, c.want) || p.N != c.n {
			t.Errorf("%s: n = %d, error %v; want %d, %v", name, p.N, err, c.n, c.want)
		}
	}
}

// The hot path of simulations.
func TestPairedDoesNotAllocate(t *testing.T) {
	logs := logsE1(t, 8)
	if n := testing.AllocsPerRun(100, func() { NewPaired(logs, 0.05) }); n != 0 {
		t.Errorf("%g allocations, want none", n)
	}
}

func TestGeometricMean(t *testing.T) {
	t.Parallel()
	if got := GeometricMean([]float64{1, math.NaN(), 100}); !near(got, 10, 1e-12) {
		t.Errorf("geometric mean of 1 and 100 is %g, want 10", got)
	}
	if got := GeometricMean(nil); !math.IsNaN(got) {
		t.Errorf("geometric mean of nothing is %g, want NaN", got)
	}
}
