package embedded

import (
	"context"
	"errors"
	"sync"
	"time"
)

// lockWait is how long a transaction waits for a row, as innodb_lock_wait_timeout.
const lockWait = 50 * time.Second

// Reasons for not getting a row; see mysqlError for their codes.
var (
	errDeadlock    = errors.New("deadlock found when trying to get lock; try restarting transaction")
	errLockTimeout = errors.New("lock wait timeout exceeded; try restarting transaction")
)

// locks are the row locks of a server: a row that a transaction has written, or read in order to write it, is its
// own until it ends. Readers do not ask.
type locks struct {
	mu   sync.Mutex // guards slot.owner and txn.waitsFor
	wait time.Duration
}

// tryLock makes t the owner of s, unless another transaction is.
func (l *locks) tryLock(t *txn, s *slot) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.take(t, s)
}

func (l *locks) take(t *txn, s *slot) bool {
	if s.owner == nil {
		s.owner = t
		t.slots = append(t.slots, s)
	}
	return s.owner == t
}

// owns reports whether t is the owner of s.
func (l *locks) owns(t *txn, s *slot) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return s.owner == t
}

// lock waits until t owns s. It returns errDeadlock when the owner waits for t, directly or by way of others;
// then t has to be rolled back.
func (l *locks) lock(ctx context.Context, t *txn, s *slot) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var timeout <-chan time.Time
	for !l.take(t, s) {
		// A transaction waits for one other at a time, so the graph of waiting is a set of chains.
		for o := s.owner; o != nil; o = o.waitsFor {
			if o == t {
				return errDeadlock
			}
		}
		t.waitsFor = s.owner
		ended := s.owner.ended
		l.mu.Unlock()
		if timeout == nil {
			timer := time.NewTimer(l.wait)
			defer timer.Stop()
			timeout = timer.C
		}
		var err error
		select {
		case <-ended:
		case <-timeout:
			err = errLockTimeout
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
		l.mu.Lock()
		t.waitsFor = nil
		if err != nil {
			return err
		}
	}
	return nil
}

// release gives all rows of t back and wakes those who wait for them.
func (l *locks) release(t *txn) {
	l.mu.Lock()
	for _, s := range t.slots {
		s.owner = nil
	}
	l.mu.Unlock()
	t.slots = nil
	close(t.ended)
}
