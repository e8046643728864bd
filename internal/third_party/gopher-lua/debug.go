package lua

import (
	"fmt"
	"strings"
)

// chunkDisplay gives the name of a chunk as messages show it: "@file" without the @, "=name" without the =, and otherwise
// [string "first line..."]. A name with neither is shown as it is if Load was given it by the host.
func chunkDisplay(name string) string {
	const size = 60
	if strings.HasPrefix(name, stringChunkPrefix) {
		return name[1:]
	}
	if name == "" {
		return `[string ""]`
	}
	switch name[0] {
	case '=':
		if name = name[1:]; len(name) >= size {
			name = name[:size-1]
		}
		return name
	case '@':
		if name = name[1:]; len(name) >= size {
			name = "..." + name[len(name)-(size-4):]
		}
		return name
	}
	return name
}

// stringChunk gives the chunk name that shows as [string "..."] for the text of a chunk.
func stringChunk(text string) string {
	line := text
	i := strings.IndexAny(text, "\n\r")
	if i >= 0 {
		line = text[:i]
	}
	if i >= 0 || len(line) > 48 {
		line = line[:min(len(line), 45)] + "..."
	}
	return stringChunkPrefix + line + `"]`
}

const stringChunkPrefix = `=[string "`

func (ls *LState) frameAt(level int) *callFrame {
	f := ls.currentFrame
	for ; level > 0 && f != nil; level-- {
		f = f.Parent
	}
	if level < 0 {
		return nil
	}
	return f
}

func (f *callFrame) line() int {
	if f.kind != frameLua {
		return -1
	}
	if pos := f.Fn.Proto.DbgSourcePositions; f.Pc > 0 && f.Pc <= len(pos) {
		return pos[f.Pc-1]
	}
	return f.Fn.Proto.LineDefined
}

// where is luaL_where: "file.lua:5: ", or nothing if the function at level is no Lua function.
func (ls *LState) where(level int) string {
	f := ls.frameAt(level)
	if f == nil || f.kind != frameLua {
		return ""
	}
	return fmt.Sprintf("%s:%d: ", f.Fn.Proto.SourceName, f.line())
}

// position is where an error is that the interpreter or the running host function raises.
func (ls *LState) position() string {
	if f := ls.currentFrame; f != nil && f.kind == frameLua {
		return ls.where(0)
	}
	return ls.where(1)
}

// slotName finds out what the value in a register is, from the instruction that put it there.
func slotName(p *FunctionProto, pc, slot int) (kind, name string) {
	operands := map[int]bool{} // words that are no instructions
	for i := 0; i < pc; i++ {
		switch inst := p.Code[i]; opGetOpCode(inst) {
		case OP_CLOSURE:
			for n := int(p.FunctionPrototypes[opGetArgBx(inst)].NumUpvalues); n > 0; n-- {
				i++
				operands[i] = true
			}
		case OP_SETLIST:
			if opGetArgC(inst) == 0 {
				i++
				operands[i] = true
			}
		}
	}
restart:
	if name := p.localName(slot, pc); name != "" && name[0] != '(' {
		return "local", name
	}
	for pc--; pc >= 0; pc-- {
		if operands[pc] {
			continue
		}
		inst := p.Code[pc]
		a := opGetArgA(inst)
		switch op := opGetOpCode(inst); op {
		case OP_MOVE, OP_MOVEN:
			if a == slot {
				slot = opGetArgB(inst)
				goto restart
			}
		case OP_GETGLOBAL:
			if a == slot {
				return "global", p.stringConstants[opGetArgBx(inst)]
			}
		case OP_GETUPVAL:
			if a == slot {
				return "upvalue", p.DbgUpvalues[opGetArgB(inst)]
			}
		case OP_GETTABLEKS:
			if a == slot {
				return "field", p.rkName(opGetArgC(inst))
			}
		case OP_SELF:
			if a == slot {
				return "method", p.rkName(opGetArgC(inst))
			}
			if a+1 == slot {
				slot = opGetArgB(inst)
				goto restart
			}
		case OP_CALL, OP_TAILCALL, OP_VARARG:
			if slot >= a {
				return "", ""
			}
		case OP_TFORLOOP:
			if slot >= a+3 {
				return "", ""
			}
		case OP_LOADNIL:
			if slot >= a && slot <= opGetArgB(inst) {
				return "", ""
			}
		case OP_SETGLOBAL, OP_SETUPVAL, OP_SETTABLE, OP_SETTABLEKS, OP_JMP, OP_EQ, OP_LT, OP_LE, OP_TEST, OP_RETURN, OP_SETLIST,
			OP_CLOSE, OP_NOP, OP_FORLOOP, OP_FORPREP, OP_TFORTEST:
		default:
			if a == slot {
				return "", ""
			}
		}
	}
	return "", ""
}

