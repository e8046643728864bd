package main

import (
	_ "embed"
	"fmt"
	"strconv"
	"time"
)

// readOnly is a transaction as a script that builds its statements, for both clients.
//
//go:embed testdata/read_only.lua
var readOnly string

// cell is one thing to measure.
type cell struct {
	name    string // server/test/threads
	server  string // "null", "mariadb" or "" when none is needed
	test    string
	threads int
	extra   []string
	alone   bool // only our client
	rounds  int  // at most so many; 0 = all
	times   int  // runs are so many times as long as others; 0 = as long
	parse   func(report string, s *sample) error
	metrics []metric

	script  string // text of a Lua script, which is the test; test is then its file
	command string // instead of run; such a cell is measured by the time that it takes, and cleaned up after
}

// metric is a number drawn from a pair, with the target it must reach.
type metric struct {
	name    string
	of      func(p pair) float64
	single  func(s sample) float64 // the number for one client, shown beside; nil = none
	unit    string                 // of single
	format  string
	target  float64 // 0 = none
	atLeast bool    // else at most
}

// reached reports whether v meets the target.
func (m metric) reached(v float64) bool {
	if m.atLeast {
		return v >= m.target
	}
	return v <= m.target
}

const (
	tables    = 4
	tableSize = 100000
	database  = "sbtest"

	loadSize   = 200000 // rows of a table that load cells make
	loadSchema = "loaded"
)

// length is how long a run of the cell is.
func (c cell) length(d time.Duration) time.Duration { return d * time.Duration(max(1, c.times)) }

// args is the command line of both clients.
func (c cell) args(port int, length time.Duration, seed uint64) []string {
	if c.server == "" {
		return c.extra
	}
	if c.command != "" {
		// Later options win.
		return append(append([]string{c.test}, connection(port)...), "--mysql-db="+loadSchema,
			"--table-size="+strconv.Itoa(loadSize), "--threads="+strconv.Itoa(c.threads), c.command)
	}
	return append(append([]string{c.test}, connection(port)...), append([]string{
		"--threads=" + strconv.Itoa(c.threads),
		"--time=" + seconds(length),
		"--events=0",
		"--rand-type=uniform",
		"--rand-seed=" + strconv.FormatUint(seed, 10),
		"--db-ps-mode=auto",
	}, append(c.extra, "run")...)...)
}

// connection is the part of a command line that prepare and run share.
func connection(port int) []string {
	return []string{
		"--db-driver=mysql", "--mysql-host=127.0.0.1", "--mysql-port=" + strconv.Itoa(port),
		"--mysql-user=sbtest", "--mysql-password=pw", "--mysql-db=" + database,
		"--tables=" + strconv.Itoa(tables), "--table-size=" + strconv.Itoa(tableSize),
	}
}

// Targets are the project's own; a ratio is ours / theirs within a pair.
func cpuPerQuery(atMost float64) metric {
	return metric{
		name: "client CPU per query", format: "%.3f", target: atMost,
		of:     func(p pair) float64 { return p.ours.cpuPerQuery() / p.theirs.cpuPerQuery() },
		single: sample.cpuPerQuery, unit: "µs",
	}
}

func throughput(atLeast float64) metric {
	return metric{
		name: "QPS", format: "%.3f", target: atLeast, atLeast: true,
		of:     func(p pair) float64 { return p.ours.qps / p.theirs.qps },
		single: func(s sample) float64 { return s.qps }, unit: "/s",
	}
}

// speed is how many rows are loaded in a second.
func speed(atLeast float64) metric {
	m := throughput(atLeast)
	m.name = "rows loaded per second"
	return m
}

func memory(atMost float64) metric {
	mb := func(s sample) float64 { return float64(s.peak) / 1e6 }
	return metric{
		name: "peak memory, MB", format: "%.1f", target: atMost,
		of: func(p pair) float64 { return mb(p.ours) }, single: mb, unit: "MB",
	}
}

