package findings

import (
	"time"

	"deltabench/internal/table"
)

// Results are what a study says, ready to be shown. Everything that people read is in it as text; whoever shows it computes nothing.
type Results struct {
	Name     string // of the study in the store
	Study    string // name in the file
	Question string
	Answer   string // the question's answer in a sentence: largest effects with intervals, or that nothing can be said yet and why

	Plan     Facts
	Warnings []string // reasons to doubt all of it, the gravest first; above the results
	Targets  []Target
	Notes    []string // how it was computed; below
}

// Facts are what was done, for the head of a report.
type Facts struct {
	Planned, Done, Failed int // runs
	Rounds, RoundsPlanned int // complete rounds
	Finished              bool
	From, To              time.Time
	Time, Warmup          string // of a run
	State                 string // state policy, in words
	Threads               []int
	Headline              int
	Seed                  uint64
	Margin                string
	Tool                  string
	Host                  string // the machine in a line
	Client                string // CPUs that the load generator could use; empty: not known to be limited
	Server                string // the same of the servers that the study started
	Quick                 bool
}

// Target is what was found on one target. Nothing in it compares targets.
type Target struct {
	Name      string
	Server    string // version
	Note      string // such as that of the embedded server
	Labels    []Label
	Answer    string
	Warnings  []string
	Unplanned []string // variables that differ between scenarios and are not in the plan
	Baseline  string
	Scenarios []table.Scenario

	Headline  *table.Comparisons   // layout ScenarioRows, at the headline number of threads
	Ladders   []*table.Comparisons // layout ThreadRows, one for each workload
	All       *table.Comparisons   // layout List: every comparison of the primary metric, workload means first, then the secondary metrics
	Tail      *table.Comparisons   // layout List: p99 at equal load; nil: not measured
	Why       *Why                 // evidence for cells that moved; nil without evidence
	Costs     *Grid                // CPU per query of client, proxy and server; nil when it is not known
	Published []Published          // findings held against the results
	Reference *table.Comparisons   // published figures beside, of the first target; nil: none
	Charts    []Chart
}

// Label is a free label of a target.
type Label struct{ Name, Value string }

// Why is the evidence for cells that moved.
type Why struct {
	Grid
	Moved []string // sentences: which cells moved, and what moved with them
}

// Grid is a plain table: cells are texts, aligned by its user.
type Grid struct {
	Title   string
	Columns []string // with units; the first few are names
	Names   int      // columns that are names, aligned to the left
	Rows    [][]string
	Notes   []string
}

// Published is a published finding against what was measured.
type Published struct {
	Text    string // the finding
	Verdict string // confirmed, contradicted, undecided, not measured
	Ours    string // `−12.9 % [−13.6, −12.1] n=8`, or why there is none
}

// ChartKind says what a chart shows, so that more kinds are a small thing to add.
type ChartKind string

// Charts of every workload of a target.
const (
	Throughput ChartKind = "throughput" // over threads, with ribbons of intervals
	Response   ChartKind = "response"   // response time over threads
	Change     ChartKind = "change"     // change to baseline over threads, with intervals
)

// Chart is a picture as data.
type Chart struct {
	ID       string // unique within the page; letters, digits and -
	Kind     ChartKind
	Title    string
	Workload string
	X, Y     Axis
	Zero     bool    // a line at y = 0 belongs to it
	Band     float64 // half-width of the band around 0 within which changes do not matter, in the unit of Y; 0: none
	Series   []Series
	Summary  string // what it shows, in a sentence, for those who do not see it
}

// Axis is one of a chart.
type Axis struct {
	Name, Unit string
	Log        bool // a logarithmic axis of powers of two
}

// Series is a line. NaN is unknown.
type Series struct {
	Name     string
	Baseline bool
	Points   []Point
}

// Point is a value with its interval; Low and High are NaN where there is none.
type Point struct {
	X, Y, Low, High float64
	Text            string // what is said of it, as in tables: `−12.9 % [−13.6, −12.1] n=8 worse`
}
