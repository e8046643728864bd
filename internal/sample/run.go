package sample

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Value is what a run measured of one metric.
type Value struct {
	// V is in the metric's unit; 0 when nothing was counted.
	V float64
	// Step is the smallest step of the value, as a difference of logarithms: that of sysbench's histogram (0.0182), or that of the
	// digits that were printed. 0: finer than what matters.
	Step float64
}

// Run is a finished run.
type Run struct {
	// Source is where it comes from, for people: "run 17", "old.json", "old.txt, report 2 of 3".
	Source  string
	ID      int64     // in the store; 0: not from there
	Started time.Time // zero: unknown
	// Hash is the same for the same measurement from elsewhere: a recorded run and its report, a text and its copy. Empty: not known.
	Hash string
	Also []string // other sources of the same measurement

	Workload string // name of the test; empty: the source does not tell
	SQL      bool
	Threads  int
	// Command is the command line that repeats the run, without passwords; empty when the source does not tell.
	Command string
	Rate    float64 // arrivals per second that were asked for; 0: closed loop
	// OwnServer: the server was started for this run alone, as the embedded one is.
	OwnServer bool

	Seconds float64 // measured time
	Events  int64
	Errors  int64

	// Failed says why the run measures nothing that can be compared; empty: it does.
	Failed string
	// Warnings are the run's own reasons to doubt its numbers.
	Warnings []string
	// Series has the complete seconds of the measured time; nil when the source has none.
	Series []Second

	values  map[string]Value
	facts   map[string]fact
	partial bool // the source does not tell all facts that the run has
}

// Second is what was completed in one second.
type Second struct{ Events, Queries float64 }

// Value returns what the run measured of a metric.
func (r *Run) Value(m Metric) (Value, bool) {
	v, ok := r.values[m.Name]
	return v, ok
}

func (r *Run) set(name string, v, step float64) {
	if math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
		return
	}
	if r.values == nil {
		r.values = map[string]Value{}
	}
	r.values[name] = Value{V: v, Step: step}
}

// Cell names what a run belongs to within its side: runs of one cell are repetitions.
type Cell struct {
	Workload string
	Threads  int
}

// Cell returns the run's cell.
func (r *Run) Cell() Cell { return Cell{r.Workload, r.Threads} }

func (c Cell) String() string {
	threads := fmt.Sprintf("%d threads", c.Threads)
	if c.Threads == 1 {
		threads = "1 thread"
	}
	if c.Workload == "" {
		return threads
	}
	return c.Workload + ", " + threads
}

// Server is the address and version of the server that a run went to; empty where the source does not tell.
func (r *Run) Server() string {
	return strings.TrimSpace(r.facts[factAddress].text + " " + r.facts[factServer].text)
}

// Metric is something that runs measure.
type Metric struct {
	Name  string // what --metric calls it
	Label string // for people, without unit
	Unit  string
	// Throughput: how much was done in a time. Under a rate the client decides that.
	Throughput    bool
	LowerIsBetter bool
	// Percentile of the latency, 0 for other metrics.
	Percentile float64
}

// Names of metrics.
const (
	QPS     = "qps"
	TPS     = "tps"
	Latency = "latency"
	CPU     = "cpu"
	Errors  = "errors"
)

// metrics are those with a name of their own; percentiles are pN.
var metrics = []Metric{
	{Name: QPS, Label: "QPS", Unit: "queries/s", Throughput: true},
	{Name: TPS, Label: "TPS", Unit: "events/s", Throughput: true},
	{Name: Latency, Label: "mean latency", Unit: "ms", LowerIsBetter: true},
	{Name: CPU, Label: "client CPU per query", Unit: "µs", LowerIsBetter: true},
	{Name: Errors, Label: "errors per 1000 events", Unit: "1", LowerIsBetter: true},
}

// MetricNames is what --metric takes, for messages.
const MetricNames = "qps, tps, latency, p50, p95, p99, p99.9 or another percentile, cpu, errors"

// ParseMetric returns the metric of a name.
func ParseMetric(name string) (Metric, error) {
	lower := strings.ToLower(strings.TrimSpace(name))
	for _, m := range metrics {
		if m.Name == lower {
			return m, nil
		}
	}
	if lower == "p999" {
		lower = "p99.9"
	}
	if text, ok := strings.CutPrefix(lower, "p"); ok {
		if p, err := strconv.ParseFloat(text, 64); err == nil && p > 0 && p < 100 {
			return percentileMetric(p), nil
		}
	}
	return Metric{}, fmt.Errorf("there is no metric '%s'; there are %s", name, MetricNames)
}

func percentileMetric(p float64) Metric {
	name := fmt.Sprintf("p%g", p)
	return Metric{Name: name, Label: name + " latency", Unit: "ms", LowerIsBetter: true, Percentile: p}
}

// perQuery is CPU per query, or per event for tests without queries.
func perQuery(cpuSeconds float64, queries, events int64) float64 {
	n := queries
	if n == 0 {
		n = events
	}
	if n == 0 {
		return math.NaN()
	}
	return cpuSeconds * 1e6 / float64(n)
}

// setErrors sets the errors of a run and what is computed with them.
func (r *Run) setErrors(n int64) {
	r.Errors = n
	if r.Events > 0 {
		r.set(Errors, 1000*float64(n)/float64(r.Events), 0)
	}
}

// digits is the step of a printed value: one unit of its last place.
func digits(v, unit float64) float64 {
	if v <= 0 {
		return 0
	}
	return math.Log1p(unit / v)
}
