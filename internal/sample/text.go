package sample

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// sysbenchStep is the step of sysbench's histogram: 1,024 logarithmic steps over 10^8 (specification of statistics, section 11).
const sysbenchStep = 0.0182

// Lines of reports. The layouts are those of sysbench 1.0, 0.5 and 0.4, and ours in their manner.
var (
	headLine  = regexp.MustCompile(`^(sysbench|deltabench) (\d\S*?):?\s+(?:multi-threaded system evaluation benchmark|\((.*)\))`)
	headOurs  = regexp.MustCompile(`using deltabench ([^)\s]+)`)
	keyLine   = regexp.MustCompile(`^([A-Za-z][A-Za-z /]*):\s+(\S.*)$`)
	pctLine   = regexp.MustCompile(`^(?:approx\.\s+)?([\d.]+)(?:th)? percentile:\s+([\d.]+)(?:ms)?$`)
	rateIn    = regexp.MustCompile(`^(\d+)\s+\(\s*([\d.]+) (?:per sec\.|per second|ops/sec)\)`)
	cpuIn     = regexp.MustCompile(`CPU ([\d.]+) s `)
	tableHead = regexp.MustCompile(`^avg(?:\s+p[\d.]+)+\s+max$`)
	newSecond = regexp.MustCompile(`^\[ (\d+)s \] thds: \d+ (?:tps: ([\d.]+) qps|eps): ([\d.]+)`)
	oldSecond = regexp.MustCompile(`^\[\s*(\d+)s\] threads: \d+, (?:tps|events): ([\d.]+)`)
)

const everyPrefix = "Report intermediate results every "

// textRun is a report while it is read.
type textRun struct {
	run                    *Run
	head                   string // version
	ours                   bool   // percentiles are precise
	mode                   bool   // the mode block was seen
	finished               bool   // general statistics were seen
	fatal                  string
	reads, writes, others  int64
	queries, transactions  int64
	qps, tps               float64
	rwRate, otherRate      float64
	old                    bool // 0.4 or 0.5
	sumMs                  float64
	percentile, percentMs  float64
	cpuSeconds             float64
	columns                []string // of the table of percentiles
	settings               []string
	every, last            int // seconds between interval lines, and the last one
	series                 []Second
	seriesBroken, hasQuery bool
}

// ReadText reads sysbench's reports from a text, each a run. Text around them (shell prompts, output of other programs) is
// passed over. An empty result means that there is no report in it. name is that of the source.
func ReadText(name string, in io.Reader) ([]*Run, error) {
	r := bufio.NewReader(in)
	var done []*textRun
	var cur *textRun
	for {
		line, err := r.ReadString('\n')
		if line != "" {
			line = strings.TrimRight(line, "\r\n")
			switch {
			case headLine.MatchString(strings.TrimSpace(line)):
				cur = newTextRun(strings.TrimSpace(line))
				done = append(done, cur)
			case strings.HasPrefix(strings.TrimSpace(line), "Running the test with following options:") && (cur == nil || cur.mode):
				cur = newTextRun("")
				cur.mode = true
				done = append(done, cur)
			case cur != nil:
				cur.line(line)
			}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	var runs []*Run
	for _, t := range done {
		if t.mode || t.finished { // else a header alone, such as that of prepare
			runs = append(runs, t.end())
		}
	}
	for i, run := range runs {
		run.Source = name
		if len(runs) > 1 {
			run.Source = fmt.Sprintf("%s, report %d of %d", name, i+1, len(runs))
		}
	}
	return runs, nil
}

func newTextRun(head string) *textRun {
	t := &textRun{run: &Run{facts: map[string]fact{}}}
	m := headLine.FindStringSubmatch(head)
	if m == nil {
		return t
	}
	tool, face := m[1]+" "+m[2], m[1]
	t.ours = m[1] == "deltabench"
	if o := headOurs.FindStringSubmatch(head); o != nil {
		tool = "deltabench " + o[1]
	}
	t.head = head
	t.run.facts[factTool] = fact{text: tool}
	t.run.facts[factFace] = fact{text: face}
	return t
}

// line takes one line of a report.
func (t *textRun) line(raw string) {
	line := strings.TrimSpace(raw)
	if strings.HasPrefix(line, "[") {
		t.second(line)
		return
	}
	if m := pctLine.FindStringSubmatch(line); m != nil {
		t.percentile, t.percentMs = number(m[1]), number(m[2])
		return
	}
	switch {
	case strings.HasPrefix(line, "Running the test with following options:"):
		t.mode = true
		return
	case strings.HasPrefix(line, everyPrefix):
		t.every, _ = strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(line, everyPrefix), " second(s)"))
		return
	case strings.HasPrefix(line, "FATAL: "):
		if t.fatal == "" {
			t.fatal = strings.TrimPrefix(line, "FATAL: ")
		}
		return
	case strings.HasPrefix(line, "WARNING: ") && t.finished:
		t.run.Warnings = append(t.run.Warnings, strings.TrimPrefix(line, "WARNING: "))
		return
	case line == "General statistics:" || line == "Test execution summary:":
		t.finished = true
		return
	case line == "OLTP test statistics:":
		t.run.SQL, t.old = true, true
		return
	case line == "SQL statistics:":
		t.run.SQL = true
		return
	case tableHead.MatchString(line):
		t.columns = strings.Fields(line)
		return
	case t.columns != nil:
		t.percentiles(strings.Fields(line))
		return
	}
	if t.workload(line) {
		return
	}
	if m := keyLine.FindStringSubmatch(line); m != nil {
		t.pair(m[1], m[2])
	}
}

