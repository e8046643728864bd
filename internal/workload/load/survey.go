package load

import (
	"fmt"
	"strconv"

	"deltabench/internal/sqldb"
)

// survey finds out which blocks the tables lack, and whether what is there belongs to this load.
func (l *loader) survey(db sqldb.Loader) error {
	l.report.Sequential = l.Sequence != nil && l.Threads <= 1
	var found []sample
	for _, t := range l.tables {
		if !t.exists {
			t.missing = []span{{1, t.Rows}}
			continue
		}
		s, err := l.surveyTable(db, t)
		if err != nil {
			return err
		}
		if s.row != "" {
			found = append(found, s)
		}
	}
	return l.recognise(found)
}

// sample is the first row of a block that is there.
type sample struct {
	t   *table
	id  int64
	row string
}

// surveyTable finds the missing blocks of a table and returns the first row of the first block that is not.
func (l *loader) surveyTable(db sqldb.Loader, t *table) (sample, error) {
	t.checked = true
	if t.IndexName != "" {
		rows, err := rowsOf(db, "SHOW INDEX FROM "+t.Name+" WHERE Key_name = '"+t.IndexName+"'")
		if err != nil {
			return sample{}, fmt.Errorf("look for the index of %s: %w", t.Name, err)
		}
		t.indexed = len(rows) > 0
	}
	there, err := l.blocks(db, "SELECT "+l.blockColumns()+" FROM "+t.Name+" GROUP BY 1", t)
	if err != nil {
		return sample{}, err
	}
	var first int64
	for id := int64(1); id <= t.Rows; id += BlockRows {
		b := span{id, min(id+BlockRows-1, t.Rows)}
		switch n := len(t.missing); {
		case there[id]:
			l.report.Kept += b.rows()
			if first == 0 {
				first = id
			}
		case n > 0 && t.missing[n-1].last == id-1:
			t.missing[n-1].last = b.last
		default:
			t.missing = append(t.missing, b)
		}
	}
	if len(t.missing) == 0 && t.IndexName != "" && !t.indexed {
		t.missing = []span{{t.Rows + 1, t.Rows}}
	}
	if first == 0 {
		return sample{}, nil
	}
	s := sample{t: t, id: first}
	_, err = db.Try("SELECT "+l.Plan.Columns+" FROM "+t.Name+" WHERE id = "+strconv.FormatInt(first, 10), func(columns [][]byte) error {
		for i, c := range columns {
			if i > 0 {
				s.row += "\t"
			}
			s.row += string(c)
		}
		s.row += "\n"
		return nil
	})
	if err != nil {
		return s, fmt.Errorf("read a row of %s: %w", t.Name, err)
	}
	return s, nil
}

// blockColumns are the columns that blocks reads.
func (l *loader) blockColumns() string {
	return fmt.Sprintf("(id - 1) DIV %d, COUNT(*), SUM(%s), MIN(id), MAX(id)", BlockRows, l.Plan.Whole)
}

// blocks returns the first ids of the blocks that are complete, by a query for blockColumns.
func (l *loader) blocks(db sqldb.Loader, query string, t *table) (map[int64]bool, error) {
	rows, err := rowsOf(db, query)
	if err != nil {
		return nil, fmt.Errorf("look at the rows of %s: %w", t.Name, err)
	}
	there := map[int64]bool{}
	for _, r := range rows {
		var n [5]int64
		for i := range n {
			if n[i], err = strconv.ParseInt(r[i], 10, 64); err != nil {
				return nil, fmt.Errorf("look at the rows of %s: %w", t.Name, err)
			}
		}
		first := n[0]*BlockRows + 1
		want := min(int64(BlockRows), t.Rows-first+1)
		if n[3] < 1 || n[4] > t.Rows {
			return nil, refuse("%s has rows that a table of %d rows does not have (ids %d to %d): give the options of the interrupted load, or remove the tables: %s",
				t.Name, t.Rows, n[3], n[4], l.CleanupHint)
		}
		there[first] = n[1] == want && n[2] == want
	}
	return there, nil
}

// recognise compares rows that are there with those that would be loaded. What one thread began without a seed is
// gone on with as one thread.
func (l *loader) recognise(found []sample) error {
	if len(found) == 0 {
		return nil
	}
	sequential := false
	for i, s := range found {
		src := blockSource(l.Seed, s.t.index, s.id)
		if string(l.Plan.AppendRow(nil, Lines, &src, s.id)) == s.row {
			continue
		}
		if i == 0 {
			sequential = l.inSequence(s)
		}
		if !sequential {
			return refuse("%s holds other rows than these options make (id %d): give the --rand-* options and the --table-size of the interrupted load, or remove the tables: %s",
				s.t.Name, s.id, l.CleanupHint)
		}
		break
	}
	l.report.Sequential = sequential
	return nil
}

// inSequence reports whether a row is the one that the sequence has there.
func (l *loader) inSequence(s sample) bool {
	if l.Sequence == nil {
		return false
	}
	src := *l.Sequence
	seq := &sequence{plan: &l.Plan, src: &src, id: 1}
	return string(l.Plan.AppendRow(nil, Lines, seq.at(s.t, s.id), s.id)) == s.row
}

// lookAgain reports whether the rows of a span are there by now, and removes a part of them. A load that was killed a moment
// ago may still be committed or undone by the server: locks are waited for.
func (w *worker) lookAgain(j job) (there bool, err error) {
	if !j.t.checked {
		return false, nil
	}
	// With this isolation level nothing is locked but rows, so that workers do not wait for each other.
	if _, err := w.db.Try("SET TRANSACTION ISOLATION LEVEL READ COMMITTED", nil); lost(err) {
		return false, err
	}
	within := fmt.Sprintf(" FROM %s WHERE id BETWEEN %d AND %d", j.t.Name, j.first, j.last)
	blocks, err := w.blocks(w.db, "SELECT "+w.blockColumns()+within+" GROUP BY 1 LOCK IN SHARE MODE", j.t)
	if err != nil {
		return false, err
	}
	complete := int64(0)
	for _, whole := range blocks {
		if whole {
			complete++
		}
	}
	switch {
	case len(blocks) == 0:
		return false, nil
	case complete == (j.rows()+BlockRows-1)/BlockRows:
		return true, nil
	}
	_, err = w.db.Try("DELETE"+within, nil)
	return false, err
}
