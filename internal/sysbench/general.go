package sysbench

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"deltabench/internal/option"
	"deltabench/internal/random"
	"deltabench/internal/textlog"
)

// maxThreads is more connections than any server can have (max_connections ends at 100,000), and little enough that
// a slip of the finger does not eat the machine's memory.
const maxThreads = 100_000

// percentileHint says what --percentile accepts.
const percentileHint = "1 to 100, 0 for none, or a list such as 50,95,99.9"

// maxCheckpoints is how many checkpoints --report-checkpoints may name.
const maxCheckpoints = 256

// General are the checked values of the options that are not a test's.
type General struct {
	Threads        int
	Events         int64         // limit over all threads; 0 = none
	Time           time.Duration // limit; 0 = none
	Rate           int           // arrivals per second; 0 = closed loop
	ReportInterval time.Duration // 0 = none
	Checkpoints    []int         // seconds, ascending
	Debug          bool
	Validate       bool
	Histogram      bool
	Percentile     float64   // the headline, in interval lines and the latency block; 0 = disabled
	Percentiles    []float64 // all asked for, ascending; empty when disabled
	Seed           int       // 0 = from the current time
	Random         random.Config
	Verbosity      textlog.Level

	// Forced shutdown: seconds from start to the forced end, when ForcedShutdown. ForcedOff: the user
	// said `off` explicitly; then nothing may interrupt a running event.
	ForcedShutdown bool
	ForcedAfter    int
	ForcedOff      bool

	// Options of the second pass; filled in for commands only.
	Warmup        time.Duration
	InitTimeout   time.Duration
	Engine        string // auto, loop, goroutine
	Loops         int    // 0 = chosen
	Target        string // server that is started for the command: embedded, or empty for none
	PreflightOnly bool   // and nothing is started
	Preflight     bool   // limits of server and client are compared with the run before it starts
	AbortOnFull   bool   // --rate-overflow=abort

	Load            string // auto, infile, insert, sysbench
	LoadIndexBefore bool   // --load-index=before
	Resume          bool

	Compat       string // layout of the report; empty: that of the test
	ByStatement  bool   // --latency-by=statement
	ClearLines   bool   // --interval-style=clear
	ReportExtra  bool
	ReportErrors bool
}

// refusal is the end of the program with one message.
type refusal struct {
	text   string
	stderr bool          // a usage message, printed as it is
	level  textlog.Level // of the log line otherwise
	plain  bool          // to standard output without a prefix
	code   int
	hint   string // how to put it right, for our face
}

func (r *refusal) Error() string { return r.text }

// hinted adds what our face says in parentheses behind the message.
func (r *refusal) hinted(format string, args ...any) *refusal {
	r.hint = fmt.Sprintf(format, args...)
	return r
}

// as is the message on a face.
func (r *refusal) as(face Face, hint string) string {
	if face == FaceSysbench || hint == "" {
		return r.text
	}
	return strings.TrimRight(r.text, ".\n") + " (" + hint + ")"
}

// fatalf is a FATAL line on standard output.
func fatalf(format string, args ...any) *refusal {
	return &refusal{text: fmt.Sprintf(format, args...), level: textlog.Fatal, code: ExitFailure}
}

// usagef is a line on standard error.
func usagef(format string, args ...any) *refusal {
	return &refusal{text: fmt.Sprintf(format, args...), stderr: true, code: ExitFailure}
}

// reader reads options one after the other and keeps the first error.
type reader struct {
	set *option.Set
	log *textlog.Log
	err error
}

func (r *reader) int(name string) int {
	if r.err != nil {
		return 0
	}
	n, err := r.set.Int(name)
	r.err = err
	return n
}

// renamed reads an option that has a deprecated alias: the alias wins when it is above none (or, where
// sysbench compares unsigned numbers, below 0).
func (r *reader) renamed(name, alias string, none int, unsigned bool) int {
	old := r.int(alias)
	if r.err == nil && (old > none || unsigned && old < 0) {
		r.log.Warnf("--%s is deprecated, use --%s instead", alias, name)
		r.set.SetText(name, strconv.Itoa(old))
	}
	return r.int(name)
}

