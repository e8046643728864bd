package sample

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// Facts that runs are compared by. Their names are what --allow takes.
const (
	factWorkload   = "workload"
	factStatements = "statements"
	factTables     = "tables"
	factRows       = "rows"
	factThreads    = "threads"
	factLayout     = "layout"
	factTransport  = "transport"
	factTool       = "tool"
	factLength     = "time"
	factWarmup     = "warmup"
	factRate       = "rate"
	factKeys       = "keys"
	factFace       = "face"
	factServer     = "server"
	factAddress    = "address"
	factClient     = "client"
	factSettings   = "settings"
	factOptions    = "options" // a digest of all options, where they are not read one by one

	optionPrefix = "--"
)

// binding are the facts in which runs must be alike: a difference in them makes a comparison meaningless unless it is
// what is asked. Other differences (server, address, options) are usually the question; they are listed.
var binding = []string{
	factWorkload, factStatements, factThreads, factTables, factRows, factLayout, factTransport, factTool, factLength, factWarmup,
	factRate, factKeys, factSettings,
}

// listed are the other facts, in the order of reports; options come last.
var listed = []string{factServer, factAddress, factClient, factFace, factOptions}

// Allowable are the names that --allow takes.
func Allowable() []string { return slices.Clone(binding) }

// fact is one property of a run. Numbers are compared with a tolerance, else texts are.
type fact struct {
	text    string
	numbers []float64
	// count that makes facts equal by itself, when both have the same: runs with an event limit take the time that they take.
	count int64
}

// tolerance is how far numbers may differ, as a share of their sum: runs end a little late, and a few statements are
// repeated after errors.
const tolerance = 0.05

func (f fact) equal(g fact) bool {
	if f.count > 0 && f.count == g.count {
		return true
	}
	if f.numbers == nil || g.numbers == nil || len(f.numbers) != len(g.numbers) {
		return f.text == g.text
	}
	var size float64
	for i := range f.numbers {
		size += max(f.numbers[i], g.numbers[i])
	}
	for i := range f.numbers {
		if math.Abs(f.numbers[i]-g.numbers[i]) > tolerance*size {
			return false
		}
	}
	return true
}

// lengthFact is how long a run was: its time, or the number of its events.
func lengthFact(seconds float64, events int64) fact {
	places := 0
	if seconds < 10 {
		places = 1
	}
	return fact{text: fmt.Sprintf("%.*f s", places, seconds), numbers: []float64{seconds}, count: events}
}

// statementsFact is the mix of statements in an event: the same workload with the same options has the same.
func statementsFact(reads, writes, others, events int64) fact {
	n := float64(events)
	r, w, o := float64(reads)/n, float64(writes)/n, float64(others)/n
	return fact{text: fmt.Sprintf("%.3g reads, %.3g writes, %.3g others an event", r, w, o), numbers: []float64{r, w, o}}
}

// Difference is a property in which the runs of two sides are not alike.
type Difference struct {
	Name string // workload, tables, …, or an option with its dashes
	// Baseline and Candidate are the values on either side; several with how many runs have each. "not known" where a source
	// does not tell.
	Baseline, Candidate string
	// Refused: nothing is compared without the user's yes.
	Refused bool
}

func (d Difference) String() string {
	return fmt.Sprintf("%s: %s | %s", d.Name, d.Baseline, d.Candidate)
}

// Likeness is how alike the runs of two sides are.
type Likeness struct {
	Differences []Difference
	// Unknown are facts that some source does not tell, so that they were not checked.
	Unknown []string
}

// Unlike lists in what the runs of two sides differ. Thread counts and workloads that are on both sides are cells of
// the comparison, and no difference; other facts are compared within each cell. Failed runs do not count.
func Unlike(baseline, candidate []*Run) Likeness {
	baseline, candidate = good(baseline), good(candidate)
	var l Likeness
	if shared := Cells(baseline); slices.Equal(shared, Cells(candidate)) {
		for _, c := range shared {
			l.compare(of(baseline, c), of(candidate, c))
		}
	} else {
		l.compare(baseline, candidate)
	}
	order := slices.Concat(binding, listed)
	slices.SortStableFunc(l.Differences, func(a, b Difference) int {
		return cmp.Or(cmp.Compare(place(order, a.Name), place(order, b.Name)), strings.Compare(a.Name, b.Name))
	})
	l.Differences = slices.Compact(l.Differences)
	slices.Sort(l.Unknown)
	l.Unknown = slices.Compact(l.Unknown)
	return l
}

