package findings

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"deltabench/internal/compare"
	"deltabench/internal/evidence"
	"deltabench/internal/sample"
	"deltabench/internal/store"
	"deltabench/internal/study"
	"deltabench/internal/table"
)

// Options are what people ask of results.
type Options struct {
	Margin    float64 // percent; 0: the study's
	Metric    string  // qps or tps; empty: the study's
	Reference bool    // published figures that the study names, beside ours
}

// analysis is what is computed from the runs of a study.
type analysis struct {
	plan     *study.Plan
	made     *store.Study
	runs     []store.StudyRun
	samples  map[int64]*sample.Run
	snapshot func(string) (evidence.Snapshot, error)
	options  Options
	primary  sample.Metric
	warnings []string
}

// cell is a workload at a number of threads of a target, with the runs of all scenarios in all rounds.
type cell struct {
	workload string
	threads  int
}

// part is what is computed of a target.
type part struct {
	*analysis
	i      int
	t      *study.Target
	cuts   map[cell]int
	ladder map[spot][]*store.StudyRun // runs that measured something, without those at equal load
	notes  []string                   // of cells: warm-up, drifts
	judged []judged                   // of the primary metric, means first
	beside map[string][]judged        // of all metrics, by their names, means first
	lines  []table.Line
}

// spot is a scenario in a cell.
type spot struct {
	scenario string
	cell     cell
}

// judged is a comparison with the row that it is of.
type judged struct {
	compare.Comparison
	threads int // 0: a mean over the ladder
	values  compare.Row
}

// Analyse says what the runs of a study allow to be said. snapshot reads settings that evidence refers to.
func Analyse(ctx context.Context, plan *study.Plan, made *store.Study, runs []store.StudyRun, snapshot func(string) (evidence.Snapshot, error), o Options) (*Results, error) {
	a := &analysis{plan: plan, made: made, runs: runs, samples: map[int64]*sample.Run{}, snapshot: snapshot, options: o}
	if o.Margin > 0 {
		changed := *plan
		changed.Margin = o.Margin
		a.plan = &changed
	}
	name := a.plan.Metric
	if o.Metric != "" {
		name = o.Metric
	}
	queries := int64(0)
	for i := range runs {
		queries += runs[i].Queries
		if runs[i].Failure == "" {
			a.samples[runs[i].ID] = sample.FromStudyRun(&runs[i])
		}
	}
	if queries == 0 {
		name = sample.TPS
	}
	var err error
	if a.primary, err = sample.ParseMetric(name); err != nil {
		return nil, err
	}
	r := &Results{Name: made.Name, Study: plan.Study, Question: plan.Question, Plan: a.facts()}
	for i := range a.plan.Targets {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		t, err := a.target(i)
		if err != nil {
			return nil, err
		}
		r.Targets = append(r.Targets, t)
	}
	r.Answer = a.answer(r.Targets)
	r.Warnings = unique(append(a.warnings, a.runWarnings()...))
	r.Notes = a.notes()
	return r, nil
}

// usable reports whether a run measured something.
func (a *analysis) usable(r *store.StudyRun) (*sample.Run, bool) {
	s := a.samples[r.ID]
	return s, r.Failure == "" && s != nil && s.Failed == ""
}

