package nullserver

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"deltabench/internal/wire"
)

// fastEngine runs the event loops. Loop 0 accepts connections and deals them to the loops in turn.
type fastEngine struct {
	loops    []*fastLoop
	wg       sync.WaitGroup
	accepted atomic.Uint64
	stopping atomic.Bool
	salt     []byte
}

// Keys of an epoll set that are no connection.
const (
	keyWake   = -1
	keyListen = -2
)

const (
	maxUnsent   = 64 << 20 // a client that reads nothing is disconnected beyond
	acceptPause = 20 * time.Millisecond
)

type fastLoop struct {
	engine   *fastEngine
	opts     Options
	epoll    int
	wake     int // eventfd
	listener int // -1 but in loop 0
	shelf    *shelf
	conns    []*fastConn
	empty    []int32 // free places in conns
	freed    []int32 // those of this round: events of the round may still name them
	buf      []byte
	timers   delays
	rng      *rand.Rand
	pwait2   bool  // the kernel has epoll_pwait2
	acceptAt int64 // when to accept again after running out of file descriptors; 0: no need
	queries  atomic.Uint64

	mu      sync.Mutex
	adopted []int // accepted for this loop
}

type fastConn struct {
	session
	loop    *fastLoop
	fd      int // -1: closed
	place   int32
	out     []byte // unsent
	last    int64  // time of the last delayed reply
	delayed int    // replies that wait
}

func (e *fastEngine) start(l net.Listener, o Options) error {
	e.salt = make([]byte, 20)
	for i := range e.salt {
		e.salt[i] = byte('a' + rand.IntN(26))
	}
	fd, err := listenerFD(l)
	if err != nil {
		return err
	}
	for i := range o.Loops {
		loop, err := newFastLoop(e, o)
		if err != nil {
			e.closeFDs()
			return err
		}
		e.loops = append(e.loops, loop)
		if i == 0 {
			loop.listener = fd
			if err := loop.watch(fd, keyListen, unix.EPOLLIN|unix.EPOLLET); err != nil {
				e.closeFDs()
				return fmt.Errorf("watch the listener: %w", err)
			}
		}
	}
	ready := make(chan error, len(e.loops))
	for i, loop := range e.loops {
		e.wg.Go(func() {
			runtime.LockOSThread() // the thread's CPU and timer slack are changed; it ends with the goroutine
			ready <- loop.settle(i)
			loop.run()
		})
	}
	for range e.loops {
		err = errors.Join(err, <-ready)
	}
	if err != nil {
		e.stop()
	}
	return err
}

// listenerFD is the descriptor of l, which stays l's.
func listenerFD(l net.Listener) (int, error) {
	sc, ok := l.(syscall.Conn)
	if !ok {
		return 0, fmt.Errorf("%T has no descriptor", l)
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return 0, err
	}
	fd := -1
	if err := raw.Control(func(f uintptr) { fd = int(f) }); err != nil {
		return 0, err
	}
	return fd, nil
}

func newFastLoop(e *fastEngine, o Options) (*fastLoop, error) {
	ep, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("make an epoll set: %w", err)
	}
	wake, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		unix.Close(ep)
		return nil, fmt.Errorf("make an eventfd: %w", err)
	}
	l := &fastLoop{
		engine: e, opts: o, epoll: ep, wake: wake, listener: -1, shelf: newShelf(o.Answers), buf: make([]byte, 64<<10),
		rng: rand.New(rand.NewPCG(rand.Uint64(), 1)), pwait2: true,
	}
	if err := l.watch(wake, keyWake, unix.EPOLLIN|unix.EPOLLET); err != nil {
		l.closeFDs()
		return nil, fmt.Errorf("watch an eventfd: %w", err)
	}
	return l, nil
}

