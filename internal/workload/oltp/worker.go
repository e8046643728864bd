package oltp

import (
	"errors"
	"strings"

	"deltabench/internal/measure"
	"deltabench/internal/random"
	"deltabench/internal/sqldb"
	"deltabench/internal/textlog"
	"deltabench/internal/workload"
)

// Templates of the columns c and pad.
const (
	cTemplate   = "###########-###########-###########-###########-###########-###########-###########-###########-###########-###########"
	padTemplate = "###########-###########-###########-###########-###########"
)

// program is what threads of a test do: which statements they prepare, and the groups of statements that make
// an event.
type program struct {
	prepare []measure.Kind // in this order, for every table where the statement has one
	event   []group
	// textInsert sends inserts as text, and nothing is prepared (oltp_insert).
	textInsert bool
	// ranges are random points or ranges over sbtest1 with a statement of their own.
	ranges *ranges
}

// group is a number of statements of one kind, all on the same random table.
type group struct {
	kind  measure.Kind // kindDelete: each delete is followed by an insert of the same id, unless alone is set
	times int
	alone bool
}

type run struct {
	setup   workload.Setup
	config  config
	program program
}

// Mode writes nothing: scripts have no mode block.
func (r *run) Mode(*textlog.Log) {}

// Kinds names the kinds of statements.
func (r *run) Kinds() []string { return Kinds() }

// Thread connects and prepares the statements.
func (r *run) Thread(t workload.ThreadContext) (workload.Worker, error) {
	c := &r.config
	w := &worker{
		run: r, thread: t, rng: t.Rand, dist: r.setup.Dist,
		tables: random.Uint32(c.tables), rows: random.Uint32(c.tableSize), rangeAdd: c.rangeSize - 1,
		reconnect: times(c.reconnect),
	}
	if r.program.ranges != nil {
		r.program.ranges.init(w)
	}
	var err error
	if w.conn, err = connect(r.setup, t, r.position(atDriver), r.position(atConnect)); err != nil {
		return nil, err
	}
	if err := w.prepare(); err != nil {
		_ = w.conn.Close()
		return nil, err
	}
	return w, nil
}

// worker is a thread of a run.
type worker struct {
	run    *run
	thread workload.ThreadContext
	rng    *random.Source
	dist   *random.Dist
	conn   sqldb.Conn

	tables, rows uint32
	rangeAdd     float64

	begin, commit sqldb.Stmt
	stmts         [kindCount][]sqldb.Stmt // by table; a single one for random points and ranges
	low, high     uint32                  // segment of random points and ranges

	text           []byte // of c or of a query
	pad            []byte
	reconnect      int // after this many events; 0: never
	sinceReconnect int
}

// paramTypes of the kinds that have parameters.
var paramTypes = [kindCount][]sqldb.ParamType{
	kindPoint:          {sqldb.IntParam},
	kindSimple:         {sqldb.IntParam, sqldb.IntParam},
	kindSum:            {sqldb.IntParam, sqldb.IntParam},
	kindOrder:          {sqldb.IntParam, sqldb.IntParam},
	kindDistinct:       {sqldb.IntParam, sqldb.IntParam},
	kindIndexUpdate:    {sqldb.IntParam},
	kindNonIndexUpdate: {sqldb.StringParam, sqldb.IntParam},
	kindDelete:         {sqldb.IntParam},
	kindInsert:         {sqldb.IntParam, sqldb.IntParam, sqldb.StringParam, sqldb.StringParam},
}

// statements are the texts; sbtest# stands for the table.
var statements = [kindCount]string{
	kindBegin:          "BEGIN",
	kindCommit:         "COMMIT",
	kindPoint:          "SELECT c FROM sbtest# WHERE id=?",
	kindSimple:         "SELECT c FROM sbtest# WHERE id BETWEEN ? AND ?",
	kindSum:            "SELECT SUM(k) FROM sbtest# WHERE id BETWEEN ? AND ?",
	kindOrder:          "SELECT c FROM sbtest# WHERE id BETWEEN ? AND ? ORDER BY c",
	kindDistinct:       "SELECT DISTINCT c FROM sbtest# WHERE id BETWEEN ? AND ? ORDER BY c",
	kindIndexUpdate:    "UPDATE sbtest# SET k=k+1 WHERE id=?",
	kindNonIndexUpdate: "UPDATE sbtest# SET c=? WHERE id=?",
	kindDelete:         "DELETE FROM sbtest# WHERE id=?",
	kindInsert:         "INSERT INTO sbtest# (id, k, c, pad) VALUES (?, ?, ?, ?)",
}

