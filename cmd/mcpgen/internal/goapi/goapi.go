// Package goapi lists the exported declarations of a Go package, and tells how two versions of one differ
// for those who use it.
//
// It reads the files of the package alone, so that it works where its dependencies are missing: of what a
// package imports it knows the names.
package goapi

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// An API is what a package exports.
type API struct{ decls map[string]decl }

// A decl is an exported declaration, a field or a method.
type decl struct {
	text string // without the name
	of   string // the type whose field or method it is
	must bool   // others have to have it: a method of an interface that can be implemented elsewhere
}

// Read returns what the files of a package export, given by name. Files that are no Go code, and tests, are
// left out. What does not type-check counts as far as it can be understood.
func Read(files map[string][]byte) (*API, error) {
	fset := token.NewFileSet()
	var parsed []*ast.File
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, files[name], parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		parsed = append(parsed, f)
	}
	conf := types.Config{
		IgnoreFuncBodies: true,
		FakeImportC:      true,
		Importer:         inventImports(parsed),
		Error:            func(error) {}, // about what is known of imports by name alone
	}
	pkg, _ := conf.Check("p", fset, parsed, nil)
	api := &API{decls: map[string]decl{}}
	for _, name := range pkg.Scope().Names() {
		if obj := pkg.Scope().Lookup(name); obj.Exported() {
			api.add(obj)
		}
	}
	return api, nil
}

func (a *API) add(obj types.Object) {
	name := obj.Name()
	switch obj := obj.(type) {
	case *types.Const:
		a.decls[name] = decl{text: "const " + typeText(obj.Type()) + " = " + valueText(obj.Val())}
	case *types.Var:
		a.decls[name] = decl{text: "var " + typeText(obj.Type())}
	case *types.Func:
		a.decls[name] = decl{text: "func" + signatureText(obj.Signature())}
	case *types.TypeName:
		if named, ok := obj.Type().(*types.Named); ok && !obj.IsAlias() {
			a.addType(name, named)
			return
		}
		a.decls[name] = decl{text: "type = " + typeText(types.Unalias(obj.Type()))}
	}
}

// addType adds a type with its fields and methods.
func (a *API) addType(name string, t *types.Named) {
	text := "type"
	if n := t.TypeParams().Len(); n > 0 {
		text += fmt.Sprintf(" of %d parameters", n)
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		text += " struct"
		for f := range u.Fields() {
			if f.Exported() {
				a.decls[name+"."+f.Name()] = decl{text: typeText(f.Type()), of: name}
			}
		}
	case *types.Interface:
		text += " interface"
		sealed := false
		for m := range u.Methods() {
			sealed = sealed || !m.Exported()
		}
		for m := range u.Methods() {
			if m.Exported() {
				a.decls[name+"."+m.Name()] = decl{text: "method" + signatureText(m.Signature()), of: name, must: !sealed}
			}
		}
	default:
		text += " " + typeText(u)
	}
	a.decls[name] = decl{text: text}
	if types.IsInterface(t) {
		return
	}
	for m := range types.NewMethodSet(types.NewPointer(t)).Methods() {
		f, ok := m.Obj().(*types.Func)
		if !ok || !f.Exported() {
			continue
		}
		receiver := ""
		if _, pointer := f.Signature().Recv().Type().(*types.Pointer); pointer {
			receiver = "*"
		}
		a.decls[name+"."+f.Name()] = decl{text: receiver + "method" + signatureText(f.Signature()), of: name}
	}
}

// typeText returns a type as the package itself writes it.
func typeText(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		if p.Path() == "p" {
			return ""
		}
		return p.Name()
	})
}

// signatureText leaves out the names of parameters, which callers do not write.
func signatureText(s *types.Signature) string {
	unnamed := func(t *types.Tuple) *types.Tuple {
		var vars []*types.Var
		for v := range t.Variables() {
			vars = append(vars, types.NewParam(token.NoPos, nil, "", v.Type()))
		}
		return types.NewTuple(vars...)
	}
	text := typeText(types.NewSignatureType(nil, nil, nil, unnamed(s.Params()), unnamed(s.Results()), s.Variadic()))
	return strings.TrimPrefix(text, "func")
}

func valueText(v constant.Value) string {
	if v == nil {
		return "unknown"
	}
	return v.ExactString()
}
