package main

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"deltabench/internal/loop"
	"deltabench/internal/mariadbtest"
	"deltabench/internal/nullserver"
)

// The server fails in the middle of runs with 1, 2 and 64 threads, with text and prepared statements, under both
// executors, all at the same time: they share the server, and the failure.

// slack is what the wall clock of a busy machine may add to `--time` + 6 s. That the interrupt itself comes 5 s
// after the limit is tested in fake time by package engine.
const slack = 30 * time.Second

type variant struct {
	threads int
	psMode  string
	engine  string
}

func variants() (all []variant) {
	engines := []string{"loop", "goroutine"}
	if !loop.Supported {
		engines = engines[1:]
	}
	for _, e := range engines {
		for _, ps := range []string{"auto", "disable"} {
			for _, n := range []int{1, 2, 64} {
				all = append(all, variant{n, ps, e})
			}
		}
	}
	return all
}

// runs is a client for each variant.
type runs struct {
	t       *testing.T
	clients []*process
}

func startAll(t *testing.T, seconds int, server []string, more ...string) *runs {
	t.Helper()
	r := &runs{t: t}
	for _, v := range variants() {
		args := append([]string{
			"oltp_read_write", "run", "--tables=2", "--table-size=1000", "--rand-type=uniform", "--report-interval=1",
			fmt.Sprintf("--time=%d", seconds), fmt.Sprintf("--threads=%d", v.threads), "--db-ps-mode=" + v.psMode, "--engine=" + v.engine,
		}, append(server, more...)...)
		r.clients = append(r.clients, start(t, time.Duration(seconds)*time.Second+6*time.Second+slack, "deltabench", args...))
	}
	return r
}

// each waits for all clients and hands them to check. A client that was killed for hanging has exit code -1, which no
// second try excuses.
func (r *runs) each(check func(o *outcome) error) error {
	r.t.Helper()
	var errs []error
	for _, c := range r.clients {
		o := c.wait(r.t)
		if o.code == -1 {
			r.t.Errorf("hung: %v", o)
			continue
		}
		if strings.Contains(o.stdout, "panic") || strings.Contains(o.stderr, "goroutine ") {
			r.t.Errorf("a panic: %v", o)
		}
		if err := check(o); err != nil {
			errs = append(errs, fmt.Errorf("%w\n%v", err, o))
		}
	}
	return errors.Join(errs...)
}

// patiently repeats a test with longer runs: on a machine so busy that the first clients end before the last ones have
// started, the fault does not meet them all.
func patiently(t *testing.T, test func(seconds int) error) {
	t.Helper()
	var err error
	for _, seconds := range []int{10, 25, 60} {
		if err = test(seconds); err == nil {
			return
		}
		t.Logf("with runs of %d s: %.200v ...", seconds, err)
	}
	t.Error(err)
}

// moving matches an interval line with events in it.
var moving = regexp.MustCompile(`\] thds: \d+ tps: (0\.[0-9]*[1-9]|[1-9])`)

// waitUntilMoving waits until every client has completed events, or has ended.
func (r *runs) waitUntilMoving() {
	r.t.Helper()
	for _, c := range r.clients {
		for !moving.MatchString(c.out.String()) && !strings.Contains(c.out.String(), "General statistics") && time.Since(c.begin) < 2*time.Minute {
			time.Sleep(20 * time.Millisecond)
		}
	}
}

func prepared(t *testing.T, s *mariadbtest.Server) []string {
	t.Helper()
	args := []string{
		"--mysql-host=" + s.Host, "--mysql-port=" + strconv.Itoa(s.Port), "--mysql-user=sbtest", "--mysql-password=pw",
		"--mysql-db=" + s.NewDatabase(t),
	}
	o := run(t, "deltabench", append([]string{"oltp_read_write", "prepare", "--tables=2", "--table-size=1000"}, args...)...)
	if o.code != 0 {
		t.Fatalf("prepare: %v", o)
	}
	return args
}

// errorTable finds the number of errors of a code in the table of errors.
func errorCount(out string, codes ...int) int64 {
	var sum int64
	for _, code := range codes {
		m := regexp.MustCompile(fmt.Sprintf(`(?m)^\s+%d\s+\S+\s+(\d+)\s`, code)).FindStringSubmatch(out)
		if m != nil {
			n, _ := strconv.ParseInt(m[1], 10, 64)
			sum += n
		}
	}
	return sum
}

