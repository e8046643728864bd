package sqldb

import (
	"errors"

	"deltabench/internal/textlog"
)

// BulkSize is the size of a bulk insert's buffer with its terminating zero byte in C, so that statements
// have at most BulkSize-1 bytes.
const BulkSize = 512 << 10

// Errors of bulk inserts have sysbench's texts. The cause is wrapped.
const (
	bulkInit = "db_bulk_insert_init() failed"
	bulkNext = "db_bulk_insert_next() failed"
	bulkDone = "db_bulk_insert_done() failed"
)

// Bulk bundles rows into INSERT statements that are as long as a buffer allows (specification 5.8). Each one is an
// ordinary query outside of a transaction, so where rows are divided decides how many writes are counted.
// Like its connection it belongs to one thread.
type Bulk struct {
	conn   Conn
	log    *textlog.Log
	buf    []byte
	prefix int // length
	rows   int // in buf
}

// NewBulk starts a bulk insert with a prefix such as "INSERT INTO t(a, b) VALUES". A length that does not fit
// is logged.
func NewBulk(conn Conn, log *textlog.Log, prefix string) (*Bulk, error) {
	if len(prefix) > BulkSize-1 {
		logTooLong(log)
		return nil, &BulkError{text: bulkInit}
	}
	return &Bulk{conn: conn, log: log, buf: append(make([]byte, 0, BulkSize), prefix...), prefix: len(prefix)}, nil
}

// Next adds a row such as "(1, 'x')", which is copied. It sends what is there before when the row does not
// fit any more. Only sending blocks.
func (b *Bulk) Next(row []byte) error {
	if b.rows > 0 && len(b.buf)+1+len(row) > BulkSize-1 {
		if err := b.send(bulkNext); err != nil {
			return err
		}
	}
	if len(b.buf)+len(row) > BulkSize-1 {
		logTooLong(b.log)
		return &BulkError{text: bulkNext}
	}
	if b.rows > 0 {
		b.buf = append(b.buf, ',')
	}
	b.buf = append(b.buf, row...)
	b.rows++
	return nil
}

// Done sends the rest, nothing if there is none.
func (b *Bulk) Done() error {
	if b.rows == 0 {
		return nil
	}
	return b.send(bulkDone)
}

func (b *Bulk) send(what string) error {
	_, err := b.conn.Query(string(b.buf), nil)
	b.buf = b.buf[:b.prefix]
	b.rows = 0
	if err == nil || errors.Is(err, ErrInterrupted) {
		return err
	}
	// Errors that others may ignore are failures here: part of the rows would be missing.
	var r *Restart
	if errors.As(err, &r) {
		err = r.Err
	}
	return &BulkError{text: what, err: err}
}

func logTooLong(log *textlog.Log) {
	log.Fatalf("Query length exceeds the maximum value (%d), aborting", BulkSize)
}

// BulkError is a failed bulk insert.
type BulkError struct {
	text string
	err  error
}

func (e *BulkError) Error() string { return e.text }

// Unwrap returns the cause, nil for rows that are too long.
func (e *BulkError) Unwrap() error { return e.err }
