package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"deltabench/internal/evidence"
	"deltabench/internal/report"
)

// entry is a run with all that a store keeps of it: a line of an export.
type entry struct {
	UUID       string
	RecordedAt time.Time
	Tags       map[string]string
	Note       string
	Study      *Place
	Evidence   *evidence.Run
	Snapshots  map[string]evidence.Snapshot
	Document   json.RawMessage

	document *report.Document // Document, read
	about    *about           // the study, from another store
}

// row is a row to be: names of columns and their values.
type row struct {
	names  []string
	values []any
}

func (r *row) add(name string, value any) {
	r.names, r.values = append(r.names, name), append(r.values, value)
}

func (r *row) insert(table string) string {
	return "INSERT INTO " + table + " (" + strings.Join(r.names, ", ") + ") VALUES (?" + strings.Repeat(", ?", len(r.names)-1) + ")"
}

// insert adds a run with all that is made from its document, and returns its number.
func insert(ctx context.Context, tx *sql.Tx, e entry) (int64, error) {
	d := e.document
	started, err := startOf(d)
	if err != nil {
		return 0, err
	}
	hash, err := hashOf(e.Document)
	if err != nil {
		return 0, err
	}
	var r row
	r.add("uuid", e.UUID)
	r.add("hash", hash)
	r.add("recorded_at", e.RecordedAt.UTC().Format(timeLayout))
	r.add("started_at", started)
	r.add("note", e.Note)
	if e.Study != nil {
		if err := addPlace(ctx, tx, &r, *e.Study, e.RecordedAt); err != nil {
			return 0, err
		}
	}
	addSummary(&r, d)
	res, err := tx.ExecContext(ctx, r.insert("runs"), r.values...)
	if err != nil {
		return 0, err
	}
	id, err := res.LastInsertId()
	if err != nil {
		return 0, err
	}
	content, err := deflate(e.Document)
	if err != nil {
		return 0, err
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO documents (run_id, bytes, content) VALUES (?, ?, ?)", id, len(e.Document), content); err != nil {
		return 0, err
	}
	if err := setTags(ctx, tx, id, e.Tags); err != nil {
		return 0, err
	}
	if err := fill(ctx, tx, id, d); err != nil {
		return 0, err
	}
	return id, addToStudy(ctx, tx, id, &e)
}

// startOf is when a run started, as tables have times.
func startOf(d *report.Document) (string, error) {
	started, err := time.Parse(time.RFC3339Nano, d.StartedAt)
	if err != nil {
		return "", fmt.Errorf("startedAt of the document is no time: '%s'", d.StartedAt)
	}
	return started.UTC().Format(timeLayout), nil
}

// addPlace adds the columns of a study, which is made when it is new.
func addPlace(ctx context.Context, tx *sql.Tx, r *row, p Place, now time.Time) error {
	_, err := tx.ExecContext(ctx, "INSERT INTO studies (name, title, question, created_at) VALUES (?, ?, ?, ?) ON CONFLICT (name) DO NOTHING",
		p.Study, p.Study, p.Question, now.UTC().Format(timeLayout))
	if err != nil {
		return err
	}
	var id int64
	if err := tx.QueryRowContext(ctx, "SELECT id FROM studies WHERE name = ?", p.Study).Scan(&id); err != nil {
		return err
	}
	r.add("study_id", id)
	r.add("scenario", p.Scenario)
	r.add("round", p.Round)
	r.add("position", p.Position)
	return nil
}

// addSummary adds the columns that are made from the document.
func addSummary(r *row, d *report.Document) {
	r.add("tool_version", d.Tool.Version)
	r.add("called_as", d.Tool.CalledAs)
	r.add("workload", d.Test.Name)
	r.add("sql", d.Test.SQL)
	r.add("threads", d.Test.Threads)
	r.add("tables", whole(option(d, "tables", "oltp_tables_count")))
	r.add("table_size", whole(option(d, "table_size", "oltp_table_size")))
	r.add("layout", layoutOf(d))
	r.add("transport", transportOf(d.Server))
	var server report.Server
	if d.Server != nil {
		server = *d.Server
	}
	r.add("server_version", server.Version)
	r.add("server_address", server.Address)
	r.add("options_hash", optionsHash(d))
	if d.Rate != nil {
		r.add("rate", d.Rate.AskedPerSecond)
	}
	r.add("end_reason", d.End.Reason)
	r.add("end_error", d.End.Error)
	r.add("exit_code", d.End.ExitCode)
	t := d.Totals
	r.add("elapsed_seconds", t.ElapsedSeconds)
	r.add("measured_seconds", t.MeasuredSeconds)
	addCounts(r, t.Counts)
	r.add("tps", t.EventsPerSecond)
	r.add("qps", t.QueriesPerSecond)
	addLatency(r, d.Latency.Latency)
	r.add("client_cpu_seconds", d.Client.CPUSeconds)
	r.add("client_limit", d.Client.Limit)
	r.add("warnings", len(d.Warnings))
}

