package sysbench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"unicode/utf8"

	"deltabench/internal/option"
	"deltabench/internal/textlog"
	"deltabench/internal/workload"
)

// Main executes one command line and returns the exit code. The end of ctx ends a run cleanly.
func Main(ctx context.Context, env Env) int {
	if env.Runner == nil {
		env.Runner = runEngine
	}
	// Nobody reads the report of a run whose output is gone: it ends at once.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	out := &checkedWriter{w: env.Stdout, failed: cancel}
	env.Stdout = out
	code := newSession(env, textlog.New(out, textlog.Notice)).main(ctx)
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

	words       []string // test name and command
	testSpelled int      // how often the name was given by --test
	deferred    []string // options that the first pass did not understand

	tags []string // of all --tag

	document io.Writer // standard output when it is kept for the document of a run; see divert
}

// newSession returns a session at its start. What env leaves out has its defaults.
func newSession(env Env, log *textlog.Log) *session {
	if env.Getenv == nil {
		env.Getenv = func(string) string { return "" }
	}
	if env.Tests == nil {
		env.Tests = bundledTests()
	}
	t := tables(env.Face)
	return &session{env: env, tables: t, set: option.NewSet(t.first()...), ours: option.NewSet(t.ours...), log: log}
}

func (s *session) main(ctx context.Context) int {
	err := s.parse()
	s.warnOfTest()
	if err != nil {
		return s.refuse(err)
	}
	if s.set.Bool("help") {
		s.write(appendHelp(nil, s.env, s.tables))
		return ExitOK
	}
	if s.set.Bool("version") {
		s.write([]byte(s.env.Face.versionLine() + "\n"))
		return ExitOK
	}
	s.divert()
	log := s.log
	if old(s.peekCompat()) {
		log = nil // old spellings are meant
	}
	if s.isLegacy() {
		log = nil
		if err := s.legacyDefaults(); err != nil {
			return s.refuse(err)
		}
	}
	if s.env.Face == FaceDeltabench { // before sysbench's reading of them is refused
		if err := checkNumbers(s.set); err != nil {
			return s.refuse(err)
		}
	}
	g, err := readGeneral(s.set, log)
	if err == nil && s.env.Face == FaceDeltabench {
		err = s.strictGeneral()
	}
	if err != nil {
		return s.refuse(err)
	}
	s.log.SetVerbosity(g.Verbosity)
	s.log.Noticef("%s\n", s.header())
	return s.dispatch(ctx, g)
}

// parse is the first pass.
func (s *session) parse() error {
	args := s.env.Args[1:]
	for i, arg := range args {
		if s.env.Face == FaceDeltabench {
			next := ""
			if i+1 < len(args) {
				next = args[i+1]
			}
			if err := s.slip(arg, next); err != nil {
				return err
			}
		}
		if !strings.HasPrefix(arg, "--") {
			if err := s.word(arg); err != nil {
				return err
			}
			continue
		}
		if err := s.option(arg); err != nil {
			return err
		}
	}
	return nil
}

// slip refuses what sysbench would take for something else, and nobody means.
func (s *session) slip(arg, next string) error {
	if err := typographic(arg); err != nil {
		return err
	}
	if err := s.singleDash(arg); err != nil {
		return err
	}
	if strings.HasPrefix(arg, "=") {
		return usagef("%s: a value without its option; write --NAME%s", arg, arg)
	}
	return s.withoutValue(arg, next)
}

// word takes a positional argument: test name, command, and no more.
func (s *session) word(arg string) error {
	if len(s.words) == 2 {
		return usagef("Unrecognized command line argument: %s", s.shown(arg)).hinted("'%s' and '%s' are the test and the command, and there are no more", s.words[0], s.words[1])
	}
	s.words = append(s.words, arg)
	return nil
}

