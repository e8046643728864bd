// Package optionfile reads the option files of MySQL's and MariaDB's clients (my.cnf): syntax, places, order of reading.
//
// It does not know what options mean. What it accepts was compared with MariaDB's my_print_defaults. Messages
// name files and lines and never quote them: a line may be a password.
package optionfile

import (
	"bytes"
	"fmt"
	"strings"
)

// blanks are what may stand around names and values.
const blanks = " \t\r\v\f"

// kind is what a line of a file says.
type kind int

const (
	isOption     kind = iota
	isInclude         // value is a file
	isIncludeDir      // value is a directory
)

// item is a line that says something.
type item struct {
	kind     kind
	line     int    // from 1
	group    string // of an option
	name     string // of an option, as typed
	value    string
	hasValue bool // an option with a =
}

// syntaxError is a line that cannot be understood.
type syntaxError struct {
	line int
	text string
}

func (e *syntaxError) Error() string { return fmt.Sprintf("line %d: %s", e.line, e.text) }

// parse reads the text of a file. The error is a *syntaxError; the items before it are returned with it.
func parse(text []byte) ([]item, error) {
	var items []item
	group, inGroup := "", false
	number := 0
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	for line := range strings.Lines(string(text)) {
		number++
		line = strings.Trim(line, blanks+"\n")
		switch {
		case line == "", line[0] == '#', line[0] == ';':
		case line[0] == '!':
			it, ok := directive(line)
			if !ok {
				return items, &syntaxError{number, "the directive names nothing to include"}
			}
			if it.value != "" {
				it.line = number
				items = append(items, it)
			}
		case line[0] == '[':
			end := strings.IndexByte(line, ']')
			if end < 0 {
				return items, &syntaxError{number, "a group has no closing bracket"}
			}
			group, inGroup = strings.TrimRight(line[1:end], blanks), true
		case !inGroup:
			return items, &syntaxError{number, "an option stands before the first group"}
		default:
			line = strings.TrimRight(line[:commentStart(line)], blanks)
			name, value, hasValue := strings.Cut(line, "=")
			items = append(items, item{
				line: number, group: group, hasValue: hasValue,
				name: strings.TrimRight(name, blanks), value: unquote(strings.Trim(value, blanks)),
			})
		}
	}
	return items, nil
}

// directive reads a line that starts with an exclamation mark. Unknown directives have an empty value; ok is false when a
// known one has nothing behind it.
func directive(line string) (it item, ok bool) {
	word, rest := line, ""
	if i := strings.IndexAny(line, blanks); i >= 0 {
		word, rest = line[:i], strings.Trim(line[i:], blanks)
	}
	switch word {
	case "!include":
		return item{kind: isInclude, value: rest}, rest != ""
	case "!includedir":
		return item{kind: isIncludeDir, value: rest}, rest != ""
	}
	return item{}, true
}

// commentStart returns where the comment at the end of a line starts: at a # outside of quotes. A backslash
// protects quotes inside of quotes only.
func commentStart(line string) int {
	var quote byte
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case quote != 0 && c == '\\':
			i++
		case quote == 0 && c == '#':
			return i
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case c == quote:
			quote = 0
		}
	}
	return len(line)
}

// unquote takes off quotes that stand around the whole value, and resolves escapes.
func unquote(value string) string {
	if n := len(value); n > 1 && (value[0] == '"' || value[0] == '\'') && value[n-1] == value[0] {
		value = value[1 : n-1]
	}
	if !strings.Contains(value, `\`) {
		return value
	}
	var b strings.Builder
	for i := 0; i < len(value); i++ {
		c := value[i]
		if c != '\\' || i+1 == len(value) {
			b.WriteByte(c)
			continue
		}
		i++
		switch value[i] {
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case 'r':
			b.WriteByte('\r')
		case 'b':
			b.WriteByte('\b')
		case 's':
			b.WriteByte(' ')
		case '\\', '"', '\'':
			b.WriteByte(value[i])
		default:
			b.WriteByte('\\')
			b.WriteByte(value[i])
		}
	}
	return b.String()
}
