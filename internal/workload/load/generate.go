package load

import (
	"context"

	"deltabench/internal/random"
)

// Sizes of the data that generators hand over, in bytes.
const (
	linesPiece = 128 << 10
	statement  = 256 << 10 // of an INSERT
	ahead      = 4         // pieces made before the connection takes them
)

// spanData is a span with its data as it is made.
type spanData struct {
	job    job
	pieces chan piece // at least one, the last one with end set; closed early when the load has ended
}

// piece is data of a span: lines, or a complete INSERT statement.
type piece struct {
	data []byte
	rows int64
	end  bool // of the span
}

// generator makes the rows of spans in a goroutine of its own, while the server works. Workers have one each. One that draws
// a sequence serves all of them, and keeps whole spans for those that are busy.
type generator struct {
	*loader
	ctx   context.Context
	out   chan spanData
	ahead int         // pieces
	free  chan []byte // used buffers
	seq   *sequence   // nil: blocks have sources of their own
}

func (l *loader) newGenerator(ctx context.Context) *generator {
	g := &generator{loader: l, ctx: ctx, out: make(chan spanData, 1), ahead: ahead}
	if l.report.Sequential {
		g.seq = &sequence{plan: &l.Plan, src: l.Sequence, id: 1}
		g.ahead = sequenceSpan*BlockRows*l.Plan.MaxRow/l.piece + 2
	}
	g.free = make(chan []byte, 3*g.ahead)
	return g
}

// run makes spans until there are no more.
func (g *generator) run() {
	defer close(g.out)
	var current *table
	for {
		j, ok := g.schedule.next(current)
		if !ok || !g.span(j) {
			return
		}
		current = j.t
	}
}

// span makes the rows of a span. It returns false when the load has ended.
func (g *generator) span(j job) bool {
	pieces := make(chan piece, g.ahead)
	defer close(pieces)
	select {
	case g.out <- spanData{j, pieces}:
	case <-g.ctx.Done():
		return false
	}
	send := func(p piece) bool {
		select {
		case pieces <- p:
			return true
		case <-g.ctx.Done():
			return false
		}
	}
	p := g.begin(j)
	f := Lines
	if g.report.Method == Insert {
		f = Values
	}
	for id := j.first; id <= j.last; {
		src := g.source(j.t, id)
		end := min(j.last, id+BlockRows-(id-1)%BlockRows-1)
		for ; id <= end; id++ {
			if p.rows > 0 {
				if len(p.data)+g.Plan.MaxRow+1 > g.piece {
					if !send(p) {
						return false
					}
					p = g.begin(j)
				} else if f == Values {
					p.data = append(p.data, ',')
				}
			}
			p.data = g.Plan.AppendRow(p.data, f, src, id)
			p.rows++
		}
		if g.seq != nil {
			g.seq.id = id
		}
	}
	p.end = true
	return send(p)
}

// begin starts a piece.
func (g *generator) begin(j job) piece {
	var buf []byte
	select {
	case buf = <-g.free:
	default:
		buf = make([]byte, 0, g.piece)
	}
	if g.report.Method == Insert {
		buf = append(buf, "INSERT INTO "+j.t.Name+" ("+g.Plan.Columns+") VALUES "...)
	}
	return piece{data: buf}
}

// source returns the source of the block of row id, which is the block's first.
func (g *generator) source(t *table, id int64) *random.Source {
	if g.seq != nil {
		return g.seq.at(t, id)
	}
	src := blockSource(g.Seed, t.index, id)
	return &src
}

// blockSource is the source of the block that row id of a table is in.
func blockSource(seed uint64, table int, id int64) random.Source {
	return random.Derive(seed, uint64(table), uint64((id-1)/BlockRows))
}

// sequence draws the rows of all tables from one source, one after the other. Rows that are not wanted are drawn too.
type sequence struct {
	plan    *Plan
	src     *random.Source
	table   int // of the next row, from 0
	id      int64
	discard []byte
}

// at draws all rows before the given one, which is not before the last.
func (s *sequence) at(t *table, id int64) *random.Source {
	for s.table < t.index || s.id < id {
		if s.table < t.index && s.id > s.plan.Tables[s.table].Rows {
			s.table, s.id = s.table+1, 1
			continue
		}
		s.discard = s.plan.AppendRow(s.discard[:0], Lines, s.src, s.id)
		s.id++
	}
	return s.src
}
