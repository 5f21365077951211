package schema

import "github.com/mcpgen/mcpgen/generator/tools/internal/ir"

// name replaces the numbers of constants, which a model would have to look up, with their names. Numbers are
// accepted, too, as exact schemas say; other schemas have names alone, since some clients do not accept lists of
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
	if w.exact {
		m.remove("type")
		m.set("enum", list(append(names, numbers...)))
		return
	}
	m.set("type", `"string"`)
	m.set("enum", list(names))
}

// literal returns a value that a directive gives, as a schema has it.
func (w *writer) literal(l *ir.Literal, p *ir.Property) string {
	t := deref(p.Type)
	if !t.Named || p.Quoted || w.exact {
		return l.JSON
	}
	for _, v := range t.Enum {
		if v.JSON == l.JSON {
			return quote(v.Name)
		}
	}
	return l.JSON
}
