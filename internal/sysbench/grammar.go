package sysbench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"

	"deltabench/internal/option"
	"deltabench/internal/textlog"
	"deltabench/internal/workload"
)

// Main executes one command line and returns the exit code. The end of ctx ends a run cleanly.
func Main(ctx context.Context, env Env) int {
	if env.Getenv == nil {
		env.Getenv = func(string) string { return "" }
	}
	if env.Tests == nil {
		env.Tests = bundledTests()
	}
	if env.Runner == nil {
		env.Runner = runEngine
	}
	// Nobody reads the report of a run whose output is gone: it ends at once.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	out := &checkedWriter{w: env.Stdout, failed: cancel}
	env.Stdout = out
	s := &session{env: env, tables: tables(env.Face)}
	s.set, s.ours = option.NewSet(s.tables.first()...), option.NewSet(s.tables.ours...)
	s.log = textlog.New(out, textlog.Notice)
	code := s.main(ctx)
	if err := out.failure(); err != nil {
		fmt.Fprintf(env.Stderr, "%s: write standard output: %s\n", env.Face.program(), reason(err))
		return ExitOutput
	}
	return code
}

// session is one command line in the making.
type session struct {
	env    Env
	tables optionTables
	set    *option.Set // sysbench's options and the test's
	ours   *option.Set // ours, in a set of their own: a test may have options of the same names
	log    *textlog.Log

	words    []string // test name and command
	deferred []string // options that the first pass did not understand
	bare     string   // last option without a value that wants one, for a hint
}

func (s *session) main(ctx context.Context) int {
	if err := s.parse(); err != nil {
		return s.refuse(err)
	}
	if s.set.Bool("help") {
		s.write(appendHelp(nil, s.env.Face, s.tables, s.env.Tests))
		return ExitOK
	}
	if s.set.Bool("version") {
		s.write([]byte(s.env.Face.versionLine() + "\n"))
		return ExitOK
	}
	g, err := readGeneral(s.set, s.log)
	if err != nil {
		return s.refuse(err)
	}
	s.log.SetVerbosity(g.Verbosity)
	s.log.Noticef("%s\n", s.env.Face.header())
	return s.dispatch(ctx, g)
}

// parse is the first pass.
func (s *session) parse() error {
	for _, arg := range s.env.Args[1:] {
		if s.env.Face == FaceDeltabench {
			if err := typographic(arg); err != nil {
				return err
			}
		}
		if !strings.HasPrefix(arg, "--") {
			if err := s.word(arg); err != nil {
				return err
			}
			continue
		}
		s.option(arg)
	}
	return nil
}

// word takes a positional argument: test name, command, and no more.
func (s *session) word(arg string) error {
	if len(s.words) == 2 {
		text := "Unrecognized command line argument: " + arg
		if s.bare != "" && s.env.Face == FaceDeltabench {
			text += fmt.Sprintf(" (values of options are attached with '=', as in %s=%s)", s.bare, s.words[0])
		}
		return usagef("%s", text)
	}
	s.words = append(s.words, arg)
	return nil
}

// option takes an argument that starts with two dashes.
func (s *session) option(arg string) {
	name, value, hasValue := strings.Cut(arg, "=")
	if option.Key(name) == "__test" {
		s.testOption(value, hasValue)
		return
	}
	switch s.set.ParseArg(arg) {
	case option.Stored:
		spec, _ := s.set.Lookup(name[2:])
		if !hasValue && spec.Type != option.Bool && spec.Bare == "" {
			s.bare = name
		}
		if spec.Type == option.File && value != "" {
			s.configFile(value)
		}
	default:
		s.deferred = append(s.deferred, arg)
	}
}

// testOption takes --test=NAME of older versions: it replaces the first word. Without a value it is nothing.
func (s *session) testOption(value string, hasValue bool) {
	if !hasValue {
		return
	}
	fmt.Fprintln(s.env.Stderr, "WARNING: the --test option is deprecated. You can pass a script name or path on the command line without any options.")
	switch {
	case value == "":
	case len(s.words) == 0:
		s.words = append(s.words, value)
	default:
		s.words[0] = value
	}
}

