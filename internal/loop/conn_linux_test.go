package loop

import (
	"bytes"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"slices"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

var _ net.Conn = (*Conn)(nil)

var networks = []string{"tcp4", "tcp6", "unix", "abstract"}

func TestEcho(t *testing.T) {
	t.Parallel()
	for _, network := range networks {
		t.Run(network, func(t *testing.T) {
			t.Parallel()
			srv := serve(t, network, echo)
			l := newLoop(t, Options{})
			for i := range 50 {
				l.Go(func(task *Task) {
					c := srv.dial(task)
					if got, want := c.RemoteAddr().String(), srv.address(); got != want {
						t.Errorf("remote address %s, want %s", got, want)
					}
					if c.LocalAddr() == nil || c.LocalAddr().Network() != srv.network() {
						t.Errorf("local address %v", c.LocalAddr())
					}
					for j := range 20 {
						want := bytes.Repeat([]byte{byte(i), byte(j)}, 1+i*j)
						if n, err := c.Write(want); n != len(want) || err != nil {
							t.Errorf("write: %d, %v", n, err)
						}
						got := make([]byte, len(want))
						if _, err := io.ReadFull(c, got); err != nil || !bytes.Equal(got, want) {
							t.Errorf("read %x, %v, want %x", got, err, want)
						}
					}
					if n, err := c.Read(nil); n != 0 || err != nil {
						t.Errorf("read of nothing: %d, %v", n, err)
					}
					if n, err := c.Write(nil); n != 0 || err != nil {
						t.Errorf("write of nothing: %d, %v", n, err)
					}
					if err := c.Close(); err != nil {
						t.Errorf("close: %v", err)
					}
					for _, err := range []error{c.Close(), second(c.Read(make([]byte, 1))), second(c.Write([]byte{1})), c.SetDeadline(time.Time{})} {
						if !errors.Is(err, net.ErrClosed) {
							t.Errorf("use after close: got %v, want %v", err, net.ErrClosed)
						}
					}
				})
			}
			run(t, l)
		})
	}
}

func second(_ int, err error) error { return err }

func TestTLS(t *testing.T) {
	t.Parallel()
	cert := certificate(t)
	roots := x509.NewCertPool()
	roots.AddCert(cert.Leaf)
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		t.Run(tls.VersionName(version), func(t *testing.T) {
			t.Parallel()
			ln, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{cert}, MaxVersion: version})
			if err != nil {
				t.Fatal(err)
			}
			srv := serveOn(t, ln, echo)
			l := newLoop(t, Options{})
			for range 10 {
				l.Go(func(task *Task) {
					c := tls.Client(srv.dial(task), &tls.Config{RootCAs: roots, ServerName: "server.test"})
					for size := 1; size < 200_000; size *= 3 {
						want := bytes.Repeat([]byte{byte(size)}, size)
						got := make([]byte, size)
						if _, err := c.Write(want); err != nil {
							t.Errorf("write: %v", err)
							return
						}
						if _, err := io.ReadFull(c, got); err != nil || !bytes.Equal(got, want) {
							t.Errorf("read of %d bytes: %v", size, err)
							return
						}
					}
					if got := c.ConnectionState().Version; got != version {
						t.Errorf("version %x, want %x", got, version)
					}
					if err := c.Close(); err != nil {
						t.Errorf("close: %v", err)
					}
				})
			}
			run(t, l)
		})
	}
}

