package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"deltabench/internal/nullserver"
	"deltabench/internal/table"
)

// TestCompareInterrupted: Ctrl-C ends the running child with its connections, the complete rounds are shown, and the exit code is 130.
func TestCompareInterrupted(t *testing.T) {
	t.Parallel()
	s, addr := listen(t, nullserver.Options{Delay: time.Millisecond})
	// Rounds go on for a long time; each is short.
	line := strings.Replace(quickRun(addr, 1), "--events=100 --time=0", "--time=1", 1)
	p := start(t, 2*patience, "deltabench", "compare", "--rounds=500", "--metric=tps", "--no-record", "--format=json", "--baseline="+line, "--candidate="+line)
	waitFor(t, "three rounds", func() bool { return strings.Contains(p.err.String(), "round   3 of 500") })
	waitFor(t, "a run of the fourth", func() bool { return s.Stats().Connections > 6*4 })
	p.signal(t, syscall.SIGINT)
	o := p.wait(t)
	c := &table.Comparisons{}
	if err := json.Unmarshal([]byte(o.stdout), c); err != nil || o.code != 130 {
		t.Fatalf("exit code %d, want 130 with a table (%v): %v", o.code, err, o)
	}
	if n := c.Lines[0].Claim.N; n < 3 || n > 20 {
		t.Errorf("%d rounds are in the table: %v", n, o)
	}
	if strings.Count(o.stderr, "deltabench compare: interrupted after ") != 1 || !noted(c.Notes, "stopped: by hand after ") {
		t.Errorf("the interrupt is not told: %v", o)
	}

	p = start(t, 2*patience, "deltabench", "compare", "--no-record", "--baseline=cpu --time=600 run", "--candidate=cpu --time=600 run")
	waitFor(t, "the start", func() bool { return strings.Contains(p.err.String(), "8 rounds") })
	p.signal(t, syscall.SIGTERM)
	if o = p.wait(t); o.code != 130 || o.stdout != "" || !strings.Contains(o.stderr, "interrupted after 0 of 8 rounds") {
		t.Errorf("nothing is known yet: %v", o)
	}
}

// TestComparePasswordIsHidden looks for the password of a command line in all process lists while its runs go on.
func TestComparePasswordIsHidden(t *testing.T) {
	t.Parallel()
	s, addr := listen(t, nullserver.Options{Delay: time.Millisecond})
	const secret = "Zq7-compare-secret"
	line := strings.Replace(quickRun(addr, 1), "--events=100 --time=0", "--time=2 --mysql-password="+secret, 1)
	p := start(t, 2*patience, "deltabench", "compare", "--rounds=1", "--no-record", "--baseline="+line, "--candidate="+line)
	waitFor(t, "a run", func() bool { return s.Stats().Connections > 0 })
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil || len(files) == 0 {
		t.Fatalf("no processes: %v", err)
	}
	found := false
	for _, file := range files {
		text, _ := os.ReadFile(file) // processes end
		found = found || strings.Contains(string(text), "--report-file=")
		if strings.Contains(string(text), secret) {
			t.Errorf("%s has the password: %q", file, text)
		}
	}
	if !found {
		t.Error("no run was seen among the processes")
	}
	o := p.wait(t)
	if o.code != 0 || strings.Contains(o.stdout+o.stderr, secret) {
		t.Errorf("exit code %d, or the password is shown: %v", o.code, o)
	}
}
