package deployment_test

import (
	"context"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/deployment"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func TestMain(m *testing.M) { testenv.Main(m) }

var info = mcp.Implementation{Name: "pods", Version: "1.0.0"}

// Tools have the arguments of the deployment in lists and calls, and their handlers do not see them, in every revision.
//
// REQ TOOL-12
func TestOptions(t *testing.T) {
	cluster := &deployment.Param{Name: "cluster", Description: "Where to look.", Values: []string{"eu", "us"}}
	tenant := &deployment.Param{Name: "tenant", Default: "main", For: func(t *mcp.Tool) bool { return t.Name == "list" }}
	says := func(ctx context.Context, _ *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
		return server.TextResult(cluster.Value(ctx) + " " + tenant.Value(ctx) + " " + string(args)), nil
	}
	s := server.New(info, deployment.Options(nil, cluster, tenant))
	for _, tool := range []mcp.Tool{
		{Name: "list", InputSchema: wire.Raw(`{"type":"object","properties":{"q":{"type":"string"}},"required":["q"],"additionalProperties":false}`)},
		{Name: "count", InputSchema: wire.Raw(`{"type":"object"}`)},
	} {
		if err := s.AddTool(tool, says); err != nil {
			t.Fatal(err)
		}
	}
	for _, taken := range []string{`{"type":"object","properties":{"cluster":{"type":"string"}}}`, `{"type":"object","properties":{"tenant":{}}}`} {
		err := s.AddTool(mcp.Tool{Name: "list2", InputSchema: wire.Raw(taken)}, says)
		if strings.Contains(taken, "cluster") && (err == nil || !strings.Contains(err.Error(), `argument "cluster": the tool has an argument of that name`)) {
			t.Errorf("%s: %v", taken, err)
		} else if strings.Contains(taken, "tenant") && err != nil { // which it may, since it has no tenant of the deployment
			t.Errorf("%s: %v", taken, err)
		}
	}
	mcptest.EachRevision(t, func(t *testing.T, revision wire.Revision) {
		c := mcptest.Connect(t, s, &mcptest.Options{Revision: revision})
		want := map[string]string{
			"list": `{"type":"object","properties":{"q":{"type":"string"},"cluster":{"type":"string","description":"Where to look.","enum":["eu","us"]},` +
				`"tenant":{"type":"string","default":"main"}},"required":["q","cluster"],"additionalProperties":false}`,
			"count": `{"type":"object","properties":{"cluster":{"type":"string","description":"Where to look.","enum":["eu","us"]}},"required":["cluster"]}`,
		}
		for tool, err := range c.Tools(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if want[tool.Name] != "" && string(tool.InputSchema) != want[tool.Name] {
				t.Errorf("%s has %s\nwant %s", tool.Name, tool.InputSchema, want[tool.Name])
			}
		}
		for _, tt := range []struct{ tool, args, want string }{
			{"list", `{"cluster":"eu","q":"a","tenant":"x"}`, `eu x {"q":"a"}`},
			{"list", `{"q":"a","cluster":"us"}`, `us main {"q":"a"}`},
			{"count", `{"cluster":"us"}`, `us main {}`},
			{"count", `{}`, `cluster: required`},
			{"count", `{"cluster":"mars"}`, `cluster: want one of eu, us, got "mars"`},
			{"list", `{"cluster":"eu","tenant":1}`, `tenant: want a string`},
			{"list", `{"cluster":null}`, `cluster: want a string`},
		} {
			r, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: tt.tool, Arguments: wire.Raw(tt.args)})
			if err != nil {
				t.Fatal(err)
			}
			if got := r.Content[0].(*mcp.TextContent).Text; got != tt.want {
				t.Errorf("%s %s: got %s, want %s", tt.tool, tt.args, got, tt.want)
			}
		}
	})
}

// Options keeps those that it is given, and Value knows the default outside of calls.
func TestDefine(t *testing.T) {
	p := &deployment.Param{Name: "p", Default: "d"}
	wrapped := 0
	opts := &server.Options{
		Define: func(item any) { item.(*mcp.Tool).Title = "T" },
		WrapTools: []server.ToolWrapper{func(_ *mcp.Tool, next server.ToolHandler) (server.ToolHandler, error) {
			wrapped++
			return next, nil
		}},
	}
	s := server.New(info, deployment.Options(opts, p))
	if err := s.AddTool(mcp.Tool{Name: "a", InputSchema: wire.Raw(`{"type":"object"}`)}, func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) { return nil, nil }); err != nil {
		t.Fatal(err)
	}
	for i := range s.Items() {
		if tool := i.Definition.(*mcp.Tool); tool.Title != "T" || !strings.Contains(string(tool.InputSchema), `"p"`) {
			t.Errorf("got %+v", tool)
		}
	}
	if wrapped != 1 || len(opts.WrapTools) != 1 || p.Value(t.Context()) != "d" {
		t.Errorf("wrapped %d times; %d wrappers; %q", wrapped, len(opts.WrapTools), p.Value(t.Context()))
	}
}

// A tool whose schema cannot take the argument is refused, and other items have no arguments.
func TestRefused(t *testing.T) {
	s := server.New(info, deployment.Options(nil, &deployment.Param{Name: "p"}))
	none := func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) { return nil, nil }
	for schema, refused := range map[string]bool{
		`{"type":"object","properties":{},"required":[]}`:                      false,
		`{"type":"object","properties":{"p":{"type":"integer"}}}`:              true,
		`{"type":"object","properties":{"a":{},"a":{}}}`:                       true,
		`{"type":"object","properties":7}`:                                     true,
		`{"type":"object","required":7}`:                                       true,
		`{"type":"object","a":1,"a":2}`:                                        true,
		`{"type":"object","properties":{"p":{"type":"string"}},"required":[]}`: false, // as it would be added
	} {
		if err := s.AddTool(mcp.Tool{Name: "t", InputSchema: wire.Raw(schema)}, none); (err != nil) != refused {
			t.Errorf("%s: %v", schema, err)
		}
		s.RemoveTools("t")
	}
	err := s.AddResource(mcp.Resource{Name: "r", URI: "a:b"}, func(context.Context, *server.Call, string) (*mcp.ReadResourceResult, error) { return nil, nil })
	if err != nil {
		t.Error(err)
	}
}
