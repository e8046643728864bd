package sysbench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"deltabench/internal/engine"
	"deltabench/internal/option"
	"deltabench/internal/random"
	"deltabench/internal/sqldb"
	"deltabench/internal/workload"
	"deltabench/internal/workload/script"
)

// scriptOf returns a test as a script, or nil.
func scriptOf(t workload.Test) *script.Script {
	c, _ := t.(*script.Script)
	return c
}

// mayUseDatabase reports whether a test uses a database, or is a script, of which nobody knows before it does.
func mayUseDatabase(t workload.Test) bool { return t.SQL() || scriptOf(t) != nil }

// runScript loads a script and executes its command.
func (s *session) runScript(ctx context.Context, g *General, f found) int {
	if own := (found{}); s.env.Face == FaceDeltabench && s.resolver().bundled(s.words[0], &own) {
		s.log.Noticef("'%s' comes before the bundled test '%s'\n", f.path, s.words[0])
	}
	if s.env.Face == FaceDeltabench && f.text == "" && isSettings(f.path) {
		return s.refuse(fatalf("%s is no Lua script: it has options, one to a line", s.shown(f.path)).
			hinted("option files of the MySQL client are for --defaults-file=FILE, sysbench's for --config-file=FILE; the test is a name such as oltp_read_write"))
	}
	drivers := &drivers{ctx: ctx, session: s, general: g}
	for _, arg := range s.deferred { // for a script that connects while it is loaded; the second pass reads them again
		s.ours.ParseArg(arg)
	}
	c, code := s.loadScript(ctx, g, f.source(s.words[0]), drivers)
	if c == nil {
		return code
	}
	defer c.Close()
	if len(s.words) == 1 {
		return ExitOK
	}
	f.test = c
	s.ours = option.NewSet(s.tables.ours...)
	if err := s.secondPass(c, g); err != nil {
		return s.refuse(err)
	}
	g, err := s.scriptDefaults(c, g)
	if err != nil {
		return s.refuse(err)
	}
	drivers.general = g
	return s.command(ctx, g, f, drivers)
}

// settings are the lines of option and config files: a group, an option with or without a value. Names of Lua have no dashes.
var (
	settingsGroup = regexp.MustCompile(`^\[[\w.-]+\]$`)
	settingsLine  = regexp.MustCompile(`^[\w-]+(\s*=.*)?$`)
	settingsNames = []string{".cnf", ".cfg", ".conf", ".ini"}
)

// maxSettings is how much of a file is looked at, in bytes.
const maxSettings = 64 << 10

// isSettings reports whether a file has options in place of a script: it starts with a group, or has such a name and nothing else.
func isSettings(path string) bool {
	text, err := readFirst(path, maxSettings)
	if err != nil {
		return false
	}
	named := slices.Contains(settingsNames, strings.ToLower(filepath.Ext(path)))
	some := false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		switch {
		case line == "", line[0] == '#', line[0] == ';', line[0] == '!':
		case settingsGroup.MatchString(line) && (!some || named):
			if !named {
				return true
			}
			some = true
		case named && settingsLine.MatchString(line):
			some = true
		default:
			return false
		}
	}
	return some
}

// source is where a script that was found comes from.
func (f found) source(typed string) script.Source {
	src := script.Source{Path: f.path, Bundled: f.text}
	if f.module {
		src.Module = typed
	}
	return src
}

// loadScript loads a script. Without one, the code is what the program ends with.
func (s *session) loadScript(ctx context.Context, g *General, src script.Source, drivers *drivers) (*script.Script, int) {
	dist, err := random.New(g.Random)
	if err != nil {
		return nil, s.refuse(fatalf("%s", err))
	}
	host := &script.Host{
		Args: s.env.Args, Getenv: s.env.Getenv, Stdout: s.env.Stdout, Log: s.log,
		Random: random.NewProcess(), Dist: dist, Threads: g.Threads, Events: g.Events,
		SearchPath: s.resolver().scriptPath(), Driver: drivers.open, Ours: s.env.Face == FaceDeltabench,
		Checking: drivers.none,
	}
	if src.Text == nil {
		host.Test = s.words[0]
	}
	if len(s.words) > 1 {
		host.Command = s.words[1]
	}
	c, err := script.Load(ctx, host, src)
	switch {
	case errors.Is(err, sqldb.ErrInterrupted):
		s.log.Fatalf("Interrupted while the script was loaded")
		return nil, ExitInterrupted
	case err != nil:
		logScriptError(s.log.Fatalf, "", err)
		return nil, ExitFailure
	}
	return c, ExitOK
}

