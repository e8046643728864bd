package findings

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"deltabench/docs/schema"
	"deltabench/internal/compare"
	"deltabench/internal/evidence"
	"deltabench/internal/store"
	"deltabench/internal/study"
	"deltabench/internal/table"
)

// contains reports whether one of the texts has all the words.
func contains(texts []string, words ...string) bool {
	return slices.ContainsFunc(texts, func(text string) bool {
		return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
	})
}

func written(t *testing.T, r *Results, f table.Format) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.WriteText(&b, f, table.Style{Width: 80}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// line is that of the primary metric of a scenario in a cell.
func line(t *testing.T, x *Target, scenario, workload string, threads int) *table.Line {
	t.Helper()
	for i := range x.All.Lines {
		l := &x.All.Lines[i]
		if !l.Metric.Secondary && l.Scenario == scenario && l.Workload == workload && l.Threads == threads {
			return l
		}
	}
	t.Fatalf("no line of %s in %s with %d threads", scenario, workload, threads)
	return nil
}

// TestTruth: what is true is found, and what is not is not.
func TestTruth(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		factor  float64
		verdict string
		answer  string
	}{
		{"worse", 0.87, "worse", "512M lowers the QPS"},
		{"better", 1.2, "better", "512M raises the QPS"},
		{"the same", 1, "equivalent", "No scenario differs from 128M in QPS by more than 2 %: all 6 comparisons are equivalent."},
	} {
		w := newWorld()
		w.factor = func(study.Key) float64 { return test.factor }
		r := w.analyse(t, Options{})
		l := line(t, &r.Targets[0], "512M", "write_only", 32)
		if l.Claim.Verdict != test.verdict || math.Abs(*l.Claim.Estimate-100*(test.factor-1)) > 1.5 {
			t.Errorf("%s: %s", test.name, l.Claim.Text())
		}
		if !strings.Contains(r.Answer, test.answer) {
			t.Errorf("%s: %s", test.name, r.Answer)
		}
	}
}

// TestOwnData: every percentage is that of the runs that are shown beside it.
func TestOwnData(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.sd, w.factor = 0.02, func(k study.Key) float64 { return 1 + float64(k.Threads)/100 }
	r := w.analyse(t, Options{})
	for _, l := range r.Targets[0].All.Lines {
		if l.Mean || l.Claim.Estimate == nil {
			continue
		}
		sum := 0.0
		for i := range l.ValueRuns {
			sum += math.Log(l.ValueRuns[i] / l.BaselineRuns[i])
		}
		want := 100 * math.Expm1(sum/float64(len(l.ValueRuns)))
		if math.Abs(want-*l.Claim.Estimate) > 1e-9 {
			t.Errorf("%s %s %d: %g, the runs say %g", l.Metric.Name, l.Workload, l.Threads, *l.Claim.Estimate, want)
		}
	}
}

// TestFailed: a round with a failed run is left out of that comparison and counted.
func TestFailed(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.change = func(r *store.StudyRun) bool {
		if r.Key.Round == 3 && r.Key.Scenario == "512M" && r.Key.Workload == "write_only" && r.Key.Threads == 32 {
			*r = store.StudyRun{Key: r.Key, Failure: "the server crashed: signal 11"}
		}
		return true
	}
	r := w.analyse(t, Options{})
	if c := line(t, &r.Targets[0], "512M", "write_only", 32).Claim; c.N != 7 || c.Of != 8 {
		t.Errorf("n = %d of %d", c.N, c.Of)
	}
	if c := line(t, &r.Targets[0], "512M", "write_only", 8).Claim; c.N != 8 {
		t.Errorf("another cell: n = %d", c.N)
	}
	if !contains(r.Warnings, "1 of 96 runs failed (512M): the server crashed: signal 11") || r.Plan.Failed != 1 || r.Plan.Done != 95 {
		t.Errorf("%+v, %q", r.Plan, r.Warnings)
	}
}

