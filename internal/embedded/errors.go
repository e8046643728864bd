package embedded

import (
	"errors"
	"strings"

	"github.com/dolthub/vitess/go/mysql"
)

// Codes of MySQL.
const (
	codeTableExists     = 1050
	codeUnknownTable    = 1051
	codeUnknownColumn   = 1054
	codeDuplicateKey    = 1061
	codeSyntax          = 1064
	codeUnknownError    = 1105
	codeNoSuchTable     = 1146
	codeLockWaitTimeout = 1205
)

// duplicateEntry begins MySQL's message of error 1062.
const duplicateEntry = "Duplicate entry '"

func lockTimeout() error {
	return mysql.NewSQLError(codeLockWaitTimeout, "HY000", "Lock wait timeout exceeded; try restarting transaction")
}

// words are the engine's texts of errors that it has no code of MySQL for, or another one. What stands between before and
// after is the name for MySQL's text.
var words = []struct {
	code          int // of the engine
	before, after string
	mysql         int
	state         string
	text          string // with %s for the name; empty: the engine's text stays
}{
	{codeUnknownError, "table with name ", " already exists", codeTableExists, "42S01", "Table '%s' already exists"},
	{codeUnknownError, "Duplicate key name '", "'", codeDuplicateKey, "42000", "Duplicate key name '%s'"},
	{codeUnknownError, "column \"", "\" could not be found in any table in scope", codeUnknownColumn, "42S22", "Unknown column '%s'"},
	{codeUnknownError, "syntax error at position ", "", codeSyntax, "42000", ""},
	{codeNoSuchTable, "table not found: ", "", codeNoSuchTable, "42S02", "Table '%s' doesn't exist"},
}

// asMySQL gives errors of a statement the codes and words that MySQL has for them. By the time an error gets here the
// engine has made a code and a text of it, so the text is all there is to go by.
func asMySQL(query string, err error) error {
	var e *mysql.SQLError
	if !errors.As(err, &e) {
		return err
	}
	if i := strings.Index(e.Message, duplicateEntry); e.Num == mysql.ERDupEntry && i >= 0 {
		// The engine puts the key in brackets.
		return mysql.NewSQLError(e.Num, mysql.SSDupKey, "%s", strings.TrimSuffix(e.Message[i:], "]"))
	}
	for _, w := range words {
		name, ok := strings.CutPrefix(e.Message, w.before)
		if !ok || e.Num != w.code || w.after != "" && !strings.Contains(name, w.after) {
			continue
		}
		if w.text == "" {
			return mysql.NewSQLError(w.mysql, w.state, "%s", e.Message)
		}
		if w.after != "" {
			name, _, _ = strings.Cut(name, w.after)
		}
		name, _, _ = strings.Cut(name, ", maybe you mean ")
		if w.mysql == codeNoSuchTable && hasPrefixFold(strings.TrimSpace(query), "DROP") {
			return mysql.NewSQLError(codeUnknownTable, w.state, "Unknown table '%s'", name)
		}
		return mysql.NewSQLError(w.mysql, w.state, w.text, name)
	}
	return err
}
