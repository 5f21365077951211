package client

import (
	"maps"
	"slices"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestNamesStay regenerates a part of the corpus with its tools in another order: all names stay.
func TestNamesStay(t *testing.T) {
	c := corpus(t, "[cg]*")
	first, err := Generate(c, Options{Package: "example"})
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(c.Tools)
	again, err := Generate(c, Options{Package: "example", Names: first.Names})
	if err != nil {
		t.Fatal(err)
	}
	if !maps.Equal(first.Names, again.Names) {
		for path, name := range first.Names {
			if again.Names[path] != name {
				t.Errorf("%s: %s became %s", path, name, again.Names[path])
			}
		}
	}
}

// TestNamesKept adds tools and members whose names would come first.
func TestNamesKept(t *testing.T) {
	tool := func(name, properties string) mcp.Tool {
		return mcp.Tool{Name: name, InputSchema: wire.Raw(`{"type":"object","properties":{` + properties + `}}`)}
	}
	first, err := Generate(&Contract{Tools: []mcp.Tool{tool("get-user", `"user_id":{"type":"string"}`), tool("fake", "")}}, Options{Package: "example"})
	if err != nil {
		t.Fatal(err)
	}
	again, err := Generate(&Contract{Tools: []mcp.Tool{
		tool("get_user", `"a":{}`), tool("get-user", `"userId":{"type":"string"},"user_id":{"type":"string"}`), tool("getUser", ""), tool("fake", "")}}, Options{Package: "example", Names: first.Names})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"tools/get-user":        "GetUser",
		"tools/get-user/input#": "GetUserArgs",
		"field tools/get-user/input#/properties/user_id": "UserID",
		"field tools/get-user/input#/properties/userId":  "UserID2",
		"tools/get_user": "GetUser2",
		"tools/getUser":  "GetUser3",
		"tools/fake":     "Fake",
	} {
		if got := again.Names[path]; got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
	compile(t, again.Source)
}

// TestNamesOfNobody gives names of an earlier run that Go or the package does not have.
func TestNamesOfNobody(t *testing.T) {
	c := &Contract{Tools: []mcp.Tool{{Name: "x", InputSchema: wire.Raw(`{"type":"object","properties":{"a":{"enum":["p","q"]},"b":{}}}`)}}}
	for _, name := range []string{"", "x", "Client", "func", "a b", "Äh", "type", "Fake"} {
		out, err := Generate(c, Options{Package: "example", Names: map[string]string{
			"tools/x": name, "tools/x/input#": name, "tools/x/input#/properties/a": name, "field tools/x/input#/properties/b": name, "tools/x/input#/properties/a=p": name}})
		if err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		compile(t, out.Source)
	}
}
