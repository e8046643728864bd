package lua

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
)

const MultRet = -1
const RegistryIndex = -10000
const EnvironIndex = -10001
const GlobalsIndex = -10002

/* ApiError {{{ */

type ApiError struct {
	Type       ApiErrorType
	Object     LValue
	StackTrace string
	// Underlying error. This attribute is set only if the Type is ApiErrorFile or ApiErrorSyntax
	Cause error
}

func newApiError(code ApiErrorType, object LValue) *ApiError {
	return &ApiError{code, object, "", nil}
}

func newApiErrorS(code ApiErrorType, message string) *ApiError {
	return newApiError(code, LString(message))
}

func newApiErrorE(code ApiErrorType, err error) *ApiError {
	return &ApiError{code, LString(err.Error()), "", err}
}

func (e *ApiError) Error() string {
	if len(e.StackTrace) > 0 {
		return fmt.Sprintf("%s\n%s", e.Object.String(), e.StackTrace)
	}
	return e.Object.String()
}

type ApiErrorType int

const (
	ApiErrorSyntax ApiErrorType = iota
	ApiErrorFile
	ApiErrorRun
	ApiErrorError
	ApiErrorPanic
	// ApiErrorUncatchable passes through pcall, xpcall and coroutines; see Uncatchable.
	ApiErrorUncatchable
)

/* }}} */

/* ResumeState {{{ */

type ResumeState int

const (
	ResumeOK ResumeState = iota
	ResumeYield
	ResumeError
)

/* }}} */

/* P {{{ */

type P struct {
	Fn      LValue
	NRet    int
	Protect bool
	Handler *LFunction
}

/* }}} */

/* Options {{{ */

// Options is a configuration that is used to create a new LState.
type Options struct {
	// Call stack size. This defaults to `lua.CallStackSize`.
	CallStackSize int
	// Data stack size. This defaults to `lua.RegistrySize`.
	RegistrySize int
	// Allow the registry to grow from the registry size specified up to a value of RegistryMaxSize. A value of 0
	// indicates no growth is permitted. The registry will not shrink again after any growth.
	RegistryMaxSize int
	// If growth is enabled, step up by an additional `RegistryGrowStep` each time to avoid having to resize too often.
	// This defaults to `lua.RegistryGrowStep`
	RegistryGrowStep int
	// Controls whether or not libraries are opened by default
	SkipOpenLibs bool
	// Tells whether a Go stacktrace should be included in a Lua stacktrace when panics occur.
	IncludeGoStackTrace bool
	// If `MinimizeStackMemory` is set, the call stack will be automatically grown or shrank up to a limit of
	// `CallStackSize` in order to minimize memory usage. This does incur a slight performance penalty.
	MinimizeStackMemory bool
}

/* }}} */

/* package local methods {{{ */

func newLState(options Options) *LState {
	ls := &LState{Options: options, alloc: newAllocator(32)}
	ls.regv = registry{maxSize: options.RegistryMaxSize, ls: ls}
	ls.reg = &ls.regv
	ls.reg.array = make([]LValue, options.RegistrySize)
	return ls
}

func (ls *LState) currentLocalBase() int {
	if ls.currentFrame != nil {
		return ls.currentFrame.LocalBase
	}
	return 0
}

func (ls *LState) currentEnv() *LTable { return ls.Env }

func (ls *LState) indexToReg(idx int) int {
	base := ls.currentLocalBase()
	if idx > 0 {
		return base + idx - 1
	} else if idx == 0 {
		return -1
	}
	tidx := ls.reg.top + idx
	if tidx < base {
		return -1
	}
	return tidx
}

// closeUpvalues makes the open upvalues from register idx on keep their values themselves.
func (ls *LState) closeUpvalues(idx int) {
	for uv := ls.openUpvalues; uv != nil && uv.index >= idx; uv = ls.openUpvalues {
		uv.Close()
		ls.openUpvalues = uv.next
		uv.next = nil
	}
}

func (ls *LState) findUpvalue(idx int) *Upvalue {
	p := &ls.openUpvalues
	for *p != nil && (*p).index > idx {
		p = &(*p).next
	}
	if *p != nil && (*p).index == idx {
		return *p
	}
	uv := &Upvalue{reg: ls.reg, index: idx, next: *p}
	*p = uv
	return uv
}

