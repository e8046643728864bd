package embedded

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
)

// serve starts a server and returns a pool of connections to it, made by a client that is not ours.
func serve(t testing.TB) *sql.DB {
	t.Helper()
	s, err := Listen(Options{Host: "127.0.0.1", User: "sbtest", Password: "pw", DB: "sbtest"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx) }()
	db := open(t, s, "pw")
	t.Cleanup(func() {
		db.Close()
		cancel()
		if err := <-done; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return db
}

func open(t testing.TB, s *Server, password string) *sql.DB {
	t.Helper()
	db, err := sql.Open("mysql", fmt.Sprintf("sbtest:%s@tcp(127.0.0.1:%d)/sbtest", password, s.Port()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// conn returns one connection, for what belongs to a session.
func conn(t testing.TB, db *sql.DB) *sql.Conn {
	t.Helper()
	c, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

type execer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// exec executes statements that must succeed and returns the rows affected by the last.
func exec(t testing.TB, db execer, queries ...string) int64 {
	t.Helper()
	var n int64
	for _, q := range queries {
		r, err := db.ExecContext(t.Context(), q)
		if err != nil {
			t.Fatalf("%s: %v", q, err)
		}
		n, _ = r.RowsAffected()
	}
	return n
}

// code returns the error number of a statement, 0 for success.
func code(t testing.TB, db execer, query string) int {
	t.Helper()
	_, err := db.ExecContext(t.Context(), query)
	var e *mysql.MySQLError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &e):
		return int(e.Number)
	}
	t.Fatalf("%s: %v", query, err)
	return -1
}

// query returns a result as text: columns separated by commas, rows by spaces, NULL as ~.
func query(t testing.TB, db execer, text string, args ...any) string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), text, args...)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for rows.Next() {
		values := make([]sql.NullString, len(columns))
		to := make([]any, len(columns))
		for i := range values {
			to[i] = &values[i]
		}
		if err := rows.Scan(to...); err != nil {
			t.Fatal(err)
		}
		var row []string
		for _, v := range values {
			if !v.Valid {
				v.String = "~"
			}
			row = append(row, v.String)
		}
		out = append(out, strings.Join(row, ","))
	}
	if err := rows.Err(); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return strings.Join(out, " ")
}
