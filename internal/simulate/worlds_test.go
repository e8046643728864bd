package simulate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
)

func source(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s: %.4f, want %.4f ± %.4f", what, got, want, tolerance)
	}
}

// lag1 is the autocorrelation of neighbours.
func lag1(x []float64) float64 {
	return stat.Correlation(x[1:], x[:len(x)-1], nil)
}

// Noise of every world has the sd that its parts add up to, between runs of different starts and between runs of the
// same start. Expectations are computed from the text of the specification, not from the fields of World.
func TestLuck(t *testing.T) {
	t.Parallel()
	normal := func(su, se float64) [2]float64 { return [2]float64{su * su, se * se} }
	// Variances of a start's and a run's luck. A share p that loses a constant a adds p(1-p)a²; one that loses
	// 3+Exp(5) adds p·E(loss²) - (p·8)², with E(loss²) = 25 + 64.
	loses := func(p float64) float64 { return p*89 - p*p*64 }
	for name, want := range map[string][2]float64{
		"quiet": normal(0.5, 0.3), "typical": normal(1, 0.5), "restart5": normal(5, 1), "runnoise": normal(0.5, 2),
		"trend10": normal(1, 0.5), "step5": normal(1, 0.5), "ar": normal(1, 0.5), "heavy": normal(1, 0.5),
		"unequal": normal(1, 0.5),
		"runout2": {1, 0.25 + loses(0.02)}, "runout5": {1, 0.25 + loses(0.05)},
		"startout": {1 + 0.03*0.97*100, 0.25}, "bimodal": {0.25 + 0.2*0.8*16, 0.25},
	} {
		i := slices.IndexFunc(Worlds(), func(w World) bool { return w.Name == name })
		if i < 0 {
			t.Errorf("there is no world %s", name)
			continue
		}
		w := Worlds()[i]
		r := source(3)
		const draws = 200_000
		starts, runs := make([]float64, draws), make([]float64, draws)
		for i := range draws {
			starts[i], runs[i] = w.start(r), w.run(r)
		}
		tolerance := 0.03
		if name == "heavy" {
			tolerance = 0.15 // a t with 3 degrees of freedom has no fourth moment
		}
		near(t, name+": variance of starts", stat.Variance(starts, nil)/want[0], 1, tolerance)
		near(t, name+": variance of runs", stat.Variance(runs, nil)/want[1], 1, tolerance)
	}
	if n := len(Worlds()); n != 13 {
		t.Errorf("%d worlds, want 13", n)
	}
}

// Heavy tails are those of t(3): 0.05 of the draws are beyond 3.182 times 1/√3 of the sd, where a normal
// variable of that sd has 0.0662.
func TestHeavyTails(t *testing.T) {
	t.Parallel()
	r := source(4)
	for limit, want := range map[float64]float64{3.1824 / math.Sqrt(3): 5, 5.8409 / math.Sqrt(3): 1} {
		var beyond []bool
		for range 100_000 {
			beyond = append(beyond, math.Abs(Heavy.start(r)) > limit)
		}
		near(t, "beyond a quantile, %", share(beyond), want, 0.25)
	}
}

// The share and depth of losses.
func TestLosses(t *testing.T) {
	t.Parallel()
	r := source(5)
	for _, c := range []struct {
		name  string
		draw  func(*rand.Rand) float64
		below float64
		want  float64 // %
	}{
		// Without other noise: all that is left is the loss.
		{"runout2", (&World{RunLosses: RunOut2.RunLosses}).run, -2.999, 2},
		{"runout5", (&World{RunLosses: RunOut5.RunLosses}).run, -2.999, 5},
		{"runout5 beyond 8", (&World{RunLosses: RunOut5.RunLosses}).run, -8, 5 * math.Exp(-1)},
		{"startout", (&World{StartLosses: StartOut.StartLosses, StartLoss: StartOut.StartLoss}).start, -9.999, 3},
		{"bimodal", (&World{StartLosses: Bimodal.StartLosses, StartLoss: Bimodal.StartLoss}).start, -3.999, 20},
	} {
		var lost []bool
		for range 100_000 {
			lost = append(lost, c.draw(r) < c.below)
		}
		near(t, c.name+", %", share(lost), c.want, 0.4)
	}
}