// settle prepares the loop's thread.
func (l *fastLoop) settle(i int) error {
	if l.opts.Delay > 0 || l.opts.Jitter > 0 {
		// Timers are late by up to 50 microseconds otherwise. It is the default where it cannot be changed.
		_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
	}
	if len(l.opts.CPUs) == 0 {
		return nil
	}
	cpu := l.opts.CPUs[i%len(l.opts.CPUs)]
	var set unix.CPUSet
	set.Set(cpu)
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		return fmt.Errorf("bind event loop %d to CPU %d: %w", i, cpu, err)
	}
	return nil
}

func (e *fastEngine) stats() FastStats {
	s := FastStats{Connections: e.accepted.Load()}
	for _, l := range e.loops {
		s.Queries += l.queries.Load()
	}
	return s
}

func (e *fastEngine) stop() {
	e.stopping.Store(true)
	for _, l := range e.loops {
		l.wakeUp()
	}
	e.wg.Wait()
	e.closeFDs()
}

func (e *fastEngine) closeFDs() {
	for _, l := range e.loops {
		l.closeFDs()
	}
}

func (l *fastLoop) closeFDs() {
	unix.Close(l.epoll)
	unix.Close(l.wake)
}

func (l *fastLoop) wakeUp() {
	one := [8]byte{1}
	_, _ = unix.Write(l.wake, one[:]) // fails only when it is full, that is when the loop is awake
}

func (l *fastLoop) watch(fd int, key int32, events uint32) error {
	return unix.EpollCtl(l.epoll, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: events, Fd: key})
}

// now is the monotonic time in nanoseconds.
func now() int64 { return int64(time.Since(epoch)) }

var epoch = time.Now()

func (l *fastLoop) run() {
	events := make([]unix.EpollEvent, 512)
	for {
		n := l.wait(events)
		for i := range events[:n] {
			ev := &events[i]
			switch ev.Fd {
			case keyWake:
				l.woken()
			case keyListen:
				l.accept()
			default:
				c := l.conns[ev.Fd]
				if ev.Events&unix.EPOLLOUT != 0 {
					c.flush()
				}
				if ev.Events&^unix.EPOLLOUT != 0 {
					c.read(ev.Events&^(unix.EPOLLIN|unix.EPOLLOUT) != 0)
				}
			}
		}
		l.expire()
		l.empty = append(l.empty, l.freed...)
		l.freed = l.freed[:0]
		if l.engine.stopping.Load() {
			for _, c := range l.conns {
				c.close()
			}
			l.woken() // close what was accepted meanwhile
			for _, c := range l.conns {
				c.close()
			}
			return
		}
	}
}

// wait blocks until something happens or a timer is due.
func (l *fastLoop) wait(events []unix.EpollEvent) int {
	until := l.acceptAt
	if len(l.timers) > 0 && (until == 0 || l.timers[0].at < until) {
		until = l.timers[0].at
	}
	if until == 0 {
		n, err := unix.EpollWait(l.epoll, events, -1)
		if err != nil {
			return 0
		}
		return n
	}
	left := max(until-now(), 0)
	if l.pwait2 {
		ts := unix.NsecToTimespec(left)
		n, _, errno := syscall.Syscall6(unix.SYS_EPOLL_PWAIT2, uintptr(l.epoll), uintptr(unsafe.Pointer(&events[0])),
			uintptr(len(events)), uintptr(unsafe.Pointer(&ts)), 0, 0)
		if errno == 0 {
			return int(n)
		}
		if errno != syscall.ENOSYS && errno != syscall.EPERM {
			return 0
		}
		l.pwait2 = false // kernels before 5.11: milliseconds, rounded up
	}
	n, err := unix.EpollWait(l.epoll, events, int((left+999_999)/1_000_000))
	if err != nil {
		return 0
	}
	return n
}

// woken takes connections from loop 0.
func (l *fastLoop) woken() {
	var b [8]byte
	_, _ = unix.Read(l.wake, b[:])
	l.mu.Lock()
	fds := l.adopted
	l.adopted = nil
	l.mu.Unlock()
	for _, fd := range fds {
		l.adopt(fd)
	}
}

