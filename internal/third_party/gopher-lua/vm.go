package lua

import (
	"math"
)

func rk(regs, k []LValue, i uint32) LValue {
	if i&opBitRk != 0 {
		return k[i&^opBitRk]
	}
	return regs[i]
}

// mainLoop runs Lua code from the current frame on, until the frame stop is current again or the thread yields.
func mainLoop(ls *LState, stop *callFrame) callStatus {
	reg := ls.reg
	al := ls.alloc
reentry:
	cf := ls.currentFrame
	fn := cf.Fn
	proto := fn.Proto
	code := proto.Code
	hints := proto.hints
	k := proto.Constants
	pc := cf.Pc
reload:
	regs := reg.array[cf.LocalBase:]
	for {
		inst := code[pc]
		pc++
		cf.Pc = pc
		a := inst >> 18 & 0xff
		b := inst & 0x1ff
		c := inst >> 9 & 0x1ff
		switch int(inst >> 26) {
		case OP_MOVE:
			regs[a] = regs[b]
		case OP_MOVEN:
			regs[a] = regs[b]
			for n := c; n > 0; n-- {
				inst = code[pc]
				pc++
				regs[inst>>18&0xff] = regs[inst&0x1ff]
			}
		case OP_LOADK:
			regs[a] = k[inst&0x3ffff]
		case OP_LOADBOOL:
			if b != 0 {
				regs[a] = LTrue
			} else {
				regs[a] = LFalse
			}
			if c != 0 {
				pc++
			}
		case OP_LOADNIL:
			for i := a; i <= b; i++ {
				regs[i] = LNil
			}
		case OP_GETUPVAL:
			regs[a] = fn.Upvalues[b].Value()
		case OP_GETGLOBAL:
			bx := inst & 0x3ffff
			v := fn.Env.getConst(k[bx], proto.stringConstants[bx], &hints[pc-1])
			if isNil(v) && !isNil(fn.Env.Metatable) {
				if ls.indexInto(cf, int(a), fn.Env, k[bx]) {
					goto reentry
				}
				goto reload
			}
			regs[a] = v
		case OP_GETTABLE:
			obj, key := regs[b], rk(regs, k, c)
			if tb, ok := obj.(*LTable); ok {
				if n, ok := key.(LNumber); ok {
					if i := int(n); LNumber(i) == n && uint(i-1) < uint(len(tb.array)) {
						if v := tb.array[i-1]; !isNil(v) {
							regs[a] = v
							continue
						}
					}
				}
				if v := tb.RawGet(key); !isNil(v) || isNil(tb.Metatable) {
					regs[a] = v
					continue
				}
			}
			if ls.indexInto(cf, int(a), obj, key) {
				goto reentry
			}
			goto reload
		case OP_GETTABLEKS:
			obj := regs[b]
			if tb, ok := obj.(*LTable); ok && c&opBitRk != 0 {
				i := c &^ opBitRk
				if v := tb.getConst(k[i], proto.stringConstants[i], &hints[pc-1]); !isNil(v) || isNil(tb.Metatable) {
					regs[a] = v
					continue
				}
			}
			if ls.indexInto(cf, int(a), obj, rk(regs, k, c)) {
				goto reentry
			}
			goto reload
		case OP_SETGLOBAL:
			bx := inst & 0x3ffff
			if !fn.Env.setConst(proto.stringConstants[bx], &hints[pc-1], regs[a]) {
				if ls.assign(fn.Env, k[bx], regs[a]) {
					goto reentry
				}
				goto reload
			}
		case OP_SETUPVAL:
			fn.Upvalues[b].SetValue(regs[a])
		case OP_SETTABLE:
			obj, key, v := regs[a], rk(regs, k, b), rk(regs, k, c)
			if tb, ok := obj.(*LTable); ok && isNil(tb.Metatable) {
				if n, ok := key.(LNumber); ok {
					if i := int(n); LNumber(i) == n {
						tb.RawSetInt(i, v)
						continue
					}
				}
				ls.RawSet(tb, key, v)
				continue
			}
			if ls.assign(obj, key, v) {
				goto reentry
			}
			goto reload
		case OP_SETTABLEKS:
			obj, v := regs[a], rk(regs, k, c)
			if tb, ok := obj.(*LTable); ok && b&opBitRk != 0 {
				i := b &^ opBitRk
				if tb.setConst(proto.stringConstants[i], &hints[pc-1], v) {
					continue
				}
				if isNil(tb.Metatable) {
					tb.hashSet(k[i], v)
					continue
				}
			}
			if ls.assign(obj, rk(regs, k, b), v) {
				goto reentry
			}
			goto reload
		case OP_NEWTABLE:
			regs[a] = newLTable(fb2Int(int(b)), fb2Int(int(c)))
		case OP_SELF:
			obj := regs[b]
			key := rk(regs, k, c)
			if tb, ok := obj.(*LTable); ok && c&opBitRk != 0 {
				i := c &^ opBitRk
				if v := tb.getConst(key, proto.stringConstants[i], &hints[pc-1]); !isNil(v) {
					regs[a+1] = obj
					regs[a] = v
					continue
				}
			} else if ud, ok := obj.(*LUserData); ok && c&opBitRk != 0 {
				// the usual object: methods in the table that __index is
				if mt := ls.metaTable(ud); mt != nil {
					if tb, ok := mt.RawGetString("__index").(*LTable); ok {
						i := c &^ opBitRk
						if v := tb.getConst(key, proto.stringConstants[i], &hints[pc-1]); !isNil(v) {
							regs[a+1] = obj
							regs[a] = v
							continue
						}
					}
				}
			}
			if a+1 != b {
				regs[a+1] = obj
			}
			if ls.indexInto(cf, int(a), obj, key) {
				goto reentry
			}
			goto reload
		case OP_ADD:
			lhs, rhs := rk(regs, k, b), rk(regs, k, c)
			if x, ok := lhs.(LNumber); ok {
				if y, ok := rhs.(LNumber); ok {
					regs[a] = al.LNumber2I(x + y)
					continue
				}
			}
			if ls.arithInto(cf, int(a), OP_ADD, lhs, rhs) {
				goto reentry
			}
			goto reload
		case OP_SUB:
			lhs, rhs := rk(regs, k, b), rk(regs, k, c)
			if x, ok := lhs.(LNumber); ok {
				if y, ok := rhs.(LNumber); ok {
					regs[a] = al.LNumber2I(x - y)
					continue
				}
			}
			if ls.arithInto(cf, int(a), OP_SUB, lhs, rhs) {
				goto reentry
			}
			goto reload
		case OP_MUL:
			lhs, rhs := rk(regs, k, b), rk(regs, k, c)
			if x, ok := lhs.(LNumber); ok {
				if y, ok := rhs.(LNumber); ok {
					regs[a] = al.LNumber2I(x * y)
					continue
				}
			}
			if ls.arithInto(cf, int(a), OP_MUL, lhs, rhs) {
				goto reentry
			}
			goto reload
		case OP_DIV, OP_MOD, OP_POW:
			op := int(inst >> 26)
			lhs, rhs := rk(regs, k, b), rk(regs, k, c)
			if x, ok := lhs.(LNumber); ok {
				if y, ok := rhs.(LNumber); ok {
					regs[a] = al.LNumber2I(numberArith(op, x, y))
					continue
				}
			}
			if ls.arithInto(cf, int(a), op, lhs, rhs) {
				goto reentry
			}
			goto reload
		case OP_UNM:
			v := rk(regs, k, b)
			if n, ok := v.(LNumber); ok {
				regs[a] = al.LNumber2I(-n)
				continue
			}
			if ls.unmInto(cf, int(a), v) {
				goto reentry
			}
			goto reload
		case OP_NOT:
			if LVAsBool(regs[b]) {
				regs[a] = LFalse
			} else {
				regs[a] = LTrue
			}
		case OP_LEN:
			v := rk(regs, k, b)
			switch lv := v.(type) {
			case LString:
				regs[a] = al.LNumber2I(LNumber(len(lv)))
				continue
			case *LTable:
				regs[a] = al.LNumber2I(LNumber(lv.Len()))
				continue
			}
			if ls.lenInto(cf, int(a), v, int(b)) {
				goto reentry
			}
			goto reload
		case OP_CONCAT:
			if ls.concatInto(cf.LocalBase+int(a), cf.LocalBase+int(b), cf.LocalBase+int(c)) {
				goto reentry
			}
			goto reload
		case OP_JMP:
			sbx := int(inst&0x3ffff) - opMaxArgSbx
			pc += sbx
			if sbx < 0 {
				if ls.budget--; ls.budget < 0 {
					ls.tick()
					goto reload
				}
			}
		case OP_EQ:
			lhs, rhs := rk(regs, k, b), rk(regs, k, c)
			switch x := lhs.(type) {
			case LNumber:
				if y, ok := rhs.(LNumber); ok {
					if (x == y) == (a == 0) {
						pc++
					}
					continue
				}
			case LString:
				if y, ok := rhs.(LString); ok {
					if (x == y) == (a == 0) {
						pc++
					}
					continue
				}
			}
			eq, mm := equalOrMeta(ls, lhs, rhs)
			if mm != nil {
				ls.metaFrame(mm, contTest, 0, lhs, rhs)
				goto reentry
			}
			if eq == (a == 0) {
				pc++
			}
			goto reload
		case OP_LT:
			lhs, rhs := rk(regs, k, b), rk(regs, k, c)
			if x, ok := lhs.(LNumber); ok {
				if y, ok := rhs.(LNumber); ok {
					if (x < y) == (a == 0) {
						pc++
					}
					continue
				}
			}
			res, mm := lessOrMeta(ls, lhs, rhs)
			if mm != nil {
				ls.metaFrame(mm, contTest, 0, lhs, rhs)
				goto reentry
			}
			if res == (a == 0) {
				pc++
			}
			goto reload
		case OP_LE:
			lhs, rhs := rk(regs, k, b), rk(regs, k, c)
			if x, ok := lhs.(LNumber); ok {
				if y, ok := rhs.(LNumber); ok {
					if (x <= y) == (a == 0) {
						pc++
					}
					continue
				}
			}
			res, mm, not := lessEqualOrMeta(ls, lhs, rhs)
			if mm != nil && not {
				ls.metaFrame(mm, contNot, 0, rhs, lhs)
				goto reentry
			}
			if mm != nil {
				ls.metaFrame(mm, contTest, 0, lhs, rhs)
				goto reentry
			}
			if res == (a == 0) {
				pc++
			}
			goto reload
		case OP_TEST:
			if LVAsBool(regs[a]) == (c == 0) {
				pc++
			}
		case OP_TESTSET:
			if v := regs[b]; LVAsBool(v) != (c == 0) {
				regs[a] = v
			} else {
				pc++
			}
		case OP_CALL:
			ra := cf.LocalBase + int(a)
			nargs := int(b) - 1
			if b == 0 {
				nargs = reg.top - ra - 1
			}
			if ls.budget--; ls.budget < 0 {
				ls.tick()
			}
			switch ls.precall(ra, nargs, int(c)-1, ra) {
			case callLua:
				goto reentry
			case callYield:
				return callYield
			}
			goto reload
		case OP_TAILCALL:
			ra := cf.LocalBase + int(a)
			nargs := int(b) - 1
			if b == 0 {
				nargs = reg.top - ra - 1
			}
			if ls.budget--; ls.budget < 0 {
				ls.tick()
			}
			callee, ok := reg.array[ra].(*LFunction)
			if !ok {
				callee = ls.callable(ra, nargs)
				nargs++
			}
			if callee.IsG {
				switch ls.precall(ra, nargs, MultRet, ra) {
				case callLua:
					goto reentry
				case callYield:
					return callYield
				}
				goto reload
			}
			if ls.openUpvalues != nil {
				ls.closeUpvalues(cf.LocalBase)
			}
			copy(reg.array[cf.Base:cf.Base+nargs+1], reg.array[ra:ra+nargs+1])
			cf.Fn, cf.Pc = callee, 0
			cf.TailCall++
			ls.initFrame(cf, callee.Proto, nargs)
			goto reentry
		case OP_RETURN:
			if ls.openUpvalues != nil {
				ls.closeUpvalues(cf.LocalBase)
			}
			ra := cf.LocalBase + int(a)
			n := int(b) - 1
			if b == 0 {
				n = reg.top - ra
			}
			parent := cf.Parent
			if cf.cont != contNone {
				v := LNil
				if n > 0 {
					v = reg.array[ra]
				}
				ls.finishMeta(cf, v)
				goto reentry
			}
			ls.currentFrame = parent
			if n == 1 && cf.NRet == 1 {
				reg.array[cf.ReturnBase] = reg.array[ra]
				reg.top = cf.ReturnBase + 1
			} else {
				ls.deliver(ra, n, cf.NRet, cf.ReturnBase)
			}
			for parent != stop && parent != nil && parent.kind == framePcall {
				ls.finishPcall()
				parent = ls.currentFrame
			}
			if parent == stop || parent == nil {
				return callDone
			}
			goto reentry
		case OP_FORPREP:
			init, limit, step := forNumbers(ls, regs[a], regs[a+1], regs[a+2])
			regs[a], regs[a+1], regs[a+2] = al.LNumber2I(init-step), limit, step
			pc += int(inst&0x3ffff) - opMaxArgSbx
		case OP_FORLOOP:
			init, _ := regs[a].(LNumber)
			limit, _ := regs[a+1].(LNumber)
			step, _ := regs[a+2].(LNumber)
			init += step
			if step > 0 && init <= limit || step <= 0 && init >= limit {
				pc += int(inst&0x3ffff) - opMaxArgSbx
				v := al.LNumber2I(init)
				regs[a] = v
				regs[a+3] = v
				if ls.budget--; ls.budget < 0 {
					cf.Pc = pc
					ls.tick()
					goto reload
				}
			}
		case OP_TFORLOOP:
			if f, ok := regs[a].(*LFunction); ok && f.special >= specialNext {
				if tb, ok := regs[a+1].(*LTable); ok {
					if f.special == specialNext {
						key, v, ok := tb.next(regs[a+2])
						if !ok {
							ls.RaiseError("invalid key to 'next'")
						}
						regs[a+3] = key
						if c > 1 {
							regs[a+4] = v
							for i := uint32(2); i < c; i++ {
								regs[a+3+i] = LNil
							}
						}
					} else {
						n, _ := regs[a+2].(LNumber)
						v := tb.RawGetInt(int(n) + 1)
						if isNil(v) {
							regs[a+3] = LNil
						} else {
							regs[a+3] = al.LNumber2I(n + 1)
						}
						if c > 1 {
							regs[a+4] = v
							for i := uint32(2); i < c; i++ {
								regs[a+3+i] = LNil
							}
						}
					}
					continue
				}
			}
			ra := cf.LocalBase + int(a)
			regs[a+5], regs[a+4], regs[a+3] = regs[a+2], regs[a+1], regs[a]
			switch ls.precall(ra+3, 2, int(c), ra+3) {
			case callLua:
				goto reentry
			case callYield:
				return callYield
			}
			goto reload
		case OP_TFORTEST:
			if v := regs[a+3]; !isNil(v) {
				regs[a+2] = v
				pc += int(inst&0x3ffff) - opMaxArgSbx
				if ls.budget--; ls.budget < 0 {
					ls.tick()
					goto reload
				}
			}
		case OP_SETLIST:
			if c == 0 {
				c = code[pc]
				pc++
			}
			n := int(b)
			if b == 0 {
				n = reg.top - (cf.LocalBase + int(a)) - 1
			}
			if tb, ok := regs[a].(*LTable); ok && n > 0 {
				tb.setList((int(c)-1)*FieldsPerFlush+1, regs[a+1:int(a)+1+n])
			}
		case OP_CLOSE:
			if ls.openUpvalues != nil {
				ls.closeUpvalues(cf.LocalBase + int(a))
			}
		case OP_CLOSURE:
			p := proto.FunctionPrototypes[inst&0x3ffff]
			closure := newLFunctionL(p, fn.Env, int(p.NumUpvalues))
			for i := range closure.Upvalues {
				inst = code[pc]
				pc++
				if int(inst>>26) == OP_MOVE {
					closure.Upvalues[i] = ls.findUpvalue(cf.LocalBase + int(inst&0x1ff))
				} else {
					closure.Upvalues[i] = fn.Upvalues[inst&0x1ff]
				}
			}
			regs[a] = closure
		case OP_VARARG:
			np := int(proto.NumParameters)
			have := max(cf.NArgs-np, 0)
			want := int(b) - 1
			ra := cf.LocalBase + int(a)
			from := cf.Base + 1 + np
			if b == 0 {
				want = have
				reg.ensure(ra + want + slack)
				reg.top = ra + want
			}
			n := min(have, want)
			copy(reg.array[ra:ra+n], reg.array[from:from+n])
			for i := n; i < want; i++ {
				reg.array[ra+i] = LNil
			}
			regs = reg.array[cf.LocalBase:]
		case OP_NOP:
		default:
			ls.RaiseError("bad instruction")
		}
	}
}

