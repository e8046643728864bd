package engine

import (
	"context"
	"errors"
	"net"
	"os"
	"runtime"
	"sync"
	"time"

	"deltabench/internal/loop"
	"deltabench/internal/measure"
	"deltabench/internal/sqldb"
)

// maxShards bounds the recorders of the goroutine executor: a recorder is about a megabyte.
const maxShards = 16

// goroutines is the executor with one goroutine per thread.
type goroutines struct {
	run      *run
	ctx      context.Context // ended by interrupt
	cut      context.CancelFunc
	open     chan struct{} // start barrier
	openOnce sync.Once
	slots    chan struct{}
	wg       sync.WaitGroup
}

func newGoroutines(r *run) (*goroutines, error) {
	g := &goroutines{run: r, open: make(chan struct{}), slots: make(chan struct{}, initSlots)}
	g.ctx, g.cut = context.WithCancel(context.Background())
	shards := min(len(r.threads), maxShards)
	for range shards {
		r.set.Recorders = append(r.set.Recorders, measure.NewRecorder(r.set.Options))
	}
	for i, t := range r.threads {
		t.stats = r.set.Recorders[i%shards].Thread()
		t.block = &goBlocker{exec: g}
	}
	return g, nil
}

func (g *goroutines) start() {
	for _, t := range g.run.threads {
		g.wg.Go(func() {
			select {
			case g.slots <- struct{}{}:
			case <-g.ctx.Done():
			}
			t.main()
		})
	}
}

func (g *goroutines) release() { g.openOnce.Do(func() { close(g.open) }) }

func (g *goroutines) interrupt() {
	g.cut()
	for _, t := range g.run.threads {
		t.block.(*goBlocker).interrupt()
	}
}

func (g *goroutines) mark() {}

func (g *goroutines) lag() (loop.Stats, bool) { return loop.Stats{}, false }

func (g *goroutines) close(wait time.Duration) bool {
	done := make(chan struct{})
	go func() { g.wg.Wait(); close(done) }()
	defer g.cut()
	select {
	case <-done:
		return true
	case <-time.After(wait):
		return false
	}
}

// goBlocker lets a goroutine wait. mu guards what interrupt needs from outside.
type goBlocker struct {
	exec  *goroutines
	timer *time.Timer
	last  int64

	mu    sync.Mutex
	conns []*cutConn
	cut   bool
}

// cutConn is a connection whose blocking calls can be cut short from outside.
type cutConn struct {
	net.Conn
	owner *goBlocker
}

// aLongTimeAgo is a deadline that makes blocked calls return at once.
var aLongTimeAgo = time.Unix(1, 0)

func (b *goBlocker) interrupt() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cut = true
	for _, c := range b.conns {
		_ = c.SetDeadline(aLongTimeAgo) // fails only on closed connections, whose calls return anyway
	}
}

// interrupted turns the error of a call that interrupt has cut short into sqldb.ErrInterrupted.
func (b *goBlocker) interrupted(err error) error {
	if err == nil || !errors.Is(err, os.ErrDeadlineExceeded) && !errors.Is(err, context.Canceled) {
		return err
	}
	if b.exec.ctx.Err() != nil {
		return sqldb.ErrInterrupted
	}
	return err
}

func (b *goBlocker) dial(network, address string, timeout time.Duration) (net.Conn, error) {
	d := net.Dialer{Timeout: timeout}
	c, err := d.DialContext(b.exec.ctx, network, address)
	if err != nil {
		if b.exec.ctx.Err() != nil {
			return nil, sqldb.ErrInterrupted
		}
		return nil, err
	}
	cc := &cutConn{Conn: c, owner: b}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.conns = append(b.conns, cc)
	if b.cut {
		_ = c.SetDeadline(aLongTimeAgo)
	}
	return cc, nil
}

func (c *cutConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	return n, c.owner.interrupted(err)
}

func (c *cutConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	return n, c.owner.interrupted(err)
}

func (c *cutConn) Close() error {
	b := c.owner
	b.mu.Lock()
	for i, o := range b.conns {
		if o == c {
			b.conns = append(b.conns[:i], b.conns[i+1:]...)
			break
		}
	}
	b.mu.Unlock()
	return c.Conn.Close()
}

func (b *goBlocker) sleep(d time.Duration) error {
	if d <= 0 {
		if b.exec.ctx.Err() != nil {
			return sqldb.ErrInterrupted
		}
		return nil
	}
	if b.timer == nil {
		b.timer = time.NewTimer(d)
	} else {
		b.timer.Reset(d)
	}
	select {
	case <-b.timer.C:
		return nil
	case <-b.exec.ctx.Done():
		b.timer.Stop()
		return sqldb.ErrInterrupted
	}
}

func (b *goBlocker) barrier() {
	select {
	case <-b.exec.slots: // the next thread may initialise
	default: // started without a slot, by an interrupt
	}
	<-b.exec.open
}

// breathe lets goroutines that wait for a CPU have it: threads that never block would otherwise run for the
// scheduler's 10 ms at a time, which with more threads than CPUs shows as latency of the others.
func (b *goBlocker) breathe(now int64) {
	if now-b.last > int64(2*time.Millisecond) {
		b.last = now
		runtime.Gosched()
	}
}
