package emit

import (
	"github.com/dave/jennifer/jen"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
	"github.com/mcpgen/mcpgen/generator/tools/internal/schema"
)

// emitForm writes the method that tells ask.Form the form of a type. What a user enters is validated against the
// schema before it is read, so only the Go types are left to check.
func (g *generator) emitForm(f *ir.Form) {
	g.pos = f.Pos
	fields := make([]*ir.Property, len(f.Fields))
	for i, p := range f.Fields {
		read := *p
		read.Required, read.Default, read.Constraints = false, nil, nil
		if p.Constraints != nil && deref(p.Type).Kind == ir.Time {
			read.Constraints = p.Constraints
		}
		fields[i] = &read
	}
	name, of := typeName(f.Go), g.typ(f.Go)
	whole := &ir.Func{Params: []*ir.Param{{Whole: &ir.Type{Kind: ir.Struct, Go: f.Go}}}}
	read := g.emitRead(name+"Form", "the struct "+name, whole, fields, false, nil)
	comment(g.file, "MCPForm returns the form of %s, for ask.Form.", name)
	form := g.args("Form").Types(of)
	g.file.Func().Params(of.Clone()).Id("MCPForm").Params().Add(form).Block(
		jen.Return(form.Clone().Values(jen.Dict{
			jen.Id("Schema"): literal(schema.Form(f)),
			jen.Id("Read"):   jen.Id(read.name),
		})),
	)
	g.file.Line()
}
