package compare

import (
	"math"
	"slices"
)

// Check is the check line beside the interval of t: Hodges and Lehmann's estimate with the interval of the signed-rank
// statistic. It uses the same data and never replaces the result.
type Check struct {
	Estimate, Low, High float64 // logarithms of the ratio
	K                   int     // the interval is from the k-th smallest to the k-th largest mean of two
	Confidence          float64 // exact, of the interval: 0.9609 with 8 rounds
	Verdict             Verdict // that it would give, with the same adjusted p
	Agrees              bool    // same verdict, and its estimate lies in the interval of t
}

// Percent returns the estimate and the ends of its interval as changes in percent.
func (c *Check) Percent() (estimate, low, high float64) {
	return percent(c.Estimate), percent(c.Low), percent(c.High)
}

// maxCheck is the number of rounds above which there is no check line: its exact distribution would take longer than it is worth.
const maxCheck = 200

// NewCheck computes estimate and interval from L of every round (NaN left out); verdict and agreement are the caller's. ok is
// false where no interval of that level exists: below 6 rounds at 5 %, 7 at 3 %, 8 at 1 %; and above 200 rounds.
//
// All n(n+1)/2 means (L[i]+L[j])/2, i <= j, sorted as A(1..M): the estimate is their median, the interval A(k)..A(M+1-k), with the largest k for which
// 2·P(W <= k-1) <= level, W the signed-rank statistic (J. L. Hodges, E. L. Lehmann, Annals of Mathematical Statistics 34, 1963; F. Wilcoxon, Biometrics 1, 1945). Assumption: L is symmetric
// about its centre. Simulated coverage: 94 to 97.5 % at 8 and 12 rounds, outliers included.
func NewCheck(logs []float64, level float64) (c Check, ok bool) {
	n := 0
	for _, l := range logs {
		if math.IsInf(l, 0) {
			return c, false
		}
		if !math.IsNaN(l) {
			n++
		}
	}
	if n < 6 || n > maxCheck {
		return c, false
	}
	c.K, c.Confidence = signedRank(n, level)
	if c.K == 0 {
		return c, false
	}
	a := walshAverages(logs)
	c.Estimate, c.Low, c.High = medianOfSorted(a), a[c.K-1], a[len(a)-c.K]
	return c, true
}

// hodgesLehmann is the estimate alone; logs are finite or NaN, at least one finite.
func hodgesLehmann(logs []float64) float64 { return medianOfSorted(walshAverages(logs)) }

// walshAverages are the means of all pairs of values, each with itself too, sorted; NaN left out.
func walshAverages(logs []float64) []float64 {
	a := make([]float64, 0, len(logs)*(len(logs)+1)/2)
	for i, x := range logs {
		if math.IsNaN(x) {
			continue
		}
		for _, y := range logs[i:] {
			if !math.IsNaN(y) {
				a = append(a, (x+y)/2)
			}
		}
	}
	slices.Sort(a)
	return a
}

func medianOfSorted(a []float64) float64 { return (a[(len(a)-1)/2] + a[len(a)/2]) / 2 }

// signedRank returns the largest k with 2·P(W <= k-1) <= level for n values, 0 where there is none, and 1 - that probability. W is
// the sum of those ranks 1..n whose sign is plus, each with probability 1/2.
func signedRank(n int, level float64) (k int, confidence float64) {
	// P(W = w), rank by rank; only its lower half is needed.
	size := n*(n+1)/4 + 1
	p := make([]float64, size)
	p[0] = 1
	for rank := 1; rank <= n; rank++ {
		for w := size - 1; w >= 0; w-- {
			p[w] /= 2
			if w >= rank {
				p[w] += p[w-rank] / 2
			}
		}
	}
	var below float64
	for k < size && 2*(below+p[k]) <= level {
		below += p[k]
		k++
	}
	return k, 1 - 2*below
}
