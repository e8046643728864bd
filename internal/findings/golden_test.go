package findings

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"deltabench/internal/study"
	"deltabench/internal/table"
)

var update = flag.Bool("update", false, "write testdata/*.golden anew")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs (-update writes it anew):\n--- got\n%s--- want\n%s", name, got, want)
	}
}

// TestText holds whole reports: what a person reads.
func TestText(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.factor = func(k study.Key) float64 {
		if k.Workload == "write_only" && k.Threads > 1 {
			return 0.87
		}
		return 1
	}
	w.plan.EqualLoad = []float64{0.5}
	w.plan.Findings = []study.Finding{
		{Text: "write-only loses 10 to 15 % at 32 threads", Scenario: "512M", Workload: "write_only", Threads: []int{32}, Low: -15, High: -10},
		{Text: "reading gains 20 % and more", Scenario: "512M", Workload: "read_only", Low: 20, High: 1e9},
	}
	for _, f := range []table.Format{table.Terminal, table.Markdown} {
		var b bytes.Buffer
		if err := w.analyse(t, Options{}).WriteText(&b, f, table.Style{Width: 80}); err != nil {
			t.Fatal(err)
		}
		golden(t, map[table.Format]string{table.Terminal: "terminal", table.Markdown: "markdown"}[f], b.Bytes())
	}
}
