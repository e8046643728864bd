package luaffi

import (
	"fmt"
	"math"

	lua "deltabench/internal/third_party/gopher-lua"
)

// valueName is how LuaJIT calls a value that does not convert.
func valueName(v lua.LValue) string {
	switch v := v.(type) {
	case lua.LBool:
		return "bool"
	case *lua.LUserData:
		if c, ok := v.Value.(*cdata); ok {
			if c.isType {
				return "ctype<" + c.typ.String() + ">"
			}
			return c.typ.deref().String()
		}
	}
	return v.Type().String()
}

func cannotConvert(v lua.LValue, t *ctype) error {
	return fmt.Errorf("cannot convert '%s' to '%s'", valueName(v), t)
}

// toScalar converts a Lua value to a value of type t, which is no aggregate. cast allows what C allows in a cast.
func (l *lib) toScalar(t *ctype, v lua.LValue, cast bool) (scalar, error) {
	switch v := v.(type) {
	case lua.LNumber:
		return l.numberToScalar(t, v, cast)
	case *lua.LUserData:
		if c, ok := v.Value.(*cdata); ok {
			if s, ok := l.cdataToScalar(t, c, cast); ok {
				return s, nil
			}
			return scalar{}, cannotConvert(v, t)
		}
		if t.kind == kPtr && compatible(t.elem, tVoid, rule(cast)) {
			return scalar{mem: &memory{obj: v.Value}}, nil
		}
	case lua.LBool:
		if t.kind == kBool || t.kind == kInt {
			return scalar{n: uint64(truth(bool(v)))}, nil
		}
		if t.kind == kFloat {
			return scalar{n: math.Float64bits(float64(truth(bool(v))))}, nil
		}
	case lua.LString:
		if t.kind == kEnum {
			if n, ok := t.enum.consts[string(v)]; ok {
				return scalar{n: uint64(n)}, nil
			}
			break
		}
		if t.kind == kPtr && stringFits(t.elem, cast) {
			return scalar{mem: stringMemory(string(v))}, nil
		}
		if cast && t.kind == kInt {
			m := stringMemory(string(v))
			return scalar{n: uint64(truncate(l.expose(pointer{mem: m}), t.size, t.unsigned))}, nil
		}
	case *lua.LNilType:
		if t.kind == kPtr {
			return scalar{}, nil
		}
		if cast && (t.kind == kInt || t.kind == kBool) {
			return scalar{}, nil
		}
	case *lua.LFunction:
		if t.kind == kPtr && t.elem.kind == kFunc {
			return scalar{}, errCallback
		}
	}
	return scalar{}, cannotConvert(v, t)
}

var errCallback = fmt.Errorf("callbacks from C into Lua are not available in deltabench (see docs/scripting.md)")

func rule(cast bool) pointerRule {
	if cast {
		return ruleAnyObject
	}
	return ruleAssign
}

// stringFits reports whether a Lua string may be passed for a pointer to elem: const char * and what stands for it.
func stringFits(elem *ctype, cast bool) bool {
	return compatible(elem, tConstChar, rule(cast))
}

func (l *lib) numberToScalar(t *ctype, n lua.LNumber, cast bool) (scalar, error) {
	switch t.kind {
	case kInt:
		return scalar{n: floatToInt(t, float64(n))}, nil
	case kEnum:
		return scalar{n: floatToInt(enumBase(t), float64(n))}, nil
	case kBool:
		return scalar{n: uint64(truth(n != 0))}, nil
	case kFloat:
		return scalar{n: roundFloat(t, float64(n))}, nil
	case kPtr:
		if cast {
			return l.pointerFromInt(floatToUint64(float64(n))), nil
		}
	}
	return scalar{}, cannotConvert(n, t)
}

// roundFloat gives the bits of a double with the precision of t.
func roundFloat(t *ctype, f float64) uint64 {
	if t.size == 4 {
		f = float64(float32(f))
	}
	return math.Float64bits(f)
}