// readGeneral checks the options of the first pass in the order in which sysbench does, which decides what
// is complained about first. Warnings go to the log whatever the verbosity: that is not known yet.
func readGeneral(set *option.Set, log *textlog.Log) (*General, error) {
	g := &General{}
	r := &reader{set: set, log: log}
	g.Threads = r.renamed("threads", "num-threads", 1, true)
	if r.err == nil && (g.Threads <= 0 || g.Threads > maxThreads) {
		return nil, fatalf("Invalid value for --threads: %d.\n", g.Threads).hinted("1 to %d", maxThreads)
	}
	g.Events = max(0, int64(r.renamed("events", "max-requests", 0, true)))
	seconds := r.renamed("time", "max-time", 0, false)
	if r.err != nil {
		return nil, r.err
	}
	g.Time = time.Duration(max(0, seconds)) * time.Second
	if seconds == 0 && g.Events == 0 {
		log.Warnf("Both event and time limits are disabled, running an endless test")
	}
	if err := g.readForced(set, seconds); err != nil {
		return nil, err
	}
	if int64(set.Size("thread-stack-size")) <= 0 {
		return nil, fatalf("Invalid value for thread-stack-size: %s.\n", strconv.FormatUint(set.Size("thread-stack-size"), 10)).hinted("bytes, or with a unit as in 64K")
	}
	g.Seed = r.int("rand-seed")
	if r.err != nil {
		return nil, r.err
	}
	g.Random = random.DefaultConfig()
	g.Random.Type = set.String("rand-type")
	if !knownDistribution(g.Random.Type) {
		return nil, fatalf("Invalid random numbers distribution: %s.", g.Random.Type).hinted("--rand-type is uniform, gaussian, special, pareto or zipfian")
	}
	g.Random.SpecIter, g.Random.SpecPct, g.Random.SpecRes = r.int("rand-spec-iter"), r.int("rand-spec-pct"), r.int("rand-spec-res")
	g.Random.ParetoH = set.Double("rand-pareto-h")
	g.Rate = max(0, r.renamed("rate", "tx-rate", 0, true))
	g.ReportInterval = time.Duration(max(0, r.int("report-interval"))) * time.Second
	if r.err != nil {
		return nil, r.err
	}
	if err := g.readCheckpoints(set); err != nil {
		return nil, err
	}
	g.Debug, g.Validate = set.Bool("debug"), set.Bool("validate")
	if err := g.readVerbosity(r); err != nil {
		return nil, err
	}
	g.Histogram = set.Bool("histogram")
	if err := g.readPercentiles(set); err != nil {
		return nil, err
	}
	if g.Histogram && g.Percentile == 0 {
		return nil, fatalf("--histogram cannot be used with --percentile=0").hinted("leave one of the two out")
	}
	return g, nil
}

// knownDistribution accepts zipfian on both faces: 1.0.20 has no use for --rand-zipfian-exp, which both accept.
func knownDistribution(name string) bool {
	switch name {
	case "uniform", "gaussian", "special", "pareto", "zipfian":
		return true
	}
	return false
}

// readForced reads --forced-shutdown: off, seconds, or a percentage of the time limit; empty is 5 %.
func (g *General) readForced(set *option.Set, limit int) error {
	if !set.Given("forced-shutdown") { // then the engine's own grace applies
		return nil
	}
	text := set.String("forced-shutdown")
	if strings.EqualFold(text, "off") {
		g.ForcedOff = true
		return nil
	}
	if limit == 0 {
		return nil
	}
	grace := limit * 5 / 100
	if text != "" {
		n, rest := leadingInt(text)
		switch {
		case rest == "":
			grace = n
		case rest[0] == '%':
			grace = int(math.Trunc(float64(limit) * float64(n) / 100))
		default:
			return fatalf("Invalid value for --forced-shutdown: '%s'", text).hinted("seconds after --time, a percentage of it such as 20%%, or off")
		}
	}
	g.ForcedShutdown, g.ForcedAfter = true, max(0, limit+grace)
	return nil
}

// leadingInt reads a number as C's strtol does and returns what follows it.
func leadingInt(text string) (int, string) {
	i := 0
	if i < len(text) && (text[i] == '-' || text[i] == '+') {
		i++
	}
	start := i
	for i < len(text) && '0' <= text[i] && text[i] <= '9' {
		i++
	}
	if i == start {
		return 0, text
	}
	n, err := strconv.ParseInt(text[:i], 10, 32)
	if err != nil { // saturates
		n = math.MaxInt32
		if text[0] == '-' {
			n = math.MinInt32
		}
	}
	return int(n), text[i:]
}

func (g *General) readCheckpoints(set *option.Set) error {
	list := set.List("report-checkpoints")
	for _, text := range list {
		n, rest := leadingInt(text)
		if rest != "" || n < 0 {
			return fatalf("Invalid value for --report-checkpoints: '%s'", text).hinted("seconds, separated by commas, as in 10,20")
		}
		if len(g.Checkpoints) == maxCheckpoints {
			return fatalf("Too many checkpoints in --report-checkpoints (up to %d can be defined)", maxCheckpoints)
		}
		g.Checkpoints = append(g.Checkpoints, n)
	}
	slices.Sort(g.Checkpoints)
	return nil
}

