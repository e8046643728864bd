package table

import (
	"fmt"
	"slices"
	"strings"
)

// published is a change as publications print it: −12.86%. A published change that contradicts the values stands behind it; interval,
// n and verdict are on lines below.
func (b *builder) published(l *Line) cell {
	percent, known := l.change()
	if !known && l.Claim == nil {
		return cell{}
	}
	c := cell{}
	if known {
		places := 2
		if l.Claim != nil && l.Claim.Interval.known() {
			places = placesOf(l.Claim.Interval.High - l.Claim.Interval.Low)
		}
		c.text = signed(percent, places) + "%"
	}
	if l.Claim == nil {
		c.mark = b.notes.mark(l.Footnotes...)
		if published, ok := known64(l.Published); ok && l.Contradicted() {
			c.mark = strings.TrimRight("≠"+signed(published, 2)+"% "+c.mark, " ")
			c.verdict = "contradicted"
		}
		return c
	}
	_, interval, n, verdict := b.change(l)
	lines := []string{c.text, interval.text, n.text + " " + verdict.text}
	c.text = strings.Join(slices.DeleteFunc(lines, func(s string) bool { return s == "" }), "\n")
	c.verdict, c.mark = verdict.verdict, verdict.mark
	return c
}

// scenarioRows has a row for each scenario, and the values and changes of each workload, in sheets by metric, target and threads.
func (b *builder) scenarioRows() []sheet {
	var sheets []sheet
	for _, m := range b.metrics() {
		lines := b.of(m)
		for _, g := range groups(lines, func(l *Line) (string, string) { return l.Target, threadsTitle(l) }) {
			works := groups(g.lines, func(l *Line) (string, string) { return "", l.Workload })
			out := &grid{columns: []column{{head: "scenario", wrap: true, key: true}}}
			for i, w := range works {
				out.columns = append(out.columns,
					column{head: title(clean(w.workload) + " " + m.Name), right: true, block: i + 1},
					column{head: "change", right: true, tight: true, block: i + 1})
			}
			for _, s := range b.c.scenarios() {
				r := row{cells: []cell{{text: clean(s.Name)}}}
				any := false
				for _, w := range works {
					value, change := cell{}, cell{}
					if l, ok := b.find(w.lines, s.Name); ok {
						any = true
						value, change = b.side(&l, s.Name)
					}
					r.cells = append(r.cells, value, change)
				}
				if any {
					out.rows = append(out.rows, r)
				}
			}
			sheets = append(sheets, sheet{title(g.target, g.workload, metricHead(m)), out})
		}
	}
	return sheets
}

func threadsTitle(l *Line) string {
	switch {
	case l.Mean:
		return "mean over threads"
	case l.Threads == 0:
		return ""
	case l.Threads == 1:
		return "1 thread"
	}
	return fmt.Sprintf("%s threads", decimal(float64(l.Threads), 0))
}

// side are the cells of a scenario in a line: the baseline has a value only.
func (b *builder) side(l *Line, scenario string) (value, change cell) {
	if scenario == b.c.Baseline && l.Scenario != scenario {
		if l.Mean {
			return cell{}, cell{}
		}
		return b.value(l.Metric, l.Baseline), cell{}
	}
	if l.Mean {
		return cell{}, b.published(l)
	}
	return b.value(l.Metric, l.Value), b.published(l)
}

// find returns the line that has a scenario's value: its own, or, for the baseline, any.
func (b *builder) find(lines []Line, scenario string) (Line, bool) {
	for _, l := range lines {
		if l.Scenario == scenario || scenario == b.c.Baseline && scenario != "" {
			return l, true
		}
	}
	return Line{}, false
}

// of are the lines of a metric.
func (b *builder) of(m Metric) []Line {
	return slices.DeleteFunc(slices.Clone(b.lines), func(l Line) bool { return l.Metric.Name != m.Name })
}

// threadRows has a row for each number of threads and a column for each scenario, in sheets by metric, target and workload.
func (b *builder) threadRows() []sheet {
	var sheets []sheet
	for _, m := range b.metrics() {
		for _, g := range groups(b.of(m), func(l *Line) (string, string) { return l.Target, l.Workload }) {
			out := &grid{columns: []column{{head: "threads", right: true, key: true}}}
			var shown []string
			for _, s := range b.c.scenarios() {
				if _, ok := b.find(g.lines, s.Name); ok {
					shown = append(shown, s.Name)
					out.columns = append(out.columns, column{head: clean(s.Name), right: true, block: len(shown)})
				}
			}
			for _, t := range groups(g.lines, func(l *Line) (string, string) { return "", threadsText(l) }) {
				r := row{cells: []cell{{text: t.workload}}}
				for _, name := range shown {
					c := cell{}
					if l, ok := b.find(t.lines, name); ok {
						value, change := b.side(&l, name)
						c = value
						if change.text != "" {
							percent, below, _ := strings.Cut(change.text, "\n")
							if strings.HasSuffix(percent, "%") {
								c.text = strings.TrimLeft(c.text+" ("+percent+")", " ")
							} else {
								below = change.text
							}
							c.text = strings.TrimRight(c.text+"\n"+below, "\n")
							c.verdict, c.mark = change.verdict, strings.Trim(c.mark+" "+change.mark, " ")
						}
					}
					r.cells = append(r.cells, c)
				}
				out.rows = append(out.rows, r)
			}
			sheets = append(sheets, sheet{title(g.target, g.workload, metricHead(m)), out})
		}
	}
	return sheets
}

