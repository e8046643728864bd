package findings

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"deltabench/internal/compare"
	"deltabench/internal/store"
	"deltabench/internal/study"
	"deltabench/internal/table"
)

// place is where a comparison is, in words.
func (j *judged) place() string {
	switch {
	case j.Mean:
		return j.Workload + " (mean over the ladder)"
	}
	return j.Workload + " with " + threadsText(j.threads)
}

// counts are the verdicts of comparisons.
func counts(list []judged) (n int, by map[compare.Verdict]int) {
	by = map[compare.Verdict]int{}
	for _, j := range list {
		if !j.AA && !j.Mean {
			n++
			by[j.Verdict]++
		}
	}
	return n, by
}

// sentence says what a comparison found. Only a verdict lets it say that something changes.
func (p *part) sentence(j *judged) string {
	if j.Verdict != compare.Better && j.Verdict != compare.Worse {
		return fmt.Sprintf("%s against %s, %s of %s: %s", j.Scenario, p.t.Scenarios[0].Name, p.primary.Label, j.place(), table.NewClaim(&j.Comparison).Text())
	}
	verb := "raises"
	if j.Estimate < 0 {
		verb = "lowers"
	}
	return fmt.Sprintf("%s %s the %s of %s: %s", j.Scenario, verb, p.primary.Label, j.place(), table.NewClaim(&j.Comparison).Text())
}

// answer is what a target says, in a few sentences.
func (p *part) answer() string {
	n, by := counts(p.judged)
	base := p.t.Scenarios[0].Name
	if n == 0 {
		for _, j := range p.judged {
			if j.AA && j.HasInterval {
				e, low, high := j.Percent()
				claim := &table.Claim{N: j.N, Of: j.Of, Estimate: &e, Interval: &table.Interval{Low: low, High: high}}
				return fmt.Sprintf("Nothing was compared but %s with itself, which shows the noise: %s (%s).", base, claim.Text(), j.place())
			}
		}
		return "Nothing can be said yet: there is no complete round."
	}
	moved := slices.DeleteFunc(slices.Clone(p.judged), func(j judged) bool {
		return j.AA || j.Verdict != compare.Better && j.Verdict != compare.Worse
	})
	if len(moved) > 0 {
		at := p.best(moved)
		text := p.sentence(&at) + "."
		if n == 1 {
			return text
		}
		return text + " " + p.summary(n, by)
	}
	if by[compare.Equivalent] == n {
		if n == 1 {
			j := p.cells()[0]
			return fmt.Sprintf("No: %s and %s are equivalent in %s, within %g %% (%s).", j.Scenario, base, p.primary.Label, p.plan.Margin, table.NewClaim(&j.Comparison).Text())
		}
		return fmt.Sprintf("No scenario differs from %s in %s by more than %g %%: all %d comparisons are equivalent.", base, p.primary.Label, p.plan.Margin, n)
	}
	if by[compare.None] == n || by[compare.Preliminary] == n || by[compare.None]+by[compare.Preliminary] == n {
		return p.notYet()
	}
	text := p.summary(n, by)
	if n == 1 {
		j := p.cells()[0]
		return fmt.Sprintf("Undecided: %s against %s: %s; %s.", j.Scenario, base, strings.TrimSuffix(table.NewClaim(&j.Comparison).Text(), " undecided"), strings.TrimSuffix(j.Reason, "."))
	}
	text = "No change is shown: " + lowerFirst(text)
	open := slices.DeleteFunc(p.cells(), func(j judged) bool { return j.Verdict != compare.Undecided })
	if len(open) > 0 {
		j := p.best(open)
		text += fmt.Sprintf(" The largest at hand is %s: %s.", p.sentence(&j), strings.TrimSuffix(j.Reason, "."))
	}
	return text
}

