package conduct_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A study that is killed while it initialises a server leaves no process for long, and the next study removes its directory.
func TestKilledWhileInitialising(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	file := b.file(shortStudy)
	// Those of the installer have no defaults file, so servers() does not see them.
	processes := func() (found []string) {
		lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
		for _, path := range lines {
			if text, _ := os.ReadFile(path); bytes.Contains(text, []byte("--datadir="+b.path("cache"))) {
				found = append(found, path)
			}
		}
		return found
	}
	cmd, out := b.logged("study", "run", file)
	waitFor(t, out, "prepare server: initialise")
	for end := time.Now().Add(patience); len(processes()) == 0; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("nothing initialises\n%s", out())
		}
	}
	time.Sleep(200 * time.Millisecond) // the installer has started its server
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	for end := time.Now().Add(patience); len(processes()) > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("left running: %v", processes())
		}
	}
	left, _ := filepath.Glob(b.path("cache/deltabench/studies/*"))
	if len(left) != 1 {
		t.Fatalf("the killed study has left %v, want its directory", left)
	}
	cmd, out = b.logged("study", "run", file)
	waitFor(t, out, "prepare server: initialise") // the sweep is before that
	_ = cmd.Process.Signal(os.Interrupt)
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Errorf("exit code %d\n%s", code, out())
	}
	if _, err := os.Stat(left[0]); !os.IsNotExist(err) {
		t.Errorf("%s is still there: %v", left[0], err)
	}
}
