package toolsearch_test

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/client/elicit"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/server/ask"
	"github.com/mcpgen/mcpgen/runtime/toolsearch"
	"github.com/mcpgen/mcpgen/runtime/transport/httpclient"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A plan over HTTP, with a question to the user, in every revision that has plans. The arguments of its tool are repeated in
// headers of calls that the client makes by itself.
func TestOverHTTP(t *testing.T) {
	mcptest.EachRevision(t, func(t *testing.T, rev wire.Revision) {
		if rev < mcp.V2025_06_18 {
			return
		}
		s := server.New(mcp.Implementation{Name: "test", Version: "1"}, toolsearch.Enable(nil, nil))
		ran := 0
		for _, name := range []string{"first", "second"} {
			err := s.AddTool(mcp.Tool{
				Name: name, InputSchema: wire.Raw(`{"type":"object","properties":{"x":{"type":"string","x-mcp-header":"X"}},"required":["x"]}`),
				OutputSchema: wire.Raw(`{"type":"object","properties":{"x":{"type":"string"}},"required":["x"]}`),
			}, func(ctx context.Context, c *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
				if err := ask.Confirm(ctx, c, "Run "+name+"?"); err != nil {
					return nil, err
				}
				ran++
				return &mcp.CallToolResult{StructuredContent: args}, nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		web := httptest.NewServer(streamable.NewHandler(s, nil))
		defer web.Close()
		asked := 0
		c, err := client.Connect(t.Context(), httpclient.New(web.URL, nil), &client.Options{
			Revisions: []wire.Revision{rev},
			Elicit: elicit.Handler{Form: func(context.Context, *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) {
				asked++
				return elicit.Accept(struct{}{})
			}},
		})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		r, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "run_plan", Arguments: wire.Raw(`{"steps":[
			{"id":"a","tool":"first","args":{"x":"1"}},{"id":"b","tool":"second","args":{"x":{"$from":"a","pointer":"/x"}}}]}`)})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(r.StructuredContent), `{"results":{"b":{"x":"1"}}}`) || asked != 2 || ran != 2 {
			t.Errorf("result %s; asked %d times, ran %d times", mcptest.Text(r), asked, ran)
		}
	})
}
