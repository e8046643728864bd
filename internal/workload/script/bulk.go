package script

import (
	"errors"

	"deltabench/internal/sqldb"
	lua "deltabench/internal/third_party/gopher-lua"
)

// Texts of errors of bulk inserts.
const (
	bulkInitFailed = "db_bulk_insert_init() failed"
	bulkNextFailed = "db_bulk_insert_next() failed"
	bulkDoneFailed = "db_bulk_insert_done() failed"
)

// The texts as asserted wants them.
var (
	bulkInitText lua.LValue = lua.LString(bulkInitFailed)
	bulkNextText lua.LValue = lua.LString(bulkNextFailed)
	bulkDoneText lua.LValue = lua.LString(bulkDoneFailed)
)

// bulkInit is connection:bulk_insert_init.
func (d *database) bulkInit(L *lua.LState) int {
	c := d.connOf(L, "bulk_insert_init")
	prefix, ok := L.Get(2).(lua.LString)
	if !ok {
		d.s.notText(L, L.Get(2), sqlFile, 274, "query", "db_bulk_insert_init", 2)
	}
	c.bulkOutcome(L, c.bulkStart(string(prefix)), bulkInitFailed)
	return asserted(L, bulkInitText)
}

// bulkStart begins a bulk insert.
func (c *connection) bulkStart(prefix string) error {
	if c.bulk == nil {
		c.bulk = sqldb.NewBulk(c.conn)
	}
	return c.bulk.Init(prefix)
}

// bulkAdd adds a row.
func (c *connection) bulkAdd(row string) error {
	if c.bulk == nil {
		return sqldb.ErrBulkNotStarted
	}
	return c.bulk.NextString(row)
}

// bulkEnd sends the rest.
func (c *connection) bulkEnd() error {
	if c.bulk == nil {
		return nil
	}
	return c.bulk.Done()
}

// bulkOutcome notes the outcome of a call. Its error has that text, and the log says why.
func (c *connection) bulkOutcome(L *lua.LState, err error, text string) {
	if err != nil {
		c.bulkFailed(L, err)
		raise(L, "%s", text)
	}
}

// bulkFailed notes an error, and logs what is known here only.
func (c *connection) bulkFailed(L *lua.LState, err error) {
	interrupted(L, err)
	log := c.db.s.Script.host.Log
	var e *sqldb.Error
	c.result.valid = false
	c.level, c.errno, c.state, c.message = sqlFatal, 0, "", ""
	switch {
	case errors.Is(err, sqldb.ErrBulkTooLong):
		log.Fatalf("%v", err)
	case errors.Is(err, sqldb.ErrBulkNotStarted):
		log.Alertf("%v", err)
	case c.closed:
		log.Alertf("attempt to use an already closed connection")
	case errors.As(err, &e):
		c.note(e)
	}
}

// bulkNext is connection:bulk_insert_next.
func (d *database) bulkNext(L *lua.LState) int {
	c := d.connOf(L, "bulk_insert_next")
	row, ok := L.Get(2).(lua.LString)
	if !ok {
		d.s.notText(L, L.Get(2), sqlFile, 279, "val", "db_bulk_insert_next", 2)
	}
	c.bulkOutcome(L, c.bulkAdd(string(row)), bulkNextFailed)
	return asserted(L, bulkNextText)
}

// bulkDone is connection:bulk_insert_done.
func (d *database) bulkDone(L *lua.LState) int {
	c := d.connOf(L, "bulk_insert_done")
	c.bulkOutcome(L, c.bulkEnd(), bulkDoneFailed)
	return asserted(L, bulkDoneText)
}
