package lua

import (
	"context"
	"fmt"
	"io"
	"math"
	"strconv"
	"sync/atomic"
)

type LValueType int

const (
	LTNil LValueType = iota
	LTBool
	LTNumber
	LTString
	LTFunction
	LTUserData
	LTThread
	LTTable
	LTChannel
)

var lValueNames = [9]string{"nil", "boolean", "number", "string", "function", "userdata", "thread", "table", "channel"}

func (vt LValueType) String() string {
	return lValueNames[int(vt)]
}

type LValue interface {
	String() string
	Type() LValueType
}

func isNil(v LValue) bool { _, ok := v.(*LNilType); return ok }

// LVIsFalse returns true if a given LValue is a nil or false otherwise false.
func LVIsFalse(v LValue) bool { return !LVAsBool(v) }

// LVIsFalse returns false if a given LValue is a nil or false otherwise true.
func LVAsBool(v LValue) bool {
	switch b := v.(type) {
	case *LNilType:
		return false
	case LBool:
		return bool(b)
	}
	return true
}

// LVAsString returns string representation of a given LValue
// if the LValue is a string or number, otherwise an empty string.
func LVAsString(v LValue) string {
	switch sn := v.(type) {
	case LString, LNumber:
		return sn.String()
	default:
		return ""
	}
}

// LVCanConvToString returns true if a given LValue is a string or number
// otherwise false.
func LVCanConvToString(v LValue) bool {
	switch v.(type) {
	case LString, LNumber:
		return true
	default:
		return false
	}
}

// LVAsNumber tries to convert a given LValue to a number.
func LVAsNumber(v LValue) LNumber {
	switch lv := v.(type) {
	case LNumber:
		return lv
	case LString:
		if num, ok := parseNumber(string(lv)); ok {
			return num
		}
	}
	return LNumber(0)
}

type LNilType struct{}

func (nl *LNilType) String() string   { return "nil" }
func (nl *LNilType) Type() LValueType { return LTNil }

var LNil = LValue(&LNilType{})

type LBool bool

func (bl LBool) String() string {
	if bool(bl) {
		return "true"
	}
	return "false"
}
func (bl LBool) Type() LValueType { return LTBool }

var LTrue = LBool(true)
var LFalse = LBool(false)

type LString string

func (st LString) String() string   { return string(st) }
func (st LString) Type() LValueType { return LTString }

func (nm LNumber) String() string {
	if n := int64(nm); LNumber(n) == nm && n > -1e14 && n < 1e14 && (n != 0 || !math.Signbit(float64(nm))) {
		return strconv.FormatInt(n, 10)
	}
	var buf [32]byte
	return string(appendNumber(buf[:0], nm))
}

func (nm LNumber) Type() LValueType { return LTNumber }

func (tb *LTable) String() string   { return fmt.Sprintf("table: %p", tb) }
func (tb *LTable) Type() LValueType { return LTTable }

type LFunction struct {
	IsG       bool
	special   specialFunc
	builtin   uint16
	Env       *LTable
	Proto     *FunctionProto
	GFunction LGFunction
	Upvalues  []*Upvalue
}
type LGFunction func(*LState) int

func (fn *LFunction) String() string {
	if fn.IsG && fn.builtin != 0 {
		return fmt.Sprintf("function: builtin#%d", fn.builtin)
	}
	return fmt.Sprintf("function: %p", fn)
}
func (fn *LFunction) Type() LValueType { return LTFunction }

type Global struct {
	MainThread    *LState
	CurrentThread *LState
	Registry      *LTable
	Global        *LTable

	builtinMts [int(LTChannel) + 1]LValue
	cdataMt    *LTable
	depth      int // execute calls on Go's stack, over all coroutines

	hook      func(*LState) error
	hookEvery int
	ctx       context.Context
	scratch   []byte
	files     map[*lFile]struct{} // open files, closed with the state
	stdout    io.Writer
	random    prng
	closed    atomic.Bool
}

// LState is a Lua thread: the main one of a state, or a coroutine. The main one and its coroutines share Global; all of
// them belong to one goroutine at a time.
type LState struct {
	G       *Global
	Parent  *LState
	Env     *LTable
	Dead    bool
	Options Options

	reg          *registry
	regv         registry
	alloc        *allocator
	currentFrame *callFrame
	frames       *callFrame // the first frame; frames are reused
	openUpvalues *Upvalue   // sorted by index, highest first
	nexec        int        // execute calls of this thread on Go's stack
	budget       int        // calls and backward jumps until the hook
	wrapped      bool
	started      bool
	handling     int // error handlers that run
	failure      any // what execute let pass

	// where the results of a yield go when the thread is resumed
	resumeBase, resumeNRet int
	yieldBase, yieldN      int
}

func (ls *LState) String() string   { return fmt.Sprintf("thread: %p", ls) }
func (ls *LState) Type() LValueType { return LTThread }

type LUserData struct {
	Value     interface{}
	Env       *LTable
	Metatable LValue
}

func (ud *LUserData) String() string   { return fmt.Sprintf("userdata: %p", ud) }
func (ud *LUserData) Type() LValueType { return LTUserData }

type LChannel chan LValue

func (ch LChannel) String() string   { return fmt.Sprintf("channel: %p", ch) }
func (ch LChannel) Type() LValueType { return LTChannel }
