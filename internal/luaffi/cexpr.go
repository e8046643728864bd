package luaffi

// constant parses a constant expression of integers.
func (p *parser) constant() int64 {
	p.enter()
	defer p.leave()
	c := p.binary(0)
	if !p.accept("?") {
		return c
	}
	a := p.constant()
	p.expect(":")
	b := p.constant()
	if c != 0 {
		return a
	}
	return b
}

var precedence = map[string]int{
	"||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, ">": 7, "<=": 7, ">=": 7,
	"<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}

func (p *parser) binary(limit int) int64 {
	a := p.unary()
	for p.tok.kind == tokPunct {
		op := p.tok.text
		prec := precedence[op]
		if prec <= limit {
			break
		}
		p.next()
		a = p.apply(op, a, p.binary(prec))
	}
	return a
}

func (p *parser) apply(op string, a, b int64) int64 {
	switch op {
	case "||":
		return truth(a != 0 || b != 0)
	case "&&":
		return truth(a != 0 && b != 0)
	case "|":
		return a | b
	case "^":
		return a ^ b
	case "&":
		return a & b
	case "==":
		return truth(a == b)
	case "!=":
		return truth(a != b)
	case "<":
		return truth(a < b)
	case ">":
		return truth(a > b)
	case "<=":
		return truth(a <= b)
	case ">=":
		return truth(a >= b)
	case "<<":
		return a << (uint64(b) & 63)
	case ">>":
		return a >> (uint64(b) & 63)
	case "+":
		return a + b
	case "-":
		return a - b
	case "*":
		return a * b
	}
	if b == 0 {
		p.failPlain("invalid value")
	}
	if op == "/" {
		return a / b
	}
	return a % b
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func (p *parser) unary() int64 {
	p.enter()
	defer p.leave()
	switch {
	case p.tok.kind == tokInt:
		n := p.tok.num
		p.next()
		return n
	case p.tok.kind == tokParam:
		n, ok := p.param().(int64)
		if !ok {
			p.fail("unexpected symbol")
		}
		p.next()
		return n
	case p.accept("+"):
		return p.unary()
	case p.accept("-"):
		return -p.unary()
	case p.accept("~"):
		return ^p.unary()
	case p.accept("!"):
		return truth(p.unary() == 0)
	case p.is("sizeof") || p.is("__alignof__") || p.is("_Alignof") || p.is("alignof"):
		size := p.is("sizeof")
		p.next()
		t := p.operandType()
		if !size {
			return t.alignof()
		}
		n, ok := t.sizeof()
		if !ok {
			p.failPlain("size of C type is unknown or too large")
		}
		return n
	case p.is("("):
		p.next()
		if p.startsType() {
			p.abstractType() // a cast, which LuaJIT ignores
			p.expect(")")
			return p.unary()
		}
		v := p.constant()
		p.expect(")")
		return v
	case p.tok.kind == tokName && !keywords[p.tok.text]:
		if sym := p.d.name(p.tok.text); sym != nil && sym.kind == symConst {
			p.next()
			return sym.value
		}
	}
	p.fail("unexpected symbol")
	return 0
}

// operandType parses the operand of sizeof: a type, or a number, which is an int.
func (p *parser) operandType() *ctype {
	if p.is("(") {
		p.next()
		if p.startsType() {
			t := p.abstractType()
			p.expect(")")
			return t
		}
		p.constant()
		p.expect(")")
		return tInt32
	}
	p.unary()
	return tInt32
}

func (p *parser) startsType() bool {
	if p.tok.kind == tokParam {
		if p.used < len(p.params) {
			_, ok := p.params[p.used].(*ctype)
			return ok
		}
		return false
	}
	return p.tok.kind == tokName && p.tok.text != "sizeof" && (keywords[p.tok.text] || p.namedType(p.tok.text) != nil)
}

// truncate makes v a value of an integer type.
func truncate(v, size int64, unsigned bool) int64 {
	switch {
	case size == 1 && unsigned:
		return int64(uint8(v))
	case size == 1:
		return int64(int8(v))
	case size == 2 && unsigned:
		return int64(uint16(v))
	case size == 2:
		return int64(int16(v))
	case size == 4 && unsigned:
		return int64(uint32(v))
	case size == 4:
		return int64(int32(v))
	}
	return v
}
