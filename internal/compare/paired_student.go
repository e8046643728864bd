package compare

import (
	"math"
	"sync"
)

// quantiles remembers quantiles of Student's t: searching one takes microseconds, and families and forecasts ask for the same ones again and again.
var quantiles = struct {
	sync.RWMutex
	known map[quantile]float64
}{known: map[quantile]float64{}}

type quantile struct{ p, df float64 }

// manyQuantiles is where the memory starts anew, so that a long-lived process does not grow.
const manyQuantiles = 4096

// tQuantile is the p quantile of Student's t with df degrees of freedom.
func tQuantile(p, df float64) float64 {
	if df != math.Trunc(df) || df > 1000 { // Welch's are all different
		return studentQuantile(p, df)
	}
	key := quantile{p, df}
	quantiles.RLock()
	q, ok := quantiles.known[key]
	quantiles.RUnlock()
	if ok {
		return q
	}
	q = studentQuantile(p, df)
	quantiles.Lock()
	if len(quantiles.known) >= manyQuantiles {
		clear(quantiles.known)
	}
	quantiles.known[key] = q
	quantiles.Unlock()
	return q
}