func (ls *LState) metatable(lvalue LValue, rawget bool) LValue {
	metatable := LNil
	if tb := ls.metaTable(lvalue); tb != nil {
		metatable = tb
		if !rawget {
			if mt := tb.RawGetString("__metatable"); !isNil(mt) {
				return mt
			}
		}
	}
	return metatable
}

// metaTable gives the metatable of a value, or nil.
func (ls *LState) metaTable(lvalue LValue) *LTable {
	var mt LValue
	switch obj := lvalue.(type) {
	case *LTable:
		mt = obj.Metatable
	case *LUserData:
		mt = obj.Metatable
		if ls.G.cdataMt != nil && (mt == nil || isNil(mt)) {
			if _, ok := obj.Value.(CData); ok {
				return ls.G.cdataMt
			}
		}
	default:
		mt = ls.G.builtinMts[int(obj.Type())]
	}
	tb, _ := mt.(*LTable)
	return tb
}

func (ls *LState) metaOp1(lvalue LValue, event string) LValue {
	if tb := ls.metaTable(lvalue); tb != nil {
		return tb.RawGetString(event)
	}
	return LNil
}

func (ls *LState) metaOp2(value1, value2 LValue, event string) LValue {
	if op := ls.metaOp1(value1, event); !isNil(op) {
		return op
	}
	return ls.metaOp1(value2, event)
}

const maxMetaLoop = 100

func (ls *LState) getField(obj LValue, key LValue) LValue {
	v, fn, self := ls.index(obj, key)
	if fn != nil {
		return ls.call1(fn, self, key)
	}
	return v
}

// index looks a key up; if that takes a Lua function, it gives the function and its first argument.
func (ls *LState) index(obj LValue, key LValue) (v LValue, fn *LFunction, self LValue) {
	for i := 0; i < maxMetaLoop; i++ {
		var mt *LTable
		if tb, ok := obj.(*LTable); ok {
			if v := tb.RawGet(key); !isNil(v) {
				return v, nil, nil
			}
			if mt, ok = tb.Metatable.(*LTable); !ok {
				return LNil, nil, nil
			}
		} else if mt = ls.metaTable(obj); mt == nil {
			ls.indexError(obj, key)
		}
		index := mt.RawGetString("__index")
		switch fn := index.(type) {
		case *LNilType:
			if _, ok := obj.(*LTable); ok {
				return LNil, nil, nil
			}
			ls.indexError(obj, key)
		case *LFunction:
			if !fn.IsG {
				return nil, fn, obj
			}
			return ls.call1(fn, obj, key), nil, nil
		}
		obj = index
	}
	ls.RaiseError("'__index' chain too long; possible loop")
	return LNil, nil, nil
}

func (ls *LState) getFieldString(obj LValue, key string) LValue {
	if tb, ok := obj.(*LTable); ok {
		if v := tb.RawGetString(key); !isNil(v) || isNil(tb.Metatable) {
			return v
		}
	}
	return ls.getField(obj, LString(key))
}

func (ls *LState) setField(obj LValue, key LValue, value LValue) {
	if fn, self := ls.setIndex(obj, key, value); fn != nil {
		ls.call1(fn, self, key, value)
	}
}

// setIndex assigns; if that takes a Lua function, it gives the function and its first argument.
func (ls *LState) setIndex(obj LValue, key LValue, value LValue) (fn *LFunction, self LValue) {
	for i := 0; i < maxMetaLoop; i++ {
		var mt *LTable
		if tb, ok := obj.(*LTable); ok {
			mt, ok = tb.Metatable.(*LTable)
			if !ok || !isNil(tb.RawGet(key)) {
				ls.RawSet(tb, key, value)
				return nil, nil
			}
			if isNil(mt.RawGetString("__newindex")) {
				ls.RawSet(tb, key, value)
				return nil, nil
			}
		} else if mt = ls.metaTable(obj); mt == nil {
			ls.indexError(obj, key)
		}
		index := mt.RawGetString("__newindex")
		switch fn := index.(type) {
		case *LNilType:
			ls.indexError(obj, key)
		case *LFunction:
			if !fn.IsG {
				return fn, obj
			}
			ls.call1(fn, obj, key, value)
			return nil, nil
		}
		obj = index
	}
	ls.RaiseError("'__newindex' chain too long; possible loop")
	return nil, nil
}

