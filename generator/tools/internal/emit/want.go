package emit

import (
	"go/types"

	"github.com/dave/jennifer/jen"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
)

// want writes the statements that check a value against what the output schema says of it, before it
// is written.
func (g *generator) want(b *jen.Group, t *ir.Type, c *ir.Constraints, value *jen.Statement) {
	if g.unpromised {
		return
	}
	kinds := map[ir.Kind]types.BasicKind{ir.Int: types.Int64, ir.Uint: types.Uint64, ir.Float: types.Float64, ir.String: types.String}
	kind, basic := kinds[t.Kind]
	switch {
	case t.Named:
		if t.IsClosed() || c.Enum != nil {
			b.Add(g.args("WantName").Call(g.id("e"), g.plain(t, kind, value), g.constants(t, c)))
		}
	case basic:
		if list := g.enum(t, c); list != nil {
			b.Add(g.args("WantOneOf").Call(append([]jen.Code{g.id("e"), g.plain(t, kind, value)}, list...)...))
		}
	}
	if basic && (c.Min != nil || c.Max != nil) {
		min, max := g.bounds(t, c)
		check := "WantBetween"
		if t.Kind == ir.Float && t.Bits == 32 {
			check, kind = "WantFloat32", types.Float32
		}
		b.Add(g.args(check).Call(g.id("e"), g.plain(t, kind, value), min, max))
	}
	for _, x := range g.exclusive(t, c, value) {
		of := value.Clone()
		switch t.Kind {
		case ir.Float:
			of = g.plain(t, floatKind(t), value)
		case ir.Number:
			of = jen.String().Call(of)
		}
		b.Add(g.args("WantThat").Call(g.id("e"), of, x.ok, jen.Lit(x.what)))
	}
	switch step := jen.Lit(c.MultipleOf); {
	case c.MultipleOf == "" || t.Kind == ir.BigInt:
	case t.Kind == ir.Number:
		b.Add(g.args("WantNumberMultipleOf").Call(g.id("e"), jen.String().Call(value.Clone()), step))
	case t.Kind == ir.Float:
		b.Add(g.args("WantMultipleOf").Call(g.id("e"), g.plain(t, floatKind(t), value), step))
	default:
		b.Add(g.args("WantMultipleOf").Call(g.id("e"), g.plain(t, kind, value), step))
	}
	if c.Unique {
		b.Add(g.args("WantUnique").Call(g.id("e"), slicing(t, value)))
	}
	g.wantPointer(b, t, c, jen.Op("&").Add(value.Clone()))
	if t.Kind == ir.Duration && (c.Min != nil || c.Max != nil) {
		min, max := g.durations(c)
		b.Add(g.args("WantDuration").Call(g.id("e"), value.Clone(), min, max))
	}
	if t.Kind == ir.Number && (c.Min != nil || c.Max != nil) {
		min, max := g.bounds(t, c)
		b.Add(g.args("WantNumber").Call(g.id("e"), jen.String().Call(value.Clone()), min, max))
	}
	if c.MinLen != nil || c.MaxLen != nil {
		min, max := g.lengths(c)
		if t.Kind == ir.String {
			b.Add(g.args("WantLength").Call(g.id("e"), g.plain(t, types.String, value), min, max))
		} else {
			b.Add(g.args("WantCount").Call(g.id("e"), jen.Len(value.Clone()), min, max, jen.Lit(units[t.Kind])))
		}
	}
	if t.Kind == ir.String && c.Regexp != "" {
		b.Add(g.args("WantFormat").Call(g.id("e"), g.plain(t, types.String, value), matchOf(c), g.matcher(c)))
	}
	if f, ok := formats[c.Format]; ok && t.Kind == ir.String {
		b.Add(g.args("WantFormat").Call(g.id("e"), g.plain(t, types.String, value), jen.Lit(f[0]), g.args(f[1])))
	}
}

func floatKind(t *ir.Type) types.BasicKind {
	if t.Bits == 32 {
		return types.Float32
	}
	return types.Float64
}

// wantPointer is want for types that package args takes as pointers.
func (g *generator) wantPointer(b *jen.Group, t *ir.Type, c *ir.Constraints, ref *jen.Statement) {
	switch {
	case g.unpromised:
	case t.Kind == ir.URL:
		b.Add(g.args("WantURL").Call(g.id("e"), ref.Clone()))
	case t.Kind == ir.BigInt && (c.Min != nil || c.Max != nil):
		b.Add(g.args("WantBig").Call(g.id("e"), ref.Clone(), jen.Lit(exact(c.Min)), jen.Lit(exact(c.Max))))
	}
	if !g.unpromised && t.Kind == ir.BigInt && c.MultipleOf != "" {
		b.Add(g.args("WantBigMultipleOf").Call(g.id("e"), ref.Clone(), jen.Lit(c.MultipleOf)))
	}
}

// promises reports whether the schema of a type says more than its Go type does, so that values have
// to be checked before they are written.
func promises(t *ir.Type, seen map[*ir.Type]bool) bool {
	if t == nil || seen[t] {
		return false
	}
	seen[t] = true
	if t.IsClosed() || t.Kind == ir.URL || t.Schema != "" || promises(t.Elem, seen) || promises(t.Key, seen) {
		return true
	}
	for _, f := range t.Fields {
		if f.Constraints != nil || promises(f.Type, seen) {
			return true
		}
	}
	for _, a := range t.Arms {
		if promises(a.Type, seen) {
			return true
		}
	}
	return false
}
