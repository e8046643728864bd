package table

import (
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/term"
)

// Format is a form of tables.
type Format int

// Formats.
const (
	Terminal Format = iota
	Markdown
	CSV
	JSON
	Bench // the Go benchmark format, one line for each run
)

var formatNames = []string{"terminal", "markdown", "csv", "json", "bench"}

// FormatNames are the names that ParseFormat reads.
func FormatNames() []string { return slices.Clone(formatNames) }

// ParseFormat reads the name of a format.
func ParseFormat(name string) (Format, error) {
	if i := slices.Index(formatNames, name); i >= 0 {
		return Format(i), nil
	}
	return 0, fmt.Errorf("there is no format '%s'; formats are %s", name, strings.Join(formatNames, ", "))
}

// Layout is an arrangement of tables for people.
type Layout int

// Layouts.
const (
	List         Layout = iota // a row for each comparison
	ScenarioRows               // a row for each scenario, values and changes by workload, at one number of threads
	ThreadRows                 // a row for each number of threads, a column `QPS (−x.xx%)` for each scenario
	Pairs                      // baseline, scenario and change of several metrics side by side
	Single                     // a row for each metric
	Counts                     // a row for each scenario, a column for each metric, nothing compared
)

var layoutNames = []string{"list", "scenarios", "threads", "pairs", "single", "counts"}

// LayoutNames are the names that ParseLayout reads.
func LayoutNames() []string { return slices.Clone(layoutNames) }

// ParseLayout reads the name of a layout.
func ParseLayout(name string) (Layout, error) {
	if i := slices.Index(layoutNames, name); i >= 0 {
		return Layout(i), nil
	}
	return 0, fmt.Errorf("there is no layout '%s'; layouts are %s", name, strings.Join(layoutNames, ", "))
}

// String is the name that ParseLayout reads.
func (l Layout) String() string { return layoutNames[l] }

// Style is how a terminal wants its text.
type Style struct {
	Width int  // columns; below 20 it counts as 20
	Color bool // verdicts in colour, besides their words and signs
	ASCII bool // no other characters
}

// defaultWidth is the width where there is no terminal to ask.
const defaultWidth = 80

// StyleOf returns the style for a stream in an environment. Colours need a terminal, are off with NO_COLOR (set to anything,
// see no-color.org) and where TERM is dumb. Other characters than ASCII need a UTF-8 locale: the first of LC_ALL, LC_CTYPE
// and LANG that is not empty; Windows has no such variables and takes all characters. A writer may be wrapped: Unwrap is asked.
// COLUMNS counts more than what the terminal says.
func StyleOf(w io.Writer, getenv func(string) string) Style {
	s := Style{Width: defaultWidth, ASCII: runtime.GOOS != "windows"}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := strings.ToLower(getenv(name)); value != "" {
			s.ASCII = !strings.Contains(value, "utf-8") && !strings.Contains(value, "utf8")
			break
		}
	}
	for {
		u, ok := w.(interface{ Unwrap() io.Writer })
		if !ok {
			break
		}
		w = u.Unwrap()
	}
	f, ok := w.(*os.File)
	if ok && term.IsTerminal(int(f.Fd())) {
		s.Color = getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			s.Width = width
		}
	}
	if width, err := strconv.Atoi(getenv("COLUMNS")); err == nil && width > 0 {
		s.Width = width
	}
	return s
}

// known64 is the value behind a pointer; nil and what is not finite are not known.
func known64(v *float64) (value float64, known bool) {
	if v == nil || !finite(*v) {
		return 0, false
	}
	return *v, true
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
