package parse

import (
	"fmt"
	"io"

	"deltabench/internal/third_party/gopher-lua/ast"
)

const maxLevels = 200

type parser struct {
	lexer
	tok      token
	text     string // of a name, number or string
	tokLine  int
	lastLine int // of the token before
	ahead    bool
	aheadTok token
	aheadTxt string
	aheadLn  int
	level    int
	vararg   bool
}

// Parse reads a chunk. name is what messages call it.
func Parse(reader io.Reader, name string) (chunk []ast.Stmt, err error) {
	text, err := readAll(reader)
	if err != nil {
		return nil, err
	}
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(*Error)
			if !ok {
				panic(r)
			}
			err = e
		}
	}()
	p := &parser{lexer: lexer{src: text, source: name, line: 1}, vararg: true, lastLine: 1}
	p.advance()
	chunk = p.block()
	if p.tok != tEOF {
		p.expected(tEOF)
	}
	return chunk, nil
}

func (p *parser) advance() {
	p.lastLine = p.line
	if p.tok != 0 {
		p.lastLine = p.tokLine
	}
	if p.ahead {
		p.ahead = false
		p.tok, p.text, p.tokLine = p.aheadTok, p.aheadTxt, p.aheadLn
		return
	}
	p.tok, p.text = p.scan()
	p.tokLine = p.line
}

func (p *parser) scan() (token, string) {
	t := p.next()
	if t == tName || t == tNumber || t == tString {
		return t, string(p.val)
	}
	return t, ""
}

func (p *parser) lookahead() token {
	if !p.ahead {
		raw := append([]byte(nil), p.raw...)
		p.aheadTok, p.aheadTxt = p.scan()
		p.aheadLn = p.line
		p.ahead = true
		_ = raw
	}
	return p.aheadTok
}

func (p *parser) syntax(msg string)            { p.fail(p.tok, msg) }
func (p *parser) expected(tok token)           { p.syntax("'" + tok.String() + "' expected") }
func (p *parser) errorf(f string, args ...any) { p.fail(0, fmt.Sprintf(f, args...)) }

func (p *parser) opt(tok token) bool {
	if p.tok == tok {
		p.advance()
		return true
	}
	return false
}

func (p *parser) check(tok token) {
	if p.tok != tok {
		p.expected(tok)
	}
	p.advance()
}

func (p *parser) match(what, who token, line int) {
	if p.tok == what {
		p.advance()
		return
	}
	if line == p.line {
		p.expected(what)
	}
	p.syntax(fmt.Sprintf("'%s' expected (to close '%s' at line %d)", what, who, line))
}

func (p *parser) name() string {
	s := p.text
	if p.tok == tGoto {
		s = "goto"
	} else if p.tok != tName {
		p.expected(tName)
	}
	p.advance()
	return s
}

func (p *parser) enter() {
	if p.level++; p.level >= maxLevels {
		p.fail(0, "chunk has too many syntax levels")
	}
}

func (p *parser) leave() { p.level-- }

func (p *parser) blockEnds() bool {
	switch p.tok {
	case tElse, tElseIf, tEnd, tUntil, tEOF:
		return true
	}
	return false
}

func (p *parser) block() []ast.Stmt {
	stmts := []ast.Stmt{}
	p.enter()
	for last := false; !last && !p.blockEnds(); {
		var s ast.Stmt
		s, last = p.statement()
		stmts = append(stmts, s)
		p.opt(';')
	}
	p.leave()
	return stmts
}

