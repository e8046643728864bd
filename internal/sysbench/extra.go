package sysbench

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"deltabench/internal/engine"
	"deltabench/internal/measure"
	"deltabench/internal/random"
	"deltabench/internal/sqldb"
	"deltabench/internal/textlog"
)

// standardPercentiles are always among those that the additions print.
var standardPercentiles = []float64{50, 95, 99, 99.9}

// lateWarning is the start lateness (99th percentile, ns) that is warned about.
const lateWarning = 2e6

// shownErrors is how many error codes the table shows at most.
const shownErrors = 20

// extra is what deltabench prints below sysbench's report.
type extra struct {
	g         *General
	sql       bool
	kinds     []string         // names of statement kinds, index = measure.Kind
	transport *sqldb.Transport // of one connection; nil when unknown
	target    string           // what to say of a server that was started for the run; empty: nothing
	doubts    []string         // from before the start
	dist      string           // distribution in use; empty: the test draws none
}

// line writes one labelled line in the columns of sysbench's general block.
func line(log *textlog.Log, label, format string, args ...any) {
	log.Noticef("    %-36s %s", label+":", fmt.Sprintf(format, args...))
}

// write prints the additions that the options ask for.
func (x extra) write(log *textlog.Log, res *engine.Result) {
	if x.g.ReportExtra {
		log.Noticef("Run:")
		line(log, "ended by", "%s", endText(x.g, res))
		if x.g.Warmup > 0 {
			line(log, "warm-up, not measured", "%d s", int(seconds(x.g.Warmup)))
		}
		if x.dist != "" {
			line(log, "distribution of keys", "%s", x.dist)
		}
		if x.transport != nil && x.transport.Network != "" { // a dry run has none
			line(log, "transport", "%s", transportText(*x.transport))
			if x.transport.Server != "" {
				line(log, "server", "%s", x.transport.Server)
			}
		}
		if x.target != "" {
			line(log, "target", "%s", x.target)
		}
		x.clientLines(log, res)
		log.Noticef("")
	}
	if x.g.Rate > 0 && x.g.ReportExtra {
		x.rateBlock(log, res)
	}
	if len(x.g.Percentiles) > 1 || x.g.ReportExtra && len(x.g.Percentiles) > 0 {
		x.latencyTable(log, res)
	}
	if x.g.ByStatement {
		x.statements(log, res)
	}
	if x.g.ReportErrors && len(res.Errors) > 0 {
		errorTable(log, res)
	}
	if x.g.ReportExtra {
		for _, w := range x.warnings(res) {
			log.Warnf("%s", w)
		}
		log.Noticef("%s", x.resultLine(res))
	}
}

// endText says which limit ended the run.
func endText(g *General, res *engine.Result) string {
	switch res.EndedBy {
	case engine.TimeLimit:
		text := fmt.Sprintf("time limit (--time=%d)", int(seconds(g.Time)))
		if res.Forced {
			text += ", then by force"
		}
		return text
	case engine.EventLimit:
		if g.Events > 0 {
			return fmt.Sprintf("event limit (--events=%d)", g.Events)
		}
		return "event limit of the test"
	case engine.WorkersEnded:
		return "the test itself"
	case engine.Interrupted:
		return "interrupt"
	}
	return "an error"
}

func transportText(t sqldb.Transport) string {
	parts := []string{t.Network + " " + t.Address, orNone("TLS", t.TLS), orNone("compression", t.Compression), t.Protocol}
	if t.MetadataCache {
		parts = append(parts, "metadata cached")
	}
	if t.AuthMethod != "" {
		parts = append(parts, t.AuthMethod)
	}
	return strings.Join(nonEmpty(parts), ", ")
}

func orNone(what, value string) string {
	if value == "" {
		return "no " + what
	}
	return value
}

func nonEmpty(list []string) []string {
	return slices.DeleteFunc(list, func(s string) bool { return s == "" })
}

func plural(n int, what string) string { return textlog.Count(int64(n), what) }

// isAre is plural with its verb.
func isAre(n int, what string) string {
	if n == 1 {
		return "1 " + what + " is"
	}
	return plural(n, what) + " are"
}

// clientLines tell what the run cost here, and how far the client was from its own limit.
func (x extra) clientLines(log *textlog.Log, res *engine.Result) {
	c := res.Client
	how := res.Executor.String()
	if res.Executor == engine.Loop {
		how = plural(res.Loops, "event loop")
	}
	text := fmt.Sprintf("%s, CPU %.2f s (%.0f %% of what it may use)", how, c.CPU.Seconds(), 100*c.CPUShare)
	if n := res.Queries(); x.sql && n > 0 {
		text += fmt.Sprintf(", %.1f µs per query", float64(c.CPU.Microseconds())/float64(n))
	}
	if c.PeakBytes > 0 {
		text += fmt.Sprintf(", memory %.1f MiB", float64(c.PeakBytes)/(1<<20))
	}
	line(log, "client", "%s", text)
	if c.HasLoop {
		line(log, "event loop", "busy %.0f %%, lag p99 %.3f ms", 100*c.BusyShare, c.LagP99.Seconds()*1e3)
	}
}

