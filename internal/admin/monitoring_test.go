package admin

import (
	"slices"
	"testing"

	"deltabench/internal/evidence"
	"deltabench/internal/mariadbtest"
)

// Start options for consumers and instruments are compared with what a real server makes of them.
func TestReadMonitoring(t *testing.T) {
	t.Parallel()
	a := open(t, mariadbtest.Start(t, mariadbtest.WithArgs("--performance-schema=ON", "--performance-schema-consumer-events-waits-current=ON",
		"--performance-schema-consumer-statements-digest=OFF", "--performance-schema-instrument=wait/io/%=COUNTED")))
	got, err := a.ReadMonitoring(t.Context(), []Option{
		{"max_connections", "1"}, // not of performance_schema
		{"performance_schema_consumer_events_waits_current", "ON"},
		{"performance-schema-consumer-statements-digest", "0"},
		{"performance_schema_instrument", "'wait/io/%=counted'"},
		{"performance_schema_instrument", "memory/performance_schema/%=OFF"},
	})
	if err != nil || len(got) > 0 {
		t.Errorf("%v, %v", got, err)
	}
	got, err = a.ReadMonitoring(t.Context(), []Option{
		{"performance_schema_consumer_events_waits_current", "OFF"},
		{"performance_schema_consumer_statements_digest", ""},
		{"performance_schema_consumer_events_wait_current", "ON"},
		{"performance_schema_consumer_global_instrumentation", "maybe"},
		{"performance_schema_instrument", "wait/io/table/sql/handler=ON"}, // it counts only
		{"performance_schema_instrument", "wait/io/table/sql/handler=OFF"},
		{"performance_schema_instrument", "wait/nothing/%=ON"},
		{"performance_schema_instrument", "wait/io/%"},
	})
	var texts []string
	for _, m := range got {
		texts = append(texts, m.Text)
	}
	want := []string{
		"performance_schema_consumer_events_waits_current: OFF was asked for, the server has YES",
		"performance_schema_consumer_statements_digest: ON was asked for, the server has NO",
		"performance_schema_consumer_events_wait_current: the server has no such consumer",
		"performance_schema_consumer_global_instrumentation: 'maybe' is neither ON nor OFF",
		"performance_schema_instrument: wait/io/table/sql/handler=ON was asked for, and 1 of 1 instruments are otherwise: wait/io/table/sql/handler has YES,NO (enabled, timed)",
		"performance_schema_instrument: wait/io/table/sql/handler=OFF was asked for, and 1 of 1 instruments are otherwise: wait/io/table/sql/handler has YES,NO (enabled, timed)",
		"performance_schema_instrument: the server has no instrument like 'wait/nothing/%'",
		"performance_schema_instrument: 'wait/io/%': an instrument and ON, COUNTED or OFF are needed, as in 'statement/%=ON'",
	}
	if err != nil || !slices.Equal(texts, want) {
		t.Errorf("%v\n%q\nwant\n%q", err, texts, want)
	}
}

// All instruments on is what a server can be asked for, and off.
func TestReadAllInstruments(t *testing.T) {
	t.Parallel()
	for _, o := range []Option{{"performance_schema_instrument", "%=ON"}, {"performance_schema_instrument", "%=OFF"}} {
		a := open(t, mariadbtest.Start(t, mariadbtest.WithArgs("--performance-schema=ON", "--performance-schema-instrument="+o.Value)))
		if got, err := a.ReadMonitoring(t.Context(), []Option{o}); err != nil || len(got) > 0 {
			t.Errorf("%s: %v, %v", o.Value, got, err)
		}
	}
}

// Where performance_schema is off, nothing that is to be on is.
func TestReadMonitoringOff(t *testing.T) {
	t.Parallel()
	for _, o := range []Option{{"performance_schema_consumer_x", "OFF"}, {"performance_schema_instrument", "%=OFF"}} {
		if got := readMonitoring([]Option{o}, evidence.Snapshot{}); len(got) > 0 {
			t.Errorf("%v", got)
		}
	}
	for _, o := range []Option{{"performance_schema_consumer_x", "ON"}, {"performance_schema_instrument", "%=ON"}} {
		if got := readMonitoring([]Option{o}, evidence.Snapshot{}); len(got) != 1 {
			t.Errorf("%v: %v", o, got)
		}
	}
}

func TestLike(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text, pattern string
		want          bool
	}{
		{"wait/io/x", "wait/io/x", true},
		{"wait/io/x", "wait/io", false},
		{"wait/io/x", "%", true},
		{"wait/io/x", "wait/%", true},
		{"wait/io/x", "%/io/%", true},
		{"wait/io/x", "%x", true},
		{"wait/io/x", "wait/%/y", false},
		{"wait_io", "wait%io", true},
		{"ab", "ab%b", false},
	} {
		if got := like(tc.text, tc.pattern); got != tc.want {
			t.Errorf("%s like %s: %v", tc.text, tc.pattern, got)
		}
	}
}
