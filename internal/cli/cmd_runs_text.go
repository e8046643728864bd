package cli

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"deltabench/internal/report"
	"deltabench/internal/store"
)

// runWriters write lists of runs, by the name of the format.
var runWriters = map[string]func(io.Writer, []store.Run) error{
	"text": listRuns, "json": listRunsJSON, "csv": listRunsCSV,
}

// localTime is how times are shown to people.
const localTime = "2006-01-02 15:04:05"

// listRuns writes a table: numbers to the right, texts to the left, tags last.
func listRuns(w io.Writer, runs []store.Run) error {
	rows := [][]string{{"id", "started", "workload", "threads", "tps", "qps", "p95 ms", "errors", "end", "tags"}}
	for _, r := range runs {
		qps, p95 := "-", "-"
		if r.SQL {
			qps = strconv.FormatFloat(r.QPS, 'f', 2, 64)
		}
		if r.P95Ns > 0 {
			p95 = millis(float64(r.P95Ns))
		}
		rows = append(rows, []string{
			strconv.FormatInt(r.ID, 10), r.StartedAt.Local().Format(localTime), r.Workload, strconv.Itoa(r.Threads),
			strconv.FormatFloat(r.TPS, 'f', 2, 64), qps, p95, strconv.FormatInt(r.Errors, 10), r.EndReason, tagText(r.Tags),
		})
	}
	return alignRows(w, rows, 1, 2, 8, 9)
}

// listStudyRuns writes the runs of a study by their places; workloads have the study's names.
func listStudyRuns(w io.Writer, runs []store.Run) error {
	rows := [][]string{{"id", "round", "position", "target", "scenario", "workload", "threads", "load", "tps", "qps", "p95 ms", "errors", "end"}}
	for _, r := range runs {
		p, load, p95 := *r.Study, "-", "-"
		if p.Share > 0 {
			load = strconv.FormatFloat(100*p.Share, 'f', -1, 64) + "%"
		}
		if p.Workload == "" { // of before there were targets
			p.Target, p.Workload, p.Threads = "-", r.Workload, r.Threads
		}
		if r.P95Ns > 0 {
			p95 = millis(float64(r.P95Ns))
		}
		rows = append(rows, []string{
			strconv.FormatInt(r.ID, 10), strconv.Itoa(p.Round), strconv.Itoa(p.Position), p.Target, p.Scenario, p.Workload, strconv.Itoa(p.Threads), load,
			strconv.FormatFloat(r.TPS, 'f', 2, 64), strconv.FormatFloat(r.QPS, 'f', 2, 64), p95, strconv.FormatInt(r.Errors, 10), r.EndReason,
		})
	}
	return alignRows(w, rows, 3, 4, 5, 12)
}

// alignRows writes rows as a table, with the columns of left to the left and the others to the right.
func alignRows(w io.Writer, rows [][]string, left ...int) error {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if slices.Contains(left, i) {
				cell += pad
			} else {
				cell = pad + cell
			}
			line.WriteString(cell + "  ")
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// millis is a duration in ns as milliseconds, with more places where three say nothing.
func millis(ns float64) string {
	places := 3
	if ns < 10_000 {
		places = 5
	}
	return strconv.FormatFloat(ns/1e6, 'f', places, 64)
}

// tagText is the tags in the order of their keys.
func tagText(tags map[string]string) string {
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		parts = append(parts, key+"="+tags[key])
	}
	return strings.Join(parts, " ")
}

// listed is a run in lists for programs.
type listed struct {
	ID               int64             `json:"id"`
	UUID             string            `json:"uuid"`
	RecordedAt       time.Time         `json:"recordedAt"`
	StartedAt        time.Time         `json:"startedAt"`
	Workload         string            `json:"workload"`
	Threads          int               `json:"threads"`
	Tables           *int64            `json:"tables"`
	TableSize        *int64            `json:"tableSize"`
	Layout           string            `json:"layout"`
	Transport        string            `json:"transport"`
	Server           string            `json:"server"`
	Address          string            `json:"address"`
	ToolVersion      string            `json:"toolVersion"`
	OptionsHash      string            `json:"optionsHash"`
	Rate             float64           `json:"rate"`
	EndReason        string            `json:"endReason"`
	ExitCode         int               `json:"exitCode"`
	ElapsedSeconds   float64           `json:"elapsedSeconds"`
	Events           int64             `json:"events"`
	Queries          int64             `json:"queries"`
	Errors           int64             `json:"errors"`
	Reconnects       int64             `json:"reconnects"`
	Restarts         int64             `json:"restarts"`
	EventsPerSecond  float64           `json:"eventsPerSecond"`
	QueriesPerSecond float64           `json:"queriesPerSecond"`
	LatencyMeanNs    *float64          `json:"latencyMeanNs"` // null when no event ended, as those below
	LatencyP50Ns     *int64            `json:"latencyP50Ns"`
	LatencyP95Ns     *int64            `json:"latencyP95Ns"`
	LatencyP99Ns     *int64            `json:"latencyP99Ns"`
	LatencyP999Ns    *int64            `json:"latencyP999Ns"`
	LatencyMaxNs     *int64            `json:"latencyMaxNs"`
	ClientCPUSeconds float64           `json:"clientCPUSeconds"`
	ClientLimit      string            `json:"clientLimit"`
	Warnings         int               `json:"warnings"`
	Note             string            `json:"note"`
	Tags             map[string]string `json:"tags"`
	Study            *store.Place      `json:"study"`
}

