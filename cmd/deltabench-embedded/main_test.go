package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"deltabench/internal/cli"
	"deltabench/internal/store"
	"deltabench/internal/sysbench"
	"deltabench/internal/target"
)

// The test binary is both programs, by the name under which it is called: so tests run the real thing as processes of
// their own, under the race detector when they are, and without a build.
func TestMain(m *testing.M) {
	switch filepath.Base(os.Args[0]) {
	case target.EmbeddedProgram:
		main()
	case "deltabench":
		os.Exit(cli.Main(cli.OSEnv()))
	}
	dir, err := os.MkdirTemp("", "deltabench-embedded-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	self, err := os.Executable()
	if err == nil {
		err = os.Symlink(self, filepath.Join(dir, target.EmbeddedProgram))
	}
	if err == nil {
		err = os.Symlink(self, filepath.Join(dir, "deltabench"))
	}
	if err == nil {
		err = os.Setenv("PATH", dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Setenv(store.PathVariable, store.None) // nothing is recorded in the store of whoever runs the tests
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// limit ends what hangs: ten times and more what the longest of these takes, under the race detector on a busy machine.
const limit = 15 * time.Minute

// program executes a program to its end.
func program(t *testing.T, name string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.Dir = &out, &errs, t.TempDir()
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%s %v: %v", name, args, err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

// deltabench executes a command line in this process.
func deltabench(t *testing.T, args ...string) (int, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	var out bytes.Buffer
	code := sysbench.Main(ctx, sysbench.Env{
		Args: append([]string{"deltabench"}, args...), Stdout: &out, Stderr: &out, Face: sysbench.FaceDeltabench,
	})
	return code, out.String()
}

func start(t *testing.T) *target.Embedded {
	t.Helper()
	e, err := target.StartEmbedded(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e
}

func server(e *target.Embedded) []string {
	return []string{
		"--mysql-host=" + e.Host, fmt.Sprintf("--mysql-port=%d", e.Port), "--mysql-user=" + e.User,
		"--mysql-password=" + e.Password, "--mysql-db=" + e.DB,
	}
}

func TestAllWorkloadsRunClean(t *testing.T) {
	e := start(t)
	for _, name := range []string{
		"bulk_insert", "oltp_delete", "oltp_insert", "oltp_point_select", "oltp_read_only", "oltp_read_write",
		"oltp_update_index", "oltp_update_non_index", "oltp_write_only", "select_random_points", "select_random_ranges",
	} {
		for _, ps := range []string{"auto", "disable"} {
			t.Run(name+"/"+ps, func(t *testing.T) {
				options := append(server(e), "--threads=4", "--db-ps-mode="+ps)
				if name != "bulk_insert" {
					options = append(options, "--table-size=2000")
				}
				commands := []string{"prepare", "run", "cleanup"}
				if strings.HasPrefix(name, "oltp_") {
					commands = []string{"prepare", "prewarm", "run", "cleanup"}
				}
				for _, command := range commands {
					args := append([]string{name, command}, options...)
					if command == "run" {
						args = append(args, "--events=100", "--time=60")
					}
					code, out := deltabench(t, args...)
					if code != 0 {
						t.Fatalf("%s: exit code %d\n%s", command, code, out)
					}
					// Deadlocks are part of what a server does; nothing else is.
					if command == "run" {
						for _, line := range regexp.MustCompile(`(?m)^ +\d+ \(\w+\) .*$`).FindAllString(out, -1) {
							if !strings.Contains(line, "1213 (40001)") {
								t.Errorf("an error in\n%s", out)
							}
						}
						if !regexp.MustCompile(`total number of events: +100\n`).MatchString(out) {
							t.Errorf("not 100 events in\n%s", out)
						}
					}
				}
			})
		}
	}
}

func TestVariantsOfTables(t *testing.T) {
	e := start(t)
	for _, options := range [][]string{
		{"--secondary=on"},
		{"--auto-inc=off"},
		{"--create-secondary=off"},
		{"--tables=3", "--skip-trx=on", "--delete-inserts=0"},
		{"--delete-inserts=5", "--range-selects=off"},
	} {
		t.Run(strings.Join(options, ","), func(t *testing.T) {
			for _, command := range []string{"prepare", "run", "cleanup"} {
				args := append([]string{"oltp_read_write", command, "--table-size=500", "--threads=3", "--events=60", "--time=60"}, options...)
				if code, out := deltabench(t, append(args, server(e)...)...); code != 0 {
					t.Fatalf("%s: exit code %d\n%s", command, code, out)
				}
			}
		})
	}
}

func TestTarget(t *testing.T) {
	code, out, errs := program(t, "deltabench", "oltp_read_write", "run", "--target=embedded", "--table-size=500", "--threads=2", "--events=20", "--time=60")
	if code != 0 || errs != "" {
		t.Fatalf("exit code %d\n%s%s", code, out, errs)
	}
	for _, want := range []string{
		"Target: " + target.EmbeddedNote, "Preparing its tables first", "transport:", "mysql_native_password",
		"target:                              " + target.EmbeddedNote, "total number of events:              20\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	if strings.Contains(out, "Creating table") {
		t.Errorf("prepare is told at length\n%s", out)
	}
	for _, command := range []string{"prepare", "cleanup"} {
		code, out, errs := program(t, "deltabench", "oltp_read_write", command, "--target=embedded", "--table-size=10")
		if code != 0 || !strings.Contains(out, "It ends with this command") {
			t.Errorf("%s: exit code %d\n%s%s", command, code, out, errs)
		}
	}
}

func TestTargetIsRefused(t *testing.T) {
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{"oltp_read_write", "run", "--target=embedded", "--mysql-host=db"}, "--target=embedded starts its own server: --mysql-host does not go with it"},
		{[]string{"cpu", "run", "--target=embedded"}, "--target=embedded has no effect on 'cpu'"},
		{[]string{"oltp_read_write", "run", "--target=postgres"}, "Invalid value for --target: 'postgres' (allowed: embedded)"},
	} {
		code, out := deltabench(t, tc.args...)
		if code != sysbench.ExitFailure || !strings.Contains(out, tc.want) {
			t.Errorf("%v: exit code %d, want %q in\n%s", tc.args, code, tc.want, out)
		}
	}
}

func TestMissingProgram(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	code, out := deltabench(t, "oltp_read_write", "run", "--target=embedded")
	if code != sysbench.ExitFailure || !strings.Contains(out, "was not found in") || !strings.Contains(out, "make build") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	var errs bytes.Buffer
	if code := cli.Main(cli.Env{Args: []string{"deltabench", "server"}, Stderr: &errs}); code != sysbench.ExitFailure || !strings.Contains(errs.String(), "make build") {
		t.Errorf("server: exit code %d\n%s", code, &errs)
	}
}

// Ctrl-C while --target starts its server: one line, as everywhere.
func TestInterruptWhileTheTargetStarts(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, target.EmbeddedProgram), []byte("#!/bin/sh\nread x\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(200*time.Millisecond, cancel)
	var out bytes.Buffer
	code := sysbench.Main(ctx, sysbench.Env{
		Args: []string{"deltabench", "oltp_read_only", "run", "--target=embedded"}, Stdout: &out, Stderr: &out, Face: sysbench.FaceDeltabench,
	})
	if want := "FATAL: Interrupted while the server of --target=embedded was started\n"; code != sysbench.ExitInterrupted || !strings.HasSuffix(out.String(), "\n"+want) || strings.Count(out.String(), "FATAL") != 1 {
		t.Errorf("exit code %d, want %q in\n%s", code, want, &out)
	}
}

// A server whose address nobody gets to know is of no use.
func TestFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "deltabench", "server", "--port=0")
	var errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = full, &errs
	if err := cmd.Run(); cmd.ProcessState.ExitCode() != sysbench.ExitOutput || errs.String() != target.EmbeddedProgram+": write standard output: no space left on device\n" {
		t.Errorf("%v, want exit code 4 and one line: %s", err, &errs)
	}
}

// Jobs that shells start in the background of a script ignore SIGINT, here as in runs; SIGTERM ends them.
func TestIgnoredInterruptStaysIgnored(t *testing.T) {
	signal.Ignore(os.Interrupt)
	cmd, lines := foreground(t, nil)
	signal.Reset(os.Interrupt)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	time.Sleep(300 * time.Millisecond)
	if address := strings.TrimPrefix(lines[len(lines)-1], "ready "); !reachable(address) {
		t.Errorf("nothing is at %s: an ignored SIGINT ended the server", address)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("ended by SIGTERM: %v", err)
	}
}

func TestBadInput(t *testing.T) {
	busy := start(t)
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{"--port=x"}, `invalid value "x" for --port: a whole number is needed`},
		{[]string{"--nonsense"}, "there is no option --nonsense"},
		{[]string{"run"}, `unexpected argument "run"`},
		{[]string{"--host=0.0.0.0"}, "listens on this machine only"},
		{[]string{"--host=10.1.2.3"}, "listens on this machine only"},
		{[]string{"--port=70000"}, "listen on 127.0.0.1:70000"},
		{[]string{fmt.Sprintf("--port=%d", busy.Port)}, "address already in use"},
	} {
		code, out, errs := program(t, target.EmbeddedProgram, tc.args...)
		if code != sysbench.ExitFailure || out != "" || !strings.Contains(errs, tc.want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%v: exit code %d, want one line with %q\n%s%s", tc.args, code, tc.want, out, errs)
		}
	}
}

