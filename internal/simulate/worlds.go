// Package simulate makes studies and series whose truth is known, so that the procedures of package compare can be
// held to the error rates that they promise. It measures nothing and is no part of the product: tests run its
// experiments at reduced size, `make simulate` at full size.
//
// The unit of all noise, drift and effects is the log-%: 100 times the natural logarithm of a ratio, so that a true
// change of 3 % is 100·ln 1.03 = 2.956. Throughputs of a study are
//
//	y[s][r][c] = effect[s][c] + d[t] + g[s]·(u[s][r] + e[s][r][c])
//
// for scenario s, round r and cell c: u is the luck of a start of the server, e that of a run, d the drift of the host
// at the t-th run of the study, and g makes scenarios noisier.
//
// Every study has a random source of its own, seeded by the name of the experiment and the number of the study, so
// that results do not depend on how many cores share the work.
package simulate

import (
	"math"
	"math/rand/v2"
)

// Drift is how the host changes while a study runs.
type Drift int

// Kinds of drift, over N runs and with a size D in log-%.
const (
	Still      Drift = iota // no drift
	Walk                    // random walk, Gaussian steps of sd D/√N
	Trend                   // D·t/N
	Step                    // +D from a place on that is uniform over the runs
	Correlated              // stationary AR(1) over the runs, coefficient 0.95, sd D
)

// driftCoefficient is that of the Correlated drift.
const driftCoefficient = 0.95

// World is a model of noise.
type World struct {
	Name  string
	Start float64 // sd of a start's luck, log-%
	Run   float64 // sd of a run's luck, log-%
	Drift Drift
	Size  float64 // of the drift, log-%

	// Heavy tails: luck is from Student's t with 3 degrees of freedom, scaled to the same sd.
	Heavy bool
	// RunLosses is the share of runs that lose 3 plus an exponential with mean 5.
	RunLosses float64
	// StartLosses is the share of starts that lose StartLoss, all runs of the start alike.
	StartLosses, StartLoss float64
	// Loud scenarios, all but the baseline or the first alone, have three times the noise.
	Loud, LoudFirst bool
}

// Worlds of the published tables, thirteen and an extra one.
var (
	Quiet    = World{Name: "quiet", Start: 0.5, Run: 0.3}
	Typical  = World{Name: "typical", Start: 1, Run: 0.5, Drift: Walk, Size: 2}
	Restart5 = World{Name: "restart5", Start: 5, Run: 1, Drift: Walk, Size: 2}
	RunNoise = World{Name: "runnoise", Start: 0.5, Run: 2}
	Trend10  = World{Name: "trend10", Start: 1, Run: 0.5, Drift: Trend, Size: 10}
	Step5    = World{Name: "step5", Start: 1, Run: 0.5, Drift: Step, Size: 5}
	AR       = World{Name: "ar", Start: 1, Run: 0.5, Drift: Correlated, Size: 1.5}
	Heavy    = World{Name: "heavy", Start: 1, Run: 0.5, Heavy: true}
	RunOut2  = World{Name: "runout2", Start: 1, Run: 0.5, RunLosses: 0.02}
	RunOut5  = World{Name: "runout5", Start: 1, Run: 0.5, RunLosses: 0.05}
	StartOut = World{Name: "startout", Start: 1, Run: 0.5, StartLosses: 0.03, StartLoss: 10}
	Bimodal  = World{Name: "bimodal", Start: 0.5, Run: 0.5, StartLosses: 0.2, StartLoss: 4}
	Unequal  = World{Name: "unequal", Start: 1, Run: 0.5, Loud: true}
	OneNoisy = World{Name: "onenoisy", Start: 1, Run: 0.5, LoudFirst: true}
)

// Worlds returns the thirteen, without the extra one.
func Worlds() []World {
	return []World{
		Quiet, Typical, Restart5, RunNoise, Trend10, Step5, AR,
		Heavy, RunOut2, RunOut5, StartOut, Bimodal, Unequal,
	}
}

// loudness is g of scenario s.
func (w *World) loudness(s int) float64 {
	if w.Loud && s > 0 || w.LoudFirst && s == 1 {
		return 3
	}
	return 1
}

// luck draws a start's or a run's, of mean 0.
func (w *World) luck(r *rand.Rand, sd float64) float64 {
	if !w.Heavy {
		return sd * r.NormFloat64()
	}
	// Student's t with 3 degrees of freedom has variance 3.
	var squares float64
	for range 3 {
		z := r.NormFloat64()
		squares += z * z
	}
	return sd * r.NormFloat64() / math.Sqrt(squares/3) / math.Sqrt(3)
}

func (w *World) start(r *rand.Rand) float64 {
	u := w.luck(r, w.Start)
	if w.StartLosses > 0 && r.Float64() < w.StartLosses {
		u -= w.StartLoss
	}
	return u
}

func (w *World) run(r *rand.Rand) float64 {
	e := w.luck(r, w.Run)
	if w.RunLosses > 0 && r.Float64() < w.RunLosses {
		e -= 3 + 5*r.ExpFloat64()
	}
	return e
}

// drift fills d, one value a run in the order of time.
func (w *World) drift(r *rand.Rand, d []float64) {
	n := float64(len(d))
	switch w.Drift {
	case Still:
		clear(d)
	case Walk:
		at := 0.0
		for i := range d {
			at += w.Size / math.Sqrt(n) * r.NormFloat64()
			d[i] = at
		}
	case Trend:
		for i := range d {
			d[i] = w.Size * float64(i) / n
		}
	case Step:
		place := r.IntN(len(d))
		for i := range d {
			d[i] = 0
			if i >= place {
				d[i] = w.Size
			}
		}
	case Correlated:
		autoregress(r, d, driftCoefficient)
		for i := range d {
			d[i] *= w.Size
		}
	}
}

// autoregress fills d with a stationary AR(1) process of sd 1.
func autoregress(r *rand.Rand, d []float64, phi float64) {
	innovation := math.Sqrt(1 - phi*phi)
	at := r.NormFloat64()
	for i := range d {
		if i > 0 {
			at = phi*at + innovation*r.NormFloat64()
		}
		d[i] = at
	}
}