// second takes an interval line.
func (t *textRun) second(line string) {
	m, old := newSecond.FindStringSubmatch(line), false
	if m == nil {
		m, old = oldSecond.FindStringSubmatch(line), true
	}
	if m == nil || t.every != 1 {
		return
	}
	at, _ := strconv.Atoi(m[1])
	if at != t.last+1 && t.last != 0 { // a line is missing
		t.seriesBroken = true
	}
	t.last = at
	switch {
	case old:
		t.series = append(t.series, Second{Events: number(m[2])})
	case m[2] != "":
		t.hasQuery = true
		t.series = append(t.series, Second{Events: number(m[2]), Queries: number(m[3])})
	default:
		t.series = append(t.series, Second{Events: number(m[3])})
	}
}

// workload recognises the compiled-in tests by what they print of themselves.
func (t *textRun) workload(line string) bool {
	name := ""
	switch {
	case strings.HasPrefix(line, "Prime numbers limit:"), strings.HasPrefix(line, "Maximum prime number checked in CPU test:"):
		name = "cpu"
		t.settings = append(t.settings, line)
	case strings.HasPrefix(line, "Running memory speed test"):
		name = "memory"
	case strings.HasPrefix(line, "block size:"), strings.HasPrefix(line, "total size:"), strings.HasPrefix(line, "operation:"), strings.HasPrefix(line, "scope:"),
		strings.HasPrefix(line, "Block size"), strings.HasPrefix(line, "Number of files:"), strings.HasPrefix(line, "Extra file open flags:"):
		t.settings = append(t.settings, strings.Join(strings.Fields(line), " "))
		return true
	case line == "Doing OLTP test.":
		t.run.SQL = true
		return true
	default:
		return false
	}
	t.run.Workload = name
	t.run.facts[factWorkload] = fact{text: name}
	return true
}

// pair takes a line with a label and a value.
func (t *textRun) pair(label, value string) {
	n, rate, counted := count(value)
	switch label {
	case "Number of threads":
		t.run.Threads = int(n)
		t.run.facts[factThreads] = fact{text: value}
	case "Warmup time":
		t.run.facts[factWarmup] = fact{text: strings.TrimSuffix(value, "s") + " s"}
	case "Target transaction rate":
		t.run.Rate = number(strings.TrimSuffix(value, "/sec"))
	case "read":
		t.reads = n
	case "write":
		t.writes = n
	case "other":
		t.others = n
	case "transactions":
		t.transactions, t.tps = n, rate
	case "queries":
		t.queries, t.qps = n, rate
	case "read/write requests":
		t.rwRate = rate
	case "other operations":
		t.otherRate = rate
	case "ignored errors", "deadlocks":
		t.run.Errors = n
	case "events per second":
		t.tps = number(value)
	case "Total operations", "Operations performed":
		if counted {
			t.tps = rate
		}
	case "total time":
		t.run.Seconds = number(strings.TrimSuffix(value, "s"))
	case "total number of events":
		t.run.Events = n
	case "total time taken by event execution":
		t.sumMs = 1e3 * number(strings.TrimSuffix(value, "s"))
	case "sum":
		t.sumMs = number(value)
	default:
		t.addition(label, value)
	}
}

