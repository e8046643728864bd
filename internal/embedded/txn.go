package embedded

import (
	"github.com/dolthub/go-mysql-server/sql"
)

// txn is a transaction. It belongs to the goroutine that executes its session's statement, but for the fields
// that locks guards.
//
// Changes are made in place, seen by everybody at once, and undone from a list. A deleted row and old entries of
// indexes stay where they are, invisible, until the transaction ends: so that what may come back keeps its place, and
// whoever wants the same unique key meets the lock.
type txn struct {
	locks    *locks
	readOnly bool
	changes  []change
	slots    []*slot       // locked, each once
	waitsFor *txn          // guarded by locks.mu
	ended    chan struct{} // closed at the end
	over     bool
}

// change is what happened to one row: it was old before, nil for not there.
type change struct {
	slot *slot
	old  sql.Row
}

func newTxn(l *locks, readOnly bool) *txn {
	return &txn{locks: l, readOnly: readOnly, ended: make(chan struct{})}
}

// String names the transaction for the engine.
func (t *txn) String() string { return "transaction" }

// IsReadOnly reports whether the transaction was started READ ONLY.
func (t *txn) IsReadOnly() bool { return t.readOnly }

// mark is a state of the transaction that undoTo goes back to.
func (t *txn) mark() int { return len(t.changes) }

// undoTo takes back the changes made since a mark. Locks stay, as in MySQL.
func (t *txn) undoTo(mark int) {
	for i := len(t.changes) - 1; i >= mark; i-- {
		c := t.changes[i]
		c.slot.data.restore(c.slot, c.old)
	}
	clear(t.changes[mark:])
	t.changes = t.changes[:mark]
}

// commit ends the transaction with its changes.
func (t *txn) commit() {
	if t.over {
		return
	}
	for _, c := range t.changes {
		c.slot.data.forget(c.slot, c.old)
	}
	t.end()
}

// rollback ends the transaction without its changes.
func (t *txn) rollback() {
	if t.over {
		return
	}
	t.undoTo(0)
	t.end()
}

func (t *txn) end() {
	for _, s := range t.slots {
		s.data.settle(s)
	}
	t.over, t.changes = true, nil
	t.locks.release(t)
}
