package sqldb

import (
	"errors"
	"fmt"
	"strconv"
)

// BulkBuffer is the size in bytes of the buffer that sysbench collects bulk inserts in. A statement and
// its terminating zero byte fit in it, which decides how rows are divided into statements.
const BulkBuffer = 524288

// Errors of Bulk. Their texts are sysbench's log lines: FATAL for the first, ALERT for the second.
var (
	ErrBulkTooLong    = errors.New("Query length exceeds the maximum value (" + strconv.Itoa(BulkBuffer) + "), aborting")
	ErrBulkNotStarted = errors.New("attempt to call bulk_insert_next() before bulk_insert_init()")
)

// Bulk collects rows into large INSERT statements, dividing them exactly as sysbench does
// (specification 5.8). It belongs to the thread of its connection.
type Bulk struct {
	conn    Conn
	buf     []byte // prefix and rows
	prefix  int    // length of the prefix
	rows    int    // in buf
	started bool
}

// NewBulk returns a bulk insert over c. Call Init before Next.
func NewBulk(c Conn) *Bulk { return &Bulk{conn: c} }

// Init starts a bulk insert whose statements begin with prefix, such as "INSERT INTO t VALUES". Rows of an
// earlier one that were not sent are forgotten, as in sysbench.
func (b *Bulk) Init(prefix string) error {
	if len(prefix)+1 > BulkBuffer {
		return ErrBulkTooLong
	}
	b.buf = append(b.buf[:0], prefix...)
	b.prefix, b.rows, b.started = len(prefix), 0, true
	return nil
}

// Next adds a row, such as "(1,'x')", after sending what would not fit with it into one statement.
func (b *Bulk) Next(row []byte) error { return add(b, row) }

// NextString is Next.
func (b *Bulk) NextString(row string) error { return add(b, row) }

func add[T []byte | string](b *Bulk, row T) error {
	if !b.started {
		return ErrBulkNotStarted
	}
	if b.rows > 0 && len(b.buf)+1+len(row)+1 > BulkBuffer {
		if err := b.send(); err != nil {
			return err
		}
	}
	if b.rows > 0 {
		b.buf = append(b.buf, ',')
	} else if len(b.buf)+len(row)+1 > BulkBuffer {
		return ErrBulkTooLong
	}
	b.buf = append(b.buf, row...)
	b.rows++
	return nil
}

// Done sends the rest, and ends the bulk insert. Without rows, or without Init, it does nothing.
func (b *Bulk) Done() error {
	b.started = false
	if b.rows == 0 {
		return nil
	}
	return b.send()
}

// send executes what was collected. An ignorable error is a failure here: the rows cannot be collected again.
func (b *Bulk) send() error {
	_, err := b.conn.Query(string(b.buf), nil)
	b.buf, b.rows = b.buf[:b.prefix], 0
	var restart *Restart
	if errors.As(err, &restart) {
		return fmt.Errorf("bulk insert: %w", restart.Err)
	}
	return err
}
