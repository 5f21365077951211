package model

import (
	"strings"

	"github.com/mcpgen/mcpgen/parser"
)

// tags is a doc comment taken apart: what means something to the model, and the rest.
type tags struct {
	doc      Doc
	category string
	internal bool
	number   string // @TJS-type
	format   string
	minimum  string
	maximum  string
	maxItems string
	def      string // @default
	pos      parser.Pos
}

func (l *lowerer) tags(s *scope, d *parser.Doc) tags {
	var t tags
	if d == nil {
		return t
	}
	t.doc.Text = d.Text
	t.pos = d.Pos
	set := func(to *string, tag parser.Tag) {
		if tag.Text == "" {
			l.errorf(s, tag.Pos, "@%s has no value", tag.Name)
		}
		*to = tag.Text
	}
	for _, tag := range d.Tags {
		switch tag.Name {
		case "category":
			set(&t.category, tag)
			t.category = strings.Trim(t.category, "`")
		case "internal":
			t.internal = true
		case "deprecated":
			t.doc.Deprecated = tag.Text
			if tag.Text == "" {
				t.doc.Deprecated = "deprecated"
			}
		case "TJS-type":
			set(&t.number, tag)
		case "format":
			set(&t.format, tag)
		case "minimum":
			set(&t.minimum, tag)
		case "maximum":
			set(&t.maximum, tag)
		case "maxItems":
			set(&t.maxItems, tag)
		case "default":
			set(&t.def, tag)
		default:
			t.doc.Tags = append(t.doc.Tags, Tag{tag.Name, tag.Text})
		}
	}
	return t
}

// numberKind applies @TJS-type to a type that is, or may be, a number.
func (l *lowerer) numberKind(s *scope, pos parser.Pos, e *Expr, want string) *Expr {
	kind := Number
	switch want {
	case "number":
	case "integer":
		kind = Integer
	default:
		l.errorf(s, pos, "@TJS-type %s: want number or integer", want)
		return e
	}
	switch e.Kind {
	case Integer, Number:
		c := *e
		c.Kind = kind
		return &c
	case Nullable, Array, OneOrMany:
		c := *e
		c.Elem = l.numberKind(s, pos, e.Elem, want)
		return &c
	}
	l.errorf(s, pos, "@TJS-type %s on a type that is no number", want)
	return e
}

// defaultValue reads the text of @default as a literal of the member's type.
func (l *lowerer) defaultValue(s *scope, pos parser.Pos, text string) *Expr {
	e := &Expr{Kind: Literal, Pos: pos}
	switch c := text[0]; {
	case text == "true" || text == "false":
		e.Value = text == "true"
	case c == '-' || '0' <= c && c <= '9':
		e.Value = parser.Number(text)
	default:
		e.Value = strings.Trim(text, "\"'`")
	}
	return e
}