func (a *analysis) facts() Facts {
	p := a.plan
	f := Facts{
		Planned: a.made.Planned, RoundsPlanned: p.Rounds, Finished: a.made.State == store.StudyFinished, State: study.StateText(p.State),
		Time: fmt.Sprintf("%.0f s", p.Time.Seconds()), Threads: p.Threads, Headline: p.Headline, Seed: p.Seed, Margin: fmt.Sprintf("%g %%", p.Margin),
		Tool: "deltabench " + a.made.ToolVersion, Quick: p.Quick,
	}
	if f.Client = p.CPUs.Client; f.Client == "" && slices.ContainsFunc(p.Targets, func(t study.Target) bool { return t.Kind != study.External }) {
		f.Client = "any, as the server's (cpus keeps them apart)"
	}
	f.Server = p.CPUs.Server
	switch {
	case p.Warmup > 0:
		f.Warmup = fmt.Sprintf("%.0f s before each run", p.Warmup.Seconds())
	case p.After == study.CPUSaturated:
		f.Warmup = "until the server has used its CPUs for 3 s"
	default:
		f.Warmup = "found in the seconds of the runs"
	}
	perRound := map[int]int{}
	for i := range a.runs {
		r := &a.runs[i]
		if _, ok := a.usable(r); ok {
			f.Done++
		} else {
			f.Failed++
		}
		if r.Key.Share == 0 {
			perRound[r.Key.Round]++
		}
		if f.From.IsZero() || r.StartedAt.Before(f.From) {
			f.From = r.StartedAt
		}
		if end := r.StartedAt.Add(time.Duration(r.ElapsedSeconds * float64(time.Second))); end.After(f.To) {
			f.To = end
		}
		if f.Host == "" {
			f.Host = r.Host
		}
	}
	for _, n := range perRound {
		if n*max(p.Rounds, 1) >= p.Runs() {
			f.Rounds++
		}
	}
	if f.Finished {
		f.RoundsPlanned = f.Rounds
	}
	return f
}

// notes say how it was computed.
func (a *analysis) notes() []string {
	notes := []string{
		"Estimates are geometric means of the ratios of rounds; intervals are paired t intervals on their logarithms. " + "better and worse: beyond the margin, and beyond chance among all comparisons of the study (at most 5 % of studies have a false one). equivalent: the whole interval lies within the margin. undecided: neither is shown.",
	}
	if len(a.plan.Findings) > 0 {
		notes = append(notes, "Published findings: confirmed when the interval lies within the published range, widened by the margin to either side; contradicted when it lies wholly outside; else undecided.")
	}
	if a.plan.Note != "" {
		notes = append(notes, strings.Join(strings.Fields(a.plan.Note), " "))
	}
	return append(notes, fmt.Sprintf("Orders and random numbers come from --seed=%d.", a.plan.Seed))
}

// target computes what was found on one.
func (a *analysis) target(i int) (Target, error) {
	p := &part{analysis: a, i: i, t: &a.plan.Targets[i], cuts: map[cell]int{}, beside: map[string][]judged{}, ladder: map[spot][]*store.StudyRun{}}
	t := Target{Name: p.t.Name, Baseline: p.t.Scenarios[0].Name}
	for name, value := range p.t.Labels {
		t.Labels = append(t.Labels, Label{name, value})
	}
	slices.SortFunc(t.Labels, func(x, y Label) int { return strings.Compare(x.Name, y.Name) })
	for k := range p.t.Scenarios {
		s := &p.t.Scenarios[k]
		text := s.Monitoring
		if text == "" {
			text = strings.Join(s.Parts(), ", ")
		}
		t.Scenarios = append(t.Scenarios, table.Scenario{Name: s.Name, Description: text})
	}
	p.server(&t)
	p.settle()
	if err := p.judge(); err != nil {
		return t, err
	}
	p.tables(&t)
	if err := p.tail(&t); err != nil {
		return t, err
	}
	t.Unplanned = p.unplanned()
	t.Warnings = p.targetWarnings()
	t.Why, t.Costs = p.why(), p.costs()
	t.Answer = p.answer()
	t.Published = p.published()
	if a.options.Reference && p.i == 0 { // once: they belong to the study
		if err := p.reference(&t); err != nil {
			return t, err
		}
	}
	t.Charts = p.charts()
	return t, nil
}

// server names the server of a target.
func (p *part) server(t *Target) {
	seen := map[string]bool{}
	var versions []string
	for i := range p.runs {
		r := &p.runs[i]
		if r.Key.Target != p.t.Name || r.Evidence == nil || seen[r.Evidence.Start.Version] {
			continue
		}
		seen[r.Evidence.Start.Version] = true
		versions = append(versions, r.Evidence.Start.Version)
	}
	t.Server = strings.Join(versions, ", ")
	if p.t.Kind == study.Embedded {
		t.Server, t.Note = "deltabench-embedded", "embedded server: for seeing and tests, not a MySQL"
	}
}

// saturated and steadily are what a server does that uses its CPUs.
const (
	saturated = 0.95
	steadily  = 3 // seconds
)

