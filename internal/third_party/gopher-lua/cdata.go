package lua

// CData is the Value of a *LUserData that scripts see as LuaJIT's cdata: type() says "cdata", == with any other value asks
// it, and metamethods come from SetCDataMetatable.
type CData interface {
	CEqual(L *LState, self *LUserData, other LValue) bool
}