func forNumbers(ls *LState, a, b, c LValue) (init, limit, step LNumber) {
	init, ok := toNumber(a)
	if !ok {
		ls.RaiseError("'for' initial value must be a number")
	}
	if limit, ok = toNumber(b); !ok {
		ls.RaiseError("'for' limit must be a number")
	}
	if step, ok = toNumber(c); !ok {
		ls.RaiseError("'for' step must be a number")
	}
	return init, limit, step
}

// toNumber converts a number or a string that looks like one.
func toNumber(v LValue) (LNumber, bool) {
	switch n := v.(type) {
	case LNumber:
		return n, true
	case LString:
		return parseNumber(string(n))
	}
	return 0, false
}

func luaModulo(x, y LNumber) LNumber {
	if i, j := int64(x), int64(y); LNumber(i) == x && LNumber(j) == y && i > 0 && j > 0 {
		return LNumber(i % j)
	}
	return x - LNumber(math.Floor(float64(x/y)))*y
}

func numberArith(op int, x, y LNumber) LNumber {
	switch op {
	case OP_ADD:
		return x + y
	case OP_SUB:
		return x - y
	case OP_MUL:
		return x * y
	case OP_DIV:
		return x / y
	case OP_MOD:
		return luaModulo(x, y)
	}
	return LNumber(math.Pow(float64(x), float64(y)))
}

