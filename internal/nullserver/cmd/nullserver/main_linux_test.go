package main

import (
	"bytes"
	"context"
	"database/sql"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	_ "github.com/go-sql-driver/mysql"
)

func TestRun(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		args    []string
		network string
	}{
		{"tcp", []string{"-loops", "2", "-cpus", "0", "-delay", "1ms", "-jitter", "1ms"}, "tcp"},
		{"unix", []string{"-mysql", "-no-deprecate-eof", "-listen", filepath.Join(t.TempDir(), "s")}, "unix"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			r, w := io.Pipe()
			code := make(chan int, 1)
			go func() {
				code <- run(ctx, append(tt.args, "-stats", "-range-rows", "7"), w, io.Discard)
				w.Close()
			}()
			line := make([]byte, 200)
			n, err := r.Read(line)
			if err != nil {
				t.Fatal(err)
			}
			addr, ok := strings.CutPrefix(strings.TrimSpace(string(line[:n])), "listening on ")
			if !ok {
				t.Fatalf("output %q, want the address", line[:n])
			}
			db, err := sql.Open("mysql", "u:p@"+tt.network+"("+addr+")/x")
			if err != nil {
				t.Fatal(err)
			}
			rows, err := db.Query("SELECT c FROM t WHERE id BETWEEN ? AND ?", 1, 2)
			if err != nil {
				t.Fatal(err)
			}
			count := 0
			for rows.Next() {
				count++
			}
			if err := rows.Err(); err != nil || count != 7 {
				t.Errorf("%d rows, error %v, want 7", count, err)
			}
			rows.Close()
			db.Close()
			cancel()
			rest, err := io.ReadAll(r)
			if err != nil || !regexp.MustCompile(`^connections: 1\nqueries: 1\n$`).Match(rest) {
				t.Errorf("output at the end %q, error %v", rest, err)
			}
			if c := <-code; c != 0 {
				t.Errorf("exit code %d", c)
			}
		})
	}
}

func TestRunErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"-nonsense"}, 2, "-nonsense"},
		{[]string{"extra"}, 2, `"extra"`},
		{[]string{"-cpus", "0,x"}, 2, `"x" is not a CPU number`},
		{[]string{"-cpus", "4000"}, 1, "CPU 4000"},
		{[]string{"-delay", "-1s"}, 1, "must not be negative"},
		{[]string{"-listen", "127.0.0.1:99999"}, 1, "99999"},
	} {
		var out, errs bytes.Buffer
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if code := run(ctx, tt.args, &out, &errs); code != tt.code || !strings.Contains(errs.String(), tt.want) {
			t.Errorf("%v: exit code %d, %q; want %d, %q", tt.args, code, errs.String(), tt.code, tt.want)
		}
	}
}
