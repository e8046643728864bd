package option

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// fileLine is the longest piece of a config file that is read as one line, in bytes with its newline.
const fileLine = 255

// ParseFile reads a config file (specification 1.8). Nothing is checked: values are stored raw, which
// turns every boolean on that has any value; a name that is not declared becomes an untyped option. A line
// of more than 255 bytes continues as the next line.
func (s *Set) ParseFile(r io.Reader) error {
	br := bufio.NewReader(r)
	for number := 1; ; number++ {
		line, err := readPiece(br)
		if line == "" && err != nil {
			if err == io.EOF {
				return nil
			}
			return fmt.Errorf("read config file: %w", err)
		}
		// C strings end at a zero byte.
		line, _, _ = strings.Cut(line, "\x00")
		name, text, ok := strings.Cut(line, "=")
		if !ok {
			continue
		}
		values, closed := splitValues(text)
		e := s.entries[Key(name)]
		if e == nil {
			e = &entry{Spec: Spec{Name: name, Type: Untyped, NoDefault: true}}
			s.entries[Key(name)] = e
			s.order = append(s.order, e)
		}
		e.values = values
		e.given = true
		if !closed {
			return &QuoteError{Line: number}
		}
	}
}

// QuoteError is a quote without its end; the rest of the file has not been read.
type QuoteError struct{ Line int }

// Error is the line that sysbench prints.
func (e *QuoteError) Error() string { return fmt.Sprintf("unexpected EOL on line %d", e.Line) }

// readPiece reads up to and including a newline, at most fileLine bytes.
func readPiece(br *bufio.Reader) (string, error) {
	var b []byte
	for len(b) < fileLine {
		c, err := br.ReadByte()
		if err != nil {
			return string(b), err
		}
		b = append(b, c)
		if c == '\n' {
			break
		}
	}
	return string(b), nil
}

// splitValues cuts the text right of = into values. Values end at a blank or a comma; a comma where a
// value should start is an empty value; # at the start of a value starts a comment; after a quoted value
// everything up to the next comma is skipped. closed is false when a quote has no end.
func splitValues(text string) (values []string, closed bool) {
	for {
		text = strings.TrimLeft(text, blanks)
		if text == "" || text[0] == '#' {
			return values, true
		}
		if q := text[0]; q == '"' || q == '\'' {
			end := strings.IndexByte(text[1:], q)
			if end < 0 {
				return values, false
			}
			values = append(values, text[1:1+end])
			_, rest, ok := strings.Cut(text[end+2:], ",")
			if !ok {
				return values, true
			}
			text = rest
			continue
		}
		end := strings.IndexAny(text, blanks+",")
		if end < 0 {
			return append(values, text), true
		}
		values = append(values, text[:end])
		text = text[end+1:]
	}
}