func (ls *LState) setFieldString(obj LValue, key string, value LValue) {
	ls.setField(obj, LString(key), value)
}

/* }}} */

/* api methods {{{ */

// NewState makes a state. Options that are zero have these defaults: a small registry (64) that grows to 65,536 values.
func NewState(opts ...Options) *LState {
	var o Options
	if len(opts) > 0 {
		o = opts[0]
	}
	if o.RegistrySize < 1 {
		o.RegistrySize = RegistrySize
	}
	o.RegistryMaxSize = max(o.RegistryMaxSize, RegistryMaxSize, o.RegistrySize)
	ls := newLState(o)
	ls.G = &Global{Registry: newLTable(0, 8), Global: newLTable(0, 64), hookEvery: defaultHookEvery, stdout: os.Stdout}
	ls.G.random.seed(0)
	ls.G.MainThread, ls.G.CurrentThread = ls, ls
	ls.Env = ls.G.Global
	ls.budget = defaultHookEvery
	if !o.SkipOpenLibs {
		ls.OpenLibs()
	}
	return ls
}

func (ls *LState) IsClosed() bool { return ls.G.closed.Load() }

// Close closes the files that the script left open. The state must not run any more.
func (ls *LState) Close() {
	if ls.G.closed.Swap(true) {
		return
	}
	for f := range ls.G.files {
		f.close()
	}
	ls.G.files = nil
}

// SetStdout makes print and io.stdout write to w.
func (ls *LState) SetStdout(w io.Writer) { ls.G.stdout = w }

/* registry operations {{{ */

func (ls *LState) GetTop() int {
	return ls.reg.Top() - ls.currentLocalBase()
}

func (ls *LState) SetTop(idx int) {
	base := ls.currentLocalBase()
	newtop := ls.indexToReg(idx) + 1
	if newtop < base {
		ls.reg.SetTop(base)
	} else {
		ls.reg.SetTop(newtop)
	}
}

func (ls *LState) Replace(idx int, value LValue) {
	base := ls.currentLocalBase()
	if idx > 0 {
		reg := base + idx - 1
		if reg < ls.reg.Top() {
			ls.reg.Set(reg, value)
		}
	} else if idx == 0 {
	} else if idx > RegistryIndex {
		if tidx := ls.reg.Top() + idx; tidx >= base {
			ls.reg.Set(tidx, value)
		}
	} else {
		switch idx {
		case RegistryIndex:
			if tb, ok := value.(*LTable); ok {
				ls.G.Registry = tb
			} else {
				ls.RaiseError("registry must be a table(%v)", value.Type().String())
			}
		case EnvironIndex:
			if ls.currentFrame == nil {
				ls.RaiseError("no calling environment")
			}
			if tb, ok := value.(*LTable); ok {
				ls.currentFrame.Fn.Env = tb
			} else {
				ls.RaiseError("environment must be a table(%v)", value.Type().String())
			}
		case GlobalsIndex:
			if tb, ok := value.(*LTable); ok {
				ls.G.Global = tb
			} else {
				ls.RaiseError("_G must be a table(%v)", value.Type().String())
			}
		default:
			fn := ls.currentFrame.Fn
			index := GlobalsIndex - idx - 1
			if index < len(fn.Upvalues) {
				fn.Upvalues[index].SetValue(value)
			}
		}
	}
}

func (ls *LState) Get(idx int) LValue {
	base := ls.currentLocalBase()
	if idx > 0 {
		reg := base + idx - 1
		if reg < ls.reg.Top() {
			return ls.reg.Get(reg)
		}
		return LNil
	} else if idx == 0 {
		return LNil
	} else if idx > RegistryIndex {
		tidx := ls.reg.Top() + idx
		if tidx < base {
			return LNil
		}
		return ls.reg.Get(tidx)
	} else {
		switch idx {
		case RegistryIndex:
			return ls.G.Registry
		case EnvironIndex:
			if ls.currentFrame == nil {
				return ls.Env
			}
			return ls.currentFrame.Fn.Env
		case GlobalsIndex:
			return ls.G.Global
		default:
			fn := ls.currentFrame.Fn
			index := GlobalsIndex - idx - 1
			if index < len(fn.Upvalues) {
				return fn.Upvalues[index].Value()
			}
			return LNil
		}
	}
}

func (ls *LState) Push(value LValue) { ls.reg.Push(value) }

