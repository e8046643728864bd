// Package parse reads Lua as LuaJIT does, and words its errors as LuaJIT does.
package parse

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Error is a syntax error: "file.lua:3: unexpected symbol near 'x'".
type Error struct {
	Source  string
	Line    int
	Message string
}

func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %s", e.Source, e.Line, e.Message) }

type token int

const (
	tEOF token = iota + 256
	tAnd
	tBreak
	tDo
	tElse
	tElseIf
	tEnd
	tFalse
	tFor
	tFunction
	tGoto
	tIf
	tIn
	tLocal
	tNil
	tNot
	tOr
	tRepeat
	tReturn
	tThen
	tTrue
	tUntil
	tWhile
	tConcat
	tDots
	tEq
	tGe
	tLe
	tNe
	tLabel
	tNumber
	tName
	tString
)

var tokenNames = [...]string{
	"<eof>", "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in", "local", "nil",
	"not", "or", "repeat", "return", "then", "true", "until", "while", "..", "...", "==", ">=", "<=", "~=", "::", "<number>",
	"<name>", "<string>",
}

func (t token) String() string {
	if t >= tEOF {
		return tokenNames[t-tEOF]
	}
	if t < 32 || t == 127 {
		return fmt.Sprintf("char(%d)", int(t))
	}
	return string([]byte{byte(t)})
}

var reserved = func() map[string]token {
	m := map[string]token{}
	for t := tAnd; t <= tWhile; t++ {
		m[tokenNames[t-tEOF]] = t
	}
	return m
}()

type lexer struct {
	src    string
	source string
	pos    int // of the next byte
	line   int // of the scanner, which stands behind the current token
	raw    []byte
	val    []byte
}

const eof = -1

func (lx *lexer) peek() int {
	if lx.pos < len(lx.src) {
		return int(lx.src[lx.pos])
	}
	return eof
}

func (lx *lexer) fail(tok token, msg string) {
	if tok != 0 {
		text := tok.String()
		if tok == tName || tok == tString || tok == tNumber {
			text = string(lx.raw)
		}
		msg += " near '" + text + "'"
	}
	panic(&Error{lx.source, lx.line, msg})
}

func isDigit(c int) bool { return c >= '0' && c <= '9' }

func isIdent(c int) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || isDigit(c) || c >= 128
}

// newline skips \n, \r, \r\n or \n\r.
func (lx *lexer) newline() {
	c := lx.src[lx.pos]
	lx.pos++
	if n := lx.peek(); (n == '\n' || n == '\r') && n != int(c) {
		lx.pos++
	}
	lx.line++
}

// next scans a token; the text of names, numbers and strings is in val.
func (lx *lexer) next() token {
	for {
		c := lx.peek()
		start := lx.pos
		switch c {
		case eof:
			return tEOF
		case '\n', '\r':
			lx.newline()
			continue
		case ' ', '\t', '\v', '\f':
			lx.pos++
			continue
		case '-':
			lx.pos++
			if lx.peek() != '-' {
				return '-'
			}
			lx.pos++
			if lx.peek() == '[' {
				if sep := lx.skipSep(); sep >= 0 {
					lx.long(sep, true)
					continue
				}
			}
			for c = lx.peek(); c != eof && c != '\n' && c != '\r'; c = lx.peek() {
				lx.pos++
			}
			continue
		case '[':
			sep := lx.skipSep()
			if sep >= 0 {
				lx.long(sep, false)
				return tString
			}
			if sep == -1 {
				return '['
			}
			lx.raw = []byte(lx.src[start:lx.pos])
			lx.fail(tString, "invalid long string delimiter")
		case '=':
			return lx.maybe('=', tEq)
		case '<':
			return lx.maybe('=', tLe)
		case '>':
			return lx.maybe('=', tGe)
		case '~':
			return lx.maybe('=', tNe)
		case ':':
			return lx.maybe(':', tLabel)
		case '"', '\'':
			lx.str(c)
			return tString
		case '.':
			lx.pos++
			switch n := lx.peek(); {
			case n == '.':
				lx.pos++
				if lx.peek() == '.' {
					lx.pos++
					return tDots
				}
				return tConcat
			case isDigit(n):
				lx.pos = start
				lx.number()
				return tNumber
			}
			return '.'
		}
		if isDigit(c) {
			lx.number()
			return tNumber
		}
		if isIdent(c) {
			for isIdent(lx.peek()) {
				lx.pos++
			}
			text := lx.src[start:lx.pos]
			if t, ok := reserved[text]; ok {
				return t
			}
			lx.val = append(lx.val[:0], text...)
			lx.raw = lx.val
			return tName
		}
		lx.pos++
		return token(c)
	}
}

func (lx *lexer) maybe(second int, both token) token {
	first := token(lx.src[lx.pos])
	lx.pos++
	if lx.peek() == second {
		lx.pos++
		return both
	}
	return first
}

// skipSep reads [, = and [ of a long bracket: the number of =, -1 for a single [, -2 and less for a bad delimiter.
func (lx *lexer) skipSep() int {
	start := lx.pos
	lx.pos++
	n := 0
	for lx.peek() == '=' {
		lx.pos++
		n++
	}
	if lx.peek() == '[' {
		lx.pos++
		return n
	}
	if n == 0 {
		return -1
	}
	_ = start
	return -n - 1
}

