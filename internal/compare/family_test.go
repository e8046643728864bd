package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// rowsE3 are the five rows of E3, eight rounds of logarithms.
func rowsE3() [][]float64 {
	rows := [][]float64{
		{-2.9, -3.4, -2.4, -3.7, -2.9, -2.2, -3.0, -3.9},
		{-1.1, -0.6, 0.3, -1.9, -0.4, 0.2, -1.5, -0.8},
		{0.4, -0.9, 0.6, 1.1, -0.3, 0.8, -0.2, 0.5},
		{-1.6, -2.2, 0.1, -2.8, -1.2, -0.9, -1.9, -2.4},
		{0.2, 0.1, -0.4, 0.3, -0.1, 0.5, -0.6, 0.2},
	}
	for _, row := range rows {
		for i := range row {
			row[i] /= 100
		}
	}
	return rows
}

func TestHolmWorkedExample(t *testing.T) {
	t.Parallel()
	got := Holm([]float64{0.010, 0.040, 0.030, 0.005, 0.500})
	for i, want := range []float64{0.040, 0.090, 0.090, 0.025, 0.500} {
		if !near(got[i], want, 1e-12) {
			t.Errorf("adjusted p %d is %g, want %g", i, got[i], want)
		}
	}
}

func TestMaxTWorkedExample(t *testing.T) {
	t.Parallel()
	rows := rowsE3()
	q := MaxT(rows, 0)
	for i, count := range []float64{1, 17, 65, 3, 118} {
		if got := q[i] * 128; got != count {
			t.Errorf("row %c: q is %g of 128, want %g", 'A'+i, got, count)
		}
	}
	var raw []float64
	for i, want := range []struct{ t, p float64 }{{14.5521, 2e-6}, {2.6616, 0.0324}, {1.0695, 0.3203}, {4.8983, 0.0018}, {0.1914, 0.8536}} {
		p, err := NewPaired(rows[i], 0.05)
		if err != nil {
			t.Fatal(err)
		}
		tolerance := 5e-5
		if i == 0 {
			tolerance = 5e-7
		}
		if got := math.Abs(p.Mean) / p.StandardError(); !near(got, want.t, 5e-5) || !near(p.P, want.p, tolerance) {
			t.Errorf("row %c: t = %.4f, p = %.6f; want %.4f, %.6f", 'A'+i, got, p.P, want.t, want.p)
		}
		raw = append(raw, p.P)
	}
	holm := Holm(raw)
	for i, want := range []float64{0, 0.0972, 0.6407, 0.0070, 0.8536} {
		if !near(holm[i], want, 5e-5) {
			t.Errorf("row %c: Holm's p is %.4f, want %.4f", 'A'+i, holm[i], want)
		}
	}
	for scenarios, want := range map[int]float64{2: 3.6342, 4: 3.9998} {
		if got := maxTCritical(rows, 0, 0.05/float64(scenarios-1)); !near(got, want, 5e-5) {
			t.Errorf("%d scenarios: t* = %.4f, want %.4f", scenarios, got, want)
		}
	}
}

// The family of E3 as one of two and as one of four scenarios, three of which have no rows here.
func TestFamilyWorkedExample(t *testing.T) {
	t.Parallel()
	rows, scenario := rowsE3(), make([]int, 5)
	two := Plan{Scenarios: 2}.Adjust(rows, scenario)
	four := Plan{Scenarios: 4}.Adjust(rows, scenario)
	if two.Method != MaxTMethod || four.Method != MaxTMethod {
		t.Errorf("methods %v, %v, want the step-down maximum", two.Method, four.Method)
	}
	for i, want := range [][2]float64{{0.0078, 0.0234}, {0.1328, 0.3984}, {0.5078, 1}, {0.0234, 0.0703}, {0.9219, 1}} {
		if !near(two.Adjusted[i], want[0], 5e-5) || !near(four.Adjusted[i], want[1], 5e-5) {
			t.Errorf("row %c: adjusted p %.4f, %.4f; want %.4f, %.4f", 'A'+i, two.Adjusted[i], four.Adjusted[i], want[0], want[1])
		}
	}
}

// noise makes rows of a study: scenarios besides the baseline, rows of each.
func noise(seed uint64, scenarios, size, rounds int) (rows [][]float64, scenario []int) {
	r := rand.New(rand.NewPCG(seed, 0))
	for s := range scenarios {
		start := make([]float64, rounds)
		for i := range start {
			start[i] = 0.01 * r.NormFloat64()
		}
		for range size {
			row := slices.Clone(start)
			for i := range row {
				row[i] += 0.005*r.NormFloat64() + 0.004
			}
			rows, scenario = append(rows, row), append(scenario, s)
		}
	}
	return rows, scenario
}

