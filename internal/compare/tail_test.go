package compare

import "testing"

func TestEventsForQuantiles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		p     float64
		need  int64
		name  string
		below string
	}{
		{0.5, 200, "p50", "199 events are too few for p50: needs 200"},
		{0.9, 1000, "p90", "999 events are too few for p90: needs 1000"},
		{0.95, 2000, "p95", "1999 events are too few for p95: needs 2000"},
		{0.99, 10_000, "p99", "9999 events are too few for p99: needs 10000"},
		{0.999, 100_000, "p999", "99999 events are too few for p999: needs 100000"},
	} {
		if got := EventsForQuantile(c.p); got != c.need {
			t.Errorf("%g needs %d events, want %d", c.p, got, c.need)
		}
		if got := QuantileName(c.p); got != c.name {
			t.Errorf("%g is called %s, want %s", c.p, got, c.name)
		}
		if got := TooFewEvents(c.need, c.p); got != "" {
			t.Errorf("%d events: %q", c.need, got)
		}
		if got := TooFewEvents(c.need-1, c.p); got != c.below {
			t.Errorf("%q, want %q", got, c.below)
		}
	}
}
