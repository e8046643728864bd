// Package admin is the administrative side of a server: its settings and counters, checks of data, and putting back what was
// changed. It uses database/sql with an independent client: nothing here is measured.
package admin

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"

	"deltabench/internal/evidence"
)

// Address is how a server is reached. Password is never shown.
type Address struct {
	User, Password string
	Host           string
	Port           int
	Socket         string // instead of host and port
	DB             string // may be empty
	TLS            string // "", DISABLED, PREFERRED, REQUIRED, VERIFY_CA, VERIFY_IDENTITY
}

// String is the address without the password.
func (a Address) String() string {
	if a.Socket != "" {
		return a.User + "@" + a.Socket
	}
	return fmt.Sprintf("%s@%s:%d", a.User, a.Host, a.Port)
}

// connectLimit is how long a login may take.
const connectLimit = 10 * time.Second

// Server is a server that answers. Its methods may be called by several goroutines; settings of a session do not stay from one call
// to the next.
type Server struct {
	db      *sql.DB
	address Address
}

// Open connects to a server. Errors name the address and the reason.
func Open(ctx context.Context, a Address) (*Server, error) {
	c := mysql.NewConfig()
	c.User, c.Passwd, c.DBName, c.Timeout = a.User, a.Password, a.DB, connectLimit
	c.Net, c.Addr = "tcp", fmt.Sprintf("%s:%d", a.Host, a.Port)
	if strings.Contains(a.Host, ":") {
		c.Addr = fmt.Sprintf("[%s]:%d", a.Host, a.Port)
	}
	if a.Socket != "" {
		c.Net, c.Addr = "unix", a.Socket
	}
	c.AllowNativePasswords, c.InterpolateParams = true, true
	c.Logger = log.New(io.Discard, "", 0)
	switch strings.ToUpper(a.TLS) {
	case "REQUIRED", "VERIFY_CA":
		c.TLSConfig = "skip-verify"
	case "VERIFY_IDENTITY":
		c.TLSConfig = "true"
	case "PREFERRED":
		c.TLSConfig = "preferred"
	}
	connector, err := mysql.NewConnector(c)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a, err)
	}
	s := &Server{db: sql.OpenDB(connector), address: a}
	ping, cancel := context.WithTimeout(ctx, connectLimit)
	defer cancel()
	if err := s.db.PingContext(ping); err != nil {
		_ = s.db.Close()
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, fmt.Errorf("no login at %s: %w", a, reason(err))
	}
	return s, nil
}

// Server errors that have an advice.
const (
	erAccessDenied = 1045
	erDBAccess     = 1044
	erBadDB        = 1049
	erTooMany      = 1040
)

// reason adds what to do to an error of a login.
func reason(err error) error {
	var m *mysql.MySQLError
	if !errors.As(err, &m) {
		return err
	}
	switch m.Number {
	case erAccessDenied:
		return fmt.Errorf("%w (the password comes from password_env or password_file)", err)
	case erBadDB:
		return fmt.Errorf("%w (create the schema, or name another one with db)", err)
	}
	return err
}

// NotThere reports whether an error says that nobody listens or the server is starting: it may be there later.
func NotThere(err error) bool {
	var m *mysql.MySQLError
	return err != nil && (!errors.As(err, &m) || m.Number == erTooMany)
}

// Close ends the connections.
func (s *Server) Close() { _ = s.db.Close() }

// Version is the server's version, as it says it.
func (s *Server) Version(ctx context.Context) (string, error) {
	var v string
	err := s.db.QueryRowContext(ctx, "SELECT VERSION()").Scan(&v)
	return v, s.wrap("its version", err)
}

// wrap says what was asked.
func (s *Server) wrap(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %s: %w", s.address, what, err)
}

// rows2 reads two columns of texts.
func (s *Server) rows2(ctx context.Context, query string, args ...any) (map[string]string, error) {
	rows, err := s.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := map[string]string{}
	for rows.Next() {
		var name string
		var value sql.NullString
		if err := rows.Scan(&name, &value); err != nil {
			return nil, err
		}
		out[name] = value.String
	}
	return out, rows.Err()
}

// Variables are all global variables by their names in lower case. Secrets are left out.
func (s *Server) Variables(ctx context.Context) (evidence.Snapshot, error) {
	m, err := s.rows2(ctx, "SHOW GLOBAL VARIABLES")
	if err != nil {
		return nil, s.wrap("SHOW GLOBAL VARIABLES", err)
	}
	out := evidence.Snapshot{}
	for name, value := range m {
		name = strings.ToLower(name)
		if !strings.Contains(name, "password") && !strings.Contains(name, "secret") || strings.HasPrefix(name, "validate_password") || name == "secure_file_priv" {
			out[name] = value
		}
	}
	return out, nil
}

