package loop

import (
	"errors"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// freePort returns a port that nobody listens on.
func freePort(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ln.Close() }()
	return ln.Addr().String()
}

// TestDialErrors compares with net.Dial.
func TestDialErrors(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, network, address string
		is                     error
	}{
		{"refused", "tcp", freePort(t), syscall.ECONNREFUSED},
		{"refused, IPv6", "tcp", strings.Replace(freePort(t), "127.0.0.1", "[::1]", 1), syscall.ECONNREFUSED},
		{"port 0", "tcp", "127.0.0.1:0", syscall.ECONNREFUSED},
		{"no such socket", "unix", filepath.Join(t.TempDir(), "nothing"), syscall.ENOENT},
		{"not a socket", "unix", file, syscall.ECONNREFUSED},
		{"path too long", "unix", "/" + strings.Repeat("x", 200), syscall.EINVAL},
		{"broadcast", "tcp", "255.255.255.255:1", syscall.ENETUNREACH},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, want := net.Dial(tt.network, tt.address)
			if want == nil {
				t.Fatal("net.Dial has succeeded")
			}
			l := newLoop(t, Options{})
			run(t, l, func(task *Task) {
				c, err := task.Dial(tt.network, tt.address, time.Minute)
				if c != nil || err == nil || err.Error() != want.Error() {
					t.Errorf("got %v, %v, want %v", c, err, want)
				}
				var oe *net.OpError
				if !errors.Is(err, tt.is) || !errors.As(err, &oe) || oe.Op != "dial" {
					t.Errorf("got %#v, want an OpError with %v", err, tt.is)
				}
			})
		})
	}
}

func TestDialAddresses(t *testing.T) {
	t.Parallel()
	tests := []struct{ network, address, want string }{
		{"tcp", "localhost:3306", "dial tcp: address localhost:3306: not a numeric address and port"},
		{"tcp", "127.0.0.1", "dial tcp: address 127.0.0.1: not a numeric address and port"},
		{"tcp", "127.0.0.1:mysql", "dial tcp: address 127.0.0.1:mysql: not a numeric address and port"},
		{"tcp", "[fe80::1%no-such-if]:1", "dial tcp [fe80::1%no-such-if]:1: address [fe80::1%no-such-if]:1: unknown zone"},
		{"tcp4", "[::1]:1", "dial tcp4 [::1]:1: address [::1]:1: no suitable address"},
		{"tcp6", "127.0.0.1:1", "dial tcp6 127.0.0.1:1: address 127.0.0.1:1: no suitable address"},
		{"udp", "127.0.0.1:1", "dial udp: unknown network udp"},
		{"unix", "", "dial unix: missing address"},
	}
	l := newLoop(t, Options{})
	run(t, l, func(task *Task) {
		for _, tt := range tests {
			if c, err := task.Dial(tt.network, tt.address, 0); c != nil || err == nil || err.Error() != tt.want {
				t.Errorf("dial %s %s: got %v, want %s", tt.network, tt.address, err, tt.want)
			}
		}
	})
}

func TestDialSocketOptions(t *testing.T) {
	t.Parallel()
	srv := serve(t, "tcp4", echo)
	l := newLoop(t, Options{})
	run(t, l, func(task *Task) {
		c := srv.dial(task)
		for name, o := range map[string][2]int{
			"TCP_NODELAY":  {unix.IPPROTO_TCP, unix.TCP_NODELAY},
			"SO_KEEPALIVE": {unix.SOL_SOCKET, unix.SO_KEEPALIVE},
		} {
			if v, err := unix.GetsockoptInt(c.fd, o[0], o[1]); err != nil || v == 0 {
				t.Errorf("%s = %d, %v, want it on", name, v, err)
			}
		}
		if flags, err := unix.FcntlInt(uintptr(c.fd), unix.F_GETFD, 0); err != nil || flags&unix.FD_CLOEXEC == 0 {
			t.Errorf("descriptor flags %x, %v, want close-on-exec", flags, err)
		}
	})
}

func TestDialTimeoutIsForDialOnly(t *testing.T) {
	t.Parallel()
	srv := serve(t, "tcp4", echo)
	l := newLoop(t, Options{})
	run(t, l, func(task *Task) {
		start := l.Now()
		c, err := task.Dial(srv.network(), srv.address(), 2*time.Second)
		if err != nil {
			t.Errorf("dial: %v", err)
			return
		}
		_ = task.SleepUntil(start + int64(2100*time.Millisecond))
		if _, err := c.Write([]byte("x")); err != nil {
			t.Errorf("write: %v", err)
		}
		if _, err := c.Read(c.Scratch()); err != nil {
			t.Errorf("read: %v", err)
		}
	})
}

