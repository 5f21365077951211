package parser

// parseType parses a type expression.
func (p *parser) parseType() Type {
	p.enter()
	t := p.parseUnion()
	if p.atWord("extends") && !p.tok.newline {
		p.unsupported(p.tok.start, "conditional types are not supported in a schema")
	}
	p.leave()
	return t
}

// parseUnion parses `A | B`, whose first arm may have a bar too.
func (p *parser) parseUnion() Type {
	u := &Union{Pos: p.pos()}
	doc := p.tok.doc
	p.got('|')
	for {
		if p.tok.doc != (span{}) {
			doc = p.tok.doc // it stands between the bar and the arm
		}
		if p.tok.kind == '|' {
			p.unexpected(`expected a type before this "|"`)
		}
		arm := p.parseIntersection()
		u.Arms = append(u.Arms, UnionArm{Type: arm, Doc: p.parseDoc(doc)})
		doc = p.tok.doc
		if !p.got('|') {
			break
		}
	}
	if len(u.Arms) == 1 {
		return u.Arms[0].Type
	}
	return u
}

// parseIntersection parses `A & B`, whose first part may have an ampersand too.
func (p *parser) parseIntersection() Type {
	pos := p.pos()
	p.got('&')
	t := p.parseOperator()
	if p.tok.kind != '&' {
		return t
	}
	parts := []Type{t}
	for p.got('&') {
		parts = append(parts, p.parseOperator())
	}
	return &Intersection{Pos: pos, Parts: parts}
}

// parseOperator parses a type with the keyword operators before it.
func (p *parser) parseOperator() Type {
	start, pos := p.tok.start, p.pos()
	if p.tok.kind == ident {
		switch p.tok.text {
		case "keyof":
			p.next()
			p.enter()
			t := p.parseOperator()
			p.leave()
			return &KeyOf{Pos: pos, Type: t}
		case "readonly":
			p.next()
			p.enter()
			t := p.parseOperator()
			p.leave()
			return p.makeReadonly(t, start, pos)
		case "unique":
			if t := p.peek(); t.kind == ident && t.text == "symbol" {
				p.unsupported(start, "unique symbol types are not supported in a schema")
			}
		case "infer":
			p.unsupported(start, "infer types are not supported in a schema")
		}
	}
	return p.parsePostfix()
}

// makeReadonly applies the operator `readonly`, which stands at an offset.
func (p *parser) makeReadonly(t Type, off int, pos Pos) Type {
	switch t := t.(type) {
	case *Array:
		if !t.Readonly {
			t.Readonly, t.Pos = true, pos
			return t
		}
	case *Tuple:
		if !t.Readonly {
			t.Readonly, t.Pos = true, pos
			return t
		}
	}
	p.fail(off, "readonly can only stand before an array type T[] or a tuple type")
	return nil
}

// parsePostfix parses `T[]` and `T[K]`.
func (p *parser) parsePostfix() Type {
	pos := p.pos()
	t := p.parsePrimary()
	for n := 1; p.tok.kind == '[' && !p.tok.newline; n++ {
		p.checkDepth(p.depth + n)
		open := p.tok.start
		p.next()
		if p.got(']') {
			t = &Array{Pos: pos, Elem: t}
			continue
		}
		index := p.parseType()
		p.closeWith(']', open)
		t = &Indexed{Pos: pos, Object: t, Index: index}
	}
	return t
}

// parsePrimary parses a type without operators.
func (p *parser) parsePrimary() Type {
	pos := p.pos()
	switch p.tok.kind {
	case str, num, '-':
		return p.parseLiteral()
	case template:
		return p.parseTemplate()
	case bigint:
		p.unsupported(p.tok.start, "bigint literals are not supported in a schema")
	case '{':
		if p.atMapped() {
			return p.parseMapped()
		}
		return &Object{Pos: pos, Members: p.parseMembers()}
	case '[':
		return p.parseTuple()
	case '(':
		return p.parseParenthesized()
	case '<':
		p.unsupported(p.tok.start, "function types are not supported in a schema")
	case ident:
		return p.parseNamed()
	}
	p.unexpected("expected a type, found %s", p.found())
	return nil
}

