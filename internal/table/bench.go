package table

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/perf/benchfmt"
)

// benchHead tells people what to do; readers of the format skip it.
const benchHead = "# benchstat -col scenario FILE\n"

// bench writes the Go benchmark format: one line for each run, so that benchstat computes of them what it likes. The scenario is
// a key of the file's configuration. Runs that failed are left out. Where single runs are not known the value of the line is one.
func (c *Comparisons) bench() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(benchHead)
	w := benchfmt.NewWriter(&b)
	lines := c.sorted()
	units := map[string]bool{}
	for _, l := range lines {
		unit, _ := benchUnit(l.Metric)
		if units[unit] || l.Metric.Uncompared {
			continue
		}
		units[unit] = true
		better := "higher"
		if l.Metric.LowerIsBetter {
			better = "lower"
		}
		if err := w.Write(&benchfmt.UnitMetadata{UnitMetadataKey: benchfmt.UnitMetadataKey{Unit: unit, Key: "better"}, OrigUnit: unit, Value: better}); err != nil {
			return nil, fmt.Errorf("encode comparisons: %w", err)
		}
	}
	for _, s := range c.scenarios() {
		baselines := map[string]bool{} // of the cells, which each scenario's line repeats
		for i := range lines {
			l := &lines[i]
			runs, one := l.ValueRuns, l.Value
			if s.Name == c.Baseline && l.Scenario != c.Baseline {
				runs, one = l.BaselineRuns, l.Baseline
				cell := fmt.Sprintf("%q %q %d %q", l.Target, l.Workload, l.Threads, l.Metric.Name)
				if baselines[cell] {
					continue
				}
				baselines[cell] = true
			} else if l.Scenario != s.Name {
				continue
			}
			if l.Mean || l.Metric.Uncompared { // a mean is none of runs
				continue
			}
			if runs == nil && one != nil {
				runs = []float64{*one}
			}
			unit, factor := benchUnit(l.Metric)
			for _, v := range runs {
				if !finite(v) {
					continue
				}
				r := &benchfmt.Result{Name: benchfmt.Name(benchName(l)), Iters: 1, Values: []benchfmt.Value{{Value: tenDigits(v * factor), Unit: unit}}}
				r.SetConfig("scenario", oneLine(s.Name))
				for k := range r.Config {
					r.Config[k].File = true
				}
				if err := w.Write(r); err != nil {
					return nil, fmt.Errorf("encode comparisons: %w", err)
				}
			}
		}
	}
	return b.Bytes(), nil
}

// benchName is the name of a cell: BenchmarkOltp_read_only/threads=8 (the format wants an upper-case letter).
func benchName(l *Line) string {
	name := word(l.Workload)
	if name == "" {
		name = "Run"
	}
	runes := []rune(name)
	runes[0] = unicode.ToUpper(runes[0])
	name = string(runes) // without Benchmark, which the writer adds
	if l.Target != "" {
		name += "/target=" + word(l.Target)
	}
	if l.Threads > 0 {
		name += "/threads=" + strconv.Itoa(l.Threads)
	}
	return name
}

// benchUnit is the format's unit of a metric and what values are multiplied with: benchstat knows ns, not ms.
func benchUnit(m Metric) (unit string, factor float64) {
	name := word(m.Name)
	switch m.Unit {
	case "ms":
		return name + "-ns", 1e6
	case "s":
		return name + "-ns", 1e9
	}
	if m.Unit == "" {
		return name, 1
	}
	return word(m.Unit), 1
}

// word is a text without spaces, and without - before a number at the end, which the format reads as GOMAXPROCS.
func word(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r) || unicode.IsControl(r), r == '-':
			return '_'
		}
		return r
	}, strings.TrimSpace(s))
}

func oneLine(s string) string { return strings.Join(strings.Fields(clean(s)), " ") }