var arithEvents = [...]string{
	OP_ADD: "__add", OP_SUB: "__sub", OP_MUL: "__mul", OP_DIV: "__div", OP_MOD: "__mod", OP_POW: "__pow",
}

// indexInto is an instruction that gets a field into register a; true if a Lua function has been called for it.
func (ls *LState) indexInto(cf *callFrame, a int, obj, key LValue) bool {
	v, fn, self := ls.index(obj, key)
	if fn != nil {
		ls.metaFrame(fn, contStore, cf.LocalBase+a, self, key)
		return true
	}
	ls.reg.array[cf.LocalBase+a] = v
	return false
}

// assign is an instruction that sets a field; true if a Lua function has been called for it.
func (ls *LState) assign(obj, key, v LValue) bool {
	fn, self := ls.setIndex(obj, key, v)
	if fn != nil {
		ls.metaFrame(fn, contDrop, 0, self, key, v)
	}
	return fn != nil
}

// callInto calls a metamethod for register a; true if it is a Lua function, which then runs.
func (ls *LState) callInto(cf *callFrame, a int, mm LValue, args ...LValue) bool {
	if fn := luaFunction(mm); fn != nil {
		ls.metaFrame(fn, contStore, cf.LocalBase+a, args...)
		return true
	}
	v := ls.call1(mm, args...)
	ls.reg.array[cf.LocalBase+a] = v
	return false
}

