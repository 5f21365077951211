package emit

import (
	"github.com/dave/jennifer/jen"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
)

// setExtras sets icons and _meta of a definition.
func (g *generator) setExtras(v *jen.Group, x *ir.Extras) {
	if len(x.Icons) > 0 {
		v.Id("Icons").Op(":").Index().Add(g.mcp("Icon")).CustomFunc(multiline, func(v *jen.Group) {
			for _, icon := range x.Icons {
				v.ValuesFunc(func(v *jen.Group) {
					setText(v, g.target.iconSource(), icon.Src)
					setText(v, "MIMEType", icon.MIMEType)
					if len(icon.Sizes) > 0 {
						v.Id("Sizes").Op(":").Index().String().ValuesFunc(func(v *jen.Group) { words(v, icon.Sizes) })
					}
					setText(v, "Theme", icon.Theme)
				})
			}
		})
	}
	if len(x.Meta) > 0 {
		v.Id("Meta").Op(":").Add(g.mcp(g.target.metaType())).CustomFunc(multiline, func(v *jen.Group) {
			for _, m := range x.Meta {
				v.Add(literal(m.Key)).Op(":").Add(g.target.raw(literal(m.JSON)))
			}
		})
	}
}

// setAnnotations sets the audience and the priority of a resource.
func (g *generator) setAnnotations(v *jen.Group, r *ir.Resource) {
	if r.Audience == nil && r.Priority == nil {
		return
	}
	v.Id("Annotations").Op(":").Op("&").Add(g.mcp("Annotations")).ValuesFunc(func(v *jen.Group) {
		if r.Audience != nil {
			v.Id("Audience").Op(":").Index().Add(g.mcp("Role")).ValuesFunc(func(v *jen.Group) { words(v, r.Audience) })
		}
		switch {
		case r.Priority == nil:
		case g.target.hintPointers():
			v.Id("Priority").Op(":").New(jen.Lit(*r.Priority))
		default:
			v.Id("Priority").Op(":").Lit(*r.Priority)
		}
	})
}

func words(v *jen.Group, all []string) {
	for _, word := range all {
		v.Lit(word)
	}
}
