package oltp04

import (
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"deltabench/internal/random"
	"deltabench/internal/sqldb"
	"deltabench/internal/textlog"
	"deltabench/internal/workload"
)

type run struct {
	setup  workload.Setup
	config config
	unique atomic.Uint64 // unique ids drawn so far
}

func newRun(s workload.Setup, c config) *run { return &run{setup: s, config: c} }

// Mode writes what will be done, as 0.4 does.
func (r *run) Mode(log *textlog.Log) {
	c := &r.config
	log.Noticef("Doing OLTP test.")
	switch c.mode {
	case modeSimple:
		log.Noticef("Running simple OLTP test")
	case modeComplex:
		log.Noticef("Running mixed OLTP test")
	case modeNontrx:
		log.Noticef("Running non-transactional test")
	case modeSP:
		log.Noticef("Running stored procedure test")
	}
	if c.readOnly {
		log.Noticef("Doing read-only test")
	}
	if c.mode != modeSP {
		switch c.dist.kind {
		case distUniform:
			log.Noticef("Using Uniform distribution")
		case distGaussian:
			log.Noticef("Using Normal distribution (%d iterations)", c.dist.iter)
		case distSpecial:
			log.Noticef("Using Special distribution (%d iterations, %2d pct of values are returned in %d pct cases)", c.dist.iter, c.dist.pct, c.dist.res)
		}
	}
	switch {
	case c.mode != modeComplex:
	case c.skipTrx:
		log.Noticef("Skipping BEGIN/COMMIT")
	case c.transactional:
		log.Noticef(`Using "BEGIN" for starting transactions`)
	default:
		log.Noticef(`Using "LOCK TABLES %s" for starting transactions`, c.lock())
	}
	if c.autoInc {
		log.Noticef("Using auto_inc on the id column")
	} else {
		log.Noticef("Not using auto_inc on the id column")
	}
	if n := r.setup.EventsLimit; n > 0 {
		log.Noticef("Maximum number of requests for OLTP test is limited to %d", n)
	}
}

// Kinds names the kinds of statements.
func (r *run) Kinds() []string { return append([]string(nil), kindNames[:]...) }

// Keys describes the distribution of ids.
func (r *run) Keys() string { return r.config.dist.String() }

// Holds says what each thread keeps on the server.
func (r *run) Holds() workload.Holdings {
	h := workload.Holdings{Tables: 1}
	seen := [kindCount]bool{}
	for _, s := range r.config.steps() {
		if s.kind == kindCall || seen[s.kind] {
			continue
		}
		seen[s.kind] = true
		h.Statements++
		if s.kind == kindBegin {
			h.Optional++ // not every server prepares it
		}
	}
	return h
}

// Thread connects and prepares the statements.
func (r *run) Thread(t workload.ThreadContext) (workload.Worker, error) {
	w := &worker{run: r, thread: t, rng: t.Rand, steps: r.config.steps()}
	if r.config.mode == modeSP {
		w.call = "CALL " + r.config.procedure + "(" + strconv.Itoa(t.ID) + "," + strconv.Itoa(t.Threads) + ")"
	}
	if t.ID == 0 && r.config.mode == modeNontrx && r.config.nontrx == nontrxInsert {
		if err := r.truncate(t); err != nil {
			return nil, err
		}
	}
	var err error
	if w.conn, err = connect(r.setup, t); err != nil {
		return nil, err
	}
	w.conn.SetKind(kindCall)
	w.handles = r.config.handles()
	for _, f := range []func() error{w.open, w.prepare, w.pause} {
		if err := f(); err != nil {
			_ = w.conn.Close()
			return nil, err
		}
	}
	return w, nil
}

// truncate empties the table before a test that inserts; it is not counted.
func (r *run) truncate(t workload.ThreadContext) error {
	t.Stats = nil
	conn, err := connect(r.setup, t)
	if err != nil {
		return err
	}
	defer conn.Close()
	_, err = conn.Query("TRUNCATE TABLE "+r.config.table, nil)
	return databaseError(err)
}

// worker is a thread of a run.
type worker struct {
	run    *run
	thread workload.ThreadContext
	rng    *random.Source
	conn   sqldb.Conn
	steps  []step
	stmts  [kindCount]sqldb.Stmt // nil: to be prepared before use
	call   string                // text of the mode sp
	common int64                 // id that several statements share

	handles   bool   // point selects use a handler
	reopen    bool   // the connection has no handler
	again     bool   // the transaction is executed again with the values it has
	reconnect string // mode of the transaction: never reconnectRandom
}

// id draws an id.
func (w *worker) id() int64 { return w.run.config.dist.draw(w.rng) }