// PushNumber pushes a number; it costs less than Push(LNumber(n)).
func (ls *LState) PushNumber(n LNumber) { ls.reg.Push(ls.alloc.LNumber2I(n)) }

// PushBytes pushes a string made of a copy of b, in one allocation if it is short.
func (ls *LState) PushBytes(b []byte) { ls.reg.Push(newString(b)) }

func (ls *LState) Pop(n int) {
	for i := 0; i < n; i++ {
		if ls.GetTop() == 0 {
			ls.RaiseError("stack underflow")
		}
		ls.reg.Pop()
	}
}

func (ls *LState) Insert(value LValue, index int) {
	reg := ls.indexToReg(index)
	top := ls.reg.Top()
	if reg >= top {
		ls.reg.Set(reg, value)
		return
	}
	if reg <= ls.currentLocalBase() {
		reg = ls.currentLocalBase()
	}
	top--
	for ; top >= reg; top-- {
		ls.reg.Set(top+1, ls.reg.Get(top))
	}
	ls.reg.Set(reg, value)
}

func (ls *LState) Remove(index int) {
	reg := ls.indexToReg(index)
	top := ls.reg.Top()
	switch {
	case reg >= top:
		return
	case reg < ls.currentLocalBase():
		return
	case reg == top-1:
		ls.Pop(1)
		return
	}
	for i := reg; i < top-1; i++ {
		ls.reg.Set(i, ls.reg.Get(i+1))
	}
	ls.reg.SetTop(top - 1)
}

/* }}} */

/* object allocation {{{ */

func (ls *LState) NewTable() *LTable {
	return newLTable(0, 0)
}

func (ls *LState) CreateTable(acap, hcap int) *LTable {
	return newLTable(acap, hcap)
}

// NewThread returns a new LState that shares with the original state all global objects. The second result is nil.
func (ls *LState) NewThread() (*LState, context.CancelFunc) {
	o := ls.Options
	o.RegistrySize = threadRegistrySize
	thread := newLState(o)
	thread.G = ls.G
	thread.Env = ls.Env
	thread.budget = ls.G.hookEvery
	return thread, nil
}

func (ls *LState) NewFunctionFromProto(proto *FunctionProto) *LFunction {
	return newLFunctionL(proto, ls.Env, int(proto.NumUpvalues))
}

func (ls *LState) NewUserData() *LUserData {
	return &LUserData{
		Env:       ls.currentEnv(),
		Metatable: LNil,
	}
}

func (ls *LState) NewFunction(fn LGFunction) *LFunction {
	return newLFunctionG(fn, ls.currentEnv(), 0)
}

func (ls *LState) NewClosure(fn LGFunction, upvalues ...LValue) *LFunction {
	cl := newLFunctionG(fn, ls.currentEnv(), len(upvalues))
	for i, lv := range upvalues {
		cl.Upvalues[i] = &Upvalue{}
		cl.Upvalues[i].Close()
		cl.Upvalues[i].SetValue(lv)
	}
	return cl
}

/* }}} */

/* toType {{{ */

func (ls *LState) ToBool(n int) bool {
	return LVAsBool(ls.Get(n))
}

func (ls *LState) ToInt(n int) int { return toInt(LVAsNumber(ls.Get(n))) }

func (ls *LState) ToInt64(n int) int64 { return int64(LVAsNumber(ls.Get(n))) }

func (ls *LState) ToNumber(n int) LNumber {
	return LVAsNumber(ls.Get(n))
}

func (ls *LState) ToString(n int) string {
	return LVAsString(ls.Get(n))
}

func (ls *LState) ToTable(n int) *LTable {
	if lv, ok := ls.Get(n).(*LTable); ok {
		return lv
	}
	return nil
}

func (ls *LState) ToFunction(n int) *LFunction {
	if lv, ok := ls.Get(n).(*LFunction); ok {
		return lv
	}
	return nil
}

func (ls *LState) ToUserData(n int) *LUserData {
	if lv, ok := ls.Get(n).(*LUserData); ok {
		return lv
	}
	return nil
}

func (ls *LState) ToThread(n int) *LState {
	if lv, ok := ls.Get(n).(*LState); ok {
		return lv
	}
	return nil
}

/* }}} */

/* error & debug operations {{{ */

