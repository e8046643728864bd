package lua

import (
	"strconv"
	"strings"
)

// CData is the Value of a *LUserData that scripts see as LuaJIT's cdata: type() says "cdata", == with any other value asks
// it, and metamethods come from SetCDataMetatable.
type CData interface {
	// CEqual answers self == other; other may be nil, a number, a string or another cdata.
	CEqual(L *LState, self *LUserData, other LValue) bool
}

// Int64Literal makes the value of the literals 1LL and 1ULL; bits are those of the number. The ffi library sets it once,
// before any state exists; as long as it is nil such a literal is a syntax error that says so. The value is a constant of
// the function prototype, so all states that run the function share it: it must not change.
var Int64Literal func(bits uint64, unsigned bool) CData

// SetCDataMetatable sets the metatable of all userdata whose Value is a CData and that have no metatable of their own, for
// this state and all its coroutines.
func (ls *LState) SetCDataMetatable(mt *LTable) { ls.G.cdataMt = mt }

// IsCData tells whether scripts see v as cdata.
func IsCData(v LValue) bool {
	ud, ok := v.(*LUserData)
	if !ok {
		return false
	}
	_, ok = ud.Value.(CData)
	return ok
}

// int64Literal parses the text of a number that ends in LL or ULL, in any case; ok is false for all others.
func int64Literal(text string) (bits uint64, unsigned, ok bool) {
	t := strings.ToLower(text)
	if !strings.HasSuffix(t, "ll") {
		return 0, false, false
	}
	t = t[:len(t)-2]
	if strings.HasSuffix(t, "u") {
		t, unsigned = t[:len(t)-1], true
	}
	base := 10
	if strings.HasPrefix(t, "0x") {
		t, base = t[2:], 16
	}
	bits, err := strconv.ParseUint(t, base, 64)
	return bits, unsigned, err == nil
}

// Uncatchable makes an error that no pcall, xpcall or coroutine of a script can catch: it ends the call that the host made.
// A host function raises it with LState.Throw; the host's PCall returns it, and errors.Is and errors.As see err in it.
func Uncatchable(err error) *ApiError {
	return &ApiError{Type: ApiErrorUncatchable, Object: LString(err.Error()), Cause: err}
}

// Throw raises err as it is: no position is added.
func (ls *LState) Throw(err *ApiError) { panic(err) }

// Unwrap gives the error that made e, or nil.
func (e *ApiError) Unwrap() error { return e.Cause }
