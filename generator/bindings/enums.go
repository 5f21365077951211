package bindings

import (
	"slices"

	"github.com/dave/jennifer/jen"
	"github.com/mcpgen/mcpgen/generator/internal/godoc"
	"github.com/mcpgen/mcpgen/generator/internal/goname"
	"github.com/mcpgen/mcpgen/model"
)

// emitEnum writes a string type and constants for its values.
func (g *generator) emitEnum(f *jen.File, t *model.Type, name string, enum *model.Expr) {
	more := "Values that are not listed here are kept as they are."
	if enum.Open {
		more = "Other values than those listed here are possible."
	}
	comment(f, g.typeDoc(name, t, more))
	f.Type().Id(name).String()
	var constants []jen.Code
	f.Const().DefsFunc(func(d *jen.Group) {
		for _, v := range enum.Values {
			word := goname.Camel(v.Value)
			if word == "" {
				g.errorf("%s: the value %q has no letter or digit to make a Go name of", t.Name, v.Value)
				continue
			}
			c := name + word
			g.declare(c, "the value "+v.Value+" of "+t.Name)
			constants = append(constants, jen.Id(c))
			doc := v.Doc.Text
			if when := g.inWords(t.Revs, v.Revs); when != "" {
				doc += " Only " + when + "."
			}
			comment(d, godoc.Join(godoc.Text(doc, g.link), godoc.Deprecated(v.Doc.Deprecated, g.link)))
			d.Id(c).Id(name).Op("=").Lit(v.Value)
		}
	})
	if enum.Open {
		return
	}
	comment(f, "Valid reports whether v is one of the values listed for "+name+".")
	f.Func().Params(jen.Id("v").Id(name)).Id("Valid").Params().Bool().Block(
		jen.Switch(jen.Id("v")).Block(jen.Case(constants...).Block(jen.Return(jen.True()))),
		jen.Return(jen.False()),
	)
}

// emitNewValues writes constants for the values that the types of an extension add to open enumerations of its
// base. Such a value is that of a literal member whose type is the enumeration in the base.
func (g *generator) emitNewValues() {
	seen := map[string]bool{} // constants that two types need
	for _, t := range g.types {
		for _, m := range t.Expr.Members {
			value, ok := m.Type.Value.(string)
			enum := g.inheritedEnum(t, m.Name)
			if !ok || enum == nil ||
				slices.ContainsFunc(enum.Expr.Values, func(v *model.EnumValue) bool { return v.Value == value }) {
				continue
			}
			name := goname.Type(enum.Name) + goname.Camel(value)
			if seen[name+value] {
				continue
			}
			seen[name+value] = true
			g.declare(name, "the value "+value+" of "+enum.Name)
			f := g.typeFile(t)
			say(f, name+" is the "+m.Name+" of "+article(goname.Type(t.Name))+".")
			f.Const().Id(name).Qual(g.options.Import, goname.Type(enum.Name)).Op("=").Lit(value)
		}
	}
}

// inheritedEnum returns the open enumeration that a member has in an imported base of a type, nil if it
// has none.
func (g *generator) inheritedEnum(t *model.Type, member string) *model.Type {
	for _, b := range t.Bases {
		base := g.schema.Type(b)
		if base == nil || !g.schema.IsImported(base) {
			continue
		}
		for _, m := range base.Expr.Members {
			if enum := g.target(m.Type); m.Name == member && enum != nil && enum.Expr.Open {
				return enum
			}
		}
	}
	return nil
}
