package client_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
	"unicode"

	"github.com/mcpgen/mcpgen/generator/client"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestHostileSchemas generates clients from schemas that say much with few words: what they multiply is bounded.
func TestHostileSchemas(t *testing.T) {
	refused := map[string]string{
		"product of arms":     "there are too many arms (oneOf, anyOf)",
		"doubling references": "the schema says too much",
		"many arms":           "there are too many arms (oneOf, anyOf)",
	}
	for name, schema := range hostileSchemas() {
		_, err := client.Generate(&client.Contract{Tools: []mcp.Tool{{Name: name, InputSchema: wire.Raw(schema)}}}, client.Options{Package: "example", Strict: true})
		if want := refused[name]; want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got %.200v, want %q", name, err, want)
		}
	}
}

func hostileSchemas() map[string]string {
	repeat := func(n int, sep string, f func(i int) string) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = f(i)
		}
		return strings.Join(parts, sep)
	}
	return map[string]string{
		"deep": strings.Repeat(`{"type":"object","properties":{"a":`, 60) + "{}" + strings.Repeat("}}", 60),
		"product of arms": `{"type":"object","properties":{"a":{"allOf":[` + repeat(12, ",", func(i int) string {
			return fmt.Sprintf(`{"oneOf":[{"properties":{"p%d":{"const":1}}},{"properties":{"q%d":{"const":2}}}]}`, i, i)
		}) + `]}}}`,
		"doubling references": `{"type":"object","properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{` + repeat(40, ",", func(i int) string {
			return fmt.Sprintf(`"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i, i+1, i+1)
		}) + `,"d40":{"type":"string"}}}`,
		"all refer to all": `{"type":"object","properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{` + repeat(40, ",", func(i int) string {
			return fmt.Sprintf(`"d%d":{"type":"object","properties":{%s}}`, i, repeat(20, ",", func(j int) string { return fmt.Sprintf(`"m%d":{"$ref":"#/$defs/d%d"}`, j, j) }))
		}) + `}}`,
		"many arms": `{"type":"object","properties":{"a":{"oneOf":[` + repeat(1000, ",", func(i int) string {
			return fmt.Sprintf(`{"type":"object","properties":{"t":{"const":"v%d"}},"required":["t"]}`, i)
		}) + `]}}}`,
		"arms with many members": `{"type":"object","properties":{"a":{"oneOf":[` + repeat(50, ",", func(i int) string {
			return `{"type":"object","properties":{` + repeat(50, ",", func(j int) string { return fmt.Sprintf(`"m%d":{"type":"string"}`, j) }) + `}}`
		}) + `]}}}`,
		"many members": `{"type":"object","properties":{` + repeat(300, ",", func(i int) string { return fmt.Sprintf(`"m%d":{"type":"string"}`, i) }) + `}}`,
		"one name":     `{"type":"object","properties":{` + repeat(300, ",", func(i int) string { return fmt.Sprintf(`"a%s":{"type":"string"}`, strings.Repeat("-", i)) }) + `}}`,
	}
}

// TestHostileTexts generates clients of servers that write Go in all their names and texts: it stays text.
func TestHostileTexts(t *testing.T) {
	const code = "func Planted() {}"
	for _, text := range []string{
		"\n" + code, "x\n" + code + "\n//", "*/ " + code + " /*", "\r" + code, "\u2028" + code, "\x0b" + code, "\u0085" + code, "\x00" + code,
		"\ufeff" + code, "\\\n" + code, "{@link x\n" + code + "}", "```\n" + code + "\n```", "    \n" + code, "{x\n" + code + "}",
		"\n//go:linkname a b", "a\n\n//go:build ignore\n", "//line a.go:1", "// +build ignore", "/*", "*/", "`", "a\x1b]0;title\a\x1b[2J\u009b2J\b\x7f\rb", "a\u202eb\u2066c\u200fd", `"`, "%s", "", " ", "единица", "_", "type", "init", "nil",
	} {
		source := hostileClient(t, text)
		file, err := parser.ParseFile(token.NewFileSet(), "client.go", source, parser.ParseComments)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if at := strings.IndexFunc(string(source), controls); at >= 0 {
			t.Errorf("%q: the code has %q", text, source[max(0, at-20):min(at+20, len(source))])
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && id.Name == "Planted" {
				t.Errorf("%q became code", text)
			}
			return true
		})
		for _, group := range file.Comments {
			for _, c := range group.List {
				if c.Text != "//" && !strings.HasPrefix(c.Text, "// ") && !strings.HasPrefix(c.Text, "//\t") || strings.HasPrefix(c.Text, "// +build") {
					t.Errorf("%q became the comment %q", text, c.Text)
				}
			}
		}
	}
}