func TestDrift(t *testing.T) {
	t.Parallel()
	r := source(6)
	const runs, studies = 60, 20_000
	d := make([]float64, runs)
	last, lags, steps := make([]float64, studies), make([]float64, studies), make([]int, runs)
	for i := range studies {
		Typical.drift(r, d)
		last[i] = d[runs-1]
		lags[i] = d[runs/2] - d[runs/2-1]
		Step5.drift(r, d)
		place := slices.Index(d, 5)
		if place < 0 || d[runs-1] != 5 || place > 0 && d[place-1] != 0 {
			t.Fatalf("step at %d: %v", place, d)
		}
		steps[place]++
	}
	near(t, "sd at the end of a walk", stat.StdDev(last, nil), 2, 0.05)
	near(t, "mean at the end of a walk", stat.Mean(last, nil), 0, 0.06)
	near(t, "sd of a step of a walk", stat.StdDev(lags, nil), 2/math.Sqrt(runs), 0.01)
	for place, n := range steps {
		near(t, "steps at a place", float64(n), studies/runs, 6*math.Sqrt(studies/runs))
		if t.Failed() {
			t.Fatalf("place %d", place)
		}
	}

	Trend10.drift(r, d)
	for i, v := range d {
		near(t, "trend", v, 10*float64(i)/runs, 1e-12)
	}

	long := make([]float64, 400_000)
	AR.drift(r, long)
	near(t, "sd of the correlated drift", stat.StdDev(long, nil), 1.5, 0.05)
	near(t, "autocorrelation of the correlated drift", lag1(long), 0.95, 0.005)
	firsts := make([]float64, studies)
	for i := range firsts {
		AR.drift(r, d[:3])
		firsts[i] = d[0]
	}
	near(t, "sd of the first run's drift", stat.StdDev(firsts, nil), 1.5, 0.05) // stationary from the start

	Quiet.drift(r, d)
	if slices.Max(d) != 0 || slices.Min(d) != 0 {
		t.Errorf("drift of a world without: %v", d)
	}
}

// Ratios of a study vary as the parts of the noise say, and cells of one start share its luck.
func TestStudies(t *testing.T) {
	t.Parallel()
	r := source(7)
	d := Design{Scenarios: 3, Cells: 4, Workloads: 2, Rounds: 5, Effect: func(s, c int) float64 { return float64(s * (10 + c)) }}
	for _, c := range []struct {
		world    World
		variance [3]float64 // of L of scenarios 1 and 2; covariance of two cells of scenario 1
	}{
		{Quiet, [3]float64{2 * 0.34, 2 * 0.34, 2 * 0.25}},
		{Unequal, [3]float64{10 * 1.25, 10 * 1.25, 10 * 1}},
		{OneNoisy, [3]float64{10 * 1.25, 2 * 1.25, 10 * 1}},
	} {
		g := NewGenerator(c.world, d)
		const studies = 8_000
		var one, other, two []float64
		for range studies {
			g.Next(r)
			for round := range d.Rounds {
				one = append(one, 100*(g.At(1, round, 0)-g.At(0, round, 0)))
				other = append(other, 100*(g.At(1, round, 3)-g.At(0, round, 3)))
				two = append(two, 100*(g.At(2, round, 1)-g.At(0, round, 1)))
			}
		}
		near(t, c.world.Name+": L of scenario 1", stat.Variance(one, nil)/c.variance[0], 1, 0.04)
		near(t, c.world.Name+": L of scenario 2", stat.Variance(two, nil)/c.variance[1], 1, 0.04)
		near(t, c.world.Name+": cells of a start", stat.Covariance(one, other, nil)/c.variance[2], 1, 0.05)
		near(t, c.world.Name+": effect", stat.Mean(one, nil), 10, 0.15)
		near(t, c.world.Name+": effect", stat.Mean(other, nil), 13, 0.15)
		near(t, c.world.Name+": effect", stat.Mean(two, nil), 22, 0.15)
	}
}