func TestMethodComesFromThePlan(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		scenarios, rows, rounds int // scenarios with the baseline
		plan                    Plan
		want                    Method
	}{
		{2, 1, 8, Plan{}, Alone},
		{2, 4, 8, Plan{}, MaxTMethod},
		{2, 3, 8, Plan{}, HolmMethod},
		{2, 4, 7, Plan{}, HolmMethod},
		{6, 4, 8, Plan{}, MaxTMethod}, // 5/128 = 0.039
		{7, 4, 8, Plan{}, HolmMethod}, // 6/128 = 0.047
		{7, 4, 9, Plan{}, MaxTMethod},
		{2, 4, 8, Plan{Rounds: 7}, HolmMethod}, // extended
		{2, 4, 8, Plan{Scenarios: 7}, HolmMethod},
		{2, 4, 8, Plan{Level: 0.03}, MaxTMethod},
		{4, 4, 8, Plan{Level: 0.03}, MaxTMethod}, // 3/128 = 0.0234 <= 0.024
		{5, 4, 8, Plan{Level: 0.03}, HolmMethod}, // 4/128 = 0.031
		{2, 4, 8, Plan{Level: 0.01}, MaxTMethod}, // 1/128 = 0.0078 <= 0.008
		{3, 4, 8, Plan{Level: 0.01}, HolmMethod},
	} {
		rows, scenario := noise(1, c.scenarios-1, c.rows, c.rounds)
		if got := c.plan.Adjust(rows, scenario).Method; got != c.want {
			t.Errorf("%+v: %v, want %v", c, got, c.want)
		}
	}
	if f := (Plan{}).Adjust(nil, nil); len(f.Adjusted) != 0 {
		t.Errorf("%v of no rows", f)
	}
	var words []string
	for m := Alone; m <= MaxTMethod; m++ {
		words = append(words, m.String())
	}
	if got := strings.Join(words, ", "); got != "not adjusted: one comparison, Holm, step-down sign-flip maximum" {
		t.Errorf("methods %q", got)
	}
	rows, scenario := noise(1, 2, 4, 9)
	rows[5][3] = math.NaN()
	f := Plan{}.Adjust(rows, scenario)
	if f.Method != HolmMethod || !slices.Equal(f.Adjusted, Holm(f.Raw)) {
		t.Errorf("a row lacks a round: %v, want Holm for all", f.Method)
	}
}

// Adjusted p are never below the raw ones, whatever the resolution of the patterns.
func TestAdjustedIsNeverBelowRaw(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		rows, scenario := noise(seed, 3, 4, 9)
		f := Plan{}.Adjust(rows, scenario)
		for i := range rows {
			if f.Adjusted[i] < f.Raw[i] || f.Adjusted[i] > 1 {
				t.Errorf("seed %d, row %d: adjusted %g, raw %g", seed, i, f.Adjusted[i], f.Raw[i])
			}
		}
	}
}

// slowMaxT is the specification's text, pattern by pattern.
func slowMaxT(rows [][]float64, minus [][]bool) []float64 {
	var z [][]float64
	var o []float64
	var order []int
	for j, row := range rows {
		var squares, sum float64
		for _, l := range row {
			squares += l * l
			sum += l
		}
		norm := make([]float64, len(row))
		for r := range row {
			norm[r] = row[r] / math.Sqrt(squares)
		}
		z, o, order = append(z, norm), append(o, math.Abs(sum)/math.Sqrt(squares)), append(order, j)
	}
	slices.SortFunc(order, func(a, b int) int {
		if o[a] > o[b] {
			return -1
		}
		return 1
	})
	count := make([]float64, len(rows))
	for _, e := range minus {
		run := 0.0
		for k := len(order) - 1; k >= 0; k-- {
			j := order[k]
			var v float64
			for r, x := range z[j] {
				if e[r] {
					x = -x
				}
				v += x
			}
			run = max(run, math.Abs(v))
			if run >= o[j]*(1-1e-9) {
				count[j]++
			}
		}
	}
	q, last := make([]float64, len(rows)), 0.0
	for _, j := range order {
		last = max(last, count[j]/float64(len(minus)))
		q[j] = last
	}
	return q
}

func TestMaxTAgainstTheText(t *testing.T) {
	t.Parallel()
	for _, rounds := range []int{3, 8, 10, 12} {
		var minus [][]bool
		for e := range 1 << (rounds - 1) {
			m := make([]bool, rounds)
			for r := range m {
				m[r] = e>>r&1 == 1
			}
			minus = append(minus, m)
		}
		for seed := range uint64(5) {
			rows, _ := noise(seed, 1, 7, rounds)
			if got, want := MaxT(rows, 0), slowMaxT(rows, minus); !slices.Equal(got, want) {
				t.Errorf("%d rounds, seed %d: %v, want %v", rounds, seed, got, want)
			}
		}
	}
}

