package sqldb

import "deltabench/internal/wire"

// Rows keeps what a statement of a script returned, until the next one: its first result, with all its rows, and those that
// come after it (several statements in one text, procedures). The memory is used again. The zero value is ready; it belongs
// to the thread of its connection.
type Rows struct {
	data []byte // rows, one after the other, as they came: each value is a length and its bytes, or 0xfb for NULL
	sets []set
	cur  int   // in sets
	next int   // where the next row begins in data
	left int64 // rows of the current result that were not read
}

// set is one result.
type set struct {
	res     Result
	columns int
	start   int // of its rows in data
	err     *Error
}

// keepRows is how many bytes of memory for rows are kept for later statements.
const keepRows = 1 << 20

// Reset forgets everything.
func (r *Rows) Reset() {
	if cap(r.data) > keepRows {
		r.data = nil
	}
	r.data, r.sets = r.data[:0], r.sets[:0]
	r.cur, r.next, r.left = 0, 0, 0
}

// For drivers: results in the order of the server's reply.

// Begin begins a result set whose rows Row adds.
func (r *Rows) Begin(res Result, columns int) {
	r.sets = append(r.sets, set{res: res, columns: columns, start: len(r.data)})
}

// Row adds a row in the encoding of MySQL's text protocol.
func (r *Rows) Row(packet []byte) { r.data = append(r.data, packet...) }

// End ends a result set of n rows.
func (r *Rows) End(n int64) {
	s := &r.sets[len(r.sets)-1]
	s.res.Rows = n
	if len(r.sets) == 1 {
		r.left = n
	}
}

// Add adds a result without rows.
func (r *Rows) Add(res Result) { r.sets = append(r.sets, set{res: res, start: len(r.data)}) }

// Fail adds an error in the place of a result.
func (r *Rows) Fail(err *Error) { r.sets = append(r.sets, set{err: err, start: len(r.data)}) }

// For the script's side.

// Result is the current result; the zero value when there is none.
func (r *Rows) Result() Result {
	if r.cur >= len(r.sets) {
		return Result{}
	}
	return r.sets[r.cur].res
}

// Columns is how many values each row of the current result has; 0 when its rows were not kept.
func (r *Rows) Columns() int {
	if r.cur >= len(r.sets) {
		return 0
	}
	return r.sets[r.cur].columns
}

// Next returns the next row of the current result, nil at its end. NULL is nil. cells is used again, and its elements are
// valid until the next statement.
func (r *Rows) Next(cells [][]byte) ([][]byte, error) {
	n := r.Columns()
	if r.left == 0 || n == 0 {
		return nil, nil
	}
	r.left--
	cells, rest, err := wire.NextTextRow(r.data[r.next:], n, cells)
	if err != nil {
		r.left = 0
		return nil, err
	}
	r.next = len(r.data) - len(rest)
	return cells, nil
}

// Discard forgets the rows of the current result.
func (r *Rows) Discard() { r.left = 0 }

// More reports whether there are results after the current one.
func (r *Rows) More() bool { return r.cur+1 < len(r.sets) }

// NextResult goes to the next result, which must be there. The error is what the server said in its place.
func (r *Rows) NextResult() (Result, *Error) {
	r.cur++
	s := &r.sets[r.cur]
	r.next, r.left = s.start, s.res.Rows
	return s.res, s.err
}
