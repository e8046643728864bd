package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"deltabench/internal/mariadbtest"
)

var (
	updateConformance = flag.Bool("update-conformance", false, "record what the installed sysbench does with the conformance scripts")
	updateOurs        = flag.Bool("update-conformance-ours", false, "record what ours does where it may differ (NAME.ours.out)")
)

// conformanceDir has a script per case, CATEGORY/NAME.lua. Its first lines are comments that say how it is run:
//
//	-- run: ARGS     sysbench ./NAME.lua ARGS
//	-- stdin: ARGS   sysbench ARGS < NAME.lua
//	-- cmd: ARGS     sysbench ARGS
//	-- sql: TEXT     is executed in the case's database before
//	-- sort          lines are sorted: threads print in any order
//	-- vary          counts of the report differ from run to run
//	-- decimals      numbers with a point differ from run to run
//
// $DB in ARGS stands for the options that lead to the case's database. Files of a directory CATEGORY/NAME lie beside the
// script. NAME.out, NAME.err (when there is any) and NAME.code (when one is not 0) are what Debian's sysbench 1.0.20 left
// behind, masked; NAME.ours.* what ours does instead where that is right, with a reason in docs/compat.md.
const conformanceDir = "../../internal/workload/script/testdata/conformance"

// conformanceCase is a script with its directions.
type conformanceCase struct {
	name     string // CATEGORY/NAME
	runs     [][2]string
	sql      []string
	sort     bool
	vary     bool
	decimals bool
}

// result is what the runs of a case left behind, masked.
type conformanceResult struct{ out, err, code string }

func readConformanceCase(t *testing.T, path string) conformanceCase {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rel, _ := filepath.Rel(conformanceDir, path)
	c := conformanceCase{name: strings.TrimSuffix(filepath.ToSlash(rel), ".lua")}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#!") {
			continue
		}
		direction, isComment := strings.CutPrefix(strings.TrimSpace(line), "-- ")
		key, args, _ := strings.Cut(direction, ":")
		switch {
		case !isComment:
		case key == "run" || key == "stdin" || key == "cmd":
			c.runs = append(c.runs, [2]string{key, strings.TrimSpace(args)})
			continue
		case key == "sql":
			c.sql = append(c.sql, strings.TrimSpace(args))
			continue
		case direction == "sort":
			c.sort = true
			continue
		case direction == "vary":
			c.vary = true
			continue
		case direction == "decimals":
			c.decimals = true
			continue
		}
		break
	}
	if len(c.runs) == 0 {
		t.Fatalf("%s says no command line", path)
	}
	return c
}

// What differs from run to run or by right: the header's interpreter, addresses, numbers of types and lines inside sysbench's own library, ports, times, rates.
var (
	alwaysMasked = []struct{ pattern, with string }{
		{`(?m)^(sysbench 1\.0\.20 \(using ).*\)$`, "${1}X)"},
		{`0x[0-9a-f]{6,}`, "0xADDRESS"},
		{`\b(struct|enum) \d+\b`, "$1 N"},
		{`(\[string "sysbench\.\w+\.lua"\]:)\d+:`, "${1}N:"},
		{`\bport \d+`, "port N"},
		{`(/usr/share/sysbench/\w+\.lua:)\d+:`, "${1}N:"},
		{`\(\d+\.\d\d per sec\.\)`, "(N per sec.)"},
		{`(?m)^(    total time: +)[\d.]+s$`, "${1}Ns"},
		{`(?m)^(         (?:min|avg|max|sum| ?\d+th percentile): +)[\d.]+$`, "${1}N"},
		{`(?m)^(    execution time \(avg/stddev\): +).*$`, "${1}N"},
		{`(?m)^(\[ \d+s \] thds: \d+ (?:tps|eps): )\d+\.\d\d(?: qps: [^l]*)?( lat \(ms,\d+%\): )[\d.]+`, "${1}N${2}N"},
	}
	varyMasked = []struct{ pattern, with string }{
		{`(?m)^(    total number of events: +)\d+$`, "${1}N"},
		{`(?m)^(    events \(avg/stddev\): +).*$`, "${1}N"},
		{`(?m)^(        (?:read|write|other|total): +)\d+$`, "${1}N"},
		{`(?m)^(    (?:transactions|queries|ignored errors|reconnects): +)\d+ *\(`, "${1}N ("},
	}
	spaceBeforeMask = regexp.MustCompile(`: +(Ns?)(\n|$)`)
)

