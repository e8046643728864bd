package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// sentence judges a study and returns the reason of its first row.
func sentence(t *testing.T, p Plan, rows ...Row) Comparison {
	t.Helper()
	all, err := p.Judge(rows)
	if err != nil {
		t.Fatal(err)
	}
	return all[0]
}

// The sentences of section 13 of the specification, and those of its other sections, word for word.
func TestSentencesOfRefusals(t *testing.T) {
	t.Parallel()
	nan, inf := math.NaN(), math.Inf(-1)
	row := func(logs ...float64) Row { return Row{Scenario: "new", Name: "cell", Logs: logs} }
	e1 := logsE1(t, 8)
	few := Row{Scenario: "new", Logs: e1, Events: 9999}
	for name, c := range map[string]struct {
		plan     Plan
		row      Row
		verdict  Verdict
		refusal  Refusal
		n, of    int
		estimate bool
		want     string
	}{
		"one round": {
			Plan{},
			row(e1[:1]...), None, RefusedOneRound, 1, 1, true,
			"one round: no interval is possible, so no claim. Plan at least 5 rounds, better 8: where restarts differ by 1 %, 8 rounds show a change of about 2.5 %",
		},
		"one round of many scenarios": {
			Plan{Scenarios: 3},
			row(e1[:1]...), None, RefusedOneRound, 1, 1, true,
			"one round: no interval is possible, so no claim. Plan at least 5 rounds, better 10: where restarts differ by 1 %, 8 rounds show a change of about 2.5 %",
		},
		"two rounds": {
			Plan{},
			row(e1[:2]...), None, RefusedTwoRounds, 2, 2, true,
			"two rounds give no usable interval (its factor is 12.7). Plan at least 5",
		},
		"two of eight rounds": {
			Plan{},
			row(nan, e1[0], nan, nan, nan, e1[5], nan, nan), None, RefusedTwoRounds, 2, 8, true,
			"two rounds give no usable interval (its factor is 12.7). Plan at least 5",
		},
		"three rounds": {
			Plan{Target: percent(0.005)},
			row(e1[:3]...), Preliminary, "", 3, 3, true,
			"preliminary: -2.86 % [-4.07, -1.63] after 3 rounds; a verdict needs 5. About 7 rounds for ±0.501 % (between 5 and 40)",
		},
		"four of five rounds": {
			Plan{},
			row(e1[0], nan, e1[1], e1[2], e1[3]), Preliminary, "", 4, 5, true,
			"preliminary: -3.06 % [-3.95, -2.16] after 4 rounds; a verdict needs 5. About 4 rounds for ±1 % (between 4 and 10)",
		},
		"preliminary, coarse values": {
			Plan{Grid: PercentileGrid},
			row(e1[:3]...), Preliminary, "", 3, 3, true,
			"preliminary: -2.86 % [-4.61, -1.08] after 3 rounds; a verdict needs 5.",
		},
		"one start": {
			Plan{Starts: OneStartEach},
			row(e1...), None, RefusedOneStart, 1, 1, true,
			"the servers were started once each: this compares two starts, not two configurations (n = 1)",
		},
		"fixed": {
			Plan{},
			row(0.5, 0.5, 0.5, 0.5, 0.5), None, RefusedFixed, 5, 5, true,
			"the same number in every round: the rate is fixed or the values are rounded; no interval",
		},
		"few events": {
			Plan{Quantile: 0.99},
			few, None, RefusedFewEvents, 8, 8, false,
			"9999 events are too few for p99: needs 10000",
		},
		"few events for p999": {
			Plan{Quantile: 0.999},
			few, None, RefusedFewEvents, 8, 8, false,
			"9999 events are too few for p999: needs 100000",
		},
		"rate": {
			Plan{RateLimited: true},
			row(e1...), None, RefusedRate, 8, 8, false,
			"throughput under --rate is set by the client: refused, compare latency",
		},
		"no event": {
			Plan{},
			row(0.1, 0.2, inf, 0.1, 0.2), None, RefusedNoEvents, 2, 5, false,
			"a run completed no event: its value has no logarithm, so no verdict",
		},
		"nothing": {
			Plan{},
			row(nan, nan), None, RefusedNoRound, 0, 2, false,
			"no round has both sides: no comparison",
		},
	} {
		got := sentence(t, c.plan, c.row)
		if got.Reason != c.want || got.Verdict != c.verdict || got.Refusal != c.refusal || got.N != c.n || got.Of != c.of || got.HasEstimate != c.estimate {
			t.Errorf("%s: %v (%s), n = %d of %d, estimate %v: %q; want %v (%s), %d of %d, %v: %q", name,
				got.Verdict, got.Refusal, got.N, got.Of, got.HasEstimate, got.Reason, c.verdict, c.refusal, c.n, c.of, c.estimate, c.want)
		}
		if refused := c.refusal != ""; got.HasInterval == refused || refused && (got.P != 1 || got.Adjusted != 1 || got.SDC != 0 || got.Forecast != nil) {
			t.Errorf("%s: refused, with interval %v, p %g, SDC %g", name, got.HasInterval, got.Adjusted, got.SDC)
		}
		if math.IsNaN(got.Estimate) || math.IsInf(got.Estimate, 0) {
			t.Errorf("%s: estimate %g", name, got.Estimate)
		}
	}
}

