package system

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"deltabench/internal/workload"
)

// Machines have huge pages set aside or not: both outcomes are right, if they are consistent.
func TestHugeTLB(t *testing.T) {
	var out strings.Builder
	r, s, err := newRun(t, memory, &out, "--memory-hugetlb=on", "--memory-block-size=8M")
	if err != nil {
		want := regexp.MustCompile(`^FATAL: Failed to allocate 8388607 bytes from HugeTLB memory\. errno = \d+ \([A-Z][a-z ]+\)\n$`)
		if err.Error() != "Failed to allocate buffer!" || !want.MatchString(out.String()) {
			t.Errorf("got %v, log %q", err, out.String())
		}
		return
	}
	w, err := r.Thread(workload.ThreadContext{Threads: 1, Rand: s.Random.NewSource()})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Event(); err != nil {
		t.Fatal(err)
	}
}

// The sizes are those in sysbench's messages.
func TestHugeSizes(t *testing.T) {
	for size, want := range map[string]int{"1K": 4195327, "2M": 6291455, "4M": 8388607, "64M": 67108863} {
		var out strings.Builder
		_, _, err := newRun(t, memory, &out, "--memory-hugetlb=on", "--memory-block-size="+size)
		if err == nil {
			continue // huge pages are there
		}
		if !strings.Contains(out.String(), fmt.Sprintf(" %d bytes ", want)) {
			t.Errorf("%s: got %q, want %d bytes", size, out.String(), want)
		}
	}
	if _, _, err := newRun(t, memory, io.Discard, "--memory-hugetlb=off"); err != nil {
		t.Error(err)
	}
}
