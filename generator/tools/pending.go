package tools

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/mcpgen/mcpgen/generator/tools/internal/analyze"
	"github.com/mcpgen/mcpgen/generator/tools/internal/source"
)

// pending holds the names that will be generated, by the path of their package. Using one of them is not a mistake,
// although it is not declared.
type pending map[string]map[string]bool

// expected returns the names that will be generated in the packages that were loaded, and in other packages from
// which names are missing.
func (l *loader) expected(all []*analyzed) pending {
	names := make(pending)
	for _, p := range all {
		names.add(p.PkgPath, source.GeneratedNames(p.Syntax)) // also of functions with mistakes
		if p.ir != nil {
			names.add(p.PkgPath, analyze.GeneratedNames(p.ir))
		}
	}
	for _, p := range all {
		for _, e := range p.TypeErrors {
			path, _ := undefined(p, e)
			if _, known := names[path]; !known {
				names.add(path, l.namesOf(p.Imports[path]))
			}
		}
	}
	return names
}

func (n pending) add(path string, names []string) {
	if n[path] == nil {
		n[path] = make(map[string]bool)
	}
	for _, name := range names {
		n[path][name] = true
	}
}

// excuses reports whether an error is the use of a name that will be generated.
func (n pending) excuses(p *analyzed, e types.Error) bool {
	path, name := undefined(p, e)
	return n[path][name]
}

// undefined returns the package and the name that an error says is not declared, or "".
func undefined(p *analyzed, e types.Error) (path, name string) {
	if !strings.HasPrefix(e.Msg, "undefined: ") {
		return "", ""
	}
	for _, f := range p.Syntax {
		ast.Inspect(f, func(n ast.Node) bool {
			if n == nil || name != "" || e.Pos < n.Pos() || n.End() <= e.Pos {
				return false
			}
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if n.Sel.Pos() != e.Pos {
					return true
				}
				x, _ := n.X.(*ast.Ident)
				if imported, ok := p.TypesInfo.Uses[x].(*types.PkgName); ok {
					path, name = imported.Imported().Path(), n.Sel.Name
				}
				return false
			case *ast.Ident:
				if n.Pos() == e.Pos {
					path, name = p.PkgPath, n.Name
				}
			}
			return true
		})
	}
	return path, name
}

// namesOf returns the names that will be generated in a package that was not loaded.
func (l *loader) namesOf(p *packages.Package) []string {
	if p == nil {
		return nil
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.GoFiles {
		if filepath.Base(name) == GoFile {
			continue
		}
		src, err := l.read(name)
		if err != nil {
			continue // then it is reported that the name is not declared
		}
		if f, _ := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution); f != nil {
			files = append(files, f)
		}
	}
	return source.GeneratedNames(files)
}