func (p *parser) statement() (s ast.Stmt, last bool) {
	line := p.tokLine
	switch p.tok {
	case tIf:
		return p.ifStmt(line), false
	case tWhile:
		p.advance()
		cond := p.expr()
		p.check(tDo)
		s = &ast.WhileStmt{Condition: cond, Stmts: p.block()}
		s.SetLastLine(p.tokLine)
		p.match(tEnd, tWhile, line)
	case tDo:
		p.advance()
		s = &ast.DoBlockStmt{Stmts: p.block()}
		s.SetLastLine(p.tokLine)
		p.match(tEnd, tDo, line)
	case tFor:
		s = p.forStmt(line)
	case tRepeat:
		p.advance()
		body := p.block()
		p.match(tUntil, tRepeat, line)
		cond := p.expr()
		s = &ast.RepeatStmt{Condition: cond, Stmts: body}
		s.SetLastLine(p.lastLine)
	case tFunction:
		s = p.funcStmt(line)
	case tLocal:
		s = p.localStmt(line)
	case tReturn:
		p.advance()
		r := &ast.ReturnStmt{}
		if !p.blockEnds() && p.tok != ';' {
			r.Exprs = p.exprList()
		}
		s, last = r, true
	case tBreak:
		p.advance()
		s, last = &ast.BreakStmt{}, true
	case tLabel:
		p.advance()
		s = &ast.LabelStmt{Name: p.name()}
		p.check(tLabel)
	case tGoto:
		if p.lookahead() == tName {
			p.advance()
			s = &ast.GotoStmt{Label: p.name()}
			break
		}
		s = p.exprStmt()
	default:
		s = p.exprStmt()
	}
	s.SetLine(line)
	if s.LastLine() == 0 {
		s.SetLastLine(p.lastLine)
	}
	return s, last
}

func (p *parser) ifStmt(line int) ast.Stmt {
	first := &ast.IfStmt{}
	first.SetLine(line)
	cur := first
	for {
		p.advance()
		cur.Condition = p.expr()
		p.check(tThen)
		cur.Then = p.block()
		if p.tok != tElseIf {
			break
		}
		next := &ast.IfStmt{}
		next.SetLine(p.tokLine)
		cur.Else = []ast.Stmt{next}
		cur = next
		p.enter() // a chain of elseif is nested when it is compiled
		defer p.leave()
	}
	if p.opt(tElse) {
		cur.Else = p.block()
	}
	first.SetLastLine(p.tokLine)
	p.match(tEnd, tIf, line)
	return first
}

func (p *parser) forStmt(line int) (s ast.Stmt) {
	p.advance()
	name := p.name()
	switch p.tok {
	case '=':
		p.advance()
		f := &ast.NumberForStmt{Name: name, Init: p.expr()}
		p.check(',')
		f.Limit = p.expr()
		if p.opt(',') {
			f.Step = p.expr()
		}
		p.check(tDo)
		f.Stmts = p.block()
		s = f
	case ',', tIn:
		f := &ast.GenericForStmt{Names: []string{name}}
		for p.opt(',') {
			f.Names = append(f.Names, p.name())
		}
		p.check(tIn)
		f.Exprs = p.exprList()
		p.check(tDo)
		f.Stmts = p.block()
		s = f
	default:
		p.syntax("'=' or 'in' expected")
	}
	s.SetLastLine(p.tokLine)
	p.match(tEnd, tFor, line)
	return s
}

func (p *parser) funcStmt(line int) ast.Stmt {
	p.advance()
	nameLine := p.tokLine
	var target ast.Expr = at(&ast.IdentExpr{Value: p.name()}, nameLine)
	for p.tok == '.' {
		p.advance()
		l := p.tokLine
		target = at(&ast.AttrGetExpr{Object: target, Key: at(&ast.StringExpr{Value: p.name()}, l)}, l)
	}
	fn := &ast.FuncName{Func: target}
	if p.opt(':') {
		fn = &ast.FuncName{Receiver: target, Method: p.name()}
	}
	return &ast.FuncDefStmt{Name: fn, Func: p.body(line)}
}

func (p *parser) localStmt(line int) ast.Stmt {
	p.advance()
	if p.opt(tFunction) {
		name := p.name()
		return &ast.LocalAssignStmt{Names: []string{name}, Exprs: []ast.Expr{p.body(line)}, Function: true}
	}
	s := &ast.LocalAssignStmt{Exprs: []ast.Expr{}}
	for {
		s.Names = append(s.Names, p.name())
		if !p.opt(',') {
			break
		}
	}
	if p.opt('=') {
		s.Exprs = p.exprList()
	}
	return s
}

