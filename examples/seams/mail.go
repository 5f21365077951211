package seams

import (
	"context"
	"errors"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Later returns a wrapper of tools whose calls respond at once: the tool goes on, and deliver is told what it has returned.
// Such a tool cannot ask for input.
func Later(deliver func(principal, tool string, result wire.Raw, failed bool)) server.ToolWrapper {
	return func(t *mcp.Tool, next server.ToolHandler) (server.ToolHandler, error) {
		return func(ctx context.Context, c *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
			m := &mail{deliver: func(result wire.Raw, failed bool) { deliver(c.Principal(), t.Name, result, failed) }}
			err := c.Continue(context.WithoutCancel(ctx), m, nil, func(ctx context.Context, c *server.Call) (*mcp.CallToolResult, error) {
				return next(ctx, c, args)
			})
			if err != nil {
				return nil, err
			}
			return server.TextResult(t.Name + " has begun; its result will come by mail"), nil
		}, nil
	}
}

// A mail is the server.Background of a call.
type mail struct {
	deliver func(result wire.Raw, failed bool)
}

// Ask refuses: nobody is there to respond.
func (*mail) Ask(context.Context, *server.InputRequest) (wire.Raw, error) {
	return nil, errors.New("a tool whose result comes by mail cannot ask")
}

// Report ignores progress.
func (*mail) Report(done, total float64, message string) {}

// Done delivers the result.
func (m *mail) Done(result wire.Raw, toolFailed bool, err *jsonrpc.Error) {
	if err != nil {
		result = nil
	}
	m.deliver(result, toolFailed || err != nil)
}
