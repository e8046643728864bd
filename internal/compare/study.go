package compare

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Row is one comparison that a study makes: a scenario in a cell (a workload with a number of threads), or its mean over the
// cells of a workload.
type Row struct {
	Scenario string
	Workload string // for WorkloadMeans; may be empty
	Name     string // of the cell, unique within a scenario
	Mean     bool   // a workload mean
	AA       bool   // the scenario is the baseline once more: a family of its own, which only tells of the noise
	// Logs are ln(scenario) - ln(baseline) of every round, for all rows the same number. NaN: a side failed. Infinite: a run completed no event.
	Logs []float64
	// Baseline and Values are the sides themselves, by round; nil where they are unknown, such as of a mean.
	Baseline, Values []float64
	Margin           float64 // percent; 0: that of the plan
	Events           int64   // of the run with the fewest; asked of quantiles only, 0: unknown
}

// NewRow is the comparison of two sides with a value per round each; NaN is a run that failed, a value that is not positive a run without a completed event.
// The slices are kept.
func NewRow(scenario, name string, baseline, values []float64) (Row, error) {
	if len(baseline) != len(values) {
		return Row{}, fmt.Errorf("%s, %s: %d rounds of the baseline and %d of the scenario: they are not pairs", scenario, name, len(baseline), len(values))
	}
	r := Row{Scenario: scenario, Name: name, Baseline: baseline, Values: values, Logs: make([]float64, len(values))}
	for i := range values {
		r.Logs[i] = logRatio(baseline[i], values[i])
	}
	return r, nil
}

// WorkloadMeans are further rows for those workloads of a scenario that have two or more cells among rows: the mean of L over the
// cells in every round, which is a geometric mean of the ratios over the ladder. A round in which a cell failed has none. They are the most powerful rows where runs vary
// more than restarts do; print them first.
func WorkloadMeans(rows []Row) []Row {
	type key struct {
		scenario, workload string
		aa                 bool
	}
	var order []key
	cells := map[key][]Row{}
	for _, r := range rows {
		if r.Mean {
			continue
		}
		k := key{r.Scenario, r.Workload, r.AA}
		if cells[k] == nil {
			order = append(order, k)
		}
		cells[k] = append(cells[k], r)
	}
	var means []Row
	for _, k := range order {
		of := cells[k]
		if len(of) < 2 {
			continue
		}
		m := Row{
			Scenario: k.scenario, Workload: k.workload, Name: k.workload, Mean: true, AA: k.aa,
			Logs: slices.Clone(of[0].Logs), Margin: of[0].Margin, Events: of[0].Events,
		}
		for _, r := range of[1:] {
			m.Margin, m.Events = max(m.Margin, r.Margin), min(m.Events, r.Events)
			for i := range min(len(m.Logs), len(r.Logs)) {
				m.Logs[i] += r.Logs[i]
			}
		}
		for i := range m.Logs {
			m.Logs[i] /= float64(len(of))
		}
		means = append(means, m)
	}
	return means
}

// Refusal is the code of a reason for which there is no verdict.
type Refusal string

// Refusals. Their sentences are in Comparison.Reason.
const (
	RefusedNoRound   Refusal = "no-round"   // every round lacks a side
	RefusedOneRound  Refusal = "one-round"  // n = 1
	RefusedTwoRounds Refusal = "two-rounds" // n = 2
	RefusedOneStart  Refusal = "one-start"  // of each server, so n = 1
	RefusedFixed     Refusal = "fixed"      // nothing varies
	RefusedNoEvents  Refusal = "no-events"  // a run completed none
	RefusedFewEvents Refusal = "few-events" // for a quantile
	RefusedRate      Refusal = "rate"       // throughput under --rate
	RefusedFewRuns   Refusal = "few-runs"   // unpaired, fewer than 5 a side
)

// Warning is what has to be said beside a number.
type Warning struct{ Code, Text string }

// Codes of warnings.
const (
	WarnOutlier        = "outlier"         // a round is far from the others
	WarnCheck          = "check"           // the check line disagrees
	WarnGrid           = "grid"            // the interval is as wide as a step of the values
	WarnTrend          = "trend"           // something changes over the rounds
	WarnToldApart      = "told-apart"      // A/A rows claim something
	WarnFewRounds      = "few-rounds"      // below 8 with several comparisons
	WarnSameStart      = "same-start"      // one server start
	WarnNotInterleaved = "not-interleaved" // unpaired
	WarnSecondary      = "secondary"       // not the primary metric
	WarnStopping       = "stopping"        // intervals are those of a stopping rule
	WarnExtended       = "extended"        // more rounds than were planned
)