// known is nil for what does not exist.
func known[T int64 | float64](v T) *T {
	if v == 0 {
		return nil
	}
	return &v
}

func listedOf(r store.Run) listed {
	return listed{
		ID: r.ID, UUID: r.UUID, RecordedAt: r.RecordedAt, StartedAt: r.StartedAt, Workload: r.Workload, Threads: r.Threads,
		Tables: known(r.Tables), TableSize: known(r.TableSize), Layout: r.Layout, Transport: r.Transport, Server: r.Server, Address: r.Address,
		ToolVersion: r.ToolVersion, OptionsHash: r.OptionsHash, Rate: r.Rate, EndReason: r.EndReason, ExitCode: r.ExitCode,
		ElapsedSeconds: r.ElapsedSeconds, Events: r.Events, Queries: r.Queries, Errors: r.Errors, Reconnects: r.Reconnects,
		Restarts: r.Restarts, EventsPerSecond: r.TPS, QueriesPerSecond: r.QPS, LatencyMeanNs: known(r.MeanNs), LatencyP50Ns: known(r.P50Ns),
		LatencyP95Ns: known(r.P95Ns), LatencyP99Ns: known(r.P99Ns), LatencyP999Ns: known(r.P999Ns), LatencyMaxNs: known(r.MaxNs),
		ClientCPUSeconds: r.ClientCPUSeconds, ClientLimit: r.ClientLimit, Warnings: r.Warnings, Note: r.Note, Tags: r.Tags, Study: r.Study,
	}
}

