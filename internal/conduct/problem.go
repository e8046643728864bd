package conduct

import "strings"

// Problem is why a study cannot go on, for people: one line.
type Problem struct {
	Where string // target, scenario; empty: the study
	What  string
	Fix   string // empty: nothing to advise
	Guard bool   // the study was refused before its first run
}

// Error is the line.
func (p *Problem) Error() string {
	text := p.What
	if p.Where != "" {
		text = p.Where + ": " + text
	}
	if p.Fix != "" {
		text += "; " + p.Fix
	}
	return strings.Join(strings.Fields(text), " ")
}

// noDirectory is the problem of a study that has no place for its data.
func noDirectory(err error) error {
	return &Problem{Where: "work directory", What: err.Error(), Fix: "name another with --work-dir=DIR", Guard: true}
}
