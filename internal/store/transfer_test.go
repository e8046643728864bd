package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
)

// exported is all of a store as lines.
func exported(t *testing.T, s *Store, f Filter) string {
	t.Helper()
	var b bytes.Buffer
	n, err := s.Export(t.Context(), &b, f)
	if err != nil || n != strings.Count(b.String(), "\n") {
		t.Fatalf("%d runs exported in %d lines, %v", n, strings.Count(b.String(), "\n"), err)
	}
	return b.String()
}

func imported(t *testing.T, s *Store, text string) *Imported {
	t.Helper()
	done, err := s.Import(t.Context(), strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return done
}

func TestExportImport(t *testing.T) {
	t.Parallel()
	from := fresh(t)
	for i := range 3 {
		r := Recorded{Document: document(i), Note: "note <1>", Tags: map[string]string{"i": fmt.Sprint(i)}}
		if i == 2 {
			r.Study = &Place{Study: "s", Question: "q", Scenario: "x", Round: 1, Position: 2}
		}
		record(t, from, r)
	}
	text := exported(t, from, Filter{})
	var l line
	if err := json.Unmarshal([]byte(strings.Split(text, "\n")[1]), &l); err != nil {
		t.Fatal(err)
	}
	if want := strings.TrimSpace(encoded(t, document(1))); l.Schema != LineKind || l.SchemaVersion != 1 || string(l.Document) != want {
		t.Errorf("line %+v, want the document\n%s", l, want)
	}
	to := fresh(t)
	record(t, to, Recorded{Document: document(9)})
	if done := imported(t, to, text); !slices.Equal(done.Added, []int64{2, 3, 4}) || done.Skipped != nil {
		t.Errorf("import: %+v", done)
	}
	if again := imported(t, to, text); again.Added != nil || !slices.Equal(again.Skipped, []Skipped{{1, 2}, {2, 3}, {3, 4}}) {
		t.Errorf("the same again: %+v", again)
	}
	if got := exported(t, to, Filter{IDs: []int64{2, 3, 4}}); got != text {
		t.Errorf("an export of the import is\n%s\nwant\n%s", got, text)
	}
	if got := exported(t, to, Filter{Tags: map[string]string{"i": "1"}}); got != strings.SplitAfter(text, "\n")[1] {
		t.Errorf("the export by a tag is\n%s", got)
	}
	var b bytes.Buffer
	if _, err := to.Export(t.Context(), &b, Filter{IDs: []int64{2, 77}}); !errors.Is(err, ErrNoRun) || b.Len() > 0 {
		t.Errorf("export of no run: %v, %d bytes", err, b.Len())
	}
}

func TestImportReports(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	recorded := record(t, s, Recorded{Document: document(1), Tags: map[string]string{"x": "1"}})
	same, other := encoded(t, document(1)), encoded(t, document(2))
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, []byte(other), "", "  "); err != nil {
		t.Fatal(err)
	}
	// A field that a later version adds is kept.
	newer := strings.Replace(encoded(t, document(3)), `"schemaVersion":1`, `"schemaVersion":1,"addedLater":{"a":[1.50]}`, 1)
	done := imported(t, s, same+pretty.String()+other+newer)
	if !slices.Equal(done.Added, []int64{2, 3}) || !slices.Equal(done.Skipped, []Skipped{{1, recorded}, {3, 2}}) {
		t.Fatalf("import: %+v", done)
	}
	if d, err := s.Document(t.Context(), 2); err != nil || encoded(t, d) != other {
		t.Errorf("the document of run 2 is another one: %v", err)
	}
	if text := exported(t, s, Filter{IDs: []int64{3}}); !strings.Contains(text, `"addedLater":{"a":[1.50]}`) {
		t.Errorf("what a later version has added is lost:\n%s", text)
	}
	if runs, err := s.Runs(t.Context(), Filter{IDs: []int64{1}}); err != nil || !maps.Equal(runs[0].Tags, map[string]string{"x": "1"}) {
		t.Errorf("%+v, %v", runs, err)
	}
}

