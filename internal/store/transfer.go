package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"deltabench/internal/evidence"
)

// LineKind is what the lines of an export call themselves.
const LineKind = "deltabench/run"

// LineVersion is the version of these lines. Fields may be added within a version; none is removed or changes its meaning.
const LineVersion = 1

// line is a run in an export.
type line struct {
	Schema        string            `json:"schema"`
	SchemaVersion int               `json:"schemaVersion"`
	UUID          string            `json:"uuid"`
	RecordedAt    time.Time         `json:"recordedAt"`
	Tags          map[string]string `json:"tags"`
	Note          string            `json:"note"`
	Study         *Place            `json:"study"`
	Document      json.RawMessage   `json:"document"`

	// Of runs of studies. Snapshots are in the first line that refers to them, About in the first line of its study.
	Evidence  *evidence.Run                `json:"evidence,omitempty"`
	Snapshots map[string]evidence.Snapshot `json:"snapshots,omitempty"`
	About     *about                       `json:"about,omitempty"`

	brings []string // names of the snapshots and of the study that are in this line
	lost   []string // what there is to say of snapshots that are damaged
}

// Imported is what an import did.
type Imported struct {
	Added   []int64   // numbers of the new runs
	Skipped []Skipped // runs that were there

	names map[string]string // of studies: theirs to ours
}

// Skipped is a run of an import that the store had.
type Skipped struct {
	Number int   // of the value in the input, from 1
	ID     int64 // of the run that is the same
}

// Import adds runs from lines of an export, and from reports of single runs (--report=json); both may come in one input, one
// after the other. Runs that the store has are skipped: those with the same uuid, and reports with the same document. A study
// whose name another one has here gets a name of its own. Either all is added or, after an error, which names the line of the
// input, nothing. An input without any run is an error.
func (s *Store) Import(ctx context.Context, r io.Reader) (*Imported, error) {
	var done *Imported
	err := s.change(ctx, func(tx *sql.Tx) error {
		done = &Imported{names: map[string]string{}}
		number := 0
		n, err := Values(r, func(text json.RawMessage) error {
			number++
			return done.add(ctx, tx, number, text)
		})
		var other *notJSON
		switch {
		case errors.As(err, &other):
			return fmt.Errorf("%w, neither runs ('deltabench runs export') nor a report (--report=json); texts that sysbench prints are not imported: 'deltabench compare' reads them", err)
		case err == nil && n == 0:
			return errors.New("it is empty: there is neither a run nor a report in it")
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return done, nil
}

// add adds one value of the input, if the store does not have it.
func (i *Imported) add(ctx context.Context, tx *sql.Tx, number int, text json.RawMessage) error {
	e, err := readEntry(text)
	if err != nil {
		return err
	}
	query, key := "SELECT id FROM runs WHERE uuid = ?", e.UUID
	if key == "" {
		query = "SELECT id FROM runs WHERE hash = ?"
		if key, err = hashOf(e.Document); err != nil {
			return err
		}
		if e.UUID, err = newUUID(); err != nil {
			return err
		}
	}
	var id int64
	switch err := tx.QueryRowContext(ctx, query, key).Scan(&id); {
	case err == nil:
		i.Skipped = append(i.Skipped, Skipped{Number: number, ID: id})
		return i.place(ctx, tx, &e, id)
	case !errors.Is(err, sql.ErrNoRows):
		return err
	}
	if err := i.place(ctx, tx, &e, 0); err != nil {
		return err
	}
	if id, err = insert(ctx, tx, e); err == nil {
		i.Added = append(i.Added, id)
	}
	return twice(err)
}

// readEntry reads a value of an import: a line of an export, or the report of a run, which has no uuid.
func readEntry(text json.RawMessage) (entry, error) {
	l, err := readLine(text)
	if err != nil {
		return entry{}, err
	}
	if l.Schema == LineKind && l.UUID == "" {
		return entry{}, fmt.Errorf("it is a %s without uuid", LineKind)
	}
	e := entry{UUID: l.UUID, RecordedAt: l.RecordedAt, Tags: l.Tags, Note: l.Note, Study: l.Study, Document: l.Document, Evidence: l.Evidence, Snapshots: l.Snapshots, about: l.About}
	if l.Schema == "" { // a report
		e.RecordedAt = time.Now()
	}
	if e.document, err = readReport(l.Document); err != nil {
		return e, err
	}
	if e.document.Test.Name == "" || e.document.StartedAt == "" {
		return e, errors.New("its document does not say what was run and when")
	}
	return e, nil
}

// twice words that a document has two rows where a table takes one. Other errors stay as they are.
func twice(err error) error {
	var db *sqlite.Error
	if !errors.As(err, &db) || db.Code()&0xff != sqlite3.SQLITE_CONSTRAINT {
		return err
	}
	_, where, _ := strings.Cut(db.Error(), "UNIQUE constraint failed: ")
	table, _, ok := strings.Cut(where, ".")
	if !ok {
		return err
	}
	return fmt.Errorf("its document has two %s where there can be one", table)
}
