package studypage

import (
	"bytes"
	"testing"
	"time"
)

var generated = time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC)

func TestSize(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	start := time.Now()
	if err := Write(&b, sampleResults(), Options{generated}); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes in %v", b.Len(), time.Since(start))
	if b.Len() > 3e6 {
		t.Errorf("the page has %d bytes; 3,000,000 are allowed", b.Len())
	}
}
