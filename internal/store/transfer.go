package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"deltabench/internal/evidence"
	"deltabench/internal/report"
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
// whose name another one has here gets a name of its own. Either all is added or, after an error, which names the place in the
// input, nothing.
func (s *Store) Import(ctx context.Context, r io.Reader) (*Imported, error) {
	var done *Imported
	err := s.change(ctx, func(tx *sql.Tx) error {
		done = &Imported{names: map[string]string{}}
		dec := json.NewDecoder(r)
		for number := 1; ; number++ {
			var text json.RawMessage
			err := dec.Decode(&text)
			switch {
			case errors.Is(err, io.EOF):
				return nil
			case errors.Is(err, io.ErrUnexpectedEOF):
				err = errors.New("the input ends in the middle of it")
			case err == nil:
				err = done.add(ctx, tx, number, text)
			}
			if err != nil {
				return fmt.Errorf("value %d of the input: %w", number, err)
			}
		}
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
	return err
}

// readEntry reads a value of an import: a line of an export, or the report of a run, which has no uuid.
func readEntry(text json.RawMessage) (entry, error) {
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		return entry{}, notOurs(err)
	}
	e := entry{RecordedAt: time.Now(), Document: text}
	switch l.Schema {
	case report.Kind:
	case LineKind:
		if l.SchemaVersion > LineVersion {
			return e, fmt.Errorf("it is a %s of version %d, and this deltabench knows versions up to %d", LineKind, l.SchemaVersion, LineVersion)
		}
		if l.UUID == "" || l.Document == nil {
			return e, fmt.Errorf("it is a %s without uuid or document", LineKind)
		}
		e = entry{UUID: l.UUID, RecordedAt: l.RecordedAt, Tags: l.Tags, Note: l.Note, Study: l.Study, Document: l.Document, Evidence: l.Evidence, Snapshots: l.Snapshots, about: l.About}
	default:
		return e, notOurs(nil)
	}
	e.document = &report.Document{}
	if err := json.Unmarshal(e.Document, e.document); err != nil {
		return e, fmt.Errorf("its document: %w", err)
	}
	d := e.document
	switch {
	case d.Schema != report.Kind:
		return e, fmt.Errorf("its document is no %s", report.Kind)
	case d.SchemaVersion > report.SchemaVersion:
		return e, fmt.Errorf("its document is a %s of version %d, and this deltabench knows versions up to %d", report.Kind, d.SchemaVersion, report.SchemaVersion)
	case d.Test.Name == "" || d.StartedAt == "":
		return e, errors.New("its document does not say what was run and when")
	}
	return e, nil
}

// notOurs is the error of a value that is something else.
func notOurs(err error) error {
	text := "it is neither a run ('deltabench runs export') nor a report (--report=json)"
	if err != nil {
		return fmt.Errorf("%s: %w", text, err)
	}
	return errors.New(text)
}
