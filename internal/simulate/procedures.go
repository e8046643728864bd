package simulate

import (
	"math"

	"gonum.org/v1/gonum/stat"

	"deltabench/internal/compare"
)

// The procedures under test are those of package compare; what is here asks them in the words of the experiments. Values are
// logarithms of ratios, in any unit where no margin is involved.

type interval struct{ mean, half, p float64 }

// paired is the interval of one comparison. Simulated noise is never without spread, which is all that could be refused.
func paired(l []float64, level float64) interval {
	t, err := compare.NewPaired(l, level)
	if err != nil {
		panic(err)
	}
	return interval{t.Mean, t.Half, t.P}
}

// signedRank is the check line; ok is false below 6 rounds.
func signedRank(l []float64) (est, low, high float64, ok bool) {
	c, ok := compare.NewCheck(l, compare.DefaultLevel)
	return c.Estimate, c.Low, c.High, ok
}

// verdictOf is the verdict on natural logarithms; margin is in percent.
func verdictOf(l []float64, padj, margin float64) compare.Verdict {
	t, err := compare.NewPaired(l, compare.DefaultLevel)
	if err != nil {
		panic(err)
	}
	return t.Verdict(padj, margin, compare.HigherIsBetter)
}

func judge(l []float64, margin float64) compare.Verdict {
	return verdictOf(l, paired(l, compare.DefaultLevel).p, margin)
}

func welch(a, b []float64) float64 {
	w, err := compare.NewWelch(a, b, compare.DefaultLevel)
	if err != nil {
		panic(err)
	}
	return w.P
}

func outlier(l []float64) bool { return compare.FindOutlier(l, compare.DefaultLevel) != nil }

// adjust gives the adjusted p of every row: those of scenario 1, then those of scenario 2, and so on, as many of each.
func adjust(rows [][]float64, scenarios int) []float64 {
	scenario := make([]int, len(rows))
	for i := range scenario {
		scenario[i] = i * (scenarios - 1) / len(rows)
	}
	return compare.Plan{Scenarios: scenarios}.Adjust(rows, scenario).Adjusted
}

func detectable(sd float64, rounds int) float64 {
	return compare.DetectableChange(sd, rounds, compare.CriticalT(compare.DefaultLevel, 1, rounds), 0)
}

func roundsFor(sd, half float64) int {
	return compare.RoundsForHalfWidth(sd, half, compare.DefaultLevel)
}

// forecast is that of scenario 1 for a half-width in logarithms; values[s][r] are logarithms, of the baseline first.
func forecast(values [][]float64, half float64) compare.Forecast {
	rows := make([][]float64, len(values)-1)
	for s := range rows {
		for i, v := range values[s+1] {
			rows[s] = append(rows[s], v-values[0][i])
		}
	}
	sd, df := stat.StdDev(rows[0], nil), float64(len(rows[0])-1)
	if len(rows) > 1 {
		sd, df, _ = compare.PooledSD(rows)
	}
	return compare.NewForecast(sd, df, 100*math.Expm1(half), compare.DefaultLevel)
}