// notYet says why there is no verdict at all.
func (p *part) notYet() string {
	list := p.cells()
	known := slices.DeleteFunc(slices.Clone(list), func(j judged) bool { return j.Verdict != compare.Preliminary })
	if len(known) == 0 {
		word := "No answer yet"
		if p.plan.Starts(p.i) == compare.OneStartEach { // more rounds would not help
			word = "No answer"
		}
		return fmt.Sprintf("%s: %s.", word, strings.TrimSuffix(list[0].Reason, "."))
	}
	j := p.best(known)
	return fmt.Sprintf("No answer yet: a verdict needs 5 rounds, and there are %d. So far %s.", j.N, p.sentence(&j))
}

// cells are the comparisons of cells, without means and A/A.
func (p *part) cells() []judged {
	return slices.DeleteFunc(slices.Clone(p.judged), func(j judged) bool { return j.AA || j.Mean })
}

// best is the comparison that an answer tells: the largest change at the headline number of threads, else anywhere.
func (p *part) best(moved []judged) judged {
	rank := func(j judged) float64 {
		r := math.Abs(j.Estimate)
		if j.threads == p.plan.Headline {
			r += 1000
		}
		return r
	}
	return slices.MaxFunc(moved, func(a, b judged) int {
		if rank(a) < rank(b) {
			return -1
		}
		return 1
	})
}

// summary counts verdicts.
func (p *part) summary(n int, by map[compare.Verdict]int) string {
	for v, k := range by {
		if k == n && v != compare.None {
			if n == 2 {
				return fmt.Sprintf("Both comparisons are %s.", v)
			}
			return fmt.Sprintf("All %d comparisons are %s.", n, v)
		}
	}
	var words []string
	for _, v := range []compare.Verdict{compare.Worse, compare.Better, compare.Equivalent, compare.Undecided, compare.Preliminary} {
		if by[v] > 0 {
			words = append(words, fmt.Sprintf("%d %s", by[v], v))
		}
	}
	if by[compare.None] > 0 {
		words = append(words, fmt.Sprintf("%d without verdict", by[compare.None]))
	}
	return fmt.Sprintf("Of %d comparisons: %s.", n, strings.Join(words, ", "))
}

func lowerFirst(text string) string { return strings.ToLower(text[:1]) + text[1:] }

// answer is that of the study: of its one target, or a sentence for each.
func (a *analysis) answer(targets []Target) string {
	if len(targets) == 1 {
		return targets[0].Answer
	}
	var parts []string
	for _, t := range targets {
		parts = append(parts, t.Name+": "+t.Answer)
	}
	return strings.Join(parts, " ")
}

// runWarnings are reasons to doubt all of the study.
func (a *analysis) runWarnings() []string {
	var out []string
	if a.plan.Quick {
		out = append(out, "this was the small version (--quick): for seeing, not for answers")
	}
	f := a.facts()
	switch {
	case f.Finished:
	case a.made.State == store.StudyImported:
		out = append(out, fmt.Sprintf("the study had not ended when it was imported: %d of %d runs are there; it can go on where it was measured, not here", f.Done+f.Failed, a.made.Planned))
	default:
		out = append(out, fmt.Sprintf("the study has not ended: %d of %d runs are there; 'deltabench study resume %s' goes on", f.Done+f.Failed, a.made.Planned, a.made.Name))
	}
	reasons := newGroups()
	total := 0
	for i := range a.runs {
		r := &a.runs[i]
		if r.Failure != "" {
			reasons.add(r.Failure, r.Key.Scenario)
			total++
		}
	}
	for _, reason := range reasons.order {
		out = append(out, fmt.Sprintf("%d of %d runs failed (%s): %s", len(reasons.names[reason]), len(a.runs), strings.Join(unique(reasons.names[reason]), ", "), reason))
	}
	kinds := map[string]int{}
	var order []string
	first := map[string]string{}
	for i := range a.runs {
		texts := a.runs[i].Texts
		if e := a.runs[i].Evidence; e != nil {
			texts = unique(slices.Concat(texts, e.Warnings))
		}
		for _, text := range texts {
			k := withoutNumbers(text)
			if kinds[k] == 0 {
				order = append(order, k)
				first[k] = text
			}
			kinds[k]++
		}
	}
	slices.SortStableFunc(order, func(x, y string) int { return kinds[y] - kinds[x] })
	for _, k := range order {
		out = append(out, fmt.Sprintf("%d of %d runs: %s", kinds[k], len(a.runs), first[k]))
	}
	return out
}

