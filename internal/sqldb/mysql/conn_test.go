package mysql

import (
	"reflect"
	"testing"

	"deltabench/internal/measure"
	"deltabench/internal/sqldb"
)

func TestQueryRowsAndClasses(t *testing.T) {
	cl := newClient(t, nil)
	c := cl.connect(t)
	steps := []struct {
		text string
		want sqldb.Result
	}{
		{"CREATE TABLE a (id INT PRIMARY KEY AUTO_INCREMENT, s VARCHAR(20))", sqldb.Result{Class: measure.Other}},
		{"INSERT INTO a (s) VALUES ('x'), (NULL), ('')", sqldb.Result{Class: measure.Write, Affected: 3, InsertID: 1}},
		{"UPDATE a SET s='x' WHERE id=1", sqldb.Result{Class: measure.Other}}, // changed nothing: no FOUND_ROWS
		{"SELECT * FROM a", sqldb.Result{Class: measure.Read, HasRows: true, Rows: 3}},
		{"SELECT * FROM a WHERE id > 100", sqldb.Result{Class: measure.Read, HasRows: true}},
		{"DO 1", sqldb.Result{Class: measure.Other}},
		{"BEGIN", sqldb.Result{Class: measure.Other}},
		{"SELECT 1; SELECT 2 UNION SELECT 3; DO 1", sqldb.Result{Class: measure.Read, HasRows: true, Rows: 1}},
		{"DELETE FROM a WHERE id=3; SELECT 2", sqldb.Result{Class: measure.Write, Affected: 1}},
	}
	for _, s := range steps {
		got, err := c.Query(s.text, nil)
		if err != nil {
			t.Fatalf("%s: %v", s.text, err)
		}
		if got != s.want {
			t.Errorf("%s: got %+v, want %+v", s.text, got, s.want)
		}
	}
	want := [][]string{{"1", "x"}, {"2", "NULL"}}
	if got := query(t, c, "SELECT id, s FROM a ORDER BY id"); !reflect.DeepEqual(got, want) {
		t.Errorf("rows: got %v, want %v", got, want)
	}
	if got, want := cl.counters(), (measure.Counters{Reads: 4, Writes: 2, Others: 4}); got != want {
		t.Errorf("counters: got %+v, want %+v", got, want)
	}
}

func TestPrepared(t *testing.T) {
	for _, emulate := range []bool{false, true} {
		cl := newClient(t, func(cfg *Config) { cfg.PSEmulate = emulate })
		c := cl.connect(t)
		query(t, c, "CREATE TABLE a (id INT PRIMARY KEY, d DOUBLE, s VARCHAR(20))")
		ins, err := c.Prepare("INSERT INTO a VALUES (?, ?, ?)", 0, sqldb.IntParam, sqldb.DoubleParam, sqldb.StringParam)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			ins.SetInt(0, int64(i-1))
			ins.SetDouble(1, float64(i)+0.5)
			ins.SetString(2, []byte{'a' + byte(i)})
			if i == 2 {
				ins.SetNull(1)
				ins.SetNull(2)
			}
			res, err := ins.Execute()
			if want := (sqldb.Result{Class: measure.Write, Affected: 1}); err != nil || res != want {
				t.Fatalf("insert: got %+v, %v, want %+v", res, err, want)
			}
		}
		want := [][]string{{"-1", "0.5", "a"}, {"0", "1.5", "b"}, {"1", "NULL", "NULL"}}
		if got := query(t, c, "SELECT * FROM a ORDER BY id"); !reflect.DeepEqual(got, want) {
			t.Errorf("emulate %v: rows: got %v, want %v", emulate, got, want)
		}
		sel, err := c.Prepare("SELECT s FROM a WHERE id BETWEEN ? AND ?", 0, sqldb.IntParam, sqldb.IntParam)
		if err != nil {
			t.Fatal(err)
		}
		sel.SetInt(0, -1)
		for i := range 3 {
			sel.SetInt(1, int64(i-1))
			res, err := sel.Execute()
			if want := (sqldb.Result{Class: measure.Read, HasRows: true, Rows: int64(i + 1)}); err != nil || res != want {
				t.Errorf("select: got %+v, %v, want %+v", res, err, want)
			}
		}
		if err := sel.Close(); err != nil {
			t.Error(err)
		}
		if _, err := sel.Execute(); err == nil {
			t.Error("execute after close: no error")
		}
		if tr := c.Transport(); !tr.MetadataCache {
			t.Errorf("no metadata cache: %+v", tr)
		}
		if !emulate {
			s, err := c.Prepare("SELECT s FROM a", 0)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if _, err := s.Execute(); err != nil {
					t.Fatal(err)
				}
			}
			if c.resp.MetadataFollows {
				t.Error("second execution: column definitions were sent")
			}
			// A changed table brings them back.
			query(t, c, "ALTER TABLE a MODIFY s TEXT")
			if res, err := s.Execute(); err != nil || res.Rows != 3 || !c.resp.MetadataFollows {
				t.Errorf("after ALTER: got %+v, %v, metadata %v", res, err, c.resp.MetadataFollows)
			}
		}
	}
}

func TestExecuteAllocatesNothing(t *testing.T) {
	cl := newClient(t, nil)
	c := cl.connect(t)
	query(t, c, "CREATE TABLE a (id INT PRIMARY KEY, c CHAR(120))")
	query(t, c, "INSERT INTO a VALUES (1, REPEAT('x', 120))")
	s, err := c.Prepare("SELECT c FROM a WHERE id=?", 0, sqldb.IntParam)
	if err != nil {
		t.Fatal(err)
	}
	got := testing.AllocsPerRun(200, func() {
		s.SetInt(0, 1)
		if res, err := s.Execute(); err != nil || res.Rows != 1 {
			t.Fatal(res, err)
		}
	})
	if got != 0 {
		t.Errorf("execute: got %v allocations, want 0", got)
	}
	got = testing.AllocsPerRun(200, func() {
		if _, err := c.Query("SELECT c FROM a WHERE id=1", nil); err != nil {
			t.Fatal(err)
		}
	})
	if got != 0 {
		t.Errorf("query: got %v allocations, want 0", got)
	}
}
