package main

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"deltabench/internal/mariadbtest"
	"deltabench/internal/store"
)

// runTimeout bounds one command line; most take well below a second.
const runTimeout = 60 * time.Second

// stage is where transcripts are executed: a program, a server and a place for working directories.
type stage struct {
	program string              // path of the binary under observation
	first   []string            // arguments in front of those of a transcript
	server  *mariadbtest.Server // nil: transcripts that need one fail
	root    *sql.DB
	dir     string
}

// execute runs the transcript's command line and returns a copy with what came of it.
func (s *stage) execute(t *transcript) (*transcript, error) {
	dir := filepath.Join(s.dir, t.Name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	for name, text := range t.Files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	names := []string{"$DIR", dir}
	conn := ""
	if t.needsServer() {
		if s.server == nil {
			return nil, fmt.Errorf("%s needs a server", t.Name)
		}
		db := "rec_" + strings.NewReplacer("-", "_", ".", "_").Replace(t.Name)
		if _, err := s.root.Exec("CREATE DATABASE " + db); err != nil {
			return nil, err
		}
		defer s.root.Exec("DROP DATABASE " + db) // of no use after the transcript; the server goes as well
		names = append(names, "$SOCKET", s.server.Socket, "$PORT", strconv.Itoa(s.server.Port), "$DB", db, "$PASSWORD", mariadbtest.Password)
		conn = "--mysql-socket=$SOCKET --mysql-user=" + mariadbtest.User + " --mysql-password=$PASSWORD --mysql-db=$DB"
		if err := s.setup(db, t.Setup); err != nil {
			return nil, fmt.Errorf("%s: setup: %w", t.Name, err)
		}
	}
	expand := func(args []string) []string {
		var out []string
		for _, a := range args {
			if a == "$CONN" {
				out = append(out, strings.Fields(conn)...)
			} else {
				out = append(out, a)
			}
		}
		r := strings.NewReplacer(names...)
		for i := range out {
			out[i] = r.Replace(out[i])
		}
		return out
	}
	for _, args := range t.First {
		stdout, stderr, code, err := s.run(t.As, dir, expand(args), nil, "")
		if err != nil || code != 0 {
			return nil, fmt.Errorf("%s: first %v: exit %d, %v\n%s%s", t.Name, args, code, err, stdout, stderr)
		}
	}
	stdout, stderr, code, err := s.run(t.As, dir, expand(t.Args), expand(t.Env), t.Stdin)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.Name, err)
	}
	got := *t
	got.Stdout, got.Stderr, got.Exit = hide(stdout, names), hide(stderr, names), code
	got.Rows, err = s.check(names, t.Check)
	return &got, err
}

// hide is the inverse of expand, in output: longest values first would matter only if one contained another.
func hide(text string, names []string) string {
	for i := 0; i < len(names); i += 2 {
		switch names[i] {
		case "$PASSWORD":
		case "$PORT":
			text = strings.ReplaceAll(text, "port "+names[i+1], "port $PORT")
			text = strings.ReplaceAll(text, ", "+names[i+1]+", ", ", $PORT, ")
		default:
			text = strings.ReplaceAll(text, names[i+1], names[i])
		}
	}
	return text
}

func (s *stage) setup(db string, statements []string) error {
	if len(statements) == 0 {
		return nil
	}
	c, err := s.root.Conn(context.Background())
	if err != nil {
		return err
	}
	defer c.Close()
	for _, text := range append([]string{"USE " + db}, statements...) {
		if _, err := c.ExecContext(context.Background(), text); err != nil {
			return fmt.Errorf("%s: %w", text, err)
		}
	}
	return nil
}

// check executes the statements and returns all their rows as text, columns separated by tabs.
func (s *stage) check(names, statements []string) (string, error) {
	var out strings.Builder
	for _, text := range statements {
		rows, err := s.root.Query(strings.NewReplacer(names...).Replace(text))
		if err != nil {
			return "", fmt.Errorf("check %s: %w", text, err)
		}
		columns, err := rows.Columns()
		if err != nil {
			return "", err
		}
		values := make([]sql.NullString, len(columns))
		into := make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		for rows.Next() {
			if err := rows.Scan(into...); err != nil {
				return "", err
			}
			line := make([]string, len(values))
			for i, v := range values {
				line[i] = v.String
			}
			out.WriteString(hide(strings.Join(line, "\t"), names) + "\n")
		}
		if err := rows.Err(); err != nil {
			return "", err
		}
	}
	return out.String(), nil
}

// run executes the program once. Its environment is only what is given, and a HOME without files. Our face records nothing
// unless the transcript's environment says where.
func (s *stage) run(as, dir string, args, env []string, stdin string) (stdout, stderr string, code int, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), runTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.program)
	cmd.Args = append(append([]string{as}, s.first...), args...)
	cmd.Dir = dir
	cmd.Env = append([]string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), store.PathVariable + "=" + store.None}, env...)
	cmd.Stdin = strings.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && ctx.Err() == nil {
		return out.String(), errs.String(), exit.ExitCode(), nil
	}
	if ctx.Err() != nil {
		err = fmt.Errorf("%v did not end within %s\n%s%s", args, runTimeout, out.String(), errs.String())
	}
	return out.String(), errs.String(), 0, err
}
