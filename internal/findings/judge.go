package findings

import (
	"fmt"
	"math"
	"slices"
	"time"

	"deltabench/internal/compare"
	"deltabench/internal/evidence"
	"deltabench/internal/sample"
	"deltabench/internal/store"
	"deltabench/internal/table"
)

// measured is a metric of a study with how a run's value is found.
type measured struct {
	table.Metric
	quantile float64
	value    func(*store.StudyRun) float64
}

// metrics are the primary one and those beside it.
func (p *part) metrics() []measured {
	list := []measured{{
		Metric: table.Metric{Name: p.primary.Label, Unit: p.primary.Unit},
		value: func(r *store.StudyRun) float64 {
			v, ok := p.samples[r.ID].After(p.primary, p.cuts[cell{r.Key.Workload, r.Key.Threads}])
			if !ok {
				return math.NaN()
			}
			return v.V
		},
	}}
	for _, name := range []string{"p95", "p99"} {
		m, err := sample.ParseMetric(name)
		if err != nil {
			continue
		}
		list = append(list, measured{
			Metric: table.Metric{Name: m.Label, Unit: m.Unit, LowerIsBetter: true, Secondary: true}, quantile: m.Percentile / 100,
			value: func(r *store.StudyRun) float64 {
				v, ok := p.samples[r.ID].Value(m)
				if !ok {
					return math.NaN()
				}
				return v.V
			},
		})
	}
	for _, who := range []string{"server", "client"} {
		list = append(list, measured{
			Metric: table.Metric{Name: who + " CPU", Unit: "µs/query", LowerIsBetter: true, Secondary: true, Cost: true},
			value:  func(r *store.StudyRun) float64 { return cpuPerQuery(r, who) },
		})
	}
	return list
}

// cpuPerQuery is the CPU time that a query took, in µs; NaN where it is not known. Tests without queries count events.
func cpuPerQuery(r *store.StudyRun, who string) float64 {
	n := float64(r.Queries)
	if n == 0 {
		n = float64(r.Events)
	}
	seconds := r.ClientCPUSeconds
	if who == "server" {
		if r.Evidence == nil || r.Evidence.Server == nil {
			return math.NaN()
		}
		seconds = r.Evidence.Server.CPUSeconds()
		if v, ok := measuredCPU(r); ok {
			seconds = v
		}
	}
	if n == 0 || seconds <= 0 {
		return math.NaN()
	}
	return 1e6 * seconds / n
}

// measuredCPU is the CPU time of the server process within the measured time of a run: connecting and warming up are no queries that
// were counted. ok is false where its samples do not cover that time.
func measuredCPU(r *store.StudyRun) (seconds float64, ok bool) {
	begin := measuredFrom(r)
	a, okA := cpuAt(r.Evidence.Seconds, begin)
	b, okB := cpuAt(r.Evidence.Seconds, begin.Add(time.Duration(r.ElapsedSeconds*float64(time.Second))))
	return b - a, okA && okB && b > a
}

// cpuAt is the CPU time that a process had used at a time, between its samples by a straight line.
func cpuAt(samples []evidence.Second, at time.Time) (float64, bool) {
	for k := 1; k < len(samples); k++ {
		a, b := samples[k-1], samples[k]
		span := b.At.Sub(a.At).Seconds()
		if span > 0 && !at.Before(a.At) && !at.After(b.At) {
			return a.CPU + (b.CPU-a.CPU)*at.Sub(a.At).Seconds()/span, true
		}
	}
	return 0, false
}

// judge compares every scenario with the baseline in every metric.
func (p *part) judge() error {
	for i, m := range p.metrics() {
		list, err := p.compared(m, 0, true)
		if err != nil {
			return err
		}
		p.beside[m.Name] = list
		if i == 0 {
			p.judged = list
		}
		known := slices.ContainsFunc(list, func(j judged) bool { return j.HasEstimate || j.HasInterval })
		if i > 0 && !known {
			continue
		}
		for _, j := range list {
			if i == 0 || !j.Mean {
				p.lines = append(p.lines, p.line(m, j))
			}
		}
	}
	return nil
}

// question is what the statistics are asked of a metric.
func (p *part) question(m measured) compare.Plan {
	n := 0
	for _, s := range p.t.Scenarios {
		if !s.AA {
			n++
		}
	}
	q := compare.Plan{
		Metric: m.Name, Secondary: m.Secondary, Scenarios: max(n, 2), Rounds: p.plan.Rounds, Level: p.plan.Stop.Level(), Starts: p.plan.Starts(p.i), Seed: p.plan.Seed, Quantile: m.quantile,
	}
	if m.LowerIsBetter {
		q.Better = compare.LowerIsBetter
	}
	switch {
	case !m.Secondary:
		q.Margin = p.plan.Margin
	case m.quantile >= 0.9:
		q.Margin = p.plan.TailMargin
	}
	return q
}

