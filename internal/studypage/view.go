package studypage

import (
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"deltabench/internal/findings"
	"deltabench/internal/table"
)

// view is a page as its template reads it.
type view struct {
	*findings.Results
	Policy          string
	Style           template.CSS
	Library, Script template.JS
	Line            string // the facts in a line
	Facts           []fact
	Words           []fact
	Counts          []counts
	Sections        []section
	Pictures        []picture // the page's JSON
	Generated       string
	Licences        []fact
}

type fact struct{ Name, Text string }

// counts are the verdicts of a target at the headline number of threads.
type counts struct {
	Target string // empty when there is only one
	Chips  []chip
}

type chip struct{ Class, Text string }

// section is a target.
type section struct {
	*findings.Target
	ID        string
	Answer    string // empty when it is that of the whole study
	Headline  *sheets
	Groups    []charts
	Ladders   []*sheets
	Tail      *sheets
	Reference *sheets
	All       *sheets
}

// sheets are comparisons as tables.
type sheets struct {
	*table.Document
	ID           string
	Title        string
	Source       string
	Baseline     string
	Tight        bool // cells in one line
	descriptions map[string]string
}

// Describe is what a scenario is, in words.
func (s *sheets) Describe(name string) string { return s.descriptions[name] }

// Number is the number of a footnote.
func (s *sheets) Number(index int) int { return index + 1 }

// charts are those of a workload, with one legend.
type charts struct {
	Workload string
	Legend   []entry
	Charts   []chart
}

type entry struct {
	Name  string
	Style int
}

// chart is a figure.
type chart struct {
	*findings.Chart
	Unit    string
	Drawing template.HTML
	Cut     bool
	Columns []string
	Rows    [][]string
}

// words explains verdicts, as docs/statistics.md does.
var words = []fact{
	{"−12.9 %", "the best guess of what the change does, against the baseline"},
	{"[−13.6, −12.1]", "the 95 % interval: the true effects that fit the data; narrower with more rounds"},
	{"n=8", "independent repetitions (rounds) behind it"},
	{"better, worse", "beyond chance, and at least as large as the margin"},
	{"equivalent", "the whole interval lies inside the margin: too small to matter, whatever it is"},
	{"undecided", "neither; more rounds may decide it, and a footnote says what stands in the way"},
	{"preliminary", "3 or 4 rounds: an interval, but no verdict yet"},
	{"no verdict", "refused; a footnote says why"},
}

func newView(r *findings.Results, o Options) (*view, error) {
	v := &view{
		Results: r, Policy: policy(), Style: template.CSS(pageCSS), Library: template.JS(echartsJS), Script: template.JS(pageJS),
		Line: line1(&r.Plan), Facts: facts(r), Words: words, Pictures: []picture{},
		Licences: []fact{
			{"Apache ECharts, notice", echartsNotice},
			{"Apache ECharts, licence", echartsLicense},
			{"zrender, part of it", zrenderLicense},
			{"d3, parts of it", d3License},
		},
	}
	if !o.Generated.IsZero() {
		v.Generated = o.Generated.Format(timeFormat)
	}
	for i := range r.Targets {
		t := &r.Targets[i]
		s, pictures, err := newSection(t, i)
		if err != nil {
			return nil, err
		}
		if s.Answer == r.Answer {
			s.Answer = ""
		}
		v.Sections = append(v.Sections, s)
		v.Pictures = append(v.Pictures, pictures...)
		c := counts{Chips: chips(t.Headline)}
		if len(r.Targets) > 1 {
			c.Target = t.Name
		}
		if len(c.Chips) > 0 {
			v.Counts = append(v.Counts, c)
		}
	}
	return v, nil
}

func newSection(t *findings.Target, number int) (section, []picture, error) {
	s := section{Target: t, ID: "target" + strconv.Itoa(number+1), Answer: t.Answer}
	arrange := func(c *table.Comparisons, l table.Layout, name string) *sheets {
		if c == nil || len(c.Lines) == 0 {
			return nil
		}
		out := &sheets{
			Document: c.Document(l), ID: s.ID + "-" + name, Title: c.Title, Source: c.Source, Baseline: c.Baseline, Tight: l == table.List,
			descriptions: map[string]string{},
		}
		for _, d := range append(slices.Clone(t.Scenarios), c.Scenarios...) {
			if d.Description != "" {
				out.descriptions[d.Name] = d.Description
			}
		}
		return out
	}
	s.Headline = arrange(t.Headline, table.ScenarioRows, "headline")
	for i, c := range t.Ladders {
		if l := arrange(c, table.ThreadRows, "ladder"+strconv.Itoa(i+1)); l != nil {
			s.Ladders = append(s.Ladders, l)
		}
	}
	s.Tail = arrange(t.Tail, table.List, "tail")
	s.Reference = arrange(t.Reference, table.ThreadRows, "reference")
	s.All = arrange(t.All, table.List, "all")

	var pictures []picture
	styles := stylesOf(t)
	for i := range t.Charts {
		c := &t.Charts[i]
		p := newPicture(c, styles)
		drawing, err := p.svg()
		if err != nil {
			return s, nil, err
		}
		pictures = append(pictures, p)
		g := slices.IndexFunc(s.Groups, func(g charts) bool { return g.Workload == c.Workload })
		if g < 0 {
			g = len(s.Groups)
			s.Groups = append(s.Groups, charts{Workload: c.Workload})
		}
		s.Groups[g].add(c, &p, drawing)
	}
	return s, pictures, nil
}