func (p *parser) exprStmt() ast.Stmt {
	e, paren := p.primary()
	if _, ok := e.(*ast.FuncCallExpr); ok && !paren {
		return &ast.FuncCallStmt{Expr: e}
	}
	s := &ast.AssignStmt{}
	for {
		switch e.(type) {
		case *ast.IdentExpr, *ast.AttrGetExpr:
			if paren {
				p.syntax("syntax error")
			}
		default:
			p.syntax("syntax error")
		}
		s.Lhs = append(s.Lhs, e)
		if len(s.Lhs)+p.level > maxLevels {
			p.errorf("chunk has too many syntax levels")
		}
		if !p.opt(',') {
			break
		}
		e, paren = p.primary()
	}
	p.check('=')
	s.Rhs = p.exprList()
	return s
}

func (p *parser) exprList() []ast.Expr {
	list := []ast.Expr{p.expr()}
	for p.opt(',') {
		list = append(list, p.expr())
	}
	return list
}

func at[E ast.Expr](e E, line int) E {
	e.SetLine(line)
	return e
}

// body reads parameters and statements up to the end of a function that began at line.
func (p *parser) body(line int) *ast.FunctionExpr {
	outer := p.vararg
	p.vararg = false
	f := at(&ast.FunctionExpr{ParList: &ast.ParList{Names: []string{}}}, line)
	p.check('(')
	if p.tok != ')' {
		for {
			if p.tok == tName || p.tok == tGoto {
				f.ParList.Names = append(f.ParList.Names, p.name())
			} else if p.tok == tDots {
				p.advance()
				f.ParList.HasVargs, p.vararg = true, true
				break
			} else {
				p.syntax("<name> or '...' expected")
			}
			if !p.opt(',') {
				break
			}
		}
	}
	p.check(')')
	f.Stmts = p.block()
	f.SetLastLine(p.tokLine)
	if p.tok != tEnd {
		p.match(tEnd, tFunction, line)
	}
	p.advance()
	p.vararg = outer
	return f
}

// primary reads a prefix expression with all that follows it; paren tells that it is one in parentheses.
func (p *parser) primary() (e ast.Expr, paren bool) {
	line := p.tokLine
	switch p.tok {
	case '(':
		p.advance()
		e = p.expr()
		p.match(')', '(', line)
		paren = true
		switch x := e.(type) {
		case *ast.FuncCallExpr:
			x.AdjustRet = true
		case *ast.Comma3Expr:
			x.AdjustRet = true
		}
	case tName, tGoto:
		e = at(&ast.IdentExpr{Value: p.name()}, line)
	default:
		p.syntax("unexpected symbol")
	}
	for n := 0; ; n++ {
		line := p.tokLine
		switch p.tok {
		case '.':
			p.advance()
			l := p.tokLine
			key := at(&ast.StringExpr{Value: p.name()}, l)
			e = at(&ast.AttrGetExpr{Object: e, Key: key}, l)
		case '[':
			p.advance()
			key := p.expr()
			p.check(']')
			e = at(&ast.AttrGetExpr{Object: e, Key: key}, p.lastLine)
		case ':':
			p.advance()
			name := p.name()
			argLine := p.tokLine
			e = at(&ast.FuncCallExpr{Receiver: e, Method: name, Args: p.args()}, argLine)
		case '(', '{', tString:
			e = at(&ast.FuncCallExpr{Func: e, Args: p.args()}, line)
		default:
			return e, paren
		}
		paren = false
		if n > 10*maxLevels {
			p.errorf("chunk has too many syntax levels")
		}
	}
}

func (p *parser) args() []ast.Expr {
	line := p.tokLine
	switch p.tok {
	case '(':
		if line != p.lastLine {
			p.syntax("ambiguous syntax (function call x new statement)")
		}
		p.advance()
		args := []ast.Expr{}
		if p.tok != ')' {
			args = p.exprList()
		}
		p.match(')', '(', line)
		return args
	case '{':
		return []ast.Expr{p.table()}
	case tString:
		e := at(&ast.StringExpr{Value: p.text}, line)
		p.advance()
		return []ast.Expr{e}
	}
	p.syntax("function arguments expected")
	return nil
}

