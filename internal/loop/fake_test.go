package loop

import (
	"errors"
	"sync/atomic"
)

// fake is a poller without descriptors and a clock that moves only when the loop sleeps, or a test says so.
type fake struct {
	now    atomic.Int64
	tokens map[int]uint64
	wants  []Interest // of Add and Mod, in order
	ready  []Event    // to be delivered by the next Wait
	delay  int64      // ns that the clock moves before ready is delivered
	waits  []int64    // timeouts other than 0
	fail   error      // of the next Wait
	woken  atomic.Bool
	closed int
}

var errStuck = errors.New("waiting for ever")

func newFake() *fake {
	f := &fake{tokens: map[int]uint64{}}
	f.now.Store(1e9)
	return f
}

func (f *fake) options() Options { return Options{Poller: f, Clock: f.now.Load} }

func (f *fake) Add(fd int, token uint64, want Interest) error {
	f.tokens[fd] = token
	f.wants = append(f.wants, want)
	return nil
}

func (f *fake) Mod(fd int, token uint64, want Interest) error { return f.Add(fd, token, want) }

func (f *fake) Del(fd int) error {
	delete(f.tokens, fd)
	return nil
}

func (f *fake) Wait(events []Event, timeout int64) (int, error) {
	if f.fail != nil {
		return 0, f.fail
	}
	if timeout != 0 {
		f.waits = append(f.waits, timeout)
	}
	if n := copy(events, f.ready); n > 0 {
		f.ready = f.ready[n:]
		f.now.Add(f.delay)
		return n, nil
	}
	if f.woken.Swap(false) {
		return 0, nil
	}
	if timeout < 0 {
		return 0, errStuck
	}
	f.now.Add(timeout)
	return 0, nil
}

func (f *fake) Wake() error {
	f.woken.Store(true)
	return nil
}

func (f *fake) Close() error {
	f.closed++
	return nil
}
