package load

import (
	"context"
	"fmt"
	"io"

	"deltabench/internal/sqldb"
)

// worker loads spans over a connection of its own.
type worker struct {
	*loader
	ctx     context.Context
	conn    sqldb.Conn
	db      sqldb.Loader
	gen     *generator // may serve others too
	rows    int64      // added
	started bool
}

// fileName is what LOAD DATA statements call the data.
const fileName = "deltabench"

func (w *worker) run() error {
	var err error
	if w.conn, w.db, err = w.connect(w.ctx); err != nil {
		return err
	}
	defer w.conn.Close()
	// No session settings: with unique_checks and foreign_key_checks off, MariaDB 10.11 sorts rows that need no sorting when a
	// table is empty, which takes it twice the CPU and locks the table against other workers.
	for d := range w.gen.out {
		if err := w.span(d); err != nil {
			return err
		}
	}
	if w.ctx.Err() != nil {
		return sqldb.ErrInterrupted
	}
	return nil
}

// span loads a span.
func (w *worker) span(d spanData) error {
	j := d.job
	if err := w.create(j); err != nil {
		return err
	}
	w.progress.table(j.t.Name)
	in := &stream{worker: w, pieces: d.pieces}
	if err := in.next(); err != nil {
		return err
	}
	if j.rows() > 0 {
		there, err := w.lookAgain(j)
		if err != nil {
			return err
		}
		if there {
			err = in.skip()
		} else {
			w.started = true
			err = w.load(j, in)
		}
		if err != nil {
			return fmt.Errorf("load rows %d to %d of %s: %w", j.first, j.last, j.t.Name, err)
		}
	}
	if w.schedule.done(j.t) && (!w.IndexBefore || j.t.exists) {
		return w.makeIndex(j.t)
	}
	return nil
}

// create creates the table, or waits until another worker has.
func (w *worker) create(j job) error {
	if !j.create {
		select {
		case <-j.t.created:
			return nil
		case <-w.ctx.Done():
			return sqldb.ErrInterrupted
		}
	}
	t := j.t
	w.say("Creating table '%s'...", t.Name)
	_, err := w.db.Try(t.Create, nil)
	switch {
	case err == nil:
	case w.Resume && code(err) == errTableExists: // as with indexes, see makeIndex
		t.checked = true
	default:
		return fmt.Errorf("create %s: %w", t.Name, err)
	}
	w.started = true
	if w.IndexBefore {
		if err := w.makeIndex(t); err != nil {
			return err
		}
	}
	if t.Rows > 0 {
		w.say("Inserting %d records into '%s'", t.Rows, t.Name)
	}
	close(t.created)
	return nil
}

// makeIndex makes the secondary index, if the table is to have one and has none.
func (w *worker) makeIndex(t *table) error {
	if t.IndexName == "" || t.indexed {
		return nil
	}
	w.say("Creating a secondary index on '%s'...", t.Name)
	w.progress.indexing(t.Name)
	w.started = true
	// The server may have been making it still for a client that was killed, when the table was looked at.
	if _, err := w.db.Try(t.Index, nil); err != nil && (!w.Resume || code(err) != errIndexExists) {
		return fmt.Errorf("create the secondary index of %s: %w", t.Name, err)
	}
	return nil
}

// load adds the rows of a span in a transaction.
func (w *worker) load(j job, in *stream) error {
	if _, err := w.db.Try("START TRANSACTION", nil); err != nil {
		return err
	}
	var added uint64
	for {
		var res sqldb.Result
		var err error
		if w.report.Method == Infile {
			res, err = w.db.LoadInfile(loadStatement(j.t.Name, w.Plan.Columns), fileName, in)
		} else {
			res, err = w.db.Try(string(in.piece.data), nil)
		}
		if err != nil {
			return err
		}
		added += res.Affected
		if w.report.Method == Infile || in.piece.end {
			break
		}
		if err := in.next(); err != nil {
			return err
		}
	}
	if added != uint64(j.rows()) {
		// LOAD DATA LOCAL leaves rows out without an error when their keys exist.
		return fmt.Errorf("the server has added %d rows of %d; is another load running?", added, j.rows())
	}
	if _, err := w.db.Try("COMMIT", nil); err != nil {
		return err
	}
	w.rows += j.rows()
	in.release()
	return nil
}

// loadStatement names the character set, as some that a database may have are not allowed here; rows are ASCII.
func loadStatement(table, columns string) string {
	return "LOAD DATA LOCAL INFILE '" + fileName + "' INTO TABLE " + table + " CHARACTER SET latin1 (" + columns + ")"
}

// stream hands the pieces of a span over.
type stream struct {
	*worker
	pieces <-chan piece
	piece  piece // the current one
	taken  int   // bytes of it that were read
}

// Read implements io.Reader over all pieces.
func (s *stream) Read(p []byte) (int, error) {
	for s.taken == len(s.piece.data) {
		if s.piece.end {
			return 0, io.EOF
		}
		if err := s.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, s.piece.data[s.taken:])
	s.taken += n
	return n, nil
}

// next takes the next piece.
func (s *stream) next() error {
	s.release()
	p, ok := <-s.pieces
	if !ok {
		return sqldb.ErrInterrupted
	}
	s.piece, s.taken = p, 0
	return nil
}

// skip takes all pieces of the span.
func (s *stream) skip() error {
	for !s.piece.end {
		if err := s.next(); err != nil {
			return err
		}
	}
	s.release()
	return nil
}

// release gives the buffer of the current piece back and counts its rows as done.
func (s *stream) release() {
	if s.piece.data == nil {
		return
	}
	s.progress.add(s.piece.rows)
	select {
	case s.gen.free <- s.piece.data[:0]:
	default:
	}
	s.piece.data, s.piece.rows, s.taken = nil, 0, 0
}
