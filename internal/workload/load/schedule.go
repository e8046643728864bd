package load

import "sync"

// span is a range of ids, both ends included, that is loaded in one transaction. It begins with a block and ends with
// one. An empty span (last = first-1) stands for work without rows.
type span struct{ first, last int64 }

func (s span) rows() int64 { return s.last - s.first + 1 }

// maxSpan is how many blocks a transaction has at most. Larger transactions gain nothing and are undone for longer
// when they are interrupted.
const maxSpan = 5

// sequenceSpan is the same for rows of a sequence, which are kept in memory until a connection is free.
const sequenceSpan = 1

// table is a table while it is loaded.
type table struct {
	Table
	index   int           // in the plan, from 0
	exists  bool          // it was there
	indexed bool          // so was its secondary index
	checked bool          // it must be looked at again before a span is loaded: another load may just have ended
	created chan struct{} // closed when the table exists

	// Of the schedule.
	missing []span // not dealt yet, ascending
	open    int    // spans not loaded yet
	started bool
	workers int // that this table is the current one of
}

// left is the number of rows to load.
func (t *table) left() (n int64) {
	for _, s := range t.missing {
		n += s.rows()
	}
	return n
}

// job is a span to load.
type job struct {
	span
	t      *table
	create bool // the table must be created first
}

// schedule deals spans to workers: one worker to a table as long as there are tables, then several.
type schedule struct {
	mu     sync.Mutex
	tables []*table
	fresh  int // tables before it are started
}

// newSchedule cuts what the tables lack into spans: small enough that all threads have some to do.
func newSchedule(tables []*table, threads int, largest int64) *schedule {
	var blocks int64
	for _, t := range tables {
		blocks += (t.left() + BlockRows - 1) / BlockRows
	}
	size := min(max(blocks/int64(4*threads), 1), largest)
	for _, t := range tables {
		t.missing = cut(t.missing, size)
		t.open = len(t.missing)
		t.started = t.open == 0
	}
	return &schedule{tables: tables}
}

// cut divides spans into spans of at most the given number of blocks.
func cut(spans []span, blocks int64) (out []span) {
	for _, s := range spans {
		for s.last-s.first+1 > blocks*BlockRows {
			end := s.first + blocks*BlockRows - 1
			out = append(out, span{s.first, end})
			s.first = end + 1
		}
		out = append(out, s)
	}
	return out
}

// size is the number of spans.
func (s *schedule) size() (n int) {
	for _, t := range s.tables {
		n += t.open
	}
	return n
}

// next deals a span to a worker whose last one was of the table current (nil: none).
func (s *schedule) next(current *table) (job, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := current
	if t == nil || len(t.missing) == 0 {
		if t != nil {
			t.workers--
		}
		if t = s.choose(); t == nil {
			return job{}, false
		}
		t.workers++
	}
	j := job{span: t.missing[0], t: t, create: !t.started && !t.exists}
	t.started = true
	t.missing = t.missing[1:]
	return j, true
}

// choose returns a table that nobody has started, else the one with most to do for each worker.
func (s *schedule) choose() (best *table) {
	for ; s.fresh < len(s.tables); s.fresh++ {
		if t := s.tables[s.fresh]; !t.started {
			return t
		}
	}
	for _, t := range s.tables {
		if n := len(t.missing); n > 0 && (best == nil || n*(best.workers+1) > len(best.missing)*(t.workers+1)) {
			best = t
		}
	}
	return best
}

// done notes that a span is loaded, and reports whether it was the table's last.
func (s *schedule) done(t *table) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	t.open--
	return t.open == 0
}
