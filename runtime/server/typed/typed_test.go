package typed_test

import (
	"context"
	"errors"
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
	raw, err := s.ServeRequest(t.Context(), &transport.Request{ID: wire.IntID(1), Method: method, Revision: mcp.V2025_11_25, Params: wire.Raw(params)})
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
	for _, test := range []struct{ method, params, want string }{
		{"tools/list", `{}`, `{"tools":[{"name":"forecast","inputSchema":{"type":"object","properties":{"city":{"type":"string","description":"the city's name"},` +
			`"days":{"type":"integer"}},"required":["city"],"additionalProperties":false},"outputSchema":{"type":"object","properties":{"text":{"type":"string"}},` +
			`"required":["text"],"additionalProperties":false}},{"name":"whole","inputSchema":{"type":"object","additionalProperties":false}}]}`},
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
		"no handler":         typed.AddTool[query, report](s, mcp.Tool{Name: "a"}, nil),
	} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("error %v, want %s", err, name)
		}
	}
}
