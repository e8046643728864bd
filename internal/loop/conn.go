package loop

import (
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"time"
)

// Conn is a stream connection whose Read and Write park the task that dialled it. It implements net.Conn, so that
// crypto/tls and compression work on top of it.
//
// Read and Write are for that task only. Close and the deadlines may also be used elsewhere on the loop, and end or
// limit a Read or Write that is parked. A connection that is open when its task ends is closed.
type Conn struct {
	task       *Task
	prev, succ *Conn // in task.conns
	local      net.Addr
	remote     net.Addr
	rdeadline  int64 // loop clock, 0: none
	wdeadline  int64
	fd         int
	slot       uint32
	readable   bool // an event said so, and no read has found the socket empty since
	hup        bool // as readable, for the end of the stream: there is no second event for it
	writable   bool // as readable, for a blocked write
	wantWrite  bool // registered for writability
	closed     bool
}

// slot is an entry of the table that tokens of events point into. The generation tells a new connection from events of
// the one that had the slot before.
type slot struct {
	c   *Conn
	gen uint32
}

// newConn makes a connection of fd.
func (t *Task) newConn(fd int) *Conn {
	l := t.loop
	c := &Conn{task: t, fd: fd, succ: t.conns}
	if c.succ != nil {
		c.succ.prev = c
	}
	t.conns = c
	if n := len(l.free); n > 0 {
		c.slot = l.free[n-1]
		l.free = l.free[:n-1]
	} else {
		c.slot = uint32(len(l.conns))
		l.conns = append(l.conns, slot{})
	}
	l.conns[c.slot].c = c
	return c
}

func (c *Conn) token() uint64 {
	return uint64(c.task.loop.conns[c.slot].gen)<<32 | uint64(c.slot)
}

// lookup returns the connection that an event is for, or nil when that is closed.
func (l *Loop) lookup(token uint64) *Conn {
	i := uint32(token)
	if int(i) >= len(l.conns) || l.conns[i].gen != uint32(token>>32) {
		return nil
	}
	return l.conns[i].c
}

// event notes what the poller found and wakes the task when it waits for that.
func (c *Conn) event(r Ready, at int64) {
	if r&(In|Hup) != 0 {
		c.readable = true
	}
	if r&Hup != 0 {
		c.hup = true
	}
	if r&(Out|Hup) != 0 {
		c.writable = true
	}
	t := c.task
	if t.state != parked || t.conn != c {
		return
	}
	if t.reason == forRead && c.readable || t.reason == forWrite && c.writable {
		c.task.loop.wake(t, at)
	}
}

// wait parks until the socket is ready for r, the deadline has passed or the connection is closed.
func (c *Conn) wait(r reason) error {
	deadline := c.deadline(r)
	if deadline == 0 {
		deadline = never
	}
	c.task.conn = c
	expired, err := c.task.park(r, deadline)
	c.task.conn = nil
	switch {
	case err != nil:
		return err
	case c.closed:
		return net.ErrClosed
	case expired:
		return os.ErrDeadlineExceeded
	}
	return nil
}

func (c *Conn) deadline(r reason) int64 {
	if r == forRead {
		return c.rdeadline
	}
	return c.wdeadline
}

// usable returns an error when the connection is closed or the deadline has passed.
func (c *Conn) usable(r reason) error {
	if c.closed {
		return net.ErrClosed
	}
	if d := c.deadline(r); d != 0 && c.task.loop.Now() >= d {
		return os.ErrDeadlineExceeded
	}
	return nil
}

// Read reads what is there, at least one byte. When no event has announced data it parks at once, without trying:
// after a query has been written the answer is not there yet.
func (c *Conn) Read(b []byte) (int, error) {
	c.task.charge()
	if err := c.usable(forRead); err != nil {
		return 0, c.fail("read", err)
	}
	if len(b) == 0 {
		return 0, nil
	}
	for {
		if !c.readable {
			if err := c.wait(forRead); err != nil {
				return 0, c.fail("read", err)
			}
		}
		n, errno := sysRead(c.fd, b)
		switch {
		case errno == syscall.EAGAIN:
			c.readable = false
		case errno == syscall.EINTR:
		case errno != 0:
			return 0, c.fail("read", os.NewSyscallError("read", errno))
		case n == 0:
			return 0, io.EOF
		default:
			// Fewer bytes than asked for: the socket was empty, the next byte will be a new event. But the end of
			// the stream may have been announced together with these bytes.
			if n < len(b) {
				c.readable = c.hup
			}
			return n, nil
		}
	}
}

