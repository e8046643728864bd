package lua

import (
	"runtime"
	"strconv"
	"strings"
)

/* basic functions {{{ */

func OpenBase(L *LState) int {
	global := L.G.Global
	global.RawSetString("_G", global)
	global.RawSetString("_VERSION", LString(LuaVersion))
	mod := L.RegisterModule("_G", baseFuncs).(*LTable)
	special := func(name string, fn LGFunction, s specialFunc) *LFunction {
		f := L.NewFunction(fn)
		f.special = s
		if name != "" {
			global.RawSetString(name, f)
		}
		return f
	}
	special("pcall", basePCall, specialPcall)
	special("xpcall", basePCall, specialXpcall)
	next := special("next", baseNext, specialNext)
	ipairsaux := special("", ipairsAux, specialIpairs)
	global.RawSetString("ipairs", L.NewClosure(baseIpairs, ipairsaux))
	global.RawSetString("pairs", L.NewClosure(basePairs, next))
	nameBuiltins("_G", global)
	L.Push(mod)
	return 1
}

var baseFuncs = map[string]LGFunction{
	"assert":         baseAssert,
	"collectgarbage": baseCollectGarbage,
	"dofile":         baseDoFile,
	"error":          baseError,
	"gcinfo":         baseGCInfo,
	"getfenv":        baseGetFEnv,
	"getmetatable":   baseGetMetatable,
	"load":           baseLoad,
	"loadfile":       baseLoadFile,
	"loadstring":     baseLoad,
	"print":          basePrint,
	"rawequal":       baseRawEqual,
	"rawget":         baseRawGet,
	"rawset":         baseRawSet,
	"select":         baseSelect,
	"setfenv":        baseSetFEnv,
	"setmetatable":   baseSetMetatable,
	"tonumber":       baseToNumber,
	"tostring":       baseToString,
	"type":           baseType,
	"unpack":         baseUnpack,
	"module":         loModule,
	"require":        loRequire,
	"newproxy":       baseNewProxy,
}

func baseAssert(L *LState) int {
	if LVAsBool(L.CheckAny(1)) {
		return L.GetTop()
	}
	if L.GetTop() < 2 {
		L.RaiseError("assertion failed!")
	}
	msg := L.Get(2)
	if n, ok := msg.(LNumber); ok {
		msg = LString(n.String())
	}
	if s, ok := msg.(LString); ok {
		msg = LString(L.where(1) + string(s))
	}
	panic(newApiError(ApiErrorRun, msg))
}

var gcOptions = []string{"stop", "restart", "collect", "count", "?", "step", "setpause", "setstepmul", "isrunning"}

// baseCollectGarbage answers about Go's heap. Scripts collect between phases; "step" in a loop must not stop the process
// for a full collection each time.
func baseCollectGarbage(L *LState) int {
	arg := L.OptString(1, "collect")
	for _, o := range gcOptions {
		if o != arg || o == "?" {
			continue
		}
		switch o {
		case "collect":
			clear(L.reg.array[L.reg.top:]) // what calls have left there
			runtime.GC()
			L.Push(preloads[0])
		case "count":
			L.PushNumber(heapKB())
		case "step", "isrunning":
			L.Push(LTrue)
		case "setpause", "setstepmul":
			L.Push(preloads[200])
		default:
			L.Push(preloads[0])
		}
		return 1
	}
	L.ArgError(1, "invalid option '"+arg+"'")
	return 0
}

func heapKB() LNumber {
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return LNumber(s.HeapAlloc) / 1024
}

func baseGCInfo(L *LState) int {
	L.PushNumber(LNumber(int(heapKB())))
	return 1
}

func baseDoFile(L *LState) int {
	fn, err := L.LoadFile(L.OptString(1, ""))
	if err != nil {
		panic(newApiError(ApiErrorRun, err.(*ApiError).Object))
	}
	top := L.GetTop()
	L.Push(fn)
	L.Call(0, MultRet)
	return L.GetTop() - top
}

func baseError(L *LState) int {
	obj := L.Get(1)
	level := L.OptInt(2, 1)
	if LVCanConvToString(obj) && level > 0 {
		obj = LString(L.where(level) + LVAsString(obj))
	}
	panic(newApiError(ApiErrorRun, obj))
}

