package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"deltabench/docs/schema"
)

// inLocale runs the program with variables of the environment, of which these alone matter to tables.
func inLocale(t *testing.T, env []string, args ...string) *outcome {
	t.Helper()
	return startWith(t, time.Minute, func(c *exec.Cmd) {
		c.Env = append(c.Env, "LC_ALL=", "LC_CTYPE=", "LANG=C", "COLUMNS=80", "NO_COLOR=")
		c.Env = append(c.Env, env...)
	}, "deltabench", args...).wait(t)
}

func TestReference(t *testing.T) {
	utf8 := []string{"LANG=de_DE.UTF-8"}
	for _, tc := range []struct {
		name string
		env  []string
		args []string
		want []string
	}{
		{"list", utf8, []string{"reference"}, []string{"performance-schema ", "confidential ", "hotspot ", "network ", "buffer-pool "}},
		{"both tables", utf8, []string{"reference", "performance-schema"}, []string{
			"polardb, 32 threads, QPS", "39,889 −15.45%", "rds, oltp_read_write, QPS", "33,570 (−21.30%) ≠−16.14%", "≠: the published change",
		}},
		{"no UTF-8", nil, []string{"reference", "performance-schema", "--threads=256"}, []string{"33,570 (-21.30%) !=-16.14%"}},
		{"Markdown", nil, []string{"reference", "performance-schema", "--threads=256", "--format=markdown"}, []string{"**33,570 (−21.30%) ≠−16.14%**"}},
		{"one layout", utf8, []string{"reference", "performance-schema", "--layout=scenarios", "--threads=64"}, []string{"rds, 64 threads, QPS"}},
		{"pairs", utf8, []string{"reference", "confidential"}, []string{"46,675.26  −24.77%      82.46      109.59  +32.90%", "Little's law"}},
		{"hotspot", utf8, []string{"reference", "hotspot"}, []string{"1,865,967", "12,000"}},
		{"network", utf8, []string{"reference", "network"}, []string{"+22 % at 16 threads"}},
		{"single", utf8, []string{"reference", "buffer-pool"}, []string{"TPS [transactions/s]                      431.45  442.47  +2.6 %", "no verdict"}},
		{"benchmark format", utf8, []string{"reference", "buffer-pool", "--format=bench"}, []string{"scenario: 128M", "BenchmarkOltp/threads=1 1 431.45 transactions/s"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			o := inLocale(t, tc.env, tc.args...)
			if o.code != 0 || o.stderr != "" {
				t.Fatal(o)
			}
			for _, want := range tc.want {
				if !strings.Contains(o.stdout, want) {
					t.Errorf("no %q in %v", want, o)
				}
			}
			if strings.Contains(o.stdout, "\x1b") {
				t.Errorf("colours where there is no terminal: %v", o)
			}
			if tc.env == nil && !strings.Contains(strings.Join(tc.args, " "), "markdown") {
				for _, r := range o.stdout {
					if r > 126 {
						t.Fatalf("%q without a UTF-8 locale", r)
					}
				}
			}
		})
	}
}

func TestReferenceForPrograms(t *testing.T) {
	o := inLocale(t, nil, "reference", "performance-schema", "--format=csv")
	rows, err := csv.NewReader(strings.NewReader(o.stdout)).ReadAll()
	if err != nil || len(rows) != 331 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	compiler := jsonschema.NewCompiler()
	text := inLocale(t, nil, "schema", "comparisons").stdout
	if text != string(schema.Comparisons1) {
		t.Error("schema comparisons prints something else")
	}
	parsed, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := compiler.AddResource("c.json", parsed); err != nil {
		t.Fatal(err)
	}
	s, err := compiler.Compile("c.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"performance-schema", "confidential", "hotspot", "network", "buffer-pool"} {
		o := inLocale(t, nil, "reference", name, "--format=json")
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(o.stdout)))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := s.Validate(v); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	var list []struct{ Name string }
	if o := inLocale(t, nil, "reference", "list", "--format=json"); json.Unmarshal([]byte(o.stdout), &list) != nil || len(list) != 5 {
		t.Error(o)
	}
}

func TestMistakesWithReference(t *testing.T) {
	for _, tc := range []struct{ args, want string }{
		{"reference nothing", "deltabench reference: there is no published set 'nothing'; sets are performance-schema, confidential, hotspot, network, buffer-pool"},
		{"reference hotspot network", "deltabench reference: 'network': one name of a published set is enough"},
		{"reference hotspot --format=xml", "deltabench reference: --format: there is no format 'xml'; formats are terminal, markdown, csv, json, bench"},
		{"reference hotspot --layout=wide", "deltabench reference: --layout: there is no layout 'wide'; layouts are list, scenarios, threads, pairs, single, counts"},
		{"reference hotspot --layout=pairs", "deltabench reference: --layout=pairs: hotspot has counts"},
		{"reference confidential --threads=3", "deltabench reference: confidential has no figures for 3 threads; it has 64, 128, 256"},
		{"reference hotspot --threads=3", "deltabench reference: the figures of hotspot do not depend on a number of threads"},
		{"reference hotspot --threads=-1", "deltabench reference: --threads=-1: a number of threads is needed, or 0 for all"},
		{"reference --layout=list", "deltabench reference: --layout and --threads belong to a set; name one of 'deltabench reference list'"},
		{"reference list --format=csv", "deltabench reference: --format=csv: the list is there as terminal and json"},
		{"schema x", "deltabench schema: there is no schema 'x'; kinds of documents are report, comparisons and study"},
		{"schema report x", "deltabench schema: 'x': one kind of document is enough"},
	} {
		o := inLocale(t, nil, strings.Fields(tc.args)...)
		if o.code != 1 || o.stderr != tc.want+"\n" || o.stdout != "" {
			t.Errorf("want %q: %v", tc.want, o)
		}
	}
	if _, err := os.Stat("/dev/full"); err == nil {
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer full.Close()
		o := startWith(t, time.Minute, func(c *exec.Cmd) { c.Stdout = full }, "deltabench", "reference", "hotspot").wait(t)
		if o.code != 4 || !strings.Contains(o.stderr, "write standard output") {
			t.Error(o)
		}
	}
}
