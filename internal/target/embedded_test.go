package target

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestWatcher(t *testing.T) {
	for _, tc := range []struct {
		writes []string
		want   string // empty: not ready
	}{
		{[]string{"fact\nready 127.0.0.1:33\n"}, "127.0.0.1:33"},
		{[]string{"fact", "s\nrea", "dy [::1]:5", "\n", "ready 1:1\n"}, "[::1]:5"},
		{[]string{"ready 127.0.0.1:33"}, ""},
		{[]string{"not ready 127.0.0.1:33\n"}, ""},
	} {
		w := &watcher{ready: make(chan string, 1)}
		for _, s := range tc.writes {
			if n, err := w.Write([]byte(s)); n != len(s) || err != nil {
				t.Errorf("write %q: %d, %v", s, n, err)
			}
		}
		got := ""
		select {
		case got = <-w.ready:
		default:
		}
		if got != tc.want {
			t.Errorf("%q: got %q, want %q", tc.writes, got, tc.want)
		}
	}
}

func TestLastLine(t *testing.T) {
	for said, want := range map[string]string{"": "", "\n": "", "one": "one", "one\ntwo\n\n": "two"} {
		if got := lastLine(said); got != want {
			t.Errorf("%q: %q, want %q", said, got, want)
		}
	}
}

// What starts and says nothing, or the wrong thing, is an error that tells what it said.
func TestProgramThatFails(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // the programs of this test are shell scripts
	}
	for _, tc := range []struct{ script, want string }{
		{"echo no room >&2; exit 3", "no room"},
		{"exit 3", "exit status 3"},
		{"echo ready nowhere; read x", `ready at "nowhere"`},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, EmbeddedProgram), []byte("#!/bin/sh\n"+tc.script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", dir)
		_, err := StartEmbedded(t.Context())
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: error %v, want %q", tc.script, err, tc.want)
		}
	}
}