// configFile reads --config-file where it stands on the command line. What goes wrong is told, not fatal.
func (s *session) configFile(path string) {
	f, err := os.Open(path)
	if err != nil {
		fmt.Fprintf(s.env.Stderr, "%s: %s\n", path, reason(err))
		return
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return
	}
	if err := s.set.ParseFile(f); err != nil {
		fmt.Fprintln(s.env.Stderr, err)
	}
}

// reason is the C library's text of a file error.
func reason(err error) string {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		text := errno.Error()
		return strings.ToUpper(text[:1]) + text[1:]
	}
	return err.Error()
}

// typographic refuses dashes that word processors make of two hyphens.
func typographic(arg string) error {
	for _, dash := range []string{"\u2012", "\u2013", "\u2014", "\u2015", "\u2212", "-\u2013", "\u2010"} {
		if rest, ok := strings.CutPrefix(arg, dash); ok {
			rest = strings.TrimLeft(rest, "-\u2010\u2012\u2013\u2014\u2015\u2212")
			return usagef("%s starts with a typographic dash; write --%s", arg, rest)
		}
	}
	return nil
}

// dispatch finds the test, makes the second pass and executes the command (specification 1.3, 1.4).
func (s *session) dispatch(ctx context.Context, g *General) int {
	if len(s.words) == 0 {
		return s.stdinScript()
	}
	r := resolver{tests: s.env.Tests, getenv: s.env.Getenv, readable: readableFile}
	name := s.words[0]
	f := r.resolve(name)
	switch f.kind {
	case stdin:
		return s.stdinScript()
	case notFound:
		return s.refuse(fatalf("Cannot find benchmark '%s': no such built-in test, file or module", name))
	case script:
		s.log.Fatalf("'%s' is a Lua script, and this version of deltabench cannot run Lua scripts yet%s", f.path, shadowNote(r, name, f.path))
		return ExitUnsupported
	}
	if len(s.words) == 1 {
		return s.noCommand(f)
	}
	if err := s.secondPass(f.test, g); err != nil {
		return s.refuse(err)
	}
	return s.command(ctx, g, f)
}

// shadowNote explains a script that hides a bundled test.
func shadowNote(r resolver, name, path string) string {
	var f found
	if !r.bundled(name, &f) {
		return ""
	}
	return fmt.Sprintf(" (it comes before the bundled test '%s'; call it from another directory or rename the file)", name)
}

// stdinScript is the mode without a test name: a script from standard input and no command.
func (s *session) stdinScript() int {
	if f, ok := s.env.Stdin.(*os.File); ok && isTerminal(f) {
		s.write([]byte("Reading the script from the standard input:\n\n"))
	}
	blank, err := true, error(nil)
	if s.env.Stdin != nil {
		blank, err = onlyBlank(s.env.Stdin)
	}
	switch {
	case err != nil:
		return s.refuse(fatalf("read standard input: %s", reason(err)))
	case !blank:
		s.log.Fatalf("standard input is a Lua script, and this version of deltabench cannot run Lua scripts yet")
		return ExitUnsupported
	}
	return ExitOK
}

// noCommand ends a command line with a test and nothing else.
func (s *session) noCommand(f found) int {
	switch {
	case isBuiltin(f.name):
		return s.refuse(usagef("The '%s' test requires a command argument. See '%s %s help'", f.name, s.env.Face.program(), f.name))
	case len(f.test.Options()) == 0: // a script that declares nothing only executes its top level
		return ExitOK
	}
	return s.refuse(fatalf("%s: Command is required. Supported commands: prepare, prewarm, run, cleanup, help", at("oltp_common", 28)))
}

