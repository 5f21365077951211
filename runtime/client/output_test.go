package client

import (
	"context"
	"errors"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// REQ TOOL-08 TOOL-09 TOOL-10 TOOL-11 TOOL-14
func TestCheckOutput(t *testing.T) {
	t.Parallel()
	const schema = `{"type":"object","const":{"a":1}}`
	check := func(_ context.Context, s, output wire.Raw) error {
		if string(s) != schema {
			t.Errorf("schema %s", s)
		}
		if string(output) != `{"a":1}` {
			return errors.New("other than the constant")
		}
		return nil
	}
	server := script{
		"tools/list": always(`{"tools":[{"name":"t","inputSchema":{"type":"object"},"outputSchema":` + schema + `},` + tool("u") + `]}`),
	}
	both(t, server, func(t *testing.T, server script, opts Options) {
		opts.CheckOutput = check
		c, f := dial(t, server, &opts)
		call := func(name string) error {
			_, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: name})
			return err
		}
		wants := []string{"", "", `tool "t": the result does not validate against its output schema: other than the constant`,
			`tool "t": the result does not validate against its output schema: there is no structured content`, "", ""}
		server["tools/call"] = rounds(
			`{"content":[],"structuredContent":{"a":2}}`, // before the list is known
			`{"content":[],"structuredContent":{"a":1}}`,
			`{"content":[],"structuredContent":{"a":2}}`,
			`{"content":[]}`,
			`{"content":[],"isError":true}`,
			`{"content":[],"structuredContent":{"a":2}}`, // after the list has changed
		)
		for i, want := range wants {
			if i == 1 {
				if err := listTools(t.Context(), c, f); err != nil {
					t.Fatal(err)
				}
			}
			if i == len(wants)-1 {
				f.notice("notifications/tools/list_changed", "{}")
			}
			if got := errorText(call("t")); got != want {
				t.Errorf("call %d: %q, want %q", i, got, want)
			}
		}
		if err := call("u"); err != nil {
			t.Errorf("a tool without a schema: %v", err)
		}
	})
}

// A result that is not valid against the schema that the client has seen is validated against the current one, which
// may have changed without a word.
func TestCheckOutputOfNewerServer(t *testing.T) {
	t.Parallel()
	schema := `{"const":1}`
	server := script{
		"tools/list": func(*received) (string, error) {
			return `{"tools":[{"name":"t","inputSchema":{"type":"object"},"outputSchema":` + schema + `}]}`, nil
		},
	}
	both(t, server, func(t *testing.T, server script, opts Options) {
		schema = `{"const":1}`
		opts.CheckOutput = func(_ context.Context, s, output wire.Raw) error {
			if string(s) != `{"const":`+string(output)+`}` {
				return errors.New("other than the constant")
			}
			return nil
		}
		c, f := dial(t, server, &opts)
		if err := listTools(t.Context(), c, f); err != nil {
			t.Fatal(err)
		}
		schema = `{"const":2}`
		server["tools/call"] = always(`{"content":[],"structuredContent":2}`)
		for range 2 {
			if _, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "t"}); err != nil {
				t.Error(err)
			}
		}
		schema = `{"const":3}`
		server["tools/call"] = always(`{"content":[],"structuredContent":4}`)
		if _, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "t"}); err == nil {
			t.Error("a result that is not valid against any of the schemas is no error")
		}
	})
}
