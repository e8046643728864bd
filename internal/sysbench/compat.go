package sysbench

import (
	"fmt"
	"slices"

	"deltabench/internal/engine"
	"deltabench/internal/measure"
	"deltabench/internal/option"
	"deltabench/internal/textlog"
	"deltabench/internal/workload"
)

// Layouts of reports, the values of --compat: those of sysbench 1.0, 0.5 and 0.4.12 (specification 5.13, 5.14). Only the
// layout differs: what is counted, and how, is the same in all (docs/decisions).
const (
	compat10 = "1.0"
	compat05 = "0.5"
	compat04 = "0.4"
)

var compatLayouts = []string{compat10, compat05, compat04}

// compatSpec is the option --compat.
var compatSpec = option.Spec{Name: "compat", Desc: "layout of the report {1.0,0.5,0.4}, by sysbench's version; 0.4 by default for --test=oltp, else 1.0", Type: option.String, Default: ""}

// peekCompat reads --compat before our options are read. A wrong value is refused later.
func (s *session) peekCompat() string {
	peek := option.NewSet(compatSpec)
	for _, arg := range s.deferred {
		peek.ParseArg(arg)
	}
	if v := peek.String(compatSpec.Name); slices.Contains(compatLayouts, v) {
		return v
	}
	return ""
}

// header is the first line of the output. A layout that was asked for has that of its version.
func (s *session) header() string {
	switch s.peekCompat() {
	case compat05:
		return "sysbench 0.5:  multi-threaded system evaluation benchmark (using deltabench " + Version + ")"
	case compat04:
		return "sysbench 0.4.12:  multi-threaded system evaluation benchmark (using deltabench " + Version + ")"
	}
	return s.env.Face.header()
}

// old reports whether a layout is older than 1.0's.
func old(compat string) bool { return compat == compat04 || compat == compat05 }

// oldModeBlock is modeBlock in an old layout.
func oldModeBlock(log *textlog.Log, req *Request) {
	g := req.General
	modeHead(log, g)
	if g.Debug {
		log.Noticef("Debug mode enabled.\n")
	}
	switch {
	case g.Compat == compat05 && g.Seed == 0:
		log.Noticef("Random number generator seed is 0 and will be ignored\n")
	case g.Compat == compat05:
		log.Noticef("Initializing random number generator from seed (%d).\n", g.Seed)
	case req.Options.Has("init_rng") && req.Options.Bool("init_rng"):
		log.Noticef("Initializing random number generator from timer.\n")
	}
	log.Noticef("")
}

// oldIntervalLine is intervalLine in an old layout.
func (l layout) oldIntervalLine(log *textlog.Log, iv engine.Interval) {
	if !log.Enabled(textlog.Notice) {
		return
	}
	lat := fmt.Sprintf("response time: %4.2fms (%s%%)", l.percentileMs(iv.Latency), number(l.percentile))
	text := fmt.Sprintf("threads: %d, events: %4.2f, %s", iv.Threads, perSecond(iv.Events, iv.Length), lat)
	if l.sql {
		text = fmt.Sprintf("threads: %d, tps: %4.2f, reads: %4.2f, writes: %4.2f, %s, errors: %4.2f, reconnects: %5.2f",
			iv.Threads, perSecond(iv.Events, iv.Length), perSecond(iv.Reads, iv.Length), perSecond(iv.Writes, iv.Length), lat,
			perSecond(iv.Counters.Errors, iv.Length), perSecond(iv.Reconnects, iv.Length))
	}
	log.Direct(fmt.Sprintf("[%4.0fs] %s\n", seconds(iv.Due), text))
	if l.rate {
		log.Direct(fmt.Sprintf("[%4.0fs] queue length: %d, concurrency: %d\n", seconds(iv.Due), iv.Queue, iv.Concurrency))
	}
}

// oldCumulative is cumulative in an old layout.
func (l layout) oldCumulative(log *textlog.Log, r engine.Report) {
	if l.sql {
		l.oldSQLBlock(log, r)
	}
	if l.head != nil {
		l.head(log, workload.Totals{Events: r.Events, Seconds: seconds(r.SinceReset)})
	}
	if r.Unfinished > 0 {
		log.Noticef("Number of unfinished transactions on forced shutdown: %d\n", r.Unfinished)
	}
	title, unit, statistics := "General statistics:", "s", "response time:"
	if l.compat == compat04 {
		title, unit, statistics = "Test execution summary:", "", "per-request statistics:"
	}
	log.Noticef("%s", title)
	log.Noticef("    total time:                          %.4fs", seconds(r.Elapsed))
	log.Noticef("    total number of events:              %d", r.Events)
	log.Noticef("    total time taken by event execution: %.4f%s", float64(r.Latency.Sum)/1e9, unit)
	log.Noticef("    %s", statistics)
	l.oldLatency(log, r.Latency)
	l.threadBlocks(log, r)
}

func (l layout) oldSQLBlock(log *textlog.Log, r engine.Report) {
	log.Noticef("OLTP test statistics:")
	queriesPerformed(log, r)
	rate := func(label string, n int64) {
		log.Noticef("    %-36s %-6d (%.2f per sec.)", label, n, perSecond(n, r.SinceReset))
	}
	rate("transactions:", r.Events)
	if l.compat == compat04 {
		rate("deadlocks:", r.Counters.Errors)
	}
	rate("read/write requests:", r.Reads+r.Writes)
	rate("other operations:", r.Others)
	if l.compat == compat05 {
		rate("ignored errors:", r.Counters.Errors)
		rate("reconnects:", r.Reconnects)
	}
	log.Noticef("")
}

func (l layout) oldLatency(log *textlog.Log, lat *measure.Latency) {
	log.Noticef("         min:                            %10.2fms", millis(lat.Min))
	log.Noticef("         avg:                            %10.2fms", millis(average(lat)))
	log.Noticef("         max:                            %10.2fms", millis(lat.Max))
	if l.percentile > 0 {
		label := fmt.Sprintf("         approx. %3s percentile:", number(l.percentile))
		log.Noticef("%s%*.2fms", label, 51-len(label), l.percentileMs(lat))
	}
}

// head04 returns the lines that 0.4 has at the head of the report of a compiled-in test; nil: none other than today's.
func head04(req *Request, run workload.Run) func(*textlog.Log, workload.Totals) {
	switch req.Test.Name() {
	case "cpu":
		return func(log *textlog.Log, _ workload.Totals) {
			log.Noticef("Maximum prime number checked in CPU test: %d\n", req.Options.Int("cpu_max_prime"))
		}
	case "memory":
		return func(log *textlog.Log, t workload.Totals) {
			log.Noticef("Operations performed: %d (%8.2f ops/sec)\n", t.Events, t.PerSecond())
			f := run.(workload.Figurer).Figures(t)
			if mib, ok := f["transferredMiB"]; ok {
				log.Noticef("%4.2f MB transferred (%4.2f MB/sec)\n", mib, f["transferredMiBPerSecond"])
			}
		}
	}
	return nil
}
