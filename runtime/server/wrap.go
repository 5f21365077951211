package server

import (
	"github.com/mcpgen/mcpgen/mcp"
)

// Wrappers, filters and middleware divide the work. A filter decides whether a call may happen, a wrapper does something around the
// handler of one tool, and middleware around requests of any method, which it has to tell apart for each request.

// A ToolWrapper wraps the handler of a tool. It is called once for each tool, when the tool is added, with the
// definition as [Options].Define left it, which it must not change. For a tool that does not concern it, it returns
// next: calls of that tool then cost nothing. An error refuses the tool: [Server.AddTool] returns it.
//
// The handler that it returns runs after everything that can refuse a call, such as scopes, and before errors become
// results: it sees what next returned. If that is [ErrInputRequired], the call will come again with input, and next
// will run again from its start. A panic passes through it: what must happen in any case is deferred.
//
// This one lets nobody delete anything without a person's consent:
//
//	func confirm(t *mcp.Tool, next server.ToolHandler) (server.ToolHandler, error) {
//		if !t.Annotations.GetDestructiveHint() {
//			return next, nil
//		}
//		return func(ctx context.Context, c *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
//			if err := ask.Confirm(ctx, c, "Run "+t.Name+"?"); err != nil {
//				return nil, err
//			}
//			return next(ctx, c, args)
//		}, nil
//	}
type ToolWrapper func(t *mcp.Tool, next ToolHandler) (ToolHandler, error)

// wrapped returns the handler of a tool inside wrappers, of which the first is outermost.
func wrapped(t *mcp.Tool, h ToolHandler, wrappers []ToolWrapper) (ToolHandler, error) {
	for i := len(wrappers) - 1; i >= 0; i-- {
		var err error
		if h, err = wrappers[i](t, h); err != nil {
			return nil, err
		}
	}
	return h, nil
}
