package model

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/parser"
)

// tags is a parsed doc comment: the tags that have a meaning to the model, and the rest.
type tags struct {
	doc      Doc
	category string
	internal bool
	number   parser.Tag // @TJS-type
	def      parser.Tag // @default
	format   string
	minimum  string
	maximum  string
	maxItems string
}

// The tags that have a meaning on a declaration, on the alias of a number, on a member, and on an index signature.
// Elsewhere, and if it is repeated, a tag is kept as it was written.
var (
	declTags   = []string{"category", "internal"}
	aliasTags  = []string{"category", "internal", "TJS-type"}
	memberTags = []string{"TJS-type", "format", "minimum", "maximum", "maxItems", "default"}
	indexTags  = []string{"TJS-type"}
)

// tags reads what a comment says by those tags that mean something where it is; the others, and a tag that comes again, stay
// documentation. D may be nil.
func (l *lowerer) tags(s *scope, d *parser.Doc, meaningful []string) tags {
	var t tags
	if d == nil {
		return t
	}
	t.doc.Text = d.Text
	seen := map[string]bool{}
	for _, tag := range d.Tags {
		known := tag.Name == "deprecated" || slices.Contains(meaningful, tag.Name)
		if !known || seen[tag.Name] {
			t.doc.Tags = append(t.doc.Tags, Tag{tag.Name, tag.Text})
			continue
		}
		seen[tag.Name] = true
		if tag.Text == "" && tag.Name != "internal" && tag.Name != "deprecated" {
			l.errorf(s, tag.Pos, "@%s has no value", tag.Name)
			continue
		}
		switch tag.Name {
		case "category":
			t.category = strings.Trim(tag.Text, "`")
		case "internal":
			t.internal = true
			if tag.Text != "" {
				t.doc.Tags = append(t.doc.Tags, Tag{tag.Name, tag.Text})
			}
		case "deprecated":
			t.doc.Deprecated = tag.Text
			if tag.Text == "" {
				t.doc.Deprecated = "deprecated"
			}
		case "TJS-type":
			t.number = tag
		case "default":
			t.def = tag
		case "format":
			t.format = tag.Text
		case "minimum":
			t.minimum = l.limit(s, tag)
		case "maximum":
			t.maximum = l.limit(s, tag)
		case "maxItems":
			t.maxItems = tag.Text
			if _, err := strconv.ParseUint(t.maxItems, 10, 31); err != nil {
				l.errorf(s, tag.Pos, "@maxItems %s: want a count", tag.Text)
			}
		}
	}
	return t
}

// limit reads a tag whose text is a number.
func (l *lowerer) limit(s *scope, tag parser.Tag) string {
	if !isNumber(tag.Text) {
		l.errorf(s, tag.Pos, "@%s %s: want a number", tag.Name, tag.Text)
	}
	return tag.Text
}

// numberKind applies @TJS-type to a type that is, or may be, a number.
func (l *lowerer) numberKind(s *scope, e *Expr, tag parser.Tag) *Expr {
	kind := Number
	switch tag.Text {
	case "number":
	case "integer":
		kind = Integer
	default:
		l.errorf(s, tag.Pos, "@TJS-type %s: want number or integer", tag.Text)
		return e
	}
	switch e.Kind {
	case Integer, Number:
		c := *e
		c.Kind = kind
		return &c
	case Nullable, Array, OneOrMany:
		c := *e
		c.Elem = l.numberKind(s, e.Elem, tag)
		return &c
	}
	l.errorf(s, tag.Pos, "@TJS-type %s on a type that is no number", tag.Text)
	return e
}

// defaultValue reads the text of @default as a literal of the member's type.
func (l *lowerer) defaultValue(s *scope, e *Expr, tag parser.Tag) *Expr {
	lit := &Expr{Kind: Literal}
	e = l.peek(e)
	if e.Kind == Nullable && tag.Text != "null" {
		e = l.peek(e.Elem)
	}
	switch e.Kind {
	case Boolean:
		lit.Value = tag.Text == "true"
		if tag.Text == "true" || tag.Text == "false" {
			return lit
		}
	case Integer, Number:
		if isNumber(tag.Text) && (e.Kind == Number || isInt64(tag.Text)) {
			lit.Value = parser.Number(tag.Text)
			return lit
		}
	case String, Enum, Literal:
		lit.Value = unquoted(tag.Text)
		if accepts(e, lit) {
			return lit
		}
	}
	l.errorf(s, tag.Pos, "@default %s is no value of the type %s", tag.Text, e.Kind)
	return nil
}

// unquoted takes the quotation marks off a text that has them.
func unquoted(s string) string {
	if n := len(s); n >= 2 && strings.IndexByte("\"'`", s[0]) >= 0 && s[n-1] == s[0] {
		return s[1 : n-1]
	}
	return s
}

// isNumber reports whether a text is a JSON number that a float64 can hold.
func isNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil && json.Valid([]byte(text))
}

// isInt64 reports whether a text is an integer of that type.
func isInt64(text string) bool {
	_, err := strconv.ParseInt(text, 10, 64)
	return err == nil
}

// with adds what another comment says.
func (d Doc) with(o Doc) Doc {
	if o.empty() {
		return d
	}
	join := func(a, b string) string {
		if a == "" || b == "" {
			return a + b
		}
		return a + "\n\n" + b
	}
	return Doc{
		Text:       join(d.Text, o.Text),
		Deprecated: join(d.Deprecated, o.Deprecated),
		Tags:       append(slices.Clone(d.Tags), o.Tags...),
	}
}

func (d Doc) empty() bool { return d.Text == "" && d.Deprecated == "" && d.Tags == nil }
