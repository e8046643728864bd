package findings

import (
	"fmt"
	"math"
	"strings"

	"deltabench/internal/compare"
	"deltabench/internal/sample"
	"deltabench/internal/store"
	"deltabench/internal/table"
)

// charts are the pictures of a target: three for each workload.
func (p *part) charts() []Chart {
	var out []Chart
	over := p.over()
	for w, x := range p.plan.Workloads {
		id := func(kind ChartKind) string { return fmt.Sprintf("t%d-w%d-%s", p.i+1, w+1, kind) }
		threads := Axis{Name: "threads", Log: true}
		qps := p.overThreads(x.Name, func(r *store.StudyRun) float64 {
			v, ok := p.samples[r.ID].After(p.primary, p.cuts[cell{r.Key.Workload, r.Key.Threads}])
			if !ok {
				return math.NaN()
			}
			return v.V
		}, p.primary.Unit, 0)
		if len(qps) == 0 {
			continue
		}
		out = append(out, Chart{
			ID: id(Throughput), Kind: Throughput, Title: p.primary.Label + " " + over, Workload: x.Name, X: threads, Y: Axis{Name: p.primary.Label, Unit: p.primary.Unit},
			Series: qps, Summary: p.summaryOf(x.Name),
		})
		p95, err := sample.ParseMetric("p95")
		if err == nil {
			out = append(out, Chart{
				ID: id(Response), Kind: Response, Title: "Response time " + over + " (p95)", Workload: x.Name, X: threads, Y: Axis{Name: "p95", Unit: p95.Unit},
				Series: p.overThreads(x.Name, func(r *store.StudyRun) float64 {
					v, ok := p.samples[r.ID].Value(p95)
					if !ok {
						return math.NaN()
					}
					return v.V
				}, p95.Unit, 2), Summary: fmt.Sprintf("95th percentile of response times of %s %s, for each scenario.", x.Name, over),
			})
		}
		out = append(out, Chart{
			ID: id(Change), Kind: Change, Title: "Change of " + p.primary.Label + " against " + p.t.Scenarios[0].Name, Workload: x.Name, X: threads, Y: Axis{Name: "change", Unit: "%"},
			Zero: true, Band: p.plan.Margin, Series: p.changes(x.Name), Summary: p.summaryOf(x.Name),
		})
	}
	return out
}

// over says along what charts go: threads, or at which number of them, if there is one.
func (p *part) over() string {
	if len(p.plan.Threads) == 1 {
		return "with " + threadsText(p.plan.Threads[0])
	}
	return "over threads"
}

// summaryOf says in a sentence what the charts of a workload show.
func (p *part) summaryOf(workload string) string {
	var parts []string
	for _, j := range p.judged {
		if j.Workload == workload && !j.AA && (j.Mean || len(p.plan.Threads) == 1) && j.HasInterval {
			parts = append(parts, j.Scenario+" "+table.NewClaim(&j.Comparison).Text())
		}
	}
	if len(parts) == 0 {
		return p.primary.Label + " of " + workload + " " + p.over() + ", for each scenario."
	}
	where := "mean over the ladder"
	if len(p.plan.Threads) == 1 {
		where = p.over()
	}
	return fmt.Sprintf("%s of %s against %s, "+where+": %s.", p.primary.Label, workload, p.t.Scenarios[0].Name, strings.Join(parts, "; "))
}

// overThreads are the means of every scenario at every number of threads, with the interval of each by itself: Student's t on the logarithms
// of its runs. These intervals overlap more than the comparisons' own, since what rounds have in common is in them.
func (p *part) overThreads(workload string, value func(*store.StudyRun) float64, unit string, places int) []Series {
	var out []Series
	for _, s := range p.t.Scenarios {
		line := Series{Name: s.Name, Baseline: s.Baseline}
		for _, n := range p.plan.Threads {
			var logs []float64
			for _, r := range p.ladder[spot{s.Name, cell{workload, n}}] {
				if v := value(r); v > 0 {
					logs = append(logs, math.Log(v))
				}
			}
			if len(logs) == 0 {
				continue
			}
			pt := Point{X: float64(n), Low: math.NaN(), High: math.NaN()}
			x, err := compare.NewPaired(logs, compare.DefaultLevel)
			pt.Y = math.Exp(x.Mean)
			pt.Text = fmt.Sprintf("%s %s", table.Number(pt.Y, places), unit)
			if err == nil && x.Half > 0 {
				pt.Low, pt.High = math.Exp(x.Mean-x.Half), math.Exp(x.Mean+x.Half)
				pt.Text += fmt.Sprintf(" [%s, %s]", table.Number(pt.Low, places), table.Number(pt.High, places))
			}
			pt.Text += fmt.Sprintf(" n=%d", len(logs))
			line.Points = append(line.Points, pt)
		}
		if len(line.Points) > 0 {
			out = append(out, line)
		}
	}
	return out
}

// changes are the comparisons of a workload over threads.
func (p *part) changes(workload string) []Series {
	var out []Series
	for _, s := range p.t.Scenarios[1:] {
		line := Series{Name: s.Name}
		for _, j := range p.judged {
			if j.Scenario != s.Name || j.Workload != workload || j.Mean || !j.HasEstimate && !j.HasInterval {
				continue
			}
			e, low, high := j.Percent()
			pt := Point{X: float64(j.threads), Y: e, Low: math.NaN(), High: math.NaN(), Text: table.NewClaim(&j.Comparison).Text()}
			if j.HasInterval {
				pt.Low, pt.High = low, high
			}
			line.Points = append(line.Points, pt)
		}
		if len(line.Points) > 0 {
			out = append(out, line)
		}
	}
	return out
}
