package table

import (
	"fmt"
	"slices"
	"strings"
)

// minWidth is the width that terminals are taken to have at least.
const minWidth = 20

// contradictedNote explains the sign of contradicted cells.
const contradictedNote = "≠: the published change, which is more than 0.05 points from that of the values printed beside it"

// terminal is the form for terminals.
func (c *Comparisons) terminal(l Layout, s Style) ([]byte, error) {
	s.Width = max(s.Width, minWidth)
	b := c.builder(false)
	sheets, err := b.sheets(l)
	if err != nil {
		return nil, err
	}
	var out strings.Builder
	line := func(text string, indent int) {
		text = clean(text)
		if s.ASCII {
			text = toASCII(text)
		}
		out.WriteString(prose(text, s.Width, indent) + "\n")
	}
	for _, text := range c.above(l) {
		line(text, 2)
	}
	for _, sh := range sheets {
		if out.Len() > 0 {
			out.WriteByte('\n')
		}
		if sh.heading != "" {
			line(sh.heading, 2)
		}
		sh.grid.terminal(&out, s)
	}
	below := c.below()
	if len(b.notes.texts)+len(below) > 0 && out.Len() > 0 {
		out.WriteByte('\n')
	}
	for i, text := range b.notes.texts {
		mark := superscript.Replace(fmt.Sprint(i + 1))
		if s.ASCII {
			mark = fmt.Sprintf("[%d]", i+1)
			text = toASCII(text)
		}
		out.WriteString(prose(mark+" "+text, s.Width, cellWidth(mark)+1) + "\n")
	}
	for _, text := range below {
		line(text, 2)
	}
	return []byte(out.String()), nil
}

// above is what stands above the tables.
func (c *Comparisons) above(l Layout) []string {
	var texts []string
	add := func(head, text string) {
		if text != "" {
			texts = append(texts, head+text)
		}
	}
	add("", c.Title)
	add("Source: ", c.Source)
	if c.Baseline != "baseline" {
		add("Baseline: ", c.Baseline)
	}
	for _, s := range c.scenarios() {
		switch {
		case s.Description != "":
			texts = append(texts, s.Name+": "+s.Description)
		case cellWidth(s.Name) > shortName && s.Name != c.Baseline && l != Counts:
			texts = append(texts, "Scenario: "+s.Name)
		}
	}
	return append(texts, c.Before...)
}

// below is what stands below the tables, without footnotes.
func (c *Comparisons) below() []string {
	var texts []string
	if s := c.summary(); s != "" {
		texts = append(texts, s)
	}
	if slices.ContainsFunc(c.Lines, func(l Line) bool { return l.Contradicted() }) {
		texts = append(texts, contradictedNote)
	}
	if c.Method != "" {
		texts = append(texts, c.Method)
	}
	return append(texts, c.Notes...)
}

