package compare

import (
	"math"
	"testing"
)

// E8.
func aaE8() []float64 {
	logs := []float64{0.8, -1.2, 0.3, 1.5, -0.4, -1.9, 0.6, 1.1, -0.7, 0.2, -1.3, 0.9}
	for i := range logs {
		logs[i] /= 100
	}
	return logs
}

func TestAutoMarginWorkedExample(t *testing.T) {
	t.Parallel()
	p, err := moments(aaE8())
	if err != nil || !near(100*p.SD, 1.0783, 5e-5) {
		t.Errorf("sd %.4f log-%%, %v; want 1.0783", 100*p.SD, err)
	}
	for _, c := range []struct {
		rounds      int
		exact, auto float64
	}{{8, 1.4513, 1.5}, {12, 1.1157, 1.2}} {
		if got := ConfirmableMargin(p.SD, c.rounds); !near(got, c.exact, 5e-5) {
			t.Errorf("%d rounds confirm %.4f %%, want %.4f", c.rounds, got, c.exact)
		}
		got, err := AutoMargin([][]float64{aaE8()}, c.rounds)
		if err != nil || got != c.auto {
			t.Errorf("margin for %d rounds %g, %v; want %g", c.rounds, got, err, c.auto)
		}
	}
}

func TestAutoMarginOfCells(t *testing.T) {
	t.Parallel()
	quiet := aaE8()
	for i := range quiet {
		quiet[i] /= 100
	}
	if got, err := AutoMargin([][]float64{quiet}, 8); err != nil || got != 0.5 {
		t.Errorf("margin of a quiet host %g, %v; want at least 0.5", got, err)
	}
	// The root mean square of sd and sd/100 is sd/√2.
	p, _ := moments(aaE8())
	want := math.Ceil(10*ConfirmableMargin(p.SD*math.Sqrt((1+1e-4)/2), 8)) / 10
	if got, err := AutoMargin([][]float64{aaE8(), quiet}, 8); err != nil || got != want {
		t.Errorf("margin of a noisy and a quiet cell %g, %v; want %g", got, err, want)
	}
	failed := aaE8()
	for i := range 5 {
		failed[i] = math.NaN()
	}
	for want, c := range map[string]struct {
		logs   [][]float64
		rounds int
	}{
		"7 A/A rounds cannot set a margin: it would be off by a factor of two; give one, or run 12":  {[][]float64{aaE8()[:7]}, 8},
		"7 A/A rounds cannot set a margin: it would be off by a factor of two; give one, or run 12 ": {[][]float64{aaE8(), failed}, 8},
		"0 A/A rounds cannot set a margin: it would be off by a factor of two; give one, or run 12":  {nil, 8},
		"a plan of 2 rounds can confirm no margin; plan at least 5":                                  {[][]float64{aaE8()}, 2},
		"a run completed no event: its value has no logarithm, so no verdict":                        {[][]float64{{math.Inf(1), 0, 0, 0, 0, 0, 0, 0, 0}}, 8},
	} {
		if m, err := AutoMargin(c.logs, c.rounds); err == nil || err.Error()+" " != want && err.Error() != want {
			t.Errorf("margin %g, error %v; want %q", m, err, want)
		}
	}
	// Eight rounds without any noise: the least margin, no division by nothing.
	if got, err := AutoMargin([][]float64{make([]float64, 8)}, 8); err != nil || got != 0.5 {
		t.Errorf("margin of equal runs %g, %v; want 0.5", got, err)
	}
}

// A/A rows are a family of their own at 0.01; they never count among the others.
func TestAARowsAreApart(t *testing.T) {
	t.Parallel()
	rows := []Row{
		{Scenario: "new", Name: "1", Logs: logsE1(t, 8)},
		{Scenario: "baseline again", Name: "1", AA: true, Logs: aaE8()[:8]},
		{Scenario: "new", Name: "2", Logs: logsE1(t, 8)},
		{Scenario: "baseline again", Name: "2", AA: true, Logs: aaE8()[4:]},
	}
	plan := Plan{Scenarios: 2}
	all, err := plan.Judge(rows)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range all {
		level := 0.05
		if c.AA {
			level = 0.01
		}
		if c.AA != rows[i].AA || c.K != 2 || c.Level != level || c.Claims() == c.AA {
			t.Errorf("%s %s: K = %d, level %g, claims %v", c.Scenario, c.Name, c.K, c.Level, c.Claims())
		}
	}
	if notes := plan.Notes(all); len(notes) != 0 {
		t.Errorf("notes %v of a sound study", notes)
	}
	rows[3].Logs = logsE1(t, 8)
	if all, err = plan.Judge(rows); err != nil {
		t.Fatal(err)
	}
	notes := plan.Notes(all)
	if len(notes) != 1 || notes[0] != (Warning{WarnToldApart, "identical systems were told apart: the noise is not what these intervals assume"}) {
		t.Errorf("notes %v, want that the systems were told apart", notes)
	}
}
