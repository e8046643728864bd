package main

import (
	"fmt"
	"io"
	"math"
)

// table writes rows: a setting, the published value or range, ours.
type table struct {
	w             io.Writer
	studies       int // per rate; see fewer
	rates, differ int
}

// fewer is the number of studies where each one is large.
func (t *table) fewer(by int) int { return max(t.studies/by, 2) }

// rate writes a row of a share in percent that was published as low to high, the same when it was one number. It
// was measured with so many studies, here as there at the most. A difference is more than chance and rounding where
// it exceeds three standard errors of both numbers and half a unit of the last published place.
func (t *table) rate(what string, low, high, got float64, studies int) {
	t.value(what, low, high, got, 0.5+3*math.Sqrt2*standardError((low+high)/2, studies))
}

// standardError of a share, in percent.
func standardError(percent float64, studies int) float64 {
	p := min(max(percent/100, 0.5/float64(studies)), 1-0.5/float64(studies))
	return 100 * math.Sqrt(p*(1-p)/float64(studies))
}

// value writes a row of any number with a tolerance of its own.
func (t *table) value(what string, low, high, got, tolerance float64) {
	published := fmt.Sprintf("%g", low)
	if high != low {
		published = fmt.Sprintf("%g to %g", low, high)
	}
	mark := ""
	if !(got >= low-tolerance && got <= high+tolerance) {
		mark = " !"
		t.differ++
	}
	t.rates++
	fmt.Fprintf(t.w, "%-58s %14s %9.2f%s\n", what, published, got, mark)
}