// listRunsJSON writes an array with a line for each run.
func listRunsJSON(w io.Writer, runs []store.Run) error {
	var b strings.Builder
	b.WriteString("[")
	for i, r := range runs {
		text, err := json.Marshal(listedOf(r))
		if err != nil {
			return err
		}
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString("\n" + string(text))
	}
	b.WriteString("\n]\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// listRunsCSV writes the same columns as JSON has; what does not exist is an empty cell.
func listRunsCSV(w io.Writer, runs []store.Run) error {
	out := csv.NewWriter(w)
	head := []string{
		"id", "uuid", "recordedAt", "startedAt", "workload", "threads", "tables", "tableSize", "layout", "transport", "server", "address",
		"toolVersion", "optionsHash", "rate", "endReason", "exitCode", "elapsedSeconds", "events", "queries", "errors", "reconnects", "restarts",
		"eventsPerSecond", "queriesPerSecond", "latencyMeanNs", "latencyP50Ns", "latencyP95Ns", "latencyP99Ns", "latencyP999Ns", "latencyMaxNs",
		"clientCPUSeconds", "clientLimit", "warnings", "note", "tags", "study", "target", "scenario", "studyWorkload", "share", "round", "position",
	}
	if err := out.Write(head); err != nil {
		return err
	}
	for _, r := range runs {
		l := listedOf(r)
		place := make([]string, 7)
		if p := l.Study; p != nil {
			place = []string{p.Study, p.Target, p.Scenario, p.Workload, cell(p.Share), cell(int64(p.Round)), cell(int64(p.Position))}
		}
		row := []string{
			cell(l.ID), l.UUID, l.RecordedAt.Format(time.RFC3339Nano), l.StartedAt.Format(time.RFC3339Nano), l.Workload, cell(int64(l.Threads)),
			cellOf(l.Tables), cellOf(l.TableSize), l.Layout, l.Transport, l.Server, l.Address, l.ToolVersion, l.OptionsHash, cell(l.Rate), l.EndReason,
			cell(int64(l.ExitCode)), cell(l.ElapsedSeconds), cell(l.Events), cell(l.Queries), cell(l.Errors), cell(l.Reconnects), cell(l.Restarts),
			cell(l.EventsPerSecond), cell(l.QueriesPerSecond), cellOf(l.LatencyMeanNs), cellOf(l.LatencyP50Ns), cellOf(l.LatencyP95Ns),
			cellOf(l.LatencyP99Ns), cellOf(l.LatencyP999Ns), cellOf(l.LatencyMaxNs), cell(l.ClientCPUSeconds), l.ClientLimit, cell(int64(l.Warnings)),
			l.Note, tagText(l.Tags),
		}
		if err := out.Write(append(row, place...)); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

func cell[T int64 | float64](v T) string { return strconv.FormatFloat(float64(v), 'f', -1, 64) }

func cellOf[T int64 | float64](v *T) string {
	if v == nil {
		return ""
	}
	return cell(*v)
}

// writeDocument writes the document of a run as --report=json does.
func writeDocument(w io.Writer, d *report.Document) error {
	text, err := d.Encode(report.JSON)
	if err == nil {
		_, err = w.Write(text)
	}
	return err
}

// showRun writes a run for people.
func showRun(w io.Writer, r store.Run, d *report.Document) error {
	var lines [][2]string
	width := 0
	line := func(label, format string, args ...any) {
		lines = append(lines, [2]string{label + ":", fmt.Sprintf(format, args...)})
		width = max(width, len(label)+1)
	}
	line("started", "%s, recorded %s", r.StartedAt.Local().Format(localTime), r.RecordedAt.Local().Format(localTime))
	if r.Study != nil {
		line("study", "%s", placeText(r.Study))
	}
	if len(r.Tags) > 0 {
		line("tags", "%s", tagText(r.Tags))
	}
	if r.Note != "" {
		line("note", "%s", r.Note)
	}
	line("workload", "%s, %s", r.Workload, counted(r.Threads, "thread"))
	if given := givenOptions(d); given != "" {
		line("options", "%s", given)
	}
	line("tool", "deltabench %s, %s %s, %s", r.ToolVersion, d.Host.OS, d.Host.Arch, counted(d.Host.CPUs, "CPU"))
	if r.Server != "" {
		line("server", "%s at %s (%s)", r.Server, r.Address, r.Transport)
	}
	line("end", "%s, exit code %d", d.End.Text, r.ExitCode)
	if r.EndError != "" {
		line("error", "%s", r.EndError)
	}
	line("measured", "%.1f s, %s", r.ElapsedSeconds, counted(len(d.Intervals), "interval"))
	line("events", "%d (%.2f per second)", r.Events, r.TPS)
	if r.SQL {
		line("queries", "%d (%.2f per second): %d reads, %d writes, %d others", r.Queries, r.QPS, d.Totals.Reads, d.Totals.Writes, d.Totals.Others)
		line("errors", "%d, %s, %s", r.Errors, counted(int(r.Restarts), "restart"), counted(int(r.Reconnects), "reconnect"))
	}
	for _, e := range d.Errors {
		line("  "+strconv.Itoa(e.Code), "%d x %s", e.Count, strings.Join(strings.Fields(e.First), " "))
	}
	if r.MaxNs > 0 {
		line("latency (ms)", "mean %s, p50 %s, p95 %s, p99 %s, p99.9 %s, max %s", millis(r.MeanNs), millis(float64(r.P50Ns)), millis(float64(r.P95Ns)),
			millis(float64(r.P99Ns)), millis(float64(r.P999Ns)), millis(float64(r.MaxNs)))
	} else {
		line("latency", "no event finished")
	}
	for _, name := range slices.Sorted(maps.Keys(d.Totals.Figures)) {
		line(name, "%g", d.Totals.Figures[name])
	}
	line("client", "%s, CPU %.2f s", d.Client.Executor, r.ClientCPUSeconds)
	for _, text := range d.Warnings {
		line("warning", "%s", text)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Run %d\n", r.ID)
	for _, l := range lines {
		fmt.Fprintf(&b, "%-*s %s\n", width, l[0], l[1])
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// placeText is a place in a study.
func placeText(p *store.Place) string {
	text := p.Study + ": "
	if p.Target != "" {
		text += "target " + p.Target + ", "
	}
	text += "scenario " + p.Scenario
	if p.Workload != "" {
		text += fmt.Sprintf(", workload %s at %s", p.Workload, counted(p.Threads, "thread"))
	}
	if p.Share > 0 {
		text += fmt.Sprintf(" and %g%% of the baseline's peak", 100*p.Share)
	}
	return text + fmt.Sprintf(", round %d, position %d", p.Round, p.Position)
}

// givenOptions are the options that the user gave, as they are typed.
func givenOptions(d *report.Document) string {
	var parts []string
	for _, name := range d.OptionsGiven {
		if v, ok := d.Options[name]; ok && !slices.Contains([]string{"store", "tag", "note", "no_record"}, name) {
			parts = append(parts, "--"+strings.ReplaceAll(name, "_", "-")+"="+store.OptionText(v))
		}
	}
	return strings.Join(parts, " ")
}