// TestNoVerdict: studies that allow none give none.
func TestNoVerdict(t *testing.T) {
	t.Parallel()
	worse := func(study.Key) float64 { return 0.8 }
	for _, test := range []struct {
		name   string
		change func(*world)
		answer string
		warned string
	}{
		{"one start of each", func(w *world) { w.plan.State = study.Preserve }, "No answer", "every scenario was started once"},
		{"three rounds", func(w *world) {
			w.plan.Rounds, w.study.State = 8, store.StudyInterrupted
			w.change = func(r *store.StudyRun) bool { return r.Key.Round <= 3 }
		}, "No answer yet", ""},
		{"one round", func(w *world) { w.plan.Rounds = 1 }, "No answer", ""},
		{"no runs", func(w *world) { w.change = func(*store.StudyRun) bool { return false } }, "Nothing can be said yet", ""},
	} {
		w := newWorld()
		w.factor = worse
		test.change(w)
		r := w.analyse(t, Options{})
		if !strings.HasPrefix(r.Answer, test.answer) {
			t.Errorf("%s: %s", test.name, r.Answer)
		}
		for _, l := range r.Targets[0].All.Lines {
			if v := l.Claim.Verdict; v == "better" || v == "worse" || v == "equivalent" {
				t.Errorf("%s: %s", test.name, l.Claim.Text())
			}
		}
		if test.warned != "" && !contains(r.Targets[0].Warnings, test.warned) {
			t.Errorf("%s: %q", test.name, r.Targets[0].Warnings)
		}
		for _, f := range []table.Format{table.Terminal, table.Markdown, table.CSV, table.JSON, table.Bench} {
			written(t, r, f)
		}
	}
}

// TestTargets: nothing of a target gets into another, whose level is a third.
func TestTargets(t *testing.T) {
	t.Parallel()
	w := newWorld()
	other := w.plan.Targets[0]
	other.Name = "other"
	w.plan.Targets = append(w.plan.Targets, other)
	w.factor = func(k study.Key) float64 {
		if k.Target == "other" {
			return 0.7
		}
		return 1
	}
	alone := newWorld().analyse(t, Options{})
	r := w.analyse(t, Options{})
	if len(r.Targets) != 2 || !strings.Contains(r.Answer, "mariadb: No scenario differs") || !strings.Contains(r.Answer, "other: 512M lowers") {
		t.Errorf("%s", r.Answer)
	}
	for i, want := range []string{"equivalent", "worse"} {
		for _, l := range r.Targets[i].All.Lines {
			if l.Target != r.Targets[i].Name {
				t.Errorf("a line of target %q in %q", l.Target, r.Targets[i].Name)
			}
			if !l.Metric.Secondary && l.Claim.Verdict != want {
				t.Errorf("%s: %s", l.Target, l.Claim.Text())
			}
		}
		if r.Targets[i].All.Family != alone.Targets[0].All.Family {
			t.Errorf("a family of %d, alone of %d", r.Targets[i].All.Family, alone.Targets[0].All.Family)
		}
	}
}

// TestAA: the baseline's copy tells of the noise and is no comparison that counts.
func TestAA(t *testing.T) {
	t.Parallel()
	w := newWorld()
	s := w.plan.Targets[0].Scenarios
	again := s[0]
	again.Name, again.Baseline, again.AA = "128M-again", false, true
	w.plan.AA, w.plan.Targets[0].Scenarios = true, []study.Scenario{s[0], again, s[1]}
	w.factor = func(study.Key) float64 { return 0.8 }
	r := w.analyse(t, Options{})
	if !strings.Contains(r.Answer, "512M lowers") || !strings.Contains(r.Answer, "All 6 comparisons are worse.") {
		t.Error(r.Answer)
	}
	if r.Targets[0].All.Family != 8 {
		t.Errorf("a family of %d", r.Targets[0].All.Family)
	}
	w.plan.Targets[0].Scenarios = []study.Scenario{s[0], again}
	if r = w.analyse(t, Options{}); !strings.Contains(r.Answer, "shows the noise") {
		t.Error(r.Answer)
	}
}

// TestUnplanned: what differs and is not in the plan is told, what must differ is not.
func TestUnplanned(t *testing.T) {
	t.Parallel()
	w := newWorld()
	if x := w.analyse(t, Options{}).Targets[0].Unplanned; len(x) > 0 {
		t.Errorf("nothing differs: %q", x)
	}
	w.snaps["b"]["max_connections"] = "4000"
	w.snaps["q"] = evidence.Snapshot{"statement/sql/select": "NO,NO"}
	w.change = func(r *store.StudyRun) bool {
		if r.Key.Scenario == "512M" {
			r.Evidence.Settings, r.Evidence.Start.Version = "q", "10.6.1-MariaDB"
		}
		return true
	}
	x := w.analyse(t, Options{}).Targets[0].Unplanned
	for _, want := range []string{"max_connections: 4000, baseline 151 (512M)", "statement/sql/select: NO,NO, baseline YES,YES (512M)", "version: 11.8.2-MariaDB (128M), 10.6.1-MariaDB (512M)"} {
		if !slices.Contains(x, want) {
			t.Errorf("no %q in %q", want, x)
		}
	}
	if len(x) != 3 {
		t.Errorf("%q", x)
	}
	w.plan.Targets[0].Scenarios[1].SQL = []string{"UPDATE performance_schema.setup_instruments SET enabled='NO'"}
	if x = w.analyse(t, Options{}).Targets[0].Unplanned; contains(x, "statement/sql/select") {
		t.Errorf("planned: %q", x)
	}
	delete(w.snaps, "b")
	if x = w.analyse(t, Options{}).Targets[0].Unplanned; !contains(x, "cannot be read", "no such snapshot") {
		t.Errorf("%q", x)
	}
	w = newWorld()
	w.snaps["c"] = evidence.Snapshot{"innodb_buffer_pool_size": "134217728", "max_connections": "99"}
	w.change = func(r *store.StudyRun) bool {
		if r.Key.Scenario == "128M" && r.Key.Round == 5 {
			r.Evidence.Variables = "c"
		}
		return true
	}
	if x = w.analyse(t, Options{}).Targets[0].Unplanned; !slices.Contains(x, "max_connections: 151 in the first run, later 99 (128M)") {
		t.Errorf("%q", x)
	}
}

