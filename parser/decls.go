package parser

// parseStatement parses a declaration, an import or an export.
func (p *parser) parseStatement() {
	doc := p.tok.doc
	switch {
	case p.got(';'): // an empty statement
	case p.atWord("import"):
		p.parseImport()
	case p.atWord("export"):
		p.parseExport(doc)
	default:
		p.parseDecl(doc)
	}
}

// parseDecl parses a declaration, without `export`.
func (p *parser) parseDecl(doc span) {
	ambient := false
	if p.atWord("declare") && p.peekName() {
		ambient = true
		p.next()
	}
	var d Decl
	switch {
	case p.atWord("interface") && !p.peek().newline:
		d = p.parseInterface(doc)
	case p.atWord("type") && p.peekName():
		d = p.parseAlias(doc)
	case p.atWord("const") && p.peekWord("enum"):
		p.next()
		d = p.parseEnum(doc)
	case p.atWord("const"):
		d = p.parseConst(doc, ambient)
	case p.atWord("enum"):
		d = p.parseEnum(doc)
	default:
		p.refuseStatement()
	}
	p.file.Decls = append(p.file.Decls, d)
}

// peekName reports whether the token after the current one is a word on the same line.
func (p *parser) peekName() bool {
	t := p.peek()
	return t.kind == ident && !t.newline
}

// parseName parses the name that a declaration gives to a type.
func (p *parser) parseName(of string) (Pos, string) {
	pos, name := p.pos(), p.tok.text
	if p.tok.kind != ident {
		p.unexpected("expected the name of %s, found %s", of, p.found())
	}
	if isReserved(name) || isPredeclared(name) {
		p.unexpected("%q cannot be the name of %s: it is a word of the language", name, of)
	}
	p.next()
	return pos, name
}

// parseInterface parses `interface Name<T> extends A, B { … }`.
func (p *parser) parseInterface(doc span) Decl {
	p.next()
	d := &Interface{Doc: p.parseDoc(doc)}
	d.Pos, d.Name = p.parseName("an interface")
	d.Params = p.parseTypeParams()
	if p.gotWord("extends") {
		d.Extends = append(d.Extends, p.parseBase())
		for p.got(',') {
			d.Extends = append(d.Extends, p.parseBase())
		}
	}
	if p.atWord("implements") {
		p.fail(p.tok.start, "an interface cannot implement another: write extends")
	}
	d.Members = p.parseMembers()
	return d
}

// parseBase parses one of the types that an interface extends.
func (p *parser) parseBase() *Ref {
	if p.tok.kind == ident && isPredeclared(p.tok.text) {
		p.unexpected("an interface cannot extend the predeclared type %s", p.tok.text)
	}
	if p.tok.kind != ident {
		p.fail(p.tok.start, "expected the name of what the interface extends, found %s", p.found())
	}
	return p.parseRef("the name of what the interface extends")
}

// parseTypeParams parses `<T extends C = D, U>`, if it is there.
func (p *parser) parseTypeParams() []TypeParam {
	if p.tok.kind != '<' {
		return nil
	}
	open := p.tok.start
	p.next()
	var params []TypeParam
	for {
		var t TypeParam
		if isParamModifier(p.tok) && p.peekName() && !p.peekWord("extends") {
			p.unsupported(p.tok.start, "modifiers of type parameters are not supported in a schema")
		}
		start := p.tok.start
		t.Pos, t.Name = p.parseName("a type parameter")
		if p.gotWord("extends") {
			t.Constraint = p.parseType()
		}
		if p.got('=') {
			t.Default = p.parseType()
		}
		if n := len(params); n > 0 && params[n-1].Default != nil && t.Default == nil {
			p.fail(start, "a type parameter without a default cannot follow one that has it")
		}
		params = append(params, t)
		if !p.got(',') || p.tok.kind == '>' {
			break
		}
	}
	p.closeList('>', open)
	return params
}

func isParamModifier(t token) bool {
	return t.kind == ident && (t.text == "in" || t.text == "out" || t.text == "const")
}

// parseAlias parses `type Name<T> = Type`.
func (p *parser) parseAlias(doc span) Decl {
	p.next()
	d := &Alias{Doc: p.parseDoc(doc)}
	d.Pos, d.Name = p.parseName("a type alias")
	d.Params = p.parseTypeParams()
	p.expect('=')
	d.Type = p.parseType()
	p.endStatement("the type alias")
	return d
}

