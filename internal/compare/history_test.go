package compare

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
)

var workedHistory = []float64{101, 99, 100, 102, 98, 100, 101, 120, 99, 100, 98, 101, 94, 95, 93, 96, 94}

func TestHistoryWorkedExample(t *testing.T) {
	t.Parallel()
	clean, spikes := Despike(workedHistory)
	if !slices.Equal(spikes, []int{7}) || clean[7] != 100 {
		t.Errorf("spikes %v, the eighth point becomes %g; want only it, 100", spikes, clean[7])
	}
	for name, c := range map[string]struct {
		v           []float64
		after       int
		t, critical float64
	}{
		"despiked":     {clean, 12, 8.5352, 4.305},
		"with a spike": {workedHistory, 0, 2.6395, 4.305},
		"14 points":    {clean[:14], 10, 2.7105, 4.52},
	} {
		after, size := LargestSplit(c.v)
		if !near(size, c.t, 5e-5) || c.after != 0 && after != c.after {
			t.Errorf("%s: T %.4f after point %d, want %.4f after %d", name, size, after, c.t, c.after)
		}
		if limit := CriticalSplit(len(c.v), OneLook); !near(limit, c.critical, 1e-9) {
			t.Errorf("%s: critical value %g, want %g", name, limit, c.critical)
		}
	}
	for _, c := range []struct {
		n     int
		after []int
	}{{17, []int{12}}, {14, nil}} {
		h, err := FindChanges(workedHistory[:c.n], 2, OneLook)
		var after []int
		for _, ch := range h.Changes {
			after = append(after, ch.After)
		}
		if err != nil || !slices.Equal(after, c.after) {
			t.Errorf("%d points: changes after %v (%v), want %v", c.n, after, err, c.after)
		}
	}
}

// Two changes are both found, each with its size; what is said with them travels along.
func TestHistoryOfTwoChanges(t *testing.T) {
	t.Parallel()
	var v []float64
	for i := range 60 {
		x := 0.5 * math.Sin(2.3*float64(i)) // no trend, no period of the search
		switch {
		case i >= 40:
			x += 8
		case i >= 20:
			x += 4
		}
		v = append(v, x)
	}
	v[10] += 9
	h, err := FindChanges(v, 1, OneLook)
	if err != nil {
		t.Fatal(err)
	}
	if len(h.Changes) != 2 || h.Changes[0].After != 20 || h.Changes[1].After != 40 {
		t.Fatalf("changes %+v, want after 20 and 40", h.Changes)
	}
	if c := h.Changes[1]; c.Low > c.Estimate || c.High < c.Estimate || c.T <= c.Critical || c.Before != 20 || c.Since != 20 {
		t.Errorf("change %+v", c)
	}
	if !slices.Equal(h.Spikes, []int{10}) {
		t.Errorf("spikes %v, want 10", h.Spikes)
	}
	if w := h.Warnings(); len(w) != 2 || !strings.Contains(w[0], "optimistic") || !strings.Contains(w[1], "left out of the search: 1;") {
		t.Errorf("warnings %q", w)
	}
	// A margin above the changes hides them: they are real but do not matter.
	if h, err := FindChanges(v, 20, OneLook); err != nil || len(h.Changes) != 0 {
		t.Errorf("with a margin of 20: %+v, %v", h.Changes, err)
	}
	// After every point only the last 30 are looked at, numbered as in the whole history.
	if h, err := FindChanges(v, 1, EveryPoint); err != nil || len(h.Changes) != 1 || h.Changes[0].After != 40 {
		t.Errorf("after every point: %+v, %v", h.Changes, err)
	}
}

func TestHistoryRefuses(t *testing.T) {
	t.Parallel()
	if _, err := FindChanges(workedHistory[:9], 2, OneLook); !errors.Is(err, ErrShortHistory) {
		t.Errorf("nine points: %v", err)
	}
	if _, err := FindChanges([]float64{1, math.NaN()}, 2, OneLook); err == nil || !strings.Contains(err.Error(), "point 2") {
		t.Errorf("NaN: %v", err)
	}
}

// Expected false calls, to be said beside those of many histories: 1 % of reports, 0.063 of a history and 50 looks.
func TestFalseCalls(t *testing.T) {
	t.Parallel()
	if got := FalseCalls(200, 0, OneLook); !near(got, 2, 1e-9) {
		t.Errorf("200 reports: %g", got)
	}
	if got := FalseCalls(100, 50, EveryPoint); !near(got, 6.3, 1e-9) {
		t.Errorf("100 histories of 50 looks: %g", got)
	}
}
