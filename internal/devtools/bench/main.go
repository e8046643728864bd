// Command bench measures deltabench against the installed sysbench on this machine (`make bench`):
// client CPU per query, throughput and memory against a server that answers at once, throughput against a
// private MariaDB, and what deltabench promises alone (accuracy of --rate, memory at 10,000 connections,
// CPU of --version).
//
// Runs come in rounds; a round measures every cell once, in shuffled order, and each cell as a pair: both
// clients one right after the other, order drawn by the seed, with the same options and random seed. What
// is judged is the ratio within pairs: its median over the rounds, with an interval from order statistics,
// which assumes nothing about the distribution.
//
// The table goes to standard output, and of a full bench to docs/bench.md; single runs go to a CSV file.
// The exit code is 1 when a run failed, not when a target was missed: the machine may be too busy to tell.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"
)

func main() {
	// Children die with the thread that started them; the main thread lives as long as the process.
	runtime.LockOSThread()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// settings are the flags.
type settings struct {
	ours, theirs string // clients
	nullserver   string
	only         *regexp.Regexp // names of cells; nil = all
	pairs        int
	time         time.Duration // of a run; whole seconds
	seed         uint64
	out, raw     string // files, may be empty
}

// parse reads the flags; flag.ErrHelp means that help or the list of cells was printed.
func parse(args []string, out, errOut io.Writer) (settings, error) {
	var s settings
	fs := flag.NewFlagSet("bench", flag.ContinueOnError)
	fs.SetOutput(errOut)
	fs.StringVar(&s.ours, "ours", "bin/deltabench", "our client")
	fs.StringVar(&s.theirs, "theirs", "sysbench", "the client to compare with")
	fs.StringVar(&s.nullserver, "nullserver", "bin/nullserver", "the server that answers at once")
	only := fs.String("only", "", "measure only cells whose name matches this `regexp`, such as null|version")
	fs.IntVar(&s.pairs, "pairs", 9, "rounds; fewer than 6 give no 95 % interval")
	fs.DurationVar(&s.time, "time", 2*time.Second, "length of a run, whole seconds")
	fs.Uint64Var(&s.seed, "seed", 1, "seed of orders and, plus the round, of the clients")
	fs.StringVar(&s.out, "out", "", "file for the table (default docs/bench.md for a full bench)")
	fs.StringVar(&s.raw, "raw", "bin/bench.csv", "file for the single runs")
	list := fs.Bool("list", false, "print the names of the cells and stop")
	if err := fs.Parse(args); err != nil {
		return s, err
	}
	if *list {
		for _, c := range allCells() {
			fmt.Fprintln(out, c.name)
		}
		return s, flag.ErrHelp
	}
	if *only != "" {
		re, err := regexp.Compile(*only)
		if err != nil {
			return s, fmt.Errorf("-only: %w", err)
		}
		s.only = re
	} else if s.out == "" {
		s.out = "docs/bench.md"
	}
	if s.pairs < 1 || s.time < time.Second || s.time%time.Second != 0 {
		return s, errors.New("-pairs is at least 1 and -time a positive number of whole seconds")
	}
	return s, nil
}

func run(ctx context.Context, args []string, out, errOut io.Writer) int {
	s, err := parse(args, out, errOut)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		fmt.Fprintln(errOut, err)
		return 2
	}
	load, _, _ := strings.Cut(procText("/proc/loadavg"), " ")
	b := &bench{settings: s, log: errOut, started: time.Now(), load: load}
	if l, err := strconv.ParseFloat(load, 64); err == nil && l > 0.5 {
		fmt.Fprintf(errOut, "warning: other work is running here (load average %s); the ratios will scatter\n", load)
	}
	for _, c := range allCells() {
		if s.only == nil || s.only.MatchString(c.name) {
			b.results = append(b.results, &result{cell: c})
		}
	}
	if len(b.results) == 0 {
		fmt.Fprintln(errOut, "-only matches no cell; -list prints them")
		return 2
	}
	defer b.close()
	if err := b.prepare(ctx); err != nil {
		fmt.Fprintln(errOut, err)
		return 1
	}
	b.rounds(ctx)
	if err := b.report(out); err != nil {
		fmt.Fprintln(errOut, err)
		return 1
	}
	if b.failed > 0 {
		return 1
	}
	return 0
}

// bench is one execution of the command.
type bench struct {
	settings
	log     io.Writer
	started time.Time
	load    string // load average over a minute, at the start
	servers map[string]server
	dir     string // of servers and scripts, removed at the end
	results []*result
	failed  int // runs
	done    int // complete rounds
}

// result collects the runs of a cell.
type result struct {
	cell
	pairs []pair
	err   error // of the last run that failed
}

// pair is one cell in one round. theirs is the zero sample for cells that measure us alone.
type pair struct {
	round        int
	oursFirst    bool
	ours, theirs sample
}

// rounds measures all cells until the rounds are over or ctx ends.
func (b *bench) rounds(ctx context.Context) {
	rng := rand.New(rand.NewPCG(b.seed, 0))
	for round := range b.pairs {
		for _, i := range rng.Perm(len(b.results)) {
			r := b.results[i]
			oursFirst := rng.IntN(2) == 0 // drawn always: the orders depend on the seed and on -only alone
			if r.rounds > 0 && round >= r.rounds {
				continue
			}
			p := pair{round: round, oursFirst: oursFirst}
			err := b.pair(ctx, r.cell, &p)
			if ctx.Err() != nil {
				fmt.Fprintln(b.log, "interrupted; the table shows the rounds so far")
				return
			}
			if err != nil {
				b.failed++
				r.err = err
				fmt.Fprintf(b.log, "[%d/%d] %s: %v\n", round+1, b.pairs, r.name, err)
				continue
			}
			r.pairs = append(r.pairs, p)
			fmt.Fprintf(b.log, "[%d/%d] %-32s ours %v; theirs %v\n", round+1, b.pairs, r.name, p.ours, p.theirs)
		}
		b.done++
	}
}

// pair runs both clients.
func (b *bench) pair(ctx context.Context, c cell, p *pair) error {
	length := c.length(b.time)
	args := c.args(b.servers[c.server].port, length, b.seed+uint64(p.round))
	steps := []struct {
		client string
		to     *sample
	}{{b.ours, &p.ours}, {b.theirs, &p.theirs}}
	if !p.oursFirst {
		steps[0], steps[1] = steps[1], steps[0]
	}
	for _, step := range steps {
		if c.alone && step.to == &p.theirs {
			continue
		}
		var err error
		if *step.to, err = measure(ctx, step.client, args, c.parse, length+time.Minute); err != nil {
			return fmt.Errorf("%s: %w", step.client, err)
		}
		if c.command != "" {
			if err := b.loaded(ctx, c, args, step.to); err != nil {
				return err
			}
		}
	}
	return nil
}

func seconds(d time.Duration) string { return strconv.Itoa(int(d / time.Second)) }
