package demo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"deltabench/internal/nullserver"
	"deltabench/internal/wire"
	"deltabench/internal/workload"
	"deltabench/internal/workload/oltp"
)

func options(t *testing.T, o nullserver.Options, out *bytes.Buffer) (Options, *nullserver.Server) {
	t.Helper()
	s, err := nullserver.Listen(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	host, port, err := net.SplitHostPort(s.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	var test workload.Test
	for _, w := range oltp.Tests() {
		if w.Name() == "oltp_point_select" {
			test = w
		}
	}
	return Options{
		Out: out, Test: test, Rounds: 5, Threads: []int{1, 4}, Rows: 100, Run: 60 * time.Millisecond, Warmup: 10 * time.Millisecond,
		Seed: 1, Margin: 2, Server: Server{Host: host, Port: n, User: "u", Name: "null server"},
	}, s
}

// A server that takes three times as long for text as for prepared statements: the table must say so. Runs are short, so a
// machine that stalls for a moment may rightly make it undecided; it gets further chances.
func TestTableTellsWhatTheServerDoes(t *testing.T) {
	var wrong, text string
	for range 6 {
		var out bytes.Buffer
		o, s := options(t, nullserver.Options{DelayFunc: func(q *nullserver.Query) time.Duration {
			switch {
			case q.Command == wire.ComStmtExecute:
				return 3 * time.Millisecond
			case strings.HasPrefix(q.SQL, "SELECT c"):
				return 9 * time.Millisecond
			}
			return 0
		}}, &out)
		if err := Run(t.Context(), o); err != nil {
			t.Fatalf("%v\n%s", err, out.String())
		}
		s.Close()
		for _, want := range []string{"Loading 100 rows ... done", "round 5 of 5", "What it is not: a benchmark of MySQL."} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("no %q in\n%s", want, out.String())
			}
		}
		text = out.String()
		if wrong = wrongVerdict(text); wrong == "" {
			return
		}
	}
	t.Errorf("%s in\n%s", wrong, text)
}

// wrongVerdict says what a table about a server with a third of the throughput for text says wrong.
func wrongVerdict(text string) string {
	rows := regexp.MustCompile(`(?m)^ +(\d) +(\d+) +(\d+) +-(\d+\.\d) % \[-(\d+\.\d), -(\d+\.\d)\] +n=5 +(\w+)$`).FindAllStringSubmatch(text, -1)
	if len(rows) != 2 || rows[0][1] != "1" || rows[1][1] != "4" {
		return fmt.Sprintf("rows %v, want one for 1 and one for 4 threads", rows)
	}
	for _, r := range rows {
		if change, _ := strconv.ParseFloat(r[4], 64); change < 50 || change > 75 || r[7] != "worse" {
			return fmt.Sprintf("row %v: want about -66 %% and worse", r[0])
		}
	}
	if want := "Text statements instead of prepared ones: worse at 1, 4 threads."; !strings.Contains(text, want) {
		return "no " + want
	}
	return ""
}

func TestErrorsEndTheDemo(t *testing.T) {
	var out bytes.Buffer
	o, s := options(t, nullserver.Options{Handler: func(q *nullserver.Query) *nullserver.Reply {
		if strings.HasPrefix(q.SQL, "SELECT c") {
			return nullserver.Error(1146, "42S02", "Table 'sbtest.sbtest1' doesn't exist")
		}
		return nullserver.Affected(0)
	}}, &out)
	err := Run(t.Context(), o)
	if err == nil || !strings.Contains(err.Error(), "round 1") || !strings.Contains(err.Error(), "doesn't exist") {
		t.Errorf("error %v, want one that names the round and the reason", err)
	}
	s.Close()
	if err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "load") {
		t.Errorf("error %v without a server, want one of the load", err)
	}
}

func TestInterruptEndsTheDemo(t *testing.T) {
	var out bytes.Buffer
	o, _ := options(t, nullserver.Options{Delay: 5 * time.Millisecond}, &out)
	o.Run = time.Hour
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if err := Run(ctx, o); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want the end of the context", err)
	}
}

// Cells never run together, and are as wide as their heads up to a million events a second.
func TestRoundCells(t *testing.T) {
	head := len(columns([]int{8}))
	for _, c := range []struct {
		base, other float64
		fits        bool
	}{{6775, 848, true}, {84801, 10900, true}, {999999, 999999, true}, {1e9, 1e9, false}} {
		got := roundCell(c.base, c.other)
		if got[0] != ' ' || (len(got) == head) != c.fits {
			t.Errorf("%.0f, %.0f: %q, %d wide, the head is %d", c.base, c.other, got, len(got), head)
		}
	}
}
