package main

import (
	"context"
	"runtime"
	"testing"
	"time"
)

// TestPeakMemoryIsTheChilds holds that memory of this process is not taken for the child's.
func TestPeakMemoryIsTheChilds(t *testing.T) {
	big := make([]byte, 100<<20)
	for i := range big {
		big[i] = 1
	}
	none := func(string, *sample) error { return nil }
	s, err := measure(context.Background(), script(t, "sleep 0.3"), nil, none, time.Minute)
	if err != nil || s.peak <= 0 || s.peak > 50<<20 {
		t.Errorf("a shell's peak: got %d bytes, %v; want some MB", s.peak, err)
	}
	runtime.KeepAlive(big)
}
