package preflight

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	"deltabench/internal/sqldb"
)

const (
	variablesQuery = "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('max_connections', 'max_user_connections', 'max_prepared_stmt_count', " +
		"'table_open_cache', 'table_open_cache_instances', 'open_files_limit')"
	statusQuery = "SHOW GLOBAL STATUS WHERE Variable_name IN ('Threads_connected', 'Prepared_stmt_count', 'Open_files', 'Innodb_num_open_files')"
	limitQuery  = "SELECT @@max_user_connections"
	// Every account sees its own connections.
	inUseQuery  = "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE USER = SUBSTRING_INDEX(CURRENT_USER(), '@', 1)"
	grantsQuery = "SHOW GRANTS"
)

// Read asks a server over a connection of its own. What the account may not see, or the server does not know, is
// left out. The error is sqldb.ErrInterrupted: nobody waits for an answer any more.
func Read(c sqldb.Conn) (Facts, error) {
	f := Facts{}
	byName := func(row [][]byte) error {
		if len(row) == 2 {
			f.set(strings.ToLower(string(row[0])), row[1])
		}
		return nil
	}
	single := func(name string) sqldb.RowFunc {
		return func(row [][]byte) error {
			if len(row) == 1 {
				f.set(name, row[0])
			}
			return nil
		}
	}
	grants := int64(-1)
	for _, q := range []struct {
		text string
		rows sqldb.RowFunc
	}{
		{variablesQuery, byName},
		{statusQuery, byName},
		{limitQuery, single(ownLimit)},
		{grantsQuery, func(row [][]byte) error {
			grants = max(grants, 0)
			if len(row) == 1 && administrator.Match(row[0]) {
				grants = 1
			}
			return nil
		}},
	} {
		if _, err := c.Query(q.text, q.rows); errors.Is(err, sqldb.ErrInterrupted) {
			return f, err
		}
	}
	if f[ownLimit] > 0 {
		if _, err := c.Query(inUseQuery, single(ownInUse)); errors.Is(err, sqldb.ErrInterrupted) {
			return f, err
		}
	}
	if grants >= 0 {
		f[privileged] = grants
	}
	for _, name := range []string{connected, ownInUse} { // without this connection
		if n, ok := f[name]; ok {
			f[name] = max(0, n-1)
		}
	}
	return f, nil
}

// administrator are grants with which an account may use the connection that is kept for administrators.
var administrator = regexp.MustCompile(`(?i)^GRANT .*\b(ALL PRIVILEGES|SUPER|CONNECTION[ _]ADMIN)\b.* ON \*\.\* `)

// set notes a number; text that is none is not noted.
func (f Facts) set(name string, text []byte) {
	if n, err := strconv.ParseInt(string(text), 10, 64); err == nil {
		f[name] = n
	}
}