// TestHalfClose checks that data and the end of the stream are both seen, however they arrive: together, or the end
// after the event of the data was used up.
func TestHalfClose(t *testing.T) {
	t.Parallel()
	for _, network := range networks {
		for name, pause := range map[string]time.Duration{"together": 0, "apart": 20 * time.Millisecond} {
			t.Run(network+" "+name, func(t *testing.T) {
				t.Parallel()
				const n = 8
				read := make(chan string, n)
				srv := serve(t, network, func(c net.Conn) {
					_, _ = c.Write([]byte("pending data"))
					time.Sleep(pause)
					_ = c.(interface{ CloseWrite() error }).CloseWrite()
					b, _ := io.ReadAll(c) // the other direction still works
					read <- string(b)
				})
				l := newLoop(t, Options{})
				for i := range n {
					l.Go(func(task *Task) {
						c := srv.dial(task)
						if i%2 == 0 {
							_ = task.Sleep(10 * time.Millisecond)
						}
						b := make([]byte, 5+i) // less than, and more than there is
						var got []byte
						for {
							n, err := c.Read(b)
							got = append(got, b[:n]...)
							if err == io.EOF {
								break
							}
							if err != nil {
								t.Errorf("read: %v", err)
								return
							}
						}
						if string(got) != "pending data" {
							t.Errorf("got %q, want %q", got, "pending data")
						}
						if n, err := c.Read(b); n != 0 || err != io.EOF {
							t.Errorf("read after the end: %d, %v, want EOF", n, err)
						}
						if _, err := c.Write([]byte("still here")); err != nil {
							t.Errorf("write: %v", err)
						}
					})
				}
				run(t, l)
				for range n {
					if got := <-read; got != "still here" {
						t.Errorf("server read %q, want %q", got, "still here")
					}
				}
			})
		}
	}
}

// TestSplitReads reads messages that come byte by byte, and many messages that come at once.
func TestSplitReads(t *testing.T) {
	t.Parallel()
	message := []byte("0123456789abcdef")
	for _, network := range networks {
		t.Run(network, func(t *testing.T) {
			t.Parallel()
			srv := serve(t, network, func(c net.Conn) {
				for i := range message {
					_, _ = c.Write(message[i : i+1])
					time.Sleep(100 * time.Microsecond)
				}
				_, _ = c.Write(bytes.Repeat(message, 100))
			})
			l := newLoop(t, Options{})
			for _, size := range []int{1, 3, 16, 4096} {
				l.Go(func(task *Task) {
					c := srv.dial(task)
					got, b := []byte{}, make([]byte, size)
					for len(got) < 101*len(message) {
						n, err := c.Read(b)
						if err != nil {
							t.Errorf("read: %v", err)
							return
						}
						got = append(got, b[:n]...)
					}
					if !bytes.Equal(got, bytes.Repeat(message, 101)) {
						t.Errorf("read in pieces of %d: wrong data", size)
					}
				})
			}
			run(t, l)
		})
	}
}

func TestWriteWaitsForRoom(t *testing.T) {
	t.Parallel()
	data := make([]byte, 20<<20)
	for i := range data {
		data[i] = byte(i * i >> 7)
	}
	want := sha256.Sum256(data)
	for _, network := range networks {
		t.Run(network, func(t *testing.T) {
			t.Parallel()
			var blocked atomic.Bool
			gate := make(chan struct{})
			srv := serve(t, network, func(c net.Conn) {
				<-gate
				h := sha256.New()
				if n, err := io.CopyN(h, c, int64(len(data))); err != nil {
					t.Errorf("server read %d bytes: %v", n, err)
				}
				_, _ = c.Write(h.Sum(nil))
			})
			p, err := newPoller()
			if err != nil {
				t.Fatal(err)
			}
			watched := &spy{Poller: p}
			l := newLoop(t, Options{Poller: watched})
			run(t, l, func(task *Task) {
				c := srv.dial(task)
				watched.wants = nil
				if n, err := c.Write(data); n != len(data) || err != nil {
					t.Errorf("write: %d, %v", n, err)
				}
				if !blocked.Load() {
					t.Error("the write never blocked")
				}
				if !slices.Equal(watched.wants, []Interest{WantWrite, WantRead}) {
					t.Errorf("registered %v, want writability once for the whole write, then not any more", watched.wants)
				}
				got := make([]byte, len(want))
				if _, err := io.ReadFull(c, got); err != nil || !bytes.Equal(got, want[:]) {
					t.Errorf("the server has got other data: %v", err)
				}
			}, func(task *Task) {
				_ = task.Sleep(10 * time.Millisecond)
				blocked.Store(true) // this task has run although the other one was writing
				close(gate)
			})
		})
	}
}

