package script

import (
	"io"
	"sync/atomic"

	"deltabench/internal/random"
	"deltabench/internal/sqldb"
	lua "deltabench/internal/third_party/gopher-lua"
	"deltabench/internal/textlog"
)

// Host is what a script may use of its process and command line.
type Host struct {
	Args    []string // with the program's name in front
	Test    string   // as typed; empty: standard input
	Command string   // empty: none
	Getenv  func(string) string
	Stdout  io.Writer // what print writes to; the log writes to it too
	Log     *textlog.Log
	Random  *random.Process
	Dist    *random.Dist
	// Driver returns the database driver of that name; empty is the one of --db-driver. The error wraps
	// workload.ErrNoDriver, and the log says why.
	Driver func(name string) (sqldb.Driver, error)
	// Ours says that deltabench's face is shown: messages may help.
	Ours bool
}

// Script is a loaded script. Its states are made from the same compiled code.
type Script struct {
	host  *Host
	proto *lua.FunctionProto
	sql   atomic.Bool // a driver has been created
}

// SQL reports whether the script has created a database driver.
func (c *Script) SQL() bool { return c.sql.Load() }

// scriptWorker is a thread of a run.
type scriptWorker struct {
	state *State
}
