package study

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"deltabench/internal/compare"
)

// Defaults of files: the specification of statistics, section 1.
const (
	defaultTime       = 60 * time.Second
	defaultRounds     = 10
	roundsOfTwo       = 8
	defaultMaxRounds  = 20
	maxRounds         = 1000
	maxThreads        = 100_000
	defaultHook       = 60 * time.Second
	defaultTableSize  = 10000
	defaultPort       = 3306
	defaultSchema     = "sbtest"
	preferredHeadline = 32
	prepareThreads    = 4
)

// bundled are the tests that a workload may name; scripts are named by file.
var bundled = []string{
	"bulk_insert", "oltp_delete", "oltp_insert", "oltp_point_select", "oltp_read_only", "oltp_read_write", "oltp_update_index",
	"oltp_update_non_index", "oltp_write_only", "select_random_points", "select_random_ranges",
}

// namePattern is what may name targets, scenarios and workloads, which are in tables; studyPattern what may name studies, which are also in
// names of files.
var (
	namePattern  = regexp.MustCompile(`^[\pL\pN][\pL\pN _.,:=/+-]{0,79}$`)
	studyPattern = regexp.MustCompile(`^[\pL\pN][\pL\pN_.=+-]{0,79}$`)
)

// plan checks a file as a whole and makes its plan.
func (d *decoder) plan(f *file, dir string) *Plan {
	d.enums(reflect.ValueOf(f).Elem(), "")
	p := &Plan{
		Study: f.Study, Question: strings.TrimSpace(f.Question), Note: strings.TrimSpace(f.Note), Metric: string(f.Metric), Checksum: f.Checksum, AA: f.AA,
		CPUs: CPUs(f.CPUs), Reference: f.Reference, Seed: f.Seed,
	}
	switch {
	case f.Study == "":
		d.faultAt("study", "the study has no name: write study: NAME")
	case !studyPattern.MatchString(f.Study):
		d.faultAt("study", "study: '%s' cannot be part of a file's name: first a letter or digit, then letters, digits and - _ . = +, at most 80 characters", f.Study)
	}
	if p.Metric == "" {
		p.Metric = "qps"
	}
	d.threads(f, p)
	d.times(f, p)
	d.workloads(f, p, dir)
	d.data(f, p, dir)
	d.targets(f, p)
	d.rounds(f, p)
	d.findings(f, p)
	for p.Seed == 0 {
		p.Seed = uint64(rand.Uint32())
	}
	return p
}

// enums checks every field with a tag enum.
func (d *decoder) enums(v reflect.Value, path string) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			d.enums(v.Elem(), path)
		}
	case reflect.Slice:
		for i := range v.Len() {
			d.enums(v.Index(i), fmt.Sprintf("%s[%d]", path, i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Type().Field(i)
			key := field.Tag.Get("yaml")
			if key == "" {
				continue
			}
			if enum := field.Tag.Get("enum"); enum != "" && v.Field(i).String() != "" && !slices.Contains(strings.Split(enum, ","), v.Field(i).String()) {
				d.faultAt(join(path, key), "%s: there is no '%s'; there are %s", join(path, key), v.Field(i), strings.ReplaceAll(enum, ",", ", "))
			}
			d.enums(v.Field(i), join(path, key))
		}
	}
}

// name1 checks a name.
func (d *decoder) name1(path, name, missing string) {
	switch {
	case name == "":
		d.faultAt(path, "%s", missing)
	case !namePattern.MatchString(name):
		d.faultAt(path, "%s: '%s' cannot be a name: first a letter or digit, then letters, digits, spaces and - _ . , : = / +, at most 80 characters", path, name)
	}
}

func (d *decoder) threads(f *file, p *Plan) {
	if len(f.Threads) == 0 {
		d.faultAt("threads", "threads is missing: the numbers of threads, as in threads: [1, 8, 64]")
		return
	}
	p.Threads = slices.Clone(f.Threads)
	for i, n := range p.Threads {
		path := fmt.Sprintf("threads[%d]", i)
		switch {
		case n < 1 || n > maxThreads:
			d.faultAt(path, "threads: %d is not possible: 1 to %d", n, maxThreads)
		case i > 0 && n <= p.Threads[i-1]:
			d.faultAt(path, "threads: %d comes after %d: numbers of threads rise, and each is there once", n, p.Threads[i-1])
		}
	}
	p.Headline = f.Headline
	switch {
	case p.Headline == 0 || !slices.Contains(p.Threads, p.Headline) && !d.fromFile("threads"):
		p.Headline = p.Threads[len(p.Threads)/2]
		if slices.Contains(p.Threads, preferredHeadline) {
			p.Headline = preferredHeadline
		}
	case !slices.Contains(p.Threads, p.Headline):
		d.faultAt("headline_threads", "headline_threads: %d is none of threads: %s", p.Headline, numbers(p.Threads))
	}
}