func TestDeadlines(t *testing.T) {
	t.Parallel()
	const d = 20 * time.Millisecond
	gate := make(chan struct{})
	silent := func(net.Conn) { <-gate }
	srv := serve(t, "unix", silent)
	defer close(gate)
	full := make([]byte, 8<<20) // more than a socket takes
	timeout := func(t *testing.T, what string, start time.Time, least time.Duration, err error) {
		t.Helper()
		var ne net.Error
		if !errors.Is(err, os.ErrDeadlineExceeded) || !errors.As(err, &ne) || !ne.Timeout() {
			t.Errorf("%s: got %v, want a timeout", what, err)
		}
		if got := time.Since(start); got < least {
			t.Errorf("%s: after %v, want at least %v", what, got, least)
		}
	}
	tests := map[string]func(*testing.T, *Task, *Conn){
		"read": func(t *testing.T, task *Task, c *Conn) {
			for range 3 { // later each time: the entry in the timer heap is taken over
				start := time.Now()
				_ = c.SetReadDeadline(start.Add(d))
				timeout(t, "read", start, d, second(c.Read(c.Scratch())))
			}
			start := time.Now()
			_ = c.SetReadDeadline(start.Add(time.Hour))
			_ = c.SetReadDeadline(start.Add(d)) // earlier
			timeout(t, "read", start, d, second(c.Read(c.Scratch())))
			timeout(t, "read again", start, d, second(c.Read(c.Scratch())))
		},
		"write": func(t *testing.T, task *Task, c *Conn) {
			start := time.Now()
			_ = c.SetDeadline(start.Add(d))
			n, err := c.Write(full)
			timeout(t, "write", start, d, err)
			if n <= 0 || n >= len(full) {
				t.Errorf("written: %d, want a part", n)
			}
			if _, err := c.Write([]byte{1}); !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("write again: %v", err)
			}
		},
		"past": func(t *testing.T, task *Task, c *Conn) {
			_ = c.SetDeadline(time.Unix(1, 0))
			timeout(t, "read", time.Now(), 0, second(c.Read(c.Scratch())))
			timeout(t, "write", time.Now(), 0, second(c.Write([]byte{1})))
			_ = c.SetDeadline(time.Time{})
			if _, err := c.Write([]byte{1}); err != nil {
				t.Errorf("write without deadline: %v", err)
			}
		},
		"set while parked": func(t *testing.T, task *Task, c *Conn) {
			_ = c.SetReadDeadline(time.Now().Add(time.Hour))
			start := time.Now()
			time.AfterFunc(d, func() {
				task.Loop().Post(func() {
					_ = c.SetReadDeadline(time.Now().Add(time.Hour))
					_ = c.SetReadDeadline(time.Time{})
					_ = c.SetReadDeadline(time.Now().Add(d))
				})
			})
			timeout(t, "read", start, 2*d, second(c.Read(c.Scratch())))
		},
		"taken back while parked": func(t *testing.T, task *Task, c *Conn) {
			_ = c.SetReadDeadline(time.Now().Add(d))
			task.Loop().Post(func() { _ = c.SetReadDeadline(time.Time{}) })
			time.AfterFunc(5*d, func() { task.Loop().Post(func() { task.Interrupt(errStop) }) })
			if _, err := c.Read(c.Scratch()); !errors.Is(err, errStop) {
				t.Errorf("read: got %v, want %v", err, errStop)
			}
		},
	}
	for name, fn := range tests {
		t.Run(name, func(t *testing.T) {
			l := newLoop(t, Options{})
			run(t, l, func(task *Task) { fn(t, task, srv.dial(task)) })
		})
	}
}