func (fp *FunctionProto) rkName(rk int) string {
	if opIsK(rk) {
		return fp.stringConstants[opIndexK(rk)]
	}
	return "?"
}

// typeName is what messages call the type of a value.
func typeName(v LValue) string {
	if v == nil {
		return "no value"
	}
	if IsCData(v) {
		return "cdata"
	}
	return v.Type().String()
}

// opError raises LuaJIT's error for an operand of the current instruction. slot is its register, or negative.
func (ls *LState) opError(what string, v LValue, slot int) {
	f := ls.currentFrame
	if f != nil && f.kind == frameLua && slot >= 0 {
		if kind, name := slotName(f.Fn.Proto, f.Pc-1, slot); kind != "" {
			ls.RaiseError("attempt to %s %s '%s' (a %s value)", what, kind, name, typeName(v))
		}
	}
	ls.operandError("attempt to %s a %s value", what, typeName(v))
}

// operandError is RaiseError, but without position where a host function uses an operator.
func (ls *LState) operandError(format string, args ...any) {
	if f := ls.currentFrame; f != nil && f.kind != frameLua {
		panic(newApiErrorS(ApiErrorRun, fmt.Sprintf(format, args...)))
	}
	ls.RaiseError(format, args...)
}

// currentInst gives the instruction that runs; ok is false outside of Lua code.
func (ls *LState) currentInst() (inst uint32, ok bool) {
	f := ls.currentFrame
	if f == nil || f.kind != frameLua || f.Pc == 0 {
		return 0, false
	}
	return f.Fn.Proto.Code[f.Pc-1], true
}

func (ls *LState) indexError(v, _ LValue) {
	slot := -1
	if inst, ok := ls.currentInst(); ok {
		switch opGetOpCode(inst) {
		case OP_GETTABLE, OP_GETTABLEKS, OP_SELF:
			slot = opGetArgB(inst)
		case OP_SETTABLE, OP_SETTABLEKS:
			slot = opGetArgA(inst)
		}
		// with an __index chain the value may be another one
		if slot >= 0 && ls.reg.array[ls.currentFrame.LocalBase+slot] != v {
			slot = -1
		}
	}
	ls.opError("index", v, slot)
}

func (ls *LState) callError(base int) {
	v := ls.reg.array[base]
	slot := -1
	if inst, ok := ls.currentInst(); ok {
		if op := opGetOpCode(inst); op == OP_CALL || op == OP_TAILCALL {
			if a := opGetArgA(inst); ls.currentFrame.LocalBase+a == base {
				slot = a
			}
		}
	}
	ls.opError("call", v, slot)
}

// arithError raises the error of an arithmetic instruction.
func (ls *LState) arithError(lhs, rhs LValue, what string) {
	v, second := lhs, false
	if _, ok := toNumber(lhs); ok {
		v, second = rhs, true
	}
	slot := -1
	if inst, ok := ls.currentInst(); ok {
		rk := opGetArgB(inst)
		if second {
			rk = opGetArgC(inst)
		}
		switch op := opGetOpCode(inst); {
		case op == OP_CONCAT:
		case op >= OP_ADD && op <= OP_LEN && !opIsK(rk):
			slot = rk
		}
	}
	ls.opError(what, v, slot)
}

