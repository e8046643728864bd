package main

import (
	"math"
	"slices"
)

// confidence that the interval of a median is to have at least.
const confidence = 0.95

// median is the middle value, or the mean of the two middle ones. v is not empty.
func median(v []float64) float64 {
	s := slices.Sorted(slices.Values(v))
	n := len(s)
	return (s[(n-1)/2] + s[n/2]) / 2
}

// medianInterval is the interval between the k-th smallest and the k-th largest value, with the largest k
// for which it holds the true median with at least the confidence: P = 1 - 2·P(Bin(n, 1/2) < k). It
// assumes that the values are independent and nothing else. With fewer than 6 values no k does, and the
// whole range is returned with the probability it has.
func medianInterval(v []float64) (lo, hi, probability float64) {
	s := slices.Sorted(slices.Values(v))
	n := len(s)
	k, outside := 1, below(n, 1)
	for next := 2; next <= n/2; next++ {
		b := below(n, next)
		if 1-2*b < confidence {
			break
		}
		k, outside = next, b
	}
	return s[k-1], s[n-k], max(0, 1-2*outside)
}

// below is P(Bin(n, 1/2) < k).
func below(n, k int) float64 {
	var sum, choose float64 = 0, 1
	for i := range k {
		sum += choose
		choose = choose * float64(n-i) / float64(i+1)
	}
	return sum / math.Pow(2, float64(n))
}