// Write writes all of b. It parks only when the socket's buffer is full.
func (c *Conn) Write(b []byte) (int, error) {
	c.task.charge()
	if err := c.usable(forWrite); err != nil {
		return 0, c.fail("write", err)
	}
	if len(b) == 0 {
		return 0, nil
	}
	n, errno := sysWrite(c.fd, b)
	if n == len(b) {
		return n, nil
	}
	return c.writeRest(b, n, errno)
}

// writeRest goes on after a write that took n bytes or failed.
func (c *Conn) writeRest(b []byte, n int, errno syscall.Errno) (int, error) {
	done := 0
	defer func() {
		if c.wantWrite && !c.closed {
			c.wantWrite = false
			_ = c.task.loop.poller.Mod(c.fd, c.token(), WantRead)
		}
	}()
	for {
		switch {
		case errno == syscall.EAGAIN:
			if err := c.waitWritable(); err != nil {
				return done, c.fail("write", err)
			}
		case errno == syscall.EINTR:
		case errno != 0:
			return done, c.fail("write", os.NewSyscallError("write", errno))
		default:
			if done += n; done == len(b) {
				return done, nil
			}
		}
		n, errno = sysWrite(c.fd, b[done:])
	}
}

// waitWritable parks until there is room in the socket's buffer. Writability is watched only now: a Unix socket would
// otherwise report it each time its peer has read something.
func (c *Conn) waitWritable() error {
	c.writable = false
	if !c.wantWrite {
		if err := c.task.loop.poller.Mod(c.fd, c.token(), WantWrite); err != nil {
			return err
		}
		c.wantWrite = true
	}
	return c.wait(forWrite)
}

// Close closes the connection. A Read or Write that is parked returns net.ErrClosed, and so does a second Close.
func (c *Conn) Close() error {
	if c.closed {
		return c.fail("close", net.ErrClosed)
	}
	c.closed = true
	t := c.task
	l := t.loop
	_ = l.poller.Del(c.fd)
	err := sysClose(c.fd)
	l.conns[c.slot].c = nil
	l.conns[c.slot].gen++
	l.free = append(l.free, c.slot)
	if c.prev != nil {
		c.prev.succ = c.succ
	} else {
		t.conns = c.succ
	}
	if c.succ != nil {
		c.succ.prev = c.prev
	}
	c.prev, c.succ = nil, nil
	if t.state == parked && t.conn == c {
		l.wake(t, 0)
	}
	if err != nil {
		return c.fail("close", err)
	}
	return nil
}

// Scratch returns the read buffer that all connections of the loop share. Its contents are valid until the task parks,
// which each Read and Write may do. With it, an idle connection owns no memory for reading.
func (c *Conn) Scratch() []byte { return c.task.loop.scratch }

// LocalAddr returns the address of this end.
func (c *Conn) LocalAddr() net.Addr { return c.local }

// RemoteAddr returns the address that was dialled.
func (c *Conn) RemoteAddr() net.Addr { return c.remote }

// SetDeadline sets both deadlines. The zero time means none.
func (c *Conn) SetDeadline(d time.Time) error {
	return errors.Join(c.SetReadDeadline(d), c.SetWriteDeadline(d))
}

// SetReadDeadline sets the time after which Read fails with os.ErrDeadlineExceeded, also one that is parked now.
func (c *Conn) SetReadDeadline(d time.Time) error { return c.setDeadline(&c.rdeadline, forRead, d) }

// SetWriteDeadline is SetReadDeadline for Write.
func (c *Conn) SetWriteDeadline(d time.Time) error { return c.setDeadline(&c.wdeadline, forWrite, d) }

func (c *Conn) setDeadline(p *int64, r reason, d time.Time) error {
	if c.closed {
		return c.fail("set", net.ErrClosed)
	}
	t := c.task
	*p = 0
	if !d.IsZero() {
		*p = max(1, after(t.loop.Now(), time.Until(d)))
	}
	if t.state == parked && t.conn == c && t.reason == r {
		if t.deadline = never; *p != 0 {
			t.deadline = *p
			t.loop.timers.arm(t, *p)
		}
	}
	return nil
}

// fail dresses an error as package net does.
func (c *Conn) fail(op string, err error) error {
	e := &net.OpError{Op: op, Source: c.local, Addr: c.remote, Err: err}
	if c.remote != nil {
		e.Net = c.remote.Network()
	}
	return e
}