func (ls *LState) arithInto(cf *callFrame, a, op int, lhs, rhs LValue) bool {
	if x, ok := toNumber(lhs); ok {
		if y, ok := toNumber(rhs); ok {
			ls.reg.array[cf.LocalBase+a] = ls.alloc.LNumber2I(numberArith(op, x, y))
			return false
		}
	}
	mm := ls.metaOp2(lhs, rhs, arithEvents[op])
	if isNil(mm) {
		ls.arithError(lhs, rhs, "perform arithmetic on")
	}
	return ls.callInto(cf, a, mm, lhs, rhs)
}

func (ls *LState) unmInto(cf *callFrame, a int, v LValue) bool {
	if n, ok := toNumber(v); ok {
		ls.reg.array[cf.LocalBase+a] = -n
		return false
	}
	mm := ls.metaOp1(v, "__unm")
	if isNil(mm) {
		ls.arithError(v, v, "perform arithmetic on")
	}
	return ls.callInto(cf, a, mm, v, v)
}

func (ls *LState) lenInto(cf *callFrame, a int, v LValue, slot int) bool {
	mm := ls.metaOp1(v, "__len")
	if isNil(mm) {
		if opIsK(slot) {
			slot = -1
		}
		ls.opError("get length of", v, slot)
	}
	return ls.callInto(cf, a, mm, v)
}

