package luaffi

import "strconv"

type kind uint8

const (
	kVoid kind = iota
	kBool
	kInt
	kFloat
	kEnum
	kPtr
	kRef
	kArray
	kRecord // struct or union
	kFunc
)

const (
	qConst uint8 = 1 << iota
	qVolatile
)

// Counts of array types whose length is not a number.
const (
	countOpen = -1 // []
	countVLA  = -2 // [?]
)

// maxSize bounds the size of a C type and of an object, in bytes.
const maxSize = 1<<31 - 1

// maxObject bounds an object that a script makes, in bytes; tests set less.
var maxObject int64 = 1 << 30

// ctype is a C type on a 64-bit system with LP64. It does not change once a declaration is complete, so states share those
// of the host's declarations.
type ctype struct {
	kind     kind
	quals    uint8
	unsigned bool
	size     int64 // of void, bool, int, float, enum, ptr, ref; others compute it
	name     string
	elem     *ctype // of ptr, ref, array; result of a function
	count    int64  // of an array
	rec      *record
	enum     *enum
	params   []*ctype
	vararg   bool
	align    int64 // set by an attribute; 0: natural
}

// record is what a struct or union contains; all qualified versions of the type share it.
type record struct {
	name     string // tag, or a number
	union    bool
	complete bool
	shared   bool   // of the host: other states see it
	vla      *ctype // element of a last member [?]
	size     int64
	align    int64
	fields   []field // those to initialise, in order; anonymous members are fields without name
	names    map[string]field
	consts   map[string]int64
}

type field struct {
	name      string
	typ       *ctype
	off       int64
	bitPos    uint8 // of a bit field within its unit
	bitSize   uint8 // 0: no bit field
	anonymous bool
}

// enum is what an enum contains.
type enum struct {
	name     string
	complete bool
	consts   map[string]int64
}

var (
	tVoid       = &ctype{kind: kVoid, name: "void"}
	tBool       = &ctype{kind: kBool, size: 1, unsigned: true, name: "bool"}
	tInt8       = &ctype{kind: kInt, size: 1, name: "char"}
	tUint8      = &ctype{kind: kInt, size: 1, unsigned: true, name: "unsigned char"}
	tInt16      = &ctype{kind: kInt, size: 2, name: "short"}
	tUint16     = &ctype{kind: kInt, size: 2, unsigned: true, name: "unsigned short"}
	tInt32      = &ctype{kind: kInt, size: 4, name: "int"}
	tUint32     = &ctype{kind: kInt, size: 4, unsigned: true, name: "unsigned int"}
	tInt64      = &ctype{kind: kInt, size: 8, name: "int64_t"}
	tUint64     = &ctype{kind: kInt, size: 8, unsigned: true, name: "uint64_t"}
	tFloat      = &ctype{kind: kFloat, size: 4, name: "float"}
	tDouble     = &ctype{kind: kFloat, size: 8, name: "double"}
	tLongDouble = &ctype{kind: kFloat, size: 16, name: "long double"}
	tConstChar  = qualified(tInt8, qConst)
	tCString    = pointerTo(tConstChar)
	tVoidPtr    = pointerTo(tVoid)
	tConstVoid  = pointerTo(qualified(tVoid, qConst))
)

// builtinNames are the type names that need no declaration.
var builtinNames = map[string]*ctype{
	"int8_t": tInt8, "int16_t": tInt16, "int32_t": tInt32, "int64_t": tInt64,
	"uint8_t": tUint8, "uint16_t": tUint16, "uint32_t": tUint32, "uint64_t": tUint64,
	"intptr_t": tInt64, "uintptr_t": tUint64, "ptrdiff_t": tInt64, "size_t": tUint64, "ssize_t": tInt64,
	"wchar_t": tInt32, "va_list": tVoidPtr, "__builtin_va_list": tVoidPtr, "__gnuc_va_list": tVoidPtr,
}

func intType(size int64, unsigned bool) *ctype {
	types := map[int64][2]*ctype{1: {tInt8, tUint8}, 2: {tInt16, tUint16}, 4: {tInt32, tUint32}, 8: {tInt64, tUint64}}
	if unsigned {
		return types[size][1]
	}
	return types[size][0]
}

func pointerTo(elem *ctype) *ctype { return &ctype{kind: kPtr, size: 8, elem: elem} }

func arrayOf(elem *ctype, n int64) *ctype { return &ctype{kind: kArray, elem: elem, count: n} }

// refTo is the type of a member or element that is itself a struct or an array: scripts get a reference to it.
func refTo(elem *ctype) *ctype { return &ctype{kind: kRef, size: 8, elem: elem} }

// qualified is t with qualifiers more. Those of an array are its elements'.
func qualified(t *ctype, quals uint8) *ctype {
	if t.quals|quals == t.quals || t.kind == kFunc || t.kind == kRef {
		return t
	}
	c := *t
	if t.kind == kArray {
		c.elem = qualified(t.elem, quals)
	} else {
		c.quals |= quals
	}
	return &c
}

// sizeof returns the size in bytes; ok is false if it is not known: void, functions, incomplete and variable-length types.
func (t *ctype) sizeof() (n int64, ok bool) {
	switch t.kind {
	case kVoid, kFunc:
		return 0, false
	case kArray:
		if t.count < 0 {
			return 0, false
		}
		n, ok = t.elem.sizeof()
		return n * t.count, ok
	case kRecord:
		return t.rec.size, t.rec.complete && t.rec.vla == nil
	case kRef:
		return t.elem.sizeof()
	}
	return t.size, true
}

