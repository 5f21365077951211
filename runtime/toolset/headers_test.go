package toolset

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/roomtest"
	"github.com/mcpgen/mcpgen/runtime/internal/servertest"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A client chooses by headers, in lists and calls alike, and only among what it is offered anyway.
//
// REQ TOOL-26
func TestFromHeaders(t *testing.T) {
	var set Set
	opts := set.Options(nil)
	opts.Filters = append(opts.Filters, FromHeaders("X-MCP"))
	s := roomtest.NewServer(opts)
	add := func(name string, readonly bool, access server.Access) {
		tool := &mcp.Tool{Name: name, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: new(readonly)}}
		servertest.Check(t, s.Add(server.Item{Definition: tool, Handler: roomtest.Says(""), Access: access}))
	}
	add("core", true, server.Access{})
	add("file_get", true, server.Access{Groups: []string{"files", "reads"}})
	add("file_put", false, server.Access{Groups: []string{"files"}})
	add("issue_get", true, server.Access{Groups: []string{"issues", "reads"}})
	add("secret", true, server.Access{Features: []string{"beta"}})
	servertest.Check(t, s.AddPrompt(mcp.Prompt{Name: "ask"}, roomtest.NoPrompt))
	servertest.Check(t, s.Add(server.Item{Definition: &mcp.Prompt{Name: "ask_files"}, Handler: server.PromptHandler(roomtest.NoPrompt), Access: server.Access{Groups: []string{"files"}}}))
	http1 := httptest.NewServer(streamable.NewHandler(s, &streamable.Options{Stateless: true}))
	defer http1.Close()
	post := func(header map[string][]string, body string) string {
		r, err := http.NewRequest(http.MethodPost, http1.URL, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Mcp-Protocol-Version": {"2025-11-25"}}
		for name, values := range header {
			r.Header[http.CanonicalHeaderKey(name)] = values
		}
		resp, err := http1.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	all := []string{"core", "file_get", "file_put", "issue_get", "secret"}
	for _, test := range []struct {
		header map[string][]string
		want   string
	}{
		{nil, "core file_get file_put issue_get"},
		{map[string][]string{"X-MCP-Tools": {"core, issue_*", "secret"}}, "core issue_get"},
		{map[string][]string{"X-MCP-Tools": {""}}, ""},
		{map[string][]string{"X-MCP-Tools": {strings.Repeat("a,", 199), " core"}}, "core"},
		{map[string][]string{"X-MCP-Groups": {"files"}}, "core file_get file_put"},
		{map[string][]string{"X-MCP-Groups": {"reads"}}, "core file_get issue_get"},
		{map[string][]string{"X-MCP-Groups": {"files"}, "X-MCP-Readonly": {"True"}}, "core file_get"},
		{map[string][]string{"X-MCP-Groups": {"issues"}, "X-MCP-Tools": {"file_get"}}, ""},
		{map[string][]string{"X-MCP-Readonly": {"false"}}, "core file_get file_put issue_get"},
	} {
		list := post(test.header, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		var got []string
		for _, name := range all {
			listed := strings.Contains(list, `"name":"`+name+`"`)
			called := strings.Contains(post(test.header, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+name+`"}}`), `"content"`)
			if listed != called {
				t.Errorf("%v: %s: listed %t, called %t", test.header, name, listed, called)
			}
			if listed {
				got = append(got, name)
			}
		}
		if !slices.Equal(got, strings.Fields(test.want)) {
			t.Errorf("%v: got %q, want %s", test.header, got, test.want)
		}
	}
	for want, header := range map[string]map[string][]string{
		"header X-MCP-Groups: want at most 200 names, got 201": {"X-MCP-Groups": {strings.Repeat("a,", 201)}},
		"header X-MCP-Tools: want at most 200 names, got 201":  {"X-MCP-Tools": {strings.Repeat("a,", 201)}},
		"header X-MCP-Readonly: want true or false":            {"X-MCP-Readonly": {"yes"}},
	} {
		if got := post(header, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"core"}}`); !strings.Contains(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
		if got := post(header, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`); !strings.Contains(got, `"tools":[]`) {
			t.Errorf("the list with a wrong header: %s", got)
		}
	}
	for group, want := range map[string]int{"files": 2, "issues": 1} { // whatever the other headers, which are about tools
		list := post(map[string][]string{"X-MCP-Groups": {group}, "X-MCP-Readonly": {"true"}, "X-MCP-Tools": {"x"}}, `{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`)
		if got := strings.Count(list, `"name":`); got != want {
			t.Errorf("%s: got %d prompts, want %d: %s", group, got, want, list)
		}
	}
	without := roomtest.NewClient(t, s, mcp.V2025_11_25, `{}`).Must("tools/list", `{}`)
	if got := strings.Count(without, `"name":`); got != 4 {
		t.Errorf("without headers: %s", without)
	}
}

// The texts of arguments are replaced where they stand, and everything else of the schema stays as it was.
func TestArgumentTexts(t *testing.T) {
	var tools Set
	s := roomtest.NewServer(tools.Options(nil))
	servertest.Check(t, s.AddTool(mcp.Tool{Name: "get", InputSchema: wire.Raw(`{"type":"object","properties":{"b":{"type":"string","description":"old","maxLength":3},"a":{"type":"integer"}},"required":["b"]}`)},
		func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{}, nil
		}))
	servertest.Check(t, s.AddTool(mcp.Tool{Name: "odd", InputSchema: wire.Raw(`{"type":"object","properties":{"a":true}}`)}, roomtest.Says("")))
	servertest.Check(t, tools.Use(s, Selection{Tools: map[string]Text{"get": {Arguments: map[string]string{"a": `the "first"`, "b": "new"}}}}))
	c := roomtest.NewClient(t, s, mcp.V2026_07_28, `{}`)
	servertest.Contains(t, "list", c.Must("tools/list", `{}`),
		`{"type":"object","properties":{"b":{"type":"string","description":"new","maxLength":3},"a":{"type":"integer","description":"the \"first\""}},"required":["b"]}`)
	if err := tools.Use(s, Selection{Tools: map[string]Text{"get": {Arguments: map[string]string{"c": "?"}}}}); err == nil || !strings.Contains(err.Error(), `tool "get": there is no argument "c"; there are a, b`) {
		t.Error(err)
	}
	if err := tools.Use(s, Selection{Tools: map[string]Text{"odd": {Arguments: map[string]string{"a": "?"}}}}); err == nil || !strings.Contains(err.Error(), `tool "odd": argument "a": `) {
		t.Error(err)
	}
	servertest.Check(t, tools.Use(s, Selection{Tools: map[string]Text{"get": {Arguments: map[string]string{"a": "alone"}}}}))
	servertest.Contains(t, "list", c.Must("tools/list", `{}`), `"b":{"type":"string","description":"old","maxLength":3},"a":{"type":"integer","description":"alone"}`)
	for _, schema := range []string{`7`, `{"properties":7}`} {
		if _, err := describeArguments(wire.Raw(schema), map[string]string{"a": "?"}); err == nil {
			t.Errorf("%s: there is no error", schema)
		}
	}
}
