package tools

import (
	"encoding/json"
	"errors"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/mcpgen/mcpgen/mcp"
)

// TestFile loads the cases that are one file, from memory and from the disk: they mean the same.
func TestFile(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	const ours = "github.com/mcpgen/mcpgen"
	archive := "-- go.mod --\n" + strings.Replace(string(mod), "module "+ours, "module example.com/m", 1) +
		"\nrequire " + ours + " v0.0.0\nreplace " + ours + " => " + root + "\n-- go.sum --\n" + string(sum)
	cases := map[string]txtar.File{} // by the names of their folders
	for _, kind := range []string{"good", "mistakes"} {
		names, err := filepath.Glob("testdata/" + kind + "/*.txtar")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			c, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if len(c.Files) != 2 || !strings.HasSuffix(c.Files[0].Name, ".go") || strings.Contains(c.Files[0].Name, "/") {
				continue
			}
			folder := kind + "_" + strings.TrimSuffix(filepath.Base(name), ".txtar")
			cases[folder] = c.Files[0]
			archive += "-- " + folder + "/" + c.Files[0].Name + " --\n" + string(c.Files[0].Data) + "\n"
		}
	}
	// What the type checker and the parser have to say, and nobody else.
	for name, text := range map[string]string{
		"types":   "package p\n\nimport \"os\"\n\n//mcp:tool\nfunc F(n int) string { return n + undeclared }\n",
		"syntax":  "package p\n\n//mcp:tool\nfunc F(n int string { return }\n",
		"nothing": "package p\n\nfunc F() {}\n",
		"ignored": "//go:build ignore\n\npackage p\n\n//mcp:tool\nfunc F() {}\n",
		"pending": "package p\n\nvar register = Register\n\n//mcp:tool\nfunc F() {}\n",
	} {
		cases[name] = txtar.File{Name: "a.go", Data: []byte(text)}
		archive += "-- " + name + "/a.go --\n" + text
	}
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	packages, err := Load(t.Context(), &Config{Dir: dir}, "./...")
	want := map[string]string{}
	for _, p := range packages {
		want[filepath.Base(p.Dir())] = definitions(t, p)
	}
	list := (ErrorList)(nil)
	if err != nil && !errors.As(err, &list) {
		t.Fatal(err)
	}
	for _, e := range list {
		folder, rest, _ := strings.Cut(filepath.ToSlash(e.Error()), "/")
		want[folder] += rest + "\n"
	}
	c := newImporter(t)
	t.Chdir(t.TempDir()) // where directives look for files
	wrong := 0
	for folder, file := range cases {
		f := &File{Name: file.Name, Text: file.Data, Path: "example.com/m/" + folder, Go: "go1.26", Imports: c, Fset: c.fset}
		p, err := f.Load()
		got, list := "", (ErrorList)(nil)
		switch {
		case errors.As(err, &list):
			wrong++
			got = err.Error() + "\n"
		case err == nil:
			got = definitions(t, p)
		case want[folder] == "": // the whole of Load says nothing of a package without directives
			if text := err.Error(); text != "no //mcp: directives in .; a tool is a function with //mcp:tool above it" {
				t.Errorf("%s: %s", folder, text)
			}
		}
		if folder == "ignored" {
			if want := "a.go:5:1: //mcp:tool: this file is part of no build (//go:build ignore), so that F is not offered\n"; got != want {
				t.Errorf("%s: got %s, want %s", folder, got, want)
			}
			continue
		}
		if got != want[folder] {
			t.Errorf("%s: from memory\n%sfrom the disk\n%s", folder, got, want[folder])
		}
		c.fset.Iterate(func(f *token.File) bool {
			if f.Name() == file.Name {
				t.Errorf("%s: the file set keeps the file", folder)
			}
			return true
		})
	}
	t.Logf("%d cases, %d of them wrong", len(cases), wrong)
	if len(cases) < 100 || wrong < 50 {
		t.Errorf("%d cases, %d of them wrong", len(cases), wrong)
	}
}

// definitions returns what a package offers as tools, and what that costs.
func definitions(t *testing.T, p *Package) string {
	t.Helper()
	text := p.Contents() + "\n"
	for _, item := range p.Rehearse(nil) {
		b, err := json.Marshal(item.Definition.(*mcp.Tool))
		if err != nil {
			t.Fatal(err)
		}
		text += string(b) + "\n"
	}
	for _, cost := range p.Budget() {
		text += cost.Tool + "\n"
	}
	return text
}
