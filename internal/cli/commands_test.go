package cli

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"deltabench/internal/sysbench"
)

// runAsMain in the environment makes the test binary behave as the program.
const runAsMain = "DELTABENCH_TEST_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(runAsMain) != "" {
		os.Exit(Main(OSEnv()))
	}
	os.Exit(m.Run())
}

// call executes a command line in process.
func call(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = Main(Env{
		Args: append([]string{"deltabench"}, args...), Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs,
		Getenv: func(string) string { return "" }, Signals: make(chan os.Signal), Exit: func(int) {},
	})
	return code, out.String(), errs.String()
}

func TestCommands(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		args   string
		code   int
		stdout string // part of it
		stderr string
	}{
		{"version", 0, "sysbench 1.0.20 compatible", ""},
		{"version x", 1, "", "deltabench version: 'x': no argument is expected\n"},
		{"version --x", 1, "", "deltabench version: there is no option --x\n"},
		{"demo foo", 1, "", "deltabench demo: 'foo': no argument is expected\n"},
		{"demo --rounds=abc", 1, "", "deltabench demo: --rounds=abc: a whole number is needed\n"},
		{"script check", 1, "", "deltabench script check: the file of a script is missing; as in 'deltabench script check ./x.lua'\n"},
		{"script foo", 1, "", "deltabench script: there is no 'script foo'; see 'deltabench script check'\n"},
		{"completion bash zsh", 1, "", "deltabench completion: 'zsh': one argument is enough: the shell (bash, zsh or fish)\n"},
		{"help server", 0, "deltabench server [options]", ""},
		{"help script check", 0, "deltabench script check FILE", ""},
		{"help cpu memory", 1, "", "deltabench help: 'memory': one command or test is enough\n"},
		{"schema", 0, `"title": "deltabench report, version 1"`, ""},
		{"completion", 1, "", "deltabench completion: the shell (bash, zsh or fish) is missing\n"},
		{"completion tcsh", 1, "", "deltabench completion: unknown shell 'tcsh' (bash, zsh or fish)\n"},
		{"explain", 1, "", "no test is named (as in 'deltabench explain oltp_read_write'; see 'deltabench --help' for the tests)\n"},
		{"explain cpu run", 1, "", "Unrecognized command line argument: run (explain takes a test and options)\n"},
		{"explain oltp_read_writ", 1, "did you mean oltp_read_write?", ""},
		{"explain cpu --tables=3", 1, "", "invalid option: --tables=3"},
		{"explain fileio", 3, "not in this version", ""},
		{"explain --help", 0, "deltabench explain TEST [options]", ""},
		{"explain cpu", 0, "counts the primes", ""},
		{"help", 0, "\n  server      Start the embedded server", ""},
		{"help cpu", 0, "--cpu-max-prime=N", ""},
		{"help schema", 0, "deltabench schema", ""},
		{"--version", 0, "deltabench ", ""},
	} {
		t.Run(tc.args, func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr := call(t, strings.Fields(tc.args)...)
			if code != tc.code || !strings.Contains(stdout, tc.stdout) || !strings.HasPrefix(stderr, tc.stderr) || tc.stderr == "" && stderr != "" {
				t.Errorf("exit code %d, want %d\nstdout %q, want %q\nstderr %q, want %q", code, tc.code, stdout, tc.stdout, stderr, tc.stderr)
			}
		})
	}
}

