package sqldb

import (
	"errors"
	"io"
	"strings"
	"testing"

	"deltabench/internal/textlog"
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
		b, err := NewBulk(q, nil, prefix)
		if err != nil {
			t.Fatal(err)
		}
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

func TestBulkTooLong(t *testing.T) {
	var out strings.Builder
	log := textlog.New(&out, textlog.Notice)
	q := &queries{}
	if _, err := NewBulk(q, log, strings.Repeat("y", BulkSize)); err == nil || err.Error() != "db_bulk_insert_init() failed" {
		t.Errorf("prefix: got %v", err)
	}
	b, err := NewBulk(q, log, strings.Repeat("y", BulkSize-1))
	if err != nil {
		t.Error("a prefix that just fits is refused")
	}
	if err := b.Done(); err != nil || len(q.lengths) != 0 {
		t.Errorf("without rows: got %v and %d queries, want none", err, len(q.lengths))
	}
	b, _ = NewBulk(q, log, "P")
	if err := b.Next(row(BulkSize - 2)); err != nil {
		t.Errorf("a row that just fits: %v", err)
	}
	if err := b.Next(row(BulkSize - 1)); err == nil || err.Error() != "db_bulk_insert_next() failed" {
		t.Errorf("row: got %v", err)
	}
	if want := "FATAL: Query length exceeds the maximum value (524288), aborting\n"; out.String() != want {
		t.Errorf("log is %q, want %q once, repetitions pending", out.String(), want)
	}
}

func TestBulkErrors(t *testing.T) {
	cause := &Error{Code: 1213, State: "40001", Message: "Deadlock"}
	for _, c := range []struct {
		name string
		err  error
	}{
		{"fatal", cause},
		{"ignored by others", &Restart{Err: cause}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, err := NewBulk(&queries{err: c.err}, textlog.New(io.Discard, textlog.Notice), "P")
			if err != nil {
				t.Fatal(err)
			}
			if err := b.Next(row(10)); err != nil {
				t.Fatal(err)
			}
			err = b.Done()
			var e *Error
			if err == nil || err.Error() != "db_bulk_insert_done() failed" || !errors.As(err, &e) || e != cause {
				t.Errorf("got %v", err)
			}
			if Restartable(err) {
				t.Error("the error asks for a restart")
			}
		})
	}
	b, _ := NewBulk(&queries{err: ErrInterrupted}, nil, "P")
	_ = b.Next(row(10))
	if err := b.Done(); !errors.Is(err, ErrInterrupted) {
		t.Errorf("interrupted: got %v", err)
	}
}
