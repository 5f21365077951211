package analyze

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

// elsewhere returns the declarations in files of the package that are not read: tests, and files for other systems.
// Generated code must not clash with them.
func (a *analyzer) elsewhere() map[string]token.Pos {
	names := make(map[string]token.Pos)
	entries, _ := os.ReadDir(a.Dir) // an overlay may have files in a folder that does not exist yet
	for _, e := range entries {
		name := filepath.Join(a.Dir, e.Name())
		if filepath.Ext(name) != ".go" || e.Name() == "mcp_gen.go" || a.local[name] {
			continue
		}
		src, err := a.sources.read(name)
		if err != nil {
			continue // a folder, or gone
		}
		f, _ := parser.ParseFile(a.fset, name, src, parser.SkipObjectResolution)
		if f == nil || f.Name.Name != a.Types.Name() || strings.HasPrefix(e.Name(), ".") || strings.HasPrefix(e.Name(), "_") {
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