// secondPass declares the test's options and takes what the first pass left: as the test's, as ours, or, for
// a test that declares no options, as anything (specification 1.6).
func (s *session) secondPass(t workload.Test, g *General) error {
	specs := t.Options()
	s.set.Declare(specs...)
	for _, arg := range s.deferred {
		outcome := s.set.ParseArg(arg)
		if outcome == option.Unknown {
			outcome = s.ours.ParseArg(arg)
		}
		if outcome == option.Unknown && len(specs) == 0 && !isBuiltin(t.Name()) {
			name, _, _ := strings.Cut(arg[2:], "=")
			s.set.Declare(option.Spec{Name: name, Type: option.String, NoDefault: true})
			outcome = s.set.ParseArg(arg)
		}
		if outcome != option.Stored {
			return usagef("invalid option: %s", arg)
		}
	}
	return g.readOurs(s.ours)
}

// missing are tests that are known with their options, but that this version cannot execute.
var missing = []string{"fileio"}

// command executes one command of a test.
func (s *session) command(ctx context.Context, g *General, f found) int {
	name := s.words[1]
	switch known := hasCommand(f.test, name); {
	case known, name == "run":
	case name == "help":
		if len(f.test.Options()) == 0 {
			return s.refuse(usagef("'%s' test does not implement the 'help' command.", f.name))
		}
		s.write(appendTestHelp(nil, s.env.Face, f.name, f.test.Options()))
		return ExitOK
	case name == "prepare", name == "cleanup":
		return s.refuse(usagef("'%s' test does not implement the '%s' command.", f.name, name))
	default:
		return s.refuse(usagef("Unknown command: %s", name))
	}
	if slices.Contains(missing, f.test.Name()) {
		s.log.Fatalf("the '%s' test is not in this version of deltabench yet", f.test.Name())
		return ExitUnsupported
	}
	values, err := s.values(f.test)
	if err != nil {
		return s.refuse(err)
	}
	if f.kind == standalone && name == "run" {
		return s.refuse(fatalf("`init' function failed: %s: this script is meant to be included by other OLTP scripts and should not be called directly.", at("oltp_common", 22)))
	}
	if f.test.SQL() && s.set.String("db-driver") == "pgsql" {
		s.log.Fatalf("the pgsql driver is not in this version of deltabench yet; use --db-driver=mysql")
		return ExitUnsupported
	}
	return s.env.Runner(ctx, &Request{
		Face: s.env.Face, Test: f.test, Name: f.name, Command: name,
		General: g, Database: readDatabase(s.set, s.ours, s.env.Getenv), Options: values, Untyped: s.set.Untyped(),
		Log: s.log, Stdout: s.env.Stdout, Stderr: s.env.Stderr,
	})
}

// values reads the options that the command will use: all of them for a script, which gets them exported, and
// a compiled-in test's own ones.
func (s *session) values(t workload.Test) (workload.Values, error) {
	if isBuiltin(t.Name()) {
		return workload.ValuesOf(s.set, t.Options())
	}
	warnUntyped(s.log, s.set.Untyped())
	return workload.ValuesOf(s.set, s.set.Specs())
}

// warnUntyped tells which options of a config file have no type to be exported with.
func warnUntyped(log *textlog.Log, names []string) {
	for _, name := range names {
		log.Warnf("Global option '%s' will not be exported, because the type is unknown", name)
	}
}

func hasCommand(t workload.Test, name string) bool {
	for _, c := range t.Commands() {
		if c.Name == name {
			return true
		}
	}
	return false
}

// refuse ends the program with an error's message.
func (s *session) refuse(err error) int {
	r := asRefusal(err)
	switch {
	case r.stderr:
		fmt.Fprintln(s.env.Stderr, r.text)
	case r.plain:
		s.write([]byte(r.text + "\n"))
	default:
		s.log.Printf(r.level, "%s", r.text)
	}
	return r.code
}

func (s *session) write(text []byte) { _, _ = s.env.Stdout.Write(text) } // failures are kept by checkedWriter

// checkedWriter remembers the first error of a writer. It is safe for concurrent use.
type checkedWriter struct {
	mu     sync.Mutex
	w      io.Writer
	err    error
	failed func() // called at the first error
}

func (c *checkedWriter) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, err := c.w.Write(p)
	if err != nil && c.err == nil {
		c.err = err
		c.failed()
	}
	return n, err
}

func (c *checkedWriter) failure() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// isTerminal reports whether f is a terminal; the null device is a character device as well.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}
