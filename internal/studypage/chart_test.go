package studypage

import (
	"encoding/json"
	"math"
	"regexp"
	"strings"
	"testing"

	"deltabench/internal/findings"
)

func TestScales(t *testing.T) {
	t.Parallel()
	labels := func(s scale) string {
		var list []string
		for _, t := range s.Ticks {
			list = append(list, t.Label)
		}
		return strings.Join(list, " ")
	}
	for _, c := range []struct {
		log       bool
		low, high float64
		want      string
	}{
		{false, 0, 43300, "0 10,000 20,000 30,000 40,000 50,000"},
		{false, -17.3, 3, "−20 −15 −10 −5 0 5"},
		{false, -0.03, 0.041, "−0.04 −0.02 0.00 0.02 0.04 0.06"},
		{false, 0, 0, "0.0 0.2 0.4 0.6 0.8 1.0"},
		{false, 7, 7, "6.0 6.5 7.0 7.5 8.0"},
		{false, 0, 1e-9, "0.0000000000 0.0000000002 0.0000000004 0.0000000006 0.0000000008 0.0000000010"},
		{true, 4.2, 700, "4 16 64 256 1,024"},
		{true, 0.3, 0.9, "0.25 0.5 1"},
		{true, 8, 8, "8 16"},
		{true, 1, 1 << 20, "1 8 64 512 4,096 32,768 262,144"},
		{true, 0, 100, "0 20 40 60 80 100"}, // zero has no place on a logarithmic axis
	} {
		s := newScale(findings.Axis{Log: c.log}, [2]float64{c.low, c.high})
		if got := labels(s); got != c.want {
			t.Errorf("from %g to %g, logarithmic %v: %s; want %s", c.low, c.high, c.log, got, c.want)
		}
		if s.Min > c.low || s.Max < c.high || s.Min >= s.Max || s.Ticks[len(s.Ticks)-1].Value > s.Max*(1+1e-9) {
			t.Errorf("from %g to %g: the axis goes from %g to %g", c.low, c.high, s.Min, s.Max)
		}
	}
}

// chartOf has a series of the values at 1, 2, 4 and so on, with intervals of a half-width.
func chartOf(kind findings.ChartKind, half float64, values ...float64) *findings.Chart {
	s := findings.Series{Name: "a"}
	for i, v := range values {
		s.Points = append(s.Points, findings.Point{X: math.Exp2(float64(i)), Y: v, Low: v - half, High: v + half})
	}
	return &findings.Chart{ID: "c", Kind: kind, X: findings.Axis{Name: "threads", Log: true}, Series: []findings.Series{s}}
}

// Each kind shows the part of its axis that its readers need.
func TestKinds(t *testing.T) {
	t.Parallel()
	change := chartOf(findings.Change, 0.1, 0.1, 0.2)
	change.Band = 2
	for _, c := range []struct {
		chart     *findings.Chart
		low, high float64
	}{
		{chartOf(findings.Throughput, 1, 900, 1000), 0, 1200},
		{chartOf(findings.Response, 1, 900, 1000), 880, 1020},
		{change, -3, 3},
		{chartOf("new", 1, 900, 1000), 880, 1020},
	} {
		p := newPicture(c.chart, map[string]int{"a": 0})
		if p.Y.Min != c.low || p.Y.Max != c.high || p.Cut {
			t.Errorf("%s goes from %g to %g, cut %v; want from %g to %g", c.chart.Kind, p.Y.Min, p.Y.Max, p.Cut, c.low, c.high)
		}
	}
	wide := chartOf(findings.Change, 500, -1, 1, -2, 2)
	if p := newPicture(wide, nil); !p.Cut || p.Y.Max > 20 {
		t.Errorf("wide intervals: the axis ends at %g, cut %v: the values are pressed into a line", p.Y.Max, p.Cut)
	}
	for _, kind := range []findings.ChartKind{findings.Throughput, findings.Response, findings.Change} {
		if kinds[kind] == nil {
			t.Errorf("kind %s is drawn as any other", kind)
		}
	}
}

