package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"deltabench/internal/sysbench"
)

// The demo is a study that leaves a page and nothing else.
func TestDemo(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.html")
	code, out, errs := program(t, "deltabench", "demo", "--rounds=1", "--set", "threads=1", "--html="+page)
	if code != 0 || !strings.Contains(out, "No answer yet: one round: no interval is possible") || !strings.Contains(out, "study run my.yaml") || !strings.Contains(errs, "page.html is written") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
	text, err := os.ReadFile(page)
	if err != nil || !strings.Contains(string(text), "Are prepared statements faster") {
		t.Errorf("page: %v", err)
	}
	if code, _, errs := program(t, "deltabench", "demo", "--html="+filepath.Join(t.TempDir(), "no", "page.html")); code != sysbench.ExitOutput || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, "--html=") {
		t.Errorf("a page that cannot be written: exit code %d, %s", code, errs)
	}
}
