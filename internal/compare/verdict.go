package compare

import (
	"fmt"
	"math"
)

// Direction says what is good.
type Direction int

// Directions. Throughput: higher; latencies and costs per query: lower.
const (
	HigherIsBetter Direction = iota
	LowerIsBetter
)

// Verdict is what may be said of a change.
type Verdict int

// Verdicts. None: refused, or no verdict is wanted; the reason says why. Preliminary: an interval, but too few rounds to judge it.
const (
	None Verdict = iota
	Preliminary
	Undecided
	Better
	Worse
	Equivalent
)

// String is the word used in tables.
func (v Verdict) String() string {
	return [...]string{"none", "preliminary", "undecided", "better", "worse", "equivalent"}[v]
}

// Decided says whether v answers the question.
func (v Verdict) Decided() bool { return v == Better || v == Worse || v == Equivalent }

// MinVerdict is the number of rounds from which on a verdict is given.
const MinVerdict = 5

// Verdict judges a comparison whose p value was adjusted for all comparisons of the study; margin is the change in percent
// that matters, > 0.
//
// Equivalent: the interval lies inside the margin (also when 0 lies outside: a real but small change). Better or worse: the adjusted p is
// at most the level, the interval leaves out 0, and the estimate is at least the margin. Anything else is undecided. Equivalence is two one-sided
// tests (D. J. Schuirmann, J. Pharmacokinetics and Biopharmaceutics 15, 1987), not adjusted for the number of comparisons.
func (p Paired) Verdict(adjusted, margin float64, better Direction) Verdict {
	if p.N < MinVerdict {
		return Preliminary
	}
	return verdict(p.Mean, p.Mean-p.Half, p.Mean+p.Half, adjusted, p.Level, logarithm(margin), better)
}

// verdict of an estimate with its interval; mu is the margin in logarithms.
func verdict(m, low, high, adjusted, level, mu float64, better Direction) Verdict {
	switch {
	case low > -mu && high < mu:
		return Equivalent
	case adjusted > level || low <= 0 && high >= 0 || math.Abs(m) < mu:
		return Undecided
	case (m > 0) == (better == HigherIsBetter):
		return Better
	}
	return Worse
}

// undecidedReason says why: the first that holds. k are the comparisons of the family, needed the rounds in all.
func undecidedReason(m, low, high, adjusted, level, mu float64, k int, needed func() string) string {
	excludes := low > 0 || high < 0
	switch {
	case excludes && adjusted > level:
		return fmt.Sprintf("not beyond chance among %d comparisons (adjusted p %s)", k, equalsP(adjusted))
	case excludes && math.Abs(m) < mu:
		return "a change, but not shown to matter: within or across the margin"
	}
	return needed()
}

// equalsP prints a p value with two significant digits and the sign before it: "= 0.023", "< 0.0001".
func equalsP(p float64) string {
	switch {
	case p >= 0.995:
		return "= 1"
	case p < 0.0001:
		return "< 0.0001"
	}
	return fmt.Sprintf("= %.2g", p)
}