// This function is equivalent to luaL_error( http://www.lua.org/manual/5.1/manual.html#luaL_error ).
func (ls *LState) RaiseError(format string, args ...interface{}) {
	msg := format
	if len(args) > 0 {
		msg = fmt.Sprintf(format, args...)
	}
	panic(newApiErrorS(ApiErrorRun, ls.position()+msg))
}

// Error raises lv. For a string, level says whose position is put in front: 0 nobody's, 1 that of the function that called
// the running host function, 2 that of its caller.
func (ls *LState) Error(lv LValue, level int) {
	if s, ok := lv.(LString); ok && level > 0 {
		lv = LString(ls.where(level) + string(s))
	}
	panic(newApiError(ApiErrorRun, lv))
}

/* }}} */

func (ls *LState) GetUpvalue(fn *LFunction, no int) (string, LValue) {
	if fn.IsG {
		return "", LNil
	}

	no--
	if no >= 0 && no < len(fn.Upvalues) {
		return fn.Proto.DbgUpvalues[no], fn.Upvalues[no].Value()
	}
	return "", LNil
}

func (ls *LState) SetUpvalue(fn *LFunction, no int, lv LValue) string {
	if fn.IsG {
		return ""
	}

	no--
	if no >= 0 && no < len(fn.Upvalues) {
		fn.Upvalues[no].SetValue(lv)
		return fn.Proto.DbgUpvalues[no]
	}
	return ""
}

/* }}} */

/* env operations {{{ */

func (ls *LState) GetFEnv(obj LValue) LValue {
	switch lv := obj.(type) {
	case *LFunction:
		return lv.Env
	case *LUserData:
		return lv.Env
	case *LState:
		return lv.Env
	}
	return LNil
}

func (ls *LState) SetFEnv(obj LValue, env LValue) {
	tb, ok := env.(*LTable)
	if !ok {
		ls.RaiseError("cannot use %v as an environment", env.Type().String())
	}

	switch lv := obj.(type) {
	case *LFunction:
		lv.Env = tb
	case *LUserData:
		lv.Env = tb
	case *LState:
		lv.Env = tb
	}
	/* do nothing */
}

/* }}} */

/* table operations {{{ */

func (ls *LState) RawGet(tb *LTable, key LValue) LValue {
	return tb.RawGet(key)
}

func (ls *LState) RawGetInt(tb *LTable, key int) LValue {
	return tb.RawGetInt(key)
}

func (ls *LState) GetField(obj LValue, skey string) LValue {
	return ls.getFieldString(obj, skey)
}

func (ls *LState) GetTable(obj LValue, key LValue) LValue {
	return ls.getField(obj, key)
}

func (ls *LState) RawSet(tb *LTable, key LValue, value LValue) {
	if n, ok := key.(LNumber); ok && n != n {
		ls.RaiseError("table index is NaN")
	} else if isNil(key) {
		ls.RaiseError("table index is nil")
	}
	tb.RawSet(key, value)
}

func (ls *LState) RawSetInt(tb *LTable, key int, value LValue) {
	tb.RawSetInt(key, value)
}

func (ls *LState) SetField(obj LValue, key string, value LValue) {
	ls.setFieldString(obj, key, value)
}

func (ls *LState) SetTable(obj LValue, key LValue, value LValue) {
	ls.setField(obj, key, value)
}

func (ls *LState) ForEach(tb *LTable, cb func(LValue, LValue)) {
	tb.ForEach(cb)
}

func (ls *LState) GetGlobal(name string) LValue {
	return ls.GetField(ls.Get(GlobalsIndex), name)
}

func (ls *LState) SetGlobal(name string, value LValue) {
	ls.SetField(ls.Get(GlobalsIndex), name, value)
}

func (ls *LState) Next(tb *LTable, key LValue) (LValue, LValue) {
	return tb.Next(key)
}

/* }}} */

/* unary and binary operations {{{ */

func (ls *LState) ObjLen(v1 LValue) int {
	switch v := v1.(type) {
	case LString:
		return len(v)
	case *LTable:
		return v.Len()
	}
	n, _ := ls.CallMeta(v1, "__len").(LNumber)
	return int(n)
}

func (ls *LState) Concat(values ...LValue) string {
	top := ls.reg.top
	for _, value := range values {
		ls.reg.Push(value)
	}
	ret := concat(ls, top, ls.reg.top-1)
	ls.reg.SetTop(top)
	return LVAsString(ret)
}