// bare is a world of drift alone, in which the order of runs shows.
var bare = World{Name: "bare", Drift: Trend, Size: 1}

// In rounds every scenario comes at every place equally often and never leaves its round; in blocks time goes on
// from scenario to scenario.
func TestOrders(t *testing.T) {
	t.Parallel()
	r := source(8)
	d := Design{Scenarios: 3, Cells: 2, Workloads: 1, Rounds: 4}
	runs := float64(d.Scenarios * d.Cells * d.Rounds)
	at := func(g *Generator, s, round, c int) int { return int(math.Round(100 * g.At(s, round, c) * runs)) }
	places := [3][3]int{}
	g := NewGenerator(bare, d)
	for range 3_000 {
		g.Next(r)
		for round := range d.Rounds {
			for s := range d.Scenarios {
				first := at(g, s, round, 0)
				if first/6 != round || first%2 != 0 || at(g, s, round, 1) != first+1 {
					t.Fatalf("scenario %d, round %d: run %d", s, round, first)
				}
				places[s][first%6/2]++
			}
		}
	}
	for s := range places {
		for place, n := range places[s] {
			if n < 3_800 || n > 4_200 {
				t.Errorf("scenario %d is at place %d in %d of 12000 rounds", s, place, n)
			}
		}
	}
	for _, order := range []Order{Blocks, BlocksOneStart} {
		d.Order = order
		g := NewGenerator(bare, d)
		g.Next(r)
		for s := range d.Scenarios {
			for round := range d.Rounds {
				if got, want := at(g, s, round, 1), (s*4+round)*2+1; got != want {
					t.Errorf("scenario %d, round %d of blocks: run %d, want %d", s, round, got, want)
				}
			}
		}
	}
}

// With one start for all, the runs of a scenario share its luck; otherwise rounds differ.
func TestStarts(t *testing.T) {
	t.Parallel()
	lucky := World{Name: "lucky", Start: 1}
	for order, shared := range map[Order]bool{Rounds: false, Blocks: false, BlocksOneStart: true} {
		d := Design{Scenarios: 2, Cells: 3, Workloads: 1, Rounds: 4, Order: order}
		g := NewGenerator(lucky, d)
		g.Next(source(9))
		for s := range 2 {
			for round := range d.Rounds {
				for c := range d.Cells {
					if g.At(s, round, c) != g.At(s, round, 0) {
						t.Errorf("order %d: cells of one start differ", order)
					}
				}
			}
			if (g.At(s, 0, 0) == g.At(s, 1, 0)) != shared {
				t.Errorf("order %d: rounds share the start: %v, want %v", order, !shared, shared)
			}
		}
		if g.At(0, 0, 0) == g.At(1, 0, 0) {
			t.Errorf("order %d: scenarios share a start", order)
		}
	}
}

func TestComparisons(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ cells, workloads, rows int }{{1, 1, 1}, {3, 3, 3}, {9, 3, 12}, {33, 3, 36}, {4, 3, 5}} {
		d := Design{Scenarios: 2, Cells: c.cells, Workloads: c.workloads, Rounds: 3}
		if got := d.Rows(); got != c.rows {
			t.Errorf("%+v: %d rows", c, got)
		}
	}
	// Cells 0 and 1 are workload 0, cell 2 is 1, cell 3 is 2.
	d := Design{Scenarios: 2, Cells: 4, Workloads: 3, Rounds: 2}
	g := NewGenerator(Typical, d)
	g.Next(source(10))
	rows := newRows(&d)
	g.Comparisons(rows, 1)
	for round := range d.Rounds {
		for c := range d.Cells {
			near(t, "a cell", rows[c][round], g.At(1, round, c)-g.At(0, round, c), 0)
		}
		near(t, "the mean of a workload", rows[4][round], (rows[0][round]+rows[1][round])/2, 1e-15)
	}
}

