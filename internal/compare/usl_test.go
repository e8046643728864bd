package compare

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// ladder is what studies measure.
var ladder = []int{1, 2, 4, 8, 16, 32, 64, 128}

// law gives throughputs without noise.
func law(lambda, sigma, kappa float64, threads []int) []float64 {
	x := make([]float64, len(threads))
	for i, n := range threads {
		v := float64(n)
		x[i] = lambda * v / (1 + sigma*(v-1) + kappa*v*(v-1))
	}
	return x
}

// noisy repeats a ladder: every round has a start of its own, every run noise of its own, both as sd of logarithms.
func noisy(r *rand.Rand, x []float64, rounds int, start, run float64) [][]float64 {
	out := make([][]float64, rounds)
	for i := range out {
		s := start * r.NormFloat64()
		for _, v := range x {
			out[i] = append(out[i], v*math.Exp(s+run*r.NormFloat64()))
		}
	}
	return out
}

func TestUSLWithoutNoise(t *testing.T) {
	for _, c := range []struct{ lambda, sigma, kappa, peak float64 }{
		{1000, 0.05, 0.001, math.Sqrt(0.95 / 0.001)},
		{3456, 0.2, 0.0002, math.Sqrt(0.8 / 0.0002)},
		{0.5, 0.01, 0.00001, math.Sqrt(0.99 / 0.00001)},
		{100, -0.02, 0.002, math.Sqrt(1.02 / 0.002)},
	} {
		u, err := FitUSL(ladder, [][]float64{law(c.lambda, c.sigma, c.kappa, ladder)})
		if err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		for _, v := range []struct {
			what      string
			got, want float64
		}{
			{"λ", u.Lambda.Estimate, c.lambda},
			{"σ", u.Sigma.Estimate, c.sigma},
			{"κ", u.Kappa.Estimate, c.kappa},
			{"peak", u.Peak.Estimate, c.peak},
		} {
			if math.Abs(v.got-v.want) > 1e-6*math.Abs(v.want) {
				t.Errorf("%+v: %s = %g, want %g", c, v.what, v.got, v.want)
			}
		}
		if u.Misfit || math.Abs(u.Largest) > 1e-6 {
			t.Errorf("%+v: misfit %v, largest deviation %g", c, u.Misfit, u.Largest)
		}
	}
}

// Throughputs that only rise have no peak, and no number pretends otherwise.
func TestUSLWithoutPeak(t *testing.T) {
	u, err := FitUSL(ladder, noisy(rand.New(rand.NewPCG(1, 1)), law(1000, 0.1, 0, ladder), 8, 0.01, 0.005))
	if err != nil {
		t.Fatal(err)
	}
	if !math.IsInf(u.Peak.High, 1) {
		t.Errorf("peak %+v has an upper end", u.Peak)
	}
	if !containsText(u.Warnings, "throughput is not shown to fall") {
		t.Errorf("warnings %q", u.Warnings)
	}
}

// TestUSLCoverage: nominal 95 % intervals over 8 rounds hold the truth in 93 to 97 % of 1,000 simulated studies, also where a server start moves all
// thread counts together.
func TestUSLCoverage(t *testing.T) {
	const studies = 1000
	const lambda, sigma, kappa = 1000, 0.05, 0.001
	for _, noise := range []struct{ start, run float64 }{{0.01, 0.005}, {0.005, 0.02}, {0.05, 0.01}} {
		r := rand.New(rand.NewPCG(7, 7))
		covered := map[string]int{}
		truth := law(lambda, sigma, kappa, ladder)
		peak := math.Sqrt((1 - sigma) / kappa)
		rate := lambda * peak / (1 + sigma*(peak-1) + kappa*peak*(peak-1))
		misfits := 0
		for range studies {
			u, err := FitUSL(ladder, noisy(r, truth, 8, noise.start, noise.run))
			if err != nil {
				t.Fatal(err)
			}
			for name, v := range map[string]struct {
				Range
				truth float64
			}{"λ": {u.Lambda, lambda}, "σ": {u.Sigma, sigma}, "κ": {u.Kappa, kappa}, "peak": {u.Peak, peak}, "rate": {u.PeakRate, rate}} {
				if v.Low <= v.truth && v.truth <= v.High {
					covered[name]++
				}
			}
			if u.Misfit {
				misfits++
			}
		}
		for _, name := range []string{"λ", "σ", "κ", "peak", "rate"} {
			if share := 100 * float64(covered[name]) / studies; share < 92.9 || share > 97.1 { // 95 ± 3 standard errors
				t.Errorf("start %g, run %g: interval of %s holds the truth in %.1f %%", noise.start, noise.run, name, share)
			}
		}
		if share := 100 * float64(misfits) / studies; share > 7 {
			t.Errorf("start %g, run %g: %.1f %% of ladders that follow the law are called a misfit", noise.start, noise.run, share)
		}
	}
}

