package findings

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"deltabench/internal/compare"
	"deltabench/internal/evidence"
	"deltabench/internal/sample"
	"deltabench/internal/store"
	"deltabench/internal/study"
	"deltabench/internal/table"
)

// cost is something that a query costs a server.
type cost struct {
	name, unit string
	places     int
	of         func(*store.StudyRun) float64
}

// perQuery is an amount per query of a run.
func perQuery(r *store.StudyRun, amount float64) float64 {
	n := float64(r.Queries)
	if n == 0 {
		n = float64(r.Events)
	}
	if n == 0 {
		return math.NaN()
	}
	return amount / n
}

// costsOfServer are what the table of reasons tells.
func costsOfServer() []cost {
	process := func(of func(*evidence.Process) float64) func(*store.StudyRun) float64 {
		return func(r *store.StudyRun) float64 {
			if r.Evidence == nil || r.Evidence.Server == nil {
				return math.NaN()
			}
			return perQuery(r, of(r.Evidence.Server))
		}
	}
	known := func(v int64) float64 {
		if v < 0 {
			return math.NaN()
		}
		return float64(v) / 1024
	}
	return []cost{
		{"CPU", "µs/query", 1, func(r *store.StudyRun) float64 { return cpuPerQuery(r, "server") }},
		{"switches", "/query", 2, process(func(p *evidence.Process) float64 { return float64(p.VoluntarySwitches + p.InvoluntarySwitches) })},
		{"read", "KB/query", 2, process(func(p *evidence.Process) float64 { return known(p.ReadBytes) })},
		{"written", "KB/query", 2, process(func(p *evidence.Process) float64 { return known(p.WriteBytes) })},
		{"memory", "MB", 0, func(r *store.StudyRun) float64 {
			if r.Evidence == nil || r.Evidence.Server == nil {
				return math.NaN()
			}
			return float64(r.Evidence.Server.MemoryPeak) / (1 << 20)
		}},
		{"growth", "MB/run", 1, func(r *store.StudyRun) float64 {
			if r.Evidence == nil || r.Evidence.Server == nil {
				return math.NaN()
			}
			return float64(r.Evidence.Server.MemoryAfter-r.Evidence.Server.MemoryBefore) / (1 << 20)
		}},
	}
}

// mean is the mean of what the runs of a scenario in a cell cost; NaN without any.
func (p *part) mean(scenario string, c cell, of func(*store.StudyRun) float64) float64 {
	var sum float64
	n := 0
	for _, r := range p.ladder[spot{scenario, c}] {
		if v := of(r); !math.IsNaN(v) {
			sum += v
			n++
		}
	}
	if n == 0 {
		return math.NaN()
	}
	return sum / float64(n)
}

func number(v float64, places int) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "–"
	}
	return table.Number(v, places)
}

// shownMoved is how many cells the table of reasons has at most.
const shownMoved = 12

// why is the evidence for cells that moved: those with the largest changes.
func (p *part) why() *Why {
	moved := slices.DeleteFunc(p.cells(), func(j judged) bool {
		return !j.HasInterval || j.Estimate-0 == 0 || j.Low <= 0 && j.High >= 0
	})
	if len(moved) == 0 {
		return nil
	}
	slices.SortStableFunc(moved, func(a, b judged) int { return cmp.Compare(math.Abs(b.Estimate), math.Abs(a.Estimate)) })
	left := max(0, len(moved)-shownMoved)
	moved = moved[:len(moved)-left]
	w := &Why{Grid: Grid{Title: "evidence from the server for cells that moved", Columns: []string{"workload", "threads", "scenario"}, Names: 3}}
	costs := costsOfServer()
	for _, c := range costs {
		w.Columns = append(w.Columns, c.name+" ["+c.unit+"]")
	}
	base := p.t.Scenarios[0].Name
	any := false
	var last cell
	for _, j := range moved {
		c := cell{j.Workload, j.threads}
		scenarios := []string{base, j.Scenario}
		if c == last {
			scenarios = scenarios[1:]
		}
		last = c
		for _, s := range scenarios {
			row := []string{c.workload, fmt.Sprint(c.threads), s}
			for _, x := range costs {
				v := p.mean(s, c, x.of)
				any = any || !math.IsNaN(v)
				row = append(row, number(v, x.places))
			}
			w.Rows = append(w.Rows, row)
		}
		if text := p.movedWith(j, costs); text != "" {
			w.Moved = append(w.Moved, text)
		}
	}
	if left > 0 {
		w.Notes = append(w.Notes, fmt.Sprintf("%d more cells moved less", left))
	}
	w.Notes = append(w.Notes, "means over the runs; memory is the peak of the server's resident memory")
	if !any && len(w.Moved) == 0 {
		return nil
	}
	if !any {
		w.Rows, w.Columns = nil, nil
		w.Notes = []string{"the server's process is not on this machine, or not to be seen: only its counters are known"}
	}
	return w
}

