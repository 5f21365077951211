// Package goapi lists the exported declarations of a Go package, and finds how two versions of a package differ for
// its users.
//
// It reads only the files of the package itself, so it works without the package's dependencies, of which it knows
// only the names.
package goapi

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// An API is what a package exports.
type API struct {
	pkg   *types.Package
	decls map[string]decl
}

// A decl is an exported declaration, a field or a method.
type decl struct {
	text string // without the name
	of   string // the type whose field or method it is
	must bool   // others have to have it: a method of an interface that can be implemented elsewhere
}

// Read returns what the files of a package export, given by name. Files that are not Go code, and tests, are left
// out. Code that does not type-check is read as far as possible.
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
		Importer:         inventImports(parsed),
		Error:            func(error) {}, // about what is known of imports by name alone
	}
	pkg, _ := conf.Check("p", fset, parsed, nil)
	return list(pkg), nil
}

// list lists what a package exports.
func list(pkg *types.Package) *API {
	api := &API{pkg: pkg, decls: map[string]decl{}}
	for _, name := range pkg.Scope().Names() {
		if obj := pkg.Scope().Lookup(name); obj.Exported() {
			api.add(obj)
		}
	}
	return api
}

// add adds a declaration, a type with its fields and methods. An alias is what it stands for.
func (a *API) add(obj types.Object) {
	name := obj.Name()
	switch obj := obj.(type) {
	case *types.Const:
		a.decls[name] = decl{text: "const " + a.typeText(obj.Type()) + " = " + obj.Val().ExactString()}
	case *types.Var:
		a.decls[name] = decl{text: "var " + a.typeText(obj.Type())}
	case *types.Func:
		a.decls[name] = decl{text: "func" + a.signatureText(obj.Signature())}
	case *types.TypeName:
		if named, ok := obj.Type().(*types.Named); ok {
			a.addType(name, named)
			return
		}
		a.decls[name] = decl{text: "type = " + a.typeText(types.Unalias(obj.Type()))}
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
				a.decls[name+"."+f.Name()] = decl{text: a.typeText(f.Type()), of: name}
			}
		}
	case *types.Interface:
		text += " interface"
		sealed := false
		for m := range u.Methods() {
			if !m.Exported() {
				sealed = true
			}
		}
		for m := range u.Methods() {
			if m.Exported() && m.Pkg() == a.pkg {
				a.decls[name+"."+m.Name()] = decl{text: "method" + a.signatureText(m.Signature()), of: name, must: !sealed}
			}
		}
		for e := range u.EmbeddedTypes() {
			if named, ok := e.(*types.Named); ok && named.Obj().Pkg() != a.pkg {
				a.decls[name+"."+named.Obj().Name()] = decl{text: "embedded " + a.typeText(e), of: name, must: !sealed}
			}
		}
	default:
		text += " " + a.typeText(u)
	}
	a.decls[name] = decl{text: text}
	for m := range types.NewMethodSet(types.NewPointer(t)).Methods() {
		f := m.Obj().(*types.Func)
		if !f.Exported() || f.Pkg() != a.pkg { // what an import has is embedded as a whole
			continue
		}
		receiver := ""
		if _, pointer := f.Signature().Recv().Type().(*types.Pointer); pointer {
			receiver = "*"
		}
		a.decls[name+"."+f.Name()] = decl{text: receiver + "method" + a.signatureText(f.Signature()), of: name}
	}
}

// typeText returns a type as the package itself writes it.
func (a *API) typeText(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		if p == a.pkg {
			return ""
		}
		return p.Name()
	})
}

// signatureText leaves out the names of parameters, which callers do not write.
func (a *API) signatureText(s *types.Signature) string {
	unnamed := func(t *types.Tuple) *types.Tuple {
		var vars []*types.Var
		for v := range t.Variables() {
			vars = append(vars, types.NewParam(token.NoPos, nil, "", v.Type()))
		}
		return types.NewTuple(vars...)
	}
	text := a.typeText(types.NewSignatureType(nil, nil, nil, unnamed(s.Params()), unnamed(s.Results()), s.Variadic()))
	return strings.TrimPrefix(text, "func")
}
