package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver
	sqlite3 "modernc.org/sqlite/lib"
)

// busyTimeout is how long a statement waits for another process that writes.
const busyTimeout = 10 * time.Second

// Mode is what a store is opened for.
type Mode int

// Modes.
const (
	ReadOnly  Mode = iota // the file must exist; nothing is changed but an old version of the schema, which is migrated
	ReadWrite             // the file is made when it is not there, for this user alone; old versions are migrated
)

// Store is an open store. Its methods may be called by several goroutines; they take turns.
type Store struct {
	path string
	db   *sql.DB
}

// Open opens the store in a file. Errors are of type *Problem: a file that is no store or of a newer version, or that
// cannot be opened; fs.ErrNotExist is in the chain when it is to be read and does not exist.
func Open(ctx context.Context, path string, mode Mode) (*Store, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	switch info, err := os.Stat(abs); {
	case err == nil && info.IsDir():
		return nil, &Problem{Path: path, Reason: "it is a directory", Fix: elsewhere}
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, problem(path, err)
	case err != nil && mode == ReadOnly:
		return nil, &Problem{Path: path, Reason: "there is no such file", Fix: "runs are recorded there unless --store, DELTABENCH_STORE or --no-record say otherwise", Err: err}
	case err != nil:
		if err := create(abs); err != nil {
			return nil, problem(path, err)
		}
	}
	s := &Store{path: path}
	if mode == ReadWrite {
		s.db, err = connect(ctx, abs, "rw", "")
		if err == nil {
			err = s.migrate(ctx)
		}
		if err == nil {
			err = s.change(ctx, writes)
		}
		if err != nil && isCode(err, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY) && !writable(abs) {
			err = readOnly(path, err) // SQLite says either, by which of its files it meets first
		}
	} else {
		err = s.openToRead(ctx, abs)
	}
	if err != nil {
		s.Close()
		return nil, hopeless(path, err)
	}
	return s, nil
}

// writes changes a page of the file and nothing of what is in it. A transaction alone succeeds on a file that can only be read.
func writes(tx *sql.Tx) error {
	_, err := tx.Exec(fmt.Sprintf("PRAGMA user_version = %d", Version))
	return err
}

// writable reports whether a file and its directory, where SQLite puts its log, can be written to.
func writable(path string) bool {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	_ = f.Close() // nothing was written
	if f, err = os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*"); err != nil {
		return false
	}
	_ = f.Close()
	_ = os.Remove(f.Name())
	return true
}

// create makes an empty file that only this user may read. Its directory is made, too, when it is ours (DefaultPath); one that somebody
// named is to be there: a mistyped name would become a second store that nobody looks for.
func create(path string) error {
	dir := filepath.Dir(path)
	if filepath.Base(dir) == ownDir {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	} else if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return &Problem{Path: path, Reason: "there is no directory " + dir, Fix: "make it, or " + elsewhere, Err: err}
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// openToRead opens an existing file without changing it. A store that was closed properly and lies in a directory that
// cannot be written to is read as it is: SQLite could not make the file of its shared memory there.
func (s *Store) openToRead(ctx context.Context, path string) error {
	var first error
	for _, extra := range []string{"", "immutable=1"} {
		if extra != "" {
			if info, err := os.Stat(path + "-wal"); err == nil && info.Size() > 0 {
				break // what is in there would be missing
			}
		}
		db, err := connect(ctx, path, "ro", extra)
		if err == nil {
			s.db = db
			version, err := s.version(ctx, db)
			if err != nil || version == Version {
				return err
			}
			_ = db.Close()
			if s.db, err = connect(ctx, path, "rw", ""); err == nil {
				err = s.migrate(ctx)
			}
			if err != nil {
				return s.outdated(version, err)
			}
			return nil
		}
		if first == nil {
			first = err
		}
	}
	return first
}

// connect opens a database and reads from it, since opening alone touches nothing.
func connect(ctx context.Context, path, mode, extra string) (*sql.DB, error) {
	pragmas := []string{fmt.Sprintf("busy_timeout(%d)", busyTimeout.Milliseconds()), "foreign_keys(1)"}
	if mode == "rw" {
		// FULL: a commit in the log is on the disk before it is acknowledged.
		pragmas = append(pragmas, "journal_mode(WAL)", "synchronous(FULL)")
	}
	query := "mode=" + mode + "&_txlock=immediate"
	for _, p := range pragmas {
		query += "&_pragma=" + url.QueryEscape(p)
	}
	if extra != "" {
		query += "&" + extra
	}
	slashes := filepath.ToSlash(path)
	if !strings.HasPrefix(slashes, "/") { // C:/...
		slashes = "/" + slashes
	}
	db, err := sql.Open("sqlite", "file://"+(&url.URL{Path: slashes}).EscapedPath()+"?"+query)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	var tables int
	if err := db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables); err != nil {
		_ = db.Close()
		return nil, err
	}
	return db, nil
}

// Close ends the use of the store.
func (s *Store) Close() {
	if s.db != nil {
		_ = s.db.Close() // every change was committed before
	}
}
