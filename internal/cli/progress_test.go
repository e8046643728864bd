package cli

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"deltabench/internal/conduct"
	"deltabench/internal/study"
)

func TestProgress(t *testing.T) {
	t.Parallel()
	key := study.Key{Target: "t", Scenario: "on", Workload: "oltp_read_only", Threads: 1, Round: 2}
	events := []conduct.Event{
		{Kind: conduct.TargetPreparing, Text: "t: load 1 x 10 rows"},
		{Kind: conduct.StepStarted, Step: study.Step{Round: 2}, Key: key},
		{Kind: conduct.RunStarted, Key: key, Done: 3, Total: 9},
		{Kind: conduct.RunSecond, Key: key, Second: 4, QPS: 1234, P95: 2.5, Done: 3, Total: 9, Left: 3723 * time.Second},
		{Kind: conduct.RunFinished, Key: key, QPS: 1200, TPS: 60, Metric: "tps", Done: 3, Total: 9},
		{Kind: conduct.RunFinished, Key: key, QPS: 1200, Done: 4, Total: 9, Left: 65 * time.Second},
		{Kind: conduct.RunFinished, Key: key, Err: errors.New("no server"), Done: 5, Total: 9},
		{Kind: conduct.RoundFinished, Step: study.Step{Round: 2}, Text: "largest change so far: none", Done: 9, Total: 9},
		{Kind: conduct.Warned, Text: "something"},
	}
	run := func(live bool) string {
		var b bytes.Buffer
		p := newProgress(&b, func(string) string { return "" }, true)
		p.live, p.width = live, 200
		for _, e := range events {
			p.observe(e)
		}
		p.end()
		return b.String()
	}
	want := `prepare t: load 1 x 10 rows
round 2  t, on  oltp_read_only  1 thread  TPS 60  [3 of 9 runs]
round 2  t, on  oltp_read_only  1 thread  QPS 1200  [4 of 9 runs, 1m05s left]
round 2  t, on  oltp_read_only  1 thread  failed: no server
round 2 done: largest change so far: none  [9 of 9 runs]
warning: something
`
	if got := run(false); got != want {
		t.Errorf("lines:\n%s\nwant:\n%s", got, want)
	}
	live := run(true)
	for _, want := range []string{"\r\x1b[Kround 2  t, on: start", "4 s  QPS 1234  p95 2.50 ms  [3 of 9 runs, 1h02m left]", "failed: no server\n"} {
		if !strings.Contains(live, want) {
			t.Errorf("%q is missing in %q", want, live)
		}
	}
	if strings.Contains(live, "QPS 1200  [") {
		t.Errorf("a run that ended well is a line on a terminal: %q", live)
	}
}
