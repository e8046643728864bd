// Package admin is the administrative side of a server: its settings and counters, checks of data, and putting back what was
// changed. It uses database/sql with an independent client: nothing here is measured.
package admin

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"

	"deltabench/internal/evidence"
)

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
		if name = strings.ToLower(name); !secret(name) {
			out[name] = value
		}
	}
	return out, nil
}

// publicNames begin the names of variables that only look as if they held a password: rules for passwords.
var publicNames = []string{
	"validate_password", "simple_password_check", "cracklib_password_check", "password_", "old_passwords", "strict_password_validation",
	"default_password_lifetime", "disconnect_on_expired_password", "max_password_errors", "generated_random_password_length",
	"sha256_password_", "caching_sha2_password_", "mysql_native_password_",
}

// secret reports whether nobody may see the value of a variable.
func secret(name string) bool {
	if strings.HasSuffix(name, "_pwd") || strings.HasSuffix(name, "_token") || strings.HasSuffix(name, "filekey") {
		return true
	}
	begins := func(part string) bool { return strings.HasPrefix(name, part) }
	return (strings.Contains(name, "password") || strings.Contains(name, "passphrase") || strings.Contains(name, "secret")) && !slices.ContainsFunc(publicNames, begins)
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
		if v, err := strconv.ParseFloat(value, 64); err == nil && !math.IsNaN(v) && !math.IsInf(v, 0) {
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

// startQueries ask when the server started. Both numbers are of the same second of the statement, so that their difference is the same
// whenever it is asked: MariaDB's table first, then MySQL's.
var startQueries = []string{
	"SELECT UNIX_TIMESTAMP() - VARIABLE_VALUE AS start FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = 'UPTIME'",
	"SELECT UNIX_TIMESTAMP() - VARIABLE_VALUE AS start FROM performance_schema.global_status WHERE VARIABLE_NAME = 'Uptime'",
}

// StartID names the start of the server: two calls give the same one while it is not restarted. It is the second of the start by the
// server's clock. Accounts that may not ask for it get a time rounded to four seconds, which may differ by one such step.
func (s *Server) StartID(ctx context.Context) (string, time.Time, error) {
	for _, query := range startQueries {
		row, err := s.Row(ctx, query)
		seconds, numErr := strconv.ParseFloat(row["start"], 64)
		if err == nil && numErr == nil && seconds > 0 {
			start := time.Unix(int64(seconds), 0)
			return startID(start), start, nil
		}
	}
	m, err := s.rows2(ctx, "SHOW GLOBAL STATUS LIKE 'Uptime'")
	uptime, numErr := strconv.ParseInt(m["Uptime"], 10, 64)
	if err = errors.Join(err, numErr); err != nil {
		return "", time.Time{}, s.wrap("its uptime", err)
	}
	start := time.Now().Add(-time.Duration(uptime) * time.Second)
	return startID(start.Round(4 * time.Second)), start, nil
}

func startID(start time.Time) string { return start.UTC().Format("2006-01-02T15:04:05Z") }
