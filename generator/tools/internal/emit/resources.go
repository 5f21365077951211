package emit

import (
	"go/types"
	"regexp"
	"strings"

	"github.com/dave/jennifer/jen"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
)

// emitResource writes everything that belongs to one resource or template.
func (g *generator) emitResource(r *ir.Resource) {
	g.pos = r.Pos
	base := g.funcName(r.Func)
	typ, field, what := "Resource", "URI", "the resource "+r.URI
	if r.Template {
		typ, field, what = "ResourceTemplate", "URITemplate", "the resources "+r.URI
	}
	def := g.declare("mcp" + typ + base)
	g.file.Var().Id(def).Op("=").Add(g.mcp(typ)).CustomFunc(multiline, func(v *jen.Group) {
		v.Id("Name").Op(":").Lit(r.Name)
		setText(v, "Title", r.Title)
		v.Id(field).Op(":").Add(literal(r.URI))
		setText(v, "Description", r.Description)
		setText(v, "MIMEType", r.MIMEType)
		g.setAnnotations(v, r)
		g.setExtras(v, &r.Extras)
	})
	g.file.Line()

	var read readFunc
	parts := simpleTemplate(r.URI)
	if len(r.Parameters) > 0 {
		read = g.emitRead(base, what, r.Func, r.Parameters, false, nil)
	}
	if r.Template {
		g.target.checkTemplate(r, parts)
	}
	handler := g.declare("mcp" + base)
	rcv := g.receiverOf(r.Func)
	rcv.kinds = append(rcv.kinds, what)
	rcv.adds = append(rcv.adds, g.target.addResource(r, parts, def, g.handlerOf(rcv, handler)))

	of, params := g.target.resourceHandler(r.Template)
	g.emitHandler(handler, what, r.Func, params, g.resultsOf("ReadResourceResult"), of, func(b *jen.Group) {
		g.pos = r.Pos
		switch {
		case r.Template:
			g.target.match(b, parts)
			g.callRead(b, read, r.Func, g.args("OfStrings").Call(g.id("vars")))
		case len(r.Parameters) > 0: // all of which are optional
			g.callRead(b, read, r.Func, g.args("OfStrings").Call(jen.Nil()))
		}
		g.callResource(b, r)
	})
	for _, c := range r.Completions {
		g.pos = c.Pos
		g.target.emitCompletion(c, false, r.URI)
	}
}

// expression is what stands in a template between literals.
var expression = regexp.MustCompile(`\{([^{}]*)\}`)

// variable is the simplest one: the name of a variable.
var variable = regexp.MustCompile(`^[A-Za-z0-9_]+$`)

// simpleTemplate splits a template into literals and names, nil if it has other expressions, or
// variables whose ends only trying can find.
func simpleTemplate(template string) []jen.Code {
	var parts []jen.Code
	rest := template
	for {
		at := expression.FindStringSubmatchIndex(rest)
		if at == nil {
			break
		}
		literal, name := rest[:at[0]], rest[at[2]:at[3]]
		rest = rest[at[1]:]
		if !variable.MatchString(name) || rest != "" && (rest[0] == '{' || mayBeInValue(rest[0])) {
			return nil
		}
		parts = append(parts, jen.Lit(literal), jen.Lit(name))
	}
	if rest != "" {
		parts = append(parts, jen.Lit(rest))
	}
	return parts
}

// mayBeInValue reports whether the value of a variable can contain c.
func mayBeInValue(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~%,", c) >= 0
}

// callResource writes the statements that call the function of a resource and return its result.
func (g *generator) callResource(b *jen.Group, r *ir.Resource) {
	f, result := r.Func, g.id("result")
	switch r.Output {
	case ir.ResourceWhole:
		g.areOurs(f)
		b.Return(g.both(f))
	case ir.ResourceContents:
		g.areOurs(f)
		g.results(b, f)
		b.Return(jen.Op("&").Add(g.mcp("ReadResourceResult")).Values(jen.Id("Contents").Op(":").Add(result)), jen.Nil())
	case ir.ResourceText:
		g.results(b, f)
		b.Return(g.target.textResource(r, g.plain(f.Results[0].Type, types.String, result)), jen.Nil())
	case ir.ResourceBlob:
		g.results(b, f)
		b.Return(g.target.blobResource(r, result), jen.Nil())
	case ir.ResourceJSON:
		g.results(b, f)
		t, ref := f.Results[0].Type, jen.Op("&").Add(result)
		if t.Kind == ir.Pointer {
			b.If(result.Clone().Op("==").Nil()).Block(jen.Return(jen.Nil(), g.target.notFound()))
			t, ref = t.Elem, result
		}
		g.unpromised = true
		put := g.putElem(t, &none)
		g.unpromised = false
		b.List(g.id("content"), g.id("err")).Op(":=").Add(g.args("Encode")).Call(ref, put)
		g.returnError(b)
		b.Return(g.target.textResource(r, jen.String().Call(g.id("content"))), jen.Nil())
	}
}
