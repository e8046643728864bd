package sysbench

import (
	"strings"
	"testing"

	"deltabench/internal/option"
	"deltabench/internal/report"
)

func TestReadReport(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		args string
		want report.Format
		path string
		err  string
	}{
		{"", report.Text, "", ""},
		{"--report=text", report.Text, "", ""},
		{"--report=json", report.JSON, "", ""},
		{"--report=csv --report-file=x", report.CSV, "x", ""},
		{"--report-file=a.b/x.JSON", report.JSON, "a.b/x.JSON", ""},
		{"--report-file=x.csv", report.CSV, "x.csv", ""},
		{"--report=json --report-file=x.csv", report.JSON, "x.csv", ""},
		{"--report-file=x", 0, "", "--report-file=x: the format is not clear from the name"},
		{"--report-file=x.text", 0, "", "--report-file=x.text: the format is not clear from the name"},
		{"--report=xml", 0, "", "Invalid value for --report: 'xml' (allowed: text, json, csv)"},
		{"--report=text --report-file=x", 0, "", "--report-file is for documents, and --report=text writes none"},
	} {
		set := option.NewSet(reportSpecs()...)
		for _, a := range strings.Fields(tc.args) {
			set.ParseArg(a)
		}
		m, err := readReport(set)
		if errText(err) != tc.err {
			t.Errorf("%s: error %q, want %q", tc.args, errText(err), tc.err)
		} else if err == nil && (m.format != tc.want || m.path != tc.path) {
			t.Errorf("%s: got %+v", tc.args, m)
		}
	}
}

// Options in documents have the types of their values, and no passwords.
func TestOptionsOfDocuments(t *testing.T) {
	t.Parallel()
	r := call(t, Env{Face: FaceSysbench}, "--threads=3", "--percentile=99", "--debug", "--mysql-host=a,b", "--mysql-password=secret",
		"--thread-stack-size=1M", "--rand-pareto-h=inf", "--report=json", "--loops=mine", "oltp_read_write", "run", "--max-time=5")
	if r.req == nil {
		t.Fatalf("%+v", r)
	}
	m := r.req.Report
	for key, want := range map[string]any{
		"debug": true, "mysql_password": "***", "pgsql_password": "", "thread_stack_size": uint64(1 << 20), "rand_pareto_h": "inf",
		"loops": "mine", "threads": 7.0, "percentile": 99.0, "time": 5, "report": "json", "warmup_time": 0,
	} {
		if got := m.values[key]; got != want {
			t.Errorf("%s: got %v (%T), want %v (%T)", key, got, got, want, want)
		}
	}
	set := option.NewSet(option.Spec{Name: "n", Type: option.Int}) // a test that needs no number does not read it
	set.ParseArg("--n=x")
	if got := optionValue(set, set.Specs()[0]); got != "x" {
		t.Errorf("a number that is none: got %v", got)
	}
	for _, key := range []string{"help", "version", "max_time", "num_threads"} {
		if _, ok := m.values[key]; ok {
			t.Errorf("%s is there", key)
		}
	}
	if got, want := strings.Join(m.given, " "), "debug loops mysql_host mysql_password percentile rand_pareto_h report thread_stack_size time"; got != want {
		t.Errorf("given: got %s\nwant %s", got, want)
	}
}

// With a document on standard output everything else goes to standard error.
func TestDocumentHasStandardOutputAlone(t *testing.T) {
	t.Parallel()
	for _, face := range []Face{FaceSysbench, FaceDeltabench} {
		for _, tc := range []struct {
			args string
			text bool // standard output has the text
		}{
			{"--report=json oltp_read_write run", false},
			{"oltp_read_write run --report=csv", false},
			{"oltp_read_write run --report=csv --report=text", true},
			{"oltp_read_write run --report=csv --report-file=x", true},
			{"oltp_read_write prepare --report=json", true},
			{"oltp_read_write run --report=json --verbosity=9", false},
			{"oltp_read_write run --report=json --rand-type=x", false},
		} {
			r := call(t, Env{Face: face}, strings.Fields(tc.args)...)
			text, other := r.stdout, r.stderr
			if !tc.text {
				text, other = other, text
			}
			if text == "" || other != "" {
				t.Errorf("face %d, %s: standard output %q, standard error %q", face, tc.args, r.stdout, r.stderr)
			}
			if r.req != nil && (r.req.Report.to != nil) == tc.text {
				t.Errorf("%s: document to %v", tc.args, r.req.Report.to)
			}
		}
	}
}
