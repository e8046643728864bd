package compare

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// words is what is printed for each reason and warning: docs/statistics.md explains these words.
var words = map[string]string{
	"RefusedNoRound": "no round has both sides", "RefusedOneRound": "no interval is possible, so no claim", "RefusedTwoRounds": "its factor is 12.7",
	"RefusedOneStart": "the servers were started once each: this compares two starts, not two configurations (n = 1)",
	"RefusedFixed":    "the same number in every round", "RefusedNoEvents": "completed no event", "RefusedFewEvents": "events are too few for",
	"RefusedRate": "throughput under --rate is set by the client", "RefusedFewRuns": "a side has no run",

	"WarnOutlier": "is far from the others", "WarnCheck": "the check line (signed ranks", "WarnGrid": "the values have steps of", "WarnTrend": "data ages",
	"WarnToldApart": "identical systems were told apart", "WarnFewRounds": "8 or more rounds allow the stronger test",
	"WarnSameStart": "one server start: says nothing about other starts", "WarnNotInterleaved": "runs were not interleaved",
	"WarnSecondary": "secondary metric", "WarnStopping": "95 % after a stopping rule", "WarnExtended": "that were planned",
}

// TestDocumented holds docs/statistics.md to the words that are printed, and to the verdicts.
func TestDocumented(t *testing.T) {
	doc := read(t, filepath.Join("..", "..", "docs", "statistics.md"))
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	source := ""
	var names []string
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		source += read(t, file)
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if v, ok := n.(*ast.ValueSpec); ok {
				for _, name := range v.Names {
					if strings.HasPrefix(name.Name, "Warn") || strings.HasPrefix(name.Name, "Refused") {
						names = append(names, name.Name)
					}
				}
			}
			return true
		})
	}
	if len(names) != len(words) {
		t.Errorf("%d reasons and warnings, %d have words here", len(names), len(words))
	}
	source = strings.ReplaceAll(source, "%%", "%")
	for _, name := range names {
		phrase, ok := words[name]
		switch {
		case !ok:
			t.Errorf("%s: its words are missing here, and perhaps in docs/statistics.md", name)
		case !strings.Contains(doc, phrase):
			t.Errorf("%s: docs/statistics.md does not explain %q", name, phrase)
		case !strings.Contains(source, phrase):
			t.Errorf("%s: nothing prints %q any more", name, phrase)
		}
	}
	for v := None; v <= Equivalent; v++ {
		if !strings.Contains(doc, "**"+v.String()+"**") {
			t.Errorf("docs/statistics.md does not explain the verdict %s", v)
		}
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
