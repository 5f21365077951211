package analyze

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/mcpgen/mcpgen/generator/tools/internal/constraint"
	"github.com/mcpgen/mcpgen/generator/tools/internal/directive"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
	"github.com/mcpgen/mcpgen/generator/tools/internal/source"
)

// annotatedType checks the directives of a type, whether or not a function uses it.
func (a *analyzer) annotatedType(spec *ast.TypeSpec, notes []*directive.Directive) {
	o, ok := a.pkg.Info.Defs[spec.Name].(*types.TypeName)
	if !ok {
		return
	}
	a.oneDescription(notes)
	for _, d := range notes {
		if d.Name != "schema" {
			continue
		}
		a.problems.Once(d, notes)
		n, ok := o.Type().(*types.Named)
		if !ok || o.IsAlias() {
			a.problems.Addf(d.Pos(), "%s: %s is another name of %s, whose form it has; write type %s %s", d, o.Name(), a.pkg.TypeString(types.Unalias(o.Type())), o.Name(), a.pkg.TypeString(types.Unalias(o.Type())))
			continue
		}
		a.schema(d, n)
	}
}

// schema checks a directive that says what a type is in JSON.
func (a *analyzer) schema(d *directive.Directive, n *types.Named) {
	name := n.Obj().Name()
	if d.Free.Text != "" {
		if p := constraint.SchemaProblem(d.Free.Text); p != "" {
			a.problems.Addf(d.Free.Pos, "%s: %s", d, p)
		}
		for _, v := range d.Given {
			if v.Key != "for" {
				a.problems.Addf(v.Pos, "%s: a schema says all there is to say; remove %s", d, v.Key)
			}
		}
		if !ownJSON(n) && !has(n, "MarshalText") && !has(n, "UnmarshalText") {
			a.problems.Addf(d.Pos(), "%s: the JSON form of %s follows from its Go type; a schema is for types with MarshalJSON and UnmarshalJSON, or MarshalText and UnmarshalText", d, name)
		}
		return
	}
	if len(d.Given) == 0 {
		a.problems.Addf(d.Pos(), "%s: what is missing is a schema, open, closed, discriminator= or value=", d)
		return
	}
	u, isInterface := n.Underlying().(*types.Interface)
	_, isStruct := n.Underlying().(*types.Struct)
	basic, isBasic := n.Underlying().(*types.Basic)
	if v := d.Get("open"); v != nil && !isStruct && (!isBasic || len(a.constants(n.Obj().Pkg())[n.Obj()]) == 0) {
		a.problems.Addf(v.Pos, "%s: open is for structs and for types with constants, and %s is neither", d, name)
	}
	if v := d.Get("closed"); v != nil && (!isBasic || len(a.enum(n, basic)) == 0) {
		a.problems.Addf(v.Pos, "%s: closed is for types whose constants are their values, and %s has none", d, name)
	}
	if v := d.Get("discriminator"); v != nil && (!isInterface || !sealed(u)) {
		a.problems.Addf(v.Pos, "%s: a discriminator tells the types of a sealed interface apart, and %s is none", d, name)
	}
	if v := d.Get("value"); v != nil && (isInterface || n.TypeParams().Len() > 0 || len(a.unionsOf(n)) == 0) {
		a.problems.Addf(v.Pos, "%s: value is for a type that implements a sealed interface, which %s does not", d, name)
	}
}

// oneDescription checks that there is at most one description.
func (a *analyzer) oneDescription(notes []*directive.Directive) {
	n := 0
	for _, d := range notes {
		if d.Name == "desc" {
			if n++; n > 1 {
				a.problems.Addf(d.Pos(), "//mcp:desc stands here twice")
			}
		}
	}
}

// checkUse checks directives of fields that no function's types have led to, as in a package whose
// types others use.
func (a *analyzer) checkUse(files []*source.File) {
	for _, f := range files {
		for _, decl := range f.Syntax.Decls {
			group, ok := decl.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, s := range group.Specs {
				switch s := s.(type) {
				case *ast.ValueSpec:
					a.oneDescription(f.Notes[s])
				case *ast.TypeSpec:
					ast.Inspect(s, func(n ast.Node) bool {
						if field, ok := n.(*ast.Field); ok && len(f.Notes[field]) > 0 {
							a.oneDescription(f.Notes[field])
							if s.TypeParams == nil {
								a.unusedField(field, f.Notes[field])
							}
						}
						return true
					})
				}
			}
		}
	}
}

// unusedField checks the directives of a field on their own.
func (a *analyzer) unusedField(field *ast.Field, notes []*directive.Directive) {
	var params []constraint.Note
	for _, d := range notes {
		if !a.used[d] && d.Name == "param" {
			params = append(params, constraint.Note{Directive: d})
		}
	}
	if len(params) == 0 {
		return
	}
	for _, name := range field.Names {
		v, ok := a.pkg.Info.Defs[name].(*types.Var)
		if !ok {
			continue
		}
		if !v.Exported() {
			a.unusable(v, "is not exported")
			continue
		}
		w := &site{pos: name.Pos(), what: "field " + name.Name, dir: in}
		a.constraints.Apply(&ir.Property{Name: name.Name, Go: name.Name, Type: a.typeOf(v.Type(), w)}, params, w.dir == in)
	}
}

// fieldPos returns where a field is declared if that is in this package, else where it is used.
func (a *analyzer) fieldPos(v *types.Var, w *site) token.Pos {
	if a.pkg.Has(v.Pos()) {
		return v.Pos()
	}
	return w.pos
}
