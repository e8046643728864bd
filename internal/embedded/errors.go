package embedded

import (
	"context"
	"errors"
	"strings"

	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
)

// Codes of MySQL that the engine does not know.
const (
	codeTableExists     = 1050
	codeUnknownError    = 1105
	codeLockWaitTimeout = 1205
)

// duplicateEntry begins MySQL's message of error 1062.
const duplicateEntry = "Duplicate entry '"

func lockTimeout() error {
	return mysql.NewSQLError(codeLockWaitTimeout, "HY000", "Lock wait timeout exceeded; try restarting transaction")
}

// handler is the engine's handler of commands with MySQL's errors. What it embeds are the abilities of the engine's.
type handler struct{ mysql.Handler }

// ComQuery executes a statement.
func (h handler) ComQuery(ctx context.Context, c *mysql.Conn, query string, callback mysql.ResultSpoolFn) error {
	return asMySQL(h.Handler.ComQuery(ctx, c, query, callback))
}

// ComMultiQuery executes the first of several statements.
func (h handler) ComMultiQuery(ctx context.Context, c *mysql.Conn, query string, callback mysql.ResultSpoolFn) (string, error) {
	rest, err := h.Handler.ComMultiQuery(ctx, c, query, callback)
	return rest, asMySQL(err)
}

// ComPrepare prepares a statement.
func (h handler) ComPrepare(ctx context.Context, c *mysql.Conn, query string, prepare *mysql.PrepareData) ([]*querypb.Field, error) {
	fields, err := h.Handler.ComPrepare(ctx, c, query, prepare)
	return fields, asMySQL(err)
}

// ComStmtExecute executes a prepared statement.
func (h handler) ComStmtExecute(ctx context.Context, c *mysql.Conn, prepare *mysql.PrepareData, callback func(*sqltypes.Result) error) error {
	return asMySQL(h.Handler.ComStmtExecute(ctx, c, prepare, callback))
}

// asMySQL gives errors the codes and words that MySQL has for them. By the time an error gets here the engine has made
// a code and a text of it, so the text is all there is to go by.
func asMySQL(err error) error {
	var e *mysql.SQLError
	if !errors.As(err, &e) {
		return err
	}
	text := e.Message
	switch {
	case e.Num == mysql.ERDupEntry:
		if i := strings.Index(text, duplicateEntry); i >= 0 {
			// The engine puts the key in brackets.
			return mysql.NewSQLError(e.Num, mysql.SSDupKey, "%s", strings.TrimSuffix(text[i:], "]"))
		}
	case e.Num == codeUnknownError && strings.HasPrefix(text, "table with name ") && strings.HasSuffix(text, " already exists"):
		name := strings.TrimSuffix(strings.TrimPrefix(text, "table with name "), " already exists")
		return mysql.NewSQLError(codeTableExists, "42S01", "Table '%s' already exists", name)
	}
	return err
}
