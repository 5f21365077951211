package lint

import (
	"go/token"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
)

// TestWalk visits all schemas in a schema, and nothing else.
func TestWalk(t *testing.T) {
	var got []string
	walk("x", parse(`{
		"$defs":{"D":{}},"additionalProperties":{},"allOf":[{}],"anyOf":[{},{}],"const":{"properties":{"a":{}}},"contains":{},"else":{},"enum":[{}],"if":{},
		"items":{"items":{}},"not":{},"oneOf":[{},true],"patternProperties":{"^p":{}},"prefixItems":[{}],"properties":{"b":{},"a":{}},"then":{}}`),
		func(path string, s map[string]any) {
			if s == nil {
				t.Errorf("%s is no schema", path)
			}
			got = append(got, path)
		})
	want := []string{
		"x", "x (D)", "x.*", "x(allOf 1)", "x(anyOf 1)", "x(anyOf 2)", "x (contains)", "x (else)", "x (if)", "x[]", "x[][]", "x (not)", "x(oneOf 1)", "x.^p",
		"x(prefixItems 1)", "x.a", "x.b", "x (then)",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	walk("x", nil, func(path string, s map[string]any) {
		if s != nil {
			t.Errorf("%s is visited", path)
		}
	})
}

// TestRecursive finds definitions that lead to themselves, and ends where others do.
func TestRecursive(t *testing.T) {
	for schema, want := range map[string]string{
		`{}`: "",
		`{"$defs":{"A":{"$ref":"#/$defs/B"},"B":{"$ref":"#/$defs/B"}}}`:                          "B",
		`{"$defs":{"A":{"anyOf":[{"$ref":"#/$defs/A"},{"type":"string"}]}}}`:                     "A",
		`{"$defs":{"A":{"$ref":"B"},"B":{"$ref":"#/$defs/C"}}}`:                                  "",
		`{"$defs":{"A":{"$ref":"#/$defs/B"},"B":{"$ref":"#/$defs/C"},"C":{"$ref":"#/$defs/B"}}}`: "B",
	} {
		if got := recursive(parse(schema)); got != want {
			t.Errorf("%s: got %q, want %q", schema, got, want)
		}
	}
}

// TestPositions says where a finding is: at the function of the tool, or of the first, or at the directive.
func TestPositions(t *testing.T) {
	at := func(line int) token.Position { return token.Position{Filename: "a.go", Line: line} }
	p := &ir.Package{
		Silences: []*ir.Silence{{Rule: "recursion", Pos: at(3)}},
		Tools: []*ir.Tool{
			{Name: "a.1", Description: "Adds.", Func: &ir.Func{Pos: at(1)}},
			{Name: "a.2", Description: "Adds.", Func: &ir.Func{Pos: at(2)}, Open: true, Output: ir.Output{Kind: ir.WrappedOutput, Members: []*ir.Property{}}},
		},
	}
	var got []string
	for _, f := range Check(p, []string{"claude", "openai", "vscode"}, 1) {
		got = append(got, f.Pos.String()[:len("a.go:1")]+" "+f.Rule+" "+f.Path+" "+strings.Join(f.Profiles, " "))
	}
	want := []string{"a.go:1 tools  vscode", "a.go:1 name  claude vscode", "a.go:2 name  claude vscode", "a.go:2 open input openai", "a.go:3 nolint  "}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
