//go:build !linux

package loop

import (
	"errors"
	"fmt"
	"net"
	"syscall"
	"time"
)

// Supported reports whether this system has an event loop.
const Supported = false

func newPoller() (Poller, error) {
	return nil, fmt.Errorf("this system has no epoll: %w", errors.ErrUnsupported)
}

// Dial fails on this system.
func (t *Task) Dial(network, address string, timeout time.Duration) (*Conn, error) {
	return nil, &net.OpError{Op: "dial", Net: network, Err: errors.ErrUnsupported}
}

func sysRead(int, []byte) (int, syscall.Errno)  { return 0, syscall.EINVAL }
func sysWrite(int, []byte) (int, syscall.Errno) { return 0, syscall.EINVAL }
func sysClose(int) error                        { return errors.ErrUnsupported }
