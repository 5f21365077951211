package features

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// addCustom adds what the protocol does not have: a request, a notification and an extension.
func (e *everything) addCustom() error {
	return errors.Join(
		e.AddMethod("example/echo", echo),
		e.AddNotification("notifications/example/notice", e.notice),
		e.AddNotification(mcp.MethodRootsListChangedNotification.Name, e.rootsChanged),
		e.AddExtension(server.Extension{ID: "com.example/everything", Settings: wire.Raw(`{"level":1}`)}),
	)
}

// echo answers with the value that it got, whatever it is.
func echo(_ context.Context, c *server.Call) (wire.Encodable, error) {
	var params struct{ Value wire.Raw }
	if err := json.Unmarshal(c.Params(), &params); err != nil || len(params.Value) == 0 {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "example/echo: want params with a value"}
	}
	return wire.Raw(`{"value":` + string(params.Value) + `}`), nil
}

func (e *everything) notice(_ context.Context, c *server.Call) error {
	text := c.Params().StringAt("text")
	e.seen.mu.Lock()
	defer e.seen.mu.Unlock()
	e.seen.notices = append(e.seen.notices, text)
	return nil
}
