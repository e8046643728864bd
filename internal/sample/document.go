package sample

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"deltabench/internal/report"
	"deltabench/internal/store"
)

// FromDocument returns the run of a report. source is for people.
func FromDocument(source string, d *report.Document) *Run {
	r := &Run{
		Source: source, Workload: d.Test.Name, SQL: d.Test.SQL, Threads: d.Test.Threads,
		Seconds: d.Totals.MeasuredSeconds, Events: d.Totals.Events, Warnings: slices.Clone(d.Warnings),
		Command: commandOf(d), OwnServer: ownServer(d), facts: factsOf(d),
	}
	r.Started, _ = time.Parse(time.RFC3339Nano, d.StartedAt) // zero when it is not told
	if d.Rate != nil {
		r.Rate = d.Rate.AskedPerSecond
	}
	r.Failed = failure(d.End.Reason, d.End.Error, d.End.ExitCode, d.Totals.Events)
	r.set(TPS, d.Totals.EventsPerSecond, 0)
	if r.SQL && d.Totals.Queries > 0 {
		r.set(QPS, d.Totals.QueriesPerSecond, 0)
	}
	if d.Latency.MeanNs != nil {
		r.set(Latency, *d.Latency.MeanNs/1e6, 0)
	}
	for name, ns := range d.Latency.PercentilesNs {
		if ns != nil {
			r.set(name, float64(*ns)/1e6, 0)
		}
	}
	r.set(CPU, perQuery(d.Client.CPUSeconds, d.Totals.Queries, d.Totals.Events), 0)
	r.setErrors(d.Totals.Errors)
	r.Series = seconds(d.Intervals)
	return r
}

// commandOf is the command line that repeats a run: the options that were given, but for those that say where results go.
func commandOf(d *report.Document) string {
	words := []string{d.Test.Name}
	for _, name := range d.OptionsGiven {
		switch name {
		case "report", "report_file", "store", "no_record", "tag", "note", "mysql_password", "rand_seed":
			continue
		}
		value := store.OptionText(d.Options[name])
		if strings.ContainsAny(value, " \t'\"\\$&|;<>()*?") {
			value = "\"" + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + "\""
		}
		words = append(words, "--"+strings.ReplaceAll(name, "_", "-")+"="+value)
	}
	return strings.Join(append(words, "run"), " ")
}

// failure says why a run cannot be compared.
func failure(reason, text string, code int, events int64) string {
	switch {
	case reason == "interrupt":
		return "it was interrupted"
	case text != "":
		return text
	case reason == "error" || code != 0:
		return fmt.Sprintf("it ended with exit code %d", code)
	case events == 0:
		return "no event ended"
	}
	return ""
}

// seconds are the complete seconds of the measured time: the clock of intervals is a second give or take what a busy
// machine adds, and what is shorter is the rest at the end.
func seconds(intervals []report.Interval) []Second {
	var s []Second
	for _, iv := range intervals {
		if iv.Warmup {
			continue
		}
		if math.Abs(iv.LengthSeconds-1) > 0.2 {
			if iv.LengthSeconds < 1 { // the first or the last, partial
				continue
			}
			return nil // intervals of another length
		}
		s = append(s, Second{Events: float64(iv.Events) / iv.LengthSeconds, Queries: float64(iv.Queries) / iv.LengthSeconds})
	}
	return s
}

// layoutOptions decide how the rows of a test lie in the server. store has the same in one column.
var layoutOptions = []string{"mysql_storage_engine", "create_table_options", "secondary", "create_secondary", "auto_inc", "load_index"}

// keyOptions decide which keys are drawn.
var keyOptions = map[string][]string{
	"special": {"rand_spec_iter", "rand_spec_pct", "rand_spec_res"}, "gaussian": {"rand_spec_iter"},
	"pareto": {"rand_pareto_h"}, "zipfian": {"rand_zipfian_exp"},
}

