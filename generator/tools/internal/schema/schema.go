// Package schema writes the JSON Schemas (2020-12) of the arguments and results of annotated functions.
//
// A schema is one line of JSON, the same bytes for the same functions. Its keywords are in a fixed order, its
// properties in the order of their declaration. Every type is a scalar "type", never a list of types. Types are
// written where they are used; only recursive types, and large types that are used several times, are in $defs.
//
// The generated decoder checks what a schema cannot express: the range of an integer that is a key of an object or
// is written as a string, the range of a duration, and the exact length of bytes, since a schema counts the
// characters of their base64. A type that reads text by its own method may refuse any text. The exact schemas, for
// the contract with callers, express all of that with additional keywords; see [ExactInput].
package schema

import (
	"go/constant"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
)

// Input returns the schema of the arguments of a tool.
func Input(t *ir.Tool) string { return new(writer).input(t) }

func (w *writer) input(t *ir.Tool) string {
	w.countAll(t.Input)
	m := w.object(nil, t.Input, t.Open)
	if w.exact && len(t.OneOf) > 0 {
		m.set(goOneOf, oneOf(t.OneOf))
	}
	w.addDefs(&m)
	return m.String()
}

// Output returns the schema of the structured content of a tool; empty if it has none. Its objects are open at all
// depths: callers validate results by the schema that they have, and a later server may return members more.
func Output(t *ir.Tool) string { return (&writer{open: true}).output(t) }

// output returns the schema of the structured content, empty if a tool has none. Structured content is an object:
// several results, and one that is no object, are members of it.
func (w *writer) output(t *ir.Tool) string {
	var m members
	o := &t.Output
	if !o.HasSchema() {
		return ""
	}
	switch o.Kind {
	case ir.ObjectOutput:
		w.count(o.Type)
		m = w.described(o.Type)
		m.set("type", `"object"`) // which a schema in $defs does not show at the root
	case ir.StreamOutput:
		items := &ir.Type{Kind: ir.Slice, Elem: o.Type}
		w.count(items)
		m = w.object(nil, []*ir.Property{{Name: "result", Type: items, Required: true}}, false)
	case ir.NamedOutput, ir.WrappedOutput:
		w.countAll(o.Members)
		m = w.object(nil, o.Members, false)
	}
	w.addDefs(&m)
	return m.String()
}

// Of returns the schema of a type of results, as open as that of [Output].
func Of(t *ir.Type) string { return (&writer{open: true}).of(t) }

func (w *writer) of(t *ir.Type) string {
	w.count(t)
	m := w.described(t)
	w.addDefs(&m)
	return m.String()
}

// Description returns the text that describes a property: its own, else that of its type, and
// what the values of an enum mean, and the bounds of a duration; if there is none of these, how a duration is written.
func Description(p *ir.Property) string { return description(p, inDefs(deref(p.Type))) }

// description is Description of a property. Elsewhere says whether its type is described elsewhere.
func description(p *ir.Property, elsewhere bool) string {
	t := deref(p.Type)
	text := p.Description
	if text == "" && !elsewhere {
		text = t.Doc
	}
	if p.Quoted && t.Named {
		plain := *t
		plain.Named, t = false, &plain
	}
	if text = withBounds(withValues(text, t, p.Constraints), t, p.Constraints); text != "" {
		return text
	}
	return example(t, p.Constraints)
}

// example says how a value is written that otherwise would only have a pattern that is hard to read.
func example(t *ir.Type, c *ir.Constraints) string {
	if t.Kind != ir.Duration || t.Schema != "" || t.IsClosed() || c != nil && c.Enum != nil {
		return ""
	}
	return "a duration such as 1h30m"
}

// withBounds appends the bounds of a duration, for which there is no keyword.
func withBounds(text string, t *ir.Type, c *ir.Constraints) string {
	if c == nil {
		return text
	}
	bounds := ""
	switch {
	case t.Kind == ir.Duration:
		bounds = durationBounds(c)
	case c.MultipleOf != "" && !inBinary(c.MultipleOf):
		bounds = "a multiple of " + c.MultipleOf
	}
	if text == "" || bounds == "" {
		return text + bounds
	}
	return text + " (" + bounds + ")"
}

// durationBounds returns the bounds of a duration in words, empty if there are none.
func durationBounds(c *ir.Constraints) string {
	if c.Min != nil && c.Max != nil {
		return "from " + duration(c.Min) + " to " + duration(c.Max)
	}
	var all []string
	for _, b := range []struct {
		words string
		bound constant.Value
	}{{"at least ", c.Min}, {"more than ", c.Above}, {"at most ", c.Max}, {"less than ", c.Below}} {
		if b.bound != nil {
			all = append(all, b.words+duration(b.bound))
		}
	}
	return strings.Join(all, " and ")
}

func duration(v constant.Value) string {
	n, _ := constant.Int64Val(v)
	return time.Duration(n).String()
}

// withValues appends the meanings of the values of an enum that have a comment and may be used.
func withValues(text string, t *ir.Type, c *ir.Constraints) string {
	var b strings.Builder
	b.WriteString(text)
	for _, v := range t.Enum {
		name, doc := strings.Trim(v.JSON, `"`), strings.Join(strings.Fields(v.Doc), " ")
		switch {
		case t.Named:
			name = v.Name
		case v.Name != "" && doc != "":
			doc = v.Name + ", " + doc
		case v.Name != "":
			doc = v.Name
		}
		if doc == "" || !allowed(v.JSON, c) {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString("- " + name + ": " + doc)
	}
	return b.String()
}

// allowed reports whether c allows value, the JSON text of one of an enum's values.
func allowed(value string, c *ir.Constraints) bool {
	if c == nil || c.Enum == nil {
		return true
	}
	for _, l := range c.Enum {
		if l.JSON == value {
			return true
		}
	}
	return false
}

func deref(t *ir.Type) *ir.Type { return t.Base() }

// inDefs reports whether a type is in $defs. Every cycle of types has a named one in it.
func inDefs(t *ir.Type) bool { return t.Recursive && t.Name != "" }
