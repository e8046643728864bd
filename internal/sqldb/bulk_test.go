package sqldb

import (
	"errors"
	"strings"
	"testing"
)

// queries is a Conn that keeps the length of each query.
type queries struct {
	Conn
	lengths []int
	last    string
	err     error
}

func (q *queries) Query(text string, _ RowFunc) (Result, error) {
	q.lengths = append(q.lengths, len(text))
	q.last = text
	return Result{}, q.err
}

func row(n int) []byte { return []byte("('" + strings.Repeat("x", n-4) + "')") }

// start returns a bulk insert with a prefix.
func start(t *testing.T, q *queries, prefix string) *Bulk {
	t.Helper()
	b := NewBulk(q)
	if err := b.Init(prefix); err != nil {
		t.Fatal(err)
	}
	return b
}

// The lengths are what sysbench 1.0.20 sent for the same rows.
func TestBulkDivision(t *testing.T) {
	const prefix = "INSERT INTO b VALUES"
	for _, c := range []struct {
		total int // of the first two rows with prefix and comma
		want  [2]int
	}{
		{524285, [2]int{524285, 30}},
		{524286, [2]int{524286, 30}},
		{524287, [2]int{524287, 30}},
		{524288, [2]int{1020, 523298}},
		{524289, [2]int{1020, 523299}},
	} {
		q := &queries{}
		b := start(t, q, prefix)
		for _, r := range [][]byte{row(1000), row(c.total - len(prefix) - 1000 - 1), row(10)} {
			if err := b.Next(r); err != nil {
				t.Fatal(err)
			}
		}
		if err := b.Done(); err != nil {
			t.Fatal(err)
		}
		if len(q.lengths) != 2 || [2]int(q.lengths) != c.want {
			t.Errorf("total %d: statements of %v bytes, want %v", c.total, q.lengths, c.want)
		}
		if !strings.HasPrefix(q.last, prefix+"('x") || !strings.HasSuffix(q.last, "xx')") {
			t.Errorf("total %d: last statement is %.40s…", c.total, q.last)
		}
	}
}

func TestBulkLimits(t *testing.T) {
	q := &queries{}
	if err := NewBulk(q).Init(strings.Repeat("y", BulkBuffer)); !errors.Is(err, ErrBulkTooLong) {
		t.Errorf("prefix: got %v", err)
	}
	b := start(t, q, strings.Repeat("y", BulkBuffer-1))
	if err := b.Done(); err != nil || len(q.lengths) != 0 {
		t.Errorf("without rows: got %v and %d queries, want none", err, len(q.lengths))
	}
	if err := b.Next(row(10)); !errors.Is(err, ErrBulkNotStarted) {
		t.Errorf("after the end: got %v", err)
	}
	b = start(t, q, "P")
	if err := b.Next(row(BulkBuffer - 2)); err != nil {
		t.Errorf("a row that just fits: %v", err)
	}
	if err := b.Next(row(BulkBuffer - 1)); !errors.Is(err, ErrBulkTooLong) {
		t.Errorf("row: got %v", err)
	}
}

func TestBulkErrors(t *testing.T) {
	cause := &Error{Code: 1213, State: "40001", Message: "Deadlock"}
	for _, c := range []struct {
		name      string
		err, want error
	}{
		{"fatal", cause, cause},
		{"ignored by others", &Restart{Err: cause}, cause},
		{"interrupted", ErrInterrupted, ErrInterrupted},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := start(t, &queries{err: c.err}, "P")
			if err := b.Next(row(10)); err != nil {
				t.Fatal(err)
			}
			err := b.Done()
			if !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
			if Restartable(err) {
				t.Error("the error asks for a restart")
			}
		})
	}
}

// Memory for large results is not kept, that for small ones is.
func TestRowsMemory(t *testing.T) {
	r := &Rows{}
	for _, size := range []int{2 * keepRows, 100} {
		r.Row(make([]byte, size))
		if r.Reset(); (cap(r.data) > 0) != (size < keepRows) {
			t.Errorf("after %d bytes %d are kept", size, cap(r.data))
		}
	}
}
