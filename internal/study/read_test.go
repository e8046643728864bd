package study

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"deltabench/internal/compare"
)

const small = `study: small
targets: [{name: a, managed: {server: auto}}]
data: {workload: oltp_read_only, tables: 2, table_size: 1000}
workloads: [oltp_read_only]
threads: [1, 32]
scenarios:
  - {name: off, baseline: true, server: {performance_schema: "OFF"}}
  - {name: on, server: {performance_schema: "ON"}, sql: ["SELECT 1"]}
`

func parse(t *testing.T, text string, o ReadOptions) *Plan {
	t.Helper()
	p, err := Parse("s.yaml", []byte(text), o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	p := parse(t, small, ReadOptions{})
	if p.Rounds != 8 || p.State != Restore || p.Headline != 32 || p.Time.Seconds() != 60 || !p.WarmupAuto || p.Margin != 2 || p.TailMargin != 10 || p.Metric != "qps" || p.Seed == 0 {
		t.Errorf("defaults: %+v", p)
	}
	if got := p.Starts(0); got != compare.OwnStart {
		t.Errorf("starts: %v", got)
	}
	if p.Runs() != 8*2*2 {
		t.Errorf("%d runs", p.Runs())
	}
}

// Files of every kind that people start from can be planned, and a plan survives being kept.
func TestInitial(t *testing.T) {
	t.Parallel()
	for kind := range initials {
		text, err := Initial(kind)
		if err != nil {
			t.Fatal(err)
		}
		p := parse(t, text, ReadOptions{Seed: 7})
		kept, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		back := &Plan{}
		if err := json.Unmarshal(kept, back); err != nil || !reflect.DeepEqual(p, back) {
			t.Errorf("%s: a plan that was kept is another: %v\n%+v\n%+v", kind, err, p, back)
		}
		var b bytes.Buffer
		if err := p.Describe(&b); err != nil || !strings.Contains(b.String(), "(baseline)") || !strings.Contains(b.String(), "runs, about") {
			t.Errorf("%s: %v\n%s", kind, err, &b)
		}
		for line := range strings.Lines(b.String()) {
			if strings.Contains(line, "%!") {
				t.Errorf("%s: %s", kind, line)
			}
		}
	}
}

// Orders are for ever: a study that is resumed by a later version goes on in its order.
func TestOrder(t *testing.T) {
	t.Parallel()
	p := parse(t, strings.Replace(small, "threads: [1, 32]", "threads: [1, 32]\nseed: 42", 1), ReadOptions{})
	var got []int
	for round := 1; round <= 8; round++ {
		for _, s := range p.Steps(0, round) {
			got = append(got, s.Scenario)
		}
	}
	if want := []int{1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0, 1, 0, 1, 0, 1}; !reflect.DeepEqual(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
	if a, b := p.RandSeed(1, Cell{0, 32}), p.RandSeed(2, Cell{0, 32}); a != 1241245769 || b != 1516021808 {
		t.Errorf("seeds %d, %d", a, b)
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	change := func(old, new string) string {
		if !strings.Contains(small, old) {
			t.Fatalf("no %q", old)
		}
		return strings.Replace(small, old, new, 1)
	}
	for name, tc := range map[string]struct{ text, want string }{
		"empty":               {"", "s.yaml: it is empty"},
		"no YAML":             {"study: [", "s.yaml:1:8: no YAML: "},
		"unknown key":         {change("data: {workload: oltp_read_only, tables", "data: {workload: oltp_read_only, tabels"), "s.yaml:3:34: unknown key 'tabels' in data; did you mean 'tables'?"},
		"unknown key at top":  {change("threads:", "thraeds:"), "s.yaml:5:1: unknown key 'thraeds' in the file; did you mean 'threads'?"},
		"key twice":           {small + "time: 3s\ntime: 4s\n", "s.yaml:10:1: "},
		"no number":           {change("[1, 32]", "[1, many]"), "s.yaml:5:14: threads[1]: 'many': a whole number is needed"},
		"falling":             {change("[1, 32]", "[32, 1]"), "s.yaml:5:15: threads: 1 comes after 32"},
		"zero":                {change("[1, 32]", "[0]"), "threads: 0 is not possible"},
		"no test":             {change("workloads: [oltp_read_only]", "workloads: [oltp_read_onyl]"), "s.yaml:4:13: workloads[0]: there is no test 'oltp_read_onyl'; did you mean 'oltp_read_only'?"},
		"script as test":      {change("workloads: [oltp_read_only]", "workloads: [hot.lua]"), "looks like a file: write {script: hot.lua}"},
		"no baseline":         {change(", baseline: true", ""), "no scenario of target 'a' is the baseline"},
		"two baselines":       {change("name: on,", "name: on, baseline: true,"), "two baselines, 'off' and 'on'"},
		"same name":           {change("name: on,", "name: off,"), "there is a scenario 'off' already"},
		"unknown target":      {change("name: on,", "name: on, targets: [b],"), "there is no target 'b'"},
		"no target kind":      {change("managed: {server: auto}", "labels: {a: b}"), "one of managed, external and embedded is needed"},
		"state":               {small + "state: restor\n", "s.yaml:9:8: state: there is no 'restor'; there are preserve, restart, reset, restore"},
		"headline":            {small + "headline_threads: 8\n", "headline_threads: 8 is none of threads: 1, 32"},
		"time":                {small + "time: soon\n", "s.yaml:9:7: time: 'soon' is no time; write 10s or 2m"},
		"part of a second":    {small + "time: 1500ms\n", "runs take whole seconds"},
		"own option":          {change("workloads: [oltp_read_only]", "workloads: [{test: oltp_read_only, options: {threads: 3}}]"), "workloads[0].options: threads: that is the study's own: use threads"},
		"own server option":   {change("{performance_schema: \"ON\"}", "{datadir: /x}"), "datadir is the study's own"},
		"data elsewhere":      {change("{performance_schema: \"ON\"}", "{innodb-undo-directory: /var/undo}"), "innodb-undo-directory: /var/undo is outside of the data directory"},
		"data file elsewhere": {change("{performance_schema: \"ON\"}", "{innodb_data_file_path: 'ibdata1:12M;/x/ibdata2:12M:autoextend'}"), "is outside of the data directory"},
		"log above":           {change("{performance_schema: \"ON\"}", "{log_bin: ../binlog}"), "log_bin: ../binlog is outside of the data directory"},
		"external restore":    {change("managed: {server: auto}", "external: {dsn: {host: h, user: u}}"), "the study cannot restart an external server"},
		"password":            {change("managed: {server: auto}", "external: {dsn: {host: h, user: u, password: x}}"), "a password in the file would be kept"},
		"no user":             {change("managed: {server: auto}", "external: {dsn: {host: h}}"), "user is missing"},
		"embedded and server": {change("managed: {server: auto}", "embedded: {}"), "the embedded server has no such settings"},
		"no variable":         {small + "question: ${NO_SUCH} # ${OTHER}\n", "s.yaml:9:11: the environment variable NO_SUCH is not set"},
		"stop":                {small + "stop: {}\n", "stop: precision (as in 1%) or verdict: decided is missing"},
		"list for a value":    {small + "question: [a, b]\n", "question: a single value is needed here"},
		"value for a mapping": {small + "measure: steady\n", "measure: keys and values are needed here"},
		"two documents":       {small + "---\nstudy: b\n", "a second document begins here"},
		"rounds":              {small + "rounds: -1\n", "rounds: -1: from 1 to 1000"},
		"no time":             {small + "time: 0s\n", "s.yaml:9:7: time: 0 is not possible: a run takes 1s or more"},
		"no rounds":           {small + "rounds: 0\n", "s.yaml:9:9: rounds: 0 is not possible"},
		"no tables":           {change("tables: 2", "tables: 0"), "s.yaml:3:42: data.tables: 0 is not possible"},
		"name of a file":      {change("study: small", "study: a/b"), "s.yaml:1:8: study: 'a/b' cannot be part of a file's name"},
		"name":                {change("name: on,", "name: '-on',"), "'-on' cannot be a name: first a letter or digit"},
		"a list":              {"- study: a\n", "s.yaml:1:1: no study file: one begins with keys"},
		"a word":              {"study", "s.yaml:1:1: no study file: one begins with keys"},
		"UTF-16":              {"s\x00t\x00u\x00", "s.yaml:1:2: no text in UTF-8: the byte 0x00"},
		"a program":           {"study: a\n\x7fELF\x02", "s.yaml:2:5: no text in UTF-8: the byte 0x02"},
		"no anchor":           {small + "question: *what\n", "s.yaml:9:11: *what stands for nothing"},
		"alias of itself":     {"study: &a\n  study: *a\n", "s.yaml:"},
		"quick":               {small + "quick: {tiem: 1s}\n", "s.yaml:9:15: quick: there is no key 'tiem' in the file; did you mean 'time'?"},
		"full":                {small + "full: {threads: many}\n", "s.yaml:9:17: full: threads: 'many'"},
		"matrix":              {small + "matrix: {server: {a: [1, 2, 1]}}\n", "s.yaml:9:29: matrix.server.a: the value '1' is there twice"},
		"matrix without":      {small + "matrix: {server: {a: []}}\n", "s.yaml:9:22: matrix.server.a has no values"},
		"matrix baseline":     {change(", baseline: true", "") + "matrix: {server: {a: [1, 2]}, baseline: a=3}\n", "s.yaml:9:41: matrix.baseline: there is no combination 'a=3'; did you mean 'a=1'?"},
		"merge of a word":     {small + "measure: {<<: steady}\n", "<< takes over the keys of a mapping"},
		"margin":              {small + "margin: 0%\n", "margin: 0: percent above 0 are needed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Parse("s.yaml", []byte(tc.text), ReadOptions{Getenv: func(string) string { return "" }})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %s", err, tc.want)
			}
		})
	}
}

