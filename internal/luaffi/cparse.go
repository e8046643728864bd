package luaffi

import "strconv"

// maxDepth bounds nested declarators, structs and expressions.
const maxDepth = 100

// parser reads C declarations by recursive descent; mistakes are panics with a *cError.
type parser struct {
	x        lexer
	tok      token
	ahead    token
	hasAhead bool
	d        *decls
	params   []any // *ctype, string (a name) or int64, for each $
	used     int
	depth    int
	records  []*record // completed here
	enums    []*enum
	inParams int
	abstract bool // a type without a declaration: it must not invent tags
}

func newParser(d *decls, src string, params []any) *parser {
	p := &parser{x: lexer{src: src, line: 1}, d: d, params: params}
	return p
}

// undo makes types incomplete again that a declaration with a mistake has completed.
func (p *parser) undo() {
	for _, r := range p.records {
		*r = record{name: r.name, union: r.union}
	}
	for _, e := range p.enums {
		*e = enum{name: e.name}
	}
}

func (p *parser) fail(format string, args ...any) { p.x.fail(p.tok, format, args...) }

func (p *parser) failPlain(text string) { panic(&cError{text}) }

func (p *parser) next() {
	if p.hasAhead {
		p.tok, p.hasAhead = p.ahead, false
		return
	}
	p.tok = p.x.next()
}

func (p *parser) peek() token {
	if !p.hasAhead {
		p.ahead, p.hasAhead = p.x.next(), true
	}
	return p.ahead
}

func (p *parser) is(text string) bool {
	return p.tok.text == text && (p.tok.kind == tokPunct || p.tok.kind == tokName)
}

func (p *parser) accept(text string) bool {
	if p.is(text) {
		p.next()
		return true
	}
	return false
}

func (p *parser) expect(text string) {
	if !p.accept(text) {
		p.fail("'%s' expected", text)
	}
}

func (p *parser) enter() {
	p.depth++
	if p.depth > maxDepth {
		p.fail("chunk has too many syntax levels")
	}
}

func (p *parser) leave() { p.depth-- }

// param takes the next value for a $.
func (p *parser) param() any {
	if p.used >= len(p.params) {
		p.failPlain("wrong number of type parameters")
	}
	v := p.params[p.used]
	p.used++
	return v
}

func (p *parser) noParamsLeft() {
	if p.used < len(p.params) {
		p.failPlain("wrong number of type parameters")
	}
}

// identifier takes a name, which may be a $.
func (p *parser) identifier() string {
	if p.tok.kind == tokParam {
		if name, ok := p.param().(string); ok {
			p.next()
			return name
		}
		p.fail("'<identifier>' expected")
	}
	if p.tok.kind != tokName || keywords[p.tok.text] {
		p.fail("'<identifier>' expected")
	}
	name := p.tok.text
	p.next()
	return name
}

// file parses declarations to the end.
func (p *parser) file() {
	p.next()
	for p.tok.kind != tokEOF {
		if p.accept(";") {
			continue
		}
		p.declaration()
	}
	p.noParamsLeft()
}

func (p *parser) declaration() {
	base, storage, tagged := p.specifiers()
	if tagged && p.accept(";") {
		return
	}
	for {
		name, t := p.declarator(base, true)
		link := p.attributes(&t)
		switch {
		case storage == "typedef":
			p.d.declare(name, &symbol{kind: symType, typ: t})
		case storage == "static" && t.kind == kInt && t.quals&qConst != 0:
			p.expect("=")
			p.d.declare(name, &symbol{kind: symConst, typ: t, value: truncate(p.constant(), t.size, t.unsigned)})
		default:
			p.d.declare(name, &symbol{kind: symExtern, typ: t, link: link})
		}
		if !p.accept(",") {
			break
		}
	}
	if p.tok.kind != tokEOF {
		p.expect(";")
	}
}

// typeName parses specifiers and a declarator without a name.
func (p *parser) typeName() *ctype {
	p.next()
	return p.abstractType()
}

