package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Format is a form of documents.
type Format int

// Formats.
const (
	Text Format = iota // none: the text report is all
	JSON
	CSV
)

// ParseFormat reads the name of a format.
func ParseFormat(name string) (Format, bool) {
	i := slices.Index([]string{"text", "json", "csv"}, name)
	return Format(max(0, i)), i >= 0
}

// Encode returns a document in a format other than Text. JSON is one line.
func (d *Document) Encode(f Format) ([]byte, error) {
	var b bytes.Buffer
	if f == CSV {
		if err := d.csv(&b); err != nil {
			return nil, fmt.Errorf("encode report: %w", err)
		}
		return b.Bytes(), nil
	}
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(d); err != nil {
		return nil, fmt.Errorf("encode report: %w", err)
	}
	return b.Bytes(), nil
}

// csvColumns are the columns of CSV, followed by the figures of the test in alphabetical order.
var csvColumns = []string{
	"row", "endSeconds", "lengthSeconds", "threads", "events", "eventsPerSecond", "queries", "queriesPerSecond", "reads", "writes",
	"others", "errors", "reconnects", "restarts", "latencyMinNs", "latencyMeanNs", "latencyP50Ns", "latencyP95Ns", "latencyP99Ns",
	"latencyP999Ns", "latencyMaxNs", "waiting", "running",
}

// csv writes a row for each interval and one for the totals.
func (d *Document) csv(b *bytes.Buffer) error {
	var names []string
	for name := range d.Totals.Figures {
		names = append(names, name)
	}
	slices.Sort(names)
	w := csv.NewWriter(b)
	rows := [][]string{slices.Concat(csvColumns, names)}
	for _, iv := range d.Intervals {
		kind := "interval"
		if iv.Warmup {
			kind = "warmup"
		}
		rows = append(rows, csvRow(kind, iv, names))
	}
	t := d.Totals
	rows = append(rows, csvRow("total", Interval{
		EndSeconds: t.ElapsedSeconds, LengthSeconds: t.MeasuredSeconds, Threads: d.Test.Threads, Counts: t.Counts,
		Latency: d.Latency.Latency, Figures: t.Figures,
	}, names))
	return w.WriteAll(rows)
}

func csvRow(kind string, iv Interval, figures []string) []string {
	row := []string{kind}
	for _, v := range []any{
		iv.EndSeconds, iv.LengthSeconds, iv.Threads, iv.Events, iv.EventsPerSecond, iv.Queries, iv.QueriesPerSecond, iv.Reads,
		iv.Writes, iv.Others, iv.Errors, iv.Reconnects, iv.Restarts, iv.Latency.MinNs, iv.Latency.MeanNs,
		iv.Latency.PercentilesNs["p50"], iv.Latency.PercentilesNs["p95"], iv.Latency.PercentilesNs["p99"],
		iv.Latency.PercentilesNs["p99.9"], iv.Latency.MaxNs, iv.Waiting, iv.Running,
	} {
		row = append(row, cell(v))
	}
	for _, name := range figures {
		row = append(row, cell(iv.Figures[name]))
	}
	return row
}

// cell spells a value; null is an empty cell.
func cell(v any) string {
	switch v := v.(type) {
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case *float64:
		if v == nil {
			return ""
		}
		return cell(*v)
	case *int64:
		if v == nil {
			return ""
		}
		return strconv.FormatInt(*v, 10)
	}
	return fmt.Sprint(v)
}

// temporary is the pattern of the names of files that become reports.
const temporary = ".report-*.tmp"

// Probe reports whether a report can be written to a file, before the run rather than after it. The file is not changed.
func Probe(path string) error {
	if special(path) {
		return nil
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a directory", path)
	}
	f, err := os.CreateTemp(filepath.Dir(path), temporary)
	if err != nil {
		return plain(err)
	}
	_ = f.Close()
	return os.Remove(f.Name())
}

// WriteFile writes a report. Whoever reads the file sees the old content or the new one, never a part. Pipes and devices
// are written to as they are.
func WriteFile(path string, content []byte) error {
	if special(path) {
		return plain(os.WriteFile(path, content, 0))
	}
	f, err := os.CreateTemp(filepath.Dir(path), temporary)
	if err != nil {
		return plain(err)
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return plain(err)
}

// special reports whether a path is something that exists and must not be replaced by a file.
func special(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}

// plain leaves the name of a temporary file, which says nothing to users, out of an error.
func plain(err error) error {
	switch e := err.(type) {
	case *os.PathError:
		if strings.HasSuffix(e.Path, ".tmp") {
			return e.Err
		}
	case *os.LinkError:
		return e.Err
	}
	return err
}