// rateBlock tells offered from achieved load, and what waits.
func (x extra) rateBlock(log *textlog.Log, res *engine.Result) {
	span := res.Elapsed
	log.Noticef("Rate (events):")
	line(log, "offered", "%d (%.2f per sec.)", res.Offered, perSecond(res.Offered, span))
	line(log, "achieved", "%d (%.2f per sec.)", res.Events, perSecond(res.Events, res.SinceReset))
	line(log, "backlog at the end, never started", "%d", res.Backlog)
	if res.Lateness != nil && res.Lateness.Count > 0 {
		l := res.Lateness
		line(log, "start lateness of idle threads (ms)", "p50 %.3f, p99 %.3f, max %.3f", millis(l.Percentile(50)), millis(l.Percentile(99)), millis(l.Max))
	}
	log.Noticef("")
}

// latencyTable prints percentiles of each time that was recorded, from the precise histogram.
func (x extra) latencyTable(log *textlog.Log, res *engine.Result) {
	ps := slices.Clone(x.g.Percentiles)
	if x.g.ReportExtra {
		ps = append(ps, standardPercentiles...)
	}
	slices.Sort(ps)
	ps = slices.Compact(ps)
	name := "event"
	if res.Service != nil {
		name = "response"
	}
	log.Noticef("Percentiles (ms, of events):")
	tableHead(log, "", ps)
	tableRow(log, name, res.Latency, ps)
	if res.Service != nil {
		tableRow(log, "service", res.Service, ps)
		log.Noticef("    response = from the scheduled arrival to the end, service = from the start to the end")
	}
	log.Noticef("")
}

// statements prints latency by kind of statement.
func (x extra) statements(log *textlog.Log, res *engine.Result) {
	ps := x.g.Percentiles // none with --percentile=0
	log.Noticef("Latency by statement (ms):")
	tableHead(log, "count", ps)
	for i := 1; i < len(res.Kinds) && i < len(x.kinds); i++ {
		if k := res.Kinds[i]; k != nil && k.Count > 0 {
			log.Noticef("    %-20s %10d %10.*f%s %10.*f", x.kinds[i], k.Count, places(k), millis(k.Sum/k.Count), columns(k, ps), places(k), millis(k.Max))
		}
	}
	log.Noticef("")
}

func tableHead(log *textlog.Log, count string, ps []float64) {
	var b strings.Builder
	fmt.Fprintf(&b, "    %-20s ", "")
	if count != "" {
		fmt.Fprintf(&b, "%10s ", count)
	}
	fmt.Fprintf(&b, "%10s", "avg")
	for _, p := range ps {
		fmt.Fprintf(&b, " %10s", "p"+number(p))
	}
	fmt.Fprintf(&b, " %10s", "max")
	log.Noticef("%s", b.String())
}

func tableRow(log *textlog.Log, name string, l *measure.Latency, ps []float64) {
	if l.Count == 0 { // no latency is not a short one
		log.Noticef("    %-20s%s", name, strings.Repeat(fmt.Sprintf(" %10s", "-"), len(ps)+2))
		return
	}
	log.Noticef("    %-20s %10.*f%s %10.*f", name, places(l), millis(average(l)), columns(l, ps), places(l), millis(l.Max))
}

// places is how many places latencies in ms are printed with: of memory, thousandths are too few. The histogram does not
// tell less than 64 ns apart.
func places(l *measure.Latency) int {
	if l.Count > 0 && l.Percentile(50) < 10_000 {
		return 5
	}
	return 3
}

func columns(l *measure.Latency, ps []float64) string {
	var b strings.Builder
	for _, p := range ps {
		fmt.Fprintf(&b, " %10.*f", places(l), millis(l.Percentile(p)))
	}
	return b.String()
}

// errorTable prints errors by code, the most frequent first, with the first message of each.
func errorTable(log *textlog.Log, res *engine.Result) {
	reconnects := ""
	if res.Reconnects > 0 {
		reconnects = fmt.Sprintf(", reconnects: %d", res.Reconnects)
	}
	log.Noticef("Errors by code (restarted events: %d%s):", res.Restarts, reconnects)
	for i, e := range res.Errors {
		if i == shownErrors {
			log.Noticef("    ... and %d more codes", len(res.Errors)-i)
			break
		}
		log.Noticef("    %5d (%s) %10d  %s", e.Code, e.State, e.Count, oneLine(e.First))
	}
	log.Noticef("")
}

// oneLine keeps a server's text from breaking the table.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// minLittle is the shortest run for which Little's law is checked: threads that start and end weigh in.
const minLittle = time.Second

