package mcpgen_test

import (
	"fmt"
	goparser "go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/model"
	"github.com/mcpgen/mcpgen/parser"
	"github.com/mcpgen/mcpgen/schema"
)

// TestReadmeExamples checks that the README shows code that the tests run: parts of examples, and the
// whole of Example.
func TestReadmeExamples(t *testing.T) {
	files := []string{
		"examples/weather/add.go",
		"examples/weather/forecast.go",
		"examples/weather/main.go",
		"examples/quickstart/main.go",
		"example_test.go",
	}
	blocks := strings.Split(read(t, "README.md"), "```go\n")[1:]
	if len(blocks) != len(files) {
		t.Fatalf("README.md shows %d pieces of Go code, want %d", len(blocks), len(files))
	}
	for i, file := range files {
		block, _, _ := strings.Cut(blocks[i], "```\n")
		code := read(t, file)
		if file == "example_test.go" {
			_, after, _ := strings.Cut(code, "func Example() {\n")
			body, _, _ := strings.Cut(after, "\n}\n")
			code = strings.ReplaceAll("\n"+body+"\n", "\n\t", "\n")
		}
		if !strings.Contains(code, block) {
			t.Errorf("README.md shows\n%s\nwhich is not in %s", block, file)
		}
	}
}

// TestReadmeRevisions checks the table of revisions.
func TestReadmeRevisions(t *testing.T) {
	readme := read(t, "README.md")
	for _, r := range schema.Revisions() {
		src, err := schema.Source(r.Name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := parser.Parse(r.Name, src)
		if err != nil {
			t.Fatal(err)
		}
		s, err := model.Lower(r.Name, f)
		if err != nil {
			t.Fatal(err)
		}
		types := len(s.Types)
		merged, err := model.Merge(s)
		if err != nil {
			t.Fatal(err)
		}
		if row := fmt.Sprintf("| %s | %7d | %5d |\n", r.Name, len(merged.Methods), types); !strings.Contains(readme, row) {
			t.Errorf("README.md has no row\n%s", row)
		}
	}
}

// TestGenerateRevisions checks that every revision is generated on its own.
func TestGenerateRevisions(t *testing.T) {
	directives := read(t, "generate.go")
	for _, r := range schema.Revisions() {
		name := "mcp" + strings.ReplaceAll(r.Name, "-", "")
		line := fmt.Sprintf("//go:generate go run ./cmd/mcpgen bindings -revision %s -package %s -out golden/%[2]s\n", r.Name, name)
		if !strings.Contains(directives, line) {
			t.Errorf("generate.go has no line\n%s", line)
		}
	}
}

// TestGeneratedImports checks that the generated package needs no other module, and no reflection.
func TestGeneratedImports(t *testing.T) {
	files, err := filepath.Glob("mcp/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no generated files: %v", err)
	}
	for _, file := range files {
		f, err := goparser.ParseFile(token.NewFileSet(), file, nil, goparser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range f.Imports {
			path, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			first, _, _ := strings.Cut(path, "/")
			other := strings.Contains(first, ".") && path != "github.com/mcpgen/mcpgen/runtime/wire"
			if other || path == "reflect" || path == "encoding/json" {
				t.Errorf("%s imports %s", file, path)
			}
		}
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
