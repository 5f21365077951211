package parser

// parseImport parses `import type { A as B } from "./x.js"`.
func (p *parser) parseImport() {
	if k := p.peek().kind; k == '(' || k == '.' {
		p.refuseStatement()
	}
	d := &Import{Pos: p.pos()}
	start := p.tok.start
	p.next()
	switch {
	case p.tok.kind == str:
		p.unsupported(start, "imports without names are not supported in a schema")
	case p.atWord("type") && p.peek().kind != '=' && !p.peekWord("from"):
		p.next()
	}
	switch {
	case p.tok.kind == '{':
	case p.tok.kind == '*':
		p.unsupported(p.tok.start, "namespace imports are not supported in a schema: name what is imported in { }")
	case p.tok.kind == ident && p.peek().kind == '=':
		p.unsupported(start, "import assignments are not supported in a schema")
	case p.tok.kind == ident:
		p.unsupported(p.tok.start, "default imports are not supported in a schema: name what is imported in { }")
	}
	d.Names = p.parseNames()
	if !p.atWord("from") {
		p.unexpected("expected \"from\" and the module's name, found %s", p.found())
	}
	p.next()
	d.From = p.parseModule()
	p.file.Imports = append(p.file.Imports, d)
}

// parseExport parses `export { A as B } from "./x.js"`, or a declaration with `export` before it.
func (p *parser) parseExport(doc span) {
	start, pos := p.tok.start, p.pos()
	p.next()
	typed := p.atWord("type") && (p.peek().kind == '{' || p.peek().kind == '*')
	if typed {
		p.next()
	}
	switch {
	case p.tok.kind == '{':
		d := &Export{Pos: pos, Names: p.parseNames()}
		if p.gotWord("from") {
			d.From = p.parseModule()
		} else {
			p.endStatement("the export")
		}
		p.file.Exports = append(p.file.Exports, d)
	case p.tok.kind == '*':
		p.unsupported(start, "export * is not supported in a schema: name what is exported in { }")
	case p.atWord("default"):
		p.unsupported(start, "export default is not supported in a schema")
	case p.tok.kind == '=':
		p.unsupported(start, "export assignments are not supported in a schema")
	case p.atWord("as"):
		p.unsupported(start, "global exports are not supported in a schema")
	case p.atWord("import"):
		p.unsupported(start, "import assignments are not supported in a schema")
	case p.tok.kind != ident && p.tok.kind != '@':
		p.unexpected("expected a declaration after export, found %s", p.found())
	default:
		p.parseDecl(doc)
	}
}

// parseNames parses the clause `{ A, type B as C }`.
func (p *parser) parseNames() []ImportName {
	open := p.tok.start
	p.expect('{')
	var names []ImportName
	for p.tok.kind == ident || p.tok.kind == str {
		if p.atWord("type") && p.peek().kind == ident && !p.peekWord("as") {
			p.next()
		}
		n := ImportName{Pos: p.pos()}
		n.Name = p.parseImportName()
		n.Alias = n.Name
		if p.gotWord("as") {
			n.Alias = p.parseImportName()
		}
		names = append(names, n)
		if !p.got(',') {
			break
		}
	}
	p.closeList('}', open)
	return names
}

// parseImportName parses one name of an import or export clause.
func (p *parser) parseImportName() string {
	name := p.tok.text
	switch {
	case p.tok.kind == str:
		p.unsupported(p.tok.start, "quoted names in an import or export are not supported in a schema")
	case p.atWord("default"):
		p.unsupported(p.tok.start, "default imports and exports are not supported in a schema")
	case p.tok.kind != ident || isReserved(name):
		p.unexpected("expected a name, found %s", p.found())
	}
	p.next()
	return name
}

// parseModule parses a module specifier and the end of the statement.
func (p *parser) parseModule() string {
	name := p.tok.text
	if p.tok.kind != str {
		p.unexpected("expected the module's name in quotes, found %s", p.found())
	}
	if name == "" {
		p.fail(p.tok.start, "the module's name is empty")
	}
	p.next()
	if p.atWord("with") || p.atWord("assert") && !p.tok.newline {
		p.unsupported(p.tok.start, "import attributes are not supported in a schema")
	}
	p.endStatement("the module's name")
	return name
}
