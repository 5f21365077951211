package source

import (
	"go/ast"

	"github.com/mcpgen/mcpgen/generator/tools/internal/directive"
)

// BindName returns the name of the generated function that reads a configuration of a type.
func BindName(typeName string) string { return "Bind" + Exported(typeName) }

// configs returns the names of the types of a file whose comments say that they are configurations.
func configs(f *ast.File) []string {
	var names []string
	for _, decl := range f.Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, s := range group.Specs {
			t, ok := s.(*ast.TypeSpec)
			if !ok {
				continue
			}
			all := comments(t.Doc)
			if len(group.Specs) == 1 {
				all = append(all, comments(group.Doc)...)
			}
			for _, c := range all {
				if d, _ := directive.Parse(c, directive.Type, ""); d != nil && d.Name == "config" {
					names = append(names, t.Name.Name)
				}
			}
		}
	}
	return names
}
