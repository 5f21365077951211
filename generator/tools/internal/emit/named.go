package emit

import (
	"go/types"

	"github.com/dave/jennifer/jen"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
)

// byName is the expression that reads an integer whose constants have names.
func (g *generator) byName(t *ir.Type, c *ir.Constraints) *jen.Statement {
	return g.convert(t.Go, numberKind(t), g.args("Named").Call(g.id("d"), g.constants(t, c)))
}

// numberKind is the kind as which package args has the integers of a type.
func numberKind(t *ir.Type) types.BasicKind {
	if t.Kind == ir.Uint {
		return types.Uint64
	}
	return types.Int64
}

// constants is the list of those constants of a type that may be used, with their names.
func (g *generator) constants(t *ir.Type, c *ir.Constraints) *jen.Statement {
	key := "names " + types.TypeString(t.Go, nil)
	for _, l := range c.Enum {
		key += " " + l.JSON
	}
	name, ok := g.names[key]
	if !ok {
		name = g.declare("mcp" + typeName(t.Go) + "Names")
		g.names[key] = name
		g.later = append(g.later, func() {
			g.file.Var().Id(name).Op("=").Index().Add(g.args("Name")).Types(jen.Id(types.Typ[numberKind(t)].Name())).CustomFunc(multiline, func(list *jen.Group) {
				for _, v := range t.Enum {
					if c.Enum == nil || contains(c.Enum, v.JSON) {
						list.Values(jen.Dict{jen.Id("Name"): jen.Lit(v.Name), jen.Id("Value"): number(v.Const.Val(), t.Kind)})
					}
				}
			})
			g.file.Line()
		})
	}
	return jen.Id(name)
}

func contains(list []*ir.Literal, json string) bool {
	for _, l := range list {
		if l.JSON == json {
			return true
		}
	}
	return false
}

// unnamed is a type, or one behind a pointer, that callers give by its number.
func unnamed(t *ir.Type) *ir.Type {
	plain := *t
	if plain.Elem != nil {
		plain.Elem = unnamed(t.Elem)
	}
	plain.Named = false
	return &plain
}