func statement(k measure.Kind, table int) string {
	return strings.Replace(statements[k], "sbtest#", tableName(table), 1)
}

// prepare prepares the statements of the program.
func (w *worker) prepare() error {
	w.conn.SetKind(kindInsert) // of the queries that are not prepared
	if r := w.run.program.ranges; r != nil {
		if err := w.one(&w.stmts[r.kind], r.sql, r.kind, r.params...); err != nil || !r.wrong {
			return err
		}
		w.run.setup.Log.Fatalf("Wrong number of parameters to mysql_stmt_bind_param")
		return nil
	}
	for _, k := range w.run.program.prepare {
		switch k {
		case kindBegin, kindCommit:
			var one []sqldb.Stmt
			if err := w.one(&one, statements[k], k); err != nil {
				return err
			}
			if k == kindBegin {
				w.begin = one[0]
			} else {
				w.commit = one[0]
			}
		default:
			for table := range times(w.run.config.tables) {
				if err := w.one(&w.stmts[k], statement(k, table+1), k, paramTypes[k]...); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// one prepares a statement and appends it to list.
func (w *worker) one(list *[]sqldb.Stmt, text string, k measure.Kind, params ...sqldb.ParamType) error {
	s, err := w.conn.Prepare(text, k, params...)
	if err != nil {
		position := "oltp_common.lua:284"
		if r := w.run.program.ranges; r != nil {
			position = r.preparePosition
		}
		return scriptError(position, "SQL API error", err)
	}
	*list = append(*list, s)
	return nil
}

// Event executes one event. It does not allocate unless something fails or inserts are sent as text.
func (w *worker) Event() error {
	p := &w.run.program
	var err error
	switch {
	case p.ranges != nil:
		err = p.ranges.event(w)
	case p.textInsert:
		err = w.insertText()
	default:
		for i := range p.event {
			if err = w.group(&p.event[i]); err != nil {
				break
			}
		}
	}
	if err != nil || w.reconnect == 0 {
		return err
	}
	return w.checkReconnect()
}

// checkReconnect opens the connection anew after every so many events, statements included.
func (w *worker) checkReconnect() error {
	if w.sinceReconnect++; w.sinceReconnect < w.reconnect {
		return nil
	}
	w.sinceReconnect = 0
	return scriptError("", "", w.conn.Reconnect())
}

// group executes the statements of a group.
func (w *worker) group(g *group) error {
	switch g.kind {
	case kindBegin:
		return w.execute(w.begin, "oltp_common.lua:405")
	case kindCommit:
		return w.execute(w.commit, "oltp_common.lua:409")
	}
	table := int(uniformTable(w.rng, w.tables)) - 1
	for range g.times {
		var err error
		switch g.kind {
		case kindPoint:
			err = w.point(g, table)
		case kindSimple, kindSum, kindOrder, kindDistinct:
			err = w.rangeSelect(g, table)
		case kindIndexUpdate:
			err = w.indexUpdate(table)
		case kindNonIndexUpdate:
			err = w.nonIndexUpdate(table)
		case kindDelete:
			if g.alone {
				err = w.deleteAlone(table)
			} else {
				err = w.deleteInsert(table)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// stmt returns the statement of a kind for a table, counted from 0. It is nil when the table does not exist, that is
// with --tables=0; scripts then index a nil value.
func (w *worker) stmt(k measure.Kind, table int) sqldb.Stmt {
	if uint(table) >= uint(len(w.stmts[k])) {
		return nil
	}
	return w.stmts[k][table]
}

// nilIndex is the error of a script that indexes a statement or parameter that is not there.
func nilIndex(position string) error {
	return &workload.ScriptError{Position: position, Text: "attempt to index a nil value"}
}

func (w *worker) execute(s sqldb.Stmt, position string) error {
	if _, err := s.Execute(); err != nil {
		return scriptError(position, "", err)
	}
	return nil
}

// id draws the id of a row.
func (w *worker) id() uint32 { return w.dist.Default(w.rng, 1, w.rows) }

func (w *worker) point(g *group, table int) error {
	s := w.stmt(g.kind, table)
	if s == nil {
		return nilIndex("oltp_common.lua:417")
	}
	s.SetInt(0, int64(w.id()))
	return w.execute(s, "oltp_common.lua:419")
}

func (w *worker) rangeSelect(g *group, table int) error {
	s := w.stmt(g.kind, table)
	if s == nil {
		return nilIndex("oltp_common.lua:429")
	}
	id := w.id()
	s.SetInt(0, int64(id))
	s.SetInt(1, random.Int64(float64(id)+w.rangeAdd))
	return w.execute(s, "oltp_common.lua:432")
}

func (w *worker) indexUpdate(table int) error {
	s := w.stmt(kindIndexUpdate, table)
	if s == nil {
		return nilIndex("oltp_common.lua:456")
	}
	s.SetInt(0, int64(w.id()))
	return w.execute(s, "oltp_common.lua:458")
}

func (w *worker) nonIndexUpdate(table int) error {
	s := w.stmt(kindNonIndexUpdate, table)
	if s == nil {
		return nilIndex("oltp_common.lua:466")
	}
	w.text = random.AppendTemplate(w.text[:0], w.rng, cTemplate)
	s.SetString(0, w.text)
	s.SetInt(1, int64(w.id()))
	return w.execute(s, "oltp_common.lua:469")
}

func (w *worker) deleteInsert(table int) error {
	del, ins := w.stmt(kindDelete, table), w.stmt(kindInsert, table)
	if del == nil || ins == nil {
		return nilIndex("oltp_common.lua:480")
	}
	id := int64(w.id())
	k := int64(w.id())
	del.SetInt(0, id)
	ins.SetInt(0, id)
	ins.SetInt(1, k)
	w.text = random.AppendTemplate(w.text[:0], w.rng, cTemplate)
	ins.SetString(2, w.text)
	w.text = random.AppendTemplate(w.text[:0], w.rng, padTemplate)
	ins.SetString(3, w.text)
	if err := w.execute(del, "oltp_common.lua:487"); err != nil {
		return err
	}
	return w.execute(ins, "oltp_common.lua:488")
}

func (w *worker) deleteAlone(table int) error {
	s := w.stmt(kindDelete, table)
	if s == nil {
		return nilIndex("oltp_delete.lua:32")
	}
	s.SetInt(0, int64(w.id()))
	return w.execute(s, "oltp_delete.lua:33")
}

// Done closes the statements and the connection. Servers need no answer to that, so errors tell nothing.
func (w *worker) Done() error {
	for k := range w.stmts {
		for _, s := range w.stmts[k] {
			_ = s.Close()
		}
	}
	for _, s := range []sqldb.Stmt{w.begin, w.commit} {
		if s != nil {
			_ = s.Close()
		}
	}
	_ = w.conn.Close()
	return nil
}

// uniformTable draws a table, counted from 1; always uniformly.
func uniformTable(s *random.Source, tables uint32) uint32 { return random.UniformUint32(s, 1, tables) }

// connect opens a connection for a thread or command.
func connect(s workload.Setup, t workload.ThreadContext, driver, connection string) (sqldb.Conn, error) {
	conn, err := s.Driver.Connect(t.Env, t.Stats)
	switch {
	case errors.Is(err, workload.ErrNoDriver):
		return nil, scriptError(driver, workload.ErrNoDriver.Error(), err)
	case err != nil:
		return nil, scriptError(connection, "connection creation failed", err)
	}
	return conn, nil
}

// passThrough reports whether err is for the engine as it is.
func passThrough(err error) bool {
	return err == nil || sqldb.Restartable(err) || errors.Is(err, sqldb.ErrInterrupted)
}
