package golden_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"go/format"
	goparser "go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mcpgen/mcpgen/generator/bindings"
	"github.com/mcpgen/mcpgen/internal/protocol"
	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/model"
	"github.com/mcpgen/mcpgen/parser"
	"github.com/mcpgen/mcpgen/schema"
)

// The official schema files, unchanged, make the same declarations as our copies and, comments
// aside, the same Go code.
func TestOfficialSchemas(t *testing.T) {
	dir := testenv.NeedsOfficial(t)
	var all []*model.Schema
	for _, r := range schema.Revisions() {
		path := filepath.Join(dir, "schema", r.Name, schema.FileName)
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := parser.Parse(r.Name+"/"+schema.FileName, src)
		if err != nil {
			t.Fatal(err)
		}
		our, err := schema.Source(r.Name)
		if err != nil {
			t.Fatal(err)
		}
		copied, err := parser.Parse(r.Name, our)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(parser.Format(f), parser.Format(copied)); diff != "" {
			t.Errorf("%s: official -, ours +:\n%s", r.Name, diff)
		}
		s, err := model.Lower(r.Name, f)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	merged, err := model.Merge(all...)
	if err != nil {
		t.Fatal(err)
	}
	ours, err := protocol.Merged()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(code(t, ours), code(t, merged)); diff != "" {
		t.Errorf("generated from ours -, from the official files +:\n%s", diff)
	}
}

// code generates a package and takes the comments out.
func code(t *testing.T, s *model.Schema) map[string]string {
	t.Helper()
	files, err := bindings.Generate(s, bindings.Options{Package: "mcp", Import: "example.com/base"})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for name, content := range files {
		fset := token.NewFileSet()
		tree, err := goparser.ParseFile(fset, name, content, goparser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := format.Node(&b, token.NewFileSet(), tree); err != nil { // no positions: one layout
			t.Fatal(err)
		}
		out[name] = b.String()
	}
	return out
}

// The same for the schemas of extensions, whose checkouts say where ours imports from. Official files
// import from a copy of the protocol's that stands beside them.
func TestOfficialExtensions(t *testing.T) {
	for _, x := range schema.Extensions() {
		t.Run(x.Name, func(t *testing.T) {
			dir := testenv.NeedsOfficialExtension(t, x.Name)
			src, err := os.ReadFile(filepath.Join(dir, "schema", "draft", schema.FileName))
			if err != nil {
				t.Fatal(err)
			}
			if sum := fmt.Sprintf("%x", sha256.Sum256(src)); sum != x.Official {
				t.Errorf("the official file has the digest %s, not %s: compare it with ours, and note its own", sum, x.Official)
			}
			official, err := model.Load("schema/draft/"+schema.FileName, os.DirFS(dir).(fs.ReadFileFS).ReadFile, nil)
			if err != nil {
				t.Fatal(err)
			}
			copied, err := model.Load(x.Path(), schema.Files().ReadFile, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, i := range copied[0].Imports {
				i.From = "./spec.types.js"
			}
			if diff := cmp.Diff(parser.Format(official[0]), parser.Format(copied[0])); diff != "" {
				t.Errorf("official -, ours +:\n%s", diff)
			}
			theirs, err := protocol.ExtensionOf(x, official)
			if err != nil {
				t.Fatal(err)
			}
			ours, err := protocol.Extension(x)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(code(t, ours), code(t, theirs)); diff != "" {
				t.Errorf("generated from ours -, from the official files +:\n%s", diff)
			}
		})
	}
}