func (c *conformanceCase) mask(text string) string {
	for _, m := range alwaysMasked {
		text = regexp.MustCompile(m.pattern).ReplaceAllString(text, m.with)
	}
	if c.vary {
		for _, m := range varyMasked {
			text = regexp.MustCompile(m.pattern).ReplaceAllString(text, m.with)
		}
	}
	if c.decimals {
		text = regexp.MustCompile(`\b\d+\.\d+\b|("time": +)\d+\b`).ReplaceAllString(text, "${1}N")
	}
	text = spaceBeforeMask.ReplaceAllString(text, ": $1$2")
	if c.sort {
		lines := strings.SplitAfter(text, "\n")
		slices.Sort(lines)
		text = strings.Join(lines, "")
	}
	return text
}

// files makes a directory with the case's script and what lies beside it.
func (c *conformanceCase) files(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	source := filepath.Join(conformanceDir, filepath.FromSlash(c.name))
	script, err := os.ReadFile(source + ".lua")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, filepath.Base(source)+".lua"), script, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(source); err == nil {
		if err := os.CopyFS(dir, os.DirFS(source)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// execute runs the case with ours or with the installed sysbench. More options go with those of the database.
func (c *conformanceCase) execute(t *testing.T, server *mariadbtest.Server, theirs string, more ...string) conformanceResult {
	t.Helper()
	database := "conf_" + strings.ReplaceAll(c.name, "/", "_")
	server.Exec(t, append([]string{"SET lock_wait_timeout=20", "DROP DATABASE IF EXISTS " + database, "CREATE DATABASE " + database, "USE " + database}, c.sql...)...)
	defer server.Exec(t, "SET lock_wait_timeout=20", "DROP DATABASE "+database)
	dir := c.files(t)
	options := "--db-driver=mysql --mysql-host=127.0.0.1 --mysql-port=" + strconv.Itoa(server.Port) +
		" --mysql-user=" + mariadbtest.User + " --mysql-password=" + mariadbtest.Password + " --mysql-db=" + database + " " + strings.Join(more, " ")
	var r conformanceResult
	var codes []string
	failed := false
	for _, run := range c.runs {
		args := strings.Fields(strings.ReplaceAll(run[1], "$DB", options))
		file := "./" + filepath.Base(c.name) + ".lua"
		if run[0] == "run" {
			args = append([]string{file}, args...)
		}
		change := func(cmd *exec.Cmd) {
			cmd.Dir = dir
			cmd.Env = append(cmd.Environ(), "HOME=/home/sbtest", "LUA_PATH=", "LUA_CPATH=")
			cmd.Env = slices.DeleteFunc(cmd.Env, func(e string) bool { return strings.HasPrefix(e, "LUA_") })
			if run[0] == "stdin" {
				script, err := os.Open(filepath.Join(dir, file))
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { script.Close() })
				cmd.Stdin = script
			}
		}
		var o *outcome
		if theirs == "" {
			o = startWith(t, time.Minute, change, "sysbench", args...).wait(t)
		} else {
			o = runInstalled(t, theirs, change, args)
		}
		r.out += c.mask(o.stdout)
		r.err += c.mask(o.stderr)
		codes = append(codes, strconv.Itoa(o.code))
		failed = failed || o.code != 0
	}
	if failed {
		r.code = strings.Join(codes, " ") + "\n"
	}
	return r
}

// runInstalled runs an installed program as the name that it has.
func runInstalled(t *testing.T, path string, change func(*exec.Cmd), args []string) *outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	change(cmd)
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	code := cmd.ProcessState.ExitCode()
	if code < 0 { // a signal: as shells say it
		if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok {
			code = 128 + int(status.Signal())
		}
	}
	return &outcome{args: append([]string{path}, args...), code: code, stdout: out.String(), stderr: errOut.String()}
}

