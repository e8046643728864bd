// Package textlog writes sysbench's line log: levels with prefixes, a verbosity limit, and the
// collapsing of repeated lines (sysbench 1.0.20 behaviour, specification 2.3 and trap 8.9).
//
// It is not a general logger: it has no time stamps of its own, no fields and no files. Every line
// is one Write to the underlying writer, so that a pipe sees interval lines at once (trap 8.10).
package textlog

import (
	"fmt"
	"io"
	"sync"
)

// Level is the importance of a message; a message is shown when its level is not above the verbosity.
type Level int

// The levels in sysbench's numbering (--verbosity).
const (
	Fatal   Level = 0
	Alert   Level = 1
	Warning Level = 2
	Notice  Level = 3 // reports
	Info    Level = 4
	Debug   Level = 5
)

// prefixes of the levels; notice and info have none.
var prefixes = [...]string{"FATAL: ", "ALERT: ", "WARNING: ", "", "", "DEBUG: "}

// Log is a line log. It is safe for use by several goroutines. The zero value is not usable; see New.
// A nil *Log discards everything, so that code below the command line needs no special case in tests.
type Log struct {
	mu        sync.Mutex
	w         io.Writer
	verbosity Level
	last      string // text of the previous logged message, without its prefix
	repeats   int
	err       error // first write error

	once map[string]bool // fatal messages that were logged since Once; nil: all are
}

// New returns a log that writes to w what has a level of at most verbosity.
func New(w io.Writer, verbosity Level) *Log {
	return &Log{w: w, verbosity: verbosity, last: "\x00"}
}

// SetVerbosity changes the limit for later messages.
func (l *Log) SetVerbosity(v Level) {
	if l == nil {
		return
	}
	l.mu.Lock()
	l.verbosity = v
	l.mu.Unlock()
}

// Enabled reports whether messages of this level are shown.
func (l *Log) Enabled(level Level) bool {
	if l == nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return level <= l.verbosity
}

// Printf logs one message, ended by a newline. A message that equals the previous one (text only, the
// level does not count) is swallowed; before the next different one a line says how often.
func (l *Log) Printf(level Level, format string, args ...any) {
	if l == nil {
		return
	}
	text := format
	if len(args) > 0 {
		text = fmt.Sprintf(format, args...)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if level > l.verbosity {
		return
	}
	if l.once != nil && level == Fatal {
		if l.once[text] {
			return
		}
		if len(l.once) < maxOnce {
			l.once[text] = true
		}
	}
	if text == l.last {
		l.repeats++
		return
	}
	if l.repeats > 0 {
		l.write(fmt.Sprintf("(last message repeated %d times)\n", l.repeats))
	}
	l.repeats = 0
	l.last = text
	l.write(prefixes[level] + text + "\n")
}

// maxOnce bounds the messages that are remembered for Once; further ones are all logged.
const maxOnce = 1000

// Once makes each fatal message appear once until it is switched off: threads that fail for the same reason
// say the same, in turns.
func (l *Log) Once(on bool) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.once = nil
	if on {
		l.once = map[string]bool{}
	}
}

// Fatalf, Alertf, Warnf, Noticef, Infof and Debugf are Printf at their level.
func (l *Log) Fatalf(format string, args ...any)  { l.Printf(Fatal, format, args...) }
func (l *Log) Alertf(format string, args ...any)  { l.Printf(Alert, format, args...) }
func (l *Log) Warnf(format string, args ...any)   { l.Printf(Warning, format, args...) }
func (l *Log) Noticef(format string, args ...any) { l.Printf(Notice, format, args...) }
func (l *Log) Infof(format string, args ...any)   { l.Printf(Info, format, args...) }
func (l *Log) Debugf(format string, args ...any)  { l.Printf(Debug, format, args...) }

// Stamped logs a notice with the prefix of interval lines, `[ 10s ] `. seconds is the elapsed time of
// the run. It neither takes part in the collapsing of repeated lines nor resets it.
func (l *Log) Stamped(seconds float64, format string, args ...any) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if Notice > l.verbosity {
		return
	}
	l.write(fmt.Sprintf("[ %.0fs ] ", seconds) + fmt.Sprintf(format, args...) + "\n")
}

// Direct writes text as it is, whatever the verbosity (script output, histogram rows).
func (l *Log) Direct(text string) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.write(text)
}

// Err returns the first error of the underlying writer, or nil: a report that could not be written
// must not end in exit code 0.
func (l *Log) Err() error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

func (l *Log) write(s string) {
	if _, err := io.WriteString(l.w, s); err != nil && l.err == nil {
		l.err = err
	}
}

// Count is a number with the noun that it counts: "1 thread", "2 threads". Only nouns that add an s.
func Count(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
