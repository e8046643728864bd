package sysbench

import (
	"fmt"
	"math"
	"strings"
	"time"

	"deltabench/internal/engine"
	"deltabench/internal/measure"
	"deltabench/internal/textlog"
	"deltabench/internal/workload"
)

// layout is what reports need to know besides what was measured.
type layout struct {
	sql        bool    // the SQL format, for tests that created a driver
	percentile float64 // the headline; 0 = disabled
	face       Face
	rate       bool
	debug      bool
	compat     string                                    // layout asked for; empty is 1.0
	head       func(log *textlog.Log, t workload.Totals) // test's own lines before the general block; may be nil
}

// seconds converts for printing.
func seconds(d time.Duration) float64 { return d.Seconds() }

// perSecond divides a count by a measured time; no time gives 0.
func perSecond(n int64, d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return float64(n) / d.Seconds()
}

func millis(ns int64) float64 { return float64(ns) / 1e6 }

// percentileMs is the headline percentile in ms: quantised as sysbench's under its name, precise under ours.
func (l layout) percentileMs(lat *measure.Latency) float64 {
	switch {
	case l.percentile == 0:
		return 0
	case l.face == FaceSysbench:
		return lat.Log.Percentile(l.percentile)
	}
	return millis(lat.Percentile(l.percentile))
}

// number spells a percentile: 95, 99.9.
func number(p float64) string { return fmt.Sprintf("%g", p) }

// intervalLine writes the line of one interval, and under a rate the line of the queue (specification 3.6).
func (l layout) intervalLine(log *textlog.Log, iv engine.Interval) {
	if old(l.compat) {
		l.oldIntervalLine(log, iv)
		return
	}
	at := seconds(iv.Due)
	lat := l.percentileMs(iv.Latency)
	if !l.sql {
		log.Stamped(at, "thds: %d eps: %4.2f lat (ms,%s%%): %4.2f",
			iv.Threads, perSecond(iv.Events, iv.Length), number(l.percentile), lat)
		if l.rate {
			log.Stamped(at, "queue length: %d concurrency: %d", iv.Queue, iv.Concurrency)
		}
		return
	}
	log.Stamped(at, "thds: %d tps: %4.2f qps: %4.2f (r/w/o: %4.2f/%4.2f/%4.2f) lat (ms,%s%%): %4.2f err/s: %4.2f reconn/s: %4.2f",
		iv.Threads, perSecond(iv.Events, iv.Length), perSecond(iv.Queries(), iv.Length),
		perSecond(iv.Reads, iv.Length), perSecond(iv.Writes, iv.Length), perSecond(iv.Others, iv.Length),
		number(l.percentile), lat, perSecond(iv.Counters.Errors, iv.Length), perSecond(iv.Reconnects, iv.Length))
	if l.rate {
		log.Stamped(at, "queue length: %d, concurrency: %d", iv.Queue, iv.Concurrency)
	}
}

// cumulative writes a full report (specification 3.10).
func (l layout) cumulative(log *textlog.Log, r engine.Report) {
	if old(l.compat) {
		l.oldCumulative(log, r)
		return
	}
	if l.sql {
		l.sqlBlock(log, r)
	}
	if l.head != nil {
		l.head(log, workload.Totals{Events: r.Events, Seconds: seconds(r.SinceReset)})
	}
	if r.Unfinished > 0 {
		log.Noticef("")
		log.Noticef("Number of unfinished transactions on forced shutdown: %d", r.Unfinished)
	}
	log.Noticef("")
	log.Noticef("General statistics:")
	log.Noticef("    total time:                          %.4fs", seconds(r.Elapsed))
	log.Noticef("    total number of events:              %d", r.Events)
	log.Noticef("")
	l.latencyBlock(log, r.Latency)
	l.threadBlocks(log, r)
}

// threadBlocks write what is told of threads, at the end of a report of any layout.
func (l layout) threadBlocks(log *textlog.Log, r engine.Report) {
	log.Noticef("")
	l.fairnessBlock(log, r)
	log.Noticef("")
	if l.debug {
		threadsBlock(log, r)
	}
}

// queriesPerformed writes the counts of statements by class, the same in all layouts.
func queriesPerformed(log *textlog.Log, r engine.Report) {
	log.Noticef("    queries performed:")
	log.Noticef("        read:                            %d", r.Reads)
	log.Noticef("        write:                           %d", r.Writes)
	log.Noticef("        other:                           %d", r.Others)
	log.Noticef("        total:                           %d", r.Queries())
}

func (l layout) sqlBlock(log *textlog.Log, r engine.Report) {
	log.Noticef("SQL statistics:")
	queriesPerformed(log, r)
	for _, line := range []struct {
		label string
		n     int64
	}{
		{"transactions:                    ", r.Events},
		{"queries:                         ", r.Queries()},
		{"ignored errors:                  ", r.Counters.Errors},
		{"reconnects:                      ", r.Reconnects},
	} {
		log.Noticef("    %s    %-6d (%.2f per sec.)", line.label, line.n, perSecond(line.n, r.SinceReset))
	}
}