func (p *parser) table() ast.Expr {
	line := p.tokLine
	t := at(&ast.TableExpr{Fields: []*ast.Field{}}, line)
	p.check('{')
	for p.tok != '}' {
		switch {
		case p.tok == '[':
			p.advance()
			key := p.expr()
			p.check(']')
			p.check('=')
			t.Fields = append(t.Fields, &ast.Field{Key: key, Value: p.expr()})
		case (p.tok == tName || p.tok == tGoto) && p.lookahead() == '=':
			key := at(&ast.StringExpr{Value: p.name()}, p.lastLine)
			p.check('=')
			t.Fields = append(t.Fields, &ast.Field{Key: key, Value: p.expr()})
		default:
			t.Fields = append(t.Fields, &ast.Field{Value: p.expr()})
		}
		if !p.opt(',') && !p.opt(';') {
			break
		}
	}
	p.match('}', '{', line)
	return t
}

func (p *parser) simple() ast.Expr {
	line := p.tokLine
	var e ast.Expr
	switch p.tok {
	case tNumber:
		e = &ast.NumberExpr{Value: p.text}
	case tString:
		e = &ast.StringExpr{Value: p.text}
	case tNil:
		e = &ast.NilExpr{}
	case tTrue:
		e = &ast.TrueExpr{}
	case tFalse:
		e = &ast.FalseExpr{}
	case tDots:
		if !p.vararg {
			p.syntax("cannot use '...' outside a vararg function")
		}
		e = &ast.Comma3Expr{}
	case '{':
		return p.table()
	case tFunction:
		p.advance()
		return p.body(line)
	default:
		e, _ = p.primary()
		return e
	}
	p.advance()
	return at(e, line)
}

var priorities = map[token]struct{ left, right int }{
	'+': {6, 6}, '-': {6, 6}, '*': {7, 7}, '/': {7, 7}, '%': {7, 7}, '^': {10, 9}, tConcat: {5, 4},
	tEq: {3, 3}, tNe: {3, 3}, '<': {3, 3}, '>': {3, 3}, tLe: {3, 3}, tGe: {3, 3}, tAnd: {2, 2}, tOr: {1, 1},
}

const unaryPriority = 8

func (p *parser) expr() ast.Expr { return p.binary(0) }

func (p *parser) binary(limit int) ast.Expr {
	p.enter()
	defer p.leave()
	var e ast.Expr
	switch op := p.tok; op {
	case tNot, '-', '#':
		p.advance()
		x := p.binary(unaryPriority)
		switch op {
		case tNot:
			e = &ast.UnaryNotOpExpr{Expr: x}
		case '-':
			e = &ast.UnaryMinusOpExpr{Expr: x}
		default:
			e = &ast.UnaryLenOpExpr{Expr: x}
		}
		e.SetLine(p.lastLine)
	default:
		e = p.simple()
	}
	for n := 0; ; n++ {
		op := p.tok
		pr, ok := priorities[op]
		if !ok || pr.left <= limit {
			return e
		}
		if n > 20*maxLevels {
			p.errorf("chunk has too many syntax levels") // the tree is as deep as the chain is long
		}
		p.advance()
		rhs := p.binary(pr.right)
		switch op {
		case tAnd, tOr:
			e = &ast.LogicalOpExpr{Operator: op.String(), Lhs: e, Rhs: rhs}
		case tEq, tNe, tLe, tGe, '<', '>':
			e = &ast.RelationalOpExpr{Operator: op.String(), Lhs: e, Rhs: rhs}
		case tConcat:
			e = &ast.StringConcatOpExpr{Lhs: e, Rhs: rhs}
		default:
			e = &ast.ArithmeticOpExpr{Operator: op.String(), Lhs: e, Rhs: rhs}
		}
		e.SetLine(p.lastLine)
	}
}
