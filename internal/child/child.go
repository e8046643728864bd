// Package child executes one command line of this program as a child process and reads the report of its run. What is compared, in
// which order, and what follows from the reports is the caller's.
package child

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"deltabench/internal/hostcost"
	"deltabench/internal/report"
	"deltabench/internal/textlog"
)

// Command is a command line of this program.
type Command struct {
	Program  string   // path of this program
	Face     string   // deltabench or sysbench: the name that it is called by
	Args     []string // without the name and without passwords
	Password *string  // nil: what option files and the environment say
	Dir      string   // for files that the child reads and writes; private
	CPUs     string   // that it may use, as of taskset; empty: any
	// Second is called for every second of a run; nil: nobody asks. It is called by another goroutine, never after Run has returned.
	Second func(Second)
}

// Second is what a run says of a second while it runs.
type Second struct {
	Number   int // of the run, from 1
	TPS, QPS float64
	P95      float64 // ms
}

// Result is what became of it.
type Result struct {
	Document *report.Document // nil: there is none
	Took     time.Duration
	Code     int   // exit code
	Err      error // why it measures nothing; the document may be there nevertheless
}

// stopGrace is how long an interrupted child may take to end: a run ends within 5 seconds, on a busy machine later.
const stopGrace = 20 * time.Second

// Run executes a run to its end. When ctx ends, the child is interrupted and waited for; it is also told when this process is killed.
func Run(ctx context.Context, c Command) Result {
	file := filepath.Join(c.Dir, "report.json")
	_ = os.Remove(file) // of the run before
	c.Args = append(append([]string(nil), c.Args...), "--report=json", "--report-file="+file)
	begin := time.Now()
	code, said, err := execute(ctx, c)
	r := Result{Took: time.Since(begin), Code: code}
	text, readErr := os.ReadFile(file)
	if readErr == nil {
		d := &report.Document{}
		if readErr = json.Unmarshal(text, d); readErr == nil {
			r.Document = d
		}
	}
	switch {
	case err != nil:
		r.Err = errors.New(Reason(said, err))
	case readErr != nil:
		r.Err = fmt.Errorf("its report cannot be read: %w", readErr)
	case r.Document.Totals.Events == 0:
		r.Err = errors.New("no event ended")
	}
	if r.Document != nil {
		// What was added to the command line is no part of what was measured.
		for _, name := range []string{"report", "report_file", "mysql_password_file"} {
			delete(r.Document.Options, name)
		}
	}
	return r
}

// Do executes a command other than run, such as prepare.
func Do(ctx context.Context, c Command) Result {
	begin := time.Now()
	code, said, err := execute(ctx, c)
	if err != nil {
		err = errors.New(Reason(said, err))
	}
	return Result{Took: time.Since(begin), Code: code, Err: err}
}

// execute executes a command line and returns what it said last.
func execute(ctx context.Context, c Command) (code int, said string, err error) {
	args := append([]string{c.Face}, c.Args...)
	if c.Password != nil {
		path := filepath.Join(c.Dir, "password")
		if err := os.WriteFile(path, []byte(*c.Password+"\n"), 0o600); err != nil {
			return 0, "", err
		}
		defer os.Remove(path)
		args = append(args, "--mysql-password-file="+path)
	}
	tail := &textlog.Tail{}
	out := &seconds{tail: tail, tell: c.Second}
	cmd := exec.CommandContext(ctx, c.Program)
	cmd.Args = args
	// The caller records the runs, with their places in the plan.
	cmd.Env = append(os.Environ(), "DELTABENCH_STORE=none")
	cmd.Stdout, cmd.Stderr = out, out // one pipe, so that what is said last is last
	cmd.WaitDelay = stopGrace
	cmd.Cancel = func() error { return interrupt(cmd.Process) }
	release := apart(cmd)
	err = hostcost.WithCPUs(c.CPUs, cmd.Start)
	if err == nil {
		err = cmd.Wait()
		code = cmd.ProcessState.ExitCode()
	}
	release()
	return code, tail.String(), err
}

// seconds looks for interval lines in what a run prints, and keeps its tail.
type seconds struct {
	tail *textlog.Tail
	tell func(Second)
	line []byte
}

var intervalLine = regexp.MustCompile(`^\[ (\d+)s \] thds: \d+ tps: ([\d.]+) qps: ([\d.]+) .*lat \(ms,[\d.]+%\): ([\d.]+)`)

func (s *seconds) Write(p []byte) (int, error) {
	if s.tell == nil {
		return s.tail.Write(p)
	}
	s.line = append(s.line, p...)
	for {
		i := bytes.IndexByte(s.line, '\n')
		if i < 0 {
			return s.tail.Write(p)
		}
		if m := intervalLine.FindSubmatch(s.line[:i]); m != nil {
			number := func(j int) float64 { v, _ := strconv.ParseFloat(string(m[j]), 64); return v }
			s.tell(Second{Number: int(number(1)), TPS: number(2), QPS: number(3), P95: number(4)})
		}
		s.line = s.line[i+1:]
	}
}

// Reason is why a child failed, in one line: the first fatal message, else what it said last, else err. A connection that fails has its cause in
// the second.
func Reason(said string, err error) string {
	last, connection := "", ""
	for line := range strings.Lines(said) {
		line = strings.TrimSpace(line)
		text, ok := strings.CutPrefix(line, "FATAL: ")
		switch {
		case ok && connection != "":
			return text + " (" + connection + ")"
		case ok && strings.HasPrefix(text, "unable to connect to "):
			connection = strings.TrimSuffix(text, ", aborting...")
		case ok:
			return text
		}
		if line != "" {
			last = line
		}
	}
	switch {
	case connection != "":
		return connection
	case last == "":
		return err.Error()
	}
	return last
}
