package compare

import (
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/gonum/stat/distuv"
)

// ManyRounds is what forecasts say of targets that more rounds than that would not reach.
const ManyRounds = 10_000

// RoundsForHalfWidth is the smallest n >= 3 with t(1-level/2, n-1)·s/√n <= half; sd and half in logarithms, half > 0. At most ManyRounds.
func RoundsForHalfWidth(sd, half, level float64) int {
	return rounds(sd, half, func(n int) float64 {
		return tQuantile(1-level/2, float64(n-1)) / math.Sqrt(float64(n))
	}, distuv.UnitNormal.Quantile(1-level/2))
}

// RoundsForEquivalence is the smallest n >= 3 with (t(1-level/2, n-1) + t(0.9, n-1))·s/√n <= mu: then two systems without a difference are found
// equivalent with 80 % chance. sd and mu, the margin, in logarithms, mu > 0. At most ManyRounds.
func RoundsForEquivalence(sd, mu, level float64) int {
	return rounds(sd, mu, func(n int) float64 { return equivalenceFactor(n, level) },
		distuv.UnitNormal.Quantile(1-level/2)+distuv.UnitNormal.Quantile(0.9))
}

// RoundsToShow is the smallest n >= 3 with (t(1-level/2, n-1) + t(0.8, n-1))·s/√n <= change: then a change of that size is told from chance in four
// of five studies (the smallest detectable change of section 6 of the specification, solved for n). sd and change in logarithms, change > 0. At most
// ManyRounds.
func RoundsToShow(sd, change, level float64) int {
	return rounds(sd, change, func(n int) float64 {
		df := float64(n - 1)
		return (tQuantile(1-level/2, df) + tQuantile(0.8, df)) / math.Sqrt(float64(n))
	}, distuv.UnitNormal.Quantile(1-level/2)+distuv.UnitNormal.Quantile(0.8))
}

// roundsText is a number of rounds in words.
func roundsText(n int) string {
	if n >= ManyRounds {
		return "10,000 or more"
	}
	if n >= 1000 {
		return fmt.Sprintf("%d,%03d", n/1000, n%1000)
	}
	return strconv.Itoa(n)
}

// rounds searches the smallest n >= 3 with factor(n)·sd <= width. factor falls with n and is always larger than z/√n.
func rounds(sd, width float64, factor func(n int) float64, z float64) int {
	if !(width > 0) || math.IsInf(sd, 1) {
		return ManyRounds
	}
	least := z * sd / width
	if least*least >= ManyRounds {
		return ManyRounds
	}
	n := max(3, int(least*least))
	for n < ManyRounds && factor(n)*sd > width {
		n++
	}
	return n
}

// Forecast says how many rounds, in all, a half-width takes. The noise is known from few rounds, so it is a range: 80 % of
// the noises that this data speaks for lie between Low and High.
type Forecast struct {
	Target           float64 // half-width, percent
	About, Low, High int     // rounds in all; ManyRounds: that many or more
	SD               float64 // of L, in logarithms, that it is from
	DF               float64 // of that
}

// NewForecast makes one from the standard deviation of L, in logarithms, with its degrees of freedom >= 1: low and high are the
// rounds for sd·√(df/χ²(0.9, df)) and sd·√(df/χ²(0.1, df)). target is in percent.
func NewForecast(sd, df, target, level float64) Forecast {
	f := Forecast{Target: target, SD: sd, DF: df}
	f.About, f.Low, f.High = f.rangeOf(func(sd float64) int { return RoundsForHalfWidth(sd, logarithm(target), level) })
	return f
}

// rangeOf is a number of rounds for the noise that was found, for the least that this data speaks for, and for the most.
func (f Forecast) rangeOf(rounds func(sd float64) int) (about, low, high int) {
	chi := distuv.ChiSquared{K: f.DF}
	return rounds(f.SD), rounds(f.SD * math.Sqrt(f.DF/chi.Quantile(0.9))), rounds(f.SD * math.Sqrt(f.DF/chi.Quantile(0.1)))
}

// PooledSD is the standard deviation of L that all scenarios of a cell have in common, √(2·MSE) of the two-way layout scenario + round,
// with its (S-1)(n-1) degrees of freedom. rows are L of each scenario but the baseline, by round; rounds in which one lacks are left out. It is used in
// forecasts alone: for claims it is too short where one scenario is noisier than the others. ok is false with fewer than two whole rounds or without noise.
func PooledSD(rows [][]float64) (sd, df float64, ok bool) {
	if len(rows) == 0 {
		return 0, 0, false
	}
	// The baseline is a row of zeros: what a round has in common is taken out anyhow.
	scenarios := float64(len(rows) + 1)
	var n float64
	means := make([]float64, len(rows)) // of scenarios
	whole := make([]bool, len(rows[0]))
	for r := range whole {
		whole[r] = true
		for _, row := range rows {
			whole[r] = whole[r] && !math.IsNaN(row[r]) && !math.IsInf(row[r], 0)
		}
		if !whole[r] {
			continue
		}
		n++
		for s, row := range rows {
			means[s] += row[r]
		}
	}
	if n < 2 {
		return 0, 0, false
	}
	var grand float64
	for s := range means {
		means[s] /= n
		grand += means[s] / scenarios
	}
	var squares float64
	for r, used := range whole {
		if !used {
			continue
		}
		var round float64
		for _, row := range rows {
			round += row[r] / scenarios
		}
		e := -round + grand // of the baseline
		squares += e * e
		for s, row := range rows {
			e := row[r] - means[s] - round + grand
			squares += e * e
		}
	}
	df = (scenarios - 1) * (n - 1)
	sd = math.Sqrt(2 * squares / df)
	return sd, df, sd >= noSpread
}
