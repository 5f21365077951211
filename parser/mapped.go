package parser

// atMapped reports whether the brace at which the parser stands opens a mapped type. One that adds or removes
// modifiers is left to parseMembers, which refuses it.
func (p *parser) atMapped() bool {
	s := p.scanner
	s.next()
	if s.tok.kind == ident && s.tok.text == "readonly" {
		s.next()
	}
	if s.tok.kind != '[' {
		return false
	}
	if s.next(); s.tok.kind != ident {
		return false
	}
	s.next()
	return s.tok.kind == ident && s.tok.text == "in"
}

// parseMapped parses `{ readonly [K in T]?: V }`.
func (p *parser) parseMapped() Type {
	t := &Mapped{Pos: p.pos()}
	brace := p.tok.start
	p.next()
	t.Readonly = p.gotWord("readonly")
	bracket := p.tok.start
	p.next()
	_, t.Param = p.parseName("the key of a mapped type")
	p.next() // in
	t.Key = p.parseType()
	if p.atWord("as") {
		p.unsupported(p.tok.start, "mapped types that rename their keys are not supported in a schema")
	}
	p.closeWith(']', bracket)
	if p.tok.kind == '-' || p.tok.kind == '+' {
		p.unsupported(p.tok.start, "mapped types that add or remove modifiers are not supported in a schema: write ? or nothing")
	}
	t.Optional = p.got('?')
	if p.tok.kind != ':' {
		p.unexpected("expected \":\" and a type after the key of the mapped type, found %s", p.found())
	}
	p.next()
	t.Value = p.parseType()
	if !p.got(';') {
		p.got(',')
	}
	p.closeWith('}', brace)
	return t
}