// zero tells that something which cannot be 0 is written as 0, and reports whether it is. What is not written has its default.
func (d *decoder) zero(path, need string) bool {
	_, given := d.places[path]
	if given {
		d.faultAt(path, "%s: 0 is not possible: %s", path, need)
	}
	return given
}

// fromFile reports whether a value is the one that the file has, not one of --set or of quick.
func (d *decoder) fromFile(path string) bool { return !d.replaced[path] }

func numbers(list []int) string {
	words := make([]string, len(list))
	for i, n := range list {
		words[i] = fmt.Sprint(n)
	}
	return strings.Join(words, ", ")
}

func (d *decoder) times(f *file, p *Plan) {
	p.Time = time.Duration(f.Time)
	if p.Time == 0 && !d.zero("time", "a run takes 1s or more") {
		p.Time = defaultTime
	}
	p.WarmupAuto, p.Warmup = !f.Warmup.given || f.Warmup.auto, time.Duration(f.Warmup.time)
	for _, x := range []struct {
		path string
		t    time.Duration
	}{{"time", p.Time}, {"warmup", p.Warmup}} {
		if x.t%time.Second != 0 {
			d.faultAt(x.path, "%s: %v: runs take whole seconds", x.path, x.t)
		}
	}
	p.After = Measure(f.Measure.After)
	if p.After == "" {
		p.After = Steady
	}
	p.Margin, p.TailMargin = compare.DefaultMargin, compare.DefaultTailMargin
	for _, x := range []struct {
		path string
		in   percent
		out  *float64
	}{{"margin", f.Margin, &p.Margin}, {"tail_margin", f.TailMargin, &p.TailMargin}} {
		if !x.in.given {
			continue
		}
		if *x.out = x.in.v; x.in.v <= 0 || x.in.v > 1000 {
			d.faultAt(x.path, "%s: %g: percent above 0 are needed", x.path, x.in.v)
		}
	}
	for i, share := range f.EqualLoad {
		if share.v <= 0 || share.v >= 100 {
			d.faultAt(fmt.Sprintf("equal_load[%d]", i), "equal_load: %g %%: a share of the peak between 0 and 100 %% is needed", share.v)
		}
		p.EqualLoad = append(p.EqualLoad, share.v/100)
	}
}

func (d *decoder) workloads(f *file, p *Plan, dir string) {
	if len(f.Workloads) == 0 {
		d.faultAt("workloads", "workloads is missing: what is executed, as in workloads: [oltp_read_write]")
	}
	for i, w := range f.Workloads {
		path := fmt.Sprintf("workloads[%d]", i)
		x := Workload{Name: w.Name, Test: w.Test, Options: w.Options}
		switch {
		case w.Test != "" && w.Script != "":
			d.faultAt(path, "%s: test and script exclude each other", path)
		case w.Script != "":
			x.Test = absolute(dir, w.Script)
			if x.Name == "" {
				x.Name = strings.TrimSuffix(filepath.Base(w.Script), ".lua")
			}
		case w.Test == "":
			d.faultAt(path, "%s: test (a bundled one) or script is missing", path)
		default:
			d.test(path, w.Test)
			if x.Name == "" {
				x.Name = w.Test
			}
		}
		d.options(path+".options", w.Options)
		if x.Name != "" {
			d.name1(path+".name", x.Name, "")
		}
		if slices.ContainsFunc(p.Workloads, func(y Workload) bool { return y.Name == x.Name }) {
			d.faultAt(path, "%s: there is a workload '%s' already: give it another name", path, x.Name)
		}
		p.Workloads = append(p.Workloads, x)
	}
}

// test checks the name of a bundled test.
func (d *decoder) test(path, name string) {
	if slices.Contains(bundled, name) {
		return
	}
	if strings.ContainsAny(name, "/.") {
		d.faultAt(path, "%s: '%s' looks like a file: write {script: %s}", path, name, name)
		return
	}
	d.faultAt(path, "%s: there is no test '%s'%s", path, name, suggestion(name, bundled))
}