func (p *parser) abstractType() *ctype {
	base, _, _ := p.specifiers()
	_, t := p.declarator(base, false)
	return t
}

// keywords cannot be names.
var keywords = map[string]bool{}

func init() {
	for _, w := range []string{
		"void", "_Bool", "bool", "char", "int", "float", "double", "short", "long", "signed", "unsigned", "struct", "union", "enum",
		"const", "volatile", "typedef", "extern", "static", "sizeof", "__attribute__", "__attribute", "inline", "restrict", "complex",
		"_Complex", "__signed__", "__const", "__volatile__", "__inline", "__inline__", "__restrict", "__restrict__", "__extension__",
		"__asm__", "asm", "__asm", "__signed", "__const__", "__volatile", "__alignof__", "_Alignof", "register", "auto", "__declspec",
		"__int8", "__int16", "__int32", "__int64", "_Noreturn", "__cdecl", "__stdcall", "__fastcall", "__thiscall",
	} {
		keywords[w] = true
	}
}

// skipped are words without meaning for types.
var skipped = map[string]bool{
	"inline": true, "__inline": true, "__inline__": true, "register": true, "auto": true, "restrict": true, "__restrict": true,
	"__restrict__": true, "__extension__": true, "_Noreturn": true, "__cdecl": true, "__stdcall": true, "__fastcall": true,
	"__thiscall": true,
}

// specs collects the words of a type in any order.
type specs struct {
	base     *ctype
	word     string // char, int, float, double
	short    bool
	unsigned bool
	signed   bool
	long     int
	quals    uint8
	align    int64
	packed   bool
}

func (s *specs) modified() bool { return s.short || s.unsigned || s.signed || s.long > 0 }

// specifiers parses what is in front of a declarator. tagged says that it declares a struct, union or enum.
func (p *parser) specifiers() (t *ctype, storage string, tagged bool) {
	var s specs
	for {
		if p.tok.kind == tokParam && s.base == nil && s.word == "" && !s.modified() {
			if p.used < len(p.params) {
				if ct, ok := p.params[p.used].(*ctype); ok {
					p.used++
					s.base = ct
					p.next()
					continue
				}
				break
			}
			p.param()
		}
		if p.tok.kind != tokName {
			break
		}
		switch w := p.tok.text; {
		case skipped[w]:
		case w == "typedef" || w == "static" || w == "extern":
			storage = w
		case w == "struct" || w == "union" || w == "enum":
			if s.base != nil || s.word != "" {
				return p.finish(&s), storage, tagged
			}
			s.base, tagged = p.tagged(w), true
			continue
		case w == "__attribute__" || w == "__attribute" || w == "__declspec":
			p.attribute(&s.align, &s.packed)
			continue
		case p.specWord(&s, w):
		case s.base == nil && s.word == "" && !s.modified() && !keywords[w]:
			if s.base = p.namedType(w); s.base == nil {
				p.fail("declaration specifier expected")
			}
		default:
			return p.finish(&s), storage, tagged
		}
		p.next()
	}
	if s.base == nil && s.word == "" && !s.modified() {
		p.fail("declaration specifier expected")
	}
	return p.finish(&s), storage, tagged
}

// specWord notes a word that is part of the type; false means that w does not belong to it.
func (p *parser) specWord(s *specs, w string) bool {
	switch w {
	case "const", "__const", "__const__":
		s.quals |= qConst
	case "volatile", "__volatile", "__volatile__":
		s.quals |= qVolatile
	case "short":
		s.short = true
	case "long":
		s.long++
	case "unsigned":
		s.unsigned = true
	case "signed", "__signed", "__signed__":
		s.signed = true
	case "char", "int", "float", "double", "__int8", "__int16", "__int32", "__int64":
		if s.base != nil || s.word != "" {
			return false
		}
		s.word = w
	case "void", "_Bool", "bool":
		if s.base != nil || s.word != "" {
			return false
		}
		s.base = tBool
		if w == "void" {
			s.base = tVoid
		}
	case "complex", "_Complex", "__complex__":
		p.failPlain("complex numbers are not available in deltabench (see docs/scripting.md)")
	default:
		return false
	}
	return true
}