// recorded reads what was recorded under CATEGORY/NAME or CATEGORY/NAME.ours. ours is false when there is nothing.
func (c *conformanceCase) recorded(t *testing.T, suffix string) (r conformanceResult, ok bool) {
	t.Helper()
	for ext, p := range r.files() {
		b, err := os.ReadFile(filepath.Join(conformanceDir, filepath.FromSlash(c.name)+suffix+ext))
		if err == nil {
			*p, ok = string(b), true
		} else if !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
	return r, ok
}

// record writes the files of a result; those with nothing in them are removed, but for the output.
func (c *conformanceCase) record(t *testing.T, suffix string, r conformanceResult) {
	t.Helper()
	for ext, p := range r.files() {
		path := filepath.Join(conformanceDir, filepath.FromSlash(c.name)+suffix+ext)
		var err error
		if *p == "" && ext != ".out" {
			if err = os.Remove(path); errors.Is(err, os.ErrNotExist) {
				err = nil
			}
		} else {
			err = os.WriteFile(path, []byte(*p), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func (r *conformanceResult) files() map[string]*string {
	return map[string]*string{".out": &r.out, ".err": &r.err, ".code": &r.code}
}

func (r conformanceResult) String() string {
	return "--- stdout\n" + r.out + "--- stderr\n" + r.err + "--- exit codes\n" + r.code
}

// Every script does under ours what it does under Debian's sysbench, byte by byte but for what differs from run to run.
// The recorded files are checked against the installed sysbench as well, where there is one.
func TestConformance(t *testing.T) {
	theirs, err := exec.LookPath("sysbench")
	if err != nil {
		t.Log("no sysbench is installed: only the recorded results are compared")
	}
	server := mariadbtest.Start(t)
	paths, err := filepath.Glob(conformanceDir + "/*/*.lua")
	if err != nil || len(paths) < 120 {
		t.Fatalf("%d cases in %s, want at least 120 (%v)", len(paths), conformanceDir, err)
	}
	t.Run("cases", func(t *testing.T) {
		for _, path := range paths {
			c := readConformanceCase(t, path)
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				c.check(t, server, theirs)
			})
		}
	})
}

func (c *conformanceCase) check(t *testing.T, server *mariadbtest.Server, theirs string) {
	want, ok := c.recorded(t, "")
	if theirs != "" {
		got := c.execute(t, server, theirs)
		switch {
		case *updateConformance:
			c.record(t, "", got)
			want, ok = got, true
		case got != want:
			t.Errorf("the installed sysbench does\n%v\nrecorded is\n%v", got, want)
		}
	}
	if !ok {
		t.Fatal("nothing is recorded: run with -update-conformance where sysbench is installed")
	}
	if *updateConformance {
		return
	}
	got := c.execute(t, server, "")
	if ours, differs := c.recorded(t, ".ours"); differs {
		if *updateOurs {
			c.record(t, ".ours", got)
			return
		}
		if ours == want {
			t.Error("what is recorded of ours is what sysbench does: remove the .ours files")
		}
		want = ours
	}
	if got != want {
		t.Errorf("ours does\n%v\nwant\n%v\n%s", got, want, firstDifference(got.String(), want.String()))
	}
	if c.database() {
		if got := c.execute(t, server, "", "--engine=goroutine"); got != want {
			t.Errorf("with --engine=goroutine ours does\n%v\nwant\n%v\n%s", got, want, firstDifference(got.String(), want.String()))
		}
	}
}

// database reports whether a run of the case uses a database: such runs have two executors.
func (c *conformanceCase) database() bool {
	return slices.ContainsFunc(c.runs, func(run [2]string) bool {
		return strings.HasPrefix(run[1], "run ") && strings.Contains(run[1], "$DB")
	})
}

// firstDifference shows the first line that differs.
func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return "first difference: got  " + strconv.Quote(g[i]) + "\n                  want " + strconv.Quote(w[i])
		}
	}
	return "one is the beginning of the other"
}

// Where ours differs from sysbench, docs/compat.md says why.
func TestConformanceDifferencesAreExplained(t *testing.T) {
	doc, err := os.ReadFile("../../docs/compat.md")
	if err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob(conformanceDir + "/*/*.ours.out")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no differences: %v", err)
	}
	for _, path := range paths {
		rel, _ := filepath.Rel(conformanceDir, path)
		name := strings.TrimSuffix(filepath.ToSlash(rel), ".ours.out")
		if !bytes.Contains(doc, []byte("`"+name+"`")) {
			t.Errorf("docs/compat.md does not explain why %s differs", name)
		}
	}
}
