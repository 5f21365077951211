package main

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/skills/skillserver"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestScenarios plays every scenario with a server that writes down what it is asked.
func TestScenarios(t *testing.T) {
	const lists = "tools/list "
	for name, want := range map[string]string{
		"initialize":                          lists,
		"json-schema-ref-no-deref":            lists,
		"request-metadata":                    lists,
		"tools_call":                          lists + `json_schema_2020_12_tool{"a":5,"b":3} json_schema_echo{"a":5,"b":3} `,
		"sse-retry":                           lists + `json_schema_2020_12_tool{} json_schema_echo{} `,
		"elicitation-sep1034-client-defaults": lists + `json_schema_2020_12_tool{} json_schema_echo{} `,
		"sep-2322-client-request-state":       lists + `json_schema_2020_12_tool{} json_schema_echo{} `,
		"http-invalid-tool-headers": lists +
			`json_schema_2020_12_tool{"region":"us-west1"} json_schema_echo{"region":"us-west1"} `,
		"http-standard-headers": lists + `json_schema_2020_12_tool{} resources/list resources/read prompts/list prompts/get `,
		"http-custom-headers":   lists + `json_schema_echo{"region":null} json_schema_2020_12_tool{} `,
		"json-schema-2020-12-preservation": lists +
			`json_schema_echo{"schema":{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object"}} `,
		"sep-2640-client-no-prefetch":        "skills/list ",
		"sep-2640-client-verify-digest":      "skills/list resources/read resources/read resources/read ",
		"sep-2640-client-verify-size":        "skills/list resources/read resources/read resources/read ",
		"sep-2640-client-verify-frontmatter": "skills/list resources/read resources/read resources/read ",
	} {
		t.Run(name, func(t *testing.T) {
			s, asked := newRecorder(t)
			c := mcptest.Connect(t, s, &mcptest.Options{Revision: mcp.V2026_07_28})
			told := wire.Raw(`{"toolCalls":[{"name":"json_schema_echo","arguments":{"region":null}},` +
				`{"name":"json_schema_2020_12_tool","arguments":{}}]}`)
			if err := scenarios[name](t.Context(), c.Client, told); err != nil {
				t.Fatal(err)
			}
			if got := asked(); got != want {
				t.Errorf("the client asked for\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// newRecorder returns a server, and a function for what it was asked to do.
func newRecorder(t *testing.T) (*server.Server, func() string) {
	t.Helper()
	var mu sync.Mutex
	var asked strings.Builder
	files := fstest.MapFS{"a/SKILL.md": {Data: []byte("---\nname: a\ndescription: b\n---\n")}, "a/b": {}}
	s := server.New(mcp.Implementation{Name: "recorder", Version: "1"}, &server.Options{
		Setup: []server.Setup{skillserver.Enable(files, nil)},
		Middleware: []server.Middleware{func(next server.Handler) server.Handler {
			return func(ctx context.Context, c *server.Call) (wire.Encodable, error) {
				mu.Lock()
				defer mu.Unlock()
				switch c.Method() {
				case "server/discover":
				case "tools/call":
					var call struct {
						Name      string
						Arguments wire.Raw
					}
					if err := json.Unmarshal(c.Params(), &call); err != nil {
						t.Error(err)
					}
					asked.WriteString(call.Name + string(call.Arguments) + " ")
				default:
					asked.WriteString(c.Method() + " ")
				}
				return next(ctx, c)
			}
		}},
	})
	for name, schema := range map[string]string{
		"json_schema_2020_12_tool": `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object"}`,
		"json_schema_echo":         `{"type":"object"}`,
	} {
		err := s.AddTool(mcp.Tool{Name: name, InputSchema: wire.Raw(schema)},
			func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) { return nil, nil })
		if err != nil {
			t.Fatal(err)
		}
	}
	err := s.AddResource(mcp.Resource{URI: "test://a", Name: "a"},
		func(context.Context, *server.Call, string) (*mcp.ReadResourceResult, error) {
			return server.TextResource("text/plain", "a"), nil
		})
	if err != nil {
		t.Fatal(err)
	}
	err = s.AddPrompt(mcp.Prompt{Name: "a"},
		func(context.Context, *server.Call, map[string]string) (*mcp.GetPromptResult, error) {
			return new(mcp.GetPromptResult), nil
		})
	if err != nil {
		t.Fatal(err)
	}
	return s, func() string {
		mu.Lock()
		defer mu.Unlock()
		return asked.String()
	}
}

// TestScenarioErrors: what the suite forgot to say, or its server to offer, is an error.
func TestScenarioErrors(t *testing.T) {
	s := server.New(mcp.Implementation{Name: "empty", Version: "1"}, nil)
	c := mcptest.Connect(t, s, nil)
	for name, want := range map[string]string{
		"http-custom-headers":              "MCP_CONFORMANCE_CONTEXT",
		"json-schema-2020-12-preservation": "no tool json_schema_2020_12_tool",
		"sep-2640-client-no-prefetch":      "does not declare the capability extensions.io.modelcontextprotocol/skills",
		"sep-2640-client-verify-digest":    "does not declare the capability extensions.io.modelcontextprotocol/skills",
	} {
		if err := scenarios[name](t.Context(), c.Client, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", name, err, want)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(scenarios)) {
		if name != "http-custom-headers" && name != "json-schema-2020-12-preservation" && !strings.HasPrefix(name, "sep-2640-") {
			if err := scenarios[name](t.Context(), c.Client, nil); err != nil {
				t.Errorf("%s: %v with a server that offers nothing", name, err)
			}
		}
	}
}