// compared are the comparisons of a metric at a share of the peak; means over the ladder first.
func (p *part) compared(m measured, share float64, means bool) ([]judged, error) {
	rows, err := sample.StudyRows(p.plan, p.i, p.runs, share, m.value)
	if err != nil {
		return nil, err
	}
	list := make([]compare.Row, len(rows))
	for k := range rows {
		list[k] = rows[k].Row
	}
	var all []compare.Row
	if means {
		all = compare.WorkloadMeans(list)
	}
	n := len(all)
	all = append(all, list...)
	if len(all) == 0 {
		return nil, nil
	}
	cs, err := p.question(m).Judge(all)
	if err != nil {
		return nil, fmt.Errorf("target %s: %w", p.t.Name, err)
	}
	out := make([]judged, len(cs))
	for k, c := range cs {
		out[k] = judged{Comparison: c, values: all[k]}
		if k >= n {
			out[k].threads = rows[k-n].Cell.Threads
		}
	}
	return out, nil
}

// line is a comparison for tables.
func (p *part) line(m measured, j judged) table.Line {
	l := table.NewLine(m.Metric, &j.Comparison)
	for i, text := range l.Claim.Warnings {
		l.Claim.Warnings[i] = p.restored(text)
	}
	l.Workload, l.Threads, l.Mean = j.Workload, j.threads, j.Mean
	l.BaselineRuns, l.ValueRuns = j.values.Baseline, j.values.Values
	if len(p.plan.Targets) > 1 {
		l.Target = p.t.Name
	}
	return l
}

// document is a table's frame.
func (p *part) document(title string, lines []table.Line) *table.Comparisons {
	margin := p.plan.Margin
	c := &table.Comparisons{Title: title, Baseline: p.t.Scenarios[0].Name, Lines: lines, Margin: &margin}
	for k := range p.t.Scenarios {
		c.Scenarios = append(c.Scenarios, table.Scenario{Name: p.t.Scenarios[k].Name})
	}
	for _, j := range p.judged {
		c.Family = max(c.Family, j.K)
		c.FamilyMeans = c.FamilyMeans || j.Mean
	}
	return c
}

// threadsText is a number of threads in words.
func threadsText(n int) string {
	if n == 1 {
		return "1 thread"
	}
	return fmt.Sprintf("%d threads", n)
}

// tables fills in the tables of a target.
func (p *part) tables(t *Target) {
	var headline []table.Line
	ladders := map[string][]table.Line{}
	for _, l := range p.lines {
		if l.Metric.Secondary || l.Mean {
			continue
		}
		if l.Threads == p.plan.Headline {
			headline = append(headline, l)
		}
		ladders[l.Workload] = append(ladders[l.Workload], l)
	}
	if len(headline) > 0 {
		t.Headline = p.document(p.primary.Label+" at "+threadsText(p.plan.Headline), headline)
	}
	for _, w := range p.plan.Workloads {
		if lines := ladders[w.Name]; len(lines) > 0 && (len(p.plan.Threads) > 1 || len(p.t.Scenarios) > 2) {
			t.Ladders = append(t.Ladders, p.document(fmt.Sprintf("%s: %s over threads", w.Name, p.primary.Label), lines))
		}
	}
	t.All = p.document(p.primary.Label+" and what is beside it, all cells", p.lines)
	t.All.Method = "paired t on the logarithms of the ratios of rounds, " + p.plan.Stop.Label()
}

// tail compares p99 at equal load.
func (p *part) tail(t *Target) error {
	if len(p.plan.EqualLoad) == 0 {
		return nil
	}
	m, err := sample.ParseMetric("p99")
	if err != nil {
		return err
	}
	var lines []table.Line
	family, margin := 0, p.plan.TailMargin
	for _, share := range p.plan.EqualLoad {
		x := measured{
			Metric: table.Metric{Name: fmt.Sprintf("p99 at %.0f %% of the peak", 100*share), Unit: m.Unit, LowerIsBetter: true, Secondary: true}, quantile: 0.99,
			value: func(r *store.StudyRun) float64 {
				v, ok := p.samples[r.ID].Value(m)
				if !ok {
					return math.NaN()
				}
				return v.V
			},
		}
		list, err := p.compared(x, share, false)
		if err != nil {
			return err
		}
		for _, j := range list {
			lines = append(lines, p.line(x, j))
			family, margin = max(family, j.K), j.Margin
		}
	}
	if len(lines) > 0 {
		t.Tail = p.document("Response times at equal load", lines)
		t.Tail.Margin, t.Tail.Family = &margin, family
	}
	return nil
}
