package study

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

// Problem is a fault of a study file, for people: one line with its place.
type Problem struct {
	File  string
	place place
	Text  string
}

// Error is FILE:LINE:COLUMN: text.
func (p *Problem) Error() string {
	if p.place.line == 0 {
		return p.File + ": " + p.Text
	}
	return fmt.Sprintf("%s:%d:%d: %s", p.File, p.place.line, p.place.column, p.Text)
}

// Line is where the fault is, from 1; 0: not in one line of the file.
func (p *Problem) Line() int { return p.place.line }

// faults are all faults of a file.
type faults []*Problem

// err is them as one error with a line for each, in the order of the file.
func (f faults) err() error {
	slices.SortStableFunc(f, func(a, b *Problem) int { return a.place.line - b.place.line })
	errs := make([]error, len(f))
	for i, p := range f {
		errs[i] = p
	}
	return errors.Join(errs...)
}

// syntaxProblem is a fault that the YAML parser found.
func syntaxProblem(name string, err error) *Problem {
	p := &Problem{File: name, Text: "no YAML: " + err.Error()}
	var y yaml.Error
	if errors.As(err, &y) {
		p.Text = "no YAML: " + y.GetMessage()
		if t := y.GetToken(); t != nil && t.Position != nil {
			p.place = place{t.Position.Line, t.Position.Column}
		}
	}
	p.Text, _, _ = strings.Cut(p.Text, "\n")
	return p
}
