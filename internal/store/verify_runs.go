package store

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"deltabench/internal/evidence"
	"deltabench/internal/report"
)

// derivedTables have rows that are made from documents and evidence. So are columns of runs.
var derivedTables = []string{"options", "series", "histograms", "errors", "facts", "costs", "warnings"}

// stored is a run with all that the tables have of it, to be compared with its document.
type stored struct {
	id       int64
	content  []byte // of the document; nil: missing
	bytes    int64
	evidence []byte
	run      map[string]any // columns of runs
	tables   [][][]any      // rows by the index in derivedTables
	broken   []string       // tables that cannot be read
}

// verifier compares runs with their documents. What it has is not changed while it works.
type verifier struct {
	s          *Store
	runColumns []string
	columns    [][]string // of derivedTables, without run_id
	selects    []*sql.Stmt
}

// verifyRuns compares what tables have of runs with what their documents give, and returns a line for each fault, at most so many. The
// database gives one run after the other, and documents, which take most of the time, are read on all CPUs.
func (s *Store) verifyRuns(ctx context.Context, ids []int64, most int) ([]string, error) {
	v, err := s.newVerifier(ctx)
	defer v.close()
	if err != nil {
		return nil, err
	}
	type job struct {
		i int
		x *stored
	}
	jobs := make(chan job, 2*runtime.GOMAXPROCS(0))
	faults := make([][]string, len(ids))
	var found atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for j := range jobs {
				faults[j.i] = v.check(j.x)
				found.Add(int64(len(faults[j.i])))
			}
		})
	}
	for i, id := range ids {
		if found.Load() >= int64(most) {
			break
		}
		var x *stored
		if x, err = v.read(ctx, id); err != nil {
			break
		}
		if x != nil { // else deleted in between
			jobs <- job{i, x}
		}
	}
	close(jobs)
	workers.Wait()
	list := slices.Concat(faults...)
	return list[:min(len(list), max(most, 0))], err
}

// newVerifier finds out which columns there are. The result is to be closed, also after an error.
func (s *Store) newVerifier(ctx context.Context) (*verifier, error) {
	v := &verifier{s: s, runColumns: summaryColumns()}
	queries := []string{"SELECT d.content, d.bytes, p.evidence FROM runs r LEFT JOIN documents d ON d.run_id = r.id LEFT JOIN study_runs p ON p.run_id = r.id WHERE r.id = ?"}
	for _, table := range derivedTables {
		names, err := column[string](ctx, s.db, "SELECT name FROM pragma_table_info('"+table+"') WHERE name <> 'run_id' ORDER BY cid")
		if err != nil {
			return v, err
		}
		v.columns = append(v.columns, names)
		queries = append(queries, "SELECT "+strings.Join(names, ", ")+" FROM "+table+" WHERE run_id = ?")
	}
	queries = append(queries, "SELECT "+strings.Join(v.runColumns, ", ")+" FROM runs WHERE id = ?")
	for _, query := range queries {
		stmt, err := s.db.PrepareContext(ctx, query)
		if err != nil {
			return v, err
		}
		v.selects = append(v.selects, stmt)
	}
	return v, nil
}

func (v *verifier) close() {
	for _, stmt := range v.selects {
		_ = stmt.Close()
	}
}

// summaryColumns are the columns of runs that are made from the document.
func summaryColumns() []string {
	var r row
	addSummary(&r, &report.Document{Rate: &report.Rate{}})
	return append(r.names, "hash", "started_at")
}

// read returns what there is of a run; nil: it is not there any more. The run itself is read last: when it is there, all the rest was.
func (v *verifier) read(ctx context.Context, id int64) (*stored, error) {
	x := &stored{id: id, tables: make([][][]any, len(derivedTables)), run: map[string]any{}}
	var size sql.NullInt64
	err := v.selects[0].QueryRowContext(ctx, id).Scan(&x.content, &size, &x.evidence)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	x.bytes = size.Int64
	if err = x.broke("documents", err); err != nil {
		return nil, err
	}
	for i, table := range derivedTables {
		x.tables[i], err = rowsOf(ctx, v.selects[i+1], id, len(v.columns[i]))
		if err = x.broke(table, err); err != nil {
			return nil, err
		}
	}
	rows, err := rowsOf(ctx, v.selects[len(v.selects)-1], id, len(v.runColumns))
	if err == nil && len(rows) == 0 {
		return nil, nil
	}
	for _, r := range rows {
		for i, name := range v.runColumns {
			x.run[name] = r[i]
		}
	}
	return x, x.broke("runs", err)
}

// broke notes a table that cannot be read; other errors are returned.
func (x *stored) broke(table string, err error) error {
	if !isDamage(err) {
		return err
	}
	x.broken = append(x.broken, table)
	return nil
}

func rowsOf(ctx context.Context, stmt *sql.Stmt, id int64, columns int) ([][]any, error) {
	rows, err := stmt.QueryContext(ctx, id)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list [][]any
	to := make([]any, columns)
	for rows.Next() {
		values := make([]any, columns)
		for i := range values {
			to[i] = &values[i]
		}
		if err := rows.Scan(to...); err != nil {
			return nil, err
		}
		list = append(list, values)
	}
	return list, rows.Err()
}