// Comparison is what may be said of one row.
type Comparison struct {
	Scenario, Workload, Name string
	Mean, AA                 bool
	Secondary                bool // of a metric that is not the primary one
	Unpaired                 bool // the runs were not interleaved

	N, Of     int // rounds used, rounds there were; unpaired: runs of the scenario
	BaselineN int // unpaired: runs of the baseline

	Baseline, Value float64 // geometric means of the sides over the rounds used; 0: unknown

	HasEstimate, HasInterval bool
	Estimate, Low, High      float64 // logarithms of the ratio, see Percent
	SD                       float64 // of L; unpaired: the standard error of the difference
	Level                    float64 // 0.05: the interval is a 95 % one
	P, Adjusted              float64 // 1 without an interval
	K                        int     // comparisons of the family
	Method                   Method  // of the adjustment
	Margin                   float64 // percent

	Verdict Verdict
	Refusal Refusal // why the verdict is None
	Reason  string  // sentence: of a refusal, of a preliminary or undecided verdict

	Check    *Check
	Outlier  *Outlier
	SDC      float64   // smallest detectable change, percent: data like this shows it in four of five studies; 0: unknown
	Forecast *Forecast // of the rounds for Plan.Target; nil: unknown

	Warnings []Warning
}

// Percent returns the estimate and the ends of its interval as changes in percent.
func (c *Comparison) Percent() (estimate, low, high float64) {
	return percent(c.Estimate), percent(c.Low), percent(c.High)
}

// Claims says whether the comparison calls its sides different: an A/A row must not.
func (c *Comparison) Claims() bool {
	return c.HasInterval && c.N >= MinVerdict && c.Adjusted <= c.Level
}

// Judge judges all comparisons that a study makes in one metric together: adjustment for their number, verdicts, what could have been detected,
// forecasts, check lines, flags. The result is in the order of the rows. Errors are those of the caller: a plan that makes no sense, rows of different lengths or with the same name.
func (p Plan) Judge(rows []Row) ([]Comparison, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if err := validateRows(rows); err != nil {
		return nil, err
	}
	if len(rows) > 0 {
		p = p.forRounds(len(rows[0].Logs))
	}
	out := make([]Comparison, len(rows))
	for _, aa := range []bool{false, true} {
		var members []int
		for i, r := range rows {
			if r.AA == aa {
				members = append(members, i)
			}
		}
		if len(members) == 0 {
			continue
		}
		q := p
		if aa {
			q.Level, q.Scenarios = min(p.Level, aaLevel), 2
		}
		f := newStudyFamily(q, rows, members)
		if p.Scenarios > 0 && !aa && f.plan.Scenarios > p.Scenarios {
			return nil, fmt.Errorf("%d scenarios besides the baseline, where the plan has %d", f.plan.Scenarios-1, p.Scenarios-1)
		}
		for k, i := range members {
			out[i] = f.judge(k)
		}
	}
	return out, nil
}

func validateRows(rows []Row) error {
	type key struct {
		scenario, name string
		mean, aa       bool
	}
	seen := map[key]bool{}
	for _, r := range rows {
		if len(r.Logs) != len(rows[0].Logs) {
			return fmt.Errorf("%s, %s: %d rounds, where %s, %s has %d", r.Scenario, r.Name, len(r.Logs), rows[0].Scenario, rows[0].Name, len(rows[0].Logs))
		}
		for _, side := range [][]float64{r.Baseline, r.Values} {
			if len(side) != 0 && len(side) != len(r.Logs) {
				return fmt.Errorf("%s, %s: %d values of a side in %d rounds", r.Scenario, r.Name, len(side), len(r.Logs))
			}
		}
		if r.Margin < 0 || math.IsNaN(r.Margin) {
			return fmt.Errorf("%s, %s: margin %g %%: it must be above 0", r.Scenario, r.Name, r.Margin)
		}
		k := key{r.Scenario, r.Name, r.Mean, r.AA}
		if seen[k] {
			return fmt.Errorf("%s, %s: it is there twice", r.Scenario, r.Name)
		}
		seen[k] = true
	}
	return nil
}

