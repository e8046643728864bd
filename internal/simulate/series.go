package simulate

import (
	"math"
	"math/rand/v2"
)

// Series describes the seconds of one run, in percent of its steady level.
type Series struct {
	Seconds int
	Phi     float64 // lag-1 autocorrelation of the noise, 0 to below 1
	SD      float64 // of the noise
	Warm    float64 // how much below the level the first second starts
	Tau     float64 // time constant of warming up, s
	DipsAt  int     // a dip of 25 for 2 s every so many seconds, from a random phase; 0: none
	Ramp    float64 // rise from the first to the last second
}

// dipDepth and dipSeconds are those of a checkpoint or a flush.
const (
	dipDepth   = 25
	dipSeconds = 2
)

// draw fills x, one value a second: 100 + sd·AR(1) - warm·e^(-t/tau) - dips + ramp·((t+0.5)/T - 0.5).
func (s *Series) draw(r *rand.Rand, x []float64) {
	autoregress(r, x, s.Phi)
	phase := 0
	if s.DipsAt > 0 {
		phase = r.IntN(s.DipsAt)
	}
	for t := range x {
		v := 100 + s.SD*x[t] + s.Ramp*((float64(t)+0.5)/float64(len(x))-0.5)
		if s.Warm != 0 {
			v -= s.Warm * math.Exp(-float64(t)/s.Tau)
		}
		if s.DipsAt > 0 && (t+phase)%s.DipsAt < dipSeconds {
			v -= dipDepth
		}
		x[t] = v
	}
}

// Past is a history of studies, one point each, in log-% with noise of sd 1.
type Past struct {
	Points int
	Spike  bool // one point is 8 higher, anywhere before the last five
	Step   bool // the last five points are 3 higher
}

// Sizes of what happens in histories, in sd of the noise, and how many points come after a step.
const (
	pastSpike = 8
	pastStep  = 3
	pastAfter = 5
)

// draw fills v, which has as many values as there are points; natural logarithms.
func (p *Past) draw(r *rand.Rand, v []float64) {
	for i := range v {
		v[i] = r.NormFloat64()
		if p.Step && i >= len(v)-pastAfter {
			v[i] += pastStep
		}
	}
	if p.Spike {
		v[r.IntN(len(v)-pastAfter)] += pastSpike
	}
	for i := range v {
		v[i] /= 100
	}
}
