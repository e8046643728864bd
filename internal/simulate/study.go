package simulate

import "math/rand/v2"

// Order is how the runs of a study follow one another.
type Order int

// Orders of runs. In rounds the scenarios come in a shuffled order in every round, and every scenario is started once a
// round. In blocks all rounds of a scenario come before those of the next one, with a start a round or with one for all.
const (
	Rounds Order = iota
	Blocks
	BlocksOneStart
)

// Design is what a study runs.
type Design struct {
	Scenarios int // with the baseline, which is number 0
	Cells     int // workload x threads
	Workloads int // workload w has the cells with floor(c·Workloads/Cells) = w
	Rounds    int
	Order     Order
	// Effect is the true change of scenario s in cell c, log-%. Nil: none.
	Effect func(s, c int) float64
}

// Generator makes studies of a design in a world. It belongs to one goroutine.
type Generator struct {
	World
	Design
	y     []float64 // log-%, by scenario, round, cell
	d     []float64 // drift by run
	order []int     // scenarios of a round
}

// NewGenerator allocates what studies need.
func NewGenerator(w World, d Design) *Generator {
	runs := d.Scenarios * d.Rounds * d.Cells
	g := &Generator{World: w, Design: d, y: make([]float64, runs), d: make([]float64, runs), order: make([]int, d.Scenarios)}
	for s := range g.order {
		g.order[s] = s
	}
	return g
}

// Next replaces the study with another one.
func (g *Generator) Next(r *rand.Rand) {
	g.drift(r, g.d)
	for round := range g.Design.Rounds {
		if g.Order == Rounds {
			// From the same order in every study, so that a study depends on its own source alone.
			for s := range g.order {
				g.order[s] = s
			}
			r.Shuffle(len(g.order), func(i, j int) { g.order[i], g.order[j] = g.order[j], g.order[i] })
		}
		for pos, s := range g.order {
			t := (round*g.Scenarios + pos) * g.Cells
			if g.Order != Rounds {
				t = (s*g.Design.Rounds + round) * g.Cells
			}
			g.fill(r, s, round, t)
		}
	}
	if g.Order == BlocksOneStart {
		g.oneStart(r)
	}
}

// fill makes the runs of one start, of which the first is run t of the study.
func (g *Generator) fill(r *rand.Rand, s, round, t int) {
	var u float64
	if g.Order != BlocksOneStart {
		u = g.start(r)
	}
	loud := g.loudness(s)
	for c := range g.Cells {
		var effect float64
		if g.Effect != nil {
			effect = g.Effect(s, c)
		}
		g.y[(s*g.Design.Rounds+round)*g.Cells+c] = effect + g.d[t+c] + loud*(u+g.run(r))
	}
}

// oneStart gives all runs of a scenario the same start.
func (g *Generator) oneStart(r *rand.Rand) {
	runs := g.Design.Rounds * g.Cells
	for s := range g.Scenarios {
		u := g.loudness(s) * g.start(r)
		for i := range runs {
			g.y[s*runs+i] += u
		}
	}
}

// At is the value of scenario s in a round and a cell, a natural logarithm.
func (g *Generator) At(s, round, c int) float64 {
	return g.y[(s*g.Design.Rounds+round)*g.Cells+c] / 100
}

// Logs appends to dst the logarithms of the ratios of scenario s to the baseline in cell c, a round each.
func (g *Generator) Logs(dst []float64, s, c int) []float64 {
	for round := range g.Design.Rounds {
		dst = append(dst, g.At(s, round, c)-g.At(0, round, c))
	}
	return dst
}

// workload is the one that cell c belongs to.
func (d *Design) workload(c int) int { return c * d.Workloads / d.Cells }

// Rows is the number of comparisons of a scenario: its cells, and a mean for each workload of two or more cells.
func (d *Design) Rows() int {
	rows := d.Cells
	for w, c := 0, 0; w < d.Workloads; w++ {
		size := 0
		for ; c < d.Cells && d.workload(c) == w; c++ {
			size++
		}
		if size > 1 {
			rows++
		}
	}
	return rows
}

// Comparisons fills rows with those of scenario s, cells first, then workload means. Each row of it has room
// for all rounds.
func (g *Generator) Comparisons(rows [][]float64, s int) {
	for c := range g.Cells {
		rows[c] = g.Logs(rows[c][:0], s, c)
	}
	next := g.Cells
	for first := 0; first < g.Cells; {
		end := first + 1
		for end < g.Cells && g.workload(end) == g.workload(first) {
			end++
		}
		if end > first+1 {
			mean := rows[next][:0]
			for round := range g.Design.Rounds {
				var sum float64
				for c := first; c < end; c++ {
					sum += rows[c][round]
				}
				mean = append(mean, sum/float64(end-first))
			}
			rows[next] = mean
			next++
		}
		first = end
	}
}

// newRows makes room for the comparisons of one scenario.
func newRows(d *Design) [][]float64 {
	rows := make([][]float64, d.Rows())
	for i := range rows {
		rows[i] = make([]float64, 0, d.Rounds)
	}
	return rows
}