// studyFamily is the comparisons that are judged together.
type studyFamily struct {
	plan     Plan // with its number of scenarios
	rows     []Row
	logs     [][]float64
	scenario []int
	Family
	critical []float64 // t* of each scenario, of the maximum; nil with Holm
}

func newStudyFamily(p Plan, all []Row, members []int) *studyFamily {
	f := &studyFamily{plan: p}
	number := map[string]int{}
	for _, i := range members {
		r := all[i]
		s, ok := number[r.Scenario]
		if !ok {
			s = len(number)
			number[r.Scenario] = s
		}
		f.rows, f.logs, f.scenario = append(f.rows, r), append(f.logs, r.Logs), append(f.scenario, s)
	}
	f.plan.Scenarios = p.scenarios(f.scenario)
	f.Family = f.plan.Adjust(f.logs, f.scenario)
	if f.Method == MaxTMethod {
		f.critical = make([]float64, f.plan.Scenarios-1)
		for s := range f.critical {
			var own [][]float64
			for i, row := range f.logs {
				if f.scenario[i] == s {
					own = append(own, row)
				}
			}
			f.critical[s] = math.NaN()
			if len(own) > 0 {
				f.critical[s] = maxTCritical(own, f.plan.Seed, f.plan.Level/float64(f.plan.Scenarios-1))
			}
		}
	}
	return f
}

// judge row i of the family.
func (f *studyFamily) judge(i int) Comparison {
	p, r := f.plan, f.rows[i]
	t, err := NewPaired(r.Logs, p.Level)
	t.Half = max(t.Half, p.Grid*boolean(err == nil))
	c := Comparison{
		Scenario: r.Scenario, Workload: r.Workload, Name: r.Name, Mean: r.Mean, AA: r.AA, Secondary: p.Secondary,
		N: t.N, Of: len(r.Logs), Level: p.Level, P: 1, Adjusted: 1, K: len(f.rows), Method: f.Method, Margin: r.Margin,
	}
	if c.Margin == 0 {
		c.Margin = p.Margin
	}
	c.Baseline, c.Value = sides(r)
	if t.N > 0 && !math.IsNaN(t.Mean) {
		c.HasEstimate, c.Estimate = true, t.Mean
	}
	if c.refuse(p, r, err) {
		return c
	}
	c.HasInterval, c.Low, c.High, c.SD = true, t.Mean-t.Half, t.Mean+t.Half, t.SD
	c.P, c.Adjusted = f.Raw[i], f.Adjusted[i]
	mu := logarithm(c.Margin)
	c.SDC = f.detectable(i, t, mu)
	c.Forecast = f.forecast(i, t)
	f.verdict(&c, t, mu)
	if check, ok := NewCheck(r.Logs, p.Level); ok {
		c.addCheck(&check, p.Better, mu)
	}
	if c.Outlier = FindOutlier(r.Logs, p.Level); c.Outlier != nil {
		c.warn(WarnOutlier, c.Outlier.text(t))
	}
	if t.Half == p.Grid {
		c.warn(WarnGrid, fmt.Sprintf("the values have steps of %.2f %%: the interval is one step wide on either side", percent(p.Grid)))
	}
	for _, text := range TrendWarnings(r.Logs, r.Baseline, r.Values, c.Margin) {
		c.warn(WarnTrend, text)
	}
	return c
}

