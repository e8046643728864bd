package compare

import (
	"cmp"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// Sign patterns: all of them up to maxAllPatterns rounds, else the identity and randomPatterns random ones.
const (
	maxAllPatterns = 12
	randomPatterns = 2047
)

// patterns is the number of sign patterns of n rounds. The last sign of all of them is plus: a pattern and its mirror give the
// same maximum.
func patterns(n int) int {
	if n <= maxAllPatterns {
		return 1 << (n - 1)
	}
	return randomPatterns + 1
}

// MaxT is the step-down maximum of P. H. Westfall and S. S. Young (Resampling-Based Multiple Testing, 1993) over sign flips: the share of
// patterns in which a row, or any row after it in the order of their t, reaches its observed |t|. rows are of one scenario, with
// the same number of rounds and no NaN; the signs of a round flip in all rows together, so that what rows have in common counts once. seed chooses the random
// patterns of more than 12 rounds. The result is a multiple of 1/2^(n-1), or of 1/2048.
//
// Assumption: under the null the noise of a round is symmetric. Rows without spread get 1 and take no part.
func MaxT(rows [][]float64, seed uint64) []float64 {
	q := make([]float64, len(rows))
	if len(rows) == 0 {
		return q
	}
	s := newSigns(rows, false)
	counts := make([]int, len(s.order))
	s.each(seed, func(v []float64) {
		run := 0.0
		for k := len(v) - 1; k >= 0; k-- {
			run = max(run, math.Abs(v[k]))
			if run >= s.reach[k] {
				counts[k]++
			}
		}
	})
	for j := range q {
		q[j] = 1
	}
	last := 0.0
	for k, j := range s.order {
		last = max(last, float64(counts[k])/float64(patterns(s.n)))
		q[j] = last
	}
	return q
}

// maxTCritical is t*, the |t| that a single row must exceed to have an adjusted p of at most level with several scenarios: from
// R*, the value that exactly floor(level/(S-1)·P) of the maxima of the P patterns of the centred rows exceed. Infinite where the patterns
// cannot tell, NaN without rows that vary.
func maxTCritical(rows [][]float64, seed uint64, share float64) float64 {
	s := newSigns(rows, true)
	if len(s.order) == 0 {
		return math.NaN()
	}
	maxima := make([]float64, 0, patterns(s.n))
	s.each(seed, func(v []float64) {
		run := 0.0
		for _, x := range v {
			run = max(run, math.Abs(x))
		}
		maxima = append(maxima, run)
	})
	slices.Sort(maxima)
	r := maxima[len(maxima)-1-int(share*float64(len(maxima))+1e-9)]
	n := float64(s.n)
	if n-r*r < 1e-9 {
		return math.Inf(1)
	}
	return r * math.Sqrt((n-1)/(n-r*r))
}

// signs are rows of length 1, in the order of their sums, largest first. The sum of such a row is monotonic in its t.
type signs struct {
	n     int       // rounds
	order []int     // places of the rows that vary
	z     []float64 // by round, then by row in order
	reach []float64 // observed |sum|, less a billionth: the identity must count as reaching itself
}

func newSigns(rows [][]float64, centred bool) *signs {
	s := &signs{n: len(rows[0])}
	scale, sums, centre := make([]float64, len(rows)), make([]float64, len(rows)), make([]float64, len(rows))
	for j, row := range rows {
		t, err := moments(row)
		if err != nil {
			continue
		}
		if centred {
			centre[j] = t.Mean
		}
		var squares, sum float64
		for _, l := range row {
			l -= centre[j]
			squares += l * l
			sum += l
		}
		scale[j] = 1 / math.Sqrt(squares)
		sums[j] = math.Abs(sum) * scale[j]
		s.order = append(s.order, j)
	}
	slices.SortFunc(s.order, func(a, b int) int { return cmp.Or(cmp.Compare(sums[b], sums[a]), a-b) })
	width := len(s.order)
	s.z, s.reach = make([]float64, s.n*width), make([]float64, width)
	for k, j := range s.order {
		s.reach[k] = sums[j] * (1 - 1e-9)
		for r, l := range rows[j] {
			s.z[r*width+k] = (l - centre[j]) * scale[j]
		}
	}
	return s
}

// each calls f with the sums of the rows under every pattern, the identity first. f must not keep or change them.
func (s *signs) each(seed uint64, f func(v []float64)) {
	width := len(s.order)
	v := make([]float64, width)
	add := func(round int, factor float64) {
		for k, x := range s.z[round*width : (round+1)*width] {
			v[k] += factor * x
		}
	}
	for r := range s.n {
		add(r, 1)
	}
	f(v)
	if s.n <= maxAllPatterns {
		// In the order of a Gray code, each pattern differs from the one before in one sign.
		minus := 0
		for i := 1; i < patterns(s.n); i++ {
			r := bits.TrailingZeros(uint(i))
			minus ^= 1 << r
			factor := 2.0
			if minus>>r&1 == 1 {
				factor = -2
			}
			add(r, factor)
			f(v)
		}
		return
	}
	source := rand.NewPCG(seed, 0)
	for range randomPatterns {
		clear(v)
		var word uint64
		for r := range s.n {
			if r%64 == 0 {
				word = source.Uint64()
			}
			if word&1 == 1 {
				add(r, -1)
			} else {
				add(r, 1)
			}
			word >>= 1
		}
		f(v)
	}
}
