package script

import (
	"errors"
	"fmt"

	"deltabench/internal/luaffi"
	"deltabench/internal/sqldb"
	lua "deltabench/internal/third_party/gopher-lua"
	"deltabench/internal/workload"
)

// Role is what a state is for.
type Role int

// Roles.
const (
	Main        Role = iota // loads the script; commands, init, done and the final report
	Worker                  // a thread of a run
	Command                 // a thread of a parallel command
	Reporter                // interval reports
	Checkpoints             // reports in the middle of a run
)

// State is one Lua interpreter with the script in it. One goroutine or coroutine at a time uses it.
type State struct {
	L      *lua.LState
	Script *Script
	Role   Role
	Setup  *workload.Setup        // of the run or command; there from the start, when options are not exported yet
	Thread workload.ThreadContext // Stats is nil where nothing is measured

	sysbench *lua.LTable // the global table
	closers  []func()
	c        *luaffi.Host     // what ffi.C has
	control  workload.Control // of the loop of events; nil where there is none
	predef   *lua.LFunction   // the thread_run that scripts may replace
	db       *database        // drivers and connections
	array    bool             // report_json has written the beginning of its array
}

// newState makes a state and executes the top level of the script in it.
func (c *Script) newState(role Role, t workload.ThreadContext) (*State, error) {
	s := &State{Script: c, Role: role, Setup: c.setup, Thread: t}
	s.L = lua.NewState(stateOptions)
	if err := s.open(); err != nil {
		s.close()
		return nil, err
	}
	fn := s.L.NewFunctionFromProto(c.proto)
	var args []lua.LValue
	if c.source.Module != "" {
		args = append(args, lua.LString(c.source.Module))
	}
	if err := s.call(fn, 0, args...); err != nil {
		err := s.errorOf("", err)
		s.close()
		return nil, err
	}
	return s, nil
}

// call calls a function in protected mode. nret values are left on the stack.
func (s *State) call(fn lua.LValue, nret int, args ...lua.LValue) error {
	s.L.Push(fn)
	for _, a := range args {
		s.L.Push(a)
	}
	return s.L.PCall(len(args), nret, nil)
}

// callGlobal calls the script's function of that name, when there is a value of that name at all.
func (s *State) callGlobal(name string, args ...lua.LValue) error {
	fn := s.L.GetGlobal(name)
	if fn == lua.LNil {
		return nil
	}
	if _, ok := fn.(*lua.LFunction); !ok && s.L.GetMetaField(fn, "__call") == lua.LNil {
		return &Error{Function: name, Text: fmt.Sprintf("attempt to call a %s value%s", fn.Type(), s.Script.aid("%s must be a function", name))}
	}
	return s.errorOf(name, s.call(fn, 0, args...))
}

// raise raises a Lua error with the position of the function's caller, as luaL_error does.
func raise(L *lua.LState, format string, args ...any) {
	L.Error(lua.LString(fmt.Sprintf(format, args...)), 1)
}

// usedSQL notes that the script created a driver: reports have the SQL format from now on.
func (s *State) usedSQL() { s.Script.sql.Store(true) }

// driver returns the database driver of that name; empty is the one of --db-driver. The error wraps
// workload.ErrNoDriver, and the log says why.
func (s *State) driver(name string) (sqldb.Driver, error) { return s.Script.host.Driver(name) }

// hook returns sysbench.hooks.NAME when that is a function, or nil.
func (s *State) hook(name string) *lua.LFunction {
	hooks, ok := s.sysbench.RawGetString("hooks").(*lua.LTable)
	if !ok {
		return nil
	}
	f, _ := hooks.RawGetString(name).(*lua.LFunction)
	return f
}

// onClose has f called when the state is closed, the last one first.
func (s *State) onClose(f func()) { s.closers = append(s.closers, f) }

// close ends the state and what it holds.
func (s *State) close() {
	for i := len(s.closers) - 1; i >= 0; i-- {
		s.closers[i]()
	}
	s.closers = nil
	s.L.Close()
	if e, ok := s.Thread.Env.(*hostEnv); ok {
		e.end()
	}
}

// interrupted raises an error of the database driver or of a sleep that a forced stop has cut short. No pcall catches it.
func interrupted(L *lua.LState, err error) {
	if errors.Is(err, sqldb.ErrInterrupted) {
		L.Throw(lua.Uncatchable(err))
	}
}

// aid is a sentence that helps, on our face only.
func (c *Script) aid(format string, args ...any) string {
	if !c.host.Ours {
		return ""
	}
	return " (" + fmt.Sprintf(format, args...) + ")"
}
