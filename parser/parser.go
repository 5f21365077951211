package parser

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

// maxDepth bounds how deeply types may nest.
const maxDepth = 200

// Parse parses one source file. The name is used in messages. The returned File keeps src, which
// must not be changed afterwards.
//
// The error is an ErrorList: the first syntax error, or, where there is none, the names that are
// declared twice, up to some number.
func Parse(name string, src []byte) (*File, error) {
	p := parser{
		scanner: scanner{src: string(src)},
		file:    &File{Name: name, Source: src},
	}
	p.lines = newLineTable(p.src)
	if f := p.parse(); f != nil {
		off, msg := f.explain(p.src, p.statement)
		return nil, ErrorList{p.lines.errorAt(name, off, msg)}
	}
	c := checker{lines: p.lines, file: p.file}
	c.checkFile()
	if len(c.errs) > 0 {
		return nil, c.errs
	}
	return p.file, nil
}

// A parser builds the syntax tree of one file by recursive descent, one function per production.
// The first thing that it does not accept ends the parse with a panic of a failure.
type parser struct {
	scanner
	lines     lineTable
	file      *File
	statement int // the offset of the top-level statement being parsed
	depth     int
}

// parse fills in the file, and returns why it could not.
func (p *parser) parse() (f *failure) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case failure:
			f = &r
		default:
			panic(r)
		}
	}()
	if off := invalidUTF8(p.src); off >= 0 {
		p.fail(off, "the source is not valid UTF-8")
	}
	for p.next(); p.tok.kind != eof; {
		p.statement = p.tok.start
		p.parseStatement()
	}
	return nil
}

// invalidUTF8 returns the offset of the first byte that is not UTF-8, or -1.
func invalidUTF8(s string) int {
	if utf8.ValidString(s) {
		return -1
	}
	for i, r := range s {
		if r == utf8.RuneError {
			if _, n := utf8.DecodeRuneInString(s[i:]); n == 1 {
				return i
			}
		}
	}
	return -1
}

// pos returns the position of the current token.
func (p *parser) pos() Pos { return p.lines.pos(p.tok.start) }

// peek returns the token after the current one.
func (p *parser) peek() token {
	s := p.scanner
	s.next()
	return s.tok
}

// got consumes a token of that kind if it is the current one.
func (p *parser) got(k kind) bool {
	if p.tok.kind != k {
		return false
	}
	p.next()
	return true
}

// gotWord consumes a keyword if it is the current token.
func (p *parser) gotWord(word string) bool {
	if !p.atWord(word) {
		return false
	}
	p.next()
	return true
}

// atWord reports whether the current token is that keyword.
func (p *parser) atWord(word string) bool { return p.tok.kind == ident && p.tok.text == word }

// expect consumes a token of that kind.
func (p *parser) expect(k kind) {
	if !p.got(k) {
		p.unexpected("expected %v, found %s", k, p.found())
	}
}

// closeWith consumes the token that ends what began with a bracket at an offset.
func (p *parser) closeWith(k kind, open int) {
	if !p.got(k) {
		at := p.lines.pos(open)
		p.unexpected("expected %v to close the %q of %d:%d, found %s", k, p.src[open:open+1], at.Line, at.Col, p.found())
	}
}

// closeList is closeWith for a list, after an element that no comma follows.
func (p *parser) closeList(k kind, open int) {
	if !p.got(k) {
		at := p.lines.pos(open)
		p.unexpected("expected \",\" or %v to close the %q of %d:%d, found %s", k, p.src[open:open+1], at.Line, at.Col, p.found())
	}
}

// endStatement consumes the semicolon after a statement, which a line break may stand for.
func (p *parser) endStatement(what string) {
	if !p.got(';') && !p.tok.newline && p.tok.kind != eof {
		p.unexpected("expected \";\" or a new line after %s, found %s", what, p.found())
	}
}

// found describes the current token in a message.
func (p *parser) found() string {
	if p.tok.kind == ident {
		return strconv.Quote(p.tok.text)
	}
	return p.tok.kind.String()
}

// unexpected ends the parse at the current token, which is not allowed there.
func (p *parser) unexpected(format string, args ...any) {
	off := p.tok.start
	if p.tok.kind == eof {
		off = p.last // where there is a line to show
	}
	p.unexpectedAt(off, format, args...)
}

func (p *parser) unexpectedAt(off int, format string, args ...any) {
	panic(failure{off, fmt.Sprintf(format, args...), unexpected})
}

// unsupported ends the parse at a construct that TypeScript has and a schema may not use.
func (p *parser) unsupported(off int, format string, args ...any) {
	panic(failure{off, fmt.Sprintf(format, args...), unsupported})
}

// enter goes one level deeper. It is undone by leave; a failure needs no undoing.
func (p *parser) enter() {
	p.depth++
	p.checkDepth(p.depth)
}

func (p *parser) leave() { p.depth-- }

func (p *parser) checkDepth(depth int) {
	if depth > maxDepth {
		p.fail(p.tok.start, "types are nested more than %d levels deep", maxDepth)
	}
}
