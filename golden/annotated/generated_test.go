package annotated

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/generator/tools"
)

// TestGenerated makes sure that the generated files are what would be generated now.
func TestGenerated(t *testing.T) {
	packages, err := tools.Load(t.Context(), nil, ".")
	if err != nil {
		t.Fatal(err)
	}
	files, err := packages[0].Generate(tools.Runtime)
	if err != nil {
		t.Fatal(err)
	}
	files[tools.LockFile] = packages[0].Lock()
	for name, want := range files {
		got, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s is stale; run go generate:\n%s", name, diff)
		}
	}
}

// TestNoReflection makes sure that generated code does not fall back on reflection: neither by package
// reflect, nor by what encoding/json does. Types of that package are those of the fields.
func TestNoReflection(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), tools.GoFile, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	uses := 0
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			switch x, _ := s.X.(*ast.Ident); {
			case x == nil:
			case x.Name == "reflect", x.Name == "json" && s.Sel.Name != "Number" && s.Sel.Name != "RawMessage":
				t.Errorf("%s.%s", x.Name, s.Sel.Name)
			case x.Name == "args":
				uses++
			}
		}
		return true
	})
	if uses < 100 {
		t.Errorf("only %d uses of package args", uses)
	}
}
