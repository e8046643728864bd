package embedded

import (
	"context"
	"regexp"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// parser is the engine's parser, which in index hints does not know KEY for INDEX, nor PRIMARY without quotes. What it refuses is tried once more
// with the other word: statements that it understands cost nothing.
type parser struct{ sql.Parser }

var (
	hint    = regexp.MustCompile(`(?i)\b(FORCE|USE|IGNORE)\s+(?:KEY|INDEX)\b`)
	primary = regexp.MustCompile(`(?i)\b((?:FORCE|USE|IGNORE) INDEX)\s*\(\s*PRIMARY\s*\)`)
)

// reworded returns a refused query in words that the engine knows, if there are any.
func reworded(query string, err error) (string, bool) {
	if err == nil || !hint.MatchString(query) {
		return "", false
	}
	return primary.ReplaceAllString(hint.ReplaceAllString(query, "$1 INDEX"), "$1 (`PRIMARY`)"), true
}

// Parse parses with the options of the session.
func (p parser) Parse(ctx *sql.Context, query string, multi bool) (sqlparser.Statement, string, string, error) {
	s, text, rest, err := p.Parser.Parse(ctx, query, multi)
	if query, ok := reworded(query, err); ok {
		return p.Parser.Parse(ctx, query, multi)
	}
	return s, text, rest, err
}

// ParseWithOptions parses with options.
func (p parser) ParseWithOptions(ctx context.Context, query string, delimiter rune, multi bool, o sqlparser.ParserOptions) (sqlparser.Statement, string, string, error) {
	s, text, rest, err := p.Parser.ParseWithOptions(ctx, query, delimiter, multi, o)
	if query, ok := reworded(query, err); ok {
		return p.Parser.ParseWithOptions(ctx, query, delimiter, multi, o)
	}
	return s, text, rest, err
}
