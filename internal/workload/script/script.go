package script

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"sync/atomic"

	"deltabench/internal/measure"
	"deltabench/internal/option"
	"deltabench/internal/random"
	"deltabench/internal/sqldb"
	"deltabench/internal/textlog"
	lua "deltabench/internal/third_party/gopher-lua"
	"deltabench/internal/workload"
)

// Host is what a script may use of its process and command line.
type Host struct {
	Args    []string // with the program's name in front
	Test    string   // as typed; empty: standard input
	Command string   // empty: none
	Getenv  func(string) string
	Stdin   io.Reader
	Stdout  io.Writer // what print writes to; the log writes to it too
	Stderr  io.Writer
	Log     *textlog.Log
	Random  *random.Process
	Dist    *random.Dist
	Threads int
	Events  int64 // --events
	// SearchPath is Lua's package.path.
	SearchPath string
	// Percentile is the headline of reports; 0 for none.
	Percentile float64
	// Driver returns the database driver of that name; empty is the one of --db-driver. The error wraps
	// workload.ErrNoDriver, and the log says why.
	Driver func(name string) (sqldb.Driver, error)
	// Checking keeps what Check tells.
	Checking bool
	// Ours says that deltabench's face is shown: messages may help.
	Ours bool
}

// Source is where a script comes from. One of the fields is set.
type Source struct {
	Path   string    // a file
	Module string    // found by require, in Path
	Text   io.Reader // standard input
	// Bundled is the text of a script of ours.
	Bundled string
}

// Script is a loaded script. Its states are made from the same compiled code.
type Script struct {
	host    *Host
	source  Source
	code    *library
	proto   *lua.FunctionProto
	setup   *workload.Setup
	main    *State
	sql     atomic.Bool // a driver has been created
	specs   []option.Spec
	strict  bool // the script declares its options: others are refused
	exports []export

	validators []*lua.LFunction // of the options, nil for none
	intervals  bool             // the script reports intervals itself
	totals     bool             // and the cumulative figures
}

// Error is an error of a script as sysbench words it.
type Error struct {
	Function string // that sysbench blames; empty: none is named
	Text     string
	Err      error // what Lua reported
}

func (e *Error) Error() string { return e.Text }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Load compiles a script and executes its top level in the main state. The error is what sysbench prints after FATAL.
func Load(ctx context.Context, host *Host, source Source) (*Script, error) {
	c := &Script{host: host, source: source, code: newLibrary()}
	c.setup = &workload.Setup{
		Threads: host.Threads, EventsLimit: host.Events, Log: host.Log, Random: host.Random, Dist: host.Dist,
		Driver: lazyDriver{c},
	}
	c.code.checking = host.Checking
	if err := c.compile(); err != nil {
		return nil, err
	}
	s, err := c.newState(Main, workload.ThreadContext{Threads: host.Threads, Rand: host.Random.Main(), Env: newHostEnv(ctx)})
	if err != nil {
		return nil, err
	}
	c.main = s
	if err := c.readOptions(); err != nil {
		c.Close()
		return nil, err
	}
	c.intervals = s.hook("report_intermediate") != nil
	c.totals = s.hook("report_cumulative") != nil
	return c, nil
}

// Close ends the main state.
func (c *Script) Close() {
	if c.main != nil {
		c.main.close()
		c.main = nil
	}
}

// Setup is what the script's runs and commands get, without options.
func (c *Script) Setup() workload.Setup { return *c.setup }

// Name is the base name of the test as typed.
func (c *Script) Name() string { return filepath.Base(c.host.Test) }

// Typed is the test as typed.
func (c *Script) Typed() string { return c.host.Test }

// SQL reports whether the script has created a database driver.
func (c *Script) SQL() bool { return c.sql.Load() }

// MayConnect reports whether the script has created a driver, or has calls that do.
func (c *Script) MayConnect() bool { return c.SQL() || c.code.database }

// compile reads and compiles the script's file.
func (c *Script) compile() error {
	var err error
	switch src := c.source; {
	case src.Text != nil:
		var text []byte
		if text, err = io.ReadAll(src.Text); err == nil {
			c.proto, err = c.code.compile(text, "stdin")
		}
	case src.Bundled != "":
		c.proto, err = c.code.compile([]byte(src.Bundled), src.Path)
	default:
		c.proto, err = c.code.file(src.Path)
	}
	if err != nil {
		text := err.Error()
		if errors.Is(err, errBytecode) {
			text += c.aid("the file is compiled; its source is needed")
		}
		if c.source.Module != "" {
			text = "error loading module '" + c.source.Module + "' from file '" + c.source.Path + "':\n\t" + text
		}
		return &Error{Text: text, Err: err}
	}
	return nil
}

// lazyDriver is the driver of --db-driver, opened when it is first used.
type lazyDriver struct{ script *Script }

// Name is that of --db-driver, or empty when there is none.
func (d lazyDriver) Name() string {
	driver, err := d.script.host.Driver("")
	if err != nil {
		return ""
	}
	return driver.Name()
}

// Connect opens a connection.
func (d lazyDriver) Connect(env sqldb.Env, stats *measure.Thread) (sqldb.Conn, error) {
	driver, err := d.script.host.Driver("")
	if err != nil {
		return nil, err
	}
	d.script.sql.Store(true)
	return driver.Connect(env, stats)
}

// errorOf is an error of a call of Lua code, blamed on a function.
func (s *State) errorOf(function string, err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	var api *lua.ApiError
	if errors.As(err, &api) {
		text = "(not a string)"
		switch api.Object.(type) {
		case lua.LString, lua.LNumber:
			text = api.Object.String()
		}
	}
	return &Error{Function: function, Text: text, Err: err}
}
