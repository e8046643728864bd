package compare

import (
	"errors"
	"fmt"
)

// Until is when a study ends.
type Until int

// Rules. Fixed: after the planned rounds. Precise: when the intervals are narrow enough. Settled: when every comparison has an answer.
const (
	Fixed Until = iota
	Precise
	Settled
)

// Bounds and prices of stopping rules: looking often finds more by chance, so intervals are wider than the 95 % they stand for.
const (
	firstLook      = 5
	preciseLevel   = 0.03
	settledLevel   = 0.01
	maxSettledLook = 20
)

// Stopping is a stopping rule, chosen before the study starts. A fixed number of rounds that is extended afterwards makes a study Settled.
type Stopping struct {
	Until     Until
	Percent   float64 // half-width to reach, of Precise
	MaxRounds int     // at which the study ends anyhow; of Precise and Settled
}

// Validate says what is wrong with a rule.
func (s Stopping) Validate() error {
	switch {
	case s.Until == Fixed:
		return nil
	case s.MaxRounds < firstLook:
		return fmt.Errorf("a stopping rule looks from round %d on: at most %d rounds are too few", firstLook, s.MaxRounds)
	case s.Until == Settled && s.MaxRounds > maxSettledLook:
		return fmt.Errorf("until decided, at most %d rounds: more looks would need wider intervals still (got %d)", maxSettledLook, s.MaxRounds)
	case s.Until == Precise && !(s.Percent > 0):
		return errors.New("a stop by precision needs the half-width to reach, in percent")
	}
	return nil
}

// Level of the intervals and families of a study with this rule, for Plan.Level: 0.05, 0.03, or 0.01. Simulated coverage of the 97 % intervals at the stop: 94.9 to 98.2 %, so
// they are labelled "95 % after a stopping rule".
func (s Stopping) Level() float64 {
	switch s.Until {
	case Precise:
		return preciseLevel
	case Settled:
		return settledLevel
	}
	return DefaultLevel
}

// Label is how intervals are named: "95 %", "95 % after a stopping rule".
func (s Stopping) Label() string {
	if s.Until == Fixed {
		return "95 %"
	}
	return "95 % after a stopping rule"
}

// Done says whether the study ends after these rounds of the primary metric, and why. p is the study's plan; its level is set by the rule. A/A
// rows do not hold a study up.
//
// Precise, from the fifth round: the half-width of every comparison is at most ln(1+Percent/100). Settled: every comparison is
// better, worse or equivalent.
func (s Stopping) Done(p Plan, rows []Row) (bool, string, error) {
	if err := s.Validate(); err != nil {
		return false, "", err
	}
	if len(rows) == 0 {
		return false, "", nil
	}
	n := len(rows[0].Logs)
	if s.Until == Fixed {
		return p.Rounds > 0 && n >= p.Rounds, fmt.Sprintf("%d rounds were planned", p.Rounds), nil
	}
	p.Level, p.Rounds = s.Level(), s.MaxRounds
	all, err := p.Judge(rows)
	if err != nil || n < firstLook {
		return false, "", err
	}
	open := 0
	half := logarithm(s.Percent)
	for _, c := range all {
		switch {
		case c.AA:
		case s.Until == Precise && !(c.HasInterval && c.High-c.Low <= 2*half*(1+1e-12)) && c.Refusal != RefusedFixed:
			open++
		case s.Until == Settled && !c.Verdict.Decided():
			open++
		}
	}
	switch {
	case open == 0 && s.Until == Precise:
		return true, fmt.Sprintf("every interval is within ±%g %% after %d rounds", s.Percent, n), nil
	case open == 0:
		return true, fmt.Sprintf("every comparison is decided after %d rounds", n), nil
	case n >= s.MaxRounds:
		return true, fmt.Sprintf("%d rounds, the most that were allowed; %d of %d comparisons are open", n, open, len(all)), nil
	}
	return false, "", nil
}
