package client_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generator/client"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestNamesStay regenerates a part of the corpus with its tools in another order: all names stay.
func TestNamesStay(t *testing.T) {
	c := corpus(t, "[cg]*")
	first, err := client.Generate(c, client.Options{Package: "example"})
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(c.Tools)
	again, err := client.Generate(c, client.Options{Package: "example", Names: first.Names})
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
	first, err := client.Generate(&client.Contract{Tools: []mcp.Tool{tool("get-user", `"user_id":{"type":"string"}`), tool("fake", "")}}, client.Options{Package: "example"})
	if err != nil {
		t.Fatal(err)
	}
	again, err := client.Generate(&client.Contract{Tools: []mcp.Tool{
		tool("get_user", `"a":{}`), tool("get-user", `"userId":{"type":"string"},"user_id":{"type":"string"}`), tool("getUser", ""), tool("fake", "")}}, client.Options{Package: "example", Names: first.Names})
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

// TestSharedNamesStay adds tools, before the others, whose results are like one that has a name already.
func TestSharedNamesStay(t *testing.T) {
	tool := func(name, output string) mcp.Tool {
		return mcp.Tool{Name: name, InputSchema: wire.Raw(`{"type":"object"}`), OutputSchema: wire.Raw(output)}
	}
	const issue = `{"type":"object","properties":{"id":{"type":"string"},"state":{"enum":["a","b"]}}}`
	get := tool("get_issue", issue)
	list := tool("list_issues", `{"type":"object","properties":{"issues":{"type":"array","items":`+issue+`}}}`)
	names := map[string]string{}
	for _, step := range []struct {
		tools []mcp.Tool
		want  string // the type of the result of get_issue
	}{
		{[]mcp.Tool{get}, "GetIssueResult"},
		{[]mcp.Tool{list, get}, "GetIssueResult"},
		{[]mcp.Tool{list, tool("create_issue", issue), get}, "GetIssueResult"},
	} {
		out, err := client.Generate(&client.Contract{Tools: step.tools}, client.Options{Package: "example", Names: names})
		if err != nil {
			t.Fatal(err)
		}
		compile(t, out.Source)
		for path, name := range names {
			if got := out.Names[path]; got != name && strings.HasPrefix(path, "tools/") && got != "" {
				t.Errorf("%s: %s became %s", path, name, got)
			}
		}
		if names = out.Names; names["tools/get_issue/output#"] != step.want {
			t.Errorf("got %s, want %s", names["tools/get_issue/output#"], step.want)
		}
	}
	// Without earlier names, they have one in common.
	for _, order := range [][]mcp.Tool{{get, list}, {list, get}} {
		out, err := client.Generate(&client.Contract{Tools: order}, client.Options{Package: "example"})
		if err != nil || out.Names["tools/get_issue/output#"] != "Issue" || out.Names["tools/list_issues/output#/properties/issues/items"] != "Issue" {
			t.Errorf("got %v, %v", out.Names, err)
		}
	}
}

// TestSharedDespiteResult has lists in the member result, which is what servers call a result without a name. It says
// nothing about what is in the list; the tool may.
func TestSharedDespiteResult(t *testing.T) {
	tool := func(name, output string) mcp.Tool {
		return mcp.Tool{Name: name, InputSchema: wire.Raw(`{"type":"object"}`), OutputSchema: wire.Raw(output)}
	}
	const issue = `{"type":"object","properties":{"id":{"type":"string"},"author":{"type":"object","properties":{"name":{"type":"string"}}}}}`
	one := func(name string) mcp.Tool { return tool(name, issue) }
	list := func(name string) mcp.Tool {
		return tool(name, `{"type":"object","properties":{"result":{"type":"array","items":`+issue+`}},"required":["result"]}`)
	}
	dict := tool("issues_by_id", `{"type":"object","properties":{"result":{"type":"object","additionalProperties":`+issue+`}}}`)
	inner := tool("find_issue", `{"type":"object","properties":{"found":{"type":"object","properties":{"result":{"type":"array","items":`+issue+`}}}}}`)
	for _, test := range []struct {
		tools  []mcp.Tool
		issues int // types for issues
		name   string
	}{
		{[]mcp.Tool{one("create_issue"), one("get_issue"), list("list_issues")}, 1, "Issue"},
		{[]mcp.Tool{one("create_issue"), one("get_issue"), list("search")}, 1, "Issue"},
		{[]mcp.Tool{one("get_issue"), list("list_issues")}, 1, "Issue"},
		{[]mcp.Tool{list("list_issues"), list("search_issues")}, 1, "IssuesResult"},
		{[]mcp.Tool{one("create_issue"), one("get_issue"), dict}, 1, "Issue"},
		{[]mcp.Tool{one("get_issue"), list("search")}, 2, ""},
		{[]mcp.Tool{list("search"), list("find")}, 2, ""},
		{[]mcp.Tool{one("create_issue"), one("get_issue"), inner}, 3, ""}, // a name that somebody has chosen
	} {
		out, err := client.Generate(&client.Contract{Tools: test.tools}, client.Options{Package: "example"})
		if err != nil {
			t.Fatal(err)
		}
		compile(t, out.Source)
		got := strings.Count(string(out.Source), "\n\tAuthor *") // in each type for issues
		if got != test.issues || test.name != "" && !strings.Contains(string(out.Source), "\ntype "+test.name+" struct {") {
			t.Errorf("%s …: %d types for issues, want %d, and %s", test.tools[0].Name, got, test.issues, test.name)
		}
	}
}

// TestNamesOfNobody gives names of an earlier run that Go or the package does not have.
func TestNamesOfNobody(t *testing.T) {
	c := &client.Contract{Tools: []mcp.Tool{{Name: "x", InputSchema: wire.Raw(`{"type":"object","properties":{"a":{"enum":["p","q"]},"b":{}}}`)}}}
	for _, name := range []string{"", "x", "Client", "func", "a b", "Äh", "type", "Fake"} {
		out, err := client.Generate(c, client.Options{Package: "example", Names: map[string]string{
			"tools/x": name, "tools/x/input#": name, "tools/x/input#/properties/a": name, "field tools/x/input#/properties/b": name, "tools/x/input#/properties/a=p": name}})
		if err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		compile(t, out.Source)
	}
}