func (ls *LState) concatError(lhs, rhs LValue, lreg int) {
	v, reg := lhs, lreg
	if LVCanConvToString(lhs) {
		v, reg = rhs, lreg+1
	}
	slot := -1
	if inst, ok := ls.currentInst(); ok && opGetOpCode(inst) == OP_CONCAT {
		slot = reg - ls.currentFrame.LocalBase
	}
	ls.opError("concatenate", v, slot)
}

func (ls *LState) compareError(lhs, rhs LValue) {
	a, b := typeName(lhs), typeName(rhs)
	if a == b {
		ls.operandError("attempt to compare two %s values", a)
	}
	ls.operandError("attempt to compare %s with %s", a, b)
}

// funcName gives what the function of a frame is called by where it is called.
func (ls *LState) funcName(f *callFrame) (kind, name string) {
	p := f.Parent
	if p == nil || p.kind != frameLua || p.Pc == 0 || f.TailCall > 0 {
		return "", ""
	}
	inst := p.Fn.Proto.Code[p.Pc-1]
	switch opGetOpCode(inst) {
	case OP_CALL, OP_TAILCALL:
		return slotName(p.Fn.Proto, p.Pc-1, opGetArgA(inst))
	case OP_TFORLOOP:
		return "for iterator", "for iterator"
	case OP_GETTABLE, OP_GETTABLEKS, OP_GETGLOBAL, OP_SELF:
		return "metamethod", "__index"
	case OP_SETTABLE, OP_SETTABLEKS, OP_SETGLOBAL:
		return "metamethod", "__newindex"
	}
	return "", ""
}

// ArgError raises "bad argument #n to 'function' (message)".
func (ls *LState) ArgError(n int, message string) {
	fname := "?"
	if ls.currentFrame != nil {
		kind, name := ls.funcName(ls.currentFrame)
		if kind == "method" {
			if n--; n == 0 {
				ls.RaiseError("calling '%s' on bad self (%s)", name, message)
			}
		}
		if name != "" {
			fname = name
		}
	}
	ls.RaiseError("bad argument #%d to '%s' (%s)", n, fname, message)
}

// TypeError raises the ArgError of an argument of the wrong type.
func (ls *LState) TypeError(n int, typ LValueType) { ls.typeError(n, typ.String()) }

func (ls *LState) typeError(n int, want string) {
	got := "no value"
	if n <= ls.GetTop() {
		got = typeName(ls.Get(n))
	}
	ls.ArgError(n, want+" expected, got "+got)
}

// Where gives "script.lua:5:" for the function at a level: 0 is the running one, 1 its caller; "" if it is no Lua function.
func (ls *LState) Where(level int) string { return strings.TrimSuffix(ls.where(level), " ") }

// stackTrace is debug.traceback: frames from level on, the newest first.
func (ls *LState) stackTrace(msg string, level int) string {
	var b strings.Builder
	b.WriteString(msg)
	if msg != "" {
		b.WriteString("\n")
	}
	b.WriteString("stack traceback:")
	total := 0
	for f := ls.currentFrame; f != nil; f = f.Parent {
		total++
	}
	i := level
	for f := ls.frameAt(level); f != nil; f = f.Parent {
		if n := total - level; n > 22 && i == level+12 {
			b.WriteString("\n\t...")
			for skip := n - 22; skip > 0; skip-- {
				f = f.Parent
			}
		}
		i++
		b.WriteString("\n\t")
		if f.kind != frameLua {
			b.WriteString("[C]:")
		} else {
			fmt.Fprintf(&b, "%s:%d:", f.Fn.Proto.SourceName, f.line())
		}
		kind, name := ls.funcName(f)
		switch {
		case kind == "global" || kind == "local" || kind == "method" || kind == "field" || kind == "upvalue":
			fmt.Fprintf(&b, " in function '%s'", name)
		case kind != "":
			fmt.Fprintf(&b, " in function '%s'", name)
		case f.kind == frameLua && f.Fn.Proto.LineDefined == 0:
			b.WriteString(" in main chunk")
		case f.kind != frameLua:
			if f.Fn.builtin != 0 {
				fmt.Fprintf(&b, " in function <builtin#%d>", f.Fn.builtin)
			} else {
				fmt.Fprintf(&b, " at %p", f.Fn)
			}
		default:
			fmt.Fprintf(&b, " in function <%s:%d>", f.Fn.Proto.SourceName, f.Fn.Proto.LineDefined)
		}
	}
	return b.String()
}

