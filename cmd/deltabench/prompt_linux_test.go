package main

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"deltabench/internal/mariadbtest"
)

// pty returns both sides of a terminal of its own.
func pty(t *testing.T) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { master.Close() })
	fd := int(master.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	slave, err = os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { slave.Close() })
	return master, slave
}

func echoes(t *testing.T, f *os.File) bool {
	t.Helper()
	state, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	return state.Lflag&unix.ECHO != 0
}

// asking starts a command that asks for its password at the terminal.
func asking(t *testing.T, s *mariadbtest.Server, slave *os.File, args ...string) *process {
	t.Helper()
	args = append([]string{"oltp_insert", "cleanup", "--mysql-socket=" + s.Socket, "--mysql-user=" + mariadbtest.User, "--mysql-db=mysql"}, args...)
	p := startWith(t, time.Minute, func(c *exec.Cmd) {
		isolated(c, t.TempDir(), "MYSQL_PWD=wrong")
		c.Stdin = slave
	}, "deltabench", args...)
	waitFor(t, "the question", func() bool { return strings.Contains(p.err.String(), "Password of "+mariadbtest.User+": ") })
	waitFor(t, "echo is off", func() bool { return !echoes(t, slave) })
	return p
}

func TestPasswordIsAskedFor(t *testing.T) {
	t.Parallel()
	s := mariadbtest.Start(t)
	cnf := writeFile(t, t.TempDir()+"/cnf", "[client]\npassword\n")
	for _, tc := range []struct {
		arg, typed string
		in         bool
	}{
		{"--mysql-password", mariadbtest.Password, true},
		{"--defaults-file=" + cnf, mariadbtest.Password, true},
		{"--mysql-password", "Zecret", false},
	} {
		master, slave := pty(t)
		p := asking(t, s, slave, tc.arg)
		fmt.Fprintf(master, "%s\n", tc.typed)
		o := p.wait(t)
		if (o.code == 0) != tc.in || strings.Contains(o.stdout+o.stderr, "Zecret") {
			t.Errorf("%s: want in %v: %v", tc.arg, tc.in, o)
		}
		if !echoes(t, slave) {
			t.Error("the terminal is left without echo")
		}
		shown := make([]byte, 1000)
		if n, _ := unix.Poll([]unix.PollFd{{Fd: int32(master.Fd()), Events: unix.POLLIN}}, 0); n > 0 {
			k, _ := master.Read(shown)
			if strings.Contains(string(shown[:k]), tc.typed) {
				t.Errorf("the terminal shows %q", shown[:k])
			}
		}
	}
}

// Ctrl-D ends the question at once: without a line there is no password, behind one it is its end.
func TestQuestionMeetsTheEndOfInput(t *testing.T) {
	t.Parallel()
	s := mariadbtest.Start(t)
	for typed, code := range map[string]int{"\x04": 1, mariadbtest.Password + "\x04\x04": 0} {
		master, slave := pty(t)
		p := asking(t, s, slave, "--mysql-password")
		fmt.Fprint(master, typed)
		o := p.wait(t)
		told := strings.HasSuffix(o.stderr, "\nno password was given (an empty line is an empty password)\n")
		if o.code != code || told != (code == 1) {
			t.Errorf("%q: want exit code %d: %v", typed, code, o)
		}
		if !echoes(t, slave) {
			t.Error("the terminal is left without echo")
		}
	}
}

func TestQuestionIsInterrupted(t *testing.T) {
	t.Parallel()
	s := mariadbtest.Start(t)
	_, slave := pty(t)
	p := asking(t, s, slave, "--mysql-password")
	if err := p.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if o := p.wait(t); o.code != 130 || !strings.Contains(o.stderr, "interrupted while the password was asked for") {
		t.Errorf("want exit code 130: %v", o)
	}
	if !echoes(t, slave) {
		t.Error("the terminal is left without echo")
	}
}

func TestNobodyToAsk(t *testing.T) {
	t.Parallel()
	o := startWith(t, time.Minute, func(c *exec.Cmd) {
		isolated(c, t.TempDir())
		c.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // no terminal to be found
	}, "deltabench", "oltp_insert", "cleanup", "--mysql-password").wait(t)
	want := "a password is to be asked for, and there is no terminal (--mysql-password-file=FILE, "
	if o.code != 1 || !strings.HasPrefix(o.stderr, want) || strings.Count(o.stderr, "\n") != 1 {
		t.Errorf("want one line %q and exit code 1: %v", want, o)
	}
}