func TestImportErrors(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	good := encoded(t, document(1))
	replaced := func(old, new string) string { return strings.Replace(encoded(t, document(2)), old, new, 1) }
	const noJSON = "it is no JSON, neither runs ('deltabench runs export') nor a report (--report=json); texts that sysbench prints are not imported: 'deltabench compare' reads them"
	const neither = "it is neither a run ('deltabench runs export') nor a report (--report=json)"
	for text, want := range map[string]string{
		good + `{"a":1}`:                   "line 2: " + neither,
		good + "\n\n [1]":                  "line 4: " + neither,
		good + `"x" 5`:                     "line 2: " + neither,
		good + `hello`:                     "line 2: " + noJSON,
		"sysbench 1.0.20\n\nRunning":       "line 1: " + noJSON,
		good + "{\n\"a\":\n1,}\n":          "line 4: the document is damaged there (it starts in line 2)",
		good + "\n" + good + "\n}\n":       "line 5: " + noJSON,
		good + "\n\t" + good[:len(good)/2]: "line 3: the document that starts there is cut off",
		good + good[:len(good)/2] + "\n\n": "line 2: the document is damaged there (it starts in line 2)",
		"":                                 "it is empty: there is neither a run nor a report in it",
		" \n\n":                            "it is empty: there is neither a run nor a report in it",
		`{"schema":"deltabench/run","schemaVersion":9,"uuid":"x","document":{}}`:     "line 1: it is a deltabench/run of version 9, and this deltabench knows versions up to 1: use a newer one",
		`{"schema":"deltabench/run","schemaVersion":-1,"uuid":"x","document":{}}`:    "line 1: it is a deltabench/run of version -1, and versions start at 1",
		`{"schema":"deltabench/run","uuid":"x","document":{}}`:                       "line 1: it is a deltabench/run of version 0, and versions start at 1",
		`{"schema":"deltabench/run","schemaVersion":"1","uuid":"x","document":{}}`:   "line 1: it is a deltabench/run, but schemaVersion has a value of the wrong kind (string)",
		`{"schema":"deltabench/run","schemaVersion":1,"document":{}}`:                "line 1: it is a deltabench/run without uuid",
		`{"schema":"deltabench/run","schemaVersion":1,"uuid":"x"}`:                   "line 1: it is a deltabench/run without document",
		`{"schema":"deltabench/run","schemaVersion":1,"uuid":"x","document":{}}`:     "line 1: its document is no deltabench/report",
		replaced(`"schemaVersion":1`, `"schemaVersion":4`):                           "line 1: its document is a deltabench/report of version 4, and this deltabench knows versions up to 1: use a newer one",
		replaced(`"schemaVersion":1`, `"schemaVersion":0`):                           "line 1: its document is a deltabench/report of version 0, and versions start at 1",
		replaced(`"schemaVersion":1`, `"schemaVersion":-1`):                          "line 1: its document is a deltabench/report of version -1, and versions start at 1",
		replaced(`"threads":4`, `"threads":"x"`):                                     "line 1: its document is damaged: test.threads has a value of the wrong kind (string)",
		replaced(`"name":"oltp_read_write"`, `"name":""`):                            "line 1: its document does not say what was run and when",
		replaced(`"startedAt":"2026-03-04T`, `"startedAt":"x`):                       "line 1: startedAt of the document is no time: 'x05:06:07.000000002+02:00'",
		replaced(`"code":2013,"sqlState":"HY000"`, `"code":1213,"sqlState":"40001"`): "line 1: its document has two errors where there can be one",
	} {
		_, err := s.Import(t.Context(), strings.NewReader(text))
		var p *Problem
		if err == nil || err.Error() != want || errors.As(err, &p) {
			t.Errorf("%.60s\n%v, want\n%s", text, err, want)
		}
	}
	if _, err := s.Import(t.Context(), iotest.ErrReader(&fs.PathError{Op: "read", Path: "o", Err: syscall.EISDIR})); err == nil || err.Error() != "is a directory" {
		t.Errorf("an input that cannot be read: %v", err)
	}
	if done := imported(t, s, "\xef\xbb\xbf"+good); len(done.Added) != 1 {
		t.Errorf("with a mark of byte order: %+v", done)
	}
	if err := s.Delete(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	if ids, err := s.ids(t.Context()); err != nil || len(ids) > 0 {
		t.Errorf("imports that failed have added %v, %v", ids, err)
	}
}

func TestParseTags(t *testing.T) {
	t.Parallel()
	got, err := ParseTags([]string{"a=b", "c=d=e", " f =x"}, false)
	if err != nil || !maps.Equal(got, map[string]string{"a": "b", "c": "d=e", "f": "x"}) {
		t.Errorf("%v, %v", got, err)
	}
	for text, want := range map[string]string{"a": "'a' is not KEY=VALUE", "=b": "'=b' is not KEY=VALUE", "": "'' is not KEY=VALUE", "a=": "'a=' has no value"} {
		if _, err := ParseTags([]string{text}, false); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if got, err := ParseTags([]string{"a="}, true); err != nil || !maps.Equal(got, map[string]string{"a": ""}) {
		t.Errorf("to remove: %v, %v", got, err)
	}
}
