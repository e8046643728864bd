package luaffi

import (
	"errors"
	"runtime"
	"slices"
	"sync/atomic"

	lua "deltabench/internal/third_party/gopher-lua"
)

// finalizer is a function to call once an object of the script is unused. It holds a copy of the object's value for the
// call, never the object.
type finalizer struct {
	f        lua.LValue
	copy     cdata
	sequence int
	dead     *atomic.Bool
}

// death is what the collector needs to tell that an object is unused. It must not lead to the state, which would then live
// as long as the object.
type death struct {
	dead  *atomic.Bool
	count *atomic.Int32
}

// gc is ffi.gc: sets or, with nil, takes away the finalizer of an object. It runs some time after the object has become
// unused, at a later call of ffi.new, ffi.gc or a type, and at the latest when the state is closed.
func (l *lib) gc(L *lua.LState) int {
	l.runDead(L)
	ud, _ := L.Get(1).(*lua.LUserData)
	c := asCData(L.Get(1))
	if c == nil || c.isType {
		L.ArgError(1, "cdata expected, got "+L.Get(1).Type().String())
	}
	f := checkArg(L, 2)
	if c.fin != nil {
		delete(l.finalizers, c.fin)
		c.fin = nil
	}
	if f != lua.LNil && !c.literal {
		l.setFinalizer(ud, f)
	}
	L.Push(ud)
	return 1
}

func (l *lib) setFinalizer(ud *lua.LUserData, f lua.LValue) {
	c := asCData(ud)
	l.sequence++
	fin := &finalizer{f: f, copy: *c, sequence: l.sequence, dead: &atomic.Bool{}}
	fin.copy.fin = nil
	c.fin = fin
	l.finalizers[fin] = struct{}{}
	runtime.AddCleanup(ud, func(d death) {
		d.dead.Store(true)
		d.count.Add(1)
	}, death{fin.dead, l.dead})
}

// runDead calls the finalizers of objects that the collector has found unused.
func (l *lib) runDead(L *lua.LState) {
	if l.dead.Load() == 0 {
		return
	}
	l.dead.Store(0)
	l.finalize(L, func(f *finalizer) bool { return f.dead.Load() })
}

// finalize calls the finalizers that which chooses, the youngest first. Their errors have nobody to go to,
// except for those that scripts cannot catch.
func (l *lib) finalize(L *lua.LState, which func(*finalizer) bool) {
	var list []*finalizer
	for f := range l.finalizers {
		if which(f) {
			list = append(list, f)
			delete(l.finalizers, f)
		}
	}
	slices.SortFunc(list, func(a, b *finalizer) int { return b.sequence - a.sequence })
	for _, f := range list {
		ud := newCData(f.copy.typ, f.copy.scalar)
		asCData(ud).fn = f.copy.fn
		L.Push(f.f)
		L.Push(ud)
		var e *lua.ApiError
		if err := L.PCall(1, 0, nil); errors.As(err, &e) && e.Type == lua.ApiErrorUncatchable {
			L.Throw(e)
		}
	}
}

// Close runs the finalizers of ffi.gc that have not run. The state must be usable still; call it before LState.Close.
func Close(L *lua.LState) {
	l := libOf(L)
	if l == nil {
		return
	}
	for range 10 { // finalizers may make objects with finalizers
		if len(l.finalizers) == 0 {
			return
		}
		l.finalize(L, func(*finalizer) bool { return true })
	}
}