// settle finds the part of the runs of each cell that counts: a common cut for all scenarios and rounds.
func (p *part) settle() {
	groups := map[cell][]*store.StudyRun{}
	var order []cell
	for i := range p.runs {
		r := &p.runs[i]
		if _, ok := p.usable(r); !ok || r.Key.Target != p.t.Name || r.Key.Share > 0 {
			continue
		}
		c := cell{r.Key.Workload, r.Key.Threads}
		p.ladder[spot{r.Key.Scenario, c}] = append(p.ladder[spot{r.Key.Scenario, c}], r)
		if groups[c] == nil {
			order = append(order, c)
		}
		groups[c] = append(groups[c], r)
	}
	texts := newGroups()
	for _, c := range order {
		var runs []*sample.Run
		for _, r := range groups[c] {
			runs = append(runs, p.samples[r.ID])
		}
		name := sample.Cell{Workload: c.workload, Threads: c.threads}.String()
		settled := sample.Settle(runs, p.primary)
		cut := settled.Cut
		if p.plan.After == study.CPUSaturated {
			at, known := 0, true
			for _, r := range groups[c] {
				second, ok := saturation(r)
				known, at = known && ok, max(at, second)
			}
			if known && at*2 <= shortest(runs) {
				cut = at
				settled.Warnings = slices.DeleteFunc(settled.Warnings, func(w string) bool { return strings.Contains(w, "cut as warm-up") })
			} else {
				settled.Warnings = append(settled.Warnings, "the server did not use all its CPUs, or that is not known: the steady part is used")
			}
		}
		p.cuts[c] = cut
		if cut > 0 {
			settled.Warnings = append(settled.Warnings, fmt.Sprintf("throughput is that after the first %d s of each run", cut))
		}
		for _, w := range settled.Warnings {
			texts.add(w, name)
		}
	}
	p.notes = texts.lines(len(order))
}

func shortest(runs []*sample.Run) int {
	n := math.MaxInt
	for _, r := range runs {
		n = min(n, len(r.Series))
	}
	return n
}

// measuredFrom is when the measured time of a run began: its clock starts before the warm-up.
func measuredFrom(r *store.StudyRun) time.Time {
	warm := 0.0
	for _, s := range r.Series {
		if s.Warmup {
			warm = max(warm, s.End)
		}
	}
	return r.StartedAt.Add(time.Duration(warm * float64(time.Second)))
}

// saturation is the second of the measured time from which on the server had used its CPUs for three seconds.
func saturation(r *store.StudyRun) (int, bool) {
	e := r.Evidence
	if e == nil || e.Server == nil || e.Server.CPUs <= 0 {
		return 0, false
	}
	begin := measuredFrom(r)
	since := time.Time{}
	for k := 1; k < len(e.Seconds); k++ {
		a, b := e.Seconds[k-1], e.Seconds[k]
		span := b.At.Sub(a.At).Seconds()
		if span <= 0 || (b.CPU-a.CPU)/span < saturated*e.Server.CPUs {
			since = time.Time{}
			continue
		}
		if since.IsZero() {
			since = a.At
		}
		if b.At.Sub(since).Seconds() >= steadily-0.2 {
			return max(0, int(math.Ceil(since.Sub(begin).Seconds()))), true
		}
	}
	return 0, false
}

// groups are texts, each with the names that it is of.
type groups struct {
	order []string
	names map[string][]string
}

func newGroups() *groups { return &groups{names: map[string][]string{}} }

func (g *groups) add(text, name string) {
	if g.names[text] == nil {
		g.order = append(g.order, text)
	}
	g.names[text] = append(g.names[text], name)
}

// shownNames is how many names a text tells.
const shownNames = 4

// lines are the texts, those that are not of all with their names.
func (g *groups) lines(all int) []string {
	var out []string
	for _, text := range g.order {
		names := g.names[text]
		switch {
		case len(names) == all:
			out = append(out, text)
		case len(names) > shownNames:
			out = append(out, fmt.Sprintf("%s and %d more cells: %s", strings.Join(names[:shownNames-1], "; "), len(names)-shownNames+1, text))
		default:
			out = append(out, strings.Join(names, "; ")+": "+text)
		}
	}
	return out
}