func TestInterruptAndCloseOfParkedIO(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	defer close(gate)
	srv := serve(t, "tcp4", func(net.Conn) { <-gate })
	full := make([]byte, 32<<20)
	ops := map[string]func(*Conn) error{
		"read":  func(c *Conn) error { return second(c.Read(c.Scratch())) },
		"write": func(c *Conn) error { return second(c.Write(full)) },
	}
	for name, op := range ops {
		t.Run("interrupt "+name, func(t *testing.T) {
			l := newLoop(t, Options{})
			run(t, l, func(task *Task) {
				c := srv.dial(task)
				time.AfterFunc(10*time.Millisecond, func() { l.Post(func() { l.InterruptAll(errStop) }) })
				for range 2 {
					var oe *net.OpError
					if err := op(c); !errors.Is(err, errStop) || !errors.As(err, &oe) || oe.Op != name || oe.Net != "tcp" {
						t.Errorf("got %v, want %v", err, errStop)
					}
				}
				if name == "read" {
					if _, err := c.Write([]byte("goodbye")); err != nil {
						t.Errorf("write after the interrupt: %v", err)
					}
				}
				if _, err := task.Dial(srv.network(), srv.address(), 0); !errors.Is(err, errStop) {
					t.Errorf("dial: got %v, want %v", err, errStop)
				}
			})
		})
		t.Run("close during "+name, func(t *testing.T) {
			l := newLoop(t, Options{})
			run(t, l, func(task *Task) {
				c := srv.dial(task)
				time.AfterFunc(10*time.Millisecond, func() { l.Post(func() { _ = c.Close() }) })
				if err := op(c); !errors.Is(err, net.ErrClosed) {
					t.Errorf("got %v, want %v", err, net.ErrClosed)
				}
			})
		})
	}
}

func TestPeerFailure(t *testing.T) {
	t.Parallel()
	srv := serve(t, "tcp4", func(c net.Conn) {
		_, _ = c.Read(make([]byte, 1))
		_ = c.(*net.TCPConn).SetLinger(0) // Close sends a reset
	})
	l := newLoop(t, Options{})
	run(t, l, func(task *Task) {
		c := srv.dial(task)
		_, _ = c.Write([]byte("x"))
		if _, err := c.Read(c.Scratch()); !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("read: got %v, want %v", err, syscall.ECONNRESET)
		}
		_, err := c.Write([]byte("x"))
		if want := "write tcp " + c.LocalAddr().String() + "->" + srv.address() + ": write: broken pipe"; err == nil || err.Error() != want {
			t.Errorf("write: got %v, want %s", err, want)
		}
	})
}

// TestReadDoesNotTry checks, with a poller that says nothing, that a read of a socket without an event parks even
// though data is there; and what the connection registers for.
func TestReadDoesNotTry(t *testing.T) {
	t.Parallel()
	srv := serve(t, "unix", echo)
	f := newFake()
	l := newLoop(t, f.options())
	run(t, l, func(task *Task) {
		c := srv.dial(task)
		token := f.tokens[c.fd]
		_, _ = c.Write([]byte("abc"))
		time.Sleep(50 * time.Millisecond) // blocks the loop, so that the answer is there
		_ = c.SetReadDeadline(time.Now().Add(time.Second))
		if n, err := c.Read(c.Scratch()); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("read without an event: %d, %v, want a timeout", n, err)
		}
		_ = c.SetReadDeadline(time.Time{})
		f.ready = []Event{{Token: token, Ready: In}}
		_ = task.Sleep(1)
		b := make([]byte, 2)
		for _, want := range []string{"ab", "c"} {
			n, err := c.Read(b)
			if err != nil || string(b[:n]) != want {
				t.Errorf("read %q, %v, want %q", b[:n], err, want)
			}
		}
		if c.readable {
			t.Error("readable after a read that got less than asked for")
		}
		if !slices.Equal(f.wants, []Interest{WantRead}) {
			t.Errorf("registered %v, want reading once", f.wants)
		}

		// The slot, and most likely the descriptor, are taken over by a new connection; an old event must not reach it.
		slot := c.slot
		_ = c.Close()
		if len(f.tokens) != 0 {
			t.Errorf("still registered: %v", f.tokens)
		}
		f.ready = []Event{{Token: token, Ready: In | Hup}, {Token: 12345, Ready: In}}
		c = srv.dial(task)
		if c.slot != slot || c.token() == token {
			t.Errorf("slot %d, token %x; want slot %d again with another token than %x", c.slot, c.token(), slot, token)
		}
		_ = task.Sleep(1)
		if len(f.ready) != 0 || c.readable || c.hup {
			t.Error("an event of a closed connection has reached its successor")
		}
	})
}

