package main

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// On a terminal tables have colours, unless NO_COLOR or TERM say otherwise, and its width.
func TestTablesOnATerminal(t *testing.T) {
	for _, tc := range []struct {
		name    string
		env     []string
		colours bool
	}{
		{"terminal", nil, true},
		{"NO_COLOR", []string{"NO_COLOR=1"}, false},
		{"dumb", []string{"TERM=dumb"}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			master, slave := pty(t)
			if err := unix.IoctlSetWinsize(int(slave.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 50, Col: 160}); err != nil {
				t.Fatal(err)
			}
			var out buffer
			read := make(chan struct{})
			go func() {
				defer close(read)
				p := make([]byte, 4096)
				for {
					n, err := master.Read(p)
					_, _ = out.Write(p[:n]) // a buffer takes everything
					if err != nil {         // EIO: the other side is closed
						return
					}
				}
			}()
			o := startWith(t, time.Minute, func(c *exec.Cmd) {
				c.Env = append(c.Env, "LC_ALL=C.UTF-8", "COLUMNS=", "NO_COLOR=", "TERM=xterm")
				c.Env = append(c.Env, tc.env...)
				c.Stdout = slave
			}, "deltabench", "reference", "performance-schema", "--threads=256").wait(t)
			slave.Close()
			<-read
			if o.code != 0 {
				t.Fatal(o)
			}
			text := out.String()
			want := "33,570 (−21.30%) ≠−16.14%"
			if tc.colours {
				want = "\x1b[35m" + want + "\x1b[0m"
			}
			if !strings.Contains(text, want) || strings.Contains(text, "\x1b") != tc.colours {
				t.Errorf("no %q in\n%q", want, text)
			}
			if rows := strings.Count(text, "threads  pfsoff"); rows != 6 || strings.Count(text, "threads  pfson") != 0 {
				t.Errorf("tables are cut into parts in 160 columns:\n%s", text)
			}
		})
	}
}
