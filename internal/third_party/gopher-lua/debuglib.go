package lua

import "strings"

func OpenDebug(L *LState) int {
	L.Push(L.RegisterModule(DebugLibName, debugFuncs))
	return 1
}

var debugFuncs = map[string]LGFunction{
	"getfenv":      debugGetFEnv,
	"gethook":      debugGetHook,
	"getinfo":      debugGetInfo,
	"getlocal":     debugGetLocal,
	"getmetatable": debugGetMetatable,
	"getregistry":  debugGetRegistry,
	"getupvalue":   debugGetUpvalue,
	"setfenv":      debugSetFEnv,
	"sethook":      debugSetHook,
	"setlocal":     debugSetLocal,
	"setmetatable": debugSetMetatable,
	"setupvalue":   debugSetUpvalue,
	"traceback":    debugTraceback,
}

func debugGetFEnv(L *LState) int {
	L.Push(L.GetFEnv(L.CheckAny(1)))
	return 1
}

func debugGetHook(L *LState) int {
	L.Push(LNil)
	return 1
}

// debugSetHook does nothing: hooks are not offered.
func debugSetHook(*LState) int { return 0 }

func debugGetRegistry(L *LState) int {
	L.Push(L.G.Registry)
	return 1
}

// threadArg gives the thread that an optional first argument names, and the number of the next argument.
func threadArg(L *LState) (*LState, int) {
	if th, ok := L.Get(1).(*LState); ok {
		return th, 2
	}
	return L, 1
}

func debugGetInfo(L *LState) int {
	th, arg := threadArg(L)
	what := L.OptString(arg+1, "flnSu")
	if strings.Trim(what, "flnSuL") != "" {
		L.ArgError(arg+1, "invalid option")
	}
	dbg := &Debug{}
	var fn LValue
	if f, ok := L.Get(arg).(*LFunction); ok {
		fn, _ = th.GetInfo(">"+what, dbg, f)
	} else {
		if L.GetTop() < arg || !LVCanConvToString(L.Get(arg)) {
			L.ArgError(arg, "function or level expected")
		}
		var ok bool
		if dbg, ok = th.GetStack(L.CheckInt(arg)); !ok {
			L.Push(LNil)
			return 1
		}
		fn, _ = th.GetInfo(what, dbg, LNil)
	}
	tb := L.NewTable()
	if strings.Contains(what, "S") {
		tb.RawSetString("source", LString(dbg.Source))
		tb.RawSetString("short_src", LString(dbg.ShortSource))
		tb.RawSetString("linedefined", LNumber(dbg.LineDefined))
		tb.RawSetString("lastlinedefined", LNumber(dbg.LastLineDefined))
		tb.RawSetString("what", LString(dbg.What))
	}
	if strings.Contains(what, "l") {
		tb.RawSetString("currentline", LNumber(dbg.CurrentLine))
	}
	f, _ := fn.(*LFunction)
	if dbg.frame != nil {
		f = dbg.frame.Fn
	} else if g, ok := L.Get(arg).(*LFunction); ok {
		f = g
	}
	if strings.Contains(what, "u") {
		tb.RawSetString("nups", LNumber(dbg.NUpvalues))
		nparams, vararg := 0, true
		if f != nil && !f.IsG {
			nparams, vararg = int(f.Proto.NumParameters), f.Proto.IsVarArg != 0
		}
		tb.RawSetString("nparams", LNumber(nparams))
		tb.RawSetString("isvararg", LBool(vararg))
	}
	if strings.Contains(what, "n") {
		if dbg.Name != "" {
			tb.RawSetString("name", LString(dbg.Name))
		}
		tb.RawSetString("namewhat", LString(dbg.NameWhat))
	}
	if strings.Contains(what, "f") && f != nil {
		tb.RawSetString("func", f)
	}
	if strings.Contains(what, "L") && f != nil && !f.IsG {
		lines := L.NewTable()
		for _, n := range f.Proto.DbgSourcePositions {
			lines.RawSet(LNumber(n), LTrue)
		}
		tb.RawSetString("activelines", lines)
	}
	L.Push(tb)
	return 1
}

func debugGetLocal(L *LState) int {
	th, arg := threadArg(L)
	idx := L.CheckInt(arg + 1)
	if f, ok := L.Get(arg).(*LFunction); ok {
		L.Push(LNil)
		if !f.IsG && idx >= 1 && idx <= int(f.Proto.NumParameters) {
			L.reg.Pop()
			L.Push(LString(f.Proto.DbgLocals[idx-1].Name))
		}
		return 1
	}
	dbg, ok := th.GetStack(L.CheckInt(arg))
	if !ok {
		L.ArgError(arg, "level out of range")
	}
	name, value := th.GetLocal(dbg, idx)
	if name == "" {
		L.Push(LNil)
		return 1
	}
	L.Push(LString(name))
	L.Push(value)
	return 2
}

func debugSetLocal(L *LState) int {
	th, arg := threadArg(L)
	dbg, ok := th.GetStack(L.CheckInt(arg))
	if !ok {
		L.ArgError(arg, "level out of range")
	}
	idx := L.CheckInt(arg + 1)
	return pushName(L, th.SetLocal(dbg, idx, L.CheckAny(arg+2)))
}

func pushName(L *LState, name string) int {
	if name == "" {
		L.Push(LNil)
	} else {
		L.Push(LString(name))
	}
	return 1
}

func debugGetMetatable(L *LState) int {
	L.Push(L.metatable(L.CheckAny(1), true))
	return 1
}

func debugSetMetatable(L *LState) int {
	L.CheckTypes(2, LTNil, LTTable)
	L.SetMetatable(L.Get(1), L.Get(2))
	L.SetTop(1)
	return 1
}

func debugGetUpvalue(L *LState) int {
	idx := L.CheckInt(2)
	name, value := L.GetUpvalue(L.CheckFunction(1), idx)
	if name == "" {
		return 0
	}
	L.Push(LString(name))
	L.Push(value)
	return 2
}

func debugSetUpvalue(L *LState) int {
	L.CheckAny(3)
	idx := L.CheckInt(2)
	name := L.SetUpvalue(L.CheckFunction(1), idx, L.Get(3))
	if name == "" {
		return 0
	}
	L.Push(LString(name))
	return 1
}

func debugSetFEnv(L *LState) int {
	L.SetFEnv(L.CheckAny(1), L.CheckTable(2))
	L.SetTop(1)
	return 1
}

func debugTraceback(L *LState) int {
	th, arg := threadArg(L)
	msg := L.Get(arg)
	if !isNil(msg) && !LVCanConvToString(msg) {
		L.Push(msg)
		return 1
	}
	level := 1
	if th != L {
		level = 0
	}
	level = L.OptInt(arg+1, level)
	L.Push(LString(th.stackTrace(LVAsString(msg), level)))
	return 1
}