// Undecided comparisons say why.
func TestReasonsOfUndecided(t *testing.T) {
	t.Parallel()
	wide := []float64{0.05, -0.02, 0.06, -0.04, 0.01, -0.05, 0.03, -0.03}
	p, _ := moments(wide)
	c := judgeOne(t, Plan{}, wide)
	if want := fmt.Sprintf("needs about %d rounds in all (", RoundsForEquivalence(p.SD, logarithm(2), 0.05)); c.Verdict != Undecided || !strings.HasPrefix(c.Reason, want) {
		t.Errorf("%v, %q; want undecided, %q", c.Verdict, c.Reason, want)
	}
	// Steps of the values that are as wide as the margin cannot be made up for by rounds.
	c = judgeOne(t, Plan{Grid: PercentileGrid, Margin: 1}, []float64{0.0182, 0, 0, -0.0182, 0, 0})
	if want := "the values have steps of 1.84 %: too coarse for a margin of 1 %"; c.Verdict != Undecided || c.Reason != want {
		t.Errorf("%v, %q; want undecided, %q", c.Verdict, c.Reason, want)
	}
	rows := make([]Row, 20)
	for i := range rows {
		rows[i] = Row{Scenario: "new", Name: fmt.Sprint(i), Logs: wide[:7]}
	}
	rows[0].Logs = []float64{0.03, 0.05, 0.02, 0.06, 0.03, 0.01, 0.07}
	c = sentence(t, Plan{}, rows...)
	if want := "not beyond chance among 20 comparisons (adjusted p = 0.07)"; c.Verdict != Undecided || c.Reason != want || c.Low < 0 {
		t.Errorf("%v [%g, %g], %q; want undecided, %q", c.Verdict, c.Low, c.High, c.Reason, want)
	}
}

// What is beyond the margin and not told from chance needs the rounds that show it; what is within it those that show that nothing changed.
func TestNeededRounds(t *testing.T) {
	t.Parallel()
	mu := logarithm(2)
	for name, c := range map[string]struct {
		p    Paired
		f    *Forecast
		k    int
		want string
	}{
		"for equivalence":            {Paired{N: 5, Mean: 0, SD: 0.015, Level: 0.05}, nil, 1, "needs about 9 rounds in all (6 to 25) to show that nothing changed, if so"},
		"with the pooled noise":      {Paired{N: 5, Mean: 0, SD: 0.015, Level: 0.05}, &Forecast{SD: 0.02, DF: 20}, 1, "needs about 13 rounds in all (10 to 20) to show that nothing changed, if so"},
		"estimate within the margin": {Paired{N: 9, Mean: mu - 0.005, SD: 0.015, Level: 0.05}, nil, 1, "needs about 10 rounds in all (10 to 16) to show that nothing changed, if so"},
		"estimate beyond the margin": {Paired{N: 6, Mean: 0.109, SD: 0.129, Level: 0.05}, nil, 1, "needs about 14 rounds in all (9 to 37) if the change is as large as it looks"},
		"among many":                 {Paired{N: 6, Mean: -0.109, SD: 0.129, Level: 0.05}, nil, 20, "needs about 26 rounds in all (16 to 70) if the change is as large as it looks"},
		"at least one more":          {Paired{N: 9, Mean: 0.03, SD: 0.015, Level: 0.05}, nil, 1, "needs about 10 rounds in all (10 to 10) if the change is as large as it looks"},
		"too many":                   {Paired{N: 5, Mean: 0, SD: 3, Level: 0.05}, nil, 1, "needs 10,000 or more rounds in all to show that nothing changed, if so"},
	} {
		if got := neededText(c.p, c.f, mu, c.k); got != c.want {
			t.Errorf("%s: %s\nwant %s", name, got, c.want)
		}
	}
	// The published formula of the smallest detectable change, solved for n.
	for n := 3; n < 40; n++ {
		df := float64(n - 1)
		if got := RoundsToShow(1, (tQuantile(0.975, df)+tQuantile(0.8, df))/math.Sqrt(float64(n))*1.0000001, 0.05); got != n {
			t.Errorf("%d rounds for what %d show", got, n)
		}
	}
}