func appendConcat(buf []byte, v LValue) []byte {
	switch s := v.(type) {
	case LString:
		return append(buf, s...)
	case LNumber:
		return appendNumber(buf, s)
	}
	return buf
}

// concat joins the values of registers lo to hi.
func concat(ls *LState, lo, hi int) LValue {
	for {
		v, mm, at := concatStep(ls, lo, hi)
		if mm == nil {
			return v
		}
		ls.reg.array[at] = ls.call1(mm, ls.reg.array[at], v)
		hi = at
	}
}

// concatInto is the instruction; true if a Lua function has been called for it.
func (ls *LState) concatInto(a, lo, hi int) bool {
	for {
		v, mm, at := concatStep(ls, lo, hi)
		if mm == nil {
			ls.reg.array[a] = v
			return false
		}
		lhs := ls.reg.array[at]
		if fn := luaFunction(mm); fn != nil {
			ls.metaFrame(fn, contConcat, at, lhs, v)
			return true
		}
		v = ls.call1(mm, lhs, v)
		ls.reg.array[at] = v
		hi = at
	}
}

// concatStep joins from the right until it is through, or until it takes the metamethod mm for register at and what is joined
// so far.
func concatStep(ls *LState, lo, hi int) (acc, mm LValue, at int) {
	reg := ls.reg
	acc = reg.array[hi]
	for hi > lo {
		lhs := reg.array[hi-1]
		if !LVCanConvToString(acc) || !LVCanConvToString(lhs) {
			mm = ls.metaOp2(lhs, acc, "__concat")
			if isNil(mm) {
				ls.concatError(lhs, acc, hi-1)
			}
			return acc, mm, hi - 1
		}
		first := hi - 1
		for first > lo && LVCanConvToString(reg.array[first-1]) {
			first--
		}
		g := ls.G
		buf := g.scratch[:0]
		for i := first; i < hi; i++ {
			buf = appendConcat(buf, reg.array[i])
			if len(buf) > maxString {
				ls.RaiseError("not enough memory")
			}
		}
		buf = appendConcat(buf, acc)
		acc = newString(buf)
		if cap(buf) <= maxScratch {
			g.scratch = buf
		}
		hi = first
	}
	return acc, nil, 0
}

