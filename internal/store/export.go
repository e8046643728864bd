package store

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	sqlite3 "modernc.org/sqlite/lib"
)

// Incomplete is the error of an export that left damaged runs out. All others were written.
type Incomplete struct {
	Damaged []string // a line for each run, or settings of runs, that was left out
	problem *Problem
}

// Error is a line with the numbers.
func (e *Incomplete) Error() string { return e.problem.Error() }

// Unwrap gives the *Problem.
func (e *Incomplete) Unwrap() error { return e.problem }

// Export writes the runs that a filter chooses as lines of JSON, oldest first, and returns how many it has written. The
// documents are the recorded ones, byte for byte. A number of Filter.IDs that is no run is an error (ErrNoRun), before
// anything is written. Damaged runs are left out; the error is of type *Incomplete then.
func (s *Store) Export(ctx context.Context, w io.Writer, f Filter) (int, error) {
	runs, damaged, err := s.readable(ctx, f)
	if err != nil {
		return 0, err
	}
	if err := f.missing(runs, damaged); err != nil {
		return 0, err
	}
	var faults []string
	for _, d := range damaged {
		faults = append(faults, d.Error())
	}
	out := bufio.NewWriter(w)
	told := map[string]bool{}
	written, left := 0, len(damaged)
	for _, r := range runs {
		text, l, err := s.lineOf(ctx, r, told)
		if ctx.Err() != nil {
			return written, ctx.Err()
		}
		if err != nil && !isDamage(err) {
			return written, problem(s.path, err)
		}
		if err != nil {
			faults = append(faults, faultOf(r.ID, err))
			left++
			continue
		}
		if _, err := out.Write(text); err != nil {
			return written, err
		}
		for _, name := range l.brings { // of lines that were written only
			told[name] = true
		}
		faults = append(faults, l.lost...)
		written++
	}
	if err := out.Flush(); err != nil {
		return written, err
	}
	if len(faults) == 0 {
		return written, nil
	}
	p := &Problem{Path: s.path, Reason: fmt.Sprintf("it is damaged: runs exported %d, left out %d", written, left)}
	if written == 0 {
		p.Fix = recovery(s.path)
	}
	return written, &Incomplete{Damaged: faults, problem: p}
}

// lineOf makes the line of a run, as text and as it was. told are the snapshots and studies of earlier lines.
func (s *Store) lineOf(ctx context.Context, r Run, told map[string]bool) ([]byte, *line, error) {
	document, err := s.wholeDocument(ctx, r.ID)
	if err != nil {
		return nil, nil, err
	}
	l := &line{
		Schema: LineKind, SchemaVersion: LineVersion, UUID: r.UUID, RecordedAt: r.RecordedAt, Tags: r.Tags, Note: r.Note, Study: r.Study,
		Document: bytes.TrimSpace(document),
	}
	if err := s.addStudy(ctx, r.ID, l, told); err != nil {
		return nil, nil, err
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // else documents would change
	err = enc.Encode(l)
	return b.Bytes(), l, err
}

// wholeDocument returns the document of a run that is there. One that is not what was recorded is an error of type *damage.
func (s *Store) wholeDocument(ctx context.Context, id int64) ([]byte, error) {
	what := fmt.Sprintf("document of run %d", id)
	text, err := documentText(ctx, s.db, id)
	if errors.Is(err, ErrNoRun) {
		return nil, &damage{what, errors.New("it is missing")}
	}
	if err != nil {
		return nil, err
	}
	var hash string
	if err := s.db.QueryRowContext(ctx, "SELECT hash FROM runs WHERE id = ?", id).Scan(&hash); err != nil {
		return nil, err
	}
	if err := sameDocument(text, hash); err != nil {
		return nil, &damage{what, err}
	}
	return text, nil
}

// sameDocument compares a document with its hash.
func sameDocument(text []byte, want string) error {
	hash, err := hashOf(text)
	if err == nil && hash != want {
		err = errors.New("it is not the one that was recorded")
	}
	return err
}

// readable returns the runs that a filter chooses. Where the file is so damaged that they cannot be listed, they are looked for one by one;
// damaged are those that cannot be read.
func (s *Store) readable(ctx context.Context, f Filter) (runs []Run, damaged []*damage, err error) {
	runs, err = s.Runs(ctx, f)
	if !isDamage(err) {
		return runs, nil, err
	}
	runs = nil
	ids := slices.Clone(f.IDs)
	if f.IDs == nil {
		var last int64
		if err := s.db.QueryRowContext(ctx, "SELECT seq FROM sqlite_sequence WHERE name = 'runs'").Scan(&last); err != nil {
			return nil, nil, hopeless(s.path, err)
		}
		for id := int64(1); id <= last; id++ {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		f.IDs = []int64{id}
		one, err := s.Runs(ctx, f)
		switch {
		case isDamage(err):
			damaged = append(damaged, &damage{fmt.Sprintf("run %d", id), errors.New("the file is damaged where it is, if it is there")})
		case err != nil:
			return nil, nil, err
		}
		runs = append(runs, one...)
	}
	return runs, damaged, nil
}

// missing is the error of the first number that was asked for and is not among the runs, as long as all could be read.
func (f Filter) missing(runs []Run, damaged []*damage) error {
	there := map[int64]bool{}
	for _, r := range runs {
		there[r.ID] = true
	}
	for _, id := range f.IDs {
		if !there[id] && len(damaged) == 0 {
			return noRun(id)
		}
	}
	return nil
}

// damage is the error of something in the store that is not what was recorded.
type damage struct {
	what string // "document of run 3"
	err  error
}

func (d *damage) Error() string { return d.what + ": " + d.err.Error() }

func (d *damage) Unwrap() error { return d.err }

// isDamage tells what is damaged from what is locked, interrupted and so on.
func isDamage(err error) bool {
	var d *damage
	return errors.As(err, &d) || isCode(err, sqlite3.SQLITE_CORRUPT)
}

// faultOf is the line about a damaged run.
func faultOf(id int64, err error) string {
	var d *damage
	if errors.As(err, &d) {
		return d.Error()
	}
	return fmt.Sprintf("run %d: the file is damaged where it is", id)
}

// hopeless is the problem of a damaged file that export cannot read either.
func hopeless(path string, err error) error {
	err = problem(path, err)
	var p *Problem
	if errors.As(err, &p) && isDamage(err) {
		p.Fix = recovery(path)
	}
	return err
}

// recovery is the advice where this program can do nothing more.
func recovery(path string) string {
	return fmt.Sprintf("the sqlite3 shell may save more: sqlite3 '%s' .recover | sqlite3 NEWFILE; then move it away", path)
}
