package studypage

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"deltabench/internal/findings"
	"deltabench/internal/table"
)

// Made-up results of a study as people run it: six scenarios, eleven numbers of threads, three workloads, two targets.
var (
	sampleThreads   = []int{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024}
	sampleWorkloads = []string{"oltp_read_only", "oltp_write_only", "oltp_read_write"}
	sampleScenarios = []table.Scenario{
		{Name: "pfsoff"},
		{Name: "pfson_conoff_insoff", Description: "on, but nothing is collected"},
		{Name: "pfson_conon_insoff", Description: "pipeline active, no tracking points"},
		{Name: "pfson_conon_ins_sqlon", Description: "statement-level statistics"},
		{Name: "pfson_conoff_inson", Description: "tracking active, consumers drop it"},
		{Name: "pfson_conon_inson", Description: "everything"},
	}
	sampleCosts = []float64{0, -0.3, -1.4, -7.8, -9.6, -16.3}
)

var (
	sampleQPS = table.Metric{Name: "QPS", Unit: "queries/s"}
	sampleP99 = table.Metric{Name: "p99", Unit: "ms", LowerIsBetter: true, Secondary: true}
	sampleRT  = table.Metric{Name: "mean response time", Unit: "ms", LowerIsBetter: true, Secondary: true}
	sampleP95 = table.Metric{Name: "p95", Unit: "ms", LowerIsBetter: true, Secondary: true}
)

// sampler makes them, the same ones each time.
type sampler struct{ r *rand.Rand }

func (s *sampler) noise(size float64) float64 { return s.r.NormFloat64() * size }

func (s *sampler) claim(effect float64, lower bool, margin float64) *table.Claim {
	half := 0.5 + 0.5*s.r.Float64()
	e := effect + s.noise(half/3)
	c := &table.Claim{
		N: 10, Of: 10, Estimate: &e, Interval: &table.Interval{Low: e - half, High: e + half, Level: 95}, Adjustment: "step-down sign-flip maximum",
		Detectable: new(1.1), Interleaved: true,
	}
	c.Check = &table.Check{Method: "Hodges-Lehmann", Estimate: e + s.noise(0.1), Interval: table.Interval{Low: e - half*1.1, High: e + half*1.1, Level: 95.1}}
	worse := e < 0 != lower
	switch {
	case e-half > -margin && e+half < margin:
		c.Verdict = "equivalent"
	case math.Abs(e) >= margin && (e-half > 0 || e+half < 0):
		c.Verdict = "better"
		if worse {
			c.Verdict = "worse"
		}
	default:
		c.Verdict, c.Reason = "undecided", "a change, but not shown to matter: across the margin of 2 %"
	}
	if s.r.IntN(40) == 0 {
		c.N = 9
		c.Warnings = []string{"round 7 is far from the others: look at it"}
	}
	return c
}

func (s *sampler) base(workload, threads int) float64 {
	top := []float64{47176, 22480, 33570}[workload]
	x := float64(threads)
	return top * x / (x + 9) * (1 - 0.00022*x) * (1 + s.noise(0.01))
}

// said writes a claim as tables do.
func said(c *table.Claim) string {
	if c.Interval == nil {
		return c.Reason
	}
	f := func(v float64) string { return strings.Replace(fmt.Sprintf("%+.1f", v), "-", "−", 1) }
	return fmt.Sprintf("%s %% [%s, %s] n=%d %s", f(*c.Estimate), f(c.Interval.Low), f(c.Interval.High), c.N, c.Verdict)
}