// A study that was extended has been looked at twice.
func TestExtendedStudies(t *testing.T) {
	t.Parallel()
	row := Row{Scenario: "new", Name: "cell", Logs: logsE1(t, 8)}
	for planned, want := range map[int]float64{0: 0.05, 8: 0.05, 10: 0.05, 7: 0.01} {
		plan := Plan{Rounds: planned}
		all, err := plan.Judge([]Row{row})
		if err != nil {
			t.Fatal(err)
		}
		p, _ := NewPaired(row.Logs, want)
		if c := all[0]; c.Level != want || !near(c.High, p.Mean+p.Half, 1e-12) {
			t.Errorf("%d planned: level %g, up to %g; want %g, %g", planned, c.Level, c.High, want, p.Mean+p.Half)
		}
		notes := plan.Notes(all)
		if extended := want == 0.01; extended != (len(notes) == 1 && notes[0].Code == WarnExtended && strings.HasPrefix(notes[0].Text, "more rounds than the 7 that were planned: ")) {
			t.Errorf("%d planned: notes %v", planned, notes)
		}
	}
}

// What is said once, above all comparisons of a metric.
func TestNotes(t *testing.T) {
	t.Parallel()
	rows := []Row{{Scenario: "new", Name: "1", Logs: logsE1(t, 5)}, {Scenario: "new", Name: "2", Logs: logsE1(t, 5)}}
	for want, p := range map[string]Plan{
		"one server start: says nothing about other starts":                                                                            {Starts: SameStart},
		"5 rounds and 2 comparisons: only changes above about 2.2 % can be told from chance; 8 or more rounds allow the stronger test": {},
		"intervals: 95 % after a stopping rule (computed as 97 %), and 0.03 in place of 0.05":                                          {Level: 0.03},
		"secondary metric: its false claims are counted apart from those of the primary one":                                           {Secondary: true},
		"secondary metric (p99): its false claims are counted apart from those of the primary one":                                     {Secondary: true, Metric: "p99"},
	} {
		all, err := p.Judge(rows)
		if err != nil {
			t.Fatal(err)
		}
		var texts []string
		for _, w := range p.Notes(all) {
			texts = append(texts, w.Text)
		}
		if !slices.Contains(texts, want) {
			t.Errorf("%+v: notes %q, want %q", p, texts, want)
		}
		for _, c := range all {
			if c.Secondary != p.Secondary {
				t.Errorf("%+v: secondary is %v", p, c.Secondary)
			}
		}
	}
	for name, c := range map[string]struct {
		rounds int
		rows   int
	}{"one comparison": {5, 1}, "eight rounds": {8, 2}} {
		var rows []Row
		for i := range c.rows {
			rows = append(rows, Row{Scenario: "new", Name: fmt.Sprint(i), Logs: logsE1(t, c.rounds)})
		}
		all, err := Plan{}.Judge(rows)
		if notes := (Plan{}).Notes(all); err != nil || len(notes) != 0 {
			t.Errorf("%s: notes %v, error %v; want none", name, notes, err)
		}
	}
}

// The largest SDC of Holm's family is what its smallest p values must reach; that of the maximum is smaller.
func TestSDCOfTheMethod(t *testing.T) {
	t.Parallel()
	rows, scenario := noise(2, 3, 8, 9)
	var family []Row
	for i, logs := range rows {
		family = append(family, Row{Scenario: fmt.Sprint(scenario[i]), Name: fmt.Sprint(i % 8), Logs: logs})
	}
	all, err := Plan{Margin: 0.01}.Judge(family)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range all {
		p, _ := NewPaired(rows[i], 0.05)
		first := scenario[i] * 8
		critical := maxTCritical(rows[first:first+8], 0, 0.05/3)
		want := percent(DetectableChange(p.SD, p.N, critical, logarithm(0.01)))
		holm := percent(DetectableChange(p.SD, p.N, CriticalT(0.05, 24, 9), logarithm(0.01)))
		if c.Method != MaxTMethod || !near(c.SDC, want, 1e-9) || c.SDC >= holm {
			t.Errorf("row %d: %v, SDC %.4f %%, want %.4f, and less than Holm's %.4f", i, c.Method, c.SDC, want, holm)
		}
	}
}

