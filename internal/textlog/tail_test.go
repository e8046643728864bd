package textlog

import (
	"fmt"
	"strings"
	"testing"
)

func TestTailKeepsTheEnd(t *testing.T) {
	var e Tail
	for i := range 1000 {
		fmt.Fprintf(&e, "line %d of those that a process may write\n", i)
	}
	if got := e.String(); !strings.HasSuffix(got, "line 999 of those that a process may write\n") || len(got) != tailBytes {
		t.Errorf("%d bytes: %q", len(got), got)
	}
}
