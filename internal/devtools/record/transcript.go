package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// transcript is one command line with all that it depends on and all that came of it. Paths, ports and
// passwords appear as $SOCKET, $PORT, $PASSWORD, $DB and $DIR; $CONN stands for all options of a connection.
type transcript struct {
	Name  string // file name without suffix
	As    string // the name that the program is called by: sysbench or deltabench
	Args  []string
	Env   []string          // NAME=VALUE
	Flags []string          // how to compare, see mask
	Setup []string          // SQL executed in the fresh database before anything else
	First [][]string        // command lines executed before, by the same program; they must succeed
	Check []string          // SQL executed afterwards; its rows are part of the transcript
	Files map[string]string // in the working directory
	Stdin string

	Stdout, Stderr string
	Exit           int
	Rows           string // results of Check
}

func (t *transcript) has(flag string) bool { return slices.Contains(t.Flags, flag) }

// needsServer reports whether anything of the transcript refers to a database server.
func (t *transcript) needsServer() bool {
	all := strings.Join(t.Args, " ")
	return len(t.Setup) > 0 || len(t.First) > 0 || len(t.Check) > 0 ||
		strings.Contains(all, "$CONN") || strings.Contains(all, "$SOCKET") || strings.Contains(all, "$PORT")
}

// quoteArgs writes arguments as one line; those that need it as Go strings.
func quoteArgs(args []string) string {
	out := make([]string, len(args))
	for i, a := range args {
		out[i] = a
		if a == "" || strings.ContainsAny(a, " \t\n\"\\") || !strconv.CanBackquote(a) {
			out[i] = strconv.Quote(a)
		}
	}
	return strings.Join(out, " ")
}

// splitArgs is the inverse of quoteArgs.
func splitArgs(line string) ([]string, error) {
	var args []string
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimLeft(line, " ") {
		if line[0] == '"' {
			q, err := strconv.QuotedPrefix(line)
			if err != nil {
				return nil, fmt.Errorf("argument %s: %w", line, err)
			}
			a, err := strconv.Unquote(q)
			if err != nil {
				return nil, fmt.Errorf("argument %s: %w", q, err)
			}
			args = append(args, a)
			line = line[len(q):]
			continue
		}
		a, rest, _ := strings.Cut(line, " ")
		args = append(args, a)
		line = rest
	}
	return args, nil
}

// sameCase reports whether two transcripts are of the same command line under the same circumstances.
func (t *transcript) sameCase(o *transcript) bool {
	bare := func(t *transcript) string {
		c := *t
		c.Stdout, c.Stderr, c.Rows, c.Exit = "", "", "", 0
		return string(c.format())
	}
	return bare(t) == bare(o)
}

// format writes the transcript as a txtar archive: a head, then files that lines `-- NAME --` begin. Output has no
// such lines.
func (t *transcript) format() []byte {
	var head strings.Builder
	fmt.Fprintf(&head, "$ %s %s\n", t.As, quoteArgs(t.Args))
	lines := func(key string, values []string) {
		for _, v := range values {
			fmt.Fprintf(&head, "%s: %s\n", key, v)
		}
	}
	lines("flag", t.Flags)
	lines("env", t.Env)
	lines("setup", t.Setup)
	for _, args := range t.First {
		lines("first", []string{quoteArgs(args)})
	}
	lines("check", t.Check)
	fmt.Fprintf(&head, "exit: %d\n", t.Exit)
	add := func(name, text string) {
		if text != "" {
			if !strings.HasSuffix(text, "\n") {
				text += "\n" // the format has no files without one
			}
			fmt.Fprintf(&head, "-- %s --\n%s", name, text)
		}
	}
	for _, name := range slices.Sorted(mapKeys(t.Files)) {
		add("file "+name, t.Files[name])
	}
	add("stdin", t.Stdin)
	add("stdout", t.Stdout)
	add("stderr", t.Stderr)
	add("rows", t.Rows)
	return []byte(head.String())
}

func mapKeys(m map[string]string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// parseTranscript is the inverse of format.
func parseTranscript(name string, data []byte) (*transcript, error) {
	t := &transcript{Name: name, Files: map[string]string{}}
	head, sections := sections(string(data))
	for n, line := range strings.Split(strings.TrimSuffix(head, "\n"), "\n") {
		if rest, ok := strings.CutPrefix(line, "$ "); ok {
			args, err := splitArgs(rest)
			if err != nil {
				return nil, fmt.Errorf("%s:%d: %w", name, n+1, err)
			}
			t.As, t.Args = args[0], args[1:]
			continue
		}
		key, value, ok := strings.Cut(line, ": ")
		if !ok {
			return nil, fmt.Errorf("%s:%d: no key", name, n+1)
		}
		var err error
		switch key {
		case "flag":
			t.Flags = append(t.Flags, value)
		case "env":
			t.Env = append(t.Env, value)
		case "setup":
			t.Setup = append(t.Setup, value)
		case "check":
			t.Check = append(t.Check, value)
		case "first":
			var args []string
			args, err = splitArgs(value)
			t.First = append(t.First, args)
		case "exit":
			t.Exit, err = strconv.Atoi(value)
		default:
			err = fmt.Errorf("unknown key %q", key)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n+1, err)
		}
	}
	for _, f := range sections {
		switch {
		case strings.HasPrefix(f.name, "file "):
			t.Files[f.name[len("file "):]] = f.text
		case f.name == "stdin":
			t.Stdin = f.text
		case f.name == "stdout":
			t.Stdout = f.text
		case f.name == "stderr":
			t.Stderr = f.text
		case f.name == "rows":
			t.Rows = f.text
		default:
			return nil, fmt.Errorf("%s: unknown section %q", name, f.name)
		}
	}
	return t, nil
}

type section struct{ name, text string }

// sections divides an archive into what stands before the first section, and the sections.
func sections(data string) (head string, all []section) {
	for line := range strings.Lines(data) {
		name, ok := strings.CutPrefix(line, "-- ")
		name, ok2 := strings.CutSuffix(name, " --\n")
		switch {
		case ok && ok2:
			all = append(all, section{name: name})
		case len(all) == 0:
			head += line
		default:
			all[len(all)-1].text += line
		}
	}
	return head, all
}

// readTranscripts reads all transcripts of a directory in the order of their names.
func readTranscripts(dir string) ([]*transcript, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil {
		return nil, err
	}
	var all []*transcript
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		t, err := parseTranscript(strings.TrimSuffix(filepath.Base(path), ".txtar"), data)
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return all, nil
}