func addCounts(r *row, c report.Counts) {
	r.add("events", c.Events)
	r.add("queries", c.Queries)
	r.add("reads", c.Reads)
	r.add("writes", c.Writes)
	r.add("others", c.Others)
	r.add("errors", c.Errors)
	r.add("reconnects", c.Reconnects)
	r.add("restarts", c.Restarts)
}

func addLatency(r *row, l report.Latency) {
	r.add("latency_min_ns", l.MinNs)
	r.add("latency_mean_ns", l.MeanNs)
	r.add("latency_p50_ns", l.PercentilesNs["p50"])
	r.add("latency_p95_ns", l.PercentilesNs["p95"])
	r.add("latency_p99_ns", l.PercentilesNs["p99"])
	r.add("latency_p999_ns", l.PercentilesNs["p99.9"])
	r.add("latency_max_ns", l.MaxNs)
}

// fill fills the tables that are made from the document of a run.
func fill(ctx context.Context, tx *sql.Tx, id int64, d *report.Document) error {
	f := filler{ctx: ctx, tx: tx, id: id, prepared: map[string]*sql.Stmt{}}
	defer f.close()
	derive(d, f.add)
	return f.err
}

// derive makes the rows of the tables that are made from a document, but that in runs.
func derive(d *report.Document, add func(table string, r row)) {
	for _, name := range slices.Sorted(maps.Keys(d.Options)) {
		add("options", columns("name", name, "value", OptionText(d.Options[name]), "given", slices.Contains(d.OptionsGiven, name)))
	}
	for i, iv := range d.Intervals {
		r := columns("number", i+1, "end_seconds", iv.EndSeconds, "length_seconds", iv.LengthSeconds, "warmup", iv.Warmup, "threads", iv.Threads)
		addCounts(&r, iv.Counts)
		addLatency(&r, iv.Latency)
		r.add("waiting", iv.Waiting)
		r.add("running", iv.Running)
		add("series", r)
	}
	histogram := func(kind, name string, d *report.Distribution) {
		if d != nil {
			add("histograms", columns("kind", kind, "name", name, "count", d.Count, "sum_ns", d.SumNs, "hdr", d.HDR))
		}
	}
	histogram("latency", "", &d.Latency)
	histogram("service", "", d.Service)
	histogram("startLateness", "", d.StartLateness)
	for _, s := range d.Statements {
		histogram("statement", s.Kind, &s.Distribution)
	}
	for i, c := range d.Checkpoints {
		histogram("checkpoint", strconv.Itoa(i+1), &c.Latency)
	}
	for _, e := range d.Errors {
		add("errors", columns("code", e.Code, "sql_state", e.SQLState, "count", e.Count, "first", e.First))
	}
	for _, x := range factsOf(d) {
		add("facts", columns("scope", x.scope, "name", x.name, "value", x.value))
	}
	for _, x := range costsOf(d) {
		add("costs", columns("scope", x.scope, "name", x.name, "value", x.value))
	}
	deriveWarnings(d, add)
}

// deriveWarnings makes the rows of warnings.
func deriveWarnings(d *report.Document, add func(table string, r row)) {
	for i, text := range d.Warnings {
		add("warnings", columns("number", i+1, "text", text))
	}
}

// columns is a row of names and values in turn.
func columns(pairs ...any) row {
	var r row
	for i := 0; i < len(pairs); i += 2 {
		r.add(pairs[i].(string), pairs[i+1])
	}
	return r
}

// filler adds rows that belong to a run. The first error stays.
type filler struct {
	ctx      context.Context
	tx       *sql.Tx
	id       int64
	prepared map[string]*sql.Stmt // by table: rows of a table have the same columns
	err      error
}

func (f *filler) add(table string, r row) {
	if f.err != nil {
		return
	}
	r.add("run_id", f.id)
	stmt := f.prepared[table]
	if stmt == nil {
		if stmt, f.err = f.tx.PrepareContext(f.ctx, r.insert(table)); f.err != nil {
			return
		}
		f.prepared[table] = stmt
	}
	_, f.err = stmt.ExecContext(f.ctx, r.values...)
}

func (f *filler) close() {
	for _, s := range f.prepared {
		_ = s.Close()
	}
}

// value is something of a run that has a scope, client or server, and a name.
type value[T any] struct {
	scope, name string
	value       T
}

