package store

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Problem is why a store cannot be used, for people: one line with the file, the reason, and what to do.
type Problem struct {
	Path   string
	Reason string
	Fix    string // empty: nothing to advise
	Err    error  // nil, or what the reason was found from
}

// Error is the line.
func (p *Problem) Error() string {
	if p.Fix == "" {
		return fmt.Sprintf("store %s: %s", p.Path, p.Reason)
	}
	return fmt.Sprintf("store %s: %s (%s)", p.Path, p.Reason, p.Fix)
}

// Unwrap gives the cause.
func (p *Problem) Unwrap() error { return p.Err }

// elsewhere is the advice where a file cannot be written.
const elsewhere = "name another file with --store=FILE or DELTABENCH_STORE, or use --no-record"

// problem words an error of the database or the file system. Errors of other kinds, such as unknown runs, stay as they are.
func problem(path string, err error) error {
	var known *Problem
	if err == nil || errors.As(err, &known) {
		return err
	}
	p := &Problem{Path: path, Err: err}
	var db *sqlite.Error
	var file *fs.PathError
	var bad *damage
	switch {
	case errors.As(err, &bad):
		p.Reason, p.Fix = bad.Error(), "'deltabench store verify' names what is damaged, 'deltabench runs export' writes all other runs"
	case errors.As(err, &db):
		p.Reason, p.Fix = reasonOf(db.Code())
		if p.Reason == "" { // of the data, not of the file
			return err
		}
	case errors.As(err, &file):
		p.Reason, p.Fix = file.Err.Error(), elsewhere
	default:
		return err
	}
	return p
}

// readOnly is the problem of a file that cannot be written to.
func readOnly(path string, err error) error {
	p := &Problem{Path: path, Err: err}
	p.Reason, p.Fix = reasonOf(sqlite3.SQLITE_READONLY)
	return p
}

// isCode reports whether an error of the database has one of these codes.
func isCode(err error, codes ...int) bool {
	var db *sqlite.Error
	return errors.As(err, &db) && slices.Contains(codes, db.Code()&0xff)
}

// reasonOf words the codes of SQLite that come from the world outside.
func reasonOf(code int) (reason, fix string) {
	switch code & 0xff { // the rest is an extended code
	case sqlite3.SQLITE_FULL:
		return "the disk is full", "free some space, or " + elsewhere
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return fmt.Sprintf("another process has kept it locked for %v", busyTimeout), "end that process, or " + elsewhere
	case sqlite3.SQLITE_READONLY:
		return "it can only be read", "make the file and its directory writable, or " + elsewhere
	case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
		return "the file cannot be opened", "check the rights of the file and its directory, or " + elsewhere
	case sqlite3.SQLITE_IOERR:
		return fmt.Sprintf("the file system gives an error (SQLite code %d)", code), "see whether the disk is full or broken, or " + elsewhere
	case sqlite3.SQLITE_CORRUPT:
		return "the file is damaged", "'deltabench runs export' writes the runs that can still be read; then move it away"
	case sqlite3.SQLITE_NOTADB:
		return "the file is no database", "move it away, or " + elsewhere
	}
	return "", ""
}
