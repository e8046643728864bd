package luaffi

import lua "deltabench/internal/third_party/gopher-lua"

// openJIT makes the tables jit and jit.opt. There is no compiler to control: what scripts ask for is accepted, and status
// says on, since scripts that ask want to know whether they may be slow.
func openJIT(L *lua.LState) (jit, opt *lua.LTable) {
	nothing := L.NewFunction(func(*lua.LState) int { return 0 })
	jit = L.CreateTable(0, 8)
	for _, name := range []string{"on", "off", "flush", "attach"} {
		jit.RawSetString(name, nothing)
	}
	jit.RawSetString("status", L.NewFunction(func(L *lua.LState) int {
		L.Push(lua.LTrue)
		return 1
	}))
	jit.RawSetString("version", lua.LString("LuaJIT 2.1.0-beta3"))
	jit.RawSetString("version_num", lua.LNumber(20100))
	jit.RawSetString("os", lua.LString(osName()))
	jit.RawSetString("arch", lua.LString(archName()))
	opt = L.CreateTable(0, 1)
	opt.RawSetString("start", nothing)
	jit.RawSetString("opt", opt)
	return jit, opt
}
