package typed_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/server/typed"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

type query struct {
	City string `json:"city" jsonschema:"the city's name"`
	Days int    `json:"days,omitempty"`
}

type report struct {
	Text string `json:"text"`
}

func forecast(_ context.Context, _ *server.Call, q query) (report, error) {
	if q.City == "Atlantis" {
		return report{}, errors.New("no such city")
	}
	return report{q.City}, nil
}

func call(t *testing.T, s *server.Server, method, params string) string {
	t.Helper()
	raw, err := server.NewEndpoint(s).ServeRequest(t.Context(), &transport.Request{ID: wire.IntID(1), Method: method, Revision: mcp.V2025_11_25, Params: wire.Raw(params)})
	if err != nil {
		return err.Error()
	}
	return string(raw)
}

// REQ TOOL-05, TOOL-08, TOOL-12, TOOL-18
func TestAddTool(t *testing.T) {
	s := server.New(mcp.Implementation{Name: "t", Version: "1"}, nil)
	if err := typed.AddTool(s, mcp.Tool{Name: "forecast"}, forecast); err != nil {
		t.Fatal(err)
	}
	if err := typed.AddTool(s, mcp.Tool{Name: "whole"}, func(context.Context, *server.Call, struct{}) (*mcp.CallToolResult, error) {
		return server.TextResult("whole"), nil
	}); err != nil {
		t.Fatal(err)
	}
	type number struct {
		Value float64 `json:"value"`
	}
	if err := typed.AddTool(s, mcp.Tool{Name: "none"}, func(context.Context, *server.Call, struct{}) (number, error) { return number{math.NaN()}, nil }); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ method, params, want string }{
		{"tools/call", `{"name":"none"}`, `{"content":[{"type":"text","text":"json: unsupported value: NaN"}],"isError":true}`},
		{"tools/list", `{}`, `{"tools":[{"name":"forecast","inputSchema":{"type":"object","properties":{"city":{"type":"string","description":"the city's name"},` +
			`"days":{"type":"integer"}},"required":["city"],"additionalProperties":false},"outputSchema":{"type":"object","properties":{"text":{"type":"string"}},` +
			`"required":["text"]}},{"name":"none","inputSchema":{"type":"object","additionalProperties":false},"outputSchema":{"type":"object","properties":{"value":{"type":"number"}},` +
			`"required":["value"]}},{"name":"whole","inputSchema":{"type":"object","additionalProperties":false}}]}`},
		{"tools/call", `{"name":"forecast","arguments":{"city":"Oslo"}}`,
			`{"content":[{"type":"text","text":"{\"text\":\"Oslo\"}"}],"structuredContent":{"text":"Oslo"}}`},
		{"tools/call", `{"name":"forecast","arguments":{"city":"Atlantis"}}`, `{"content":[{"type":"text","text":"no such city"}],"isError":true}`},
		{"tools/call", `{"name":"forecast","arguments":{"city":7}}`, `{"content":[{"type":"text","text":"city: got number, want string"}],"isError":true}`},
		{"tools/call", `{"name":"forecast","arguments":{"city":"Oslo","day":1}}`,
			`{"content":[{"type":"text","text":"additional properties 'day' not allowed"}],"isError":true}`},
		{"tools/call", `{"name":"whole"}`, `{"content":[{"type":"text","text":"whole"}]}`},
	} {
		if got := call(t, s, test.method, test.params); got != test.want {
			t.Errorf("%s %s:\n got %s\nwant %s", test.method, test.params, got, test.want)
		}
	}
}