// Settings are the consumers and instruments of performance_schema, as consumer/NAME: YES and instrument/NAME: YES,YES (enabled,
// timed). They are empty where it is off or may not be read.
func (s *Server) Settings(ctx context.Context) (evidence.Snapshot, error) {
	out := evidence.Snapshot{}
	for _, q := range []string{
		"SELECT CONCAT('consumer/', NAME), ENABLED FROM performance_schema.setup_consumers",
		"SELECT CONCAT('instrument/', NAME), CONCAT(ENABLED, ',', COALESCE(TIMED, '')) FROM performance_schema.setup_instruments",
	} {
		m, err := s.rows2(ctx, q)
		var refused *mysql.MySQLError
		if errors.As(err, &refused) {
			return out, nil
		} else if err != nil {
			return nil, s.wrap("performance_schema", err)
		}
		maps.Copy(out, m)
	}
	return out, nil
}

// Status are the global status counters that are numbers, by their names in lower case.
func (s *Server) Status(ctx context.Context) (map[string]float64, error) {
	m, err := s.rows2(ctx, "SHOW GLOBAL STATUS")
	if err != nil {
		return nil, s.wrap("SHOW GLOBAL STATUS", err)
	}
	out := map[string]float64{}
	for name, value := range m {
		if v, err := strconv.ParseFloat(value, 64); err == nil {
			out[strings.ToLower(name)] = v
		}
	}
	return out, nil
}

// Growth is by how much counters grew; those that did not are left out.
func Growth(before, after map[string]float64) map[string]float64 {
	out := map[string]float64{}
	for name, b := range after {
		if a, ok := before[name]; ok && b > a {
			out[name] = b - a
		}
	}
	return out
}

// Exec executes one statement. Errors have its beginning.
func (s *Server) Exec(ctx context.Context, query string) error {
	if _, err := s.db.ExecContext(ctx, query); err != nil {
		return fmt.Errorf("%s: %s: %w", s.address, short(query), err)
	}
	return nil
}

// Row is the first row of a statement's result, by its columns in lower case; empty without one.
func (s *Server) Row(ctx context.Context, query string) (map[string]string, error) {
	rows, err := s.db.QueryContext(ctx, query)
	if err != nil {
		return nil, s.wrap(short(query), err)
	}
	defer rows.Close()
	out := map[string]string{}
	columns, err := rows.Columns()
	if err == nil && rows.Next() {
		values := make([]sql.NullString, len(columns))
		to := make([]any, len(columns))
		for i := range values {
			to[i] = &values[i]
		}
		err = rows.Scan(to...)
		for i, name := range columns {
			out[strings.ToLower(name)] = values[i].String
		}
	}
	if err == nil {
		err = rows.Err()
	}
	return out, s.wrap(short(query), err)
}

// short is a statement on one line of bearable length.
func short(query string) string {
	text := strings.Join(strings.Fields(query), " ")
	if r := []rune(text); len(r) > 80 {
		text = string(r[:77]) + "..."
	}
	return text
}

// DataBytes is the size of the tables and indexes of a schema, as the server estimates it.
func (s *Server) DataBytes(ctx context.Context, schema string) (int64, error) {
	var n sql.NullInt64
	err := s.db.QueryRowContext(ctx, "SELECT SUM(DATA_LENGTH + INDEX_LENGTH) FROM information_schema.TABLES WHERE TABLE_SCHEMA = ?", schema).Scan(&n)
	return n.Int64, s.wrap("size of "+schema, err)
}

// Tables are the names of the base tables of a schema, sorted.
func (s *Server) Tables(ctx context.Context, schema string) ([]string, error) {
	m, err := s.rows2(ctx, "SELECT TABLE_NAME, ENGINE FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_TYPE = 'BASE TABLE'", schema)
	return slices.Sorted(maps.Keys(m)), s.wrap("tables of "+schema, err)
}

func quoted(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

// Rows counts the rows of tables.
func (s *Server) Rows(ctx context.Context, schema string, tables []string) (map[string]int64, error) {
	out := map[string]int64{}
	for _, t := range tables {
		var n int64
		if err := s.db.QueryRowContext(ctx, "SELECT COUNT(*) FROM "+quoted(schema)+"."+quoted(t)).Scan(&n); err != nil {
			return nil, s.wrap("rows of "+t, err)
		}
		out[t] = n
	}
	return out, nil
}

// Checksums are CHECKSUM TABLE of tables.
func (s *Server) Checksums(ctx context.Context, schema string, tables []string) (map[string]string, error) {
	out := map[string]string{}
	for _, t := range tables {
		m, err := s.rows2(ctx, "CHECKSUM TABLE "+quoted(schema)+"."+quoted(t))
		if err != nil {
			return nil, s.wrap("checksum of "+t, err)
		}
		for _, sum := range m {
			out[t] = sum
		}
	}
	return out, nil
}

// StartID names the start of the server: two calls give the same one while it is not restarted. It is the second of the start, which
// servers tell as their uptime.
func (s *Server) StartID(ctx context.Context) (string, time.Time, error) {
	var uptime int64
	var now time.Time
	m, err := s.rows2(ctx, "SHOW GLOBAL STATUS LIKE 'Uptime'")
	if err == nil {
		uptime, err = strconv.ParseInt(m["Uptime"], 10, 64)
		now = time.Now()
	}
	if err != nil {
		return "", time.Time{}, s.wrap("its uptime", err)
	}
	start := now.Add(-time.Duration(uptime) * time.Second)
	return start.UTC().Round(4 * time.Second).Format("2006-01-02T15:04:05Z"), start, nil
}