func TestSeries(t *testing.T) {
	t.Parallel()
	r := source(11)
	x := make([]float64, 200_000)
	(&Series{Phi: 0.8, SD: 2}).draw(r, x)
	near(t, "mean", stat.Mean(x, nil), 100, 0.1)
	near(t, "sd", stat.StdDev(x, nil), 2, 0.05)
	near(t, "autocorrelation", lag1(x), 0.8, 0.01)

	x = make([]float64, 60)
	(&Series{DipsAt: 30}).draw(r, x)
	dips := 0
	for _, v := range x {
		if v == 75 {
			dips++
		} else if v != 100 {
			t.Errorf("value %g", v)
		}
	}
	if dips != 4 {
		t.Errorf("%d seconds of dips in 60 s, want 4: %v", dips, x)
	}
	(&Series{Warm: 50, Tau: 3}).draw(r, x)
	near(t, "first second of warming up", x[0], 50, 1e-9)
	near(t, "fourth second of warming up", x[3], 100-50*math.Exp(-1), 1e-9)
	(&Series{Ramp: 3}).draw(r, x)
	near(t, "rise over all seconds", (x[59]-x[0])*60/59, 3, 1e-9)
	near(t, "mean of a ramp", stat.Mean(x, nil), 100, 1e-9)
}

func TestPast(t *testing.T) {
	t.Parallel()
	r := source(12)
	v := make([]float64, 30)
	var steps, highest []float64
	for range 4_000 {
		(&Past{Points: 30, Step: true, Spike: true}).draw(r, v)
		if at := slices.Index(v, slices.Max(v)); at >= 25 && v[at] > 0.07 {
			t.Fatalf("a spike at %d, after the step: %v", at, v)
		}
		steps = append(steps, stat.Mean(v[25:], nil))
		highest = append(highest, slices.Max(v))
	}
	near(t, "level after the step, log-%", 100*stat.Mean(steps, nil), 3, 0.05)
	near(t, "height of spikes, log-%", 100*stat.Mean(highest, nil), 8, 0.1)
}

// The 99 % quantile is drawn without its requests; drawing all of them gives the same mean and spread.
func TestTails(t *testing.T) {
	t.Parallel()
	r := source(13)
	for _, n := range []int{300, 1_000} {
		tail := Tail{Requests: n}
		const runs = 6_000
		quick, slow := make([]float64, runs), make([]float64, runs)
		x := make([]float64, n)
		for i := range runs {
			quick[i] = math.Log(tail.p99(r))
			q := 0.005 * math.Exp(0.3*r.NormFloat64())
			common := 0.01 * r.NormFloat64()
			for j := range x {
				if x[j] = 0.35 * r.NormFloat64(); r.Float64() < q {
					x[j] = math.Log(8) + 0.5*r.NormFloat64()
				}
			}
			slices.Sort(x)
			slow[i] = common + x[int(math.Ceil(0.99*float64(n)))-1]
		}
		near(t, fmt.Sprintf("%d requests: sd", n), stat.StdDev(quick, nil)/stat.StdDev(slow, nil), 1, 0.05)
		near(t, fmt.Sprintf("%d requests: mean", n), stat.Mean(quick, nil), stat.Mean(slow, nil), 0.02)
	}
}

// Studies do not depend on which core makes them.
func TestEach(t *testing.T) {
	t.Parallel()
	begin := func() func(r *rand.Rand) float64 {
		g := NewGenerator(Typical, Design{Scenarios: 2, Cells: 1, Workloads: 1, Rounds: 2})
		return func(r *rand.Rand) float64 {
			g.Next(r)
			return g.At(1, 1, 0)
		}
	}
	first, again, other := each("a", 500, begin), each("a", 500, begin), each("b", 500, begin)
	if !slices.Equal(first, again) {
		t.Error("the same experiment gives other results")
	}
	if slices.Equal(first, other) {
		t.Error("another experiment gives the same results")
	}
	sorted := slices.Clone(first)
	slices.Sort(sorted)
	if len(slices.Compact(sorted)) != 500 {
		t.Error("two studies are the same")
	}
}
