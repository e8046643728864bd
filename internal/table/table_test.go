package table

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"flag"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/perf/benchfmt"

	"deltabench/docs/schema"
	"deltabench/internal/compare"
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

var queries = Metric{Name: "QPS", Unit: "queries/s"}

// study is a comparison with everything that tables can meet: verdicts of all kinds, a refusal, a failed round, a mean, a
// value that is not known, a warning, a second metric.
func study() *Comparisons {
	margin := 2.0
	claim := func(verdict string, estimate, low, high float64) *Claim {
		return &Claim{
			N: 8, Of: 8, Estimate: &estimate, Interval: &Interval{low, high, 95}, P: new(0.0012), AdjustedP: new(0.0234), Verdict: verdict,
			Adjustment: "Holm", Detectable: new(2.2243), Interleaved: true,
		}
	}
	worse := claim("worse", -12.8812, -13.6012, -12.0931)
	worse.Check = &Check{Method: "Hodges-Lehmann", Estimate: -12.79, Interval: Interval{-13.71, -12.04, 96.09}}
	failed := claim("undecided", 2.41, 0.21, 4.69)
	failed.N, failed.Reason, failed.Warnings = 7, "not beyond chance among 6 comparisons (adjusted p = 0.08)", []string{"round 3 is far from the others: look at it"}
	failed.Forecast = &Forecast{1, 12, 8, 30}
	line := func(threads int, scenario string, base, value float64, c *Claim) Line {
		return Line{Metric: queries, Workload: "oltp_read_only", Threads: threads, Scenario: scenario, Baseline: &base, Value: &value, Claim: c}
	}
	mean := line(0, "new", 0, 0, claim("equivalent", -0.41, -0.912, 0.11))
	mean.Mean, mean.Baseline, mean.Value = true, nil, nil
	refused := line(32, "other", 47176, math.NaN(), &Claim{N: 1, Of: 1, Reason: "one round: no interval is possible, so no claim"})
	p99 := line(8, "new", 8.13, 7.4, claim("better", -8.9771, -21.2, 5.1))
	p99.Metric = Metric{Name: "p99", Unit: "ms", LowerIsBetter: true, Secondary: true}
	first := line(8, "new", 12345.678, 10755.43, worse)
	first.BaselineRuns = Values{12300, 12340.5, math.NaN(), 12400}
	first.ValueRuns = Values{10700, 10760, 10790, math.Inf(1)}
	return &Comparisons{
		Title: "new | old", Baseline: "old", Margin: &margin, Family: 6, Method: "Interleaved rounds; Student's t on logarithms of ratios.",
		Before: []string{"db-ps-mode: auto in old, disable in new"}, Notes: []string{"This data would have shown 2.2 %."},
		Lines: []Line{
			line(32, "new", 47176, 48312, failed), first, mean, refused, p99,
			line(8, "other", 12345.678, 12399, claim("equivalent", 0.432, -0.12, 0.99)),
		},
	}
}

