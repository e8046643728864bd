package table

import (
	"slices"
	"strconv"
	"strings"
)

// Document is what a page shows of comparisons: the words and digits of the other forms, in parts that a page can arrange.
type Document struct {
	Above     []string // what must be known before the numbers are read
	Sheets    []Sheet
	Footnotes []string // the first is number 1
	Below     []string // counts of verdicts, method, remarks
}

// Sheet is a table. Each row has a cell for each column.
type Sheet struct {
	Heading string
	Columns []Column
	Rows    [][]Cell
}

// Column is a column of a sheet.
type Column struct {
	Head   string // with the unit; may be empty
	Number bool   // aligned to the right
	Key    bool   // says which row it is
}

// Cell is a value with its change; each part may be empty.
type Cell struct {
	Text     string // a name, or a value in the unit of the column
	Change   string // −12.9 %
	Interval string // [−13.6, −12.1], or ≠ and the published change that contradicts the values
	N        string // n=8
	Word     string // the verdict as a word: worse, no verdict
	Verdict  string // what to colour it by: better, worse, equivalent, undecided, preliminary, contradicted; empty: nothing
	Marks    []int  // footnotes, from 1
}

// Document arranges the lines for a page. Layouts other than List, ScenarioRows and ThreadRows are arranged as List.
func (c *Comparisons) Document(l Layout) *Document {
	b := c.builder(true)
	d := &Document{}
	switch l {
	case ScenarioRows:
		d.Sheets = b.pageScenarios()
	case ThreadRows:
		d.Sheets = b.pageThreads()
	default:
		d.Sheets = b.pageList()
	}
	for _, text := range c.Before {
		d.Above = append(d.Above, clean(text))
	}
	d.Footnotes = b.notes.texts
	for _, text := range c.below() {
		d.Below = append(d.Below, clean(text))
	}
	return d
}

// pageCell has the parts of a scenario in a line; the baseline has a value only.
func (b *builder) pageCell(l *Line, scenario string) Cell {
	if scenario == b.c.Baseline && l.Scenario != scenario {
		if l.Mean {
			return Cell{}
		}
		return marked(b.value(l.Metric, l.Baseline))
	}
	out := b.pageChange(l)
	if !l.Mean { // a geometric mean over cells has no value of its own
		value := marked(b.value(l.Metric, l.Value))
		out.Text = value.Text
		out.Marks = append(value.Marks, out.Marks...)
		slices.Sort(out.Marks)
	}
	return out
}

// pageChange are the parts of a change.
func (b *builder) pageChange(l *Line) Cell {
	if _, known := l.change(); !known && l.Claim == nil {
		return Cell{Marks: marks(b.notes.mark(l.Footnotes...))}
	}
	estimate, interval, n, verdict := b.change(l)
	out := Cell{
		Change: estimate.text, Interval: interval.text, N: n.text, Word: verdict.text, Verdict: verdict.verdict, Marks: marks(verdict.mark),
	}
	if l.Claim == nil {
		percent, _ := l.change()
		out.Change = signed(percent, 2) + " %" // as publications print it
		if l.Contradicted() {
			out.Verdict = "contradicted"
		}
	}
	return out
}

// marked takes the marks of a missing value off its text.
func marked(c cell) Cell {
	if rest, ok := strings.CutPrefix(c.text, missing); ok {
		return Cell{Text: missing, Marks: marks(rest + " " + c.mark)}
	}
	return Cell{Text: c.text, Marks: marks(c.mark)}
}

