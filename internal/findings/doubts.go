package findings

import (
	"fmt"
	"math"

	"deltabench/internal/compare"
)

// notableGrowth is by how much data must differ to be told: sizes are the server's estimates.
const notableGrowth = 0.1

// leastGrowth is what small tables grow by without being others, in bytes: a few extents.
const leastGrowth = 4 << 20

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
	differ := func(a, b int64) bool {
		return math.Abs(float64(b-a)) > max(notableGrowth*float64(a), leastGrowth)
	}
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

// restarts tell where runs come from more starts of the server than the plan has: a study that was resumed, or a crash. With a start for each
// scenario of a round these are the runs of one, else all runs of a scenario.
func (p *part) restarts() []string {
	own := p.plan.Starts(p.i) == compare.OwnStart
	starts := map[string]map[string]bool{}
	rounds := newGroups()
	for i := range p.runs {
		r := &p.runs[i]
		if r.Key.Target != p.t.Name || r.Evidence == nil || r.Evidence.Start.ID == "" {
			continue
		}
		at := r.Key.Scenario
		if own {
			at = fmt.Sprintf("%s in round %d", r.Key.Scenario, r.Key.Round)
		}
		if starts[at] == nil {
			starts[at] = map[string]bool{}
			rounds.add("", at)
		}
		starts[at][r.Evidence.Start.ID] = true
	}
	several := newGroups()
	for _, at := range rounds.names[""] {
		n := len(starts[at])
		text := fmt.Sprintf("its runs come from %d starts of the server", n)
		if !own {
			text += ": the study was resumed, or somebody started it; what was in its caches, and data that were restored then, are not those of before"
		}
		if n > 1 {
			several.add(text, at)
		}
	}
	return several.lines(0)
}

// levelOfSpreads is the chance that a study without differences has a remark on one.
const levelOfSpreads = 0.05

// spreads tell where runs of a scenario vary more or less within themselves than those of the baseline: beyond chance among all cells.
func (p *part) spreads() []string {
	texts := newGroups()
	cells := p.cells()
	chance := levelOfSpreads / float64(2*max(len(cells), 1))
	for _, j := range cells {
		c := cell{j.Workload, j.threads}
		var seconds, tails [2][]float64
		for side, name := range []string{p.t.Scenarios[0].Name, j.Scenario} {
			seconds[side], tails[side] = unknown(len(j.values.Logs)), unknown(len(j.values.Logs))
			for _, r := range p.ladder[spot{name, c}] {
				seconds[side][r.Key.Round-1], tails[side][r.Key.Round-1] = p.samples[r.ID].Spread(p.primary, p.cuts[c])
			}
		}
		for _, of := range []struct {
			what   string
			values [2][]float64
		}{{"variation from second to second", seconds}, {"p99/p50", tails}} {
			spread, err := compare.NewSpread(of.values[0], of.values[1])
			if err == nil && spread.Flagged && spread.P <= chance { // errors: too few rounds know it
				texts.add(spread.Text(of.what), j.Scenario+", "+j.place())
			}
		}
	}
	return texts.lines(0)
}

// unknown are so many values that are not known.
func unknown(n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = math.NaN()
	}
	return list
}
