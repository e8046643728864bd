package oltp04

import (
	"fmt"
	"math/bits"
	"strconv"

	"deltabench/internal/random"
)

// Distributions of ids.
const (
	distUniform  = "uniform"
	distGaussian = "gaussian"
	distSpecial  = "special"
)

// dist draws ids from 1 to size in whole numbers. It is read only and shared by threads.
type dist struct {
	kind           string
	iter, pct, res int
	size           uint64
}

// below returns a number from 0 to n-1; n is at least 1.
func below(s *random.Source, n uint64) uint64 {
	high, _ := bits.Mul64(s.Uint64(), n)
	return high
}

// draw returns an id.
func (d *dist) draw(s *random.Source) int64 {
	switch d.kind {
	case distUniform:
		return int64(below(s, d.size)) + 1
	case distGaussian:
		return d.mean(s)
	}
	// res percent of a range that is so much longer than the table lie behind the table.
	u := below(s, d.size*100/uint64(100-d.res))
	if u < d.size {
		return d.mean(s)
	}
	window := max(1, d.size*uint64(d.pct)/100)
	first := d.size/2 - d.size*uint64(d.pct)/200
	return int64(min(first+u%window, d.size-1)) + 1
}

// String describes the distribution for people.
func (d *dist) String() string {
	switch d.kind {
	case distGaussian:
		return fmt.Sprintf("gaussian (mean of %d draws)", d.iter)
	case distSpecial:
		return fmt.Sprintf("special of 0.4 (%d %% of the keys fall into %d %% of the range, at its middle; the others are bell-shaped around it)", d.res, d.pct)
	}
	return d.kind
}

// mean returns the mean of uniform ids.
func (d *dist) mean(s *random.Source) int64 {
	var sum uint64
	for range d.iter {
		sum += below(s, d.size)
	}
	return int64(sum/uint64(d.iter)) + 1
}

// maxText is the length of texts for the column c.
const maxText = 119

// appendNumbers appends ten random decimal numbers of 31 bits joined by dashes.
func appendNumbers(dst []byte, s *random.Source) []byte {
	start := len(dst)
	for i := range 10 {
		if i > 0 {
			dst = append(dst, '-')
		}
		dst = strconv.AppendUint(dst, s.Uint64()>>33, 10)
	}
	return dst[:min(len(dst), start+maxText)]
}