// parseConst parses `const NAME: T = value`, or where it is ambient also `const NAME: value`.
func (p *parser) parseConst(doc span, ambient bool) Decl {
	p.next()
	d := &Const{Pos: p.pos(), Name: p.tok.text, Doc: p.parseDoc(doc)}
	if p.tok.kind == '{' || p.tok.kind == '[' {
		p.unsupported(p.tok.start, "destructuring is not supported in a schema")
	}
	if p.tok.kind != ident || isReserved(d.Name) {
		p.unexpected("expected the name of a constant, found %s", p.found())
	}
	p.next()
	typeStart := p.tok.start
	if p.got(':') {
		typeStart = p.tok.start
		d.Type = p.parseType()
	}
	switch lit, isLiteral := d.Type.(*Literal); {
	case p.got('='):
		d.Value = p.parseConstValue()
		if d.Type != nil && !isTypeOf(d.Type, d.Value) {
			p.unsupported(typeStart, `the type of the constant %s can only be string, number, boolean, a literal or a member's type such as A["b"], and has to fit its value: leave it out`, d.Name)
		}
	case ambient && isLiteral:
		d.Value, d.Type = lit, nil
	case ambient:
		p.unsupported(typeStart, "constants without a value are not supported in a schema: give %s a literal type", d.Name)
	case p.tok.kind == ';' || p.tok.kind == eof || p.tok.newline:
		p.unexpectedAt(d.Pos.Offset, "the constant %s has no value", d.Name)
	default:
		p.unexpected("expected \"=\" and the value of the constant %s, found %s", d.Name, p.found())
	}
	if p.tok.kind == ',' {
		p.unsupported(p.tok.start, "several constants in one declaration are not supported in a schema: declare each by itself")
	}
	p.endStatement("the constant")
	return d
}

// parseConstValue parses a literal, which `as const` may follow.
func (p *parser) parseConstValue() *Literal {
	start := p.tok.start
	if !p.atLiteral() {
		p.refuseValue(start)
	}
	lit := p.parseLiteral()
	if p.atWord("as") && !p.tok.newline {
		p.next()
		if !p.gotWord("const") {
			p.refuseValue(start)
		}
	}
	if p.tok.kind != ';' && p.tok.kind != ',' && p.tok.kind != eof && !p.tok.newline {
		p.refuseValue(start)
	}
	return lit
}

func (p *parser) refuseValue(off int) {
	p.unsupported(off, "constants that are not a string, number or boolean literal are not supported in a schema")
}

// isTypeOf reports whether a type may be written for a constant of that value, as far as its form tells.
func isTypeOf(t Type, value *Literal) bool {
	switch t := t.(type) {
	case *Indexed:
		return true
	case *Literal:
		return t.Value == value.Value
	case *Keyword:
		switch value.Value.(type) {
		case string:
			return t.Name == "string"
		case Number:
			return t.Name == "number"
		case bool:
			return t.Name == "boolean"
		}
	}
	return false
}

// parseEnum parses `enum Name { A = "a" }`.
func (p *parser) parseEnum(doc span) Decl {
	p.next()
	d := &Enum{Doc: p.parseDoc(doc)}
	d.Pos, d.Name = p.parseName("an enum")
	open := p.tok.start
	p.expect('{')
	for p.tok.kind != '}' && p.tok.kind != eof {
		d.Members = append(d.Members, p.parseEnumMember())
		if !p.got(',') {
			break
		}
	}
	p.closeList('}', open)
	return d
}

// parseEnumMember parses `A = "a"`, the only form that a schema may use. It also looks at what follows the string,
// which can make an expression of it, as in `"a" + "b"`.
func (p *parser) parseEnumMember() EnumMember {
	m := EnumMember{Pos: p.pos(), Name: p.tok.text, Doc: p.parseDoc(p.tok.doc)}
	start := p.tok.start
	switch p.tok.kind {
	case ident, str:
	case '[':
		p.unsupported(start, "computed names are not supported in a schema")
	default:
		p.unexpected("expected the name of an enum member, found %s", p.found())
	}
	p.next()
	switch {
	case p.tok.kind == ',' || p.tok.kind == '}':
		p.unsupported(start, "number enums are not supported in a schema: give %s a string value", p.src[start:p.last])
	case !p.got('='):
		p.unexpected("expected \"=\" and the value of the enum member, found %s", p.found())
	}
	if p.tok.kind == num || p.tok.kind == '-' {
		p.unsupported(start, "number enums are not supported in a schema: give %s a string value", m.Name)
	}
	value := p.tok.start
	if p.tok.kind == str {
		m.Value = p.parseLiteral()
	}
	if m.Value == nil || p.tok.kind != ',' && p.tok.kind != '}' && p.tok.kind != eof && !p.tok.newline {
		p.unsupported(value, "enum members whose value is not a string literal are not supported in a schema")
	}
	return m
}
