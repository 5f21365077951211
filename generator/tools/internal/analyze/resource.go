package analyze

import (
	"go/token"
	"go/types"
	"mime"
	"net/url"
	"slices"
	"strings"

	"github.com/yosida95/uritemplate/v3"

	"github.com/mcpgen/mcpgen/generator/internal/spelling"
	"github.com/mcpgen/mcpgen/generator/tools/internal/directive"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
	"github.com/mcpgen/mcpgen/generator/tools/internal/jsontype"
)

// resource analyzes a function as a resource, or as a family of resources by a template.
func (a *analyzer) resource(f *function, d *directive.Directive) {
	if len(d.Words) == 0 {
		return // which the parser of directives has said
	}
	r := &ir.Resource{Func: f.fn, Pos: a.pkg.Position(d.Pos()), URI: d.Words[0].Text}
	r.Name = a.offerName(d, f.fn)
	variables, ok := a.uri(r, d)
	if ok {
		r.Access = a.access(d, variables)
	}
	r.Extras = a.extras(f.notes)
	a.annotations(d, r)
	r.Parameters = a.arguments(f, false)
	r.Title, r.Description = f.title, f.description
	for _, p := range r.Parameters {
		if !ok || p.Required || slices.Contains(variables, p.Name) {
			r.Variables = append(r.Variables, p)
		}
	}
	a.spellable(f, r.Variables, "a variable of a template")
	if ok {
		a.bind(f, d, r.Parameters, variables)
	}
	a.resourceOutput(f, r)
	if v := d.Get("mime"); v != nil {
		if t, _, err := mime.ParseMediaType(v.Text); err != nil || !strings.Contains(t, "/") {
			a.problems.Addf(v.Pos, "%s: %q is no media type, such as text/markdown", d, v.Text)
		}
		r.MIMEType = v.Text
	}
	a.out.Resources = append(a.out.Resources, r)
	a.offers = append(a.offers,
		offer{"resource name", r.Name, "name= gives another", f.fn, d.Pos()},
		offer{"URI", r.URI, "a URI leads to one function", f.fn, d.Pos()})
	a.addTarget(f, target{names: propertyNames(r.Variables), plain: !r.Template, completions: &r.Completions})
}

// uri checks the URI or template of a resource and returns the variables of the template.
func (a *analyzer) uri(r *ir.Resource, d *directive.Directive) (variables []string, ok bool) {
	pos := d.Words[0].Pos
	sample := r.URI
	if strings.ContainsAny(r.URI, "{}") {
		t, err := uritemplate.New(r.URI)
		if err != nil {
			a.problems.Addf(pos, "%s: this is no URI template of RFC 6570; a variable is written {name}", d)
			return nil, false
		}
		r.Template = true
		variables = t.Varnames()
		if len(variables) == 0 {
			a.problems.Addf(pos, "%s: the template has no variable; one is written {name}", d)
			return nil, false
		}
		values := uritemplate.Values{}
		for _, v := range variables {
			values.Set(v, uritemplate.String("x"))
		}
		sample, _ = t.Expand(values)
	}
	if u, err := url.Parse(sample); err != nil || u.Scheme == "" || sample == u.Scheme+":" {
		a.problems.Addf(pos, "%s: a resource has a URI with a scheme, such as notes://{id}", d)
		return nil, false
	}
	return variables, true
}

// bind checks that each variable of a template is a parameter of the function, and each parameter that is required a
// variable.
func (a *analyzer) bind(f *function, d *directive.Directive, properties []*ir.Property, variables []string) {
	names := propertyNames(properties)
	for _, v := range variables {
		if !slices.Contains(names, v) {
			a.problems.Addf(d.Words[0].Pos, "%s: %s has no parameter for the variable %s%s", d, f.fn.GoName(), v, spelling.DidYouMean(v, names))
		}
	}
	for _, p := range properties {
		switch {
		case !p.Required:
		case len(variables) == 0:
			a.problems.Addf(a.propertyPos(f, p), "%s: the URI %s has no variables, so nothing gives %s a value; write a template such as %s/{%s}", f.fn.GoName(), d.Words[0].Text, p.Go, strings.TrimRight(d.Words[0].Text, "/"), p.Name)
		case !slices.Contains(variables, p.Name):
			a.problems.Addf(a.propertyPos(f, p), "%s: the template %s has no variable %s%s", f.fn.GoName(), d.Words[0].Text, p.Name, spelling.DidYouMean(p.Name, variables))
		}
	}
}

// propertyPos returns where a parameter is declared.
func (a *analyzer) propertyPos(f *function, p *ir.Property) token.Pos {
	for i, q := range f.fn.Params {
		if q.Property == p {
			return f.sig.Params().At(i).Pos()
		}
	}
	return f.decl.Name.Pos()
}

// resourceOutput determines what the result of a function becomes.
func (a *analyzer) resourceOutput(f *function, r *ir.Resource) {
	t := a.oneResult(f, "string, []byte, a JSON value, []mcp.ResourceContents or *mcp.ReadResourceResult")
	switch {
	case t == nil:
	case isString(t):
		r.Output, r.MIMEType = ir.ResourceText, "text/plain"
	case types.Identical(types.Unalias(t), types.NewSlice(types.Typ[types.Byte])):
		r.Output, r.MIMEType = ir.ResourceBlob, "application/octet-stream"
	case isProtocol(t, "[]ResourceContents", "[]*ResourceContents"):
		r.Output = ir.ResourceContents
	case isProtocol(t, "*ReadResourceResult", "*ReadResourceResult"):
		r.Output = ir.ResourceWhole
	case isContent(t), pointerTo(t) == pathServer+".Result", named(t) == pathServer+".Result":
		a.problems.Addf(f.sig.Results().At(0).Pos(), "%s: a resource is no content of a tool; return string, []byte, a JSON value, []mcp.ResourceContents or *mcp.ReadResourceResult", f.fn.GoName())
	default:
		r.Output, r.MIMEType = ir.ResourceJSON, "application/json"
		f.fn.Results[0].Type = a.types.Type(t, jsontype.Site{Pos: f.sig.Results().At(0).Pos(), What: f.fn.GoName() + ": result", Dir: jsontype.Out})
	}
}