// accept takes all waiting connections.
func (l *fastLoop) accept() {
	l.acceptAt = 0
	for {
		fd, _, err := unix.Accept4(l.listener, unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
		switch {
		case err == nil:
		case errors.Is(err, unix.EINTR), errors.Is(err, unix.ECONNABORTED):
			continue
		case errors.Is(err, unix.EMFILE), errors.Is(err, unix.ENFILE), errors.Is(err, unix.ENOBUFS), errors.Is(err, unix.ENOMEM):
			l.acceptAt = now() + int64(acceptPause) // no event tells when there is room again
			return
		default:
			return
		}
		n := l.engine.accepted.Add(1)
		to := l.engine.loops[(n-1)%uint64(len(l.engine.loops))]
		if to == l {
			l.adopt(fd)
			continue
		}
		to.mu.Lock()
		to.adopted = append(to.adopted, fd)
		to.mu.Unlock()
		to.wakeUp()
	}
}

// adopt makes fd a connection of this loop and greets it.
func (l *fastLoop) adopt(fd int) {
	// Fails on Unix sockets, which need none.
	_ = unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1)
	c := &fastConn{loop: l, fd: fd}
	if n := len(l.empty); n > 0 {
		c.place, l.empty = l.empty[n-1], l.empty[:n-1]
		l.conns[c.place] = c
	} else {
		c.place = int32(len(l.conns))
		l.conns = append(l.conns, c)
	}
	c.session = session{
		shelf: l.shelf, offered: l.opts.capabilities(), reply: c.answer, control: c.send,
		queries: func() { l.queries.Store(l.queries.Load() + 1) },
	}
	greeting := wire.Handshake{
		Version: l.opts.Version, ThreadID: uint32(l.engine.accepted.Load()), Salt: l.engine.salt, Capabilities: c.offered,
		Charset: wire.CharsetUTF8MB4, Status: wire.StatusAutocommit, AuthPlugin: "mysql_native_password",
	}
	e := encoder{}
	e.packet(greeting.Append)
	c.send(e.dst)
	if c.fd < 0 {
		return
	}
	if err := l.watch(fd, c.place, unix.EPOLLIN|unix.EPOLLRDHUP|unix.EPOLLET); err != nil {
		c.close()
	}
}

func (c *fastConn) close() {
	if c.fd < 0 {
		return
	}
	unix.Close(c.fd) // also leaves the epoll set
	c.fd, c.out, c.stmts = -1, nil, nil
	c.loop.freed = append(c.loop.freed, c.place)
}

// read takes what has come. A read that fills less than the buffer has emptied the socket, and what comes later
// makes another event; but an end of the stream that was part of this event (ended) makes no other.
func (c *fastConn) read(ended bool) {
	for c.fd >= 0 {
		buf := c.loop.buf
		n := rawRead(c.fd, buf)
		switch {
		case n == -int(syscall.EAGAIN):
			return
		case n == -int(syscall.EINTR):
			continue
		case n <= 0:
			c.close()
			return
		}
		c.feed(buf[:n])
		if c.ended {
			c.close()
			return
		}
		if n < len(buf) && !ended {
			return
		}
	}
}

// answer sends the reply of a statement, now or after the delay.
func (c *fastConn) answer(b []byte) {
	l := c.loop
	if l.opts.Delay == 0 && l.opts.Jitter == 0 {
		c.send(b)
		return
	}
	at := now() + int64(l.opts.Delay)
	if l.opts.Jitter > 0 {
		at += l.rng.Int64N(int64(l.opts.Jitter))
	}
	c.later(at, b)
}

// later sends b at a time, and not before replies that wait already.
func (c *fastConn) later(at int64, b []byte) {
	c.last = max(at, c.last+1)
	c.delayed++
	c.loop.timers.push(delay{c.last, c, b})
}

