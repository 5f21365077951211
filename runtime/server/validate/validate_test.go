package validate_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/server/validate"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// REQ TOOL-08, TOOL-17, TOOL-18, TOOL-26
func TestTool(t *testing.T) {
	output := `{"n":1}`
	s := server.New(mcp.Implementation{Name: "t", Version: "1"}, &server.Options{WrapTools: []server.ToolWrapper{validate.Tools}})
	err := s.AddTool(mcp.Tool{
		Name:         "a",
		InputSchema:  wire.Raw(`{"type":"object","properties":{"x":{"type":"integer"}},"required":["x"]}`),
		OutputSchema: wire.Raw(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`),
	}, func(_ context.Context, _ *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
		switch output {
		case "error":
			return server.ErrorResult(errors.New("no")), nil
		case "nil":
			return nil, nil
		case "failed":
			return nil, errors.New("it failed")
		}
		return &mcp.CallToolResult{StructuredContent: wire.Raw(output)}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	call := func(rev wire.Revision, args string) (string, error) {
		raw, err := server.NewEndpoint(s).ServeRequest(t.Context(), &transport.Request{ID: wire.IntID(1), Method: "tools/call", Revision: rev,
			Params: wire.Raw(`{"name":"a","arguments":` + args + `}`)})
		return string(raw), err
	}
	if got, err := call(mcp.V2025_06_18, `{"x":1}`); err != nil || !strings.Contains(got, `"structuredContent":{"n":1}`) {
		t.Errorf("%s %v", got, err)
	}
	for _, rev := range []wire.Revision{mcp.V2025_06_18, mcp.V2025_11_25} {
		if got, err := call(rev, `{}`); err != nil || !strings.Contains(got, `"text":"missing property 'x'"}],"isError":true`) {
			t.Errorf("invalid arguments: %s %v", got, err)
		}
	}
	output = "error"
	if got, err := call(mcp.V2025_06_18, `{"x":1}`); err != nil || !strings.Contains(got, `"isError":true`) {
		t.Errorf("%s %v", got, err)
	}
	output = "failed"
	if got, err := call(mcp.V2025_06_18, `{"x":1}`); err != nil || !strings.Contains(got, `"it failed"`) {
		t.Errorf("%s %v", got, err)
	}
	for _, output = range []string{`{"n":"x"}`, ``} {
		if _, err := call(mcp.V2025_06_18, `{"x":1}`); !errors.Is(err, jsonrpc.ErrInternal) {
			t.Errorf("invalid output %s: %v", output, err)
		}
	}
	for _, output = range []string{``, "nil"} {
		if _, err := call(mcp.V2025_06_18, `{"x":1}`); err == nil || !strings.HasSuffix(err.Error(), "is not valid: it is missing (-32603)") {
			t.Errorf("no output: %v", err)
		}
	}
	output = `7` // one byte is too little for an object, but something
	if _, err := call(mcp.V2025_06_18, `{"x":1}`); !errors.Is(err, jsonrpc.ErrInternal) || strings.Contains(err.Error(), "there is none") {
		t.Errorf("output %s: %v", output, err)
	}
	none := func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) { return nil, nil }
	err = s.AddTool(mcp.Tool{Name: "b", InputSchema: wire.Raw(`{"type":"object","minProperties":"x"}`)}, none)
	if err == nil || !strings.HasPrefix(err.Error(), `server: AddTool: tool "b": validate: input schema: `) {
		t.Errorf("an invalid schema: %v", err)
	}
	err = s.AddTool(mcp.Tool{Name: "b", OutputSchema: wire.Raw(`{"type":"object","minProperties":"x"}`)}, none)
	if err == nil || !strings.HasPrefix(err.Error(), `server: AddTool: tool "b": validate: output schema: `) {
		t.Errorf("an invalid schema: %v", err)
	}
	// Without schemas nothing is validated.
	if h, err := validate.Tools(&mcp.Tool{Name: "c"}, none); err != nil {
		t.Error(err)
	} else if r, err := h(t.Context(), nil, wire.Raw(`[]`)); r != nil || err != nil {
		t.Errorf("%v, %v", r, err)
	}
}
