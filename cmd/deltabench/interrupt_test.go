//go:build linux

package main

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"deltabench/internal/mariadbtest"
	"deltabench/internal/nullserver"
)

// patience bounds what takes a moment on a quiet machine.
const patience = 90 * time.Second

// waitFor waits until the process has printed text n times.
func (p *process) waitFor(t *testing.T, text string, n int) {
	t.Helper()
	for deadline := time.Now().Add(patience); strings.Count(p.out.String(), text) < n; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%v has not printed %q %d times:\n%s%s", p.outcome.args, text, n, p.out.String(), p.err.String())
		}
	}
}

// signal sends a signal and returns when.
func (p *process) signal(t *testing.T, sig syscall.Signal) time.Time {
	t.Helper()
	if err := p.Process.Signal(sig); err != nil {
		t.Fatalf("signal %v: %v", p.outcome.args, err)
	}
	return time.Now()
}

// interruptedRun checks what a run looks like that was interrupted: code 130 and the report of what was measured.
func interruptedRun(t *testing.T, p *process, sig syscall.Signal) *outcome {
	t.Helper()
	sent := p.signal(t, sig)
	o := p.wait(t)
	if took := time.Since(sent); o.code != 130 || took > patience {
		t.Errorf("%v after the signal: exit code %d, want 130: %v", took, o.code, o)
	}
	if strings.Count(o.stdout, "General statistics:") != 1 || !strings.Contains(o.stdout, "ended by:                            interrupt") {
		t.Errorf("not one report of an interrupted run: %v", o)
	}
	if m := goisms.FindString(o.stdout + o.stderr); m != "" {
		t.Errorf("users are shown %q: %v", m, o)
	}
	return o
}

// hearHangups lets the children of a test have SIGHUP as it is by default: under nohup it is ignored, and children inherit that; what is caught
// here is the default there.
func hearHangups(t *testing.T) {
	t.Helper()
	hup := make(chan os.Signal, 1)
	signal.Notify(hup, syscall.SIGHUP)
	t.Cleanup(func() { signal.Stop(hup) }) // after the parallel ones below, which run when the test's function has returned
}

func TestInterruptEndsARunWithItsReport(t *testing.T) {
	hearHangups(t)
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		for _, e := range []string{"loop", "goroutine"} {
			for name, more := range map[string]string{
				"closed loop": "--report-interval=1", "rate": "--report-interval=1 --rate=50", "without time limit": "--report-interval=1 --time=0 --events=2000000000",
			} {
				t.Run(fmt.Sprint(sig, "/", e, "/", name), func(t *testing.T) {
					t.Parallel()
					_, addr := listen(t, nullserver.Options{Delay: time.Millisecond})
					args := append([]string{"oltp_point_select", "run", "--time=600", "--threads=8", "--engine=" + e}, addr...)
					p := start(t, 2*patience, "deltabench", append(args, strings.Fields(more)...)...)
					p.waitFor(t, "s ] thds:", 1)
					o := interruptedRun(t, p, sig)
					if field(t, o.stdout, "transactions:") < 1 {
						t.Errorf("no transactions in the report: %v", o)
					}
					if strings.Contains(o.stdout, "still running") {
						t.Errorf("events that ended by themselves were cut short: %v", o)
					}
				})
			}
		}
	}
}

func TestInterruptDuringWarmUp(t *testing.T) {
	t.Parallel()
	_, addr := listen(t, nullserver.Options{Delay: time.Millisecond})
	p := start(t, 2*patience, "deltabench", append([]string{"oltp_point_select", "run", "--warmup-time=600", "--threads=4", "--report-interval=1"}, addr...)...)
	p.waitFor(t, "warm-up:", 1)
	o := interruptedRun(t, p, syscall.SIGINT)
	if n := field(t, o.stdout, "transactions:"); n != 0 {
		t.Errorf("%v transactions of the warm-up were measured: %v", n, o)
	}
}

func TestInterruptOfTestsWithoutServer(t *testing.T) {
	t.Parallel()
	for _, test := range []string{"cpu", "memory --memory-total-size=0", "threads", "mutex --mutex-loops=2000000000"} {
		t.Run(strings.Fields(test)[0], func(t *testing.T) {
			t.Parallel()
			p := start(t, 2*patience, "deltabench", append(strings.Fields(test), "run", "--time=600", "--threads=2")...)
			p.waitFor(t, "Threads started!", 1)
			time.Sleep(200 * time.Millisecond)
			interruptedRun(t, p, syscall.SIGINT)
		})
	}
}

