package report

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"deltabench/internal/engine"
	"deltabench/internal/measure"
	"deltabench/internal/sqldb"
	"deltabench/internal/workload"
)

// standardPercentiles are always in a document.
var standardPercentiles = []float64{50, 95, 99, 99.9}

// Facts are what a result does not tell.
type Facts struct {
	Tool         Tool // name and Go version are filled in
	Test         Test
	Options      map[string]any // without passwords
	OptionsGiven []string
	Transport    *sqldb.Transport // nil: no connection
	ServerNote   string
	Keys         string
	Rate         float64 // asked for; 0: closed loop
	EndText      string
	ExitCode     int
	CheckLittle  bool
	Warnings     []string
	Kinds        []string // names of statement kinds, index = measure.Kind
}

// Style says how latencies are summed up; it is the same for all parts of a document.
type Style struct {
	Percentiles []float64                                // besides the standard ones
	Headline    float64                                  // percentile of sysbench's report; 0: none
	Figures     func(workload.Totals) map[string]float64 // nil: the test has none
}

// Series collects what happens during a run. Its methods are called by the engine's observer, one at a time.
type Series struct {
	style       Style
	open        bool // under a rate
	intervals   []Interval
	checkpoints []Checkpoint
}

// NewSeries returns an empty series.
func NewSeries(style Style, open bool) *Series {
	ps := slices.Concat(standardPercentiles, style.Percentiles)
	slices.Sort(ps)
	style.Percentiles = slices.Compact(ps)
	return &Series{style: style, open: open, intervals: []Interval{}, checkpoints: []Checkpoint{}}
}

// Interval adds an interval.
func (s *Series) Interval(iv engine.Interval) {
	x := Interval{
		EndSeconds: iv.Elapsed.Seconds(), LengthSeconds: iv.Length.Seconds(), Warmup: iv.Warmup, Threads: iv.Threads,
		Counts: counts(iv.Snapshot, iv.Length), Latency: s.style.latency(iv.Latency), Figures: s.style.figures(iv.Events, iv.Length),
	}
	if s.open {
		x.Waiting, x.Running = &iv.Queue, &iv.Concurrency
	}
	s.intervals = append(s.intervals, x)
}

// Checkpoint adds a checkpoint.
func (s *Series) Checkpoint(r engine.Report) error {
	d, err := s.style.distribution(r.Latency)
	if err != nil {
		return err
	}
	s.checkpoints = append(s.checkpoints, Checkpoint{Totals: s.style.totals(r), Latency: *d})
	return nil
}

// Document puts a finished run together.
func (s *Series) Document(f Facts, res *engine.Result) (*Document, error) {
	f.Tool.Name, f.Tool.GoVersion = "deltabench", goVersion()
	d := &Document{
		Schema: Kind, SchemaVersion: SchemaVersion, Tool: f.Tool, Host: host(), Test: f.Test,
		Options: f.Options, OptionsGiven: f.OptionsGiven, StartedAt: res.Started.Format(time.RFC3339Nano), Keys: f.Keys,
		End:    End{Reason: reasons[res.EndedBy], Text: f.EndText, Forced: res.Forced, ExitCode: f.ExitCode},
		Totals: s.style.totals(res.Report), Client: client(res),
		Statements: []Statement{}, Errors: []Error{}, Threads: []Thread{}, Intervals: s.intervals, Checkpoints: s.checkpoints,
		Warnings: f.Warnings,
	}
	if res.Err != nil {
		d.End.Error = res.Err.Error()
	}
	if t := f.Transport; t != nil {
		d.Server = &Server{
			Version: t.Server, Network: t.Network, Address: t.Address, TLS: t.TLS, Compression: t.Compression, Protocol: t.Protocol,
			AuthMethod: t.AuthMethod, MetadataCache: t.MetadataCache, Note: f.ServerNote,
		}
	}
	if err := s.distributions(d, f, res); err != nil {
		return nil, err
	}
	if f.Rate > 0 {
		d.Rate = &Rate{
			AskedPerSecond: f.Rate, Offered: res.Offered, OfferedPerSecond: perSecond(res.Offered, res.Elapsed),
			Achieved: res.Events, AchievedPerSecond: perSecond(res.Events, res.SinceReset), Backlog: res.Backlog,
		}
	}
	for _, e := range res.Errors {
		d.Errors = append(d.Errors, Error{Code: e.Code, SQLState: e.State, Count: e.Count, First: e.First})
	}
	for _, t := range res.Threads {
		one := Thread{Events: t.Events, LatencySumNs: t.LatencyNs}
		if t.Events > 0 {
			one.MinNs, one.MaxNs = &t.MinNs, &t.MaxNs
		}
		d.Threads = append(d.Threads, one)
	}
	if f.CheckLittle && res.Latency.Count > 0 && res.SinceReset > 0 {
		inside, fails := res.Little(f.Test.Threads)
		d.LittlesLaw = &LittlesLaw{InsideThreads: inside, Fails: fails}
	}
	return d, nil
}

