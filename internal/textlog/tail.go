package textlog

import "sync"

// tailBytes is how much a Tail keeps.
const tailBytes = 8 << 10

// Tail keeps the end of what is written to it, such as what a child process says before it fails. It may be used from several
// goroutines; the zero value is empty.
type Tail struct {
	mu sync.Mutex
	b  []byte
}

// Write never fails.
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b = append(t.b, p...)
	if n := len(t.b) - tailBytes; n > 0 {
		t.b = append(t.b[:0], t.b[n:]...)
	}
	return len(p), nil
}

// String is the end of what was written.
func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.b)
}
