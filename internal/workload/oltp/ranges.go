package oltp

import (
	"strings"

	"deltabench/internal/measure"
	"deltabench/internal/random"
	"deltabench/internal/sqldb"
	"deltabench/internal/workload"
)

// ranges is what select_random_points and select_random_ranges do: one statement on sbtest1 whose parameters
// are drawn from a segment of the table that belongs to the thread.
type ranges struct {
	kind   measure.Kind
	sql    string
	params []sqldb.ParamType
	draws  int     // in an event
	pairs  bool    // each draw fills two parameters: value and value + delta
	delta  float64 // of pairs
	wrong  bool    // a fraction of a range: numbers of placeholders and parameters differ
	// Places in the script that sysbench names in errors.
	startPositions  [2]string // atDriver, atConnect
	preparePosition string
	eventPosition   string
}

func randomPoints(c config) program {
	n := max(1, times(c.randomPoints)) // "?, " n-1 times, and "?"
	return program{ranges: &ranges{
		kind:           kindRandomPoints,
		sql:            "        SELECT id, k, c, pad\n          FROM sbtest1\n          WHERE k IN (" + strings.Repeat("?, ", n-1) + "?)\n        ",
		params:         make([]sqldb.ParamType, n),
		draws:          times(c.randomPoints),
		startPositions: [2]string{"select_random_points.lua:33", "select_random_points.lua:34"}, preparePosition: "select_random_points.lua:38", eventPosition: "select_random_points.lua:71",
	}}
}

func randomRanges(c config) program {
	n := max(1, times(c.numberOfRanges))
	return program{ranges: &ranges{
		kind:           kindRandomRanges,
		sql:            "        SELECT count(k)\n          FROM sbtest1\n          WHERE " + strings.Repeat("k BETWEEN ? AND ? OR ", n-1) + "k BETWEEN ? AND ?",
		params:         make([]sqldb.ParamType, 2*n),
		draws:          times(c.numberOfRanges),
		pairs:          true,
		delta:          c.delta,
		wrong:          2*n != times(2*c.numberOfRanges),
		startPositions: [2]string{"select_random_ranges.lua:35", "select_random_ranges.lua:36"}, preparePosition: "select_random_ranges.lua:42", eventPosition: "select_random_ranges.lua:76",
	}}
}

// init gives the thread its segment.
func (r *ranges) init(w *worker) {
	width := w.run.config.tableSize / float64(w.thread.Threads)
	low := float64(width * float64(w.thread.ID))
	w.low, w.high = random.Uint32(low), random.Uint32(low+width)
}

func (r *ranges) event(w *worker) error {
	switch {
	case r.wrong:
		return nilIndex("select_random_ranges.lua:73")
	case r.draws == 0: // no values for the placeholder that is always there
		w.run.setup.Log.Fatalf("mysql_stmt_execute() returned error 0 () for query '%s'", r.sql)
		return &workload.ScriptError{Position: r.eventPosition, Text: "SQL error, errno = 0, state = '00000': "}
	}
	s := w.stmts[r.kind][0]
	for i := range r.draws {
		v := w.dist.Default(w.rng, w.low, w.high)
		if r.pairs {
			s.SetInt(2*i, int64(v))
			s.SetInt(2*i+1, random.Int64(float64(v)+r.delta))
		} else {
			s.SetInt(i, int64(v))
		}
	}
	return w.execute(s, r.eventPosition)
}