var cutShort = regexp.MustCompile(`(?m)^WARNING: [1-8] events? did not end after the interrupt: cut short$`)

// A server that has stopped answering does not keep the report: it comes after the grace time of 5 s, also when
// the time limit has a longer one, or none.
func TestInterruptWhileTheServerIsSilent(t *testing.T) {
	t.Parallel()
	for _, e := range []string{"loop", "goroutine"} {
		for name, more := range map[string]string{
			"by default": "--time=600", "forced shutdown late": "--time=600 --forced-shutdown=100000", "never": "--time=600 --forced-shutdown=off",
		} {
			t.Run(e+"/"+name, func(t *testing.T) {
				t.Parallel()
				s, addr := listen(t, nullserver.Options{Delay: time.Millisecond})
				args := append([]string{"oltp_read_write", "run", "--threads=8", "--report-interval=1", "--engine=" + e}, addr...)
				p := start(t, 2*patience, "deltabench", append(args, strings.Fields(more)...)...)
				p.waitFor(t, "s ] thds:", 1)
				s.Stall()
				o := interruptedRun(t, p, syscall.SIGINT)
				// Mostly 8; a thread whose reply was on its way has ended its event and starts no other.
				if !cutShort.MatchString(o.stdout) {
					t.Errorf("nothing is said of the events that were cut short: %v", o)
				}
			})
		}
	}
}

// The second signal ends the process where it is.
func TestSecondInterruptEndsAtOnce(t *testing.T) {
	t.Parallel()
	for _, e := range []string{"loop", "goroutine"} {
		t.Run(e, func(t *testing.T) {
			t.Parallel()
			s, addr := listen(t, nullserver.Options{Delay: time.Millisecond})
			p := start(t, 2*patience, "deltabench", append([]string{"oltp_read_write", "run", "--time=600", "--threads=8", "--report-interval=1", "--engine=" + e}, addr...)...)
			p.waitFor(t, "s ] thds:", 1)
			s.Stall()
			p.signal(t, syscall.SIGINT)
			time.Sleep(500 * time.Millisecond) // signals that come too soon are one
			p.signal(t, syscall.SIGTERM)
			o := p.wait(t)
			if o.code != 130 || strings.Contains(o.stdout, "General statistics:") {
				t.Errorf("exit code %d, want 130 and no report: %v", o.code, o)
			}
		})
	}
}

func TestInterruptWhileThreadsStart(t *testing.T) {
	t.Parallel()
	port := impostor(t, func(net.Conn) {})
	for _, e := range []string{"loop", "goroutine"} {
		for _, preflight := range []string{"--preflight", "--no-preflight"} {
			t.Run(e+preflight, func(t *testing.T) {
				t.Parallel()
				p := start(t, 2*patience, "deltabench", "oltp_read_write", "run", "--threads=4", "--thread-init-timeout=600", "--mysql-host=127.0.0.1", "--mysql-port="+port, "--engine="+e, preflight)
				p.waitFor(t, "Number of threads: 4", 1)
				time.Sleep(300 * time.Millisecond)
				sent := p.signal(t, syscall.SIGINT)
				o := p.wait(t)
				if took := time.Since(sent); o.code != 130 || took > patience {
					t.Errorf("%v after the signal: exit code %d, want 130: %v", took, o.code, o)
				}
				if !strings.HasSuffix(o.stdout, "FATAL: Interrupted while threads were initialised; nothing was measured\n") || o.stderr != "" {
					t.Errorf("not one clear line: %v", o)
				}
			})
		}
	}
}