// send sends b now, after what is unsent. Replies that are delayed go first.
func (c *fastConn) send(b []byte) {
	if c.fd < 0 {
		return
	}
	if c.delayed > 0 {
		c.later(c.last, append([]byte(nil), b...))
		return
	}
	c.write(b)
}

func (c *fastConn) write(b []byte) {
	if c.fd < 0 {
		return
	}
	if len(c.out) > 0 {
		if len(c.out)+len(b) > maxUnsent {
			c.close()
			return
		}
		c.out = append(c.out, b...)
		return
	}
	n := c.writeSome(b)
	if n < len(b) && c.fd >= 0 {
		c.out = append(c.out, b[n:]...)
		c.watchOut(true)
	}
}

// writeSome writes until the socket is full, and returns how much.
func (c *fastConn) writeSome(b []byte) int {
	done := 0
	for done < len(b) {
		n := rawWrite(c.fd, b[done:])
		switch {
		case n == -int(syscall.EINTR):
		case n == -int(syscall.EAGAIN):
			return done
		case n < 0:
			c.close()
			return done
		default:
			done += n
		}
	}
	return done
}

// flush writes what is unsent.
func (c *fastConn) flush() {
	if c.fd < 0 || len(c.out) == 0 {
		return
	}
	n := c.writeSome(c.out)
	if c.fd < 0 {
		return
	}
	c.out = c.out[:copy(c.out, c.out[n:])]
	if len(c.out) == 0 {
		c.out = nil
		c.watchOut(false)
	}
}

// watchOut asks for events when the socket can be written to. They are not always wanted: on Unix sockets each read
// of the client would make one.
func (c *fastConn) watchOut(on bool) {
	events := uint32(unix.EPOLLIN | unix.EPOLLRDHUP | unix.EPOLLET)
	if on {
		events |= unix.EPOLLOUT
	}
	// Fails before the connection is watched at all, and then adopt closes it.
	if err := unix.EpollCtl(c.loop.epoll, unix.EPOLL_CTL_MOD, c.fd, &unix.EpollEvent{Events: events, Fd: c.place}); err != nil {
		c.close()
	}
}

// expire sends the replies whose time has come.
func (l *fastLoop) expire() {
	if len(l.timers) == 0 && l.acceptAt == 0 {
		return
	}
	t := now()
	for len(l.timers) > 0 && l.timers[0].at <= t {
		d := l.timers.pop()
		d.conn.delayed--
		d.conn.write(d.reply)
	}
	if l.acceptAt != 0 && l.acceptAt <= t {
		l.accept()
	}
}

// delay is a reply that waits until a time.
type delay struct {
	at    int64
	conn  *fastConn
	reply []byte
}

// delays is a heap by time.
type delays []delay

func (h *delays) push(d delay) {
	*h = append(*h, d)
	s := *h
	for i := len(s) - 1; i > 0; {
		up := (i - 1) / 2
		if s[up].at <= s[i].at {
			return
		}
		s[i], s[up] = s[up], s[i]
		i = up
	}
}

func (h *delays) pop() delay {
	s := *h
	top := s[0]
	last := len(s) - 1
	s[0], s[last] = s[last], delay{}
	s = s[:last]
	*h = s
	for i := 0; ; {
		down := 2*i + 1
		if down >= last {
			return top
		}
		if down+1 < last && s[down+1].at < s[down].at {
			down++
		}
		if s[i].at <= s[down].at {
			return top
		}
		s[i], s[down] = s[down], s[i]
		i = down
	}
}

// rawRead and rawWrite return a negative errno. The descriptors never block, so that the scheduler need not
// know of the calls; that saves some 50 ns each.
func rawRead(fd int, b []byte) int {
	n, _, errno := syscall.RawSyscall(syscall.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)))
	if errno != 0 {
		return -int(errno)
	}
	return int(n)
}

func rawWrite(fd int, b []byte) int {
	n, _, errno := syscall.RawSyscall(syscall.SYS_WRITE, uintptr(fd), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)))
	if errno != 0 {
		return -int(errno)
	}
	return int(n)
}
