package admin

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/go-sql-driver/mysql"

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

// passes are how often PutBack looks what still differs: a variable that limits another one may come after it in the alphabet.
const passes = 3

// PutBack sets what differs from a memory back to what it was, and returns what that was, a text for each. Variables that nobody can
// set, or that the server changes by itself, stay. One that can be set and does not become what it was is an error.
func (s *Server) PutBack(ctx context.Context, m *Memory) ([]string, error) {
	now, err := s.Remember(ctx)
	if err != nil {
		return nil, err
	}
	var done []string
	texts := map[string]string{} // of variables that were set
	failed := map[string]error{}
	have := now.Variables
	for range passes {
		again := false
		for _, name := range slices.Sorted(maps.Keys(m.Variables)) {
			before := m.Variables[name]
			if after, there := have[name]; !there || before == after || changesItself(name) {
				continue
			}
			err := s.setBack(ctx, name, before)
			if unsettable(err) {
				continue
			}
			again = true
			failed[name] = err // nil: it was set
			texts[name] = fmt.Sprintf("%s: %s -> %s", name, orEmpty(now.Variables[name]), orEmpty(before))
		}
		if !again {
			break
		}
		if have, err = s.Variables(ctx); err != nil {
			return nil, err
		}
	}
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		switch before := m.Variables[name]; {
		case have[name] == before:
			done = append(done, texts[name])
		case failed[name] != nil:
			errs = append(errs, s.wrap("put "+name+" back to "+orEmpty(before), failed[name]))
		default:
			errs = append(errs, fmt.Errorf("%s: put %s back to %s: the server keeps %s", s.address, name, orEmpty(before), orEmpty(have[name])))
		}
	}
	settings, err := s.putBackSettings(ctx, m.Settings, now.Settings)
	return append(done, settings...), errors.Join(append(errs, err)...)
}

// setBack sets a variable to a value that the server has shown. That does not tell whether it takes a text or a number, nor
// whether it was empty or NULL: what the server does not take as one is given as the other.
func (s *Server) setBack(ctx context.Context, name, value string) error {
	set := "SET GLOBAL " + quoted(name) + " = "
	if number.MatchString(value) {
		if _, err := s.db.ExecContext(ctx, set+value); !wrongValue(err) {
			return err
		}
	}
	_, err := s.db.ExecContext(ctx, set+"?", value)
	if value == "" && wrongValue(err) {
		_, err = s.db.ExecContext(ctx, set+"NULL")
	}
	return err
}

// number is what SQL takes as one without quotes.
var number = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)

// Errors of SET GLOBAL.
const (
	erUnknownVariable = 1193
	erSessionOnly     = 1228
	erWrongValue      = 1231
	erWrongType       = 1232
	erReadOnly        = 1238
	erPrevented       = 1290 // by an option that the server was started with
)

// unsettable reports whether an error says that nobody can set a variable while this server runs.
func unsettable(err error) bool {
	return isOneOf(err, erUnknownVariable, erSessionOnly, erReadOnly, erPrevented)
}

func wrongValue(err error) bool { return isOneOf(err, erWrongValue, erWrongType) }

func isOneOf(err error, numbers ...uint16) bool {
	var m *mysql.MySQLError
	return errors.As(err, &m) && slices.Contains(numbers, m.Number)
}

// selfChanging are variables that the server itself changes all the time, or that do something when they are set.
var selfChanging = []string{
	"gtid_binlog_pos", "gtid_binlog_state", "gtid_current_pos", "gtid_slave_pos", "gtid_executed", "gtid_purged", "gtid_owned", "gtid_next", "last_gtid",
	"timestamp", "identity", "insert_id", "last_insert_id", "rand_seed1", "rand_seed2",
	"innodb_buffer_pool_load_now", "innodb_buffer_pool_dump_now", "innodb_buffer_pool_load_abort",
}

func changesItself(name string) bool { return slices.Contains(selfChanging, name) }

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
		enabled, timed, _ := strings.Cut(value, ",")
		query, args := "UPDATE performance_schema.setup_consumers SET ENABLED = ? WHERE NAME IN ("+marks+")", append([]any{enabled}, names...)
		if kind == "instrument" {
			query, args = "UPDATE performance_schema.setup_instruments SET ENABLED = ?, TIMED = ? WHERE NAME IN ("+marks+")", append([]any{enabled, timed}, names...)
			if timed == "" { // NULL: it cannot be timed
				query, args = "UPDATE performance_schema.setup_instruments SET ENABLED = ? WHERE NAME IN ("+marks+")", append([]any{enabled}, names...)
			}
		}
		if _, err := s.db.ExecContext(ctx, query, args...); err != nil {
			errs = append(errs, s.wrap("put performance_schema's settings back", err))
			continue
		}
		done = append(done, fmt.Sprintf("performance_schema: %d %ss -> %s", len(names), kind, value))
	}
	return done, errors.Join(errs...)
}
