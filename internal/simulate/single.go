package simulate

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat"

	"deltabench/internal/compare"
)

// Coverage is how often nominal 95 % intervals hold the truth, and how wide they are.
type Coverage struct {
	T, Rank float64 // %, of the t and of the signed-rank interval; Rank is 0 where there are too few rounds for it
	Width   float64 // mean of the signed-rank interval's over that of t
	RMSE    float64 // of Hodges and Lehmann's estimate over that of the mean
}

// Cover makes studies of four scenarios and three cells and looks at scenario 1 in cell 0; the truth is 0.
func Cover(w World, rounds, studies int) Coverage {
	type result struct {
		t, rank                bool
		width, rankWidth       float64
		estimate, rankEstimate float64
	}
	d := Design{Scenarios: 4, Cells: 3, Workloads: 3, Rounds: rounds}
	results := each(fmt.Sprintf("coverage %s %d", w.Name, rounds), studies, func() func(r *rand.Rand) result {
		g := NewGenerator(w, d)
		logs := make([]float64, 0, rounds)
		return func(r *rand.Rand) result {
			g.Next(r)
			logs = g.Logs(logs[:0], 1, 0)
			p := paired(logs, 0.05)
			out := result{t: math.Abs(p.mean) < p.half, width: 2 * p.half, estimate: p.mean}
			if estimate, low, high, ok := signedRank(logs); ok {
				out.rank, out.rankWidth, out.rankEstimate = low < 0 && high > 0, high-low, estimate
			}
			return out
		}
	})
	var t, rank []bool
	var width, rankWidth, squares, rankSquares float64
	for _, r := range results {
		t, rank = append(t, r.t), append(rank, r.rank)
		width += r.width
		rankWidth += r.rankWidth
		squares += r.estimate * r.estimate
		rankSquares += r.rankEstimate * r.rankEstimate
	}
	return Coverage{share(t), share(rank), rankWidth / width, math.Sqrt(rankSquares / squares)}
}

// Called is the share of comparisons that get a verdict, in percent.
type Called struct{ Better, Worse, Equivalent float64 }

// Judge makes single comparisons with a true change and normal noise of sd, both in percent and log-% as in the
// table of verdicts, and judges them with the margin in percent.
func Judge(change, sd, margin float64, rounds, studies int) Called {
	name := fmt.Sprintf("verdicts %g %g %g %d", change, sd, margin, rounds)
	verdicts := each(name, studies, func() func(r *rand.Rand) compare.Verdict {
		logs := make([]float64, rounds)
		return func(r *rand.Rand) compare.Verdict {
			normal(r, logs, math.Log1p(change/100), sd/100)
			return judge(logs, margin)
		}
	})
	return count(verdicts)
}

func count(verdicts []compare.Verdict) Called {
	var c Called
	one := 100 / float64(len(verdicts))
	for _, v := range verdicts {
		switch v {
		case compare.Better:
			c.Better += one
		case compare.Worse:
			c.Worse += one
		case compare.Equivalent:
			c.Equivalent += one
		}
	}
	return c
}

// normal fills logs.
func normal(r *rand.Rand, logs []float64, mean, sd float64) {
	for i := range logs {
		logs[i] = mean + sd*r.NormFloat64()
	}
}

// FalseByOrder is the share of comparisons of identical scenarios, of four with nine cells each, that are called
// different at 5 %, without a margin: paired where the runs come in rounds, by Welch's t where they come in
// blocks.
func FalseByOrder(w World, order Order, rounds, studies int) float64 {
	d := Design{Scenarios: 4, Cells: 9, Workloads: 3, Rounds: rounds, Order: order}
	return share(each(fmt.Sprintf("order %s %d %d", w.Name, order, rounds), studies, func() func(r *rand.Rand) bool {
		g := NewGenerator(w, d)
		logs := make([]float64, 0, rounds)
		sides := [2][]float64{make([]float64, rounds), make([]float64, rounds)}
		return func(r *rand.Rand) bool {
			g.Next(r)
			if order == Rounds {
				logs = g.Logs(logs[:0], 1, 0)
				return paired(logs, 0.05).p <= 0.05
			}
			for s, values := range sides {
				for round := range values {
					values[round] = 10_000 * math.Exp(g.At(s, round, 0))
				}
			}
			return welch(sides[0], sides[1]) <= 0.05
		}
	}))
}