// Where two values in turns are all there is, some pattern of signs is always as far out: what could be detected is not known.
func TestUnknownSDC(t *testing.T) {
	t.Parallel()
	logs, scenario := noise(6, 5, 4, 8)
	var rows []Row
	for i := range logs {
		if scenario[i] == 0 {
			for r := range logs[i] {
				logs[i][r] = 0.01 + 0.02*float64(r>>(i%3)&1)
			}
		}
		rows = append(rows, Row{Scenario: fmt.Sprint(scenario[i]), Name: fmt.Sprint(i % 4), Logs: logs[i]})
	}
	all, err := Plan{}.Judge(rows)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range all {
		if known := c.SDC > 0; known == (scenario[i] == 0) || math.IsInf(c.SDC, 0) {
			t.Errorf("row %d: SDC %g", i, c.SDC)
		}
	}
}

func TestGridWidensIntervals(t *testing.T) {
	t.Parallel()
	logs := []float64{0, 0, 0.0182, 0, 0, 0, 0, 0}
	c := judgeOne(t, Plan{Grid: PercentileGrid, Margin: 10}, logs)
	if !near((c.High-c.Low)/2, 0.0182, 1e-12) || c.Verdict != Equivalent || c.Forecast != nil {
		t.Errorf("[%g, %g], %v, forecast %v; want a step on either side, equivalent, and no forecast for 1 %%", c.Low, c.High, c.Verdict, c.Forecast)
	}
	if got := warning(c, WarnGrid); got != "the values have steps of 1.84 %: the interval is one step wide on either side" {
		t.Errorf("warning %q", got)
	}
	if c.SDC < percent(PercentileGrid) {
		t.Errorf("SDC %g %% is below a step", c.SDC)
	}
	if fine := judgeOne(t, Plan{Margin: 10}, logs); fine.High-fine.Low > 0.02 || warning(fine, WarnGrid) != "" {
		t.Errorf("without a grid: [%g, %g]", fine.Low, fine.High)
	}
	coarse := judgeOne(t, Plan{Grid: 0.0001}, logsE1(t, 8))
	if plain := judgeOne(t, Plan{}, logsE1(t, 8)); coarse.Low != plain.Low {
		t.Error("a fine grid changes the interval")
	}
}

func TestDefaultsOfPlans(t *testing.T) {
	t.Parallel()
	for want, p := range map[float64]Plan{2: {}, 10: {Quantile: 0.99}, 3: {Quantile: 0.99, Margin: 3}} {
		if c := judgeOne(t, p, logsE1(t, 8)); c.Margin != want || c.Level != 0.05 {
			t.Errorf("%+v: margin %g %%, level %g", p, c.Margin, c.Level)
		}
	}
	if c := judgeOne(t, Plan{Quantile: 0.5}, logsE1(t, 8)); c.Margin != 2 {
		t.Errorf("margin of a median %g %%, want 2", c.Margin)
	}
	c := sentence(t, Plan{}, Row{Logs: logsE1(t, 8), Margin: 5})
	if c.Margin != 5 || c.Verdict != Equivalent {
		t.Errorf("margin %g %%, %v; want the row's own 5 %%, equivalent", c.Margin, c.Verdict)
	}
}

func TestSidesAreGeometricMeansOfTheRoundsUsed(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	r, err := NewRow("new", "cell", []float64{100, nan, 400, 1000, 500}, []float64{200, 5, 200, nan, 0.5})
	if err != nil {
		t.Fatal(err)
	}
	c := sentence(t, Plan{}, r)
	if c.N != 3 || c.Of != 5 || !near(c.Baseline, math.Cbrt(2e7), 1e-9) || !near(c.Value, math.Cbrt(2e4), 1e-9) || !near(math.Exp(c.Estimate), c.Value/c.Baseline, 1e-9) {
		t.Errorf("n = %d of %d, sides %g and %g, ratio %g", c.N, c.Of, c.Baseline, c.Value, math.Exp(c.Estimate))
	}
	if c := judgeOne(t, Plan{}, logsE1(t, 8)); c.Baseline != 0 || c.Value != 0 {
		t.Errorf("sides %g and %g where none were given", c.Baseline, c.Value)
	}
	r, err = NewRow("new", "cell", []float64{100, 100, 0}, []float64{200, 100, 0})
	if c := sentence(t, Plan{}, r); err != nil || c.Refusal != RefusedNoEvents {
		t.Errorf("two sides without events: %q, %v", c.Refusal, err)
	}
}