func boolean(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func (c *Comparison) warn(code, text string) { c.Warnings = append(c.Warnings, Warning{code, text}) }

// sides are the geometric means of both over the rounds that count.
func sides(r Row) (baseline, value float64) {
	var b, v, n float64
	for i, l := range r.Logs {
		if i < len(r.Baseline) && i < len(r.Values) && !math.IsNaN(l) && !math.IsInf(l, 0) {
			b += math.Log(r.Baseline[i])
			v += math.Log(r.Values[i])
			n++
		}
	}
	if n == 0 {
		return 0, 0
	}
	return math.Exp(b / n), math.Exp(v / n)
}

// refuseMetric says whether these values cannot be compared whatever they are, and why.
func (c *Comparison) refuseMetric(p Plan, r Row) bool {
	switch {
	case p.RateLimited:
		c.Refusal, c.Reason = RefusedRate, RateSentence
	case p.Quantile > 0 && r.Events > 0 && TooFewEvents(r.Events, p.Quantile) != "":
		c.Refusal, c.Reason = RefusedFewEvents, TooFewEvents(r.Events, p.Quantile)
	default:
		return false
	}
	c.HasEstimate, c.Estimate = false, 0
	return true
}

// refuse says whether there is neither interval nor verdict, and why. err is that of NewPaired or NewWelch.
func (c *Comparison) refuse(p Plan, r Row, err error) bool {
	no := func(code Refusal, text string) bool {
		c.Refusal, c.Reason = code, text
		return true
	}
	switch {
	case c.refuseMetric(p, r):
		return true
	case errors.Is(err, ErrNoLogarithm):
		return no(RefusedNoEvents, err.Error())
	case c.N == 0:
		return no(RefusedNoRound, "no round has both sides: no comparison")
	case p.Starts == OneStartEach:
		c.N, c.Of, c.BaselineN = 1, 1, min(1, c.BaselineN)
		return no(RefusedOneStart, "the servers were started once each: this compares two starts, not two configurations (n = 1)")
	case c.N == 1:
		return no(RefusedOneRound, fmt.Sprintf("one round: no interval is possible, so no claim. Plan at least 5 rounds, better %d: where restarts differ by 1 %%, 8 rounds show a change of about 2.5 %%",
			recommendedRounds(p.Scenarios)))
	case c.N == 2:
		return no(RefusedTwoRounds, "two rounds give no usable interval (its factor is 12.7). Plan at least 5")
	case errors.Is(err, ErrNoSpread):
		return no(RefusedFixed, err.Error())
	}
	return false
}

// RateSentence refuses a throughput that the client set.
const RateSentence = "throughput under --rate is set by the client: refused, compare latency"

// detectable is the smallest detectable change of row i in percent, 0 where it is unknown.
func (f *studyFamily) detectable(i int, t Paired, mu float64) float64 {
	critical := CriticalT(f.plan.Level, len(f.rows), t.N)
	if f.critical != nil {
		critical = f.critical[f.scenario[i]]
	}
	df := float64(t.N - 1)
	power := tQuantile(powerAsked, df) * t.StandardError()
	sdc := max(DetectableChange(t.SD, t.N, critical, mu), f.plan.Grid+power)
	if math.IsNaN(sdc) || math.IsInf(sdc, 0) {
		return 0
	}
	return percent(sdc)
}

// forecast of row i: from its own noise with two scenarios, from that of all scenarios in its cell with more.
func (f *studyFamily) forecast(i int, t Paired) *Forecast {
	p := f.plan
	if p.Grid > logarithm(p.Target) {
		return nil // no number of rounds reaches it
	}
	sd, df := t.SD, float64(t.N-1)
	if p.Scenarios > 2 {
		var cell [][]float64
		for _, r := range f.rows {
			if r.Name == f.rows[i].Name && r.Mean == f.rows[i].Mean {
				cell = append(cell, r.Logs)
			}
		}
		if pooled, d, ok := PooledSD(cell); ok && len(cell) > 1 {
			sd, df = pooled, d
		}
	}
	forecast := NewForecast(sd, df, p.Target, p.Level)
	return &forecast
}

// verdict with its reason.
func (f *studyFamily) verdict(c *Comparison, t Paired, mu float64) {
	p := f.plan
	c.Verdict = t.Verdict(c.Adjusted, c.Margin, p.Better)
	switch c.Verdict {
	case Preliminary:
		c.Reason = fmt.Sprintf("preliminary: %s after %d rounds; a verdict needs 5.", interval(t.Percent()), t.N)
		if fc := c.Forecast; fc != nil {
			c.Reason += fmt.Sprintf(" About %s rounds for ±%.3g %% (between %s and %s)", roundsText(fc.About), fc.Target, roundsText(fc.Low), roundsText(fc.High))
		}
	case Undecided:
		c.Reason = undecidedReason(c.Estimate, c.Low, c.High, c.Adjusted, p.Level, mu, c.K, func() string {
			if p.Grid >= mu {
				return fmt.Sprintf("the values have steps of %.2f %%: too coarse for a margin of %g %%", percent(p.Grid), c.Margin)
			}
			return neededText(t, c.Forecast, mu, c.K)
		})
	}
}

// neededText says how many rounds a comparison whose interval holds 0 needs, in all: beyond the margin, until a change as large as the estimate is
// told from chance among k comparisons (Bonferroni's level, at which no correction is stricter); else until it is equivalent, if nothing changed. Both
// in four of five studies, and never fewer than one more than there are.
func neededText(t Paired, f *Forecast, mu float64, k int) string {
	noise := Forecast{SD: t.SD, DF: float64(t.N - 1)}
	if f != nil {
		noise = *f
	}
	m := math.Abs(t.Mean)
	need, purpose := func(sd float64) int { return RoundsForEquivalence(sd, mu, t.Level) }, "to show that nothing changed, if so"
	if m >= mu {
		need, purpose = func(sd float64) int { return RoundsToShow(sd, m, t.Level/float64(max(k, 1))) }, "if the change is as large as it looks"
	}
	about, low, high := noise.rangeOf(func(sd float64) int { return max(t.N+1, need(sd)) })
	if low >= ManyRounds {
		return fmt.Sprintf("needs %s rounds in all %s", roundsText(low), purpose)
	}
	return fmt.Sprintf("needs about %s rounds in all (%s to %s) %s", roundsText(about), roundsText(low), roundsText(high), purpose)
}

// addCheck sets the check line and says where it disagrees.
func (c *Comparison) addCheck(check *Check, better Direction, mu float64) {
	check.Verdict = verdict(check.Estimate, check.Low, check.High, c.Adjusted, c.Level, mu, better)
	outside := check.Estimate < c.Low || check.Estimate > c.High
	check.Agrees = check.Verdict == c.Verdict && !outside
	c.Check = check
	if check.Agrees {
		return
	}
	what := fmt.Sprintf("would say %s", check.Verdict)
	if check.Verdict == c.Verdict {
		what = "has its estimate outside the interval"
	}
	c.warn(WarnCheck, fmt.Sprintf("the check line (signed ranks: %s) %s: see whether a round is an outlier", interval(check.Percent()), what))
}

// Notes are what stands above or below all comparisons of a metric, the gravest first: cs is what Judge or JudgeUnpaired returned.
func (p Plan) Notes(cs []Comparison) []Warning {
	p = p.withDefaults()
	var w []Warning
	var detectable []float64
	n, k := math.MaxInt, 0
	apart, unpaired, extended := false, false, false
	for i := range cs {
		c := &cs[i]
		switch {
		case c.AA:
			apart = apart || c.Claims()
			continue
		case c.SDC > 0:
			detectable = append(detectable, c.SDC)
			n, k = min(n, c.N), max(k, c.K)
		}
		unpaired = unpaired || c.Unpaired
		extended = extended || !c.Unpaired && p.extended(c.Of)
	}
	if apart {
		w = append(w, Warning{WarnToldApart, toldApart})
	}
	if unpaired {
		text := notInterleaved
		if p.AssumeNoDrift {
			text = assumedNoDrift
		}
		w = append(w, Warning{WarnNotInterleaved, text})
	}
	if p.Starts == SameStart {
		w = append(w, Warning{WarnSameStart, "one server start: says nothing about other starts"})
	}
	if !unpaired && n < minMaxTRounds && k > 1 {
		slices.Sort(detectable)
		w = append(w, Warning{WarnFewRounds, fmt.Sprintf("%d rounds and %d comparisons: only changes above about %.1f %% can be told from chance; 8 or more rounds allow the stronger test",
			n, k, medianOfSorted(detectable))})
	}
	if extended {
		w = append(w, Warning{WarnExtended, fmt.Sprintf("more rounds than the %d that were planned: judged as a study that runs until it is decided, with 99 %% intervals and 0.01 in place of 0.05", p.Rounds)})
	} else if p.Level == preciseLevel || p.Level == settledLevel {
		w = append(w, Warning{WarnStopping, fmt.Sprintf("intervals: 95 %% after a stopping rule (computed as %g %%), and %g in place of 0.05", 100*(1-p.Level), p.Level)})
	}
	if p.Secondary {
		what := "secondary metric"
		if p.Metric != "" {
			what += " (" + p.Metric + ")"
		}
		w = append(w, Warning{WarnSecondary, what + ": its false claims are counted apart from those of the primary one"})
	}
	return w
}