func TestKilledServer(t *testing.T) {
	patiently(t, func(seconds int) error {
		s := mariadbtest.Start(t, mariadbtest.WithArgs("--max-connections=500"))
		r := startAll(t, seconds, prepared(t, s))
		r.waitUntilMoving()
		s.Kill(t)
		return r.each(func(o *outcome) error {
			switch {
			case o.code != 1:
				return fmt.Errorf("exit code %d, want 1", o.code)
			case !strings.Contains(o.stdout, "FATAL: ") || !regexp.MustCompile(`errno = (2013|2006)`).MatchString(o.stdout):
				return fmt.Errorf("no FATAL line with error 2013 or 2006")
			case errorCount(o.stdout, 2013, 2006) == 0:
				return fmt.Errorf("no count of errors by code")
			}
			return nil
		})
	})
}

func TestServerComesBack(t *testing.T) {
	patiently(t, func(seconds int) error {
		s := mariadbtest.Start(t, mariadbtest.WithArgs("--max-connections=500"))
		r := startAll(t, seconds, prepared(t, s), "--mysql-ignore-errors=all")
		r.waitUntilMoving()
		s.Kill(t)
		s.Restart(t)
		return r.each(func(o *outcome) error {
			switch {
			case o.code != 0 && o.code != 2: // 2: an event that had to wait for a lock at the end was cut short
				return fmt.Errorf("exit code %d, want 0", o.code)
			case errorCount(o.stdout, 2013, 2006) == 0:
				return fmt.Errorf("no lost connections in the table of errors")
			case !regexp.MustCompile(`reconnects: +[1-9]`).MatchString(o.stdout):
				return fmt.Errorf("no reconnects")
			case lastInterval(o.stdout) <= 0:
				return fmt.Errorf("no events in the last interval: the run did not go on")
			}
			return nil
		})
	})
}

// lastInterval is the tps of the last interval line.
func lastInterval(out string) float64 {
	m := regexp.MustCompile(`\] thds: \d+ tps: ([\d.]+)`).FindAllStringSubmatch(out, -1)
	if m == nil {
		return -1
	}
	v, _ := strconv.ParseFloat(m[len(m)-1][1], 64)
	return v
}

func TestHaltedServer(t *testing.T) {
	patiently(t, func(seconds int) error {
		s := mariadbtest.Start(t, mariadbtest.WithArgs("--max-connections=500"))
		r := startAll(t, seconds, prepared(t, s))
		r.waitUntilMoving()
		s.Stop(t)
		defer s.Cont(t)
		return r.each(interruptedAtTheEnd)
	})
}

func TestHaltedServerGoesOn(t *testing.T) {
	patiently(t, func(seconds int) error {
		s := mariadbtest.Start(t, mariadbtest.WithArgs("--max-connections=500"))
		r := startAll(t, seconds, prepared(t, s))
		r.waitUntilMoving()
		s.Stop(t)
		time.Sleep(1500 * time.Millisecond)
		s.Cont(t)
		return r.each(wentOn)
	})
}

func wentOn(o *outcome) error {
	if o.code != 0 || lastInterval(o.stdout) <= 0 {
		return fmt.Errorf("exit code %d, last interval %v events/s; want the run to go on", o.code, lastInterval(o.stdout))
	}
	return nil
}

func TestSilentNetwork(t *testing.T) {
	for _, mode := range []string{"for good", "for a while"} {
		t.Run(mode, func(t *testing.T) {
			patiently(t, func(seconds int) error {
				// Slow enough that 12 clients leave the machine air to breathe.
				s, err := nullserver.Listen(nullserver.Options{Delay: 10 * time.Millisecond})
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				host, port, _ := strings.Cut(s.Addr().String(), ":")
				r := startAll(t, seconds, []string{"--mysql-host=" + host, "--mysql-port=" + port})
				r.waitUntilMoving()
				s.Stall()
				if mode == "for good" {
					return r.each(interruptedAtTheEnd)
				}
				time.Sleep(1500 * time.Millisecond)
				s.Resume()
				return r.each(wentOn)
			})
		})
	}
}

// interruptedAtTheEnd is what a run looks like whose server stopped answering.
func interruptedAtTheEnd(o *outcome) error {
	switch {
	case o.code != 2:
		return fmt.Errorf("exit code %d, want 2", o.code)
	case !strings.Contains(o.stdout, "still running 5 seconds after the time limit"):
		return fmt.Errorf("nothing is said of the interrupted events")
	case !regexp.MustCompile(`transactions: +[1-9]`).MatchString(o.stdout):
		return fmt.Errorf("no report of what was measured")
	}
	return nil
}