// stylesOf numbers the series of a target: scenarios in their order, then whatever else charts have.
func stylesOf(t *findings.Target) map[string]int {
	styles := map[string]int{}
	add := func(name string) {
		if _, ok := styles[name]; !ok {
			styles[name] = len(styles)
		}
	}
	for _, s := range t.Scenarios {
		if s.Name != t.Baseline {
			add(s.Name)
		}
	}
	for _, c := range t.Charts {
		for _, s := range c.Series {
			if !s.Baseline {
				add(s.Name)
			}
		}
	}
	return styles
}

// add takes a chart into its group.
func (g *charts) add(c *findings.Chart, p *picture, drawing template.HTML) {
	v := chart{Chart: c, Unit: p.Y.title(), Drawing: drawing, Cut: p.Cut, Columns: []string{p.X.title()}}
	for _, s := range p.Series {
		e := entry{s.Name, s.Style}
		switch {
		case slices.Contains(g.Legend, e):
		case s.Style < 0:
			g.Legend = slices.Insert(g.Legend, 0, e)
		default:
			g.Legend = append(g.Legend, e)
		}
		v.Columns = append(v.Columns, s.Name)
	}
	for _, t := range p.X.Ticks {
		row := []string{t.Label}
		for _, s := range p.Series {
			text := "–"
			for _, q := range s.Points {
				if float64(q.X) == t.Value && q.Text != "" {
					text = q.Text
				}
			}
			row = append(row, text)
		}
		v.Rows = append(v.Rows, row)
	}
	g.Charts = append(g.Charts, v)
}

// chips counts the verdicts of the primary metric.
func chips(c *table.Comparisons) []chip {
	if c == nil {
		return nil
	}
	counts := map[string]int{}
	for _, l := range c.Lines {
		if l.Claim != nil && !l.Metric.Secondary && l.Scenario != c.Baseline {
			counts[l.Claim.Verdict]++
		}
	}
	var list []chip
	for _, v := range []string{"worse", "better", "equivalent", "undecided", "preliminary", ""} {
		word := v
		if v == "" {
			word = "no verdict"
		}
		if n := counts[v]; n > 0 {
			list = append(list, chip{v, fmt.Sprintf("%d %s", n, word)})
		}
	}
	return list
}

const timeFormat = "2006-01-02 15:04 MST"

// line1 is what was done, in a line.
func line1(f *findings.Facts) string {
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	switch {
	case f.Rounds == f.RoundsPlanned || f.RoundsPlanned == 0:
		add("%s", count(f.Rounds, "round"))
	default:
		add("%d of %s", f.Rounds, count(f.RoundsPlanned, "round"))
	}
	add("%s", count(f.Done, "run"))
	if f.Failed > 0 {
		add("%d failed", f.Failed)
	}
	if f.Time != "" {
		add("%s each", f.Time)
	}
	if !f.To.IsZero() {
		add("%s", f.To.Format("2006-01-02"))
	}
	if f.Quick {
		add("a quick look, not an answer")
	}
	return strings.Join(parts, " · ")
}

// facts are what was done, for those who want to know or to repeat it.
func facts(r *findings.Results) []fact {
	f := &r.Plan
	var list []fact
	add := func(name, text string) {
		if text != "" {
			list = append(list, fact{name, text})
		}
	}
	add("study", r.Name)
	runs := fmt.Sprintf("%s of %s", group(float64(f.Done), 0), count(f.Planned, "run"))
	if f.Failed > 0 {
		runs += fmt.Sprintf(", %s failed", group(float64(f.Failed), 0))
	}
	if !f.Finished {
		runs += "; not finished"
	}
	add("done", runs)
	add("complete rounds", fmt.Sprintf("%d of %d", f.Rounds, f.RoundsPlanned))
	if !f.From.IsZero() {
		add("from", f.From.Format(timeFormat))
	}
	if !f.To.IsZero() {
		add("to", f.To.Format(timeFormat))
	}
	add("time of a run", f.Time)
	add("warm-up", f.Warmup)
	add("server and data before a run", f.State)
	var threads []string
	for _, n := range f.Threads {
		threads = append(threads, group(float64(n), 0))
	}
	add("threads", strings.Join(threads, " "))
	if f.Headline > 0 {
		add("threads of the headline table", group(float64(f.Headline), 0))
	}
	add("margin", f.Margin)
	add("machine", f.Host)
	add("CPUs of the load generator", f.Client)
	if f.Seed != 0 {
		add("seed", strconv.FormatUint(f.Seed, 10))
	}
	add("measured by", f.Tool)
	return list
}

func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return group(float64(n), 0) + " " + noun
}
