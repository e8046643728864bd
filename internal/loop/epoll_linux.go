package loop

import (
	"errors"
	"os"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Tokens of the poller's own descriptors; connections count their slots from 0.
const (
	wakeToken  = 1<<64 - 1
	timerToken = 1<<64 - 2
)

// epoll is the Poller of Linux.
type epoll struct {
	fd    int
	wake  int // eventfd, edge-triggered: it is never read
	timer int // timerfd where epoll_pwait2 is missing (before Linux 5.11, or forbidden by seccomp), else -1
	buf   []unix.EpollEvent
}

func newPoller() (Poller, error) { return newEpoll(true) }

// newEpoll makes a poller. Without pwait2 it uses a timerfd, as on a system that has no epoll_pwait2.
func newEpoll(pwait2 bool) (*epoll, error) {
	p := &epoll{fd: -1, wake: -1, timer: -1, buf: make([]unix.EpollEvent, eventBatch)}
	if err := p.open(pwait2); err != nil {
		_ = p.Close()
		return nil, err
	}
	return p, nil
}

func (p *epoll) open(pwait2 bool) (err error) {
	if p.fd, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return os.NewSyscallError("epoll_create1", err)
	}
	if p.wake, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK); err != nil {
		return os.NewSyscallError("eventfd", err)
	}
	if err = p.Add(p.wake, wakeToken, WantRead); err != nil {
		return err
	}
	if pwait2 {
		if _, errno := p.pwait2(0); errno == 0 || errno == unix.EINTR {
			return nil
		}
	}
	if p.timer, err = unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_CLOEXEC|unix.TFD_NONBLOCK); err != nil {
		return os.NewSyscallError("timerfd_create", err)
	}
	return p.Add(p.timer, timerToken, WantRead)
}

func (p *epoll) Add(fd int, token uint64, want Interest) error {
	return p.ctl(unix.EPOLL_CTL_ADD, fd, token, want)
}

func (p *epoll) Mod(fd int, token uint64, want Interest) error {
	return p.ctl(unix.EPOLL_CTL_MOD, fd, token, want)
}

func (p *epoll) Del(fd int) error { return p.ctl(unix.EPOLL_CTL_DEL, fd, 0, WantRead) }

func (p *epoll) ctl(op, fd int, token uint64, want Interest) error {
	e := unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLRDHUP | unix.EPOLLET, Fd: int32(token), Pad: int32(token >> 32)}
	if want&WantWrite != 0 {
		e.Events |= unix.EPOLLOUT
	}
	return os.NewSyscallError("epoll_ctl", unix.EpollCtl(p.fd, op, fd, &e))
}

// timespec is the kernel's, with 64 bits for seconds on all machines.
type timespec struct{ sec, nsec int64 }

// pwait2 is epoll_pwait2(2) with the scheduler told, since it may sleep.
func (p *epoll) pwait2(timeout int64) (int, syscall.Errno) {
	ts := timespec{timeout / 1e9, timeout % 1e9}
	n, _, errno := syscall.Syscall6(unix.SYS_EPOLL_PWAIT2, uintptr(p.fd), uintptr(unsafe.Pointer(&p.buf[0])), uintptr(len(p.buf)),
		uintptr(unsafe.Pointer(&ts)), 0, 0)
	return int(n), errno
}

// forever is epoll_pwait(2) without a timeout, with the scheduler told.
func (p *epoll) forever() (int, syscall.Errno) {
	n, _, errno := syscall.Syscall6(unix.SYS_EPOLL_PWAIT, uintptr(p.fd), uintptr(unsafe.Pointer(&p.buf[0])), uintptr(len(p.buf)), ^uintptr(0), 0, 0)
	return int(n), errno
}

// holdNs is how long a sleep goes on before Go's scheduler is told of it. The scheduler takes the processor of a goroutine
// that it knows to be in a system call, and its monitor wakes up every 20 µs to do so: with one connection to a
// server on the same two CPUs that was 1.33 context switches a query, and 1.06 with this (sysbench: 1.01). The price is
// that a stop of the world, or another goroutine when there is one processor only, waits up to this long.
const holdNs = int64(time.Millisecond)

// waitHolding sleeps without telling the scheduler first, and with it when that was not enough.
func (p *epoll) waitHolding(timeout int64) (int, syscall.Errno) {
	first := holdNs
	if timeout > 0 {
		first = min(first, timeout)
	}
	ts := timespec{0, first}
	n, _, errno := syscall.RawSyscall6(unix.SYS_EPOLL_PWAIT2, uintptr(p.fd), uintptr(unsafe.Pointer(&p.buf[0])), uintptr(len(p.buf)),
		uintptr(unsafe.Pointer(&ts)), 0, 0)
	if n != 0 || errno != 0 || first == timeout {
		return int(n), errno
	}
	if timeout > 0 {
		return p.pwait2(timeout - first)
	}
	return p.forever()
}

func (p *epoll) Wait(events []Event, timeout int64) (int, error) {
	var n int
	var errno syscall.Errno
	switch {
	case timeout == 0:
		r, _, e := syscall.RawSyscall6(unix.SYS_EPOLL_PWAIT, uintptr(p.fd), uintptr(unsafe.Pointer(&p.buf[0])),
			uintptr(min(len(p.buf), len(events))), 0, 0, 0)
		n, errno = int(r), e
	case p.timer < 0:
		n, errno = p.waitHolding(timeout)
	default:
		if timeout > 0 {
			// Setting it takes back an expiry that nobody has waited for.
			s := unix.ItimerSpec{Value: unix.NsecToTimespec(timeout)}
			if err := unix.TimerfdSettime(p.timer, 0, &s, nil); err != nil {
				return 0, os.NewSyscallError("timerfd_settime", err)
			}
		}
		n, errno = p.forever()
	}
	if errno != 0 {
		if errno == unix.EINTR {
			return 0, nil
		}
		return 0, os.NewSyscallError("epoll_wait", errno)
	}
	k := 0
	for i := range p.buf[:n] {
		e := &p.buf[i]
		token := uint64(uint32(e.Fd)) | uint64(uint32(e.Pad))<<32
		if token >= timerToken {
			continue
		}
		var r Ready
		if e.Events&unix.EPOLLIN != 0 {
			r |= In
		}
		if e.Events&unix.EPOLLOUT != 0 {
			r |= Out
		}
		if e.Events&(unix.EPOLLRDHUP|unix.EPOLLHUP|unix.EPOLLERR) != 0 {
			r |= Hup
		}
		events[k] = Event{token, r}
		k++
	}
	return k, nil
}

func (p *epoll) Wake() error {
	one := uint64(1)
	_, _, errno := syscall.RawSyscall(unix.SYS_WRITE, uintptr(p.wake), uintptr(unsafe.Pointer(&one)), 8)
	if errno != 0 && errno != unix.EAGAIN {
		return os.NewSyscallError("write eventfd", errno)
	}
	return nil
}

func (p *epoll) Close() error {
	var errs []error
	for _, fd := range []int{p.timer, p.wake, p.fd} {
		if fd >= 0 {
			errs = append(errs, os.NewSyscallError("close", unix.Close(fd)))
		}
	}
	return errors.Join(errs...)
}
