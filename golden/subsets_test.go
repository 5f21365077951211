package golden_test

import (
	"go/ast"
	"go/importer"
	goparser "go/parser"
	"go/token"
	"go/types"
	"testing"

	"github.com/mcpgen/mcpgen/generator/bindings"
	"github.com/mcpgen/mcpgen/golden/internal/protocol"
	"github.com/mcpgen/mcpgen/schema"
)

// Any choice of revisions can be merged, and makes a package that compiles.
func TestSubsets(t *testing.T) {
	revisions := schema.Revisions()
	fset := token.NewFileSet()
	imports := importer.ForCompiler(fset, "source", nil)
	for set := 1; set < 1<<len(revisions); set++ {
		var chosen []string
		for i, r := range revisions {
			if set&(1<<i) != 0 {
				chosen = append(chosen, r.Name)
			}
		}
		s, err := protocol.Merged(chosen...)
		if err != nil {
			t.Errorf("%v:\n%v", chosen, err)
			continue
		}
		files, err := bindings.Generate(s, bindings.Options{Package: "mcp"})
		if err != nil {
			t.Errorf("%v:\n%v", chosen, err)
			continue
		}
		var trees []*ast.File
		for name, content := range files {
			tree, err := goparser.ParseFile(fset, name, content, goparser.SkipObjectResolution)
			if err != nil {
				t.Fatalf("%v: %v", chosen, err)
			}
			trees = append(trees, tree)
		}
		config := types.Config{Importer: imports}
		if _, err := config.Check("mcp", fset, trees, nil); err != nil {
			t.Errorf("%v: %v", chosen, err)
		}
	}
}