// pairs has both sides and the change of each metric side by side, in sheets by target and workload.
func (b *builder) pairs() []sheet {
	var sheets []sheet
	metrics := b.metrics()
	baseline, scenario := b.sides()
	several := len(b.others()) > 1
	for _, g := range groups(b.lines, func(l *Line) (string, string) { return l.Target, l.Workload }) {
		out := &grid{columns: []column{{head: "threads", right: true, key: true}, {head: "scenario", wrap: true, key: true}}}
		for i, m := range metrics {
			unit := m.Name
			if m.Unit != "" && m.Unit != m.Name {
				unit += " [" + m.Unit + "]"
			}
			out.columns = append(out.columns,
				column{head: clean(unit) + " " + baseline, right: true, block: i + 1},
				column{head: clean(unit) + " " + scenario, right: true, block: i + 1},
				column{head: "change", right: true, block: i + 1})
		}
		for _, t := range groups(g.lines, func(l *Line) (string, string) { return l.Scenario, threadsText(l) }) {
			name := clean(t.target)
			if !several {
				name = ""
			}
			r := row{cells: []cell{{text: t.workload}, {text: name}}}
			for _, m := range metrics {
				i := slices.IndexFunc(t.lines, func(l Line) bool { return l.Metric.Name == m.Name })
				if i < 0 {
					r.cells = append(r.cells, cell{}, cell{}, cell{})
					continue
				}
				l := &t.lines[i]
				base, value := b.value(m, l.Baseline), b.value(m, l.Value)
				if l.Mean {
					base, value = cell{}, cell{}
				}
				r.cells = append(r.cells, base, value, b.published(l))
			}
			out.rows = append(out.rows, r)
		}
		sheets = append(sheets, sheet{title(g.target, g.workload), out})
	}
	return sheets
}

// single has a row for each metric: one comparison in all that was measured, in sheets by target, workload, threads and scenario.
func (b *builder) single() []sheet {
	var sheets []sheet
	baseline, scenario := b.sides()
	type key struct{ target, rest string }
	var order []key
	rows := map[key][]Line{}
	for _, l := range b.lines {
		k := key{l.Target, title(l.Workload, threadsTitle(&l))}
		if len(b.others()) > 1 {
			k.rest = title(k.rest, l.Scenario)
		}
		if rows[k] == nil {
			order = append(order, k)
		}
		rows[k] = append(rows[k], l)
	}
	for _, k := range order {
		out := &grid{columns: []column{{head: "metric", wrap: true, key: true}, {head: baseline, right: true}, {head: scenario, right: true}}}
		out.columns = append(out.columns, b.changeColumns(rows[k][0].Metric, 0)...)
		for i := range rows[k] {
			l := &rows[k][i]
			estimate, interval, n, verdict := b.change(l)
			out.rows = append(out.rows, row{cells: []cell{
				{text: metricHead(l.Metric)}, b.value(l.Metric, l.Baseline), b.value(l.Metric, l.Value), estimate, interval, n, verdict,
			}})
		}
		sheets = append(sheets, sheet{title(k.target, k.rest), out})
	}
	return sheets
}

// counts has a row for each scenario and a column for each metric.
func (b *builder) counts() []sheet {
	var sheets []sheet
	metrics := b.metrics()
	for _, g := range groups(b.lines, func(l *Line) (string, string) { return l.Target, title(l.Workload, threadsTitle(l)) }) {
		out := &grid{columns: []column{{head: "scenario", wrap: true, key: true}}}
		for i, m := range metrics {
			head := m.Name
			if m.Unit != "" && m.Unit != m.Name {
				head += " [" + m.Unit + "]"
			}
			out.columns = append(out.columns, column{head: clean(head), right: true, block: i + 1})
		}
		for _, s := range groups(g.lines, func(l *Line) (string, string) { return "", l.Scenario }) {
			r := row{cells: []cell{{text: clean(s.workload)}}}
			for _, m := range metrics {
				c := cell{}
				for i := range s.lines {
					if l := &s.lines[i]; l.Metric.Name == m.Name {
						if _, ok := known64(l.Value); ok {
							c = b.value(m, l.Value)
							c.mark = b.notes.mark(l.Footnotes...)
						}
					}
				}
				if c.text == "" {
					c.text = missing + b.notes.mark("not published, or not measured")
				}
				r.cells = append(r.cells, c)
			}
			out.rows = append(out.rows, r)
		}
		sheets = append(sheets, sheet{title(g.target, g.workload), out})
	}
	return sheets
}
