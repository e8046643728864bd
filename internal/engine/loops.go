package engine

import (
	"net"
	"sync"
	"time"

	"deltabench/internal/loop"
	"deltabench/internal/measure"
	"deltabench/internal/sqldb"
)

// loops is the executor with a few event loops, each with a coroutine per thread.
type loops struct {
	run   *run
	units []*unit
	wg    sync.WaitGroup
}

// unit is one event loop with its threads. Its fields are used on the loop only, once it runs.
type unit struct {
	run      *run
	loop     *loop.Loop
	blockers []*loopBlocker
	waiting  int // index of the next thread that has not begun its initialisation
	open     bool
	marked   loop.Stats // of the reporter, see mark
}

func newLoops(r *run, n int) (*loops, error) {
	e := &loops{run: r}
	for range n {
		l, err := loop.New(loop.Options{})
		if err != nil {
			return nil, err
		}
		e.units = append(e.units, &unit{run: r, loop: l})
		r.set.Recorders = append(r.set.Recorders, measure.NewRecorder(r.set.Options))
	}
	for i, t := range r.threads {
		u := e.units[i%n]
		t.stats = r.set.Recorders[i%n].Thread()
		b := &loopBlocker{unit: u}
		t.block = b
		index := len(u.blockers)
		u.blockers = append(u.blockers, b)
		u.loop.Go(func(task *loop.Task) {
			b.task = task
			if index >= initSlots && !b.mayInit {
				_ = task.Park() // an interrupt shows in the first call of the initialisation
			}
			t.main()
		})
		u.waiting = min(index+1, initSlots)
	}
	return e, nil
}

func (e *loops) start() {
	for _, u := range e.units {
		e.wg.Go(func() {
			if err := u.loop.Run(); err != nil {
				e.run.fail(err)
			}
		})
	}
}

func (e *loops) release() {
	for _, u := range e.units {
		u.loop.Post(func() {
			u.open = true
			for _, b := range u.blockers {
				if b.task != nil {
					b.task.Unpark()
				}
			}
		})
	}
}

func (e *loops) interrupt() {
	for _, u := range e.units {
		u.loop.Post(func() { u.loop.InterruptAll(sqldb.ErrInterrupted) })
	}
}

func (e *loops) mark() {
	for _, u := range e.units {
		u.marked = u.loop.Stats()
	}
}

// lag is the worst of all loops in each number: the threads of that loop are the ones that are measured wrongly.
func (e *loops) lag() (loop.Stats, bool) {
	var worst loop.Stats
	for i, u := range e.units {
		now := u.loop.Stats()
		s := now.Since(&u.marked)
		if i == 0 || s.BusyShare() > worst.BusyShare() {
			s.LagP99Ns = max(s.LagP99Ns, worst.LagP99Ns)
			worst = s
			continue
		}
		worst.LagP99Ns = max(worst.LagP99Ns, s.LagP99Ns)
	}
	return worst, true
}

func (e *loops) close(wait time.Duration) bool {
	done := make(chan struct{})
	go func() { e.wg.Wait(); close(done) }()
	select {
	case <-done:
		return true
	case <-time.After(wait):
		return false
	}
}

// loopBlocker lets a coroutine wait.
type loopBlocker struct {
	unit    *unit
	task    *loop.Task
	mayInit bool
	last    int64 // time of the last wait that breathe knows of
	parks   uint64
}

func (b *loopBlocker) dial(network, address string, timeout time.Duration) (net.Conn, error) {
	c, err := b.task.Dial(network, address, timeout)
	if err != nil {
		return nil, err
	}
	return c, nil
}

func (b *loopBlocker) sleep(d time.Duration) error { return b.task.Sleep(d) }

func (b *loopBlocker) barrier() {
	u := b.unit
	if u.waiting < len(u.blockers) { // the next thread may initialise
		next := u.blockers[u.waiting]
		u.waiting++
		next.mayInit = true
		if next.task != nil { // else it has not run yet and will see mayInit
			next.task.Unpark()
		}
	}
	for !u.open {
		if err := b.task.Park(); err != nil {
			return
		}
	}
}

// breathe lets the other coroutines of the loop run when this one has not waited for anything in a while:
// a workload without I/O would otherwise keep the loop for itself.
func (b *loopBlocker) breathe(now int64) {
	if p := b.task.Parks(); p != b.parks {
		b.parks, b.last = p, now
		return
	}
	if now-b.last > int64(200*time.Microsecond) {
		_ = b.task.Yield() // an interrupt shows at the next wait
		b.parks, b.last = b.task.Parks(), b.unit.run.now()
	}
}
