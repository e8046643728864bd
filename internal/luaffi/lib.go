package luaffi

import (
	"io"
	"os"
	"sync"
	"sync/atomic"
	"weak"

	lua "deltabench/internal/third_party/gopher-lua"
)

// Host is what a program offers to the scripts of a state. States may share one.
type Host struct {
	Funcs        map[string]Func     // functions of ffi.C, usable once they are declared; they go before those of this package
	Declarations string              // C text that is declared before any script runs
	Consts       map[string]int64    // constants of ffi.C besides those in Declarations
	Stdout       io.Writer           // of printf and puts; nil: os.Stdout
	Getenv       func(string) string // nil: os.Getenv
}

// lib is what a state has of this package.
type lib struct {
	host    *Host
	d       *decls
	types   map[string]*ctype // parsed texts of types
	meta    map[*record]*lua.LTable
	funcs   *lua.LTable // the externs of ffi.C used so far, by name
	mt      *lua.LTable // of all cdata
	args    []Value     // of the calls in progress
	errno   int
	exposed map[int64]weak.Pointer[memory] // blocks whose address became an integer

	finalizers map[*finalizer]struct{}
	dead       *atomic.Int32 // objects that the collector has found unused
	sequence   int
	rand       *crand
}

// registryKey is where a state keeps its lib.
const registryKey = "deltabench.luaffi"

func libOf(L *lua.LState) *lib {
	ud, _ := L.G.Registry.RawGetString(registryKey).(*lua.LUserData)
	if ud == nil {
		return nil
	}
	l, _ := ud.Value.(*lib)
	return l
}

// hostDecls are the parsed declarations of hosts, by text; states share them.
var hostDecls sync.Map // string to *decls

func declarationsOf(host *Host) *decls {
	if d, ok := hostDecls.Load(host.Declarations); ok {
		return d.(*decls)
	}
	d := newDecls(nil)
	if err := d.parse(host.Declarations, nil); err != nil {
		panic("luaffi: declarations of the host: " + err.Error())
	}
	share := func(name string, t *ctype) {
		if t.kind == kRecord {
			t.rec.shared = true
			objectTypes.LoadOrStore(name, t)
		}
	}
	for name, t := range d.tags {
		share(name, t)
	}
	for name, sym := range d.names {
		if sym.kind == symType {
			share(name, sym.typ)
		}
	}
	actual, _ := hostDecls.LoadOrStore(host.Declarations, d)
	return actual.(*decls)
}

// Open adds ffi, bit and jit to a state, as globals and for require, and lets tonumber take cdata. The declarations of the host must be right: a mistake in them is a panic.
func Open(L *lua.LState, host *Host) {
	l := &lib{
		host: host, d: newDecls(declarationsOf(host)), types: map[string]*ctype{}, meta: map[*record]*lua.LTable{},
		finalizers: map[*finalizer]struct{}{}, dead: &atomic.Int32{},
	}
	for name, n := range host.Consts {
		l.d.names[name] = &symbol{kind: symConst, typ: tInt32, value: n}
	}
	L.G.Registry.RawSetString(registryKey, &lua.LUserData{Value: l, Metatable: lua.LNil})
	l.mt = L.CreateTable(0, 24)
	for event, f := range map[string]lua.LGFunction{
		"__index": l.index, "__newindex": l.newIndex, "__call": l.callCData, "__tostring": l.toString, "__len": l.length,
		"__concat": l.concat, "__unm": l.negate,
		"__add": l.arith('+', "__add"), "__sub": l.arith('-', "__sub"), "__mul": l.arith('*', "__mul"),
		"__div": l.arith('/', "__div"), "__mod": l.arith('%', "__mod"), "__pow": l.arith('^', "__pow"),
		"__lt": l.order("__lt", func(c int) bool { return c < 0 }), "__le": l.order("__le", func(c int) bool { return c <= 0 }),
	} {
		l.mt.RawSetString(event, L.NewFunction(f))
	}
	l.mt.RawSetString("__metatable", lua.LString("ffi"))
	L.SetCDataMetatable(l.mt)

	l.install(L, "ffi", l.openFFI(L))
	l.install(L, "bit", openBit(L))
	jit, opt := openJIT(L)
	l.install(L, "jit", jit)
	l.loaded(L, "jit.opt", opt)
	l.takeNumbers(L)
	l.openTables(L)
}

