package sysbench

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// explained returns what explain prints.
func explained(t *testing.T, utf8 bool, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	env := map[string]string{}
	if utf8 {
		env["LANG"] = "C.UTF-8"
	}
	code := Explain(Env{
		Args: append([]string{"deltabench"}, args...), Stdout: &out, Stderr: &errs, Face: FaceDeltabench,
		Getenv: func(name string) string { return env[name] },
	})
	if code != ExitOK || errs.Len() > 0 {
		t.Fatalf("%v: exit code %d\n%s%s", args, code, out.String(), errs.String())
	}
	return out.String()
}

// shares matches the lines of the picture.
var shares = regexp.MustCompile(`(?m)^ +(\d+)-(\d+) +([\d.]+) % ?(.*)$`)

func TestExplainDistributions(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		args    string
		hottest string  // range of the line with the most draws
		share   float64 // of it in percent, at least
		least   float64 // of any line, at least
	}{
		{"--rand-type=uniform", "", 4.5, 4.5},
		{"--rand-type=special", "5001-5500", 50, 0},
		{"--rand-type=special --rand-spec-pct=10", "5001-5500", 50, 0},
		{"--rand-type=gaussian", "", 22, 0},
		{"--rand-type=pareto", "1-500", 60, 0},
		{"--rand-type=zipfian --rand-zipfian-exp=1.5", "1-500", 90, 0},
	} {
		t.Run(tc.args, func(t *testing.T) {
			t.Parallel()
			text := explained(t, false, append([]string{"oltp_point_select", "--table-size=10000"}, strings.Fields(tc.args)...)...)
			rows := shares.FindAllStringSubmatch(text, -1)
			if len(rows) != sampleLines {
				t.Fatalf("%d lines:\n%s", len(rows), text)
			}
			sum, most, least, next := 0.0, 0.0, 100.0, 1
			hottest, longest := "", 0
			for _, row := range rows {
				if row[1] != strconv.Itoa(next) {
					t.Errorf("line starts at %s, want %d", row[1], next)
				}
				last, _ := strconv.Atoi(row[2])
				next = last + 1
				share, _ := strconv.ParseFloat(row[3], 64)
				sum += share
				least = min(least, share)
				if share > most {
					most, hottest = share, row[1]+"-"+row[2]
				}
				longest = max(longest, strings.Count(row[4], "#"))
			}
			if next != 10001 || sum < 99 || sum > 101 || longest != 44 {
				t.Errorf("ends before %d, %v %% in all, longest bar %d", next, sum, longest)
			}
			if most < tc.share || least < tc.least || tc.hottest != "" && hottest != tc.hottest {
				t.Errorf("most %v %% in %s, least %v %%:\n%s", most, hottest, least, text)
			}
			if again := explained(t, false, append([]string{"oltp_point_select", "--table-size=10000"}, strings.Fields(tc.args)...)...); again != text {
				t.Error("another picture the second time")
			}
		})
	}
}

func TestExplainFitsTheTerminal(t *testing.T) {
	t.Parallel()
	for _, test := range Tests() {
		for i, args := range [][]string{nil, {"--threads=7", "--table-size=2000000000", "--random-points=100", "--number-of-ranges=50"}} {
			known := []string{test.Name()}
			for _, a := range args {
				name, _, _ := strings.Cut(a, "=")
				if name == "--threads" || strings.Contains(strings.Join(optionNamesOf(test.Name()), " "), name[2:]) {
					known = append(known, a)
				}
			}
			wide := i == 1
			for line := range strings.Lines(explained(t, wide, known...)) {
				line = strings.TrimSuffix(line, "\n")
				if n := utf8.RuneCountInString(line); n > explainWidth {
					t.Errorf("%v: %d columns: %s", known, n, line)
				}
				if line != strings.TrimRight(line, " ") {
					t.Errorf("%v: blanks at the end of %q", known, line)
				}
				if !wide && len(line) != utf8.RuneCountInString(line) {
					t.Errorf("%v: not ASCII: %s", known, line)
				}
			}
		}
	}
}

func optionNamesOf(test string) []string {
	var names []string
	for _, s := range TestOptions(TestNamed(test)) {
		names = append(names, dashed(s.Name))
	}
	return names
}

func TestExplainTexts(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"oltp_read_write": "Queries in an event: 14 reads, 4 writes, 2 others, 20 in all.",
		"oltp_read_write --skip-trx --point-selects=1000000":              "1000004 reads, 4 writes, 0 others",
		"oltp_read_write --tables=8":                                      "sbtest1 stands for one of 8 tables",
		"oltp_read_write --db-ps-mode=disable":                            "Statements are sent as text",
		"oltp_delete":                                                     "0 reads, 1 writes, 0 others",
		"bulk_insert":                                                     "Keys are not random",
		"select_random_points --threads=4":                                "Each of the 4 threads has such a range of its own",
		"memory --memory-oper=none":                                       "does nothing",
		"memory --threads=2 --memory-total-size=2M":                       "2 threads ends after 1024 events",
		"threads --thread-yields=5":                                       "5 times",
		"mutex --mutex-num=7":                                             "one of 7 locks",
		"oltp_point_select --table-size=1":                                "no rows to draw keys from",
		"oltp_read_only --point-selects=0 --range-selects=off --skip-trx": "sends nothing",
	} {
		text := strings.Join(strings.Fields(explained(t, true, strings.Fields(args)...)), " ")
		if !strings.Contains(text, want) {
			t.Errorf("%s: no %q in\n%s", args, want, text)
		}
	}
}
