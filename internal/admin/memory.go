package admin

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"deltabench/internal/evidence"
)

// Memory is what a server's settings were before something was changed. It is written to a file, and has no secrets.
type Memory struct {
	Variables evidence.Snapshot `json:"variables"`
	Settings  evidence.Snapshot `json:"settings"`
}

// Remember returns the settings of now.
func (s *Server) Remember(ctx context.Context) (*Memory, error) {
	v, err := s.Variables(ctx)
	if err != nil {
		return nil, err
	}
	settings, err := s.Settings(ctx)
	return &Memory{v, settings}, err
}

// PutBack sets what differs from a memory back to what it was, as far as it can be set, and returns what that was, a text for each.
// Variables that the server changes by itself are read-only or take no value; they stay.
func (s *Server) PutBack(ctx context.Context, m *Memory) ([]string, error) {
	now, err := s.Remember(ctx)
	if err != nil {
		return nil, err
	}
	var done []string
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(m.Variables)) {
		before, after := m.Variables[name], now.Variables[name]
		if _, there := now.Variables[name]; !there || before == after || changesItself(name) {
			continue
		}
		_, err := s.db.ExecContext(ctx, "SET GLOBAL "+quoted(name)+" = "+literal(before))
		switch {
		case err == nil:
			done = append(done, fmt.Sprintf("%s: %s -> %s", name, orEmpty(after), orEmpty(before)))
		case !readOnly(err):
			errs = append(errs, s.wrap("put "+name+" back to "+orEmpty(before), err))
		}
	}
	texts, err := s.putBackSettings(ctx, m.Settings, now.Settings)
	return append(done, texts...), errors.Join(append(errs, err)...)
}

// changesItself reports whether the server itself changes a variable all the time.
func changesItself(name string) bool {
	return strings.HasPrefix(name, "gtid_") || slices.Contains([]string{"timestamp", "last_gtid", "innodb_buffer_pool_load_now", "innodb_buffer_pool_dump_now", "rand_seed1", "rand_seed2", "identity", "insert_id", "last_insert_id"}, name)
}

// putBackSettings sets consumers and instruments back.
func (s *Server) putBackSettings(ctx context.Context, before, now evidence.Snapshot) ([]string, error) {
	var done []string
	var errs []error
	// Instruments are hundreds: one statement for each pair of values.
	groups := map[string][]any{}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		was, is := before[name], now[name]
		if is == "" || was == is {
			continue
		}
		kind, rest, _ := strings.Cut(name, "/")
		groups[kind+"="+was] = append(groups[kind+"="+was], rest)
	}
	for _, group := range slices.Sorted(maps.Keys(groups)) {
		kind, value, _ := strings.Cut(group, "=")
		names := groups[group]
		marks := strings.TrimSuffix(strings.Repeat("?,", len(names)), ",")
		enabled, timed, hasTimed := strings.Cut(value, ",")
		query, args := "UPDATE performance_schema.setup_consumers SET ENABLED = ? WHERE NAME IN ("+marks+")", append([]any{enabled}, names...)
		if kind == "instrument" {
			query, args = "UPDATE performance_schema.setup_instruments SET ENABLED = ?, TIMED = ? WHERE NAME IN ("+marks+")", append([]any{enabled, sql.NullString{String: timed, Valid: hasTimed && timed != ""}}, names...)
		}
		if _, err := s.db.ExecContext(ctx, query, args...); err != nil {
			errs = append(errs, s.wrap("put performance_schema's settings back", err))
			continue
		}
		done = append(done, fmt.Sprintf("performance_schema: %d %ss -> %s", len(names), kind, value))
	}
	return done, errors.Join(errs...)
}
