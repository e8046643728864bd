package main

import (
	"fmt"

	"deltabench/internal/simulate"
)

func coverage(t *table) {
	published := map[int][4]float64{ // t low, high; signed rank low, high
		3: {94.5, 97.1}, 4: {94.8, 97.3}, 5: {94.6, 96.9},
		6: {94.6, 96.9, 96.5, 97.2}, 8: {94.7, 96.7, 95.8, 96.2}, 10: {94.7, 96.7, 94.8, 95.4},
		12: {94.6, 97.1, 95.4, 96.0}, 20: {94.7, 96.5, 94.9, 95.5},
	}
	for _, n := range []int{3, 4, 5, 6, 8, 10, 12, 20} {
		for _, w := range simulate.Worlds() {
			c := simulate.Cover(w, n, t.studies)
			p := published[n]
			t.rate(fmt.Sprintf("t, n=%d, %s", n, w.Name), p[0], p[1], c.T, t.studies)
			if p[3] > 0 {
				t.rate(fmt.Sprintf("signed rank, n=%d, %s", n, w.Name), p[2], p[3], c.Rank, t.studies)
			}
		}
	}
	for _, c := range []struct {
		world       simulate.World
		rounds      int
		width       float64
		rmse, rmse2 float64
	}{
		{simulate.Quiet, 8, 1.09, 1.03, 1.04},
		{simulate.Quiet, 12, 1.06, 1.03, 1.04},
		{simulate.RunOut2, 8, 0, 0.72, 0.77},
		{simulate.RunOut2, 12, 0, 0.72, 0.77},
		{simulate.RunOut5, 8, 1.04, 0.61, 0.71},
		{simulate.RunOut5, 12, 0.83, 0.61, 0.71},
		{simulate.RunOut5, 20, 0.70, 0, 0},
	} {
		got := simulate.Cover(c.world, c.rounds, t.studies)
		what := fmt.Sprintf("n=%d, %s", c.rounds, c.world.Name)
		if c.width > 0 {
			t.value("width of signed rank against t, "+what, c.width, c.width, got.Width, 0.04)
		}
		if c.rmse > 0 {
			t.value("RMSE of Hodges-Lehmann against the mean, "+what, c.rmse, c.rmse2, got.RMSE, 0.03)
		}
	}
	for _, c := range []struct {
		rounds  int
		percent float64
	}{{3, 92}, {5, 88}, {8, 84}, {12, 85}, {20, 90}} {
		t.rate(fmt.Sprintf("t, n=%d, the scenario alone stalls in 10 %% of runs", c.rounds), c.percent, c.percent,
			simulate.CoverStalls(c.rounds, t.studies), t.studies)
	}
}

func verdicts(t *table) {
	for _, c := range []struct {
		change  float64
		percent [3][2]float64 // n=5, 8, 12: better, equivalent
	}{
		{0, [3][2]float64{{0.3, 36.6}, {0, 78.2}, {0, 97.2}}},
		{1, [3][2]float64{{5.5, 18.8}, {3.1, 35.9}, {1.2, 54.4}}},
		{2, [3][2]float64{{42.0, 2.6}, {50.1, 2.4}, {50.4, 2.6}}},
		{3, [3][2]float64{{86.0, 0.1}, {96.8, 0.0}, {98.8, 0.0}}},
	} {
		for i, n := range []int{5, 8, 12} {
			got := simulate.Judge(c.change, 1.5, 2, n, t.studies)
			called := got.Better
			word := "better"
			if c.change == 0 {
				called += got.Worse
				word = "better or worse"
			}
			t.rate(fmt.Sprintf("true change +%g %%, n=%d: %s", c.change, n, word), c.percent[i][0], c.percent[i][0], called, t.studies)
			t.rate(fmt.Sprintf("true change +%g %%, n=%d: equivalent", c.change, n), c.percent[i][1], c.percent[i][1], got.Equivalent, t.studies)
		}
	}
	for _, c := range []struct {
		sd      float64
		rounds  int
		percent float64
	}{{3, 5, 3.7}, {6, 5, 5}} {
		got := simulate.Judge(0, c.sd, 2, c.rounds, t.studies)
		t.rate(fmt.Sprintf("identical, sd %g, n=%d: better or worse", c.sd, c.rounds), c.percent, c.percent, got.Better+got.Worse, t.studies)
	}
}

// design has up to three workloads.
func design(scenarios, cells, rounds int) simulate.Design {
	return simulate.Design{Scenarios: scenarios, Cells: cells, Workloads: min(3, cells), Rounds: rounds}
}

// large is by how much fewer studies are made of 2,048 sign patterns each.
const large = 10

