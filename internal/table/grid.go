package table

import (
	"slices"
	"strings"
)

// grid is a table before it has a form.
type grid struct {
	columns []column
	rows    []row
}

// column is a column of a grid.
type column struct {
	head  string
	right bool // numbers
	wrap  bool // texts that may be broken into several lines
	key   bool // says which row it is: repeated where a grid is cut into parts
	tight bool // one space before it in place of two: it belongs to the column before
	// block numbers columns that stay together where a grid is cut into parts. Grids whose columns are all in block 0 are never cut.
	block int
}

// row has a cell for each column, or is the heading of the rows below it.
type row struct {
	heading string
	cells   []cell
	// more belongs to the row before it, as the check line does.
	more bool
}

// cell is a text with what it means; line ends in it stay.
type cell struct {
	text    string
	verdict string // better, worse and so on: the colour; empty: none
	mark    string // numbers of footnotes behind it
}

func (c cell) full() string {
	if c.mark == "" {
		return c.text
	}
	return strings.TrimLeft(c.text+" "+c.mark, " ")
}

// ascii returns the grid without other characters than ASCII.
func (g *grid) ascii() *grid {
	spell := func(s string) string { return toASCII(asciiMarks(s)) }
	out := &grid{columns: slices.Clone(g.columns)}
	for i := range out.columns {
		out.columns[i].head = toASCII(out.columns[i].head)
	}
	for _, r := range g.rows {
		r.heading = toASCII(r.heading)
		r.cells = slices.Clone(r.cells)
		for i, c := range r.cells {
			if strings.HasPrefix(c.text, missing) { // with a mark of its own
				c.text = asciiMarks(c.text)
			}
			r.cells[i] = cell{text: toASCII(c.text), verdict: c.verdict, mark: spell(c.mark)}
		}
		out.rows = append(out.rows, r)
	}
	return out
}

// gutters moves the marks of columns of numbers behind the numbers, so that these stay below each other.
func (g *grid) gutters() *grid {
	out := &grid{columns: g.columns}
	for _, r := range g.rows {
		r.cells = slices.Clone(r.cells)
		out.rows = append(out.rows, r)
	}
	for i, c := range g.columns {
		w := 0
		for _, r := range out.rows {
			if c.right && r.cells != nil {
				w = max(w, cellWidth(r.cells[i].mark))
			}
		}
		if w == 0 {
			continue
		}
		for _, r := range out.rows {
			if r.cells == nil || r.cells[i].text == "" {
				continue
			}
			lines := strings.Split(r.cells[i].text, "\n")
			for k := range lines {
				mark := ""
				if k == len(lines)-1 {
					mark = r.cells[i].mark
				}
				lines[k] += " " + mark + strings.Repeat("\u00a0", w-cellWidth(mark))
			}
			r.cells[i] = cell{text: strings.Join(lines, "\n"), verdict: r.cells[i].verdict}
		}
	}
	return out
}

// withoutEmpty leaves out columns that say nothing.
func (g *grid) withoutEmpty() *grid {
	out := &grid{}
	var keep []int
	for i, col := range g.columns {
		if slices.ContainsFunc(g.rows, func(r row) bool { return r.cells != nil && r.cells[i].full() != "" }) {
			keep = append(keep, i)
			out.columns = append(out.columns, col)
		}
	}
	for _, r := range g.rows {
		if r.cells != nil {
			cells := make([]cell, len(keep))
			for j, i := range keep {
				cells[j] = r.cells[i]
			}
			r.cells = cells
		}
		out.rows = append(out.rows, r)
	}
	return out
}

// minWrap is the width below which columns of text are not made narrower.
const minWrap = 8

// gap is what stands before a column.
func (c *column) gap(i int) int {
	switch {
	case i == 0:
		return 0
	case c.tight:
		return 1
	}
	return 2
}

