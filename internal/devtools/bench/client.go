package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"

	"deltabench/internal/store"
)

// sample is one run of one client.
type sample struct {
	took       time.Duration // from start to end of the process
	queries    int64
	qps        float64       // as reported
	cpu        time.Duration // user + system of the whole process, its start included
	peak       int64         // bytes of resident memory, see peakMemory
	offered    float64       // arrivals, under a rate
	achieved   float64       // of those, completed
	latenessMs float64       // 99th percentile, under a rate
}

// cpuPerQuery is in µs.
func (s sample) cpuPerQuery() float64 { return float64(s.cpu.Nanoseconds()) / 1e3 / float64(s.queries) }

// rateError is the distance of achieved from offered in per cent.
func (s sample) rateError() float64 {
	d := (s.achieved - s.offered) / s.offered * 100
	return max(d, -d)
}

func (s sample) String() string {
	switch {
	case s == sample{}:
		return "-"
	case s.queries == 0:
		return fmt.Sprintf("%.1f ms CPU", float64(s.cpu.Microseconds())/1e3)
	case s.offered > 0:
		return fmt.Sprintf("%.0f of %.0f arrivals, late %.3f ms", s.achieved, s.offered, s.latenessMs)
	}
	return fmt.Sprintf("%8.0f q/s %6.2f µs %6.1f MB", s.qps, s.cpuPerQuery(), float64(s.peak)/1e6)
}

// measure runs a client to its end and reads its report with parse.
func measure(ctx context.Context, client string, args []string, parse func(string, *sample) error, limit time.Duration) (sample, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var s sample
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, client, args...)
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.Env = append(os.Environ(), store.PathVariable+"="+store.None) // benchmarks do not belong in the developer's store
	dieWithParent(cmd)
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return s, err
	}
	peak := watchPeak(cmd.Process.Pid)
	err := cmd.Wait()
	s.took = time.Since(begin)
	s.peak = peak()
	if ctx.Err() != nil {
		err = errors.Join(err, context.Cause(ctx))
	}
	if err != nil {
		return s, fmt.Errorf("%s: %w; it printed:\n%s", strings.Join(args, " "), err, out.Bytes())
	}
	s.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if err := parse(out.String(), &s); err != nil {
		return s, fmt.Errorf("%s: %w; it printed:\n%s", strings.Join(args, " "), err, out.Bytes())
	}
	return s, nil
}

// loaded counts the rows of a load as queries, and removes the tables for the next one.
func (b *bench) loaded(ctx context.Context, c cell, args []string, s *sample) error {
	s.queries = tables * loadSize
	s.qps = float64(s.queries) / s.took.Seconds()
	clean := append(append([]string{}, args[:len(args)-1]...), "cleanup")
	if _, err := measure(ctx, b.theirs, clean, c.parse, time.Minute); err != nil {
		return fmt.Errorf("remove the tables: %w", err)
	}
	return nil
}

var (
	queriesLine    = regexp.MustCompile(`(?m)^ +queries: +(\d+) +\(([\d.]+) per sec\.\)`)
	eventsLine     = regexp.MustCompile(`(?m)^ +total number of events: +(\d+)`)
	reconnectsLine = regexp.MustCompile(`(?m)^ +reconnects: +(\d+) `)
	offeredLine    = regexp.MustCompile(`(?m)^ +offered: +(\d+) `)
	latenessRow    = regexp.MustCompile(`(?m)^ +start lateness of idle threads \(ms\):.* p99 ([\d.]+)`)
)

// parseRun reads sysbench's cumulative report. A run with reconnects compares something else.
func parseRun(report string, s *sample) error {
	m := queriesLine.FindStringSubmatch(report)
	if m == nil {
		return errors.New("the report has no line `queries:`")
	}
	s.queries, _ = strconv.ParseInt(m[1], 10, 64) // digits, by the pattern
	s.qps, _ = strconv.ParseFloat(m[2], 64)
	if s.queries == 0 || s.qps == 0 {
		return errors.New("the run made no query")
	}
	if m := reconnectsLine.FindStringSubmatch(report); m == nil || m[1] != "0" {
		return errors.New("the run lost connections")
	}
	return nil
}

// parseRate reads, besides, what our client reports of an open loop.
func parseRate(report string, s *sample) error {
	if err := parseRun(report, s); err != nil {
		return err
	}
	for _, f := range []struct {
		what string
		re   *regexp.Regexp
		to   *float64
	}{
		{"total number of events", eventsLine, &s.achieved},
		{"offered arrivals", offeredLine, &s.offered},
		{"99th percentile of the start lateness", latenessRow, &s.latenessMs},
	} {
		m := f.re.FindStringSubmatch(report)
		if m == nil {
			return fmt.Errorf("the report does not tell the %s", f.what)
		}
		v, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			return fmt.Errorf("%s: %w", f.what, err)
		}
		*f.to = v
	}
	return nil
}