// install sets a global that require finds too.
func (l *lib) install(L *lua.LState, name string, tb *lua.LTable) {
	L.SetGlobal(name, tb)
	l.loaded(L, name, tb)
}

func (l *lib) loaded(L *lua.LState, name string, v lua.LValue) {
	if tb, ok := packageTable(L, "loaded"); ok {
		tb.RawSetString(name, v)
	}
}

func packageTable(L *lua.LState, name string) (*lua.LTable, bool) {
	pkg, ok := L.GetGlobal("package").(*lua.LTable)
	if !ok {
		return nil, false
	}
	tb, ok := pkg.RawGetString(name).(*lua.LTable)
	return tb, ok
}

// openTables offers table.new and table.clear to require, as LuaJIT does.
func (l *lib) openTables(L *lua.LState) {
	preload, ok := packageTable(L, "preload")
	if !ok {
		return
	}
	offer := func(name string, f lua.LGFunction) {
		if preload.RawGetString(name) == lua.LNil {
			preload.RawSetString(name, L.NewFunction(func(L *lua.LState) int {
				L.Push(L.NewFunction(f))
				return 1
			}))
		}
	}
	offer("table.new", func(L *lua.LState) int {
		L.CheckNumber(1)
		L.CheckNumber(2)
		L.Push(L.CreateTable(0, 0))
		return 1
	})
	offer("table.clear", func(L *lua.LState) int {
		tb := L.CheckTable(1)
		for k, _ := tb.Next(lua.LNil); k != lua.LNil; k, _ = tb.Next(lua.LNil) {
			tb.RawSet(k, lua.LNil)
		}
		return 0
	})
}

// takeNumbers makes tonumber accept cdata of all types of numbers; 64-bit integers it knows, as string.format does.
func (l *lib) takeNumbers(L *lua.LState) {
	if f, ok := L.GetGlobal("tonumber").(*lua.LFunction); ok && f.IsG {
		plain := f.GFunction
		L.SetGlobal("tonumber", L.NewFunction(func(L *lua.LState) int {
			c := asCData(L.Get(1))
			if c == nil {
				return plain(L)
			}
			if !c.isType && c.typ.number() {
				L.PushNumber(lua.LNumber(c.number(c.typ)))
			} else {
				L.Push(lua.LNil)
			}
			return 1
		}))
	}
}

// exposedMax bounds the blocks whose addresses are remembered.
const exposedMax = 4096

// expose returns the address of p as an integer, from which a cast finds p again while somebody holds its block.
func (l *lib) expose(p pointer) int64 {
	if p.mem == nil {
		return p.off
	}
	if l.exposed == nil {
		l.exposed = map[int64]weak.Pointer[memory]{}
	}
	if len(l.exposed) >= exposedMax {
		for base, w := range l.exposed {
			if w.Value() == nil {
				delete(l.exposed, base)
			}
		}
		if len(l.exposed) >= exposedMax {
			clear(l.exposed)
		}
	}
	l.exposed[p.mem.base()] = weak.Make(p.mem)
	return int64(p.address())
}

// pointerFromInt makes a pointer of an address.
func (l *lib) pointerFromInt(n uint64) scalar {
	for base, w := range l.exposed {
		off := int64(n) - base
		if m := w.Value(); m != nil && m.base() == base && off >= 0 && off <= int64(len(m.data)) {
			return scalar{m, uint64(off)}
		}
	}
	return scalar{n: n}
}

func (l *lib) stdout() io.Writer {
	if l.host.Stdout != nil {
		return l.host.Stdout
	}
	return os.Stdout
}

func (l *lib) getenv(name string) string {
	if l.host.Getenv != nil {
		return l.host.Getenv(name)
	}
	return os.Getenv(name)
}
