package simulate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// quantile of values, which it sorts.
func quantile(values []float64, p float64) float64 {
	slices.Sort(values)
	return stat.Quantile(p, stat.LinInterp, values, nil)
}

// Stopped is what studies are worth that stop when they are precise enough.
type Stopped struct {
	Coverage float64 // of the interval at the stop, %
	Rounds   float64 // mean
}

// StopRule says when a study looks and with which intervals: from round From to round Most, at level 1 - Level.
type StopRule struct {
	From, Most int
	Level      float64
}

// Noise of one comparison: normal, or that of a world with two scenarios and three cells, whose sd in clean worlds with
// restarts of 1 % and runs of 0.5 % is 1.58 log-%.
const cleanSD = 1.58

// Stop makes single comparisons that stop when the half-width of the interval is at most target log-%. The noise is that
// of the world, scaled to sd log-%; with a world of no name it is normal. The truth is 0.
func Stop(w World, rule StopRule, sd, target float64, studies int) Stopped {
	type result struct {
		covers bool
		rounds int
	}
	name := fmt.Sprintf("stop %s %v %g %g", w.Name, rule, sd, target)
	results := each(name, studies, func() func(r *rand.Rand) result {
		logs := make([]float64, rule.Most)
		g := NewGenerator(w, Design{Scenarios: 2, Cells: 3, Workloads: 3, Rounds: rule.Most})
		return func(r *rand.Rand) result {
			if w.Name == "" {
				normal(r, logs, 0, sd/100)
			} else {
				g.Next(r)
				logs = g.Logs(logs[:0], 1, 0)
				for i := range logs {
					logs[i] *= sd / cleanSD
				}
			}
			for n := rule.From; ; n++ {
				p := paired(logs[:n], rule.Level)
				if n == rule.Most || p.half <= target/100 {
					return result{math.Abs(p.mean) < p.half, n}
				}
			}
		}
	})
	var s Stopped
	for _, r := range results {
		if r.covers {
			s.Coverage += 100 / float64(studies)
		}
		s.Rounds += float64(r.rounds) / float64(studies)
	}
	return s
}

// StopAtClaim is the share of single comparisons with truth 0 that are called different by one of the looks from round
// From to round Most, each at the level.
func StopAtClaim(rule StopRule, studies int) float64 {
	return share(each(fmt.Sprintf("stop at claim %v", rule), studies, func() func(r *rand.Rand) bool {
		logs := make([]float64, rule.Most)
		return func(r *rand.Rand) bool {
			normal(r, logs, 0, 0.01)
			for n := rule.From; n <= rule.Most; n++ {
				if paired(logs[:n], 0.05).p <= rule.Level {
					return true
				}
			}
			return false
		}
	}))
}

// Detection is what the smallest detectable change is worth, for one comparison without margin.
type Detection struct {
	TrueSD, OwnSD float64 // % of studies that find it, when it is computed from the true sd and from the study's own
	Low, High     float64 // 5 % and 95 % quantiles of the one from the study's own over the one from the true sd
}

// Detect makes pairs of studies with normal noise: the first one says what it could have shown, the second one looks for a
// change of that size.
func Detect(rounds, studies int) Detection {
	const sd = 0.015
	type result struct {
		trueSD, ownSD bool
		ratio         float64
	}
	truth := detectable(sd, rounds)
	results := each(fmt.Sprintf("detect %d", rounds), studies, func() func(r *rand.Rand) result {
		logs, later := make([]float64, rounds), make([]float64, rounds)
		found := func(r *rand.Rand, change float64) bool {
			normal(r, later, change, sd)
			return paired(later, 0.05).p <= 0.05
		}
		return func(r *rand.Rand) result {
			normal(r, logs, 0, sd)
			own := detectable(stat.StdDev(logs, nil), rounds)
			return result{found(r, truth), found(r, own), own / truth}
		}
	})
	var d Detection
	var ratios []float64
	for _, r := range results {
		if r.trueSD {
			d.TrueSD += 100 / float64(studies)
		}
		if r.ownSD {
			d.OwnSD += 100 / float64(studies)
		}
		ratios = append(ratios, r.ratio)
	}
	d.Low, d.High = quantile(ratios, 0.05), quantile(ratios, 0.95)
	return d
}

// Forecasts is how good forecasts of rounds are.
type Forecasts struct {
	Low, High float64 // 10 % and 90 % quantiles of forecasts, rounds
	Near      float64 // % within 30 % of the truth
	TooLow    float64 // %
	Reached   float64 // % of studies with that many rounds that are as precise as was asked
	Inside    float64 // % of forecasts whose range holds the truth
}

// Foresee forecasts, after the first rounds seen of a study of scenarios with normal noise of sd log-% in the
// ratios, how many rounds a half-width of target log-% takes, and runs as many.
func Foresee(seen, scenarios int, sd, target float64, studies int) Forecasts {
	type result struct {
		about           int
		reached, inside bool
	}
	truth := roundsFor(sd/100, target/100)
	name := fmt.Sprintf("forecast %d %d %g %g", seen, scenarios, sd, target)
	results := each(name, studies, func() func(r *rand.Rand) result {
		values := make([][]float64, scenarios)
		var logs []float64
		return func(r *rand.Rand) result {
			for s := range values {
				values[s] = make([]float64, seen)
				normal(r, values[s], 0, sd/100/math.Sqrt2)
			}
			f := forecast(values, target/100)
			// The rounds that were seen count.
			logs = logs[:0]
			for i := range seen {
				logs = append(logs, values[1][i]-values[0][i])
			}
			for len(logs) < f.About {
				logs = append(logs, sd/100*r.NormFloat64())
			}
			return result{f.About, paired(logs, 0.05).half <= target/100, f.Low <= truth && truth <= f.High}
		}
	})
	var f Forecasts
	var about []float64
	one := 100 / float64(studies)
	for _, r := range results {
		about = append(about, float64(r.about))
		if math.Abs(float64(r.about-truth)) <= 0.3*float64(truth) {
			f.Near += one
		}
		if r.about < truth {
			f.TooLow += one
		}
		if r.reached {
			f.Reached += one
		}
		if r.inside {
			f.Inside += one
		}
	}
	f.Low, f.High = quantile(about, 0.1), quantile(about, 0.9)
	return f
}
