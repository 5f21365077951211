package analyzer_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/mcpgen/mcpgen/generator/tools"
	"github.com/mcpgen/mcpgen/generator/tools/analyzer"
	"github.com/mcpgen/mcpgen/internal/testenv"
)

// TestCurrent finds nothing in a package whose generated file is up to date, and finds what changes make of it.
func TestCurrent(t *testing.T) {
	dir := testenv.Dir(t)
	write := func(name, text string) {
		t.Helper()
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	root, err := filepath.Abs("../../..")
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
	write("go.mod", strings.Replace(string(mod), "module "+ours, "module example.com/m", 1)+"\nrequire "+ours+" v0.0.0\nreplace "+ours+" => "+root+"\n")
	write("go.sum", string(sum))
	const source = `//mcp:schema for=unit.Unit {"type":"string","pattern":"/"}
//mcp:schema for=o.Unit {"type":"string","format":"uri"}
package p

import (
	"context"
	_ "embed"

	o "example.com/m/other"
	"example.com/m/unit"
	"github.com/mcpgen/mcpgen/runtime/server/ask"
)

type Guest struct{ Name string }

func who(ctx context.Context, by ask.Elicitor) (Guest, error) { return ask.Form[Guest](ctx, by, "?") }

//mcp:tool
func F(one o.Unit, of unit.Unit) (string, error) { return Hidden(), nil }

func serve() error { return Register(nil) }
`
	write("p/p.go", source)
	write("p/p_test.go", "package p\n\nimport \"testing\"\n\nfunc TestF(t *testing.T) { F(1) }\n")
	write("p/hidden.go", "package p\n\nfunc Hidden() string { return \"\" }\n")
	const unit = "\n\ntype Unit struct{ N int }\n\nfunc (u Unit) MarshalText() ([]byte, error) { return nil, nil }\n\nfunc (u *Unit) UnmarshalText([]byte) error { return nil }\n"
	write("unit/unit.go", "package unit"+unit)
	write("other/other.go", "package other"+unit+"\ntype item struct{ N int }\n\ntype List struct{ Items []item }\n")
	load := func() []byte {
		t.Helper()
		all, err := tools.Load(t.Context(), &tools.Config{Dir: dir, Env: testenv.Offline()}, "./p")
		if err != nil {
			t.Fatal(err)
		}
		files, err := all[0].Generate(tools.Runtime)
		if err != nil {
			t.Fatal(err)
		}
		return files[tools.GoFile]
	}
	generated := string(load())
	fitting := strings.Replace(source, "string, error) { return Hidden", "int, error) { return len", 1)

	for _, test := range []struct {
		name, source, generated string
		patterns                string
		want                    []string
	}{
		{"up to date", source, generated, "./p", nil},
		{"up to date, with other line ends", source, strings.ReplaceAll(generated, "\n", "\r\n"), "./p", nil},
		{"stale", strings.Replace(source, "of unit.Unit", "by unit.Unit", 1), generated, "./p", []string{"p/mcp_gen.go:3:1: mcp_gen.go is stale: run go generate"}},
		{"a form more", source + "\ntype More struct{ N int }\n\nfunc more(ctx context.Context, by ask.Elicitor) { ask.Form[More](ctx, by, \"?\") }\n", generated, "./p", []string{"p/mcp_gen.go:3:1: mcp_gen.go is stale: run go generate"}},
		{"no code can be generated", fitting + "\nfunc len(string) int { return 0 }\n", generated, "./p", []string{"p/p.go:23:6: package p declares len, which hides the predeclared identifier that generated code needs"}},
		{"what generated code cannot name", strings.Replace(source, "of unit.Unit", "of o.List", 1), generated, "./p", []string{
			"p/p.go:19:20: F: parameter of: other.List: field Items: generated code cannot name the type other.item, which is not exported",
			"p/p.go:19:6: mcp_gen.go is stale, and does not fit this function: run go generate",
		}},
		{
			"what the Go SDK does not have", strings.Replace(source, "//mcp:tool\n", "//mcp:tool timeout=30s\n", 1), strings.Replace(generated, ";", " -target=gosdk;", 1), "./p",
			[]string{"p/p.go:18:1: the tool f: a server of the Go SDK cancels no calls; remove timeout=30s, and limit the context in the function"},
		},
		{"files on a command line", source, strings.Replace(generated, "package p", "package p // changed", 1), "p/p.go p/hidden.go p/mcp_gen.go", nil},
	} {
		write("p/p.go", test.source)
		write("p/mcp_gen.go", test.generated)
		var patterns []string
		for _, p := range strings.Fields(test.patterns) {
			if strings.HasSuffix(p, ".go") {
				p = filepath.Join(dir, filepath.FromSlash(p))
			}
			patterns = append(patterns, p)
		}
		loaded, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax | packages.NeedModule, Dir: dir, Env: testenv.Offline(), Tests: true}, patterns...)
		if err != nil {
			t.Fatal(err)
		}
		graph, err := checker.Analyze([]*analysis.Analyzer{analyzer.Analyzer}, loaded, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]bool{}
		for _, act := range graph.Roots {
			if act.Err != nil {
				t.Errorf("%s: %s: %v", test.name, act.Package.ID, act.Err)
			}
			for _, d := range act.Diagnostics {
				at := act.Package.Fset.Position(d.Pos)
				name, _ := filepath.Rel(dir, at.Filename)
				got[fmt.Sprintf("%s:%d:%d: %s", filepath.ToSlash(name), at.Line, at.Column, d.Message)] = true
			}
		}
		var all []string
		for line := range got {
			all = append(all, line)
		}
		slices.Sort(all)
		if !slices.Equal(all, test.want) {
			t.Errorf("%s: got %q, want %q", test.name, all, test.want)
		}
	}
	if !bytes.Contains([]byte(generated), []byte("Guest")) {
		t.Error("the file has no form")
	}
}