// ownFacts are options that have a fact of their own, or that change nothing of what is measured.
var ownFacts = []string{
	"tables", "table_size", "threads", "rate", "warmup_time", "time", "rand_type", "rand_spec_iter", "rand_spec_pct", "rand_spec_res",
	"rand_pareto_h", "rand_zipfian_exp",
	"report", "report_file", "report_extra", "report_errors", "report_interval", "interval_style", "verbosity", "histogram",
	"store", "no_record", "tag", "note", "rand_seed", "db_driver", "mysql_password", "mysql_password_file", "defaults_file",
	"defaults_extra_file", "mysql_host", "mysql_port", "mysql_socket", "preflight", "no_preflight",
}

// ownServer reports whether a server was started for this run alone.
func ownServer(d *report.Document) bool { return d.Server != nil && d.Server.Note != "" }

// hostOf is the machine in a line, with what makes the same machine slow on another day.
func hostOf(h report.Host) string {
	parts := []string{fmt.Sprintf("%d CPUs", h.CPUs)}
	for _, of := range [][2]string{{"", h.CPUModel}, {"", h.Kernel}, {"governor ", h.Governor}, {"turbo ", h.Turbo}, {"", h.Virtualization}} {
		if of[1] != "" {
			parts = append(parts, of[0]+of[1])
		}
	}
	return strings.Join(parts, ", ")
}

func factsOf(d *report.Document) map[string]fact {
	f := map[string]fact{}
	text := func(name, value string) { f[name] = fact{text: value} }
	text(factWorkload, d.Test.Name)
	text(factThreads, strconv.Itoa(d.Test.Threads))
	text(factTool, "deltabench "+d.Tool.Version)
	text(factFace, d.Tool.CalledAs)
	text(factClient, hostOf(d.Host))
	f[factLength] = lengthFact(d.Totals.MeasuredSeconds, d.Totals.Events)
	rate := 0.0
	if d.Rate != nil {
		rate = d.Rate.AskedPerSecond
	}
	text(factRate, rateText(rate))
	if v, ok := d.Options["warmup_time"]; ok {
		text(factWarmup, store.OptionText(v)+" s")
	}
	if v, ok := d.Options["tables"]; ok {
		text(factTables, store.OptionText(v))
	}
	if v, ok := d.Options["table_size"]; ok {
		text(factRows, store.OptionText(v))
		var parts []string
		for _, name := range layoutOptions {
			if v, ok := d.Options[name]; ok {
				parts = append(parts, name+"="+store.OptionText(v))
			}
		}
		text(factLayout, strings.Join(parts, " "))
	}
	if d.Keys != "" {
		kind := store.OptionText(d.Options["rand_type"])
		for _, name := range keyOptions[kind] {
			kind += fmt.Sprintf(" %s=%s", name, store.OptionText(d.Options[name]))
		}
		text(factKeys, kind)
	}
	if s := d.Server; s != nil && s.Network != "" {
		text(factTransport, transportText(s.Network, s.TLS, s.Compression, s.Protocol))
		text(factServer, s.Version)
		if !ownServer(d) { // such a server has another port each time
			text(factAddress, s.Address)
		}
	}
	if d.Totals.Events > 0 && d.Totals.Queries > 0 {
		f[factStatements] = statementsFact(d.Totals.Reads, d.Totals.Writes, d.Totals.Others, d.Totals.Events)
	}
	for name, v := range d.Options {
		if !slices.Contains(ownFacts, name) && !slices.Contains(layoutOptions, name) {
			f[optionPrefix+strings.ReplaceAll(name, "_", "-")] = fact{text: store.OptionText(v)}
		}
	}
	return f
}

// transportText is how a server was reached, without where it is.
func transportText(network, tls, compression, protocol string) string {
	if tls == "" {
		tls = "no TLS"
	}
	if compression == "" {
		compression = "no compression"
	}
	return strings.Join([]string{network, tls, compression, protocol}, ", ")
}

func rateText(rate float64) string {
	if rate == 0 {
		return "none"
	}
	return fmt.Sprintf("%g/s", rate)
}
