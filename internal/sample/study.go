package sample

import (
	"math"

	"deltabench/internal/compare"
	"deltabench/internal/store"
	"deltabench/internal/study"
)

// StudyRow is a row of a study's family: a scenario of a target in a cell, against the baseline.
type StudyRow struct {
	compare.Row
	Cell     study.Cell // Threads 0: a mean over the ladder
	Scenario *study.Scenario
}

// StudyRows are the comparisons of a target at a share of the peak (0: the ladder): every scenario against the baseline in every cell
// that has runs. value tells what a run measured; NaN: nothing.
func StudyRows(p *study.Plan, target int, runs []store.StudyRun, share float64, value func(*store.StudyRun) float64) ([]StudyRow, error) {
	t := &p.Targets[target]
	type place struct {
		scenario, workload string
		threads            int
	}
	byPlace := map[place][]float64{}
	events := map[place]int64{}
	rounds := 0
	for i := range runs {
		r := &runs[i]
		if r.Key.Target != t.Name || r.Key.Share != share {
			continue
		}
		at := place{r.Key.Scenario, r.Key.Workload, r.Key.Threads}
		list := byPlace[at]
		for len(list) < r.Key.Round {
			list = append(list, math.NaN())
		}
		rounds = max(rounds, r.Key.Round)
		if r.Failure == "" && failure(r.EndReason, r.EndError, r.ExitCode, r.Events) == "" {
			list[r.Key.Round-1] = value(r)
			if n, ok := events[at]; !ok || r.Events < n {
				events[at] = r.Events
			}
		}
		byPlace[at] = list
	}
	fill := func(at place) []float64 {
		list := byPlace[at]
		for len(list) < rounds {
			list = append(list, math.NaN())
		}
		return list
	}
	var rows []StudyRow
	for i := range t.Scenarios[1:] {
		s := &t.Scenarios[i+1]
		for w := range p.Workloads {
			for _, threads := range threadsOf(runs, t.Name, p.Workloads[w].Name, share) {
				base, mine := place{t.Scenarios[0].Name, p.Workloads[w].Name, threads}, place{s.Name, p.Workloads[w].Name, threads}
				cell := Cell{p.Workloads[w].Name, threads}
				row, err := compare.NewRow(s.Name, cell.String(), fill(base), fill(mine))
				if err != nil {
					return nil, err
				}
				row.Workload, row.AA, row.Events = p.Workloads[w].Name, s.AA, min(events[base], events[mine])
				rows = append(rows, StudyRow{Row: row, Cell: study.Cell{Workload: w, Threads: threads}, Scenario: s})
			}
		}
	}
	return rows, nil
}

// threadsOf are the numbers of threads of which there are runs, rising.
func threadsOf(runs []store.StudyRun, target, workload string, share float64) []int {
	seen := map[int]bool{}
	var list []int
	for i := range runs {
		k := runs[i].Key
		if k.Target == target && k.Workload == workload && k.Share == share && !seen[k.Threads] {
			seen[k.Threads] = true
			at := len(list)
			for at > 0 && list[at-1] > k.Threads {
				at--
			}
			list = append(list[:at], append([]int{k.Threads}, list[at:]...)...)
		}
	}
	return list
}
