package client

import (
	"strings"

	"github.com/dave/jennifer/jen"
	"github.com/mcpgen/mcpgen/generator/internal/godoc"
)

// A method is one of the client.
type method struct {
	name   string
	doc    string
	params []jen.Code
	args   []jen.Code // the names of the parameters
	result *jen.Statement
	body   func(*jen.Group)
}

// method is the method that gets a prompt.
func (g *generator) promptMethod(c *promptCall) *method {
	result := jen.Op("*").Qual(mcpPath, "GetPromptResult")
	return &method{
		name:   c.name,
		doc:    godoc.Join(wrap(c.name+" gets the prompt "+c.prompt.Name+"."), wrap(c.prompt.Description)),
		params: []jen.Code{jen.Id("ctx").Qual("context", "Context"), jen.Id("args").Id(c.args)},
		args:   []jen.Code{jen.Id("ctx"), jen.Id("args")},
		result: result,
		body: func(b *jen.Group) {
			b.Id("params").Op(":=").Op("&").Qual(mcpPath, "GetPromptRequestParams").ValuesFunc(func(v *jen.Group) {
				v.Id("Name").Op(":").Lit(c.prompt.Name)
				if len(c.fields) == 0 {
					return
				}
				v.Id("Arguments").Op(":").Map(jen.String()).String().Values(jen.DictFunc(func(d jen.Dict) {
					for _, f := range c.fields {
						if f.required {
							d[jen.Lit(f.key)] = jen.Id("args").Dot(f.name)
						}
					}
				}))
			})
			for _, f := range c.fields {
				if !f.required {
					b.If(jen.Id("args").Dot(f.name).Op("!=").Nil()).Block(
						jen.Id("params").Dot("Arguments").Index(jen.Lit(f.key)).Op("=").Op("*").Id("args").Dot(f.name))
				}
			}
			b.Return(jen.Id("c").Dot("c").Dot("GetPrompt").Call(jen.Id("ctx"), jen.Id("params")))
		},
	}
}

// emitPromptArgs writes the arguments of a prompt.
func (g *generator) emitPromptArgs(c *promptCall) {
	say(g.file, c.args+" are the arguments of the prompt "+c.prompt.Name+".")
	g.file.Type().Id(c.args).StructFunc(func(s *jen.Group) {
		for _, f := range c.fields {
			comment(s, f.doc)
			s.Id(f.name).Add(f.goType())
		}
	})
	g.file.Line()
}

// readMethod is the method that reads a resource.
func (g *generator) readMethod(c *readCall) *method {
	m := &method{
		name:   c.name,
		params: []jen.Code{jen.Id("ctx").Qual("context", "Context")},
		args:   []jen.Code{jen.Id("ctx")},
		result: jen.Op("*").Qual(mcpPath, "ReadResourceResult"),
	}
	var optional []string
	for _, v := range c.vars {
		t := jen.String()
		if v.list {
			t = jen.Index().String()
		} else if v.optional {
			optional = append(optional, v.param)
		}
		m.params = append(m.params, jen.Id(v.param).Add(t))
		m.args = append(m.args, jen.Id(v.param))
	}
	about := c.name + " reads a resource of the template " + c.template.URITemplate + "."
	if len(optional) > 0 {
		about += " What is empty is left out: " + strings.Join(optional, ", ") + "."
	}
	m.doc = godoc.Join(wrap(about), wrap(c.template.Description))
	m.body = func(b *jen.Group) {
		b.Id("vars").Op(":=").Map(jen.String()).Index().String().Values(jen.DictFunc(func(d jen.Dict) {
			for _, v := range c.vars {
				switch {
				case v.list:
					d[jen.Lit(v.name)] = jen.Id(v.param)
				case !v.optional:
					d[jen.Lit(v.name)] = jen.Values(jen.Id(v.param))
				}
			}
		}))
		for _, v := range c.vars {
			if v.optional && !v.list {
				b.If(jen.Id(v.param).Op("!=").Lit("")).Block(jen.Id("vars").Index(jen.Lit(v.name)).Op("=").Index().String().Values(jen.Id(v.param)))
			}
		}
		uri := jen.Qual(expandPath, "URI").Call(jen.Lit(c.template.URITemplate), jen.Id("vars"))
		b.Return(jen.Id("c").Dot("c").Dot("ReadResource").Call(jen.Id("ctx"),
			jen.Op("&").Qual(mcpPath, "ReadResourceRequestParams").Values(jen.Id("URI").Op(":").Add(uri))))
	}
	return m
}