func write(t *testing.T, c *Comparisons, f Format, l Layout, s Style) string {
	t.Helper()
	var b bytes.Buffer
	if err := c.Write(&b, f, l, s); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Every layout in every style is as it was looked at.
func TestTablesAreAsSeen(t *testing.T) {
	for i, name := range LayoutNames() {
		l := Layout(i)
		golden(t, name+"-80", []byte(write(t, study(), Terminal, l, Style{Width: 80})))
		golden(t, name+"-120-colour", []byte(write(t, study(), Terminal, l, Style{Width: 120, Color: true})))
		golden(t, name+"-80-ascii", []byte(write(t, study(), Terminal, l, Style{Width: 80, ASCII: true})))
		golden(t, name+"-markdown", []byte(write(t, study(), Markdown, l, Style{})))
	}
	golden(t, "csv", []byte(write(t, study(), CSV, List, Style{})))
	golden(t, "json", []byte(write(t, study(), JSON, List, Style{})))
	golden(t, "bench", []byte(write(t, study(), Bench, List, Style{})))
}

var escapes = regexp.MustCompile("\x1b\\[[0-9]*m")

// Lines fit in the width, colours add nothing to the text, ASCII is ASCII.
func TestStyles(t *testing.T) {
	for i, name := range LayoutNames() {
		for _, width := range []int{20, 30, 40, 60, 80, 120, 200} {
			plain := write(t, study(), Terminal, Layout(i), Style{Width: width})
			for line := range strings.Lines(plain) {
				if w := cellWidth(strings.TrimRight(line, "\n")); w > width {
					t.Errorf("%s: %d columns in place of %d: %q", name, w, width, line)
				}
			}
			coloured := write(t, study(), Terminal, Layout(i), Style{Width: width, Color: true})
			if got := escapes.ReplaceAllString(coloured, ""); got != plain {
				t.Errorf("%s, %d columns: colours change the text:\n%s", name, width, got)
			}
			if strings.Contains(plain, "\x1b") {
				t.Errorf("%s: colours without being asked", name)
			}
			ascii := write(t, study(), Terminal, Layout(i), Style{Width: width, ASCII: true})
			for _, r := range ascii {
				if r > 126 {
					t.Errorf("%s: %q in ASCII:\n%s", name, r, ascii)
					break
				}
			}
		}
	}
	if got := write(t, study(), Terminal, List, Style{Width: 80, Color: true}); !strings.Contains(got, "\x1b[31m−12.9 %\x1b[0m \x1b[31m[−13.6, −12.1]\x1b[0m n=8") {
		t.Errorf("no red cell:\n%s", got)
	}
}

// The form of a change: digits come from the width of the interval, and what is not finite is no number.
func TestForms(t *testing.T) {
	for _, tc := range []struct {
		low, high float64
		want      int
	}{{-13.6, -12.1, 1}, {-3.4959, -2.5179, 2}, {-30, 12, 1}, {0.0101, 0.0122, 4}, {-300, 900, 1}, {1, 1, 1}} {
		if got := placesOf(tc.high - tc.low); got != tc.want {
			t.Errorf("[%v, %v]: %d decimals, want %d", tc.low, tc.high, got, tc.want)
		}
	}
	for _, tc := range []struct {
		got, want string
	}{
		{signed(-12.88, 1), "−12.9"},
		{signed(0.04, 1), "+0.0"},
		{signed(-0.04, 1), "−0.0"},
		{signed(0, 1), "0.0"},
		{decimal(1865967, 0), "1,865,967"},
		{decimal(-1234.5, 1), "−1,234.5"},
		{decimal(-0.2, 0), "0"},
		{decimal(999, 0), "999"},
		{toASCII("−1 ± 2 – ≠ 日"), "-1 +/- 2 - != ?"},
		{asciiMarks("worse ¹ ¹²"), "worse [1] [12]"},
		{escape("a|b *x* `y` <b> @me oltp_read_only _z_"), "a\\|b \\*x\\* \\`y\\` &lt;b> &#64;me oltp_read_only \\_z\\_"},
		{text("=HYPERLINK(1)"), "'=HYPERLINK(1)"},
		{text("--db-ps-mode=auto"), "'--db-ps-mode=auto"},
		{text("@x"), "'@x"},
		{clean("a\x1b[31m\nb\u202e"), "a [31m b "},
	} {
		if tc.got != tc.want {
			t.Errorf("%q, want %q", tc.got, tc.want)
		}
	}
	if got := cellWidth("日本e\u0301"); got != 5 {
		t.Errorf("width %d, want 5", got)
	}
	broken := study() // what package compare never makes
	nan := math.NaN()
	broken.Margin = &nan
	for i := range broken.Lines {
		c := broken.Lines[i].Claim
		broken.Lines[i].Value = &nan
		c.Estimate, c.P, c.Interval, c.Check = &nan, &nan, &Interval{nan, math.Inf(1), 95}, &Check{"x", nan, Interval{nan, nan, nan}}
	}
	for _, f := range []Format{Terminal, Markdown, CSV, JSON, Bench} {
		for i := range LayoutNames() {
			if got := write(t, broken, f, Layout(i), Style{Width: 80}); strings.Contains(got, "NaN") || strings.Contains(got, "Inf") {
				t.Errorf("%s, %s: a number that is none:\n%s", formatNames[f], Layout(i), got)
			}
		}
		for i := range LayoutNames() {
			if got := write(t, study(), f, Layout(i), Style{Width: 80}); strings.Contains(got, "NaN") || strings.Contains(got, "Inf") {
				t.Errorf("%s, %s: a number that is none:\n%s", formatNames[f], Layout(i), got)
			}
		}
	}
}

func TestCSVIsPlainNumbers(t *testing.T) {
	content := write(t, study(), CSV, List, Style{})
	if strings.Count(content, "\r\n") != strings.Count(content, "\n") {
		t.Error("line ends are not those of RFC 4180")
	}
	rows, err := csv.NewReader(strings.NewReader(content)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 1+len(study().Lines) {
		t.Fatalf("%d rows", len(rows))
	}
	column := func(name string) int {
		for i, head := range rows[0] {
			if head == name {
				return i
			}
		}
		t.Fatalf("no column %q in %q", name, rows[0])
		return 0
	}
	for _, row := range rows[1:] {
		if row[column("threads")] == "8" && row[column("scenario")] == "new" && row[column("metric")] == "QPS" {
			for name, want := range map[string]string{"change (%)": "-12.8812", "low (%)": "-13.6012", "n (rounds)": "8", "verdict": "worse", "adjusted p": "0.0234"} {
				if got := row[column(name)]; got != want {
					t.Errorf("%s: %q, want %q", name, got, want)
				}
			}
		}
	}
	evil := &Comparisons{Lines: []Line{{Metric: queries, Workload: "=1+1", Scenario: "+x", Value: new(1.0)}}}
	if got := write(t, evil, CSV, List, Style{}); !strings.Contains(got, ",'+x,") || !strings.Contains(got, "'=1+1") {
		t.Errorf("names that spreadsheets execute:\n%s", got)
	}
}

// Documents are what the published schema says, and have all of a claim.
func TestJSONFitsItsSchema(t *testing.T) {
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema.Comparisons1))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("comparisons-1.json", parsed); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("comparisons-1.json")
	if err != nil {
		t.Fatal(err)
	}
	for name, in := range map[string]*Comparisons{"study": study(), "empty": {}, "judged": judged(t)} {
		content := write(t, in, JSON, List, Style{})
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(content))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(v); err != nil {
			t.Errorf("%s: %v\n%s", name, err, content)
		}
	}
	wrong, err := jsonschema.UnmarshalJSON(strings.NewReader(strings.Replace(write(t, study(), JSON, List, Style{}), `"verdict": "worse"`, `"verdict": "slow"`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	if s.Validate(wrong) == nil {
		t.Error("the schema takes a verdict that there is not")
	}
}

// judged is a comparison that package compare made: example E1 of the specification.
func judged(t *testing.T) *Comparisons {
	t.Helper()
	base := []float64{10012, 9987, 10105, 9950, 10041, 9902, 10078, 9995}
	values := []float64{9721, 9655, 9868, 9587, 9754, 9689, 9777, 9612}
	r, err := compare.NewRow("new", "8 threads", base, values)
	if err != nil {
		t.Fatal(err)
	}
	r.Workload = "oltp_read_only"
	cs, err := compare.Plan{Margin: 2}.Judge([]compare.Row{r})
	if err != nil {
		t.Fatal(err)
	}
	l := NewLine(queries, &cs[0])
	l.Threads, l.BaselineRuns, l.ValueRuns = 8, base, values
	return &Comparisons{Baseline: "old", Margin: new(2.0), Lines: []Line{l}}
}

// A claim of package compare arrives in the table with its digits, n, check line and verdict.
func TestClaimsOfCompare(t *testing.T) {
	got := write(t, judged(t), Terminal, List, Style{Width: 80})
	for _, want := range []string{"−3.01 % [−3.50, −2.52] n=8 worse", "−2.99 % [−3.58, −2.51]     check", "Result: 1 worse; margin ±2 %"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	var doc struct {
		Lines []struct {
			Claim struct {
				Check struct {
					Interval struct{ LevelPercent float64 }
				}
				P float64
			}
		}
	}
	if err := json.Unmarshal([]byte(write(t, judged(t), JSON, List, Style{})), &doc); err != nil {
		t.Fatal(err)
	}
	if level := doc.Lines[0].Claim.Check.Interval.LevelPercent; math.Abs(level-96.09) > 0.01 {
		t.Errorf("level of the check line: %v", level)
	}
	if p := doc.Lines[0].Claim.P; math.Abs(p-2e-6) > 1e-6 {
		t.Errorf("p: %v", p)
	}
}

// The real benchstat compares what we write; a reader of the format finds every run.
func TestBenchstatReadsRuns(t *testing.T) {
	content := write(t, judged(t), Bench, List, Style{})
	r := benchfmt.NewReader(strings.NewReader(content), "x")
	n := 0
	for r.Scan() {
		switch rec := r.Result().(type) {
		case *benchfmt.SyntaxError:
			t.Errorf("%v", rec)
		case *benchfmt.Result:
			n++
		}
	}
	if n != 16 {
		t.Errorf("%d runs in place of 16:\n%s", n, content)
	}
	file := filepath.Join(t.TempDir(), "runs.txt")
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "tool", "-modfile=../../tools/go.mod", "benchstat", "-col", "scenario", file)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !regexp.MustCompile(`Oltp_read_only/threads=8 .*-[23]\.\d+% \(p=0\.000 n=8\)`).Match(out) {
		t.Errorf("benchstat sees something else:\n%s", out)
	}
}

func TestNames(t *testing.T) {
	for i, name := range FormatNames() {
		if f, err := ParseFormat(name); err != nil || f != Format(i) {
			t.Errorf("%s: %v, %v", name, f, err)
		}
	}
	for i, name := range LayoutNames() {
		if l, err := ParseLayout(name); err != nil || l != Layout(i) || l.String() != name {
			t.Errorf("%s: %v, %v", name, l, err)
		}
	}
	if _, err := ParseFormat("xml"); err == nil || err.Error() != "there is no format 'xml'; formats are terminal, markdown, csv, json, bench" {
		t.Errorf("%v", err)
	}
	if _, err := ParseLayout("x"); err == nil || !strings.Contains(err.Error(), "layouts are list, scenarios") {
		t.Errorf("%v", err)
	}
}

// wrapped is a writer around another one.
type wrapped struct{ *os.File }

func (w wrapped) Unwrap() *os.File { return w.File }

func TestStyleOf(t *testing.T) {
	for _, tc := range []struct {
		env   map[string]string
		ascii bool
		width int
	}{
		{map[string]string{"LANG": "de_DE.UTF-8"}, false, 80},
		{map[string]string{"LANG": "de_DE.UTF-8", "LC_ALL": "C"}, true, 80},
		{map[string]string{"LANG": "C", "LC_CTYPE": "C.utf8"}, false, 80},
		{map[string]string{"LC_ALL": "POSIX", "COLUMNS": "132"}, true, 132},
		{map[string]string{"LANG": "C", "COLUMNS": "many"}, true, 80},
	} {
		got := StyleOf(wrapped{os.Stdin}, func(name string) string { return tc.env[name] })
		if got.ASCII != tc.ascii || got.Width != tc.width && !got.Color {
			t.Errorf("%v: %+v", tc.env, got)
		}
		var b bytes.Buffer
		if got := StyleOf(&b, func(name string) string { return tc.env[name] }); got.Color || got.ASCII != tc.ascii || got.Width != tc.width {
			t.Errorf("%v, no terminal: %+v", tc.env, got)
		}
	}
}
