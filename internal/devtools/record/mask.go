package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Flags of transcripts say what may differ from run to run beyond times and rates, which always may.
const (
	flagCounts   = "counts"   // numbers of events and queries: the run was limited by time
	flagFairness = "fairness" // how events spread over threads
	flagOthers   = "others"   // whether a statement changed a row: threads meet on the same rows
	flagSets     = "sets"     // order and repetition of messages of several threads
)

// field is how a volatile number is treated.
type field struct {
	width int    // of the C format; 0: none. Checked, then dropped
	left  bool   // left-justified
	flag  string // volatile only with this flag; empty: always
}

// rule masks the numbers in a line of a report. Everything outside of its groups is compared as it is.
type rule struct {
	re     *regexp.Regexp
	fields []field // one for each group
}

func masks(pattern string, fields ...field) rule {
	re := regexp.MustCompile("^" + pattern + "$")
	if re.NumSubexp() != len(fields) {
		panic("mask " + pattern + ": groups and fields differ in number")
	}
	return rule{re, fields}
}

var (
	free     = field{}
	count    = field{flag: flagCounts}
	n39      = field{width: 39}
	n27      = field{width: 27}
	n8       = field{width: 8}
	leftSix  = field{width: 6, left: true, flag: flagCounts}
	spread   = field{flag: flagCounts}
	unevenly = field{flag: flagCounts + " " + flagFairness}
	shifting = field{flag: flagCounts + " " + flagOthers}
)

var rules = []rule{
	masks(`sysbench 1\.0\.20 \((using .*)\)`, free),
	masks(`    total time: {26}(\d+\.\d{4})s`, free),
	masks(`    total number of events: {14}(\d+)`, count),
	masks(`         (?:min|avg|max|sum): ( *\d+\.\d\d)`, n39),
	masks(`        [ \d]{3}th percentile: ( *\d+\.\d\d)`, n27),
	masks(`        (?:read|total): +(\d+)`, count),
	masks(`        (?:write|other): +(\d+)`, shifting),
	masks(`    (?:transactions|queries|ignored errors|reconnects): {6,}?(?: {6,24})(\d+ *) \((\d+\.\d\d) per sec\.\)`, leftSix, free),
	masks(`    events \(avg/stddev\): {11}(\d+\.\d{4})/(\d+\.\d\d)`, spread, unevenly),
	masks(`    execution time \(avg/stddev\): {3}(\d+\.\d{4})/(\d+\.\d\d)`, free, free),
	masks(`    events per second: ( *\d+\.\d\d)`, n8),
	masks(`Total operations: (\d+) \(( *\d+\.\d\d) per second\)`, count, n8),
	masks(`(\d+\.\d\d) MiB transferred \((\d+\.\d\d) MiB/sec\)`, count, free),
	masks(`\[ (\d+)s \] thds: \d+ eps: (\d+\.\d\d) lat \(ms,\d+%\): (\d+\.\d\d)`, free, free, free),
	masks(`\[ (\d+)s \] thds: \d+ tps: (\d+\.\d\d) qps: (\d+\.\d\d) \(r/w/o: (\d+\.\d\d)/(\d+\.\d\d)/(\d+\.\d\d)\) lat \(ms,\d+%\): (\d+\.\d\d) err/s: (\d+\.\d\d) reconn/s: (\d+\.\d\d)`,
		free, free, free, free, free, free, free, free, free),
	masks(`\[ (\d+)s \] queue length: (\d+),? concurrency: (\d+)`, free, free, free),
	masks(`\[ (\d+)s \] (\d+\.\d\d) MiB/sec`, free, free),
	masks(`DEBUG:     thread #..\d: min: (\d+\.\d{4})s  avg: (\d+\.\d{4})s  max: (\d+\.\d{4})s  events: (\d+)`, free, free, free, count),
	masks(`deltabench (\S+) \(sysbench 1\.0\.20 compatible\)`, free),
	masks(`Loaded \d+ rows? into \d+ tables? in (\d+\.\d) s(?: \((\d+) rows/s\))?: .*`, free, free),
	masks(`    client: {30}(.*)`, free),
	masks(`    event loop: {26}busy (\d+) %, lag p99 (\d+\.\d{3}) ms`, free, free),
	masks(`    transport: {27}(?:tcp|unix) \S+, .*, server (\S+)`, free),
	masks(`    (?:offered|achieved): {27,29}(\d+) \((\d+\.\d\d) per sec\.\)`, count, free),
	masks(`    backlog at the end, never started: {3}(\d+)`, count),
	masks(`    start lateness of idle threads \(ms\): p50 (\d+\.\d{3}), p99 (\d+\.\d{3}), max (\d+\.\d{3})`, free, free, free),
	masks(`Result: (\d+\.\d\d) events/s, p[\d.]+ (\d+\.\d{3}) ms per event, \d+ threads?, (\d+\.\d) s`, free, free, free),
	masks(`Result: (\d+\.\d\d) events/s \(transactions\), (\d+\.\d\d) queries/s \(statements\), p[\d.]+ (\d+\.\d{3}) ms per event, (\d+) errors, \d+ threads?, (\d+\.\d) s`, free, free, free, count, free),
	masks(`\[ (\d+)s \] warm-up: (\d+\.\d\d) events/s`, free, free),
	masks(`\[ (\d+)s \] \d+ threads?, (\d+) events \((\d+\.\d)/s\)(?:, (\d+) queries \((\d+\.\d)/s; (\d+) reads, (\d+) writes, (\d+) other\))?, p95 (\d+\.\d\d) ms(.*)`, free, free, free, free, free, free, free, free, free, free),
	masks(`WARNING: (idle threads started arrivals .*|the client may have been the limit .*|\d+\.\d of \d+ threads? were inside .*)`, free),
	masks(`WARNING: overloaded: (\d+) of (\d+) arrivals were never started.*`, free, free),
	masks(`DEBUG:                  total time taken by event execution: (\d+\.\d{4})s`, free),
}

