package studies

import (
	"bytes"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"deltabench/internal/reference"
	"deltabench/internal/study"
)

// Every file is a study of the size that it says.
func TestStudies(t *testing.T) {
	t.Parallel()
	names := Names()
	for _, want := range []string{"buffer-pool", "confidential", "demo", "durability", "hotspot", "network", "performance-schema", "versions"} {
		if !slices.Contains(names, want) {
			t.Errorf("%s is missing", want)
		}
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := Text(name)
			if err != nil {
				t.Fatal(err)
			}
			path, err := filepath.Abs(name + ".yaml")
			if err != nil {
				t.Fatal(err)
			}
			none := func(string) string { return "" }
			for _, tc := range []struct {
				name  string
				o     study.ReadOptions
				limit time.Duration
			}{
				{"default", study.ReadOptions{Getenv: none}, 15 * time.Minute},
				{"quick", study.ReadOptions{Getenv: none, Quick: true}, 3 * time.Minute},
				{"full", study.ReadOptions{Getenv: none, Full: true}, 1e6 * time.Hour},
			} {
				if name == "demo" && tc.name == "full" {
					continue
				}
				p, err := study.Parse(path, []byte(text), tc.o)
				if err != nil {
					t.Errorf("%s: %v", tc.name, err)
					continue
				}
				if p.Study != name {
					t.Errorf("it is called %s", p.Study)
				}
				if d := p.Expected(); d > tc.limit {
					t.Errorf("%s takes about %v, want at most %v", tc.name, d, tc.limit)
				}
				if p.Rounds < 5 {
					t.Errorf("%s: %d rounds allow no verdict", tc.name, p.Rounds)
				}
				if p.Reference != "" {
					if _, err := reference.Find(p.Reference); err != nil {
						t.Error(err)
					}
				}
				var b bytes.Buffer
				if err := p.Describe(&b); err != nil || b.Len() < 500 {
					t.Errorf("%s: %v\n%s", tc.name, err, &b)
				}
			}
		})
	}
	if _, err := Text("no-such"); err == nil {
		t.Error("no error of a study that is not there")
	}
}
