package compare

import (
	"fmt"
	"math"
)

// aaLevel is that of the family of A/A comparisons.
const aaLevel = 0.01

// Rounds of A/A comparisons for a margin.
const (
	minAARounds  = 8
	leastMargin  = 0.5 // percent
	marginPrints = 10  // steps of a percent
)

// toldApart stands above all results of a study whose A/A rows claim something.
const toldApart = "identical systems were told apart: the noise is not what these intervals assume"

// AutoMargin is the margin, in percent, that a plan of that many rounds can confirm, from A/A comparisons (the baseline against its copy): logs are L by
// round of each cell of a workload. It is ConfirmableMargin of the root mean square of the cells' standard deviations,
// rounded up to 0.1 %, at least 0.5 %. Fewer than 8 A/A rounds are an error; 12 are recommended.
//
// What change matters remains the user's choice; the noise floor itself must not be the margin, or hardly anything would ever be equivalent.
func AutoMargin(logs [][]float64, rounds int) (float64, error) {
	if rounds < 3 {
		return 0, fmt.Errorf("a plan of %d rounds can confirm no margin; plan at least 5", rounds)
	}
	var squares float64
	fewest := math.MaxInt
	for _, cell := range logs {
		p, err := moments(cell)
		if math.IsNaN(p.Mean) {
			return 0, err
		}
		fewest = min(fewest, p.N)
		squares += p.SD * p.SD
	}
	if len(logs) == 0 {
		fewest = 0
	}
	if fewest < minAARounds {
		return 0, fmt.Errorf("%d A/A rounds cannot set a margin: it would be off by a factor of two; give one, or run 12", fewest)
	}
	margin := ConfirmableMargin(math.Sqrt(squares/float64(len(logs))), rounds)
	return max(leastMargin, math.Ceil(margin*marginPrints-1e-9)/marginPrints), nil
}
