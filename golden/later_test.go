package golden_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mcpgen/mcpgen/generator/bindings"
	"github.com/mcpgen/mcpgen/internal/protocol"
	"github.com/mcpgen/mcpgen/model"
	"github.com/mcpgen/mcpgen/parser"
	"github.com/mcpgen/mcpgen/schema"
	"golang.org/x/tools/txtar"
)

// A later revision needs no hand-written line to be generated, dispatched, encoded and decoded.
func TestLaterRevision(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs the compiler, which -short does without")
	}
	a, err := txtar.ParseFile("testdata/later.txtar")
	if err != nil {
		t.Fatal(err)
	}
	newest := schema.Revisions()[len(schema.Revisions())-1].Name
	date, err := time.Parse(time.DateOnly, newest)
	if err != nil {
		t.Fatal(err)
	}
	revision := date.AddDate(0, 6, 0).Format(time.DateOnly)
	names := strings.NewReplacer("NEWEST", newest, "LATER", revision,
		"newestNumber", strings.ReplaceAll(newest, "-", ""), "laterNumber", strings.ReplaceAll(revision, "-", ""))
	files := map[string]string{}
	for _, f := range a.Files {
		files[f.Name] = names.Replace(string(f.Data))
	}
	src, err := schema.Source(newest)
	if err != nil {
		t.Fatal(err)
	}
	text := string(src) + files["added.ts"]
	for edit := range strings.Lines(files["edits"]) {
		from, to, _ := strings.Cut(strings.TrimSpace(edit), " => ")
		if strings.Count(text, from) != 1 {
			t.Fatalf("%q is not once in the schema", from)
		}
		text = strings.Replace(text, from, to, 1)
	}

	var all []*model.Schema
	for _, r := range schema.Revisions() {
		s, err := protocol.Lowered(r.Name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	f, err := parser.Parse("later.ts", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	later, err := model.Lower(revision, f)
	if err != nil {
		t.Fatal(err)
	}
	merged, err := model.Merge(append(all, later)...)
	if err != nil {
		t.Fatal(err)
	}
	generated, err := bindings.Generate(merged, bindings.Options{Package: "mcp"})
	if err != nil {
		t.Fatal(err)
	}

	m := newModule(t)
	for name, content := range generated {
		m.write(t, "mcp/"+name, string(content))
	}
	m.write(t, "main.go", files["main.go"])
	out := m.run(t, "go", "run", "-gcflags=example.com/...=-N -l -dwarf=false", "-ldflags=-s -w", ".") // compiled in half the time
	if diff := cmp.Diff(files["want"], out); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
}
