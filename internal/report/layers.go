package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/golines"
)

// A layer is a part of the SDK that is made in one way.
type layer struct {
	name    string
	folders []string // below the root, with all in them that no other layer has
	lines   [2]int   // by hand, generated
}

// layersOf lists the layers in the order of the table. A folder belongs to the layer with the longest path above it.
func layersOf() []*layer {
	return []*layer{
		{name: "types, unions, codecs, methods, dispatch, typed calls (`mcp`)", folders: []string{"mcp"}},
		{name: "what the codecs build on (`runtime/wire`)", folders: []string{"runtime/wire"}},
		{name: "JSON-RPC, correlation of requests, batches", folders: []string{"runtime/jsonrpc", "runtime/internal/peer"}},
		{name: "server", folders: []string{"runtime/server"}},
		{name: "client", folders: []string{"runtime/client"}},
		{name: "transports", folders: []string{"runtime/transport"}},
		{name: "authorization", folders: []string{"runtime/auth"}},
		{name: "extensions: tasks, skills", folders: []string{"runtime/tasks", "runtime/skills"}},
		{name: "arguments of tools (`runtime/args`)", folders: []string{"runtime/args"}},
		{name: "everything else in `runtime`", folders: []string{"runtime"}},
		{name: "the generator of bindings: parser, model, emitter", folders: []string{"parser", "model", "generator/bindings"}},
	}
}

// layers returns the table of layers: lines of code, without comments, blank lines and tests.
func layers(root string) (string, error) {
	all := layersOf()
	fset := token.NewFileSet()
	for _, top := range []string{"mcp", "runtime", "parser", "model", "generator/bindings"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() && d.Name() != "testdata" {
				return err
			}
			if d.IsDir() {
				return fs.SkipDir
			}
			if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
				return nil
			}
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			file, err := parser.ParseFile(fset, name, text, parser.PackageClauseOnly|parser.ParseComments)
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(root, name)
			if err != nil {
				return err
			}
			generated := 0
			if ast.IsGenerated(file) {
				generated = 1
			}
			code, _ := golines.Count(text)
			of(all, path.Dir(filepath.ToSlash(rel))).lines[generated] += code
			return nil
		})
		if err != nil {
			return "", err
		}
	}
	var b strings.Builder
	b.WriteString("| layer | by hand | generated | generated, in percent |\n|---|--:|--:|--:|\n")
	sum := &layer{name: "**all**"}
	for _, l := range append(all, sum) {
		fmt.Fprintf(&b, "| %s | %d | %d | %d |\n", l.name, l.lines[0], l.lines[1], 100*l.lines[1]/max(1, l.lines[0]+l.lines[1]))
		sum.lines[0] += l.lines[0]
		sum.lines[1] += l.lines[1]
	}
	return b.String(), nil
}

// of returns the layer that a folder belongs to.
func of(all []*layer, folder string) *layer {
	for ; ; folder = path.Dir(folder) {
		for _, l := range all {
			if slices.Contains(l.folders, folder) {
				return l
			}
		}
		if folder == "." {
			panic("a folder outside the layers")
		}
	}
}