// A ladder that is flat from a number of threads on does not follow the law.
func TestUSLMisfit(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	flat := []float64{1000, 2000, 4000, 8000, 8000, 8000, 8000, 8000}
	u, err := FitUSL(ladder, noisy(r, flat, 8, 0.01, 0.005))
	if err != nil {
		t.Fatal(err)
	}
	if !u.Misfit || !containsText(u.Warnings, "the law does not describe this ladder") {
		t.Errorf("misfit %v, largest %+.3f at %d, warnings %q", u.Misfit, u.Largest, u.LargestAt, u.Warnings)
	}
	if u.SignRuns < 4 || len(u.Signs) != len(ladder) {
		t.Errorf("signs %s in %d stretches", u.Signs, u.SignRuns)
	}
}

// Few rounds are said to be few, whatever comes out of them; rounds with gaps are left out and counted.
func TestUSLFewRounds(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	rounds := noisy(r, law(1000, 0.05, 0.001, ladder), 3, 0.01, 0.005)
	rounds[1][3] = math.NaN()
	u, err := FitUSL(ladder, rounds)
	if err != nil {
		t.Fatal(err)
	}
	if u.N != 2 || u.Of != 3 || !containsText(u.Warnings, "n = 2 of 3") || !containsText(u.Warnings, "2 rounds: the intervals take the curve for right") {
		t.Errorf("n = %d of %d, warnings %q", u.N, u.Of, u.Warnings)
	}
	if !strings.Contains(u.Method, "residuals") {
		t.Errorf("method %q", u.Method)
	}
	short := []int{1, 4, 16, 64}
	u, err = FitUSL(short, noisy(r, law(1000, 0.05, 0.001, short), 5, 0.01, 0.005))
	if err != nil {
		t.Fatal(err)
	}
	if !containsText(u.Warnings, "4 thread counts leave one degree of freedom") {
		t.Errorf("warnings %q", u.Warnings)
	}
}

// The unit of throughput changes λ and nothing else.
func TestUSLUnit(t *testing.T) {
	rounds := noisy(rand.New(rand.NewPCG(9, 9)), law(1000, 0.05, 0.001, ladder), 6, 0.01, 0.01)
	scaled := make([][]float64, len(rounds))
	for i := range rounds {
		for _, v := range rounds[i] {
			scaled[i] = append(scaled[i], 1e-6*v)
		}
	}
	a, err := FitUSL(ladder, rounds)
	if err != nil {
		t.Fatal(err)
	}
	b, err := FitUSL(ladder, scaled)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range [][2]float64{
		{a.Lambda.Estimate, 1e6 * b.Lambda.Estimate},
		{a.Sigma.Low, b.Sigma.Low},
		{a.Kappa.High, b.Kappa.High},
		{a.Peak.High, b.Peak.High},
	} {
		if math.Abs(v[0]-v[1]) > 1e-6*math.Abs(v[0]) {
			t.Errorf("%g and %g", v[0], v[1])
		}
	}
}

func TestUSLRefuses(t *testing.T) {
	good := law(1000, 0.05, 0.001, ladder)
	for _, c := range []struct {
		threads []int
		rounds  [][]float64
		want    string
	}{
		{[]int{1, 2, 4}, [][]float64{{1, 2, 3}}, "3 thread counts cannot show how throughput scales"},
		{[]int{1, 2, 2, 4}, nil, "must be positive, distinct and rising"},
		{[]int{0, 1, 2, 4}, nil, "must be positive, distinct and rising"},
		{ladder, [][]float64{good[1:]}, "round 1 has 7 throughputs for 8 thread counts"},
		{ladder, [][]float64{slices.Repeat([]float64{0}, 8)}, "none of 1 rounds has a throughput at every thread count"},
		{ladder, nil, "none of 0 rounds"},
	} {
		if _, err := FitUSL(c.threads, c.rounds); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, %v: error %v, want one with %q", c.threads, c.rounds, err, c.want)
		}
	}
}

func containsText(texts []string, part string) bool {
	return slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(s, part) })
}
