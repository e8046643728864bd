package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
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
	for text, want := range map[string]string{
		`{"a":1}`:          "value 2 of the input: it is neither a run ('deltabench runs export') nor a report (--report=json)",
		`[1]`:              "value 2 of the input: it is neither a run",
		`hello`:            "value 2 of the input: invalid character 'h'",
		good[:len(good)/2]: "value 2 of the input: the input ends in the middle of it",
		`{"schema":"deltabench/run","schemaVersion":9,"uuid":"x","document":{}}`:     "value 2 of the input: it is a deltabench/run of version 9, and this deltabench knows versions up to 1",
		`{"schema":"deltabench/run","schemaVersion":1,"document":{}}`:                "value 2 of the input: it is a deltabench/run without uuid or document",
		`{"schema":"deltabench/run","schemaVersion":1,"uuid":"x","document":{}}`:     "value 2 of the input: its document is no deltabench/report",
		replaced(`"schemaVersion":1`, `"schemaVersion":4`):                           "value 2 of the input: its document is a deltabench/report of version 4, and this deltabench knows versions up to 1",
		replaced(`"threads":4`, `"threads":"x"`):                                     "value 2 of the input: its document: json: cannot unmarshal string",
		replaced(`"name":"oltp_read_write"`, `"name":""`):                            "value 2 of the input: its document does not say what was run and when",
		replaced(`"startedAt":"2026`, `"startedAt":"x2026`):                          "value 2 of the input: startedAt of the document: parsing time",
		replaced(`"code":2013,"sqlState":"HY000"`, `"code":1213,"sqlState":"40001"`): "value 2 of the input: constraint failed: UNIQUE constraint failed: errors.",
	} {
		_, err := s.Import(t.Context(), strings.NewReader(good+text))
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.60s\n%v, want\n%s", text, err, want)
		}
	}
	if ids, err := s.ids(t.Context()); err != nil || len(ids) > 0 {
		t.Errorf("imports that failed have added %v, %v", ids, err)
	}
	if done := imported(t, s, ""); done.Added != nil || done.Skipped != nil {
		t.Errorf("nothing gives %+v", done)
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