const maxScratch = 64 << 10

// maxString is the length of the longest string.
var maxString = 0x7fffff00

func lessThan(ls *LState, lhs, rhs LValue) bool {
	res, mm := lessOrMeta(ls, lhs, rhs)
	if mm != nil {
		return LVAsBool(ls.call1(mm, lhs, rhs))
	}
	return res
}

// lessOrMeta compares; if that takes a Lua function it gives the function instead.
func lessOrMeta(ls *LState, lhs, rhs LValue) (bool, *LFunction) {
	switch x := lhs.(type) {
	case LNumber:
		if y, ok := rhs.(LNumber); ok {
			return x < y, nil
		}
	case LString:
		if y, ok := rhs.(LString); ok {
			return x < y, nil
		}
	}
	mm, ok := compareOp(ls, lhs, rhs, "__lt")
	if !ok {
		ls.compareError(lhs, rhs)
	}
	if fn := luaFunction(mm); fn != nil {
		return false, fn
	}
	return LVAsBool(ls.call1(mm, lhs, rhs)), nil
}

// lessEqualOrMeta is lessOrMeta for <=; not tells that the function is that of rhs < lhs.
func lessEqualOrMeta(ls *LState, lhs, rhs LValue) (res bool, fn *LFunction, not bool) {
	switch x := lhs.(type) {
	case LNumber:
		if y, ok := rhs.(LNumber); ok {
			return x <= y, nil, false
		}
	case LString:
		if y, ok := rhs.(LString); ok {
			return x <= y, nil, false
		}
	}
	if mm, ok := compareOp(ls, lhs, rhs, "__le"); ok {
		if fn := luaFunction(mm); fn != nil {
			return false, fn, false
		}
		return LVAsBool(ls.call1(mm, lhs, rhs)), nil, false
	}
	mm, ok := compareOp(ls, rhs, lhs, "__lt")
	if !ok {
		ls.compareError(lhs, rhs)
	}
	if fn := luaFunction(mm); fn != nil {
		return false, fn, true
	}
	return !LVAsBool(ls.call1(mm, rhs, lhs)), nil, false
}