// option takes an argument that starts with two dashes.
func (s *session) option(arg string) error {
	name, value, hasValue := strings.Cut(arg, "=")
	if option.Key(name) == "__test" {
		s.testOption(value, hasValue)
		return nil
	}
	switch outcome := s.set.ParseArg(arg); {
	case outcome == option.Invalid && s.env.Face == FaceDeltabench && (name == "--help" || name == "--version"):
		return usagef("invalid option: %s", arg).hinted("write %s", name)
	case outcome == option.Stored:
		if spec, _ := s.set.Lookup(name[2:]); spec.Type == option.File && value != "" {
			return s.configFile(value)
		}
	default:
		s.deferred = append(s.deferred, arg)
	}
	return nil
}

// testOption takes --test=NAME of older versions: it replaces the first word. Without a value it is nothing.
func (s *session) testOption(value string, hasValue bool) {
	if !hasValue {
		return
	}
	switch {
	case value == "":
	case len(s.words) == 0:
		s.words = append(s.words, value)
	default:
		s.words[0] = value
	}
	s.testSpelled++
}

// warnOfTest tells that --test is an old spelling, for each time. With 0.4's test, or the layout of an old version, it is the
// right one.
func (s *session) warnOfTest() {
	if s.isLegacy() || old(s.peekCompat()) {
		return
	}
	for range s.testSpelled {
		fmt.Fprintln(s.env.Stderr, "WARNING: the --test option is deprecated. You can pass a script name or path on the command line without any options.")
	}
}

// maxConfigFile is how much of a config file is read, in bytes: /dev/zero has no end.
const maxConfigFile = 1 << 20

// configFile reads --config-file where it stands on the command line. In sysbench what goes wrong is told and
// the defaults are used; on our face nobody measures with options that were not read.
func (s *session) configFile(path string) error {
	strict := s.env.Face == FaceDeltabench
	f, err := os.Open(path)
	if err != nil {
		return s.told("%s: %s", path, reason(err))
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		if strict {
			return usagef("%s: %s", path, reason(syscall.EISDIR)).hinted("--config-file names a file")
		}
		return nil
	}
	var in io.Reader = f
	if strict {
		text, err := io.ReadAll(io.LimitReader(f, maxConfigFile))
		if err != nil {
			return usagef("%s: %s", path, reason(err)).hinted("--config-file could not be read")
		}
		if i := notText(text); i >= 0 {
			return usagef("%s line %d: this is not text", path, 1+bytes.Count(text[:i], []byte("\n"))).hinted("--config-file has lines such as threads=4")
		}
		in = bytes.NewReader(text)
	}
	var quote *option.QuoteError
	switch err := s.set.ParseFile(in); {
	case err == nil:
	case strict && errors.As(err, &quote):
		return usagef("%s: %s", path, err).hinted("a quote has no end")
	default:
		return s.told("%s", err)
	}
	return nil
}

// told writes a line on standard error with which sysbench goes on and our face ends.
func (s *session) told(format string, args ...any) error {
	if s.env.Face == FaceDeltabench {
		return usagef(format, args...).hinted("--config-file could not be read")
	}
	fmt.Fprintf(s.env.Stderr, format+"\n", args...)
	return nil
}