func TestSets(t *testing.T) {
	t.Parallel()
	p := parse(t, small, ReadOptions{Sets: []string{"threads=2,4", "time=10s", "data.table_size=77", "scenarios.on.server.innodb_io_capacity=200", "rounds=5"}})
	if !reflect.DeepEqual(p.Threads, []int{2, 4}) || p.Headline != 4 || p.Time.Seconds() != 10 || p.Data.Rows != 77 || p.Rounds != 5 {
		t.Errorf("%+v", p)
	}
	if got := p.Targets[0].Scenarios[1].Server; len(got) != 2 || got[1] != (Option{"innodb_io_capacity", "200"}) {
		t.Errorf("%v", got)
	}
	p = parse(t, strings.Replace(small, ", baseline: true", "", 1)+"matrix: {server: {a: [1, 2]}}\n", ReadOptions{Sets: []string{"matrix.server.a=5,6", "matrix.server.b=[x, y]"}})
	var names []string
	for _, s := range p.Targets[0].Scenarios {
		names = append(names, s.Name)
	}
	if want := []string{"a=5,b=x", "off", "on", "a=5,b=y", "a=6,b=x", "a=6,b=y"}; !reflect.DeepEqual(names, want) {
		t.Errorf("scenarios %q, want %q", names, want)
	}
	for set, want := range map[string]string{
		"thread=1":          "--set thread=1: there is no key 'thread' in the file; did you mean 'threads'?",
		"threads":           "--set threads: a key and a value are needed",
		"threads=x":         "--set threads=x: threads: 'x': a whole number is needed",
		"scenarios.no.sql=": "--set scenarios.no.sql=: there is no 'no' in scenarios; did you mean 'on'?",
		"threads=4,2":       "--set threads=4,2: threads: 2 comes after 4",
		"time=0s":           "--set time=0s: time: 0 is not possible",
		"=3":                "--set =3: a key and a value are needed",
		"time.x=3":          "--set time.x=3: time has no keys of its own",
	} {
		_, err := Parse("s.yaml", []byte(small), ReadOptions{Sets: []string{set}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestQuick(t *testing.T) {
	t.Parallel()
	p := parse(t, small, ReadOptions{Quick: true})
	if !p.Quick || p.Rounds != 5 || p.Time.Seconds() != 2 || !reflect.DeepEqual(p.Threads, []int{1}) {
		t.Errorf("%+v", p)
	}
	p = parse(t, small+"quick: {rounds: 6, threads: [3]}\n", ReadOptions{Quick: true})
	if p.Rounds != 6 || !reflect.DeepEqual(p.Threads, []int{3}) || p.Headline != 3 {
		t.Errorf("%+v", p)
	}
	if _, err := Parse("s.yaml", []byte(small), ReadOptions{Full: true}); err == nil {
		t.Error("--full without full")
	}
}

func TestMatrix(t *testing.T) {
	t.Parallel()
	head, _, _ := strings.Cut(small, "scenarios:")
	p := parse(t, head+"matrix: {server: {innodb_buffer_pool_size: [128M, 512M], sync_binlog: [0, 1]}}\n", ReadOptions{})
	var names []string
	for _, s := range p.Targets[0].Scenarios {
		names = append(names, s.Name)
	}
	if got := strings.Join(names, " "); got != "innodb_buffer_pool_size=128M,sync_binlog=0 innodb_buffer_pool_size=128M,sync_binlog=1 innodb_buffer_pool_size=512M,sync_binlog=0 innodb_buffer_pool_size=512M,sync_binlog=1" {
		t.Error(got)
	}
	if p.Rounds != 10 {
		t.Errorf("%d rounds for 4 scenarios", p.Rounds)
	}
}

func TestEnvironmentAndPasswords(t *testing.T) {
	t.Parallel()
	text := strings.Replace(small, "managed: {server: auto}", "external: {dsn: {host: \"${DB_HOST:-127.0.0.1}\", user: u, password_env: PW}, hooks: {restart: \"true\"}}", 1)
	env := map[string]string{"PW": "geheim"}
	p := parse(t, text, ReadOptions{Getenv: func(k string) string { return env[k] }})
	d := p.Targets[0].External.DSN
	if d.Host != "127.0.0.1" || d.Port != 3306 || p.State != Preserve || p.Starts(0) != compare.OneStartEach {
		t.Errorf("%+v %v", d, p.State)
	}
	pw, err := d.Secret(func(k string) string { return env[k] })
	if err != nil || pw != "geheim" {
		t.Errorf("%q, %v", pw, err)
	}
	kept, _ := json.Marshal(p)
	if bytes.Contains(kept, []byte("geheim")) {
		t.Error("the password is kept")
	}
	file := t.TempDir() + "/pw"
	if err := os.WriteFile(file, []byte("aus der Datei\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if pw, err := (DSN{PasswordFrom: "file:" + file}).Secret(nil); err != nil || pw != "aus der Datei" {
		t.Errorf("%q, %v", pw, err)
	}
}

func TestFromRuns(t *testing.T) {
	t.Parallel()
	run := func(source, mode string, threads int) RunOptions {
		return RunOptions{Source: source, Test: "oltp_read_only", Threads: threads, SQL: true, Options: map[string]string{"db_ps_mode": mode, "mysql_host": "127.0.0.1", "table_size": "500", "time": "3", "threads": "x", "rand_type": "uniform"}}
	}
	text, err := FromRuns([]RunOptions{run("run 1", "auto", 8), run("run 2", "disable", 8), run("run 3", "auto", 2)})
	if err != nil {
		t.Fatal(err)
	}
	p := parse(t, text, ReadOptions{})
	if len(p.Targets[0].Scenarios) != 2 || !reflect.DeepEqual(p.Threads, []int{2, 8}) || p.Data.Rows != 500 || p.Targets[0].Scenarios[1].Options[0] != (Option{"db-ps-mode", "disable"}) {
		t.Errorf("%s\n%+v", text, p)
	}
	if _, err := FromRuns([]RunOptions{run("run 1", "auto", 8), {Source: "run 9", Test: "cpu"}}); err == nil || !strings.Contains(err.Error(), "run 9 is of the test cpu, which uses no server") {
		t.Error(err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(small))
	f.Add([]byte("a: &x [*x]\n"))
	f.Add([]byte("study: a\nscenarios: {name: {}}\ntargets: 3\n"))
	f.Fuzz(func(_ *testing.T, text []byte) {
		_, _ = Parse("s.yaml", text, ReadOptions{Sets: []string{"threads=1,2"}})
	})
}

// One line for each fault: what a first fault causes is not told as further ones.
func TestOneFaultOneLine(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"- study: a\n", "study", "s\x00t", strings.Replace(small, "study: small", "study: a/b", 1), small + "time: 0s\n", small + "quick: {tiem: 1s}\n",
		strings.Replace(small, "[1, 32]", "many", 1), small + "time: 99999999999h\n", strings.Replace(small, "baseline: true", "basline: true", 1),
		strings.Replace(small, "managed:", "manged:", 1), small + "stop: {precison: 1%}\n", small + "rounds: x\n",
		small + "matrix: {server: {a: [1, 2, 1]}, baseline: x}\n",
	} {
		_, err := Parse("s.yaml", []byte(text), ReadOptions{})
		want := 1
		if strings.Contains(text, "baseline: x") {
			want = 3 // the value, the name, and that there are two baselines
		}
		if err == nil || strings.Count(err.Error(), "\n") != want-1 {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Anchors, aliases and << are YAML that people write.
func TestAliases(t *testing.T) {
	t.Parallel()
	p := parse(t, "\xef\xbb\xbf"+`study: &name small
question: *name
targets: [{name: a, managed: {server: auto, options: &o {innodb_io_capacity: &c 200, max_connections: 300}}}]
data: {workload: oltp_read_only}
workloads: [oltp_read_only]
threads: [1]
scenarios:
  - {name: off, baseline: true, server: {<<: *o, max_connections: 400}}
  - {name: on, server: {<<: [*o, {innodb_io_capacity: 1, tmp_table_size: *c}]}}
`, ReadOptions{})
	if p.Study != "small" || p.Question != "small" {
		t.Errorf("study %q, question %q", p.Study, p.Question)
	}
	want := [][]Option{
		{{"max_connections", "400"}, {"innodb_io_capacity", "200"}},
		{{"innodb_io_capacity", "200"}, {"max_connections", "300"}, {"tmp_table_size", "200"}},
	}
	for i, s := range p.Targets[0].Scenarios {
		if !reflect.DeepEqual(s.Server, want[i]) {
			t.Errorf("%s: %v, want %v", s.Name, s.Server, want[i])
		}
	}
}

// Places below the data directory are copied with it.
func TestPlacesOfData(t *testing.T) {
	t.Parallel()
	for _, o := range []string{"innodb_undo_directory: undo", "innodb_undo_directory: ./undo", "log_bin: binlog", "log_bin: 1", "innodb_data_file_path: 'ibdata1:12M:autoextend'", "tmpdir: /dev/shm"} {
		parse(t, strings.Replace(small, "performance_schema: \"ON\"", o, 1), ReadOptions{})
	}
}

func TestWarnings(t *testing.T) {
	t.Parallel()
	if w := parse(t, small+"rounds: 5\n", ReadOptions{}).Warnings(); w != nil {
		t.Errorf("five rounds: %v", w)
	}
	if w := parse(t, small, ReadOptions{Rounds: 1}).Warnings(); len(w) != 1 || w[0] != "no verdict will come of 1 round: 5 are needed, for an interval 3" {
		t.Errorf("one round: %v", w)
	}
}
