package table

import (
	"cmp"
	"io"
	"math"
	"slices"
)

// Comparisons are lines that belong together: one question, one baseline in each target. The caller owns all of it; nothing
// is changed by writing.
type Comparisons struct {
	Title     string     `json:"title" doc:"what is compared, for people"`
	Source    string     `json:"source" doc:"where the figures come from when they were not measured here; else empty"`
	Baseline  string     `json:"baseline" doc:"name of the scenario that the others are compared with; empty when nothing is compared"`
	Scenarios []Scenario `json:"scenarios" doc:"in the order of tables, the baseline included; may be empty"`
	Method    string     `json:"method" doc:"how estimates and intervals were computed, for people; empty without any"`
	Margin    *float64   `json:"marginPercent" doc:"the change that matters; null when nothing was judged"`
	Family    int        `json:"family" min:"0" doc:"comparisons that share the 5 % of false calls; 0 when nothing was judged"`
	// FamilyMeans: the family has means over the ladder too, also where these lines have none.
	FamilyMeans bool     `json:"-"`
	Before      []string `json:"before" doc:"what must be known before the numbers are read, such as differences of the runs that were not planned"`
	Lines       []Line   `json:"lines" doc:"one for each metric, target, workload, number of threads and scenario"`
	Notes       []string `json:"notes" doc:"remarks on all lines"`
}

// Scenario is a configuration under comparison.
type Scenario struct {
	Name        string `json:"name"`
	Description string `json:"description" doc:"what it is, in words; may be empty"`
}

// Metric is what was measured.
type Metric struct {
	Name          string `json:"name" doc:"such as QPS or p99"`
	Unit          string `json:"unit" doc:"of the values, such as queries/s or ms"`
	LowerIsBetter bool   `json:"lowerIsBetter"`
	// Places is the number of decimals that people see. 0: as many as the smallest value needs for three digits; negative: none.
	Places int `json:"-"`
	// Uncompared metrics have values without changes, in all layouts.
	Uncompared bool `json:"-"`
	// Cost metrics have estimates and intervals, and no verdict: what a cost is worth is for people to say.
	Cost      bool `json:"-"`
	Secondary bool `json:"secondary" doc:"judged in a family of its own, beside the metric that the question is about"`
}

// Line is one comparison of a scenario with the baseline, or a published pair of figures.
type Line struct {
	Metric   Metric `json:"metric"`
	Target   string `json:"target" doc:"the server or product; empty when there is one"`
	Workload string `json:"workload"`
	Threads  int    `json:"threads" min:"0" doc:"0 when they are not known, or for a mean over several"`
	Scenario string `json:"scenario"`
	// Mean lines stand before the others of their workload.
	Mean bool `json:"mean" doc:"geometric mean over the numbers of threads of this workload"`
	// Baseline and Value are nil when they are not known, and not finite numbers are taken as not known.
	Baseline *float64 `json:"baselineValue" doc:"the baseline's value in the metric's unit, geometric mean over rounds; null when it is not known"`
	Value    *float64 `json:"value" doc:"the scenario's; null when it is not known"`
	// BaselineRuns and ValueRuns are the values of single runs, for the benchmark format; may be nil. Runs that failed are NaN
	// or left out.
	BaselineRuns Values `json:"baselineRuns" doc:"the baseline's runs, by round; null where a run failed"`
	ValueRuns    Values `json:"valueRuns" doc:"the scenario's runs, by round; null where a run failed"`
	// Claim is nil when nothing was judged; the change is then that of the two values.
	Claim *Claim `json:"claim" doc:"what the runs allow to be said; null when nothing was judged"`
	// Published is the change that a publication printed beside its values.
	Published *float64 `json:"publishedChangePercent" doc:"as printed in the publication; null without one"`
	// Change and IsContradicted are computed when a document is written.
	Change         *float64 `json:"changePercent" doc:"the estimate of the claim, or the change of the two values; null when it is not known"`
	IsContradicted bool     `json:"contradicted" doc:"the published change is farther than 0.05 points from that of the values beside it"`
	// Footnotes are what to know about this line besides what the claim says.
	Footnotes []string `json:"footnotes"`
}

// Claim is what may be said of a change. Numbers are percent of the baseline; those that are not finite are not known.
type Claim struct {
	N           int       `json:"n" min:"0" doc:"rounds used"`
	Of          int       `json:"of" min:"0" doc:"rounds there were"`
	BaselineN   int       `json:"baselineN" min:"0" doc:"runs of the baseline that were not interleaved; else 0"`
	Estimate    *float64  `json:"estimatePercent" doc:"null when there is none"`
	Interval    *Interval `json:"interval" doc:"null when no interval is possible"`
	P           *float64  `json:"p" doc:"two-sided, of no change; null without interval"`
	AdjustedP   *float64  `json:"adjustedP" doc:"p adjusted for all comparisons of the family"`
	Verdict     string    `json:"verdict" enum:",preliminary,undecided,better,worse,equivalent" doc:"empty: refused, see reason"`
	Reason      string    `json:"reason" doc:"why there is no interval, or no better verdict; may be empty"`
	Check       *Check    `json:"check" doc:"the same data by a second method; null below 6 rounds"`
	Detectable  *float64  `json:"detectablePercent" doc:"change that this data would have shown in four of five studies; null when unknown"`
	Forecast    *Forecast `json:"forecast" doc:"rounds needed in all; null without one"`
	Adjustment  string    `json:"adjustment" doc:"how p was adjusted; empty when it was not"`
	Warnings    []string  `json:"warnings" doc:"reasons to doubt the numbers"`
	Interleaved bool      `json:"interleaved" doc:"runs of both sides alternated in rounds; otherwise drift of the host looks like a change"`
}