// factsOf are the facts of client and server as texts.
func factsOf(d *report.Document) []value[string] {
	h := d.Host
	facts := []value[string]{
		{"client", "os", h.OS},
		{"client", "arch", h.Arch},
		{"client", "kernel", h.Kernel},
		{"client", "cpus", strconv.Itoa(h.CPUs)},
		{"client", "cpuModel", h.CPUModel},
		{"client", "governor", h.Governor},
		{"client", "turbo", h.Turbo},
		{"client", "numaNodes", strconv.Itoa(h.NUMANodes)},
		{"client", "virtualization", h.Virtualization},
		{"client", "memoryBytes", strconv.FormatInt(h.MemoryBytes, 10)},
		{"client", "goMaxProcs", strconv.Itoa(h.GoMaxProcs)},
		{"client", "goVersion", d.Tool.GoVersion},
		{"client", "executor", d.Client.Executor},
		{"client", "loops", strconv.Itoa(d.Client.Loops)},
		{"client", "keys", d.Keys},
	}
	if s := d.Server; s != nil {
		facts = append(facts, []value[string]{
			{"server", "version", s.Version},
			{"server", "network", s.Network},
			{"server", "address", s.Address},
			{"server", "tls", s.TLS},
			{"server", "compression", s.Compression},
			{"server", "protocol", s.Protocol},
			{"server", "authMethod", s.AuthMethod},
			{"server", "metadataCache", strconv.FormatBool(s.MetadataCache)},
			{"server", "note", s.Note},
		}...)
	}
	return facts
}

// costsOf are what the run cost, in the units that the names end in.
func costsOf(d *report.Document) []value[float64] {
	c := d.Client
	costs := []value[float64]{
		{"client", "cpuSeconds", c.CPUSeconds}, {"client", "cpuShare", c.CPUShare}, {"client", "peakMemoryBytes", float64(c.PeakMemoryBytes)},
	}
	if c.LoopBusyShare != nil {
		costs = append(costs, value[float64]{"client", "loopBusyShare", *c.LoopBusyShare})
	}
	if c.LoopLagP99Ns != nil {
		costs = append(costs, value[float64]{"client", "loopLagP99Ns", float64(*c.LoopLagP99Ns)})
	}
	return costs
}

// option is the first of these options that the run had: sysbench 0.4 and 0.5 named some in other ways. Else nil.
func option(d *report.Document, names ...string) any {
	for _, name := range names {
		if v := d.Options[name]; v != nil {
			return v
		}
	}
	return nil
}

// whole reads an option that is a whole number; nil when there is none.
func whole(v any) *int64 {
	n, err := strconv.ParseFloat(OptionText(v), 64)
	if v == nil || err != nil {
		return nil
	}
	i := int64(n)
	return &i
}

// OptionText is the value of an option of a document as it is typed.
func OptionText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case nil:
		return ""
	case []string:
		return strings.Join(v, ",")
	case []any:
		parts := make([]string, len(v))
		for i, one := range v {
			parts[i] = OptionText(one)
		}
		return strings.Join(parts, ",")
	case bool:
		if v {
			return "on"
		}
		return "off"
	case float64: // of a document that was read
		return strconv.FormatFloat(v, 'f', -1, 64)
	case json.Number: // of one that was read with all digits
		if f, err := v.Float64(); err == nil && strings.ContainsAny(string(v), "eE") {
			return OptionText(f)
		}
		return string(v)
	case map[string]any:
		var parts []string
		for key, one := range v {
			parts = append(parts, key+"="+OptionText(one))
		}
		slices.Sort(parts)
		return strings.Join(parts, ",")
	}
	return fmt.Sprint(v)
}

// layoutOptions are those that decide how the rows of a test lie in the server.
var layoutOptions = []string{"mysql_storage_engine", "mysql_table_engine", "create_table_options", "secondary", "create_secondary", "auto_inc", "load_index"}

// layoutOf names the layout of the data by the options of the run; empty for tests without tables.
func layoutOf(d *report.Document) string {
	if option(d, "table_size", "oltp_table_size") == nil {
		return ""
	}
	var parts []string
	for _, name := range layoutOptions {
		if v, ok := d.Options[name]; ok {
			parts = append(parts, name+"="+OptionText(v))
		}
	}
	return strings.Join(parts, " ")
}

// transportOf is how the server was reached, without where it is.
func transportOf(s *report.Server) string {
	if s == nil || s.Network == "" {
		return ""
	}
	tls, compression := "no TLS", "no compression"
	if s.TLS != "" {
		tls = s.TLS
	}
	if s.Compression != "" {
		compression = s.Compression
	}
	return strings.Join([]string{s.Network, tls, compression, s.Protocol}, ", ")
}

// unlikeOptions change nothing of what is measured: where results go, and the seed.
var unlikeOptions = []string{
	"report", "report_file", "report_extra", "report_errors", "report_interval", "interval_style", "verbosity", "histogram", "percentile",
	"store", "no_record", "tag", "note", "rand_seed",
}

// optionsHash is equal for runs whose options are, but for those that change nothing of what is measured.
func optionsHash(d *report.Document) string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(d.Options)) {
		if !slices.Contains(unlikeOptions, name) {
			fmt.Fprintf(h, "%s=%s\n", name, OptionText(d.Options[name]))
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
