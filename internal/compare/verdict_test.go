package compare

import (
	"math"
	"strings"
	"testing"
)

// E5: estimate and interval in percent, adjusted p, margin 2 %, eight rounds; each also with the sides swapped, and for a metric of which less
// is better.
func TestVerdictsWorkedExample(t *testing.T) {
	t.Parallel()
	const needed = "needs about 12 rounds in all"
	for _, c := range []struct {
		estimate, low, high, p float64
		want                   Verdict
		reason                 string
	}{
		{0.8, 0.3, 1.4, 0.01, Equivalent, ""},
		{1.5, 0.4, 2.6, 0.01, Undecided, "a change, but not shown to matter: within or across the margin"},
		{2.4, 0.2, 4.7, 0.08, Undecided, "not beyond chance among 5 comparisons (adjusted p = 0.08)"},
		{2.4, 0.2, 4.7, 0.04, Better, ""},
		{-0.2, -2.4, 2.1, 1, Undecided, needed},
		{-2.4, -4.7, -0.2, 0.04, Worse, ""},
	} {
		for _, sign := range []float64{1, -1} {
			mean, low, high := sign*math.Log1p(c.estimate/100), math.Log1p(c.low/100), math.Log1p(c.high/100)
			p := Paired{N: 8, Level: 0.05, Mean: mean, Half: (high - low) / 2}
			want := c.want
			if sign < 0 && want.Decided() && want != Equivalent {
				want = Better + Worse - want
			}
			if got := p.Verdict(c.p, 2, HigherIsBetter); got != want {
				t.Errorf("%+v, sign %g: %v, want %v", c, sign, got, want)
			}
			if got := (Paired{N: 8, Level: 0.05, Mean: -mean, Half: p.Half}).Verdict(c.p, 2, LowerIsBetter); got != want {
				t.Errorf("%+v, sign %g, less is better: %v, want %v", c, sign, got, want)
			}
			if want == Undecided {
				got := undecidedReason(mean, mean-p.Half, mean+p.Half, c.p, 0.05, logarithm(2), 5, func() string { return needed })
				if got != c.reason {
					t.Errorf("%+v: reason %q, want %q", c, got, c.reason)
				}
			}
		}
	}
}

// The borders of the rules, in logarithms with a margin of 2 %.
func TestVerdictBorders(t *testing.T) {
	t.Parallel()
	mu := math.Log1p(0.02)
	for name, c := range map[string]struct {
		mean, half, p float64
		n             int
		want          Verdict
	}{
		"four rounds":                   {0.1, 0.01, 0.001, 4, Preliminary},
		"estimate at the margin":        {mu, 0.001, 0.05, 5, Better},
		"estimate below the margin":     {mu * 0.999, 0.001, 0.05, 5, Undecided},
		"interval just inside":          {0, mu * 0.999, 1, 5, Equivalent},
		"interval to the margin":        {0, mu, 1, 5, Undecided},
		"interval to 0":                 {0.03, 0.03, 0.01, 5, Undecided},
		"p above the level":             {0.03, 0.01, 0.0501, 5, Undecided},
		"below the margin, not above":   {-mu / 2, mu / 2 * 0.999, 0.01, 5, Equivalent},
		"beyond the margin and certain": {-0.1, 0.01, 0, 5, Worse},
	} {
		p := Paired{N: c.n, Level: 0.05, Mean: c.mean, Half: c.half}
		if got := p.Verdict(c.p, 2, HigherIsBetter); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	// After a stopping rule 0.03 and 0.01 take the place of 0.05.
	p := Paired{N: 8, Level: 0.03, Mean: 0.05, Half: 0.02}
	if got := p.Verdict(0.04, 2, HigherIsBetter); got != Undecided {
		t.Errorf("p = 0.04 at level 0.03: %v, want undecided", got)
	}
}

// E1 and E3 as verdicts.
func TestVerdictsOfWorkedExamples(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		n        int
		at2, at5 Verdict
	}{{8, Worse, Equivalent}, {5, Worse, Equivalent}, {3, Preliminary, Preliminary}} {
		for margin, want := range map[float64]Verdict{2: c.at2, 5: c.at5} {
			got, err := Plan{Margin: margin}.Judge([]Row{{Scenario: "new", Logs: logsE1(t, c.n)}})
			if err != nil || got[0].Verdict != want {
				t.Errorf("%d rounds, margin %g %%: %v, %v; want %v", c.n, margin, got[0].Verdict, err, want)
			}
		}
	}
	var rows []Row
	for i, logs := range rowsE3() {
		rows = append(rows, Row{Scenario: "new", Name: string(rune('A' + i)), Logs: logs})
	}
	got, err := Plan{}.Judge(rows)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []Verdict{Worse, Equivalent, Equivalent, Undecided, Equivalent} {
		if got[i].Verdict != want {
			t.Errorf("E3, row %s: %v, want %v", got[i].Name, got[i].Verdict, want)
		}
	}
	// The specification prints -2.3910 and -0.8340; its own t of 4.8983 gives -1.6125 ± 0.7784.
	d := got[3]
	if !near(100*d.Low, -2.39092, 1e-5) || !near(100*d.High, -0.83408, 1e-5) || d.Reason != "a change, but not shown to matter: within or across the margin" {
		t.Errorf("E3, row D: %.4f..%.4f log-%%, %q", 100*d.Low, 100*d.High, d.Reason)
	}
	if b := got[1]; !near(100*logarithm(b.SDC), 2.2243, 5e-5) {
		t.Errorf("E3, row B: SDC %.4f log-%%, want 2.2243", 100*logarithm(b.SDC))
	}
}

func TestVerdictWords(t *testing.T) {
	t.Parallel()
	var words []string
	for v := None; v <= Equivalent; v++ {
		words = append(words, v.String())
		if want := v >= Better; v.Decided() != want {
			t.Errorf("%v is decided: %v", v, !want)
		}
	}
	if got := strings.Join(words, " "); got != "none preliminary undecided better worse equivalent" {
		t.Errorf("words %q", got)
	}
}

func TestPValuesAsText(t *testing.T) {
	t.Parallel()
	for p, want := range map[float64]string{0: "< 0.0001", 0.00012: "= 0.00012", 0.0234: "= 0.023", 0.5: "= 0.5", 0.994: "= 0.99", 0.999: "= 1", 1: "= 1"} {
		if got := equalsP(p); got != want {
			t.Errorf("p = %g is printed %q, want %q", p, got, want)
		}
	}
}