// widths returns the width of each column so that all fit in total, and whether they do.
func (g *grid) widths(total int) ([]int, bool) {
	w := make([]int, len(g.columns))
	least := make([]int, len(g.columns))
	sum := 0
	for i := range g.columns {
		c := &g.columns[i]
		for _, p := range pieces(strings.ReplaceAll(c.head, "\n", " ")) {
			w[i] = max(w[i], cellWidth(strings.TrimRight(p, " ")))
		}
		least[i] = w[i]
		for _, r := range g.rows {
			if r.cells == nil {
				continue
			}
			for line := range strings.SplitSeq(r.cells[i].full(), "\n") {
				w[i] = max(w[i], cellWidth(line))
			}
		}
		if !c.wrap {
			least[i] = w[i]
		}
		least[i] = max(least[i], min(minWrap, w[i]))
		sum += w[i] + c.gap(i)
	}
	for sum > total { // the widest column of text gives
		widest := -1
		for i := range w {
			if w[i] > least[i] && (widest < 0 || w[i] > w[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return w, false
		}
		w[widest]--
		sum--
	}
	// Heads get room that is left, so that they take fewer lines.
	for i := range g.columns {
		if want := headWidth(g.columns[i].head); want > w[i] && want <= w[i]+6 && sum+want-w[i] <= total {
			sum += want - w[i]
			w[i] = want
		}
	}
	return w, true
}

func headWidth(head string) int {
	n := 0
	for line := range strings.SplitSeq(head, "\n") {
		n = max(n, cellWidth(line))
	}
	return n
}

// parts cuts the grid into grids that fit in a width: each has the key columns and as many blocks as there is room for.
// fits says whether all of them do.
func (g *grid) parts(total int) (list []*grid, fits bool) {
	if _, ok := g.widths(total); ok {
		return []*grid{g}, true
	}
	var keys []int
	blocks := map[int][]int{}
	var order []int
	for i, c := range g.columns {
		switch {
		case c.key:
			keys = append(keys, i)
		case blocks[c.block] == nil:
			order = append(order, c.block)
			fallthrough
		default:
			blocks[c.block] = append(blocks[c.block], i)
		}
	}
	if len(order) < 2 {
		return []*grid{g}, false
	}
	fits = true
	var current []int
	for _, b := range order {
		more := append(slices.Clone(current), blocks[b]...)
		if current != nil {
			if _, ok := g.selected(keys, more).widths(total); !ok {
				list = append(list, g.selected(keys, current))
				more = blocks[b]
			}
		}
		current = more
	}
	list = append(list, g.selected(keys, current))
	for _, p := range list {
		if _, ok := p.widths(total); !ok {
			fits = false
		}
	}
	return list, fits
}

func (g *grid) selected(keys, others []int) *grid {
	out := &grid{}
	columns := slices.Concat(keys, others)
	for _, i := range columns {
		out.columns = append(out.columns, g.columns[i])
	}
	for _, r := range g.rows {
		if r.cells != nil {
			cells := make([]cell, len(columns))
			said := false
			for j, i := range columns {
				cells[j] = r.cells[i]
				said = said || j >= len(keys) && cells[j].full() != ""
			}
			if !said { // only another part has something
				continue
			}
			r.cells = cells
		}
		out.rows = append(out.rows, r)
	}
	return out
}

// colours are ECMA-48's: they come with a word and a sign, which say the same.
var colours = map[string]string{"better": "\x1b[32m", "worse": "\x1b[31m", "undecided": "\x1b[33m", "preliminary": "\x1b[33m", "contradicted": "\x1b[35m"}

const colourOff = "\x1b[0m"

// terminal writes the grid for a terminal.
func (g *grid) terminal(b *strings.Builder, s Style) {
	if s.ASCII {
		g = g.ascii()
	}
	g = g.withoutEmpty().gutters()
	parts, fits := g.parts(s.Width)
	if !fits {
		g.stacked(b, s)
		return
	}
	for i, p := range parts {
		if i > 0 {
			b.WriteByte('\n')
		}
		p.aligned(b, s)
	}
}

func (g *grid) aligned(b *strings.Builder, s Style) {
	w, _ := g.widths(s.Width)
	spaces := strings.NewReplacer("\u00a0", " ")
	out := b
	b = &strings.Builder{}
	defer func() {
		for line := range strings.Lines(spaces.Replace(b.String())) {
			out.WriteString(strings.TrimRight(line, " \n") + "\n")
		}
	}()
	head := make([]cell, len(g.columns))
	for i, c := range g.columns {
		head[i].text = c.head
	}
	// Heads stand on the line above the rows, whatever their height.
	g.line(b, head, w, s, true)
	for i, r := range g.rows {
		if r.cells == nil {
			if i > 0 {
				b.WriteByte('\n')
			}
			for _, line := range wrap(r.heading, s.Width) {
				b.WriteString(line + "\n")
			}
			continue
		}
		g.line(b, r.cells, w, s, false)
	}
}

// line writes cells side by side, in as many lines as the highest needs.
func (g *grid) line(b *strings.Builder, cells []cell, w []int, s Style, bottom bool) {
	height := 0
	texts := make([][]string, len(cells))
	for i, c := range cells {
		texts[i] = wrap(c.full(), w[i])
		height = max(height, len(texts[i]))
	}
	for n := range height {
		column, text := 0, ""
		for i := range cells {
			k := n
			if bottom {
				k = n - (height - len(texts[i]))
			}
			t := ""
			if 0 <= k && k < len(texts[i]) {
				t = texts[i][k]
			}
			begin := g.columns[i].gap(i)
			for j := range i {
				begin += w[j] + g.columns[j].gap(j)
			}
			if g.columns[i].right {
				begin += w[i] - cellWidth(t)
			}
			if t == "" {
				continue
			}
			text += strings.Repeat(" ", begin-column)
			column = begin + cellWidth(t)
			visible := strings.TrimRight(t, "\u00a0 ")
			text += paint(visible, cells[i].verdict, s) + t[len(visible):]
		}
		b.WriteString(text + "\n")
	}
}

func paint(text, verdict string, s Style) string {
	if colour := colours[verdict]; s.Color && colour != "" {
		return colour + text + colourOff
	}
	return text
}

// stacked writes a line for each cell: nothing else fits.
func (g *grid) stacked(b *strings.Builder, s Style) {
	for i, r := range g.rows {
		switch {
		case r.cells == nil:
			if i > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(prose(r.heading, s.Width, 0) + "\n")
			continue
		case i > 0 && !r.more && g.rows[i-1].cells != nil:
			b.WriteByte('\n')
		}
		for j, c := range r.cells {
			text := strings.Join(strings.Fields(c.full()), " ")
			if text == "" {
				continue
			}
			head := strings.ReplaceAll(g.columns[j].head, "\n", " ")
			if head != "" {
				head += ": "
			}
			lines := wrap(head+text, max(s.Width-2, 10))
			for k, line := range lines {
				if k > 0 || j > 0 {
					line = "  " + line
				}
				if c.verdict != "" {
					line = paint(line, c.verdict, s)
				}
				b.WriteString(line + "\n")
			}
		}
	}
}
