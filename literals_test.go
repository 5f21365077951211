package mcpgen_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/protocol"
	"github.com/mcpgen/mcpgen/model"
	"github.com/mcpgen/mcpgen/schema"
)

// A literal is a protocol fact that hand-written code of the runtime may repeat, and why.
type literal struct{ file, text, reason string }

// literals are all of them. Whatever else the runtime needs of the protocol comes from package mcp and those
// of the extensions.
var literals = []literal{
	{"runtime/internal/mcpheader/params.go", "mcp-header", "x-mcp-header, a keyword of JSON Schemas and no header"},
	{"runtime/jsonrpc/parse.go", "2025-03-26", "a message for people; the package is below mcp"},
	{"runtime/internal/peer/incoming.go", "notifications/", "what begins the names of notifications, of every revision and extension"},
	{"runtime/server/degrade.go", "2025-06-18", "messages for people"},
	{"runtime/server/degrade.go", "2025-11-25", "messages for people"},
	{"runtime/server/degrade.go", "2026-07-28", "messages for people"},
	{"runtime/server/session.go", "ping", "a message for people"},
	{"runtime/transport/streamable/modern.go", "2026-07-28", "a message for people"},
	{"runtime/wire/revision.go", "2025-06-18", "an example of a date"},
}

// eachRuntimeFile calls f for each Go file of the runtime that is not a test. Names have slashes.
func eachRuntimeFile(t *testing.T, f func(name string, fset *token.FileSet, file *ast.File)) {
	t.Helper()
	err := filepath.WalkDir("runtime", func(name string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return err
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err == nil {
			f(filepath.ToSlash(name), fset, file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestLiterals finds the method names, the keys of metadata, the revisions and the HTTP headers that
// hand-written code of the runtime has as literals. A new revision must not need an edit of what it changes
// alone.
func TestLiterals(t *testing.T) {
	facts := protocolFacts(t)
	used := make([]bool, len(literals))
	eachRuntimeFile(t, func(name string, fset *token.FileSet, file *ast.File) {
		if ast.IsGenerated(file) {
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if _, ok := n.(*ast.ImportSpec); ok {
				return false
			}
			lit, ok := n.(*ast.BasicLit)
			if !ok {
				return true
			}
			for _, text := range facts.in(lit) {
				i := slices.IndexFunc(literals, func(l literal) bool { return l.file == name && l.text == text })
				if i < 0 {
					t.Errorf("%s: %s says %q: take it from package mcp, or say why not in the table of this test", fset.Position(lit.Pos()), lit.Value, text)
					continue
				}
				used[i] = true
			}
			return true
		})
	})
	for i, l := range literals {
		if !used[i] {
			t.Errorf("%s does not say %q any more: %s", l.file, l.text, l.reason)
		}
		if l.reason == "" {
			t.Errorf("%s: %q has no reason", l.file, l.text)
		}
	}
}

// A factTable knows the protocol's names.
type factTable struct {
	names   map[string]bool // that are facts as a whole: "ping"
	numbers map[string]bool // of revisions: 20250618
	pattern *regexp.Regexp  // of those that are facts inside of a text, too
}

// in returns the facts in a literal.
func (f factTable) in(lit *ast.BasicLit) []string {
	switch lit.Kind {
	case token.INT:
		if n := strings.ReplaceAll(lit.Value, "_", ""); f.numbers[n] {
			return []string{n}
		}
	case token.STRING:
		text, err := strconv.Unquote(lit.Value)
		if err != nil {
			return nil
		}
		found := f.pattern.FindAllString(text, -1)
		if first, _, _ := strings.Cut(strings.TrimPrefix(text, "server: "), ":"); f.names[first] {
			found = append(found, first)
		}
		return found
	}
	return nil
}

func protocolFacts(t *testing.T) factTable {
	t.Helper()
	f := factTable{map[string]bool{}, map[string]bool{}, nil}
	var patterns []string
	for _, r := range schema.Revisions() {
		patterns = append(patterns, r.Name)
		f.numbers[strings.ReplaceAll(r.Name, "-", "")] = true
	}
	merged, err := protocol.Merged()
	if err != nil {
		t.Fatal(err)
	}
	all := []*model.Schema{merged}
	for _, x := range schema.Extensions() {
		s, err := protocol.Extension(x)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	for _, s := range all {
		for _, m := range s.Methods {
			if strings.Contains(m.Name, "/") {
				patterns = append(patterns, `\b`+regexp.QuoteMeta(m.Name)+`\b`)
			} else {
				f.names[m.Name] = true
			}
		}
	}
	// The longest first: a method's name may begin another's.
	slices.SortFunc(patterns, func(a, b string) int { return len(b) - len(a) })
	patterns = append(patterns, `\bnotifications/`, `\bio\.modelcontextprotocol/[A-Za-z-]*`, `(?i:\bmcp-[a-z-]+)`)
	f.pattern = regexp.MustCompile(strings.Join(patterns, "|"))
	return f
}

// TestLiteralsAreFound checks what counts as a fact of the protocol.
func TestLiteralsAreFound(t *testing.T) {
	facts := protocolFacts(t)
	for source, want := range map[string][]string{
		`"ping"`:                               {"ping"},
		`"initialize"`:                         {"initialize"},
		`"initializes"`:                        nil,
		`"send initialize first"`:              nil,
		`"tools/call"`:                         {"tools/call"},
		"`server/discover: failed`":            {"server/discover"},
		`"tasks/update"`:                       {"tasks/update"},
		`"notifications/tasks/status"`:         {"notifications/tasks/status"},
		`"notifications/other"`:                {"notifications/"},
		`"resources/templates/list"`:           {"resources/templates/list"},
		`"io.modelcontextprotocol/serverInfo"`: {"io.modelcontextprotocol/serverInfo"},
		`"since 2025-11-25"`:                   {"2025-11-25"},
		`"2006-01-02"`:                         nil,
		`"Mcp-Session-Id"`:                     {"Mcp-Session-Id"},
		`"mcp-name"`:                           {"mcp-name"},
		`"mcp: panic"`:                         nil,
		`20250326`:                             {"20250326"},
		`2025_03_26`:                           {"20250326"},
		`20250327`:                             nil,
	} {
		e, err := parser.ParseExpr(source)
		if err != nil {
			t.Fatal(err)
		}
		if got := facts.in(e.(*ast.BasicLit)); !slices.Equal(got, want) {
			t.Errorf("in %s: %q, want %q", source, got, want)
		}
	}
}