func TestWorkloadMeans(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	rows := []Row{
		{Scenario: "a", Workload: "ro", Name: "ro 1", Logs: []float64{0.1, 0.2, nan}, Margin: 2, Events: 50},
		{Scenario: "a", Workload: "wo", Name: "wo 1", Logs: []float64{1, 1, 1}},
		{Scenario: "b", Workload: "ro", Name: "ro 1", Logs: []float64{0, 0, 1}},
		{Scenario: "a", Workload: "ro", Name: "ro 4", Logs: []float64{0.3, 0.6, 0.5}, Margin: 3, Events: 40},
		{Scenario: "b", Workload: "ro", Name: "ro 4", Logs: []float64{1, 1, 1}},
		{Scenario: "a", Workload: "ro", Name: "again", AA: true, Logs: []float64{1, 1, 1}},
	}
	means := WorkloadMeans(append(rows, Row{Scenario: "a", Workload: "wo", Mean: true, Logs: []float64{9, 9, 9}}))
	if len(means) != 2 {
		t.Fatalf("%d means: %+v, want one of a and one of b", len(means), means)
	}
	m := means[0]
	if m.Scenario != "a" || m.Workload != "ro" || m.Name != "ro" || !m.Mean || m.Margin != 3 || m.Events != 40 ||
		!near(m.Logs[0], 0.2, 1e-12) || !near(m.Logs[1], 0.4, 1e-12) || !math.IsNaN(m.Logs[2]) {
		t.Errorf("mean %+v", m)
	}
	if !slices.Equal(means[1].Logs, []float64{0.5, 0.5, 1}) || means[1].Scenario != "b" {
		t.Errorf("mean %+v", means[1])
	}
	if rows[0].Logs[0] != 0.1 {
		t.Error("the cells themselves have changed")
	}
}

// Data that ages is said beside the number.
func TestTrendsAreTold(t *testing.T) {
	t.Parallel()
	base, value := make([]float64, 8), make([]float64, 8)
	for i := range base {
		base[i] = 1000 + float64(i%3)
		value[i] = 1000 * (1 - 0.02*float64(i)) * (1 + 0.001*float64(i%2))
	}
	r, err := NewRow("new", "cell", base, value)
	if err != nil {
		t.Fatal(err)
	}
	if got := warning(sentence(t, Plan{}, r), WarnTrend); !strings.Contains(got, "drifts") {
		t.Errorf("warning %q, want that the change drifts", got)
	}
	if got := warning(judgeOne(t, Plan{}, logsE1(t, 8)), WarnTrend); got != "" {
		t.Errorf("warning %q of a study without a trend", got)
	}
}