// compareOp finds the metamethod of an ordering: both operands must have the same one, unless one is cdata.
func compareOp(ls *LState, lhs, rhs LValue, event string) (LValue, bool) {
	if IsCData(lhs) || IsCData(rhs) {
		mm := ls.metaOp2(lhs, rhs, event)
		return mm, !isNil(mm)
	}
	m1 := ls.metaOp1(lhs, event)
	if isNil(m1) || lhs.Type() != rhs.Type() || ls.metaOp1(rhs, event) != m1 {
		return LNil, false
	}
	return m1, true
}

func equals(ls *LState, lhs, rhs LValue) bool {
	eq, mm := equalOrMeta(ls, lhs, rhs)
	if mm != nil {
		return LVAsBool(ls.call1(mm, lhs, rhs))
	}
	return eq
}

// equalOrMeta compares; if that takes a Lua function it gives the function instead.
func equalOrMeta(ls *LState, lhs, rhs LValue) (bool, *LFunction) {
	if lhs == rhs {
		return true, nil
	}
	switch x := lhs.(type) {
	case *LUserData:
		if c, ok := x.Value.(CData); ok {
			ls.fixTop()
			return c.CEqual(ls, x, rhs), nil
		}
		y, ok := rhs.(*LUserData)
		if !ok {
			return false, nil
		}
		if c, ok := y.Value.(CData); ok {
			ls.fixTop()
			return c.CEqual(ls, y, lhs), nil
		}
	case *LTable:
		if _, ok := rhs.(*LTable); !ok {
			return cdataEquals(ls, lhs, rhs), nil
		}
	default:
		return cdataEquals(ls, lhs, rhs), nil
	}
	m1 := ls.metaOp1(lhs, "__eq")
	if isNil(m1) || ls.metaOp1(rhs, "__eq") != m1 {
		return false, nil
	}
	if fn := luaFunction(m1); fn != nil {
		return false, fn
	}
	return LVAsBool(ls.call1(m1, lhs, rhs)), nil
}

func cdataEquals(ls *LState, lhs, rhs LValue) bool {
	if y, ok := rhs.(*LUserData); ok {
		if c, ok := y.Value.(CData); ok {
			ls.fixTop()
			return c.CEqual(ls, y, lhs)
		}
	}
	return false
}
