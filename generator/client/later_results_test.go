package client_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestLaterResults calls a server that is newer than the client: its results have members, at two depths and in a tuple,
// and an item, that the client's schemas forbid. The call succeeds, and nothing is lost.
func TestLaterResults(t *testing.T) {
	const later = `{"id":1,"owner":{"name":"Ann","team":"blue"},"span":[{"at":"noon","zone":"UTC"},2,{"why":"late"}],"assignee":{"name":"Bob"}}`
	s := server.New(mcp.Implementation{Name: "later", Version: "2"}, nil)
	for _, name := range []string{"closed", "unevaluated", "draft7"} {
		err := s.AddTool(mcp.Tool{Name: name, InputSchema: wire.Raw(`{"type":"object"}`)}, func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{StructuredContent: wire.Raw(later)}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	c := New(mcptest.Connect(t, s, nil).Client)
	closed, err := c.Closed(t.Context(), ClosedArgs{})
	same(t, closed, err, later)
	for path, extra := range map[string]wire.Extra{"": closed.Extra, "owner": closed.Owner.Extra, "span/0": closed.Span.Item0.Extra} {
		if len(extra) != 1 {
			t.Errorf("%q has the extra members %v, want one", path, extra)
		}
	}
	if len(closed.Span.Rest) != 1 {
		t.Errorf("the tuple has %d items more, want one", len(closed.Span.Rest))
	}
	unevaluated, err := c.Unevaluated(t.Context(), UnevaluatedArgs{})
	same(t, unevaluated, err, later)
	draft7, err := c.Draft7(t.Context(), Draft7Args{})
	same(t, draft7, err, later)
}

// same checks that a result is written as it was read.
func same(t *testing.T, result any, err error, want string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	var have, wanted any
	if err := json.Unmarshal(text, &have); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(want), &wanted); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(wanted, have); diff != "" {
		t.Errorf("%T: -want +got:\n%s", result, diff)
	}
}