// counters are status counters that explain changes, with their words.
var counters = []struct{ name, words string }{
	{"innodb_buffer_pool_reads", "pages read from storage"},
	{"innodb_buffer_pool_read_requests", "page requests"},
	{"innodb_buffer_pool_wait_free", "waits for free pages"},
	{"innodb_data_fsyncs", "fsyncs of data"},
	{"innodb_os_log_fsyncs", "fsyncs of the log"},
	{"innodb_log_writes", "writes of the log"},
	{"innodb_os_log_written", "bytes of log"},
	{"innodb_row_lock_waits", "row lock waits"},
	{"innodb_rows_read", "rows read"},
	{"handler_read_next", "reads of the next row"},
	{"handler_read_rnd_next", "reads in table scans"},
	{"created_tmp_disk_tables", "temporary tables on disk"},
	{"sort_merge_passes", "merge passes of sorts"},
	{"binlog_cache_disk_use", "binary log caches on disk"},
	{"performance_schema_digest_lost", "lost digests"},
}

// notableFactor is by how much a cost or a counter must differ to be told.
const notableFactor = 1.15

// movedWith says what moved together with a cell.
func (p *part) movedWith(j judged, costs []cost) string {
	c := cell{j.Workload, j.threads}
	base := p.t.Scenarios[0].Name
	type change struct {
		text string
		size float64
	}
	var list []change
	add := func(words string, a, b float64, places int, least float64) {
		if math.IsNaN(a) || math.IsNaN(b) || max(a, b) < least {
			return
		}
		factor := b / a
		switch {
		case a == 0:
			list = append(list, change{fmt.Sprintf("%s: none before, now %s", words, number(b, places)), 5})
		case b == 0:
			list = append(list, change{fmt.Sprintf("%s: none any more, before %s", words, number(a, places)), 5})
		case factor > notableFactor || factor < 1/notableFactor:
			list = append(list, change{fmt.Sprintf("%s %s → %s (× %.2f)", words, number(a, places), number(b, places), factor), math.Abs(math.Log(factor))})
		}
	}
	for _, x := range costs[:4] {
		a, b := p.mean(base, c, x.of), p.mean(j.Scenario, c, x.of)
		add(x.name+" "+x.unit, a, b, x.places, 0.02)
	}
	for _, x := range counters {
		of := func(r *store.StudyRun) float64 {
			if r.Evidence == nil || r.Evidence.Status == nil {
				return math.NaN()
			}
			return perQuery(r, r.Evidence.Status[x.name])
		}
		add(x.words+" per query", p.mean(base, c, of), p.mean(j.Scenario, c, of), 3, 0.002)
	}
	if len(list) == 0 {
		return ""
	}
	slices.SortStableFunc(list, func(a, b change) int { return cmp.Compare(b.size, a.size) })
	text := fmt.Sprintf("%s, %s (%s): ", j.Scenario, j.place(), table.NewClaim(&j.Comparison).Text())
	for i, x := range list[:min(len(list), 3)] {
		if i > 0 {
			text += "; "
		}
		text += x.text
	}
	return text
}

