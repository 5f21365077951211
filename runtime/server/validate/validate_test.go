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

// REQ JSCH-01, JSCH-02, JSCH-03, JSCH-05, JSCH-06, JSCH-08
func TestCompile(t *testing.T) {
	for _, test := range []struct{ schema, want string }{
		{`{"type":"object"}`, ""},
		{`{"$schema":"https://json-schema.org/draft/2020-12/schema","prefixItems":[true]}`, ""},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"a":{}}}`, ""},
		{`{"$defs":{"a":{"type":"string"}},"$ref":"#/$defs/a"}`, ""},
		{`{"type":7}`, "type"},
		{`{"$schema":"https://example.com/mine"}`, "https://example.com/mine"},
		{`{"$ref":"https://example.com/other"}`, "not followed"},
		{`{"$ref":"file:///etc/passwd"}`, "not followed"},
		{`{"$ref":"#/$defs/none"}`, "$defs/none"},
		{`{`, "got the end of the input"},
	} {
		_, err := validate.Compile(wire.Raw(test.schema))
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.schema, err, test.want)
		}
	}
}

// Each dialect has keywords of its own; without $schema those of 2020-12 count, and no others.
//
// REQ JSCH-01, JSCH-02, JSCH-03
func TestDialects(t *testing.T) {
	for _, test := range []struct{ dialect, rest, value, want string }{
		{"", `"prefixItems":[{"type":"string"}]`, `[1]`, "[0]: got number, want string"},
		{"", `"prefixItems":[{"type":"string"}],"items":{"type":"integer"}`, `["a","b"]`, "[1]: got string, want integer"},
		{"", `"dependentRequired":{"a":["b"]}`, `{"a":1}`, "properties 'b' required, if 'a' exists"},
		{"", `"properties":{"a":true},"unevaluatedProperties":false`, `{"b":1}`, "b: false schema"},
		{"", `"$ref":"#/$defs/x","maximum":3,"$defs":{"x":{}}`, `4`, "maximum: got 4, want 3"},
		{"https://json-schema.org/draft/2020-12/schema", `"prefixItems":[{"type":"string"}]`, `[1]`, "[0]: got number, want string"},
		{"http://json-schema.org/draft-07/schema#", `"prefixItems":[{"type":"string"}]`, `[1]`, ""},
		{"http://json-schema.org/draft-07/schema#", `"items":[{"type":"string"}]`, `[1]`, "[0]: got number, want string"},
		{"http://json-schema.org/draft-07/schema#", `"dependencies":{"a":["b"]}`, `{"a":1}`, "properties 'b' required, if 'a' exists"},
	} {
		schema := `{` + test.rest + `}`
		if test.dialect != "" {
			schema = `{"$schema":"` + test.dialect + `",` + test.rest + `}`
		}
		s, err := validate.Compile(wire.Raw(schema))
		if err != nil {
			t.Errorf("%s: %v", schema, err)
			continue
		}
		if got := strings.Join(s.Check(t.Context(), wire.Raw(test.value)), "|"); got != test.want {
			t.Errorf("%s of %s: got %q, want %q", test.value, schema, got, test.want)
		}
	}
	// What is valid in draft-07 alone is no schema without $schema.
	if _, err := validate.Compile(wire.Raw(`{"items":[{"type":"string"}]}`)); err == nil {
		t.Error("items of draft-07 was taken in 2020-12")
	}
}

func TestCheck(t *testing.T) {
	s, err := validate.Compile(wire.Raw(`{"type":"object","properties":{"days":{"type":"array","items":{"type":"object",
		"properties":{"n":{"type":"integer","maximum":14}}}},"id":{"type":"integer"},"x":{"properties":{"n":{"properties":{"k":{"type":"string"}}}}}},"required":["id"]}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ value, want string }{
		{`{"id":9007199254740993}`, ""},
		{`{"id":1.0}`, ""},
		{`{}`, "missing property 'id'"},
		{`{"id":1.5}`, "id: got number, want integer"},
		{`{"id":"x","days":[{"n":1},{"n":20}]}`, "days[1].n: maximum: got 20, want 14|id: got string, want integer"},
		{`[]`, "got array, want object"},
		{`{"id":1,"id":1}`, `duplicate member "id"`},
		{`{"x":{"n":{"k":1}},"id":1}`, "x.n.k: got number, want string"},
	} {
		problems := s.Check(t.Context(), wire.Raw(test.value))
		if got := strings.Join(problems, "|"); got != test.want {
			if len(problems) == 2 { // in any order
				got = problems[1] + "|" + problems[0]
			}
			if got != test.want {
				t.Errorf("%s: got %s, want %s", test.value, got, test.want)
			}
		}
	}
}

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
