package loop

import (
	"errors"
	"net"
	"net/netip"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// backlogPause is how long Dial waits when the queue of a Unix listener is full, for which there is no event.
const backlogPause = time.Millisecond

// Keepalive as package net sets it, in seconds.
const keepAlive = 15

// Dial connects to address: a numeric host and port for "tcp", a path, or @name for an abstract socket, for "unix". A
// timeout of 0 means none. Errors are *net.OpError with the texts of net.Dial; inside, a timeout is
// os.ErrDeadlineExceeded and an interrupt is the error given to Interrupt. An interrupted task cannot dial.
func (t *Task) Dial(network, address string, timeout time.Duration) (*Conn, error) {
	t.mustRun()
	deadline := int64(never)
	if timeout != 0 {
		deadline = after(t.loop.Now(), timeout)
	}
	sa, remote, err := sockaddr(network, address)
	var c *Conn
	if err == nil {
		c, err = t.dial(sa, remote, deadline)
	}
	if err != nil {
		e := &net.OpError{Op: "dial", Net: network, Err: err}
		if remote != nil {
			e.Addr = remote
		}
		return nil, e
	}
	return c, nil
}

// dial tries until it has a connection or an error that trying again does not cure.
func (t *Task) dial(sa unix.Sockaddr, remote net.Addr, deadline int64) (*Conn, error) {
	for try := 0; ; try++ {
		if t.stopped != nil {
			return nil, t.stopped
		}
		if deadline != never && t.loop.Now() >= deadline {
			return nil, os.ErrDeadlineExceeded
		}
		c, err := t.connect(sa, remote, deadline)
		if err == nil && !c.toSelf() {
			return c, nil
		}
		switch {
		case err == nil:
			// A port in the ephemeral range that nobody listens on can be given to our own end: TCP then connects
			// the socket to itself.
			_ = c.Close()
			if try >= 2 {
				return nil, os.NewSyscallError("connect", unix.ECONNREFUSED)
			}
		case errors.Is(err, unix.EAGAIN) && remote.Network() == "unix":
			if err := t.SleepUntil(min(after(t.loop.Now(), backlogPause), deadline)); err != nil {
				return nil, err
			}
		default:
			return nil, err
		}
	}
}

// connect makes one attempt.
func (t *Task) connect(sa unix.Sockaddr, remote net.Addr, deadline int64) (*Conn, error) {
	domain := unix.AF_UNIX
	switch sa.(type) {
	case *unix.SockaddrInet4:
		domain = unix.AF_INET
	case *unix.SockaddrInet6:
		domain = unix.AF_INET6
	}
	fd, err := unix.Socket(domain, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	if domain != unix.AF_UNIX {
		// Failures here cost performance, not correctness.
		_ = unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1)
		_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_KEEPALIVE, 1)
		_ = unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_KEEPIDLE, keepAlive)
		_ = unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_KEEPINTVL, keepAlive)
	}
	err = unix.Connect(fd, sa)
	want := WantRead
	switch err {
	case nil, unix.EISCONN:
	case unix.EINPROGRESS, unix.EALREADY, unix.EINTR:
		want = WantWrite
	default:
		_ = unix.Close(fd)
		return nil, os.NewSyscallError("connect", err)
	}
	c := t.newConn(fd)
	c.remote, c.wantWrite, c.wdeadline = remote, want == WantWrite, deadline
	if err = t.loop.poller.Add(fd, c.token(), want); err == nil && c.wantWrite {
		err = c.established()
	}
	if err != nil {
		if !c.closed {
			_ = c.Close()
		}
		return nil, err
	}
	c.wdeadline = 0
	if local, err := unix.Getsockname(fd); err == nil {
		c.local = netAddr(local)
	}
	return c, nil
}

// established waits for the end of a connect.
func (c *Conn) established() error {
	for {
		c.writable = false
		if err := c.wait(forWrite); err != nil {
			return err
		}
		n, err := unix.GetsockoptInt(c.fd, unix.SOL_SOCKET, unix.SO_ERROR)
		if err != nil {
			return os.NewSyscallError("getsockopt", err)
		}
		switch errno := unix.Errno(n); errno {
		case 0, unix.EISCONN:
			if _, err := unix.Getpeername(c.fd); err != nil {
				continue // not yet
			}
			c.wantWrite = false
			return c.task.loop.poller.Mod(c.fd, c.token(), WantRead)
		case unix.EINPROGRESS, unix.EALREADY, unix.EINTR:
		default:
			return os.NewSyscallError("connect", errno)
		}
	}
}

// toSelf reports whether both ends are the same socket.
func (c *Conn) toSelf() bool {
	l, ok := c.local.(*net.TCPAddr)
	if !ok {
		return false
	}
	r, ok := c.remote.(*net.TCPAddr)
	return ok && l.Port == r.Port && l.IP.Equal(r.IP)
}

// sockaddr parses an address.
func sockaddr(network, address string) (unix.Sockaddr, net.Addr, error) {
	switch network {
	case "unix":
		if address == "" {
			return nil, nil, errors.New("missing address")
		}
		return &unix.SockaddrUnix{Name: address}, &net.UnixAddr{Name: address, Net: network}, nil
	case "tcp", "tcp4", "tcp6":
	default:
		return nil, nil, net.UnknownNetworkError(network)
	}
	ap, err := netip.ParseAddrPort(address)
	if err != nil {
		return nil, nil, &net.AddrError{Err: "not a numeric address and port", Addr: address}
	}
	ip := ap.Addr().Unmap()
	remote := net.TCPAddrFromAddrPort(netip.AddrPortFrom(ip, ap.Port()))
	if ip.Is4() {
		if network == "tcp6" {
			return nil, remote, &net.AddrError{Err: "no suitable address", Addr: address}
		}
		return &unix.SockaddrInet4{Port: int(ap.Port()), Addr: ip.As4()}, remote, nil
	}
	if network == "tcp4" {
		return nil, remote, &net.AddrError{Err: "no suitable address", Addr: address}
	}
	sa := &unix.SockaddrInet6{Port: int(ap.Port()), Addr: ip.As16()}
	if zone := ip.Zone(); zone != "" {
		if n, err := strconv.ParseUint(zone, 10, 32); err == nil {
			sa.ZoneId = uint32(n)
		} else if i, err := net.InterfaceByName(zone); err == nil {
			sa.ZoneId = uint32(i.Index)
		} else {
			return nil, remote, &net.AddrError{Err: "unknown zone", Addr: address}
		}
	}
	return sa, remote, nil
}

// netAddr turns what getsockname says into an address of package net.
func netAddr(sa unix.Sockaddr) net.Addr {
	switch sa := sa.(type) {
	case *unix.SockaddrInet4:
		return &net.TCPAddr{IP: sa.Addr[:], Port: sa.Port}
	case *unix.SockaddrInet6:
		a := &net.TCPAddr{IP: sa.Addr[:], Port: sa.Port}
		if sa.ZoneId != 0 {
			a.Zone = strconv.FormatUint(uint64(sa.ZoneId), 10)
		}
		return a
	case *unix.SockaddrUnix:
		return &net.UnixAddr{Name: sa.Name, Net: "unix"}
	}
	return nil
}