// foreground starts `deltabench server` and waits until it serves.
func foreground(t *testing.T, env []string, args ...string) (cmd *exec.Cmd, lines []string) {
	t.Helper()
	cmd = exec.Command("deltabench", append([]string{"server", "--port=0"}, args...)...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill := time.AfterFunc(limit, func() { _ = cmd.Process.Kill() })
	t.Cleanup(func() {
		kill.Stop()
		_ = cmd.Process.Kill() // has ended already when the test passed
	})
	var text []byte
	for buf := make([]byte, 4096); !regexp.MustCompile(`(?m)^ready .*\n`).Match(text); {
		n, err := out.Read(buf)
		if err != nil {
			t.Fatalf("%v after %q", err, text)
		}
		text = append(text, buf[:n]...)
	}
	return cmd, strings.Split(strings.TrimSpace(string(text)), "\n")
}

func TestServerInTheForeground(t *testing.T) {
	cmd, lines := foreground(t, nil, "--password=it's")
	text := strings.Join(lines, "\n")
	for _, want := range []string{"go-mysql-server", "not isolated: ", "READ UNCOMMITTED", "MYSQL_PWD=... deltabench", "mysql --protocol=tcp"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	cmdline, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", cmd.Process.Pid))
	if err != nil || strings.Contains(string(cmdline), "it's") || strings.Contains(text, "it's") {
		t.Errorf("the password is in the arguments %q (%v) or in\n%s", cmdline, err, text)
	}
	port := regexp.MustCompile(`ready 127\.0\.0\.1:(\d+)$`).FindStringSubmatch(text)
	if port == nil {
		t.Fatalf("no address in\n%s", text)
	}
	at := []string{"oltp_point_select", "prepare", "--mysql-host=127.0.0.1", "--mysql-port=" + port[1], "--table-size=10"}
	if code, out := deltabench(t, append(at, "--mysql-password=it's")...); code != 0 {
		t.Errorf("exit code %d\n%s", code, out)
	}
	if code, out := deltabench(t, append(at, "--mysql-password=wrong")...); code == 0 || !strings.Contains(out, "1045") {
		t.Errorf("a wrong password: exit code %d\n%s", code, out)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("ended by SIGTERM: %v", err)
	}
}

func TestPasswords(t *testing.T) {
	login := regexp.MustCompile(`MYSQL_PWD=(\S+) `)
	seen := map[string]bool{}
	for _, tc := range []struct {
		env, args []string
		want      string // empty: a random one
		none      bool
	}{
		{nil, nil, "", false},
		{nil, nil, "", false},
		{[]string{"MYSQL_PWD=fromenv"}, nil, "...", false}, // chosen by the user, so not repeated
		{[]string{"MYSQL_PWD=fromenv"}, []string{"--password=given"}, "...", false},
		{nil, []string{"--password="}, "", true},
	} {
		_, lines := foreground(t, tc.env, tc.args...)
		m := login.FindStringSubmatch(strings.Join(lines, "\n"))
		switch {
		case tc.none != (m == nil):
			t.Errorf("%v %v: password is %v", tc.env, tc.args, m)
		case m == nil:
		case tc.want != "" && m[1] != tc.want:
			t.Errorf("%v %v: password is %s", tc.env, tc.args, m[1])
		case tc.want == "" && (len(m[1]) < 20 || seen[m[1]]):
			t.Errorf("password %s is not random", m[1])
		default:
			seen[m[1]] = true
		}
	}
}

func TestEndsWithItsParent(t *testing.T) {
	cmd := exec.Command("deltabench", "oltp_read_only", "run", "--target=embedded", "--table-size=10", "--time=60", "--report-interval=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	address := regexp.MustCompile(`started on (\S+)`)
	var text []byte
	for buf := make([]byte, 4096); !address.Match(text); {
		n, err := out.Read(buf)
		if err != nil {
			t.Fatalf("%v after %s", err, text)
		}
		text = append(text, buf[:n]...)
	}
	if err := cmd.Process.Kill(); err != nil { // it can tidy up nothing
		t.Fatal(err)
	}
	_ = cmd.Wait()
	at := string(address.FindSubmatch(text)[1])
	for deadline := time.Now().Add(limit); reachable(at); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the server on %s lives on", at)
		}
	}
}

func TestVersionAndHelp(t *testing.T) {
	code, out, _ := program(t, target.EmbeddedProgram, "--version")
	if code != 0 || !regexp.MustCompile(`^deltabench-embedded \S+ \(go-mysql-server v\S+\)\n$`).MatchString(out) {
		t.Errorf("exit code %d, %q", code, out)
	}
	code, out, _ = program(t, target.EmbeddedProgram, "--help")
	if code != 0 || !strings.Contains(out, "-exit-with-parent") {
		t.Errorf("exit code %d, %q", code, out)
	}
}

func reachable(address string) bool {
	c, err := net.Dial("tcp", address)
	if err != nil {
		return false
	}
	c.Close()
	return true
}
