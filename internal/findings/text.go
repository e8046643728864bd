package findings

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"deltabench/internal/table"
)

// WriteText writes the results: for people as a report with all tables, for programs the comparisons of all targets.
func (r *Results) WriteText(w io.Writer, f table.Format, s table.Style) error {
	if f != table.Terminal && f != table.Markdown {
		return r.everything().Write(w, f, table.List, s)
	}
	var b bytes.Buffer
	p := &printer{w: &b, f: f, s: s}
	p.report(r)
	if p.err != nil {
		return p.err
	}
	_, err := w.Write(b.Bytes())
	return err
}

// everything is one document with the comparisons of all targets.
func (r *Results) everything() *table.Comparisons {
	all := &table.Comparisons{Title: r.Study}
	for i := range r.Targets {
		t := &r.Targets[i]
		if t.All == nil {
			continue
		}
		if i == 0 {
			*all = *t.All
			all.Title, all.Lines, all.Before, all.Notes = orElse(r.Question, r.Study), nil, nil, nil
		}
		all.Lines = append(all.Lines, t.All.Lines...)
		if t.Tail != nil {
			all.Lines = append(all.Lines, t.Tail.Lines...)
		}
		for _, x := range t.Unplanned {
			all.Before = append(all.Before, "differs without being planned: "+x)
		}
		all.Notes = append(all.Notes, t.Warnings...)
	}
	all.Notes = unique(append(slices.Clone(r.Warnings), all.Notes...))
	return all
}

func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

// printer writes a report for people. The first error stays.
type printer struct {
	w   io.Writer
	f   table.Format
	s   table.Style
	err error
}

func (p *printer) prose(text string) {
	if p.err == nil {
		p.err = table.WriteProse(p.w, p.f, p.s, text, 2)
	}
}

func (p *printer) blank() {
	if p.err == nil {
		_, p.err = io.WriteString(p.w, "\n")
	}
}

// heading is a line that the following belongs to.
func (p *printer) heading(level int, text string) {
	p.blank()
	if p.f == table.Markdown {
		if p.err == nil {
			_, p.err = fmt.Fprintf(p.w, "%s ", strings.Repeat("#", level))
		}
		p.prose(text)
		p.blank()
		return
	}
	p.prose(text)
}

// item is a line of a list.
func (p *printer) item(text string) {
	if p.f == table.Markdown {
		if p.err == nil {
			_, p.err = io.WriteString(p.w, "- ")
		}
		p.prose(text)
		return
	}
	p.prose("- " + text)
}

func (p *printer) list(title string, texts []string) {
	if len(texts) == 0 {
		return
	}
	p.heading(3, title)
	for _, text := range texts {
		p.item(text)
	}
}

func (p *printer) table(c *table.Comparisons, l table.Layout) {
	if c == nil || len(c.Lines) == 0 {
		return
	}
	p.blank()
	if p.err == nil {
		p.err = c.Write(p.w, p.f, l, p.s)
	}
}

func (p *printer) grid(g *Grid) {
	p.heading(3, strings.ToUpper(g.Title[:1])+g.Title[1:])
	if len(g.Rows) > 0 && p.err == nil {
		p.err = table.WriteGrid(p.w, p.f, p.s, g.Columns, g.Names, g.Rows)
	}
	for _, n := range g.Notes {
		p.prose(n)
	}
}

func (p *printer) report(r *Results) {
	if p.f == table.Markdown {
		_, p.err = io.WriteString(p.w, "# ")
	}
	p.prose("Study " + r.Name)
	if r.Question != "" {
		p.blank()
		p.prose(r.Question)
	}
	p.blank()
	p.prose(r.Answer)
	f := r.Plan
	p.blank()
	p.prose(fmt.Sprintf("%s, %s of %s; %s.", counted(f.Rounds, "round"), counted(f.Done, "run"), f.Time, f.State))
	if f.Host != "" {
		p.prose("Machine: " + f.Host + ".")
	}
	p.list("Know before you read on", r.Warnings)
	for i := range r.Targets {
		p.target(r, &r.Targets[i])
	}
	if len(r.Notes) > 0 {
		p.blank()
		for _, n := range r.Notes {
			p.prose(n)
		}
	}
}

// counted is a number with its word.
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func (p *printer) target(r *Results, t *Target) {
	title := "Target " + t.Name
	if t.Server != "" {
		title += ": " + t.Server
	}
	p.heading(2, title)
	if t.Note != "" {
		p.prose(t.Note)
	}
	for _, l := range t.Labels {
		p.prose(l.Name + ": " + l.Value)
	}
	if len(r.Targets) > 1 {
		p.prose(t.Answer)
	}
	p.list("Differs between scenarios without being planned", t.Unplanned)
	p.list("Reasons to doubt", t.Warnings)
	p.table(t.Headline, table.ScenarioRows)
	for _, l := range t.Ladders {
		p.table(l, table.ThreadRows)
	}
	p.table(t.All, table.List)
	p.table(t.Tail, table.List)
	if t.Why != nil {
		p.grid(&t.Why.Grid)
		for _, text := range t.Why.Moved {
			p.item(text)
		}
	}
	if t.Costs != nil {
		p.grid(t.Costs)
	}
	if len(t.Published) > 0 {
		p.heading(3, "Published findings, held against these results")
		for _, x := range t.Published {
			p.item(fmt.Sprintf("%s: %s. Here: %s", x.Text, x.Verdict, x.Ours))
		}
	}
	p.table(t.Reference, table.ThreadRows)
}

// WriteBrief writes the answer and one table for each workload, for those who have a minute.
func (r *Results) WriteBrief(w io.Writer, s table.Style) error {
	var b bytes.Buffer
	p := &printer{w: &b, f: table.Terminal, s: s}
	p.prose(r.Answer)
	for _, text := range r.Warnings {
		p.item(text)
	}
	for i := range r.Targets {
		t := &r.Targets[i]
		if t.Note != "" {
			p.item(t.Note)
		}
		for _, text := range t.Warnings {
			p.item(text)
		}
		for _, l := range t.Ladders {
			p.table(l, table.ThreadRows)
		}
		if len(t.Ladders) == 0 {
			p.table(t.Headline, table.ScenarioRows)
		}
	}
	if p.err != nil {
		return p.err
	}
	_, err := w.Write(b.Bytes())
	return err
}