func (p *parser) namedType(name string) *ctype {
	if sym := p.d.name(name); sym != nil {
		if sym.kind == symType {
			return sym.typ
		}
		return nil
	}
	return builtinNames[name]
}

// finish makes the type of the words. As in LuaJIT not every combination that C forbids is a mistake.
func (p *parser) finish(s *specs) *ctype {
	t := s.base
	if t == nil {
		switch {
		case s.word == "char" || s.word == "__int8":
			t = intType(1, s.unsigned)
		case s.word == "float":
			t = tFloat
		case s.word == "double" && s.long > 0:
			t = tLongDouble
		case s.word == "double":
			t = tDouble
		case s.short || s.word == "__int16":
			t = intType(2, s.unsigned)
		case s.long > 0 || s.word == "__int64":
			t = intType(8, s.unsigned)
		default:
			t = intType(4, s.unsigned)
		}
	}
	t = qualified(t, s.quals)
	if s.align > 0 {
		c := *t
		c.align = s.align
		t = &c
	}
	return t
}

// anonymousName numbers structs without a tag, as LuaJIT does.
func (p *parser) anonymousName() string {
	p.d.parent.anonymous++
	return strconv.Itoa(p.d.parent.anonymous)
}

// tagged parses struct, union or enum with tag, body or both.
func (p *parser) tagged(word string) *ctype {
	p.enter()
	defer p.leave()
	p.next()
	var align int64
	var packed bool
	for p.is("__attribute__") || p.is("__attribute") || p.is("__declspec") {
		p.attribute(&align, &packed)
	}
	var name string
	hasName := false
	if !p.is("{") {
		if p.tok.kind == tokParam && p.used < len(p.params) {
			if ct, ok := p.params[p.used].(*ctype); ok && (ct.kind == kRecord || ct.kind == kEnum) {
				p.used++
				p.next()
				return ct
			}
		}
		name, hasName = p.identifier(), true
	}
	var t *ctype
	if hasName {
		t = p.d.tag(name)
		if t != nil && (t.kind == kEnum != (word == "enum") || t.kind == kRecord && t.rec.union != (word == "union")) {
			p.failPlain("attempt to redefine '" + name + "'")
		}
	}
	if t == nil {
		if hasName && p.abstract && !p.is("{") {
			p.failPlain("undeclared or implicit tag '" + name + "'")
		}
		if !hasName {
			name = p.anonymousName()
		}
		if word == "enum" {
			t = &ctype{kind: kEnum, size: 4, unsigned: true, enum: &enum{name: name}}
		} else {
			t = &ctype{kind: kRecord, rec: &record{name: name, union: word == "union"}}
		}
		if hasName {
			p.d.tags[name] = t
		}
	}
	if !p.is("{") {
		return t
	}
	if t.kind == kEnum {
		p.enumBody(t)
		return t
	}
	p.recordBody(t, align, packed)
	return t
}

func (p *parser) enumBody(t *ctype) {
	e := t.enum
	if e.complete {
		p.failPlain("attempt to redefine '" + e.name + "'")
	}
	p.enums = append(p.enums, e)
	p.next()
	consts := map[string]int64{}
	var value int64
	signed := false
	for !p.is("}") {
		name := p.identifier()
		if p.accept("=") {
			value = p.constant()
		}
		if value < 0 {
			signed = true
		}
		p.d.declare(name, &symbol{kind: symConst, typ: tInt32, value: value})
		consts[name] = value
		value++
		if !p.accept(",") {
			break
		}
	}
	p.expect("}")
	e.consts, e.complete = consts, true
	t.unsigned = !signed
}
