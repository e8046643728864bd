package luaffi

import (
	"fmt"
	"strconv"
	"strings"
)

type tokenKind uint8

const (
	tokEOF tokenKind = iota
	tokName
	tokInt
	tokString
	tokPunct
	tokParam // $
)

type token struct {
	kind tokenKind
	text string
	num  int64
	line int
}

// cError is a mistake in C declarations, in LuaJIT's words; position and function name are added by who raises it.
type cError struct{ text string }

func (e *cError) Error() string { return e.text }

// lexer splits C declarations into tokens. Comments and line continuations vanish; of the preprocessor it knows #pragma pack
// and line numbers.
type lexer struct {
	src  string
	pos  int
	line int
	pack []int64 // the last one holds; 0: natural alignment
}

func (x *lexer) fail(near token, format string, args ...any) {
	text := fmt.Sprintf(format, args...) + " near '" + near.text + "'"
	if near.line > 1 {
		text += " at line " + strconv.Itoa(near.line)
	}
	panic(&cError{text})
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isNameByte(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80 || isDigit(c)
}

// skipSpace skips blanks, comments and preprocessor lines.
func (x *lexer) skipSpace() {
	for x.pos < len(x.src) {
		rest := x.src[x.pos:]
		switch c := rest[0]; {
		case c == '\n':
			x.line++
			x.pos++
		case c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' || c == '\\':
			x.pos++
		case strings.HasPrefix(rest, "//"):
			end := strings.IndexByte(rest, '\n')
			if end < 0 {
				end = len(rest)
			}
			x.pos += end
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				x.pos = len(x.src)
				return
			}
			x.line += strings.Count(rest[:end+4], "\n")
			x.pos += end + 4
		case c == '#':
			x.directive()
		default:
			return
		}
	}
}

func (x *lexer) directive() {
	end := strings.IndexByte(x.src[x.pos:], '\n')
	if end < 0 {
		end = len(x.src) - x.pos
	}
	text := strings.TrimSpace(x.src[x.pos+1 : x.pos+end])
	x.pos += end
	word := text
	for i := range len(text) {
		if !isNameByte(text[i]) {
			word = text[:i]
			break
		}
	}
	switch {
	case word == "" || word == "line" || isDigit(word[0]):
	case word == "pragma":
		x.pragma(strings.Join(strings.Fields(text[len(word):]), ""))
	default:
		x.fail(token{text: word, line: x.line}, "unexpected symbol")
	}
}

// pragma follows #pragma pack(n), pack(push[, n]), pack(pop) and pack(); others have no meaning here.
func (x *lexer) pragma(text string) {
	args, ok := strings.CutPrefix(text, "pack(")
	if !ok {
		return
	}
	if len(x.pack) == 0 {
		x.pack = append(x.pack, 0)
	}
	top := len(x.pack) - 1
	value := x.pack[top]
	for _, a := range strings.Split(strings.TrimSuffix(args, ")"), ",") {
		switch n, err := strconv.Atoi(a); {
		case a == "push":
			x.pack = append(x.pack, value)
			top++
			continue
		case a == "pop":
			if top > 0 {
				x.pack = x.pack[:top]
			}
			return
		case a == "":
			value = 0
		case err == nil && n >= 1 && n <= 16 && n&(n-1) == 0:
			value = int64(n)
		}
	}
	x.pack[top] = value
}

func (x *lexer) packing() int64 {
	if len(x.pack) == 0 {
		return 0
	}
	return x.pack[len(x.pack)-1]
}

func (x *lexer) next() token {
	x.skipSpace()
	if x.pos >= len(x.src) {
		return token{kind: tokEOF, text: "<eof>", line: x.line}
	}
	start := x.pos
	switch c := x.src[x.pos]; {
	case isDigit(c):
		return x.number()
	case isNameByte(c):
		for x.pos < len(x.src) && isNameByte(x.src[x.pos]) {
			x.pos++
		}
		return token{kind: tokName, text: x.src[start:x.pos], line: x.line}
	case c == '"' || c == '\'':
		return x.quoted(c)
	case c == '$':
		x.pos++
		return token{kind: tokParam, text: "$", line: x.line}
	}
	n := 1
	for _, p := range []string{"...", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "->"} {
		if strings.HasPrefix(x.src[x.pos:], p) {
			n = len(p)
			break
		}
	}
	x.pos += n
	return token{kind: tokPunct, text: x.src[start:x.pos], line: x.line}
}

// number reads an integer; its suffix may be u, l and ul. LuaJIT takes no others.
func (x *lexer) number() token {
	start := x.pos
	for x.pos < len(x.src) && (isNameByte(x.src[x.pos]) || x.src[x.pos] == '.') {
		x.pos++
	}
	t := token{kind: tokInt, text: x.src[start:x.pos], line: x.line}
	digits := strings.TrimRight(t.text, "uUlL")
	switch strings.ToLower(t.text[len(digits):]) {
	case "", "u", "l", "ul", "lu":
	default:
		x.fail(t, "malformed number")
	}
	n, err := strconv.ParseUint(digits, 0, 64)
	if err != nil || strings.ContainsAny(digits, "_oObB") && !strings.HasPrefix(strings.ToLower(digits), "0x") {
		x.fail(t, "malformed number")
	}
	t.num = int64(n)
	return t
}

var escapes = map[byte]byte{'n': '\n', 't': '\t', 'r': '\r', 'a': '\a', 'b': '\b', 'f': '\f', 'v': '\v', 'e': 27}

// quoted reads a string, or a character as the number that it is.
func (x *lexer) quoted(quote byte) token {
	start := x.pos
	var out []byte
	for x.pos++; ; x.pos++ {
		if x.pos >= len(x.src) || x.src[x.pos] == '\n' {
			x.fail(token{text: x.src[start:x.pos], line: x.line}, "unfinished string")
		}
		c := x.src[x.pos]
		if c == quote {
			break
		}
		if c == '\\' && x.pos+1 < len(x.src) {
			x.pos++
			c = x.src[x.pos]
			if e, ok := escapes[c]; ok {
				c = e
			} else if c == 'x' {
				n := 0
				for n < 2 && x.pos+n+1 < len(x.src) && strings.IndexByte("0123456789abcdefABCDEF", x.src[x.pos+n+1]) >= 0 {
					n++
				}
				v, _ := strconv.ParseUint(x.src[x.pos+1:x.pos+1+n], 16, 8)
				c = byte(v)
				x.pos += n
			} else if c >= '0' && c <= '7' {
				n := 1
				for n < 3 && x.pos+n < len(x.src) && x.src[x.pos+n] >= '0' && x.src[x.pos+n] <= '7' {
					n++
				}
				v, _ := strconv.ParseUint(x.src[x.pos:x.pos+n], 8, 16)
				c = byte(v)
				x.pos += n - 1
			}
		}
		out = append(out, c)
	}
	x.pos++
	t := token{kind: tokString, text: string(out), line: x.line}
	if quote == '\'' {
		if len(out) != 1 {
			x.fail(token{text: x.src[start:x.pos], line: x.line}, "unfinished string")
		}
		t.kind, t.num, t.text = tokInt, int64(int8(out[0])), x.src[start:x.pos]
	}
	return t
}
