package oltp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"deltabench/internal/measure"
	"deltabench/internal/option"
	"deltabench/internal/sqldb"
	"deltabench/internal/workload"
	"deltabench/internal/workload/workloadtest"
)

// worker returns the worker of one thread of a run.
func newWorker(t testing.TB, name string, d *workloadtest.Driver, thread, threads int, args ...string) workload.Worker {
	t.Helper()
	var test workload.Test
	for _, x := range Tests() {
		if x.Name() == name {
			test = x
		}
	}
	s, _, err := workloadtest.Setup(test, args...)
	if err != nil {
		t.Fatal(err)
	}
	s.Driver, s.Threads = d, threads
	r, err := test.NewRun(s)
	if err != nil {
		t.Fatal(err)
	}
	recorder := measure.NewRecorder(measure.Options{})
	w, err := r.Thread(workload.ThreadContext{
		ID: thread, Threads: threads, Rand: s.Random.NewSource(), Stats: recorder.Thread(), Env: workloadtest.Env(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestEventsDoNotAllocate(t *testing.T) {
	for _, name := range []string{
		"oltp_point_select", "oltp_read_only", "oltp_read_write", "oltp_write_only", "oltp_update_non_index", "oltp_delete",
		"select_random_points", "select_random_ranges",
	} {
		w := newWorker(t, name, &workloadtest.Driver{Silent: true}, 0, 1, "--tables=4")
		event := func() {
			if err := w.Event(); err != nil {
				t.Fatal(err)
			}
		}
		event() // grows the buffers
		if got := testing.AllocsPerRun(200, event); got != 0 {
			t.Errorf("%s: %v allocations per event, want 0", name, got)
		}
	}
}

func TestErrorsForTheEngineAreNotWrapped(t *testing.T) {
	for _, want := range []error{
		&sqldb.Restart{Err: &sqldb.Error{Code: 1213}}, sqldb.ErrInterrupted,
	} {
		for _, name := range []string{"oltp_read_write", "oltp_insert", "select_random_points"} {
			w := newWorker(t, name, &workloadtest.Driver{Silent: true, Fail: func(call, text string) error {
				if call == "execute" || call == "query" {
					return want
				}
				return nil
			}}, 0, 1)
			if got := w.Event(); got != want {
				t.Errorf("%s: got %v, want %v itself", name, got, want)
			}
		}
	}
}

// A restarted event begins anew with new keys, and its reconnect counter does not move.
func TestReconnect(t *testing.T) {
	j := &workloadtest.Journal{}
	failing := false
	w := newWorker(t, "oltp_point_select", &workloadtest.Driver{Journal: j, Fail: func(call, _ string) error {
		if call == "execute" && failing {
			return &sqldb.Restart{Err: &sqldb.Error{Code: 1213}}
		}
		return nil
	}}, 0, 1, "--reconnect=3")
	for i := range 8 {
		failing = i == 1
		if err := w.Event(); (err != nil) != failing {
			t.Fatal(err)
		}
	}
	calls := make([]string, 0, len(j.Lines))
	for _, l := range j.Lines {
		call, _, _ := strings.Cut(l, " ")
		calls = append(calls, call[:3])
	}
	if got, want := strings.Join(calls, " "), "Pre Exe Exe Exe Exe Rec Exe Exe Exe Rec Exe"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// Threads of select_random_* keep to their segment of the table.
func TestSegments(t *testing.T) {
	for _, c := range []struct {
		size, thread, threads int
		low, high             int64
	}{
		{1000, 0, 4, 0, 250},
		{1000, 3, 4, 750, 1000},
		{100, 1, 3, 33, 66},
		{100, 2, 3, 66, 100},
		{10, 0, 1, 0, 10},
	} {
		j := &workloadtest.Journal{}
		w := newWorker(t, "select_random_points", &workloadtest.Driver{Journal: j}, c.thread, c.threads,
			fmt.Sprintf("--table_size=%d", c.size), "--rand-type=uniform")
		for range 100 {
			if err := w.Event(); err != nil {
				t.Fatal(err)
			}
		}
		low, high := int64(1<<62), int64(-1)
		for _, l := range j.Lines[1:] {
			_, list, _ := strings.Cut(l, "IN (")
			list, _, _ = strings.Cut(list, ")")
			for v := range strings.SplitSeq(list, ", ") {
				var n int64
				if _, err := fmt.Sscan(v, &n); err != nil {
					t.Fatalf("%q: %v", l, err)
				}
				low, high = min(low, n), max(high, n)
			}
		}
		if slack := int64(c.size / 50); low < c.low || low > c.low+slack || high > c.high || high < c.high-slack {
			t.Errorf("thread %d of %d: values from %d to %d, want %d to %d", c.thread, c.threads, low, high, c.low, c.high)
		}
	}
}

// Parallel commands deal tables out in turn, each with its own connection.
func TestTablesOfThreads(t *testing.T) {
	for thread, want := range []string{"1 4 7", "2 5", "3 6"} {
		test := lookup(t, "oltp_read_write")
		s, _, err := workloadtest.Setup(test, "--tables=7", "--table_size=0", "--create_secondary=off")
		if err != nil {
			t.Fatal(err)
		}
		j := &workloadtest.Journal{}
		s.Driver, s.Threads = &workloadtest.Driver{Journal: j}, 3
		err = test.Commands()[0].Do(s, workload.ThreadContext{ID: thread, Threads: 3, Rand: s.Random.NewSource(), Env: workloadtest.Env()})
		if err != nil {
			t.Fatal(err)
		}
		var tables []string
		for _, l := range j.Lines {
			if rest, ok := strings.CutPrefix(l, "Query CREATE TABLE sbtest"); ok {
				n, _, _ := strings.Cut(rest, "(")
				tables = append(tables, n)
			}
		}
		if got := strings.Join(tables, " "); got != want {
			t.Errorf("thread %d: tables %s, want %s", thread, got, want)
		}
	}
}

func TestKinds(t *testing.T) {
	names := Kinds()
	if len(names) != int(kindCount) || names[0] != "" || slices.Contains(names[1:], "") {
		t.Errorf("kinds are %q", names)
	}
	for line, want := range map[string]string{
		"oltp_read_write --events=1 run":      "begin point_selects point_selects simple_ranges sum_ranges order_ranges distinct_ranges index_updates non_index_updates deletes inserts commit",
		"oltp_insert --events=1 run":          "inserts",
		"bulk_insert --events=1 run":          "bulk_inserts",
		"select_random_points --events=1 run": "random_points",
		"select_random_ranges --events=1 run": "random_ranges",
	} {
		d := &workloadtest.Driver{}
		if strings.HasPrefix(line, "oltp_read_write") {
			line = strings.Replace(line, " run", " --point_selects=2 run", 1)
		}
		if _, err := execute(t, d, line); err != nil {
			t.Fatal(err)
		}
		var got []string
		for i, l := range d.Journal.Lines {
			if strings.HasPrefix(l, "Execute ") || strings.HasPrefix(l, "Query ") {
				got = append(got, names[d.Journal.Kinds[i]])
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %v, want %s", line, got, want)
		}
	}
}

// What Statements promises is what events send.
func TestStatementsDescribeEvents(t *testing.T) {
	for _, test := range Tests() {
		for _, args := range [][]string{
			nil,
			{"--skip_trx=on", "--point_selects=3", "--sum_ranges=0", "--delete_inserts=2", "--index_updates=4", "--auto_inc=off"},
			{"--range_selects=off"},
		} {
			if test.Name() == "bulk_insert" {
				continue // its statements are not a whole number per event
			}
			s, _, err := workloadtest.Setup(test, args...)
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			for _, st := range test.(workload.Explainer).Statements("mysql", s.Options) {
				for range int(st.PerEvent) {
					want = append(want, st.Key)
				}
			}
			d := &workloadtest.Driver{}
			if _, err := execute(t, d, test.Name()+" --events=1 "+strings.Join(args, " ")+" run"); err != nil {
				t.Fatal(err)
			}
			var got []string
			for i, l := range d.Journal.Lines {
				if strings.HasPrefix(l, "Execute ") || strings.HasPrefix(l, "Query ") {
					got = append(got, kindNames[d.Journal.Kinds[i]])
				}
			}
			slices.Sort(got) // deletes and inserts take turns
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%s %v:\nsent     %v\npromised %v", test.Name(), args, got, want)
			}
		}
	}
	got := bulkTest{}.Statements("mysql", nil)
	if len(got) != 1 || got[0].PerEvent <= 0 || got[0].PerEvent > 0.001 {
		t.Errorf("bulk_insert: %+v", got)
	}
}

// The list that `sysbench oltp_read_write help` prints.
func TestOptions(t *testing.T) {
	const want = `auto_inc[=on|off] on|create_secondary[=on|off] on|delete_inserts=N 1|distinct_ranges=N 1|index_updates=N 1|` +
		`mysql_storage_engine=STRING innodb|non_index_updates=N 1|order_ranges=N 1|pgsql_variant=STRING none|point_selects=N 10|` +
		`range_selects[=on|off] on|range_size=N 100|secondary[=on|off] off|simple_ranges=N 1|skip_trx[=on|off] off|sum_ranges=N 1|table_size=N 10000|tables=N 1`
	suffix := map[option.Type]string{option.Bool: "[=on|off]", option.Double: "=N", option.String: "=STRING"}
	for _, test := range Tests() {
		if test.Name() == "bulk_insert" {
			if n := len(test.Options()); n != 0 {
				t.Errorf("bulk_insert has %d options, want none", n)
			}
			continue
		}
		var got []string
		last := ""
		for _, o := range test.Options() {
			if o.Name <= last {
				t.Errorf("%s: %s comes after %s", test.Name(), o.Name, last)
			}
			last = o.Name
			if o.Hidden || slices.Contains([]string{"random_points", "delta", "number_of_ranges"}, o.Name) {
				continue
			}
			def := o.Default
			if o.NoDefault {
				def = "none"
			}
			got = append(got, o.Name+suffix[o.Type]+" "+def)
		}
		if s := strings.Join(got, "|"); s != want {
			t.Errorf("%s:\ngot  %s\nwant %s", test.Name(), s, want)
		}
	}
}

func TestTimes(t *testing.T) {
	for f, want := range map[float64]int{0: 0, -3: 0, 0.99: 0, 1: 1, 2.9: 2, 1e300: 1<<31 - 1} {
		if got := times(f); got != want {
			t.Errorf("times(%g) = %d, want %d", f, got, want)
		}
	}
}

// An interrupted connection is not reported as a failed one.
func TestInterruptedConnect(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	test := lookup(t, "oltp_delete")
	s, _, err := workloadtest.Setup(test)
	if err != nil {
		t.Fatal(err)
	}
	s.Driver = &workloadtest.Driver{Fail: func(string, string) error { return fmt.Errorf("connect: %w", sqldb.ErrInterrupted) }}
	r, err := test.NewRun(s)
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.Thread(workload.ThreadContext{Threads: 1, Env: sqldb.Blocking{Ctx: ctx}})
	var e *workload.ScriptError
	if !errors.Is(err, sqldb.ErrInterrupted) || errors.As(err, &e) {
		t.Errorf("got %v", err)
	}
}

func BenchmarkEvent(b *testing.B) {
	for _, name := range []string{"oltp_point_select", "oltp_read_write", "oltp_insert"} {
		b.Run("test="+name, func(b *testing.B) {
			w := newWorker(b, name, &workloadtest.Driver{Silent: true}, 0, 1, "--tables=4", "--rand-type=uniform")
			b.ReportAllocs()
			for b.Loop() {
				if err := w.Event(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestTooManyParameters(t *testing.T) {
	for name, option := range map[string]string{"select_random_points": "random_points", "select_random_ranges": "number_of_ranges"} {
		test := lookup(t, name)
		s, _, err := workloadtest.Setup(test, "--"+option+"=1e9")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := test.NewRun(s); err == nil || err.Error() != "invalid value for --"+option+": 1e+09, the limit is 32767" {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