// histogramRow is a line of the latency histogram: the value in 12 columns, a bar in 40, the count.
var histogramRow = regexp.MustCompile(`^ *\d+\.\d{3} \|(\**) *(\d+)$`)

// tableRow is a line of our tables of latencies: a name in 20 columns, a count in 10 or none, and times in 10
// columns each.
var tableRow = regexp.MustCompile(`^    (\w+) +(?:(\d+) +)?\d+\.\d{3}((?: +\d+\.\d{3})+)$`)

// mask makes one line comparable: decimals and layout stay, volatile numbers go.
func (t *transcript) mask(line string) string {
	if m := histogramRow.FindStringSubmatch(line); m != nil {
		bar, n := strings.Index(line, "|"), len(line)-len(m[2])
		if bar == 13 && n == 13+1+40+1 && len(m[1]) <= 40 {
			return "<row of a histogram>"
		}
	}
	if m := tableRow.FindStringSubmatch(line); m != nil {
		columns, width := len(strings.Fields(m[3])), 4+20
		if m[2] != "" {
			width += 11
		}
		if width += 11 * (1 + columns); len(line) == width {
			return fmt.Sprintf("<row of %s, count %s, %d columns>", m[1], m[2], 1+columns)
		}
	}
	for _, r := range rules {
		at := r.re.FindStringSubmatchIndex(line)
		if at == nil {
			continue
		}
		out, last := "", 0
		for i, f := range r.fields {
			from, to := at[2*i+2], at[2*i+3]
			if from < 0 { // an optional group
				continue
			}
			out += line[last:from] + t.field(f, line[from:to])
			last = to
		}
		return out + line[last:]
	}
	return line
}

