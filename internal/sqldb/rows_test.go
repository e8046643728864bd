package sqldb_test

import (
	"fmt"
	"strings"
	"testing"

	"deltabench/internal/measure"
	"deltabench/internal/sqldb"
	"deltabench/internal/workload/workloadtest"
)

// text writes what is left of the current result.
func text(t *testing.T, r *sqldb.Rows) string {
	t.Helper()
	var cells [][]byte
	var lines []string
	for {
		var err error
		if cells, err = r.Next(cells); err != nil {
			t.Fatal(err)
		}
		if cells == nil {
			return fmt.Sprintf("%d/%d %s", len(lines), r.Columns(), strings.Join(lines, "|"))
		}
		var b strings.Builder
		for _, c := range cells {
			if c == nil {
				b.WriteString("NULL,")
			} else {
				fmt.Fprintf(&b, "%q,", c)
			}
		}
		lines = append(lines, b.String())
	}
}

func TestRows(t *testing.T) {
	r := &sqldb.Rows{}
	if r.More() || r.Columns() != 0 || r.Result() != (sqldb.Result{}) || text(t, r) != "0/0 " {
		t.Error("the zero value has results")
	}
	fill := func() {
		r.Reset()
		workloadtest.Set(r, 2, workloadtest.Row("1", nil), workloadtest.Row("", "a\x00b"), workloadtest.Row(strings.Repeat("x", 300), "z"))
		workloadtest.Set(r, 1)
		r.Add(sqldb.Result{Affected: 7, Class: measure.Write})
		workloadtest.Set(r, 3, workloadtest.Row(nil, nil, "3"))
		r.Fail(&sqldb.Error{Code: 1146})
	}
	fill()
	if got, want := text(t, r), `3/2 "1",NULL,|"","a\x00b",|"`+strings.Repeat("x", 300)+`","z",`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := r.Result(); got.Rows != 3 || !got.HasRows {
		t.Errorf("result: %+v", got)
	}
	var got []string
	for r.More() {
		res, err := r.NextResult()
		got = append(got, fmt.Sprintf("%v %d %v %s", res.HasRows, res.Affected, err != nil, text(t, r)))
	}
	if got, want := strings.Join(got, "\n"), "true 0 false 0/1 \nfalse 7 false 0/0 \ntrue 0 false 1/3 NULL,NULL,\"3\",\nfalse 0 true 0/0 "; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	fill() // what is left of a result does not show in the next
	r.Discard()
	if got := text(t, r); got != "0/2 " || !r.More() {
		t.Errorf("after Discard: %s, more results %v", got, r.More())
	}
	if _, err := r.NextResult(); err != nil || text(t, r) != "0/1 " {
		t.Error("the result after a discarded one is not there")
	}
	r.Reset()
	if r.More() || text(t, r) != "0/0 " {
		t.Error("results are left after Reset")
	}
	if n := testing.AllocsPerRun(20, fill); n > 8 { // of making the rows
		t.Errorf("%v allocations to fill it again", n)
	}
}

func TestRowsMalformed(t *testing.T) {
	r := &sqldb.Rows{}
	workloadtest.Set(r, 2, []byte("\x05ab"))
	if _, err := r.Next(nil); err == nil {
		t.Error("no error")
	}
	if cells, err := r.Next(nil); cells != nil || err != nil {
		t.Errorf("after the error: %q, %v", cells, err)
	}
}
