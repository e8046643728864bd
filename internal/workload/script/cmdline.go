package script

import (
	"fmt"
	"sort"
	"strings"

	"deltabench/internal/option"
	lua "deltabench/internal/third_party/gopher-lua"
	"deltabench/internal/workload"
)

// Types of options as scripts name them, sysbench.cmdline.ARG_*.
const (
	argNull = iota
	argBool
	argInt
	argSize
	argDouble
	argString
	argList
	argFile
	argMax
)

var argNames = []string{"NULL", "BOOL", "INT", "SIZE", "DOUBLE", "STRING", "LIST", "FILE", "MAX"}

var argTypes = map[int]option.Type{
	argBool: option.Bool, argInt: option.Int, argSize: option.Size, argDouble: option.Double,
	argString: option.String, argList: option.List, argFile: option.File,
}

// export is an option that scripts see.
type export struct {
	name  string // underscored
	typ   option.Type
	value workload.Value
}

// openCmdline sets sysbench.cmdline.
func (s *State) openCmdline() {
	L, host := s.L, s.Script.host
	t := L.NewTable()
	s.sysbench.RawSetString("cmdline", t)
	for i, name := range argNames {
		t.RawSetString("ARG_"+name, lua.LNumber(i))
	}
	t.RawSetString("PARALLEL_COMMAND", lua.LTrue)
	argv := L.CreateTable(len(host.Args), 1)
	for i, a := range host.Args {
		argv.RawSetInt(i, lua.LString(a))
	}
	t.RawSetString("argv", argv)
	if host.Command != "" {
		t.RawSetString("command", lua.LString(host.Command))
	}
	if host.Test != "" {
		t.RawSetString("script_path", lua.LString(host.Test))
	}
	s.setFunc(t, "print_test_options", func(*lua.LState) int {
		s.printOptions()
		return 0
	})
	s.setFunc(t, "command_defined", func(L *lua.LState) int {
		_, ok, err := s.command(L.CheckString(1))
		if err != nil {
			raise(L, "%s", err)
		}
		L.Push(lua.LBool(ok))
		return 1
	})
	s.setFunc(t, "command_parallel", func(L *lua.LState) int {
		cmd, _, err := s.command(L.CheckString(1))
		if err != nil {
			raise(L, "%s", err)
		}
		L.Push(lua.LBool(cmd.parallel))
		return 1
	})
	s.setFunc(t, "call_command", func(L *lua.LState) int {
		cmd, ok, err := s.command(L.CheckString(1))
		if err != nil || !ok {
			raise(L, "no such command")
		}
		L.Push(cmd.fn)
		L.Call(0, 1)
		return 1
	})
	s.setFunc(t, "read_cmdline_options", func(*lua.LState) int { return 0 })
}

// printOptions prints the options that the script declares.
func (s *State) printOptions() { s.print(string(option.AppendList(nil, s.Script.specs))) }

// cmdlineField returns sysbench.cmdline.NAME.
func (s *State) cmdlineField(name string) lua.LValue {
	sys, ok := s.L.GetGlobal("sysbench").(*lua.LTable)
	if !ok {
		return lua.LNil
	}
	t, ok := sys.RawGetString("cmdline").(*lua.LTable)
	if !ok {
		return lua.LNil
	}
	return t.RawGetString(name)
}

// readOptionsPlace is how sysbench's library names itself in the errors of option declarations.
const readOptionsPlace = `[string "sysbench.cmdline.lua"]:%d: `

func optionsError(line int, format string, args ...any) error {
	return &Error{
		Function: "sysbench.cmdline.read_cmdline_options",
		Text:     fmt.Sprintf(readOptionsPlace, line) + fmt.Sprintf(format, args...),
	}
}