// distributions fills in all that has histograms.
func (s *Series) distributions(d *Document, f Facts, res *engine.Result) error {
	lat, err := s.style.distribution(res.Latency)
	if err != nil {
		return err
	}
	d.Latency = *lat
	if d.Service, err = s.style.distribution(res.Service); err != nil {
		return err
	}
	if d.StartLateness, err = s.style.distribution(res.Lateness); err != nil {
		return err
	}
	for i := 1; i < len(res.Kinds) && i < len(f.Kinds); i++ {
		if k := res.Kinds[i]; k != nil && k.Count > 0 {
			one, err := s.style.distribution(k)
			if err != nil {
				return err
			}
			d.Statements = append(d.Statements, Statement{Kind: f.Kinds[i], Distribution: *one})
		}
	}
	return nil
}

// reasons are the words for limits.
var reasons = map[engine.Limit]string{
	engine.TimeLimit: "timeLimit", engine.EventLimit: "eventLimit", engine.WorkersEnded: "test",
	engine.Interrupted: "interrupt", engine.Failed: "error",
}

func client(res *engine.Result) Client {
	c := Client{
		Executor: res.Executor.String(), CPUSeconds: res.Client.CPU.Seconds(), CPUShare: res.Client.CPUShare,
		PeakMemoryBytes: res.Client.PeakBytes,
	}
	if res.Executor == engine.Loop {
		c.Loops = res.Loops
	}
	if res.Client.HasLoop {
		lag := res.Client.LagP99.Nanoseconds()
		c.LoopBusyShare, c.LoopLagP99Ns = &res.Client.BusyShare, &lag
	}
	if why, yes := res.Client.WasLimit(); yes {
		c.Limit = why
	}
	return c
}

// perSecond divides a count by a measured time; no time gives 0.
func perSecond(n int64, d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return float64(n) / d.Seconds()
}

func counts(s *measure.Snapshot, d time.Duration) Counts {
	return Counts{
		Events: s.Events, Queries: s.Queries(), Reads: s.Reads, Writes: s.Writes, Others: s.Others, Errors: s.Counters.Errors,
		Reconnects: s.Reconnects, Restarts: s.Restarts, EventsPerSecond: perSecond(s.Events, d), QueriesPerSecond: perSecond(s.Queries(), d),
	}
}

func (st Style) totals(r engine.Report) Totals {
	return Totals{
		Counts: counts(r.Snapshot, r.SinceReset), ElapsedSeconds: r.Elapsed.Seconds(), MeasuredSeconds: r.SinceReset.Seconds(),
		Unfinished: r.Unfinished, Figures: st.figures(r.Events, r.SinceReset),
	}
}

// figures are the test's own results; never nil.
func (st Style) figures(events int64, d time.Duration) map[string]float64 {
	if st.Figures == nil {
		return map[string]float64{}
	}
	return st.Figures(workload.Totals{Events: events, Seconds: d.Seconds()})
}

// PercentileName is the name of a percentile in documents: p95, p99.9.
func PercentileName(p float64) string { return fmt.Sprintf("p%g", p) }

func (st Style) latency(l *measure.Latency) Latency {
	x := Latency{Count: l.Count, SumNs: l.Sum, PercentilesNs: map[string]*int64{}}
	if l.Count == 0 {
		for _, p := range st.Percentiles {
			x.PercentilesNs[PercentileName(p)] = nil
		}
		return x
	}
	least, most, mean := l.Min, l.Max, math.Round(float64(l.Sum)/float64(l.Count))
	x.MinNs, x.MaxNs, x.MeanNs = &least, &most, &mean
	for _, p := range st.Percentiles {
		ns := l.Percentile(p)
		x.PercentilesNs[PercentileName(p)] = &ns
	}
	if st.Headline > 0 {
		x.SysbenchPercentile = &SysbenchPercentile{Percentile: st.Headline, Ms: l.Log.Percentile(st.Headline)}
	}
	return x
}

// distribution returns nil for nil.
func (st Style) distribution(l *measure.Latency) (*Distribution, error) {
	if l == nil {
		return nil, nil
	}
	code, err := l.HDR().Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		return nil, fmt.Errorf("encode histogram: %w", err)
	}
	d := &Distribution{Latency: st.latency(l), HDR: string(code), Sysbench: SysbenchHistogram{
		Buckets: measure.LogBuckets, MinMs: measure.LogMinMs, MaxMs: measure.LogMaxMs, Index: []int{}, ValueMs: []float64{}, Count: []int64{},
	}}
	h := &d.Sysbench
	l.Log.Rows(func(value float64, n int64) {
		h.Index = append(h.Index, bucketOf(value))
		h.ValueMs = append(h.ValueMs, value)
		h.Count = append(h.Count, n)
	})
	return d, nil
}

// bucketOf is the number of the bucket that has this value.
func bucketOf(valueMs float64) int {
	return int(math.Round(math.Log(valueMs/measure.LogMinMs) / math.Log(measure.LogMaxMs/measure.LogMinMs) * (measure.LogBuckets - 1)))
}
