package client_test

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
)

// exports imports the compiled packages that generated code imports.
var exports = sync.OnceValues(func() (types.Importer, error) {
	out, err := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}}={{.Export}}", "github.com/mcpgen/mcpgen/runtime/client", "github.com/mcpgen/mcpgen/runtime/client/expand").Output()
	files := make(map[string]string)
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), "=")
		files[path] = file
	}
	return importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(files[path]) }), err
})

// compile type-checks a generated file.
func compile(t *testing.T, source []byte) {
	t.Helper()
	imports, err := exports()
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "client.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	conf := types.Config{Importer: imports, Error: func(err error) { t.Error(err) }}
	conf.Check("example", fset, []*ast.File{file}, nil)
}
