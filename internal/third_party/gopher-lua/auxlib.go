package lua

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"sort"
	"strings"
	"syscall"

	"deltabench/internal/third_party/gopher-lua/parse"
)

// sysError words an error of the system as C's strerror does.
func sysError(err error) string {
	var no syscall.Errno
	if errors.As(err, &no) {
		s := no.Error()
		return strings.ToUpper(s[:1]) + s[1:]
	}
	return err.Error()
}

func errorNumber(err error) int {
	var no syscall.Errno
	if errors.As(err, &no) {
		return int(no)
	}
	return 0
}

/* checkType {{{ */

func (ls *LState) CheckAny(n int) LValue {
	if n > ls.GetTop() {
		ls.ArgError(n, "value expected")
	}
	return ls.Get(n)
}

// CheckInt gives an integer argument; numbers are cut, strings converted.
func (ls *LState) CheckInt(n int) int { return toInt(ls.CheckNumber(n)) }

func (ls *LState) CheckInt64(n int) int64 { return int64(ls.CheckNumber(n)) }

func (ls *LState) CheckNumber(n int) LNumber {
	v := ls.Get(n)
	if num, ok := v.(LNumber); ok {
		return num
	}
	num, ok := toNumber(v)
	if !ok {
		ls.TypeError(n, LTNumber)
	}
	return num
}

func (ls *LState) CheckString(n int) string {
	switch v := ls.Get(n).(type) {
	case LString:
		return string(v)
	case LNumber:
		return v.String()
	}
	ls.TypeError(n, LTString)
	return ""
}

func (ls *LState) CheckBool(n int) bool {
	lv, ok := ls.Get(n).(LBool)
	if !ok {
		ls.TypeError(n, LTBool)
	}
	return bool(lv)
}

func (ls *LState) CheckTable(n int) *LTable {
	lv, ok := ls.Get(n).(*LTable)
	if !ok {
		ls.TypeError(n, LTTable)
	}
	return lv
}

func (ls *LState) CheckFunction(n int) *LFunction {
	lv, ok := ls.Get(n).(*LFunction)
	if !ok {
		ls.TypeError(n, LTFunction)
	}
	return lv
}

func (ls *LState) CheckUserData(n int) *LUserData {
	lv, ok := ls.Get(n).(*LUserData)
	if !ok {
		ls.TypeError(n, LTUserData)
	}
	return lv
}

func (ls *LState) CheckThread(n int) *LState {
	lv, ok := ls.Get(n).(*LState)
	if !ok {
		ls.TypeError(n, LTThread)
	}
	return lv
}

func (ls *LState) CheckType(n int, typ LValueType) {
	if ls.Get(n).Type() != typ {
		ls.TypeError(n, typ)
	}
}

func (ls *LState) CheckTypes(n int, typs ...LValueType) {
	vt := ls.Get(n).Type()
	names := []string{}
	for _, typ := range typs {
		if vt == typ {
			return
		}
		names = append(names, typ.String())
	}
	ls.typeError(n, strings.Join(names, " or "))
}

func (ls *LState) CheckOption(n int, options []string) int {
	str := ls.CheckString(n)
	for i, v := range options {
		if v == str {
			return i
		}
	}
	ls.ArgError(n, "invalid option '"+str+"'")
	return 0
}

/* }}} */

/* optType {{{ */

func (ls *LState) OptInt(n int, d int) int {
	if isNil(ls.Get(n)) {
		return d
	}
	return ls.CheckInt(n)
}

func (ls *LState) OptInt64(n int, d int64) int64 {
	if isNil(ls.Get(n)) {
		return d
	}
	return ls.CheckInt64(n)
}

func (ls *LState) OptNumber(n int, d LNumber) LNumber {
	if isNil(ls.Get(n)) {
		return d
	}
	return ls.CheckNumber(n)
}

func (ls *LState) OptString(n int, d string) string {
	if isNil(ls.Get(n)) {
		return d
	}
	return ls.CheckString(n)
}

func (ls *LState) OptBool(n int, d bool) bool {
	if isNil(ls.Get(n)) {
		return d
	}
	return ls.CheckBool(n)
}

func (ls *LState) OptTable(n int, d *LTable) *LTable {
	if isNil(ls.Get(n)) {
		return d
	}
	return ls.CheckTable(n)
}

func (ls *LState) OptFunction(n int, d *LFunction) *LFunction {
	if isNil(ls.Get(n)) {
		return d
	}
	return ls.CheckFunction(n)
}

func (ls *LState) OptUserData(n int, d *LUserData) *LUserData {
	if isNil(ls.Get(n)) {
		return d
	}
	return ls.CheckUserData(n)
}

/* }}} */

/* table operations {{{ */

func (ls *LState) FindTable(obj *LTable, n string, size int) LValue {
	names := strings.Split(n, ".")
	curobj := obj
	for _, name := range names {
		if curobj.Type() != LTTable {
			return LNil
		}
		nextobj := ls.RawGet(curobj, LString(name))
		if nextobj == LNil {
			tb := ls.CreateTable(0, size)
			ls.RawSet(curobj, LString(name), tb)
			curobj = tb
		} else if nextobj.Type() != LTTable {
			return LNil
		} else {
			curobj = nextobj.(*LTable)
		}
	}
	return curobj
}

/* }}} */

/* register operations {{{ */

func (ls *LState) RegisterModule(name string, funcs map[string]LGFunction) LValue {
	loaded := ls.FindTable(ls.G.Registry, "_LOADED", 1)
	mod, ok := ls.GetField(loaded, name).(*LTable)
	if !ok {
		if mod, ok = ls.FindTable(ls.G.Global, name, len(funcs)).(*LTable); !ok {
			ls.RaiseError("name conflict for module '%s'", name)
		}
		ls.SetField(loaded, name, mod)
	}
	ls.SetFuncs(mod, funcs)
	nameBuiltins(name, mod)
	return mod
}

