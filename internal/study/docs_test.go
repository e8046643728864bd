package study

import (
	"os"
	"regexp"
	"testing"
)

// Every example of the manual is a study that can be planned.
func TestManual(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/studies.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(text, -1)
	if len(examples) < 4 {
		t.Fatalf("%d examples", len(examples))
	}
	for _, e := range examples {
		for _, o := range []ReadOptions{{}, {Quick: true}} {
			if _, err := Parse("studies.md", e[1], o); err != nil {
				t.Errorf("%v\n%s", err, e[1])
			}
		}
	}
}
