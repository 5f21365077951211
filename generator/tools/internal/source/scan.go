// Package source reads the syntax of Go files: which declarations have which directives and doc comments, what these say,
// and which functions are offered.
package source

import (
	"go/ast"
	"go/token"

	"github.com/mcpgen/mcpgen/generator/tools/internal/directive"
)

// An owner is the declaration that a comment group belongs to.
type owner struct {
	node  ast.Node // nil where no directive can be
	place directive.Place
	what  string // for messages: "this is a constant"
}

// scan finds all directives of a file and what they belong to.
func scan(fset *token.FileSet, syntax *ast.File) *File {
	f := &File{
		fset: fset, Syntax: syntax,
		Notes:    make(map[ast.Node][]*directive.Directive),
		declared: make(map[place]ast.Node),
		docs:     make(map[ast.Node]*ast.CommentGroup),
	}
	owners := f.owners()
	for _, g := range syntax.Comments {
		o, attached := owners[g]
		if !attached {
			o.what = f.floating(g)
		}
		for _, c := range g.List {
			d, problems := directive.Parse(c, o.place, o.what)
			f.Problems = append(f.Problems, problems...)
			if d != nil {
				f.Notes[o.node] = append(f.Notes[o.node], d)
			}
		}
	}
	return f
}

// owners returns what the comment groups of a file belong to, and notes all declarations.
func (f *File) owners() map[*ast.CommentGroup]owner {
	owners := make(map[*ast.CommentGroup]owner)
	own := func(o owner, groups ...*ast.CommentGroup) {
		for _, g := range groups {
			if g != nil {
				owners[g] = o
				if f.docs[o.node] == nil && o.node != nil {
					f.docs[o.node] = g
				}
			}
		}
	}
	own(owner{f.Syntax, directive.Package, "this is the package clause"}, f.Syntax.Doc)
	ast.Inspect(f.Syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			f.declare(n.Name, n)
			own(owner{n, directive.Function, "this is a function"}, n.Doc)
		case *ast.GenDecl:
			f.group(n, own)
		case *ast.StructType:
			f.fields(n.Fields, owner{nil, directive.Field, "this is a struct field"}, own)
		case *ast.InterfaceType:
			f.fields(n.Methods, owner{nil, "", "this is a method of an interface; a directive stands above the method of a type"}, own)
		}
		return true
	})
	return owners
}

func (f *File) declare(name *ast.Ident, n ast.Node) {
	f.declared[place{f.fset.Position(name.Pos()).Line, name.Name}] = n
}

// group notes the types, constants and variables of a declaration, and passes their comments to own.
func (f *File) group(d *ast.GenDecl, own func(owner, ...*ast.CommentGroup)) {
	lone := len(d.Specs) == 1
	for _, s := range d.Specs {
		var o owner
		var doc, line *ast.CommentGroup
		switch s := s.(type) {
		case *ast.TypeSpec:
			f.declare(s.Name, s)
			o = owner{s, directive.Type, "this is a type"}
			doc, line = s.Doc, s.Comment
		case *ast.ValueSpec:
			for _, name := range s.Names {
				f.declare(name, s)
			}
			o = owner{s, directive.Constant, "this is a constant"}
			if d.Tok != token.CONST {
				o = owner{nil, "", "this is a variable"}
			}
			doc, line = s.Doc, s.Comment
		case *ast.ImportSpec:
			o = owner{nil, "", "this is an import"}
			doc, line = s.Doc, s.Comment
		}
		own(o, doc, line)
		if lone {
			own(o, d.Doc)
		}
	}
	if !lone {
		own(owner{nil, "", "this is a group of declarations; a directive stands above one of them"}, d.Doc)
	}
}

// fields notes the fields of a struct, or the methods of an interface, as what o says. An o without a place is for
// methods: they have no directives, and nobody looks them up.
func (f *File) fields(list *ast.FieldList, o owner, own func(owner, ...*ast.CommentGroup)) {
	if list == nil {
		return
	}
	for _, field := range list.List {
		own := func(o owner) { own(o, field.Doc, field.Comment) }
		if o.place == "" {
			own(o)
			continue
		}
		o.node = field
		own(o)
		for _, name := range field.Names {
			f.declare(name, field)
		}
		if name := embeddedName(field.Type); len(field.Names) == 0 && name != nil {
			f.declare(name, field)
		}
	}
}

// embeddedName returns the name of an embedded field.
func embeddedName(t ast.Expr) *ast.Ident {
	switch t := ast.Unparen(t).(type) {
	case *ast.Ident:
		return t
	case *ast.SelectorExpr:
		return t.Sel
	case *ast.StarExpr:
		return embeddedName(t.X)
	case *ast.IndexExpr:
		return embeddedName(t.X)
	case *ast.IndexListExpr:
		return embeddedName(t.X)
	}
	return nil
}

// floating explains what is wrong with the place of comments that belong to no declaration.
func (f *File) floating(g *ast.CommentGroup) string {
	for _, d := range f.Syntax.Decls {
		if d.Pos() <= g.Pos() && g.End() <= d.End() {
			if fn, ok := d.(*ast.FuncDecl); ok {
				return "this is inside the function " + fn.Name.Name
			}
			return "this is inside a declaration"
		}
		if g.End() <= d.Pos() {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Doc == nil {
				return "this belongs to nothing: remove the blank line between it and func " + fn.Name.Name
			}
			return "this belongs to nothing: a blank line ends a doc comment"
		}
	}
	return "this belongs to nothing"
}