func TestInterruptOfPrepareWhileTheServerIsHalted(t *testing.T) {
	t.Parallel()
	s := mariadbtest.Start(t)
	var clients []*process
	for _, more := range []string{"--threads=1", "--threads=3", "--threads=1 --load=sysbench", "--threads=3 --load=sysbench"} {
		args := []string{
			"oltp_read_write", "prepare", "--tables=3", "--table-size=5000000", "--mysql-host=" + s.Host, fmt.Sprint("--mysql-port=", s.Port),
			"--mysql-user=sbtest", "--mysql-password=pw", "--mysql-db=" + s.NewDatabase(t),
		}
		p := start(t, 2*patience, "deltabench", append(args, strings.Fields(more)...)...)
		p.waitFor(t, "Inserting ", 1)
		clients = append(clients, p)
	}
	s.Stop(t)
	time.Sleep(300 * time.Millisecond)
	for _, p := range clients {
		p.signal(t, syscall.SIGINT)
	}
	sent := time.Now()
	for _, p := range clients {
		o := p.wait(t)
		if took := time.Since(sent); o.code != 130 || took > patience {
			t.Errorf("%v after the signal: exit code %d, want 130: %v", took, o.code, o)
		}
		if strings.Count(o.stdout, "FATAL: ") != 1 || !strings.Contains(o.stdout, "FATAL: prepare was interrupted; tables may be incomplete") {
			t.Errorf("not one clear line: %v", o)
		}
	}
	s.Cont(t)
}

func TestInterruptOfCleanupOfASilentServer(t *testing.T) {
	t.Parallel()
	port := impostor(t, func(net.Conn) {})
	p := start(t, 2*patience, "deltabench", "oltp_read_write", "cleanup", "--mysql-host=127.0.0.1", "--mysql-port="+port, "--thread-init-timeout=600")
	p.waitFor(t, "deltabench ", 1)
	time.Sleep(300 * time.Millisecond)
	p.signal(t, syscall.SIGTERM)
	if o := p.wait(t); o.code != 130 || !strings.Contains(o.stdout, "FATAL: cleanup was interrupted") {
		t.Errorf("exit code %d, want 130 and one line: %v", o.code, o)
	}
}

// Somebody who waits at the keyboard for a script that nobody types can leave.
func TestInterruptWhileReadingStandardInput(t *testing.T) {
	t.Parallel()
	r, w := io.Pipe()
	defer w.Close()
	p := startWith(t, 2*patience, func(c *exec.Cmd) { c.Stdin = r }, "deltabench", "-")
	p.waitFor(t, "deltabench ", 1)
	time.Sleep(300 * time.Millisecond)
	p.signal(t, syscall.SIGINT)
	go func() { time.Sleep(time.Second); w.Close() }() // exec waits for its copy of the input
	if o := p.wait(t); o.code != 130 {
		t.Errorf("exit code %d, want 130: %v", o.code, o)
	}
}

// Shells start jobs in the background with SIGINT ignored, and nohup does so with others: that stays.
func TestIgnoredInterruptStaysIgnored(t *testing.T) {
	t.Parallel()
	p := startWith(t, 2*patience, func(c *exec.Cmd) {
		bin := filepath.Join(c.Dir, "deltabench")
		c.Env = append(c.Env, "BIN="+bin)
		script := `ln -s "$0" "$BIN"; trap "" INT; exec "$BIN" "$@"`
		c.Args = append([]string{"sh", "-c", script, c.Path}, c.Args[1:]...)
		c.Path = "/bin/sh"
	}, "deltabench", "cpu", "run", "--time=2")
	p.waitFor(t, "Threads started!", 1)
	p.signal(t, syscall.SIGINT)
	if o := p.wait(t); o.code != 0 || !strings.Contains(o.stdout, "time limit (--time=2)") {
		t.Errorf("exit code %d, want 0 and the whole run: %v", o.code, o)
	}
}

// Under the name sysbench signals kill at once, as they kill sysbench.
func TestSignalsKillSysbench(t *testing.T) {
	hearHangups(t)
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			_, addr := listen(t, nullserver.Options{Delay: time.Millisecond})
			p := start(t, 2*patience, "sysbench", append([]string{"oltp_point_select", "run", "--time=600", "--threads=4", "--report-interval=1"}, addr...)...)
			p.waitFor(t, "s ] thds:", 1)
			p.signal(t, sig)
			o := p.wait(t)
			status := p.ProcessState.Sys().(syscall.WaitStatus)
			if !status.Signaled() || status.Signal() != sig {
				t.Errorf("ended with %v, want death by %v: %v", p.ProcessState, sig, o)
			}
			if strings.Contains(o.stdout, "General statistics") || o.stderr != "" {
				t.Errorf("it said more than sysbench: %v", o)
			}
		})
	}
}
