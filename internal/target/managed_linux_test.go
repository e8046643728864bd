package target

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"deltabench/internal/admin"
	"deltabench/internal/hostcost"
	"deltabench/internal/study"
)

// hold in the environment names a directory: the test binary then starts the server there, says its pid and waits to be killed.
const hold = "DELTABENCH_TEST_HOLD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(hold); dir != "" {
		b, err := FindServer("auto")
		if err == nil {
			var s *ManagedServer
			if s, err = NewManaged(ManagedConfig{Binary: b, Dir: dir}); err == nil {
				err = s.Start(context.Background(), nil)
				fmt.Println(s.PID())
			}
		}
		if err != nil {
			fmt.Println(err)
		}
		_, _ = io.ReadAll(os.Stdin)
		os.Exit(1)
	}
	code := m.Run()
	if template != "" {
		_ = os.RemoveAll(template)
	}
	os.Exit(code)
}

var (
	templateOnce sync.Once
	template     string
	templateErr  error
)

// managed returns a stopped server with its image, initialised once for all tests.
func managed(t *testing.T) *ManagedServer {
	t.Helper()
	b, err := FindServer("auto")
	if err != nil {
		t.Fatal(err)
	}
	templateOnce.Do(func() {
		if template, templateErr = os.MkdirTemp("", "managed-"); templateErr != nil {
			return
		}
		var s *ManagedServer
		if s, templateErr = NewManaged(ManagedConfig{Binary: b, Dir: template}); templateErr != nil {
			return
		}
		if templateErr = s.Initialise(context.Background()); templateErr == nil {
			if templateErr = s.SaveImage(context.Background()); templateErr == nil {
				templateErr = s.Leave()
			}
		}
	})
	if templateErr != nil {
		t.Fatal(templateErr)
	}
	dir := t.TempDir()
	if out, err := exec.Command("cp", "-a", template+"/.", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	s, err := NewManaged(ManagedConfig{Binary: b, Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func query(t *testing.T, s *ManagedServer, statements ...string) {
	t.Helper()
	a, err := admin.Open(t.Context(), s.Address())
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	for _, q := range statements {
		if err := a.Exec(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
}

// Data comes back as the image has it, options are those of the last start, and nobody else may log in.
func TestManaged(t *testing.T) {
	t.Parallel()
	s, ctx := managed(t), t.Context()
	if err := s.Start(ctx, []study.Option{{Name: "max_connections", Value: "33"}, {Name: "performance_schema", Value: "ON"}}); err != nil {
		t.Fatal(err)
	}
	query(t, s, "CREATE TABLE sbtest.x (id INT)", "INSERT INTO sbtest.x VALUES (1)")
	a, err := admin.Open(ctx, s.AddressTCP())
	if err != nil {
		t.Fatal(err)
	}
	wrong, err := a.ReadBack(ctx, []admin.Option{{Name: "max_connections", Value: "33"}, {Name: "performance_schema", Value: "ON"}})
	if err != nil || len(wrong) > 0 {
		t.Errorf("%v, %v", wrong, err)
	}
	a.Close()
	for _, user := range []string{"root", ""} {
		for _, a := range []admin.Address{{User: user, Socket: s.Address().Socket}, {User: user, Host: "127.0.0.1", Port: s.AddressTCP().Port}} {
			if in, err := admin.Open(ctx, a); err == nil {
				in.Close()
				t.Errorf("anybody is %s", a)
			}
		}
	}
	a, err = admin.Open(ctx, s.Address())
	if err != nil {
		t.Fatal(err)
	}
	if n, err := a.Row(ctx, "SELECT GROUP_CONCAT(user, '@', host) AS who FROM mysql.user WHERE authentication_string IN ('', 'invalid') AND user NOT IN ('mariadb.sys', 'mysql.sys', 'mysql.session', 'mysql.infoschema')"); err != nil || n["who"] != "" {
		t.Errorf("accounts without password: %v, %v", n, err)
	}
	a.Close()
	for _, err := range []error{s.SaveImage(ctx), s.Restore(ctx)} {
		if err == nil || !strings.Contains(err.Error(), "stop it first") {
			t.Errorf("with a running server: %v", err)
		}
	}
	if why, ok := s.Crashed(); ok {
		t.Error(why)
	}
	if err := s.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	if err := s.Restore(ctx); err != nil {
		t.Fatal(err)
	}
	if err := s.Start(ctx, nil); err != nil {
		t.Fatal(err)
	}
	a, err = admin.Open(ctx, s.Address())
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if tables, err := a.Tables(ctx, "sbtest"); err != nil || len(tables) > 0 {
		t.Errorf("after a restore: %v, %v", tables, err)
	}
	dir := s.config.Dir
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("the directory is still there")
	}
}

// A start that is cancelled at any moment ends soon, with the server, and the data are as good as before: MariaDB that is asked to end
// while it starts may never do so.
func TestCancelledStart(t *testing.T) {
	t.Parallel()
	s := managed(t)
	for _, after := range []time.Duration{0, 20, 50, 80, 110, 150, 200} {
		ctx, cancel := context.WithTimeout(t.Context(), after*time.Millisecond)
		begin := time.Now()
		err := s.Start(ctx, nil)
		cancel()
		if took := time.Since(begin); took > time.Minute {
			t.Errorf("cancelled after %d ms, it took %v", after, took)
		}
		if err == nil {
			err = s.Stop(t.Context())
		} else if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("cancelled after %d ms: %v", after, err)
		}
		if s.PID() != 0 {
			t.Errorf("cancelled after %d ms, the server runs: %v", after, err)
		}
	}
	if err := s.Start(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	query(t, s, "CREATE TABLE after_all (id INT)", "DROP TABLE after_all")
	if err := s.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestStartRefused(t *testing.T) {
	t.Parallel()
	s, ctx := managed(t), t.Context()
	for option, want := range map[study.Option]string{
		{Name: "innodb_bufer_pool_size", Value: "1G"}:    "unknown variable 'innodb_bufer_pool_size=1G' (check the name of this server option); did you mean innodb_buffer_pool_size?",
		{Name: "xyzzy", Value: "1"}:                      "unknown variable 'xyzzy=1' (check the name of this server option)",
		{Name: "character_set_server", Value: "nope"}:    "(check the name of the character set)",
		{Name: "innodb_buffer_pool_size", Value: "lots"}: "(check the value of this server option)",
		{Name: "innodb_page_size", Value: "32k"}:         "page",
	} {
		err := s.Start(ctx, []study.Option{option})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: %v, want %s", option, err, want)
		}
		if s.PID() != 0 {
			t.Errorf("%v: a server runs", option)
		}
	}
	// Somebody has taken its port meanwhile; no value is the empty text where there are texts.
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	s.port = taken.Addr().(*net.TCPAddr).Port
	if err := s.Start(ctx, []study.Option{{Name: "sql_mode"}, {Name: "skip_log_bin"}}); err != nil {
		t.Fatal(err)
	}
	if s.AddressTCP().Port == taken.Addr().(*net.TCPAddr).Port {
		t.Error("it has a port of another process")
	}
	a, err := admin.Open(ctx, s.AddressTCP())
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if wrong, err := a.ReadBack(ctx, []admin.Option{{Name: "sql_mode", Value: ""}}); err != nil || len(wrong) > 0 {
		t.Errorf("%v, %v", wrong, err)
	}
	// Another server on the same data.
	other := &ManagedServer{config: s.config, account: s.account, socket: s.socket + "2"}
	if err := other.Start(ctx, nil); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("another server (pid %d) uses this data directory", s.PID())) {
		t.Error(err)
	}
}

func TestCrash(t *testing.T) {
	t.Parallel()
	s := managed(t)
	if err := s.Start(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(s.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		why, ok := s.Crashed()
		if ok && strings.Contains(why, "(signal: killed): its log has no error") {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("%q, %v", why, ok)
		}
	}
	if err := s.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if err := s.Start(t.Context(), nil); err != nil {
		t.Error(err)
	}
	// Where no record was written, as on systems without start times, that is no error.
	if err := os.Remove(s.path(processFile)); err != nil {
		t.Fatal(err)
	}
	if err := s.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	// One that nobody could find later does not run at all.
	if err := os.Mkdir(s.path(processFile), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := s.Start(t.Context(), nil); err == nil || s.PID() != 0 {
		t.Errorf("without a record: %v, process %d", err, s.PID())
	}
}

// A server ends with its starter, whatever ends that; where it would not, it is found by its process and nobody else is touched.
func TestLeftBehind(t *testing.T) {
	t.Parallel()
	s := managed(t)
	if err := s.Leave(); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), hold+"="+s.config.Dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	var pid int
	if _, err := fmt.Sscan(line, &pid); err != nil {
		t.Fatalf("%q", line)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if _, err := hostcost.StartToken(pid); err != nil {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("server %d lives on", pid)
		}
	}
	var left processRecord
	text, err := os.ReadFile(s.path(processFile))
	if err == nil {
		err = json.Unmarshal(text, &left)
	}
	if err != nil || left.PID != pid || left.Socket == "" {
		t.Fatalf("%+v, %v", left, err)
	}
	if stopped, err := StopLeftBehind(s.config.Dir); err != nil || len(stopped) > 0 {
		t.Errorf("%v, %v", stopped, err)
	}
	if _, err := os.Stat(filepath.Dir(left.Socket)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the directory of the socket is left behind: %v", err)
	}
	// One that lives on, as on systems that do not end it; and a process that got the number of a server that has ended.
	sleeper := exec.Command("sleep", "600")
	if err := sleeper.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- sleeper.Wait() }()
	token, err := hostcost.StartToken(sleeper.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	record := func(token string) {
		text, _ := json.Marshal(processRecord{PID: sleeper.Process.Pid, Token: token})
		if err := os.WriteFile(filepath.Join(s.config.Dir, processFile), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	record("another " + token)
	if stopped, err := StopLeftBehind(filepath.Dir(s.config.Dir)); err != nil || len(stopped) > 0 {
		t.Errorf("%v, %v", stopped, err)
	}
	record(token)
	if stopped, err := StopLeftBehind(filepath.Dir(s.config.Dir)); err != nil || len(stopped) != 1 {
		t.Errorf("%v, %v", stopped, err)
	}
	<-ended
}

func TestFindServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script := filepath.Join(dir, "mysqld")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho nothing\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	for spec, want := range map[string]string{
		plain:       "it may not be executed",
		"/nowhere":  "there is no such program or directory",
		t.TempDir(): "no mariadbd or mysqld in",
		dir:         "it is no MySQL or MariaDB server",
	} {
		if _, err := FindServer(spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", spec, err, want)
		}
	}
	b, err := FindServer("auto")
	if err != nil || b.Flavour != "mariadb" || !strings.Contains(b.Version, "MariaDB") {
		t.Errorf("%+v, %v", b, err)
	}
	if again, err := FindServer(filepath.Dir(b.Path)); err != nil || again != b {
		t.Errorf("%+v, %v", again, err)
	}
}

func TestNewManagedRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "precious"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := NewManaged(ManagedConfig{Dir: dir}); err == nil || !strings.Contains(err.Error(), "files that are not of a server of ours") {
		t.Error(err)
	}
}

func TestHook(t *testing.T) {
	t.Parallel()
	if err := RunHook(t.Context(), "before", study.Hook{Command: `test "$X" = y`, Timeout: time.Minute}, []string{"X=y"}); err != nil {
		t.Error(err)
	}
	for command, want := range map[string]string{
		"echo some; echo why >&2; exit 3": "hook before (echo some; echo why >&2; exit 3): exit status 3: why",
		"sleep 600 & wait":                "hook before (sleep 600 & wait): not ended after 200ms",
	} {
		err := RunHook(t.Context(), "before", study.Hook{Command: command, Timeout: 200 * time.Millisecond}, nil)
		if strings.Contains(command, "why") {
			err = RunHook(t.Context(), "before", study.Hook{Command: command, Timeout: time.Minute}, nil)
		}
		if err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// A full disk is told before anything is copied, with the numbers.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	s := managed(t)
	small := filepath.Join(t.TempDir(), "small")
	if err := os.Mkdir(small, 0o700); err != nil {
		t.Fatal(err)
	}
	switch err := syscall.Mount("tmpfs", small, "tmpfs", 0, "size=20m"); {
	case errors.Is(err, syscall.EPERM) && os.Getenv("CI") == "":
		return // who is not root cannot have a small disk; CI is
	case err != nil:
		t.Fatalf("mount a small disk: %v", err)
	}
	defer func() { _ = syscall.Unmount(small, 0) }()
	full := &ManagedServer{config: s.config}
	full.config.Dir = small
	if err := os.Symlink(s.path(imageDir), filepath.Join(small, imageDir)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(small, imageMark), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	err := full.copyTree(t.Context(), s.path(imageDir), filepath.Join(small, dataDir))
	if err == nil || !strings.Contains(err.Error(), "MB free and the copy takes") {
		t.Error(err)
	}
	// What the server itself meets there.
	fresh, err := NewManaged(ManagedConfig{Binary: s.config.Binary, Dir: filepath.Join(small, "server")})
	if err != nil {
		t.Fatal(err)
	}
	defer fresh.Close()
	if err := fresh.Initialise(t.Context()); err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("initialise on a full disk: %v", err)
	}
}
