package conduct_test

import (
	"fmt"
	"strings"
	"testing"
)

const statesStudy = `study: states
targets: [{name: server, managed: {server: auto}}]
data: {workload: oltp_read_write, tables: 1, table_size: 1000}
workloads: [oltp_read_write]
threads: [1]
time: 1s
rounds: 2
state: %s
%s
scenarios:
  - {name: a, baseline: true}
  - {name: b, server: {innodb_buffer_pool_size: 16M}}
  - {name: c, binary: auto}
`

// Servers are started as often as the state says, and what n means follows from it.
func TestStates(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		state, more  string
		runs, starts int
		says         string
	}{
		{"preserve", "", 6, 3, "every scenario was started once (state: preserve)"},
		{"reset", "", 6, 3, "every scenario was started once (state: reset)"},
		{"restart", "equal_load: [50%]", 12, 12, "p99 at 50 % of the peak"},
	} {
		t.Run(tc.state, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			code, out := b.run("study", "run", b.file(fmt.Sprintf(statesStudy, tc.state, tc.more)), "--html=none")
			flat := strings.Join(strings.Fields(out), " ")
			if code != 0 || !strings.Contains(flat, tc.says) {
				t.Errorf("exit code %d, want %q in\n%s", code, tc.says, out)
			}
			starts, shares := map[string]bool{}, 0
			for _, r := range b.once(tc.runs) {
				starts[r.Evidence.Start.ID] = true
				if r.Key.Share > 0 {
					shares++
					if r.Rate <= 0 {
						t.Errorf("%v: no rate", r.Key)
					}
				}
			}
			if len(starts) != tc.starts || (shares > 0) != (tc.more != "") {
				t.Errorf("%d starts of servers, want %d; %d runs at equal load", len(starts), tc.starts, shares)
			}
		})
	}
}

// A stopping rule ends a study early, or it goes on to its largest number of rounds.
func TestStopsEarly(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	file := b.file(`study: early
targets: [{name: server, managed: {server: auto}}]
state: preserve
data: {workload: oltp_point_select, table_size: 100}
workloads: [oltp_point_select]
threads: [2]
time: 1s
stop: {precision: 99%, max_rounds: 9}
scenarios:
  - {name: a, baseline: true}
  - {name: b, options: {db-ps-mode: disable}}
`)
	code, out := b.run("study", "run", file, "--html=none")
	if code != 0 || strings.Contains(out, "the stopping rule ends the study") == strings.Contains(out, "round 9") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	made, runs := b.study()
	if made.State != "finished" || len(runs) != made.Planned || len(runs) < 10 {
		t.Errorf("%s, %d runs of %d", made.State, len(runs), made.Planned)
	}
}