// readVerbosity reads --verbosity, an unsigned byte in sysbench; --debug overrides it.
func (g *General) readVerbosity(r *reader) error {
	v := uint8(r.int("verbosity"))
	if r.err != nil {
		return r.err
	}
	if g.Debug {
		v = uint8(textlog.Debug)
	}
	if v > uint8(textlog.Debug) {
		return &refusal{text: fmt.Sprintf("Invalid value for verbosity: %d", v), plain: true, code: ExitFailure, hint: "0 to 5"}
	}
	g.Verbosity = textlog.Level(v)
	return nil
}

// readPercentiles reads a number as sysbench does, or our list. The headline is the one that is given alone,
// 95 when it is in the list, else the last of the list as typed.
func (g *General) readPercentiles(set *option.Set) error {
	text := set.Raw("percentile")
	if text == "" {
		return nil
	}
	parts := strings.Split(text, ",")
	for _, part := range parts {
		p, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil || math.IsNaN(p) {
			return &option.ValueError{Key: "percentile", Value: text}
		}
		if p == 0 && len(parts) == 1 {
			return nil
		}
		if p <= 0 || p > 100 {
			return fatalf("Invalid value for --percentile: %s", part).hinted("%s", percentileHint)
		}
		g.Percentiles = append(g.Percentiles, p)
	}
	g.Percentile = g.Percentiles[len(g.Percentiles)-1]
	if slices.Contains(g.Percentiles, 95) {
		g.Percentile = 95
	}
	slices.Sort(g.Percentiles)
	// Scripts know a whole number.
	if whole := strconv.Itoa(int(g.Percentile)); whole != text {
		set.SetText("percentile", whole)
	}
	return nil
}

// readOurs checks the options of the second pass.
func (g *General) readOurs(set *option.Set) error {
	r := &reader{set: set}
	warmup := r.int("warmup-time")
	initTimeout := r.int("thread-init-timeout")
	g.Loops = r.int("loops")
	if r.err != nil {
		return r.err
	}
	if warmup < 0 {
		return fatalf("Invalid value for --warmup-time: %d.", warmup).hinted("seconds, 0 or more")
	}
	if initTimeout <= 0 {
		return fatalf("Invalid value for --thread-init-timeout: %d.", initTimeout).hinted("seconds, 1 or more")
	}
	if g.Loops < 0 {
		return fatalf("Invalid value for --loops: %d.", g.Loops).hinted("1 or more, or 0 to choose by CPUs and threads")
	}
	g.Warmup = time.Duration(warmup) * time.Second
	g.InitTimeout = time.Duration(initTimeout) * time.Second
	if g.Random.ZipfianExp = set.Double("rand-zipfian-exp"); !(g.Random.ZipfianExp >= 0) {
		return fatalf("--rand-zipfian-exp must be >= 0")
	}
	choices := []struct {
		name    string
		allowed []string
		to      func(string)
	}{
		{"engine", []string{"auto", "loop", "goroutine"}, func(v string) { g.Engine = v }},
		{"rate-overflow", []string{overflowBacklog, overflowAbort}, func(v string) { g.AbortOnFull = v == overflowAbort }},
		{"target", []string{"", targetEmbedded}, func(v string) { g.Target = v }},
		{"load", loadMethods, func(v string) { g.Load = v }},
		{"load-index", []string{"after", "before"}, func(v string) { g.LoadIndexBefore = v == "before" }},
		{"compat", append([]string{""}, compatLayouts...), func(v string) { g.Compat = v }},
		{"latency-by", []string{"", "statement"}, func(v string) { g.ByStatement = v != "" }},
		{"interval-style", []string{"sysbench", "clear"}, func(v string) { g.ClearLines = v == "clear" }},
	}
	for _, c := range choices {
		v := set.String(c.name)
		if !slices.Contains(c.allowed, v) {
			return fatalf("Invalid value for --%s: '%s' (allowed: %s)", c.name, v, strings.TrimPrefix(strings.Join(c.allowed, ", "), ", "))
		}
		c.to(v)
	}
	g.Resume = set.Bool("resume")
	g.Preflight = set.Bool("preflight") && !set.Bool("no-preflight")
	if g.PreflightOnly = set.Bool("preflight-only"); g.PreflightOnly && !g.Preflight {
		return fatalf("--preflight-only and --no-preflight exclude each other")
	}
	g.ReportExtra, g.ReportErrors = set.Bool("report-extra"), set.Bool("report-errors")
	return nil
}

// asRefusal turns any error of this package into the message that ends the program.
func asRefusal(err error) *refusal {
	var r *refusal
	if errors.As(err, &r) {
		return r
	}
	return &refusal{text: err.Error(), stderr: true, code: ExitFailure}
}
