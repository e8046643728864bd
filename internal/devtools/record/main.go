// Command record runs the installed sysbench 1.0.20 on the command lines of cases.go, against a private
// MariaDB, and stores what it prints as transcripts under internal/sysbench/testdata. The tests of this package
// run our program on the same command lines and compare.
//
//	go run ./internal/devtools/record [-only NAMEPART] [-out DIRECTORY]
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"deltabench/internal/mariadbtest"
)

// transcriptDir is where transcripts are kept, from the top of the module.
const transcriptDir = "internal/sysbench/testdata/transcripts"

// parallel is how many transcripts are executed at a time.
const parallel = 4

func main() {
	only := flag.String("only", "", "record the cases whose name contains this")
	out := flag.String("out", transcriptDir, "directory to write to")
	flag.Parse()
	if err := record(*only, *out); err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}

func record(only, out string) error {
	path, err := exec.LookPath("sysbench")
	if err != nil {
		return fmt.Errorf("find sysbench (make deps): %w", err)
	}
	version, err := exec.Command(path, "--version").Output()
	if err != nil || !strings.HasPrefix(string(version), "sysbench 1.0.20") {
		return fmt.Errorf("%s is not sysbench 1.0.20: %s %v", path, version, err)
	}
	dir, err := os.MkdirTemp("", "record")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	server, err := mariadbtest.StartProcess(dir)
	if err != nil {
		return err
	}
	defer server.Close()
	root, err := server.Open("")
	if err != nil {
		return err
	}
	defer root.Close()
	s := &stage{program: path, server: server, root: root, dir: filepath.Join(dir, "run")}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	var wanted []*transcript
	for _, c := range cases() {
		if strings.Contains(c.Name, only) {
			wanted = append(wanted, c)
		}
	}
	results, err := executeAll(s, wanted)
	if err != nil {
		return err
	}
	changed := 0
	for _, got := range results {
		path := filepath.Join(out, got.Name+".txtar")
		if old, err := os.ReadFile(path); err == nil {
			// Times differ from run to run; a transcript that says the same stays as it is.
			if t, err := parseTranscript(got.Name, old); err == nil && t.sameCase(got) && t.compare(got) == "" {
				continue
			}
		}
		changed++
		if err := os.WriteFile(path, got.format(), 0o644); err != nil {
			return err
		}
	}
	if only == "" {
		if err := removeOthers(out, results); err != nil {
			return err
		}
	}
	fmt.Printf("%d transcripts, %d of them new or changed, of %s", len(results), changed, version)
	return nil
}

// executeAll executes transcripts, some at a time, and returns what came of them in the same order.
func executeAll(s *stage, wanted []*transcript) ([]*transcript, error) {
	results := make([]*transcript, len(wanted))
	errs := make([]error, len(wanted))
	slots := make(chan struct{}, parallel)
	var wg sync.WaitGroup
	for i, t := range wanted {
		slots <- struct{}{}
		wg.Go(func() {
			results[i], errs[i] = s.execute(t)
			<-slots
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return results, nil
}

// removeOthers deletes transcripts whose case is gone.
func removeOthers(dir string, keep []*transcript) error {
	names := map[string]bool{}
	for _, t := range keep {
		names[t.Name+".txtar"] = true
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil {
		return err
	}
	for _, path := range paths {
		if !names[filepath.Base(path)] {
			if err := os.Remove(path); err != nil {
				return err
			}
		}
	}
	return nil
}
