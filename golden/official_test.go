package golden_test

import (
	"bytes"
	"go/format"
	goparser "go/parser"
	"go/token"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mcpgen/mcpgen/generator/bindings"
	"github.com/mcpgen/mcpgen/golden/internal/protocol"
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
	files, err := bindings.Generate(s, bindings.Options{Package: "mcp"})
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