// vla returns the element type of a variable-length type and the size of what is before its elements, or nil.
func (t *ctype) vla() (elem *ctype, before int64) {
	switch {
	case t.kind == kArray && t.count == countVLA:
		return t.elem, 0
	case t.kind == kRecord && t.rec.complete && t.rec.vla != nil:
		return t.rec.vla, t.rec.size
	}
	return nil, 0
}

func (t *ctype) alignof() int64 {
	if t.align != 0 {
		return t.align
	}
	switch t.kind {
	case kVoid, kFunc:
		return 1
	case kArray:
		return t.elem.alignof()
	case kRecord:
		return max(t.rec.align, 1)
	}
	return t.size
}

func (t *ctype) aggregate() bool { return t.kind == kArray || t.kind == kRecord }

func (t *ctype) number() bool { return t.kind >= kBool && t.kind <= kEnum }

// deref strips a reference.
func (t *ctype) deref() *ctype {
	if t.kind == kRef {
		return t.elem
	}
	return t
}

func (t *ctype) String() string { return t.repr("") }

// repr writes the type as C would around inner, in LuaJIT's spelling.
func (t *ctype) repr(inner string) string {
	switch t.kind {
	case kPtr, kRef:
		mark := "*"
		if t.kind == kRef {
			mark = "&"
		}
		if q := qualNames(t.quals); q != "" {
			mark += q
			if inner != "" {
				mark += " "
			}
		}
		if t.elem.kind == kArray || t.elem.kind == kFunc {
			return t.elem.repr("(" + mark + inner + ")")
		}
		return t.elem.repr(mark + inner)
	case kArray:
		switch t.count {
		case countOpen:
			return t.elem.repr(inner + "[]")
		case countVLA:
			return t.elem.repr(inner + "[?]")
		}
		return t.elem.repr(inner + "[" + strconv.FormatInt(t.count, 10) + "]")
	case kFunc:
		return t.elem.repr(inner + "()")
	}
	s := t.name
	switch {
	case t.kind == kRecord && t.rec.union:
		s = "union " + t.rec.name
	case t.kind == kRecord:
		s = "struct " + t.rec.name
	case t.kind == kEnum:
		s = "enum " + t.enum.name
	}
	if q := qualNames(t.quals); q != "" {
		s = q + " " + s
	}
	if inner != "" {
		s += " " + inner
	}
	return s
}

func qualNames(q uint8) string {
	switch q {
	case qConst:
		return "const"
	case qVolatile:
		return "volatile"
	case qConst | qVolatile:
		return "const volatile"
	}
	return ""
}

// same reports whether a and b are the same type, apart from qualifiers of the type itself.
func same(a, b *ctype) bool {
	if a == b {
		return true
	}
	if a.kind != b.kind || a.unsigned != b.unsigned || a.rec != b.rec || a.enum != b.enum {
		return false
	}
	switch a.kind {
	case kRecord, kEnum, kVoid:
		return true
	case kPtr, kRef:
		return a.elem.quals == b.elem.quals && same(a.elem, b.elem)
	case kArray:
		return a.count == b.count && a.elem.quals == b.elem.quals && same(a.elem, b.elem)
	case kFunc:
		if a.vararg != b.vararg || len(a.params) != len(b.params) || !same(a.elem, b.elem) {
			return false
		}
		for i := range a.params {
			if !same(a.params[i], b.params[i]) {
				return false
			}
		}
		return true
	}
	return a.size == b.size
}

// pointee returns what a pointer points to or an array consists of, or nil.
func (t *ctype) pointee() *ctype {
	if t.kind == kPtr || t.kind == kArray {
		return t.elem
	}
	return nil
}

type pointerRule uint8

const (
	ruleAssign    pointerRule = iota // qualifiers may be added, void stands for all
	ruleSame                         // no difference
	ruleAnyQuals                     // qualifiers do not count
	ruleAnyObject                    // nothing counts: a cast
)

// compatible reports whether a pointer to s may be used as a pointer to d.
func compatible(d, s *ctype, rule pointerRule) bool {
	if rule == ruleAnyObject || d == s {
		return true
	}
	dq, sq := d.quals, s.quals
	switch rule {
	case ruleSame:
		if dq != sq {
			return false
		}
	case ruleAssign:
		if dq&sq != sq {
			return false
		}
		if d.kind == kVoid || s.kind == kVoid {
			return true
		}
	}
	if d.kind == kEnum || s.kind == kEnum {
		d, s = enumBase(d), enumBase(s)
	}
	if d.kind != s.kind {
		return false
	}
	switch d.kind {
	case kBool, kInt, kFloat:
		return d.size == s.size
	case kPtr:
		return compatible(d.elem, s.elem, ruleSame)
	case kArray:
		return d.count == s.count && compatible(d.elem, s.elem, rule)
	case kRecord:
		return d.rec == s.rec
	case kFunc:
		return true
	}
	return true
}

func enumBase(t *ctype) *ctype {
	if t.kind != kEnum {
		return t
	}
	return intType(4, t.unsigned)
}
