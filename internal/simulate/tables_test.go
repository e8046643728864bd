//go:build !race

package simulate

import (
	"fmt"
	"testing"

	"deltabench/internal/compare"
)

// The tests of this file are rows of the published tables: settings, numbers of studies and bands are those of "Tests to
// keep". Bands are what was measured ± 3 standard errors.

// within reports a share in percent that lies outside of its band.
func within(t *testing.T, what string, got, low, high float64) {
	t.Helper()
	if !(got >= low && got <= high) {
		t.Errorf("%s: %.2f %%, must be %g to %g", what, got, low, high)
	} else {
		t.Logf("%s: %.2f %% (%g to %g)", what, got, low, high)
	}
}

func TestCoverage(t *testing.T) {
	t.Parallel()
	for _, n := range []int{5, 8, 12} {
		for _, w := range []World{Quiet, Typical, Restart5, RunNoise, Trend10, AR} {
			within(t, fmt.Sprintf("t, %s, n=%d", w.Name, n), Cover(w, n, 2_000).T, 93.5, 96.5)
		}
		for _, w := range []World{Step5, Heavy, RunOut5, StartOut, Bimodal} {
			within(t, fmt.Sprintf("t, %s, n=%d", w.Name, n), Cover(w, n, 2_000).T, 93.8, 98.3)
		}
	}
	for _, n := range []int{8, 12} {
		for _, w := range []World{Typical, RunOut5} {
			within(t, fmt.Sprintf("signed rank, %s, n=%d", w.Name, n), Cover(w, n, 2_000).Rank, 94, 97.5)
		}
	}
}

// wide is the study of six scenarios with three workloads in 33 cells.
func wide(rounds int) Design { return Design{Scenarios: 6, Cells: 33, Workloads: 3, Rounds: rounds} }

func TestFamilyNull(t *testing.T) {
	t.Parallel()
	for _, w := range []World{Typical, RunNoise, Restart5} {
		for _, n := range []int{5, 8} {
			c := Family(w, wide(n), Null, 0, 2, 1_000)
			within(t, fmt.Sprintf("%s, n=%d", w.Name, n), c.False, 0, 7)
			if c.FalseRaw < 30 {
				t.Errorf("%s, n=%d: without adjustment %.1f %% of studies have a false claim: this study shows nothing", w.Name, n, c.FalseRaw)
			}
		}
	}
}

func TestFamilyStrong(t *testing.T) {
	t.Parallel()
	c := Family(RunNoise, wide(8), FirstWorkload, 15, 2, 1_000)
	within(t, "beside true changes", c.False, 0, 7)
	if c.Cells < 25 { // of all cells of scenario 1 a third has changed, by far
		t.Errorf("%.1f %% of cells called better", c.Cells)
	}
}

func TestPower(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		cells int
		low   float64
	}{{1, 90}, {9, 90}, {33, 88}} {
		d := Design{Scenarios: 2, Cells: c.cells, Workloads: min(3, c.cells), Rounds: 8}
		within(t, fmt.Sprintf("2 x %d", c.cells), Family(Typical, d, FirstScenario, 3, 2, 1_000).Cells, c.low, 100)
	}
}

func TestVerdicts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ change, better, equivalent float64 }{
		{0, 0, 78.2}, {1, 3.1, 35.9}, {2, 50.1, 2.4}, {3, 96.8, 0},
	} {
		got := Judge(c.change, 1.5, 2, 8, 5_000)
		different := got.Better
		if c.change == 0 {
			different += got.Worse
		}
		within(t, fmt.Sprintf("+%g %%: better", c.change), different, c.better-2.5, c.better+2.5)
		within(t, fmt.Sprintf("+%g %%: equivalent", c.change), got.Equivalent, c.equivalent-2.5, c.equivalent+2.5)
	}
}

func TestDesigns(t *testing.T) {
	t.Parallel()
	within(t, "rounds", FalseByOrder(Trend10, Rounds, 8, 1_000), 0, 7.5)
	within(t, "blocks", FalseByOrder(Trend10, Blocks, 8, 1_000), 92, 100)
}

func TestStopping(t *testing.T) {
	t.Parallel()
	within(t, "naive from 3", Stop(World{}, StopRule{3, 20, 0.05}, 1.5, 1, 5_000).Coverage, 89, 91.6)
	within(t, "from 5 at 97 %", Stop(World{}, StopRule{5, 20, 0.03}, 1.5, 1, 5_000).Coverage, 94.2, 96.2)
}

func TestSteadyState(t *testing.T) {
	t.Parallel()
	quiet := Settle(Series{Seconds: 60, Phi: 0.8, SD: 2, DipsAt: 30}, 1, 1_000)
	within(t, "60 s with dips: false alarms", quiet.Runs, 0, 4.5)
	ramp := Settle(Series{Seconds: 300, Phi: 0.5, SD: 2, Ramp: 3}, 1, 1_000)
	within(t, "300 s with a ramp: found", ramp.Runs, 91, 100)
}

func TestMarginFromAA(t *testing.T) {
	t.Parallel()
	m := Calibrate(12, 1.5, 8, 5_000)
	within(t, "claimed", m.Truth0.Better+m.Truth0.Worse, 0, 0.5)
	within(t, "equivalent", m.Truth0.Equivalent, 68.5, 73)
}

func TestOutliers(t *testing.T) {
	t.Parallel()
	within(t, "false", Flagged(1.5, 0, 8, 5_000), 4, 6)
	within(t, "found", Flagged(1.5, 10, 8, 5_000), 91, 100)
}

func TestHistory(t *testing.T) {
	t.Parallel()
	within(t, "false", Noticed(Past{Points: 30}, compare.OneLook, 1_000), 0, 2.5)
	// Not in the published tables: the value of 60 points serves for longer histories.
	within(t, "false, 200 points", Noticed(Past{Points: 200}, compare.OneLook, 1_000), 0, 2.5)
	within(t, "false with a spike", Noticed(Past{Points: 30, Spike: true}, compare.OneLook, 1_000), 0, 3)
	within(t, "found", Noticed(Past{Points: 30, Step: true}, compare.OneLook, 1_000), 95, 100)
}
