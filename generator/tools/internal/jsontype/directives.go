package jsontype

import (
	"bytes"
	"cmp"
	"encoding/json"
	"go/ast"
	"go/types"
	"slices"

	"github.com/mcpgen/mcpgen/generator/tools/internal/constraint"
	"github.com/mcpgen/mcpgen/generator/tools/internal/directive"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
	"github.com/mcpgen/mcpgen/generator/tools/internal/source"
)

// Annotated checks the directives of a type that the package declares, whether or not a function uses it.
func (a *Analyzer) Annotated(spec *ast.TypeSpec, notes []*directive.Directive) {
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
func (a *Analyzer) schema(d *directive.Directive, n *types.Named) {
	name := n.Obj().Name()
	if d.Free.Text != "" {
		if p := constraint.SchemaProblem(d.Free.Text); p != "" {
			a.problems.Addf(d.Free.Pos, "%s: %s", d, p)
		} else {
			a.unchecked(d)
		}
		for _, v := range d.Given {
			if v.Key != "for" && v.Key != "unchecked" {
				a.problems.Addf(v.Pos, "%s: a schema says all there is to say; remove %s", d, v.Key)
			}
		}
		if !ownJSON(n) && !has(n, "MarshalText") && !has(n, "UnmarshalText") {
			a.problems.Addf(d.Pos(), "%s: the JSON form of %s follows from its Go type; a schema is for types with MarshalJSON and UnmarshalJSON, or MarshalText and UnmarshalText", d, name)
		}
		return
	}
	if v := d.Get("unchecked"); v != nil {
		a.problems.Addf(v.Pos, "%s: unchecked is about a schema, which is missing", d)
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

// unchecked checks that a directive says so if its schema says what generated code does not check.
func (a *Analyzer) unchecked(d *directive.Directive) {
	places := constraint.Unchecked(d.Free.Text)
	switch v := d.Get("unchecked"); {
	case v == nil && len(places) > 0:
		a.problems.Addf(d.Free.Pos, "%s: generated code does not check %s of the schema; leave it out, or write unchecked before the schema if the methods of the type do", d, places[0])
	case v != nil && len(places) == 0:
		a.problems.Addf(v.Pos, "%s: generated code checks all of the schema; remove unchecked", d)
	}
}

// oneDescription checks that there is at most one description.
func (a *Analyzer) oneDescription(notes []*directive.Directive) {
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
func (a *Analyzer) checkUse(files []*source.File) {
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
func (a *Analyzer) unusedField(field *ast.Field, notes []*directive.Directive) {
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
		w := &Site{Pos: name.Pos(), What: "field " + name.Name, Dir: In}
		a.constraints.Apply(&ir.Property{Name: name.Name, Go: name.Name, Type: a.typeOf(v.Type(), w)}, params, w.Dir == In)
	}
}

// typeDoc returns the description of a type of the module. Comments on types of other modules are for Go
// programmers.
func (a *Analyzer) typeDoc(o *types.TypeName) string {
	if !a.pkg.Own(o.Pkg()) {
		return ""
	}
	return a.pkg.Sources.Doc(o)
}

// typeNotes holds what directives say about a type.
type typeNotes struct {
	schema        *directive.Directive // if it gives JSON
	json          string
	open, closed  bool
	discriminator *directive.Value
	value         *directive.Value
}

// typeNotes reads the directives of a type. What this package says about a type of another package takes precedence
// over what that one says.
func (a *Analyzer) typeNotes(n *types.Named) typeNotes {
	var t typeNotes
	for _, d := range slices.Concat(a.pkg.Sources.Notes(n.Origin().Obj()), a.notesAbout(n)) {
		if d.Name != "schema" {
			continue
		}
		if d.Free.Text != "" {
			t.schema = d
			t.json = compact(d.Free.Text)
		}
		t.open, t.closed = t.open || d.Has("open"), t.closed || d.Has("closed")
		t.discriminator = cmp.Or(d.Get("discriminator"), t.discriminator)
		t.value = cmp.Or(d.Get("value"), t.value)
	}
	return t
}

// compact returns a JSON text on one line, or "" if it is not valid JSON.
func compact(text string) string {
	var b bytes.Buffer
	if json.Compact(&b, []byte(text)) != nil {
		return ""
	}
	return b.String()
}