// levelFunction gives the function that getfenv and setfenv mean.
func levelFunction(L *LState) *LFunction {
	if fn, ok := L.Get(1).(*LFunction); ok {
		return fn
	}
	level := L.OptInt(1, 1)
	if level < 0 {
		L.ArgError(1, "invalid level")
	}
	if level == 0 {
		return nil
	}
	f := L.frameAt(level)
	if f == nil {
		L.ArgError(1, "invalid level")
	}
	return f.Fn
}

func baseGetFEnv(L *LState) int {
	fn := levelFunction(L)
	switch {
	case fn == nil:
		L.Push(L.Env)
	case fn.IsG:
		L.Push(L.G.Global)
	default:
		L.Push(fn.Env)
	}
	return 1
}

func baseSetFEnv(L *LState) int {
	env := L.CheckTable(2)
	fn := levelFunction(L)
	if fn == nil {
		L.Env = env
		return 0
	}
	if fn.IsG {
		L.RaiseError("'setfenv' cannot change environment of given object")
	}
	fn.Env = env
	L.Push(fn)
	return 1
}

func baseGetMetatable(L *LState) int {
	L.Push(L.GetMetatable(L.CheckAny(1)))
	return 1
}

func baseSetMetatable(L *LState) int {
	tb := L.CheckTable(1)
	mt := L.Get(2)
	if _, ok := mt.(*LTable); !ok && (!isNil(mt) || L.GetTop() < 2) {
		L.ArgError(2, "nil or table expected")
	}
	if old := L.metaTable(tb); old != nil && !isNil(old.RawGetString("__metatable")) {
		L.RaiseError("cannot change a protected metatable")
	}
	tb.Metatable = mt
	L.SetTop(1)
	return 1
}

func ipairsAux(L *LState) int {
	tb := L.CheckTable(1)
	i := L.CheckInt(2) + 1
	v := tb.RawGetInt(i)
	if isNil(v) {
		return 0
	}
	L.PushNumber(LNumber(i))
	L.Push(v)
	return 2
}

func baseIpairs(L *LState) int {
	L.CheckAny(1)
	tb := L.CheckTable(1)
	L.Push(L.Get(UpvalueIndex(1)))
	L.Push(tb)
	L.Push(preloads[0])
	return 3
}

func baseNext(L *LState) int {
	tb := L.CheckTable(1)
	key, value, ok := tb.next(L.Get(2))
	if !ok {
		L.RaiseError("invalid key to 'next'")
	}
	L.Push(key)
	if isNil(key) {
		return 1
	}
	L.Push(value)
	return 2
}

func basePairs(L *LState) int {
	L.CheckAny(1)
	tb := L.CheckTable(1)
	L.Push(L.Get(UpvalueIndex(1)))
	L.Push(tb)
	L.Push(LNil)
	return 3
}

// pushLoaded pushes a compiled chunk, or nil and the error.
func pushLoaded(L *LState, fn *LFunction, err error) int {
	if err != nil {
		L.Push(LNil)
		L.Push(err.(*ApiError).Object)
		return 2
	}
	L.Push(fn)
	return 1
}

// baseLoad is load and loadstring: LuaJIT's both take a string or a function.
func baseLoad(L *LState) int {
	var text string
	switch L.Get(1).(type) {
	case LString, LNumber:
		text = L.CheckString(1)
	default:
		fn := L.CheckFunction(1)
		var b strings.Builder
		for {
			L.Push(fn)
			L.Call(0, 1)
			ret := L.reg.Pop()
			if isNil(ret) {
				break
			}
			if !LVCanConvToString(ret) {
				L.Push(LNil)
				L.Push(LString("reader function must return a string"))
				return 2
			}
			s := LVAsString(ret)
			if s == "" {
				break
			}
			b.WriteString(s)
			if b.Len() > maxString {
				L.RaiseError("not enough memory")
			}
		}
		text = b.String()
	}
	name := stringChunk(text)
	if _, ok := L.Get(1).(*LFunction); ok {
		name = "=(load)"
	}
	if given := L.Get(2); LVCanConvToString(given) {
		name = LVAsString(given)
		if name == "" || name[0] != '@' && name[0] != '=' {
			name = stringChunk(name)
		}
	} else if !isNil(given) {
		L.CheckString(2)
	}
	if mode := L.Get(3); LVCanConvToString(mode) && !strings.Contains(LVAsString(mode), "t") {
		return pushLoaded(L, nil, newApiErrorS(ApiErrorSyntax, "attempt to load chunk with wrong mode"))
	}
	if text != "" && text[0] == binarySignature {
		return pushLoaded(L, nil, newApiErrorS(ApiErrorSyntax, "(binary): cannot load incompatible bytecode"))
	}
	fn, err := L.LoadBytes([]byte(text), name)
	if err == nil && L.GetTop() >= 4 {
		if env, ok := L.Get(4).(*LTable); ok {
			fn.Env = env
		}
	}
	return pushLoaded(L, fn, err)
}