func TestAddToolFails(t *testing.T) {
	s := server.New(mcp.Implementation{Name: "t", Version: "1"}, nil)
	for name, err := range map[string]error{
		"input: ":            typed.AddTool(s, mcp.Tool{Name: "a"}, func(context.Context, *server.Call, func()) (report, error) { return report{}, nil }),
		"output: ":           typed.AddTool(s, mcp.Tool{Name: "a"}, func(context.Context, *server.Call, query) (chan int, error) { return nil, nil }),
		`want type "object"`: typed.AddTool(s, mcp.Tool{Name: "a"}, func(context.Context, *server.Call, int) (report, error) { return report{}, nil }),
		`typed: tool "a": `:  typed.AddTool(s, mcp.Tool{Name: "a", InputSchema: wire.Raw(`{"type":"object","properties":{"a":{"$ref":"#/nowhere"}}}`)}, forecast),
		"no handler":         typed.AddTool[query, report](s, mcp.Tool{Name: "a"}, nil),
	} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("error %v, want %s", err, name)
		}
	}
}

// The scopes are those of the tool, whichever AddTool it is offered by.
//
// REQ AUTH11-14
func TestAddToolScopes(t *testing.T) {
	s := server.New(mcp.Implementation{Name: "s", Version: "1"}, nil)
	run := func(context.Context, *server.Call, struct{}) (struct{}, error) { return struct{}{}, nil }
	tool, err := typed.Tool(mcp.Tool{Name: "t"}, run)
	if err != nil {
		t.Fatal(err)
	}
	tool.Access.Scopes = []string{"a b"}
	if err := s.Add(tool); err == nil || !strings.Contains(err.Error(), `scope "a b"`) {
		t.Errorf("a scope that is none: %v", err)
	}
	tool.Access.Scopes = []string{"a", "b"}
	if err := s.Add(tool); err != nil {
		t.Fatal(err)
	}
	r := &transport.Request{Method: "tools/call", Params: wire.Raw(`{"name":"t"}`), Revision: mcp.V2025_06_18, Origin: transport.Origin{Address: "192.0.2.1"}}
	var scope *transport.ScopeError
	if _, err := server.NewEndpoint(s).ServeRequest(t.Context(), r); !errors.As(err, &scope) || strings.Join(scope.Scopes, " ") != "a b" {
		t.Errorf("the call: %v", err)
	}
}

// TestOpenResults looks for objects that are closed in the schema of a result, and for such that are open in that of
// arguments, at all depths.
func TestOpenResults(t *testing.T) {
	type inner struct {
		A int `json:"a"`
	}
	type outer struct {
		One  inner            `json:"one"`
		Some []inner          `json:"some"`
		By   map[string]inner `json:"by"`
		Deep [1]map[string][]*inner
	}
	s := server.New(mcp.Implementation{Name: "t", Version: "1"}, nil)
	own := mcp.Tool{Name: "own", OutputSchema: wire.Raw(`{"type":"object","title":"mine"}`)}
	if err := typed.AddTool(s, own, func(_ context.Context, _ *server.Call, in outer) (outer, error) { return in, nil }); err != nil {
		t.Fatal(err)
	}
	if list := call(t, s, "tools/list", `{}`); !strings.Contains(list, `"outputSchema":{"type":"object","title":"mine"}`) {
		t.Errorf("the schema of the tool is another: %s", list)
	}
	s = server.New(mcp.Implementation{Name: "t", Version: "1"}, nil)
	if err := typed.AddTool(s, mcp.Tool{Name: "echo"}, func(_ context.Context, _ *server.Call, in outer) (outer, error) { return in, nil }); err != nil {
		t.Fatal(err)
	}
	list := call(t, s, "tools/list", `{}`)
	in, out, _ := strings.Cut(list, `"outputSchema"`)
	if got, want := strings.Count(in, `"additionalProperties":false`), 5; got != want {
		t.Errorf("%d objects of the arguments are closed, want %d: %s", got, want, in)
	}
	if strings.Contains(out, `"additionalProperties":false`) {
		t.Errorf("an object of the result is closed: %s", out)
	}
	if !strings.Contains(out, `"by":{"type":"object","additionalProperties":{`) {
		t.Errorf("the values of a map have no schema: %s", out)
	}
}
