package table

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Kind is what JSON documents call themselves.
const Kind = "deltabench/comparisons"

// SchemaVersion is the version of JSON documents. Fields may be added within a version; none is removed or changes its meaning.
const SchemaVersion = 1

// document is the JSON form.
type document struct {
	Schema        string `json:"schema"`
	SchemaVersion int    `json:"schemaVersion"`
	Comparisons
}

// Values are numbers of runs; those that are not finite are null in JSON.
type Values []float64

// MarshalJSON writes null for what is not finite: JSON has no such numbers.
func (v Values) MarshalJSON() ([]byte, error) {
	list := make([]*float64, len(v))
	for i := range v {
		if finite(v[i]) {
			list[i] = &v[i]
		}
	}
	return json.Marshal(list)
}

func (c *Comparisons) encode(f Format, l Layout, s Style) ([]byte, error) {
	switch f {
	case Terminal:
		return c.terminal(l, s)
	case Markdown:
		return c.markdown(l)
	case CSV:
		return c.csv()
	case JSON:
		return c.json()
	case Bench:
		return c.bench()
	}
	return nil, fmt.Errorf("there is no format %d", f)
}

func (c *Comparisons) json() ([]byte, error) {
	d := document{Schema: Kind, SchemaVersion: SchemaVersion, Comparisons: *c}
	d.Scenarios = nonNil(c.scenarios())
	d.Before, d.Notes = nonNil(c.Before), nonNil(c.Notes)
	d.Margin = finiteOnly(c.Margin)
	d.Lines = nonNil(c.sorted())
	for i := range d.Lines {
		l := &d.Lines[i]
		l.Baseline, l.Value, l.Published = finiteOnly(l.Baseline), finiteOnly(l.Value), finiteOnly(l.Published)
		l.Footnotes = nonNil(l.Footnotes)
		if change, ok := l.change(); ok {
			l.Change = &change
		}
		l.IsContradicted = l.Contradicted()
		if l.Claim != nil {
			claim := *l.Claim
			claim.Warnings = nonNil(claim.Warnings)
			claim.Estimate, claim.P, claim.AdjustedP = finiteOnly(claim.Estimate), finiteOnly(claim.P), finiteOnly(claim.AdjustedP)
			claim.Detectable = finiteOnly(claim.Detectable)
			if !claim.Interval.known() {
				claim.Interval = nil
			}
			if !claim.Check.known() {
				claim.Check = nil
			}
			l.Claim = &claim
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(d); err != nil {
		return nil, fmt.Errorf("encode comparisons: %w", err)
	}
	return b.Bytes(), nil
}

func nonNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func finiteOnly(v *float64) *float64 {
	if _, ok := known64(v); !ok {
		return nil
	}
	return v
}

// csv writes a record for each line, with plain numbers and the line ends of RFC 4180. What is not known is an empty field.
func (c *Comparisons) csv() ([]byte, error) {
	lines := c.sorted()
	unit := "in unit"
	if units := unitsOf(lines); len(units) == 1 {
		unit = units[0]
	}
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.UseCRLF = true
	rows := [][]string{{
		"target", "workload", "threads", "mean of threads", "baseline", "scenario", "metric", "unit",
		text("baseline (" + unit + ")"), text("scenario (" + unit + ")"), "change (%)", "low (%)", "high (%)", "level (%)",
		"n (rounds)", "of (rounds)", "p", "adjusted p", "verdict", "margin (%)", "detectable change (%)", "check estimate (%)", "check low (%)",
		"check high (%)", "published change (%)", "contradicted", "notes",
	}}
	for i := range lines {
		l := &lines[i]
		claim := l.Claim
		if claim == nil {
			claim = &Claim{}
		}
		threads := ""
		if l.Threads > 0 {
			threads = strconv.Itoa(l.Threads)
		}
		change, known := l.change()
		var low, high, level, checkEstimate, checkLow, checkHigh *float64
		if iv := claim.Interval; iv != nil {
			low, high, level = &iv.Low, &iv.High, &iv.Level
		}
		if ck := claim.Check; ck != nil {
			checkEstimate, checkLow, checkHigh = &ck.Estimate, &ck.Interval.Low, &ck.Interval.High
		}
		n, of := "", ""
		if l.Claim != nil {
			n, of = strconv.Itoa(claim.N), strconv.Itoa(claim.Of)
		}
		if !known {
			change = math.NaN()
		}
		var margin *float64
		if l.Claim != nil {
			margin = c.Margin
		}
		rows = append(rows, []string{
			text(l.Target), text(l.Workload), threads, strconv.FormatBool(l.Mean), text(c.Baseline), text(l.Scenario), text(l.Metric.Name),
			text(l.Metric.Unit), plain(l.Baseline), plain(l.Value), plain(&change), plain(low), plain(high), plain(level), n, of,
			plain(claim.P), plain(claim.AdjustedP), claim.Verdict, plain(margin), plain(claim.Detectable), plain(checkEstimate),
			plain(checkLow), plain(checkHigh), plain(l.Published), strconv.FormatBool(l.Contradicted()),
			text(strings.Join(l.remarks(), "; ")),
		})
	}
	if err := w.WriteAll(rows); err != nil {
		return nil, fmt.Errorf("encode comparisons: %w", err)
	}
	return b.Bytes(), nil
}

// text keeps a field from being read as a formula by spreadsheets, which execute what begins with such a character.
func text(s string) string {
	s = clean(s)
	if s != "" && strings.ContainsAny(s[:1], "=+-@\t\r") {
		return "'" + s
	}
	return s
}

// tenDigits rounds: the last digits of a computed number are an accident of its computation.
func tenDigits(v float64) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 10, 64), 64)
	if err != nil {
		return v
	}
	return rounded
}

// plain spells a number for programs.
func plain(v *float64) string {
	value, ok := known64(v)
	if !ok {
		return ""
	}
	return strconv.FormatFloat(tenDigits(value), 'f', -1, 64)
}

func unitsOf(lines []Line) []string {
	var units []string
	for _, l := range lines {
		if !slices.Contains(units, l.Metric.Unit) {
			units = append(units, l.Metric.Unit)
		}
	}
	return units
}
