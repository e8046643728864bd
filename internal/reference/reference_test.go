package reference

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"deltabench/internal/table"
)

var update = flag.Bool("update", false, "write testdata/*.golden anew")

func comparisons(t *testing.T, name string, threads int) *table.Comparisons {
	t.Helper()
	s, err := Find(name)
	if err != nil {
		t.Fatal(err)
	}
	c, err := s.Comparisons(threads)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Of 330 published percentages 45 contradict the values printed beside them; the others agree within 0.05 points, 254 of them
// in every digit (the remaining 31 were cut off rather than rounded, or computed from values with more digits).
func TestContradictingCells(t *testing.T) {
	c := comparisons(t, "performance-schema", 0)
	if len(c.Lines) != 330 {
		t.Fatalf("%d lines in place of 330", len(c.Lines))
	}
	records, err := read("performance_schema.csv")
	if err != nil {
		t.Fatal(err)
	}
	printed := map[string]string{}
	for _, r := range records {
		printed[r["database"]+r["workload"]+r["threads"]+r["scenario"]] = r["published_delta_percent"]
	}
	contradicted, same, near := 0, 0, 0
	for i := range c.Lines {
		l := &c.Lines[i]
		percent := 100 * (*l.Value / *l.Baseline - 1)
		text := printed[l.Target+l.Workload+fmt.Sprint(l.Threads)+l.Scenario]
		switch {
		case l.Contradicted():
			contradicted++
			if math.Abs(percent-*l.Published) <= 0.05 {
				t.Errorf("marked without reason: %+v", l)
			}
		case fmt.Sprintf("%.2f", percent) == text:
			same++
		case math.Abs(percent-*l.Published) <= 0.05:
			near++
		default:
			t.Errorf("not marked: %+v", l)
		}
	}
	if contradicted != 45 || same != 254 || near != 31 {
		t.Errorf("%d contradicted, %d the same, %d near; want 45, 254, 31", contradicted, same, near)
	}
	for _, f := range []struct {
		format table.Format
		sign   string
	}{{table.Terminal, "≠"}, {table.CSV, ",true,"}, {table.JSON, `"contradicted": true`}} {
		var b bytes.Buffer
		if err := c.Write(&b, f.format, table.ThreadRows, table.Style{Width: 80}); err != nil {
			t.Fatal(err)
		}
		want := 45
		if f.format == table.Terminal {
			want++ // the line that explains the sign
		}
		if got := strings.Count(b.String(), f.sign); got != want {
			t.Errorf("format %d: %d signs in place of %d", f.format, got, want)
		}
	}
}

// The cell that the specification names.
func TestNamedCell(t *testing.T) {
	c := comparisons(t, "performance-schema", 256)
	var b bytes.Buffer
	if err := c.Write(&b, table.Terminal, table.ThreadRows, table.Style{Width: 80}); err != nil {
		t.Fatal(err)
	}
	if want := "33,570 (−21.30%) ≠−16.14%"; !strings.Contains(b.String(), want) {
		t.Errorf("no %q in\n%s", want, b.String())
	}
}

// Little's law holds in every confidential row: 64 threads x 16 queries / 71.43 ms = 14,335 QPS, published 14,332.58.
func TestLittlesLawHoldsInConfidential(t *testing.T) {
	if got := Little(64, 16, 0.07143, 14332.58); math.Abs(got-0.0216) > 0.001 {
		t.Errorf("%v %%", got)
	}
	n := 0
	for _, l := range comparisons(t, "confidential", 0).Lines {
		if l.Metric.Name != "Little's law" {
			continue
		}
		for _, v := range []*float64{l.Baseline, l.Value} {
			if n++; math.Abs(*v) > 0.1 {
				t.Errorf("%s %s %d: %v %%", l.Target, l.Workload, l.Threads, *v)
			}
		}
	}
	if n != 24 {
		t.Errorf("%d values in place of 24", n)
	}
}

// The counts of the hotspot report belong to each other.
func TestCountsOfHotspot(t *testing.T) {
	v := map[string]float64{}
	for _, l := range comparisons(t, "hotspot", 0).Lines {
		if l.Scenario == "enterprise" {
			v[l.Metric.Name] = *l.Value
		}
	}
	if v["read"]+v["write"]+v["other"] != v["total"] || v["write"] != v["transactions"] || v["other"] != 2*v["transactions"] || v["TPS"] != 30822.67 {
		t.Errorf("%v", v)
	}
}

func TestTablesAreAsSeen(t *testing.T) {
	for _, s := range Sets() {
		for _, l := range s.Layouts {
			threads := 0
			if l == table.ScenarioRows {
				threads = HeadlineThreads
			}
			c := comparisons(t, s.Name, threads)
			for name, out := range map[string]struct {
				format table.Format
				style  table.Style
			}{
				"80":          {table.Terminal, table.Style{Width: 80}},
				"120-colour":  {table.Terminal, table.Style{Width: 120, Color: true}},
				"80-ascii":    {table.Terminal, table.Style{Width: 80, ASCII: true}},
				"in-markdown": {table.Markdown, table.Style{}},
			} {
				var b bytes.Buffer
				if err := c.Write(&b, out.format, l, out.style); err != nil {
					t.Fatal(err)
				}
				file := filepath.Join("testdata", fmt.Sprintf("%s-%s-%s.golden", s.Name, l, name))
				if *update {
					if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(b.Bytes(), want) {
					t.Errorf("%s differs (-update writes it anew):\n--- got\n%s--- want\n%s", file, b.Bytes(), want)
				}
			}
		}
	}
}

func TestWrongNamesAndThreads(t *testing.T) {
	if _, err := Find("x"); err == nil || !strings.Contains(err.Error(), "sets are performance-schema, confidential, hotspot, network, buffer-pool") {
		t.Errorf("%v", err)
	}
	for name, want := range map[string]string{
		"performance-schema": "performance-schema has no figures for 3 threads; it has 1, 2, 4",
		"hotspot":            "the figures of hotspot do not depend on a number of threads",
	} {
		s, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Comparisons(3); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := (record{"a": "x"}).number("a"); err == nil {
		t.Error("x is a number")
	}
	if _, err := (record{}).number("a"); err == nil {
		t.Error("a column that there is not")
	}
}
