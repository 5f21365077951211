package transport

import (
	"context"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A ServerMessage is a request or a notification that a server sends to its client.
type ServerMessage struct {
	Method       string
	Params       wire.Raw // nil if there are none
	Notification bool     // there is no response

	// Of is what the message belongs to, nil if nobody knows. At the server that is the *server.Call, or else the
	// *server.Session; at the client the [wire.ID] of the client's request in whose HTTP response the message arrived.
	Of any
}

// A MessageFunc sends or handles a message of a server. For a request it returns the result of the response, nil for the
// empty one; for a notification it returns nil.
type MessageFunc func(ctx context.Context, m *ServerMessage) (wire.Raw, error)

// A Middleware wraps the next MessageFunc, where a server sends its messages or a client receives them. It may pass on
// another message, respond itself, or look at the result.
type Middleware func(next MessageFunc) MessageFunc

// Wrap returns f inside middleware, of which the first is outermost.
func Wrap(f MessageFunc, middleware []Middleware) MessageFunc {
	for i := len(middleware) - 1; i >= 0; i-- {
		f = middleware[i](f)
	}
	return f
}