func baseLoadFile(L *LState) int {
	fn, err := L.LoadFile(L.OptString(1, ""))
	return pushLoaded(L, fn, err)
}

// basePCall never runs: the interpreter treats pcall and xpcall itself.
func basePCall(L *LState) int {
	L.RaiseError("attempt to call a nil value")
	return 0
}

func basePrint(L *LState) int {
	n := L.GetTop()
	buf := L.G.scratch[:0]
	L.G.scratch = nil
	tostring := L.G.Global.RawGetString("tostring")
	if f, ok := tostring.(*LFunction); ok && f.IsG {
		tostring = nil
	}
	for i := 1; i <= n; i++ {
		if i > 1 {
			buf = append(buf, '\t')
		}
		v := L.Get(i)
		if tostring != nil {
			v = L.callMeta1(tostring, v)
		} else if !LVCanConvToString(v) {
			v = L.ToStringMeta(v)
		}
		if !LVCanConvToString(v) {
			L.RaiseError("'tostring' must return a string to 'print'")
		}
		buf = appendConcat(buf, v)
	}
	buf = append(buf, '\n')
	_, _ = L.G.stdout.Write(buf)
	if cap(buf) <= maxScratch {
		L.G.scratch = buf
	}
	return 0
}

func baseRawEqual(L *LState) int {
	L.Push(LBool(L.CheckAny(1) == L.CheckAny(2)))
	return 1
}

func baseRawGet(L *LState) int {
	tb := L.CheckTable(1)
	L.Push(tb.RawGet(L.CheckAny(2)))
	return 1
}

func baseRawSet(L *LState) int {
	tb := L.CheckTable(1)
	L.CheckAny(2)
	L.RawSet(tb, L.Get(2), L.CheckAny(3))
	L.SetTop(1)
	return 1
}

func baseSelect(L *LState) int {
	n := L.GetTop()
	if s, ok := L.Get(1).(LString); ok && s != "" && s[0] == '#' {
		L.PushNumber(LNumber(n - 1))
		return 1
	}
	i := L.CheckInt(1)
	if i < 0 {
		i += n
	} else if i > n {
		i = n
	}
	if i < 1 {
		L.ArgError(1, "index out of range")
	}
	return n - i
}

func baseToNumber(L *LState) int {
	base := L.OptInt(2, 10)
	if base == 10 {
		switch v := L.CheckAny(1).(type) {
		case LNumber:
			L.Push(v)
			return 1
		case LString:
			if n, ok := parseNumber(string(v)); ok {
				L.PushNumber(n)
				return 1
			}
		default:
			if bits, unsigned, ok := cdataInt(v); ok {
				if unsigned {
					L.PushNumber(LNumber(bits))
				} else {
					L.PushNumber(LNumber(int64(bits)))
				}
				return 1
			}
		}
		L.Push(LNil)
		return 1
	}
	s := L.CheckString(1)
	if base < 2 || base > 36 {
		L.ArgError(2, "base out of range")
	}
	s = strings.ToLower(trimSpace(s))
	neg := false
	if s != "" && (s[0] == '-' || s[0] == '+') {
		neg = s[0] == '-'
		s = s[1:]
	}
	if base == 16 {
		s = strings.TrimPrefix(s, "0x")
	}
	n, err := strconv.ParseUint(s, base, 64)
	if err != nil && !isRange(err) || strings.Contains(s, "_") {
		L.Push(LNil)
		return 1
	}
	v := LNumber(n)
	if neg {
		v = -v
	}
	L.PushNumber(v)
	return 1
}

