package simulate

import (
	"fmt"
	"math/rand/v2"

	"deltabench/internal/compare"
)

// Steadiness is how often runs and cells are called never steady, in percent, and the bias that is left after
// the cut, in percent of the level.
type Steadiness struct {
	Runs, Cells float64
	Bias        float64
}

// Settle makes cells of runs series each, all cut alike, and asks whether they were ever steady.
func Settle(s Series, runs, cells int) Steadiness {
	type result struct {
		runs int
		cell bool
		mean float64
	}
	results := each(fmt.Sprintf("series %+v %d", s, runs), cells, func() func(r *rand.Rand) result {
		x := make([][]float64, runs)
		for i := range x {
			x[i] = make([]float64, s.Seconds)
		}
		return func(r *rand.Rand) result {
			var out result
			for i := range x {
				s.draw(r, x[i])
				run := compare.JudgeRun(x[i], 0)
				if run.State == compare.NeverSteady {
					out.runs++
				}
				out.mean += run.Mean.Mean / float64(runs)
			}
			out.cell = compare.JudgeCell(x, 0).State == compare.NeverSteady
			return out
		}
	})
	var out Steadiness
	for _, r := range results {
		out.Runs += 100 * float64(r.runs) / float64(runs*cells)
		if r.cell {
			out.Cells += 100 / float64(cells)
		}
		out.Bias += (r.mean - 100) / float64(cells)
	}
	return out
}

// Noticed is how often a change is called in histories, in percent.
func Noticed(p Past, look compare.Look, histories int) float64 {
	return share(each(fmt.Sprintf("history %+v %d", p, look), histories, func() func(r *rand.Rand) bool {
		v := make([]float64, p.Points)
		return func(r *rand.Rand) bool {
			p.draw(r, v)
			return called(v, look)
		}
	}))
}

// called says whether a change is called in v, of any size. v has 10 points or more.
func called(v []float64, look compare.Look) bool {
	h, err := compare.FindChanges(v, 0, look)
	if err != nil {
		panic(err) // a simulation that does not fit the procedure
	}
	return len(h.Changes) > 0
}

// Watched is what becomes of histories that are looked at after every point, in percent.
type Watched struct {
	False float64 // histories of 60 points without a change in which one was called
	Found float64 // histories in which a step at point 30 was called by the fifth point after it
}

// Watch looks after every point from the tenth to the last of 60, at 0.3 % on the last 30 points. With a spike, it is
// one before point 30.
func Watch(spike bool, histories int) Watched {
	const points, step = 60, 30
	name := fmt.Sprintf("watch %v", spike)
	type result struct{ wrong, found bool }
	results := each(name, histories, func() func(r *rand.Rand) result {
		v := make([]float64, points)
		quiet := make([]float64, points)
		return func(r *rand.Rand) result {
			for i := range v {
				quiet[i] = r.NormFloat64() / 100
			}
			if spike {
				quiet[r.IntN(step)] += pastSpike / 100.
			}
			for i := range v {
				v[i] = quiet[i]
				if i >= step {
					v[i] += pastStep / 100.
				}
			}
			var out result
			for n := 10; n <= points && !out.wrong; n++ {
				out.wrong = called(quiet[:n], compare.EveryPoint)
			}
			for n := step + 1; n <= step+pastAfter && !out.found; n++ {
				out.found = called(v[:n], compare.EveryPoint)
			}
			return out
		}
	})
	var w Watched
	for _, r := range results {
		if r.wrong {
			w.False += 100 / float64(histories)
		}
		if r.found {
			w.Found += 100 / float64(histories)
		}
	}
	return w
}
