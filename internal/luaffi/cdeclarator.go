package luaffi

// declarator parses the part of a declaration that has the name. Without named the name must be missing; with it there
// must be one.
func (p *parser) declarator(base *ctype, named bool) (string, *ctype) {
	name, wrap := p.declaratorParts(named, !named)
	return name, wrap(base)
}

// declaratorParts parses a declarator with a name (named), without (abstract), or either; wrap makes its type of that of
// the specifiers.
func (p *parser) declaratorParts(named, abstract bool) (name string, wrap func(*ctype) *ctype) {
	p.enter()
	defer p.leave()
	var marks []func(*ctype) *ctype
	for {
		if p.accept("*") {
			var quals uint8
			for p.tok.kind == tokName {
				switch p.tok.text {
				case "const", "__const", "__const__":
					quals |= qConst
				case "volatile", "__volatile", "__volatile__":
					quals |= qVolatile
				case "__attribute__", "__attribute", "__declspec":
					var align int64
					var packed bool
					p.attribute(&align, &packed)
					continue
				default:
					if !skipped[p.tok.text] {
						goto done
					}
				}
				p.next()
			}
		done:
			marks = append(marks, func(t *ctype) *ctype { return qualified(pointerTo(t), quals) })
			continue
		}
		if p.accept("&") {
			marks = append(marks, refTo)
			continue
		}
		if p.tok.kind == tokName && skipped[p.tok.text] {
			p.next()
			continue
		}
		if p.is("__attribute__") || p.is("__attribute") {
			var align int64
			var packed bool
			p.attribute(&align, &packed)
			continue
		}
		break
	}
	if len(marks) > maxDepth {
		p.fail("chunk has too many syntax levels")
	}
	inner := func(t *ctype) *ctype { return t }
	switch {
	case p.is("(") && p.nestedDeclarator(abstract):
		p.next()
		name, inner = p.declaratorParts(named, abstract)
		p.expect(")")
	case !abstract || p.tok.kind == tokName && !keywords[p.tok.text] && !named && p.mayBeNamed():
		name = p.identifier()
	}
	suffixes := p.suffixes()
	return name, func(t *ctype) *ctype {
		for _, m := range marks {
			t = m(t)
		}
		for i := len(suffixes) - 1; i >= 0; i-- {
			t = suffixes[i](t)
		}
		return inner(t)
	}
}

// mayBeNamed says whether a declarator that may have a name has one here: parameters have, types on their own have not.
func (p *parser) mayBeNamed() bool { return p.inParams > 0 }

// nestedDeclarator tells a parenthesis around a declarator from one around parameters.
func (p *parser) nestedDeclarator(abstract bool) bool {
	if !abstract {
		return true
	}
	n := p.peek()
	switch {
	case n.kind == tokPunct:
		return n.text == "*" || n.text == "(" || n.text == "&" || n.text == "["
	case n.kind == tokName:
		return skipped[n.text] || n.text == "__attribute__" ||
			p.inParams > 0 && !keywords[n.text] && p.namedType(n.text) == nil
	}
	return false
}

func (p *parser) suffixes() []func(*ctype) *ctype {
	var list []func(*ctype) *ctype
	for {
		if len(list) > maxDepth {
			p.fail("chunk has too many syntax levels")
		}
		switch {
		case p.is("["):
			p.next()
			n := int64(countOpen)
			switch {
			case p.is("]"):
			case p.accept("?"):
				n = countVLA
			default:
				n = p.constant()
				if n < 0 || n > maxSize {
					p.failPlain("size of C type is unknown or too large")
				}
			}
			p.expect("]")
			list = append(list, func(t *ctype) *ctype { return p.array(t, n) })
		case p.is("("):
			p.next()
			params, vararg := p.paramList()
			list = append(list, func(t *ctype) *ctype {
				if t.kind == kFunc || t.kind == kArray {
					p.failPlain("invalid C type")
				}
				return &ctype{kind: kFunc, elem: t, params: params, vararg: vararg}
			})
		default:
			return list
		}
	}
}

func (p *parser) array(elem *ctype, n int64) *ctype {
	if elem.kind == kFunc || elem.kind == kRef {
		p.failPlain("invalid C type")
	}
	size, ok := elem.sizeof()
	if !ok || size > 0 && n > maxSize/size {
		p.failPlain("size of C type is unknown or too large")
	}
	return arrayOf(elem, n)
}

// paramList parses parameters after the parenthesis. Arrays and functions are pointers here.
func (p *parser) paramList() (params []*ctype, vararg bool) {
	p.enter()
	defer p.leave()
	p.inParams++
	defer func() { p.inParams-- }()
	if p.accept(")") {
		return nil, false
	}
	for {
		if p.accept("...") {
			vararg = true
			break
		}
		base, _, _ := p.specifiers()
		_, wrap := p.declaratorParts(false, true)
		t := wrap(base)
		p.attributes(&t)
		switch t.kind {
		case kVoid:
			if len(params) > 0 || !p.is(")") {
				p.failPlain("invalid C type")
			}
			p.next()
			return nil, false
		case kArray:
			t = pointerTo(t.elem)
		case kFunc:
			t = pointerTo(t)
		}
		params = append(params, t)
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
	return params, vararg
}

// attributes parses what may follow a declarator: attributes, and the name in the library, which it returns.
func (p *parser) attributes(t **ctype) (link string) {
	for {
		switch {
		case p.is("__attribute__") || p.is("__attribute") || p.is("__declspec"):
			var align int64
			var packed bool
			p.attribute(&align, &packed)
			if align > 0 {
				c := **t
				c.align = align
				*t = &c
			}
		case p.is("asm") || p.is("__asm__") || p.is("__asm"):
			p.next()
			p.expect("(")
			for p.tok.kind == tokString {
				link += p.tok.text
				p.next()
			}
			p.expect(")")
		default:
			return link
		}
	}
}

// attribute skips one attribute, except for what matters to the layout.
func (p *parser) attribute(align *int64, packed *bool) {
	p.next()
	p.expect("(")
	for depth := 1; depth > 0; {
		switch {
		case p.tok.kind == tokEOF:
			p.fail("')' expected")
		case p.is("("):
			depth++
		case p.is(")"):
			depth--
		case p.is("packed") || p.is("__packed__"):
			*packed = true
		case p.is("aligned") || p.is("__aligned__"):
			*align = 16
			if n := p.peek(); n.kind == tokPunct && n.text == "(" {
				p.next()
				p.next()
				a := p.constant()
				if a < 1 || a > 4096 || a&(a-1) != 0 {
					p.failPlain("invalid value")
				}
				*align = a
				p.expect(")")
				continue
			}
		}
		p.next()
	}
}
