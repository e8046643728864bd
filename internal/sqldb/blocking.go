package sqldb

import (
	"context"
	"net"
	"time"
)

// Blocking is the Env of code that runs outside the engine: it blocks its goroutine, and stops when its
// context ends.
type Blocking struct{ Ctx context.Context }

// Dial connects; the end of the context cuts it short.
func (b Blocking) Dial(network, address string, timeout time.Duration) (net.Conn, error) {
	d := net.Dialer{Timeout: timeout}
	return d.DialContext(b.Ctx, network, address)
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