// TestWarnings: each reason to doubt is there when it should be, and not otherwise.
func TestWarnings(t *testing.T) {
	t.Parallel()
	of := func(w *world) []string {
		r := w.analyse(t, Options{})
		return append(slices.Clone(r.Warnings), r.Targets[0].Warnings...)
	}
	quiet := of(newWorld())
	for _, test := range []struct {
		name   string
		change func(*world)
		want   string
	}{
		{"quick", func(w *world) { w.plan.Quick = true }, "--quick"},
		{"imported", func(w *world) { w.study.State = store.StudyImported }, "it can go on where it was measured, not here"},
		{"not ended", func(w *world) { w.study.State = store.StudyInterrupted }, "deltabench study resume pool"},
		{"steal", func(w *world) {
			w.change = func(r *store.StudyRun) bool { r.Evidence.Machine.StealShare = 0.05; return true }
		}, "the hypervisor took 5.0 %"},
		{"of runs", func(w *world) {
			w.change = func(r *store.StudyRun) bool { r.Texts = []string{fmt.Sprintf("%d errors", r.ID)}; return true }
		}, "96 of 96 runs: 1 errors"},
		{"of evidence", func(w *world) {
			w.change = func(r *store.StudyRun) bool {
				r.Evidence.Warnings = []string{"another load generator ran"}
				return true
			}
		}, "96 of 96 runs: another load generator ran"},
		{"data", func(w *world) {
			w.change = func(r *store.StudyRun) bool { r.Evidence.DataBytes += int64(r.Key.Round) << 27; return true }
		}, "128M: the data changed from 1152 MB in the first round to 2048 MB in the last"},
		{"other data", func(w *world) {
			w.change = func(r *store.StudyRun) bool {
				if r.Key.Scenario == "512M" {
					r.Evidence.DataBytes *= 2
				}
				return true
			}
		}, "512M: 2048 MB of data in the first round, the baseline 1024 MB"},
		{"two starts", func(w *world) {
			w.change = func(r *store.StudyRun) bool {
				if r.Key.Scenario == "512M" && r.Key.Round == 2 && r.Key.Threads == 32 {
					r.Evidence.Start.ID = "resumed"
				}
				return true
			}
		}, "512M in round 2: its runs come from 2 starts of the server"},
		{"resumed on another start", func(w *world) {
			w.plan.State = study.Preserve
			for i := range w.plan.Targets[0].Scenarios {
				w.plan.Targets[0].Scenarios[i].Server = nil
			}
			w.plan.Targets[0].Scenarios[1].Session = []string{"SET sort_buffer_size=1"}
			w.change = func(r *store.StudyRun) bool {
				r.Evidence.Start.ID = "first"
				if r.Key.Scenario == "512M" && r.Key.Round > 4 {
					r.Evidence.Start.ID = "second"
				}
				return true
			}
		}, "512M: its runs come from 2 starts of the server: the study was resumed"},
		{"same start", func(w *world) {
			w.plan.State = study.Preserve
			for i := range w.plan.Targets[0].Scenarios {
				w.plan.Targets[0].Scenarios[i].Server = nil
			}
			w.plan.Targets[0].Scenarios[1].Session = []string{"SET sort_buffer_size=1"}
		}, "one server start"},
		{"spread", func(w *world) {
			w.change = func(r *store.StudyRun) bool {
				for i := range r.Series {
					if r.Key.Scenario == "512M" {
						r.Series[i].Queries += int64(i%2*2-1) * r.Series[i].Queries / 10
					}
				}
				return true
			}
		}, "variation from second to second"},
		{"not saturated", func(w *world) { w.plan.After = study.CPUSaturated }, "the server did not use all its CPUs"},
	} {
		w := newWorld()
		test.change(w)
		if got := of(w); !contains(got, test.want) {
			t.Errorf("%s: no %q in %q", test.name, test.want, got)
		}
		if contains(quiet, test.want) {
			t.Errorf("%s: told without reason: %q", test.name, quiet)
		}
	}
}