func (ls *LState) LessThan(lhs, rhs LValue) bool { return lessThan(ls, lhs, rhs) }

func (ls *LState) Equal(lhs, rhs LValue) bool { return equals(ls, lhs, rhs) }

func (ls *LState) RawEqual(lhs, rhs LValue) bool { return lhs == rhs }

/* }}} */

/* register operations {{{ */

func (ls *LState) Register(name string, fn LGFunction) {
	ls.SetGlobal(name, ls.NewFunction(fn))
}

/* }}} */

/* load and function call operations {{{ */

// Load compiles a chunk. A name that starts with @ is a file's, any other is shown in messages as it is, without a = in
// front.
func (ls *LState) Load(reader io.Reader, name string) (*LFunction, error) {
	text, err := io.ReadAll(reader)
	if err != nil {
		return nil, newApiErrorE(ApiErrorFile, err)
	}
	return ls.LoadBytes(text, name)
}

func (ls *LState) Call(nargs, nret int) { ls.callR(nargs, nret, -1) }

// PCall calls and gives an error that is raised meanwhile, always an *ApiError. errfunc may be nil; it is called where the
// error was raised and its result becomes the error's object. After an error the function and its arguments are gone.
func (ls *LState) PCall(nargs, nret int, errfunc *LFunction) (err error) {
	frame := ls.currentFrame
	base := ls.reg.top - nargs - 1
	depth, nexec := ls.G.depth, ls.nexec
	current := ls.G.CurrentThread
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		e := ls.asApiError(r)
		if e == nil {
			e = newApiErrorS(ApiErrorPanic, fmt.Sprint(r))
			if cause, ok := r.(error); ok {
				e.Cause = cause
			}
		}
		if e.Type == ApiErrorPanic && ls.Options.IncludeGoStackTrace {
			buf := make([]byte, 4096)
			e.StackTrace = string(buf[:runtime.Stack(buf, false)]) + "\n"
		}
		if len(e.StackTrace) == 0 || e.Type == ApiErrorPanic {
			e.StackTrace += ls.stackTrace("", 0)
		}
		if errfunc != nil && e.Type != ApiErrorUncatchable {
			obj := ls.callHandler(errfunc, e.Object)
			e = &ApiError{Type: ApiErrorError, Object: obj, StackTrace: e.StackTrace, Cause: e.Cause}
		}
		ls.closeUpvalues(base)
		ls.G.depth, ls.nexec = depth, nexec
		ls.G.CurrentThread = current
		ls.currentFrame = frame
		ls.reg.top = base
		err = e
	}()
	ls.Call(nargs, nret)
	return nil
}

func (ls *LState) GPCall(fn LGFunction, data LValue) error {
	ls.Push(newLFunctionG(fn, ls.currentEnv(), 0))
	ls.Push(data)
	return ls.PCall(1, MultRet, nil)
}

func (ls *LState) CallByParam(cp P, args ...LValue) error {
	ls.Push(cp.Fn)
	for _, arg := range args {
		ls.Push(arg)
	}

	if cp.Protect {
		return ls.PCall(len(args), cp.NRet, cp.Handler)
	}
	ls.Call(len(args), cp.NRet)
	return nil
}

/* }}} */

/* metatable operations {{{ */

func (ls *LState) GetMetatable(obj LValue) LValue {
	return ls.metatable(obj, false)
}

func (ls *LState) SetMetatable(obj LValue, mt LValue) {
	switch mt.(type) {
	case *LNilType, *LTable:
	default:
		ls.RaiseError("metatable must be a table or nil, but got %v", mt.Type().String())
	}

	switch v := obj.(type) {
	case *LTable:
		v.Metatable = mt
	case *LUserData:
		v.Metatable = mt
	default:
		if t, ok := mt.(*LTable); ok {
			ls.G.builtinMts[int(obj.Type())] = t
		} else {
			ls.G.builtinMts[int(obj.Type())] = nil
		}
	}
}

/* }}} */

/* coroutine operations {{{ */

// Status gives what coroutine.status says about th.
func (ls *LState) Status(th *LState) string {
	switch {
	case th == ls.G.CurrentThread:
		return "running"
	case th.Dead:
		return "dead"
	case th.Parent != nil || th == ls.G.MainThread:
		return "normal"
	}
	return "suspended"
}