// Several scripts are checked in a row; one with nothing to run is not all right.
func TestCheckOfSeveralScripts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	good, empty := filepath.Join(dir, "good.lua"), filepath.Join(dir, "empty.lua")
	for file, text := range map[string]string{good: "function event() end", empty: "-- nothing"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if code, out, errs := call(t, "script", "check", good, good); code != 0 || strings.Count(out, "Nothing is missing.") != 2 || errs != "" {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
	code, out, errs := call(t, "script", "check", empty, good)
	if code != 1 || !strings.Contains(out, "neither an event() nor a command") || !strings.Contains(out, "Nothing is missing.") || errs != "" {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
}

// Of a script on standard input only the top level runs, as in sysbench; we say so.
func TestStandardInputHasNoCommands(t *testing.T) {
	t.Parallel()
	for command, warned := range map[string]bool{"run": true, "": false} {
		var out, errs bytes.Buffer
		args := []string{"deltabench", "-"}
		if command != "" {
			args = append(args, command)
		}
		code := Main(Env{
			Args: args, Stdin: strings.NewReader("function event() end"), Stdout: &out, Stderr: &errs, Getenv: func(string) string { return "" },
			Signals: make(chan os.Signal), Exit: func(int) {},
		})
		if code != 0 || strings.Contains(out.String(), "WARNING: 'run' is not executed") != warned {
			t.Errorf("command %q: exit code %d\n%s%s", command, code, out.String(), errs.String())
		}
	}
}

// Under the name sysbench our words are names of tests.
func TestSysbenchHasNoCommands(t *testing.T) {
	t.Parallel()
	for _, c := range commands() {
		var out, errs bytes.Buffer
		code := Main(Env{Args: []string{"/usr/bin/sysbench", c.name}, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Getenv: func(string) string { return "" }})
		if want := "FATAL: Cannot find benchmark '" + c.name + "'"; code != 1 || !strings.Contains(out.String(), want) {
			t.Errorf("%s: exit code %d, %s%s", c.name, code, out.String(), errs.String())
		}
	}
}

// A name of a command must not be one of a test: the test could not be run.
func TestCommandsHideNoTest(t *testing.T) {
	t.Parallel()
	for _, c := range commands() {
		if sysbench.TestNamed(c.name) != nil {
			t.Errorf("%s is the name of a test", c.name)
		}
		if cmd := c.construct(Env{Args: []string{"deltabench"}}); cmd.Name() != c.name || cmd.Short == "" {
			t.Errorf("%s is called %q, short %q", c.name, cmd.Name(), cmd.Short)
		}
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestCommandOutputCannotBeWritten(t *testing.T) {
	t.Parallel()
	for _, args := range []string{"version", "schema", "man", "explain cpu", "completion bash", "help"} {
		var errs bytes.Buffer
		code := Main(Env{
			Args: append([]string{"deltabench"}, strings.Fields(args)...), Stdin: strings.NewReader(""), Stdout: fullDisk{}, Stderr: &errs,
			Getenv: func(string) string { return "" }, Signals: make(chan os.Signal), Exit: func(int) {},
		})
		if code != sysbench.ExitOutput || strings.Count(errs.String(), "no space left on device") != 1 {
			t.Errorf("%s: exit code %d, %q", args, code, errs.String())
		}
	}
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		line string // the last word is being typed; ~ is an empty one
		want string // lines that must be there, separated by blanks
		not  string
	}{
		{"~", "explain version cpu oltp_read_write memory", "--threads= fileio"},
		{"exp", "explain", "version cpu"},
		{"oltp_read_", "oltp_read_write oltp_read_only", "oltp_insert"},
		{"oltp_read_write ~", "prepare prewarm cleanup run help", "oltp_insert explain"},
		{"--threads=4 oltp_read_write r", "run", "prepare"},
		{"cpu ~", "run help", "prepare"},
		{"cpu --", "--cpu-max-prime= --threads= --debug --report=", "--table-size= --num-threads="},
		{"oltp_read_write --table", "--table-size= --tables=", "--threads="},
		{"oltp_read_write --table_", "--table_size=", "--table-size="},
		{"oltp_read_write run --engine=", "auto loop goroutine", ""},
		{"oltp_read_write run --engine=l", "loop", "auto"},
		{"--mysql-ssl=v", "verify_ca verify_identity", "disabled"},
		{"--debug=", "on off", ""},
		{"--rand-type=z", "zipfian", ""},
		{"--report=", "text json csv", ""},
		{"cpu run ~", "", "cpu run"},
		{"explain ~", "oltp_delete cpu", "explain"},
		{"explain cpu ~", "", "run"},
		{"explain cpu --cpu", "--cpu-max-prime=", ""},
		{"completion ~", "bash zsh fish", "cpu"},
		{"help s", "schema select_random_points", "cpu"},
		{"nosuchtest --thr", "--threads= --thread-stack-size=", ""},
	} {
		t.Run(tc.line, func(t *testing.T) {
			t.Parallel()
			words := strings.Fields(tc.line)
			if last := len(words) - 1; words[last] == "~" {
				words[last] = ""
			}
			code, stdout, _ := call(t, append([]string{"__complete"}, words...)...)
			if code != 0 {
				t.Fatalf("exit code %d: %s", code, stdout)
			}
			offered := map[string]bool{}
			for line := range strings.Lines(stdout) {
				word, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
				offered[word] = true
			}
			for want := range strings.FieldsSeq(tc.want) {
				if !offered[want] {
					t.Errorf("%s is not offered: %s", want, stdout)
				}
			}
			for not := range strings.FieldsSeq(tc.not) {
				if offered[not] {
					t.Errorf("%s is offered", not)
				}
			}
		})
	}
}

// The script of bash, in a bash, with the answers of the program.
func TestBashCompletes(t *testing.T) {
	t.Parallel()
	_, script, _ := call(t, "completion", "bash")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The package bash-completion may not be there: its function that splits the line is easy for lines without quotes.
	script += `
_get_comp_words_by_ref() { cur=${COMP_WORDS[COMP_CWORD]}; prev=${COMP_WORDS[COMP_CWORD-1]}; words=("${COMP_WORDS[@]}"); cword=$COMP_CWORD; }
compopt() { :; }
deltabench() { (exec -a deltabench "$SELF" "$@"); }
complete_line() {
	COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}; COMP_TYPE=9; COMPREPLY=()
	__start_deltabench
	echo "${COMPREPLY[*]}"
}
complete_line deltabench exp
complete_line deltabench oltp_read_write r
complete_line deltabench oltp_read_write run --table-
complete_line deltabench --engine=l
complete_line deltabench --report=j
`
	cmd := exec.CommandContext(t.Context(), "bash", "--norc", "-c", script)
	cmd.Env = append(os.Environ(), "SELF="+self, runAsMain+"=1")
	out, err := cmd.CombinedOutput()
	want := "explain\nrun\n--table-size=\nloop\njson\n"
	if err != nil || string(out) != want {
		t.Errorf("%v: got\n%s\nwant\n%s", err, out, want)
	}
}

// Completion scripts have the syntax of their shells, as far as those are there; bash is everywhere that tests run.
func TestCompletionScripts(t *testing.T) {
	t.Parallel()
	for _, shell := range []string{"bash", "zsh", "fish"} {
		code, script, _ := call(t, "completion", shell)
		if code != 0 || !strings.Contains(script, "__complete") {
			t.Fatalf("%s: exit code %d, %d bytes", shell, code, len(script))
		}
		path, err := exec.LookPath(shell)
		if err != nil && shell != "bash" {
			continue
		}
		file := filepath.Join(t.TempDir(), "script")
		if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.CommandContext(t.Context(), path, "-n", file).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", shell, err, out)
		}
	}
}

func TestManPage(t *testing.T) {
	t.Parallel()
	code, page, _ := call(t, "man")
	if code != 0 {
		t.Fatalf("exit code %d", code)
	}
	has := func(term string) {
		if !strings.Contains(page, "\n.B "+strings.ReplaceAll(term, "-", `\-`)) {
			t.Errorf("%q is not in the page", term)
		}
	}
	count := 0
	for _, g := range sysbench.OptionGroups() {
		for _, s := range g.Specs {
			has("--" + s.Name)
			count++
		}
	}
	for _, test := range sysbench.Tests() {
		has(test.Name())
		for _, s := range sysbench.TestOptions(test) {
			has("--" + s.Name)
			count++
		}
	}
	if count < 100 {
		t.Errorf("%d options", count)
	}
	for _, c := range commands() {
		has("deltabench " + c.name)
	}
	has("deltabench script check")
	for _, option := range []string{"port", "host", "password"} { // of the server
		has("--" + option)
	}
	for i, line := range strings.Split(strings.TrimSuffix(page, "\n"), "\n") {
		switch {
		case line == "":
			t.Errorf("line %d is empty", i+1)
		case strings.HasPrefix(line, "'"):
			t.Errorf("line %d starts a request: %s", i+1, line)
		case line[0] == '.':
			switch word, _, _ := strings.Cut(line, " "); word {
			case ".TH", ".SH", ".SS", ".PP", ".TP", ".B", ".br":
			default:
				t.Errorf("line %d: unknown macro %s", i+1, word)
			}
		}
	}
}

// A run constructs none of our commands.
func TestIsCommand(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		args string
		want bool
	}{
		{"deltabench", false},
		{"deltabench explain", true},
		{"deltabench --threads=4 explain", false},
		{"deltabench oltp_read_write run", false},
		{"deltabench __complete", true},
		{"deltabench ./explain", false},
	} {
		if got := isCommand(strings.Fields(tc.args)); got != tc.want {
			t.Errorf("%s: got %v", tc.args, got)
		}
	}
}