func TestPoints(t *testing.T) {
	t.Parallel()
	c := chartOf(findings.Throughput, math.NaN(), 5, math.NaN(), 7)
	c.Series[0].Points = append(c.Series[0].Points, findings.Point{X: 3, Y: 6}, findings.Point{X: 0, Y: 1}, findings.Point{X: math.NaN(), Y: 1})
	p := newPicture(c, nil)
	text, err := json.Marshal(p.Series[0].Points)
	if err != nil {
		t.Fatal(err)
	}
	const want = `[{"x":1,"y":5,"low":null,"high":null,"text":""},{"x":2,"y":null,"low":null,"high":null,"text":""},` +
		`{"x":3,"y":6,"low":0,"high":0,"text":""},{"x":4,"y":7,"low":null,"high":null,"text":""}]`
	if string(text) != want {
		t.Errorf("points %s\nwant   %s", text, want)
	}
	if p.X.Min != 1 || p.X.Max != 4 || len(p.X.Ticks) != 4 {
		t.Errorf("x axis %+v", p.X)
	}
}

// The drawing has the page's colours, breaks lines where nothing is known, and is never wrong SVG.
func TestDrawing(t *testing.T) {
	t.Parallel()
	paths := regexp.MustCompile(`<path d="(M[^"]*L[^"]*)" style="fill:none;stroke:var\(--s1\);stroke-width:1.6"`)
	areas := regexp.MustCompile(`style="fill-opacity:.16;fill:var\(--s1\)"`)
	for _, c := range []struct {
		name         string
		values       []float64
		lines, areas int
	}{
		{"all known", []float64{1, 2, 3, 4}, 1, 1},
		{"a hole", []float64{1, 2, math.NaN(), 4, 5}, 2, 2},
		{"nothing on both sides", []float64{1, math.NaN(), 3}, 0, 0},
		{"nothing", []float64{math.NaN()}, 0, 0},
		{"no points", nil, 0, 0},
	} {
		p := newPicture(chartOf(findings.Throughput, 0.5, c.values...), map[string]int{"a": 1})
		svg, err := p.svg()
		if err != nil {
			t.Fatal(err)
		}
		if bad := regexp.MustCompile(`NaN|Inf|#00F|#000000|<\?xml|#[0-9A-F]{6}`).FindString(string(svg)); bad != "" {
			t.Errorf("%s: the drawing has %q", c.name, bad)
		}
		if got := len(paths.FindAllString(string(svg), -1)); got != c.lines {
			t.Errorf("%s: %d lines, want %d", c.name, got, c.lines)
		}
		if got := len(areas.FindAllString(string(svg), -1)); got != c.areas {
			t.Errorf("%s: %d areas of intervals, want %d", c.name, got, c.areas)
		}
	}
	c := chartOf(findings.Change, 0.5, 1, 2)
	c.X.Name, c.Band, c.Zero = `</svg><script>alert(1)</script>`, 2, true
	p := newPicture(c, map[string]int{"a": 1})
	svg, err := p.svg()
	if err != nil {
		t.Fatal(err)
	}
	if s := string(svg); strings.Contains(s, "<script") || strings.Count(s, "</svg>") != 1 || !strings.Contains(s, "fill:var(--band)") ||
		!strings.Contains(s, "stroke:var(--base)") {
		t.Errorf("the drawing of a change lacks band or zero, or takes a name for markup: %.300s", s)
	}
}

// Series with one point each, at the same number of threads, stand side by side, each with the bar of its interval.
func TestSideBySide(t *testing.T) {
	t.Parallel()
	c := chartOf(findings.Throughput, 10, 100)
	c.Series = append(c.Series, findings.Series{Name: "b", Points: []findings.Point{{X: 1, Y: 120, Low: 115, High: 125}}})
	p := newPicture(c, map[string]int{"a": 0, "b": 1})
	if p.Single != "1 thread" || p.X.Log || p.X.Min != 0.5 || p.X.Max != 2.5 || p.Series[0].Points[0].X != 1 || p.Series[1].Points[0].X != 2 {
		t.Errorf("%+v", p)
	}
	if len(p.X.Ticks) != 2 || p.X.Ticks[1] != (tick{2, "b"}) {
		t.Errorf("ticks %+v", p.X.Ticks)
	}
	if c.Series[1].Points[0].X != 1 {
		t.Error("the chart itself is changed")
	}
	text, err := p.svg()
	if err != nil {
		t.Fatal(err)
	}
	if bars := regexp.MustCompile(`<path d="M[^"]*L[^"]*" style="fill:none;stroke:var\(--s[01]\);stroke-width:1.5"`).FindAllString(string(text), -1); len(bars) != 2 {
		t.Errorf("%d bars: %s", len(bars), text)
	}
	c.Series[1].Name = strings.Repeat("long ", 12)
	if p := newPicture(c, nil); p.X.Ticks[0].Label != "" || p.X.Ticks[1].Label != "" {
		t.Errorf("labels that have no room: %+v", p.X.Ticks)
	}
}
