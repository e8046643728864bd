package compare

import (
	"fmt"
	"math"
	"strings"
)

// minBeyond is the number of events beyond a quantile without which it is noise.
const minBeyond = 100

// EventsForQuantile is how many events a run needs before its p-quantile may be compared: 100/(1-p), so 10,000 for p99. p is from 0 to below 1.
func EventsForQuantile(p float64) int64 { return int64(math.Ceil(minBeyond/(1-p) - 1e-6)) }

// TooFewEvents is the refusal of a quantile p of runs of which the smallest had so many events, or "".
func TooFewEvents(events int64, p float64) string {
	if events >= EventsForQuantile(p) {
		return ""
	}
	return fmt.Sprintf("%d events are too few for %s: needs %d", events, QuantileName(p), EventsForQuantile(p))
}

// QuantileName is how p is spoken of: p50, p99, p999.
func QuantileName(p float64) string {
	digits := strings.TrimPrefix(fmt.Sprintf("%.6g", p), "0.")
	if len(digits) == 1 {
		digits += "0"
	}
	return "p" + digits
}
