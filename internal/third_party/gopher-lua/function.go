package lua

import (
	"fmt"
	"strings"
)

const (
	VarArgHasArg   uint8 = 1
	VarArgIsVarArg uint8 = 2
	VarArgNeedsArg uint8 = 4
)

type specialFunc uint8

// Functions of the library that the interpreter treats itself.
const (
	specialNone specialFunc = iota
	specialPcall
	specialXpcall
	specialNext
	specialIpairs
)

type DbgLocalInfo struct {
	Name    string
	Reg     int
	StartPc int
	EndPc   int
}

type FunctionProto struct {
	SourceName         string // as messages show it
	Source             string // as debug.getinfo gives it
	LineDefined        int
	LastLineDefined    int
	NumUpvalues        uint8
	NumParameters      uint8
	IsVarArg           uint8
	NumUsedRegisters   uint16
	Code               []uint32
	Constants          []LValue
	FunctionPrototypes []*FunctionProto

	DbgSourcePositions []int
	DbgLocals          []*DbgLocalInfo
	DbgUpvalues        []string

	stringConstants []string
	// hints remember, for each instruction with a constant key, where a table had it last. They are shared by all states
	// that run the function, and may be wrong.
	hints []uint32
}

/* Upvalue {{{ */

type Upvalue struct {
	next  *Upvalue
	reg   *registry // nil: closed
	index int
	value LValue
}

func (uv *Upvalue) Value() LValue {
	if uv.reg == nil {
		return uv.value
	}
	return uv.reg.array[uv.index]
}

func (uv *Upvalue) SetValue(value LValue) {
	if uv.reg == nil {
		uv.value = value
	} else {
		uv.reg.array[uv.index] = value
	}
}

func (uv *Upvalue) Close() {
	uv.value = uv.Value()
	uv.reg = nil
}

func (uv *Upvalue) IsClosed() bool {
	return uv.reg == nil
}

func UpvalueIndex(i int) int {
	return GlobalsIndex - i
}

/* }}} */

/* FunctionProto {{{ */

func newFunctionProto(name string) *FunctionProto {
	return &FunctionProto{
		SourceName:       chunkDisplay(name),
		Source:           name,
		LineDefined:      0,
		LastLineDefined:  0,
		NumUpvalues:      0,
		NumParameters:    0,
		IsVarArg:         0,
		NumUsedRegisters: 2,
	}
}

func (fp *FunctionProto) String() string {
	return fp.str(1, 0)
}

func (fp *FunctionProto) str(level int, count int) string {
	indent := strings.Repeat("  ", level-1)
	buf := []string{}
	buf = append(buf, fmt.Sprintf("%v; function [%v] definition (level %v)\n",
		indent, count, level))
	buf = append(buf, fmt.Sprintf("%v; %v upvalues, %v params, %v stacks\n",
		indent, fp.NumUpvalues, fp.NumParameters, fp.NumUsedRegisters))
	for reg, linfo := range fp.DbgLocals {
		buf = append(buf, fmt.Sprintf("%v.local %v ; %v\n", indent, linfo.Name, reg))
	}
	for reg, upvalue := range fp.DbgUpvalues {
		buf = append(buf, fmt.Sprintf("%v.upvalue %v ; %v\n", indent, upvalue, reg))
	}
	for reg, conzt := range fp.Constants {
		buf = append(buf, fmt.Sprintf("%v.const %v ; %v\n", indent, conzt.String(), reg))
	}
	buf = append(buf, "\n")

	protono := 0
	for no, code := range fp.Code {
		inst := opGetOpCode(code)
		if inst == OP_CLOSURE {
			buf = append(buf, "\n")
			buf = append(buf, fp.FunctionPrototypes[protono].str(level+1, protono))
			buf = append(buf, "\n")
			protono++
		}
		buf = append(buf, fmt.Sprintf("%v[%03d] %v (line:%v)\n",
			indent, no+1, opToString(code), fp.DbgSourcePositions[no]))

	}
	buf = append(buf, fmt.Sprintf("%v; end of function\n", indent))
	return strings.Join(buf, "")
}

/* }}} */

/* LFunction {{{ */

func newLFunctionL(proto *FunctionProto, env *LTable, nupvalue int) *LFunction {
	return &LFunction{
		IsG: false,
		Env: env,

		Proto:    proto,
		Upvalues: make([]*Upvalue, nupvalue),
	}
}

func newLFunctionG(gfunc LGFunction, env *LTable, nupvalue int) *LFunction {
	fn := &LFunction{IsG: true, Env: env, GFunction: gfunc}
	if nupvalue > 0 {
		fn.Upvalues = make([]*Upvalue, nupvalue)
	}
	return fn
}

// localName gives the name of the local variable that lives in register reg before instruction pc, or "".
func (fp *FunctionProto) localName(reg, pc int) string {
	for i := len(fp.DbgLocals) - 1; i >= 0; i-- {
		if l := fp.DbgLocals[i]; l.Reg == reg && l.StartPc <= pc && pc < l.EndPc {
			return l.Name
		}
	}
	return ""
}

/* }}} */
