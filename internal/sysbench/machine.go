package sysbench

import (
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"deltabench/internal/engine"
	"deltabench/internal/option"
	"deltabench/internal/report"
	"deltabench/internal/textlog"
	"deltabench/internal/workload"
)

// seriesInterval is the length of intervals in documents when --report-interval asks for none.
const seriesInterval = time.Second

// reportSpecs are the options of machine-readable reports.
func reportSpecs() []option.Spec {
	return []option.Spec{
		{Name: "report", Desc: "write the result of a run as a document {text,json,csv}: to standard output, with all text on standard error, or to --report-file. Text is no document", Type: option.String, Default: ""},
		{Name: "report-file", Desc: "file for the document of --report; without that the name's end decides, .json or .csv", Type: option.String, Default: ""},
	}
}

// machineReport is what --report and --report-file ask for.
type machineReport struct {
	format report.Format
	path   string    // empty: to
	to     io.Writer // standard output when it is kept for the document
	given  []string
	values map[string]any
}

// wanted reports whether there will be a document.
func (m machineReport) wanted() bool { return m.format != report.Text }

// readReport reads the two options.
func readReport(ours *option.Set) (machineReport, error) {
	m := machineReport{path: ours.String("report-file")}
	name := ours.String("report")
	if name == "" {
		name = "text"
		if m.path != "" {
			name = strings.ToLower(strings.TrimPrefix(filepath.Ext(m.path), "."))
			if name != "json" && name != "csv" {
				return m, fatalf("--report-file=%s: the format is not clear from the name", m.path).hinted("--report=json or --report=csv")
			}
		}
	}
	var ok bool
	if m.format, ok = report.ParseFormat(name); !ok {
		return m, fatalf("Invalid value for --report: '%s' (allowed: text, json, csv)", name)
	}
	if m.path != "" && m.format == report.Text {
		return m, fatalf("--report-file is for documents, and --report=text writes none").hinted("--report=json or --report=csv")
	}
	return m, nil
}

// divert keeps standard output for the document: everything else that a run writes goes to standard error from here on.
// It is called before anything is written, when our options have not been read yet.
func (s *session) divert() {
	if len(s.words) != 2 || s.words[1] != "run" {
		return
	}
	peek := option.NewSet(reportSpecs()...)
	for _, arg := range s.deferred {
		peek.ParseArg(arg)
	}
	if m, err := readReport(peek); err != nil || !m.wanted() || m.path != "" {
		return
	}
	s.document = s.env.Stdout
	s.env.Stdout = s.env.Stderr
	s.log = textlog.New(s.env.Stderr, textlog.Notice)
}

// machineReport reads what a command's document needs to know of the options. Runs that are recorded have one too.
func (s *session) machineReport(g *General, recorded bool) (machineReport, error) {
	m, err := readReport(s.ours)
	if err != nil || !m.wanted() && !recorded {
		return m, err
	}
	m.to = s.document
	m.values, m.given = map[string]any{}, []string{}
	for _, set := range []*option.Set{s.ours, s.set} { // a test's option wins over ours of the same name
		for _, spec := range set.Specs() {
			key := option.Key(spec.Name)
			if spec.Deprecated != "" || key == "help" || key == "version" {
				continue
			}
			m.values[key] = optionValue(set, spec)
			if set.Given(spec.Name) && !slices.Contains(m.given, key) {
				m.given = append(m.given, key)
			}
		}
	}
	m.values["percentile"] = g.Percentile // the set has the whole number that scripts know
	if len(g.Percentiles) > 1 {
		m.values["percentile"] = g.Percentiles
	}
	slices.Sort(m.given)
	return m, nil
}

// optionValue is the value of an option as JSON has it. What cannot be a number there stays text.
func optionValue(set *option.Set, spec option.Spec) any {
	raw := set.Raw(spec.Name)
	if strings.HasSuffix(option.Key(spec.Name), "password") {
		if raw == "" {
			return ""
		}
		return "***"
	}
	switch spec.Type {
	case option.Bool:
		return set.Bool(spec.Name)
	case option.Int:
		if n, err := set.Int(spec.Name); err == nil {
			return n
		}
	case option.Size:
		return set.Size(spec.Name)
	case option.Double:
		if f := set.Double(spec.Name); !math.IsNaN(f) && !math.IsInf(f, 0) {
			return f
		}
	case option.List:
		return append([]string{}, set.List(spec.Name)...)
	}
	return raw
}

