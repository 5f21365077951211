package schema

import (
	"math"
	"strconv"

	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
)

// Form returns the schema of a form, as the protocol restricts it for elicitation.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation
func Form(f *ir.Form) string {
	var properties members
	var required []string
	for _, p := range f.Fields {
		m := formProperty(p)
		properties.set(p.Name, m.String())
		if p.Required {
			required = append(required, quote(p.Name))
		}
	}
	m := members{{"type", `"object"`}, {"properties", properties.json()}}
	if required != nil {
		m.set("required", list(required))
	}
	return m.String()
}

// formProperty returns the schema of a field of a form. A list without a description has that of its items, which lists
// what the choices mean.
func formProperty(p *ir.Property) members {
	t, c := deref(p.Type), p.Constraints
	if c == nil {
		c = new(ir.Constraints)
	}
	m := formType(t, c)
	if p.Title != "" {
		m.set("title", quote(p.Title))
	}
	described := p
	if t.Kind == ir.Slice && p.Description == "" && c.Items != nil {
		described = &ir.Property{Type: t.Elem, Constraints: c.Items}
	}
	if text := Description(described); text != "" {
		m.set("description", quote(text))
	}
	if p.Default != nil {
		m.set("default", new(writer).literal(p.Default, p))
	}
	return m
}

// formType returns what a form says about the values of a field.
func formType(t *ir.Type, c *ir.Constraints) members {
	text := func(format string) members {
		m := members{{"type", `"string"`}}
		if format != "" {
			m.set("format", quote(format))
		}
		setCount(&m, "minLength", c.MinLen)
		setCount(&m, "maxLength", c.MaxLen)
		return m
	}
	switch {
	case t.Kind == ir.Time && c.Format == "":
		return text("date-time")
	case t.Kind == ir.Slice:
		items := c.Items
		if items == nil {
			items = new(ir.Constraints)
		}
		m := members{{"type", `"array"`}, {"items", members{{"type", `"string"`}, {"enum", choices(t.Elem, items)}}.String()}}
		setCount(&m, "minItems", c.MinLen)
		setCount(&m, "maxItems", c.MaxLen)
		return m
	case t.Kind == ir.Bool:
		return members{{"type", `"boolean"`}}
	case t.Named, t.Kind != ir.Int && t.Kind != ir.Uint && t.Kind != ir.Float && (c.Enum != nil || t.IsEnum()):
		return members{{"type", `"string"`}, {"enum", choices(t, c)}}
	case t.Kind == ir.Int, t.Kind == ir.Uint, t.Kind == ir.Float:
		return formNumber(t, c)
	}
	return text(c.Format)
}

func setCount(m *members, keyword string, n *int) {
	if n != nil {
		m.set(keyword, strconv.Itoa(*n))
	}
}

// formNumber returns the schema of a number, with the bounds of its type if a person could reach them.
func formNumber(t *ir.Type, c *ir.Constraints) members {
	m := members{{"type", `"number"`}}
	if t.Kind != ir.Float {
		m.set("type", `"integer"`)
		least, most := int64(math.MinInt64), uint64(math.MaxInt64)
		if t.Kind == ir.Uint {
			least, most = 0, 1<<t.Bits-1
		} else if t.Bits < 64 {
			least, most = -1<<(t.Bits-1), 1<<(t.Bits-1)-1
		}
		if t.Bits < 64 || t.Kind == ir.Uint {
			m.set("minimum", strconv.FormatInt(least, 10))
		}
		if t.Bits < 64 {
			m.set("maximum", strconv.FormatUint(most, 10))
		}
	}
	if c.Min != nil {
		m.set("minimum", number(c.Min))
	}
	if c.Max != nil {
		m.set("maximum", number(c.Max))
	}
	return m
}

// choices returns the values that people choose from: those of a directive, or the constants of a type.
func choices(t *ir.Type, c *ir.Constraints) string {
	var all []string
	for _, l := range c.Enum {
		all = append(all, new(writer).literal(l, &ir.Property{Type: t}))
	}
	if c.Enum == nil {
		for _, v := range t.Enum {
			text := v.JSON
			if t.Named {
				text = quote(v.Name)
			}
			all = append(all, text)
		}
	}
	return list(all)
}
