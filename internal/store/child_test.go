package store

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"deltabench/internal/study"
)

// childJob in the environment makes the test binary a process that does one of these jobs on the store of childPath.
const (
	childJob  = "DELTABENCH_STORE_TEST_JOB"
	childPath = "DELTABENCH_STORE_TEST_PATH"
)

// recordings is how many runs the job "record" records.
const recordings = 20

func child(job string) int {
	path := os.Getenv(childPath)
	fail := func(err error) int {
		fmt.Println("error:", err)
		return 3
	}
	mode := ReadWrite
	if job == "list" || job == "study" {
		mode = ReadOnly
	}
	s, err := Open(context.Background(), path, mode)
	if err != nil {
		return fail(err)
	}
	defer s.Close()
	if job == "list" {
		begin := time.Now()
		runs, err := s.Runs(context.Background(), Filter{})
		if err != nil {
			return fail(err)
		}
		took := time.Since(begin)
		if n := len(runs); runs[n-1].Tags["scenario"] != "new" && n > 1 || runs[n-1].P95Ns != 2_000_000 {
			return fail(fmt.Errorf("the last run is %+v", runs[n-1]))
		}
		fmt.Println(len(runs), "runs", int64(took), peak())
		return 0
	}
	if job == "study" {
		begin := time.Now()
		runs, err := s.StudyRuns(context.Background(), 1)
		if err != nil {
			return fail(err)
		}
		took := time.Since(begin)
		if r := runs[len(runs)-1]; len(r.Series) != studySeconds || len(r.Evidence.Status) != studyCounters {
			return fail(fmt.Errorf("the last run is %+v", r))
		}
		fmt.Println(len(runs), "runs", int64(took), peak())
		return 0
	}
	for n := 0; job == "endless" || n < recordings; n++ {
		r := studyRun("recorded", study.Key{Target: "t", Scenario: strconv.Itoa(n % 3), Workload: "w", Threads: n + 1, Round: os.Getpid()})
		r.Document, r.Tags = document(n), map[string]string{"process": strconv.Itoa(os.Getpid())}
		id, err := s.Record(context.Background(), r)
		if err != nil {
			return fail(err)
		}
		fmt.Println(id)
	}
	return 0
}

// process starts the test binary for a job.
func process(t *testing.T, job, path string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), childJob+"="+job, childPath+"="+path)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewScanner(out)
}

// acknowledged reads numbers of runs to the end of the output.
func acknowledged(t *testing.T, out *bufio.Scanner) []int64 {
	t.Helper()
	var ids []int64
	for out.Scan() {
		id, err := strconv.ParseInt(out.Text(), 10, 64)
		if err != nil {
			t.Fatalf("the process says %q", out.Text())
		}
		ids = append(ids, id)
	}
	return ids
}

// undamaged checks that every acknowledged run is there, and the store undamaged.
func undamaged(t *testing.T, path string, acknowledged []int64) {
	t.Helper()
	s := open(t, path)
	defer s.Close()
	ids, err := s.ids(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range acknowledged {
		if !slices.Contains(ids, id) {
			t.Errorf("run %d was acknowledged and is not there", id)
		}
	}
	if _, faults, err := s.Verify(t.Context()); err != nil || len(faults) > 0 {
		t.Errorf("%v %v", faults, err)
	}
	// What belongs to a run is there with it.
	for what, query := range map[string]string{
		"documents": "SELECT count(*) FROM runs WHERE id NOT IN (SELECT run_id FROM documents)",
		"places":    "SELECT count(*) FROM runs WHERE study_id IS NOT NULL AND id NOT IN (SELECT run_id FROM study_runs WHERE evidence IS NOT NULL)",
		"snapshots": "SELECT count(*) FROM facts WHERE name = 'variables' AND value NOT IN (SELECT hash FROM snapshots)",
		"costs":     "SELECT count(*) FROM study_runs WHERE run_id NOT IN (SELECT run_id FROM costs WHERE scope = 'server' AND name = 'cpuSeconds')",
	} {
		if n, err := s.texts(t.Context(), query); err != nil || n[0] != "0" {
			t.Errorf("%s are missing: %v, %v", what, n, err)
		}
	}
}

// TestTwoProcesses has two processes make a store and record in it at once.
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), ownDir, "runs.db")
	a, outA := process(t, "record", path)
	b, outB := process(t, "record", path)
	ids := slices.Concat(acknowledged(t, outA), acknowledged(t, outB))
	for _, p := range []*exec.Cmd{a, b} {
		if err := p.Wait(); err != nil {
			t.Error(err)
		}
	}
	slices.Sort(ids)
	if len(slices.Compact(ids)) != 2*recordings {
		t.Errorf("%d runs were acknowledged, want %d: %v", len(ids), 2*recordings, ids)
	}
	undamaged(t, path, ids)
	runs, err := open(t, path).Runs(t.Context(), Filter{Tags: map[string]string{"process": strconv.Itoa(a.Process.Pid)}})
	if err != nil || len(runs) != recordings {
		t.Errorf("the first process has %d runs, %v, want %d", len(runs), err, recordings)
	}
}

// TestKill kills processes that record, at random moments.
func TestKill(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "runs.db")
	var ids []int64
	for range 6 {
		p, out := process(t, "endless", path)
		time.AfterFunc(300*time.Millisecond+rand.N(200*time.Millisecond), func() { _ = p.Process.Kill() })
		ids = append(ids, acknowledged(t, out)...)
		if err := p.Wait(); err == nil {
			t.Error("the process was not killed")
		}
		undamaged(t, path, ids)
	}
	if len(ids) == 0 { // on a busy machine some are killed before their first
		t.Error("no run was recorded")
	}
}

// TestFull fills the store to a limit of SQLite's, which is the error of a full disk.
func TestFull(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	var last []int64
	if _, err := s.db.Exec("PRAGMA max_page_count = 60"); err != nil {
		t.Fatal(err)
	}
	for n := 0; ; n++ {
		id, err := s.Record(t.Context(), Recorded{Document: document(n)})
		if err == nil {
			last = append(last, id)
			continue
		}
		var p *Problem
		if !errors.As(err, &p) || p.Reason != "the disk is full" {
			t.Errorf("error %v", err)
		}
		break
	}
	if len(last) == 0 {
		t.Error("no run fitted in")
	}
	if n, err := s.ids(t.Context()); err != nil || !slices.Equal(n, last) {
		t.Errorf("after the error: runs %v, %v, acknowledged %v", n, err, last)
	}
	undamaged(t, s.path, last)
	if _, err := s.db.Exec("PRAGMA max_page_count = 100000"); err != nil {
		t.Fatal(err)
	}
	record(t, s, Recorded{Document: document(999)}) // when there is room again
}

// TestLocked is a store that another process does not let go.
func TestLocked(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	tx, err := s.db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	other := &Store{path: s.path}
	if other.db, err = connect(t.Context(), s.path, "rw", ""); err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if _, err := other.db.Exec("PRAGMA busy_timeout = 50"); err != nil {
		t.Fatal(err)
	}
	_, err = other.Record(t.Context(), Recorded{Document: document(1)})
	if err == nil || !strings.Contains(err.Error(), "another process has kept it locked for 10s") {
		t.Errorf("error %v", err)
	}
}
