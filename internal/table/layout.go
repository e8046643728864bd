package table

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// sheet is a grid with the heading that belongs to it.
type sheet struct {
	heading string
	grid    *grid
}

// builder makes grids of lines and collects the footnotes.
type builder struct {
	c      *Comparisons
	lines  []Line
	places map[string]int
	notes  notes
	doc    bool // for a document, where nothing is cut: all in columns
}

func (c *Comparisons) builder(doc bool) *builder {
	lines := c.sorted()
	return &builder{c: c, lines: lines, places: metricPlaces(lines), doc: doc}
}

func (b *builder) sheets(l Layout) ([]sheet, error) {
	if len(b.lines) == 0 {
		return nil, nil
	}
	switch l {
	case List:
		return b.list(), nil
	case ScenarioRows:
		return b.scenarioRows(), nil
	case ThreadRows:
		return b.threadRows(), nil
	case Pairs:
		return b.pairs(), nil
	case Single:
		return b.single(), nil
	case Counts:
		return b.counts(), nil
	}
	return nil, fmt.Errorf("there is no layout %d", l)
}

// value is a value's cell.
func (b *builder) value(m Metric, v *float64) cell {
	value, ok := known64(v)
	if !ok {
		return cell{text: missing + b.notes.mark("not known")}
	}
	return cell{text: decimal(value, b.places[m.Name])}
}

// change are the cells of a change: estimate, interval, n and verdict, the last with the marks of footnotes. What is not known
// has a mark.
func (b *builder) change(l *Line) (estimate, interval, n, verdict cell) {
	percent, known := l.change()
	claim := l.Claim
	if claim == nil {
		claim = &Claim{}
	}
	places := 1
	if iv := claim.Interval; iv.known() {
		places = placesOf(iv.High - iv.Low)
		interval.text = fmt.Sprintf("[%s, %s]", signed(iv.Low, places), signed(iv.High, places))
	}
	texts := l.remarks()
	switch {
	case known:
		estimate.text = signed(percent, places) + " %"
	case l.Metric.Uncompared:
	default:
		estimate.text = missing
		if claim.Reason == "" {
			texts = append(texts, "not known")
		}
	}
	if published, ok := known64(l.Published); ok && l.Contradicted() {
		interval.text = "≠ " + signed(published, 2) + " %"
		estimate.text = signed(percent, 2) + " %"
	}
	if l.Claim != nil {
		n.text = rounds(claim)
	}
	verdict = cell{text: claim.Verdict, verdict: claim.Verdict, mark: b.notes.mark(texts...)}
	if claim.Verdict == "" && l.Claim != nil {
		verdict.text = "no verdict"
	}
	estimate.verdict, interval.verdict = claim.Verdict, claim.Verdict
	return estimate, interval, n, verdict
}

// rounds spells n: n=8, n=7 of 8, or n=5+6 for runs that were not interleaved.
func rounds(c *Claim) string {
	switch {
	case c.BaselineN > 0:
		return fmt.Sprintf("n=%d+%d", c.BaselineN, c.N)
	case c.N < c.Of:
		return fmt.Sprintf("n=%d of %d", c.N, c.Of)
	}
	return fmt.Sprintf("n=%d", c.N)
}

// changeColumns are the columns of change's cells.
func (b *builder) changeColumns(m Metric, block int) []column {
	level := ""
	for _, l := range b.lines {
		if l.Metric.Name == m.Name && l.Claim != nil && l.Claim.Interval.known() {
			level = fmt.Sprintf("%s %% interval", strconv.FormatFloat(l.Claim.Interval.Level, 'f', -1, 64))
			break
		}
	}
	return []column{
		{head: "change", right: true, block: block},
		{head: level, tight: true, block: block},
		{head: "n", tight: true, block: block},
		{head: "verdict", tight: true, block: block},
	}
}

func threadsText(l *Line) string {
	switch {
	case l.Mean:
		return "mean"
	case l.Threads > 0:
		return decimal(float64(l.Threads), 0)
	}
	return ""
}

// title names a target and a workload.
func title(parts ...string) string {
	return clean(strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", "))
}

// metricHead names a metric with its unit and, when there is more to know, which way is good.
func metricHead(m Metric) string {
	s := m.Name
	if m.Unit != "" && m.Unit != m.Name {
		s += " [" + m.Unit + "]"
	}
	if m.LowerIsBetter {
		s += ", lower is better"
	}
	if m.Secondary {
		s += ", secondary"
	}
	return clean(s)
}

