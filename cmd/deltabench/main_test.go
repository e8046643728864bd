package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"deltabench/internal/mariadbtest"
	"deltabench/internal/store"
)

// runAsMain in the environment makes the test binary behave as the program, so that tests run the real thing
// as a process of its own, under the race detector when they are.
const runAsMain = "DELTABENCH_TEST_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(runAsMain) != "" {
		main()
	}
	// Nothing of the tests is recorded in the store of whoever runs them; tests of recording name stores of their own.
	os.Setenv(store.PathVariable, store.None)
	os.Exit(mariadbtest.Main(m))
}

// outcome is what a process left behind.
type outcome struct {
	args   []string
	code   int
	stdout string
	stderr string
	took   time.Duration
}

func (o *outcome) String() string {
	return fmt.Sprintf("%v: exit code %d after %v\n--- stdout\n%s--- stderr\n%s", o.args, o.code, o.took.Round(time.Millisecond), o.stdout, o.stderr)
}

// process is the program while it runs.
type process struct {
	*exec.Cmd
	outcome
	out, err buffer
	begin    time.Time
	cancel   context.CancelFunc
}

// buffer is a bytes.Buffer that can be read while a process writes to it.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// start starts the program under a name (deltabench, sysbench). It is killed when it takes longer than limit.
func start(t *testing.T, limit time.Duration, name string, args ...string) *process {
	t.Helper()
	return startWith(t, limit, func(*exec.Cmd) {}, name, args...)
}

// startWith is start with a change of the command before it is started.
func startWith(t *testing.T, limit time.Duration, change func(*exec.Cmd), name string, args ...string) *process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	p := &process{Cmd: exec.CommandContext(ctx, self), begin: time.Now(), cancel: cancel}
	p.outcome.args = append([]string{name}, args...)
	p.Cmd.Args = p.outcome.args
	p.Dir = t.TempDir()
	p.Env = append(os.Environ(), runAsMain+"=1")
	p.Stdout, p.Stderr = &p.out, &p.err
	change(p.Cmd)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

// wait waits for the end.
func (p *process) wait(t *testing.T) *outcome {
	t.Helper()
	err := p.Wait()
	p.cancel()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%v: %v", p.outcome.args, err)
	}
	p.outcome.took = time.Since(p.begin)
	p.outcome.code, p.outcome.stdout, p.outcome.stderr = p.ProcessState.ExitCode(), p.out.String(), p.err.String()
	return &p.outcome
}

// run runs the program to its end.
func run(t *testing.T, name string, args ...string) *outcome {
	t.Helper()
	return start(t, 2*time.Minute, name, args...).wait(t)
}

// waitFor waits until a condition holds.
func waitFor(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not in time: %s", what)
		}
	}
}