func baseToString(L *LState) int {
	v := L.CheckAny(1)
	if n, ok := v.(LNumber); ok {
		L.G.scratch = appendNumber(L.G.scratch[:0], n)
		L.PushBytes(L.G.scratch)
		return 1
	}
	L.Push(L.ToStringMeta(v))
	return 1
}

var typeNames = func() (names [int(LTChannel) + 1]LValue) {
	for i := range names {
		names[i] = LString(LValueType(i).String())
	}
	return names
}()

var cdataName LValue = LString("cdata")

func baseType(L *LState) int {
	v := L.CheckAny(1)
	if IsCData(v) {
		L.Push(cdataName)
	} else {
		L.Push(typeNames[v.Type()])
	}
	return 1
}

func baseUnpack(L *LState) int {
	tb := L.CheckTable(1)
	i := L.OptInt(2, 1)
	j := 0
	if isNil(L.Get(3)) {
		j = tb.Len()
	} else {
		j = L.CheckInt(3)
	}
	if i > j {
		return 0
	}
	if j-i >= 8000 {
		L.RaiseError("too many results to unpack")
	}
	for k := i; k <= j; k++ {
		L.Push(tb.RawGetInt(k))
	}
	return j - i + 1
}

/* }}} */

/* load lib {{{ */

func loModule(L *LState) int {
	name := L.CheckString(1)
	loaded := L.GetField(L.G.Registry, "_LOADED")
	tb, ok := L.GetField(loaded, name).(*LTable)
	if !ok {
		if tb, ok = L.FindTable(L.G.Global, name, 1).(*LTable); !ok {
			L.RaiseError("name conflict for module '%s'", name)
		}
		L.SetField(loaded, name, tb)
	}
	if isNil(L.GetField(tb, "_NAME")) {
		L.SetField(tb, "_M", tb)
		L.SetField(tb, "_NAME", LString(name))
		L.SetField(tb, "_PACKAGE", LString(name[:strings.LastIndexByte(name, '.')+1]))
	}
	caller := L.frameAt(1)
	if caller == nil || caller.Fn.IsG {
		L.RaiseError("'module' not called from a Lua function")
	}
	caller.Fn.Env = tb
	for i, n := 2, L.GetTop(); i <= n; i++ {
		L.Push(L.Get(i))
		L.Push(tb)
		L.Call(1, 0)
	}
	return 0
}

var loopdetection = &LUserData{Metatable: LNil}

func loRequire(L *LState) int {
	name := L.CheckString(1)
	loaded := L.GetField(L.G.Registry, "_LOADED")
	if lv := L.GetField(loaded, name); LVAsBool(lv) {
		if lv == loopdetection {
			L.RaiseError("loop or previous error loading module '%s'", name)
		}
		L.Push(lv)
		return 1
	}
	loaders, ok := L.GetField(L.GetField(L.G.Registry, "_PACKAGE"), "loaders").(*LTable)
	if !ok {
		L.RaiseError("'package.loaders' must be a table")
	}
	messages := ""
	for i := 1; ; i++ {
		loader := loaders.RawGetInt(i)
		if isNil(loader) {
			L.RaiseError("module '%s' not found:%s", name, messages)
		}
		L.Push(loader)
		L.Push(LString(name))
		L.Call(1, 1)
		ret := L.reg.Pop()
		if fn, ok := ret.(*LFunction); ok {
			L.SetField(loaded, name, loopdetection)
			L.Push(fn)
			L.Push(LString(name))
			L.Call(1, 1)
			if ret := L.reg.Pop(); !isNil(ret) {
				L.SetField(loaded, name, ret)
			}
			break
		}
		if LVCanConvToString(ret) {
			messages += LVAsString(ret)
		}
	}
	lv := L.GetField(loaded, name)
	if lv == loopdetection {
		lv = LTrue
		L.SetField(loaded, name, lv)
	}
	L.Push(lv)
	return 1
}

/* }}} */

func baseNewProxy(L *LState) int {
	ud := &LUserData{Env: L.Env, Metatable: LNil}
	switch v := L.Get(1).(type) {
	case *LNilType:
	case LBool:
		if v {
			ud.Metatable = L.NewTable()
		}
	case *LUserData:
		ud.Metatable = v.Metatable
	default:
		L.ArgError(1, "boolean or proxy expected")
	}
	L.Push(ud)
	return 1
}
