package bindings

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"
	"github.com/mcpgen/mcpgen/generator/internal/godoc"
	"github.com/mcpgen/mcpgen/generator/internal/goname"
	"github.com/mcpgen/mcpgen/model"
	"github.com/mcpgen/mcpgen/parser"
)

// emitCodes writes the numeric constants of the schema, which are error codes.
func (g *generator) emitCodes() {
	var codes []*model.Const
	for _, c := range g.schema.Consts {
		if n, _ := c.Value.(parser.Number); isInteger(n) {
			codes = append(codes, c)
		}
	}
	if len(codes) == 0 {
		return
	}
	f := g.file("errors")
	f.Comment("Error codes.")
	f.Const().DefsFunc(func(d *jen.Group) {
		for _, c := range codes {
			name := "Code" + goname.Const(c.Name)
			g.declare(name, "constant "+c.Name)
			doc := g.named(name, c.Doc.Text)
			if when := g.inWords(g.schema.Revisions, c.Revs); when != "" {
				doc = strings.TrimSpace(doc + " Only " + when + ".")
			}
			comment(d, godoc.Join(godoc.Text(doc, noLink), godoc.Deprecated(c.Doc.Deprecated, g.link)))
			d.Id(name).Op("=").Add(literalCode(&model.Expr{Value: c.Value}))
		}
	})
	if g.schema.Extension == "" {
		g.emitHasCode(f, codes)
	}
}

// emitHasCode writes which revisions have which error codes.
func (g *generator) emitHasCode(f *jen.File, codes []*model.Const) {
	during := map[any]model.Revs{} // by code, which may have several names
	for _, c := range codes {
		during[c.Value] = slices.Compact(slices.Sorted(slices.Values(append(during[c.Value], c.Revs...))))
	}
	groups := map[string][]jen.Code{} // codes by their revisions
	revs := map[string]model.Revs{}
	var order []string
	for _, c := range codes {
		if during[c.Value] == nil {
			continue // another name for it
		}
		key := strings.Join(during[c.Value], " ")
		if revs[key] == nil {
			order, revs[key] = append(order, key), during[c.Value]
		}
		groups[key] = append(groups[key], jen.Id("Code"+goname.Const(c.Name)))
		during[c.Value] = nil
	}
	g.declare("HasCode", "the function for the error codes of a revision")
	say(f, "HasCode reports whether revision rev has an error code.")
	f.Func().Id("HasCode").Params(jen.Id("rev").Qual(wirePath, "Revision"), jen.Id("code").Int64()).Bool().Block(
		jen.Switch(jen.Id("code")).BlockFunc(func(b *jen.Group) {
			for _, key := range order {
				b.Case(groups[key]...).Block(jen.Return(jen.Qual(wirePath, "HasRevision").Call(g.spans(revs[key]), jen.Id("rev"))))
			}
		}),
		jen.Return(jen.False()),
	)
	g.declare("HasCodeSince", "the function for the error codes that are new since a revision")
	say(f, "HasCodeSince reports whether revision rev, or a later one, is the first that has an error code.")
	f.Func().Id("HasCodeSince").Params(jen.Id("rev").Qual(wirePath, "Revision"), jen.Id("code").Int64()).Bool().Block(
		jen.For(jen.List(jen.Id("_"), jen.Id("r")).Op(":=").Range().Id("Revisions").Call()).Block(
			jen.If(jen.Id("HasCode").Call(jen.Id("r"), jen.Id("code"))).Block(
				jen.Return(jen.Id("r").Dot("Since").Call(jen.Id("rev"))),
			),
		),
		jen.Return(jen.False()),
	)
}

func isInteger(n parser.Number) bool {
	_, err := strconv.ParseInt(string(n), 10, 64)
	return err == nil
}

// literalCode is a literal of the schema in Go.
func literalCode(e *model.Expr) jen.Code {
	switch v := e.Value.(type) {
	case string:
		return jen.Lit(v)
	case bool:
		return jen.Lit(v)
	case parser.Number:
		return jen.Op(string(v)) // as it is written
	}
	return jen.Nil()
}