// logScriptError writes the error of a script. It is blamed on a function, when the error does not know better.
func logScriptError(fatalf func(string, ...any), function string, err error) {
	fatalf("%s", scriptErrorText(function, err))
}

// scriptErrorText is the error of a script, blamed on a function when it does not know better.
func scriptErrorText(function string, err error) string {
	if function = functionOf(err, function); function == "" {
		return err.Error()
	}
	return fmt.Sprintf("`%s' function failed: %s", function, err)
}

// scriptDefaults gives options the defaults that a script asks for, where the user gave none. As sysbench, which knows
// nothing of that, it does not.
func (s *session) scriptDefaults(c *script.Script, g *General) (*General, error) {
	defaults := c.Defaults()
	if len(defaults) == 0 || s.env.Face == FaceSysbench {
		return g, nil
	}
	for name, text := range defaults {
		switch _, general := s.set.Lookup(name); {
		case general:
			setDefault(s.set, name, text)
		default:
			if _, ok := s.ours.Lookup(name); !ok {
				return nil, fatalf("sysbench.cmdline.defaults: there is no option --%s", dashed(name))
			}
			setDefault(s.ours, name, text)
		}
	}
	fresh, err := readGeneral(s.set, nil)
	if err != nil {
		return nil, err
	}
	if err := s.strictGeneral(); err != nil {
		return nil, err
	}
	s.log.SetVerbosity(fresh.Verbosity)
	return fresh, fresh.readOurs(s.ours)
}

// checkScriptOption asks a script's validator about a value that was typed.
func checkScriptOption(c *script.Script, arg, name, value string) error {
	ok, err := c.Validate(name, value)
	switch {
	case errors.Is(err, sqldb.ErrInterrupted):
		r := fatalf("Interrupted while the script looked at %s", arg)
		r.code = ExitInterrupted
		return r
	case err != nil:
		return fatalf("%s", err)
	case !ok:
		return usagef("invalid option: %s", arg).hinted("the script refuses the value")
	}
	return nil
}

// stdinScript is the mode without a test name: a script from standard input and no command. On our face somebody who
// typed no test at all and has no script is told so.
func (s *session) stdinScript(ctx context.Context, g *General) int {
	named := len(s.words) > 0 || s.env.Face == FaceSysbench
	nothing := usagef("no test is named").hinted("as in '%s oltp_read_write run'; see '%s --help'", s.env.Face.program(), s.env.Face.program())
	if f, ok := s.env.Stdin.(*os.File); ok && isTerminal(f) {
		if !named {
			return s.refuse(nothing)
		}
		s.write([]byte("Reading the script from the standard input:\n\n"))
	}
	var text []byte
	var err error
	if s.env.Stdin != nil {
		read := make(chan struct{})
		go func() { // waits for as long as nobody types; the end of the process ends it
			text, err = io.ReadAll(io.LimitReader(s.env.Stdin, maxStdin))
			close(read)
		}()
		select {
		case <-read:
		case <-ctx.Done():
			return ExitInterrupted
		}
	}
	switch {
	case err != nil:
		return s.refuse(fatalf("read standard input: %s", reason(err)))
	case !named && len(bytes.TrimSpace(text)) == 0:
		return s.refuse(nothing)
	}
	for _, arg := range s.deferred {
		s.ours.ParseArg(arg)
	}
	if len(s.words) == 2 && s.env.Face == FaceDeltabench {
		s.log.Warnf("'%s' is not executed: of a script on standard input only the top level runs; give its file to run its functions", s.words[1])
	}
	drivers := &drivers{ctx: ctx, session: s, general: g}
	c, code := s.loadScript(ctx, g, script.Source{Text: bytes.NewReader(text)}, drivers)
	if c != nil {
		c.Close()
	}
	return code
}

// maxStdin is how long a script on standard input may be, in bytes.
const maxStdin = 16 << 20

// drivers are the database drivers of a script, opened when it asks for them. It is safe for concurrent use.
type drivers struct {
	ctx     context.Context
	session *session
	general *General
	request *Request // of the command; nil while the script is loaded
	none    bool     // there is no server: the script is only looked at

	mu   sync.Mutex
	made map[string]*transportTap
	tell *printer // who is told of the first connection; nil: nobody
}

