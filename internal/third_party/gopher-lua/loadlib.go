package lua

import (
	"os"
	"path/filepath"
	"strings"
)

/* load lib {{{ */

var loLoaders = []LGFunction{loLoaderPreload, loLoaderLua, loLoaderC, loLoaderCRoot}

func loGetPath(env string, defpath string) string {
	path := os.Getenv(env)
	if len(path) == 0 {
		path = defpath
	}
	path = strings.Replace(path, ";;", ";"+defpath+";", -1)
	if os.PathSeparator != '/' {
		dir, err := filepath.Abs(filepath.Dir(os.Args[0]))
		if err != nil {
			panic(err)
		}
		path = strings.Replace(path, "!", dir, -1)
	}
	return path
}

// loFindFile looks for a module along package.path; otherwise it tells where it looked.
func loFindFile(L *LState, name, pname string) (string, string) {
	path, ok := L.GetField(L.GetField(L.G.Registry, "_PACKAGE"), pname).(LString)
	if !ok {
		L.RaiseError("'package.%s' must be a string", pname)
	}
	name = strings.ReplaceAll(name, ".", LuaDirSep)
	messages := ""
	for _, pattern := range strings.Split(string(path), LuaPathSep) {
		if pattern == "" {
			continue
		}
		file := strings.ReplaceAll(pattern, LuaPathMark, name)
		if f, err := os.Open(file); err == nil {
			f.Close()
			return file, ""
		}
		messages += "\n\tno file '" + file + "'"
	}
	return "", messages
}

func OpenPackage(L *LState) int {
	mod := L.RegisterModule(LoadLibName, loFuncs).(*LTable)
	L.G.Registry.RawSetString("_PACKAGE", mod)
	mod.RawSetString("loaded", L.G.Registry.RawGetString("_LOADED"))
	mod.RawSetString("preload", L.NewTable())
	loaders := L.CreateTable(len(loLoaders), 0)
	for i, loader := range loLoaders {
		loaders.RawSetInt(i+1, L.NewFunction(loader))
	}
	mod.RawSetString("loaders", loaders)
	mod.RawSetString("path", LString(loGetPath(LuaPath, LuaPathDefault)))
	mod.RawSetString("cpath", LString(loGetPath("LUA_CPATH", LuaCPathDefault)))
	mod.RawSetString("config", LString(LuaDirSep+"\n"+LuaPathSep+"\n"+LuaPathMark+"\n"+LuaExecDir+"\n"+LuaIgMark+"\n"))
	L.Push(mod)
	return 1
}

var loFuncs = map[string]LGFunction{
	"loadlib":    loLoadLib,
	"searchpath": loSearchPath,
	"seeall":     loSeeAll,
}

func loLoaderPreload(L *LState) int {
	name := L.CheckString(1)
	preload, ok := L.GetField(L.GetField(L.G.Registry, "_PACKAGE"), "preload").(*LTable)
	if !ok {
		L.RaiseError("'package.preload' must be a table")
	}
	lv := L.GetField(preload, name)
	if isNil(lv) {
		lv = LString("\n\tno field package.preload['" + name + "']")
	}
	L.Push(lv)
	return 1
}

func loLoaderLua(L *LState) int {
	name := L.CheckString(1)
	path, msg := loFindFile(L, name, "path")
	if path == "" {
		L.Push(LString(msg))
		return 1
	}
	fn, err := L.LoadFile(path)
	if err != nil {
		L.RaiseError("error loading module '%s' from file '%s':\n\t%s", name, path, err.(*ApiError).Object.String())
	}
	L.Push(fn)
	return 1
}

// loLoaderC finds libraries for C modules, only to say that they cannot be used.
func loLoaderC(L *LState) int {
	name := L.CheckString(1)
	path, msg := loFindFile(L, name, "cpath")
	if path != "" {
		L.RaiseError("error loading module '%s' from file '%s':\n\tC modules cannot be loaded", name, path)
	}
	L.Push(LString(msg))
	return 1
}

// loLoaderCRoot is loLoaderC for a.b in library a.
func loLoaderCRoot(L *LState) int {
	name := L.CheckString(1)
	root, _, ok := strings.Cut(name, ".")
	if !ok {
		return 0
	}
	path, msg := loFindFile(L, root, "cpath")
	if path != "" {
		L.RaiseError("error loading module '%s' from file '%s':\n\tC modules cannot be loaded", name, path)
	}
	L.Push(LString(msg))
	return 1
}

func loLoadLib(L *LState) int {
	L.Push(LNil)
	L.Push(LString("C modules cannot be loaded"))
	L.Push(LString("absent"))
	return 3
}

func loSearchPath(L *LState) int {
	name := L.CheckString(1)
	messages := ""
	sep := L.OptString(3, ".")
	if sep != "" {
		name = strings.ReplaceAll(name, sep, L.OptString(4, LuaDirSep))
	}
	for _, pattern := range strings.Split(L.CheckString(2), LuaPathSep) {
		file := strings.ReplaceAll(pattern, LuaPathMark, name)
		if f, err := os.Open(file); err == nil {
			f.Close()
			L.Push(LString(file))
			return 1
		}
		messages += "\n\tno file '" + file + "'"
	}
	L.Push(LNil)
	L.Push(LString(messages))
	return 2
}

func loSeeAll(L *LState) int {
	mod := L.CheckTable(1)
	mt := L.metatable(mod, true)
	if isNil(mt) {
		mt = L.CreateTable(0, 1)
		L.SetMetatable(mod, mt)
	}
	L.SetField(mt, "__index", L.Get(GlobalsIndex))
	return 0
}

/* }}} */

//