// withoutNumbers is a warning without what differs from run to run.
func withoutNumbers(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r == '.' {
			return -1
		}
		return r
	}, text)
}

func unique(list []string) []string {
	var out []string
	for _, x := range list {
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}

// targetWarnings are reasons to doubt what a target says.
func (p *part) targetWarnings() []string {
	var out []string
	switch p.plan.Starts(p.i) {
	case compare.OneStartEach:
		out = append(out, "every scenario was started once (state: "+string(p.plan.State)+"): two starts are compared, not two configurations; n is 1 whatever the number of rounds")
	case compare.SameStart:
		out = append(out, "one server start: nothing is said about other starts")
	}
	cs := make([]compare.Comparison, len(p.judged))
	for i := range p.judged {
		cs[i] = p.judged[i].Comparison
	}
	for _, w := range p.question(measured{Metric: table.Metric{Name: p.primary.Label}}).Notes(cs) {
		if w.Code != compare.WarnSecondary && w.Code != compare.WarnSameStart {
			out = append(out, w.Text)
		}
	}
	out = append(out, p.restarts()...)
	out = append(out, p.sizes()...)
	out = append(out, p.trends()...)
	if spreads := p.spreads(); len(spreads) > shownSpreads {
		out = append(out, fmt.Sprintf("runs vary more or less within themselves than those of the baseline in %d places, first: %s", len(spreads), spreads[0]))
	} else {
		out = append(out, spreads...)
	}
	if text := p.steal(); text != "" {
		out = append(out, text)
	}
	return unique(append(out, p.notes...))
}

// shownSpreads is how many places are named whose runs vary differently within themselves.
const shownSpreads = 3

// trends tell where something changes over the rounds.
func (p *part) trends() []string {
	var out []string
	for _, j := range p.judged {
		if j.Mean || j.AA || len(out) > 3 {
			continue
		}
		for _, text := range compare.TrendWarnings(j.values.Logs, j.values.Baseline, j.values.Values, p.plan.Margin) {
			out = append(out, fmt.Sprintf("%s, %s: %s", j.Scenario, j.place(), p.restored(text)))
		}
	}
	return out
}

// restored words a warning of a trend where data are restored before each scenario: then it is the host that changes.
func (p *part) restored(text string) string {
	if p.plan.State != study.Restore {
		return text
	}
	if rest, ok := strings.CutPrefix(text, "data ages: "); ok {
		text = "the host changes: " + strings.TrimSuffix(rest, ", or its host does; reset or restore the data before each run") + ", on restored data"
	}
	return strings.TrimSuffix(text, "; restore the data before each run")
}

// notableSteal is the share of the machine's time whose loss is told.
const notableSteal = 0.02

// steal tells when a hypervisor took the machine's time.
func (p *part) steal() string {
	var sum, most float64
	n := 0
	for i := range p.runs {
		if e := p.runs[i].Evidence; e != nil && e.Machine != nil && p.runs[i].Key.Target == p.t.Name {
			sum += e.Machine.StealShare
			most = max(most, e.Machine.StealShare)
			n++
		}
	}
	if n == 0 || sum/float64(n) < notableSteal {
		return ""
	}
	return fmt.Sprintf("the hypervisor took %.1f %% of this machine's CPU time on average, %.0f %% in the worst run", 100*sum/float64(n), 100*most)
}
