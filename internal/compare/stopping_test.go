package compare

import (
	"math"
	"strings"
	"testing"
)

func TestStoppingLevels(t *testing.T) {
	t.Parallel()
	for until, want := range map[Until]struct {
		level float64
		label string
	}{Fixed: {0.05, "95 %"}, Precise: {0.03, "95 % after a stopping rule"}, Settled: {0.01, "95 % after a stopping rule"}} {
		s := Stopping{Until: until}
		if s.Level() != want.level || s.Label() != want.label {
			t.Errorf("%v: level %g, %q", until, s.Level(), s.Label())
		}
	}
}

func TestStoppingRules(t *testing.T) {
	t.Parallel()
	e1 := logsE1(t, 8)
	five := moments5(t)
	reached := percent(tQuantile(0.985, 4) * five.StandardError())
	row := func(n int) []Row { return []Row{{Scenario: "new", Name: "cell", Logs: e1[:n]}} }
	noisy := []Row{{Scenario: "new", Name: "a", Logs: e1[:6]}, {Scenario: "new", Name: "b", Logs: []float64{0.3, -0.2, 0.1, -0.4, 0.2, 0.1}}}
	withAA := []Row{{Scenario: "new", Name: "a", Logs: e1[:6]}, {Scenario: "again", Name: "b", AA: true, Logs: noisy[1].Logs}}
	fixed := []Row{{Scenario: "new", Name: "a", Logs: []float64{0.5, 0.5, 0.5, 0.5, 0.5}}}
	for name, c := range map[string]struct {
		rule Stopping
		plan Plan
		rows []Row
		done bool
		why  string
	}{
		"no rounds":               {Stopping{Precise, 1, 20}, Plan{}, nil, false, ""},
		"planned rounds are done": {Stopping{}, Plan{Rounds: 8}, row(8), true, "8 rounds were planned"},
		"planned rounds are not":  {Stopping{}, Plan{Rounds: 8}, row(7), false, ""},
		"never before the fifth":  {Stopping{Precise, 50, 20}, Plan{}, row(4), false, ""},
		"precise at the fifth":    {Stopping{Precise, reached * 1.0001, 20}, Plan{}, row(5), true, "after 5 rounds"},
		"just not precise":        {Stopping{Precise, reached * 0.9999, 20}, Plan{}, row(5), false, ""},
		"one cell is open":        {Stopping{Precise, 5, 20}, Plan{}, noisy, false, ""},
		"A/A holds nothing up":    {Stopping{Precise, 5, 20}, Plan{}, withAA, true, "every interval is within ±5 % after 6 rounds"},
		"most rounds":             {Stopping{Precise, 5, 6}, Plan{}, noisy, true, "6 rounds, the most that were allowed; 1 of 2 comparisons are open"},
		"fixed values":            {Stopping{Precise, 1, 20}, Plan{}, fixed, true, "after 5 rounds"},
		"decided":                 {Stopping{Settled, 0, 20}, Plan{}, row(5), true, "every comparison is decided after 5 rounds"},
		"decided, but not all":    {Stopping{Settled, 0, 20}, Plan{}, noisy, false, ""},
		"decided by 99 % alone":   {Stopping{Settled, 0, 20}, Plan{Margin: 3.6}, row(5), false, ""},
	} {
		done, why, err := c.rule.Done(c.plan, c.rows)
		if err != nil || done != c.done || done && !strings.Contains(why, c.why) {
			t.Errorf("%s: %v, %q, %v; want %v, %q", name, done, why, err, c.done, c.why)
		}
	}
	// The last case is decided at 95 %.
	if c := judgeOne(t, Plan{Margin: 3.8}, e1[:5]); c.Verdict != Equivalent {
		t.Errorf("%v at 95 %%, want equivalent", c.Verdict)
	}
	for want, s := range map[string]Stopping{
		"at most 4 rounds are too few":          {Precise, 1, 4},
		"at most 20 rounds":                     {Settled, 0, 21},
		"needs the half-width to reach":         {Precise, 0, 20},
		"needs the half-width to reach, in per": {Precise, math.NaN(), 20},
	} {
		if _, _, err := s.Done(Plan{}, row(5)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want one with %q", s, err, want)
		}
	}
	if _, _, err := (Stopping{Precise, 1, 20}).Done(Plan{Margin: -1}, row(5)); err == nil {
		t.Error("no error of a plan that makes no sense")
	}
}

func moments5(t *testing.T) Paired {
	t.Helper()
	p, err := moments(logsE1(t, 5))
	if err != nil {
		t.Fatal(err)
	}
	return p
}
