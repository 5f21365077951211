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
	})
	g.file.Line()

	var read readFunc
	parts := simpleTemplate(r.URI)
	if r.Template {
		read = g.emitRead(base, what, r.Func, r.Variables, false)
		if g.gosdk && parts == nil {
			g.errorf("the Go SDK does not give the values of a template, and those of %s take more than {name}", r.URI)
		}
	}
	handler := g.declare("mcp" + base)
	rcv := g.receiverOf(r.Func)
	rcv.kinds = append(rcv.kinds, what)
	rcv.adds = append(rcv.adds, g.addResource(r, parts, def, g.handlerOf(rcv, handler)))

	handlerType := "ResourceHandler"
	params := []jen.Code{g.ctxParam(), g.callParamOf(), g.id("uri").String()}
	if r.Template {
		handlerType = "TemplateHandler"
		params = append(params, g.id("vars").Map(jen.String()).String())
	}
	if g.gosdk {
		params, handlerType = g.gosdkParams("ReadResourceRequest"), "ResourceHandler"
	}
	of := g.handlerType(strings.TrimSuffix(handlerType, "Handler"))
	g.emitHandler(handler, what, r.Func, params, g.resultsOf("ReadResourceResult"), of, func(b *jen.Group) {
		g.pos = r.Pos
		if r.Template {
			if g.gosdk {
				g.gosdkMatch(b, parts)
			}
			g.callRead(b, read, r.Func, g.args("OfStrings").Call(g.id("vars")))
		}
		g.callResource(b, r)
	})
	for _, c := range r.Completions {
		g.emitCompletion(c, "CompleteTemplate", r.URI)
	}
}

// addResource is the expression that registers a resource or a template.
func (g *generator) addResource(r *ir.Resource, parts []jen.Code, def string, handler *jen.Statement) jen.Code {
	s := g.id("s")
	switch {
	case g.gosdk && r.Template:
		return s.Dot("AddResourceTemplate").Call(jen.Op("&").Id(def), handler)
	case g.gosdk:
		return s.Dot("AddResource").Call(jen.Op("&").Id(def), handler)
	case !r.Template:
		return s.Dot("AddResource").Call(jen.Id(def), handler)
	case parts == nil:
		return g.qual(uritemplatePath, "uritemplate", "Add").Call(s, jen.Id(def), handler)
	}
	match := g.declare("mcpMatch" + g.funcName(r.Func))
	uri := g.id("uri")
	comment(g.file, "%s tells whether a URI fits %s.", match, r.URI)
	g.file.Func().Id(match).Params(uri.Clone().String()).Params(jen.Map(jen.String()).String(), jen.Bool()).Block(
		jen.Return(g.args("MatchURI").Call(append([]jen.Code{uri}, parts...)...)),
	)
	g.file.Line()
	return s.Dot("AddTemplate").Call(jen.Id(def), jen.Id(match), handler)
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

// mayBeInValue reports whether the value of a variable can hold c.
func mayBeInValue(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~%,", c) >= 0
}

// gosdkMatch writes the statements that find the values of a template.
func (g *generator) gosdkMatch(b *jen.Group, parts []jen.Code) {
	uri := g.id("req").Dot("Params").Dot("URI")
	vars, ok := g.id("vars"), g.id("o")
	b.List(vars, ok).Op(":=").Add(g.args("MatchURI")).Call(append([]jen.Code{uri}, parts...)...)
	b.If(jen.Op("!").Add(ok)).Block(jen.Return(jen.Nil(), g.mcp("ResourceNotFoundError").Call(uri)))
}

// callResource writes the statements that call the function of a resource and return its result.
func (g *generator) callResource(b *jen.Group, r *ir.Resource) {
	f, result := r.Func, g.id("result")
	switch r.Output {
	case ir.ResourceWhole:
		g.isOurs(f)
		b.Return(g.both(f))
	case ir.ResourceContents:
		g.isOurs(f)
		g.results(b, f)
		b.Return(jen.Op("&").Add(g.mcp("ReadResourceResult")).Values(jen.Id("Contents").Op(":").Add(result)), jen.Nil())
	case ir.ResourceText:
		g.results(b, f)
		b.Return(g.textResource(r, g.plain(f.Results[0].Type, types.String, result)), jen.Nil())
	case ir.ResourceBlob:
		g.results(b, f)
		b.Return(g.blobResource(r, result), jen.Nil())
	case ir.ResourceJSON:
		g.results(b, f)
		t, ref := f.Results[0].Type, jen.Op("&").Add(result)
		if t.Kind == ir.Pointer {
			b.If(result.Clone().Op("==").Nil()).Block(jen.Return(jen.Nil(), g.notFound()))
			t, ref = t.Elem, result
		}
		g.unpromised = true
		put := g.putElem(t, &none)
		g.unpromised = false
		b.List(g.id("content"), g.id("err")).Op(":=").Add(g.args("Encode")).Call(ref, put)
		g.returnError(b)
		b.Return(g.textResource(r, jen.String().Call(g.id("content"))), jen.Nil())
	}
}

func (g *generator) notFound() *jen.Statement {
	if g.gosdk {
		return g.mcp("ResourceNotFoundError").Call(g.id("req").Dot("Params").Dot("URI"))
	}
	return g.server("ErrNotFound")
}

func (g *generator) textResource(r *ir.Resource, text *jen.Statement) *jen.Statement {
	if g.gosdk {
		return g.gosdkContents(r, jen.Id("Text").Op(":").Add(text))
	}
	return g.server("TextResource").Call(jen.Lit(r.MIMEType), text)
}

func (g *generator) blobResource(r *ir.Resource, blob *jen.Statement) *jen.Statement {
	if g.gosdk {
		return g.gosdkContents(r, jen.Id("Blob").Op(":").Add(blob))
	}
	return jen.Op("&").Add(g.mcp("ReadResourceResult")).Values(
		jen.Id("Contents").Op(":").Index().Add(g.mcp("ResourceContents")).Values(
			jen.Op("&").Add(g.mcp("BlobResourceContents")).ValuesFunc(func(v *jen.Group) {
				setText(v, "MIMEType", r.MIMEType)
				v.Id("Blob").Op(":").Add(g.std("encoding/base64", "StdEncoding")).Dot("EncodeToString").Call(blob)
			})))
}

func (g *generator) gosdkContents(r *ir.Resource, content *jen.Statement) *jen.Statement {
	return jen.Op("&").Add(g.mcp("ReadResourceResult")).Values(
		jen.Id("Contents").Op(":").Index().Op("*").Add(g.mcp("ResourceContents")).Values(
			jen.ValuesFunc(func(v *jen.Group) {
				v.Id("URI").Op(":").Add(g.id("req")).Dot("Params").Dot("URI")
				setText(v, "MIMEType", r.MIMEType)
				v.Add(content)
			})))
}