// controls reports whether a character would control what shows it.
func controls(r rune) bool {
	return r != '\n' && r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
}

// hostileClient returns the client of a server that has a text wherever a text may be.
func hostileClient(t *testing.T, text string) []byte {
	t.Helper()
	quoted, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	schema := wire.Raw(strings.ReplaceAll(`{"type":"object","title":§,"description":§,
		"$defs":{§:{"type":"object","description":§,"properties":{§:{"type":"string"}}},"e":{"description":§,"enum":[§,"b",1]}},
		"properties":{
			§:{"enum":[§,"z"],"title":§,"description":§,"default":§},
			"const":{"const":§,"title":§},
			"string":{"type":"string","pattern":§,"format":§,"default":§,"contentMediaType":§},
			"union":{"oneOf":[
				{"type":"object","required":["t"],"properties":{"t":{"const":§}}},
				{"type":"object","required":["t"],"properties":{"t":{"const":"u"},"v":{"type":"integer"}}}]},
			"choice":{"type":"object","anyOf":[{"required":[§]},{"required":["b"]}]},
			"ref":{"$ref":"#/$defs/e"},
			"tuple":{"type":"array","prefixItems":[{"const":§},{"type":"string","title":§}]}}}`, "§", string(quoted)))
	contract := &client.Contract{
		Server:            mcp.Implementation{Name: text, Version: text},
		Tools:             []mcp.Tool{{Name: text, Title: text, Description: text, InputSchema: schema, OutputSchema: schema}},
		Prompts:           []mcp.Prompt{{Name: text, Description: text, Arguments: []mcp.PromptArgument{{Name: text, Description: text}}}},
		ResourceTemplates: []mcp.ResourceTemplate{{Name: text, Description: text, URITemplate: "file:///" + text + "/{a}"}},
	}
	generated, err := client.Generate(contract, client.Options{Package: "example"})
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	lock, err := (&client.Lock{Contract: contract, Names: generated.Names}).Format()
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	if at := strings.IndexFunc(string(lock), controls); at >= 0 {
		t.Errorf("%q: the lock file has %q", text, lock[max(0, at-20):min(at+20, len(lock))])
	}
	if back, err := client.ParseLock("lock.json", lock); err != nil || back.Contract.Tools[0].Name != strings.ToValidUTF8(text, "\ufffd") {
		t.Errorf("%q is not what was written to the lock file: %v", text, err)
	}
	if len(generated.Mistakes) > 0 {
		t.Errorf("%q: %v", text, generated.Mistakes)
	}
	return generated.Source
}

// TestManyValues makes constants of the values of an enum only as long as anybody could read them.
func TestManyValues(t *testing.T) {
	const most = 1000
	for _, test := range []struct {
		n    int
		want string
	}{{most, "type FindArgsState string"}, {most + 1, "State *string"}} {
		values := make([]string, test.n)
		for i := range values {
			values[i] = fmt.Sprintf(`"v%d"`, i)
		}
		schema := `{"type":"object","properties":{"state":{"enum":[` + strings.Join(values, ",") + `]}}}`
		made, err := client.Generate(&client.Contract{Tools: []mcp.Tool{{Name: "find", InputSchema: wire.Raw(schema)}}}, client.Options{Package: "example", Strict: true})
		if err != nil {
			t.Fatal(err)
		}
		if source := string(made.Source); !strings.Contains(source, test.want) || strings.Contains(source, fmt.Sprintf("One of %d values.", test.n)) != (test.n > most) {
			t.Errorf("%d values: there is no %s, or no comment, in\n%.2000s", test.n, test.want, source)
		}
	}
}
