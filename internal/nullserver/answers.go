package nullserver

import (
	"bytes"
	"fmt"
	"strings"

	"deltabench/internal/wire"
)

// Answers makes up replies from the text of statements, as far as sysbench's bundled workloads (and those of
// its older versions) need it: the columns are read off the select list, the number of rows off the condition.
// Statements that are not understood are answered with OK.
type Answers struct {
	// RangeRows is the number of rows for BETWEEN and for whole tables; 0 means 100, sysbench's --range-size.
	RangeRows int
	// Version is the reply to SELECT VERSION() and the like.
	Version string
}

const defaultRangeRows = 100

// shape is what a reply depends on.
type shape struct {
	kind shapeKind
	list []byte // select list, part of the statement
	rows int
}

type shapeKind uint8

const (
	shapeOK    shapeKind = iota // nothing changes
	shapeWrite                  // one row changes
	shapeRows
)

// Answer returns the reply to a statement, prepared or not.
func (a Answers) Answer(sql []byte) *Reply { return a.reply(a.shape(sql)) }

// all answers a text of several statements.
func (a Answers) all(text string) *Reply {
	var first *Reply
	place := &first
	for _, sql := range splitStatements(text) {
		*place = a.Answer([]byte(sql))
		place = &(*place).Next
	}
	return first
}

// splitStatements splits at the semicolons outside of quotes; a last one ends no statement.
func splitStatements(text string) []string {
	var parts []string
	start := 0
	outside([]byte(text), func(i int, c byte) {
		if c == ';' {
			parts = append(parts, text[start:i])
			start = i + 1
		}
	})
	if rest := text[start:]; len(parts) == 0 || strings.TrimSpace(rest) != "" {
		parts = append(parts, rest)
	}
	return parts
}

// outside calls f for each byte of a statement that is outside of quotes.
func outside(sql []byte, f func(i int, c byte)) {
	quote := byte(0)
	for i := 0; i < len(sql); i++ {
		c := sql[i]
		switch {
		case quote != 0:
			if c == '\\' && quote != '`' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"' || c == '`':
			quote = c
		default:
			f(i, c)
		}
	}
}

// shape reads a statement; it allocates nothing.
func (a Answers) shape(sql []byte) shape {
	sql = bytes.TrimLeft(sql, " \t\r\n(")
	word := 0
	for word < len(sql) && sql[word]|0x20 >= 'a' && sql[word]|0x20 <= 'z' {
		word++
	}
	verb, rest := sql[:word], sql[word:]
	switch {
	case fold(verb, "select"):
	case fold(verb, "insert"), fold(verb, "update"), fold(verb, "delete"), fold(verb, "replace"):
		return shape{kind: shapeWrite}
	case fold(verb, "show"), fold(verb, "explain"), fold(verb, "describe"), fold(verb, "desc"), fold(verb, "values"), fold(verb, "check"), fold(verb, "analyze"), fold(verb, "with"):
		return shape{kind: shapeRows, list: []byte("'value'"), rows: 1}
	default:
		return shape{}
	}
	s := shape{kind: shapeRows, rows: 1}
	list, tail, found := cutFrom(rest)
	s.list = bytes.Trim(list, " \t\r\n;")
	if len(s.list) > 9 && fold(s.list[:8], "distinct") {
		s.list = bytes.TrimLeft(s.list[8:], " \t\r\n")
	}
	if found && !aggregate(s.list) {
		s.rows = a.count(tail)
	}
	return s
}

// fold reports whether word equals lower, whatever its case.
func fold(word []byte, lower string) bool {
	if len(word) != len(lower) {
		return false
	}
	for i := range lower {
		if word[i]|0x20 != lower[i] {
			return false
		}
	}
	return true
}

// cutFrom splits at the first FROM between blanks.
func cutFrom(b []byte) (before, after []byte, found bool) {
	for i := 0; i+6 <= len(b); i++ {
		if b[i] <= ' ' && b[i+5] <= ' ' && b[i+1]|0x20 == 'f' && fold(b[i+1:i+5], "from") {
			return b[:i], b[i+6:], true
		}
	}
	return b, nil, false
}

func aggregate(list []byte) bool {
	for _, f := range []string{"sum(", "count(", "avg(", "min(", "max("} {
		if len(list) >= len(f) && fold(list[:len(f)-1], f[:len(f)-1]) && list[len(f)-1] == '(' {
			return true
		}
	}
	return false
}

// count is the number of rows for what follows FROM.
func (a Answers) count(tail []byte) int {
	ranged := a.RangeRows
	if ranged == 0 {
		ranged = defaultRangeRows
	}
	if contains(tail, " BETWEEN ", " between ") || contains(tail, " LIKE ", " like ") {
		return ranged
	}
	if i := index(tail, " IN (", " in ("); i >= 0 {
		n := 1
		for _, c := range tail[i:] {
			if c == ')' {
				break
			}
			if c == ',' {
				n++
			}
		}
		return n
	}
	if contains(tail, "WHERE", "where") {
		return 1
	}
	return ranged
}

