package table

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// rendered writes a document as lines of text: cells with all their parts, separated by bars.
func rendered(d *Document) string {
	var b strings.Builder
	for _, text := range d.Above {
		fmt.Fprintln(&b, "above:", text)
	}
	for _, s := range d.Sheets {
		fmt.Fprintln(&b, "#", s.Heading)
		var heads []string
		for _, c := range s.Columns {
			kind := ""
			if c.Key {
				kind += "k"
			}
			if c.Number {
				kind += "n"
			}
			heads = append(heads, c.Head+":"+kind)
		}
		fmt.Fprintln(&b, strings.Join(heads, " | "))
		for _, r := range s.Rows {
			var cells []string
			for _, c := range r {
				parts := []string{c.Text, c.Change, c.Interval, c.N, c.Word}
				if c.Verdict != "" && c.Verdict != c.Word {
					parts = append(parts, "("+c.Verdict+")")
				}
				if len(c.Marks) > 0 {
					parts = append(parts, fmt.Sprint(c.Marks))
				}
				cells = append(cells, strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " "))
			}
			fmt.Fprintln(&b, strings.TrimRight(strings.Join(cells, " | "), " "))
		}
	}
	for i, text := range d.Footnotes {
		fmt.Fprintln(&b, i+1, text)
	}
	for _, text := range d.Below {
		fmt.Fprintln(&b, "below:", text)
	}
	return b.String()
}

func TestDocuments(t *testing.T) {
	t.Parallel()
	for _, l := range []Layout{List, ScenarioRows, ThreadRows} {
		golden(t, "page-"+l.String(), []byte(rendered(study().Document(l))))
	}
}

// Published figures without claims have changes with two decimals, as publications print them, and those that contradict the
// values beside them are marked.
func TestDocumentsOfPublishedFigures(t *testing.T) {
	t.Parallel()
	line := func(published float64) Line {
		return Line{
			Metric: queries, Workload: "rw", Threads: 256, Scenario: "full", Baseline: new(42654.0), Value: new(33570.0), Published: &published,
			Footnotes: []string{"a remark"},
		}
	}
	for published, want := range map[float64]Cell{
		-21.3:  {Change: "−21.30 %", Marks: []int{1}},
		-16.14: {Change: "−21.30 %", Interval: "≠ −16.14 %", Verdict: "contradicted", Marks: []int{1}},
	} {
		c := &Comparisons{Baseline: "off", Lines: []Line{line(published)}}
		rows := c.Document(List).Sheets[0].Rows
		if got := rows[0][len(rows[0])-1]; !reflect.DeepEqual(got, want) {
			t.Errorf("published %g: cell %+v, want %+v", published, got, want)
		}
		cell := c.Document(ThreadRows).Sheets[0].Rows[0][2]
		want.Text = "33,570"
		if !reflect.DeepEqual(cell, want) {
			t.Errorf("published %g: cell %+v, want %+v", published, cell, want)
		}
	}
}

func TestMarks(t *testing.T) {
	t.Parallel()
	for in, want := range map[string][]int{"": nil, "¹": {1}, "¹ ¹²  ¹": {1, 12}, "³ ² ⁴⁵⁶⁷⁸⁹⁰": {3, 2, 4567890}} {
		if got := marks(in); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", in, got, want)
		}
	}
}