// readOptions reads sysbench.cmdline.options of the main state.
func (c *Script) readOptions() error {
	v := c.main.cmdlineField("options")
	if v == lua.LNil {
		return nil
	}
	t, ok := v.(*lua.LTable)
	if !ok {
		return optionsError(120, "wrong type for sysbench.cmdline.options: %s", v.Type())
	}
	c.strict = true
	type declared struct {
		name string
		def  *lua.LTable
	}
	var list []declared
	bad := false
	t.ForEach(func(k, v lua.LValue) {
		def, ok := v.(*lua.LTable)
		name, isName := k.(lua.LString)
		if !ok || !isName {
			bad = true
			return
		}
		list = append(list, declared{string(name), def})
	})
	if bad {
		return optionsError(132, "wrong table structure in sysbench.cmdline.options")
	}
	sort.Slice(list, func(i, j int) bool { return list[i].name < list[j].name })
	for _, d := range list {
		spec, err := c.optionSpec(d.name, d.def)
		if err != nil {
			return err
		}
		c.specs = append(c.specs, spec)
		fn, _ := d.def.RawGetInt(4).(*lua.LFunction)
		c.validators = append(c.validators, fn)
	}
	return nil
}

func (c *Script) optionSpec(name string, def *lua.LTable) (option.Spec, error) {
	// Modules of ours have options that sysbench 1.0.20 has not: its list leaves them out.
	spec := option.Spec{Name: name, Hidden: !c.host.Ours && lua.LVAsBool(def.RawGetString("hidden"))}
	switch desc := def.RawGetInt(1).(type) {
	case lua.LString:
		spec.Desc = string(desc)
	case *lua.LNilType:
		return spec, optionsError(137, "nil description for option %s", name)
	default:
		return spec, optionsError(138, "cannot convert '%s' to 'const char *'", desc.Type())
	}
	value := def.RawGetInt(2)
	typ := argString
	explicit := false
	if n, ok := def.RawGetInt(3).(lua.LNumber); ok {
		typ, explicit = int(n), true
	}
	var text string
	switch v := value.(type) {
	case *lua.LNilType:
		spec.NoDefault = true
		if typ == argBool && explicit {
			text = "on"
		}
	case lua.LBool:
		if !explicit {
			typ = argBool
		}
		text = "off"
		if v {
			text = "on"
		}
	case lua.LNumber:
		if !explicit {
			typ = argDouble
		}
		text = c.main.L.ToStringMeta(v).String()
	case lua.LString:
		text = string(v)
	case *lua.LTable:
		if !explicit {
			typ = argList
		} else if !c.host.Ours {
			return spec, optionsError(141, "wrong type for list option %s", name)
		}
		var words []string
		for i := 1; i <= v.Len(); i++ {
			words = append(words, c.main.L.ToStringMeta(v.RawGetInt(i)).String())
		}
		text = strings.Join(words, ",")
	default:
		return spec, optionsError(151, "cannot convert '%s' to 'const char *'", v.Type())
	}
	t, ok := argTypes[typ]
	if !ok {
		return spec, &Error{Text: fmt.Sprintf("Unknown argument type: %d", typ)}
	}
	spec.Type, spec.Default = t, text
	return spec, nil
}

// Strict reports whether the script declares its options, so that others are refused.
func (c *Script) Strict() bool { return c.strict }

// Options are the script's options.
func (c *Script) Options() []option.Spec { return c.specs }

// Validate asks the script whether an option may have a value. In sysbench the first option's validator is asked for all
// of the script's options, and no other one.
func (c *Script) Validate(name, value string) (bool, error) {
	i := sort.Search(len(c.specs), func(i int) bool { return c.specs[i].Name >= name })
	for i = range c.specs {
		if option.Key(c.specs[i].Name) == option.Key(name) {
			break
		}
	}
	if i >= len(c.specs) || option.Key(c.specs[i].Name) != option.Key(name) {
		return true, nil
	}
	if !c.host.Ours {
		i = 0
	}
	fn := c.validators[i]
	if fn == nil {
		return true, nil
	}
	s := c.main
	if err := s.call(fn, 1, s.charPointer(name), s.charPointer(value)); err != nil {
		return false, s.errorOf("validator of --"+name, err)
	}
	ok := lua.LVAsBool(s.L.Get(-1))
	s.L.Pop(1)
	return ok, nil
}

