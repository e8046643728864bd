package studies

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
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

// What the files and the manual say of durations is what study plan says.
func TestDurations(t *testing.T) {
	t.Parallel()
	manual, err := os.ReadFile("../docs/studies.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range Names() {
		text, err := Text(name)
		if err != nil {
			t.Fatal(err)
		}
		row := regexp.MustCompile("(?m)^\\| `" + name + "` \\|[^|]+\\|([^|]+)\\|([^|]+)\\|([^|]*)\\|$").FindStringSubmatch(string(manual))
		if row == nil {
			t.Errorf("docs/studies.md has no row of %s", name)
			continue
		}
		for i, mode := range []string{"", " --quick", " --full"} {
			if name == "demo" && mode == " --full" {
				continue
			}
			p, err := study.Parse(name+".yaml", []byte(text), study.ReadOptions{Getenv: func(string) string { return "" }, Quick: i == 1, Full: i == 2})
			if err != nil {
				t.Fatal(err)
			}
			want := study.Roughly(p.Expected())
			if got := strings.TrimSpace(row[i+1]); got != want {
				t.Errorf("docs/studies.md: %s%s takes %s, want %s", name, mode, got, want)
			}
			head := regexp.MustCompile(`(?m)^#   deltabench study run studies/` + name + `\.yaml` + mode + ` +about ` + regexp.QuoteMeta(want) + `(:|$)`)
			if name != "demo" && !head.MatchString(text) {
				t.Errorf("%s.yaml does not say: studies/%s.yaml%s  about %s", name, name, mode, want)
			}
		}
	}
}