// check returns a line for each fault of a run.
func (v *verifier) check(x *stored) (faults []string) {
	if len(x.broken) > 0 {
		return []string{fmt.Sprintf("run %d: the file is damaged where its rows in %s are", x.id, strings.Join(x.broken, ", "))}
	}
	e, err := readEvidence(x.evidence)
	if err != nil {
		faults = append(faults, fmt.Sprintf("evidence of run %d: %s", x.id, err))
	}
	text, err := x.document()
	d := &report.Document{}
	if err == nil {
		err = json.Unmarshal(text, d)
	}
	if err != nil {
		return append([]string{fmt.Sprintf("document of run %d: %s", x.id, err)}, faults...)
	}
	if len(faults) > 0 { // some rows are made from the evidence
		return faults
	}
	if x.bytes != int64(len(text)) {
		return []string{fmt.Sprintf("run %d: documents.bytes is %d, and its document has %d", x.id, x.bytes, len(text))}
	}
	if faults = v.compare(x, d, e); faults == nil {
		return nil
	}
	// Whole numbers above 2^53 have all their digits in the tables when the run was recorded, and not when its document was read.
	exact := &report.Document{}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	if dec.Decode(exact) == nil && v.compare(x, exact, e) == nil {
		return nil
	}
	return faults
}

// document returns the document, which is as it was recorded.
func (x *stored) document() ([]byte, error) {
	if x.content == nil {
		return nil, errors.New("it is missing")
	}
	text, err := inflate(x.content)
	if err != nil {
		return nil, err
	}
	hash, _ := x.run["hash"].(string)
	return text, sameDocument(text, hash)
}

// compare compares the tables with what a document and evidence give.
func (v *verifier) compare(x *stored, d *report.Document, e *evidence.Run) (faults []string) {
	var want row
	addSummary(&want, d)
	started, err := startOf(d)
	if err != nil {
		return []string{fmt.Sprintf("document of run %d: %s", x.id, err)}
	}
	want.add("started_at", started)
	for _, name := range v.runColumns {
		if name == "hash" { // the document was compared with it
			continue
		}
		got, wanted := cell(x.run[name]), cell(want.value(name))
		if got != wanted {
			faults = append(faults, fmt.Sprintf("run %d: runs.%s is %s, and its document gives %s", x.id, name, orNull(got), orNull(wanted)))
		}
	}
	rows := map[string][]row{}
	collect := func(table string, r row) { rows[table] = append(rows[table], r) }
	derive(d, collect)
	deriveEvidence(e, collect)
	for i, table := range derivedTables {
		var got, wanted []string
		for _, r := range x.tables[i] {
			got = appendRow(got, table, v.columns[i], func(column int, _ string) any { return r[column] })
		}
		for _, r := range rows[table] {
			wanted = appendRow(wanted, table, v.columns[i], func(_ int, name string) any { return r.value(name) })
		}
		slices.Sort(got)
		slices.Sort(wanted)
		if !slices.Equal(got, wanted) {
			faults = append(faults, fmt.Sprintf("run %d: its rows in %s are not those that its document gives: %s", x.id, table, difference(got, wanted)))
		}
	}
	return faults
}

// value is that of a column; nil where there is none.
func (r *row) value(name string) any {
	if i := slices.Index(r.names, name); i >= 0 {
		return r.values[i]
	}
	return nil
}

// appendRow appends a row as text. Facts that say nothing are passed over: older versions did not record all of them.
func appendRow(list []string, table string, names []string, value func(int, string) any) []string {
	var b strings.Builder
	for i, name := range names {
		text := cell(value(i, name))
		if table == "facts" && name == "value" && (text == "" || text == "0") {
			return list
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(name)
		b.WriteByte('=')
		b.WriteString(text)
	}
	return append(list, b.String())
}

// null is how cell shows that there is no value.
const null = "\x00"

// cell is a value as text, the same for what is to be written and what was read.
func cell(v any) string {
	switch v := v.(type) {
	case nil:
		return null
	case bool:
		if v {
			return "1"
		}
		return "0"
	case string:
		if !utf8.ValidString(v) {
			return string([]rune(v)) // as in the document
		}
		return v
	case int:
		return strconv.Itoa(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		if v == float64(int64(v)) {
			return strconv.FormatInt(int64(v), 10)
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	case *int64:
		if v == nil {
			return null
		}
		return cell(*v)
	case *float64:
		if v == nil {
			return null
		}
		return cell(*v)
	}
	return fmt.Sprint(v)
}

func orNull(text string) string {
	if text == null {
		return "NULL"
	}
	return short(text)
}

// short keeps lines readable.
func short(text string) string {
	const most = 100
	text = strings.ReplaceAll(text, null, "NULL")
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return strconv.Quote(text)
}

// difference names the first row that only one of two sorted lists has.
func difference(got, want []string) string {
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(want) || i < len(got) && got[i] < want[i]:
			return "it does not give " + short(got[i])
		case i >= len(got) || got[i] > want[i]:
			return "missing " + short(want[i])
		}
	}
	return ""
}
