package lua

import "fmt"

type frameKind uint8

const (
	frameLua frameKind = iota
	frameGo
	framePcall // pcall or xpcall called by the interpreter: an error is caught here
)

// callFrame is one call. Frames of a thread form a chain that grows and is reused: a frame's Parent never changes.
type callFrame struct {
	Fn         *LFunction
	Parent     *callFrame
	next       *callFrame
	Idx        int
	Pc         int
	Base       int // register of the function
	LocalBase  int // first register of the function's own
	ReturnBase int
	NArgs      int
	NRet       int
	TailCall   int
	kind       frameKind
	cont       contKind
	handler    LValue // of xpcall
}

// contKind says what becomes of the result of a metamethod that an instruction called.
type contKind uint8

const (
	contNone   contKind = iota // an ordinary call
	contStore                  // into the register ReturnBase
	contDrop                   // nothing
	contTest                   // it is the condition of the instruction
	contNot                    // its opposite is
	contConcat                 // it takes the place of register ReturnBase, and the rest is joined to it
)

type registry struct {
	array   []LValue
	top     int
	maxSize int
	ls      *LState
}

// limits of a thread; LuaJIT has 65,500 registers
const (
	maxFrames = 200000
	maxDepth  = 12000 // of execute on Go's stack
	slack     = 32    // registers that a call always finds free above its own
)

// ensure makes room for registers below n.
func (rg *registry) ensure(n int) {
	if n > len(rg.array) {
		rg.grow(n)
	}
}

func (rg *registry) grow(n int) {
	if n > rg.maxSize {
		if n > rg.maxSize+2048 || rg.ls.handling == 0 {
			rg.ls.stackOverflow()
		}
	}
	array := make([]LValue, min(max(n+slack, 2*len(rg.array)), rg.maxSize+4096))
	copy(array, rg.array)
	rg.array = array
}

func (rg *registry) Top() int { return rg.top }

func (rg *registry) SetTop(top int) {
	rg.ensure(top)
	for i := rg.top; i < top; i++ {
		rg.array[i] = LNil
	}
	rg.top = top
}

func (rg *registry) Push(v LValue) {
	if rg.top >= len(rg.array) {
		rg.grow(rg.top + 1)
	}
	rg.array[rg.top] = v
	rg.top++
}

func (rg *registry) Pop() LValue {
	rg.top--
	return rg.array[rg.top]
}

func (rg *registry) Get(reg int) LValue { return rg.array[reg] }

func (rg *registry) Set(reg int, v LValue) {
	rg.ensure(reg + 1)
	rg.array[reg] = v
	if reg >= rg.top {
		rg.top = reg + 1
	}
}

func (ls *LState) stackOverflow() {
	ls.handling++ // a little more room while the error is made
	defer func() { ls.handling-- }()
	ls.RaiseError("stack overflow")
}

func (ls *LState) pushFrame() *callFrame {
	cur := ls.currentFrame
	var f *callFrame
	if cur == nil {
		if f = ls.frames; f == nil {
			f = &callFrame{}
			ls.frames = f
		}
	} else if f = cur.next; f == nil {
		if cur.Idx >= maxFrames && ls.handling == 0 || cur.Idx >= maxFrames+1000 {
			ls.stackOverflow()
		}
		f = &callFrame{Parent: cur, Idx: cur.Idx + 1}
		cur.next = f
	}
	ls.currentFrame = f
	return f
}

type callStatus uint8

const (
	callLua    callStatus = iota // a Lua function's frame is current
	callDone                     // the results are where they should be
	callYield                    // the thread has yielded
	callFailed                   // an error passed: LState.failure
)

// precall starts a call of the value in register base with the nargs values above it. nret results (or all, top telling how
// many) go to rbase.
func (ls *LState) precall(base, nargs, nret, rbase int) callStatus {
	fn, ok := ls.reg.array[base].(*LFunction)
	if !ok {
		fn = ls.callable(base, nargs)
		nargs++
	}
	if !fn.IsG {
		ls.enterLua(fn, base, nargs, nret, rbase)
		return callLua
	}
	if fn.special != 0 {
		switch fn.special {
		case specialPcall:
			return ls.enterPcall(fn, base, nargs, nret, rbase)
		case specialXpcall:
			return ls.enterXpcall(fn, base, nargs, nret, rbase)
		}
	}
	f := ls.pushFrame()
	f.Fn, f.Base, f.LocalBase, f.ReturnBase, f.NArgs, f.NRet, f.kind = fn, base, base+1, rbase, nargs, nret, frameGo
	f.Pc, f.TailCall = 0, 0
	reg := ls.reg
	reg.top = base + 1 + nargs
	reg.ensure(reg.top + slack)
	n := fn.GFunction(ls)
	if n < 0 {
		ls.yieldBase, ls.yieldN = f.LocalBase, reg.top-f.LocalBase
		ls.resumeBase, ls.resumeNRet = rbase, nret
		ls.currentFrame = f.Parent
		return callYield
	}
	ls.deliver(reg.top-n, n, nret, rbase)
	ls.currentFrame = f.Parent
	return callDone
}