func (l *lib) cdataToScalar(t *ctype, c *cdata, cast bool) (scalar, bool) {
	s := c.typ.deref()
	if c.isType {
		return scalar{}, false
	}
	switch {
	case t.number() && s.number():
		return convertNumber(t, s, c.scalar), true
	case t.kind == kPtr && s.kind == kFunc:
		if cast || t.elem.kind == kFunc || t.elem.kind == kVoid {
			return scalar{mem: &memory{obj: c.fn}}, true
		}
	case t.kind == kPtr && (s.kind == kPtr || s.kind == kArray):
		if compatible(t.elem, s.elem, rule(cast)) {
			return c.scalar, true
		}
	case t.kind == kPtr && s.kind == kRecord:
		if compatible(t.elem, s, rule(cast)) {
			return c.scalar, true
		}
	case t.kind == kPtr && cast && (s.kind == kInt || s.kind == kEnum):
		return l.pointerFromInt(c.n), true
	case cast && (t.kind == kInt || t.kind == kBool) && (s.kind == kPtr || s.aggregate()):
		n := l.expose(c.pointer())
		if t.kind == kBool {
			return scalar{n: uint64(truth(n != 0))}, true
		}
		return scalar{n: uint64(truncate(n, t.size, t.unsigned))}, true
	}
	return scalar{}, false
}

// convertNumber converts a number of type s.
func convertNumber(t, s *ctype, v scalar) scalar {
	switch {
	case t.kind == kFloat:
		return scalar{n: roundFloat(t, v.number(s))}
	case t.kind == kBool:
		if s.kind == kFloat {
			return scalar{n: uint64(truth(v.float() != 0))}
		}
		return scalar{n: uint64(truth(v.n != 0))}
	case s.kind == kFloat:
		return scalar{n: floatToInt(enumBase(t), v.float())}
	}
	return scalar{n: uint64(truncate(int64(v.n), t.size, t.unsigned))}
}

// assign converts v and stores it at p, as in an assignment to an element, a member or a new object of type t.
func (l *lib) assign(t *ctype, p pointer, v lua.LValue) error {
	if t.kind == kRef {
		return fmt.Errorf("references in structs are not available in deltabench (see docs/scripting.md)")
	}
	if !t.aggregate() {
		s, err := l.toScalar(t, v, false)
		if err != nil {
			return err
		}
		return store(t, p, s)
	}
	switch v := v.(type) {
	case *lua.LTable:
		if t.kind == kArray {
			return l.assignArray(t, p, v)
		}
		return l.assignRecord(t, p, v)
	case lua.LString:
		if t.kind == kArray && t.elem.kind == kInt && t.elem.size == 1 {
			return assignString(t, p, string(v))
		}
	case *lua.LUserData:
		if c, ok := v.Value.(*cdata); ok && !c.isType && same(c.typ.deref(), t) {
			n, ok := t.sizeof()
			if !ok {
				break
			}
			return c.pointer().copyTo(p, n)
		}
	}
	return cannotConvert(v, t)
}

// room is the number of bytes that an array has at p: its own, or those of the memory where it ends a struct.
func room(t *ctype, p pointer) int64 {
	if n, ok := t.sizeof(); ok {
		return n
	}
	if p.mem == nil {
		return 0
	}
	return max(int64(len(p.mem.data))-p.off, 0)
}

func assignString(t *ctype, p pointer, s string) error {
	n := min(room(t, p), int64(len(s))+1)
	b, err := p.bytes(n)
	if err != nil {
		return err
	}
	if copy(b, s) < len(b) {
		b[len(b)-1] = 0
	}
	return nil
}

// at is element i of a table; RawGetInt knows none at 0.
func at(tb *lua.LTable, i int) lua.LValue {
	if i == 0 {
		return tb.RawGet(lua.LNumber(0))
	}
	return tb.RawGetInt(i)
}

// assignArray takes elements from 0 or 1 on to the first nil; a single one is for all.
func (l *lib) assignArray(t *ctype, p pointer, tb *lua.LTable) error {
	size := room(t, p)
	esize, _ := t.elem.sizeof()
	_, fixed := t.sizeof()
	off := int64(0)
	for i := 0; ; i++ {
		v := at(tb, i)
		if v == lua.LNil {
			if i == 0 {
				continue
			}
			break
		}
		if off+esize > size || esize == 0 {
			if fixed {
				return fmt.Errorf("too many initializers for '%s'", t)
			}
			break
		}
		if err := l.assign(t.elem, pointer{p.mem, p.off + off}, v); err != nil {
			return err
		}
		off += esize
	}
	if !fixed {
		return nil
	}
	return fillRest(p, off, esize, size)
}

