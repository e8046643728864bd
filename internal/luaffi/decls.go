package luaffi

import "maps"

type symbolKind uint8

const (
	symType symbolKind = iota
	symExtern
	symConst
)

// symbol is a declared name.
type symbol struct {
	kind  symbolKind
	typ   *ctype
	value int64  // of a constant
	link  string // name that an extern has in the library; "" is its own
}

// decls are the declared names. Names of the parent, which is shared, are seen through it and never changed.
type decls struct {
	parent *decls
	names  map[string]*symbol
	tags   map[string]*ctype

	anonymous int // structs without a tag so far
}

func newDecls(parent *decls) *decls {
	return &decls{parent: parent, names: map[string]*symbol{}, tags: map[string]*ctype{}}
}

func (d *decls) name(s string) *symbol {
	for ; d != nil; d = d.parent {
		if sym := d.names[s]; sym != nil {
			return sym
		}
	}
	return nil
}

func (d *decls) tag(s string) *ctype {
	for ; d != nil; d = d.parent {
		if t := d.tags[s]; t != nil {
			return t
		}
	}
	return nil
}

// declare adds a name. As in LuaJIT the first declaration of a type or function stays; constants must be new.
func (d *decls) declare(name string, sym *symbol) {
	if d.name(name) != nil {
		if sym.kind == symConst {
			panic(&cError{"attempt to redefine '" + name + "'"})
		}
		return
	}
	d.names[name] = sym
}

// parse adds the declarations of src to d, or none if there is a mistake, and returns that. params are for the $ in src.
func (d *decls) parse(src string, params []any) error { return d.within(src, params, (*parser).file) }

// parseType parses a type without a name, such as "int *[4]". A struct that it defines by tag is declared.
func (d *decls) parseType(src string, params []any) (t *ctype, err error) {
	err = d.within(src, params, func(p *parser) {
		p.abstract = true
		t = p.typeName()
		if p.tok.kind != tokEOF {
			p.x.fail(p.tok, "'<eof>' expected")
		}
		p.noParamsLeft()
	})
	return t, err
}

// within has read parse src in a scope of its own, and adds what that declares to d, or nothing if there is a mistake.
func (d *decls) within(src string, params []any, read func(*parser)) (err error) {
	scope := newDecls(d)
	p := newParser(scope, src, params)
	defer func() {
		if err != nil {
			p.undo()
		}
	}()
	defer recoverCError(&err)
	read(p)
	maps.Copy(d.names, scope.names)
	maps.Copy(d.tags, scope.tags)
	return nil
}

func recoverCError(err *error) {
	switch e := recover().(type) {
	case nil:
	case *cError:
		*err = e
	default:
		panic(e)
	}
}
