package original

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// tool returns a definition of a tool with one argument.
func tool(description, schema string) []mcp.Tool {
	return []mcp.Tool{{
		Name: "find", Title: "Find a thing", Description: description,
		InputSchema: wire.Raw(`{"type":"object","properties":{"name":` + schema + `},"required":["name"]}`),
	}}
}

func TestDifferences(t *testing.T) {
	const schema = `{"type":"object","description":"Which","properties":{"kind":{"type":"string","enum":["a","b"]},"size":{"type":"integer","maximum":9,"default":1}}}`
	was := tool("Finds it.", schema)
	// changed returns the definition with another one in place of a part of the schema.
	changed := func(old, new string) []mcp.Tool {
		if !strings.Contains(schema, old) {
			t.Fatalf("the schema has no %s", old)
		}
		return tool("Finds it.", strings.Replace(schema, old, new, 1))
	}
	edited := func(edit func(*mcp.Tool)) []mcp.Tool {
		is := tool("Finds it.", schema)
		edit(&is[0])
		return is
	}
	for _, test := range []struct {
		name string
		is   []mcp.Tool
		want []string
	}{
		{"another form", changed(`"string"`, `["string"]`), nil},
		{"another description", tool("Finds them.", schema), nil},
		{"another description of an argument", changed("Which", "What"), nil},
		{"another title", edited(func(tool *mcp.Tool) { tool.Title = "Search" }), nil},
		{"a title elsewhere", edited(func(tool *mcp.Tool) { tool.Title, tool.Annotations = "", &mcp.ToolAnnotations{Title: "Search"} }), nil},
		{"no description", tool("", schema), []string{"tool find: description removed"}},
		{"no description of an argument", changed(`"description":"Which",`, ""), []string{"tool find: input.name: description removed"}},
		{"no title", edited(func(tool *mcp.Tool) { tool.Title = "" }), []string{`tool find: title: changed from "…" to "find"`}},
		{"another type", changed(`"integer"`, `"number"`), []string{"tool find: input.name.size: type changed from integer to number"}},
		{"another bound", changed("9", "8"), []string{"tool find: input.name.size: maximum lowered from 9 to 8"}},
		{"another enum", changed(`"b"`, `"c"`), []string{`tool find: input.name.kind: value "b" removed`, `tool find: input.name.kind: value "c" added`}},
		{"another default", changed(`"default":1`, `"default":2`), []string{"tool find: input.name.size: default changed from 1 to 2"}},
		{"optional", edited(func(tool *mcp.Tool) {
			tool.InputSchema = wire.Raw(strings.Replace(string(tool.InputSchema), `"required":["name"]`, `"required":[]`, 1))
		}), []string{"tool find: input.name: optional now"}},
		{"a hint", edited(func(tool *mcp.Tool) { tool.Annotations = &mcp.ToolAnnotations{ReadOnlyHint: new(true)} }), []string{"tool find: readonly now"}},
		{"another name", edited(func(tool *mcp.Tool) { tool.Name = "search" }), []string{"tool find: renamed to search"}},
		{"no tool", nil, []string{"tool find: removed"}},
	} {
		if got := Differences(was, test.is); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
	if want := tool("Finds it.", schema); !reflect.DeepEqual(was, want) {
		t.Errorf("the definition is now %+v, want %+v", was, want)
	}
}

// What is called title or description, and is none, is compared.
func TestNames(t *testing.T) {
	for _, test := range []struct{ was, is string }{
		{`{"type":"object","properties":{"title":{"type":"string"}}}`, `{"type":"object","properties":{"title":{"type":"number"}}}`},
		{`{"type":"object","properties":{"description":{"type":"string"}}}`, `{"type":"object","properties":{"description":{"type":"number"}}}`},
		{`{"type":"object","default":{"title":"a"}}`, `{"type":"object","default":{"title":"b"}}`},
	} {
		if got := Differences(tool("Finds it.", test.was), tool("Finds it.", test.is)); len(got) == 0 {
			t.Errorf("%s, %s: got no difference", test.was, test.is)
		}
	}
}

func TestFacts(t *testing.T) {
	tools := tool("Finds it.", `{"type":"string","description":"Its name","enum":["a","b"]}`)
	tools[0].Annotations = &mcp.ToolAnnotations{OpenWorldHint: new(false)}
	const want = "find closedworld\n\tname! enum=[a b] type=string\n"
	if got := Facts(t, tools); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
