package store

import (
	"bytes"
	"compress/zlib"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"deltabench/internal/evidence"
	"deltabench/internal/report"
)

// timeLayout is that of all times in the tables: UTC, of one length, so that text sorts as time does.
const timeLayout = "2006-01-02T15:04:05.000000000Z"

// Recorded is a run to be recorded.
type Recorded struct {
	Document *report.Document
	Tags     map[string]string
	Note     string
	Study    *Place // nil: of no study

	Evidence  *evidence.Run                // of the server; nil: none. It needs Study.Target
	Snapshots map[string]evidence.Snapshot // that the evidence refers to, by their hashes; those that the store has may be left out
}

// Place is where a run belongs in a study.
type Place struct {
	Study    string `json:"study"`              // name
	Question string `json:"question,omitempty"` // of the study; the first one recorded stays
	Scenario string `json:"scenario"`
	Round    int    `json:"round"`    // from 1
	Position int    `json:"position"` // within the round, from 1

	Target   string  `json:"target,omitempty"`   // empty: a place of before there were targets
	Workload string  `json:"workload,omitempty"` // name in the study
	Threads  int     `json:"threads,omitempty"`
	Share    float64 `json:"share,omitempty"` // of the baseline's peak; 0: of the ladder
}

// Record adds a run and returns its number. When it returns, the run is on the disk, and other processes see it.
// Errors of the file are of type *Problem.
func (s *Store) Record(ctx context.Context, r Recorded) (int64, error) {
	text, err := r.Document.Encode(report.JSON)
	if err != nil {
		return 0, err
	}
	e := entry{Document: text, document: r.Document, Tags: r.Tags, Note: r.Note, Study: r.Study, Evidence: r.Evidence, Snapshots: r.Snapshots, RecordedAt: time.Now()}
	if e.UUID, err = newUUID(); err != nil {
		return 0, err
	}
	var id int64
	err = s.change(ctx, func(tx *sql.Tx) error {
		id, err = insert(ctx, tx, e)
		return err
	})
	return id, err
}

// change runs a transaction; its errors are worded.
func (s *Store) change(ctx context.Context, do func(*sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return problem(s.path, err)
	}
	defer tx.Rollback() // after the commit it does nothing
	if err := do(tx); err != nil {
		return problem(s.path, err)
	}
	return problem(s.path, tx.Commit())
}

// newUUID is a random name for a run, by which its copies in other stores are known.
func newUUID() (string, error) {
	var b [16]byte
	if _, err := rand.Read(b[:]); err != nil {
		return "", err
	}
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80 // version 4
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:]), nil
}

// hashOf tells documents apart, whatever their white space.
func hashOf(text []byte) (string, error) {
	var b bytes.Buffer
	if err := json.Compact(&b, bytes.TrimSpace(text)); err != nil {
		return "", err
	}
	sum := sha256.Sum256(b.Bytes())
	return hex.EncodeToString(sum[:]), nil
}

// deflaters and inflaters are used again: a new one takes much more than the small texts that they work on.
var (
	deflaters = sync.Pool{New: func() any {
		w, _ := zlib.NewWriterLevel(nil, zlib.BestSpeed) // fails for unknown levels only
		return w
	}}
	inflaters sync.Pool // of io.ReadCloser, which are zlib.Resetter
)

// deflate compresses a text as zlib does, which the function sqlar_uncompress of the sqlite3 shell undoes.
func deflate(text []byte) ([]byte, error) {
	var b bytes.Buffer
	w := deflaters.Get().(*zlib.Writer)
	defer deflaters.Put(w)
	w.Reset(&b)
	_, err := w.Write(text)
	if err == nil {
		err = w.Close()
	}
	return b.Bytes(), err
}

// inflate undoes deflate.
func inflate(content []byte) ([]byte, error) {
	r, ok := inflaters.Get().(io.ReadCloser)
	var err error
	if ok {
		err = r.(zlib.Resetter).Reset(bytes.NewReader(content), nil)
	} else {
		r, err = zlib.NewReader(bytes.NewReader(content))
	}
	if err != nil {
		return nil, err
	}
	defer inflaters.Put(r)
	return io.ReadAll(r)
}

// Document returns the document of a run; ErrNoRun when there is no such run. That of a damaged one is a *Problem.
func (s *Store) Document(ctx context.Context, id int64) (*report.Document, error) {
	d, err := readDocument(ctx, s.db, id)
	return d, problem(s.path, err)
}

func readDocument(ctx context.Context, q queryer, id int64) (*report.Document, error) {
	text, err := documentText(ctx, q, id)
	if err != nil {
		return nil, err
	}
	d := &report.Document{}
	if err := json.Unmarshal(text, d); err != nil {
		return nil, &damage{fmt.Sprintf("document of run %d", id), err}
	}
	return d, nil
}

// documentText returns the document of a run as it was recorded.
func documentText(ctx context.Context, q queryer, id int64) ([]byte, error) {
	var content []byte
	err := q.QueryRowContext(ctx, "SELECT content FROM documents WHERE run_id = ?", id).Scan(&content)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, noRun(id)
	}
	if err != nil {
		return nil, err
	}
	text, err := inflate(content)
	if err != nil {
		err = &damage{fmt.Sprintf("document of run %d", id), err}
	}
	return text, err
}

// ErrNoRun says that a store has no run of that number.
var ErrNoRun = errors.New("there is no such run")

func noRun(id int64) error { return fmt.Errorf("run %d: %w", id, ErrNoRun) }
