package simulate

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

// Tail is the latency of requests, most of them quick, a share of them stalled. Unit: the median of the quick ones.
type Tail struct {
	Requests int
}

// A share of tailShare·e^(tailVaries·z) of the requests of a run stalls, z standard normal; all latencies of a run
// have the factor e^(tailCommon·z').
const (
	tailShare  = 0.005
	tailVaries = 0.3
	tailCommon = 0.01
)

var (
	quickLatency   = distuv.LogNormal{Mu: 0, Sigma: 0.35}
	stalledLatency = distuv.LogNormal{Mu: math.Log(8), Sigma: 0.5}
)

// p99 draws the 99 % quantile of a run's requests: the k-th smallest of N has the rank F^-1(Beta(k, N+1-k)),
// k = ceil(0.99·N).
func (t *Tail) p99(r *rand.Rand) float64 {
	k := math.Ceil(0.99 * float64(t.Requests))
	share := tailShare * math.Exp(tailVaries*r.NormFloat64())
	rank := distuv.Beta{Alpha: k, Beta: float64(t.Requests) + 1 - k, Src: r}.Rand()
	// The quantile of the mixture by bisection, on the logarithm, to far below the steps of any histogram.
	low, high := -5.0, 12.0
	for range 60 {
		middle := (low + high) / 2
		x := math.Exp(middle)
		if (1-share)*quickLatency.CDF(x)+share*stalledLatency.CDF(x) < rank {
			low = middle
		} else {
			high = middle
		}
	}
	return math.Exp((low+high)/2 + tailCommon*r.NormFloat64())
}
