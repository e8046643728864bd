package sysbench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"deltabench/internal/option"
	"deltabench/internal/textlog"
	"deltabench/internal/workload/script"
)

// CheckScript loads a script without a server, prints what it uses and offers, and returns the exit code: 0 when all that it
// uses is there. The command line has the script and options; document asks for JSON.
func CheckScript(ctx context.Context, env Env, document bool) int {
	log := env.Stdout
	if document { // what the script prints while it is loaded is no JSON
		log = env.Stderr
	}
	return newSession(env, textlog.New(log, textlog.Warning)).checkScript(ctx, document)
}

func (s *session) checkScript(ctx context.Context, document bool) int {
	prog := s.env.Face.program()
	if err := s.parse(); err != nil {
		return s.refuse(err)
	}
	if len(s.words) != 1 {
		return s.refuse(usagef("a script is needed, and nothing else").hinted("as in '%s script check ./x.lua'", prog))
	}
	g, err := readGeneral(s.set, nil)
	if err != nil {
		return s.refuse(err)
	}
	f := s.resolver().resolve(s.words[0])
	switch f.kind {
	case luaScript:
	case notFound:
		return s.refuse(s.unknownTest(s.words[0]))
	default:
		return s.refuse(fatalf("%s is a test of %s itself, no script", f.name, prog))
	}
	env := s.env
	if document {
		s.env.Stdout = s.env.Stderr
	}
	d := &drivers{ctx: ctx, session: s, general: g, none: true}
	s.words = append(s.words, "run") // scripts that build on oltp_common refuse to be loaded without a command
	c, code := s.loadScript(ctx, g, f.source(s.words[0]), d)
	if c == nil {
		return code
	}
	defer c.Close()
	s.env = env
	found := c.Check()
	if document {
		text, err := json.MarshalIndent(struct {
			File string `json:"file"`
			script.Findings
		}{f.path, found}, "", "  ")
		if err != nil {
			return s.refuse(err)
		}
		s.write(append(text, '\n'))
	} else {
		s.write(findingsText(f.path, found))
	}
	if len(found.Missing) > 0 {
		return ExitFailure
	}
	return ExitOK
}

// findingsText is what people read.
func findingsText(path string, f script.Findings) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s: sysbench %s interface\n", path, f.Interface)
	list := func(title string, names []string) {
		if len(names) == 0 {
			names = []string{"none"}
		}
		wrapped(&b, fmt.Sprintf("  %-11s", title), names)
	}
	list("functions", f.Functions)
	list("commands", f.Commands)
	list("uses", f.Uses)
	if len(f.Modules) > 0 {
		list("loads", f.Modules)
	}
	if len(f.Blocking) > 0 {
		list("waits in", f.Blocking)
		b.WriteString("             each thread gets an operating system thread when it waits there\n")
	}
	switch {
	case len(f.Options) > 0:
		fmt.Fprintf(&b, "  options\n%s", bytes.TrimRight(option.AppendList(nil, f.Options), "\n"))
		b.WriteString("\n")
	case f.Strict:
		list("options", nil)
	default:
		list("options", []string{"not declared; all are accepted, as texts in globals"})
	}
	if len(f.Missing) == 0 {
		b.WriteString("Nothing is missing.\n")
		return b.Bytes()
	}
	b.WriteString("Missing:\n")
	for _, m := range f.Missing {
		fmt.Fprintf(&b, "  %s\n", m)
	}
	return b.Bytes()
}

// wrapped writes names behind a first column in lines of at most explainWidth columns.
func wrapped(b io.Writer, first string, names []string) {
	line := first
	for i, name := range names {
		if i < len(names)-1 {
			name += ","
		}
		if len(line) > len(first) && len(line)+1+len(name) > explainWidth {
			fmt.Fprintln(b, line)
			line = strings.Repeat(" ", len(first))
		}
		line += " " + name
	}
	fmt.Fprintln(b, line)
}