func (ls *LState) SetFuncs(tb *LTable, funcs map[string]LGFunction, upvalues ...LValue) *LTable {
	names := make([]string, 0, len(funcs))
	for name := range funcs {
		names = append(names, name)
	}
	sort.Strings(names) // tables of all states have the same layout
	for _, name := range names {
		tb.RawSetString(name, ls.NewClosure(funcs[name], upvalues...))
	}
	return tb
}

/* }}} */

/* metatable operations {{{ */

func (ls *LState) NewTypeMetatable(typ string) *LTable {
	regtable := ls.Get(RegistryIndex)
	mt := ls.GetField(regtable, typ)
	if tb, ok := mt.(*LTable); ok {
		return tb
	}
	mtnew := ls.NewTable()
	ls.SetField(regtable, typ, mtnew)
	return mtnew
}

func (ls *LState) GetMetaField(obj LValue, event string) LValue {
	return ls.metaOp1(obj, event)
}

func (ls *LState) GetTypeMetatable(typ string) LValue {
	return ls.GetField(ls.Get(RegistryIndex), typ)
}

func (ls *LState) CallMeta(obj LValue, event string) LValue {
	op := ls.metaOp1(obj, event)
	if isNil(op) {
		return LNil
	}
	return ls.callMeta1(op, obj)
}

// callMeta1 is for host functions: what they have pushed stays.
func (ls *LState) callMeta1(fn LValue, args ...LValue) LValue {
	top := ls.reg.top
	ls.reg.Push(fn)
	for _, a := range args {
		ls.reg.Push(a)
	}
	ls.Call(len(args), 1)
	v := ls.reg.Pop()
	ls.reg.top = top
	return v
}

/* }}} */

/* load and function call operations {{{ */

// Signature that binary chunks of all kinds begin with.
const binarySignature = '\x1b'

// LoadBytes compiles the text of a chunk; a first line that begins with # is no Lua.
func (ls *LState) LoadBytes(text []byte, name string) (*LFunction, error) {
	proto, err := CompileBytes(text, name)
	if err != nil {
		return nil, newApiErrorE(ApiErrorSyntax, err)
	}
	return newLFunctionL(proto, ls.currentEnv(), 0), nil
}

// CompileBytes compiles the text of a chunk, for many states to run with NewFunctionFromProto. A first line that begins
// with # is no Lua.
func CompileBytes(text []byte, name string) (*FunctionProto, error) {
	if len(text) > 0 && text[0] == '#' {
		i := bytes.IndexByte(text, '\n')
		if i < 0 {
			i = len(text)
		}
		text = text[i:]
	}
	if len(text) > 0 && text[0] == binarySignature {
		what := "incompatible"
		if len(text) > 5 && bytes.HasPrefix(text, []byte("\x1bLJ\x02")) && text[4] > 0 && text[4] < 32 {
			what = "malformed"
		}
		return nil, fmt.Errorf("%s: cannot load %s bytecode", chunkDisplay(name), what)
	}
	chunk, err := parse.Parse(bytes.NewReader(text), chunkDisplay(name))
	if err != nil {
		return nil, err
	}
	return Compile(chunk, name)
}

// LoadFile compiles a file, or standard input if path is empty.
func (ls *LState) LoadFile(path string) (*LFunction, error) {
	if path == "" {
		text, err := io.ReadAll(os.Stdin)
		if err != nil {
			return nil, newApiErrorS(ApiErrorFile, "cannot read stdin: "+sysError(err))
		}
		return ls.LoadBytes(text, "=stdin")
	}
	f, err := os.Open(path)
	if err != nil {
		e := newApiErrorS(ApiErrorFile, "cannot open "+path+": "+sysError(err))
		e.Cause = err
		return nil, e
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		e := newApiErrorS(ApiErrorFile, "cannot read "+path+": "+sysError(err))
		e.Cause = err
		return nil, e
	}
	return ls.LoadBytes(text, "@"+path)
}

func (ls *LState) LoadString(source string) (*LFunction, error) {
	return ls.LoadBytes([]byte(source), stringChunk(source))
}

func (ls *LState) DoFile(path string) error {
	fn, err := ls.LoadFile(path)
	if err != nil {
		return err
	}
	ls.Push(fn)
	return ls.PCall(0, MultRet, nil)
}

func (ls *LState) DoString(source string) error {
	fn, err := ls.LoadString(source)
	if err != nil {
		return err
	}
	ls.Push(fn)
	return ls.PCall(0, MultRet, nil)
}

/* }}} */

/* GopherLua original APIs {{{ */

// ToStringMeta returns string representation of given LValue.
// This method calls the `__tostring` meta method if defined.
func (ls *LState) ToStringMeta(lv LValue) LValue {
	switch v := lv.(type) {
	case LString:
		return v
	case LNumber:
		return LString(v.String())
	}
	if fn := ls.metaOp1(lv, "__tostring"); !isNil(fn) {
		return ls.callMeta1(fn, lv)
	}
	if IsCData(lv) {
		return LString(strings.Replace(lv.String(), "userdata", "cdata", 1))
	}
	return LString(lv.String())
}

// Set a module loader to the package.preload table.
func (ls *LState) PreloadModule(name string, loader LGFunction) {
	preload := ls.GetField(ls.GetField(ls.Get(EnvironIndex), "package"), "preload")
	if _, ok := preload.(*LTable); !ok {
		ls.RaiseError("package.preload must be a table")
	}
	ls.SetField(preload, name, ls.NewFunction(loader))
}

/* }}} */