func (s *sampler) target(number int, name, server string) findings.Target {
	t := findings.Target{
		Name: name, Server: server, Baseline: "pfsoff", Scenarios: sampleScenarios,
		Labels:    []findings.Label{{Name: "instance", Value: "4 cores, 16 GB"}, {Name: "storage", Value: "local SSD"}},
		Answer:    "On " + name + ", everything costs 16.1 % [15.3, 16.9] of write-only QPS at 32 threads; statement-level statistics cost 7.9 % [7.1, 8.6].",
		Warnings:  []string{"oltp_write_only at 512 and 1,024 threads: the client was the limit in 12 of 120 runs (loop busy 93 %)."},
		Unplanned: []string{"innodb_buffer_pool_load_at_startup: ON in pfson_conon_inson, OFF in the others"},
	}
	comparisons := func(title string, lines []table.Line) *table.Comparisons {
		return &table.Comparisons{
			Title: title, Baseline: "pfsoff", Scenarios: sampleScenarios, Margin: new(2.0), Family: len(lines), Lines: lines,
			Method: "Interleaved rounds; Student's t on logarithms of ratios; intervals of 95 %.",
		}
	}
	var all, means, headline []table.Line
	for w, workload := range sampleWorkloads {
		throughput := findings.Chart{Kind: findings.Throughput, Title: "QPS over threads", Zero: true, Y: findings.Axis{Name: "QPS", Unit: "queries/s"}}
		response := findings.Chart{Kind: findings.Response, Title: "Mean response time over threads", Y: findings.Axis{Name: "response time", Unit: "ms", Log: true}}
		change := findings.Chart{Kind: findings.Change, Title: "Change to pfsoff over threads", Zero: true, Band: 2, Y: findings.Axis{Name: "change", Unit: "%"}}
		var ladder []table.Line
		for i, scenario := range sampleScenarios {
			q, r, d := findings.Series{Name: scenario.Name, Baseline: i == 0}, findings.Series{Name: scenario.Name, Baseline: i == 0}, findings.Series{Name: scenario.Name}
			if i > 0 {
				mean := s.claim(sampleCosts[i], false, 2)
				means = append(means, table.Line{Metric: sampleQPS, Workload: workload, Scenario: scenario.Name, Mean: true, Claim: mean})
			}
			for _, n := range sampleThreads {
				base := s.base(w, n)
				claim := s.claim(sampleCosts[i]*(0.6+0.4*min(1, float64(n)/32)), false, 2)
				value := base
				if i > 0 {
					value *= 1 + *claim.Estimate/100
				}
				x := float64(n)
				q.Points = append(q.Points, findings.Point{X: x, Y: value, Low: value * 0.988, High: value * 1.011, Text: fmt.Sprintf("%.0f queries/s", value)})
				ms := x / value * 20 * 1000
				r.Points = append(r.Points, findings.Point{X: x, Y: ms, Low: ms * 0.97, High: ms * 1.03, Text: fmt.Sprintf("%.2f ms", ms)})
				if i == 0 {
					continue
				}
				d.Points = append(d.Points, findings.Point{X: x, Y: *claim.Estimate, Low: claim.Interval.Low, High: claim.Interval.High, Text: said(claim)})
				l := table.Line{Metric: sampleQPS, Workload: workload, Threads: n, Scenario: scenario.Name, Baseline: &base, Value: &value, Claim: claim}
				ladder = append(ladder, l)
				if n == 32 {
					headline = append(headline, l)
				}
			}
			throughput.Series, response.Series = append(throughput.Series, q), append(response.Series, r)
			if i > 0 {
				change.Series = append(change.Series, d)
			}
		}
		t.Ladders = append(t.Ladders, comparisons(workload, ladder))
		all = append(all, ladder...)
		for _, c := range []findings.Chart{throughput, response, change} {
			c.ID = fmt.Sprintf("t%d-w%d-%s", number, w, c.Kind)
			c.Workload, c.X = workload, findings.Axis{Name: "threads", Log: true}
			c.Summary = c.Title + " of " + workload + ": pfson_conon_inson is the lowest everywhere."
			t.Charts = append(t.Charts, c)
		}
	}
	for _, m := range []table.Metric{sampleRT, sampleP95, sampleP99} {
		for _, l := range all[:165] {
			l.Metric = m
			base, claim := 20*float64(l.Threads)/(*l.Baseline)*1000, s.claim(-*l.Claim.Estimate, true, 10)
			value := base * (1 + *claim.Estimate/100)
			l.Baseline, l.Value, l.Claim = &base, &value, claim
			all = append(all, l)
		}
	}
	t.Headline = comparisons("At 32 threads", headline)
	t.All = comparisons("", append(means, all...))
	tail := slicesOf(all, sampleP99, 15)
	t.Tail = comparisons("p99 response time at equal load (50, 70 and 90 % of the baseline's peak)", tail)
	grid := findings.Grid{
		Title: "what the server did per query", Names: 3,
		Columns: []string{"workload", "threads", "scenario", "CPU [µs]", "context switches", "read [KB]", "written [KB]", "memory peak [MB]"},
		Notes:   []string{"From the server's own process, baseline → scenario, per query; medians over rounds."},
	}
	for _, w := range sampleWorkloads {
		for _, sc := range sampleScenarios[3:] {
			grid.Rows = append(grid.Rows, []string{w, "32", sc.Name, "81.2 → 96.3 (+18.6 %)", "1.31 → 1.33 (+1.5 %)", "0.02 → 0.02", "1.84 → 1.85", "1,312 → 1,441"})
		}
	}
	t.Why = &findings.Why{Grid: grid, Moved: []string{
		"oltp_write_only at 32 threads: pfson_conon_inson is 16.1 % slower, and the server used 18.6 % more CPU per query.",
		"Reading and writing did not move beyond 1 %: the cost is CPU.",
	}}
	t.Costs = &findings.Grid{
		Title: "CPU per query", Names: 2, Columns: []string{"workload", "scenario", "client [µs]", "proxy [µs]", "server [µs]"},
		Rows:  [][]string{{"oltp_read_only", "pfsoff", "12.1", "–", "81.2"}, {"oltp_read_only", "pfson_conon_inson", "12.2", "–", "96.3"}},
		Notes: []string{"Each is a process of its own; medians over rounds."},
	}
	t.Published = []findings.Published{
		{Text: "At 32 threads full monitoring costs up to 23 % of write-only QPS", Verdict: "contradicted", Ours: "−16.1 % [−16.9, −15.3] n=10"},
		{Text: "Statement-level monitoring costs 7 to 9 %", Verdict: "confirmed", Ours: "−7.9 % [−8.6, −7.1] n=10"},
		{Text: "Read-only gains nothing from turning consumers off", Verdict: "undecided", Ours: "−1.4 % [−2.3, −0.5] n=10"},
		{Text: "Semi-synchronous replication doubles the cost", Verdict: "not measured", Ours: "no scenario of this study has it"},
	}
	base, value := 42654.0, 33570.0
	t.Reference = &table.Comparisons{
		Title: "Published figures (PolarDB)", Source: "made up for a test", Baseline: "pfsoff",
		Lines: []table.Line{{Metric: sampleQPS, Workload: "oltp_read_write", Threads: 256, Scenario: "pfson_conon_inson", Baseline: &base, Value: &value, Published: new(-16.14)}},
	}
	return t
}