// TestStreamDoesNotStarveOthers reads from a socket that always has data, in small pieces: others get their turns, and
// may close it.
func TestStreamDoesNotStarveOthers(t *testing.T) {
	t.Parallel()
	const pieces = 1000
	for _, closing := range []bool{false, true} {
		fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = unix.Close(fds[1]) }()
		if n, err := unix.Write(fds[1], make([]byte, pieces*16)); n != pieces*16 {
			t.Fatalf("write: %d, %v", n, err)
		}
		l := newLoop(t, newFake().options())
		var c *Conn
		read, turns := 0, 0
		run(t, l, func(task *Task) {
			c = task.newConn(fds[0])
			c.readable = true
			var err error
			for b := make([]byte, 16); read < pieces && err == nil; read++ {
				_, err = c.Read(b)
			}
			if closing && !errors.Is(err, net.ErrClosed) || !closing && err != nil {
				t.Errorf("read: %v", err)
			}
		}, func(task *Task) {
			for ; read < pieces && turns < 10; turns++ {
				_ = task.Yield()
			}
			if closing {
				_ = c.Close()
			}
		})
		if turns != 10 {
			t.Errorf("%d turns beside a stream of data, want 10", turns)
		}
	}
}

// spy is a poller that notes what is registered.
type spy struct {
	Poller
	wants []Interest
}

func (s *spy) Mod(fd int, token uint64, want Interest) error {
	s.wants = append(s.wants, want)
	return s.Poller.Mod(fd, token, want)
}

// TestRandomTraffic is many connections with messages of all sizes, against an echo that splits them at random.
func TestRandomTraffic(t *testing.T) {
	t.Parallel()
	srv := serve(t, "tcp4", func(c net.Conn) {
		rng := rand.New(rand.NewPCG(7, 8))
		b := make([]byte, 32<<10)
		for {
			n, err := c.Read(b[:1+rng.IntN(len(b))])
			if err != nil {
				return
			}
			for k := 0; k < n; {
				m := min(n-k, 1+rng.IntN(8<<10))
				if _, err := c.Write(b[k : k+m]); err != nil {
					return
				}
				k += m
			}
		}
	})
	l := newLoop(t, Options{})
	for i := range 64 {
		l.Go(func(task *Task) {
			rng := rand.New(rand.NewPCG(9, uint64(i)))
			for range 3 { // connections, one after the other: slots and descriptors are used again
				c := srv.dial(task)
				for range 10 {
					want := make([]byte, 1+rng.IntN(1<<(4+rng.IntN(13))))
					for k := range want {
						want[k] = byte(rng.Uint32())
					}
					got := make([]byte, len(want))
					_, werr := c.Write(want)
					_, rerr := io.ReadFull(c, got)
					if werr != nil || rerr != nil || !bytes.Equal(got, want) {
						t.Errorf("echo of %d bytes: %v, %v", len(want), werr, rerr)
						return
					}
				}
				_ = c.Close()
			}
		})
	}
	run(t, l)
}
