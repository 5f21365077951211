package golden_test

import (
	"go/ast"
	"go/importer"
	goparser "go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generator/bindings"
	"github.com/mcpgen/mcpgen/internal/protocol"
	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/schema"
)

// Any choice of revisions can be merged, and makes a package that compiles.
func TestSubsets(t *testing.T) {
	testenv.Long(t)
	revisions := schema.Revisions()
	fset := token.NewFileSet()
	imports := importer.ForCompiler(fset, "gc", exported(t))
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

// exported returns a function that opens the export data of what generated packages import.
func exported(t *testing.T) importer.Lookup {
	t.Helper()
	list := testenv.Command(t.Context(), "../mcp", "go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", ".")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		files[path] = file
	}
	return func(path string) (io.ReadCloser, error) { return os.Open(files[path]) }
}
