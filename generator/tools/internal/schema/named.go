package schema

import "github.com/mcpgen/mcpgen/generator/tools/internal/ir"

// name replaces the numbers of constants, which a model would have to look up, with their names. In arguments numbers
// are accepted, too, as exact schemas say; other schemas have names alone, since some clients do not accept lists of
// values of several types.
func (w *writer) name(m *members, t *ir.Type, c *ir.Constraints) {
	if !t.Named {
		return
	}
	var names, numbers []string
	for _, v := range t.Enum {
		if allowed(v.JSON, c) {
			names, numbers = append(names, quote(v.Name)), append(numbers, v.JSON)
		}
	}
	switch {
	case t.MoreValues && (c == nil || c.Enum == nil):
		m.set("type", `"string"`)
	case w.exact && t.Numbers:
		m.remove("type")
		m.set("enum", list(append(names, numbers...)))
	default:
		m.set("type", `"string"`)
		m.set("enum", list(names))
	}
}

// spelled returns the values of an enum as a result has them.
func spelled(t *ir.Type) []string {
	all := values(t)
	for i, v := range t.Enum {
		if t.Named {
			all[i] = quote(v.Name)
		}
	}
	return all
}

// literal returns a value that a directive gives, as a schema has it.
func (w *writer) literal(l *ir.Literal, p *ir.Property) string {
	t := deref(p.Type)
	if !t.Named || p.Quoted || w.exact && t.Numbers {
		return l.JSON
	}
	for _, v := range t.Enum {
		if v.JSON == l.JSON {
			return quote(v.Name)
		}
	}
	return l.JSON
}
