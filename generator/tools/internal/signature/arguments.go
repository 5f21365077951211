package signature

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/spelling"
	"github.com/mcpgen/mcpgen/generator/tools/internal/directive"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
	"github.com/mcpgen/mcpgen/generator/tools/internal/jsontype"
)

// Arguments returns the properties that the arguments of a tool, a prompt or a resource are.
func (f *Function) Arguments() []*ir.Property {
	properties := f.arguments(f.by.Name != "resource")
	if f.by.Name == "tool" {
		f.headers(properties)
	}
	return properties
}

// arguments returns the parameters, or the fields of the one struct that the function takes. If wholes are not allowed,
// a struct is a property like any other.
func (f *Function) arguments(wholes bool) []*ir.Property {
	f.texts()
	byParam := f.paramNotes()
	var properties []*ir.Property
	lone := f.lone()
	named := make(map[string]string)
	for i, p := range f.Func.Params {
		if p.Injected != ir.NotInjected {
			continue
		}
		v := f.sig.Params().At(i)
		if p.Name == "" || p.Name == "_" {
			f.problems.Addf(v.Pos(), "%s: an argument needs a name; name the parameter", f.Func.GoName())
			continue
		}
		if advice := nearMiss(p.Go); advice != "" {
			f.problems.Addf(v.Pos(), "%s: parameter %s: %s is no argument; %s", f.Func.GoName(), p.Name, f.pkg.TypeString(p.Go), advice)
			continue
		}
		where := jsontype.Site{Pos: v.Pos(), What: f.Func.GoName() + ": parameter " + p.Name, Dir: jsontype.In, Bare: lone && wholes, Member: !p.Variadic}
		t := f.types.Type(p.Go, where)
		if lone && wholes {
			if whole := t; whole.Kind == ir.Struct || whole.Kind == ir.Pointer && whole.Elem.Kind == ir.Struct {
				p.Whole = f.whole(p, whole, byParam[p.Name], where)
				whole = p.Whole
				if whole.Kind == ir.Pointer {
					whole = whole.Elem
				}
				f.Open = whole.Open
				return whole.Fields
			}
		}
		prop := &ir.Property{
			Name: p.Name, Go: p.Name, Description: f.about[p.Name], Type: t,
			Required: !t.MayBeAbsent() && !p.Variadic,
			Pos:      f.pkg.Position(v.Pos()),
		}
		f.pathway().notes(prop, byParam[p.Name], f.descsOf(p.Name), where)
		p.Property = prop
		if other, ok := named[prop.Name]; ok {
			f.problems.Addf(v.Pos(), "%s: the parameters %s and %s are both called %s", f.Func.GoName(), other, p.Name, prop.Name)
		}
		named[prop.Name] = p.Name
		properties = append(properties, prop)
	}
	return properties
}

// lone reports whether exactly one parameter of a function is an argument.
func (f *Function) lone() bool {
	n := 0
	for _, p := range f.Func.Params {
		if p.Injected == ir.NotInjected {
			n++
			if p.Variadic {
				return false
			}
		}
	}
	return n == 1
}

// whole returns the type of the parameter that holds all arguments, as changed by directives with paths. It refuses
// other directives about that parameter.
func (f *Function) whole(p *ir.Param, t *ir.Type, notes []*directive.Directive, where jsontype.Site) *ir.Type {
	var paths []*directive.Directive
	for _, d := range notes {
		if d.Words[0].Text == p.Name && !onlyFields(d) {
			f.problems.Addf(d.Pos(), "%s: the fields of %s are the arguments of %s; write //mcp:param above the field, or //mcp:param %s.Field here", d, p.Name, f.Func.GoName(), p.Name)
		} else {
			paths = append(paths, d)
		}
	}
	if _, ok := f.about[p.Name]; ok {
		f.problems.Addf(f.decl.Doc.Pos(), "%s: the fields of %s are the arguments, so nobody sees a description of %s; describe the fields", f.Func.GoName(), p.Name, p.Name)
	}
	root := &ir.Property{Go: p.Name, Type: t}
	w := f.pathway()
	if f.by.Has("oneof") {
		w.own(&root.Type)
		if root.Type.Kind == ir.Pointer {
			w.own(&root.Type.Elem)
		}
	}
	w.notes(root, paths, f.descsOf(p.Name), where)
	return root.Type
}

// descsOf returns the descriptions of fields in a parameter.
func (f *Function) descsOf(param string) []pathDesc {
	var out []pathDesc
	for _, d := range f.inside {
		if strings.HasPrefix(d.Text, param+".") {
			out = append(out, d)
		}
	}
	return out
}

// paramNotes returns the directives about parameters, by parameter.
func (f *Function) paramNotes() map[string][]*directive.Directive {
	by := make(map[string][]*directive.Directive)
	var params []string
	injected := make(map[string]string)
	for _, p := range f.Func.Params {
		if p.Injected == ir.NotInjected {
			params = append(params, p.Name)
		} else {
			injected[p.Name] = f.pkg.TypeString(p.Go)
		}
	}
	for _, d := range f.notes {
		if d.Name != "param" || len(d.Words) == 0 {
			continue
		}
		w := d.Words[0]
		if len(strings.Fields(d.Comment.Text)) == 2 {
			f.problems.Addf(d.Pos(), "%s: it says nothing about %s, as %s does", d, w.Text, d.Example)
			continue
		}
		if param, ok := isPath(w.Text, params); ok {
			by[param] = append(by[param], d)
			continue
		}
		w.Text, _, _ = strings.Cut(w.Text, ".")
		t, isInjected := injected[w.Text]
		switch {
		case slices.Contains(params, w.Text):
			by[w.Text] = append(by[w.Text], d)
		case slices.Contains(f.members, w.Text):
			f.problems.Addf(d.Pos(), "%s: %s is a result; write //mcp:result %s", d, w.Text, w.Text)
			f.problems.Suggest("//mcp:param", "//mcp:result")
		case isInjected:
			f.problems.Addf(w.Pos, "%s: %s is no argument; a %s comes from the call", d, w.Text, t)
		case spelling.Nearest(w.Text, params) == "" && len(params) > 0:
			f.problems.Addf(w.Pos, "%s: %s has no parameter %s; it has %s", d, f.Func.GoName(), w.Text, strings.Join(params, ", "))
		default:
			f.problems.Addf(w.Pos, "%s: %s has no parameter %s%s", d, f.Func.GoName(), w.Text, spelling.DidYouMean(w.Text, params))
			f.problems.Suggest(w.Text, spelling.Nearest(w.Text, params))
		}
	}
	return by
}
