package script

import (
	"io"
	"strings"

	lua "deltabench/internal/third_party/gopher-lua"
)

// Versions that scripts see.
const (
	version       = "1.0.20"
	versionString = "sysbench " + version
)

// stateOptions keep a state small: most scripts need little, and some run in thousands of threads.
var stateOptions = lua.Options{
	SkipOpenLibs:        true,
	CallStackSize:       8000,
	RegistrySize:        256,
	RegistryMaxSize:     1 << 20,
	RegistryGrowStep:    256,
	MinimizeStackMemory: true,
}

// Places of C modules, which scripts see in package.cpath and in the message of a failed require.
func cpath(home string) string {
	rocks := home + "/.luarocks/lib/lua"
	return "./?.so;" + rocks + "/5.1/?.so;" + rocks + "/?.so;/usr/local/lib/lua/5.1/?.so;/usr/lib/lua/5.1/?.so;/usr/lib/x86_64-linux-gnu/sysbench;"
}

// open sets the globals of a state.
func (s *State) open() error {
	L, host := s.L, s.Script.host
	L.SetStdout(stdout{s})
	L.SetHook(hookEvery, func(*lua.LState) error { return s.breathe() })
	L.OpenLibs()
	s.openFiles()
	s.sysbench = L.NewTable()
	sys := s.sysbench
	L.SetGlobal("sysbench", sys)
	sys.RawSetString("tid", lua.LNumber(s.Thread.ID))
	sys.RawSetString("version", lua.LString(version))
	sys.RawSetString("version_string", lua.LString(versionString))
	sys.RawSetString("hooks", L.NewTable())
	errs := L.NewTable()
	errs.RawSetString("NONE", lua.LNumber(0))
	errs.RawSetString("RESTART_EVENT", lua.LNumber(errRestart))
	sys.RawSetString("error", errs)
	s.openCmdline()
	s.openReports()
	s.openLoop()
	s.openFFI()
	openSQL(s, sys)
	openRand(s, sys)
	openHistogram(s, sys)
	L.SetGlobal("thread_id", lua.LNumber(s.Thread.ID))
	if host.Test != "" {
		L.SetGlobal("test", lua.LString(host.Test))
	}
	openLegacy(s)
	return nil
}

// hookEvery is after how many calls and backward jumps a script lets others run and looks whether it is to end: some 50 µs.
const hookEvery = 5000

// stdout is what io.write and io.stdout write to.
type stdout struct{ *State }

func (o stdout) Write(p []byte) (int, error) { return o.Script.host.Stdout.Write(p) }

// setFunc sets a field of a table to a Go function.
func (s *State) setFunc(t *lua.LTable, name string, f lua.LGFunction) {
	t.RawSetString(name, s.L.NewFunction(f))
}

// print writes to what scripts take for standard output: at once, and in order with the lines of the log.
func (s *State) print(text string) {
	_, _ = io.WriteString(s.Script.host.Stdout, text) // whoever owns the output keeps the error
}

// openFiles replaces the functions that load files and find modules.
func (s *State) openFiles() {
	L := s.L
	L.SetGlobal("dofile", L.NewFunction(func(L *lua.LState) int {
		proto, err := s.Script.find(L.CheckString(1))
		if err != nil {
			L.Error(lua.LString(err.Error()), 0)
		}
		top := L.GetTop()
		L.Push(L.NewFunctionFromProto(proto))
		L.Call(0, lua.MultRet)
		return L.GetTop() - top
	}))
	L.SetGlobal("loadfile", L.NewFunction(func(L *lua.LState) int {
		proto, err := s.Script.find(L.CheckString(1))
		if err != nil {
			L.Push(lua.LNil)
			L.Push(lua.LString(err.Error()))
			return 2
		}
		L.Push(L.NewFunctionFromProto(proto))
		return 1
	}))
	pkg, ok := L.GetGlobal("package").(*lua.LTable)
	if !ok {
		return
	}
	host := s.Script.host
	pkg.RawSetString("path", lua.LString(host.SearchPath))
	pkg.RawSetString("cpath", lua.LString(cpath(host.Getenv("HOME"))))
	if loaders, ok := pkg.RawGetString("loaders").(*lua.LTable); ok {
		loaders.RawSetInt(2, L.NewFunction(func(L *lua.LState) int { return s.luaModule(L, pkg) }))
		loaders.RawSetInt(3, L.NewFunction(func(L *lua.LState) int { return s.cModule(L, pkg, false) }))
		loaders.RawSetInt(4, L.NewFunction(func(L *lua.LState) int { return s.cModule(L, pkg, true) }))
	}
}

// luaModule is the loader of Lua files: it returns the compiled file, or where it looked.
func (s *State) luaModule(L *lua.LState, pkg *lua.LTable) int {
	name := L.CheckString(1)
	search, ok := pkg.RawGetString("path").(lua.LString)
	if !ok {
		raise(L, "'package.path' must be a string")
	}
	proto, path, tried, err := s.Script.module(name, string(search))
	switch {
	case err != nil:
		L.Error(lua.LString("error loading module '"+name+"' from file '"+path+"':\n\t"+err.Error()), 1)
	case proto == nil:
		L.Push(lua.LString("\n\t" + strings.Join(tried, "\n\t")))
	default:
		L.Push(L.NewFunctionFromProto(proto))
	}
	return 1
}

// cModule is the loader of C libraries, which there are none of; of those of a whole package with root.
func (s *State) cModule(L *lua.LState, pkg *lua.LTable, root bool) int {
	name := L.CheckString(1)
	if first, _, ok := strings.Cut(name, "."); root {
		if !ok {
			return 0
		}
		name = first
	}
	search, _ := pkg.RawGetString("cpath").(lua.LString)
	var b strings.Builder
	for template := range strings.SplitSeq(string(search), ";") {
		if template != "" {
			b.WriteString("\n\tno file '" + strings.ReplaceAll(template, "?", strings.ReplaceAll(name, ".", "/")) + "'")
		}
	}
	if s.Script.host.Ours && !root {
		b.WriteString("\n\t(modules written in C cannot be loaded)")
	}
	L.Push(lua.LString(b.String()))
	return 1
}