func absolute(dir, path string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// ours are options of runs that the study sets itself.
var ours = map[string]string{
	"threads": "threads", "time": "time", "warmup-time": "warmup", "rand-seed": "seed", "events": "time", "rate": "equal_load",
	"report": "", "report-file": "", "report-interval": "", "store": "", "no-record": "", "tag": "", "note": "",
	"mysql-host": "targets", "mysql-port": "targets", "mysql-socket": "targets", "mysql-user": "targets", "mysql-db": "targets",
	"mysql-password": "password_env of a dsn", "mysql-password-file": "password_file of a dsn", "mysql-init-sql": "session",
}

// options checks options of runs.
func (d *decoder) options(path string, list options) {
	for i, o := range list {
		if strings.HasPrefix(o.Name, "-") {
			d.faultAt(join(path, o.Name), "%s: write %s without dashes", path, strings.TrimLeft(o.Name, "-"))
		}
		list[i].Name = strings.ReplaceAll(o.Name, "_", "-")
		if instead, ok := ours[list[i].Name]; ok {
			text := "the study sets it itself"
			if instead != "" {
				text = "that is the study's own: use " + instead
			}
			d.faultAt(join(path, o.Name), "%s: %s: %s", path, o.Name, text)
		}
	}
}

func (d *decoder) data(f *file, p *Plan, dir string) {
	x := f.Data
	p.Data = Data{Workload: x.Workload, SQL: x.SQL, Options: x.Options, Threads: x.Threads, Tables: x.Tables, Rows: x.TableSize}
	kinds := 0
	for _, given := range []bool{x.Workload != "", x.Script != "", len(x.SQL) > 0} {
		if given {
			kinds++
		}
	}
	switch {
	case kinds > 1:
		d.faultAt("data", "data: workload, script and sql exclude each other")
	case kinds == 0 && (x.Tables > 0 || x.TableSize > 0):
		d.faultAt("data", "data: workload is missing: the test whose prepare makes the tables, as in workload: oltp_read_write")
	case x.Script != "":
		p.Data.Workload = absolute(dir, x.Script)
	case x.Workload != "":
		d.test("data.workload", x.Workload)
	}
	d.options("data.options", x.Options)
	for _, y := range []struct {
		path string
		n    int64
	}{{"data.tables", int64(x.Tables)}, {"data.table_size", x.TableSize}, {"data.threads", int64(x.Threads)}} {
		if y.n == 0 {
			d.zero(y.path, "1 or more is needed")
		}
	}
	if x.Tables < 0 || x.TableSize < 0 || x.Threads < 0 {
		d.faultAt("data", "data: numbers above 0 are needed")
	}
	if p.Data.Tables == 0 {
		p.Data.Tables = 1
	}
	if p.Data.Rows == 0 {
		p.Data.Rows = defaultTableSize
	}
	if p.Data.Threads == 0 {
		p.Data.Threads = min(p.Data.Tables, prepareThreads)
	}
}

func (d *decoder) rounds(f *file, p *Plan) {
	scenarios := 0
	for _, t := range p.Targets {
		scenarios = max(scenarios, len(t.Scenarios))
	}
	p.Rounds = f.Rounds
	if p.Rounds == 0 && !d.zero("rounds", "1 round or more is needed, 5 for a verdict") {
		p.Rounds = defaultRounds
		if scenarios <= 2 {
			p.Rounds = roundsOfTwo
		}
	}
	if p.Rounds < 0 || p.Rounds > maxRounds {
		d.faultAt("rounds", "rounds: %d: from 1 to %d", p.Rounds, maxRounds)
	}
	p.Stop = compare.Stopping{MaxRounds: p.Rounds}
	s := f.Stop
	if s == nil {
		return
	}
	p.Stop.MaxRounds = s.MaxRounds
	if s.MaxRounds == 0 && !d.zero("stop.max_rounds", "1 round or more is needed, 5 for a verdict") {
		p.Stop.MaxRounds = defaultMaxRounds
	}
	switch {
	case s.Precision.given && s.Verdict != "":
		d.faultAt("stop", "stop: precision and verdict exclude each other")
		return
	case s.Precision.given:
		p.Stop.Until, p.Stop.Percent = compare.Precise, s.Precision.v
	case s.Verdict != "":
		p.Stop.Until = compare.Settled
	default:
		d.faultAt("stop", "stop: precision (as in 1%%) or verdict: decided is missing")
		return
	}
	if err := p.Stop.Validate(); err != nil {
		d.faultAt("stop", "stop: %s", err)
	}
	p.Rounds = p.Stop.MaxRounds
}

func (d *decoder) findings(f *file, p *Plan) {
	for i, x := range f.Findings {
		path := fmt.Sprintf("findings[%d]", i)
		y := Finding{Text: x.Text, Target: x.Target, Scenario: x.Scenario, Workload: x.Workload, Threads: x.Threads, Metric: x.Metric, Low: x.Low.v, High: x.High.v}
		if !x.Low.given {
			y.Low = -1e9
		}
		if !x.High.given {
			y.High = 1e9
		}
		known := false
		for _, t := range p.Targets {
			known = known || slices.ContainsFunc(t.Scenarios, func(s Scenario) bool { return s.Name == x.Scenario })
		}
		switch {
		case x.Text == "":
			d.faultAt(path, "%s: text is missing: the statement", path)
		case !x.Low.given && !x.High.given:
			d.faultAt(path, "%s: low or high is missing: the published change in percent", path)
		case y.Low > y.High:
			d.faultAt(path, "%s: low is above high", path)
		case !known:
			d.faultAt(path, "%s: there is no scenario '%s'", path, x.Scenario)
		case x.Workload != "" && !slices.ContainsFunc(p.Workloads, func(w Workload) bool { return w.Name == x.Workload }):
			d.faultAt(path, "%s: there is no workload '%s'", path, x.Workload)
		}
		p.Findings = append(p.Findings, y)
	}
}