// deliver moves n results from register from on to rbase, as many as are wanted.
func (ls *LState) deliver(from, n, nret, rbase int) {
	reg := ls.reg
	switch {
	case nret == 1:
		if n > 0 {
			reg.array[rbase] = reg.array[from]
		} else {
			reg.array[rbase] = LNil
		}
		reg.top = rbase + 1
	case nret == MultRet:
		if from != rbase {
			copy(reg.array[rbase:rbase+n], reg.array[from:from+n])
		}
		reg.top = rbase + n
	default:
		reg.ensure(rbase + nret)
		if n > nret {
			n = nret
		}
		copy(reg.array[rbase:rbase+n], reg.array[from:from+n])
		for i := n; i < nret; i++ {
			reg.array[rbase+i] = LNil
		}
		reg.top = rbase + nret
	}
}

// callable finds the function to call in place of a value that is none and makes the value its first argument.
func (ls *LState) callable(base, nargs int) *LFunction {
	lv := ls.reg.array[base]
	fn, ok := ls.metaOp1(lv, "__call").(*LFunction)
	if !ok {
		ls.callError(base)
	}
	reg := ls.reg
	reg.ensure(base + nargs + 2)
	copy(reg.array[base+1:base+nargs+2], reg.array[base:base+nargs+1])
	reg.array[base] = fn
	return fn
}

func (ls *LState) enterLua(fn *LFunction, base, nargs, nret, rbase int) {
	f := ls.pushFrame()
	f.Fn, f.Base, f.ReturnBase, f.NRet, f.kind = fn, base, rbase, nret, frameLua
	f.Pc, f.TailCall, f.cont = 0, 0, contNone
	ls.initFrame(f, fn.Proto, nargs)
}

// metaFrame starts the call of a metamethod, a Lua function, for the current instruction.
func (ls *LState) metaFrame(fn *LFunction, cont contKind, rbase int, args ...LValue) {
	cf := ls.currentFrame
	reg := ls.reg
	base := cf.LocalBase + int(cf.Fn.Proto.NumUsedRegisters)
	reg.ensure(base + len(args) + 1 + slack)
	reg.array[base] = fn
	copy(reg.array[base+1:], args)
	ls.enterLua(fn, base, len(args), 1, rbase)
	ls.currentFrame.cont = cont
}

// luaFunction gives mm if it is a function written in Lua, which the interpreter calls without Go's stack.
func luaFunction(mm LValue) *LFunction {
	if fn, ok := mm.(*LFunction); ok && !fn.IsG {
		return fn
	}
	return nil
}

// finishMeta does what is left of an instruction when the metamethod in frame f has returned v.
func (ls *LState) finishMeta(f *callFrame, v LValue) {
	parent := f.Parent
	ls.currentFrame = parent
	reg := ls.reg
	switch f.cont {
	case contStore:
		reg.array[f.ReturnBase] = v
	case contTest, contNot:
		a := opGetArgA(parent.Fn.Proto.Code[parent.Pc-1])
		if (LVAsBool(v) == (f.cont == contTest)) == (a == 0) {
			parent.Pc++
		}
	case contConcat:
		reg.array[f.ReturnBase] = v
		inst := parent.Fn.Proto.Code[parent.Pc-1]
		ls.concatInto(parent.LocalBase+opGetArgA(inst), parent.LocalBase+opGetArgB(inst), f.ReturnBase)
	}
}

// initFrame places parameters; f.Base is set.
func (ls *LState) initFrame(f *callFrame, proto *FunctionProto, nargs int) {
	reg := ls.reg
	np := int(proto.NumParameters)
	lbase := f.Base + 1
	f.NArgs = nargs
	f.LocalBase = lbase
	if proto.IsVarArg == 0 {
		if need := lbase + int(proto.NumUsedRegisters) + slack; need > len(reg.array) {
			reg.grow(need)
		}
		for i := nargs; i < np; i++ {
			reg.array[lbase+i] = LNil
		}
		return
	}
	// varargs stay below the frame, parameters move up
	nb := lbase + max(nargs, np)
	reg.ensure(nb + int(proto.NumUsedRegisters) + slack)
	for i := 0; i < np; i++ {
		if i < nargs {
			reg.array[nb+i] = reg.array[lbase+i]
		} else {
			reg.array[nb+i] = LNil
		}
	}
	f.LocalBase = nb
}

