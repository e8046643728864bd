package nullserver

import (
	"fmt"
	"net"
	"sync/atomic"
)

// Fast is a running server of ListenFast.
type Fast struct {
	listener net.Listener
	opts     Options
	engine   fastEngine
	closed   atomic.Bool
}

// FastStats counts what happened since the start.
type FastStats struct {
	Connections uint64 // accepted
	Queries     uint64 // commands answered with a reply of a statement: text queries and executions
}

// ListenFast starts the server for benchmarks. Its replies are always those of Answers. It exists on Linux only;
// elsewhere it returns an error.
func ListenFast(o Options) (*Fast, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if err := o.fast(); err != nil {
		return nil, err
	}
	o = o.withDefaults()
	l, err := net.Listen(network(o.Listen), o.Listen)
	if err != nil {
		return nil, fmt.Errorf("start null server: %w", err)
	}
	f := &Fast{listener: l, opts: o}
	if err := f.engine.start(l, o); err != nil {
		l.Close()
		return nil, fmt.Errorf("start null server: %w", err)
	}
	return f, nil
}

// Addr is the address that the server listens on.
func (f *Fast) Addr() net.Addr { return f.listener.Addr() }

// Stats may be called at any time.
func (f *Fast) Stats() FastStats { return f.engine.stats() }

// Close closes all connections and waits for the event loops to end. A second call does nothing.
func (f *Fast) Close() error {
	if f.closed.Swap(true) {
		return nil
	}
	f.engine.stop()
	return f.listener.Close()
}
