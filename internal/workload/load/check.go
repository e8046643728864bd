package load

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"

	"deltabench/internal/sqldb"
)

// Errors of servers that are told apart here.
const (
	errTableExists = 1050
	errIndexExists = 1061
	errDenied      = 1142
	errNoTable     = 1146
)

// facts are what the server says about itself; unknown where it does not know the variable.
type facts struct {
	localInfile string // "ON", "OFF"
	maxPacket   int64
	dataDir     string
	hostName    string
	transport   sqldb.Transport
}

// connect opens a connection that can load.
func (l *loader) connect(ctx context.Context) (sqldb.Conn, sqldb.Loader, error) {
	c, err := l.Driver.Connect(sqldb.Blocking{Ctx: ctx}, nil)
	if err != nil {
		return nil, nil, err
	}
	db, ok := c.(sqldb.Loader)
	if !ok {
		_ = c.Close()
		return nil, nil, refuse("the %s driver cannot load data", l.Driver.Name())
	}
	return c, db, nil
}

// check finds out what is there and what the account may do, before anything is changed.
func (l *loader) check(ctx context.Context) error {
	c, db, err := l.connect(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	l.facts.transport = c.Transport()
	if err := l.readFacts(db); err != nil {
		return fmt.Errorf("read the server's variables: %w", err)
	}
	if err := l.findTables(db); err != nil {
		return err
	}
	if err := l.checkPrivileges(db); err != nil {
		return err
	}
	if err := l.choose(db); err != nil {
		return err
	}
	if err := l.survey(db); err != nil {
		return err
	}
	return l.checkRoom()
}

// rowsOf returns the rows of a query, NULL as "".
func rowsOf(db sqldb.Loader, text string) (rows [][]string, err error) {
	_, err = db.Try(text, func(columns [][]byte) error {
		row := make([]string, len(columns))
		for i, c := range columns {
			row[i] = string(c)
		}
		rows = append(rows, row)
		return nil
	})
	return rows, err
}

// code is the number of a server's error, or 0.
func code(err error) int {
	var e *sqldb.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return 0
}

// lost reports whether err leaves no connection to go on with: it does not come from the server.
func lost(err error) bool {
	return err != nil && code(err) < 1000 || code(err) >= 2000 && code(err) < 3000
}

func (l *loader) readFacts(db sqldb.Loader) error {
	rows, err := rowsOf(db, "SHOW VARIABLES WHERE Variable_name IN ('local_infile', 'max_allowed_packet', 'datadir', 'hostname')")
	if lost(err) {
		return err
	}
	for _, r := range rows {
		if len(r) < 2 {
			continue
		}
		switch strings.ToLower(r[0]) {
		case "local_infile":
			l.facts.localInfile = strings.ToUpper(r[1])
		case "max_allowed_packet":
			l.facts.maxPacket, _ = strconv.ParseInt(r[1], 10, 64) // 0: unknown
		case "datadir":
			l.facts.dataDir = r[1]
		case "hostname":
			l.facts.hostName = r[1]
		}
	}
	return nil
}

// maxRefusals is how many lines a refusal has.
const maxRefusals = 10

// findTables makes the tables of the load, and refuses those that exist unless a load is to be continued.
func (l *loader) findTables(db sqldb.Loader) error {
	rows, err := rowsOf(db, "SHOW TABLES")
	if err != nil {
		return fmt.Errorf("list the tables: %w", err)
	}
	there := map[string]bool{}
	for _, r := range rows {
		there[strings.ToLower(r[0])] = true
	}
	var lines []string
	for i, p := range l.Plan.Tables {
		t := &table{Table: p, index: i, created: make(chan struct{}), exists: there[strings.ToLower(p.Name)]}
		if t.exists {
			close(t.created)
			lines = append(lines, fmt.Sprintf("Table '%s' already exists", p.Name))
		}
		l.tables = append(l.tables, t)
	}
	if l.Resume || len(lines) == 0 {
		return nil
	}
	if n := len(lines); n > maxRefusals {
		lines = append(lines[:maxRefusals-1], fmt.Sprintf("%d more of the tables already exist", n-maxRefusals+1))
	}
	them := "them"
	if len(lines) == 1 {
		them = "it"
	}
	// Cleanup would also take the tables from under another load.
	return &Refusal{Lines: lines, Hint: "if no other load is running, remove " + them + ": " + l.CleanupHint + "; or go on with an interrupted load: " + l.ResumeHint}
}

// checkPrivileges tries statements on a table that does not exist: servers look at privileges first. Only hours later would it
// show that an index cannot be made.
func (l *loader) checkPrivileges(db sqldb.Loader) error {
	for _, t := range l.tables {
		if t.exists {
			continue
		}
		probes := []struct{ privilege, text string }{{"INSERT", "INSERT INTO " + t.Name + " SELECT * FROM " + t.Name}}
		if t.IndexName != "" {
			probes = append(probes, struct{ privilege, text string }{"INDEX", t.Index})
		}
		for _, p := range probes {
			_, err := db.Try(p.text, nil)
			switch {
			case lost(err):
				return err
			case code(err) == errDenied:
				return fmt.Errorf("the account lacks the %s privilege that the load needs: %w", p.privilege, err)
			}
		}
		return nil
	}
	return nil
}

// choose decides how rows are sent, and says so when it is not the fastest way.
func (l *loader) choose(db sqldb.Loader) error {
	reason := ""
	if l.Method != Insert {
		var err error
		if reason, err = l.noInfile(db); err != nil {
			return err
		}
		switch {
		case reason == "":
			l.report.Method, l.piece = Infile, linesPiece
			return nil
		case l.Method == Infile:
			return refuse("LOAD DATA LOCAL INFILE is not possible: %s (--load=auto uses INSERT statements then)", reason)
		}
	}
	l.report.Method, l.piece = Insert, statementSize(l.facts.maxPacket)
	if reason != "" {
		l.Log.Noticef("Loading by INSERT statements of %d KB, as LOAD DATA LOCAL INFILE is not possible: %s", l.piece>>10, reason)
	}
	return nil
}

// statementSize is the size of INSERT statements that a server accepts, whose limit is 0 when it is unknown.
func statementSize(limit int64) int {
	if limit <= 0 || limit > 2*statement {
		return statement
	}
	// Some servers count more than the text against the limit.
	return int(max(min(limit-limit/8, statement), 1024))
}

// noInfile tells why LOAD DATA LOCAL INFILE is not possible; "" when it is.
func (l *loader) noInfile(db sqldb.Loader) (reason string, err error) {
	if v := l.facts.localInfile; v != "" && v != "ON" && v != "1" {
		return "the server has local_infile=" + v, nil
	}
	// Servers, and proxies before them, decide about the statement before they look for the table.
	_, err = db.LoadInfile(loadStatement(l.tables[0].Name, l.Plan.Columns), fileName, strings.NewReader(""))
	switch {
	case err == nil, code(err) == errNoTable:
		return "", nil
	case lost(err):
		return "", fmt.Errorf("try LOAD DATA LOCAL INFILE: %w", err)
	}
	return err.Error(), nil
}

// checkRoom compares what the rows will take with the room on the server's disk, when the server is on this machine.
func (l *loader) checkRoom() error {
	dir := l.facts.dataDir
	if dir == "" || !l.local() {
		return nil
	}
	free, known := l.free(dir)
	if !known {
		return nil
	}
	rows := uint64(l.left())
	least, likely := rows*uint64(l.Plan.LeastRow), rows*uint64(l.Plan.DiskRow)
	switch {
	case least > free:
		return refuse("The server's disk has no room: the rows take about %s, %s has %s left", size(likely), dir, size(free))
	case likely > free-free/10:
		l.Log.Warnf("The server's disk may become full: the rows take about %s, %s has %s left", size(likely), dir, size(free))
	}
	return nil
}

// local reports whether the server is certainly on this machine: a container answers on local addresses too, but has
// a name of its own.
func (l *loader) local() bool {
	if t := l.facts.transport; t.Network != "unix" {
		host, _, err := net.SplitHostPort(t.Address)
		if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsLoopback() {
			return false
		}
	}
	name, err := os.Hostname()
	return err == nil && name == l.facts.hostName
}

// size writes a number of bytes for people.
func size(n uint64) string {
	switch {
	case n >= 10<<30:
		return fmt.Sprintf("%d GB", n>>30)
	case n >= 10<<20:
		return fmt.Sprintf("%d MB", n>>20)
	}
	return fmt.Sprintf("%d KB", n>>10)
}
