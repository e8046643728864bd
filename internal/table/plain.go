package table

import (
	"io"
	"strings"
)

// WriteProse writes a text for people in a format, cut into lines on terminals; lines after the first are indented.
func WriteProse(w io.Writer, f Format, s Style, text string, indent int) error {
	text = clean(text)
	if f == Markdown {
		_, err := io.WriteString(w, escape(text)+"\n")
		return err
	}
	if s.ASCII {
		text = toASCII(text)
	}
	_, err := io.WriteString(w, prose(text, max(s.Width, minWidth), indent)+"\n")
	return err
}

// WriteGrid writes a table of texts in a format for people: the first so many columns are names, the others numbers.
func WriteGrid(w io.Writer, f Format, s Style, columns []string, names int, rows [][]string) error {
	g := &grid{}
	for i, head := range columns {
		g.columns = append(g.columns, column{head: head, right: i >= names, key: i < names, block: max(0, i-names+1)})
	}
	for _, texts := range rows {
		var cells []cell
		for _, text := range texts {
			cells = append(cells, cell{text: text})
		}
		g.rows = append(g.rows, row{cells: cells})
	}
	var b strings.Builder
	if f == Markdown {
		g.markdown(&b)
	} else {
		s.Width = max(s.Width, minWidth)
		g.terminal(&b, s)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