// crowded returns a listener that accepts nothing and whose queue is full, so that a further connect hangs (TCP) or
// has to be tried again (Unix).
func crowded(t *testing.T, sa unix.Sockaddr) (fd int, network, address string) {
	t.Helper()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	domain := unix.AF_INET
	network = "tcp"
	if u, ok := sa.(*unix.SockaddrUnix); ok {
		domain, network, address = unix.AF_UNIX, "unix", u.Name
	}
	fd, err := unix.Socket(domain, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	check(err)
	t.Cleanup(func() { _ = unix.Close(fd) })
	check(unix.Bind(fd, sa))
	check(unix.Listen(fd, 0))
	bound, err := unix.Getsockname(fd)
	check(err)
	if address == "" {
		address = netAddr(bound).String()
	}
	for range 20 {
		c, err := unix.Socket(domain, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
		check(err)
		t.Cleanup(func() { _ = unix.Close(c) })
		switch err := unix.Connect(c, bound); err {
		case nil, unix.EINPROGRESS:
		case unix.EAGAIN:
			return fd, network, address
		default:
			t.Fatal(err)
		}
	}
	return fd, network, address
}

func TestDialThatHangs(t *testing.T) {
	t.Parallel()
	for _, network := range []string{"tcp", "unix"} {
		t.Run(network, func(t *testing.T) {
			t.Parallel()
			var sa unix.Sockaddr = &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}
			if network == "unix" {
				sa = &unix.SockaddrUnix{Name: filepath.Join(t.TempDir(), "s")}
			}
			_, network, address := crowded(t, sa)
			const d = 50 * time.Millisecond
			l := newLoop(t, Options{})
			run(t, l, func(task *Task) {
				start := time.Now()
				c, err := task.Dial(network, address, d)
				var ne net.Error
				if c != nil || !errors.Is(err, os.ErrDeadlineExceeded) || !errors.As(err, &ne) || !ne.Timeout() {
					t.Errorf("got %v, %v, want a timeout", c, err)
				} else if want := "dial " + network + " " + address + ": i/o timeout"; err.Error() != want {
					t.Errorf("got %q, want %q", err, want)
				}
				if got := time.Since(start); got < d {
					t.Errorf("timeout after %v, want %v", got, d)
				}
				if _, err := task.Dial(network, address, -1); !errors.Is(err, os.ErrDeadlineExceeded) {
					t.Errorf("negative timeout: got %v", err)
				}
				time.AfterFunc(d, func() { l.Post(func() { l.InterruptAll(errStop) }) })
				if _, err := task.Dial(network, address, 0); !errors.Is(err, errStop) {
					t.Errorf("interrupted: got %v, want %v", err, errStop)
				}
				if task.conns != nil || len(l.free) != len(l.conns) {
					t.Error("a connection is left")
				}
			})
		})
	}
}

func TestDialWaitsForAFullBacklog(t *testing.T) {
	t.Parallel()
	fd, network, address := crowded(t, &unix.SockaddrUnix{Name: filepath.Join(t.TempDir(), "s")})
	l := newLoop(t, Options{})
	time.AfterFunc(20*time.Millisecond, func() {
		for range 2 {
			c, _, err := unix.Accept(fd)
			if err != nil {
				t.Errorf("accept: %v", err)
				return
			}
			defer func() { _ = unix.Close(c) }()
		}
	})
	run(t, l, func(task *Task) {
		start := time.Now()
		c, err := task.Dial(network, address, time.Minute)
		if err != nil {
			t.Errorf("dial: %v", err)
			return
		}
		if got := time.Since(start); got < 10*time.Millisecond {
			t.Errorf("dialled in %v: the backlog was not full", got)
		}
		_ = c.Close()
	})
}

// TestDialItself checks that a socket that TCP has connected to itself is found out. Dial meets one only by chance, when
// the port that it dials is given to its own end.
func TestDialItself(t *testing.T) {
	t.Parallel()
	addr := func(s string) net.Addr { return net.TCPAddrFromAddrPort(netip.MustParseAddrPort(s)) }
	tests := []struct {
		name          string
		local, remote net.Addr
		want          bool
	}{
		{"same", addr("127.0.0.1:40000"), addr("127.0.0.1:40000"), true},
		{"same, IPv6", addr("[::1]:40000"), addr("[::1]:40000"), true},
		{"other port", addr("127.0.0.1:40000"), addr("127.0.0.1:40001"), false},
		{"other address", addr("127.0.0.1:40000"), addr("127.0.0.2:40000"), false},
		{"unix", &net.UnixAddr{Net: "unix"}, &net.UnixAddr{Net: "unix"}, false},
		{"unknown", nil, addr("127.0.0.1:40000"), false},
	}
	for _, tt := range tests {
		if got := (&Conn{local: tt.local, remote: tt.remote}).toSelf(); got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}