// Defaults are the values of sysbench.cmdline.defaults: what a script wants options of ours to be when the user says nothing.
// sysbench knows no such table.
func (c *Script) Defaults() map[string]string {
	t, ok := c.main.cmdlineField("defaults").(*lua.LTable)
	if !ok {
		return nil
	}
	m := map[string]string{}
	t.ForEach(func(k, v lua.LValue) {
		switch v := v.(type) {
		case lua.LBool:
			m[k.String()] = map[bool]string{true: "on", false: "off"}[bool(v)]
		case *lua.LTable:
			var words []string
			for i := 1; i <= v.Len(); i++ {
				words = append(words, c.main.L.ToStringMeta(v.RawGetInt(i)).String())
			}
			m[k.String()] = strings.Join(words, ",")
		default:
			m[k.String()] = c.main.L.ToStringMeta(v).String()
		}
	})
	return m
}

// SetOptions gives the script the values of all options: its states get them exported, the main state now.
func (c *Script) SetOptions(specs []option.Spec, values workload.Values) {
	c.exports = c.exports[:0]
	for _, spec := range specs {
		if spec.Type == option.File || spec.Type == option.Untyped {
			continue
		}
		name := option.Key(spec.Name)
		c.exports = append(c.exports, export{name: name, typ: spec.Type, value: values[name]})
	}
	c.setup.Options = values
	c.main.export()
}

// export fills sysbench.opt, and, for a script that declares no options, the globals of that names.
func (s *State) export() {
	L := s.L
	opt := L.CreateTable(0, len(s.Script.exports))
	s.sysbench.RawSetString("opt", opt)
	for _, x := range s.Script.exports {
		var v lua.LValue
		switch x.typ {
		case option.Bool:
			v = lua.LBool(x.value.Bool)
		case option.Int, option.Size:
			v = lua.LNumber(x.value.Int)
		case option.Double:
			v = lua.LNumber(x.value.Float)
		case option.List:
			list := L.CreateTable(len(x.value.List), 0)
			for _, e := range x.value.List {
				list.Append(lua.LString(e))
			}
			v = list
		default:
			v = lua.LString(x.value.Text)
		}
		opt.RawSetString(x.name, v)
		if s.Script.strict {
			continue
		}
		if _, isFunction := L.GetGlobal(x.name).(*lua.LFunction); !isFunction {
			L.SetGlobal(x.name, v)
		}
	}
}

// customCommand is an entry of sysbench.cmdline.commands.
type customCommand struct {
	name     string
	fn       lua.LValue
	parallel bool
}

// command finds a custom command of the state. The error is of a table that cannot be read.
func (s *State) command(name string) (customCommand, bool, error) {
	t, ok := s.cmdlineField("commands").(*lua.LTable)
	if !ok {
		return customCommand{}, false, nil
	}
	switch v := t.RawGetString(name).(type) {
	case *lua.LNilType, lua.LString: // fields of strings are nil
		return customCommand{}, false, nil
	case *lua.LTable:
		c := customCommand{name: name, fn: v.RawGetInt(1)}
		c.parallel = lua.LVAsBool(v.RawGetInt(2))
		return c, c.fn != lua.LNil, nil
	default:
		return customCommand{}, false, fmt.Errorf(readOptionsPlace+"attempt to index a %s value", 181, v.Type())
	}
}

// customCommands are the names in sysbench.cmdline.commands, sorted.
func (s *State) customCommands() []string {
	t, ok := s.cmdlineField("commands").(*lua.LTable)
	if !ok {
		return nil
	}
	var names []string
	t.ForEach(func(k, _ lua.LValue) {
		if name, ok := k.(lua.LString); ok {
			names = append(names, string(name))
		}
	})
	sort.Strings(names)
	return names
}
