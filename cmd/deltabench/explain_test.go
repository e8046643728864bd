package main

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"deltabench/internal/nullserver"
)

// What explain expects of an event is what a run does.
func TestExplainExpectsWhatRunsDo(t *testing.T) {
	_, addr := listen(t, nullserver.Options{})
	expected := regexp.MustCompile(`(?s)Queries in an event:\s+(\d+)\s+reads,\s+(\d+)\s+writes,\s+(\d+)\s+others,\s+(\d+)\s+in\s+all\.`)
	const events = 30
	for _, args := range []string{
		"oltp_read_write --point-selects=3", "oltp_read_only --skip-trx", "oltp_write_only --index-updates=3 --delete-inserts=2",
		"oltp_insert", "oltp_delete", "oltp_update_non_index --non-index-updates=4 --db-ps-mode=disable", "select_random_ranges",
	} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			words := strings.Fields(args)
			x := run(t, "deltabench", append([]string{"explain"}, words...)...)
			m := expected.FindStringSubmatch(x.stdout)
			if x.code != 0 || m == nil {
				t.Fatalf("%v", x)
			}
			var want [4]float64
			for i := range want {
				want[i], _ = strconv.ParseFloat(m[i+1], 64)
			}
			args := append(append(words, "run", fmt.Sprintf("--events=%d", events), "--report=json"), addr...)
			d := validDocument(t, run(t, "deltabench", args...).stdout)
			got := [4]float64{float64(d.Totals.Reads) / events, float64(d.Totals.Writes) / events, float64(d.Totals.Others) / events, float64(d.Totals.Queries) / events}
			if got != want {
				t.Errorf("an event has %v reads, writes, others, all; explain says %v", got, want)
			}
		})
	}
	t.Run("bulk_insert", func(t *testing.T) {
		t.Parallel()
		const rows = 200_000
		m := regexp.MustCompile(`\n *([\d.e-]+)  bulk_inserts`).FindStringSubmatch(run(t, "deltabench", "explain", "bulk_insert").stdout)
		if m == nil {
			t.Fatal("explain does not say how many statements a row takes")
		}
		want, _ := strconv.ParseFloat(m[1], 64)
		d := validDocument(t, run(t, "deltabench", append([]string{"bulk_insert", "run", fmt.Sprintf("--events=%d", rows), "--report=json"}, addr...)...).stdout)
		// The last statement is not full.
		if got := float64(d.Totals.Queries); math.Abs(got-want*rows) > 1.5 {
			t.Errorf("%v statements for %d rows, explain says %v for each", got, rows, want)
		}
	})
}