// average is the mean latency, a whole number of ns as in sysbench; 0 without events.
func average(lat *measure.Latency) int64 {
	if lat.Count == 0 {
		return 0
	}
	return lat.Sum / lat.Count
}

// latencyBlock writes the latency statistics.
func (l layout) latencyBlock(log *textlog.Log, lat *measure.Latency) {
	log.Noticef("Latency (ms):")
	log.Noticef("         min: %39.2f", millis(lat.Min))
	log.Noticef("         avg: %39.2f", millis(average(lat)))
	log.Noticef("         max: %39.2f", millis(lat.Max))
	if l.percentile == 0 {
		log.Noticef("         percentile stats:               disabled")
	} else {
		// The number ends in the column of the others also when the percentile takes more than three places.
		label := fmt.Sprintf("        %3sth percentile: ", number(l.percentile))
		log.Noticef("%s%*.2f", label, 53-len(label), l.percentileMs(lat))
	}
	log.Noticef("         sum: %39.2f", millis(lat.Sum))
}

// fairnessBlock writes means and population standard deviations over threads. Events that a forced stop cut
// short count here as ended now, and nowhere else. sysbench's mean of the execution time leaves them out while
// the deviation from it does not; the sysbench face prints the same.
func (l layout) fairnessBlock(log *textlog.Log, r engine.Report) {
	var events, times, finished []float64
	for _, t := range r.Threads {
		n, ns := t.Events, t.LatencyNs
		finished = append(finished, float64(ns)/1e9)
		if r.Unfinished > 0 && t.InEventNs > 0 {
			n++
			ns += r.Now - t.InEventNs
		}
		events = append(events, float64(n))
		times = append(times, float64(ns)/1e9)
	}
	eventsMean, timesMean := mean(events), mean(times)
	if l.face == FaceSysbench {
		timesMean = mean(finished)
	}
	log.Noticef("Threads fairness:")
	log.Noticef("    events (avg/stddev):           %.4f/%3.2f", eventsMean, deviation(events, eventsMean))
	log.Noticef("    execution time (avg/stddev):   %.4f/%3.2f", timesMean, deviation(times, timesMean))
}

func mean(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	var sum float64
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

// deviation is the population standard deviation around m.
func deviation(v []float64, m float64) float64 {
	if len(v) == 0 {
		return 0
	}
	var sum float64
	for _, x := range v {
		sum += (x - m) * (x - m)
	}
	return math.Sqrt(sum / float64(len(v)))
}

// threadsBlock writes the statistics of each thread, for --debug.
func threadsBlock(log *textlog.Log, r engine.Report) {
	log.Debugf("Verbose per-thread statistics:\n")
	for i, t := range r.Threads {
		var avg float64
		if t.Events > 0 {
			avg = float64(t.LatencyNs/t.Events) / 1e9
		}
		log.Debugf("    thread #%3d: min: %.4fs  avg: %.4fs  max: %.4fs  events: %d",
			i, float64(t.MinNs)/1e9, avg, float64(t.MaxNs)/1e9, t.Events)
		log.Debugf("                 total time taken by event execution: %.4fs", float64(t.LatencyNs)/1e9)
	}
	log.Noticef("")
}

// histogram writes the latency histogram (specification 3.12); nothing without values. The table is not
// subject to verbosity.
func histogram(log *textlog.Log, h *measure.LogHistogram) {
	if h.Total() == 0 {
		return
	}
	log.Noticef("Latency histogram (values are in milliseconds)")
	log.Direct(h.Table())
	log.Noticef(" ")
}

// modeHead writes the start of the mode block, the same in all layouts.
func modeHead(log *textlog.Log, g *General) {
	log.Noticef("Running the test with following options:")
	log.Noticef("Number of threads: %d", g.Threads)
	if g.Warmup > 0 {
		log.Noticef("Warmup time: %ds", int(seconds(g.Warmup)))
	}
	if g.Rate > 0 {
		log.Noticef("Target transaction rate: %d/sec", g.Rate)
	}
	if g.ReportInterval > 0 {
		log.Noticef("Report intermediate results every %d second(s)", int(seconds(g.ReportInterval)))
	}
}

// modeBlock writes the options that a run was started with (specification 3.1), without the test's own part.
func modeBlock(log *textlog.Log, g *General) {
	modeHead(log, g)
	if len(g.Checkpoints) > 0 {
		log.Noticef("Report checkpoint(s) at %s seconds", strings.Trim(strings.ReplaceAll(fmt.Sprint(g.Checkpoints), " ", ", "), "[]"))
	}
	if g.Debug {
		log.Noticef("Debug mode enabled.\n")
	}
	if g.Validate {
		log.Noticef("Validation checks: on.\n")
	}
	if g.Seed != 0 {
		log.Noticef("Initializing random number generator from seed (%d).\n", g.Seed)
	} else {
		log.Noticef("Initializing random number generator from current time\n")
	}
	if g.ForcedShutdown {
		log.Noticef("Forcing shutdown in %d seconds", g.ForcedAfter)
	}
	log.Noticef("")
}