// addition takes a line that only our reports have.
func (t *textRun) addition(label, value string) {
	switch label {
	case "ended by":
		if value == "interrupt" {
			t.fatal = "it was interrupted"
		}
	case "transport":
		// "unix /run/x.sock, no TLS, no compression, prepared statements, metadata cached, mysql_native_password"
		parts := strings.Split(value, ", ")
		if len(parts) < 4 {
			return
		}
		network, address, _ := strings.Cut(parts[0], " ")
		tls, compression := strings.TrimPrefix(parts[1], "no TLS"), strings.TrimPrefix(parts[2], "no compression")
		t.run.facts[factTransport] = fact{text: transportText(network, tls, compression, parts[3])}
		t.run.facts[factAddress] = fact{text: address}
	case "server":
		t.run.facts[factServer] = fact{text: value}
	case "distribution of keys":
		t.run.facts[factKeys+" in words"] = fact{text: value}
	case "client":
		if m := cpuIn.FindStringSubmatch(value); m != nil {
			t.cpuSeconds = number(m[1])
		}
	}
}

// percentiles takes a row of the table of percentiles, which is more precise than the line of the latency block.
func (t *textRun) percentiles(row []string) {
	if len(row) != len(t.columns)+1 || row[0] != "event" && row[0] != "response" {
		if len(row) == 0 || row[0] != "service" {
			t.columns = nil
		}
		return
	}
	for i, column := range t.columns {
		v, err := strconv.ParseFloat(row[i+1], 64)
		if err != nil || column == "max" || column == "avg" {
			continue
		}
		_, decimals, _ := strings.Cut(row[i+1], ".")
		t.run.set(column, v, digits(v, math.Pow10(-len(decimals))))
	}
}

// end puts a run together.
func (t *textRun) end() *Run {
	r := t.run
	r.facts[factRate] = fact{text: rateText(r.Rate)}
	if _, ok := r.facts[factWarmup]; !ok { // it is told when there is one
		r.facts[factWarmup] = fact{text: "0 s"}
	}
	r.partial = true
	if !t.finished || r.Seconds == 0 {
		r.Failed = "it has no result"
		if t.fatal != "" {
			r.Failed = t.fatal
		}
		return r
	}
	if t.fatal != "" {
		r.Failed = t.fatal
	} else {
		r.Failed = failure("", "", 0, r.Events)
	}
	r.facts[factLength] = lengthFact(r.Seconds, r.Events)
	if t.tps == 0 {
		t.tps = float64(r.Events) / r.Seconds
	}
	r.set(TPS, t.tps, digits(t.tps, 0.01))
	queries := t.reads + t.writes + t.others
	if t.old {
		t.qps = t.rwRate + t.otherRate
	}
	if r.SQL && t.qps > 0 {
		r.set(QPS, t.qps, digits(t.qps, 0.01))
	}
	events := max(r.Events, t.transactions)
	if r.SQL && events > 0 && queries > 0 {
		r.facts[factStatements] = statementsFact(t.reads, t.writes, t.others, events)
	}
	if r.Events > 0 && t.sumMs > 0 { // more digits than the line of the average
		r.set(Latency, t.sumMs/float64(r.Events), digits(t.sumMs, 0.01))
	}
	if name := percentileMetric(t.percentile).Name; t.percentMs > 0 {
		step := digits(t.percentMs, 0.01)
		if !t.ours {
			step = max(step, sysbenchStep)
		}
		if old, ok := r.values[name]; !ok || old.Step > step {
			r.set(name, t.percentMs, step)
		}
	}
	if t.cpuSeconds > 0 {
		r.set(CPU, perQuery(t.cpuSeconds, queries, r.Events), digits(t.cpuSeconds, 0.01))
	}
	r.setErrors(r.Errors)
	if len(t.settings) > 0 {
		r.facts[factSettings] = fact{text: strings.Join(t.settings, ", ")}
	}
	if !t.seriesBroken {
		r.Series = t.series
	}
	return r
}

// count reads "10 (5.00 per sec.)"; the rate is 0 and ok false without one.
func count(value string) (n int64, rate float64, ok bool) {
	if m := rateIn.FindStringSubmatch(value); m != nil {
		n, _ = strconv.ParseInt(m[1], 10, 64)
		return n, number(m[2]), true
	}
	n, _ = strconv.ParseInt(value, 10, 64) // other lines have no count
	return n, 0, false
}

// number reads digits that an expression has matched; what is none is 0.
func number(s string) float64 {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0
	}
	return f
}
