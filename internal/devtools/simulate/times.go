package main

import (
	"fmt"

	"deltabench/internal/compare"
	"deltabench/internal/simulate"
)

// cellRuns is the number of runs of a cell in the tables.
const cellRuns = 8

func series(t *table) {
	cells := t.fewer(10)
	for _, seconds := range []int{60, 120, 300} {
		for _, phi := range []float64{0, 0.3, 0.5, 0.8} {
			for _, sd := range []float64{1, 2, 4} {
				for _, dips := range []int{0, 20, 30} {
					s := simulate.Series{Seconds: seconds, Phi: phi, SD: sd, DipsAt: dips}
					got := simulate.Settle(s, cellRuns, cells)
					what := fmt.Sprintf("T=%d phi %g sd %g dips %d: ", seconds, phi, sd, dips)
					t.rate(what+"false, run", 0, 3, got.Runs, cells)
					t.rate(what+"false, cell", 0, 3.2, got.Cells, cells)
				}
			}
		}
	}
	for _, c := range []struct {
		seconds   int
		sd, phi   float64
		run, cell float64
	}{
		{60, 1, 0.3, 93, 98},
		{60, 2, 0.5, 23, 62},
		{120, 2, 0, 91, 98},
		{120, 2, 0.5, 53, 85},
		{300, 1, 0.8, 92, 99},
		{300, 2, 0.5, 94, 100},
		{300, 2, 0.8, 50, 91},
		{300, 4, 0.5, 42, 98},
	} {
		got := simulate.Settle(simulate.Series{Seconds: c.seconds, Phi: c.phi, SD: c.sd, Ramp: 3}, cellRuns, cells)
		what := fmt.Sprintf("T=%d sd %g phi %g, ramp of 3 %%: ", c.seconds, c.sd, c.phi)
		t.rate(what+"run", c.run, c.run, got.Runs, cells)
		t.rate(what+"cell", c.cell, c.cell, got.Cells, cells)
	}
	warmups := []struct{ warm, tau float64 }{{50, 3}, {30, 15}, {20, 40}}
	for _, c := range []struct {
		seconds int
		bias    [3]float64
		cell    [2]float64 // of the slowest, with and without dips
	}{
		{60, [3]float64{-0.1, -2.0, -7.3}, [2]float64{71, 92}},
		{120, [3]float64{0, -0.4, -2.6}, [2]float64{82, 92}},
		{300, [3]float64{0, -0.1, -0.4}, [2]float64{}},
	} {
		for i, w := range warmups {
			s := simulate.Series{Seconds: c.seconds, Phi: 0.5, SD: 3, Warm: w.warm, Tau: w.tau}
			got := simulate.Settle(s, cellRuns, cells)
			what := fmt.Sprintf("T=%d, warm-up %g %%, %g s: ", c.seconds, w.warm, w.tau)
			t.value(what+"bias", c.bias[i], c.bias[i], got.Bias, 0.15)
			if i == 2 && c.cell[0] > 0 {
				t.rate(what+"cell", c.cell[0], c.cell[1], got.Cells, cells)
			}
		}
	}
}

func tails(t *table) {
	for _, requests := range []int{10_000, 100_000} {
		for _, n := range []int{5, 8, 12} {
			t.rate(fmt.Sprintf("%d requests, n=%d", requests, n), 96, 97.2, simulate.CoverTail(requests, n, t.fewer(2)), t.fewer(2))
		}
	}
}

func histories(t *table) {
	for i, n := range []int{10, 15, 20, 30} {
		found := [4]float64{48, 84, 93, 98}[i]
		spiked := [4]float64{41, 78, 88, 97}[i]
		what := fmt.Sprintf("N=%d: ", n)
		t.rate(what+"false", 1, 1, simulate.Noticed(simulate.Past{Points: n}, compare.OneLook, t.studies), t.studies)
		t.rate(what+"false with a spike", 1, 1.6, simulate.Noticed(simulate.Past{Points: n, Spike: true}, compare.OneLook, t.studies), t.studies)
		t.rate(what+"found", found, found, simulate.Noticed(simulate.Past{Points: n, Step: true}, compare.OneLook, t.studies), t.studies)
		t.rate(what+"found with a spike before it", spiked, spiked,
			simulate.Noticed(simulate.Past{Points: n, Step: true, Spike: true}, compare.OneLook, t.studies), t.studies)
	}
	for _, c := range []struct {
		spike        bool
		wrong, found float64
	}{{false, 3.4, 92.5}, {true, 3.7, 91.9}} {
		got := simulate.Watch(c.spike, t.fewer(2))
		what := fmt.Sprintf("after every point from 10 to 60, spike %v: ", c.spike)
		t.rate(what+"false", c.wrong, c.wrong, got.False, t.fewer(2))
		t.rate(what+"found within five points", c.found, c.found, got.Found, t.fewer(2))
	}
}