// TestSaturation: throughput is that from when the server had used its CPUs on, and its cost is that of the measured time.
func TestSaturation(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.plan.After = study.CPUSaturated
	w.change = func(r *store.StudyRun) bool {
		r.Series = slices.Insert(r.Series, 0, store.Second{End: 1, Length: 1, Warmup: true})
		for i := range r.Series[1:] {
			r.Series[i+1].End++
			if i < 6 { // slow at first
				r.Series[i+1].Queries /= 2
			}
		}
		used := 100.0
		for s := -2; s <= 22; s++ {
			r.Evidence.Seconds = append(r.Evidence.Seconds, evidence.Second{At: r.StartedAt.Add(time.Duration(s) * time.Second), CPU: used})
			if s < 7 {
				used++
			} else {
				used += 2
			}
		}
		return true
	}
	runs := w.runs()
	if at, ok := saturation(&runs[0]); !ok || at != 6 {
		t.Errorf("saturated from second %d, %v", at, ok)
	}
	if v, ok := measuredCPU(&runs[0]); !ok || math.Abs(v-(6+14*2)) > 0.01 {
		t.Errorf("CPU of the measured time: %g, %v", v, ok)
	}
	r := w.analyse(t, Options{})
	if v := *line(t, &r.Targets[0], "512M", "read_only", 32).Value; math.Abs(v/16000-1) > 0.02 {
		t.Errorf("throughput after saturation: %g", v)
	}
	if !contains(r.Targets[0].Warnings, "throughput is that after the first 6 s of each run") {
		t.Errorf("%q", r.Targets[0].Warnings)
	}
}

// TestPublished: statements are confirmed, contradicted or neither by the whole interval.
func TestPublished(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		estimate, half, low, high float64
		want                      string
	}{
		{-12, 1, -15, -10, "confirmed"},
		{-9, 0.5, -15, -10, "confirmed"}, // within the margin of it
		{-9, 2, -15, -10, "undecided"},
		{-5, 1, -15, -10, "contradicted"},
		{30, 5, 20, 1e9, "confirmed"},
		{0, 1, 20, 1e9, "contradicted"},
	} {
		c := compare.Comparison{HasEstimate: true, HasInterval: true}
		c.Estimate, c.Low, c.High = math.Log1p(test.estimate/100), math.Log1p((test.estimate-test.half)/100), math.Log1p((test.estimate+test.half)/100)
		if got, _ := against(&c, test.low-2, test.high+2); got != test.want {
			t.Errorf("%+v: %s", test, got)
		}
	}
	if got, _ := against(&compare.Comparison{Reason: "one round"}, -1, 1); got != "undecided" {
		t.Errorf("without interval: %s", got)
	}
	w := newWorld()
	w.factor = func(study.Key) float64 { return 0.8 }
	w.plan.Findings = []study.Finding{
		{Text: "p95 rises", Scenario: "512M", Workload: "read_only", Threads: []int{32}, Metric: "p95", Low: 20, High: 30},
		{Text: "at 1,024 threads", Scenario: "512M", Workload: "read_only", Threads: []int{1024}, Low: -1, High: 1},
		{Text: "of another", Scenario: "2G", Low: -1, High: 1},
		{Text: "on another", Target: "elsewhere", Scenario: "512M", Low: -1, High: 1},
		{Text: "everywhere", Scenario: "512M", Low: -21, High: -19},
	}
	var got []string
	for _, x := range w.analyse(t, Options{}).Targets[0].Published {
		got = append(got, x.Text+": "+x.Verdict)
	}
	want := []string{"p95 rises: confirmed", "at 1,024 threads: not measured", "of another: not measured", "everywhere: confirmed"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// TestReference: published figures are beside ours when they are asked for.
func TestReference(t *testing.T) {
	t.Parallel()
	w := newWorld()
	if r := w.analyse(t, Options{Reference: true}); r.Targets[0].Reference != nil || !contains(r.Warnings, "names no published figures") {
		t.Errorf("%q", r.Warnings)
	}
	w.plan.Reference = "buffer-pool"
	if r := w.analyse(t, Options{Reference: true}); r.Targets[0].Reference == nil || len(r.Targets[0].Reference.Lines) == 0 {
		t.Error("no published figures")
	}
}

// TestPrograms: what programs get is valid and has the lines of all targets.
func TestPrograms(t *testing.T) {
	t.Parallel()
	w := newWorld()
	other := w.plan.Targets[0]
	other.Name = "other"
	w.plan.Targets = append(w.plan.Targets, other)
	w.plan.EqualLoad = []float64{0.5}
	r := w.analyse(t, Options{})
	text := written(t, r, table.JSON)
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	schemaDoc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema.Comparisons1))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("comparisons.json", schemaDoc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("comparisons.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(doc); err != nil {
		t.Error(err)
	}
	want := 0
	for _, x := range r.Targets {
		want += len(x.All.Lines) + len(x.Tail.Lines)
	}
	if got := len(doc.(map[string]any)["lines"].([]any)); got != want {
		t.Errorf("%d lines, want %d", got, want)
	}
	if n := strings.Count(written(t, r, table.CSV), "\r\n"); n != want+1 {
		t.Errorf("%d CSV records, want %d and a head", n, want)
	}
	if b := written(t, r, table.Bench); !strings.Contains(b, "Benchmark") {
		t.Error("no benchmark lines")
	}
}