// Debug describes a function or a frame; see GetInfo.
type Debug struct {
	frame           *callFrame
	Name            string
	NameWhat        string
	What            string
	Source          string
	ShortSource     string
	CurrentLine     int
	NUpvalues       int
	LineDefined     int
	LastLineDefined int
}

// GetInfo fills dbg like lua_getinfo; with a leading > in what, for the function fn.
func (ls *LState) GetInfo(what string, dbg *Debug, fn LValue) (LValue, error) {
	if strings.HasPrefix(what, ">") {
		what = what[1:]
	} else {
		fn = dbg.frame.Fn
	}
	f, ok := fn.(*LFunction)
	if !ok {
		return LNil, newApiErrorS(ApiErrorRun, "not a function")
	}
	ret := LNil
	for _, c := range what {
		switch c {
		case 'f':
			ret = f
		case 'S':
			if f.IsG {
				dbg.What, dbg.Source, dbg.ShortSource, dbg.LineDefined, dbg.LastLineDefined = "C", "=[C]", "[C]", -1, -1
				break
			}
			dbg.What = "Lua"
			if f.Proto.LineDefined == 0 {
				dbg.What = "main"
			}
			dbg.Source, dbg.ShortSource = f.Proto.Source, f.Proto.SourceName
			dbg.LineDefined, dbg.LastLineDefined = f.Proto.LineDefined, f.Proto.LastLineDefined
		case 'l':
			dbg.CurrentLine = -1
			if dbg.frame != nil {
				dbg.CurrentLine = dbg.frame.line()
			}
		case 'u':
			dbg.NUpvalues = len(f.Upvalues)
		case 'n':
			if dbg.frame != nil {
				dbg.NameWhat, dbg.Name = ls.funcName(dbg.frame)
			}
		case 'L':
		default:
			return LNil, newApiErrorS(ApiErrorRun, "invalid option")
		}
	}
	return ret, nil
}

// GetStack gives the frame at a level, 0 being the running function.
func (ls *LState) GetStack(level int) (*Debug, bool) {
	f := ls.frameAt(level)
	return &Debug{frame: f}, f != nil
}

func (ls *LState) localSlot(f *callFrame, n int) (name string, reg int) {
	if f.kind != frameLua || n < 1 {
		return "", 0
	}
	p := f.Fn.Proto
	for _, l := range p.DbgLocals {
		if l.StartPc <= f.Pc && f.Pc < l.EndPc {
			if n--; n == 0 {
				return l.Name, f.LocalBase + l.Reg
			}
		}
	}
	return "", 0
}

func (ls *LState) GetLocal(dbg *Debug, no int) (string, LValue) {
	name, reg := ls.localSlot(dbg.frame, no)
	if name == "" || ls.reg.array[reg] == nil {
		return name, LNil
	}
	return name, ls.reg.array[reg]
}

func (ls *LState) SetLocal(dbg *Debug, no int, lv LValue) string {
	name, reg := ls.localSlot(dbg.frame, no)
	if name != "" {
		ls.reg.array[reg] = lv
	}
	return name
}
