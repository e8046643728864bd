// Package workloadtest has stand-ins for what workloads run against, for tests only.
package workloadtest

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"deltabench/internal/measure"
	"deltabench/internal/sqldb"
)

// Driver is a sqldb.Driver without a server: everything succeeds, unless Fail says otherwise.
type Driver struct {
	Kind    string // Name(); empty is mysql
	Silent  bool   // nothing is recorded: executing a statement does not allocate
	Journal *Journal
	// Answer may fill in what a statement of a script returns; it is called for the first result of texts and of
	// statements with parameters filled in. Without it, or when it returns false, there are no rows.
	Answer func(text string, rows *sqldb.Rows) bool
	// Fail may return an error for a call: "connect", "prepare", "execute", "query" or "reconnect" with the
	// text of the statement, parameters filled in.
	Fail func(call, text string) error
}

// Journal is what connections did, in order, as lines: "Prepare TEXT", "Execute TEXT" with parameters filled in,
// "Query TEXT", "Close" for a statement. Line ends in texts are written as \n. It is not safe for concurrent use.
type Journal struct {
	Lines []string
	Kinds []measure.Kind // of each line
}

func (j *Journal) add(kind measure.Kind, call, text string) {
	if j != nil {
		if text != "" {
			call += " " + strings.ReplaceAll(text, "\n", `\n`)
		}
		j.Lines = append(j.Lines, call)
		j.Kinds = append(j.Kinds, kind)
	}
}

// Name is Kind.
func (d *Driver) Name() string {
	if d.Kind == "" {
		return "mysql"
	}
	return d.Kind
}

// Connect returns a connection, or Fail's error.
func (d *Driver) Connect(_ sqldb.Env, stats *measure.Thread) (sqldb.Conn, error) {
	if err := d.fail("connect", ""); err != nil {
		return nil, err
	}
	return &conn{driver: d, stats: stats}, nil
}

func (d *Driver) fail(call, text string) error {
	if d.Fail == nil {
		return nil
	}
	return d.Fail(call, text)
}

type conn struct {
	driver *Driver
	stats  *measure.Thread
	kind   measure.Kind
	stored *sqldb.Rows
}

func (c *conn) Query(text string, _ sqldb.RowFunc) (sqldb.Result, error) {
	if !c.driver.Silent {
		c.driver.Journal.add(c.kind, "Query", text)
	}
	if err := c.driver.fail("query", text); err != nil {
		return sqldb.Result{}, err
	}
	class := classOf(text)
	c.stats.Query(class)
	return sqldb.Result{Class: class}, nil
}

func (c *conn) Prepare(text string, kind measure.Kind, params ...sqldb.ParamType) (sqldb.Stmt, error) {
	c.driver.Journal.add(kind, "Prepare", text)
	if err := c.driver.fail("prepare", text); err != nil {
		return nil, err
	}
	if n := strings.Count(text, "?"); n != len(params) {
		return nil, fmt.Errorf("%d parameter types for %d placeholders in %q", len(params), n, text)
	}
	return &stmt{conn: c, text: text, kind: kind, class: classOf(text), types: params, values: make([]value, len(params))}, nil
}

func (c *conn) SetKind(kind measure.Kind) { c.kind = kind }

func (c *conn) Reconnect() error {
	c.driver.Journal.add(0, "Reconnect", "")
	if err := c.driver.fail("reconnect", ""); err != nil {
		return err
	}
	c.stats.Reconnect()
	return nil
}

func (c *conn) Close() error {
	c.driver.Journal.add(0, "Quit", "")
	return nil
}

func (c *conn) Transport() sqldb.Transport { return sqldb.Transport{Network: "fake"} }

// classOf guesses what a server would answer.
func classOf(text string) measure.Class {
	switch word, _, _ := strings.Cut(strings.TrimSpace(text), " "); word {
	case "SELECT", "ANALYZE":
		return measure.Read
	case "INSERT", "UPDATE", "DELETE":
		return measure.Write
	}
	return measure.Other
}

type value struct {
	set  bool
	null bool
	i    int64
	f    float64
	s    []byte
}

type stmt struct {
	conn   *conn
	text   string
	kind   measure.Kind
	class  measure.Class
	types  []sqldb.ParamType
	values []value
	closed bool
}

func (s *stmt) value(i int, t sqldb.ParamType) *value {
	if s.types[i] != t {
		panic(fmt.Sprintf("parameter %d of %q has another type", i, s.text))
	}
	v := &s.values[i]
	v.set, v.null = true, false
	return v
}

func (s *stmt) SetInt(i int, v int64)      { s.value(i, sqldb.IntParam).i = v }
func (s *stmt) SetDouble(i int, v float64) { s.value(i, sqldb.DoubleParam).f = v }
func (s *stmt) SetString(i int, v []byte) {
	x := s.value(i, sqldb.StringParam)
	x.s = append(x.s[:0], v...)
}
func (s *stmt) SetNull(i int) { s.values[i] = value{set: true, null: true} }

func (s *stmt) Execute() (sqldb.Result, error) {
	d := s.conn.driver
	if s.closed {
		return sqldb.Result{}, fmt.Errorf("%q is closed", s.text)
	}
	if !d.Silent || d.Fail != nil {
		text := s.filled()
		d.Journal.add(s.kind, "Execute", text)
		if err := d.fail("execute", text); err != nil {
			return sqldb.Result{}, err
		}
	}
	s.conn.stats.Query(s.class)
	return sqldb.Result{Class: s.class}, nil
}

func (s *stmt) Close() error {
	s.closed = true
	s.conn.driver.Journal.add(s.kind, "Close", "")
	return nil
}

// filled returns the text with parameters in place.
func (s *stmt) filled() string {
	var b strings.Builder
	i := 0
	for _, c := range []byte(s.text) {
		if c != '?' {
			b.WriteByte(c)
			continue
		}
		switch v := s.values[i]; {
		case !v.set:
			b.WriteString("<not set>")
		case v.null:
			b.WriteString("NULL")
		case s.types[i] == sqldb.IntParam:
			b.WriteString(strconv.FormatInt(v.i, 10))
		case s.types[i] == sqldb.DoubleParam:
			fmt.Fprintf(&b, "%f", v.f)
		default:
			b.WriteString("'" + string(v.s) + "'")
		}
		i++
	}
	return b.String()
}

// Env returns an environment for threads that talk to nobody.
func Env() sqldb.Env { return sqldb.Blocking{Ctx: context.Background()} }
