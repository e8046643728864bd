package preflight

import "testing"

func TestLocalPorts(t *testing.T) {
	t.Parallel()
	if n, text := LocalPorts(); n < 1 || text == "" {
		t.Errorf("this machine: %d, %q", n, text)
	}
	for text, want := range map[string]int{"32768\t60999\n": 28232, "1 1": 1, "": 0, "1": 0, "2 1": 0, "a b": 0, "1 2 3": 0} {
		if n, _ := portRange(text); n != want {
			t.Errorf("%q: got %d, want %d", text, n, want)
		}
	}
}
