//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"deltabench/internal/nullserver"
	"deltabench/internal/sysbench"
	"deltabench/internal/wire"
)

// inProcess executes a command line in this process.
func inProcess(ctx context.Context, stdout io.Writer, args ...string) (code int) {
	return sysbench.Main(ctx, sysbench.Env{
		Args: append([]string{"deltabench"}, args...), Stdin: strings.NewReader(""), Stdout: stdout, Stderr: stdout, Face: sysbench.FaceDeltabench,
	})
}

// ourGoroutines are the stacks of goroutines of runs; the null server's own are not among them.
func ourGoroutines() (stacks []string) {
	buf := make([]byte, 16<<20)
	for stack := range strings.SplitSeq(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
		if runGoroutine.MatchString(stack) && !strings.Contains(stack, "main.ourGoroutines") {
			stacks = append(stacks, stack)
		}
	}
	return stacks
}

var runGoroutine = regexp.MustCompile(`deltabench/internal/(engine|loop|sqldb|sysbench|workload)[./]`)

func openDescriptors(t *testing.T) (open []string) {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		target, _ := os.Readlink("/proc/self/fd/" + e.Name()) // the one of ReadDir is gone by now
		if target != "" {
			open = append(open, e.Name()+" "+target)
		}
	}
	return open
}

// writerFunc is a writer that tells what is written.
type writerFunc func(string)

func (f writerFunc) Write(p []byte) (int, error) { f(string(p)); return len(p), nil }

// TestRunsLeaveNothingBehind executes runs of all kinds in this process, twice each. Afterwards there are no goroutines of
// theirs, and as many descriptors as before. It must not run beside other tests.
func TestRunsLeaveNothingBehind(t *testing.T) {
	s, addr := listen(t, nullserver.Options{Delay: time.Millisecond})
	_, refusing := listen(t, nullserver.Options{Refuse: func(n uint32) *wire.ERR {
		if n%2 == 0 {
			return &wire.ERR{Code: 1040, State: "08004", Message: "Too many connections"}
		}
		return nil
	}})
	_, failing := listen(t, nullserver.Options{Delay: time.Millisecond, Fault: func(q *nullserver.Query) nullserver.Fault {
		if q.Command == wire.ComStmtExecute && q.Number%50 == 0 {
			return nullserver.Fault{Kind: nullserver.FaultClose}
		}
		return nullserver.Fault{}
	}})
	silent := []string{"--mysql-host=127.0.0.1", "--mysql-port=" + impostor(t, func(net.Conn) {})}
	interruptAt := func(text string) func() (context.Context, writerFunc) {
		return func() (context.Context, writerFunc) {
			ctx, cancel := context.WithCancel(t.Context())
			return ctx, func(line string) {
				if strings.Contains(line, text) {
					cancel()
				}
			}
		}
	}
	for _, tc := range []struct {
		name  string
		args  string
		addr  []string
		code  int
		watch func() (context.Context, writerFunc) // nil: nothing happens
		stall bool                                 // the server stops answering at the start
	}{
		{name: "events", args: "oltp_read_write run --events=50 --threads=8", addr: addr},
		{name: "time", args: "oltp_read_write run --time=1 --threads=40 --loops=2 --report-interval=1", addr: addr},
		{name: "rate", args: "oltp_point_select run --time=1 --threads=8 --rate=100", addr: addr},
		{name: "no prepared statements", args: "oltp_read_write run --events=50 --threads=8 --db-ps-mode=disable", addr: addr},
		{name: "compression", args: "oltp_read_write run --events=50 --threads=8 --mysql-compression", addr: addr},
		{name: "reconnects", args: "oltp_point_select run --events=200 --threads=8 --mysql-ignore-errors=all", addr: failing},
		{name: "fatal errors", args: "oltp_point_select run --events=2000 --threads=8", addr: failing, code: sysbench.ExitFailure},
		{name: "connections refused", args: "oltp_point_select run --threads=8 --no-preflight", addr: refusing, code: sysbench.ExitFailure},
		{name: "no answer", args: "oltp_point_select run --threads=8 --thread-init-timeout=1 --no-preflight", addr: silent, code: sysbench.ExitForced},
		{name: "interrupt", args: "oltp_point_select run --threads=8 --time=600", addr: addr, code: sysbench.ExitInterrupted, watch: interruptAt("Threads started!")},
		{name: "interrupt of the start", args: "oltp_point_select run --threads=8 --thread-init-timeout=600 --no-preflight", addr: silent, code: sysbench.ExitInterrupted, watch: interruptAt("Initializing worker")},
		{name: "forced end", args: "oltp_point_select run --threads=8 --time=1 --forced-shutdown=0", addr: addr, code: sysbench.ExitForced, stall: true},
		{name: "prepare", args: "oltp_read_write prepare --tables=4 --threads=4 --table-size=1000 --load=sysbench", addr: addr},
		{name: "cleanup", args: "oltp_read_write cleanup --tables=4", addr: addr},
		{name: "no server", args: "cpu run --events=20 --threads=4"},
	} {
		for _, e := range []string{"loop", "goroutine"} {
			t.Run(tc.name+"/"+e, func(t *testing.T) {
				args := append(append(strings.Fields(tc.args), "--no-defaults", "--engine="+e), tc.addr...)
				var before []string
				for round := range 3 { // the first one opens what a process keeps, such as the runtime's poller
					ctx, watch := t.Context(), writerFunc(func(string) {})
					if tc.watch != nil {
						ctx, watch = tc.watch()
					}
					var out bytes.Buffer
					code := inProcess(ctx, io.MultiWriter(&out, watch, writerFunc(func(line string) {
						if tc.stall && strings.Contains(line, "Threads started!") {
							s.Stall()
						}
					})), args...)
					s.Resume()
					if code != tc.code {
						t.Fatalf("exit code %d, want %d:\n%s", code, tc.code, out.String())
					}
					if round > 0 {
						left(t, before)
					}
					before = settled(t)
				}
			})
		}
	}
}

// settled waits until the servers have seen that the connections are closed, and returns the open descriptors.
func settled(t *testing.T) []string {
	t.Helper()
	open := openDescriptors(t)
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		time.Sleep(20 * time.Millisecond)
		now := openDescriptors(t)
		if fmt.Sprint(now) == fmt.Sprint(open) {
			break
		}
		open = now
	}
	return open
}

// left waits until the run has left nothing behind.
func left(t *testing.T, before []string) {
	t.Helper()
	var stacks, open []string
	for deadline := time.Now().Add(patience / 3); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if stacks, open = ourGoroutines(), openDescriptors(t); len(stacks) == 0 && len(open) <= len(before) {
			return
		}
	}
	t.Errorf("%d goroutines are left:\n%s\n%d descriptors are open, before:\n%s\nnow:\n%s", len(stacks), strings.Join(stacks, "\n\n"),
		len(open)-len(before), strings.Join(before, "\n"), strings.Join(open, "\n"))
}