// field masks one number with its blanks.
func (t *transcript) field(f field, text string) string {
	volatile := f.flag == ""
	for flag := range strings.SplitSeq(f.flag, " ") {
		volatile = volatile || flag != "" && t.has(flag)
	}
	if !volatile {
		return text
	}
	number := strings.TrimSpace(text)
	if f.width > 0 && !strings.HasPrefix(number, "using") {
		want := fmt.Sprintf("%*s", f.width, number)
		if f.left {
			want = fmt.Sprintf("%-*s", f.width, number)
		}
		if text != want {
			return "<" + text + " is not in its columns>"
		}
	}
	if _, decimals, ok := strings.Cut(number, "."); ok && f.width+len(number) > 0 {
		if _, err := strconv.Atoi(decimals); err == nil {
			return "<N." + strings.Repeat("N", len(decimals)) + ">"
		}
	}
	return "<N>"
}

// lines are the masked lines of an output; runs of interval lines become one entry with their number.
type lines struct {
	text []string
	runs []int // for each entry that stands for interval lines: how many; else 0
}

func (t *transcript) lines(text string) lines {
	var l lines
	if text == "" {
		return l
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		line = t.mask(line)
		last := len(l.text) - 1
		switch {
		case strings.HasPrefix(line, "WARNING: <N>"): // depends on how busy the machine is
			continue
		case line == "<row of a histogram>" && last >= 0 && l.text[last] == line:
			continue
		case strings.HasPrefix(line, "[ <"):
			if i := slices.Index(l.text[lastOther(l.text)+1:], line); i >= 0 {
				l.runs[lastOther(l.text)+1+i]++
				continue
			}
			l.text, l.runs = append(l.text, line), append(l.runs, 1)
			continue
		}
		l.text, l.runs = append(l.text, line), append(l.runs, 0)
	}
	if t.has(flagSets) {
		l.text = slices.DeleteFunc(l.text, func(s string) bool { return strings.HasPrefix(s, "(last message repeated") })
		slices.Sort(l.text)
		l.text = slices.Compact(l.text)
		l.runs = make([]int, len(l.text))
	}
	return l
}

// lastOther is the index of the last entry that is not an interval line.
func lastOther(text []string) int {
	i := len(text) - 1
	for i >= 0 && strings.HasPrefix(text[i], "[ <") {
		i--
	}
	return i
}

// diff compares what was recorded with what we printed and describes the first difference; empty if none.
// The interval line at the very end of a run is printed or not: their number may differ by one.
func (t *transcript) diff(what, want, got string) string {
	w, g := t.lines(want), t.lines(got)
	for i := range max(len(w.text), len(g.text)) {
		switch {
		case i >= len(g.text):
			return fmt.Sprintf("%s ends before line %q", what, w.text[i])
		case i >= len(w.text):
			return fmt.Sprintf("%s has an additional line %q", what, g.text[i])
		case w.text[i] != g.text[i]:
			return fmt.Sprintf("%s:\n got %q\nwant %q", what, g.text[i], w.text[i])
		case max(w.runs[i], g.runs[i])-min(w.runs[i], g.runs[i]) > 1:
			return fmt.Sprintf("%s: %d interval lines, want %d: %q", what, g.runs[i], w.runs[i], w.text[i])
		}
	}
	return ""
}

// compare describes how an execution differs from its transcript; empty if it does not.
func (t *transcript) compare(got *transcript) string {
	var all []string
	if got.Exit != t.Exit {
		all = append(all, fmt.Sprintf("exit code: got %d, want %d", got.Exit, t.Exit))
	}
	for _, d := range []string{t.diff("stdout", t.Stdout, got.Stdout), t.diff("stderr", t.Stderr, got.Stderr)} {
		if d != "" {
			all = append(all, d)
		}
	}
	if got.Rows != t.Rows {
		all = append(all, fmt.Sprintf("rows:\n got %q\nwant %q", got.Rows, t.Rows))
	}
	return strings.Join(all, "\n")
}