// prepare prepares all statements that are not.
func (w *worker) prepare() error {
	for i := range w.steps {
		if k := w.steps[i].kind; k != kindCall {
			if _, err := w.stmt(&w.steps[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// stmt returns the prepared statement of a step.
func (w *worker) stmt(s *step) (sqldb.Stmt, error) {
	if st := w.stmts[s.kind]; st != nil {
		return st, nil
	}
	st, err := w.conn.Prepare(w.run.config.text(s.kind), s.kind, paramTypes[s.kind]...)
	if err != nil {
		return nil, databaseError(err)
	}
	w.stmts[s.kind] = st
	return st, nil
}

// open opens the handler of the connection where one is used. That is not counted.
func (w *worker) open() error {
	w.reopen = false
	if !w.handles {
		return nil
	}
	text := "HANDLER " + w.run.config.table + " OPEN"
	var err error
	if c, ok := w.conn.(sqldb.Loader); ok {
		_, err = c.Try(text, nil)
	} else {
		_, err = w.conn.Query(text, nil)
	}
	return databaseError(err)
}

// pause waits after a connection has been opened.
func (w *worker) pause() error {
	if d := w.run.config.connectDelay; d > 0 {
		return w.thread.Env.Sleep(time.Duration(d) * time.Microsecond)
	}
	return nil
}

// Event executes a transaction. After an error that restarts it, it is executed again with the same values.
func (w *worker) Event() error {
	if w.reopen {
		if err := w.open(); err != nil {
			return err
		}
	}
	if !w.again {
		w.draw()
	}
	w.again = false
	for i := range w.steps {
		if err := w.execute(&w.steps[i]); err != nil {
			var restart *sqldb.Restart
			if errors.As(err, &restart) {
				w.again, w.reopen = true, restart.Reconnected
			}
			return databaseError(err)
		}
		if w.reconnect == reconnectQuery {
			if err := w.connectAgain(); err != nil {
				return err
			}
		}
	}
	if w.reconnect == reconnectTransaction {
		return w.connectAgain()
	}
	return nil
}

var reconnectModes = [...]string{reconnectSession, reconnectTransaction, reconnectQuery}

// draw draws all values of a transaction.
func (w *worker) draw() {
	if w.reconnect = w.run.config.reconnect; w.reconnect == reconnectRandom {
		w.reconnect = reconnectModes[below(w.rng, uint64(len(reconnectModes)))]
	}
	for i := range w.steps {
		if s := &w.steps[i]; s.draw != nil {
			s.draw(w, s)
		}
	}
}

// execute executes a statement after the pause of a user.
func (w *worker) execute(s *step) error {
	if err := w.think(); err != nil {
		return err
	}
	if s.kind == kindCall {
		_, err := w.conn.Query(w.call, nil)
		return err
	}
	st, err := w.stmt(s)
	if err != nil {
		return err
	}
	switch s.kind {
	case kindBegin, kindCommit:
	case kindSimple, kindSum, kindOrder, kindDistinct:
		st.SetInt(0, s.id)
		st.SetInt(1, s.to)
	case kindNonIndexUpdate:
		st.SetString(0, s.text)
		st.SetInt(1, s.id)
	case kindInsertRow:
		if s.null {
			st.SetNull(0)
		} else {
			st.SetInt(0, s.id)
		}
		st.SetInt(1, s.to)
		st.SetString(2, s.text)
		st.SetString(3, padText)
	default:
		st.SetInt(0, s.id)
	}
	_, err = st.Execute()
	return err
}

var padText = []byte(insertedPad)

// think waits as a user would before a statement.
func (w *worker) think() error {
	c := &w.run.config
	if c.delayMax == 0 {
		return nil
	}
	d := c.delayMin + int(below(w.rng, uint64(c.delayMax-c.delayMin)+1))
	return w.thread.Env.Sleep(time.Duration(d) * time.Microsecond)
}

// connectAgain closes the connection and opens it again. Statements are prepared when they are used next.
func (w *worker) connectAgain() error {
	w.closeStatements()
	if err := w.conn.Reconnect(); err != nil {
		return databaseError(err)
	}
	if err := w.open(); err != nil {
		return err
	}
	return w.pause()
}

func (w *worker) closeStatements() {
	for i, st := range w.stmts {
		if st != nil {
			_ = st.Close() // the server does not answer that
			w.stmts[i] = nil
		}
	}
}

// Done closes the connection.
func (w *worker) Done() error {
	w.closeStatements()
	_ = w.conn.Close()
	return nil
}

// connect opens a connection.
func connect(s workload.Setup, t workload.ThreadContext) (sqldb.Conn, error) {
	if name := s.Driver.Name(); name != "mysql" {
		return nil, fmt.Errorf("--test=%s is for MySQL only, not for %s", Name, name)
	}
	conn, err := s.Driver.Connect(t.Env, t.Stats)
	if err != nil && !errors.Is(err, sqldb.ErrInterrupted) {
		return nil, &failure{"failed to connect to database server!", err}
	}
	return conn, err
}

// failure is an error with a text of its own; the reason is in the log by then.
type failure struct {
	text string
	err  error
}

func (f *failure) Error() string { return f.text }

// Unwrap returns the cause.
func (f *failure) Unwrap() error { return f.err }

// databaseError is what ends a run. Restarts and interruptions do not.
func databaseError(err error) error {
	var f *failure
	if err == nil || sqldb.Restartable(err) || errors.Is(err, sqldb.ErrInterrupted) || errors.As(err, &f) {
		return err
	}
	return &failure{"database error, exiting...", err}
}