// parseNamed parses a type that begins with a word.
func (p *parser) parseNamed() Type {
	start, pos, name := p.tok.start, p.pos(), p.tok.text
	switch {
	case isPredeclared(name):
		p.next()
		return &Keyword{Pos: pos, Name: name}
	case name == "true" || name == "false":
		return p.parseLiteral()
	case name == "typeof":
		return p.parseTypeOf()
	case name == "new":
		p.unsupported(start, "constructor types are not supported in a schema")
	case name == "abstract" && p.peekWord("new"):
		p.unsupported(start, "constructor types are not supported in a schema")
	case name == "import":
		p.unsupported(start, "import types are not supported in a schema: use an import declaration")
	case name == "this":
		p.unsupported(start, "this types are not supported in a schema: name the type")
	}
	return p.parseRef("a type")
}

// peekWord reports whether the token after the current one is that keyword, on the same line.
func (p *parser) peekWord(word string) bool {
	t := p.peek()
	return t.kind == ident && t.text == word && !t.newline
}

// parseRef parses `Name` or `Name<A, B>`.
func (p *parser) parseRef(what string) *Ref {
	ref := &Ref{Pos: p.pos(), Name: p.parseSimpleName(what)}
	if p.tok.kind == '<' && !p.tok.newline {
		ref.Args = p.parseTypeArgs()
	}
	return ref
}

// parseSimpleName parses a name that refers to a declaration.
func (p *parser) parseSimpleName(what string) string {
	start, name := p.tok.start, p.tok.text
	if p.tok.kind != ident || isReserved(name) {
		p.unexpected("expected %s, found %s", what, p.found())
	}
	p.next()
	if p.tok.kind == '.' {
		p.unsupported(start, "qualified names are not supported in a schema: namespaces do not exist in it")
	}
	return name
}

// parseTypeArgs parses `<A, B>`.
func (p *parser) parseTypeArgs() []Type {
	open := p.tok.start
	p.next()
	args := []Type{p.parseType()}
	for p.got(',') {
		args = append(args, p.parseType())
	}
	p.closeList('>', open)
	return args
}

// parseLiteral parses a string, number or boolean.
func (p *parser) parseLiteral() *Literal {
	lit := &Literal{Pos: p.pos()}
	switch {
	case p.tok.kind == str:
		lit.Value = p.tok.text
	case p.tok.kind == num:
		lit.Value = p.number()
	case p.tok.kind == '-':
		p.next()
		if p.tok.kind == bigint {
			p.unsupported(p.tok.start, "bigint literals are not supported in a schema")
		}
		if p.tok.kind != num {
			p.unexpected("expected a number after \"-\", found %s", p.found())
		}
		lit.Value = "-" + p.number()
	default:
		lit.Value = p.tok.text == "true"
	}
	p.next()
	return lit
}

// number returns the value of the current token, a number.
func (p *parser) number() Number {
	n, ok := jsonNumber(p.tok.text)
	if !ok {
		p.fail(p.tok.start, "this number is too large, or too small, for a float64")
	}
	return n
}

// atLiteral reports whether parseLiteral can be called.
func (p *parser) atLiteral() bool {
	switch p.tok.kind {
	case str, num:
		return true
	case '-':
		return p.peek().kind == num
	}
	return p.atWord("true") || p.atWord("false")
}

// parseTemplate parses a template literal type.
func (p *parser) parseTemplate() Type {
	t := &Template{Pos: p.pos(), Texts: []string{p.tok.text}}
	for p.templateOpen() {
		open := p.tok.end - 1
		p.next()
		t.Types = append(t.Types, p.parseType())
		if p.tok.kind != '}' {
			p.closeWith('}', open)
		}
		p.continueTemplate()
		t.Texts = append(t.Texts, p.tok.text)
	}
	p.next()
	return t
}