// costs are the CPU times per query of client and server at the headline number of threads.
func (p *part) costs() *Grid {
	g := &Grid{Title: "CPU per query at " + threadsText(p.plan.Headline), Columns: []string{"workload", "scenario", "client [µs]", "proxy [µs]", "server [µs]", "machine busy [%]"}, Names: 2}
	any := false
	for _, w := range p.plan.Workloads {
		for _, s := range p.t.Scenarios {
			c := cell{w.Name, p.plan.Headline}
			client := p.mean(s.Name, c, func(r *store.StudyRun) float64 { return cpuPerQuery(r, "client") })
			server := p.mean(s.Name, c, func(r *store.StudyRun) float64 { return cpuPerQuery(r, "server") })
			busy := p.mean(s.Name, c, func(r *store.StudyRun) float64 {
				if r.Evidence == nil || r.Evidence.Machine == nil {
					return math.NaN()
				}
				return 100 * r.Evidence.Machine.BusyShare
			})
			any = any || !math.IsNaN(client) || !math.IsNaN(server)
			g.Rows = append(g.Rows, []string{w.Name, s.Name, number(client, 1), "–", number(server, 1), number(busy, 0)})
		}
	}
	if !any {
		return nil
	}
	g.Notes = []string{"each its own process, user and system time; there is no proxy in this study"}
	return g
}

// published holds the published statements against what was measured: confirmed when our interval lies within the published range, widened
// by the margin to either side; contradicted when it lies wholly outside; else undecided.
func (p *part) published() []Published {
	var out []Published
	for _, f := range p.plan.Findings {
		has := func(t *study.Target) bool {
			return slices.ContainsFunc(t.Scenarios, func(s studyScenario) bool { return s.Name == f.Scenario })
		}
		switch {
		case f.Target != "" && f.Target != p.t.Name:
			continue
		case !has(p.t) && slices.ContainsFunc(p.plan.Targets, func(t study.Target) bool { return has(&t) }):
			continue // another target has the scenario
		}
		var of []judged
		list := p.ofMetric(f.Metric)
		for _, j := range list {
			if j.Scenario != f.Scenario || f.Workload != "" && j.Workload != f.Workload {
				continue
			}
			if len(f.Threads) == 0 == j.Mean && (len(f.Threads) == 0 || slices.Contains(f.Threads, j.threads)) {
				of = append(of, j)
			}
		}
		if len(of) == 0 && len(f.Threads) == 0 { // one number of threads has no mean
			for _, j := range list {
				if !j.Mean && j.Scenario == f.Scenario && (f.Workload == "" || j.Workload == f.Workload) {
					of = append(of, j)
				}
			}
		}
		x := Published{Text: f.Text, Verdict: "not measured", Ours: "no cell of this study is what it is about"}
		for i, j := range of {
			v, ours := against(&j.Comparison, f.Low-p.plan.Margin, f.High+p.plan.Margin)
			if len(of) > 1 {
				ours = j.place() + ": " + ours
			}
			if i == 0 {
				x.Verdict, x.Ours = v, ours
				continue
			}
			if v != x.Verdict {
				x.Verdict = "undecided"
			}
			x.Ours += "; " + ours
		}
		out = append(out, x)
	}
	return out
}

// ofMetric are the comparisons of a metric as studies name it; empty: the primary one.
func (p *part) ofMetric(name string) []judged {
	if name == "" || name == p.primary.Name {
		return p.judged
	}
	if m, err := sample.ParseMetric(name); err == nil && p.beside[m.Label] != nil {
		return p.beside[m.Label]
	}
	return p.beside[name] // server CPU, client CPU
}

// against holds an interval against a range in percent.
func against(c *compare.Comparison, low, high float64) (verdict, ours string) {
	if !c.HasInterval {
		return "undecided", "no interval: " + c.Reason
	}
	_, a, b := c.Percent()
	ours = table.NewClaim(c).Text()
	switch {
	case a >= low && b <= high:
		return "confirmed", ours
	case b < low || a > high:
		return "contradicted", ours
	}
	return "undecided", ours
}
