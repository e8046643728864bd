package compare

import (
	"cmp"
	"math"
	"slices"
)

// Method is how p values are adjusted for the number of comparisons.
type Method int

// Methods. Alone: one comparison, nothing to adjust.
const (
	Alone Method = iota
	HolmMethod
	MaxTMethod
)

// String is how reports name it.
func (m Method) String() string {
	return [...]string{"not adjusted: one comparison", "Holm", "step-down sign-flip maximum"}[m]
}

// Bounds of the choice of the method.
const (
	minMaxTRounds = 8
	minMaxTRows   = 4
	maxTShare     = 0.8 // of the level: the smallest adjusted p that sign flips can give must stay below it
)

// Family is what many comparisons are worth together.
type Family struct {
	Method   Method
	Raw      []float64 // two-sided p of Student's t; 1 where there is no interval
	Adjusted []float64
}

// Adjust computes the p values of a family without any texts: rows are the logarithms of every comparison that the study may call better or
// worse, with as many rounds each; scenario numbers the scenario of each row, from 0, the baseline left out. All that the plan says and the
// family uses: Scenarios, Rounds, Level, Seed.
//
// The method is known from the plan, never from the data: the step-down sign-flip maximum within a scenario times the number of scenarios, when
// there are 8 rounds, each scenario has 4 rows, and (S-1)/2^(n-1) is at most 0.8 of the level; else Holm. Holm too when a row lacks
// rounds that others have. In simulations a study had a false claim in 0.8 to 5.2 % of cases.
func (p Plan) Adjust(rows [][]float64, scenario []int) Family {
	if len(rows) > 0 {
		p = p.forRounds(len(rows[0]))
	}
	f := Family{Raw: make([]float64, len(rows))}
	for i, row := range rows {
		f.Raw[i] = 1
		if t, err := NewPaired(row, p.Level); err == nil {
			f.Raw[i] = t.P
		}
	}
	p.Scenarios = p.scenarios(scenario)
	f.Method = p.method(rows, scenario)
	switch f.Method {
	case MaxTMethod:
		f.Adjusted = p.maxTFamily(rows, scenario, f.Raw)
	default:
		f.Adjusted = Holm(f.Raw)
	}
	return f
}

// scenarios is their number with the baseline: what the plan says, or what the rows have.
func (p Plan) scenarios(scenario []int) int {
	n := p.Scenarios
	for _, s := range scenario {
		n = max(n, s+2)
	}
	return n
}

// method of a family of that many scenarios, see Adjust.
func (p Plan) method(rows [][]float64, scenario []int) Method {
	if len(rows) < 2 {
		return Alone
	}
	n := len(rows[0])
	if p.Rounds > 0 {
		n = min(n, p.Rounds)
	}
	if n < minMaxTRounds || float64(p.Scenarios-1)/math.Exp2(float64(n-1)) > maxTShare*p.Level+1e-12 {
		return HolmMethod
	}
	sizes := make([]int, p.Scenarios-1)
	for i, row := range rows {
		sizes[scenario[i]]++
		for _, l := range row {
			if math.IsNaN(l) || math.IsInf(l, 0) {
				return HolmMethod
			}
		}
	}
	for _, size := range sizes {
		if size > 0 && size < minMaxTRows {
			return HolmMethod
		}
	}
	return MaxTMethod
}

// maxTFamily adjusts by the step-down maximum of each scenario and their number.
func (p Plan) maxTFamily(rows [][]float64, scenario []int, raw []float64) []float64 {
	adjusted := make([]float64, len(rows))
	var members [][]float64
	var index []int
	for s := range p.Scenarios - 1 {
		members, index = members[:0], index[:0]
		for i, row := range rows {
			if scenario[i] == s {
				members, index = append(members, row), append(index, i)
			}
		}
		for j, q := range MaxT(members, p.Seed) {
			i := index[j]
			adjusted[i] = max(raw[i], min(1, float64(p.Scenarios-1)*q))
		}
	}
	return adjusted
}

// Holm adjusts p values for their number: step-down, in any dependence (S. Holm, Scandinavian Journal of
// Statistics 6, 1979).
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(p[a], p[b]), a-b) })
	adjusted := make([]float64, len(p))
	running := 0.0
	for i, j := range order {
		running = max(running, min(1, float64(len(p)-i)*p[j]))
		adjusted[j] = running
	}
	return adjusted
}
