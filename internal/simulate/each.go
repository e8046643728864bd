package simulate

import (
	"hash/fnv"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
)

// each makes studies on all cores and returns their results in order. A worker calls begin once, for the memory
// that its studies share, and the function it returns for every study. The same name gives the same results.
func each[T any](name string, studies int, begin func() func(r *rand.Rand) T) []T {
	h := fnv.New64a()
	h.Write([]byte(name))
	seed := h.Sum64()
	results := make([]T, studies)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(studies, runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			study := begin()
			source := rand.NewPCG(0, 0)
			r := rand.New(source)
			for {
				i := int(next.Add(1) - 1)
				if i >= studies {
					return
				}
				source.Seed(seed, uint64(i))
				results[i] = study(r)
			}
		})
	}
	workers.Wait()
	return results
}

// share of results that hold, in percent.
func share(results []bool) float64 {
	n := 0
	for _, ok := range results {
		if ok {
			n++
		}
	}
	return 100 * float64(n) / float64(len(results))
}
