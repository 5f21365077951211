package bindings

import (
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
	f.Line()
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
	f.Line()
	comment(f, "Valid reports whether v is one of the values listed for "+name+".")
	f.Func().Params(jen.Id("v").Id(name)).Id("Valid").Params().Bool().Block(
		jen.Switch(jen.Id("v")).Block(jen.Case(constants...).Block(jen.Return(jen.True()))),
		jen.Return(jen.False()),
	)
}