// marks reads footnote marks: ¹ ³.
func marks(s string) []int {
	var list []int
	for field := range strings.FieldsSeq(s) {
		n, err := strconv.Atoi(plainDigits.Replace(field))
		if err == nil && !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	return list
}

var plainDigits = strings.NewReplacer("⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴", "4", "⁵", "5", "⁶", "6", "⁷", "7", "⁸", "8", "⁹", "9")

// pageScenarios has a row for each scenario and a column for each workload, in sheets by metric, target and threads.
func (b *builder) pageScenarios() []Sheet {
	var sheets []Sheet
	for _, m := range b.metrics() {
		for _, g := range groups(b.of(m), func(l *Line) (string, string) { return l.Target, threadsTitle(l) }) {
			works := groups(g.lines, func(l *Line) (string, string) { return "", l.Workload })
			out := Sheet{Heading: title(g.target, g.workload, metricHead(m)), Columns: []Column{{Head: "scenario", Key: true}}}
			for _, w := range works {
				out.Columns = append(out.Columns, Column{Head: clean(w.workload), Number: true})
			}
			for _, s := range b.c.scenarios() {
				row := []Cell{{Text: clean(s.Name)}}
				any := false
				for _, w := range works {
					c := Cell{}
					if l, ok := b.find(w.lines, s.Name); ok {
						c = b.pageCell(&l, s.Name)
						any = any || c.Text != "" || c.Change != ""
					}
					row = append(row, c)
				}
				if any {
					out.Rows = append(out.Rows, row)
				}
			}
			sheets = append(sheets, out)
		}
	}
	return sheets
}

// pageThreads has a row for each number of threads and a column for each scenario, in sheets by metric, target and workload.
func (b *builder) pageThreads() []Sheet {
	var sheets []Sheet
	for _, m := range b.metrics() {
		for _, g := range groups(b.of(m), func(l *Line) (string, string) { return l.Target, l.Workload }) {
			out := Sheet{Heading: title(g.target, g.workload, metricHead(m)), Columns: []Column{{Head: "threads", Number: true, Key: true}}}
			var shown []string
			for _, s := range b.c.scenarios() {
				if _, ok := b.find(g.lines, s.Name); ok {
					shown = append(shown, s.Name)
					out.Columns = append(out.Columns, Column{Head: clean(s.Name), Number: true})
				}
			}
			for _, t := range groups(g.lines, func(l *Line) (string, string) { return "", threadsText(l) }) {
				row := []Cell{{Text: t.workload}}
				for _, name := range shown {
					c := Cell{}
					if l, ok := b.find(t.lines, name); ok {
						c = b.pageCell(&l, name)
					}
					row = append(row, c)
				}
				out.Rows = append(out.Rows, row)
			}
			sheets = append(sheets, out)
		}
	}
	return sheets
}

// pageList has a row for each comparison, in sheets by metric; the result of the second method is a column.
func (b *builder) pageList() []Sheet {
	baseline, scenario := b.sides()
	if len(b.others()) > 1 {
		scenario = "value"
	}
	var sheets []Sheet
	for _, m := range b.metrics() {
		lines := slices.DeleteFunc(b.of(m), func(l Line) bool { return l.Scenario == b.c.Baseline && b.c.Baseline != "" })
		has := func(f func(Line) bool) bool { return slices.ContainsFunc(lines, f) }
		keys := []struct {
			column Column
			text   func(*Line) string
			shown  bool
		}{
			{Column{Head: "target", Key: true}, func(l *Line) string { return clean(l.Target) }, has(func(l Line) bool { return l.Target != "" })},
			{Column{Head: "workload", Key: true}, func(l *Line) string { return clean(l.Workload) }, has(func(l Line) bool { return l.Workload != "" })},
			{Column{Head: "threads", Key: true, Number: true}, threadsText, has(func(l Line) bool { return threadsText(&l) != "" })},
			{Column{Head: "scenario", Key: true}, func(l *Line) string { return clean(l.Scenario) }, true},
		}
		checked := slices.IndexFunc(lines, func(l Line) bool { return l.Claim != nil && l.Claim.Check.known() })
		out := Sheet{Heading: metricHead(m)}
		for _, k := range keys {
			if k.shown {
				out.Columns = append(out.Columns, k.column)
			}
		}
		out.Columns = append(out.Columns, Column{Head: baseline, Number: true}, Column{Head: scenario, Number: true}, Column{Head: "change", Number: true})
		if checked >= 0 {
			out.Columns = append(out.Columns, Column{Head: "check (" + clean(lines[checked].Claim.Check.Method) + ")", Number: true})
		}
		for i := range lines {
			l := &lines[i]
			var row []Cell
			for _, k := range keys {
				if k.shown {
					row = append(row, Cell{Text: k.text(l)})
				}
			}
			base, value := Cell{}, Cell{}
			if !l.Mean {
				base, value = marked(b.value(l.Metric, l.Baseline)), marked(b.value(l.Metric, l.Value))
			}
			row = append(row, base, value, b.pageChange(l))
			if checked >= 0 {
				row = append(row, checkCell(l.Claim))
			}
			out.Rows = append(out.Rows, row)
		}
		sheets = append(sheets, out)
	}
	return sheets
}

// checkCell is the result of the second method, with the digits of the first.
func checkCell(c *Claim) Cell {
	if c == nil || !c.Check.known() {
		return Cell{}
	}
	width := c.Check.Interval.High - c.Check.Interval.Low
	if c.Interval.known() {
		width = c.Interval.High - c.Interval.Low
	}
	places := placesOf(width)
	return Cell{
		Change:   signed(c.Check.Estimate, places) + " %",
		Interval: "[" + signed(c.Check.Interval.Low, places) + ", " + signed(c.Check.Interval.High, places) + "]",
	}
}
