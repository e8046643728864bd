package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"deltabench/internal/mariadbtest"
)

const (
	top    = "../../.."
	ourDir = "testdata/deltabench" // transcripts of our own face
)

// deviations are transcripts that we do not reproduce on purpose, with the exit code that we have instead.
var deviations = map[string]struct {
	exit   int
	reason string
}{}

// build compiles the program as it is released, once per test process.
func build(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "deltabench")
	cmd := exec.Command("go", "build", "-o", bin, "./cmd/deltabench")
	cmd.Dir = top
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return bin
}

// newStage starts a server for our program.
func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{program: build(t), dir: t.TempDir(), server: mariadbtest.Start(t)}
	root, err := s.server.Open("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	s.root = root
	return s
}

// TestReplay runs our program under the name sysbench on every command line that sysbench was recorded with:
// same lines on the same streams in the same order, same exit code, same rows in the tables.
func TestReplay(t *testing.T) {
	transcripts := recorded(t)
	replay(t, newStage(t), transcripts)
	for name := range deviations {
		if !slices.ContainsFunc(transcripts, func(tr *transcript) bool { return tr.Name == name }) {
			t.Errorf("the deviation %s has no transcript", name)
		}
	}
}

// TestReplayWithGoroutines does the same with the second executor, for all runs that use a database.
func TestReplayWithGoroutines(t *testing.T) {
	s := newStage(t)
	s.first = []string{"--engine=goroutine"}
	runs := slices.DeleteFunc(recorded(t), func(tr *transcript) bool {
		return !tr.needsServer() || !slices.Contains(tr.Args, "run")
	})
	if len(runs) < 60 {
		t.Fatalf("%d transcripts of runs on a server, want at least 60", len(runs))
	}
	replay(t, s, runs)
}

// recorded reads the transcripts of sysbench.
func recorded(t *testing.T) []*transcript {
	t.Helper()
	transcripts, err := readTranscripts(filepath.Join(top, transcriptDir))
	if err != nil {
		t.Fatal(err)
	}
	if len(transcripts) < 130 {
		t.Fatalf("%d transcripts, want at least 130", len(transcripts))
	}
	return transcripts
}

// replay executes transcripts, a few at a time, and compares.
func replay(t *testing.T, s *stage, transcripts []*transcript) {
	slots := make(chan struct{}, parallel)
	t.Run("case", func(t *testing.T) {
		for _, want := range transcripts {
			t.Run(want.Name, func(t *testing.T) {
				t.Parallel()
				slots <- struct{}{}
				defer func() { <-slots }()
				got, err := s.execute(want)
				if err != nil {
					t.Fatal(err)
				}
				diff := want.compare(got)
				d, deviates := deviations[want.Name]
				switch {
				case deviates && diff == "":
					t.Errorf("listed as a deviation (%s), but it is the same", d.reason)
				case deviates && got.Exit != d.exit:
					t.Errorf("exit code of the deviation (%s): got %d, want %d", d.reason, got.Exit, d.exit)
				case !deviates && diff != "":
					t.Errorf("sysbench %s\n%s\n--- our stdout\n%s--- our stderr\n%s", quoteArgs(want.Args), diff, got.Stdout, got.Stderr)
				}
			})
		}
	})
}

// TestCasesAreRecorded holds the cases and the transcripts to each other.
func TestCasesAreRecorded(t *testing.T) {
	transcripts, err := readTranscripts(filepath.Join(top, transcriptDir))
	if err != nil {
		t.Fatal(err)
	}
	recorded := map[string]*transcript{}
	for _, tr := range transcripts {
		recorded[tr.Name] = tr
	}
	seen := map[string]bool{}
	for _, want := range cases() {
		if seen[want.Name] {
			t.Errorf("two cases are named %s", want.Name)
		}
		seen[want.Name] = true
		got := recorded[want.Name]
		if got == nil {
			t.Errorf("%s is not recorded: make record", want.Name)
			continue
		}
		if g, w := quoteArgs(got.Args), quoteArgs(want.Args); g != w {
			t.Errorf("%s was recorded with other arguments: make record\n got %s\nwant %s", want.Name, g, w)
		}
	}
	for name := range recorded {
		if !seen[name] {
			t.Errorf("transcript %s has no case", name)
		}
	}
}

// TestNoSecrets looks for the password of the test server and for paths of this machine.
func TestNoSecrets(t *testing.T) {
	for _, dir := range []string{filepath.Join(top, transcriptDir), ourDir} {
		paths, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: %d transcripts, %v", dir, len(paths), err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, secret := range []string{"password=" + mariadbtest.Password + " ", "'" + mariadbtest.Password + "'", os.TempDir() + "/"} {
				if strings.Contains(string(text), secret) {
					t.Errorf("%s contains %q", path, secret)
				}
			}
		}
	}
}
