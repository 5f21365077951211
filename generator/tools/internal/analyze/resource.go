package analyze

import (
	"mime"
	"net/url"
	"slices"
	"strings"

	"github.com/yosida95/uritemplate/v3"

	"github.com/mcpgen/mcpgen/generator/internal/spelling"
	"github.com/mcpgen/mcpgen/generator/tools/internal/directive"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
)

// resource analyzes a function as a resource, or as a family of resources by a template.
func (a *analyzer) resource(f *function, d *directive.Directive) {
	if len(d.Words) == 0 {
		return // which the parser of directives has said
	}
	r := &ir.Resource{Func: f.Func, Pos: a.pkg.Position(d.Pos()), URI: d.Words[0].Text}
	r.Name = a.offerName(d, f.Func)
	variables, ok := a.uri(r, d)
	if ok {
		r.Access = a.access(d, variables)
	}
	r.Extras = a.extras(f.notes)
	a.annotations(d, r)
	r.Parameters = f.Arguments()
	r.Title, r.Description = f.Title, f.Description
	for _, p := range r.Parameters {
		if !ok || p.Required || slices.Contains(variables, p.Name) {
			r.Variables = append(r.Variables, p)
		}
	}
	a.spellable(f, r.Variables, "a variable of a template")
	if ok {
		a.bind(f, d, r.Parameters, variables)
	}
	r.Output, r.MIMEType = f.ResourceOutput()
	if v := d.Get("mime"); v != nil {
		if t, _, err := mime.ParseMediaType(v.Text); err != nil || !strings.Contains(t, "/") {
			a.problems.Addf(v.Pos, "%s: %q is no media type, such as text/markdown", d, v.Text)
		}
		r.MIMEType = v.Text
	}
	a.out.Resources = append(a.out.Resources, r)
	a.offers = append(a.offers,
		offer{"resource name", r.Name, "name= gives another", f.Func, d.Pos()},
		offer{"URI", r.URI, "a URI leads to one function", f.Func, d.Pos()})
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
			a.problems.Addf(d.Words[0].Pos, "%s: %s has no parameter for the variable %s%s", d, f.Func.GoName(), v, spelling.DidYouMean(v, names))
		}
	}
	for _, p := range properties {
		switch {
		case !p.Required:
		case len(variables) == 0:
			a.problems.Addf(f.PosOf(p), "%s: the URI %s has no variables, so nothing gives %s a value; write a template such as %s/{%s}", f.Func.GoName(), d.Words[0].Text, p.Go, strings.TrimRight(d.Words[0].Text, "/"), p.Name)
		case !slices.Contains(variables, p.Name):
			a.problems.Addf(f.PosOf(p), "%s: the template %s has no variable %s%s", f.Func.GoName(), d.Words[0].Text, p.Name, spelling.DidYouMean(p.Name, variables))
		}
	}
}