func (ls *LState) enterPcall(fn *LFunction, base, nargs, nret, rbase int) callStatus {
	m := ls.pushFrame()
	m.Fn, m.Base, m.LocalBase, m.ReturnBase, m.NArgs, m.NRet, m.kind = fn, base, base+1, rbase, nargs, nret, framePcall
	m.Pc, m.handler = 0, nil
	ls.reg.top = base + 1 + nargs
	if nargs == 0 {
		ls.currentFrame.kind = frameGo
		ls.ArgError(1, "value expected")
	}
	return ls.protected(m, base+1, nargs-1)
}

func (ls *LState) enterXpcall(fn *LFunction, base, nargs, nret, rbase int) callStatus {
	m := ls.pushFrame()
	m.Fn, m.Base, m.LocalBase, m.ReturnBase, m.NArgs, m.NRet, m.kind = fn, base, base+1, rbase, nargs, nret, framePcall
	m.Pc, m.handler = 0, nil
	reg := ls.reg
	reg.top = base + 1 + nargs
	if nargs < 2 {
		m.kind = frameGo
		ls.ArgError(2, "function expected, got no value")
	}
	h, ok := reg.array[base+2].(*LFunction)
	if !ok {
		m.kind = frameGo
		ls.TypeError(2, LTFunction)
	}
	m.handler = h
	reg.array[base+2] = reg.array[base+1]
	return ls.protected(m, base+2, nargs-2)
}

// protected calls the function in register base on behalf of the frame m; results go to m's registers.
func (ls *LState) protected(m *callFrame, base, nargs int) callStatus {
	st := ls.precall(base, nargs, MultRet, m.LocalBase)
	if st == callDone {
		ls.finishPcall()
	}
	return st
}

// precallGuarded is precall for where no execute is there to let pcall catch errors of host functions.
func (ls *LState) precallGuarded(stop *callFrame, base, nargs, nret, rbase int) (st callStatus) {
	fn, ok := ls.reg.array[base].(*LFunction)
	if !ok || fn.special != specialPcall && fn.special != specialXpcall {
		return ls.precall(base, nargs, nret, rbase)
	}
	depth, nexec := ls.G.depth, ls.nexec
	defer func() {
		if r := recover(); r != nil {
			if !ls.caught(r, stop) {
				st, ls.failure = callFailed, r
				return
			}
			ls.G.depth, ls.nexec = depth, nexec
			if st = callDone; ls.currentFrame != stop {
				st = callLua
			}
		}
	}()
	return ls.precall(base, nargs, nret, rbase)
}

// finishPcall ends a successful pcall: its frame is current, the results lie from its LocalBase up to top.
func (ls *LState) finishPcall() {
	m := ls.currentFrame
	reg := ls.reg
	reg.array[m.Base] = LTrue
	ls.currentFrame = m.Parent
	ls.deliver(m.Base, reg.top-m.Base, m.NRet, m.ReturnBase)
}

// execute runs the current frame until the frame stop is current.
func (ls *LState) execute(stop *callFrame) callStatus {
	g := ls.G
	if g.depth >= maxDepth {
		if g.depth >= maxDepth+20 || ls.handling == 0 {
			ls.RaiseError("stack overflow")
		}
	}
	g.depth++
	ls.nexec++
	depth, nexec := g.depth, ls.nexec
	for {
		st, again := ls.run(stop, depth, nexec)
		if !again {
			g.depth = depth - 1
			ls.nexec = nexec - 1
			return st
		}
	}
}

func (ls *LState) run(stop *callFrame, depth, nexec int) (st callStatus, again bool) {
	defer func() {
		if r := recover(); r != nil {
			if !ls.caught(r, stop) {
				// raising it here would stack panic upon panic for nested calls
				st, again, ls.failure = callFailed, false, r
				return
			}
			ls.G.depth, ls.nexec = depth, nexec
			st, again = callDone, ls.currentFrame != stop
		}
	}()
	return mainLoop(ls, stop), false
}

// caught lets the innermost pcall above stop catch what was raised; false if there is none.
func (ls *LState) caught(r any, stop *callFrame) bool {
	var m *callFrame
	for f := ls.currentFrame; f != stop && f != nil; f = f.Parent {
		if f.kind == framePcall {
			m = f
			break
		}
	}
	err := ls.asApiError(r)
	if err == nil || err.Type == ApiErrorUncatchable || m == nil {
		return false
	}
	obj := err.Object
	if m.handler != nil {
		obj = ls.callHandler(m.handler, obj)
	}
	ls.closeUpvalues(m.LocalBase)
	reg := ls.reg
	reg.ensure(m.Base + 2)
	reg.array[m.Base] = LFalse
	reg.array[m.Base+1] = obj
	ls.currentFrame = m.Parent
	ls.deliver(m.Base, 2, m.NRet, m.ReturnBase)
	for ls.currentFrame != stop && ls.currentFrame != nil && ls.currentFrame.kind == framePcall {
		ls.finishPcall()
	}
	return true
}