// notText returns the position of the first byte that no text has, or -1.
func notText(b []byte) int {
	if i := bytes.IndexByte(b, 0); i >= 0 {
		return i
	}
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
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

// dispatch finds the test, makes the second pass and executes the command (specification 1.3, 1.4).
func (s *session) dispatch(ctx context.Context, g *General) int {
	if len(s.words) == 0 {
		return s.stdinScript(ctx, g)
	}
	name := s.words[0]
	f := s.resolver().resolve(name)
	switch f.kind {
	case stdin:
		return s.stdinScript(ctx, g)
	case notFound:
		return s.refuse(s.unknownTest(name))
	case luaScript:
		return s.runScript(ctx, g, f)
	}
	if len(s.words) == 1 {
		return s.noCommand(f)
	}
	if err := s.secondPass(f.test, g); err != nil {
		return s.refuse(err)
	}
	if g.Compat == "" && f.test == legacyTest {
		g.Compat = compat04
	}
	return s.command(ctx, g, f, nil)
}

// noCommand ends a command line with a test and nothing else.
func (s *session) noCommand(f found) int {
	switch {
	case f.test == legacyTest:
		return s.refuse(usagef("The '--test=%s' test requires a command argument: prepare, run, cleanup or help", f.name))
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
	c := scriptOf(t)
	anything := len(specs) == 0 && !isBuiltin(t.Name())
	if c != nil {
		anything = !c.Strict()
	}
	for _, arg := range s.deferred {
		outcome := s.set.ParseArg(arg)
		if name, value, ok := strings.Cut(arg[2:], "="); ok && c != nil && outcome == option.Stored {
			if err := checkScriptOption(c, arg, name, value); err != nil {
				return err
			}
		}
		if outcome == option.Unknown {
			if outcome = s.ours.ParseArg(arg); outcome == option.Stored {
				s.collectTags(arg)
			}
		}
		if outcome == option.Unknown && anything {
			name, _, _ := strings.Cut(arg[2:], "=")
			s.set.Declare(option.Spec{Name: name, Type: option.String, NoDefault: true})
			outcome = s.set.ParseArg(arg)
		}
		if outcome != option.Stored {
			return s.unknownOption(arg, t)
		}
	}
	return g.readOurs(s.ours)
}

// missing are tests that are known with their options, but that this version cannot execute.
var missing = []string{"fileio"}

// command executes one command of a test; d is for scripts.
func (s *session) command(ctx context.Context, g *General, f found, d *drivers) int {
	name := s.words[1]
	switch known := hasCommand(f.test, name); {
	case known, name == "run":
	case name == "help":
		if len(f.test.Options()) == 0 && !scriptHelps(f.test) {
			return s.refuse(usagef("'%s' test does not implement the 'help' command.", f.name).hinted("it has no options"))
		}
		s.write(appendTestHelp(nil, s.env.Face, f.name, f.test.Options()))
		return ExitOK
	case name == "prepare", name == "cleanup":
		return s.refuse(usagef("'%s' test does not implement the '%s' command.", f.name, name).hinted("%s", s.commandHint(f.test, name)))
	default:
		return s.refuse(usagef("Unknown command: %s", s.shown(name)).hinted("%s", s.commandHint(f.test, name)))
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
	files, err := s.optionFiles(f.test)
	if err != nil {
		return s.refuse(err)
	}
	database, err := readDatabase(s.env.Face, s.set, s.ours, files, s.env.Getenv)
	if err != nil {
		return s.refuse(err)
	}
	req := &Request{
		drivers: d,
		Face:    s.env.Face, Test: f.test, Name: f.name, Command: name,
		General: g, Database: database, Options: values, Untyped: s.set.Untyped(),
		Log: s.log, Stdout: s.env.Stdout, Stderr: s.env.Stderr, advice: &advice{},
	}
	if req.Record, err = s.recording(name); err != nil {
		return s.refuse(err)
	}
	if req.Report, err = s.machineReport(g, req.Record.wanted()); err != nil {
		return s.refuse(err)
	}
	if s.env.Face == FaceDeltabench {
		if err := s.strict(req); err != nil {
			return s.refuse(err)
		}
	}
	if database.ask && mayUseDatabase(f.test) {
		if err := s.askPassword(ctx, database); err != nil {
			return s.refuse(err)
		}
	}
	if c := scriptOf(f.test); c != nil {
		c.SetOptions(s.set.Specs(), values)
		d.begin(req, nil)
	}
	return s.env.Runner(ctx, req)
}

// values reads the options that the command will use: all of them for a script, which gets them exported, and
// a compiled-in test's own ones.
func (s *session) values(t workload.Test) (workload.Values, error) {
	if isBuiltin(t.Name()) && scriptOf(t) == nil {
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
	text := r.as(s.env.Face, s.hint(err))
	switch {
	case r.stderr:
		fmt.Fprintln(s.env.Stderr, text)
	case r.plain:
		s.write([]byte(text + "\n"))
	default:
		s.log.Printf(r.level, "%s", text)
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
