package source

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

// Elsewhere returns the declarations of a package in the files of its folder that Files does not have: tests, and files
// for other systems. Generated code must not clash with them.
func (p *Package) Elsewhere() map[string]token.Pos {
	s, local := p.Sources, p.names()
	names := make(map[string]token.Pos)
	entries, _ := os.ReadDir(p.Dir) // an overlay may have files in a folder that does not exist yet
	for _, e := range entries {
		name := filepath.Join(p.Dir, e.Name())
		if filepath.Ext(name) != ".go" || e.Name() == "mcp_gen.go" || local[name] {
			continue
		}
		src, err := s.read(name)
		if err != nil {
			continue // a folder, or gone
		}
		f, _ := parser.ParseFile(s.fset, name, src, parser.SkipObjectResolution)
		if f == nil || f.Name.Name != p.Types.Name() || strings.HasPrefix(e.Name(), ".") || strings.HasPrefix(e.Name(), "_") {
			continue
		}
		for _, d := range f.Decls {
			declares(d, func(id *ast.Ident) { names[id.Name] = id.Pos() })
		}
	}
	return names
}

// declares calls f with the names that a declaration adds to its package.
func declares(d ast.Decl, f func(*ast.Ident)) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			f(d.Name)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				f(s.Name)
			case *ast.ValueSpec:
				for _, id := range s.Names {
					f(id)
				}
			}
		}
	}
}