// summary counts the verdicts, those of means over a ladder and of secondary metrics apart: they answer other questions. Costs have none.
func (c *Comparisons) summary() string {
	count := func(secondary, means bool) string {
		counts := map[string]int{}
		for _, l := range c.Lines {
			if l.Claim != nil && l.Metric.Secondary == secondary && l.Mean == means && !l.Metric.Cost {
				counts[l.Claim.Verdict]++
			}
		}
		var parts []string
		for _, v := range []string{"worse", "better", "equivalent", "undecided", "preliminary", ""} {
			word := v
			if v == "" {
				word = "without verdict"
			}
			if n := counts[v]; n > 0 {
				parts = append(parts, fmt.Sprintf("%d %s", n, word))
			}
		}
		return strings.Join(parts, ", ")
	}
	var parts []string
	for _, of := range []struct {
		name             string
		secondary, means bool
	}{{"result", false, false}, {"means over the ladder", false, true}, {"secondary", true, false}, {"secondary means", true, true}} {
		if text := count(of.secondary, of.means); text != "" {
			parts = append(parts, of.name+": "+text)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	text := strings.ToUpper(parts[0][:1]) + parts[0][1:]
	if len(parts) > 1 {
		text += " (" + strings.Join(parts[1:], "; ") + ")"
	}
	if margin, ok := known64(c.Margin); ok {
		text += "; margin ±" + trimZeros(margin) + " %"
	}
	if c.Family > 1 {
		text += fmt.Sprintf("; family of %d comparisons%s", c.Family, c.withMeans())
	}
	return text
}

// withMeans says that a family has means beside the comparisons at single numbers of threads.
func (c *Comparisons) withMeans() string {
	if c.FamilyMeans || slices.ContainsFunc(c.Lines, func(l Line) bool { return l.Mean && !l.Metric.Secondary }) {
		return ", means included"
	}
	return ""
}

// trimZeros spells a number with the decimals that it needs, two at most.
func trimZeros(v float64) string {
	s := decimal(v, 2)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// markdown is the form for documents, and for a comment on a pull request: result first.
func (c *Comparisons) markdown(l Layout) ([]byte, error) {
	b := c.builder(true)
	sheets, err := b.sheets(l)
	if err != nil {
		return nil, err
	}
	var out strings.Builder
	if c.Title != "" {
		out.WriteString("### " + escape(c.Title) + "\n\n")
	}
	if s := c.summary(); s != "" {
		out.WriteString("**" + escape(s) + "**\n\n")
	}
	above := c.above(l)
	if c.Title != "" {
		above = above[1:]
	}
	for _, text := range above {
		out.WriteString("* " + escape(text) + "\n")
	}
	if len(above) > 0 {
		out.WriteByte('\n')
	}
	for _, sh := range sheets {
		if sh.heading != "" {
			out.WriteString("**" + escape(sh.heading) + "**\n\n")
		}
		sh.grid.withoutEmpty().markdown(&out)
		out.WriteByte('\n')
	}
	for i, text := range b.notes.texts {
		out.WriteString("* " + superscript.Replace(fmt.Sprint(i+1)) + " " + escape(text) + "\n")
	}
	below := c.below()
	if c.summary() != "" {
		below = below[1:]
	}
	for _, text := range below {
		out.WriteString("* " + escape(text) + "\n")
	}
	return []byte(strings.TrimRight(out.String(), "\n") + "\n"), nil
}

func (g *grid) markdown(out *strings.Builder) {
	line := func(cells []string) { out.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	var heads, rules []string
	for _, c := range g.columns {
		heads = append(heads, escape(c.head))
		rule := "---"
		if c.right {
			rule = "---:"
		}
		rules = append(rules, rule)
	}
	line(heads)
	line(rules)
	for _, r := range g.rows {
		var cells []string
		for _, c := range r.cells {
			var lines []string
			for part := range strings.SplitSeq(c.full(), "\n") {
				part = escape(part)
				if part != "" && (c.verdict == "better" || c.verdict == "worse" || c.verdict == "contradicted") {
					part = "**" + part + "**"
				}
				lines = append(lines, part)
			}
			cells = append(cells, strings.Join(lines, "<br>"))
		}
		line(cells)
	}
}

// escape spells a text so that Markdown takes it as text: no cell ends, no markup, no mention of people, no tags.
func escape(s string) string {
	var b strings.Builder
	runes := []rune(clean(s))
	letter := func(i int) bool {
		return i >= 0 && i < len(runes) && (runes[i] == '_' || runes[i] >= '0' && runes[i] <= '9' || runes[i] >= 'a' && runes[i] <= 'z' || runes[i] >= 'A' && runes[i] <= 'Z')
	}
	for i, r := range runes {
		switch r {
		case '|', '\\', '`', '*', '~', '#':
			b.WriteByte('\\')
		case '_':
			if !letter(i-1) || !letter(i+1) { // within a word it is no markup
				b.WriteByte('\\')
			}
		case '<':
			b.WriteString("&lt;")
			continue
		case '&':
			b.WriteString("&amp;")
			continue
		case '@':
			b.WriteString("&#64;")
			continue
		case '[':
			if i+1 < len(runes) && strings.ContainsRune(string(runes[i:]), ']') && strings.Contains(string(runes[i:]), "](") {
				b.WriteByte('\\')
			}
		}
		b.WriteRune(r)
	}
	return b.String()
}
