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
	g.emitAsked(f, "Form", "the form of "+typeName(f.Go)+", for ask.Form", schema.Form(f), fields, false)
}

// emitSample writes the method that tells typed.Sample what the client's model must write.
func (g *generator) emitSample(f *ir.Form) {
	g.pos = f.Pos
	text := schema.Input(&ir.Tool{Input: f.Fields, Open: f.Open})
	g.emitAsked(f, "Sample", "what a model writes for "+typeName(f.Go)+", for typed.Sample", text, f.Fields, f.Open)
}

// emitAsked writes a method with the schema of a type, and what reads the fields.
func (g *generator) emitAsked(f *ir.Form, suffix, what, text string, fields []*ir.Property, open bool) {
	name, of := typeName(f.Go), g.typ(f.Go)
	whole := &ir.Func{Params: []*ir.Param{{Whole: &ir.Type{Kind: ir.Struct, Go: f.Go}}}}
	read := g.emitRead(name+suffix, "the struct "+name, whole, fields, open, nil)
	comment(g.file, "MCP%s returns %s.", suffix, what)
	form := g.args("Form").Types(of)
	g.file.Func().Params(of.Clone()).Id("MCP" + suffix).Params().Add(form).Block(
		jen.Return(form.Clone().Values(jen.Dict{
			jen.Id("Schema"): literal(text),
			jen.Id("Read"):   jen.Id(read.name),
		})),
	)
	g.file.Line()
}