// place is where a name stands in an order; options are behind all others.
func place(order []string, name string) int {
	if i := slices.Index(order, name); i >= 0 {
		return i
	}
	return len(order)
}

// Refused are the differences that the user has not allowed.
func (l Likeness) Refused(allowed []string) []Difference {
	var out []Difference
	for _, d := range l.Differences {
		if d.Refused && !slices.Contains(allowed, d.Name) {
			out = append(out, d)
		}
	}
	return out
}

func good(runs []*Run) []*Run {
	return slices.DeleteFunc(slices.Clone(runs), func(r *Run) bool { return r.Failed != "" })
}

// Cells are the cells of runs, by workload and threads.
func Cells(runs []*Run) []Cell {
	seen := map[Cell]bool{}
	for _, r := range runs {
		seen[r.Cell()] = true
	}
	return slices.SortedFunc(maps.Keys(seen), compareCells)
}

func compareCells(a, b Cell) int {
	return cmp.Or(strings.Compare(a.Workload, b.Workload), cmp.Compare(a.Threads, b.Threads))
}

func of(runs []*Run, c Cell) []*Run {
	return slices.DeleteFunc(slices.Clone(runs), func(r *Run) bool { return r.Cell() != c })
}

func (l *Likeness) compare(baseline, candidate []*Run) {
	names := map[string]bool{}
	for _, r := range slices.Concat(baseline, candidate) {
		for name := range r.facts {
			names[name] = true
		}
		for _, name := range binding {
			if _, ok := r.facts[name]; !ok && r.partial && r.applies(name) {
				l.Unknown = append(l.Unknown, name)
			}
		}
	}
	for name := range names {
		a, b := gather(baseline, name), gather(candidate, name)
		must := slices.Contains(binding, name)
		known := slices.Concat(a.groups, b.groups)
		first := known[0].fact
		if !slices.ContainsFunc(known, func(g group) bool { return !g.fact.equal(first) }) {
			if must || a.missing+b.missing == 0 || len(a.groups) > 0 && len(b.groups) > 0 {
				continue
			}
			// One side has an option that the other side's test or program does not know.
			if !strings.HasPrefix(name, optionPrefix) || a.silent() || b.silent() {
				continue
			}
		}
		l.Differences = append(l.Differences, Difference{Name: name, Baseline: a.String(), Candidate: b.String(), Refused: must})
	}
}

// applies reports whether runs of this kind have a fact at all.
func (r *Run) applies(name string) bool {
	switch name {
	case factTables, factRows, factLayout, factTransport, factKeys, factStatements:
		return r.SQL
	case factSettings:
		return !r.SQL
	}
	return true
}

// gathered are the values of a fact on one side.
type gathered struct {
	groups  []group
	missing int  // runs that do not tell
	options bool // their source tells options
}

type group struct {
	fact fact
	runs int
}

// silent reports that the source of a side tells no options at all, so that a missing one means nothing.
func (g gathered) silent() bool { return !g.options }

func gather(runs []*Run, name string) gathered {
	var g gathered
	for _, r := range runs {
		for other := range r.facts {
			if strings.HasPrefix(other, optionPrefix) {
				g.options = true
				break
			}
		}
		f, ok := r.facts[name]
		if !ok {
			g.missing++
			continue
		}
		i := slices.IndexFunc(g.groups, func(o group) bool { return o.fact.equal(f) })
		if i < 0 {
			g.groups = append(g.groups, group{fact: f})
			i = len(g.groups) - 1
		}
		g.groups[i].runs++
	}
	return g
}

func (g gathered) String() string {
	if len(g.groups) == 0 {
		return "not known"
	}
	var parts []string
	for _, o := range g.groups {
		text := o.fact.text
		if text == "" {
			text = "(empty)"
		}
		if len(g.groups) > 1 || g.missing > 0 {
			text += fmt.Sprintf(" (%d of %d runs)", o.runs, g.total())
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}

func (g gathered) total() int {
	n := g.missing
	for _, o := range g.groups {
		n += o.runs
	}
	return n
}
