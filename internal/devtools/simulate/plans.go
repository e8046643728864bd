package main

import (
	"fmt"

	"deltabench/internal/simulate"
)

func detection(t *table) {
	for _, c := range []struct {
		rounds           int
		trueLow, trueTop float64
		own              float64
		low, high        float64
	}{
		{3, 76, 76, 60, 0.23, 1.73},
		{4, 78, 78, 65, 0, 0},
		{5, 79, 80, 68, 0.42, 1.54},
		{8, 79, 80, 72, 0.56, 1.42},
		{12, 79, 80, 75, 0.65, 1.34},
	} {
		got := simulate.Detect(c.rounds, t.studies)
		t.rate(fmt.Sprintf("n=%d: power at the SDC with the true sd", c.rounds), c.trueLow, c.trueTop, got.TrueSD, t.studies)
		t.rate(fmt.Sprintf("n=%d: power at the SDC with the study's sd", c.rounds), c.own, c.own, got.OwnSD, t.studies)
		if c.high > 0 {
			t.value(fmt.Sprintf("n=%d: SDC over the true one, 5 %% quantile", c.rounds), c.low, c.low, got.Low, 0.03)
			t.value(fmt.Sprintf("n=%d: SDC over the true one, 95 %% quantile", c.rounds), c.high, c.high, got.High, 0.03)
		}
	}
	for _, c := range []struct {
		seen, scenarios            int
		low, high                  float64
		within30, tooLow, achieved float64
	}{
		{3, 2, 4, 23, 30, 62, 61}, {3, 4, 6, 18, 51, 57, 54}, {5, 2, 5, 20, 42, 59, 72}, {5, 6, 8, 15, 80, 52, 59},
	} {
		got := simulate.Foresee(c.seen, c.scenarios, 1.5, 1, t.studies)
		what := fmt.Sprintf("forecast after %d rounds, %d scenarios: ", c.seen, c.scenarios)
		t.value(what+"10 % quantile", c.low, c.low, got.Low, 1)
		t.value(what+"90 % quantile", c.high, c.high, got.High, 1)
		t.rate(what+"near", c.within30, c.within30, got.Near, t.studies)
		t.rate(what+"too low", c.tooLow, c.tooLow, got.TooLow, t.studies)
		t.rate(what+"reached", c.achieved, c.achieved, got.Reached, t.studies)
		t.rate(what+"in the range", 75, 85, got.Inside, t.studies)
	}
}

func stopping(t *table) {
	normal := simulate.World{}
	sds := []float64{0.5, 1, 1.5, 2, 3}
	for _, rule := range []struct {
		simulate.StopRule
		name   string
		ranges [4][2]float64
	}{
		{simulate.StopRule{From: 3, Most: 20, Level: 0.05}, "naive from 3, 95 %", [4][2]float64{{90.0, 95.0}, {92.2, 95.8}, {92.5, 95.9}, {90.6, 94.4}}},
		{simulate.StopRule{From: 5, Most: 20, Level: 0.05}, "from 5, 95 %", [4][2]float64{{91.9, 95.0}, {94.1, 96.2}, {93.8, 96.9}, {92.2, 95.3}}},
		{simulate.StopRule{From: 5, Most: 20, Level: 0.03}, "from 5, 97 %", [4][2]float64{{94.9, 97.1}, {96.4, 98.0}, {96.3, 98.2}, {95.1, 97.6}}},
	} {
		for i, world := range []simulate.World{normal, simulate.RunOut5, simulate.Bimodal, simulate.AR} {
			name := world.Name
			if name == "" {
				name = "normal"
			}
			for _, sd := range sds {
				got := simulate.Stop(world, rule.StopRule, sd, 1, t.studies)
				t.rate(fmt.Sprintf("%s, %s, sd %g", rule.name, name, sd), rule.ranges[i][0], rule.ranges[i][1], got.Coverage, t.studies)
			}
		}
	}
	for _, c := range []struct{ level, sd, rounds float64 }{
		{0.05, 1, 6.6}, {0.05, 1.5, 10.4}, {0.05, 2, 15.4}, {0.03, 1, 7.6}, {0.03, 1.5, 12.5}, {0.03, 2, 17.4},
	} {
		got := simulate.Stop(normal, simulate.StopRule{From: 5, Most: 20, Level: c.level}, c.sd, 1, t.studies)
		t.value(fmt.Sprintf("mean rounds, level %g, sd %g", c.level, c.sd), c.rounds, c.rounds, got.Rounds, 0.2)
	}
	for _, c := range []struct {
		simulate.StopRule
		percent float64
	}{
		{simulate.StopRule{From: 5, Most: 10, Level: 0.05}, 12.7},
		{simulate.StopRule{From: 5, Most: 12, Level: 0.05}, 14.4},
		{simulate.StopRule{From: 5, Most: 20, Level: 0.05}, 19.3},
		{simulate.StopRule{From: 3, Most: 10, Level: 0.05}, 16.8},
		{simulate.StopRule{From: 3, Most: 12, Level: 0.05}, 18.2},
		{simulate.StopRule{From: 3, Most: 20, Level: 0.05}, 23.0},
		{simulate.StopRule{From: 5, Most: 10, Level: 0.0176}, 5},
		{simulate.StopRule{From: 5, Most: 12, Level: 0.0147}, 5},
		{simulate.StopRule{From: 5, Most: 20, Level: 0.0101}, 5},
	} {
		t.rate(fmt.Sprintf("stop at a claim, looks %d to %d at %g", c.From, c.Most, c.Level), c.percent, c.percent,
			simulate.StopAtClaim(c.StopRule, t.studies), t.studies)
	}
}

func calibration(t *table) {
	for _, c := range []struct {
		aa                         int
		low, high                  float64
		claimed, same, edge, twice float64
	}{
		{3, 0.23, 1.73, 1.3, 52, 10.5, 97},
		{8, 0.56, 1.41, 0.4, 67, 6.2, 100},
		{12, 0.64, 1.35, 0.2, 71, 5.0, 100},
		{20, 0.73, 1.25, 0.1, 74, 3.7, 100},
		{1000, 0.96, 1.04, 0, 79, 2.7, 100},
	} {
		got := simulate.Calibrate(c.aa, 1.5, 8, t.studies)
		what := fmt.Sprintf("%d A/A rounds: ", c.aa)
		t.value(what+"margin over its true value, 5 % quantile", c.low, c.low, got.Low, 0.03)
		t.value(what+"margin over its true value, 95 % quantile", c.high, c.high, got.High, 0.03)
		t.rate(what+"truth 0, claimed", c.claimed, c.claimed, got.Truth0.Better+got.Truth0.Worse, t.studies)
		t.rate(what+"truth 0, equivalent", c.same, c.same, got.Truth0.Equivalent, t.studies)
		t.rate(what+"truth = true margin, equivalent", c.edge, c.edge, got.Truth1.Equivalent, t.studies)
		t.rate(what+"truth = 2 margins, found", c.twice, c.twice, got.Truth2.Better, t.studies)
	}
	for _, c := range []struct {
		rounds int
		found  float64
	}{{5, 61}, {6, 79}, {8, 93}, {12, 98}} {
		t.rate(fmt.Sprintf("outlier flag, n=%d: false", c.rounds), 5, 5, simulate.Flagged(1.5, 0, c.rounds, t.studies), t.studies)
		t.rate(fmt.Sprintf("outlier flag, n=%d: a run lost 10", c.rounds), c.found, c.found, simulate.Flagged(1.5, 10, c.rounds, t.studies), t.studies)
	}
}