// asApiError gives the Lua error in what was recovered, or nil if it is not for Lua.
func (ls *LState) asApiError(r any) *ApiError {
	switch e := r.(type) {
	case *ApiError:
		return e
	case runtimeError:
		err := newApiErrorS(ApiErrorPanic, ls.position()+e.Error())
		err.Cause = e
		return err
	}
	return nil
}

// runtimeError is runtime.Error: a fault of the interpreter or of a host function.
type runtimeError interface {
	error
	RuntimeError()
}

// callHandler gives what an error handler makes of an error; the frames of the error are still there for it to see.
func (ls *LState) callHandler(handler, obj LValue) (res LValue) {
	frame := ls.currentFrame
	depth, nexec := ls.G.depth, ls.nexec
	ls.handling++
	defer func() {
		ls.handling--
		if r := recover(); r != nil {
			if err, ok := r.(*ApiError); ok && err.Type == ApiErrorUncatchable {
				panic(r)
			}
			ls.currentFrame = frame
			ls.G.depth, ls.nexec = depth, nexec
			res = LString("error in error handling")
		}
	}()
	if ls.handling > 10 {
		return LString("error in error handling")
	}
	ls.fixTop()
	ls.reg.Push(handler)
	ls.reg.Push(obj)
	ls.Call(1, 1)
	return ls.reg.Pop()
}

// fixTop sets top above all registers of the current frame, so that values can be pushed.
func (ls *LState) fixTop() {
	f := ls.currentFrame
	if f == nil {
		return
	}
	if f.kind == frameLua {
		ls.reg.top = f.LocalBase + int(f.Fn.Proto.NumUsedRegisters)
	} else if ls.reg.top < f.LocalBase {
		ls.reg.top = f.LocalBase
	}
	ls.reg.ensure(ls.reg.top + slack)
}

func (ls *LState) callR(nargs, nret, rbase int) {
	base := ls.reg.top - nargs - 1
	if rbase < 0 {
		rbase = base
	}
	stop := ls.currentFrame
	st := ls.precallGuarded(stop, base, nargs, nret, rbase)
	if st == callLua {
		st = ls.execute(stop)
	}
	if st == callFailed {
		ls.raiseFailure()
	}
	if st == callYield {
		panic(newApiErrorS(ApiErrorRun, "attempt to yield across C-call boundary"))
	}
}

// raiseFailure raises an error on that execute has let pass.
func (ls *LState) raiseFailure() {
	r := ls.failure
	ls.failure = nil
	if e := ls.asApiError(r); e != nil {
		r = e // a fault of the interpreter gets its position where it happened
	}
	panic(r)
}

// call1 calls a metamethod and gives its first result. It is for the interpreter: top is set first.
func (ls *LState) call1(fn LValue, args ...LValue) LValue {
	ls.fixTop()
	reg := ls.reg
	base := reg.top
	reg.ensure(base + len(args) + 1 + slack)
	reg.array[base] = fn
	copy(reg.array[base+1:], args)
	reg.top = base + 1 + len(args)
	ls.callR(len(args), 1, base)
	reg.top = base
	return reg.array[base]
}

// tick runs when the budget is used up.
func (ls *LState) tick() {
	g := ls.G
	ls.budget = g.hookEvery
	if g.ctx == nil && g.hook == nil {
		return
	}
	top := ls.reg.top
	if ls.fixTop(); ls.reg.top < top {
		ls.reg.top = top // results of unknown number wait for the next instruction
	}
	defer func() { ls.reg.top = top }()
	if g.ctx != nil {
		if err := g.ctx.Err(); err != nil {
			ls.Throw(Uncatchable(fmt.Errorf("%s%w", ls.position(), err)))
		}
	}
	ls.runHook()
}

// runHook calls the hook. Functions that have waited for something call it before they return: who was asked to end in the
// meantime does so there.
func (ls *LState) runHook() {
	if ls.G.hook == nil {
		return
	}
	if err := ls.G.hook(ls); err != nil {
		if e, ok := err.(*ApiError); ok {
			ls.Throw(e)
		}
		ls.Throw(Uncatchable(err))
	}
}

// SetHook makes fn run about every so many calls and backward jumps of Lua code, of this state and its coroutines. An error
// of fn ends the script; no pcall catches it. fn may park the goroutine or its coroutine. SetHook(0, nil) removes it.
func (ls *LState) SetHook(every int, fn func(*LState) error) {
	if fn == nil || every < 1 {
		every, fn = defaultHookEvery, nil
	}
	ls.G.hook, ls.G.hookEvery = fn, every
	ls.budget = every
}

const defaultHookEvery = 1 << 20
