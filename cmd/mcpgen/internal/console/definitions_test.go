package console

import (
	"context"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestListsThatAreMissing lists what a server offers that lacks the list of something it declares.
func TestListsThatAreMissing(t *testing.T) {
	for method, want := range map[string]string{
		mcp.MethodListResourceTemplates.Name: "",
		mcp.MethodListPrompts.Name:           "",
		mcp.MethodListTools.Name:             "method not found",
	} {
		s := server.New(mcp.Implementation{Name: "s"}, &server.Options{
			Capabilities: mcp.ServerCapabilities{Tools: &mcp.ServerCapabilitiesTools{}, Prompts: &mcp.ServerCapabilitiesPrompts{}, Resources: &mcp.ServerCapabilitiesResources{}},
			Middleware: []server.Middleware{func(next server.Handler) server.Handler {
				return func(ctx context.Context, c *server.Call) (wire.Encodable, error) {
					if c.Method() == method {
						return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "method not found"}
					}
					return next(ctx, c)
				}
			}},
		})
		c := mcptest.Connect(t, s, nil)
		_, err := (&Server{Client: c.Client}).Definitions(t.Context())
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", method, err, want)
		}
	}
}