// shortName is the longest name that heads a column; longer ones stand above the table.
const shortName = 24

// sides are the heads of the columns of values.
func (b *builder) sides() (baseline, scenario string) {
	baseline, scenario = "baseline", "scenario"
	others := b.others()
	if b.c.Baseline != "" && cellWidth(b.c.Baseline) <= shortName {
		baseline = clean(b.c.Baseline)
	}
	if len(others) == 1 && cellWidth(others[0]) <= shortName {
		scenario = clean(others[0])
	}
	return baseline, scenario
}

// others are the names of scenarios that lines have, without the baseline.
func (b *builder) others() []string {
	var names []string
	for _, s := range b.c.scenarios() {
		if s.Name != b.c.Baseline && slices.ContainsFunc(b.lines, func(l Line) bool { return l.Scenario == s.Name }) {
			names = append(names, s.Name)
		}
	}
	return names
}

// list has a row for each comparison, in sheets by metric; targets and workloads are headings, in documents columns.
func (b *builder) list() []sheet {
	baseline, scenario := b.sides()
	several := len(b.others()) > 1
	if several {
		scenario = "value"
	}
	var sheets []sheet
	for _, m := range b.metrics() {
		g := &grid{columns: []column{
			{head: "target", wrap: true, key: true},
			{head: "workload", wrap: true, key: true},
			{head: "threads", right: true, key: true},
			{head: "scenario", wrap: true, key: true},
			{head: baseline, right: true},
			{head: scenario, right: true},
		}}
		g.columns = append(g.columns, b.changeColumns(m, 0)...)
		heading := ""
		for i := range b.lines {
			l := &b.lines[i]
			if l.Metric.Name != m.Name || l.Scenario == b.c.Baseline && b.c.Baseline != "" {
				continue
			}
			target, workload := clean(l.Target), clean(l.Workload)
			if !b.doc {
				if t := title(target, workload); t != heading {
					g.rows = append(g.rows, row{heading: t})
					heading = t
				}
				target, workload = "", ""
			}
			name := clean(l.Scenario)
			if !several {
				name = ""
			}
			estimate, interval, n, verdict := b.change(l)
			base, value := b.value(m, l.Baseline), b.value(m, l.Value)
			if l.Mean { // a geometric mean over cells has no value of its own
				base, value = cell{}, cell{}
			}
			g.rows = append(g.rows, row{cells: []cell{
				{text: target}, {text: workload}, {text: threadsText(l)}, {text: name}, base, value, estimate, interval, n, verdict,
			}})
			if l.Claim != nil && l.Claim.Check.known() {
				ck := l.Claim.Check
				width := ck.Interval.High - ck.Interval.Low
				if iv := l.Claim.Interval; iv.known() { // same digits as the line that it checks
					width = iv.High - iv.Low
				}
				places := placesOf(width)
				g.rows = append(g.rows, row{more: true, cells: []cell{
					{},
					{},
					{},
					{},
					{},
					{},
					{text: signed(ck.Estimate, places) + " %"},
					{text: fmt.Sprintf("[%s, %s]", signed(ck.Interval.Low, places), signed(ck.Interval.High, places))},
					{},
					{text: "check"},
				}})
			}
		}
		sheets = append(sheets, sheet{metricHead(m), g})
	}
	return sheets
}

// metrics are those of the lines, in their order.
func (b *builder) metrics() []Metric {
	var list []Metric
	for _, l := range b.lines {
		if !slices.ContainsFunc(list, func(m Metric) bool { return m.Name == l.Metric.Name }) {
			list = append(list, l.Metric)
		}
	}
	return list
}

// group is the lines of one target or workload.
type group struct {
	target, workload string
	lines            []Line
}

// groups cuts lines by a key, in their order.
func groups(lines []Line, key func(*Line) (target, workload string)) []group {
	var list []group
	for _, l := range lines {
		t, w := key(&l)
		i := slices.IndexFunc(list, func(g group) bool { return g.target == t && g.workload == w })
		if i < 0 {
			list = append(list, group{target: t, workload: w})
			i = len(list) - 1
		}
		list[i].lines = append(list[i].lines, l)
	}
	return list
}