// allCells is the plan.
func allCells() []cell {
	var cells []cell
	add := func(c cell) { cells = append(cells, c) }

	for _, n := range []struct {
		threads     int
		cpu, qps, m float64
	}{{16, 0.65, 0, 0}, {64, 0.58, 1.6, 0}, {256, 0.40, 0, 0}, {1024, 0.16, 5, 25}} {
		add(cell{
			name: fmt.Sprintf("null/oltp_point_select/%d", n.threads), server: "null", test: "oltp_point_select",
			threads: n.threads, parse: parseRun,
			metrics: []metric{cpuPerQuery(n.cpu), throughput(n.qps), memory(n.m)},
		})
	}
	for _, n := range []struct {
		threads     int
		cpu, qps, m float64
		times       int
	}{{64, 0.85, 1.2, 0, 1}, {1024, 0.3, 0, 200, 4}} {
		add(cell{
			name: fmt.Sprintf("null/lua/oltp_read_only/%d", n.threads), server: "null", script: readOnly, test: "read_only.lua",
			threads: n.threads, parse: parseRun, metrics: []metric{cpuPerQuery(n.cpu), throughput(n.qps), memory(n.m)},
			times: n.times, // the CPU of the start, with an interpreter for each thread, is in it
		})
	}
	add(cell{
		name: "null/memory/10000", server: "null", test: "oltp_point_select", threads: 10000,
		alone: true, rounds: 3, parse: parseRun, metrics: []metric{memory(200)},
	})
	add(cell{
		name: "null/rate/1000", server: "null", test: "oltp_point_select", threads: 1000,
		extra: []string{"--rate=10000", "--percentile=99"}, alone: true, parse: parseRate,
		metrics: []metric{
			{
				name: "|achieved - offered|, % of offered", format: "%.3f", target: 0.2,
				of: func(p pair) float64 { return p.ours.rateError() },
			},
			{
				name: "start lateness p99, ms", format: "%.3f", target: 1,
				of: func(p pair) float64 { return p.ours.latenessMs },
			},
		},
	})
	for _, n := range []struct {
		test    string
		threads int
		qps     float64
	}{
		{"oltp_point_select", 1, 1.2},
		{"oltp_point_select", 16, 0.85},
		{"oltp_point_select", 64, 0.85},
		{"oltp_point_select", 256, 1.1},
		{"oltp_point_select", 1024, 1.3},
		{"oltp_read_only", 1, 0.85},
		{"oltp_read_only", 16, 0.85},
		{"oltp_read_only", 64, 0.85},
		{"oltp_read_only", 256, 0.85},
		{"oltp_read_write", 1, 0.85},
		{"oltp_read_write", 16, 0.85},
		{"oltp_read_write", 64, 0.85},
		{"oltp_read_write", 256, 0.85},
	} {
		add(cell{
			name: fmt.Sprintf("mariadb/%s/%d", n.test, n.threads), server: "mariadb", test: n.test,
			threads: n.threads, parse: parseRun, metrics: []metric{throughput(n.qps)},
		})
	}
	for _, n := range []struct {
		threads int
		speed   float64
	}{{1, 1.7}, {4, 1.4}} {
		add(cell{
			name: fmt.Sprintf("mariadb/load/%d", n.threads), server: "mariadb", test: "oltp_read_write", command: "prepare",
			threads: n.threads, rounds: 6, parse: func(string, *sample) error { return nil }, metrics: []metric{speed(n.speed)},
		})
	}
	add(cell{
		name: "version", extra: []string{"--version"}, alone: true,
		parse: func(string, *sample) error { return nil },
		metrics: []metric{{
			name: "CPU of --version, ms", format: "%.1f", target: 30,
			of: func(p pair) float64 { return float64(p.ours.cpu.Microseconds()) / 1e3 },
		}},
	})
	return cells
}
