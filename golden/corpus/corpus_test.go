package corpus

import (
	"errors"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/generator/tools"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

var update = flag.Bool("update", false, "rewrite testdata/corpus.txt")

// TestCorpus compares what becomes of each function with testdata/corpus.txt: the tool, and what it
// answers to the calls there, which are the lines that begin with >; or what is wrong with it.
func TestCorpus(t *testing.T) {
	const file = "testdata/corpus.txt"
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	calls := make(map[string][]string) // by tool
	for line := range strings.Lines(string(want)) {
		if call, ok := strings.CutPrefix(line, "> "); ok {
			tool, arguments, _ := strings.Cut(strings.TrimSuffix(call, "\n"), " ")
			calls[tool] = append(calls[tool], arguments)
		}
	}
	s := server.New(mcp.Implementation{Name: "corpus"}, nil)
	if err := Register(s); err != nil {
		t.Fatal(err)
	}
	c := mcptest.Connect(t, s, nil)
	listed := make(map[string]*mcp.Tool)
	for tool, err := range c.Tools(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		listed[tool.Name] = tool
	}

	var got strings.Builder
	count := 0
	for _, f := range functions(t, "corpus.go") {
		name := snake(f.name)
		tool := listed[name]
		if tool == nil || len(calls[name]) == 0 {
			t.Errorf("%s: listed: %t, calls: %d", f.name, tool != nil, len(calls[name]))
			continue
		}
		count++
		got.WriteString("\n" + f.source + "\n")
		got.WriteString("\ttakes " + string(tool.InputSchema) + "\n")
		if len(tool.OutputSchema) > 0 {
			got.WriteString("\treturns " + string(tool.OutputSchema) + "\n")
		}
		for _, arguments := range calls[name] {
			r, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: name, Arguments: wire.Raw(arguments)})
			if err != nil {
				t.Errorf("%s: %v", f.name, err)
				continue
			}
			text := strings.TrimSuffix(mcptest.Text(r), "\n")
			if r.GetIsError() {
				text = "error: " + text
			}
			got.WriteString("> " + name + " " + arguments + "\n" + text + "\n")
		}
	}
	refused := "testdata/refused/refused.go"
	wrong := mistakes(t, "./testdata/refused")
	for _, f := range functions(t, refused) {
		got.WriteString("\n" + f.source + "\n")
		for line := f.first; line <= f.last; line++ {
			for _, problem := range wrong[line] {
				got.WriteString("\terror: " + problem + "\n")
				f.wrong = true
			}
		}
		if !f.wrong {
			t.Errorf("%s is not refused", f.name)
		}
		count++
	}
	if count < 30 {
		t.Errorf("only %d functions", count)
	}
	if *update {
		if err := os.WriteFile(file, []byte(strings.TrimPrefix(got.String(), "\n")), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(strings.TrimPrefix(got.String(), "\n"), "\n")); diff != "" {
		t.Errorf("-want +got (accept with -update):\n%s", diff)
	}
}

// A function is one of the corpus.
type function struct {
	name, source string // the source in one line, without the directive
	first, last  int    // lines
	wrong        bool
}

func functions(t *testing.T, file string) (all []function) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range f.Decls {
		if d, ok := d.(*ast.FuncDecl); ok {
			if len(d.Doc.List) != 1 {
				t.Errorf("%s has %d lines of comments, want 1", d.Name, len(d.Doc.List))
			}
			source := text[fset.Position(d.Type.Pos()).Offset:fset.Position(d.End()).Offset]
			all = append(all, function{
				name: d.Name.Name, source: strings.Join(strings.Fields(string(source)), " "),
				first: fset.Position(d.Doc.Pos()).Line, last: fset.Position(d.End()).Line,
			})
		}
	}
	return all
}

// mistakes returns what is wrong with a package, by line.
func mistakes(t *testing.T, pattern string) map[int][]string {
	t.Helper()
	_, err := tools.Load(t.Context(), nil, pattern)
	var list tools.ErrorList
	if !errors.As(err, &list) {
		t.Fatalf("%s: %v", pattern, err)
	}
	lines := make(map[int][]string)
	for _, e := range list {
		lines[e.Pos.Line] = append(lines[e.Pos.Line], e.Msg)
	}
	return lines
}

// snake is how a function's name becomes that of its tool.
func snake(name string) string {
	var b strings.Builder
	for i, c := range name {
		if lower := i > 0 && name[i-1] >= 'a'; lower && c < 'a' && c > '9' {
			b.WriteByte('_')
		}
		b.WriteString(strings.ToLower(string(c)))
	}
	return b.String()
}

// TestGenerated makes sure that the generated files are what would be generated now.
func TestGenerated(t *testing.T) {
	if testing.Short() {
		t.Skip("it generates the whole corpus, which -short does without")
	}
	packages, err := tools.Load(t.Context(), nil, ".")
	if err != nil {
		t.Fatal(err)
	}
	files, err := packages[0].Generate(tools.Runtime)
	if err != nil {
		t.Fatal(err)
	}
	files[tools.LockFile] = packages[0].Lock()
	for name, want := range files {
		got, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s is stale; run go generate:\n%s", name, diff)
		}
	}
}
