package parser

// parseMembers parses the body of an interface or object type, with its braces.
func (p *parser) parseMembers() []Member {
	open := p.tok.start
	p.expect('{')
	var members []Member
	for p.tok.kind != '}' && p.tok.kind != eof {
		members = append(members, p.parseMember())
		switch {
		case p.got(';'), p.got(','):
		case p.tok.kind == '}', p.tok.kind == eof, p.tok.newline:
		default:
			p.unexpected("expected \";\" or a new line after the member, found %s", p.found())
		}
	}
	p.closeWith('}', open)
	return members
}

// parseMember parses a property or an index signature, without the separator after it.
func (p *parser) parseMember() Member {
	doc := p.tok.doc
	readonly := false
	if p.tok.kind == ident && p.peekMemberName() {
		switch word := p.tok.text; word {
		case "readonly":
			readonly = true
			p.next()
		case "get", "set":
			p.unsupported(p.tok.start, "getters and setters are not supported in a schema: write a property")
		case "public", "private", "protected", "static", "abstract", "declare", "override", "async",
			"accessor", "export", "const", "in", "out":
			p.fail(p.tok.start, "%s cannot stand before a member: only readonly can", word)
		}
	}
	switch p.tok.kind {
	case '[':
		return p.parseIndex(readonly, doc)
	case '(', '<':
		p.unsupported(p.tok.start, "call signatures are not supported in a schema")
	case '-', '+':
		switch t := p.peek(); {
		case t.kind == ident && t.text == "readonly":
			p.unsupported(p.tok.start, "mapped types that add or remove modifiers are not supported in a schema: write readonly or nothing")
		case t.kind == num:
			p.fail(p.tok.start, "a property name cannot have a sign: write it in quotes")
		}
	}
	return p.parseProperty(readonly, doc)
}

// peekMemberName reports whether the current word is followed, on its line, by what begins a
// member: then the word is a modifier and not the member's name.
func (p *parser) peekMemberName() bool {
	t := p.peek()
	if t.newline {
		return false
	}
	switch t.kind {
	case ident, str, num, bigint, '[', '#':
		return true
	}
	return false
}

// parseProperty parses `name?: T`.
func (p *parser) parseProperty(readonly bool, doc span) Member {
	m := &Property{Pos: p.pos(), Name: p.tok.text, Readonly: readonly, Doc: p.parseDoc(doc)}
	start := p.tok.start
	switch p.tok.kind {
	case ident, str, num:
	default:
		p.unexpected("expected a member, found %s", p.found())
	}
	p.next()
	m.Optional = p.got('?')
	switch k := p.tok.kind; {
	case k == ':':
		p.next()
		m.Type = p.parseType()
		return m
	case (k == '(' || k == '<') && p.src[start:p.last] == "new":
		p.unsupported(start, "construct signatures are not supported in a schema")
	case k == '(' || k == '<':
		p.unsupported(start, "method signatures are not supported in a schema")
	case k == ';' || k == ',' || k == '}' || p.tok.newline && k != eof:
		p.unsupported(start, "properties without a type are not supported in a schema: write %s: unknown", p.src[start:p.last])
	}
	p.unexpected("expected \":\" and a type after the property's name, found %s", p.found())
	return nil
}

// parseIndex parses `[key: string]: T`.
func (p *parser) parseIndex(readonly bool, doc span) Member {
	m := &Index{Pos: p.pos(), Readonly: readonly, Doc: p.parseDoc(doc)}
	open := p.tok.start
	p.next()
	next := p.peek()
	switch {
	case p.tok.kind == ident && next.kind == ':':
	case p.tok.kind == ident && next.kind == ident && next.text == "in":
		p.unsupported(open, "mapped types are supported only as a whole type in a schema, not among members")
	default:
		p.unsupported(open, "computed property names are not supported in a schema")
	}
	m.Param = p.tok.text
	p.next()
	p.next()
	key := p.tok.start
	m.Key = p.parseType()
	if !isIndexKey(m.Key) {
		p.fail(key, "an index signature's key must be string, number, symbol or a template literal type")
	}
	p.closeWith(']', open)
	if p.tok.kind == '?' {
		p.fail(p.tok.start, "an index signature cannot be optional")
	}
	if p.tok.kind != ':' {
		p.unexpected("expected \":\" and a type after the index signature's key, found %s", p.found())
	}
	p.next()
	m.Value = p.parseType()
	return m
}

// isIndexKey reports whether a type may be an index signature's key, as far as its form tells.
func isIndexKey(t Type) bool {
	switch t := t.(type) {
	case *Keyword:
		return t.Name == "string" || t.Name == "number" || t.Name == "symbol"
	case *Template, *Ref:
		return true
	case *Union:
		for _, arm := range t.Arms {
			if !isIndexKey(arm.Type) {
				return false
			}
		}
		return true
	}
	return false
}