// open returns the driver of that name, or of --db-driver.
func (d *drivers) open(name string) (sqldb.Driver, error) {
	if d.none {
		return nil, d.failed(fatalf("the script connects to the database while it is loaded, and there is none for a check"))
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	req, err := d.command()
	if err != nil {
		return nil, d.failed(err)
	}
	if name == "" {
		name = req.Database.Driver
	}
	if t := d.made[name]; t != nil {
		return t, nil
	}
	database := *req.Database
	database.Driver = name
	one := *req
	one.Database = &database
	if err := database.Check(); err != nil {
		return nil, d.failed(err)
	}
	if name == "pgsql" {
		return nil, d.failed(fatalf("the pgsql driver is not in this version of deltabench yet; use --db-driver=mysql"))
	}
	driver := openDriver(d.ctx, &one)
	if broken, ok := driver.(*brokenDriver); ok {
		return nil, d.failed(broken.reason)
	}
	if d.made == nil {
		d.made = map[string]*transportTap{}
	}
	t := &transportTap{Driver: driver, printer: d.tell, request: &one}
	d.made[name] = t
	return t, nil
}

// failed logs why there is no driver.
func (d *drivers) failed(reason error) error {
	r := asRefusal(reason)
	d.session.log.Fatalf("%s", r.as(d.session.env.Face, r.hint))
	return fmt.Errorf("%w: %w", workload.ErrNoDriver, reason)
}

// command is the request of the command, or what there is of it while the script is loaded.
func (d *drivers) command() (*Request, error) {
	if d.request != nil {
		return d.request, nil
	}
	s := d.session
	files, err := s.readOptionFiles()
	if err != nil {
		return nil, err
	}
	database, err := readDatabase(s.env.Face, s.set, s.ours, files, s.env.Getenv)
	if err != nil {
		return nil, err
	}
	g := *d.general
	if g.InitTimeout == 0 {
		g.InitTimeout = engine.DefaultInitTimeout
	}
	return &Request{Face: s.env.Face, Command: "load", General: &g, Database: database, Log: s.log, Stdout: s.env.Stdout, Stderr: s.env.Stderr}, nil
}

// begin tells the drivers of the command that is executed.
func (d *drivers) begin(req *Request, p *printer) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.request, d.tell = req, p
	for _, t := range d.made {
		t.printer = p
	}
}

// intervalStat is an interval as a script's hook gets it.
func intervalStat(l layout, iv engine.Interval) workload.Stat {
	return workload.Stat{
		Threads: iv.Threads, Interval: seconds(iv.Length), Total: seconds(iv.Due), LatencyPct: l.percentileMs(iv.Latency) / 1000,
		Events: iv.Events, Reads: iv.Reads, Writes: iv.Writes, Others: iv.Others, Errors: iv.Counters.Errors, Reconnects: iv.Reconnects,
		Queue: iv.Queue, Concurrency: iv.Concurrency,
	}
}

// totalStat is a full report as a script's hook gets it.
func totalStat(l layout, r engine.Report, threads int) workload.Stat {
	st := workload.Stat{
		Threads: threads, Interval: seconds(r.SinceReset), Total: seconds(r.Elapsed), LatencyPct: l.percentileMs(r.Latency) / 1000,
		Events: r.Events, Reads: r.Reads, Writes: r.Writes, Others: r.Others, Errors: r.Counters.Errors, Reconnects: r.Reconnects,
		LatencyMin: millis(r.Latency.Min) / 1000, LatencyMax: millis(r.Latency.Max) / 1000, LatencySum: millis(r.Latency.Sum) / 1000,
	}
	if n := r.Latency.Count; n > 0 {
		st.LatencyAvg = st.LatencySum / float64(n)
	}
	return st
}

// serverError finds the number of a server's error in the text of a script's, or returns err.
func serverError(req *Request, err error) error {
	m := scriptErrno.FindStringSubmatch(err.Error())
	if m == nil {
		return err
	}
	code, _ := strconv.Atoi(m[1])                                           // digits, by the pattern
	if (code == 1146 || code == 1050) && !hasCommand(req.Test, "prepare") { // nobody knows where its tables come from
		return err
	}
	return &sqldb.Error{Code: code, Message: err.Error()}
}

var scriptErrno = regexp.MustCompile(`SQL error, errno = (\d+)`)

// scriptHelps reports whether a script's options are listed by help.
func scriptHelps(t workload.Test) bool {
	c := scriptOf(t)
	return c != nil && c.Strict()
}

// isCustom reports whether a command named run is the script's own.
func isCustom(req *Request) bool {
	return scriptOf(req.Test) != nil && slices.ContainsFunc(req.Test.Commands(), func(c workload.Command) bool { return c.Name == req.Command })
}
