package nullserver

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"

	"deltabench/internal/wire"
)

// Server is a running server of Listen. Its methods may be called at any time, from any goroutine.
type Server struct {
	opts     Options
	listener net.Listener // nil: only ServeConn
	start    time.Time
	wg       sync.WaitGroup
	gate     gate

	mu       sync.Mutex
	closed   bool
	next     uint32 // number of the last connection
	conns    map[*conn]struct{}
	records  []Record
	logins   []Login
	cached   map[string]bool // users whose hash is remembered
	stats    Stats
	handler  func(*Query) *Reply
	greeting wire.Handshake // without salt and thread id
}

// Listen starts a server.
func Listen(o Options) (*Server, error) {
	s, err := New(o)
	if err != nil {
		return nil, err
	}
	l, err := net.Listen(network(s.opts.Listen), s.opts.Listen)
	if err != nil {
		return nil, fmt.Errorf("start null server: %w", err)
	}
	s.listener = l
	s.wg.Go(s.accept)
	return s, nil
}

// New returns a server that does not listen: connections come through ServeConn.
func New(o Options) (*Server, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	o = o.withDefaults()
	s := &Server{opts: o, start: time.Now(), conns: map[*conn]struct{}{}, cached: map[string]bool{}}
	s.gate.closed = make(chan struct{})
	s.gate.changed = make(chan struct{})
	s.handler = o.Handler
	if s.handler == nil {
		s.handler = func(q *Query) *Reply { return o.Answers.all(q.SQL) }
	}
	s.greeting = wire.Handshake{
		Version: o.Version, Capabilities: o.capabilities(), Charset: wire.CharsetUTF8MB4, Status: wire.StatusAutocommit,
		AuthPlugin: o.GreetingAuth,
	}
	return s, nil
}

// Addr is the address that the server listens on.
func (s *Server) Addr() net.Addr { return s.listener.Addr() }

// Now is the server's monotonic clock: nanoseconds since its start.
func (s *Server) Now() int64 { return int64(time.Since(s.start)) }

// Started is the time that Now counts from. Times with a monotonic reading translate: t.Sub(Started()).
func (s *Server) Started() time.Time { return s.start }

func (s *Server) accept() {
	for {
		nc, err := s.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			// Out of descriptors or a client that left: neither ends the server.
			if !s.gate.sleep(5 * time.Millisecond) {
				return
			}
			continue
		}
		s.wg.Go(func() { s.ServeConn(nc) })
	}
}

// ServeConn serves one connection until it ends.
func (s *Server) ServeConn(nc net.Conn) {
	defer nc.Close()
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return
	}
	s.next++
	c := newConn(s, nc, s.next)
	s.conns[c] = struct{}{}
	s.stats.Connections++
	s.mu.Unlock()
	c.serve()
	s.mu.Lock()
	delete(s.conns, c)
	s.mu.Unlock()
}

// Stall makes the server answer nothing, not even new connections, until Resume. Commands are still read.
func (s *Server) Stall() { s.StallBetween(time.Now(), time.Time{}) }

// StallBetween plans a stall from one time to another; a zero end means until Resume.
func (s *Server) StallBetween(from, to time.Time) { s.gate.add(window{from, to}) }

// Resume ends all stalls, also planned ones.
func (s *Server) Resume() { s.gate.clear() }

// CloseAll closes the open connections; new ones are accepted.
func (s *Server) CloseAll() { s.drop(false) }

// ResetAll closes the open connections with a TCP reset.
func (s *Server) ResetAll() { s.drop(true) }

func (s *Server) drop(reset bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		c.close(reset)
	}
}

// Close stops the server and waits for all of its goroutines. A second call does nothing.
func (s *Server) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	s.mu.Unlock()
	close(s.gate.closed)
	var err error
	if s.listener != nil {
		err = s.listener.Close()
	}
	s.CloseAll()
	s.wg.Wait()
	return err
}

// Stats returns the counts so far.
func (s *Server) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.stats
	st.Open = len(s.conns)
	return st
}

// Records returns what the server remembers of commands, in the order of their replies.
func (s *Server) Records() []Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.records)
}

// Logins returns the successful logins, the latest last; at most 100,000 are kept.
func (s *Server) Logins() []Login {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.logins)
}

const maxLogins = 100_000

func (s *Server) loggedIn(l Login) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stats.Logins++
	if len(s.logins) < maxLogins {
		s.logins = append(s.logins, l)
	}
	if l.Full {
		s.cached[l.User] = true
	}
}

func (s *Server) denied() {
	s.mu.Lock()
	s.stats.Denied++
	s.mu.Unlock()
}

// remembers reports whether the hash of a user is in caching_sha2_password's memory.
func (s *Server) remembers(user string) bool {
	switch s.opts.Cache {
	case CacheAlways:
		return true
	case CacheNever:
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cached[user]
}

// record counts a command and remembers it.
func (s *Server) record(r Record, failed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Command == wire.ComQuery || r.Command == wire.ComStmtExecute {
		s.stats.Queries++
	}
	if failed {
		s.stats.Errors++
	}
	if len(s.records) >= s.opts.Records {
		s.stats.RecordsDropped++
		return
	}
	s.records = append(s.records, r)
}

// window is a time without answers.
type window struct{ from, to time.Time } // to zero: no end

// gate holds replies back.
type gate struct {
	closed chan struct{} // closed with the server

	mu      sync.Mutex
	windows []window
	changed chan struct{} // closed and replaced when windows change
}

func (g *gate) add(w window) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.windows = append(g.windows, w)
	g.notify()
}

func (g *gate) clear() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.windows = nil
	g.notify()
}

// notify wakes those who wait; mu is held.
func (g *gate) notify() {
	close(g.changed)
	g.changed = make(chan struct{})
}

// until returns when the stall at time t ends: ok is false when there is none; the zero time means that only a
// change can end it.
func (g *gate) until(t time.Time) (end time.Time, changed <-chan struct{}, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, w := range g.windows {
		if t.Before(w.from) || !w.to.IsZero() && !t.Before(w.to) {
			continue
		}
		if w.to.IsZero() {
			return time.Time{}, g.changed, true
		}
		if !ok || w.to.After(end) {
			end, ok = w.to, true
		}
	}
	return end, g.changed, ok
}

// pass waits until there is no stall. It returns false when the server or the connection (gone) has ended.
func (g *gate) pass(gone <-chan struct{}) bool {
	for {
		end, changed, stalled := g.until(time.Now())
		if !stalled {
			return true
		}
		var timer <-chan time.Time
		if !end.IsZero() {
			timer = time.After(time.Until(end))
		}
		select {
		case <-timer:
		case <-changed:
		case <-gone:
			return false
		case <-g.closed:
			return false
		}
	}
}

// sleep waits, and returns false when the server has ended.
func (g *gate) sleep(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-g.closed:
		return false
	}
}
