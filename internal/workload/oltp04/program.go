package oltp04

import (
	"slices"
	"strings"

	"deltabench/internal/measure"
	"deltabench/internal/sqldb"
)

// step is a statement of a transaction, with values from when it was drawn until the transaction has succeeded.
type step struct {
	kind measure.Kind
	draw func(*worker, *step) // nil: nothing to draw

	id, to int64
	text   []byte
	null   bool // id is NULL
}

// pad of prepared rows, and of those that are inserted later.
const (
	loadedPad   = "qqqqqqqqqqwwwwwwwwwweeeeeeeeeerrrrrrrrrrtttttttttt"
	insertedPad = "aaaaaaaaaaffffffffffrrrrrrrrrreeeeeeeeeeyyyyyyyyyy"
)

// texts of statements; # stands for the table.
var texts = [kindCount]string{
	kindBegin:          "BEGIN",
	kindCommit:         "COMMIT",
	kindPoint:          "SELECT c from # where id=?",
	kindSimple:         "SELECT c from # where id between ? and ?",
	kindSum:            "SELECT SUM(K) from # where id between ? and ?",
	kindOrder:          "SELECT c from # where id between ? and ? order by c",
	kindDistinct:       "SELECT DISTINCT c from # where id between ? and ? order by c",
	kindIndexUpdate:    "UPDATE # set k=k+1 where id=?",
	kindNonIndexUpdate: "UPDATE # set c=? where id=?",
	kindDelete:         "DELETE from # where id=?",
	kindInsert:         "INSERT INTO # values(?,0,' ','" + insertedPad + "')",
	kindSelectPad:      "SELECT pad from # where id=?",
	kindInsertRow:      "INSERT INTO # values(?,?,?,?)",
}

var paramTypes = [kindCount][]sqldb.ParamType{
	kindPoint:          {sqldb.IntParam},
	kindSimple:         {sqldb.IntParam, sqldb.IntParam},
	kindSum:            {sqldb.IntParam, sqldb.IntParam},
	kindOrder:          {sqldb.IntParam, sqldb.IntParam},
	kindDistinct:       {sqldb.IntParam, sqldb.IntParam},
	kindIndexUpdate:    {sqldb.IntParam},
	kindNonIndexUpdate: {sqldb.StringParam, sqldb.IntParam},
	kindDelete:         {sqldb.IntParam},
	kindInsert:         {sqldb.IntParam},
	kindSelectPad:      {sqldb.IntParam},
	kindInsertRow:      {sqldb.IntParam, sqldb.IntParam, sqldb.StringParam, sqldb.StringParam},
}

// text returns the text of a statement.
func (c *config) text(k measure.Kind) string {
	switch {
	case k == kindCall:
		return "CALL " + c.procedure + "(?,?)"
	case k == kindPoint && c.handler:
		return "HANDLER " + c.table + " READ " + c.index() + "=(?)"
	case k == kindPoint && c.allColumns:
		return "SELECT id, k, c, pad from " + c.table + " where id=?"
	case k == kindBegin && !c.transactional:
		return "LOCK TABLES " + c.table + " " + c.lock()
	case k == kindCommit && !c.transactional:
		return "UNLOCK TABLES"
	}
	return strings.Replace(texts[k], "#", c.table, 1)
}

// index names the index of the id.
func (c *config) index() string {
	if c.secondary {
		return "xid"
	}
	return "`PRIMARY`"
}

// handles reports whether a connection needs an open handler.
func (c *config) handles() bool {
	return c.handler && slices.ContainsFunc(c.steps(), func(s step) bool { return s.kind == kindPoint })
}

// lock is the lock that stands for a transaction where the engine has none.
func (c *config) lock() string {
	if c.readOnly {
		return "READ"
	}
	return "WRITE"
}

// steps returns the statements of a transaction in order.
func (c *config) steps() []step {
	var list []step
	add := func(n int, s step) {
		for range n {
			list = append(list, s)
		}
	}
	switch c.mode {
	case modeSP:
		return []step{{kind: kindCall}}
	case modeSimple:
		return []step{{kind: kindPoint, draw: drawID}}
	case modeNontrx:
		return []step{nontrxSteps[c.nontrx]}
	}
	if !c.skipTrx {
		add(1, step{kind: kindBegin})
	}
	if !c.writeOnly {
		add(c.points, step{kind: kindPoint, draw: drawID})
		add(c.simple, step{kind: kindSimple, draw: drawRange})
		add(c.sum, step{kind: kindSum, draw: drawRange})
		add(c.order, step{kind: kindOrder, draw: drawRange})
		add(c.distinct, step{kind: kindDistinct, draw: drawLongRange})
	}
	if !c.readOnly {
		add(c.indexUpdates, step{kind: kindIndexUpdate, draw: drawID})
		add(c.nonIndexUpdates, step{kind: kindNonIndexUpdate, draw: drawText})
		for range c.delInsert {
			add(1, step{kind: kindIndexUpdate, draw: drawCommon})
			add(1, step{kind: kindDelete, draw: useCommon})
			add(1, step{kind: kindInsert, draw: useCommon})
		}
	}
	if !c.skipTrx {
		add(1, step{kind: kindCommit})
	}
	return list
}

var nontrxSteps = map[string]step{
	nontrxSelect:      {kind: kindSelectPad, draw: drawID},
	nontrxUpdateKey:   {kind: kindIndexUpdate, draw: drawID},
	nontrxUpdateNoKey: {kind: kindNonIndexUpdate, draw: drawText},
	nontrxInsert:      {kind: kindInsertRow, draw: drawRow},
	nontrxDelete:      {kind: kindDelete, draw: drawUnique},
}

func drawID(w *worker, s *step) { s.id = w.id() }

// drawCommon draws the id that the statements after it use as well.
func drawCommon(w *worker, s *step) {
	w.common = w.id()
	s.id = w.common
}

func useCommon(w *worker, s *step) { s.id = w.common }

// drawRange shifts ranges that would end behind the table.
func drawRange(w *worker, s *step) {
	c := &w.run.config
	s.id = max(1, min(w.id(), c.size-c.rangeSize))
	s.to = s.id + c.rangeSize - 1
}

// drawLongRange draws a range that is one row longer.
func drawLongRange(w *worker, s *step) {
	drawRange(w, s)
	s.to++
}

func drawText(w *worker, s *step) {
	s.id = w.id()
	s.text = appendNumbers(s.text[:0], w.rng)
}

// drawUnique draws ids that do not repeat until all of the table have been drawn, over all threads.
func drawUnique(w *worker, s *step) {
	n := w.run.unique.Add(1)
	s.id = int64(n*2147483647%uint64(w.run.config.size)) + 1
}

// drawRow draws a row to insert. The specification has its statement only; k and c are as in updates.
func drawRow(w *worker, s *step) {
	if s.null = w.run.config.autoInc; !s.null {
		s.id = int64(w.run.unique.Add(1))
	}
	s.to = w.id()
	s.text = appendNumbers(s.text[:0], w.rng)
}