// recorder is a printer that also collects what a document needs.
type recorder struct {
	*printer
	machineReport
	series *report.Series
	err    error            // first error of a checkpoint
	doc    *report.Document // nil: not made yet
}

// newRecorder returns the recorder of a printer's run.
func newRecorder(p *printer) *recorder {
	r := &recorder{printer: p, machineReport: p.req.Report}
	style := report.Style{
		Percentiles: p.req.General.Percentiles, Headline: p.layout.percentile,
	}
	if f, ok := p.run.(workload.Figurer); ok {
		style.Figures = f.Figures
	}
	r.series = report.NewSeries(style, p.req.General.Rate > 0)
	return r
}

// probe finds out before the run whether its document can be written and recorded where it was asked for.
func (r *recorder) probe(ctx context.Context) int {
	if r.wanted() && r.path != "" {
		if err := report.Probe(r.path); err != nil {
			return r.unwritten(err)
		}
	}
	return r.req.Record.probe(ctx, r.req.Stderr)
}

// unwritten tells why there is no document. It is told on standard error, whatever has standard output.
func (r *recorder) unwritten(err error) int {
	fmt.Fprintf(r.req.Stderr, "%s: write report %s: %s\n", r.req.Face.program(), r.path, reason(err))
	return ExitOutput
}

// observer is what the engine tells.
func (r *recorder) observer(cfg *engine.Config) engine.Observer {
	if !r.wanted() && !r.req.Record.wanted() {
		return r.printer
	}
	if cfg.Interval == 0 {
		cfg.Interval = seriesInterval
	}
	return r
}

// Interval notes an interval and prints it.
func (r *recorder) Interval(iv engine.Interval) {
	r.series.Interval(iv)
	r.printer.Interval(iv)
}

// Checkpoint notes a checkpoint and prints it.
func (r *recorder) Checkpoint(c engine.Report) {
	if err := r.series.Checkpoint(c); err != nil && r.err == nil {
		r.err = err
	}
	r.printer.Checkpoint(c)
}

// finish writes the document of a run that ends with this exit code, and returns the code that the program ends with.
func (r *recorder) finish(res *engine.Result, code int) int {
	if !r.wanted() {
		return code
	}
	text, err := r.encode(res, code)
	switch {
	case err != nil:
	case r.path != "":
		err = report.WriteFile(r.path, text)
	default:
		_, _ = r.to.Write(text) // failures are kept by checkedWriter
	}
	if err != nil {
		return r.unwritten(err)
	}
	return code
}

func (r *recorder) encode(res *engine.Result, code int) ([]byte, error) {
	d, err := r.document(res, code)
	if err != nil {
		return nil, err
	}
	return d.Encode(r.format)
}

// document makes the document of a run once.
func (r *recorder) document(res *engine.Result, code int) (*report.Document, error) {
	if r.err == nil && r.doc == nil {
		r.doc, r.err = r.series.Document(r.facts(res, code), res)
	}
	return r.doc, r.err
}

// facts are what the document has besides the result.
func (r *recorder) facts(res *engine.Result, code int) report.Facts {
	g, x := r.req.General, r.additions()
	f := report.Facts{
		Tool:    report.Tool{Version: Version, CalledAs: r.req.Face.program(), Compatible: sysbenchVersion},
		Test:    report.Test{Name: r.req.Name, SQL: x.sql, Threads: g.Threads},
		Options: r.effective(), OptionsGiven: r.given, Transport: x.transport, ServerNote: x.target, Keys: x.dist,
		Rate: float64(g.Rate), EndText: endText(g, res), ExitCode: code, Kinds: x.kinds,
		CheckLittle: x.littleApplies(res), Warnings: append([]string{}, x.warnings(res)...),
	}
	return f
}

// effective are the options' values, with those of the connection as option files and --target have made them.
func (r *recorder) effective() map[string]any {
	d := r.req.Database
	if d == nil || !r.layout.sql {
		return r.values
	}
	ports := []string{}
	for _, p := range d.Ports {
		ports = append(ports, strconv.Itoa(p))
	}
	for key, v := range map[string]any{
		"mysql_host": append([]string{}, d.Hosts...), "mysql_port": ports, "mysql_socket": append([]string{}, d.Sockets...),
		"mysql_user": d.User, "mysql_db": d.DB,
	} {
		r.values[key] = v
	}
	return r.values
}
