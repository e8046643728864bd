package simulate

import (
	"fmt"
	"math"
	"math/rand/v2"

	"deltabench/internal/compare"
)

// Claims is what studies of many comparisons say, in percent.
type Claims struct {
	False     float64 // studies that call a comparison without a true change different, by the adjusted p alone
	FalseRaw  float64 // the same without adjustment
	FalseHolm float64 // the same with Holm over the study, whatever the plan
	Cells     float64 // cells of scenario 1 that are called better, with margin
	CellsRaw  float64 // the same without adjustment
	CellsHolm float64 // the same with Holm
	Means     float64 // workload means of scenario 1 that are called better
}

// Truth is where a study has true changes.
type Truth int

// Null: nowhere. FirstScenario: all cells of scenario 1. FirstWorkload: the cells of workload 0, in all scenarios.
const (
	Null Truth = iota
	FirstScenario
	FirstWorkload
)

// Family makes studies whose true change, in percent, is where truth says, and judges them at 5 % with margin, in
// percent. All of a family is judged together: cells and workload means of all scenarios but the baseline.
func Family(w World, d Design, truth Truth, change, margin float64, studies int) Claims {
	changed := func(s, c int) bool {
		return truth == FirstScenario && s == 1 || truth == FirstWorkload && s > 0 && d.workload(c) == 0
	}
	d.Effect = func(s, c int) float64 {
		if changed(s, c) {
			return 100 * math.Log1p(change/100)
		}
		return 0
	}
	name := fmt.Sprintf("family %s %d x %d, %d rounds, truth %d of %g", w.Name, d.Scenarios, d.Cells, d.Rounds, truth, change)
	type result struct {
		wrong    [3]bool // adjusted, raw, Holm
		cells    [3]int
		means    int
		nullRows int
	}
	results := each(name, studies, func() func(r *rand.Rand) result {
		f := newFamily(w, d)
		return func(r *rand.Rand) result {
			f.Next(r)
			f.judge()
			var out result
			for i, row := range f.rows {
				s, j := 1+i/d.Rows(), i%d.Rows()
				null := !changed(s, f.cellOf(j))
				if null {
					out.nullRows++
				}
				for k, p := range [3]float64{f.adjusted[i], f.raw[i], f.holm[i]} {
					if null && p <= 0.05 {
						out.wrong[k] = true
					}
					if s != 1 || verdictOf(row, p, margin) != compare.Better {
						continue
					}
					if j < d.Cells {
						out.cells[k]++
					} else if k == 0 {
						out.means++
					}
				}
			}
			return out
		}
	})
	var c Claims
	one := 100 / float64(len(results))
	for _, r := range results {
		for k, to := range []*float64{&c.False, &c.FalseRaw, &c.FalseHolm} {
			if r.wrong[k] {
				*to += one
			}
		}
		for k, to := range []*float64{&c.Cells, &c.CellsRaw, &c.CellsHolm} {
			*to += one * float64(r.cells[k]) / float64(d.Cells)
		}
		if means := d.Rows() - d.Cells; means > 0 {
			c.Means += one * float64(r.means) / float64(means)
		}
	}
	return c
}

// family is a study with its comparisons.
type family struct {
	*Generator
	rows                [][]float64 // scenario by scenario
	raw, holm, adjusted []float64
}

func newFamily(w World, d Design) *family {
	f := &family{Generator: NewGenerator(w, d)}
	for range d.Scenarios - 1 {
		f.rows = append(f.rows, newRows(&d)...)
	}
	return f
}

func (f *family) judge() {
	rows := f.Rows()
	for s := 1; s < f.Scenarios; s++ {
		f.Comparisons(f.rows[(s-1)*rows:s*rows], s)
	}
	f.raw = f.raw[:0]
	for _, row := range f.rows {
		f.raw = append(f.raw, paired(row, 0.05).p)
	}
	f.holm = compare.Holm(f.raw)
	f.adjusted = adjust(f.rows, f.Scenarios)
}

// cellOf row j of a scenario is itself, or the first cell of the workload whose mean it is: true changes are the same
// in all cells of a workload.
func (d *Design) cellOf(j int) int {
	if j < d.Cells {
		return j
	}
	next := d.Cells
	for w := range d.Workloads {
		size, first := 0, -1
		for c := range d.Cells {
			if d.workload(c) == w {
				size++
				if first < 0 {
					first = c
				}
			}
		}
		if size > 1 {
			if next == j {
				return first
			}
			next++
		}
	}
	panic(fmt.Sprintf("row %d of %d", j, d.Rows()))
}