// Interval is a confidence interval in percent.
type Interval struct {
	Low   float64 `json:"lowPercent"`
	High  float64 `json:"highPercent"`
	Level float64 `json:"levelPercent" doc:"such as 95"`
}

// Check is the estimate and interval of a second method.
type Check struct {
	Method   string   `json:"method"`
	Estimate float64  `json:"estimatePercent"`
	Interval Interval `json:"interval"`
}

// known reports whether there is an interval of numbers.
func (iv *Interval) known() bool {
	return iv != nil && finite(iv.Low) && finite(iv.High) && finite(iv.Level)
}

func (c *Check) known() bool { return c != nil && finite(c.Estimate) && c.Interval.known() }

// Forecast says how many rounds in all an interval of a width needs; a range, since it comes from few rounds.
type Forecast struct {
	HalfWidth float64 `json:"halfWidthPercent"`
	About     int     `json:"about" doc:"10000: that many or more, as of low and high"`
	Low       int     `json:"low"`
	High      int     `json:"high"`
}

// Write writes in a format. Layout is for terminals and Markdown, Style for terminals. Nothing is written when the result is an
// error other than one of w.
func (c *Comparisons) Write(w io.Writer, f Format, l Layout, s Style) error {
	text, err := c.encode(f, l, s)
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

// change is the line's change in percent: the claim's estimate, or that of the two values.
func (l *Line) change() (percent float64, known bool) {
	if l.Claim != nil {
		return known64(l.Claim.Estimate)
	}
	if l.Metric.Uncompared {
		return 0, false
	}
	base, ok := known64(l.Baseline)
	value, ok2 := known64(l.Value)
	if !ok || !ok2 || base == 0 {
		return 0, false
	}
	percent = 100 * (value/base - 1)
	return percent, finite(percent)
}

// remarks are the claim's reason and warnings, and the footnotes.
func (l *Line) remarks() []string {
	var texts []string
	if l.Claim != nil {
		if l.Claim.Reason != "" {
			texts = append(texts, l.Claim.Reason)
		}
		texts = append(texts, l.Claim.Warnings...)
	}
	return append(texts, l.Footnotes...)
}

// Contradicted reports whether the published change is farther than 0.05 points from that of the values beside it.
func (l *Line) Contradicted() bool {
	published, ok := known64(l.Published)
	change, ok2 := l.change()
	return ok && ok2 && math.Abs(published-change) > 0.05
}

// sorted returns the lines in the order of tables: metrics, targets and workloads as they first appear, means before the
// numbers of threads, scenarios in their order.
func (c *Comparisons) sorted() []Line {
	metrics, targets, workloads := map[string]int{}, map[string]int{}, map[string]int{}
	first := func(seen map[string]int, name string) {
		if _, ok := seen[name]; !ok {
			seen[name] = len(seen)
		}
	}
	for _, l := range c.Lines {
		first(metrics, l.Metric.Name)
		first(targets, l.Target)
		first(workloads, l.Workload)
	}
	scenarios := map[string]int{}
	for _, s := range c.scenarios() {
		first(scenarios, s.Name)
	}
	lines := slices.Clone(c.Lines)
	slices.SortStableFunc(lines, func(a, b Line) int {
		return cmp.Or(
			cmp.Compare(metrics[a.Metric.Name], metrics[b.Metric.Name]),
			cmp.Compare(targets[a.Target], targets[b.Target]),
			cmp.Compare(workloads[a.Workload], workloads[b.Workload]),
			-cmp.Compare(number(a.Mean), number(b.Mean)),
			cmp.Compare(a.Threads, b.Threads),
			cmp.Compare(scenarios[a.Scenario], scenarios[b.Scenario]),
		)
	})
	return lines
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// scenarios are those that were named, then those that only lines have.
func (c *Comparisons) scenarios() []Scenario {
	list := slices.Clone(c.Scenarios)
	add := func(name string) {
		if name != "" && !slices.ContainsFunc(list, func(s Scenario) bool { return s.Name == name }) {
			list = append(list, Scenario{Name: name})
		}
	}
	if !slices.ContainsFunc(list, func(s Scenario) bool { return s.Name == c.Baseline }) && c.Baseline != "" {
		list = slices.Insert(list, 0, Scenario{Name: c.Baseline})
	}
	for _, l := range c.Lines {
		add(l.Scenario)
	}
	return list
}