// TestCharts: points are the geometric means of the runs, with intervals around them.
func TestCharts(t *testing.T) {
	t.Parallel()
	r := newWorld().analyse(t, Options{})
	if n := len(r.Targets[0].Charts); n != 6 {
		t.Fatalf("%d charts", n)
	}
	ids := map[string]bool{}
	for _, c := range r.Targets[0].Charts {
		ids[c.ID] = true
		for _, s := range c.Series {
			for _, x := range s.Points {
				if !(x.Low < x.Y && x.Y < x.High) || x.Text == "" {
					t.Errorf("%s %s: %+v", c.ID, s.Name, x)
				}
			}
			if len(s.Points) != 3 {
				t.Errorf("%s %s: %d points", c.ID, s.Name, len(s.Points))
			}
		}
		if c.Kind == Throughput {
			l := line(t, &r.Targets[0], "512M", c.Workload, 32)
			if y := c.Series[1].Points[2].Y; math.Abs(y-*l.Value) > 1e-6*y {
				t.Errorf("%s: %g, the table says %g", c.ID, y, *l.Value)
			}
		}
	}
	if len(ids) != 6 {
		t.Errorf("%v", ids)
	}
}

// TestOptions: margin and metric may be asked for anew; the plan is not changed.
func TestOptions(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.factor = func(study.Key) float64 { return 0.95 }
	r := w.analyse(t, Options{Margin: 10, Metric: "tps"})
	l := line(t, &r.Targets[0], "512M", "read_only", 32)
	if l.Claim.Verdict != "equivalent" || l.Metric.Name != "TPS" || w.plan.Margin != 2 {
		t.Errorf("%s of %s; margin of the plan %g", l.Claim.Text(), l.Metric.Name, w.plan.Margin)
	}
	runs := w.runs()
	if _, err := Analyse(t.Context(), &w.plan, &w.study, runs, w.snapshot, Options{Metric: "speed"}); err == nil {
		t.Error("an unknown metric is taken")
	}
	boom := func(string) (evidence.Snapshot, error) { return nil, errors.New("disk") }
	if _, err := Analyse(t.Context(), &w.plan, &w.study, runs, boom, Options{}); err != nil {
		t.Errorf("settings that cannot be read end all: %v", err)
	}
}

// BenchmarkAnalyse is the size of the published Performance Schema study: 396 cells, 10 rounds, 60 s.
func BenchmarkAnalyse(b *testing.B) {
	w := newWorld()
	w.seconds, w.plan.Rounds = 60, 10
	w.plan.Threads = []int{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024}
	w.plan.Workloads = append(w.plan.Workloads, study.Workload{Name: "read_write", Test: "oltp_read_write"})
	for i := range 4 {
		s := w.plan.Targets[0].Scenarios[1]
		s.Name = fmt.Sprintf("other%d", i)
		w.plan.Targets[0].Scenarios = append(w.plan.Targets[0].Scenarios, s)
	}
	other := w.plan.Targets[0]
	other.Name = "other"
	w.plan.Targets = append(w.plan.Targets, other)
	runs := w.runs()
	b.ReportMetric(float64(len(runs)), "runs")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Analyse(b.Context(), &w.plan, &w.study, runs, w.snapshot, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