func slicesOf(lines []table.Line, m table.Metric, n int) []table.Line {
	var list []table.Line
	for _, l := range lines {
		if l.Metric.Name == m.Name && l.Threads == 32 && len(list) < n {
			list = append(list, l)
		}
	}
	return list
}

// sampleResults are the whole study.
func sampleResults() *findings.Results {
	s := &sampler{rand.New(rand.NewPCG(1, 2))}
	from := time.Date(2026, 11, 30, 20, 4, 0, 0, time.UTC)
	return &findings.Results{
		Name: "performance-schema", Study: "performance-schema",
		Question: "What does each level of Performance Schema monitoring cost?",
		Answer: "Collecting everything costs most: −16.1 % [−16.9, −15.3] of oltp_write_only QPS on mariadb-11.8 and −16.6 % [−17.2, −16.0] on mariadb-10.11 at 32 threads; " +
			"statement-level statistics cost 7 to 9 %, and switching it on without collecting costs nothing that matters (margin 2 %).",
		Plan: findings.Facts{
			Planned: 3960, Done: 3958, Failed: 2, Rounds: 10, RoundsPlanned: 10, Finished: true, From: from, To: from.Add(71 * time.Hour),
			Time: "60 s", Warmup: "cut from the series of each run", State: "restore: server stopped, data image copied back, server started",
			Threads: sampleThreads, Headline: 32, Seed: 4711, Margin: "2 % (percentiles 10 %)", Tool: "deltabench 0.6 (linux/amd64)",
			Host: "8 CPUs (AMD EPYC 7B13), 31 GiB, Linux 6.12, governor performance, KVM guest", Client: "4",
		},
		Warnings: []string{
			"The machine was not quiet: steal above 1 % in 14 of 3,958 runs.",
			"Load generator and server share the machine: changes of the server's CPU use also slow the client.",
			"Little's law fails by more than 2 % in 3 runs.",
			"2 runs failed and are left out: their rounds count for the other cells only.",
			"Turbo is on: clock speeds vary with temperature.",
		},
		Targets: []findings.Target{s.target(1, "mariadb-11.8", "MariaDB 11.8.3"), s.target(2, "mariadb-10.11", "MariaDB 10.11.11")},
		Notes: []string{
			"Ratios are taken within rounds; intervals are Student's t on their logarithms.",
			"All comparisons of a target share 5 % of false calls.",
			"Targets are not compared with each other.",
		},
	}
}

