package embedded

import (
	"context"

	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
)

// handler is the engine's handler of commands with MySQL's errors.
type handler struct{ mysql.Handler }

// ComQuery executes a statement.
func (h handler) ComQuery(ctx context.Context, c *mysql.Conn, query string, callback mysql.ResultSpoolFn) error {
	return asMySQL(query, h.Handler.ComQuery(ctx, c, query, callback))
}

// ComMultiQuery executes the first of several statements.
func (h handler) ComMultiQuery(ctx context.Context, c *mysql.Conn, query string, callback mysql.ResultSpoolFn) (string, error) {
	rest, err := h.Handler.ComMultiQuery(ctx, c, query, callback)
	return rest, asMySQL(query, err)
}

// ComPrepare prepares a statement.
func (h handler) ComPrepare(ctx context.Context, c *mysql.Conn, query string, prepare *mysql.PrepareData) ([]*querypb.Field, error) {
	fields, err := h.Handler.ComPrepare(ctx, c, query, prepare)
	return fields, asMySQL(query, err)
}

// ComStmtExecute executes a prepared statement.
func (h handler) ComStmtExecute(ctx context.Context, c *mysql.Conn, prepare *mysql.PrepareData, callback func(*sqltypes.Result) error) error {
	return asMySQL(prepare.PrepareStmt, h.Handler.ComStmtExecute(ctx, c, prepare, callback))
}