// Resume starts or continues th. fn matters for the start only.
func (ls *LState) Resume(th *LState, fn *LFunction, args ...LValue) (ResumeState, error, []LValue) {
	if !th.started && th.reg.top == 0 {
		th.reg.Push(fn)
	}
	st, from, n, err := ls.resume(th, args)
	if err != nil {
		return ResumeError, err, nil
	}
	ret := append([]LValue(nil), th.reg.array[from:from+n]...)
	if st == callYield {
		return ResumeYield, nil, ret
	}
	return ResumeOK, nil, ret
}

// resume gives the registers of th where its results or yielded values are.
func (ls *LState) resume(th *LState, args []LValue) (st callStatus, from, n int, err *ApiError) {
	switch {
	case th.Dead:
		return 0, 0, 0, newApiErrorS(ApiErrorRun, "cannot resume dead coroutine")
	case th == ls.G.CurrentThread:
		return 0, 0, 0, newApiErrorS(ApiErrorRun, "cannot resume running coroutine")
	case th.Parent != nil || th == ls.G.MainThread:
		return 0, 0, 0, newApiErrorS(ApiErrorRun, "cannot resume non-suspended coroutine")
	}
	g := ls.G
	depth := g.depth
	if depth >= maxDepth && ls.handling == 0 {
		return 0, 0, 0, newApiErrorS(ApiErrorRun, "stack overflow")
	}
	th.Parent = ls
	g.CurrentThread = th
	defer func() {
		r := recover()
		th.Parent = nil
		g.CurrentThread = ls
		if r == nil {
			return
		}
		g.depth = depth
		e := th.asApiError(r)
		th.Dead = true
		th.closeUpvalues(0)
		if e == nil || e.Type == ApiErrorUncatchable {
			panic(r)
		}
		err = e
	}()
	reg := th.reg
	if !th.started {
		th.started = true
		for _, v := range args {
			reg.Push(v)
		}
		st = th.precallGuarded(nil, 0, len(args), MultRet, 0)
	} else {
		base := th.resumeBase
		reg.ensure(base + len(args) + slack)
		if th.resumeNRet == MultRet {
			copy(reg.array[base:], args)
			reg.top = base + len(args)
		} else {
			for i := 0; i < th.resumeNRet; i++ {
				if i < len(args) {
					reg.array[base+i] = args[i]
				} else {
					reg.array[base+i] = LNil
				}
			}
			reg.top = base + th.resumeNRet
		}
		for th.currentFrame != nil && th.currentFrame.kind == framePcall {
			th.finishPcall()
		}
		st = callDone
		if th.currentFrame != nil {
			st = callLua
		}
	}
	if st == callLua {
		st = th.execute(nil)
	}
	if st == callFailed {
		th.raiseFailure()
	}
	if st == callYield {
		return st, th.yieldBase, th.yieldN, nil
	}
	th.Dead = true
	return callDone, 0, reg.top, nil
}

// Yield is for host functions: return L.Yield(values...).
func (ls *LState) Yield(values ...LValue) int {
	ls.checkYield()
	ls.SetTop(0)
	for _, lv := range values {
		ls.Push(lv)
	}
	return -1
}

func (ls *LState) checkYield() {
	if ls == ls.G.MainThread || ls.nexec > 1 {
		ls.RaiseError("attempt to yield across C-call boundary")
	}
}

func (ls *LState) XMoveTo(other *LState, n int) {
	if ls == other {
		return
	}
	top := ls.GetTop()
	n = intMin(n, top)
	for i := n; i > 0; i-- {
		other.Push(ls.Get(top - i + 1))
	}
	ls.SetTop(top - n)
}

/* }}} */

/* GopherLua original APIs {{{ */

// SetContext ends the script when ctx does; no pcall catches it. It is looked at every few thousand calls and backward jumps.
func (ls *LState) SetContext(ctx context.Context) {
	ls.G.ctx = ctx
	if ls.G.hookEvery > 2000 {
		ls.G.hookEvery = 2000
	}
	ls.budget = 0
}

// Context returns the LState's context, nil if there is none.
func (ls *LState) Context() context.Context { return ls.G.ctx }

// RemoveContext removes the context associated with this LState and returns this context.
func (ls *LState) RemoveContext() context.Context {
	old := ls.G.ctx
	ls.G.ctx = nil
	return old
}

/* }}} */