// oneTarget are the results of the first target alone, without most of the list of every comparison: browsers take seconds for it.
func oneTarget() *findings.Results {
	r := sampleResults()
	r.Targets = r.Targets[:1]
	all := r.Targets[0].All
	all.Lines = append(all.Lines[:60:60], all.Lines[len(all.Lines)-20:]...)
	return r
}

// hostileNames are names that a study may have.
var hostileNames = []string{
	`<script>alert(1)</script>`,
	`</script><img src=x onerror=alert(1)>`,
	`"><b onmouseover='alert(1)'>${7*7}{{.}}` + "`",
	strings.Repeat("averylongnamewithoutanyplacetobreakit", 6),
	"שרת עם שם ארוך \u202e evil \u202c",
	"数据库 性能 测试 🚀 ﷽",
	"a\nb\tc\x00d\u2028e",
}

// hostileResults are the sample of one target with names that look like markup, are long, or of other scripts.
func hostileResults() *findings.Results {
	r := oneTarget()
	t := &r.Targets[0]
	rename := strings.NewReplacer(
		"pfson_conoff_insoff", hostileNames[0], "pfson_conon_insoff", hostileNames[1], "pfson_conon_ins_sqlon", hostileNames[2],
		"pfson_conoff_inson", hostileNames[3], "pfson_conon_inson", hostileNames[4], "pfsoff", hostileNames[5], "oltp_read_only", hostileNames[6],
	).Replace
	scenarios := append([]table.Scenario(nil), t.Scenarios...)
	for i := range scenarios {
		scenarios[i].Name = rename(scenarios[i].Name)
		scenarios[i].Description = hostileNames[i]
	}
	t.Name, t.Baseline, t.Scenarios, t.Server, t.Note = hostileNames[3], rename(t.Baseline), scenarios, hostileNames[0], hostileNames[1]
	t.Labels = []findings.Label{{Name: hostileNames[2], Value: hostileNames[3]}}
	for _, c := range append([]*table.Comparisons{t.Headline, t.All, t.Tail}, t.Ladders...) {
		c.Title, c.Baseline, c.Scenarios, c.Before = hostileNames[0], t.Baseline, scenarios, hostileNames
		for i := range c.Lines {
			c.Lines[i].Scenario, c.Lines[i].Workload = rename(c.Lines[i].Scenario), rename(c.Lines[i].Workload)
		}
	}
	for i := range t.Charts {
		c := &t.Charts[i]
		c.Title, c.Workload, c.Summary, c.Y.Name, c.X.Unit = hostileNames[1], rename(c.Workload), hostileNames[2], hostileNames[0], hostileNames[1]
		for k := range c.Series {
			c.Series[k].Name = rename(c.Series[k].Name)
		}
	}
	r.Name, r.Study, r.Question, r.Answer = hostileNames[1], hostileNames[0], strings.Join(hostileNames, " "), hostileNames[2]
	r.Warnings, t.Warnings, r.Notes, t.Unplanned = hostileNames, hostileNames, hostileNames, hostileNames
	t.Why.Moved = hostileNames
	t.Why.Rows = append(t.Why.Rows, hostileNames)
	t.Published = append(t.Published, findings.Published{Text: hostileNames[0], Verdict: hostileNames[1], Ours: hostileNames[2]})
	r.Plan.Host, r.Plan.State = hostileNames[0], hostileNames[3]
	return r
}