func contains(b []byte, upper, lower string) bool { return index(b, upper, lower) >= 0 }

func index(b []byte, upper, lower string) int {
	if i := bytes.Index(b, []byte(upper)); i >= 0 {
		return i
	}
	return bytes.Index(b, []byte(lower))
}

// reply builds the reply of a shape.
func (a Answers) reply(s shape) *Reply {
	switch s.kind {
	case shapeOK:
		return Affected(0)
	case shapeWrite:
		return Affected(1)
	}
	r := &Reply{}
	var makers []func(row int) []byte
	for _, item := range splitList(string(s.list)) {
		columns, values := a.item(item)
		r.Columns = append(r.Columns, columns...)
		makers = append(makers, values...)
	}
	for row := range s.rows {
		var values [][]byte
		for _, m := range makers {
			values = append(values, m(row))
		}
		r.Rows = append(r.Rows, values)
	}
	return r
}

// splitList splits a select list at its outer commas.
func splitList(list string) []string {
	var items []string
	depth, start := 0, 0
	quote := rune(0)
	for i, c := range list {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"' || c == '`':
			quote = c
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			items = append(items, strings.TrimSpace(list[start:i]))
			start = i + 1
		}
	}
	return append(items, strings.TrimSpace(list[start:]))
}

// maxPacket is the reply to @@max_allowed_packet.
const maxPacket = 64 << 20

// item returns the columns of an item of a select list and what makes their values.
func (a Answers) item(item string) (columns []wire.Column, values []func(row int) []byte) {
	one := func(c wire.Column, f func(row int) []byte) ([]wire.Column, []func(int) []byte) {
		return []wire.Column{c}, []func(int) []byte{f}
	}
	always := func(s string) func(int) []byte { return func(int) []byte { return []byte(s) } }
	low := strings.ToLower(item)
	name := item
	if i := strings.LastIndex(low, " as "); i >= 0 {
		name, low = item[i+4:], low[:i]
	}
	plain := low[strings.LastIndexByte(low, '.')+1:]
	switch {
	case low == "*":
		for _, n := range []string{"id", "k", "c", "pad"} {
			c, f := a.item(n)
			columns, values = append(columns, c...), append(values, f...)
		}
		return columns, values
	case plain == "id", plain == "k":
		return one(Column(name, wire.TypeLong), func(row int) []byte { return itoa(5000 + row) })
	case plain == "c":
		return one(text(name, 120), func(row int) []byte { return digits(row, 10) })
	case plain == "pad":
		return one(text(name, 60), func(row int) []byte { return digits(row, 5) })
	case strings.HasPrefix(low, "sum("):
		return one(Column(name, wire.TypeNewDecimal), always("501234"))
	case strings.HasPrefix(low, "avg("):
		c := Column(name, wire.TypeNewDecimal)
		c.Decimals = 4
		return one(c, always("5012.3400"))
	case strings.HasPrefix(low, "count("):
		return one(Column(name, wire.TypeLongLong), always("100"))
	case strings.HasPrefix(low, "min("), strings.HasPrefix(low, "max("):
		return one(Column(name, wire.TypeLong), always("5000"))
	case low == "@@max_allowed_packet":
		return one(Column(name, wire.TypeLongLong), always(fmt.Sprint(maxPacket)))
	case strings.Contains(low, "version"):
		return one(text(name, 120), always(a.Version))
	case low != "" && strings.Trim(low, "0123456789") == "":
		return one(Column(name, wire.TypeLongLong), always(low))
	case len(item) >= 2 && item[0] == '\'' && strings.IndexByte(item[1:], '\'') == len(item)-2:
		return one(text(name, 120), always(item[1:len(item)-1]))
	}
	return one(text(name, 120), always("value"))
}

// text is a CHAR column of n characters, in latin1 as sysbench's tables have it by default.
func text(name string, n uint32) wire.Column {
	c := Column(name, wire.TypeString)
	c.Charset, c.Length, c.Flags = wire.CharsetLatin1, n, wire.FlagNotNull
	return c
}

// digits is a value of columns c and pad: groups of eleven digits joined by "-", different for each row.
func digits(row, groups int) []byte {
	var b []byte
	n := uint64(row)*2654435761 + 12345678901
	for g := range groups {
		if g > 0 {
			b = append(b, '-')
		}
		n = n*6364136223846793005 + 1442695040888963407
		b = fmt.Appendf(b, "%011d", (n>>20)%100000000000)
	}
	return b
}

// params counts the placeholders of a statement to prepare.
func params(sql []byte) int {
	n := 0
	outside(sql, func(_ int, c byte) {
		if c == '?' {
			n++
		}
	})
	return n
}
