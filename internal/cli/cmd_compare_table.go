package cli

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"deltabench/internal/compare"
	"deltabench/internal/sample"
	"deltabench/internal/table"
)

// comparing is what both forms of compare hand to the statistics.
type comparing struct {
	flags *compareFlags
	names [2]string // of the sides, the baseline first
	cells []comparingCell
	// paired: runs of a cell are those of rounds, in order, nil where there was none.
	paired bool
	starts compare.Starts
	notes  []string
	before []string
}

// comparingCell is the runs of both sides in one cell.
type comparingCell struct {
	cell sample.Cell
	runs [2][]*sample.Run
}

// usable reports whether a run measured something.
func usable(r *sample.Run) bool { return r != nil && r.Failed == "" }

// all are the usable runs of a cell.
func (c *comparingCell) all() []*sample.Run {
	return slices.DeleteFunc(slices.Concat(c.runs[0], c.runs[1]), func(r *sample.Run) bool { return !usable(r) })
}

func (c *comparing) all() []*sample.Run {
	var runs []*sample.Run
	for i := range c.cells {
		runs = append(runs, c.cells[i].all()...)
	}
	return runs
}

// metrics are those that were asked for, or those that all runs have.
func (c *comparing) metrics() ([]sample.Metric, error) {
	runs := c.all()
	lacks := func(m sample.Metric) *sample.Run {
		for _, r := range runs {
			if _, ok := r.Value(m); !ok {
				return r
			}
		}
		return nil
	}
	if list := c.flags.metricList; list != nil {
		for _, m := range list {
			if r := lacks(m); r != nil {
				return nil, fmt.Errorf("--metric=%s: %s does not tell it; text reports have the percentile that was asked for, and no CPU under the name sysbench", m.Name, r.Source)
			}
		}
		return list, nil
	}
	primary := []string{sample.QPS, sample.TPS}
	if slices.ContainsFunc(runs, func(r *sample.Run) bool { return r.Rate > 0 }) {
		primary = []string{sample.Latency}
	}
	var list []sample.Metric
	for _, names := range [][]string{primary, {"p99", "p95", "p90", "p50"}, {sample.CPU}} {
		for _, name := range names {
			if m, err := sample.ParseMetric(name); err == nil && lacks(m) == nil {
				list = append(list, m)
				break
			}
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("the runs have no metric in common")
	}
	return list, nil
}

// plan is what is asked of a metric, and with which rows.
func (c *comparing) plan(m sample.Metric, secondary bool, cuts []int) (compare.Plan, []compare.Row) {
	p := compare.Plan{
		Metric: m.Label, Secondary: secondary, Scenarios: 2, Quantile: m.Percentile / 100, Starts: c.starts,
		AssumeNoDrift: c.flags.assumeNoDrift, Level: c.flags.stopping.Level(), Seed: c.flags.seed,
	}
	if !secondary {
		p.Margin = c.flags.margin
	}
	if m.LowerIsBetter {
		p.Better = compare.LowerIsBetter
	}
	var rows []compare.Row
	for i := range c.cells {
		cell := &c.cells[i]
		r := compare.Row{Scenario: c.names[1], Workload: cell.cell.Workload, Name: cell.cell.String()}
		sides := [2]*[]float64{&r.Baseline, &r.Values}
		for side, runs := range cell.runs {
			for _, run := range runs {
				v := sample.Value{V: math.NaN()}
				if usable(run) {
					v, _ = run.After(m, cuts[i])
					p.Grid = max(p.Grid, v.Step)
					p.RateLimited = p.RateLimited || m.Throughput && run.Rate > 0
					if r.Events == 0 || run.Events < r.Events {
						r.Events = run.Events
					}
				}
				*sides[side] = append(*sides[side], v.V)
			}
		}
		rows = append(rows, r)
	}
	p.Grid = min(p.Grid, 0.99) // coarser still says nothing either
	return p, rows
}

// judge computes the table. worse reports whether a primary comparison is.
func (c *comparing) judge() (t *table.Comparisons, worse bool, err error) {
	metrics, err := c.metrics()
	if err != nil {
		return nil, false, err
	}
	t = &table.Comparisons{
		Title: c.title(), Baseline: c.names[0], Scenarios: []table.Scenario{{Name: c.names[0]}, {Name: c.names[1]}},
		Method: c.method(), Before: slices.Clone(c.before),
	}
	cuts, notes := c.settle(metrics[0])
	for i, m := range metrics {
		p, rows := c.plan(m, i > 0, cuts)
		var cs []compare.Comparison
		if c.paired {
			for k := range rows {
				row, rowErr := compare.NewRow(rows[k].Scenario, rows[k].Name, rows[k].Baseline, rows[k].Values)
				if rowErr != nil {
					return nil, false, rowErr
				}
				row.Workload, row.Events = rows[k].Workload, rows[k].Events
				rows[k] = row
			}
			cs, err = p.Judge(rows)
		} else {
			cs, err = p.JudgeUnpaired(rows)
		}
		if err != nil {
			return nil, false, err
		}
		for k := range cs {
			t.Lines = append(t.Lines, c.line(m, i > 0, &cs[k], rows[k], c.cells[k].cell))
			worse = worse || i == 0 && cs[k].Verdict == compare.Worse
			if i == 0 {
				margin := cs[k].Margin
				t.Margin, t.Family = &margin, cs[k].K
			}
		}
		for _, w := range p.Notes(cs) {
			told := slices.ContainsFunc(t.Lines, func(l table.Line) bool { return l.Claim.Reason == w.Text })
			if !told && w.Code != compare.WarnSecondary { // that is said once for all of them, below
				t.Notes = append(t.Notes, w.Text)
			}
		}
	}
	if len(metrics) > 1 {
		t.Notes = append(t.Notes, "secondary metrics: their false claims are counted apart from those of the primary one")
	}
	if c.paired {
		notes = append(notes, c.spreads(metrics[0], cuts)...)
	}
	t.Notes = unique(slices.Concat(t.Notes, notes, c.notes, warningsOf(c.all())))
	return t, worse, nil
}

// settle finds the warm-up of each cell. What holds for all cells is told once.
func (c *comparing) settle(m sample.Metric) (cuts []int, notes []string) {
	var texts []string
	where := map[string][]string{}
	for i := range c.cells {
		settled := sample.Settle(c.cells[i].all(), m)
		cuts = append(cuts, settled.Cut)
		if settled.Cut > 0 {
			settled.Warnings = append(settled.Warnings, fmt.Sprintf("throughput is that after the first %d s of each run, its warm-up", settled.Cut))
		}
		for _, w := range settled.Warnings {
			if where[w] == nil {
				texts = append(texts, w)
			}
			where[w] = append(where[w], c.cells[i].cell.String())
		}
	}
	for _, w := range texts {
		if len(where[w]) < len(c.cells) {
			w = strings.Join(where[w], "; ") + ": " + w
		}
		notes = append(notes, w)
	}
	return cuts, notes
}

// spreads tells where runs of one side vary more within themselves than those of the other.
func (c *comparing) spreads(m sample.Metric, cuts []int) []string {
	var texts []string
	for i, cell := range c.cells {
		var seconds, tails [2][]float64
		for side, runs := range cell.runs {
			for _, r := range runs {
				s, tail := math.NaN(), math.NaN()
				if usable(r) {
					s, tail = r.Spread(m, cuts[i])
				}
				seconds[side], tails[side] = append(seconds[side], s), append(tails[side], tail)
			}
		}
		for _, of := range []struct {
			what   string
			values [2][]float64
		}{{"variation from second to second", seconds}, {"p99/p50", tails}} {
			spread, err := compare.NewSpread(of.values[0], of.values[1])
			if err == nil && spread.Flagged { // errors: too few rounds know it
				texts = append(texts, spread.Text(of.what))
			}
		}
	}
	return texts
}

// title names what is compared.
func (c *comparing) title() string {
	what := c.cells[0].cell.Workload
	for _, cell := range c.cells {
		if cell.cell.Workload != what {
			what = ""
		}
	}
	if len(c.cells) == 1 {
		what = c.cells[0].cell.String()
	}
	if what != "" {
		what += ": "
	}
	return fmt.Sprintf("%s%s against %s", what, c.names[1], c.names[0])
}

func (c *comparing) method() string {
	if c.paired {
		return fmt.Sprintf("geometric mean of the ratios of rounds; interval: paired t on their logarithms, %s", c.flags.stopping.Label())
	}
	return "ratio of geometric means; interval: Welch's t on the logarithms, 95 %"
}

// line is a comparison for the table.
func (c *comparing) line(m sample.Metric, secondary bool, x *compare.Comparison, r compare.Row, cell sample.Cell) table.Line {
	l := table.NewLine(table.Metric{Name: m.Label, Unit: m.Unit, LowerIsBetter: m.LowerIsBetter, Secondary: secondary, Cost: m.Name == sample.CPU}, x)
	l.Workload, l.Threads, l.BaselineRuns, l.ValueRuns = cell.Workload, cell.Threads, r.Baseline, r.Values
	if m.Name == sample.Errors && x.Refusal == compare.RefusedNoEvents {
		l.Claim.Reason = "runs without errors have no ratio"
	}
	return l
}

func unique(texts []string) []string {
	var out []string
	for _, text := range texts {
		if !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}

// warningsOf are the runs' own warnings, each with how many runs have it: by their first words, since numbers in them differ.
func warningsOf(runs []*sample.Run) []string {
	type group struct {
		text string
		n    int
	}
	var groups []group
	for _, r := range runs {
		for _, w := range r.Warnings {
			i := slices.IndexFunc(groups, func(g group) bool { return kind(g.text) == kind(w) })
			if i < 0 {
				groups = append(groups, group{text: w})
				i = len(groups) - 1
			}
			groups[i].n++
		}
	}
	var out []string
	for _, g := range groups {
		out = append(out, fmt.Sprintf("%d of %d runs: %s", g.n, len(runs), g.text))
	}
	return out
}

// kind is a warning without its numbers.
func kind(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r == '.' {
			return -1
		}
		return r
	}, text)
}
