package emit

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"
	"github.com/mcpgen/mcpgen/generator/internal/goname"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
)

// PageFile returns the name of the file that is written for a page that is not one file already; empty if it is.
func PageFile(p *ir.Page) string {
	if p.HTML == nil {
		return ""
	}
	name := strings.TrimSuffix(strings.TrimSuffix(p.File, path.Ext(p.File)), "/index")
	return "mcp_gen_" + strings.ToLower(strings.Join(goname.Words(name), "_")) + ".html"
}

// addPage registers the page of a tool where the tool is registered.
func (g *generator) addPage(r *receiver, t *ir.Tool) {
	add := g.target.addPage(t)
	if t.Page == nil || add == nil || slices.Contains(r.pages, t.Page) {
		return
	}
	r.pages = append(r.pages, t.Page)
	r.kinds = append(r.kinds, "the page "+t.Page.URI)
	r.adds = append(r.adds, add)
}

func (g runtimeTarget) addPage(t *ir.Tool) jen.Code {
	if t.Page == nil {
		return nil
	}
	name := g.functionFor("Page", goname.Camel(t.Page.Name), t.Page.URI, func(name string) { g.emitPage(name, t.Page) })
	return g.qual(appsPath, "apps", "Add").Call(g.id("s"), jen.Id(name))
}

func (g *gosdk) addPage(t *ir.Tool) jen.Code {
	if t.Page != nil || t.OnlyApps {
		g.errorf("the tool %s: pages are for servers of mcpgen; add the page by hand as a resource, and say //mcp:meta instead of //mcp:app", t.Name)
	}
	return nil
}

// emitPage writes a page.
func (g *generator) emitPage(name string, p *ir.Page) {
	file := p.File
	if own := PageFile(p); own != "" {
		file = own
	}
	if strings.ContainsAny(file, " \"`") {
		file = strconv.Quote(file)
	}
	html := g.declare(name + "HTML")
	g.file.Anon("embed")
	g.file.Comment("//go:embed " + file)
	g.file.Var().Id(html).String()
	g.file.Line()
	comment(g.file, "%s is the page %s.", name, p.URI)
	g.file.Var().Id(name).Op("=").Add(g.qual(appsPath, "apps", "Page")).CustomFunc(multiline, func(v *jen.Group) {
		v.Id("URI").Op(":").Add(literal(p.URI))
		v.Id("Name").Op(":").Add(literal(p.Name))
		v.Id("HTML").Op(":").Id(html)
		if meta := g.pageMeta(p); len(meta) > 0 {
			v.Id("Meta").Op(":").Add(g.ui("ResourceMeta")).Custom(multiline, meta...)
		}
	})
	g.file.Line()
}

func (g *generator) ui(name string) *jen.Statement { return g.qual(uiPath, "ui", name) }

// pageMeta returns the fields of a page's metadata.
func (g *generator) pageMeta(p *ir.Page) (fields []jen.Code) {
	var csp, permissions []jen.Code
	for _, list := range []struct {
		field   string
		origins []string
	}{{"ConnectDomains", p.Connect}, {"ResourceDomains", p.Resource}, {"FrameDomains", p.Frame}} {
		if len(list.origins) > 0 {
			csp = append(csp, jen.Id(list.field).Op(":").Index().String().ValuesFunc(func(v *jen.Group) { words(v, list.origins) }))
		}
	}
	for _, what := range p.Permissions {
		field := goname.Camel(strings.ReplaceAll(what, "-", "_"))
		permissions = append(permissions, jen.Id(field).Op(":").New(g.ui("ResourcePermissions"+field)))
	}
	if len(csp) > 0 {
		fields = append(fields, jen.Id("Csp").Op(":").Op("&").Add(g.ui("ResourceCsp")).Values(csp...))
	}
	if len(permissions) > 0 {
		fields = append(fields, jen.Id("Permissions").Op(":").Op("&").Add(g.ui("ResourcePermissions")).Values(permissions...))
	}
	if p.Border != nil {
		fields = append(fields, jen.Id("PrefersBorder").Op(":").New(jen.Lit(*p.Border)))
	}
	return fields
}
