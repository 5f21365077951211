package repo

import (
	"go/ast"
	"go/token"
	"path"
	"strconv"
	"strings"
	"testing"
)

// TestLayers checks that the packages of the runtime are in the table of docs/architecture.md, and import only packages in
// their row or above it.
func TestLayers(t *testing.T) {
	layers := layersOf(t)
	row := func(pkg string) int {
		if r, ok := layers[pkg]; ok {
			return r
		}
		for dir := path.Dir(pkg); dir != "."; dir = path.Dir(dir) {
			if r, ok := layers[dir+"/…"]; ok {
				return r
			}
		}
		if of, _, internal := strings.Cut(pkg, "/internal/"); internal {
			return layers[of]
		}
		return 0
	}
	check := func(name string, fset *token.FileSet, file *ast.File) {
		pkg := path.Dir(name)
		if path.Base(pkg) == "browsertest" {
			return
		}
		own := row(pkg)
		if own == 0 {
			t.Errorf("%s is in no row of the table", pkg)
			return
		}
		for _, spec := range file.Imports {
			to, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			to, ours := strings.CutPrefix(to, "github.com/mcpgen/mcpgen/")
			if r := row(to); ours && r > own {
				t.Errorf("%s: %s imports %s, which is in a row below", fset.Position(spec.Pos()), pkg, to)
			}
		}
	}
	eachFile(t, "runtime", check)
	eachFile(t, "mcp", check)
	eachFile(t, "cluster", check)
}

// layersOf returns the rows of the table, counted from 1, by their packages, of which "a/…" stands for all below a.
func layersOf(t *testing.T) map[string]int {
	t.Helper()
	_, table, _ := strings.Cut(read(t, "docs/architecture.md"), "\n### Layers\n")
	table, _, _ = strings.Cut(table, "\n### ")
	layers := map[string]int{}
	row := 0
	for line := range strings.Lines(table) {
		cell, _, ok := strings.Cut(strings.TrimPrefix(line, "| `"), "` | ")
		if !ok || !strings.HasPrefix(line, "| `") {
			continue
		}
		row++
		first := ""
		for _, name := range strings.Split(cell, "`, `") {
			if rest, ok := strings.CutPrefix(name, "…/"); ok {
				name = path.Dir(first) + "/" + rest
			}
			if first == "" {
				first = name
			}
			layers[name] = row
		}
	}
	if row == 0 {
		t.Fatal("docs/architecture.md has no table of layers")
	}
	return layers
}