func families(t *table) {
	for _, n := range []int{5, 8, 10, 12} {
		low, high, studies := 0.8, 5.1, t.fewer(2)
		if n == 12 {
			low, high, studies = 3.4, 6, t.fewer(large)
		}
		for _, w := range append(simulate.Worlds(), simulate.OneNoisy) {
			got := simulate.Family(w, design(6, 33, n), simulate.Null, 0, 2, studies)
			t.rate(fmt.Sprintf("6 x 33, n=%d, %s: studies with a false claim", n, w.Name), low, high, got.False, studies)
			if n == 8 && w.Name == "typical" {
				t.rate("the same without adjustment", 77, 77, got.FalseRaw, studies)
				t.rate("the same with Holm", 3.2, 3.2, got.FalseHolm, studies)
			}
		}
	}
	for _, n := range []int{5, 8, 10} {
		for _, w := range simulate.Worlds() {
			got := simulate.Family(w, design(6, 33, n), simulate.FirstWorkload, 15, 2, t.fewer(10))
			t.rate(fmt.Sprintf("6 x 33, n=%d, %s, a workload +15 %%: false", n, w.Name), 1.7, 4.9, got.False, t.fewer(10))
		}
	}
	rounds := []int{5, 6, 8, 9, 10, 12}
	for _, c := range []struct {
		scenarios, cells int
		percent          [6]float64
	}{
		{2, 1, [6]float64{81, 89, 94, 97, 97, 98}},
		{2, 9, [6]float64{38, 59, 93, 96, 98, 99}},
		{2, 33, [6]float64{16, 34, 91, 95, 97, 99}},
		{4, 1, [6]float64{56, 73, 92, 94, 97, 98}},
		{4, 9, [6]float64{12, 25, 79, 90, 95, 97}},
		{4, 33, [6]float64{5, 11, 73, 86, 92, 97}},
		{6, 9, [6]float64{7, 17, 57, 76, 90, 97}},
		{6, 33, [6]float64{3, 7, 44, 70, 88, 96}},
	} {
		for i, n := range rounds {
			studies := t.fewer(large)
			got := simulate.Family(simulate.Typical, design(c.scenarios, c.cells, n), simulate.FirstScenario, 3, 2, studies)
			t.rate(fmt.Sprintf("%d x %d, n=%d, typical, +3 %%: cells called better", c.scenarios, c.cells, n),
				c.percent[i], c.percent[i], got.Cells, studies)
			if c.scenarios == 6 && c.cells == 33 && (n == 8 || n == 12) {
				raw, holm := 99., 28.
				if n == 12 {
					raw, holm = 100, 81
				}
				t.rate("the same without adjustment", raw, raw, got.CellsRaw, studies)
				t.rate("the same with Holm", holm, holm, got.CellsHolm, studies)
			}
		}
	}
	for _, c := range []struct {
		rounds       int
		cells, means float64
	}{{8, 3, 59}, {12, 15, 99}} {
		got := simulate.Family(simulate.RunNoise, design(6, 33, c.rounds), simulate.FirstScenario, 3, 2, t.fewer(large))
		t.rate(fmt.Sprintf("6 x 33, n=%d, runnoise, +3 %%: cells called better", c.rounds), c.cells, c.cells, got.Cells, t.fewer(large))
		t.rate(fmt.Sprintf("6 x 33, n=%d, runnoise, +3 %%: workload means", c.rounds), c.means, c.means, got.Means, t.fewer(large))
	}
}

func orders(t *table) {
	still := simulate.World{Name: "no drift", Start: 1, Run: 0.5}
	for _, c := range []struct {
		world   simulate.World
		percent [3][3]float64 // rounds, blocks, blocks with one start; n = 5, 8, 12
	}{
		{still, [3][3]float64{{5.1, 5.7, 5.4}, {4.0, 5.1, 5.0}, {61, 71, 77}}},
		{simulate.Typical, [3][3]float64{{5.3, 4.5, 4.8}, {12, 21, 28}, {56, 70, 74}}},
		{simulate.Trend10, [3][3]float64{{5.3, 5.4, 5.0}, {71, 95, 99.8}, {78, 86, 90}}},
		{simulate.Step5, [3][3]float64{{3.4, 4.2, 4.7}, {20, 29, 36}, {53, 68, 75}}},
		{simulate.AR, [3][3]float64{{4.6, 5.0, 4.9}, {16, 20, 23}, {38, 47, 53}}},
	} {
		for i, order := range []struct {
			simulate.Order
			name string
		}{{simulate.Rounds, "rounds"}, {simulate.Blocks, "blocks"}, {simulate.BlocksOneStart, "blocks, one start"}} {
			for j, n := range []int{5, 8, 12} {
				// Published from fewer studies than these.
				got := simulate.FalseByOrder(c.world, order.Order, n, t.studies)
				t.rate(fmt.Sprintf("%s, %s, n=%d", c.world.Name, order.name, n), c.percent[i][j], c.percent[i][j], got, min(t.studies, 2_000))
			}
		}
	}
}
