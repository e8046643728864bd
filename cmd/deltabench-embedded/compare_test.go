package main

import (
	"strings"
	"testing"
)

// A server that is started for each run is a start of its own: n is the number of rounds.
func TestCompare(t *testing.T) {
	command := "oltp_point_select --target=embedded --table-size=10 --events=2000 --time=0 --threads=2 run"
	code, out, errs := program(t, "deltabench", "compare", "--rounds=3", "--metric=tps", "--no-record", "--margin=900", "--baseline="+command, "--candidate="+command)
	if code != 0 || !strings.Contains(out, " n=3 ") {
		t.Errorf("exit code %d, want a comparison, n=3:\n%s%s", code, out, errs)
	}
	if strings.Contains(out, "differs: address") || strings.Contains(out, "one server start") {
		t.Errorf("ports are called a difference, or starts one start:\n%s", out)
	}
}
