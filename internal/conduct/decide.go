package conduct

import (
	"context"
	"fmt"
	"math"
	"strings"

	"deltabench/internal/compare"
	"deltabench/internal/sample"
	"deltabench/internal/store"
	"deltabench/internal/study"
)

// metric is the primary metric of a run, without any cut: for progress and stopping rules.
func (c *conductor) metric(r *store.StudyRun) float64 {
	if c.plan.Metric == "tps" || r.Queries == 0 {
		return r.TPS
	}
	return r.QPS
}

// judging is what the statistics are asked about a target.
func (c *conductor) judging(i int) compare.Plan {
	n := 0
	for _, s := range c.plan.Targets[i].Scenarios {
		if !s.AA {
			n++
		}
	}
	return compare.Plan{
		Metric: strings.ToUpper(c.plan.Metric), Margin: c.plan.Margin, Scenarios: n, Rounds: c.plan.Rounds, Level: c.plan.Stop.Level(),
		Starts: c.plan.Starts(i), Seed: c.plan.Seed,
	}
}

// decided says whether the stopping rule ends the study after a round, why, and what is known so far.
func (c *conductor) decided(ctx context.Context, round int) (done bool, why, text string, err error) {
	runs, err := c.Store.StudyRuns(ctx, c.made.ID)
	if err != nil {
		return false, "", "", err
	}
	done = c.plan.Stop.Until != compare.Fixed
	for i := range c.plan.Targets {
		rows, err := sample.StudyRows(c.plan, i, runs, 0, c.metric)
		if err != nil {
			return false, "", "", err
		}
		plain := make([]compare.Row, len(rows))
		for k := range rows {
			plain[k] = rows[k].Row
		}
		text = largest(c.judging(i), plain, text)
		if done {
			var one bool
			if one, why, err = c.plan.Stop.Done(c.judging(i), plain); err != nil || !one {
				done = false
			}
		}
	}
	return done && round < c.plan.Rounds, why, text, nil
}

// largest is the comparison with the largest change so far, in words.
func largest(p compare.Plan, rows []compare.Row, text string) string {
	cs, err := p.Judge(rows)
	if err != nil {
		return text
	}
	best := -1
	for i := range cs {
		if cs[i].HasInterval && !cs[i].AA && (best < 0 || math.Abs(cs[i].Estimate) > math.Abs(cs[best].Estimate)) {
			best = i
		}
	}
	if best < 0 || text != "" {
		return text
	}
	e, low, high := cs[best].Percent()
	return fmt.Sprintf("largest change so far: %s, %s %+.1f %% [%+.1f, %+.1f]", cs[best].Scenario, cs[best].Name, e, low, high)
}

// equalLoad runs every scenario at shares of the baseline's peak: tails are compared at the same load.
func (c *conductor) equalLoad(ctx context.Context) error {
	runs, err := c.Store.StudyRuns(ctx, c.made.ID)
	if err != nil {
		return err
	}
	for t := range c.plan.Targets {
		peaks := c.peaks(&c.plan.Targets[t], runs)
		var texts []string
		for w, p := range peaks {
			if p.rate > 0 {
				texts = append(texts, fmt.Sprintf("%s peaks at %.0f events/s with %d threads", c.plan.Workloads[w].Name, p.rate, p.threads))
			}
		}
		c.say(Event{Kind: EqualLoadStarted, Text: c.plan.Targets[t].Name + ": " + strings.Join(texts, "; ")})
		for round := 1; round <= c.done; round++ {
			for _, step := range c.plan.Steps(t, round) {
				if err := c.step(ctx, step, c.loads(step, peaks)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// peak is the largest throughput of the baseline.
type peak struct {
	threads int
	rate    float64 // events per second
}

// peaks are those of the workloads of a target.
func (c *conductor) peaks(t *study.Target, runs []store.StudyRun) []peak {
	list := make([]peak, len(c.plan.Workloads))
	for w, x := range c.plan.Workloads {
		for _, threads := range c.plan.Threads {
			var values []float64
			for i := range runs {
				if k := runs[i].Key; k.Target == t.Name && k.Scenario == t.Scenarios[0].Name && k.Workload == x.Name && k.Threads == threads && k.Share == 0 && runs[i].Failure == "" && runs[i].TPS > 0 {
					values = append(values, runs[i].TPS)
				}
			}
			if len(values) > 0 {
				if rate := compare.GeometricMean(values); rate > list[w].rate {
					list[w] = peak{threads, rate}
				}
			}
		}
	}
	return list
}

// loads are the runs of a step at equal load that there are not yet.
func (c *conductor) loads(step study.Step, peaks []peak) []run {
	var runs []run
	for w, p := range peaks {
		if p.rate == 0 {
			continue
		}
		cell := study.Cell{Workload: w, Threads: p.threads}
		for i, share := range c.plan.EqualLoad {
			key := c.plan.Key(step, cell)
			key.Share = share
			if _, done := c.have[key]; !done {
				// The seed of arrivals is the same for all scenarios, and another one than the ladder's.
				seed := c.plan.RandSeed(step.Round+1000*(i+1), cell)
				runs = append(runs, run{key: key, workload: &c.plan.Workloads[w], rate: max(int64(share*p.rate), 1), seed: seed})
			}
		}
	}
	return runs
}