// parseTuple parses `[A, name?: B, ...C[]]`.
func (p *parser) parseTuple() Type {
	t := &Tuple{Pos: p.pos()}
	open := p.tok.start
	p.next()
	optional, rest := false, false
	for p.tok.kind != ']' {
		start := p.tok.start
		e := p.parseTupleElem()
		switch {
		case e.Rest && rest:
			p.fail(start, "a tuple can have only one rest element")
		case optional && !e.Optional && !e.Rest:
			p.fail(start, "a required element cannot follow an optional one")
		case rest && e.Optional:
			p.fail(start, "an optional element cannot follow a rest element")
		}
		optional, rest = optional || e.Optional, rest || e.Rest
		t.Elems = append(t.Elems, e)
		if !p.got(',') {
			break
		}
	}
	p.closeList(']', open)
	return t
}

// parseTupleElem parses an element of a tuple, as in `A`, `A?` and `...A[]`, or with a name as in `name: A`, `name?: A`
// and `...name: A[]`.
func (p *parser) parseTupleElem() TupleElem {
	e := TupleElem{Pos: p.pos(), Rest: p.got(ellipsis)}
	if p.tok.kind == ident {
		s := p.scanner
		name := p.tok.text
		p.next()
		optional := p.got('?')
		if p.got(':') {
			e.Name, e.Optional = name, optional
		} else {
			p.scanner = s // the word begins a type
		}
	}
	e.Type = p.parseType()
	if p.tok.kind == '?' && e.Name == "" && !e.Rest {
		e.Optional = true
		p.next()
	}
	if e.Rest && e.Optional {
		p.fail(e.Pos.Offset, "a rest element cannot be optional")
	}
	return e
}

// parseParenthesized parses `(T)`.
func (p *parser) parseParenthesized() Type {
	open := p.tok.start
	if p.atFunctionType() {
		p.unsupported(open, "function types are not supported in a schema")
	}
	p.next()
	t := p.parseType()
	switch p.tok.kind {
	case ':', ',', '=': // the type was a destructured parameter
		p.unsupported(open, "function types are not supported in a schema")
	}
	p.closeWith(')', open)
	if p.tok.kind == arrow {
		p.unsupported(open, "function types are not supported in a schema")
	}
	return t
}

// atFunctionType reports whether the parenthesis at which the parser stands opens a list of
// parameters.
func (p *parser) atFunctionType() bool {
	s := p.scanner
	s.next()
	destructured := s.tok.kind == '{'
	if destructured {
		s.next()
	}
	switch s.tok.kind {
	case ')', ellipsis:
		return true
	case ident:
		s.next()
		switch s.tok.kind {
		case ',', '=':
			return true
		case ':', '?':
			return !destructured
		case '}':
			return destructured
		}
	}
	return false
}

// parseTypeOf parses `typeof NAME`.
func (p *parser) parseTypeOf() Type {
	pos := p.pos()
	p.next()
	if p.atWord("import") {
		p.unsupported(p.tok.start, "import types are not supported in a schema: use an import declaration")
	}
	if p.atWord("this") {
		p.unsupported(pos.Offset, "typeof this is not supported in a schema: name a constant")
	}
	t := &TypeOf{Pos: pos, Name: p.parseSimpleName("the name of a constant")}
	if p.tok.kind == '<' && !p.tok.newline {
		p.unsupported(p.tok.start, "type arguments of typeof are not supported in a schema")
	}
	return t
}

// isPredeclared reports whether a word is a predeclared type.
func isPredeclared(word string) bool {
	switch word {
	case "string", "number", "boolean", "null", "undefined", "unknown", "any", "object", "never",
		"void", "bigint", "symbol":
		return true
	}
	return false
}

// isReserved reports whether a word cannot be a name. A module's code is always strict.
func isReserved(word string) bool {
	switch word {
	case "break", "case", "catch", "class", "const", "continue", "debugger", "default", "delete", "do",
		"else", "enum", "export", "extends", "false", "finally", "for", "function", "if", "import", "in",
		"instanceof", "new", "null", "return", "super", "switch", "this", "throw", "true", "try", "typeof",
		"var", "void", "while", "with",
		"implements", "interface", "let", "package", "private", "protected", "public", "static", "yield":
		return true
	}
	return false
}