func TestRowsThatMakeNoSense(t *testing.T) {
	t.Parallel()
	e1 := logsE1(t, 8)
	for want, rows := range map[string][]Row{
		"b, 2: 7 rounds, where a, 1 has 8": {{Scenario: "a", Name: "1", Logs: e1}, {Scenario: "b", Name: "2", Logs: e1[:7]}},
		"a, 1: it is there twice":          {{Scenario: "a", Name: "1", Logs: e1}, {Scenario: "a", Name: "1", Logs: e1}},
		"a, 1: margin -1 %":                {{Scenario: "a", Name: "1", Logs: e1, Margin: -1}},
		"a, 1: 2 values of a side in 8":    {{Scenario: "a", Name: "1", Logs: e1, Values: []float64{1, 2}}},
	} {
		if _, err := (Plan{}).Judge(rows); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	if _, err := NewRow("a", "1", e1, e1[:3]); err == nil || !strings.Contains(err.Error(), "not pairs") {
		t.Errorf("error %v of sides of different lengths", err)
	}
	if all, err := (Plan{}).Judge(nil); err != nil || len(all) != 0 {
		t.Errorf("%v, %v of no rows", all, err)
	}
}

// study makes rows of a study with a failed round now and then.
func study(seed uint64, scenarios, cells, rounds int, failures bool) []Row {
	logs, scenario := noise(seed, scenarios, cells, rounds)
	r := rand.New(rand.NewPCG(seed, 2))
	var rows []Row
	for i := range logs {
		if failures && r.IntN(3) == 0 {
			logs[i][r.IntN(rounds)] = math.NaN()
		}
		rows = append(rows, Row{Scenario: fmt.Sprint("s", scenario[i]), Workload: "w", Name: fmt.Sprint("c", i%cells), Logs: logs[i]})
	}
	return rows
}

// Swapping the sides of all comparisons flips signs and verdicts, and nothing else; so does the direction of the metric for verdicts.
func TestSwappedSides(t *testing.T) {
	t.Parallel()
	flipped := map[Verdict]Verdict{Better: Worse, Worse: Better}
	for seed := range uint64(12) {
		rows := study(seed, 2, 5, 6+int(seed)%5, seed%3 == 0)
		swapped := slices.Clone(rows)
		for i := range swapped {
			swapped[i].Logs = slices.Clone(rows[i].Logs)
			for r := range swapped[i].Logs {
				swapped[i].Logs[r] *= -1
			}
		}
		plan := Plan{Margin: 0.3}
		a, err := plan.Judge(rows)
		if err != nil {
			t.Fatal(err)
		}
		b, _ := plan.Judge(swapped)
		plan.Better = LowerIsBetter
		lower, _ := plan.Judge(rows)
		for i := range a {
			want := a[i].Verdict
			if f, ok := flipped[want]; ok {
				want = f
			}
			if b[i].Verdict != want || lower[i].Verdict != want {
				t.Errorf("seed %d, row %d: %v, swapped %v, less is better %v", seed, i, a[i].Verdict, b[i].Verdict, lower[i].Verdict)
			}
			for _, v := range [][2]float64{
				{a[i].Estimate, -b[i].Estimate},
				{a[i].Low, -b[i].High},
				{a[i].High, -b[i].Low},
				{a[i].Adjusted, b[i].Adjusted},
				{a[i].P, b[i].P},
				{a[i].SDC, b[i].SDC},
				{float64(a[i].Forecast.High), float64(b[i].Forecast.High)},
			} {
				if !near(v[0], v[1], 1e-9) {
					t.Errorf("seed %d, row %d: %g became %g", seed, i, v[0], v[1])
				}
			}
		}
	}
}

// The order of the rows changes nothing; neither does that of the rounds, up to rounding.
func TestOrderOfRowsAndRounds(t *testing.T) {
	t.Parallel()
	for seed := range uint64(12) {
		rounds := 6 + int(seed)%5
		rows := study(seed, 3, 4, rounds, seed%3 == 0)
		plan := Plan{Margin: 0.3}
		want, err := plan.Judge(rows)
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(seed, 3))
		places, times := r.Perm(len(rows)), r.Perm(rounds)
		mixed := make([]Row, len(rows))
		for k, i := range places {
			mixed[k] = rows[i]
			mixed[k].Logs = make([]float64, rounds)
			for to, from := range times {
				mixed[k].Logs[to] = rows[i].Logs[from]
			}
		}
		got, _ := plan.Judge(mixed)
		for k, i := range places {
			a, b := want[i], got[k]
			if a.Scenario != b.Scenario || a.Name != b.Name || a.Verdict != b.Verdict || a.Forecast.About != b.Forecast.About {
				t.Errorf("seed %d, row %d: %v, in another order %v", seed, i, a, b)
			}
			for _, v := range [][2]float64{{a.Estimate, b.Estimate}, {a.Low, b.Low}, {a.Adjusted, b.Adjusted}, {a.SDC, b.SDC}, {a.SD, b.SD}} {
				if !near(v[0], v[1], 1e-9) {
					t.Errorf("seed %d, row %d: %g, in another order %g", seed, i, v[0], v[1])
				}
			}
		}
	}
}

// Units do not matter: values in thousands give the same comparison.
func TestScaleOfValues(t *testing.T) {
	t.Parallel()
	base, value := slices.Clone(baselineE1), slices.Clone(scenarioE1)
	for i := range base {
		base[i] *= 1000
		value[i] *= 1000
	}
	a, err := NewRow("new", "cell", baselineE1, scenarioE1)
	b, err2 := NewRow("new", "cell", base, value)
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	x, y := sentence(t, Plan{}, a), sentence(t, Plan{}, b)
	if !near(x.Estimate, y.Estimate, 1e-12) || !near(x.Low, y.Low, 1e-12) || !near(x.P, y.P, 1e-12) || x.Verdict != y.Verdict || !near(1000*x.Value, y.Value, 1e-6) {
		t.Errorf("%+v\n%+v in thousands", x, y)
	}
}