func (lx *lexer) long(sep int, comment bool) {
	lx.val = lx.val[:0]
	if c := lx.peek(); c == '\n' || c == '\r' {
		lx.newline()
	}
	for {
		switch c := lx.peek(); c {
		case eof:
			if comment {
				lx.fail(tEOF, "unfinished long comment")
			}
			lx.fail(tEOF, "unfinished long string")
		case ']':
			p := lx.pos + 1
			for p < len(lx.src) && lx.src[p] == '=' {
				p++
			}
			if p-lx.pos-1 == sep && p < len(lx.src) && lx.src[p] == ']' {
				lx.pos = p + 1
				lx.raw = lx.val
				return
			}
			lx.val = append(lx.val, lx.src[lx.pos:p]...)
			lx.pos = p
		case '\n', '\r':
			lx.val = append(lx.val, '\n')
			lx.newline()
		default:
			lx.val = append(lx.val, byte(c))
			lx.pos++
		}
	}
}

func (lx *lexer) str(quote int) {
	start := lx.pos
	lx.pos++
	lx.val = lx.val[:0]
	shown := func() { lx.raw = append([]byte{byte(quote)}, lx.val...) }
	for {
		c := lx.peek()
		switch c {
		case quote:
			lx.pos++
			lx.raw = []byte(lx.src[start:lx.pos])
			return
		case eof:
			lx.fail(tEOF, "unfinished string")
		case '\n', '\r':
			shown()
			lx.fail(tString, "unfinished string")
		case '\\':
			lx.pos++
			lx.escape(shown)
		default:
			lx.val = append(lx.val, byte(c))
			lx.pos++
		}
	}
}

func (lx *lexer) escape(shown func()) {
	bad := func() {
		shown()
		lx.fail(tString, "invalid escape sequence")
	}
	c := lx.peek()
	if i := strings.IndexByte("abfnrtv", byte(c)); c != eof && i >= 0 {
		lx.val = append(lx.val, "\a\b\f\n\r\t\v"[i])
		lx.pos++
		return
	}
	switch {
	case c == eof:
		return // the caller sees it
	case c == '\n' || c == '\r':
		lx.val = append(lx.val, '\n')
		lx.newline()
	case c == '\\' || c == '"' || c == '\'':
		lx.val = append(lx.val, byte(c))
		lx.pos++
	case c == 'x':
		if lx.pos+2 >= len(lx.src) {
			bad()
		}
		v, err := strconv.ParseUint(lx.src[lx.pos+1:lx.pos+3], 16, 8)
		if err != nil {
			bad()
		}
		lx.val = append(lx.val, byte(v))
		lx.pos += 3
	case c == 'u':
		end := strings.IndexByte(lx.src[lx.pos:], '}')
		if end < 0 || lx.pos+1 >= len(lx.src) || lx.src[lx.pos+1] != '{' {
			bad()
		}
		v, err := strconv.ParseUint(lx.src[lx.pos+2:lx.pos+end], 16, 32)
		if err != nil || v >= 0x110000 || v >= 0xd800 && v < 0xe000 {
			bad()
		}
		lx.val = utf8.AppendRune(lx.val, rune(v))
		lx.pos += end + 1
	case c == 'z':
		lx.pos++
		for {
			switch c := lx.peek(); c {
			case '\n', '\r':
				lx.newline()
				continue
			case ' ', '\t', '\v', '\f':
				lx.pos++
				continue
			}
			return
		}
	case isDigit(c):
		v := 0
		for i := 0; i < 3 && isDigit(lx.peek()); i++ {
			v = v*10 + lx.peek() - '0'
			lx.pos++
		}
		if v > 255 {
			bad()
		}
		lx.val = append(lx.val, byte(v))
	default:
		bad()
	}
}

func (lx *lexer) number() {
	start := lx.pos
	exp := byte('e')
	if lx.src[start] == '0' && start+1 < len(lx.src) && lx.src[start+1]|0x20 == 'x' {
		exp = 'p'
	}
	for c := lx.peek(); isIdent(c) || c == '.'; c = lx.peek() {
		lx.pos++
		if byte(c)|0x20 == exp {
			if s := lx.peek(); s == '+' || s == '-' {
				lx.pos++
			}
		}
	}
	text := lx.src[start:lx.pos]
	lx.val = append(lx.val[:0], text...)
	lx.raw = lx.val
	if !validNumber(text) {
		lx.fail(tNumber, "malformed number")
	}
}

func validNumber(text string) bool {
	t := strings.ToLower(text)
	hex := strings.HasPrefix(t, "0x")
	if strings.HasSuffix(t, "ll") {
		t = strings.TrimSuffix(t[:len(t)-2], "u")
		base := 10
		if hex {
			t, base = t[2:], 16
		}
		_, err := strconv.ParseUint(t, base, 64)
		return err == nil
	}
	if strings.ContainsAny(t, "_in") {
		return false
	}
	if hex {
		if !strings.Contains(t, "p") {
			t += "p0"
		}
	}
	_, err := strconv.ParseFloat(t, 64)
	if e, ok := err.(*strconv.NumError); ok && e.Err == strconv.ErrRange {
		return true
	}
	return err == nil
}

func readAll(r io.Reader) (string, error) {
	var b strings.Builder
	_, err := io.Copy(&b, r)
	return b.String(), err
}
