//go:build unix

package store

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// peak is the largest resident memory of this process so far, in bytes.
func peak() int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return int64(u.Maxrss)
	}
	return 1024 * int64(u.Maxrss)
}

// TestFileSizeLimit is a file system that takes no more.
func TestFileSizeLimit(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "runs.db")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", `ulimit -f 2000; exec "$0"`, self) // blocks of 512 bytes
	cmd.Env = append(os.Environ(), childJob+"=endless", childPath+"="+path)
	out, err := cmd.Output()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 3 {
		t.Fatalf("%v\n%s", err, out)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	said := lines[len(lines)-1]
	if !strings.Contains(said, path) || !strings.Contains(said, "the disk is full") && !strings.Contains(said, "the file system gives an error") {
		t.Errorf("it says %q", said)
	}
	if len(lines) < 3 {
		t.Errorf("only %d runs were acknowledged", len(lines)-1)
	}
	s := open(t, path)
	ids, err := s.ids(t.Context())
	if err != nil || len(ids) < len(lines)-1 {
		t.Errorf("%d runs are there, %v, %d were acknowledged", len(ids), err, len(lines)-1)
	}
	if _, faults, err := s.Verify(t.Context()); err != nil || len(faults) > 0 {
		t.Errorf("%v %v", faults, err)
	}
}

// TestNoRights is a user who may read a store and not write it. The superuser may do everything, so the process is then
// another user's.
func TestNoRights(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	dir := filepath.Join(top, ownDir)
	path := filepath.Join(dir, "runs.db")
	s := open(t, path)
	record(t, s, Recorded{Document: document(1)})
	s.Close()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(top, "program")
	text, err := os.ReadFile(self)
	if err == nil {
		err = os.WriteFile(binary, text, 0o755)
	}
	for name, mode := range map[string]os.FileMode{filepath.Dir(top): 0o755, dir: 0o555, path: 0o444} {
		if err == nil {
			err = os.Chmod(name, mode)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(dir, 0o755) })
	as := func(job, path string) (string, int) {
		cmd := exec.CommandContext(t.Context(), binary)
		cmd.Dir = "/"
		cmd.Env = append(os.Environ(), childJob+"="+job, childPath+"="+path)
		if os.Geteuid() == 0 {
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		}
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		return string(out), cmd.ProcessState.ExitCode()
	}
	if out, code := as("list", path); code != 0 || !strings.HasPrefix(out, "1 runs") {
		t.Errorf("list: exit code %d, %s", code, out)
	}
	for job, tc := range map[string]struct{ path, want string }{
		"record":  {path, "it can only be read (make the file and its directory writable, or name another file"},
		"endless": {filepath.Join(dir, "other.db"), "permission denied (name another file"},
	} {
		out, code := as(job, tc.path)
		if code != 3 || !strings.HasPrefix(out, "error: store "+tc.path+": "+tc.want) || strings.Count(out, "\n") != 1 {
			t.Errorf("%s: exit code %d, %s", job, code, out)
		}
	}
}
