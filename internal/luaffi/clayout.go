package luaffi

// recordBody parses the members of a struct or union and lays them out as compilers of 64-bit Unix do.
func (p *parser) recordBody(t *ctype, align int64, packed bool) {
	r := t.rec
	if r.complete || r.shared {
		p.failPlain("attempt to redefine '" + r.name + "'")
	}
	p.records = append(p.records, r)
	p.next()
	var members []field
	consts := map[string]int64{}
	for !p.is("}") {
		members = p.members(members, consts)
	}
	p.next()
	for p.is("__attribute__") || p.is("__attribute") || p.is("__declspec") {
		p.attribute(&align, &packed)
	}
	if r.complete {
		p.failPlain("attempt to redefine '" + r.name + "'")
	}
	pack := p.x.packing()
	if packed {
		pack = 1
	}
	l := layout{r: r, pack: pack, align: max(align, 1)}
	for _, m := range members {
		l.add(p, m)
	}
	l.finish(p)
	r.consts = consts
	r.complete = true
}

// members parses one declaration inside a struct.
func (p *parser) members(list []field, consts map[string]int64) []field {
	base, storage, tagged := p.specifiers()
	if tagged && p.is(";") {
		p.next()
		if base.kind == kRecord && (base.rec.complete && p.d.tag(base.rec.name) == nil) {
			return append(list, field{typ: base, anonymous: true})
		}
		return list
	}
	for {
		m := field{typ: base}
		if !p.is(":") {
			m.name, m.typ = p.declarator(base, true)
		}
		if p.accept(":") {
			n := p.constant()
			if size, ok := m.typ.sizeof(); !ok || !m.typ.number() || m.typ.kind == kFloat || n < 0 || n > size*8 || n == 0 && m.name != "" {
				p.failPlain("invalid C type")
			}
			m.bitSize = uint8(n)
			if n == 0 {
				m.bitPos = 1 // marks the end of the unit
			}
		}
		p.attributes(&m.typ)
		if storage == "static" && m.typ.kind == kInt && m.typ.quals&qConst != 0 {
			p.expect("=")
			consts[m.name] = truncate(p.constant(), m.typ.size, m.typ.unsigned)
		} else {
			list = append(list, m)
		}
		if !p.accept(",") {
			break
		}
	}
	p.expect(";")
	return list
}

// layout places members one after the other.
type layout struct {
	r     *record
	pack  int64
	align int64
	bits  int64 // where the next member may start
	size  int64 // of a union
}

func (l *layout) add(p *parser, m field) {
	if l.r.vla != nil {
		p.failPlain("size of C type is unknown or too large")
	}
	if elem, before := m.typ.vla(); elem != nil {
		if l.r.union || m.typ.kind == kRecord || before != 0 {
			p.failPlain("size of C type is unknown or too large")
		}
		l.r.vla = elem
	}
	size, ok := m.typ.sizeof()
	if !ok {
		if m.typ.kind != kArray {
			p.failPlain("size of C type is unknown or too large")
		}
		size = 0
	}
	align := m.typ.alignof()
	if l.pack > 0 && m.typ.align == 0 {
		align = min(align, l.pack)
	}
	if l.r.union {
		l.bits = 0
	}
	switch {
	case m.bitSize > 0 || m.bitPos > 0:
		unit := size * 8
		if m.bitPos > 0 { // of size zero: the next one starts a unit
			l.bits = (l.bits + unit - 1) / unit * unit
			return
		}
		if l.pack == 0 && l.bits/unit != (l.bits+int64(m.bitSize)-1)/unit {
			l.bits = (l.bits + unit - 1) / unit * unit
		}
		m.off = l.bits / unit * size
		m.bitPos = uint8(l.bits - m.off*8)
		if int64(m.bitPos)+int64(m.bitSize) > unit { // packed across units
			m.off = l.bits / 8
			m.bitPos = uint8(l.bits % 8)
			if int64(m.bitPos)+int64(m.bitSize) > unit {
				p.failPlain("size of C type is unknown or too large")
			}
		}
		l.bits += int64(m.bitSize)
		if m.name != "" {
			l.align = max(l.align, align)
		}
	default:
		m.off = ((l.bits+7)/8 + align - 1) / align * align
		l.bits = (m.off + size) * 8
		l.align = max(l.align, align)
	}
	if l.bits > maxSize*8 {
		p.failPlain("size of C type is unknown or too large")
	}
	l.size = max(l.size, (l.bits+7)/8)
	l.r.fields = append(l.r.fields, m)
}

func (l *layout) finish(p *parser) {
	size := l.size
	if l.r.vla == nil {
		size = (size + l.align - 1) / l.align * l.align
	}
	if size > maxSize {
		p.failPlain("size of C type is unknown or too large")
	}
	l.r.size, l.r.align = size, l.align
	l.r.names = map[string]field{}
	l.r.index(l.r.fields, 0)
}

// index makes the members of anonymous members reachable by name. The first of a name counts.
func (r *record) index(fields []field, off int64) {
	for _, f := range fields {
		f.off += off
		if f.anonymous {
			r.index(f.typ.rec.fields, f.off)
			continue
		}
		if _, ok := r.names[f.name]; f.name != "" && !ok {
			r.names[f.name] = f
		}
	}
}
