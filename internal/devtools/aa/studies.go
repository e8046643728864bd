package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// What a correct program stays within (issue 6): false claims, and slowdowns found of twenty studies.
const (
	maxFalseStudies = 3
	minFoundStudies = 18
)

// poolStudy is studies/buffer-pool.yaml in short: data of some 25 MB, pools of the same size, one round a server start.
const poolStudy = `study: identical
question: Are two servers with the same buffer pool told apart?
targets:
  - name: server
    managed: {server: auto}
data: {workload: oltp_read_only, tables: 1, table_size: 100000}
workloads: [oltp_read_only]
threads: [%d]
time: %ds
rounds: %d
seed: %d
metric: tps
state: restore
scenarios:
  - {name: one, baseline: true, server: {innodb_buffer_pool_size: 16M}}
  - {name: two, server: {innodb_buffer_pool_size: 16M}}
`

// slowStudy has a wait in the server that is 5.4 % longer: in a closed loop, 5 % fewer events.
const slowStudy = `study: slower
question: Is a server that waits 5 percent longer found?
targets:
  - name: server
    managed: {server: auto}
data: {workload: oltp_read_only, tables: 1, table_size: 10000}
workloads: [{name: event, script: event.lua, options: {wait: 10000}}]
threads: [%d]
time: %ds
rounds: %d
seed: %d
metric: tps
state: restore
scenarios:
  - {name: before, baseline: true}
  - {name: after, options: {wait: 10540}}
`

// studies counts the verdicts of short studies on managed servers.
func (t *trial) studies(ctx context.Context, out io.Writer) error {
	dir, err := os.MkdirTemp("", "aa-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "event.lua"), []byte(eventScript), 0o600); err != nil {
		return err
	}
	fmt.Fprintf(out, "studies on managed servers, %d threads, %d s a run, %d rounds of a fresh start each\n", t.threads, t.seconds, t.rounds)
	claims := 0
	if !t.slower {
		if claims, err = t.countStudies(ctx, out, dir, "identical", poolStudy, "better", "worse"); err != nil {
			return err
		}
		fmt.Fprintf(out, "identical scenarios: better or worse in %d of %d (at most %d of 20 are allowed)\n", claims, t.repeats, maxFalseStudies)
	}
	found, err := t.countStudies(ctx, out, dir, "5 % slower", slowStudy, "worse")
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "5 %% slower: worse in %d of %d (at least %d of 20 are asked)\n", found, t.repeats, minFoundStudies)
	if 20*claims > maxFalseStudies*t.repeats || 20*found < minFoundStudies*t.repeats {
		return errors.New("outside of what was asked")
	}
	return nil
}

// countStudies executes a study many times and returns how many have one of the verdicts.
func (t *trial) countStudies(ctx context.Context, out io.Writer, dir, what, text string, verdicts ...string) (int, error) {
	n := 0
	for i := range t.repeats {
		file := filepath.Join(dir, "study.yaml")
		if err := os.WriteFile(file, fmt.Appendf(nil, text, t.threads, t.seconds, t.rounds, i+1), 0o600); err != nil {
			return 0, err
		}
		var stdout, stderr bytes.Buffer
		cmd := exec.CommandContext(ctx, t.program, "study", "run", file, "--format=json", "--html=none",
			"--store="+filepath.Join(dir, "runs.db"), "--work-dir="+filepath.Join(dir, "work"))
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
		if err := cmd.Run(); err != nil {
			return 0, fmt.Errorf("study run: %w: %s", err, stderr.String())
		}
		line, verdict, err := summary(stdout.Bytes())
		if err != nil {
			return 0, fmt.Errorf("study run: %w: %s", err, stdout.String())
		}
		fmt.Fprintf(out, "%-10s %2d of %d: %s\n", what, i+1, t.repeats, line)
		for _, v := range verdicts {
			if v == verdict {
				n++
			}
		}
	}
	return n, nil
}
