package findings

import (
	"fmt"
	"math"

	"deltabench/internal/compare"
	"deltabench/internal/store"
)

// notableGrowth is by how much data must differ to be told: sizes are the server's estimates.
const notableGrowth = 0.1

// sizes tell where the data that scenarios work on is not the same: over the rounds, or beside the baseline's. Of each round the first run
// counts, since runs that write make data grow.
func (p *part) sizes() []string {
	type ends struct{ first, last int64 }
	of := map[string]*ends{}
	seen := map[string]bool{}
	for i := range p.runs {
		r := &p.runs[i]
		at := fmt.Sprintf("%s %d", r.Key.Scenario, r.Key.Round)
		if r.Key.Target != p.t.Name || r.Evidence == nil || r.Evidence.DataBytes <= 0 || seen[at] {
			continue
		}
		seen[at] = true
		if of[r.Key.Scenario] == nil {
			of[r.Key.Scenario] = &ends{first: r.Evidence.DataBytes}
		}
		of[r.Key.Scenario].last = r.Evidence.DataBytes
	}
	differ := func(a, b int64) bool { return math.Abs(float64(b-a)) > notableGrowth*float64(a) }
	mb := func(n int64) float64 { return float64(n) / (1 << 20) }
	var out []string
	base := of[p.t.Scenarios[0].Name]
	for k := range p.t.Scenarios {
		name := p.t.Scenarios[k].Name
		e := of[name]
		if e == nil {
			continue
		}
		if differ(e.first, e.last) {
			out = append(out, fmt.Sprintf("%s: the data changed from %.0f MB in the first round to %.0f MB in the last: rounds are not alike", name, mb(e.first), mb(e.last)))
		}
		if k > 0 && base != nil && differ(base.first, e.first) {
			out = append(out, fmt.Sprintf("%s: %.0f MB of data in the first round, the baseline %.0f MB", name, mb(e.first), mb(base.first)))
		}
	}
	return out
}

// restarts tell where the runs of a scenario in a round come from several starts of the server: a study that was resumed, or a crash.
func (p *part) restarts() []string {
	if p.plan.Starts(p.i) != compare.OwnStart {
		return nil
	}
	starts := map[string]map[string]bool{}
	rounds := newGroups()
	for i := range p.runs {
		r := &p.runs[i]
		if r.Key.Target != p.t.Name || r.Evidence == nil || r.Evidence.Start.ID == "" {
			continue
		}
		at := fmt.Sprintf("%s in round %d", r.Key.Scenario, r.Key.Round)
		if starts[at] == nil {
			starts[at] = map[string]bool{}
			rounds.add("", at)
		}
		starts[at][r.Evidence.Start.ID] = true
	}
	several := newGroups()
	for _, at := range rounds.names[""] {
		if n := len(starts[at]); n > 1 {
			several.add(fmt.Sprintf("its runs come from %d starts of the server", n), at)
		}
	}
	return several.lines(0)
}

// spreads tell where runs of a scenario vary more within themselves than those of the baseline.
func (p *part) spreads() []string {
	byPlace := map[string]map[cell]map[int]*store.StudyRun{}
	for i := range p.runs {
		r := &p.runs[i]
		if _, ok := p.usable(r); !ok || r.Key.Target != p.t.Name || r.Key.Share > 0 {
			continue
		}
		if byPlace[r.Key.Scenario] == nil {
			byPlace[r.Key.Scenario] = map[cell]map[int]*store.StudyRun{}
		}
		c := cell{r.Key.Workload, r.Key.Threads}
		if byPlace[r.Key.Scenario][c] == nil {
			byPlace[r.Key.Scenario][c] = map[int]*store.StudyRun{}
		}
		byPlace[r.Key.Scenario][c][r.Key.Round] = r
	}
	texts := newGroups()
	for _, j := range p.cells() {
		c := cell{j.Workload, j.threads}
		var seconds, tails [2][]float64
		for round := 1; round <= len(j.values.Logs); round++ {
			for side, name := range []string{p.t.Scenarios[0].Name, j.Scenario} {
				second, tail := math.NaN(), math.NaN()
				if r := byPlace[name][c][round]; r != nil {
					second, tail = p.samples[r.ID].Spread(p.primary, p.cuts[c])
				}
				seconds[side], tails[side] = append(seconds[side], second), append(tails[side], tail)
			}
		}
		for _, of := range []struct {
			what   string
			values [2][]float64
		}{{"variation from second to second", seconds}, {"p99/p50", tails}} {
			spread, err := compare.NewSpread(of.values[0], of.values[1])
			if err == nil && spread.Flagged { // errors: too few rounds know it
				texts.add(spread.Text(of.what), j.Scenario+", "+j.place())
			}
		}
	}
	return texts.lines(0)
}
