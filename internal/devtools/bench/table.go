package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// report prints the table, and writes the files that were asked for.
func (b *bench) report(out io.Writer) error {
	text := b.markdown()
	if _, err := io.WriteString(out, text); err != nil {
		return fmt.Errorf("print the table: %w", err)
	}
	if b.raw != "" {
		if err := b.writeRuns(); err != nil {
			return fmt.Errorf("write the single runs: %w", err)
		}
	}
	if b.out == "" || b.done < b.pairs {
		return nil // an interrupted bench does not replace a full one
	}
	if err := os.WriteFile(b.out, []byte(text), 0o644); err != nil {
		return fmt.Errorf("write the table: %w", err)
	}
	return nil
}

// markdown is the whole document.
func (b *bench) markdown() string {
	var w strings.Builder
	fmt.Fprintf(&w, "# deltabench and sysbench on one machine\n\nMade by `make bench` (internal/devtools/bench says how). "+
		"%s\n\n", b.machine())
	fmt.Fprintf(&w, "Ratios are ours / sysbench within a pair of runs, one right after the other, order drawn by seed %d; runs of %v. "+
		"The number is the median over n pairs, the interval comes from order statistics of the median "+
		"(at least 95 %% where n allows it). A target is met by the median.\n\n", b.seed, b.time)
	w.WriteString("| cell | what | n | median | interval | target | | ours | sysbench |\n")
	w.WriteString("|---|---|---:|---:|---|---|---|---:|---:|\n")
	targets, missed := 0, 0
	for _, r := range b.results {
		for _, m := range r.metrics {
			row, judged, ok := r.row(m)
			w.WriteString(row)
			if judged {
				targets++
				if !ok {
					missed++
				}
			}
		}
	}
	fmt.Fprintf(&w, "\n%d of %d targets met", targets-missed, targets)
	if b.failed > 0 {
		fmt.Fprintf(&w, "; %d runs failed and are not in the numbers", b.failed)
	}
	w.WriteString(".\n")
	return w.String()
}

// row is the line of a metric. judged tells whether there is a target, ok whether it is met.
func (r *result) row(m metric) (text string, judged, ok bool) {
	judged = m.target > 0
	target := "-"
	if judged {
		sign := "≤"
		if m.atLeast {
			sign = "≥"
		}
		target = sign + " " + strconv.FormatFloat(m.target, 'g', -1, 64)
	}
	if len(r.pairs) == 0 {
		return fmt.Sprintf("| %s | %s | 0 | - | - | %s | no run | - | - |\n", r.name, m.name, target), judged, false
	}
	var values, ours, theirs []float64
	for _, p := range r.pairs {
		values = append(values, m.of(p))
		if m.single != nil {
			ours = append(ours, m.single(p.ours))
			theirs = append(theirs, m.single(p.theirs))
		}
	}
	mid := median(values)
	lo, hi, probability := medianInterval(values)
	interval := fmt.Sprintf("["+m.format+", "+m.format+"]", lo, hi)
	if len(values) == 1 {
		interval = "-"
	} else if probability < confidence {
		interval += fmt.Sprintf(" (%.0f %%)", probability*100)
	}
	verdict := ""
	if judged {
		verdict = "MISS"
		if ok = m.reached(mid); ok {
			verdict = "ok"
		}
	}
	if r.err != nil {
		verdict += " (a run failed)"
	}
	left, right := "-", "-"
	if m.single != nil {
		left = amount(median(ours), m.unit)
		if !r.alone {
			right = amount(median(theirs), m.unit)
		}
	}
	return fmt.Sprintf("| %s | %s | %d | "+m.format+" | %s | %s | %s | %s | %s |\n",
		r.name, m.name, len(values), mid, interval, target, verdict, left, right), judged, ok
}

// amount shows large numbers without and small ones with decimals.
func amount(v float64, unit string) string {
	if v >= 1000 {
		return fmt.Sprintf("%.0f %s", v, unit)
	}
	return fmt.Sprintf("%.2f %s", v, unit)
}

// machine describes where and with what the bench ran.
func (b *bench) machine() string {
	parts := []string{
		fmt.Sprintf("%s, %d CPUs (%s), %s memory, %s %s", b.started.UTC().Format(time.DateOnly), runtime.NumCPU(),
			procField("/proc/cpuinfo", "model name"), procField("/proc/meminfo", "MemTotal"), runtime.GOOS, procText("/proc/sys/kernel/osrelease")),
		runtime.Version(),
	}
	for _, client := range []string{b.ours, b.theirs} {
		if out, err := exec.Command(client, "--version").Output(); err == nil {
			parts = append(parts, strings.TrimSpace(string(out)))
		}
	}
	if s, ok := b.servers["mariadb"]; ok {
		parts = append(parts, s.version)
	}
	if out, err := exec.Command("git", "rev-parse", "--short", "HEAD").Output(); err == nil {
		parts = append(parts, "commit "+strings.TrimSpace(string(out)))
	}
	parts = append(parts, "load average "+b.load+" before the first run")
	return strings.Join(parts, "; ") + ". Clients and servers share the CPUs."
}

// procText is the text of a file of one line, "unknown" where there is none.
func procText(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(text))
}

// procField is the first value of `name : value` in a file, "unknown" where there is none.
func procField(path, name string) string {
	for line := range strings.Lines(procText(path)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return "unknown"
}

// writeRuns writes one line a run.
func (b *bench) writeRuns() error {
	if err := os.MkdirAll(filepath.Dir(b.raw), 0o755); err != nil {
		return err
	}
	f, err := os.Create(b.raw)
	if err != nil {
		return err
	}
	defer f.Close()
	w := csv.NewWriter(f)
	rows := [][]string{{
		"cell", "round", "client", "position", "queries", "qps", "cpuNs", "peakBytes", "offered", "achieved", "latenessP99Ms",
	}}
	for _, r := range b.results {
		for _, p := range r.pairs {
			first, second := "1", "2"
			if !p.oursFirst {
				first, second = second, first
			}
			rows = append(rows, p.ours.row(r.name, p.round, "ours", first))
			if !r.alone {
				rows = append(rows, p.theirs.row(r.name, p.round, "theirs", second))
			}
		}
	}
	if err := w.WriteAll(rows); err != nil {
		return err
	}
	return f.Close()
}

func (s sample) row(cell string, round int, client, position string) []string {
	float := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	return []string{
		cell, strconv.Itoa(round), client, position, strconv.FormatInt(s.queries, 10), float(s.qps),
		strconv.FormatInt(s.cpu.Nanoseconds(), 10), strconv.FormatInt(s.peak, 10),
		float(s.offered), float(s.achieved), float(s.latenessMs),
	}
}