// Above twelve rounds patterns are random, the same ones for the same seed, and the result is near the one of all patterns.
func TestMaxTWithRandomPatterns(t *testing.T) {
	t.Parallel()
	for _, rounds := range []int{13, 14} {
		var minus [][]bool
		for e := range 1 << (rounds - 1) {
			m := make([]bool, rounds)
			for r := range m {
				m[r] = e>>r&1 == 1
			}
			minus = append(minus, m)
		}
		rows, _ := noise(7, 1, 6, rounds)
		exact, got := slowMaxT(rows, minus), MaxT(rows, 42)
		if !slices.Equal(got, MaxT(rows, 42)) {
			t.Error("the same seed gives other p values")
		}
		if slices.Equal(got, MaxT(rows, 43)) {
			t.Error("another seed gives the same p values")
		}
		for i, q := range got {
			if tolerance := 4.5 * math.Sqrt(exact[i]*(1-exact[i])/2048); math.Abs(q-exact[i]) > tolerance+1.0/2048 {
				t.Errorf("%d rounds, row %d: q = %g, all patterns give %g", rounds, i, q, exact[i])
			}
			if steps := q * 2048; steps != math.Trunc(steps) || steps < 1 {
				t.Errorf("q = %g is no multiple of 1/2048 from 1 on: the identity counts", q)
			}
		}
	}
	rows, _ := noise(7, 1, 4, 130)
	for i, q := range MaxT(rows, 1) { // more rounds than a word has bits
		p, _ := NewPaired(rows[i], 0.05)
		if p.P < 1e-6 && q > 2.0/2048 || p.P > 0.2 && q < 0.1 {
			t.Errorf("130 rounds, row %d: q = %g, raw p = %g", i, q, p.P)
		}
	}
}

func TestRowsWithoutSpreadTakeNoPart(t *testing.T) {
	t.Parallel()
	rows := rowsE3()
	want := MaxT(rows, 0)
	fixed := slices.Repeat([]float64{0.5}, 8)
	got := MaxT(append(rows, fixed), 0)
	if !slices.Equal(got[:5], want) || got[5] != 1 {
		t.Errorf("q = %v, want %v and 1", got, want)
	}
	if got := MaxT([][]float64{fixed}, 0); got[0] != 1 {
		t.Errorf("q = %v of a row that does not vary, want 1", got)
	}
	if got := MaxT(nil, 0); len(got) != 0 {
		t.Errorf("q = %v of nothing", got)
	}
	if got := maxTCritical([][]float64{fixed}, 0, 0.05); !math.IsNaN(got) {
		t.Errorf("t* = %g of rows that do not vary, want none", got)
	}
	// One pattern of the centred row is the row itself: with so few larger ones, nothing is beyond chance.
	if got := maxTCritical([][]float64{{1, -1, 1, -1}}, 0, 0.05); !math.IsInf(got, 1) {
		t.Errorf("t* = %g of two values in turns, want none that is finite", got)
	}
}

// Order of rows, sides and scale change nothing but signs.
func TestFamilySymmetries(t *testing.T) {
	t.Parallel()
	for _, rounds := range []int{6, 9, 15} { // Holm, all patterns, random ones
		for seed := range uint64(10) {
			rows, scenario := noise(seed, 3, 5, rounds)
			want := Plan{Seed: 5}.Adjust(rows, scenario).Adjusted
			order := rand.New(rand.NewPCG(seed, 1)).Perm(len(rows))
			var mixed [][]float64
			var of []int
			for _, i := range order {
				row := slices.Clone(rows[i])
				for r := range row {
					row[r] *= -3
				}
				mixed, of = append(mixed, row), append(of, scenario[i])
			}
			got := Plan{Seed: 5}.Adjust(mixed, of).Adjusted
			for k, i := range order {
				if !near(got[k], want[i], 1e-9) {
					t.Errorf("%d rounds, seed %d, row %d: adjusted p %g after mixing, %g before", rounds, seed, i, got[k], want[i])
				}
			}
		}
	}
}

func BenchmarkFamily(b *testing.B) {
	for _, rounds := range []int{8, 12, 20} {
		b.Run(fmt.Sprintf("scenarios=6/cells=33/rounds=%d", rounds), func(b *testing.B) {
			rows, scenario := noise(1, 5, 36, rounds)
			b.ReportAllocs()
			for b.Loop() {
				Plan{}.Adjust(rows, scenario)
			}
		})
	}
}

func BenchmarkQuantile(b *testing.B) {
	b.Run("searched", func(b *testing.B) {
		for b.Loop() {
			studentQuantile(0.975, 11)
		}
	})
	b.Run("remembered", func(b *testing.B) {
		for b.Loop() {
			tQuantile(0.975, 11)
		}
	})
	b.Run("tail", func(b *testing.B) {
		for b.Loop() {
			studentTail(2.1, 11)
		}
	})
}