// Flagged is how often Grubbs' test flags a round of n with normal noise of sd log-%: any round, when one has
// lost the loss in log-%.
func Flagged(sd, loss float64, rounds, studies int) float64 {
	return share(each(fmt.Sprintf("outlier %g %d", loss, rounds), studies, func() func(r *rand.Rand) bool {
		logs := make([]float64, rounds)
		return func(r *rand.Rand) bool {
			normal(r, logs, 0, sd/100)
			logs[rounds-1] -= loss / 100
			return outlier(logs)
		}
	}))
}

// Margins is what becomes of margins that A/A rounds have set.
type Margins struct {
	Low, High float64 // 5 % and 95 % quantiles of margin over true margin
	Truth0    Called  // truth 0
	Truth1    Called  // truth = the true margin
	Truth2    Called  // truth = twice the true margin
}

// Calibrate sets a margin from A/A rounds with normal noise of sd log-%, for studies of rounds rounds, and judges
// comparisons with it. Margins are not rounded, so that they show the procedure.
func Calibrate(aa int, sd float64, rounds, studies int) Margins {
	type result struct {
		ratio    float64
		verdicts [3]compare.Verdict
	}
	truth := compare.ConfirmableMargin(sd/100, rounds)
	results := each(fmt.Sprintf("A/A %d %g %d", aa, sd, rounds), studies, func() func(r *rand.Rand) result {
		calibration, logs := make([]float64, aa), make([]float64, rounds)
		return func(r *rand.Rand) result {
			normal(r, calibration, 0, sd/100)
			margin := compare.ConfirmableMargin(stat.StdDev(calibration, nil), rounds)
			out := result{ratio: margin / truth}
			for i := range out.verdicts {
				normal(r, logs, float64(i)*math.Log1p(truth/100), sd/100)
				out.verdicts[i] = judge(logs, margin)
			}
			return out
		}
	})
	ratios := make([]float64, len(results))
	var verdicts [3][]compare.Verdict
	for i, r := range results {
		ratios[i] = r.ratio
		for j, v := range r.verdicts {
			verdicts[j] = append(verdicts[j], v)
		}
	}
	return Margins{
		quantile(ratios, 0.05), quantile(ratios, 0.95),
		count(verdicts[0]), count(verdicts[1]), count(verdicts[2]),
	}
}

// CoverTail is the coverage of the t interval of ln p99, of identical sides with that many requests a run.
func CoverTail(requests, rounds, studies int) float64 {
	tail := Tail{Requests: requests}
	return share(each(fmt.Sprintf("tail %d %d", requests, rounds), studies, func() func(r *rand.Rand) bool {
		logs := make([]float64, rounds)
		return func(r *rand.Rand) bool {
			for i := range logs {
				logs[i] = math.Log(tail.p99(r)) - math.Log(tail.p99(r))
			}
			p := paired(logs, 0.05)
			return math.Abs(p.mean) < p.half
		}
	}))
}

// CoverStalls is the coverage of the t interval, of the mean, when the scenario alone stalls: 10 % of its runs lose 3 plus
// an exponential with mean 5 log-%, 0.8 on average.
func CoverStalls(rounds, studies int) float64 {
	steady, stalls := RunOut5, RunOut5
	steady.RunLosses, stalls.RunLosses = 0, 0.1
	return share(each(fmt.Sprintf("stalls %d", rounds), studies, func() func(r *rand.Rand) bool {
		logs := make([]float64, rounds)
		return func(r *rand.Rand) bool {
			for i := range logs {
				logs[i] = (stalls.start(r) + stalls.run(r) - steady.start(r) - steady.run(r)) / 100
			}
			p := paired(logs, 0.05)
			return math.Abs(p.mean+0.008) < p.half
		}
	}))
}
