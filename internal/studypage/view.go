package studypage

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"unicode/utf8"

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
	State           []chip // of a study that is not what it should become
	Counts          []counts
	Sections        []section
	Pictures        []picture // the page's JSON
	Generated       string
	Licences        []fact
}

type fact struct{ Name, Text string }

// Long says that the answer is too long for the largest letters.
func (v *view) Long() bool { return utf8.RuneCountInString(v.Answer) > 140 }

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
	Words     []fact // how to read the numbers, in the first section
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

// Hint is a footnote's text where it is shown beside its mark, too: not in the long lists.
func (s *sheets) Hint(number int) string {
	if s.Tight || number > len(s.Footnotes) {
		return ""
	}
	return s.Footnotes[number-1]
}

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
	Unit    string // of the y axis
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
		Line: oneLine(&r.Plan), Facts: facts(r), Pictures: []picture{},
		Licences: []fact{
			{"Apache ECharts, notice", echartsNotice},
			{"Apache ECharts, licence", echartsLicense},
			{"zrender, part of it", zrenderLicense},
			{"d3, parts of it", d3License},
		},
	}
	if r.Plan.Quick {
		v.State = append(v.State, chip{"undecided", "a quick look, not an answer"})
	}
	if !r.Plan.Finished {
		v.State = append(v.State, chip{"undecided", fmt.Sprintf("not finished: %d of %s", r.Plan.Rounds, count(r.Plan.RoundsPlanned, "round"))})
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
		if i == 0 {
			s.Words = words
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
	v := chart{Chart: c, Unit: cmp.Or(p.Y.Unit, p.Y.Name), Drawing: drawing, Cut: p.Cut, Columns: []string{p.X.title()}}
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
