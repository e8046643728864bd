package embedded

import (
	"context"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/vitess/go/mysql"
)

// session is a connection's state: the engine's, and the transaction. It is used by one goroutine at a time.
type session struct {
	*sql.BaseSession
	locks      *locks
	txn        *txn // begun and not known to be over; nil: none
	autocommit bool // when txn began
	savepoints []savepoint
}

// savepoint is a named mark of the transaction.
type savepoint struct {
	name string
	mark int
}

var (
	_ sql.TransactionSession    = (*session)(nil)
	_ sql.LifecycleAwareSession = (*session)(nil)
)

// newSession is the engine's session builder.
func (s *Server) newSession(_ context.Context, c *mysql.Conn, address string) (sql.Session, error) {
	host := ""
	if user, ok := c.UserData.(sql.MysqlConnectionUser); ok {
		host = user.Host
	}
	base := sql.NewBaseSessionWithClientServer(address, sql.Client{User: c.User, Address: host, Capabilities: c.Capabilities}, c.ConnectionID)
	return &session{BaseSession: base, locks: &s.locks}, nil
}

// transaction returns the transaction of the statement. The engine begins one for every statement.
func transaction(ctx *sql.Context) *txn {
	s := ctx.Session.(*session)
	if s.txn == nil || s.txn.over {
		s.begin(ctx, false)
		ctx.SetTransaction(s.txn)
	}
	return s.txn
}

func (s *session) begin(ctx *sql.Context, readOnly bool) {
	s.txn = newTxn(s.locks, readOnly)
	s.savepoints = nil
	autocommit, err := plan.IsSessionAutocommit(ctx)
	s.autocommit = autocommit || err != nil
}

// StartTransaction begins a transaction.
func (s *session) StartTransaction(ctx *sql.Context, kind sql.TransactionCharacteristic) (sql.Transaction, error) {
	s.drop() // one that the engine has forgotten after an error
	s.begin(ctx, kind == sql.ReadOnly)
	return s.txn, nil
}

// CommitTransaction ends a transaction with its changes.
func (s *session) CommitTransaction(_ *sql.Context, tx sql.Transaction) error {
	if t, ok := tx.(*txn); ok {
		t.commit()
	}
	return nil
}

// Rollback ends a transaction without its changes.
func (s *session) Rollback(_ *sql.Context, tx sql.Transaction) error {
	if t, ok := tx.(*txn); ok {
		t.rollback()
	}
	return nil
}

// drop rolls back what is open.
func (s *session) drop() {
	if s.txn != nil {
		s.txn.rollback()
		s.txn = nil
	}
}

// CreateSavepoint notes the state under a name, which it may have had before.
func (s *session) CreateSavepoint(ctx *sql.Context, tx sql.Transaction, name string) error {
	if s.find(name) >= 0 {
		if err := s.ReleaseSavepoint(ctx, tx, name); err != nil {
			return err
		}
	}
	s.savepoints = append(s.savepoints, savepoint{name, transaction(ctx).mark()})
	return nil
}

// RollbackToSavepoint goes back to a savepoint, which stays.
func (s *session) RollbackToSavepoint(ctx *sql.Context, _ sql.Transaction, name string) error {
	i := s.find(name)
	if i < 0 {
		return sql.ErrSavepointDoesNotExist.New(name)
	}
	transaction(ctx).undoTo(s.savepoints[i].mark)
	s.savepoints = s.savepoints[:i+1]
	return nil
}

// ReleaseSavepoint forgets a savepoint.
func (s *session) ReleaseSavepoint(_ *sql.Context, _ sql.Transaction, name string) error {
	i := s.find(name)
	if i < 0 {
		return sql.ErrSavepointDoesNotExist.New(name)
	}
	s.savepoints = append(s.savepoints[:i], s.savepoints[i+1:]...)
	return nil
}

func (s *session) find(name string) int {
	for i, p := range s.savepoints {
		if strings.EqualFold(p.name, name) {
			return i
		}
	}
	return -1
}

// CommandBegin does nothing.
func (s *session) CommandBegin() error { return nil }

// CommandEnd tidies up after a statement that failed: the engine leaves the transaction of a single statement as it
// is, and does not know that a deadlock has ended one.
func (s *session) CommandEnd() {
	t := s.txn
	if t == nil {
		return
	}
	mine := s.GetTransaction() == sql.Transaction(t)
	switch {
	case t.over && mine:
		s.SetTransaction(nil)
		s.SetIgnoreAutoCommit(false)
		s.txn = nil
	case t.over:
		s.txn = nil
	case !mine || s.autocommit && !s.GetIgnoreAutoCommit():
		s.drop()
		if mine {
			s.SetTransaction(nil)
		}
	}
}

// SessionEnd rolls back what a connection leaves open.
func (s *session) SessionEnd() { s.drop() }

// locking reports whether a statement locks the rows that it reads: those that write, and SELECT … FOR UPDATE.
func locking(query string) bool {
	query = strings.TrimLeft(query, " \t\r\n(")
	for strings.HasPrefix(query, "/*") {
		_, rest, ok := strings.Cut(query, "*/")
		if !ok {
			return false
		}
		query = strings.TrimLeft(rest, " \t\r\n(")
	}
	word := query[:min(len(query), 7)]
	switch {
	case hasPrefixFold(word, "SELECT"):
		const end = "FOR UPDATE"
		query = strings.TrimRight(query, " \t\r\n;")
		return len(query) > len(end) && strings.EqualFold(query[len(query)-len(end):], end)
	case hasPrefixFold(word, "UPDATE"), hasPrefixFold(word, "DELETE"), hasPrefixFold(word, "REPLACE"), hasPrefixFold(word, "INSERT"):
		return true
	}
	return false
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}
