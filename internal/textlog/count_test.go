package textlog

import "testing"

func TestCount(t *testing.T) {
	for n, want := range map[int64]string{0: "0 threads", 1: "1 thread", 2: "2 threads"} {
		if got := Count(n, "thread"); got != want {
			t.Errorf("Count(%d) = %q, want %q", n, got, want)
		}
	}
}
