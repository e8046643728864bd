package sqldb

import (
	"context"
	"net"
	"time"
)

// Blocking is the Env of code that runs outside the engine: it blocks its goroutine, and stops when its
// context ends.
type Blocking struct{ Ctx context.Context }

// Dial connects. The end of the context cuts this and all later calls of the connection short.
func (b Blocking) Dial(network, address string, timeout time.Duration) (net.Conn, error) {
	d := net.Dialer{Timeout: timeout}
	c, err := d.DialContext(b.Ctx, network, address)
	if err != nil {
		if b.Ctx.Err() != nil {
			return nil, ErrInterrupted
		}
		return nil, err
	}
	stop := context.AfterFunc(b.Ctx, func() {
		_ = c.SetDeadline(time.Unix(1, 0)) // fails only when closed, and then calls return anyway
	})
	return &blockingConn{Conn: c, stop: stop}, nil
}

// blockingConn forgets its context when it is closed.
type blockingConn struct {
	net.Conn
	stop func() bool
}

// Close closes the connection.
func (c *blockingConn) Close() error {
	c.stop()
	return c.Conn.Close()
}

// Sleep waits for d, or returns ErrInterrupted when the context ends first.
func (b Blocking) Sleep(d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-b.Ctx.Done():
		return ErrInterrupted
	}
}

// Stopping reports whether the context has ended.
func (b Blocking) Stopping() bool { return b.Ctx.Err() != nil }
