package main

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the transcripts of our own face")

// TestOurFace compares our own face with its transcripts.
func TestOurFace(t *testing.T) {
	transcripts, err := readTranscripts(ourDir)
	if err != nil {
		t.Fatal(err)
	}
	recorded := map[string]*transcript{}
	for _, tr := range transcripts {
		recorded[tr.Name] = tr
	}
	s := newStage(t)
	slots := make(chan struct{}, parallel)
	t.Run("case", func(t *testing.T) {
		for _, want := range ours() {
			old := recorded[want.Name]
			delete(recorded, want.Name)
			t.Run(want.Name, func(t *testing.T) {
				t.Parallel()
				slots <- struct{}{}
				defer func() { <-slots }()
				got, err := s.execute(want)
				if err != nil {
					t.Fatal(err)
				}
				diff := "it is not recorded: go test ./internal/devtools/record -update"
				if old != nil && old.sameCase(got) {
					diff = old.compare(got)
				}
				switch {
				case diff == "":
				case *update:
					if err := os.WriteFile(filepath.Join(ourDir, want.Name+".txtar"), got.format(), 0o644); err != nil {
						t.Error(err)
					}
				default:
					t.Errorf("%s %s\n%s\n--- stdout\n%s--- stderr\n%s", want.As, quoteArgs(want.Args), diff, got.Stdout, got.Stderr)
				}
			})
		}
	})
	for name := range recorded {
		if *update {
			os.Remove(filepath.Join(ourDir, name+".txtar"))
		} else {
			t.Errorf("transcript %s has no case", name)
		}
	}
}