// littleApplies reports whether Little's law says something about a run.
func (x extra) littleApplies(res *engine.Result) bool {
	return x.g.Rate == 0 && res.SinceReset >= minLittle && res.EndedBy != engine.WorkersEnded
}

// warnings are the reasons to doubt the numbers.
func (x extra) warnings(res *engine.Result) []string {
	out := slices.Clone(x.doubts)
	if why, yes := res.Client.WasLimit(); yes {
		out = append(out, fmt.Sprintf("the client may have been the limit (%s): what was measured may be this program", why))
	}
	if x.littleApplies(res) {
		if inside, fails := res.Little(x.g.Threads); fails {
			out = append(out, fmt.Sprintf("%.1f of %d threads were inside an event on average (throughput x latency): the rest of the time passed outside of events, or in events that did not end", inside, x.g.Threads))
		}
	}
	if l := res.Lateness; l != nil && l.Count > 0 && l.Percentile(99) > lateWarning {
		out = append(out, fmt.Sprintf("idle threads started arrivals up to %.1f ms late (p99): this machine is too busy for the schedule, and response times contain it", millis(l.Percentile(99))))
	}
	if res.Offered > 0 && float64(res.Backlog) > 0.01*float64(res.Offered) {
		out = append(out, fmt.Sprintf("overloaded: %d of %d arrivals were never started; response times grow with the length of the run", res.Backlog, res.Offered))
	}
	return out
}

// resultLine is the result in one line.
func (x extra) resultLine(res *engine.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Result: %.2f events/s", perSecond(res.Events, res.SinceReset))
	if x.sql {
		fmt.Fprintf(&b, " (transactions), %.2f queries/s (statements)", perSecond(res.Queries(), res.SinceReset))
	}
	switch {
	case res.Latency.Count == 0:
		b.WriteString(", no event finished")
	case x.g.Percentile > 0:
		fmt.Fprintf(&b, ", p%s %.*f ms per event", number(x.g.Percentile), places(res.Latency), millis(res.Latency.Percentile(x.g.Percentile)))
	}
	if x.sql {
		fmt.Fprintf(&b, ", %s", plural(int(res.Counters.Errors), "error"))
		if res.Reconnects > 0 { // lost connections that were opened again are no errors, neither here nor in sysbench's lines
			fmt.Fprintf(&b, ", %s", plural(int(res.Reconnects), "reconnect"))
		}
	}
	fmt.Fprintf(&b, ", %s, %.1f s", plural(x.g.Threads, "thread"), seconds(res.SinceReset))
	if res.SinceReset < res.Elapsed {
		b.WriteString(" since the last checkpoint")
	}
	if res.Unfinished > 0 {
		fmt.Fprintf(&b, ", %s not finished", plural(res.Unfinished, "event"))
	}
	return b.String()
}

// clearLine is the interval line for people: no percentage or rate without its unit, and counts that add up
// to the totals of the run.
func (l layout) clearLine(log *textlog.Log, iv engine.Interval) {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s (%.1f/s)", plural(iv.Threads, "thread"), plural(int(iv.Events), "event"), perSecond(iv.Events, iv.Length))
	if l.sql {
		fmt.Fprintf(&b, ", %d queries (%.1f/s; %d reads, %d writes, %d other)", iv.Queries(), perSecond(iv.Queries(), iv.Length),
			iv.Reads, iv.Writes, iv.Others)
	}
	switch {
	case l.percentile == 0:
	case iv.Latency.Count == 0:
		fmt.Fprintf(&b, ", p%s -", number(l.percentile))
	default:
		fmt.Fprintf(&b, ", p%s %.2f ms", number(l.percentile), millis(iv.Latency.Percentile(l.percentile)))
	}
	if l.sql {
		fmt.Fprintf(&b, ", %s, %s, %s", plural(int(iv.Counters.Errors), "error"), plural(int(iv.Restarts), "restart"), plural(int(iv.Reconnects), "reconnect"))
	}
	if l.rate {
		fmt.Fprintf(&b, ", %d waiting, %d running", iv.Queue, iv.Concurrency)
	}
	log.Stamped(seconds(iv.Elapsed), "%s", b.String())
}

// distributionText describes the distribution of keys in use.
func distributionText(c random.Config) string {
	switch c.Type {
	case "special":
		// The window is pct percent of the range, of which draws reach the upper res percent only.
		pct, res := float64(c.SpecPct), float64(c.SpecRes)
		return fmt.Sprintf("special (%g %% of the keys fall into %.4g %% of the range, at its middle; the others are bell-shaped around it)", res, pct*res/100)
	case "gaussian":
		return fmt.Sprintf("gaussian (mean of %d draws)", c.SpecIter)
	case "pareto":
		return fmt.Sprintf("pareto (h = %g)", c.ParetoH)
	case "zipfian":
		return fmt.Sprintf("zipfian (exponent %g)", c.ZipfianExp)
	}
	return c.Type
}
