package goapi

import (
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"strconv"
)

// An importer has packages that were invented from their uses.
type importer map[string]*types.Package

func (m importer) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	return m[path], nil
}

// inventImports returns packages with the types that the declarations of files use.
func inventImports(files []*ast.File) importer {
	m := importer{}
	for _, f := range files {
		names := map[string]*types.Package{}
		for _, spec := range f.Imports {
			p, _ := strconv.Unquote(spec.Path.Value) // the parser has done so, too
			if m[p] == nil {
				m[p] = types.NewPackage(p, path.Base(p))
				m[p].MarkComplete()
			}
			name := path.Base(p)
			if spec.Name != nil {
				name = spec.Name.Name
			}
			names[name] = m[p]
		}
		for _, d := range f.Decls {
			inventTypes(d, names)
		}
	}
	return m
}

// inventTypes adds the types that a declaration uses. It ignores names that are called, since these are not types.
func inventTypes(d ast.Decl, names map[string]*types.Package) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		inventIn(d.Type, names)
	case *ast.GenDecl:
		if d.Tok == token.CONST {
			inventConstants(d, names)
			return
		}
		inventIn(d, names)
	}
}

// inventIn adds the types in a node. A type with arguments is visited before its name alone, which then finds it with
// its parameters. Of a call only the arguments are visited, since what is called need not be a type.
func inventIn(node ast.Node, names map[string]*types.Package) {
	ast.Inspect(node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			for _, arg := range n.Args {
				inventIn(arg, names)
			}
			return false
		case *ast.IndexExpr:
			invent(n.X, names, 1, types.NewStruct(nil, nil))
		case *ast.IndexListExpr:
			invent(n.X, names, len(n.Indices), types.NewStruct(nil, nil))
		case *ast.SelectorExpr:
			invent(n, names, 0, types.NewStruct(nil, nil))
		}
		return true
	})
}

// inventConstants adds the types of constants, as those of numbers or of strings.
func inventConstants(d *ast.GenDecl, names map[string]*types.Package) {
	for _, s := range d.Specs {
		spec := s.(*ast.ValueSpec)
		kind := types.Int64
		if len(spec.Values) > 0 {
			if lit, ok := spec.Values[0].(*ast.BasicLit); ok && lit.Kind == token.STRING {
				kind = types.String
			}
		}
		invent(spec.Type, names, 0, types.Typ[kind])
	}
}

// invent adds a type, unless the package has one of that name. A type with constants replaces one that was not
// known to have any.
func invent(e ast.Expr, names map[string]*types.Package, params int, underlying types.Type) {
	sel, ok := e.(*ast.SelectorExpr)
	if !ok {
		return
	}
	x, ok := sel.X.(*ast.Ident)
	if !ok || names[x.Name] == nil {
		return
	}
	p := names[x.Name]
	if obj := p.Scope().Lookup(sel.Sel.Name); obj != nil {
		if _, basic := underlying.(*types.Basic); basic {
			obj.Type().(*types.Named).SetUnderlying(underlying)
		}
		return
	}
	obj := types.NewTypeName(token.NoPos, p, sel.Sel.Name, nil)
	named := types.NewNamed(obj, underlying, nil)
	var list []*types.TypeParam
	for range params {
		name := types.NewTypeName(token.NoPos, p, "T", nil)
		list = append(list, types.NewTypeParam(name, types.Universe.Lookup("any").Type()))
	}
	named.SetTypeParams(list)
	p.Scope().Insert(obj)
}
