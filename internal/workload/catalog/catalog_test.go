package catalog

import (
	"slices"
	"testing"

	"deltabench/internal/workload"
)

func TestNames(t *testing.T) {
	var got []string
	for _, test := range All() {
		got = append(got, test.Name())
		if found, ok := Lookup(test.Name()); !ok || found.Name() != test.Name() {
			t.Errorf("%s is not found by its name", test.Name())
		}
		if _, ok := test.(workload.Explainer); ok != test.SQL() {
			t.Errorf("%s: explains its statements: %v, has some: %v", test.Name(), ok, test.SQL())
		}
	}
	want := []string{
		"fileio", "cpu", "memory", "threads", "mutex",
		"oltp_read_write", "oltp_read_only", "oltp_write_only", "oltp_point_select", "oltp_insert", "oltp_delete",
		"oltp_update_index", "oltp_update_non_index", "select_random_points", "select_random_ranges", "bulk_insert",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	if _, ok := Lookup("oltp_common"); ok {
		t.Error("the library of the scripts is not a test")
	}
}

// Commands that sysbench runs in all threads at once.
func TestCommands(t *testing.T) {
	want := map[string]string{
		"oltp_read_write": "prepare+ prewarm+ warmup+ cleanup", "select_random_points": "prepare+ prewarm+ warmup+ cleanup",
		"bulk_insert": "prepare cleanup", "fileio": "prepare cleanup", "cpu": "", "memory": "", "threads": "", "mutex": "",
	}
	for name, list := range want {
		test, ok := Lookup(name)
		if !ok {
			t.Fatalf("no %s", name)
		}
		got := ""
		for i, c := range test.Commands() {
			if i > 0 {
				got += " "
			}
			got += c.Name
			if c.Parallel {
				got += "+"
			}
			if c.Function == "" || c.Do == nil {
				t.Errorf("%s %s is incomplete", name, c.Name)
			}
		}
		if got != list {
			t.Errorf("%s: commands %q, want %q", name, got, list)
		}
	}
}