// fillRest repeats a single first element in the rest of an array, or makes the rest zero.
func fillRest(p pointer, off, esize, size int64) error {
	if off == esize && len(p.mem.refs) == 0 {
		b, err := p.bytes(size)
		for err == nil && off < size {
			off += int64(copy(b[off:], b[:off]))
		}
		return err
	}
	if off == esize {
		for ; off < size; off += esize {
			if err := p.copyTo(pointer{p.mem, p.off + off}, esize); err != nil {
				return err
			}
		}
		return nil
	}
	b, err := p.bytes(size)
	if err == nil {
		clear(b[off:])
	}
	return err
}

func (l *lib) assignRecord(t *ctype, p pointer, tb *lua.LTable) error {
	size, ok := t.sizeof()
	if !ok {
		size = t.rec.size
	}
	b, err := p.bytes(size)
	if err != nil {
		return err
	}
	clear(b)
	i := 0
	_, err = l.fieldsFromTable(t.rec, p, tb, &i)
	return err
}

// fieldsFromTable sets members from the array part of a table, from 0 or 1 on, and from names once that has ended.
func (l *lib) fieldsFromTable(r *record, p pointer, tb *lua.LTable, i *int) (set bool, err error) {
	for _, f := range r.fields {
		place := pointer{p.mem, p.off + f.off}
		if f.anonymous {
			ok, err := l.fieldsFromTable(f.typ.rec, place, tb, i)
			if err != nil || ok && r.union {
				return ok, err
			}
			set = set || ok
			continue
		}
		if f.name == "" {
			continue
		}
		v := lua.LValue(lua.LNil)
		if *i >= 0 {
			v = at(tb, *i)
			if v == lua.LNil && *i == 0 {
				*i = 1
				v = at(tb, 1)
			}
			if v == lua.LNil {
				*i = -1
			} else {
				*i++
			}
		}
		if *i < 0 {
			if v = tb.RawGetString(f.name); v == lua.LNil {
				continue
			}
		}
		if err := l.assignField(f, place, v); err != nil {
			return false, err
		}
		set = true
		if r.union {
			break
		}
	}
	return set, nil
}

func (l *lib) assignField(f field, p pointer, v lua.LValue) error {
	if f.bitSize == 0 {
		return l.assign(f.typ, p, v)
	}
	s, err := l.toScalar(f.typ, v, false)
	if err != nil {
		return err
	}
	return storeBits(f, p, s)
}

// fieldsFromValues sets members from values in order and returns those left over.
func (l *lib) fieldsFromValues(r *record, p pointer, values []lua.LValue) ([]lua.LValue, error) {
	for _, f := range r.fields {
		if len(values) == 0 {
			break
		}
		place := pointer{p.mem, p.off + f.off}
		var err error
		switch {
		case f.anonymous:
			values, err = l.fieldsFromValues(f.typ.rec, place, values)
		case f.name == "":
			continue
		default:
			err = l.assignField(f, place, values[0])
			values = values[1:]
		}
		if err != nil {
			return nil, err
		}
		if r.union {
			break
		}
	}
	return values, nil
}

// isAggregateInit reports whether a single initializer is for the whole array or struct and not for its first element.
func isAggregateInit(t *ctype, v lua.LValue) bool {
	switch v := v.(type) {
	case *lua.LTable:
		return true
	case lua.LString:
		return t.kind != kRecord
	case *lua.LUserData:
		c, ok := v.Value.(*cdata)
		return ok && !c.isType && same(c.typ.deref(), t)
	}
	return false
}

// initialize sets a new array or struct, which is zero, from initializers.
func (l *lib) initialize(t *ctype, p pointer, values []lua.LValue) error {
	if len(values) == 1 && isAggregateInit(t, values[0]) {
		return l.assign(t, p, values[0])
	}
	if t.kind == kRecord {
		left, err := l.fieldsFromValues(t.rec, p, values)
		if err == nil && len(left) > 0 {
			err = fmt.Errorf("too many initializers for '%s'", t)
		}
		return err
	}
	esize, _ := t.elem.sizeof()
	size := room(t, p)
	if int64(len(values))*esize > size {
		return fmt.Errorf("too many initializers for '%s'", t)
	}
	for i, v := range values {
		if err := l.assign(t.elem, pointer{p.mem, p.off + int64(i)*esize}, v); err != nil {
			return err
		}
	}
	if len(values) == 0 || esize == 0 {
		return nil
	}
	return fillRest(p, int64(len(values))*esize, esize, size)
}
