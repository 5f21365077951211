package tools

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// FuzzAnalyze looks for Go files that the analysis does not end well on: whatever the parser
// accepts, type-checked or not, gives a package or errors with their places.
func FuzzAnalyze(f *testing.F) {
	paths, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(paths) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(archive.Files[0].Data))
	}
	files, err := imported()
	if err != nil || len(files) == 0 {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, src string) {
		if len(src) > 1<<14 {
			return
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "a.go", src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return
		}
		info := newInfo()
		config := types.Config{Importer: importer.ForCompiler(fset, "gc", lookup(t)), Error: func(error) {}, FakeImportC: true}
		pkg, _ := config.Check("example.com/p", fset, []*ast.File{file}, info)
		p, errs := Analyze(fset, []*ast.File{file}, pkg, info, ".", "")
		for _, e := range errs {
			if !e.Pos.IsValid() || e.Msg == "" || strings.Contains(e.Msg, "%!") {
				t.Errorf("an error without a place, or badly written: %v", e)
			}
		}
		if p != nil && len(errs) > 0 {
			t.Error("Analyze returns a package and errors")
		}
	})
}
