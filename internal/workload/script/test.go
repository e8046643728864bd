package script

import (
	"errors"
	"strings"

	lua "deltabench/internal/third_party/gopher-lua"
	"deltabench/internal/workload"
)

// callCommand is the function that sysbench blames for the error of a custom command.
const callCommand = "sysbench.cmdline.call_command"

// SetOptions is to be called before: states see what it was given.
var _ workload.Test = (*Script)(nil)

// Commands are the script's own commands, run and help among them when it has such, and those that it has functions for.
func (c *Script) Commands() []workload.Command {
	var list []workload.Command
	own := map[string]bool{}
	for _, name := range c.main.customCommands() {
		cmd, ok, err := c.main.command(name)
		if err == nil && !ok {
			continue
		}
		own[name] = true
		list = append(list, workload.Command{
			Name: name, Parallel: cmd.parallel, Function: callCommand,
			Do: func(setup workload.Setup, t workload.ThreadContext) error { return c.custom(name, cmd.parallel, t) },
		})
	}
	for _, name := range []string{"prepare", "cleanup", "help"} {
		if _, ok := c.main.L.GetGlobal(name).(*lua.LFunction); !ok || own[name] {
			continue
		}
		list = append(list, workload.Command{
			Name: name, Function: name,
			Do: func(workload.Setup, workload.ThreadContext) error { return c.main.callGlobal(name) },
		})
	}
	return list
}

// custom executes a custom command in the main state, or as one of several threads in a state of its own.
func (c *Script) custom(name string, parallel bool, t workload.ThreadContext) error {
	s := c.main
	if parallel && t.Threads > 1 {
		var err error
		if s, err = c.newState(Command, t); err != nil {
			return err
		}
		defer s.close()
		s.export()
	}
	cmd, ok, err := s.command(name)
	switch {
	case err != nil: // sysbench stumbles three times
		for _, function := range []string{"command_defined", "command_parallel"} {
			c.host.Log.Fatalf("`sysbench.cmdline.%s' function failed: %s", function, err)
		}
		return &Error{Function: callCommand, Text: err.Error() + c.aid("an entry of sysbench.cmdline.commands is {function, attribute}")}
	case !ok:
		return &Error{Function: callCommand, Text: "command " + name + " is gone"}
	}
	if _, ok := cmd.fn.(*lua.LFunction); !ok {
		return &Error{Function: callCommand, Text: strings.ReplaceAll(readOptionsPlace, "%d", "194") + "attempt to call a " + cmd.fn.Type().String() + " value" + c.aid("the command %s needs a function", name)}
	}
	if err := s.call(cmd.fn, 1); err != nil {
		return s.errorOf(callCommand, err)
	}
	result := s.L.Get(-1)
	s.L.Pop(1)
	if result == lua.LFalse {
		return workload.ErrFailed
	}
	return nil
}

// NewRun calls the script's init and returns a run.
func (c *Script) NewRun(setup workload.Setup) (workload.Run, error) {
	*c.setup = setup
	if err := c.main.callGlobal("init"); err != nil {
		return nil, err
	}
	if _, ok := c.main.L.GetGlobal("event").(*lua.LFunction); !ok {
		return nil, &Error{Text: "cannot find the event() function in " + c.Name() + c.eventAid()}
	}
	return &run{script: c}, nil
}

// eventAid says why there is no event function.
func (c *Script) eventAid() string {
	switch v := c.main.L.GetGlobal("event"); {
	case v != lua.LNil:
		return c.aid("event is a %s there; each thread calls it again and again, so it must be a function", v.Type())
	case len(c.proto.FunctionPrototypes) == 0 && len(c.proto.Code) <= 1:
		return c.aid("the file has no statements")
	}
	return c.aid("a script needs 'function event() ... end' for the command run; each call is an event")
}

// errRestart is sysbench.error.RESTART_EVENT.
const errRestart = 1

// restarts returns the error table that asks for the event to be executed again, or nil.
func restarts(err error) *lua.LTable {
	var api *lua.ApiError
	if !errors.As(err, &api) {
		return nil
	}
	t, ok := api.Object.(*lua.LTable)
	if !ok {
		return nil
	}
	if n, ok := t.RawGetString("errcode").(lua.LNumber); !ok || n != errRestart {
		return nil
	}
	return t
}
